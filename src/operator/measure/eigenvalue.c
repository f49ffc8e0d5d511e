/* Largest eigenvalue of one element's K_e v = w^2 M_e v: bounds of it, and tests whether it exceeds a value.
 * Simplices have constant strain, so that the problem shrinks to the dual one, D B M^-1 B^T (6 x 6, 3 x 3 in 2D), for isotropic laws by
 * invariants; other shapes form A = M^-1/2 K M^-1/2 and try Cholesky of lambda I - A. The power method gives the first guess. */
#include "operator/measure/eigenvalue.h"
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "operator/element/ring.h"
#include "operator/element/simplex.h"
#include "element/wide.h"
#include <math.h>
#include <string.h>

enum { MOST_DOFS = 3 * HK_LISTED_NODES, POWERS = 40 };
#define INLINE static inline __attribute__((always_inline))

static const double step = 1.005; /* a bound is at most this times what is needed */

/* Gauss-Jordan without pivoting: d is positive definite. */
static void invert(int size, const double *d, double *inverse)
{
  double a[36];
  memcpy(a, d, (size_t)(size * size) * sizeof *a);
  for (int i = 0; i < size * size; i++) inverse[i] = i % (size + 1) == 0;
  for (int p = 0; p < size; p++) {
    const double pivot = a[p * size + p];
    for (int j = 0; j < size; j++) a[p * size + j] /= pivot, inverse[p * size + j] /= pivot;
    for (int i = 0; i < size; i++) {
      const double factor = a[i * size + p];
      if (i == p) continue;
      for (int j = 0; j < size; j++) {
        a[i * size + j] -= factor * a[p * size + j];
        inverse[i * size + j] -= factor * inverse[p * size + j];
      }
    }
  }
}

/* Whether the upper triangle of a[size][size] is that of a positive definite matrix; overwritten, and so is what lies below it in
 * the same eight columns. */
INLINE bool definite(int size, double *a)
{
  for (int p = 0; p < size; p++) {
    const double *row = a + p * size;
    if (!(row[p] > 0)) return false;
    const double scale = 1 / row[p];
    for (int i = p + 1; i < size; i++) {
      const double factor = row[i] * scale;
      double *to = a + i * size;
#pragma omp simd
      for (int j = size % 8 ? i : i / 8 * 8; j < size; j++) to[j] -= factor * row[j];
    }
  }
  return true;
}

HK_WIDE static bool definite_any(int size, double *a)
{
  switch (size) { /* the common sizes are known to the compiler */
  case 6: return definite(6, a);
  case 8: return definite(8, a);
  case 24: return definite(24, a);
  default: return definite(size, a);
  }
}

/* Whether lambda exceeds every eigenvalue of a[size][size]. */
static bool exceeds(int size, const double *a, double lambda)
{
  double test[MOST_DOFS * MOST_DOFS];
  for (int i = 0; i < size * size; i++) test[i] = -a[i];
  for (int i = 0; i < size; i++) test[i * (size + 1)] += lambda;
  return definite_any(size, test);
}

/* An upper bound of the largest eigenvalue, within `step`: the power method from below, then
 * Cholesky. */
static double raise(int size, const double *a)
{
  double v[MOST_DOFS], av[MOST_DOFS], lambda = 0;
  for (int i = 0; i < size; i++) v[i] = cos(i * i + 1.0), lambda += a[i * (size + 1)] / size;
  for (int power = 0; power < POWERS; power++) {
    double vv = 0, vav = 0, largest = 0;
    for (int i = 0; i < size; i++) {
      av[i] = 0;
      for (int j = 0; j < size; j++) av[i] += a[i * size + j] * v[j];
      vv += v[i] * v[i], vav += v[i] * av[i];
      largest = fmax(largest, fabs(av[i]));
    }
    lambda = fmax(lambda, vav / vv);
    for (int i = 0; i < size; i++) v[i] = av[i] / largest;
  }
  do lambda *= step;
  while (isfinite(lambda) && !exceeds(size, a, lambda));
  return lambda;
}

void hk_region_law_find(const hk_region *region, int dim, hk_region_law *law)
{
  hk_region_stiffness(region, dim, law->d);
  invert(dim == 3 ? 6 : 3, law->d, law->inverse);
  law->isotropic = hk_region_lame(region, dim, &law->lambda, &law->mu);
  law->density = region->material.density;
  law->ring = dim == 2 && region->plane == HK_AXISYMMETRIC ? region : NULL;
  if (dim == 3) return;
  law->density *= region->thickness;
  law->lambda *= region->thickness, law->mu *= region->thickness;
}

