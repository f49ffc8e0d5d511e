/* Includes SELF for each size of blocks that a level of a preconditioner has, with BLOCK (rows) and COLUMNS defined, once per
 * precision. */
#define BLOCK 1
#define COLUMNS 1
#include "device/host/for_reals.h"
#undef COLUMNS
#undef BLOCK
#define BLOCK 2
#define COLUMNS 2
#include "device/host/for_reals.h"
#undef COLUMNS
#define COLUMNS 3
#include "device/host/for_reals.h"
#undef COLUMNS
#undef BLOCK
#define BLOCK 3
#define COLUMNS 2
#include "device/host/for_reals.h"
#undef COLUMNS
#define COLUMNS 3
#include "device/host/for_reals.h"
#undef COLUMNS
#define COLUMNS 6
#include "device/host/for_reals.h"
#undef COLUMNS
#undef BLOCK
#define BLOCK 6
#define COLUMNS 3
#include "device/host/for_reals.h"
#undef COLUMNS
#define COLUMNS 6
#include "device/host/for_reals.h"
#undef COLUMNS
#undef BLOCK
