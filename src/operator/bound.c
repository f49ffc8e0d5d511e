/* Bound of the largest frequency by the element theorem, with the mass of each node shared out unevenly.
 *
 * Any split of the lumped mass into positive parts, M = sum of M_e, makes the largest eigenvalue of the pencils (K_e, M_e) a bound.
 * The usual split, M_e the element's own mass m_e, is the worst for a stiff element among soft ones. Here the node's mass goes to
 * its elements in proportion to m_e F_e, F_e the Frobenius norm of M^-1/2 K M^-1/2 of the element alone: small and stiff ones get
 * more of it. On jittered meshes the bound falls by a quarter to a third; a mesh of equal elements has the same bound.
 *
 * lambda > every eigenvalue of an element  <=>  lambda - A is positive definite, A = M^-1/2 K
 * M^-1/2, which one Cholesky factorisation decides. So a part of the mesh keeps the lambda that has
 * served all its elements so far, and raises it where one fails. For simplices of constant strain B
 * the matrix is small: K = V B^T D B, and lambda / V D^-1 - B M^-1 B^T has the same sign. */
#include "operator/element_matrix.h"
#include "operator/lumped.h"
#include <math.h>
#include <string.h>

enum { MOST_DOFS = 3 * HK_MOST_NODES, PART = 4096, POWERS = 40 };

static const double step = 1.005; /* lambda is raised to at most this times what is needed */
static const double rounding = 1 + 1e-10; /* of K, A and the factorisation: n^2 eps */

typedef struct part {
  double lambda;
  hk_count element; /* of a folded one, with lambda = -1 */
} part;

/* One region: d (Voigt), its inverse for the dual matrix, mass per volume. */
typedef struct law {
  double d[36], inverse[36], density;
} law;

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

/* Whether the upper triangle of a[size][size] is that of a positive definite matrix; overwritten.
 */
static inline bool definite(int size, double *a)
{
  for (int p = 0; p < size; p++) {
    const double *row = a + p * size;
    if (!(row[p] > 0)) return false;
    const double scale = 1 / row[p];
    for (int i = p + 1; i < size; i++) {
      const double factor = row[i] * scale;
      double *to = a + i * size;
#pragma omp simd
      for (int j = i; j < size; j++) to[j] -= factor * row[j];
    }
  }
  return true;
}

