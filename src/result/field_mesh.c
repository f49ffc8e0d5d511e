/* Writes the mesh of a .vtkhdf file some thousands of nodes or cells at a time, so that no second copy of it is in memory. */
#include "result/field_grid.h"

enum { NODES = 1 << 16, LINKS = 1 << 18 }; /* at a time */

typedef struct pieces {
  double *point;          /* point[NODES][3] */
  int64_t *link, *offset; /* link[LINKS], offset[LINKS] */
  uint8_t *type;          /* type[LINKS] */
  hk_pool pool;           /* of these arrays */
} pieces;

hk_count hk_field_mesh_room(void)
{
  return NODES * 24 + LINKS * 17;
}

static hk_status get_pieces(pieces *p)
{
  HK_PASS(hk_pool_get(&p->pool, &p->point, NODES * 3));
  HK_PASS(hk_pool_get(&p->pool, &p->link, LINKS));
  HK_PASS(hk_pool_get(&p->pool, &p->offset, LINKS));
  return hk_pool_get(&p->pool, &p->type, LINKS);
}

static hk_status write_points(hk_hdf *file, const hk_field_mesh *m, double *point)
{
  const hk_mesh *mesh = m->mesh;
  for (hk_count n = 0; n < mesh->node_count; n += NODES) {
    const hk_count count = mesh->node_count - n < NODES ? mesh->node_count - n : NODES;
    hk_field_points(mesh, n, count, point);
    HK_PASS(hk_hdf_write(file, &m->points, 3 * n, 3 * count, point));
  }
  return HK_OK;
}

static hk_status write_cells(hk_hdf *file, const hk_field_mesh *m, pieces *p)
{
  const hk_mesh *mesh = m->mesh;
  hk_count at = 0;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    for (hk_count from = 0, count; from < block->count; from += count) {
      const hk_count some = LINKS / block->nodes, left = block->count - from;
      count = left < some ? left : some;
      hk_field_cells(block, from, count, at, p->link, p->offset, p->type);
      HK_PASS(hk_hdf_write(file, &m->links, at, count * block->nodes, p->link));
      HK_PASS(hk_hdf_write(file, &m->offsets, block->first + from, count, p->offset));
      HK_PASS(hk_hdf_write(file, &m->types, block->first + from, count, p->type));
      at += count * block->nodes;
    }
  }
  return hk_hdf_write(file, &m->offsets, mesh->element_count, 1, &at);
}

hk_status hk_field_mesh_write(hk_hdf *file, const hk_field_mesh *m)
{
  hk_status status = HK_OK;
  pieces p = {0};
  HK_TRY(get_pieces(&p));
  HK_TRY(write_points(file, m, p.point));
  HK_TRY(write_cells(file, m, &p));
cleanup:
  hk_pool_clear(&p.pool);
  return status;
}