static bool is_small(const hk_slopes *slopes, const hk_region_law *law)
{
  return slopes->element->simplex && slopes->element->order == 1 && !law->ring;
}

bool hk_eigenvalue_mass(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                        double *mass)
{
  if (!(law->ring ? hk_ring_volumes(slopes->element, x, mass) : hk_slopes_mass(slopes, x, mass)))
    return false;
  for (int n = 0; n < slopes->element->nodes; n++) mass[n] *= law->density;
  return true;
}

/* a = the upper triangle of M^-1/2 K M^-1/2 for the products m of an isotropic element. */
INLINE void scale_any(int dim, int nodes, const hk_region_law *l, const double *m,
                      const double *mass, double *a)
{
  const int size = nodes * dim;
  double root[HK_LISTED_NODES];
  for (int n = 0; n < nodes; n++) root[n] = 1 / sqrt(mass[n]);
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++) {
      const double *ij = m + i * dim * size + j * dim;
      const double scale = root[i] * root[j];
      double *to = a + i * dim * size + j * dim, trace = 0;
      for (int c = 0; c < dim; c++) trace += ij[c * size + c];
      for (int c = 0; c < dim; c++)
        for (int d = 0; d < dim; d++)
          to[c * size + d] = scale * (l->lambda * ij[c * size + d] + l->mu * ij[d * size + c] +
                                      (c == d ? l->mu * trace : 0));
    }
}

HK_WIDE static void scale_products(int dim, int nodes, const hk_region_law *l, const double *m,
                                   const double *mass, double *a)
{
  if (dim == 3 && nodes == 8)
    scale_any(3, 8, l, m, mass, a);
  else if (dim == 3)
    scale_any(3, nodes, l, m, mass, a);
  else
    scale_any(2, nodes, l, m, mass, a);
}

/* A of an axisymmetric element, without u_r on the axis, which every step holds at 0; false where it is folded. */
static bool find_ring_matrix(const hk_element *element, const hk_region *region, const double *x,
                             const double *mass, double *a)
{
  const int size = 2 * element->nodes;
  double root[MOST_DOFS];
  if (!(hk_element_integrate(region, element, x, a) > 0)) return false;
  for (int i = 0; i < size; i++) {
    const bool held = i % 2 == 0 && hk_ring_radius(element, x, x[i]) == 0;
    root[i] = held ? 0 : 1 / sqrt(mass[i / 2]);
  }
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) a[i * size + j] *= root[i] * root[j];
  return true;
}

/* The upper triangle of A of an element that is not folded. */
static void find_matrix(const hk_slopes *slopes, const hk_region_law *l, const double *x,
                        const double *mass, double *a)
{
  const int dim = slopes->element->dim, nodes = slopes->element->nodes, size = nodes * dim;
  double m[MOST_DOFS * MOST_DOFS], root[HK_LISTED_NODES];
  if (l->ring) {
    find_ring_matrix(slopes->element, l->ring, x, mass, a);
    return;
  }
  if (l->isotropic) {
    hk_products_find(slopes, x, m, NULL);
    scale_products(dim, nodes, l, m, mass, a);
    return;
  }
  hk_element_stiffness(slopes->element, x, l->d, a);
  for (int n = 0; n < nodes; n++) root[n] = 1 / sqrt(mass[n]);
  for (int i = 0; i < size; i++)
    for (int j = i; j < size; j++) a[i * size + j] *= root[i / dim] * root[j / dim];
}

/* h = B M^-1 B^T, Voigt, upper triangle, from s_ij = sum over nodes of g_i g_j / m: (strain I of a motion) =
 * B_I; B_xx B_xx = s_xx, B_xx B_xy = s_xy, B_xy B_xy = s_xx + s_yy, B_xy B_xz = s_yz, ... */
static void strain_products(int dim, const double *g, const double *mass, double *h)
{
  double s[3][3] = {{0}};
  for (int n = 0; n <= dim; n++)
    for (int i = 0; i < dim; i++)
      for (int j = i; j < dim; j++) s[i][j] += g[n * dim + i] * g[n * dim + j] / mass[n];
  const double xx = s[0][0], yy = s[1][1], zz = s[2][2], yz = s[1][2], xz = s[0][2], xy = s[0][1];
  if (dim == 2) {
    const double plane[9] = {xx, 0, xy, 0, yy, xy, 0, 0, xx + yy};
    memcpy(h, plane, sizeof plane);
    return;
  }
  const double solid[36] = {xx, 0, 0,  0,  xz,      xy, 0, yy, 0, yz,      0,  xy,
                            0,  0, zz, yz, xz,      0,  0, 0,  0, yy + zz, xy, xz,
                            0,  0, 0,  0,  xx + zz, yz, 0, 0,  0, 0,       0,  xx + yy};
  memcpy(h, solid, sizeof solid);
}

