/* The law of a region in 2D or 3D and its waves. Plane strain takes rows xx, yy, xy of C; plane stress eliminates the others first. Wave
 * speeds are the roots of the eigenvalues of Christoffel's matrix g_ik = n_j C_ijkl n_l / rho: the extreme ones are sought over directions n,
 * then by turns over n and the polarisation, in which C is symmetric. The same matrix gives the impedance Z of dashpots for any anisotropy, Z
 * = rho sum c p p^T, which is (W.17) of docs/theory/waves.md in isotropic bodies, and the part m by which energy of a wave runs backwards
 * (docs/theory/spectral.md, on matched layers: Becache, Fauqueux and Joly 2003). */
#include "physics/material.h"
#include <float.h>
#include <math.h>
#include <string.h>

static void unit_of(double v[3])
{
  const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3; i++) v[i] /= length;
}

/* u and v become u cos + v sin, v cos - u sin. */
static void turn_pair(double u[3], double v[3], double angle)
{
  const double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++) {
    const double a = u[i], b = v[i];
    u[i] = c * a + s * b;
    v[i] = c * b - s * a;
  }
}

/* Radial: x - origin without its part along the axis z. */
static void radial_at(const hk_axes *axes, const double x[3], double radial[3])
{
  const double *z = axes->row[2];
  double along = 0, length = 0, arm = 0;
  for (int i = 0; i < 3; i++) along += (x[i] - axes->origin[i]) * z[i];
  for (int i = 0; i < 3; i++) {
    const double from = x[i] - axes->origin[i];
    radial[i] = from - along * z[i];
    length += radial[i] * radial[i], arm += from * from;
  }
  if (!(length > 1e-24 * arm))
    memcpy(radial, axes->row[0], sizeof axes->row[0]); /* on the axis */
  else
    unit_of(radial);
}

void hk_axes_at(const hk_axes *axes, const double x[3], double row[3][3])
{
  memset(row, 0, 9 * sizeof row[0][0]);
  for (int i = 0; i < 3; i++) row[i][i] = 1;
  if (axes->kind == HK_AXES_GLOBAL) return;
  memcpy(row, axes->row, sizeof axes->row);
  if (axes->kind == HK_AXES_CYLINDRICAL) {
    radial_at(axes, x, row[0]);
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      row[1][i] = row[2][j] * row[0][k] - row[2][k] * row[0][j];
    }
  }
  turn_pair(row[(axes->turn_about + 1) % 3], row[(axes->turn_about + 2) % 3], axes->turn_by);
}

void hk_region_at(const hk_region *region, const double x[3], hk_region *out)
{
  hk_region_at_warm(region, x, 0, out);
}

/* Formulas of the material at x and t, in place of their values. */
static void take_formulas(hk_material *m, const double x[3], double t)
{
  const hk_formula *const *by = m->by;
  if (by[HK_BY_CONDUCTIVITY]) {
    const double k = hk_formula_value_warm(by[HK_BY_CONDUCTIVITY], x, t, NULL);
    memset(m->conductivity, 0, sizeof m->conductivity);
    for (int c = 0; c < 3; c++) m->conductivity[c][c] = k;
  }
  if (by[HK_BY_REACTION]) m->reaction += hk_formula_value_warm(by[HK_BY_REACTION], x, t, NULL);
  if (by[HK_BY_SPECIFIC_HEAT]) {
    const double c = hk_formula_value_warm(by[HK_BY_SPECIFIC_HEAT], x, t, NULL);
    m->specific_heat *= c, m->stored *= c, m->lumped *= c;
  }
  for (int c = 0; c < 3; c++)
    if (m->advection.by[c]) m->advection.velocity[c] = hk_formula_value(m->advection.by[c], x);
  memset(m->by, 0, sizeof m->by);
  memset(m->advection.by, 0, sizeof m->advection.by);
}

double hk_region_depth(const hk_region *region, int dim, const double *x)
{
  if (dim == 3) return 1;
  return region->plane == HK_AXISYMMETRIC ? 2 * M_PI * x[0] : region->thickness;
}

hk_scalar_wave hk_region_scalar_wave(const hk_region *region)
{
  const hk_material *m = &region->material;
  if (m->fluid) return (hk_scalar_wave){1 / m->density, 1 / m->bulk};
  return (hk_scalar_wave){m->c[4][4], m->density};
}

