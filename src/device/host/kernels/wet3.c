/* Host variants of kernels/spectral.k.h for fluids of 3 dimensions beside solids. */
#define DIM 3
#define COMPONENTS 1
#define STATE 3
#define TABLE_NAME hk_host_wet3
#include "device/host/kernels/spectral2.c"