/* S = sum over nodes of g_i g_j / m, times the volume: xx yy zz yz xz xy (2D: xx yy xy). */
INLINE void scaled_products(int dim, double volume, const double *g, const double *mass, double *s)
{
  double weight[4];
  for (int n = 0; n <= dim; n++) weight[n] = volume / mass[n];
  for (int i = 0; i < (dim == 3 ? 6 : 3); i++) s[i] = 0;
  for (int n = 0; n <= dim; n++) {
    const double *at = g + n * dim;
    const double w = weight[n];
    s[0] += w * at[0] * at[0], s[1] += w * at[1] * at[1];
    if (dim == 2)
      s[2] += w * at[0] * at[1];
    else {
      s[2] += w * at[2] * at[2], s[3] += w * at[1] * at[2];
      s[4] += w * at[0] * at[2], s[5] += w * at[0] * at[1];
    }
  }
}

/* Whether 1 exceeds the eigenvalues of an isotropic law's dual matrix, from the invariants e of 2 mu S and r = lambda / 2 mu:
 * as D B M^-1 B^T maps a stress s to lambda tr(s S) I + mu (s S + S s), they are mu (s_i + s_j), s_i those of S, and those of
 * diag(2 mu s_i) + lambda 1 s^T, whose characteristic polynomial is P(z) - r sum_i s_i prod_(j != i) (z - s_j), P that of 2 mu S. 1 exceeds
 * the roots of P, which are real, if P and its derivatives are above 0. */
INLINE bool exceeds_invariants(int dim, const double *e, double r)
{
  if (dim == 2) {
    const double p = 1 - e[0] + e[1];
    return p > 0 && 2 - e[0] > 0 && p > r * (e[0] - 2 * e[1]);
  }
  const double p = 1 - e[0] + e[1] - e[2];
  return p > 0 && 3 - 2 * e[0] + e[1] > 0 && 3 - e[0] > 0 && p > r * (e[0] - 2 * e[1] + 3 * e[2]);
}

INLINE bool exceeds_isotropic(int dim, double volume, const double *g, const hk_region_law *l,
                              const double *mass, double lambda)
{
  static const double margin = 1 + 1e-7; /* of rounding where eigenvalues coincide */
  double s[6], e[3];
  scaled_products(dim, 2 * l->mu * margin * volume / lambda, g, mass, s);
  if (dim == 2)
    e[0] = s[0] + s[1], e[1] = s[0] * s[1] - s[2] * s[2];
  else {
    const double m0 = s[1] * s[2] - s[3] * s[3], m1 = s[0] * s[2] - s[4] * s[4];
    e[0] = s[0] + s[1] + s[2];
    e[1] = m0 + m1 + s[0] * s[1] - s[5] * s[5];
    e[2] = s[0] * m0 - s[5] * (s[5] * s[2] - s[3] * s[4]) + s[4] * (s[5] * s[3] - s[1] * s[4]);
  }
  return exceeds_invariants(dim, e, fmax(0, l->lambda / (2 * l->mu)));
}

/* By lambda / V D^-1 - B M^-1 B^T. */
static bool exceeds_simplex(int dim, double det, double volume, const double *g,
                            const hk_region_law *l, const double *mass, double lambda)
{
  double h[36], at[12] = {0};
  const int size = dim == 3 ? 6 : 3;
  if (l->isotropic)
    return dim == 3 ? exceeds_isotropic(3, volume / det, g, l, mass, lambda)
                    : exceeds_isotropic(2, volume / det, g, l, mass, lambda);
  for (int i = 0; i < dim * (dim + 1); i++) at[i] = g[i] / det;
  strain_products(dim, at, mass, h);
  const double factor = lambda / (det * volume);
  for (int i = 0; i < size * size; i++) h[i] = factor * l->inverse[i] - h[i];
  return definite_any(size, h);
}