static bool definite_any(int size, double *a)
{
  switch (size) { /* the common sizes are unrolled */
  case 8: return definite(8, a);
  case 18: return definite(18, a);
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

/* a = M^-1/2 K M^-1/2 of one element with the given mass[nodes]; false when it is folded. */
static bool scaled_stiffness(const hk_element *element, const double *x, const law *l,
                             const double *mass, double *a)
{
  const int dim = element->dim, size = element->nodes * dim;
  double root[MOST_DOFS];
  if (!(hk_element_stiffness(element, x, l->d, a) > 0)) return false;
  for (int i = 0; i < size; i++) root[i] = 1 / sqrt(mass[i / dim]);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) a[i * size + j] *= root[i] * root[j];
  return true;
}

/* h = B M^-1 B^T, Voigt, upper triangle, from s_ij = sum over nodes of g_i g_j / m: (strain I of a motion) =
 * B_I; B_xx B_xx = s_xx, B_xx B_xy = s_xy, B_xy B_xy = s_xx + s_yy, B_xy B_xz = s_yz, ... */
static void strain_products(const hk_element *element, const double *g, const double *mass,
                            double *h)
{
  double s[3][3] = {{0}};
  const int dim = element->dim;
  for (int n = 0; n < element->nodes; n++)
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

/* The same as `exceeds` for a simplex of linear shape; -1 when it is folded. */
static int exceeds_simplex(const hk_element *element, const double *x, const law *l,
                           const double *mass, double lambda)
{
  double g[12], h[36];
  const int size = element->dim == 3 ? 6 : 3;
  const double det = hk_element_physical(element, element->point[0], x, g);
  if (!(det > 0)) return -1;
  strain_products(element, g, mass, h);
  const double factor = lambda / (det * element->volume);
  for (int i = 0; i < size * size; i++) h[i] = factor * l->inverse[i] - h[i];
  return size == 6 ? definite(6, h) : definite(3, h);
}

/* Frobenius norm of M^-1/2 K M^-1/2 with the element's own mass, which is left in mass[nodes]; for constant strain that of
 * V / m D B B^T. Negative: folded. */
static double stiffness_norm(const hk_element *element, const double *x, const law *l, double *mass)
{
  double g[MOST_DOFS], h[36], a[MOST_DOFS * MOST_DOFS], sum = 0;
  const int size = element->nodes * element->dim, voigt = element->dim == 3 ? 6 : 3;
  if (!hk_element_mass(element, x, l->density, mass)) return -1;
  if (!element->simplex || element->order != 1) {
    if (!scaled_stiffness(element, x, l, mass, a)) return -1;
    for (int i = 0; i < size * size; i++) sum += a[i] * a[i];
    return sqrt(sum);
  }
  const double det = hk_element_physical(element, element->point[0], x, g);
  if (!(det > 0)) return -1;
  strain_products(element, g, mass, h);
  for (int i = 0; i < voigt; i++)
    for (int j = 0; j < i; j++) h[i * voigt + j] = h[j * voigt + i];
  for (int i = 0; i < voigt; i++)
    for (int j = 0; j < voigt; j++) {
      a[i * voigt + j] = 0;
      for (int k = 0; k < voigt; k++) a[i * voigt + j] += l->d[i * voigt + k] * h[k * voigt + j];
    }
  for (int i = 0; i < voigt; i++)
    for (int j = 0; j < voigt; j++) sum += a[i * voigt + j] * a[j * voigt + i];
  return det * element->volume * sqrt(sum);
}

/* How the nodes' mass is shared out. */
typedef struct shares {
  hk_count stiffest; /* element of the largest norm */
  float *norm;       /* norm[element] */
  double *unit;      /* unit[node] = mass of the node / sum over its elements of m_e norm_e */
} shares;

static void free_shares(shares *s)
{
  hk_free(&s->norm);
  hk_free(&s->unit);
}

static hk_status measure_norms(const hk_mesh *mesh, const hk_block *block, const law *laws,
                               const int16_t *element_region, float *norm)
{
  const hk_element *element = hk_element_of(block->shape);
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < block->count; i++) {
    double x[MOST_DOFS], mass[HK_MOST_NODES];
    hk_element_gather(mesh, block, i, x);
    norm[block->first + i] =
        (float)stiffness_norm(element, x, laws + element_region[block->first + i], mass);
  }
  for (hk_count i = 0; i < block->count; i++)
    if (!(norm[block->first + i] > 0)) return hk_element_folded(mesh, block->first + i);
  return HK_OK;
}

static hk_status create_shares(const hk_mesh *mesh, const law *laws, const int16_t *element_region,
                               shares *out)
{
  hk_status status = HK_OK;
  shares s = {0};
  double *total = NULL;
  HK_TRY(hk_get(&s.norm, mesh->element_count));
  HK_TRY(hk_get(&s.unit, mesh->node_count));
  HK_TRY(hk_get(&total, mesh->node_count));
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    HK_TRY(measure_norms(mesh, block, laws, element_region, s.norm));
    for (hk_count i = 0; i < block->count; i++) {
      double x[MOST_DOFS], mass[HK_MOST_NODES];
      hk_element_gather(mesh, block, i, x);
      hk_element_mass(hk_element_of(block->shape), x,
                      laws[element_region[block->first + i]].density, mass);
      for (int n = 0; n < block->nodes; n++) {
        const hk_index node = block->node[i * block->nodes + n];
        total[node] += mass[n], s.unit[node] += mass[n] * (double)s.norm[block->first + i];
      }
    }
  }
  for (hk_count e = 1; e < mesh->element_count; e++)
    if (s.norm[e] > s.norm[s.stiffest]) s.stiffest = e;
  for (hk_count n = 0; n < mesh->node_count; n++)
    if (s.unit[n] > 0) s.unit[n] = total[n] / s.unit[n];
  *out = s, s = (shares){0};
cleanup:
  hk_free(&total);
  free_shares(&s);
  return status;
}

