/* Forces and motions of each step: signals s(t_n) into the table that devices read, and for motions g, the once or twice integrated s
 * by the time scheme (next_goal). Signals are sampled by all threads, each signal by one. hk_force_rows_build sorts the entries of forces by degree of freedom into rows,
 * those left out that motions hold. */
#include "load/excitation.h"
#include "base/sort.h"
#include <stdlib.h>

enum { FEW_VALUES = 4096 }; /* to sample them takes about as long as to wake the other threads */

void hk_sparse_clear(hk_sparse *sparse)
{
  hk_free(&sparse->begin);
  hk_free(&sparse->dof);
  hk_free(&sparse->weight);
  sparse->rows = 0;
}

void hk_dashpots_clear(hk_dashpots *d)
{
  hk_free(&d->node);
  hk_free(&d->c);
  *d = (hk_dashpots){0};
}

void hk_filtered_clear(hk_filtered *f)
{
  hk_free(&f->value);
  *f = (hk_filtered){0};
}

void hk_excitation_clear(hk_excitation *excitation)
{
  for (int i = 0; i < excitation->signal_count; i++)
    hk_filtered_clear(&excitation->signal[i].filtered);
  hk_free(&excitation->signal);
  hk_pool_clear(&excitation->tables);
  hk_free(&excitation->force.dof);
  hk_free(&excitation->force.begin);
  hk_free(&excitation->force.signal);
  hk_free(&excitation->force.coefficient);
  hk_sparse_clear(&excitation->motion);
  hk_free(&excitation->motion_signal);
  hk_free(&excitation->motion_value);
  hk_free(&excitation->motion_base);
  hk_free(&excitation->motion_drift);
  *excitation = (hk_excitation){0};
}

double hk_source_signal_at(const hk_source_signal *s, double t)
{
  if (!s->signal) return t >= s->start ? 1 : 0;
  return hk_signal_value(s->signal, t - s->start);
}

/* s at step n, or (late 0.5) half a step later. */
static double at_step(const hk_source_signal *s, double dt, hk_count n, double late)
{
  const hk_filtered *f = &s->filtered;
  if (!f->on) return hk_source_signal_at(s, ((double)n + late) * dt);
  if (n < f->first) return f->before;
  return n < f->first + f->count ? f->value[n - f->first] : f->after;
}

/* g of step n, once g of step n - 1 is in sum. */
static double next_goal(hk_source_signal *s, double dt, hk_count n)
{
  switch (s->role) {
  case HK_ROLE_FORCE: return at_step(s, dt, n, 0);
  case HK_ROLE_DISPLACEMENT: return at_step(s, dt, n + 1, 0);
  case HK_ROLE_VELOCITY: return s->sum += dt * at_step(s, dt, n, 0.5);
  case HK_ROLE_ACCELERATION:
    s->rate += (n == 0 ? 0.5 : 1) * dt * at_step(s, dt, n, 0);
    return s->sum += dt * s->rate;
  }
  return 0;
}

void hk_excitation_sample(hk_excitation *excitation, double dt, hk_count first, int count,
                          int stride, double *table)
{
  const bool many = (hk_count)excitation->signal_count * count > FEW_VALUES;
#pragma omp parallel for schedule(static) if (many)
  for (int i = 0; i < excitation->signal_count; i++) {
    hk_source_signal *s = &excitation->signal[i];
    if (first == 0) s->sum = s->rate = 0;
    for (int k = 0; k < count; k++) table[(hk_count)i * stride + k] = next_goal(s, dt, first + k);
  }
}

static int by_dof(const void *a, const void *b)
{
  const hk_force_entry *x = a, *y = b;
  if (x->dof != y->dof) return x->dof < y->dof ? -1 : 1;
  if (x->signal != y->signal) return x->signal < y->signal ? -1 : 1;
  return (x->coefficient > y->coefficient) - (x->coefficient < y->coefficient);
}

/* Degrees of freedom that move as prescribed whatever acts on them: alone in their rows. */
static hk_status held_dofs(const hk_sparse *motion, hk_index **out, hk_index *count)
{
  const hk_status status = hk_get(out, motion->rows);
  if (status != HK_OK) return status;
  *count = 0;
  for (hk_index r = 0; r < motion->rows; r++)
    if (motion->begin[r + 1] - motion->begin[r] == 1)
      (*out)[(*count)++] = motion->dof[motion->begin[r]];
  qsort(*out, (size_t)*count, sizeof **out, hk_compare_index);
  return HK_OK;
}

hk_status hk_force_rows_build(hk_force_entry *entry, hk_count count, const hk_sparse *motion,
                              hk_force_rows *out)
{
  hk_status status = HK_OK;
  hk_force_rows f = {0};
  hk_index *held = NULL, held_count = 0, used = 0;
  hk_index checked;

  HK_TRY(hk_narrow(count, "loaded degrees of freedom", &checked));
  HK_TRY(held_dofs(motion, &held, &held_count));
  HK_TRY(hk_get(&f.dof, count));
  HK_TRY(hk_get(&f.begin, count + 1));
  HK_TRY(hk_get(&f.signal, count));
  HK_TRY(hk_get(&f.coefficient, count));
  if (count) qsort(entry, (size_t)count, sizeof *entry, by_dof);
  for (hk_count i = 0; i < count; i++) {
    if (entry[i].coefficient == 0) continue;
    if (held_count &&
        bsearch(&entry[i].dof, held, (size_t)held_count, sizeof *held, hk_compare_index))
      continue;
    if (!f.rows || f.dof[f.rows - 1] != entry[i].dof) {
      f.dof[f.rows] = entry[i].dof;
      f.begin[f.rows++] = used;
    }
    f.signal[used] = entry[i].signal;
    f.coefficient[used++] = entry[i].coefficient;
  }
  f.begin[f.rows] = used;
  *out = f, f = (hk_force_rows){0};
cleanup:
  hk_free(&held);
  hk_free(&f.dof);
  hk_free(&f.begin);
  hk_free(&f.signal);
  hk_free(&f.coefficient);
  return status;
}
