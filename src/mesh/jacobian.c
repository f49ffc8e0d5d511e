/* Determinants of the Jacobian J[c][d] = sum_n x[n][c] dN_n/dxi_d of elements, at vertices or at
 * quadrature points, and what they say about an element: sound, clockwise, inverted, folded or
 * without volume.
 * Gradients are tabulated once for a shape; families of order p compute them at each point.
 * Many elements are judged LANES at a time, from coordinates that stand lane by lane, with limits twice as strict: what passes them is sound
 * beyond doubt, and the few others are judged one by one. */
#include "mesh/jacobian.h"
#include "element/wide.h"
#include <math.h>

#define INLINE static inline __attribute__((always_inline))

static void tabulate(const hk_element *element, int points, const double (*xi)[3], hk_jacobian *out)
{
  out->element = element, out->points = points, out->xi = xi;
  for (int p = 0; hk_shape_listed(element->shape) && p < points; p++)
    hk_element_functions(element, xi[p], NULL, out->dn[p]);
}

void hk_jacobian_at_vertices(const hk_element *element, hk_jacobian *out)
{
  const bool constant = element->simplex && element->order == 1;
  out->weight = NULL;
  tabulate(element, constant ? 1 : element->vertices, element->reference, out);
}

void hk_jacobian_at_points(const hk_element *element, hk_jacobian *out)
{
  const hk_element *of =
      hk_shape_listed(element->shape) ? element : hk_element_of(hk_shape_raised(element->shape, 2));
  out->weight = of->exact.weight;
  tabulate(element, of->exact.points, of->exact.point, out);
}

void hk_jacobian_gather(const hk_mesh *mesh, int nodes, const hk_index *node, double (*x)[3])
{
  for (int n = 0; n < nodes; n++) {
    const double *from = mesh->x + (hk_count)node[n] * mesh->dim;
    x[n][0] = from[0], x[n][1] = from[1], x[n][2] = mesh->dim == 3 ? from[2] : 0;
  }
}

/* J of an element, whose loops unroll where the counts are constants. Most gradients are 0 at vertices. */
static inline void jacobian(int nodes, int dim, const double *dn, const double (*x)[3],
                            double j[3][3])
{
  for (int n = 0; n < nodes; n++)
    for (int d = 0; d < dim; d++) {
      const double slope = dn[n * dim + d];
      for (int c = 0; slope != 0 && c < dim; c++) j[c][d] += x[n][c] * slope;
    }
}

double hk_jacobian_det(const hk_jacobian *table, int p, const double (*x)[3], double *bound)
{
  const int dim = table->element->dim;
  double j[3][3] = {{0}}, product = 1, own[3 * HK_MOST_NODES];
  const double *dn = hk_shape_listed(table->element->shape) ? table->dn[p] : own;
  if (dn == own) hk_element_functions(table->element, table->xi[p], NULL, own);
  switch (table->element->shape) {
  case HK_TET4: jacobian(4, 3, dn, x, j); break;
  case HK_HEX8: jacobian(8, 3, dn, x, j); break;
  default: jacobian(table->element->nodes, dim, dn, x, j);
  }
  for (int d = 0; d < dim; d++)
    product *= j[0][d] * j[0][d] + j[1][d] * j[1][d] + j[2][d] * j[2][d];
  if (bound) *bound = sqrt(product);
  if (dim == 2) return j[0][0] * j[1][1] - j[0][1] * j[1][0];
  return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) -
         j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
         j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
}

hk_element_state hk_jacobian_judge(const hk_jacobian *vertices, const double (*x)[3], double *least,
                                   double *most)
{
  enum { MOST_VERTICES = 8 };
  double det[MOST_VERTICES], bound[MOST_VERTICES], largest = 0;
  int below = 0, above = 0;

  for (int p = 0; p < vertices->points; p++) {
    det[p] = hk_jacobian_det(vertices, p, x, &bound[p]);
    if (p == 0 || det[p] < *least) *least = det[p];
    if (p == 0 || det[p] > *most) *most = det[p];
    largest = fmax(largest, fabs(det[p]));
  }
  for (int p = 0; p < vertices->points; p++) {
    const double zero = 1e-12 * fmax(bound[p], largest);
    below += det[p] < -zero;
    above += det[p] > zero;
  }
  if (below) return above ? HK_INVERTED : HK_FLIPPED;
  return above ? HK_GOOD : HK_ZERO;
}

enum { LANES = 8 };

typedef struct judged { /* of LANES elements, over the points so far */
  double least[LANES], most[LANES];
  int doubts;
} judged;

