/* Shape functions and their derivatives that several shapes share; basis.h gives the formulas.
 * Simplices use barycentric coordinates, tensor products the Lagrange functions of a line,
 * serendipity shapes the products with (1 + r xi) / 2 and 1 - xi^2, and wedges a triangle times a
 * line. */
#include "element/basis.h"

/* a function and its derivative */
typedef struct value {
  double f, df;
} value;

/* Node of the triangle below node n of a wedge. */
static const int wedge_triangle[18] = {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 0, 1, 2, 3, 4, 5};

/* Function of the line's node at r (-1, 0, 1). */
static value line(int order, double r, double x)
{
  if (order == 1) return (value){(1 + r * x) / 2, r / 2};
  if (r == 0) return (value){1 - x * x, -2 * x};
  return (value){x * (x + r) / 2, x + r / 2};
}

static void simplex(int dim, int order, const double *xi, double *n, double *dn)
{
  static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  double l[4] = {1}, dl[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int vertices = dim + 1, nodes = order == 1 ? vertices : vertices * (vertices + 1) / 2;

  for (int d = 0; d < dim; d++) l[0] -= xi[d], l[d + 1] = xi[d];
  for (int i = 0; i < nodes; i++) {
    const bool vertex = i < vertices;
    const int a = vertex ? i : edge[i - vertices][0], b = vertex ? i : edge[i - vertices][1];
    if (n) n[i] = order == 1 ? l[i] : vertex ? l[i] * (2 * l[i] - 1) : 4 * l[a] * l[b];
    for (int d = 0; dn && d < dim; d++)
      dn[i * dim + d] = order == 1 ? dl[i][d]
                        : vertex   ? (4 * l[i] - 1) * dl[i][d]
                                   : 4 * (l[a] * dl[b][d] + l[b] * dl[a][d]);
  }
}

void hk_basis_simplex(const hk_element *e, const double *xi, double *n, double *dn)
{
  simplex(e->dim, e->order, xi, n, dn);
}

/* n[0] = prod_d v_d and its derivatives dn[dim]. */
static void product(int dim, const value *v, double *n, double *dn)
{
  *n = 1;
  for (int d = 0; d < dim; d++) *n *= v[d].f;
  for (int d = 0; d < dim; d++) {
    dn[d] = v[d].df;
    for (int k = 0; k < dim; k++)
      if (k != d) dn[d] *= v[k].f;
  }
}

/* Hands the value f and the derivatives df of node i to the caller's arrays. */
static void put(int dim, int i, double f, const double *df, double *n, double *dn)
{
  if (n) n[i] = f;
  for (int d = 0; dn && d < dim; d++) dn[i * dim + d] = df[d];
}

void hk_basis_tensor(const hk_element *e, const double *xi, double *n, double *dn)
{
  for (int i = 0; i < e->nodes; i++) {
    value v[3];
    double f, df[3];
    for (int d = 0; d < e->dim; d++) v[d] = line(e->order, e->reference[i][d], xi[d]);
    product(e->dim, v, &f, df);
    put(e->dim, i, f, df, n, dn);
  }
}

void hk_basis_serendipity(const hk_element *e, const double *xi, double *n, double *dn)
{
  const int dim = e->dim;
  for (int i = 0; i < e->nodes; i++) {
    const double *r = e->reference[i];
    value v[3];
    double f, df[3], sum = 1 - dim;
    bool vertex = true;
    for (int d = 0; d < dim; d++) {
      v[d] = line(r[d] == 0 ? 2 : 1, r[d], xi[d]);
      sum += r[d] * xi[d];
      if (r[d] == 0) vertex = false;
    }
    product(dim, v, &f, df);
    for (int d = 0; vertex && d < dim; d++) df[d] = df[d] * sum + f * r[d];
    put(dim, i, vertex ? f * sum : f, df, n, dn);
  }
}

void hk_basis_wedge(const hk_element *e, const double *xi, double *n, double *dn)
{
  double t[6], dt[6][2];
  simplex(2, e->order, xi, t, dt[0]);
  for (int i = 0; i < e->nodes; i++) {
    const int k = wedge_triangle[i];
    const value z = line(e->order, e->reference[i][2], xi[2]);
    put(3, i, t[k] * z.f, (double[]){dt[k][0] * z.f, dt[k][1] * z.f, t[k] * z.df}, n, dn);
  }
}

void hk_basis_wedge15(const hk_element *e, const double *xi, double *n, double *dn)
{
  double t[6], dt[6][2], l[3], dl[3][2];
  const value middle = line(2, 0, xi[2]);
  simplex(2, 2, xi, t, dt[0]);
  simplex(2, 1, xi, l, dl[0]);
  for (int i = 0; i < 15; i++) {
    const int k = wedge_triangle[i];
    const value z = line(1, e->reference[i][2], xi[2]);
    /* part of the vertical edge's function L (1 - z^2): all of it, or subtracted at its ends */
    const double part = i >= 12 ? 1 : i < 6 ? -0.5 : 0;
    double f = 0, df[3] = {0};
    if (i < 12) f = t[k] * z.f, df[0] = dt[k][0] * z.f, df[1] = dt[k][1] * z.f, df[2] = t[k] * z.df;
    if (part != 0) {
      f += part * l[k] * middle.f;
      df[0] += part * dl[k][0] * middle.f;
      df[1] += part * dl[k][1] * middle.f;
      df[2] += part * l[k] * middle.df;
    }
    put(3, i, f, df, n, dn);
  }
}
