/* Strain and stress at integration points from the displacements of an element (E.10), heat fluxes -k grad T alike, and the matrix that
 * takes values at points to the nodes: the least-squares fit by shape functions that the rule can carry (hk_stress_extrapolation).
 * Order of results: xx yy zz xy (xz yz); plane stress finds strain zz from zero stress. */
#include "operator/measure/stress.h"
#include "operator/element/element_matrix.h"
#include "operator/element/integrand.h"
#include "operator/element/ring.h"
#include <math.h>
#include <string.h>

int hk_stress_components(int dim)
{
  return dim == 3 ? 6 : 4;
}

double hk_stress_mises(int n, const double *stress)
{
  const double *s = stress, xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
  double shear = 0;
  for (int i = 3; i < n; i++) shear += s[i] * s[i];
  return sqrt((xy * xy + yz * yz + zx * zx) / 2 + 3 * shear);
}

/* Strain (Voigt, xx yy zz yz xz xy) of the law's other directions by zz = yz = xz = 0 stress: three equations. */
static void find_plane_stress(const double c[6][6], double e[6])
{
  static const int row[3] = {2, 3, 4};
  double a[3][4];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) a[i][j] = c[row[i]][row[j]];
    a[i][3] = -(c[row[i]][0] * e[0] + c[row[i]][1] * e[1] + c[row[i]][5] * e[5]);
  }
  for (int p = 0; p < 3; p++)
    for (int i = 0; i < 3; i++) {
      const double factor = i == p ? 0 : a[i][p] / a[p][p];
      for (int j = p; j < 4; j++) a[i][j] -= factor * a[p][j];
    }
  for (int i = 0; i < 3; i++) e[row[i]] = a[i][3] / a[i][i];
}

void hk_stress_find(const hk_region *region, int dim, const double grad[3][3], double *strain,
                    double *stress)
{
  static const int voigt[6] = {0, 1, 2, 5, 4, 3}; /* of xx yy zz xy xz yz */
  const double(*c)[6] = region->material.c;
  double e[6] = {grad[0][0],
                 grad[1][1],
                 grad[2][2],
                 grad[1][2] + grad[2][1],
                 grad[0][2] + grad[2][0],
                 grad[0][1] + grad[1][0]};
  if (dim == 2 && region->plane == HK_PLANE_STRESS) find_plane_stress(c, e);
  for (int i = 0; i < hk_stress_components(dim); i++) {
    const int v = voigt[i];
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += c[v][k] * e[k];
    if (stress) stress[i] = sum;
    if (strain) strain[i] = e[v] / (i < 3 ? 1 : 2);
  }
  if (dim == 2 && region->plane == HK_PLANE_STRESS && stress) stress[2] = 0;
}

hk_status hk_stress_points(const hk_region *region, const hk_element *element, const double *x,
                           const double *u, double *strain, double *stress, double *coordinates)
{
  const int dim = element->dim, n = hk_stress_components(dim);
  double v[3 * HK_MOST_FUNCTIONS], at[3];
  hk_integrand f;
  hk_region turned;

  HK_NEED(hk_integrand_find(region, element, x, &f) && hk_integrand_amplitudes(&f, u, v),
          HK_BAD_INPUT, "an element is folded or has no volume: mesh it again");
  for (int q = 0; q < f.rule->points; q++) {
    double grad[3][3] = {{0}};
    HK_NEED(hk_integrand_slope(&f, q, v, grad) > 0, HK_BAD_INPUT,
            "an element is folded or has no volume: mesh it again");
    if (coordinates || region->varies) hk_integrand_place(&f, q, at);
    if (hk_integrand_ring(&f)) grad[2][2] = hk_ring_strain(&f, q, u, at[0]);
    if (region->varies) hk_region_at(region, at, &turned);
    hk_stress_find(region->varies ? &turned : region, dim, grad, strain ? strain + q * n : NULL,
                   stress ? stress + q * n : NULL);
    for (int c = 0; coordinates && c < dim; c++) coordinates[q * dim + c] = at[c];
  }
  return HK_OK;
}

/* The temperature at point q. */
static double warmth_at(const hk_element *element, hk_integration integration, int q,
                        const double *t)
{
  hk_values values;
  double here = 0;
  const double *shape = hk_element_n(element, integration, q, &values);
  for (int n = 0; n < element->nodes; n++) here += shape[n] * t[n];
  return here;
}

