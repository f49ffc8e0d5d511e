/* Temperatures at which laws are taken that depend on them. */
#ifndef HK_PHYSICS_WARMTH_H
#define HK_PHYSICS_WARMTH_H
#include "base/base.h"

typedef struct hk_warmth {
  const double *t; /* [dofs] in internal order, of one element [nodes]; borrowed */
} hk_warmth;
#endif
