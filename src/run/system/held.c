/* The constraints of a step in the numbers of the mesh, u[dof] = offset + sum weight u[master],
 * ascending by dof. They are merged from two lists in internal numbers: those of the degrees of
 * freedom and those of extra nodes, which belong to no element. */
#include "run/system/parts.h"

hk_index hk_system_to_mesh(const hk_system *y, const hk_index *extra, hk_count dof)
{
  const hk_space *space = y->on->space;
  const int components = space->components;
  const hk_count own = hk_discretisation_dofs(y->on);
  const hk_index node =
      dof < own ? space->mesh_node[dof / components] : extra[(dof - own) / components];
  return (hk_index)(node * components + dof % components);
}

/* Where a row comes from: 0: nowhere; k > 0: row k - 1 of `a`; k < 0: row -k - 1 of `b`. */
static void mark(const hk_system *y, const hk_constraints *c, const hk_index *extra, int sign,
                 hk_index *from)
{
  for (hk_index i = 0; i < c->count; i++)
    from[hk_system_to_mesh(y, extra, c->dof[i])] = sign * (i + 1);
}

hk_status hk_system_merge(hk_system *y, const hk_constraints *a, const hk_constraints *b,
                          const hk_index *extra)
{
  hk_status status = HK_OK;
  const hk_count dofs = hk_system_dofs(y);
  const hk_count entries =
      (a->begin ? a->begin[a->count] : 0) + (b->begin ? b->begin[b->count] : 0);
  hk_constraints h = {.dofs = dofs};
  hk_index *from = NULL, used = 0;
  HK_TRY(hk_get(&from, dofs));
  mark(y, a, extra, 1, from);
  mark(y, b, extra, -1, from);
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
      h.master[used] = hk_system_to_mesh(y, extra, c->master[k]);
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
