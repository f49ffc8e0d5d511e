/* The term of sources and fluxes that depend on temperature (hk_feedback): of the tangent of Newton's method (A.25)
 *   K_ij -= integral scale d(by)/dT N_i N_j
 * over the volume of the element or over one of its faces, by the points at which load/forces.c integrates the load itself, so that it is the exact
 * derivative of f. Other matrices do not have it. */
#include "element/face.h"
#include "operator/operator.h"
#include <math.h>
#include <string.h>

/* Nodes of the element or face, their numbers in the element, places and temperatures. */
typedef struct patch {
  int nodes, node[HK_MOST_NODES];
  double x[3 * HK_MOST_NODES], t[HK_MOST_NODES];
} patch;

static void gather(const hk_element *element, const hk_feedback *entry, const double *x,
                   const double *t, patch *p)
{
  const hk_element_face *face = entry->face < 0 ? NULL : &element->face[entry->face];
  const int dim = element->dim;
  p->nodes = face ? face->nodes : element->nodes;
  for (int n = 0; n < p->nodes; n++) {
    p->node[n] = face ? face->node[n] : n;
    memcpy(p->x + n * dim, x + p->node[n] * dim, (size_t)dim * sizeof *x);
    p->t[n] = t[p->node[n]];
  }
}

/* k -= w d(by)/dT N_i N_j of a point, shape its functions. */
static void add_point(const hk_region *region, const hk_element *element, const hk_feedback *entry,
                      const patch *p, double w, const double *shape, double *k)
{
  double at[3], t = 0, slope;
  hk_element_place(element->dim, p->nodes, shape, p->x, at);
  for (int n = 0; n < p->nodes; n++) t += shape[n] * p->t[n];
  hk_formula_value_warm(entry->by, at, t, &slope);
  slope *= hk_region_depth(region, element->dim, at);
  for (int a = 0; a < p->nodes; a++)
    for (int b = 0; b < p->nodes; b++)
      k[p->node[a] * element->nodes + p->node[b]] -= w * slope * (shape[a] * shape[b]);
}

static void add_entry(const hk_region *region, const hk_element *element, const hk_feedback *entry,
                      const patch *p, double *k)
{
  const double scale = entry->scale;
  double n[HK_MOST_NODES], g[3 * HK_MOST_NODES], normal[3];
  if (entry->face < 0) {
    const hk_rule *rule = &element->mass;
    for (int q = 0; q < rule->points; q++) {
      const double det = hk_element_physical(element, rule->point[q], p->x, g);
      hk_element_functions(element, rule->point[q], n, NULL);
      add_point(region, element, entry, p, scale * det * rule->weight[q], n, k);
    }
    return;
  }
  const hk_element_face *face = &element->face[entry->face];
  const bool reduced = hk_face_reduced(element, region->integration);
  for (int q = 0; q < hk_face_points(element, face, reduced); q++) {
    const double w = scale * hk_face_point(element, face, reduced, q, p->x, n, normal);
    add_point(region, element, entry, p,
              w * sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]), n,
              k);
  }
}

static void add(const void *entry, const hk_region *region, const hk_element *element,
                const double *x, const hk_warmth *warm, double *k)
{
  const hk_feedback *own = entry;
  patch p;
  if (!warm || !warm->tangent || own->scale == 0) return;
  gather(element, own, x, warm->t, &p);
  add_entry(region, element, own, &p, k);
}

const hk_operator_term_kind hk_feedback_kind = {
    .name = "heat that depends on temperature", .bytes = sizeof(hk_feedback), .add = add};
