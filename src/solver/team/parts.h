/* What the files of this folder share. */
#pragma once
#include "solver/team/team.h"

typedef struct hk_share { /* what one part has of the whole description; NULL arrays: none */
  hk_pool pool;
  double *mass, *damping;
  hk_dashpots dashpots;
  hk_excitation excitation;
  hk_sparse receivers;
  hk_receiver_group *group; /* group[group_count] */
  bool *of_rate;            /* of_rate[receivers.rows]; NULL: no row */
  bool rates; /* receivers of rates, or terms of K, read the last increment of ghosts */
  /* which of the whole's its own are */
  hk_index *force, *motion, *motion_entry, *dashpot;
  /* row of each receiver row; the rows of group g begin at group_row[g] */
  hk_index *row, *group_row;
} hk_share;

struct hk_team {
  hk_division *division; /* NULL: one solver */
  hk_explicit_desc desc; /* of the whole; its excitation, dashpots and receivers outlive the team */
  int parts, first, own; /* those of this process: [first, first + own) */
  hk_ranks *ranks;       /* of the others; NULL: none */
  hk_explicit **solver;  /* solver[parts]; NULL: of another process */
  hk_pool pool;
  hk_share *share; /* share[parts] */
  hk_link *link;   /* link[parts] */
  struct hk_team_end *end;
  hk_link_side *side; /* side[parts] */
  hk_links *links;
  hk_energy_table *table; /* table[parts] */
  double **sample;        /* sample[group]: half a ring of the whole */
  hk_count *coming;       /* coming[group]: samples in it */
  hk_count losses;        /* groups of losses of a group of K */
  /* Of a rank but the first, of vectors and of integrals; NULL: none yet. */
  hk_team_fetch *fetch[2];
};

/* States stepped together, and bytes of a real. */
static inline int hk_team_shots(const hk_team *team)
{
  return team->desc.shots ? team->desc.shots : 1;
}
static inline hk_count hk_team_real(const hk_team *team)
{
  return team->division->part[team->first].op->desc.double_precision ? 8 : 4;
}

/* What rank 0 tells the others to do (hk_command.what); they call the same functions (serve.c). */
enum {
  HK_TEAM_START = 100,
  HK_TEAM_CONTINUE,
  HK_TEAM_ADVANCE,
  HK_TEAM_ENERGY_BEGIN,
  HK_TEAM_ENERGY_END,
  HK_TEAM_TOTALS,
  HK_TEAM_FINISH,
  HK_TEAM_SAMPLES_BEGIN,
  HK_TEAM_SAMPLES_END,
  HK_TEAM_READ,
  HK_TEAM_READ_SOME,
  HK_TEAM_SAVE,
  HK_TEAM_RESTORE,
  HK_TEAM_FETCH
};

/* serve.c: rank 0 tells the others; nothing without ranks, or on another one. */
hk_status hk_team_tell(const hk_team *team, const hk_command *command);
/* How what all ranks did went; without ranks: status. */
hk_status hk_team_agree(const hk_team *team, hk_status status);
/* The same after steps (hk_ranks_agree_soon). */
hk_status hk_team_stepped(const hk_team *team, hk_status status);
/* A failure between agreements tears the run; returns status. */
hk_status hk_team_tear(const hk_team *team, hk_status status);
/* Whether a rank but the first is meant. */
static inline bool hk_team_helps(const hk_team *team)
{
  return team->ranks && team->first > 0;
}

/* samples.c: room for half a ring of each group. */
hk_status hk_team_get_samples(hk_team *team);
/* places.c. Where bytes of the saved state of a part lie in that of the whole, both counted from behind their vectors: `count` runs of `bytes`,
 * `stride` apart in both. Several parts may have the same numbers. */
typedef struct hk_piece {
  hk_count own, whole, bytes, count, stride;
} hk_piece;
typedef struct hk_places {
  hk_pool pool;
  HK_LIST(hk_piece) piece;
  hk_count own, whole; /* bytes in all */
} hk_places;
hk_status hk_team_list_places(const hk_team *team, int part, bool receivers, hk_places *out);
/* Groups of losses of a group of K. */
hk_count hk_team_losses(const hk_team *team);
/* serve.c: own[rows] nodes of this rank, to rank 0; and */
hk_status hk_team_send_rows(const hk_team *team, const void *own, hk_count bytes_of_node);
/* whole: of the own numbers of the other ranks. */
hk_status hk_team_take_rows(const hk_team *team, void *whole, hk_count bytes_of_node);
/* team.c: hk_team_start (HK_TEAM_START) or hk_team_continue (HK_TEAM_CONTINUE); given: 1 for a, 2 for b, which rank 0 alone has. */
typedef struct hk_team_vectors { /* [shots][padded][components] of the whole; NULL: zero */
  const double *a, *b;
} hk_team_vectors;
hk_status hk_team_set(hk_team *team, int what, int given, const hk_team_vectors *vectors);
/* fetch.c: what this rank sends of a vector that rank 0 fetches. */
hk_status hk_team_fetch_own(hk_team *team, int shot, hk_state_part part, bool next);

/* team.c: what(team, k, user) of all parts at once, each by its thread; with one solver by the caller. */
hk_status hk_team_each(hk_team *team, hk_status (*what)(hk_team *team, int part, void *user),
                       void *user);

/* share.c: arrays of the pool of the share. HK_BAD_INPUT where a motion holds nodes of several parts. */
hk_status hk_share_create(const hk_explicit_desc *desc, const hk_division *division, int part,
                          hk_share *out);
/* values of a part <- those of the whole, `components` per node: own nodes and ghosts. */
void hk_share_vector(const hk_division *division, int part, int components, const double *whole,
                     double *values);
