/* Includes SELF once per precision and epilogue (kernels/epilogue.k.h), with real, PRECISION, FORM and DAMPED defined. */
#define FORM 0
#define DAMPED 0
#include "device/host/for_reals.h"
#undef FORM
#define FORM 1
#include "device/host/for_reals.h"
#undef FORM
#define FORM 2
#include "device/host/for_reals.h"
#undef DAMPED
#define DAMPED 1
#include "device/host/for_reals.h"
#undef FORM
#define FORM 1
#include "device/host/for_reals.h"
#undef FORM
#undef DAMPED
