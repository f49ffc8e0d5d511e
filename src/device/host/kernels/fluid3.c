/* Host variants of kernels/spectral.k.h for fluids of 3 dimensions. */
#define DIM 3
#define COMPONENTS 1
#define STATE 1
#define TABLE_NAME hk_host_fluid3
#include "device/host/kernels/spectral2.c"