static part bound_part(const hk_mesh *mesh, const hk_block *block, const law *laws,
                       const int16_t *element_region, const shares *s, hk_count from, hk_count to)
{
  const hk_element *element = hk_element_of(block->shape);
  const bool small = element->simplex && element->order == 1;
  const int size = element->nodes * element->dim;
  part p = {0, block->first + from};
  for (hk_count i = from; i < to; i++) {
    double x[MOST_DOFS], a[MOST_DOFS * MOST_DOFS], mass[HK_MOST_NODES];
    const law *l = laws + element_region[block->first + i];
    hk_element_gather(mesh, block, i, x);
    if (!hk_element_mass(element, x, l->density, mass)) return (part){-1, block->first + i};
    for (int n = 0; n < block->nodes; n++)
      mass[n] *= (double)s->norm[block->first + i] * s->unit[block->node[i * block->nodes + n]];
    if (small && exceeds_simplex(element, x, l, mass, p.lambda) == 1) continue;
    if (!scaled_stiffness(element, x, l, mass, a)) return (part){-1, block->first + i};
    if (!small && exceeds(size, a, p.lambda)) continue;
    p.lambda = raise(size, a);
  }
  return p;
}

/* The largest of the block's parts in *best, or its first folded element. */
static hk_status bound_block(const hk_mesh *mesh, const hk_block *block, const law *laws,
                             const int16_t *element_region, const shares *s, part *best)
{
  hk_status status = HK_OK;
  const hk_count parts = (block->count + PART - 1) / PART;
  part *p = NULL;
  HK_TRY(hk_get(&p, parts));
#pragma omp parallel for schedule(dynamic)
  for (hk_count i = 0; i < parts; i++) {
    const hk_count from = i * PART, to = from + PART < block->count ? from + PART : block->count;
    p[i] = bound_part(mesh, block, laws, element_region, s, from, to);
  }
  for (hk_count i = 0; i < parts; i++) {
    if (p[i].lambda < 0) HK_TRY(hk_element_folded(mesh, p[i].element));
    if (p[i].lambda > best->lambda) *best = p[i];
  }
cleanup:
  hk_free(&p);
  return status;
}

hk_status hk_element_bound(const hk_mesh *mesh, const hk_region *region,
                           const int16_t *element_region, double *omega_max, hk_index *element)
{
  hk_status status = HK_OK;
  law *laws = NULL;
  part best = {0, 0};
  shares s = {0};
  int regions = 0;

  HK_TRY(hk_element_region_check(mesh, region, element_region));
  for (hk_count e = 0; e < mesh->element_count; e++)
    if (element_region[e] >= regions) regions = element_region[e] + 1;
  HK_TRY(hk_get(&laws, regions));
  for (int r = 0; r < regions; r++) {
    hk_region_stiffness(region + r, mesh->dim, laws[r].d);
    invert(mesh->dim == 3 ? 6 : 3, laws[r].d, laws[r].inverse);
    laws[r].density = hk_element_density(mesh, region + r);
  }
  HK_TRY(create_shares(mesh, laws, element_region, &s));
  for (int b = 0; b < mesh->block_count; b++)
    HK_TRY(bound_block(mesh, mesh->block + b, laws, element_region, &s, &best));
  *omega_max = sqrt(best.lambda * rounding);
  *element = (hk_index)s.stiffest;
cleanup:
  free_shares(&s);
  hk_free(&laws);
  return status;
}
