/* Time integrators: schemes of two steps for M a + C v + K u = F(t), in the increments w_n = u_n - u_n-1,
 *
 *   w_n+1 = A w_n + B (F_n - K~ u_n),  u_n+1 = u_n + w_n+1        (W.5)
 *
 * with A and B of operator/epilogue.k.h. K~ is K in central differences; another integrator has another K~, symmetric and made of K and M.
 * Forces, terms, motions and receivers are the same for all. An integrator is a file and its place in the list below. */
#pragma once
#include "solver/explicit/explicit.h"

struct hk_integrator {
  const char *name;
  hk_form form[2]; /* of its state: in single precision; in double, and in single with positions */
  double limit;    /* stable where dt < limit / w for the largest w of K v = w^2 M v */
  bool parts;      /* steps one part of a model: it reads no ghosts but those of u_n (link.h) */
  bool filtered;   /* load/dispersion.h removes its error of phase */
  /* The frequency of a mode without damping as computed, over its own frequency w; x = w dt. INFINITY: above the limit. */
  double (*frequency)(double x);
  /* w_0 = u_0 - u_-1 of a degree of freedom before the first step. bf: B (K~ u_0 - F_0); a: A. */
  double (*first)(double dt, double v0, double bf, double a);
  /* Fills solver->scheme.data, which is freed behind destroy; NULL: there is none. */
  hk_status (*create)(hk_explicit *solver);
  /* out = K~ u of so many shots: of the first step, and of the strain energy 1/2 u_n^T K~ u_n+1 (W.14). */
  hk_status (*multiply)(const hk_explicit *solver, int shots, hk_buffer *u, hk_buffer *out);
  /* Launches those phases of the step from x[from] to x[1 - from]; forces and terms follow. It is recorded once and played again: kernels
   * alone, no copies. */
  hk_status (*step)(const hk_explicit *solver, int from, unsigned phases);
  /* Frees what create put into data, also after create failed midway; NULL: there is nothing to free. */
  void (*destroy)(hk_explicit *solver);
};

extern const hk_integrator hk_integrator_central;
/* Every integrator; the first one is taken where none is given. */
#define HK_INTEGRATOR_LIST &hk_integrator_central
const hk_integrator *hk_integrator_first(void);