bool hk_eigenvalue_exceeded(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                            const double *mass, double lambda)
{
  const hk_element *e = slopes->element;
  double a[MOST_DOFS * MOST_DOFS], g[12];
  if (!is_small(slopes, law)) {
    find_matrix(slopes, law, x, mass, a);
    return exceeds(e->nodes * e->dim, a, lambda);
  }
  const double det = e->dim == 3 ? hk_simplex_cofactors(3, x, g) : hk_simplex_cofactors(2, x, g);
  return exceeds_simplex(e->dim, det, e->volume, g, law, mass, lambda);
}

double hk_eigenvalue_bound(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                           const double *mass)
{
  const int size = slopes->element->nodes * slopes->element->dim;
  double a[MOST_DOFS * MOST_DOFS];
  find_matrix(slopes, law, x, mass, a);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < i; j++) a[i * size + j] = a[j * size + i];
  return raise(size, a);
}

/* Frobenius norm of V D S with S as above: of the isotropic law's eigenvalues. */
INLINE double norm_isotropic(int dim, double volume, const double *g, const hk_region_law *l,
                             const double *mass)
{
  double s[6], trace = 0, square = 0;
  const double lambda = l->lambda, mu = l->mu;
  scaled_products(dim, volume, g, mass, s);
  for (int i = 0; i < dim; i++) trace += s[i], square += s[i] * s[i];
  for (int i = dim; i < (dim == 3 ? 6 : 3); i++) square += 2 * s[i] * s[i];
  return sqrt((lambda * lambda + mu * mu) * trace * trace +
              (4 * lambda * mu + (2 + dim) * mu * mu) * square);
}

/* For constant strain that of V D B M^-1 B^T. */
static double norm_simplex(int dim, double det, double volume, const double *g,
                           const hk_region_law *l, const double *mass)
{
  const int voigt = dim == 3 ? 6 : 3;
  double h[36], a[36], at[12] = {0}, sum = 0;
  if (l->isotropic)
    return dim == 3 ? norm_isotropic(3, volume / det, g, l, mass)
                    : norm_isotropic(2, volume / det, g, l, mass);
  for (int i = 0; i < dim * (dim + 1); i++) at[i] = g[i] / det;
  strain_products(dim, at, mass, h);
  for (int i = 0; i < voigt; i++)
    for (int j = 0; j < i; j++) h[i * voigt + j] = h[j * voigt + i];
  for (int i = 0; i < voigt; i++)
    for (int j = 0; j < voigt; j++) {
      a[i * voigt + j] = 0;
      for (int k = 0; k < voigt; k++) a[i * voigt + j] += l->d[i * voigt + k] * h[k * voigt + j];
    }
  for (int i = 0; i < voigt; i++)
    for (int j = 0; j < voigt; j++) sum += a[i * voigt + j] * a[j * voigt + i];
  return det * volume * sqrt(sum);
}

static double small_norm(const hk_element *e, const hk_region_law *law, const double *x,
                         double *mass)
{
  double g[12];
  const double det = e->dim == 3 ? hk_simplex_cofactors(3, x, g) : hk_simplex_cofactors(2, x, g);
  if (!(det > 0)) return -1;
  for (int n = 0; n < e->nodes; n++) mass[n] = law->density * det * e->volume / e->nodes;
  return norm_simplex(e->dim, det, e->volume, g, law, mass);
}

double hk_eigenvalue_norm(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                          double *mass)
{
  const hk_element *e = slopes->element;
  const int dim = e->dim, size = e->nodes * dim;
  double a[MOST_DOFS * MOST_DOFS], m[MOST_DOFS * MOST_DOFS], diagonal = 0, sum = 0;
  if (is_small(slopes, law)) return small_norm(e, law, x, mass);
  if (law->ring) {
    if (!hk_eigenvalue_mass(slopes, law, x, mass)) return -1;
    if (!find_ring_matrix(e, law->ring, x, mass, a)) return -1;
  } else if (law->isotropic) {
    if (!hk_products_find(slopes, x, m, mass)) return -1;
    for (int n = 0; n < e->nodes; n++) mass[n] *= law->density;
    scale_products(dim, e->nodes, law, m, mass, a);
  } else {
    if (!hk_eigenvalue_mass(slopes, law, x, mass)) return -1;
    find_matrix(slopes, law, x, mass, a);
  }
  for (int i = 0; i < size; i++) {
    diagonal += a[i * (size + 1)] * a[i * (size + 1)];
    for (int j = i + 1; j < size; j++) sum += a[i * size + j] * a[i * size + j];
  }
  return sqrt(diagonal + 2 * sum);
}
