/* Includes SELF for each kind of element matrix that the host was built with, with DIM, DIFFERENCES, EXACT and NODES defined, once per
 * precision: linear simplices of one component by themselves, all others by the most nodes that they have. */
#define DIFFERENCES 1
#define EXACT 1
#define DIM 1
#define NODES 3
#include "device/host/for_reals.h"
#undef NODES
#define NODES 4
#include "device/host/for_reals.h"
#undef NODES
#undef DIM
#undef EXACT
#define EXACT 0
#define NODES 27
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef DIFFERENCES
#define DIFFERENCES 0
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef DIFFERENCES
#undef NODES
#undef EXACT
