/* What an axisymmetric model holds at rest (E.13): u_r of the nodes on the axis r = x = 0 (hk_mesh_snap_axis), as rows for the iteration that
 * finds the largest frequency. */
#include "load/excitation.h"
#include "space/space.h"

hk_status hk_sparse_of_axis(const hk_space *space, const bool *fluid, hk_pool *pool, hk_sparse *out)
{
  const hk_mesh *mesh = space->mesh;
  hk_index rows = 0;
  *out = (hk_sparse){0};
  for (hk_count n = 0; n < mesh->node_count; n++) rows += mesh->x[2 * n] == 0;
  HK_PASS(hk_pool_get(pool, &out->begin, (hk_count)rows + 1));
  HK_PASS(hk_pool_get(pool, &out->dof, rows));
  HK_PASS(hk_pool_get(pool, &out->weight, rows));
  for (hk_count n = 0; n < mesh->node_count; n++) {
    if (mesh->x[2 * n] != 0 || space->node[n] < 0 || (fluid && fluid[n])) continue;
    out->dof[out->rows] = space->node[n] * space->components;
    out->weight[out->rows++] = 1;
    out->begin[out->rows] = out->rows;
  }
  return HK_OK;
}
