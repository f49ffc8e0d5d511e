/* The term of faces that exchange heat with their surroundings (physics/exchange.h): K_ij += integral h N_i N_j dA over the face (A.13), added to
 * the matrix of the element that has the face, so that every form of K has it. h may depend on the last temperatures; Newton's tangent (A.25) has
 * h + dh/dT (T - T_sink). In 2D the face is an edge, and h is multiplied by the thickness. */
#include "element/face.h"
#include "operator/operator.h"
#include <string.h>

static void add(const void *entry, const hk_region *region, const hk_element *element,
                const double *x, const hk_warmth *warm, double *k)
{
  const hk_exchange *exchange = entry;
  const hk_element_face *face = &element->face[exchange->face];
  const int dim = element->dim, n = exchange->components ? exchange->components : 1,
            size = element->nodes * n;
  double own[3 * HK_MOST_FACE_NODES], t[HK_MOST_FACE_NODES],
      m[HK_MOST_FACE_NODES * HK_MOST_FACE_NODES];
  memset(m, 0, (size_t)(face->nodes * face->nodes) * sizeof *m);
  for (int p = 0; p < face->nodes; p++)
    memcpy(own + p * dim, x + face->node[p] * dim, (size_t)dim * sizeof *own);
  for (int p = 0; warm && p < face->nodes; p++) t[p] = warm->t[face->node[p]];
  hk_face_mass(element, face, hk_face_reduced(element, region->integration),
               exchange->coefficient * (dim == 2 ? region->thickness : 1),
               &(hk_face_factor){.by = exchange->by,
                                 .t = warm ? t : NULL,
                                 .tangent = warm && warm->tangent,
                                 .sink = exchange->sink,
                                 .sink_by = exchange->sink_by,
                                 .ring = dim == 2 && region->plane == HK_AXISYMMETRIC},
               own, m);
  for (int a = 0; a < face->nodes; a++)
    for (int b = 0; b < face->nodes; b++)
      k[(face->node[a] * n + exchange->component) * size + face->node[b] * n +
        exchange->component] += m[a * face->nodes + b];
}

const hk_operator_term_kind hk_exchange_kind = {
    .name = "the exchange of heat at faces", .bytes = sizeof(hk_exchange), .add = add};
