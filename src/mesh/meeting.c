/* Finds the faces at which elements of one part meet the others, such as fluid and solid.
 * Only faces whose vertices all belong to elements of both kinds are listed. The list is sorted by
 * vertices, so the two sides of a face follow one another; a pair with different kinds is a result. */
#include "mesh/crack.h"
#include "element/element.h"
#include "mesh/topology.h"

/* kind[node]: bit 1 of elements of the part, bit 0 of others. */
static void mark(const hk_mesh *mesh, const bool *part, uint8_t *kind)
{
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) kind[node[n]] |= part[e] ? 2 : 1;
  }
}

/* The faces all of whose vertices are of both kinds; out NULL: their number alone. */
static hk_count list(const hk_mesh *mesh, const uint8_t *kind, hk_face *out)
{
  hk_count count = 0;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int f = 0; f < shape->faces; f++) {
      hk_face s = {.element = (hk_index)e, .face = (uint8_t)f};
      const int vertices = hk_mesh_face_vertices(shape, node, f, s.vertex);
      bool both = true;
      for (int v = 0; v < vertices; v++) both = both && kind[s.vertex[v]] == 3;
      if (both && out) out[count] = s;
      count += both;
    }
  }
  return count;
}

hk_status hk_mesh_meetings(const hk_mesh *mesh, const bool *part, hk_count *count,
                           hk_crack_face **face)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  uint8_t *kind;
  hk_face *s;
  hk_crack_face *out = NULL;
  hk_count found = 0;
  HK_TRY(hk_pool_get(&pool, &kind, mesh->node_count));
  mark(mesh, part, kind);
  const hk_count sides = list(mesh, kind, NULL);
  HK_TRY(hk_pool_get(&pool, &s, sides));
  HK_TRY(hk_get(&out, sides / 2));
  list(mesh, kind, s);
  hk_sort_faces(sides, s);
  for (hk_count k = 1; k < sides; k++) {
    const hk_face *a = &s[k - 1], *b = &s[k];
    if (!hk_faces_meet(a, b) || part[a->element] == part[b->element]) continue;
    out[found++] = (hk_crack_face){{a->element, b->element}, {a->face, b->face}};
  }
  *count = found, *face = out, out = NULL;
cleanup:
  hk_pool_clear(&pool);
  hk_free(&out);
  return status;
}
