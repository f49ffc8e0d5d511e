/* The table of shapes, and physical gradients.
 * list.h names the listed shapes; families of order p come from family.c. Gradients follow (E.1):
 * g_n = J^-T grad_xi N_n with J = sum_n x_n (grad_xi N_n)^T. The transformation is compiled for two
 * and for three dimensions. */
#include "element/basis.h"

#define ELEMENT(name) extern const hk_element hk_element_##name;
#include "element/list.h"
#undef ELEMENT

static const hk_element *const table[HK_SHAPE_COUNT] = {
#define ELEMENT(name) &hk_element_##name,
#include "element/list.h"
#undef ELEMENT
};

const hk_element *hk_element_of(hk_shape shape)
{
  return hk_shape_listed(shape) ? table[shape] : hk_family_of(shape);
}

bool hk_shape_listed(hk_shape shape)
{
  return (unsigned)shape < HK_SHAPE_COUNT;
}

/* NULL: there is no such shape. */
static const hk_element *known(hk_shape shape)
{
  if (hk_shape_listed(shape)) return table[shape];
  const hk_element *e =
      (unsigned)shape > HK_TRI_P && (unsigned)shape < HK_SHAPE_END ? hk_family_of(shape) : NULL;
  return e && e->nodes ? e : NULL;
}

const char *hk_shape_name(hk_shape shape)
{
  const hk_element *e = known(shape);
  return e ? e->name : "unknown";
}

int hk_shape_nodes(hk_shape shape)
{
  const hk_element *e = known(shape);
  return e ? e->nodes : 0;
}

int hk_shape_dim(hk_shape shape)
{
  const hk_element *e = known(shape);
  return e ? e->dim : 0;
}

int hk_shape_faces(hk_shape shape)
{
  const hk_element *e = known(shape);
  return e ? e->faces : 0;
}

const hk_rule *hk_element_rule(const hk_element *element, hk_integration integration)
{
  switch (integration) {
  case HK_INTEGRATION_REDUCED: return &element->reduced;
  case HK_INTEGRATION_MASS: return &element->mass;
  case HK_INTEGRATION_NODES: return &element->nodal;
  default: return &element->full;
  }
}

/* Inverse of j[dim][dim] times its determinant, which is returned. */
static double adjugate(int dim, const double j[3][3], double a[3][3])
{
  if (dim == 2) {
    a[0][0] = j[1][1], a[0][1] = -j[0][1], a[1][0] = -j[1][0], a[1][1] = j[0][0];
    return j[0][0] * j[1][1] - j[0][1] * j[1][0];
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      a[c][r] = j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1];
    }
  return j[0][0] * a[0][0] + j[0][1] * a[1][0] + j[0][2] * a[2][0];
}

/* The dimension is known to the compiler. */
static inline __attribute__((always_inline)) double find_slope(int dim, int nodes, const double *dn,
                                                               const double *x, const double *u,
                                                               double slope[3][3])
{
  double j[3][3] = {{0}}, v[3][3] = {{0}}, a[3][3];
  double both[3][6] = {{0}}; /* both[d]: of x, then of u, side by side for vector registers */
  for (int n = 0; n < nodes; n++) {
    double xu[6];
    for (int c = 0; c < dim; c++) xu[c] = x[n * dim + c], xu[dim + c] = u[n * dim + c];
    for (int d = 0; d < dim; d++)
      for (int c = 0; c < 2 * dim; c++) both[d][c] += xu[c] * dn[n * dim + d];
  }
  for (int c = 0; c < dim; c++)
    for (int d = 0; d < dim; d++) j[c][d] = both[d][c], v[c][d] = both[d][dim + c];
  const double det = adjugate(dim, j, a), scale = 1 / det;
  for (int i = 0; i < dim; i++)
    for (int c = 0; c < dim; c++) {
      double sum = 0;
      for (int d = 0; d < dim; d++) sum += v[i][d] * a[d][c];
      slope[i][c] = sum * scale;
    }
  return det;
}

double hk_element_slope(const hk_element *element, const double *dn, const double *x,
                        const double *u, double slope[3][3])
{
  return element->dim == 3 ? find_slope(3, element->nodes, dn, x, u, slope)
                           : find_slope(2, element->nodes, dn, x, u, slope);
}

/* g[nodes][dim] = J^-T dn, and the determinant; the dimension is known to the compiler. */
static inline __attribute__((always_inline)) double transform(int dim, int nodes, const double *dn,
                                                              const double *x, double *g)
{
  double j[3][3] = {{0}}, a[3][3];
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < dim; c++)
      for (int d = 0; d < dim; d++) j[c][d] += x[n * dim + c] * dn[n * dim + d];
  const double det = adjugate(dim, j, a), scale = 1 / det;
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < dim; c++) {
      double sum = 0;
      for (int d = 0; d < dim; d++) sum += dn[n * dim + d] * a[d][c];
      g[n * dim + c] = sum * scale;
    }
  return det;
}

double hk_element_transform(const hk_element *element, const double *dn, const double *x, double *g)
{
  return element->dim == 3 ? transform(3, element->nodes, dn, x, g)
                           : transform(2, element->nodes, dn, x, g);
}

double hk_element_physical(const hk_element *element, const double *xi, const double *x, double *g)
{
  double dn[HK_MOST_NODES * 3];
  hk_element_functions(element, xi, NULL, dn);
  return hk_element_transform(element, dn, x, g);
}
