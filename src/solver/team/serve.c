/* Teams whose parts are ranks of MPI. Rank 0 calls the functions of team.h; each of them first sends a command to the other ranks, which then call the same
 * function from here. The rows of a part go to rank 0, which knows their places in the whole model. */
#include "solver/team/parts.h"
#include <string.h>

hk_status hk_team_tell(const hk_team *t, const hk_command *command)
{
  return t->ranks && t->first == 0 ? hk_ranks_command(t->ranks, command) : HK_OK;
}

hk_status hk_team_agree(const hk_team *t, hk_status status)
{
  return t->ranks ? hk_ranks_agree(status) : status;
}

hk_status hk_team_stepped(const hk_team *t, hk_status status)
{
  return t->ranks ? hk_ranks_agree_soon(t->ranks, status) : status;
}

hk_status hk_team_tear(const hk_team *t, hk_status status)
{
  return t->ranks ? hk_ranks_tear(t->ranks, status) : status;
}

hk_status hk_team_send_rows(const hk_team *t, const void *own, hk_count bytes_of_node)
{
  return hk_ranks_send(t->ranks, 0, own, t->division->part[t->first].rows * bytes_of_node);
}

hk_status hk_team_take_rows(const hk_team *t, void *whole, hk_count node)
{
  hk_status status = HK_OK;
  char *rows = NULL;
  for (int k = t->own; k < t->parts; k++) {
    const hk_division_part *p = &t->division->part[k];
    HK_TRY(hk_get(&rows, p->rows * node));
    HK_TRY(hk_ranks_take(t->ranks, k, rows, p->rows * node));
    for (hk_index i = 0; i < p->rows; i++)
      memcpy((char *)whole + p->whole[i] * node, rows + i * node, (size_t)node);
    hk_free(&rows);
  }
cleanup:
  hk_free(&rows);
  return status;
}

static hk_status read_some(hk_team *t, const hk_command *c)
{
  hk_status status = HK_OK;
  double *values = NULL;
  HK_TRY(hk_team_tear(t, hk_get(&values, c->count)));
  HK_TRY(hk_team_read_some(t, c->shot, (hk_state_part)c->part, c->first, c->count, values));
cleanup:
  hk_free(&values);
  return status;
}

/* What gives something, to rank 0. */
static hk_status give(hk_team *t, const hk_command *c)
{
  double work, damping;
  const double *values;
  switch (c->what) {
  case HK_TEAM_ENERGY_END: return hk_team_energy_end(t, NULL);
  case HK_TEAM_TOTALS: return hk_team_totals(t, c->shot, &work, &damping);
  case HK_TEAM_SAMPLES_END: return hk_team_samples_end(t, c->part, &values);
  case HK_TEAM_READ: return hk_team_read(t, c->shot, (hk_state_part)c->part, NULL);
  case HK_TEAM_READ_SOME: return read_some(t, c);
  case HK_TEAM_SAVE: return hk_team_save(t, NULL);
  case HK_TEAM_FETCH: return hk_team_fetch_own(t, c->shot, (hk_state_part)c->part, c->flag);
  default: return hk_error_set(HK_INTERNAL, "rank 0 asks for what no team does: %d", c->what);
  }
}

hk_status hk_team_serve(hk_team *t, const hk_command *c)
{
  switch (c->what) {
  case HK_TEAM_START:
  case HK_TEAM_CONTINUE: return hk_team_set(t, c->what, c->flag, &(hk_team_vectors){NULL, NULL});
  case HK_TEAM_ADVANCE: return hk_team_advance(t, c->count);
  case HK_TEAM_ENERGY_BEGIN: return hk_team_energy_begin(t);
  case HK_TEAM_FINISH: return hk_team_finish(t);
  case HK_TEAM_SAMPLES_BEGIN: return hk_team_samples_begin(t, c->part, c->first, c->count);
  case HK_TEAM_RESTORE: return hk_team_restore(t, c->first, c->flag, NULL);
  default: return give(t, c);
  }
}
