#include "operator/element_matrix.h"
#include <math.h>
#include <string.h>

enum { MOST_DOFS = 3 * HK_MOST_NODES };

/* s[a][b] += w g[a] g[b] for b >= a, a = n * dim + j: the products of gradients of all pairs. */
static inline void add_products(int size, double w, const double *g, double *s)
{
  for (int a = 0; a < size; a++) {
    const double wg = w * g[a];
    double *row = s + a * size;
#pragma omp simd
    for (int b = 0; b < size; b++) row[b] += wg * g[b];
  }
}

/* c[(i,k)][(j,l)] = C_ijkl from Voigt's d. */
static void expand(int dim, const double *d, double c[9][9])
{
  static const int voigt3[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
  static const int voigt2[3][3] = {{0, 2}, {2, 1}};
  const int(*voigt)[3] = dim == 3 ? voigt3 : voigt2, rows = dim == 3 ? 6 : 3;
  for (int i = 0; i < dim; i++)
    for (int k = 0; k < dim; k++)
      for (int j = 0; j < dim; j++)
        for (int l = 0; l < dim; l++)
          c[i * dim + k][j * dim + l] = d[voigt[i][j] * rows + voigt[k][l]];
}

/* k[(n,i)][(m,k)] = C_ijkl s[(n,j)][(m,l)] for m >= n, and mirrored. */
static inline void contract(int dim, int nodes, const double c[9][9], const double *s, double *k)
{
  const int size = nodes * dim;
  for (int n = 0; n < nodes; n++) {
    for (int m = n; m < nodes; m++) {
      double pair[9];
      for (int j = 0; j < dim; j++)
        for (int l = 0; l < dim; l++) pair[j * dim + l] = s[(n * dim + j) * size + m * dim + l];
      for (int i = 0; i < dim; i++) {
        for (int o = n == m ? i : 0; o < dim; o++) {
          double sum = 0;
          for (int p = 0; p < dim * dim; p++) sum += c[i * dim + o][p] * pair[p];
          k[(n * dim + i) * size + m * dim + o] = k[(m * dim + o) * size + n * dim + i] = sum;
        }
      }
    }
  }
}

double hk_element_stiffness(const hk_element *element, const double *x, const double *d, double *k)
{
  const int dim = element->dim, nodes = element->nodes, size = nodes * dim;
  double g[MOST_DOFS], s[MOST_DOFS * MOST_DOFS], c[9][9], volume = 0;

  memset(s, 0, (size_t)(size * size) * sizeof *s);
  for (int q = 0; q < element->points; q++) {
    const double det = hk_element_physical(element, element->point[q], x, g);
    if (!(det > 0)) return -1;
    volume += det * element->weight[q];
    add_products(size, det * element->weight[q], g, s);
  }
  expand(dim, d, c);
  if (dim == 3)
    contract(3, nodes, c, s, k);
  else
    contract(2, nodes, c, s, k);
  return volume;
}
