#include "operator/stiffness.h"
#include <string.h>

enum { MOST_DOFS = 3 * HK_MOST_NODES };
#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 9")
#endif

void hk_slopes_find(const hk_element *element, hk_slopes *slopes)
{
  slopes->element = element;
  for (int q = 0; q < element->points; q++) element->gradients(element->point[q], slopes->dn[q]);
}

/* g[nodes][dim]: gradients at a point; returns the Jacobian determinant. */
INLINE double find_gradients(int dim, int nodes, const double *dn, const double *x, double *g)
{
  double j[3][3] = {{0}}, a[3][3] = {{0}}, det = 0;
  for (int n = 0; n < nodes; n++) UNROLL
  for (int c = 0; c < dim; c++) UNROLL
  for (int d = 0; d < dim; d++) j[c][d] += x[n * dim + c] * dn[n * dim + d];
  if (dim == 2)
    a[0][0] = j[1][1], a[0][1] = -j[0][1], a[1][0] = -j[1][0], a[1][1] = j[0][0];
  else
    UNROLL
  for (int r = 0; r < 3; r++) UNROLL
  for (int c = 0; c < 3; c++) {
    const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    a[c][r] = j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1];
  }
  UNROLL
  for (int d = 0; d < dim; d++) det += j[0][d] * a[d][0];
  const double inverse = 1 / det;
  for (int n = 0; n < nodes; n++) UNROLL
  for (int c = 0; c < dim; c++) {
    double sum = 0;
    UNROLL
    for (int d = 0; d < dim; d++) sum += dn[n * dim + d] * a[d][c];
    g[n * dim + c] = sum * inverse;
  }
  return det;
}

/* Adds k[dim][dim] to ij and its transpose to ji. */
INLINE void add_pair(int dim, const double *k, double *ij, double *ji)
{
  if (ij) UNROLL
  for (int m = 0; m < dim * dim; m++) ij[m] += k[m];
  if (ji && ji != ij) UNROLL
  for (int c = 0; c < dim; c++) UNROLL
  for (int d = 0; d < dim; d++) ji[d * dim + c] += k[c * dim + d];
}

/* Adds K_ij = lambda m + mu m^T + mu tr(m) I of rows m[dim][dim], `stride` apart. */
INLINE void add_law(int dim, const double *m, int stride, double lambda, double mu, double *ij,
                    double *ji)
{
  double k[9], trace = 0;
  if (!ij && !ji) return;
  UNROLL
  for (int c = 0; c < dim; c++) trace += m[c * stride + c];
  UNROLL
  for (int c = 0; c < dim; c++) UNROLL
  for (int d = 0; d < dim; d++)
    k[c * dim + d] =
        lambda * m[c * stride + d] + mu * m[d * stride + c] + (c == d ? mu * trace : 0);
  add_pair(dim, k, ij, ji);
}

/* One point: M_ij is a single product. */
INLINE void add_simplex(int dim, const hk_slopes *slopes, const double *x, double lambda, double mu,
                        double *const *to)
{
  const int nodes = dim + 1;
  double g[12], m[9];
  const double w = find_gradients(dim, nodes, slopes->dn[0], x, g) * slopes->element->weight[0];
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++) {
      UNROLL
      for (int c = 0; c < dim; c++) UNROLL
      for (int d = 0; d < dim; d++) m[c * dim + d] = g[i * dim + c] * g[j * dim + d];
      add_law(dim, m, dim, w * lambda, w * mu, to[i * nodes + j], to[j * nodes + i]);
    }
}

/* The upper triangle of the diagonal blocks of M stands for the lower one: they are symmetric. */
INLINE void add_any(int dim, int nodes, const hk_slopes *slopes, const double *x, double lambda,
                    double mu, double *const *to)
{
  const int size = nodes * dim;
  double g[MOST_DOFS], m[MOST_DOFS * MOST_DOFS];
  memset(m, 0, (size_t)(size * size) * sizeof *m);
  for (int q = 0; q < slopes->element->points; q++) {
    const double w = find_gradients(dim, nodes, slopes->dn[q], x, g) * slopes->element->weight[q];
    for (int a = 0; a < size; a++) {
      const double wg = w * g[a];
#pragma omp simd
      for (int b = a / dim * dim; b < size; b++) m[a * size + b] += wg * g[b];
    }
  }
  for (int i = 0; i < size; i++)
    for (int j = i / dim * dim; j < i; j++) m[i * size + j] = m[j * size + i];
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++)
      add_law(dim, m + i * dim * size + j * dim, size, lambda, mu, to[i * nodes + j],
              to[j * nodes + i]);
}

/* The linear shapes with sizes known to the compiler. */
void hk_isotropic_add(const hk_slopes *slopes, const double *x, double lambda, double mu,
                      double *const *to)
{
  const int dim = slopes->element->dim, nodes = slopes->element->nodes;
  if (dim == 3 && nodes == 4)
    add_simplex(3, slopes, x, lambda, mu, to);
  else if (dim == 2 && nodes == 3)
    add_simplex(2, slopes, x, lambda, mu, to);
  else if (dim == 3 && nodes == 8)
    add_any(3, 8, slopes, x, lambda, mu, to);
  else if (dim == 2 && nodes == 4)
    add_any(2, 4, slopes, x, lambda, mu, to);
  else
    add_any(dim, nodes, slopes, x, lambda, mu, to);
}

void hk_stiffness_add(const hk_element *element, const double *x, const double *d,
                      double *const *to)
{
  const int dim = element->dim, nodes = element->nodes, size = nodes * dim;
  double full[MOST_DOFS * MOST_DOFS], k[9];
  hk_element_stiffness(element, x, d, full);
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++) {
      for (int c = 0; c < dim; c++)
        memcpy(k + c * dim, full + (i * dim + c) * size + j * dim, (size_t)dim * sizeof *k);
      add_pair(dim, k, to[i * nodes + j], to[j * nodes + i]);
    }
}