hk_status hk_flux_points(const hk_region *region, const hk_element *element, const double *x,
                         const double *t, double *flux, double *coordinates)
{
  const int dim = element->dim;
  const hk_integration integration = hk_conduction_integration(element, region);
  const hk_integrand f = {.element = element,
                          .x = x,
                          .rule = hk_element_rule(element, integration),
                          .integration = integration,
                          .functions = element->nodes};
  for (int q = 0; q < f.rule->points; q++) {
    double g[3 * HK_MOST_NODES], at[3], slope[3] = {0};
    hk_region there;
    HK_NEED(hk_integrand_gradients(&f, q, g) > 0, HK_BAD_INPUT,
            "an element is folded or has no volume: mesh it again");
    hk_integrand_place(&f, q, at);
    const double here = warmth_at(element, integration, q, t),
                 factor = hk_table_at(region->material.at[HK_AT_CONDUCTIVITY], here);
    hk_region_at_warm(region, at, here, &there);
    for (int n = 0; n < element->nodes; n++)
      for (int c = 0; c < dim; c++) slope[c] += t[n] * g[n * dim + c];
    for (int c = 0; c < dim; c++) {
      flux[q * dim + c] = 0;
      for (int d = 0; d < dim; d++)
        flux[q * dim + c] -= factor * there.material.conductivity[c][d] * slope[d];
      if (coordinates) coordinates[q * dim + c] = at[c];
    }
  }
  return HK_OK;
}

/* The element whose functions the fit has. */
static const hk_element *find_fit(const hk_element *element, int points)
{
  return element->nodes <= points ? element : hk_element_of(hk_shape_linear(element->shape));
}

/* b[size][columns] := a^-1 b for a[size][size] positive definite, which is destroyed. */
static void solve(int size, int columns, double *a, double *b)
{
  for (int p = 0; p < size; p++) {
    const double pivot = a[p * size + p];
    for (int j = p; j < size; j++) a[p * size + j] /= pivot; /* 0 before p */
    for (int j = 0; j < columns; j++) b[p * columns + j] /= pivot;
    for (int i = 0; i < size; i++) {
      const double factor = i == p ? 0 : a[i * size + p];
      for (int j = p; j < size && factor != 0; j++) a[i * size + j] -= factor * a[p * size + j];
      for (int j = 0; j < columns && factor != 0; j++)
        b[i * columns + j] -= factor * b[p * columns + j];
    }
  }
}

/* a[columns][columns] = n^T n of n[rows][columns]. Rows of n are read in order: order 10 in 3D has 1331 of 1331 numbers. */
static void square(int rows, int columns, const double *n, double *a)
{
  enum { TILE = 8 }; /* rows of a that stay in cache */
  for (int first = 0; first < columns; first += TILE)
    for (int k = 0; k < rows; k++)
      for (int i = first; i < first + TILE && i < columns; i++)
        for (int j = 0; j <= i; j++) a[i * columns + j] += n[k * columns + i] * n[k * columns + j];
  for (int i = 0; i < columns; i++)
    for (int j = i + 1; j < columns; j++) a[i * columns + j] = a[j * columns + i];
}

/* out[columns][rows]: the transpose of n[rows][columns]. */
static void transpose(int rows, int columns, const double *n, double *out)
{
  for (int k = 0; k < rows; k++)
    for (int i = 0; i < columns; i++) out[i * rows + k] = n[k * columns + i];
}

/* pseudo[functions][points]: the pseudoinverse of n[points][functions]. */
static hk_status invert(int points, int functions, const double *n, double *pseudo)
{
  hk_status status = HK_OK;
  const bool tall = points >= functions;
  const int size = tall ? functions : points;
  double *a = NULL, *b = NULL;
  HK_TRY(hk_get(&a, (hk_count)size * size));
  transpose(points, functions, n, pseudo);
  if (tall) { /* (N^T N)^-1 N^T */
    square(points, functions, n, a);
    solve(functions, points, a, pseudo);
  } else { /* ((N N^T)^-1 N)^T */
    square(functions, points, pseudo, a);
    HK_TRY(hk_get(&b, (hk_count)points * functions));
    memcpy(b, n, (size_t)points * (size_t)functions * sizeof *b);
    solve(points, functions, a, b);
    transpose(points, functions, b, pseudo);
  }
cleanup:
  hk_free(&a);
  hk_free(&b);
  return status;
}

hk_status hk_stress_extrapolation(const hk_element *element, hk_integration integration, double *to)
{
  hk_status status = HK_OK;
  const hk_rule *rule = hk_element_rule(element, integration);
  const hk_element *fit = find_fit(element, rule->points);
  double *n = NULL, *pseudo = NULL, at[HK_MOST_NODES];
  HK_TRY(hk_get(&n, (hk_count)rule->points * fit->nodes));
  HK_TRY(hk_get(&pseudo, (hk_count)rule->points * fit->nodes));
  for (int q = 0; q < rule->points; q++)
    hk_element_functions(fit, rule->point[q], n + q * fit->nodes, NULL);
  HK_TRY(invert(rule->points, fit->nodes, n, pseudo));
  for (int i = 0; i < element->nodes; i++) {
    hk_element_functions(fit, element->reference[i], at, NULL);
    double *row = to + i * rule->points;
    for (int q = 0; q < rule->points; q++) row[q] = 0;
    /* where fit has the element's nodes, one function is not 0 */
    for (int k = 0; k < fit->nodes; k++)
      for (int q = 0; q < rule->points && at[k] != 0; q++)
        row[q] += at[k] * pseudo[k * rule->points + q];
  }
cleanup:
  hk_free(&n);
  hk_free(&pseudo);
  return status;
}
