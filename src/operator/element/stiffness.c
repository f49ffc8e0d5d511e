/* Stiffness of isotropic elements, fast, on the host: M_ij = sum over points of |J| g_i g_j^T, then
 * K_ij = lambda M_ij + mu M_ij^T + mu tr(M_ij) I (E.4). Linear simplices are one product of cofactors; linear shapes have sizes known to
 * the compiler, and their inner loops run over points side by side (HK_WIDE). */
#include "operator/element/stiffness.h"
#include "operator/element/simplex.h"
#include "element/wide.h"
#include <string.h>

/* Columns of products that are summed at a time: one or two vectors of a processor. */
enum { MOST_DOFS = 3 * HK_LISTED_NODES, TILE = 8 };
enum { PADDED = (MOST_DOFS + TILE - 1) / TILE * TILE };
#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 9")
#endif

static void find_derivatives(const hk_element *element, const hk_rule *rule,
                             double (*dn)[HK_LISTED_POINTS])
{
  double at[MOST_DOFS];
  for (int q = 0; q < rule->points; q++) {
    hk_element_functions(element, rule->point[q], NULL, at);
    for (int a = 0; a < element->nodes * element->dim; a++) dn[a][q] = at[a];
  }
}

void hk_slopes_find(const hk_element *element, hk_integration integration, hk_slopes *slopes)
{
  const hk_rule *rule = hk_element_rule(element, integration),
                *mass = element->order == 1 ? rule : &element->mass;
  double n[HK_LISTED_NODES];
  *slopes = (hk_slopes){.element = element, .rule = rule, .mass_rule = mass};
  find_derivatives(element, rule, slopes->dn);
  find_derivatives(element, mass, slopes->mass_dn);
  for (int q = 0; q < mass->points; q++) {
    hk_element_functions(element, mass->point[q], n, NULL);
    for (int i = 0; i < element->nodes; i++)
      slopes->lump[i][q] = mass->weight[q] * (element->order == 1 ? n[i] : n[i] * n[i]);
  }
}

/* Jacobians of all points: a[d][c] = |J| dxi_d/dx_c, det[point]; false where one is not above 0. */
INLINE bool find_jacobians(int dim, int nodes, int points, const double (*dn)[HK_LISTED_POINTS],
                           const double *x, double a[3][3][HK_LISTED_POINTS], double *det)
{
  double j[3][3][HK_LISTED_POINTS];
  bool good = true;
  for (int c = 0; c < dim; c++)
    for (int d = 0; d < dim; d++) {
      double *to = j[c][d];
      for (int q = 0; q < points; q++) to[q] = 0;
      for (int n = 0; n < nodes; n++) {
#pragma omp simd
        for (int q = 0; q < points; q++) to[q] += x[n * dim + c] * dn[n * dim + d][q];
      }
    }
  for (int r = 0; r < dim; r++)
    for (int c = 0; c < dim; c++) {
      const int r1 = (r + 1) % dim, r2 = (r + 2) % dim, c1 = (c + 1) % dim, c2 = (c + 2) % dim;
#pragma omp simd
      for (int q = 0; q < points; q++)
        a[c][r][q] = dim == 2 ? (r == c ? j[r1][c1][q] : -j[c][r][q])
                              : j[r1][c1][q] * j[r2][c2][q] - j[r1][c2][q] * j[r2][c1][q];
    }
  for (int q = 0; q < points; q++) {
    det[q] = j[0][0][q] * a[0][0][q] + j[0][1][q] * a[1][0][q];
    if (dim == 3) det[q] += j[0][2][q] * a[2][0][q];
    good = good && det[q] > 0;
  }
  return good;
}

/* mass[node] = sum_q |J| lump, scaled to the volume; det at the points of the mass rule. */
INLINE void lump_mass(int nodes, int points, const hk_slopes *slopes, const double *det,
                      double *mass)
{
  double sum = 0, volume = 0;
  for (int n = 0; n < nodes; n++) {
    mass[n] = 0;
    for (int q = 0; q < points; q++) mass[n] += det[q] * slopes->lump[n][q];
    sum += mass[n];
  }
  for (int q = 0; q < points; q++) volume += det[q] * slopes->mass_rule->weight[q];
  for (int n = 0; n < nodes; n++) mass[n] *= volume / sum;
}

/* to[c][from + j] = sum_q wg[c][q] g[q][from + j] for the columns [from, from + TILE) that there are: the rows of one node, in registers. */
INLINE void sum_tile(int dim, int points, int size, int from, double (*wg)[HK_LISTED_POINTS],
                     double (*g)[PADDED], double *to)
{
  double sum[3][TILE];
  for (int c = 0; c < dim; c++)
    for (int j = 0; j < TILE; j++) sum[c][j] = 0;
  for (int q = 0; q < points; q++) UNROLL
  for (int c = 0; c < dim; c++) {
#pragma omp simd
    for (int j = 0; j < TILE; j++) sum[c][j] += wg[c][q] * g[q][from + j];
  }
  for (int c = 0; c < dim; c++)
    for (int j = 0; j < TILE && from + j < size; j++) to[c * size + from + j] = sum[c][j];
}