void hk_region_at_warm(const hk_region *region, const double x[3], double t, hk_region *out)
{
  double row[3][3];
  *out = *region;
  if (!region->varies) return;
  if (region->axes.kind == HK_AXES_CYLINDRICAL) {
    hk_axes_at(&region->axes, x, row);
    hk_material_rotate(&out->material, row);
  }
  take_formulas(&out->material, x, t);
  if (region->plane == HK_AXISYMMETRIC) out->thickness = hk_region_depth(region, 2, x);
  out->varies = false;
}

/* d = c_aa - c_ab c_bb^-1 c_ba with b = zz, yz, xz: one Gaussian elimination per row of b. */
static void condense(double c[6][6])
{
  for (int b = 2; b <= 4; b++) {
    for (int i = 0; i < 6; i++) {
      if (i >= 2 && i <= b) continue;
      const double factor = c[i][b] / c[b][b];
      for (int j = 0; j < 6; j++) c[i][j] -= factor * c[b][j];
    }
  }
}

static void plane_law(const hk_region *region, double d[3][3])
{
  static const int row[3] = {0, 1, 5};
  double c[6][6];
  memcpy(c, region->material.c, sizeof c);
  if (region->plane == HK_PLANE_STRESS) condense(c);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) d[i][j] = (c[row[i]][row[j]] + c[row[j]][row[i]]) / 2;
}

void hk_region_stiffness(const hk_region *region, int dim, double *d)
{
  if (dim == 3) {
    memcpy(d, region->material.c, sizeof region->material.c);
    return;
  }
  double plane[3][3];
  plane_law(region, plane);
  for (int i = 0; i < 9; i++) d[i] = plane[i / 3][i % 3] * region->thickness;
}

void hk_region_ring_stiffness(const hk_region *region, double *d)
{
  static const int row[4] = {0, 1, 5, 2};
  for (int i = 0; i < 16; i++)
    d[i] = region->material.c[row[i / 4]][row[i % 4]] * region->thickness;
}

void hk_region_spatial_stiffness(const hk_region *region, double *d)
{
  static const int row[HK_SPATIAL_STRAINS] = {0, 1, 3, 4, 5};
  const double(*c)[6] = region->material.c;
  for (int s = 0; s < HK_SPATIAL_STRAINS; s++)
    for (int t = 0; t < HK_SPATIAL_STRAINS; t++)
      d[s * HK_SPATIAL_STRAINS + t] =
          region->thickness / 2 * (c[row[s]][row[t]] + c[row[t]][row[s]]);
}

void hk_stiffness_means(int dim, const double *d, double *lambda, double *mu)
{
  const int size = 3 * dim - 3;
  double normal = 0, all = 0,
         shear = 0; /* sums of c_ii and c_ij of normal strains, and of c_ii of shear strains */
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < dim && i < dim; j++) all += d[i * size + j];
    if (i < dim) normal += d[i * size + i];
    if (i >= dim) shear += d[i * size + i];
  }
  const double bulk = all / (dim * dim), traceless = normal - all / dim + 2 * shear;
  *mu = traceless / (dim * (dim + 1) - 2);
  *lambda = bulk - 2 * *mu / dim;
}

void hk_region_conductivity(const hk_region *region, int dim, double *k)
{
  const double thickness = dim == 2 ? region->thickness : 1;
  if (dim == 2 && region->plane == HK_ANTIPLANE) {
    k[0] = k[3] = thickness * hk_region_scalar_wave(region).stiffness, k[1] = k[2] = 0;
    return;
  }
  for (int i = 0; i < dim * dim; i++)
    k[i] = region->material.conductivity[i / dim][i % dim] * thickness;
}

