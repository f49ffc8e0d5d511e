/* Extends a condition on nodes from vertices to the nodes between them, for elements of higher
 * order.
 * A node lies inside the edge, face or element whose vertices have weight at it, that is, whose
 * linear shape functions are not zero there. It is marked if all these vertices are marked. */
#include "element/element.h"
#include "mesh/topology.h"
#include <math.h>

void hk_element_within(const hk_element *e, uint8_t *vertices)
{
  const hk_element *linear = hk_element_of(hk_shape_linear(e->shape));
  for (int n = 0; n < e->nodes; n++) {
    double weight[8];
    hk_element_functions(linear, e->reference[n], weight, NULL);
    vertices[n] = 0;
    for (int v = 0; v < linear->vertices; v++)
      if (fabs(weight[v]) > 1e-9) vertices[n] |= (uint8_t)(1 << v);
  }
}

void hk_mesh_hold_between(const hk_mesh *mesh, bool *held)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_element *element = hk_element_of(block->shape);
    uint8_t vertices[HK_MOST_NODES];
    if (element->nodes == element->vertices) continue;
    hk_element_within(element, vertices);
    for (hk_count e = 0; e < block->count; e++) {
      const hk_index *node = block->node + e * block->nodes;
      int all = 0;
      for (int v = 0; v < element->vertices; v++) all |= held[node[v]] << v;
      for (int n = element->vertices; all && n < element->nodes; n++)
        if ((vertices[n] & ~all) == 0) held[node[n]] = true;
    }
  }
}
