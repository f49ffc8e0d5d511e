/* The velocity v of a material that moves through the body and carries heat: rho c v . grad T in (A.12). It makes K unsymmetric. */
#pragma once
#include "base/formula.h"

/* Streamline stabilisation (A.31): where the element Peclet number is above 1, everywhere, nowhere. */
typedef enum hk_stabilisation {
  HK_STABILISATION_AUTO,
  HK_STABILISATION_SUPG,
  HK_STABILISATION_NONE
} hk_stabilisation;
#define HK_STABILISATION_WORDS HK_AUTO, "supg", "none"

typedef struct hk_advection {
  bool flows; /* v was given */
  double velocity[3];
  const hk_formula *by[3]; /* v at each point, instead of velocity[]; borrowed; or NULL */
  hk_stabilisation stabilisation;
} hk_advection;
