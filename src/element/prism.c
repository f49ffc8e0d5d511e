/* Shape functions of prisms of order p: T_t(xi_0, xi_1) L_k(xi_2) (I.2).
 * The nodal basis of the triangle is computed from the modal one psi_ij(x, y) = H_i(2 x + y - 1, 1
 * - y) H_j(2 y - 1, 1), i + j <= p, with the homogeneous Legendre polynomials H_i(s, t) = t^i P_i(s
 * / t) (I.3), by inverting its matrix at the nodes. The nodes are warp-and-blend points (Warburton
 * 2006), L_k those of the line (gll.h). */
#include "element/prism.h"
#include "element/gll.h"
#include <math.h>
#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hk_prism prisms[HK_PRISM_ORDERS];

/* Of degrees 0..n: values and derivatives to s and t. */
typedef struct family {
  double f[HK_PRISM_LINE], fs[HK_PRISM_LINE], ft[HK_PRISM_LINE];
} family;

static void homogeneous(int n, double s, double t, family *h)
{
  *h = (family){.f = {1, s}, .fs = {0, 1}};
  for (int i = 1; i < n; i++) {
    const double a = (2.0 * i + 1) / (i + 1), b = (double)i / (i + 1);
    h->f[i + 1] = a * s * h->f[i] - b * t * t * h->f[i - 1];
    h->fs[i + 1] = a * (h->f[i] + s * h->fs[i]) - b * t * t * h->fs[i - 1];
    h->ft[i + 1] = a * s * h->ft[i] - b * (2 * t * h->f[i - 1] + t * t * h->ft[i - 1]);
  }
}

/* psi[modes] and dpsi[modes][2]. */
static void modes(int p, const double *xi, double *psi, double (*dpsi)[2])
{
  family h, v;
  int a = 0;
  homogeneous(p, 2 * xi[0] + xi[1] - 1, 1 - xi[1], &h);
  homogeneous(p, 2 * xi[1] - 1, 1, &v);
  for (int i = 0; i <= p; i++)
    for (int j = 0; i + j <= p; j++, a++) {
      psi[a] = h.f[i] * v.f[j];
      dpsi[a][0] = 2 * h.fs[i] * v.f[j];
      dpsi[a][1] = (h.fs[i] - h.ft[i]) * v.f[j] + 2 * h.f[i] * v.fs[j];
    }
}

/* How far equidistant nodes move at r to become Lobatto's, over 1 - r^2. */
static double warp(int p, const double *line, double r)
{
  double sum = 0;
  if (fabs(r) > 1 - 1e-10) return 0;
  for (int i = 1; i < p; i++) {
    double l = line[i] - (2.0 * i / p - 1);
    for (int j = 0; j <= p; j++)
      if (j != i) l *= (r - (2.0 * j / p - 1)) * p / (2.0 * (i - j));
    sum += l;
  }
  return sum / (1 - r * r);
}

/* Warburton's node of the lattice point i[0] + i[1] + i[2] = p. */
static void put_node(hk_prism *prism, int t, const int *i)
{
  static const double alpha[HK_PRISM_ORDERS] = {0, 0, 1.4152, 0.1001, 0.2751, 0.9800, 1.0999};
  const int p = prism->order;
  double at[3], l[3];
  for (int c = 0; c < 3; c++) at[c] = l[c] = (double)i[c] / p;
  for (int c = 0; c < 3; c++) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    const double lift = alpha[p - 1] * l[c];
    const double move = 2 * l[a] * l[b] * warp(p, prism->line, l[b] - l[a]) * (1 + lift * lift);
    at[a] -= move, at[b] += move;
  }
  prism->triangle[t][0] = at[1], prism->triangle[t][1] = at[2];
}