bool hk_region_lame(const hk_region *region, int dim, double *lambda, double *mu)
{
  double d[6][6], plane[3][3];
  dim = hk_region_vector(region, dim);
  const int size = dim == 3 ? 6 : 3;
  memcpy(d, region->material.c, sizeof d);
  if (dim == 2) {
    plane_law(region, plane);
    for (int i = 0; i < 9; i++) d[i / 3][i % 3] = plane[i / 3][i % 3];
  }
  const double l = d[0][1], m = d[dim][dim];
  /* in parts of mu, which may be small beside c11: of nearly incompressible bodies rounding of c11 comes first */
  const double same = 1e-12 * fabs(m) + 8 * DBL_EPSILON * fabs(d[0][0]);
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) {
      const double normal = i < dim && j < dim ? l + (i == j ? 2 * m : 0) : 0;
      const double expected = i >= dim && i == j ? m : normal;
      if (!(fabs(d[i][j] - expected) <= same)) return false;
    }
  }
  *lambda = l, *mu = m;
  return true;
}

/* Full tensor C_ijkl / rho of as many components as the displacement has. */
static void speed_tensor(const hk_region *region, int dim, double c[3][3][3][3])
{
  static const int voigt3[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
  static const int voigt2[2][2] = {{0, 2}, {2, 1}};
  double plane[3][3];
  plane_law(region, plane);
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++)
      for (int k = 0; k < dim; k++)
        for (int l = 0; l < dim; l++)
          c[i][j][k][l] = (dim == 3 ? region->material.c[voigt3[i][j]][voigt3[k][l]]
                                    : plane[voigt2[i][j]][voigt2[k][l]]) /
                          region->material.density;
}

/* Eigenvalues of the symmetric a[dim][dim], left on its diagonal, and its unit vectors, the columns of v, by Jacobi's rotations. */
static void diagonalise(int dim, double a[3][3], double v[3][3])
{
  for (int i = 0; i < 9; i++) v[i / 3][i % 3] = i / 3 == i % 3;
  for (int sweep = 0; sweep < 12; sweep++) {
    for (int p = 0; p < dim; p++) {
      for (int q = p + 1; q < dim; q++) {
        const double gap = a[q][q] - a[p][p]; /* |angle| <= pi / 4, or the sweeps may cycle */
        if (a[p][q] == 0) continue;
        const double angle = (gap < 0 ? -0.5 : 0.5) * atan2(2 * a[p][q], fabs(gap));
        const double s = sin(angle), c = cos(angle);
        for (int k = 0; k < dim; k++) {
          const double kp = a[k][p], kq = a[k][q], vp = v[k][p], vq = v[k][q];
          a[k][p] = c * kp - s * kq, a[k][q] = s * kp + c * kq;
          v[k][p] = c * vp - s * vq, v[k][q] = s * vp + c * vq;
        }
        for (int k = 0; k < dim; k++) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk, a[q][k] = s * pk + c * qk;
        }
      }
    }
  }
}

/* Eigenvalue of the symmetric a[dim][dim], the largest for sign = 1, the smallest for sign = -1,
 * and its unit vector. */
static double extreme(int dim, double a[3][3], int sign, double vector[3])
{
  double v[3][3];
  diagonalise(dim, a, v);
  int best = 0;
  for (int i = 1; i < dim; i++)
    if (sign * a[i][i] > sign * a[best][best]) best = i;
  for (int i = 0; i < dim; i++) vector[i] = v[i][best];
  return a[best][best];
}

/* Christoffel's matrix over the density, g_ik = n_j c_ijkl n_l, i and k below `size`, j and l below `dim`. */
static void christoffel(int size, int dim, const double c[3][3][3][3], const double n[3],
                        double g[3][3])
{
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      g[i][k] = 0;
      for (int j = 0; j < dim; j++)
        for (int l = 0; l < dim; l++) g[i][k] += n[j] * c[i][j][k][l] * n[l];
    }
}

/* Extreme over p[size] of p_i n_j c_ijkl n_l p_k, n[dim]. As c_ijkl = c_jikl = c_ijlk, p and n may change roles:
 * the same call with n and p exchanged can only go on in the wanted direction. */
static double best_partner(int size, int dim, const double c[3][3][3][3], int sign,
                           const double n[3], double p[3])
{
  double g[3][3];
  christoffel(size, dim, c, n, g);
  return extreme(size, g, sign, p);
}

/* Direction i of `count` that cover the half circle, or the sphere by Fibonacci's spiral. */
static void direction(int dim, int i, int count, double n[3])
{
  if (dim == 2) {
    const double angle = M_PI * i / count;
    n[0] = cos(angle), n[1] = sin(angle), n[2] = 0;
    return;
  }
  const double z = 1 - (2 * i + 1.0) / count, r = sqrt(1 - z * z);
  const double angle = M_PI * (3 - sqrt(5.0)) * i;
  n[0] = r * cos(angle), n[1] = r * sin(angle), n[2] = z;
}