/* x[node][c][lane] of elements e, e + 1, ...; the last one fills the lanes behind it. */
INLINE void gather_lanes(const hk_mesh *mesh, const hk_block *block, int nodes, int dim, hk_count e,
                         hk_count end, double (*x)[3][LANES])
{
  for (int l = 0; l < LANES; l++) {
    const hk_count i = e + l < end ? e + l : end - 1;
    const hk_index *node = block->node + i * nodes;
    hk_mesh_ask_ahead(mesh, block, i, nodes);
    for (int n = 0; n < nodes; n++)
      for (int c = 0; c < dim; c++) x[n][c][l] = mesh->x[(hk_count)node[n] * dim + c];
  }
}

/* The determinants of j[c][d][lane] against zero and against the product of the lengths of J's columns, in squares: where these leave the range
 * of normal numbers there is doubt. */
INLINE void judge_point(int dim, double (*j)[3][LANES], judged *o)
{
  const double zero = 2e-12, small = 1e-250, large = 1e250;
  int doubts = 0;
#pragma omp simd reduction(+ : doubts)
  for (int l = 0; l < LANES; l++) {
    double product = 1, det = j[0][0][l] * j[1][1][l] - j[0][1][l] * j[1][0][l];
    for (int d = 0; d < dim; d++) {
      double square = 0;
      for (int c = 0; c < dim; c++) square += j[c][d][l] * j[c][d][l];
      product *= square;
    }
    if (dim == 3)
      det = j[0][0][l] * (j[1][1][l] * j[2][2][l] - j[1][2][l] * j[2][1][l]) -
            j[0][1][l] * (j[1][0][l] * j[2][2][l] - j[1][2][l] * j[2][0][l]) +
            j[0][2][l] * (j[1][0][l] * j[2][1][l] - j[1][1][l] * j[2][0][l]);
    o->least[l] = det < o->least[l] ? det : o->least[l];
    o->most[l] = det > o->most[l] ? det : o->most[l];
    doubts +=
        !(det > 0) | !(det * det > zero * zero * product) | !(product > small) | !(product < large);
  }
  o->doubts += doubts;
}

/* Whether LANES elements are sound beyond doubt; the loops unroll where the counts are constants. */
INLINE bool lanes_are_good(const hk_jacobian *t, int nodes, int dim, double (*x)[3][LANES],
                           double thin)
{
  judged o = {.doubts = 0};
  for (int l = 0; l < LANES; l++) o.least[l] = INFINITY, o.most[l] = 0;
  for (int p = 0; p < t->points; p++) {
    double j[3][3][LANES];
    for (int d = 0; d < dim; d++) {
      double column[3][LANES] = {{0}};
      for (int n = 0; n < nodes; n++) {
        const double slope = t->dn[p][n * dim + d];
        for (int c = 0; slope != 0 && c < dim; c++)
#pragma omp simd
          for (int l = 0; l < LANES; l++) column[c][l] += x[n][c][l] * slope;
      }
      for (int c = 0; c < dim; c++)
#pragma omp simd
        for (int l = 0; l < LANES; l++) j[c][d][l] = column[c][l];
    }
    judge_point(dim, j, &o);
  }
  for (int l = 0; l < LANES; l++) o.doubts += !(o.least[l] > 2 * thin * o.most[l]);
  return !o.doubts;
}

INLINE bool all_good(const hk_jacobian *t, int nodes, int dim, const hk_mesh *mesh,
                     const hk_block *block, hk_count from, hk_count to, double thin)
{
  double x[HK_LISTED_NODES][3][LANES];
  for (hk_count e = from; e < to; e += LANES) {
    gather_lanes(mesh, block, nodes, dim, e, to, x);
    if (!lanes_are_good(t, nodes, dim, x, thin)) return false;
  }
  return true;
}

HK_WIDE bool hk_jacobian_all_good(const hk_jacobian *vertices, const hk_mesh *mesh,
                                  const hk_block *block, hk_count from, hk_count to, double thin)
{
  switch (block->shape) {
  case HK_TRI3: return all_good(vertices, 3, 2, mesh, block, from, to, thin);
  case HK_QUAD4: return all_good(vertices, 4, 2, mesh, block, from, to, thin);
  case HK_TET4: return all_good(vertices, 4, 3, mesh, block, from, to, thin);
  case HK_HEX8: return all_good(vertices, 8, 3, mesh, block, from, to, thin);
  default:
    return hk_shape_listed(block->shape) &&
           all_good(vertices, block->nodes, mesh->dim, mesh, block, from, to, thin);
  }
}
