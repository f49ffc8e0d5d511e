/* Gauss-Lobatto-Legendre points, weights and derivatives (S.1), (S.2), Gauss-Lobatto-Jacobi ones (S.16), and Gauss
 * rules, computed at the first call.
 * Points are zeros of Legendre polynomials or of their derivatives, found by Newton's method in
 * long double from a cosine estimate and made exactly symmetric. Jacobi's are zeros of P^(1,2): each zero that is
 * found is divided out before the next is sought, and Gauss's rule gives the weights. Lagrange functions are evaluated as products over the points. */
#include "element/gll.h"
#include <math.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hk_gll lobatto[HK_MOST_ORDER + 1], jacobi[HK_MOST_ORDER + 1][2];
static hk_gauss gauss[HK_LINE_NODES + 1];

/* Legendre's polynomial of degree n at x, its first and second derivative (|x| < 1). */
static void legendre(int n, long double x, long double p[3])
{
  long double before = 1, now = x;
  for (int k = 2; k <= n; k++) {
    const long double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    before = now, now = next;
  }
  p[0] = n == 0 ? 1 : now;
  p[1] = n == 0 ? 0 : n * (before - x * now) / (1 - x * x);
  p[2] = (2 * x * p[1] - n * (n + 1) * p[0]) / (1 - x * x);
}

/* Zero of the derivative of that order (0, 1) of P_n by Newton's iteration. */
static long double find_zero(int n, int derivative, long double x)
{
  long double p[3];
  for (int i = 0; i < 50; i++) {
    legendre(n, x, p);
    const long double step = p[derivative] / p[derivative + 1];
    x -= step;
    if (fabsl(step) < 1e-18L) break;
  }
  return x;
}

static void make_gauss(int n, hk_gauss *g)
{
  g->points = n;
  for (int j = 0; j < n; j++) {
    const int mirror = n - 1 - j;
    long double p[3],
        x = find_zero(n, 0, -cosl(acosl(-1) * ((long double)j + 0.75L) / ((long double)n + 0.5L)));
    if (j == mirror) x = 0;
    legendre(n, x, p);
    if (j <= mirror) g->x[j] = (double)x, g->x[mirror] = -(double)x;
    g->w[j] = (double)(2 / ((1 - x * x) * p[1] * p[1]));
  }
}

static void make_lobatto(int n, hk_gll *g)
{
  long double x[HK_LINE_NODES], p[HK_LINE_NODES], all[3];
  g->order = n;
  for (int j = 0; j <= n; j++) {
    const int mirror = n - j;
    if (j > mirror) {
      x[j] = -x[mirror], p[j] = n % 2 ? -p[mirror] : p[mirror];
    } else if (j == 0) {
      x[j] = -1, p[j] = n % 2 ? -1 : 1;
    } else {
      x[j] = j == mirror ? 0 : find_zero(n, 1, -cosl(acosl(-1) * j / n));
      legendre(n, x[j], all);
      p[j] = all[0];
    }
  }
  for (int j = 0; j <= n; j++) {
    long double scale = 1;
    for (int m = 0; m <= n; m++)
      if (m != j) scale *= x[j] - x[m];
    g->x[j] = (double)x[j];
    g->w[j] = (double)(2 / (n * (n + 1) * p[j] * p[j]));
    g->scale[j] = (double)(1 / scale);
  }
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= n; j++)
      g->d[i * (n + 1) + j] = i != j   ? (double)(p[i] / (p[j] * (x[i] - x[j])))
                              : i == 0 ? -n * (n + 1) / 4.0
                              : i == n ? n * (n + 1) / 4.0
                                       : 0;
}

/* Jacobi's polynomial P^(1,2) of degree n at x, from its recurrence (Abramowitz and Stegun 22.7.1). */
static long double jacobi_value(int n, long double x)
{
  long double before = 1, now = (-1 + 5 * x) / 2;
  if (n == 0) return 1;
  for (int k = 2; k <= n; k++) {
    const long double s = 2 * k + 3;
    const long double next =
        ((s - 1) * (s * (s - 2) * x - 3) * now - 2.0L * k * (k + 1) * s * before) /
        (2.0L * k * (k + 3) * (s - 2));
    before = now, now = next;
  }
  return now;
}

/* The next zero above those found, by secants of P divided by (x - zero) of each. */
static long double next_zero(int n, int found, const long double *zero)
{
  long double x[2] = {1, 0.999L}, f[2];
  for (int i = 0; i < 100; i++) {
    for (int k = 0; k < 2; k++) {
      f[k] = jacobi_value(n, x[k]);
      for (int z = 0; z < found; z++) f[k] /= x[k] - zero[z];
    }
    if (f[0] == f[1]) break;
    const long double next = x[1] - f[1] * (x[1] - x[0]) / (f[1] - f[0]);
    x[0] = x[1], x[1] = next;
    if (fabsl(x[1] - x[0]) < 1e-18L) break;
  }
  return x[1];
}