static void put_nodes(hk_prism *prism)
{
  const int p = prism->order;
  int t = 3;
  for (int v = 0; v < 3; v++) {
    int i[3] = {0};
    i[v] = p;
    put_node(prism, v, i);
  }
  for (int v = 0; v < 3; v++)
    for (int k = 1; k < p; k++, t++) {
      int i[3] = {0};
      i[v] = p - k, i[(v + 1) % 3] = k;
      put_node(prism, t, i);
    }
  for (int i2 = 1; i2 < p; i2++)
    for (int i1 = 1; i1 + i2 < p; i1++, t++) put_node(prism, t, (const int[]){p - i1 - i2, i1, i2});
  for (int n = 0; n < prism->nodes; n++) {
    memcpy(prism->reference[n], prism->triangle[n % t], sizeof *prism->triangle);
    prism->reference[n][2] = prism->line[n / t];
  }
}

/* modal = the inverse of psi_a(node t), by Gauss's and Jordan's elimination with pivots. */
static void invert(hk_prism *prism)
{
  const int size = prism->triangle_nodes;
  long double m[HK_PRISM_TRIANGLE][2 * HK_PRISM_TRIANGLE] = {0};
  for (int t = 0; t < size; t++) {
    double psi[HK_PRISM_TRIANGLE], dpsi[HK_PRISM_TRIANGLE][2];
    modes(prism->order, prism->triangle[t], psi, dpsi);
    for (int a = 0; a < size; a++) m[t][a] = psi[a];
    m[t][size + t] = 1;
  }
  for (int a = 0; a < size; a++) {
    int pivot = a;
    for (int r = a; r < size; r++)
      if (fabsl(m[r][a]) > fabsl(m[pivot][a])) pivot = r;
    for (int c = 0; c < 2 * size; c++) {
      const long double kept = m[a][c];
      m[a][c] = m[pivot][c], m[pivot][c] = kept;
    }
    for (int c = 2 * size - 1; c >= a; c--) m[a][c] /= m[a][a];
    for (int r = 0; r < size; r++)
      for (int c = 2 * size - 1; r != a && c >= a; c--) m[r][c] -= m[r][a] * m[a][c];
  }
  for (int t = 0; t < size; t++)
    for (int a = 0; a < size; a++) prism->modal[t][a] = (double)m[a][size + t];
}

static void fill_all(void)
{
  for (int p = 1; p <= HK_PRISM_ORDERS; p++) {
    hk_prism *prism = &prisms[p - 1];
    prism->order = p, prism->line = hk_gll_of(p)->x, prism->triangle_nodes = (p + 1) * (p + 2) / 2;
    prism->nodes = (p + 1) * prism->triangle_nodes;
    put_nodes(prism);
    invert(prism);
  }
}

const hk_prism *hk_prism_of(int order)
{
  pthread_once(&once, fill_all);
  return &prisms[order - 1];
}

void hk_prism_triangle(const hk_prism *prism, const double *xi, double *t, double *dt)
{
  double psi[HK_PRISM_TRIANGLE], dpsi[HK_PRISM_TRIANGLE][2];
  modes(prism->order, xi, psi, dpsi);
  for (int i = 0; i < prism->triangle_nodes; i++) {
    double f = 0, d[2] = {0};
    for (int a = 0; a < prism->triangle_nodes; a++) {
      f += prism->modal[i][a] * psi[a];
      d[0] += prism->modal[i][a] * dpsi[a][0], d[1] += prism->modal[i][a] * dpsi[a][1];
    }
    t[i] = f;
    if (dt) dt[i * 2] = d[0], dt[i * 2 + 1] = d[1];
  }
}

void hk_prism_shape(const hk_prism *prism, const double *xi, double *n, double *dn)
{
  double t[HK_PRISM_TRIANGLE], dt[HK_PRISM_TRIANGLE][2], l[HK_PRISM_LINE], dl[HK_PRISM_LINE];
  hk_prism_triangle(prism, xi, t, dt[0]);
  hk_gll_functions(hk_gll_of(prism->order), xi[2], l, dl);
  for (int i = 0; i < prism->nodes; i++) {
    const int a = i % prism->triangle_nodes, k = i / prism->triangle_nodes;
    if (n) n[i] = t[a] * l[k];
    if (!dn) continue;
    dn[i * 3] = dt[a][0] * l[k], dn[i * 3 + 1] = dt[a][1] * l[k], dn[i * 3 + 2] = t[a] * dl[k];
  }
}
