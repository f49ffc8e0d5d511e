/* A wave recorded at points over time, from a file: the incident wave of an injection that no formula gives. Between its equidistant samples it is
 * a cubic spline,
 *
 *   u(t) = sum over k  c[k] B((t - begin) / step - k + 1)   (W.31)
 *
 * B the cubic B-spline with support (-2, 2). At `m` samples a period the error is (2 pi / m)^4 / 384 of the amplitude: 4e-4 at 10, 2.5e-5 at 20. */
#pragma once
#include "load/signal.h"

enum { HK_RECORDED_LEAST = 4 }; /* samples */

typedef struct hk_recorded { /* arrays are the model's */
  const char *path;          /* of its file, for messages */
  hk_count points, samples;
  int dim, components; /* of the unknowns: displacements, or one, u_z or the potential of fluids */
  bool fluid;
  bool ring; /* recorded in a half-plane about the vertical axis through `axis`: x is the radius */
  double axis[2];
  double begin, step, end; /* times of the first sample, between samples, up to which it is known */
  double *x;               /* x[points][dim] */
  double *c;               /* c[points][components][samples + 2] */
} hk_recorded;

/* c[samples + 2] of values y[samples]; c and y may not overlap. room[samples]. Second derivatives at both ends are those of four samples. */
void hk_spline_fit(hk_count samples, const double *y, double *room, double *c);
/* y[samples] = scale times the integral of the spline from its first sample on. */
void hk_spline_integrate(hk_count samples, double scale, const double *c, double *y);
/* The signal of coefficients c[samples + 2], which it borrows. */
hk_signal hk_spline_signal(const hk_recorded *recorded, double *c);
