/* Matrices and lumped volumes of axisymmetric elements (E.13), summed over points. B has four rows: three of gradients, and u_r / r, which takes the shape
 * functions themselves. The law at a point is that of the region there, times 2 pi r. */
#include "operator/element/ring.h"
#include "operator/element/strains.h"
#include <math.h>
#include <string.h>

enum { STRAINS = 4, MOST = 2 * HK_MOST_NODES };

bool hk_integrand_ring(const hk_integrand *i)
{
  return !i->law && i->element->dim == 2 && i->region->plane == HK_AXISYMMETRIC;
}

/* A place on the axis is a sum of nodes at x = 0 and others, whose functions are 0 there but for rounding. */
double hk_ring_radius(const hk_element *element, const double *x, double r)
{
  double far = 0;
  for (int n = 0; n < element->nodes; n++) far = fmax(far, x[2 * n]);
  return r > 1e-9 * far ? r : 0;
}

void hk_ring_around(int nodes, double r, const double *n, const double *g, double *around)
{
  for (int k = 0; k < nodes; k++) around[k] = r > 0 ? n[k] / r : g[2 * k];
}

double hk_ring_depth(const hk_element *element, const double *x, double r, const double *dn)
{
  const int face = hk_shape_axis(element->shape);
  double slope = 0;
  if (r > 0 || face < 0) return 2 * M_PI * r;
  for (int n = 0; n < element->nodes; n++) slope += dn[2 * n + (face % 2 ? 0 : 1)] * x[2 * n];
  return 2 * M_PI * fabs(slope);
}

/* Those of point q of the integrand, of gradients g. */
static void find_around(const hk_integrand *i, int q, double r, const double *g, double *around)
{
  hk_values own;
  const double *n = hk_element_n(i->element, i->integration, q, &own);
  hk_ring_around(i->element->nodes, r, n, g, around);
}

/* b[STRAINS][size] of point q and d[STRAINS][STRAINS]; its weight. */
static double find_point(const hk_integrand *i, int q, double *b, double *d)
{
  const int nodes = i->element->nodes, size = 2 * nodes;
  double g[MOST], around[HK_MOST_NODES], at[3];
  hk_region there;
  hk_values own;
  const double w = hk_integrand_gradients(i, q, g);
  hk_integrand_place(i, q, at);
  at[0] = hk_ring_radius(i->element, i->x, at[0]);
  hk_region_at(i->region, at, &there);
  if (at[0] == 0)
    there.thickness =
        hk_ring_depth(i->element, i->x, 0, hk_element_dn(i->element, i->integration, q, &own));
  hk_region_ring_stiffness(&there, d);
  find_around(i, q, at[0], g, around);
  memset(b, 0, (size_t)(STRAINS * size) * sizeof *b);
  for (int n = 0; n < nodes; n++) {
    b[2 * n] = b[2 * size + 2 * n + 1] = g[2 * n];
    b[size + 2 * n + 1] = b[2 * size + 2 * n] = g[2 * n + 1];
    b[3 * size + 2 * n] = around[n];
  }
  return w;
}

double hk_ring_matrix(const hk_integrand *i, double *k)
{
  const int size = 2 * i->element->nodes;
  double b[STRAINS * MOST], d[STRAINS * STRAINS], area = 0;
  memset(k, 0, (size_t)size * (size_t)size * sizeof *k);
  for (int q = 0; q < i->rule->points; q++) {
    const double w = find_point(i, q, b, d);
    if (!(w > 0)) return -1;
    area += w;
    hk_strains_add(STRAINS, size, w, b, d, k);
  }
  hk_strains_mirror(size, k);
  return area;
}

double hk_ring_strain(const hk_integrand *i, int q, const double *u, double r)
{
  double g[MOST], around[HK_MOST_NODES], sum = 0;
  hk_integrand_gradients(i, q, g);
  find_around(i, q, r, g, around);
  for (int n = 0; n < i->element->nodes; n++) sum += around[n] * u[2 * n];
  return sum;
}

/* Of families (S.17). */
static bool nodal_volumes(const hk_element *element, const double *x, double *volume)
{
  double g[MOST], dn[MOST];
  for (int k = 0; k < element->nodes; k++) {
    hk_element_functions(element, element->nodal.point[k], NULL, dn);
    const double det = hk_element_transform(element, dn, x, g);
    if (!(det > 0)) return false;
    volume[k] = element->nodal.weight[k] * det *
                hk_ring_depth(element, x, hk_ring_radius(element, x, x[2 * k]), dn);
  }
  return true;
}

bool hk_ring_volumes(const hk_element *element, const double *x, double *volume)
{
  const bool linear = element->order == 1;
  const hk_rule *rule = &element->mass;
  double n[HK_MOST_NODES], g[MOST], at[3], all = 0, sum = 0;
  if (element->nodal.points) return nodal_volumes(element, x, volume);
  for (int k = 0; k < element->nodes; k++) volume[k] = 0;
  for (int q = 0; q < rule->points; q++) {
    const double det = hk_element_physical(element, rule->point[q], x, g);
    if (!(det > 0)) return false;
    hk_element_functions(element, rule->point[q], n, NULL);
    hk_element_place(2, element->nodes, n, x, at);
    const double w = rule->weight[q] * det * 2 * M_PI * at[0];
    for (int k = 0; k < element->nodes; k++) volume[k] += w * n[k] * (linear ? 1 : n[k]);
    all += w;
  }
  for (int k = 0; k < element->nodes; k++) sum += volume[k];
  for (int k = 0; k < element->nodes; k++) volume[k] *= all / sum;
  return true;
}
