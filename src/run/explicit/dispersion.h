/* The error of phase of the time integrator: whether it is taken out of signals and traces, and how large it is. */
#ifndef HK_RUN_EXPLICIT_DISPERSION_H
#define HK_RUN_EXPLICIT_DISPERSION_H
#include "load/dispersion.h"
#include "run/explicit/stage.h"

/* Sets stage->kept: why time dispersion stays; NULL: it is removed. Needs dt and steps; a hindrance is told. Used by hk_stage_create. */
void hk_dispersion_decide(const hk_problem *problem, hk_stage *stage);

/* By how much waves of a frequency lead after `time`, rad. Central differences:  omega t (asin(x) / x - 1), x = omega dt / 2,  that
 * is (omega dt)^2 / 24 omega t and smaller terms (D.2). */
double hk_dispersion_phase(const hk_integrator *integrator, double frequency, double dt,
                           double time);

typedef struct hk_dispersion {
  const char *kept;
  double frequency, path,
      time; /* highest frequency; longest path from a source to a receiver, < 0: none; its time, or the run's */
  double computed, left; /* rad, as computed and in the traces that are written */
} hk_dispersion;
/* slowest: wave speed; 0: unknown. Warns where the error is kept on demand and above 1 %. */
void hk_dispersion_foretell(const hk_problem *problem, const char *kept, double frequency,
                            double slowest, double dt, double end, hk_messages *list,
                            hk_dispersion *out);
#endif
