/* Host variants of kernels/spectral.k.h for fluids of 2 dimensions. */
#define DIM 2
#define COMPONENTS 1
#define STATE 1
#define TABLE_NAME hk_host_fluid2
#include "device/host/kernels/spectral2.c"
