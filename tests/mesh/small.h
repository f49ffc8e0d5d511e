/* A mesh of one block from literal arrays. */
#ifndef TESTS_MESH_SMALL_H
#define TESTS_MESH_SMALL_H
#include "element/element.h"
#include "mesh/mesh.h"
#include <string.h>

static hk_status small_mesh(hk_shape shape, hk_count nodes, const double *x, hk_count elements,
                            const hk_index *node, hk_mesh **out)
{
  hk_status status = HK_OK;
  const hk_element *element = hk_element_of(shape);
  hk_mesh *m = NULL;
  HK_TRY(hk_mesh_begin(element->dim, &m));
  m->node_count = nodes, m->element_count = elements;
  HK_TRY(hk_get(&m->x, nodes * m->dim));
  HK_TRY(hk_new(&m->block));
  m->block_count = 1;
  m->block[0] = (hk_block){shape, element->nodes, 0, elements, NULL};
  HK_TRY(hk_get(&m->block[0].node, elements * element->nodes));
  memcpy(m->x, x, (size_t)(nodes * m->dim) * sizeof *x);
  memcpy(m->block[0].node, node, (size_t)(elements * element->nodes) * sizeof *node);
  *out = m, m = NULL;
cleanup:
  hk_mesh_destroy(&m);
  return status;
}

/* Adds a face set of count members. */
static inline hk_status small_face_set(hk_mesh *mesh, const char *name, hk_count count,
                                       const hk_index *element, const uint8_t *face)
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

#endif
