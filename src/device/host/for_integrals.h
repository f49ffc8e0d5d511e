/* Includes SELF once per precision and kind of coefficients (kernels/points.k.h), with real, PRECISION, EQUATIONS, DIRECTIONS and ELASTIC
 * defined: isotropic elasticity; derivatives alone of one and three equations; all terms of one to five. */
#define ELASTIC 1
#define EQUATIONS 3
#define DIRECTIONS 3
#include "device/host/for_reals.h"
#undef ELASTIC
#define ELASTIC 0
#include "device/host/for_reals.h"
#undef EQUATIONS
#define EQUATIONS 1
#include "device/host/for_reals.h"
#undef DIRECTIONS
#define DIRECTIONS 4
#include "device/host/for_reals.h"
#undef EQUATIONS
#define EQUATIONS 2
#include "device/host/for_reals.h"
#undef EQUATIONS
#define EQUATIONS 3
#include "device/host/for_reals.h"
#undef EQUATIONS
#define EQUATIONS 4
#include "device/host/for_reals.h"
#undef EQUATIONS
#define EQUATIONS 5
#include "device/host/for_reals.h"
#undef EQUATIONS
#undef DIRECTIONS
#undef ELASTIC