/* w of the weight 1 + x by Gauss's rule, exact for it times l_j. */
static void weigh(hk_gll *g)
{
  const hk_gauss *rule = &gauss[g->order + 1];
  double l[HK_LINE_NODES];
  for (int q = 0; q < rule->points; q++) {
    hk_gll_functions(g, rule->x[q], l, NULL);
    for (int j = 0; j <= g->order; j++) g->w[j] += rule->w[q] * (1 + rule->x[q]) * l[j];
  }
}

static void mirror(const hk_gll *from, hk_gll *to)
{
  const int n = from->order;
  to->order = n;
  for (int j = 0; j <= n; j++) {
    to->x[j] = -from->x[n - j], to->w[j] = from->w[n - j];
    to->scale[j] = n % 2 ? -from->scale[n - j] : from->scale[n - j];
    for (int i = 0; i <= n; i++) to->d[i * (n + 1) + j] = -from->d[(n - i) * (n + 1) + n - j];
  }
}

/* Of a line whose first end is on the axis, and mirrored. */
static void make_jacobi(int n, hk_gll g[2])
{
  long double x[HK_LINE_NODES], zero[HK_LINE_NODES], scale[HK_LINE_NODES];
  x[0] = -1, x[n] = 1;
  for (int j = n - 1; j > 0; j--) zero[n - 1 - j] = x[j] = next_zero(n - 1, n - 1 - j, zero);
  for (int j = 0; j <= n; j++) {
    scale[j] = 1;
    for (int m = 0; m <= n; m++)
      if (m != j) scale[j] /= x[j] - x[m];
  }
  g->order = n;
  for (int i = 0; i <= n; i++) {
    long double own = 0;
    for (int j = 0; j <= n; j++)
      if (j != i) {
        own += 1 / (x[i] - x[j]);
        g->d[i * (n + 1) + j] = (double)(scale[j] / (scale[i] * (x[i] - x[j])));
      }
    g->x[i] = (double)x[i], g->scale[i] = (double)scale[i], g->d[i * (n + 2)] = (double)own;
  }
  weigh(g);
  mirror(g, g + 1);
}

static void make(void)
{
  for (int n = 1; n <= HK_LINE_NODES; n++) make_gauss(n, &gauss[n]);
  for (int n = 1; n <= HK_MOST_ORDER; n++) {
    make_lobatto(n, &lobatto[n]);
    make_jacobi(n, jacobi[n]);
  }
}

const hk_gll *hk_gll_of(int order)
{
  pthread_once(&once, make);
  return &lobatto[order];
}

const hk_gll *hk_line_of(int order, hk_line_axis axis)
{
  pthread_once(&once, make);
  return axis == HK_NO_AXIS ? &lobatto[order] : &jacobi[order][axis == HK_AXIS_LAST];
}

hk_line_axis hk_line_axis_of(const hk_gll *line)
{
  hk_line_axis axis = HK_NO_AXIS;
  while (axis < HK_AXIS_LAST && line != hk_line_of(line->order, axis)) axis++;
  return axis;
}

double hk_line_weight(const hk_gll *line, hk_line_axis axis, int j)
{
  const int end = axis == HK_AXIS_LAST ? line->order : 0;
  return axis == HK_NO_AXIS || j == end ? line->w[j] : line->w[j] / fabs(line->x[j] - line->x[end]);
}

const hk_gauss *hk_gauss_of(int points)
{
  pthread_once(&once, make);
  return &gauss[points];
}

/* l_j = scale_j prod_{m < j} (x - x_m) prod_{m > j} (x - x_m): products from both ends, with their derivatives */
void hk_gll_functions(const hk_gll *g, double x, double *l, double *dl)
{
  double left = 1, dleft = 0, right[HK_LINE_NODES + 1], dright[HK_LINE_NODES + 1];
  const int n = g->order;
  right[n] = 1, dright[n] = 0;
  for (int j = n; j > 0; j--) {
    right[j - 1] = right[j] * (x - g->x[j]);
    dright[j - 1] = dright[j] * (x - g->x[j]) + right[j];
  }
  for (int j = 0; j <= n; j++) {
    if (l) l[j] = x == g->x[j] ? 1 : g->scale[j] * left * right[j];
    if (dl) dl[j] = g->scale[j] * (dleft * right[j] + left * dright[j]);
    dleft = dleft * (x - g->x[j]) + left;
    left *= x - g->x[j];
  }
}
