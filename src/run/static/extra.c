/* Extra nodes belong to no element but occur in equations. They are eliminated before the solution,
 * so that the solver never sees them. A load on one is passed along its equation, f[master] +=
 * weight f[extra]; on a prescribed one it is kept for the reaction. A component that no equation
 * determines is taken as 0, with a warning. */
#include "physics/words.h"
#include "run/static/static.h"
#include <string.h>

hk_status hk_extra_find(const hk_discretisation *on, hk_pool *pool, hk_extra_nodes *extra)
{
  hk_status status = HK_OK;
  bool *named = NULL;
  hk_count count = 0;
  if (!on->model->equation.count) return HK_OK;
  HK_TRY(hk_get(&named, on->model->mesh->node_count));
  for (int i = 0; i < on->model->equation.count; i++)
    for (int k = 0; k < on->model->equation.at[i].terms; k++) {
      const hk_index node = on->model->equation.at[i].node[k];
      if (on->space->node[node] >= 0 || named[node]) continue;
      named[node] = true;
      count++;
    }
  HK_TRY(hk_pool_get(pool, &extra->node, count));
  for (hk_count n = 0; n < on->model->mesh->node_count; n++)
    if (named[n]) extra->node[extra->count++] = (hk_index)n;
cleanup:
  hk_free(&named);
  return status;
}

/* Extra nodes have no stiffness: what the step's equations name and do not settle is taken as 0. Told once. */
hk_status hk_extra_tell_open(hk_static *s, const hk_constraint_rows *rows)
{
  hk_status status = HK_OK;
  const hk_place place = s->on.model->step[s->step].place;
  const int components = s->on.space->components;
  const hk_count extra = s->extra.count * components;
  static const char *const along[] = {" along x", " along y", " along z"};
  bool *open = NULL;
  hk_count count = 0, first = -1;
  if (!extra || s->extra.told) return HK_OK;
  HK_TRY(hk_get(&open, extra));
  for (hk_count k = 0; k < rows->term.count; k++)
    if (rows->term.at[k].dof >= s->vector.dofs) open[rows->term.at[k].dof - s->vector.dofs] = true;
  for (hk_index i = 0; i < s->held.extras.count; i++)
    open[s->held.extras.dof[i] - s->vector.dofs] = false;
  for (hk_count i = 0; i < extra; i++)
    if (open[i] && !count++) first = i;
  if (!count) goto cleanup;
  s->extra.told = true;
  hk_messages_add(
      s->on.list, HK_WARNING, place.file, place.line, 0,
      "node %lld belongs to no element, and the equations do not determine its %s%s "
      "(%lld such): hooke takes 0; prescribe it, or give the missing equations",
      (long long)hk_mesh_node_label(s->on.model->mesh, s->extra.node[first / components]),
      hk_static_heats(s) ? "temperature" : "displacement",
      hk_static_heats(s) ? "" : along[first % components], (long long)count);
cleanup:
  hk_free(&open);
  return status;
}

hk_status hk_extra_load(hk_static *s)
{
  const int dim = s->on.space->components;
  memset(s->extra.load, 0, (size_t)(s->extra.count * dim) * sizeof *s->extra.load);
  for (hk_index i = 0; i < s->held.extras.count; i++)
    if (s->held.extras.begin[i] == s->held.extras.begin[i + 1])
      s->extra.load[s->held.extras.dof[i] - s->vector.dofs] = s->vector.f[s->held.extras.dof[i]];
  for (hk_count i = 0; i < s->extra.count * dim; i++)
    if (s->vector.f[s->vector.dofs + i] != 0) goto some;
  return HK_OK;
some:
  hk_constraints_transpose(&s->held.extras, s->vector.f);
  for (hk_count i = 0; i < s->extra.count * dim; i++)
    HK_NEED(s->vector.f[s->vector.dofs + i] == 0, HK_BAD_INPUT,
            "%s: %s node %lld, which belongs to no element, in a direction that no equation uses: "
            "remove it",
            s->on.model->path, hk_words_of(s->unknowns)->load,
            (long long)hk_mesh_node_label(s->on.model->mesh, s->extra.node[i / dim]));
  return HK_OK;
}
