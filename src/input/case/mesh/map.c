/* mesh: {map: {mesh: ..., x: ..., y: ..., z: ...}}: a mesh whose nodes are moved by formulas,
 *   x' = (fx(x), fy(x), fz(x)),  x the node's place before (Keating, 3.2).
 * Elements keep their nodes; coordinates and Jacobians are checked after the move. */
#include "base/formula.h"
#include "input/case/case.h"
#include "mesh/mesh.h"
#include <math.h>

static const char *const key[] = {"x", "y", "z"};

/* The formulas of the model's pool; NULL: the coordinate stays. */
static hk_status read_formulas(hk_case *c, const hk_node *map, const hk_formula *by[3])
{
  bool some = false;
  for (int d = 0; d < 3; d++) {
    const hk_node *text = hk_node_find(map, key[d]), *value = hk_case_value(map, key[d]);
    some = some || text;
    if (value && d >= c->model->mesh->dim && !c->any_dim)
      hk_case_error(c, value, "map: the mesh is 2D and has no z: remove this formula");
    else if (value)
      HK_PASS(
          hk_case_forgive(c, value, hk_model_add_formula(c->model, value->text, false, &by[d])));
  }
  if (!some) hk_case_error(c, map, "map needs at least one of the formulas x, y, z");
  return HK_OK;
}

static void move(hk_case *c, const hk_node *map, const hk_formula *const by[3])
{
  hk_mesh *mesh = c->model->mesh;
  const int dim = mesh->dim;
  for (hk_count n = 0; n < mesh->node_count; n++) {
    double *x = mesh->x + n * dim, from[3] = {0};
    for (int d = 0; d < dim; d++) from[d] = x[d];
    for (int d = 0; d < dim; d++) {
      if (by[d]) x[d] = hk_formula_value(by[d], from);
      if (isfinite(x[d])) continue;
      hk_case_error(c, hk_case_value(map, key[d]),
                    "map: the formula %s has no finite value at (%g, %g, %g), node %lld", key[d],
                    from[0], from[1], from[2], (long long)hk_mesh_node_label(mesh, n));
      return;
    }
  }
}

hk_status hk_case_move_nodes(hk_case *c, const hk_node *map)
{
  const hk_formula *by[3] = {NULL, NULL, NULL};
  const hk_count errors = c->tree.errors, before = hk_messages_total(c->list, HK_ERROR);
  HK_PASS(read_formulas(c, map, by));
  if (c->tree.errors > errors || (c->draft && !c->sampling)) return HK_OK;
  move(c, map, by);
  if (c->tree.errors > errors) return HK_OK;
  return hk_case_told(c, map, before, hk_mesh_finish_moved(c->model->mesh, c->tree.path, c->list));
}