INLINE bool find_products(int dim, int nodes, int points, const hk_slopes *slopes, const double *x,
                          double *m, double *mass)
{
  const int size = nodes * dim;
  double a[3][3][HK_LISTED_POINTS], det[HK_LISTED_POINTS], inverse[HK_LISTED_POINTS],
      weight[HK_LISTED_POINTS], g[HK_LISTED_POINTS][PADDED], wg[3][HK_LISTED_POINTS],
      line[HK_LISTED_POINTS];
  if (!find_jacobians(dim, nodes, points, slopes->dn, x, a, det)) return false;
  if (mass) lump_mass(nodes, points, slopes, det, mass);
  for (int q = 0; q < points; q++)
    inverse[q] = 1 / det[q], weight[q] = det[q] * slopes->rule->weight[q];
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < dim; c++) {
#pragma omp simd
      for (int q = 0; q < points; q++) {
        double sum = 0;
        for (int d = 0; d < dim; d++) sum += slopes->dn[n * dim + d][q] * a[d][c][q];
        line[q] = sum * inverse[q];
      }
      for (int q = 0; q < points; q++) g[q][n * dim + c] = line[q];
    }
  for (int q = 0; q < points; q++)
    for (int i = size; i % TILE; i++) g[q][i] = 0;
  for (int n = 0; n < nodes; n++) {
    for (int c = 0; c < dim; c++)
      for (int q = 0; q < points; q++) wg[c][q] = weight[q] * g[q][n * dim + c];
    for (int from = n * dim / TILE * TILE; from < size; from += TILE)
      sum_tile(dim, points, size, from, wg, g, m + n * dim * size);
  }
  return true;
}

INLINE bool find_mass(int dim, int nodes, int points, const hk_slopes *slopes, const double *x,
                      double *mass)
{
  double a[3][3][HK_LISTED_POINTS], det[HK_LISTED_POINTS];
  if (!find_jacobians(dim, nodes, points, slopes->mass_dn, x, a, det)) return false;
  lump_mass(nodes, points, slopes, det, mass);
  return true;
}

HK_WIDE bool hk_slopes_mass(const hk_slopes *slopes, const double *x, double *mass)
{
  const hk_element *e = slopes->element;
  if (e->shape == HK_HEX8) return find_mass(3, 8, 8, slopes, x, mass);
  if (e->shape == HK_QUAD4) return find_mass(2, 4, 4, slopes, x, mass);
  if (e->shape == HK_TET4) return find_mass(3, 4, 1, slopes, x, mass);
  if (e->shape == HK_TRI3) return find_mass(2, 3, 1, slopes, x, mass);
  return find_mass(e->dim, e->nodes, slopes->mass_rule->points, slopes, x, mass);
}

/* The linear shapes with sizes known to the compiler. Other orders lump by more points. */
HK_WIDE bool hk_products_find(const hk_slopes *slopes, const double *x, double *m, double *mass)
{
  const hk_element *e = slopes->element;
  if (e->shape == HK_HEX8) return find_products(3, 8, 8, slopes, x, m, mass);
  if (e->shape == HK_QUAD4) return find_products(2, 4, 4, slopes, x, m, mass);
  if (!find_products(e->dim, e->nodes, slopes->rule->points, slopes, x, m,
                     e->order == 1 ? mass : NULL))
    return false;
  return e->order == 1 || !mass || hk_slopes_mass(slopes, x, mass);
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

/* One point: M_ij is a single product, and the gradients times |J| are cofactors of the edges. */
INLINE bool add_simplex(int dim, const hk_slopes *slopes, const double *x, double lambda, double mu,
                        double *const *to)
{
  const int nodes = dim + 1;
  double g[12], m[9];
  const double det = hk_simplex_cofactors(dim, x, g), w = slopes->rule->weight[0] / det;
  if (!(det > 0)) return false;
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++) {
      UNROLL
      for (int c = 0; c < dim; c++) UNROLL
      for (int d = 0; d < dim; d++) m[c * dim + d] = g[i * dim + c] * g[j * dim + d];
      add_law(dim, m, dim, w * lambda, w * mu, to[i * nodes + j], to[j * nodes + i]);
    }
  return true;
}

/* The upper triangle of the diagonal blocks of M stands for the lower one: they are symmetric. */
INLINE bool add_any(int dim, int nodes, int points, const hk_slopes *slopes, const double *x,
                    double lambda, double mu, double *const *to)
{
  const int size = nodes * dim;
  double m[MOST_DOFS * MOST_DOFS];
  if (!find_products(dim, nodes, points, slopes, x, m, NULL)) return false;
  for (int i = 0; i < size; i++)
    for (int j = i / dim * dim; j < i; j++) m[i * size + j] = m[j * size + i];
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++)
      add_law(dim, m + i * dim * size + j * dim, size, lambda, mu, to[i * nodes + j],
              to[j * nodes + i]);
  return true;
}

HK_WIDE bool hk_isotropic_add(const hk_slopes *slopes, const double *x, double lambda, double mu,
                              double *const *to)
{
  const hk_element *e = slopes->element;
  if (e->shape == HK_TET4) return add_simplex(3, slopes, x, lambda, mu, to);
  if (e->shape == HK_TRI3) return add_simplex(2, slopes, x, lambda, mu, to);
  if (e->shape == HK_HEX8) return add_any(3, 8, 8, slopes, x, lambda, mu, to);
  if (e->shape == HK_QUAD4) return add_any(2, 4, 4, slopes, x, lambda, mu, to);
  return add_any(e->dim, e->nodes, slopes->rule->points, slopes, x, lambda, mu, to);
}

bool hk_stiffness_add(const hk_region *region, const hk_element *element, const double *x,
                      double *const *to)
{
  const int dim = hk_region_vector(region, element->dim), nodes = element->nodes,
            size = nodes * dim;
  double full[MOST_DOFS * MOST_DOFS], k[9];
  if (!(hk_element_integrate(region, element, x, full) > 0)) return false;
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++) {
      for (int c = 0; c < dim; c++)
        memcpy(k + c * dim, full + (i * dim + c) * size + j * dim, (size_t)dim * sizeof *k);
      add_pair(dim, k, to[i * nodes + j], to[j * nodes + i]);
    }
  return true;
}
