/* Finds the faces at which elements of one part meet the others, such as fluid and solid.
 * Only faces whose vertices all belong to elements of both kinds are listed. The list is sorted by
 * vertices, so the two sides of a face follow one another; a pair with different kinds is a result. */
#include "mesh/meeting.h"
#include "element/element.h"
#include "mesh/topology.h"
#include <stdlib.h>
#include <string.h>

typedef struct side {
  hk_index vertex[HK_FACE_VERTICES], element;
  uint8_t face;
} side;

static int compare(const void *p, const void *q)
{
  const side *a = p, *b = q;
  const int order = memcmp(a->vertex, b->vertex, sizeof a->vertex);
  return order ? order : (a->element > b->element) - (a->element < b->element);
}

/* kind[node]: bit 1 of elements of the part, bit 0 of others. */
static void mark(const hk_mesh *mesh, const bool *part, uint8_t *kind)
{
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) kind[node[n]] |= part[e] ? 2 : 1;
  }
}

/* The faces all of whose vertices are of both kinds; out NULL: their number alone. */
static hk_count list(const hk_mesh *mesh, const uint8_t *kind, side *out)
{
  hk_count count = 0;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int f = 0; f < shape->faces; f++) {
      side s = {.element = (hk_index)e, .face = (uint8_t)f};
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
  uint8_t *kind = NULL;
  side *s = NULL;
  hk_crack_face *out = NULL;
  hk_count found = 0;
  HK_TRY(hk_get(&kind, mesh->node_count));
  mark(mesh, part, kind);
  const hk_count sides = list(mesh, kind, NULL);
  HK_TRY(hk_get(&s, sides));
  HK_TRY(hk_get(&out, sides / 2));
  list(mesh, kind, s);
  if (sides) qsort(s, (size_t)sides, sizeof *s, compare);
  for (hk_count k = 1; k < sides; k++) {
    const side *a = &s[k - 1], *b = &s[k];
    if (memcmp(a->vertex, b->vertex, sizeof a->vertex) || part[a->element] == part[b->element])
      continue;
    out[found++] = (hk_crack_face){{a->element, b->element}, {a->face, b->face}};
  }
  *count = found, *face = out, out = NULL;
cleanup:
  hk_free(&kind);
  hk_free(&s);
  hk_free(&out);
  return status;
}
