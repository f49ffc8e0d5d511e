/* What holds and acts in a step, in the numbers of the mesh. */
#include "run/system/parts.h"
#include <math.h>
#include <string.h>

/* Degree of freedom of the mesh: of an element's node, or of an extra one. */
static hk_index to_mesh(const hk_system *y, hk_count dof)
{
  const int components = y->space->components;
  const hk_count own = (hk_count)y->space->padded * components;
  const hk_index node =
      dof < own ? y->space->mesh_node[dof / components] : y->s.extra[(dof - own) / components];
  return (hk_index)(node * components + dof % components);
}

/* Where a row comes from: 0: nowhere; k > 0: row k - 1 of `a`; k < 0: row -k - 1 of `b`. */
static void mark(const hk_system *y, const hk_constraints *c, int sign, hk_index *from)
{
  for (hk_index i = 0; i < c->count; i++) from[to_mesh(y, c->dof[i])] = sign * (i + 1);
}

/* y->held = both lists, whose masters are internal ones */
static hk_status merge(hk_system *y, const hk_constraints *a, const hk_constraints *b)
{
  hk_status status = HK_OK;
  const hk_count dofs = hk_system_dofs(y);
  const hk_count entries =
      (a->begin ? a->begin[a->count] : 0) + (b->begin ? b->begin[b->count] : 0);
  hk_constraints h = {.dofs = dofs};
  hk_index *from = NULL, used = 0;
  HK_TRY(hk_get(&from, dofs));
  mark(y, a, 1, from);
  mark(y, b, -1, from);
  HK_TRY(hk_get(&h.dof, a->count + b->count));
  HK_TRY(hk_get(&h.offset, a->count + b->count));
  HK_TRY(hk_get(&h.begin, (hk_count)a->count + b->count + 1));
  HK_TRY(hk_get(&h.master, entries));
  HK_TRY(hk_get(&h.weight, entries));
  for (hk_count d = 0; d < dofs; d++) {
    const hk_constraints *c = from[d] > 0 ? a : b;
    const hk_index i = from[d] > 0 ? from[d] - 1 : -from[d] - 1;
    if (!from[d]) continue;
    h.dof[h.count] = (hk_index)d;
    h.offset[h.count] = c->offset[i];
    for (hk_index k = c->begin[i]; k < c->begin[i + 1]; k++) {
      h.master[used] = to_mesh(y, c->master[k]);
      h.weight[used++] = c->weight[k];
    }
    h.begin[++h.count] = used;
  }
  hk_constraints_clear(&y->held);
  y->held = h, h = (hk_constraints){0};
cleanup:
  hk_free(&from);
  hk_constraints_clear(&h);
  return status;
}

static hk_status hold_static(hk_system *y)
{
  hk_status status = HK_OK;
  HK_TRY(merge(y, &y->s.held, &y->s.extras));
  hk_space_from_internal(y->space, y->space->components, y->s.f, y->load);
cleanup:
  return status;
}

/* goal[signal_count]: what the signals of motions have come to at `time`; of rates the sum over the steps of a run. */
static hk_status find_goals(hk_stage *stage, double time, double *goal)
{
  enum { SOME = 256 };
  hk_status status = HK_OK;
  hk_excitation *d = &stage->excitation;
  double *table = NULL;
  const hk_count steps = (hk_count)floor(fmin(time / stage->dt, (double)stage->steps) + 0.5);
  HK_TRY(hk_get(&table, (hk_count)d->signal_count * SOME));
  for (hk_count n = 0; n < steps; n += SOME) {
    const int count = steps - n < SOME ? (int)(steps - n) : SOME;
    hk_excitation_sample(d, stage->dt, n, count, SOME, table);
    for (int i = 0; i < d->signal_count; i++) goal[i] = table[(hk_count)i * SOME + count - 1];
  }
  for (int i = 0; i < d->signal_count; i++)
    if (d->signal[i].role == HK_ROLE_DISPLACEMENT)
      goal[i] = hk_source_signal_at(&d->signal[i], time);
cleanup:
  hk_free(&table);
  return status;
}

static hk_status hold_motions(hk_system *y, double time)
{
  hk_status status = HK_OK;
  const hk_excitation *d = &y->stage.excitation;
  const char *file = y->stage.step->place.file;
  hk_constraint_rows rows = {0};
  hk_constraints built = {0};
  double *goal = NULL;
  HK_TRY(hk_get(&goal, d->signal_count));
  HK_TRY(find_goals(&y->stage, time, goal));
  for (hk_index r = 0; r < d->motion.rows; r++) {
    const hk_index first = d->motion.begin[r], signal = d->motion_signal[r];
    HK_TRY(hk_constraint_rows_add(
        &rows, d->motion.begin[r + 1] - first, d->motion.dof + first, d->motion.weight + first,
        signal < 0 ? 0 : d->motion_value[r] * goal[signal], file, y->stage.step->place.line));
  }
  HK_TRY(hk_constraints_build(&rows, (hk_count)y->space->padded * y->space->components, 0,
                              y->session.list, &built, NULL));
  HK_TRY(merge(y, &built, &(hk_constraints){0}));
cleanup:
  hk_free(&goal);
  hk_constraint_rows_clear(&rows);
  hk_constraints_clear(&built);
  return status;
}

static void load_drive(hk_system *y, double time)
{
  const hk_excitation *d = &y->stage.excitation;
  memset(y->load, 0, (size_t)hk_system_dofs(y) * sizeof *y->load);
  for (hk_index r = 0; r < d->force.rows; r++) {
    double f = 0;
    for (hk_index k = d->force.begin[r]; k < d->force.begin[r + 1]; k++)
      f += d->force.coefficient[k] * hk_source_signal_at(&d->signal[d->force.signal[k]], time);
    y->load[to_mesh(y, d->force.dof[r])] = f;
  }
}

hk_status hk_system_hold(hk_system *y, double time)
{
  hk_status status = HK_OK;
  if (y->still) return hold_static(y);
  HK_TRY(hold_motions(y, time));
  load_drive(y, time);
cleanup:
  return status;
}
