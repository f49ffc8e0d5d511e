/* Energies of a step, E = u . K u / 2 and W = f . u / 2, sums of its loads and reactions, and its largest values. Vectors are summed in so many parts,
 * whatever the number of threads: sums have the same bits. */
#include "run/static/static.h"
#include <math.h>

enum { PARTS = 64 };

static hk_count part_begin(const hk_static *s, int part)
{
  return s->vector.dofs / s->components * part / PARTS * s->components;
}

/* Adds the nodes of a part. */
static void measure_part(const hk_static *s, int part, hk_static_result *r)
{
  const hk_step_vectors *v = &s->vector;
  const hk_count end = part_begin(s, part + 1);
  for (hk_count first = part_begin(s, part); first < end; first += s->components)
    for (int c = 0; c < s->components; c++) {
      const hk_count i = first + c;
      const double reaction = v->ku[i] - v->f[i];
      r->strain += .5 * v->u[i] * v->ku[i];
      r->work += .5 * v->f[i] * v->u[i];
      r->load[c] += v->f[i], r->reaction[c] += reaction;
      r->most = hk_larger(r->most, fabs(v->u[i]));
      r->most_force = hk_larger(r->most_force, hk_larger(fabs(v->f[i]), fabs(reaction)));
    }
}

static void add_part(const hk_static *s, const hk_static_result *part, hk_static_result *r)
{
  r->strain += part->strain, r->work += part->work;
  r->most = hk_larger(r->most, part->most);
  r->most_force = hk_larger(r->most_force, part->most_force);
  for (int c = 0; c < s->components; c++)
    r->load[c] += part->load[c], r->reaction[c] += part->reaction[c];
}

void hk_static_measure(const hk_static *s, hk_static_result *r)
{
  const int dim = s->components;
  const hk_step_vectors *v = &s->vector;
  const hk_constraints *extras = &s->held.extras;
  hk_static_result part[PARTS] = {0};
#pragma omp parallel for schedule(static)
  for (int k = 0; k < PARTS; k++) measure_part(s, k, &part[k]);
  for (int k = 0; k < PARTS; k++) add_part(s, &part[k], r);
  for (hk_index i = 0; i < extras->count; i++) {
    const hk_count at = extras->dof[i] - v->dofs;
    r->work += .5 * s->extra.load[at] * extras->offset[i];
    r->load[at % dim] += s->extra.load[at];
    r->reaction[at % dim] -= s->extra.load[at];
  }
}

void hk_static_unload(const hk_static *s, const double *flow, hk_static_result *r)
{
  hk_static_result part[PARTS] = {0};
#pragma omp parallel for schedule(static)
  for (int k = 0; k < PARTS; k++)
    for (hk_count i = part_begin(s, k), end = part_begin(s, k + 1); i < end; i += s->components)
      for (int c = 0; c < s->components; c++) part[k].load[c] -= flow[i + c];
  for (int k = 0; k < PARTS; k++) add_part(s, &part[k], r);
}