static double extreme_speed(const hk_region *region, int dim, int sign)
{
  enum { PLANE = 64, SPHERE = 400, STARTS = 8, ROUNDS = 100 };
  const int count = dim == 2 ? PLANE : SPHERE, size = hk_region_vector(region, dim);
  double c[3][3][3][3], n[3], p[3], best = sign > 0 ? 0 : INFINITY;
  double value[SPHERE], lambda, mu;
  if (hk_region_is_scalar(region)) {
    const hk_scalar_wave wave = hk_region_scalar_wave(region);
    return sqrt(wave.stiffness / wave.inertia);
  }
  if (hk_region_lame(region, dim, &lambda, &mu)) {
    const double fast = lambda + 2 * mu;
    return sqrt((sign > 0 ? fmax(fast, mu) : fmin(fast, mu)) / region->material.density);
  }
  speed_tensor(region, size, c);
  for (int i = 0; i < count; i++) {
    direction(dim, i, count, n);
    value[i] = best_partner(size, dim, c, sign, n, p);
  }
  for (int start = 0; start < STARTS; start++) {
    int at = 0;
    for (int i = 1; i < count; i++)
      if (sign * value[i] > sign * value[at]) at = i;
    direction(dim, at, count, n);
    value[at] = sign > 0 ? -INFINITY : INFINITY;
    double now = best_partner(size, dim, c, sign, n, p), before;
    int round = 0;
    do {
      before = now;
      best_partner(dim, size, c, sign, p, n);
      now = best_partner(size, dim, c, sign, n, p);
    } while (fabs(now - before) > 1e-15 * fabs(before) && ++round < ROUNDS);
    if (sign * now > sign * best) best = now;
  }
  return sqrt(best);
}

double hk_region_fastest(const hk_region *region, int dim)
{
  return extreme_speed(region, dim, 1);
}

double hk_region_slowest(const hk_region *region, int dim)
{
  return extreme_speed(region, dim, -1);
}

void hk_region_impedance(const hk_region *region, int dim, const double n[3], double *z)
{
  const double mass = region->material.density * (dim == 2 ? region->thickness : 1);
  const int size = hk_region_vector(region, dim);
  double c[3][3][3][3], g[3][3], v[3][3];
  speed_tensor(region, size, c);
  christoffel(size, dim, c, n, g);
  diagonalise(size, g, v);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      double sum = 0;
      for (int m = 0; m < size; m++) sum += v[i][m] * v[k][m] * sqrt(g[m][m]);
      z[i * size + k] = mass * sum;
    }
}

/* The largest of -n_l V_l / v over the waves along n, v V_l = p_i n_j c_ijkl p_k, and axes l. */
static double most_backward(int size, int dim, const double c[3][3][3][3], const double n[3])
{
  double g[3][3], p[3][3], most = 0;
  christoffel(size, dim, c, n, g);
  diagonalise(size, g, p);
  for (int wave = 0; wave < size; wave++)
    for (int l = 0; l < dim; l++) {
      double sum = 0;
      for (int i = 0; i < size; i++)
        for (int j = 0; j < dim; j++)
          for (int k = 0; k < size; k++) sum += p[i][wave] * n[j] * c[i][j][k][l] * p[k][wave];
      most = fmax(most, -n[l] * sum / g[wave][wave]);
    }
  return most;
}

double hk_region_backward(const hk_region *region, int dim)
{
  enum { PLANE = 720, SPHERE = 6000 };
  const int count = dim == 2 ? PLANE : SPHERE, size = hk_region_vector(region, dim);
  double c[3][3][3][3], n[3], lambda, mu, most = 0;
  if (hk_region_is_scalar(region) || hk_region_lame(region, dim, &lambda, &mu)) return 0;
  speed_tensor(region, size, c);
  for (int i = 0; i < count; i++) {
    direction(dim, i, count, n);
    most = fmax(most, most_backward(size, dim, c, n));
  }
  return most < 1e-9 ? 0 : most;
}
