/* Host variants of kernels/spectral.k.h for fluids of 2 dimensions beside solids. */
#define DIM 2
#define COMPONENTS 1
#define STATE 2
#define TABLE_NAME hk_host_wet2
#include "device/host/kernels/spectral2.c"
