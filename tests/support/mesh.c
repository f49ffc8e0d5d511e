/* Meshes of tests: grids, and meshes from literal arrays. */
#include "support/mesh.h"

hk_mesh *make_grid(hk_mesh_grid desc)
{
  hk_mesh *mesh = NULL;
  if (desc.dim == 0) desc.dim = hk_element_of(desc.shape)->dim;
  if (desc.to[0] == 0) desc.to[0] = 1, desc.to[1] = 1.2, desc.to[2] = 0.9;
  ok(hk_mesh_create_grid(&desc, &mesh));
  return mesh;
}

hk_mesh *mesh_of_elements(hk_shape shape, hk_count nodes, const double *x, hk_count elements,
                          const hk_index *node)
{
  const hk_element *element = hk_element_of(shape);
  hk_mesh *m = NULL;
  ok(hk_mesh_begin(element->dim, &m));
  m->node_count = nodes, m->element_count = elements, m->block_count = 1;
  ok(hk_get(&m->x, nodes * m->dim));
  ok(hk_new(&m->block));
  m->block[0] = (hk_block){.shape = shape, .nodes = element->nodes, .count = elements};
  ok(hk_get(&m->block[0].node, elements * element->nodes));
  memcpy(m->x, x, (size_t)(nodes * m->dim) * sizeof *x);
  memcpy(m->block[0].node, node, (size_t)(elements * element->nodes) * sizeof *node);
  return m;
}

hk_mesh *make_mixed(hk_count nodes, const double *x)
{
  const hk_index quad[] = {0, 1, 4, 3}, triangle[] = {1, 2, 5, 1, 5, 4};
  hk_mesh *mesh = mesh_of_elements(HK_QUAD4, nodes, x, 1, quad);
  ok(hk_resize(&mesh->block, 2));
  mesh->block[1] = (hk_block){HK_TRI3, 3, 1, 2, NULL};
  mesh->block_count = 2, mesh->element_count = 3;
  ok(hk_get(&mesh->block[1].node, 6));
  memcpy(mesh->block[1].node, triangle, sizeof triangle);
  return mesh;
}

hk_status add_face_set(hk_mesh *mesh, const char *name, hk_count count, const hk_index *element,
                       const uint8_t *face)
{
  hk_status status = HK_OK;
  hk_index *e = NULL;
  uint8_t *f = NULL;
  HK_TRY(hk_get(&e, count));
  HK_TRY(hk_get(&f, count));
  memcpy(e, element, (size_t)count * sizeof *e);
  memcpy(f, face, (size_t)count);
  HK_TRY(hk_mesh_add_set(mesh, name, HK_FACE_SET, count, &e, &f));
cleanup:
  hk_free(&e);
  hk_free(&f);
  return status;
}

void punch(hk_mesh *mesh)
{
  hk_block *block = &mesh->block[0];
  hk_count kept = 0;
  uint32_t random = 1;
  for (hk_count e = 0; e < block->count; e++) {
    random = random * 1664525u + 1013904223u;
    if (random >> 16 & 1 && random >> 17 & 1) continue;
    memmove(block->node + kept++ * block->nodes, block->node + e * block->nodes,
            (size_t)block->nodes * sizeof *block->node);
  }
  block->count = mesh->element_count = kept;
}
