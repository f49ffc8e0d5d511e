/* Results of a step at nodes, moved from the internal order to that of the mesh. Reactions are K u
 * - f at held degrees of freedom, and 0 elsewhere, where K u - f is the residual. Reactions of
 * dependent nodes are passed on to the prescribed nodes that lead them, force[h] += weight
 * force[dependent] (virtual work). */
#include "operator/measure/stress.h"
#include "run/static/static.h"
#include <math.h>
#include <string.h>

/* Degrees of freedom, extra ones behind, that are prescribed themselves. */
static void find_prescribed(const hk_static *s, bool *prescribed)
{
  for (hk_index i = 0; i < s->held.own.count; i++)
    prescribed[s->held.own.dof[i]] = s->held.own.begin[i] == s->held.own.begin[i + 1];
  for (hk_index i = 0; i < s->held.extras.count; i++)
    prescribed[s->held.extras.dof[i]] = s->held.extras.begin[i] == s->held.extras.begin[i + 1];
  for (hk_index i = 0; i < s->held.lead.count; i++) prescribed[s->held.lead.dof[i]] = false;
}

/* Whether a dependent moves as those that lead it: all prescribed, in its own direction, weights that sum to 1. */
static bool moves_alike(const hk_static *s, hk_index i, const bool *prescribed)
{
  const hk_constraints *lead = &s->held.lead;
  const int dim = s->on.space->components;
  double sum = 0;
  for (hk_index k = lead->begin[i]; k < lead->begin[i + 1]; k++) {
    const hk_index h = lead->master[k];
    if (!prescribed[h] || h % dim != lead->dof[i] % dim) return false;
    sum += lead->weight[k];
  }
  return fabs(sum - 1) <= 1e-9;
}

/* Forces stand where a displacement is prescribed: what is on nodes that equations tie to it goes there, force[h] += weight force[dependent]
 * (virtual work); to a node of an element only from what moves alike, so that forces balance. A dependent that prescribed ones alone lead
 * keeps nothing. force[dofs and extra ones]: K u - f */
static hk_status pass_on(const hk_static *s, double *force)
{
  hk_status status = HK_OK;
  const hk_constraints *lead = &s->held.lead;
  bool *prescribed = NULL;
  HK_TRY(hk_get(&prescribed, s->vector.all));
  find_prescribed(s, prescribed);
  for (hk_index i = 0; i < lead->count; i++) {
    const bool alike = moves_alike(s, i, prescribed);
    bool all = lead->begin[i] < lead->begin[i + 1];
    for (hk_index k = lead->begin[i]; k < lead->begin[i + 1]; k++) {
      const hk_index h = lead->master[k];
      const bool takes = prescribed[h] && (alike || h >= s->vector.dofs);
      all = all && takes;
      if (takes) force[h] += lead->weight[k] * force[lead->dof[i]];
    }
    if (all) force[lead->dof[i]] = 0;
  }
cleanup:
  hk_free(&prescribed);
  return status;
}

/* T^T f of the ties where orders meet, f[mesh node][components]: nothing acts on a tied node itself, its force is that of its masters. */
static void untie(const hk_static *s, double *f)
{
  const hk_ties *t = &s->on.ties;
  const int components = s->components;
  for (hk_index i = 0; i < t->count; i++)
    for (int c = 0; c < components; c++) {
      double *tied = &f[(hk_count)t->node[i] * components + c];
      for (hk_count k = t->begin[i]; k < t->begin[i + 1]; k++)
        f[(hk_count)t->master[k] * components + c] += t->weight[k] * *tied;
      *tied = 0;
    }
}

/* reaction[mesh node][components]; those of extra nodes are in NAME.dat too, where K u of them would be nothing: extra[] is their force. */
static hk_status find_reactions(hk_static *s, double *extra)
{
  hk_status status = HK_OK;
  const int dim = s->components;
  const hk_step_vectors *v = &s->vector;
  const hk_constraints *own = &s->held.own;
  hk_pool pool = {0};
  bool *held;
  double *force;
  HK_TRY(hk_pool_get(&pool, &held, v->dofs));
  HK_TRY(hk_pool_get(&pool, &force, v->all));
  for (hk_index i = 0; i < own->count; i++) held[own->dof[i]] = true;
  for (hk_index k = 0; k < own->begin[own->count]; k++) held[own->master[k]] = true;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < v->dofs; i++) force[i] = held[i] ? v->ku[i] - v->f[i] : 0;
  if (s->held.lead.count) HK_TRY(pass_on(s, force));
  hk_space_from_internal(s->on.space, dim, force, s->nodal.reaction);
  for (hk_count i = 0; i < s->extra.count * dim; i++) {
    extra[i] = force[v->dofs + i];
    s->nodal.reaction[(hk_count)s->extra.node[i / dim] * dim + i % dim] =
        extra[i] - s->extra.load[i];
  }
  untie(s, s->nodal.reaction);
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Of heat K u without what films and reactions exchange, and what is stored, is what is conducted. */
hk_status hk_static_gather(hk_static *s)
{
  hk_status status = HK_OK;
  const int dim = s->components;
  hk_step_vectors *v = &s->vector;
  hk_nodal_results *r = &s->nodal;
  double *extra = NULL;
  HK_TRY(hk_get(&extra, s->extra.count * dim));
  HK_TRY(find_reactions(s, extra));
  if (hk_static_heats(s)) {
    hk_transient_conducted(s);
    memset(v->right, 0, (size_t)v->dofs * sizeof *v->right);
    hk_films_heat(&s->on, &s->in_k, v->u, v->right);
#pragma omp parallel for schedule(static)
    for (hk_count i = 0; i < v->dofs; i++) v->ku[i] -= v->right[i];
  }
  hk_space_from_internal(s->on.space, dim, v->ku, r->internal);
  hk_space_from_internal(s->on.space, dim, hk_static_solid(s) ? v->u : s->time.t, r->displacement);
  hk_constraints_apply(&s->held.extras, v->u);
  for (hk_count i = 0; i < s->extra.count * dim; i++) {
    const hk_count at = (hk_count)s->extra.node[i / dim] * dim + i % dim;
    r->displacement[at] = v->u[v->dofs + i];
    r->internal[at] = extra[i];
  }
  untie(s, r->internal);
  if (hk_static_coupled(s)) HK_TRY(hk_static_coupled_fluxes(s, r->stress));
cleanup:
  hk_free(&extra);
  return status;
}

hk_status hk_static_means(hk_static *s)
{
  const hk_model *model = s->on.model;
  const hk_nodal_results *r = &s->nodal;
  return hk_static_heats(s)
             ? hk_flux_nodes(model->mesh, model->region, model->region_count, model->element_region,
                             r->displacement, r->stress)
             : hk_stress_nodes(model->mesh, model->region, model->region_count,
                               model->element_region, r->displacement, r->stress, r->strain);
}
