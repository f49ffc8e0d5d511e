/* Temperatures at which laws are taken that depend on them. */
#pragma once
#include "base/base.h"

typedef struct hk_warmth {
  /* [dofs] in internal order, of one element [nodes]: T at t0 + theta dt; borrowed */
  const double *t;
  const double *before; /* T0 of a transient step, alike; NULL: steady */
  double theta;         /* of it: T1 = T0 + (T - T0) / theta */
  /* laws that depend on t are integrated on the host, as matrices may be wanted with the tangent: K is not symmetric */
  bool newton;
  /* capacities are dH/dT at T1 instead of the chord (A.26): symmetric, of all forms and devices */
  bool slope;
  bool tangent; /* it is: d(K T + M (T - T0)) / dT in place of K and M (A.25) */
} hk_warmth;
