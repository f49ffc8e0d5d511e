/* Gauss-Lobatto-Legendre points, weights and derivatives (S.1), (S.2), and Gauss rules, computed at
 * the first call.
 * Points are zeros of Legendre polynomials or of their derivatives, found by Newton's method in
 * long double from a cosine estimate and made exactly symmetric. Lagrange functions are evaluated
 * as products over the points. */
#include "element/gll.h"
#include <math.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hk_gll lobatto[HK_MOST_ORDER + 1];
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

static void make(void)
{
  for (int n = 1; n <= HK_LINE_NODES; n++) make_gauss(n, &gauss[n]);
  for (int n = 1; n <= HK_MOST_ORDER; n++) make_lobatto(n, &lobatto[n]);
}

const hk_gll *hk_gll_of(int order)
{
  pthread_once(&once, make);
  return &lobatto[order];
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
