/* Cubic splines through equidistant samples (W.31). With c_k the coefficients of B-splines, (c_k-1 + 4 c_k + c_k+1) / 6 = y_k at each sample, and
 * c_k-1 - 2 c_k + c_k+1 = step^2 y'' there. The second derivatives at the ends come from four samples, so that the error is of fourth order up to the
 * ends; both conditions then give c of the end samples themselves, and the others follow from a tridiagonal system. */
#include "load/wave/recorded.h"

/* step^2 y'' at y[0], with samples `next` apart */
static double bend(const double *y, int next)
{
  return 2 * y[0] - 5 * y[next] + 4 * y[2 * next] - y[3 * next];
}

void hk_spline_fit(hk_count samples, const double *y, double *room, double *out)
{
  const hk_count last = samples - 1;
  double *c = out + 1; /* c[-1 .. samples] */
  c[0] = y[0] - bend(y, 1) / 6, c[last] = y[last] - bend(y + last, -1) / 6;
  room[0] = 0;
  for (hk_count k = 1; k < last;
       k++) { /* c[k] + room[k] c[k + 1] = right-hand side, kept in c[k] */
    room[k] = 1 / (4 - room[k - 1]);
    c[k] = (6 * y[k] - c[k - 1]) * room[k];
  }
  for (hk_count k = last - 1; k > 0; k--) c[k] -= room[k] * c[k + 1];
  c[-1] = 6 * y[0] - 4 * c[0] - c[1];
  c[samples] = 6 * y[last] - 4 * c[last] - c[last - 1];
}

void hk_spline_integrate(hk_count samples, double scale, const double *c, double *y)
{
  y[0] = 0;
  for (hk_count k = 1; k < samples; k++, c++)
    y[k] = y[k - 1] + scale * (c[0] + 11 * c[1] + 11 * c[2] + c[3]) / 24;
}

hk_signal hk_spline_signal(const hk_recorded *r, double *c)
{
  return (hk_signal){.kind = HK_SIGNAL_SPLINE,
                     .t0 = r->begin,
                     .period = r->step,
                     .count = r->samples + 2,
                     .value = c,
                     .scale = 1};
}
