/* A model stepped by one solver, or by one for each device of a division. The calls are those of solver/explicit/explicit.h, and what they take and give
 * is of the whole model in its own numbering: the same bits for any number of devices of one kind. */
#pragma once
#include "solver/explicit/explicit.h"
#include "solver/team/division.h"

typedef struct hk_team hk_team;

/* division: NULL, then one solver has what desc says; else desc is of the whole model, and its `op` is not used. HK_BAD_INPUT for what parts do not
 * have: a motion that holds nodes of several parts. */
hk_status hk_team_create(const hk_explicit_desc *desc, hk_division *division, hk_team **out);
void hk_team_destroy(hk_team **team);

hk_status hk_team_start(hk_team *team, const double *u0, const double *v0);
hk_status hk_team_continue(hk_team *team, const double *u, const double *increment);
hk_status hk_team_advance(hk_team *team, hk_count to);
hk_status hk_team_energy_begin(hk_team *team);
hk_status hk_team_energy_end(hk_team *team, hk_energy *energy);
hk_status hk_team_totals(hk_team *team, int shot, double *work, double *damping);
hk_status hk_team_finish(hk_team *team);
hk_count hk_team_step(const hk_team *team);

hk_count hk_team_room(const hk_team *team, int receiver_group);
hk_count hk_team_complete(const hk_team *team, int receiver_group);
hk_status hk_team_samples_begin(hk_team *team, int receiver_group, hk_count first, hk_count count);
hk_status hk_team_samples_end(hk_team *team, int receiver_group, const double **values);

hk_status hk_team_read(const hk_team *team, int shot, hk_state_part part, double *values);
hk_status hk_team_read_some(const hk_team *team, int shot, hk_state_part part, hk_count first,
                            hk_count count, double *values);
hk_count hk_team_state_bytes(const hk_team *team, bool receivers);
hk_status hk_team_save(const hk_team *team, void *state);
hk_status hk_team_restore(hk_team *team, hk_count step, bool receivers, const void *state);
/* The way in which parts exchange rows; NULL: one device. */
const hk_links *hk_team_links(const hk_team *team);

/* Of a division among ranks: what rank 0 has told this one to do. */
hk_status hk_team_serve(hk_team *team, const hk_command *command);

/* A vector of a shot on its way to the host, in the whole numbering. */
typedef struct hk_team_fetch hk_team_fetch;
/* Of so many bytes in the whole, of vectors of reals of `components` per node; device: where division is NULL. */
hk_status hk_team_fetch_create(hk_device *device, const hk_division *division, hk_count bytes,
                               hk_team_fetch **out);
void hk_team_fetch_destroy(hk_team_fetch **fetch);
/* next: as it would be after the step that comes next. */
hk_status hk_team_fetch_begin(hk_team *team, int shot, hk_state_part part, bool next,
                              hk_team_fetch *fetch);
hk_status hk_team_fetch_wait(hk_team_fetch *fetch, const void **data); /* from any thread */
