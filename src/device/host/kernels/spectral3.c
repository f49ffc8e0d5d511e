/* Host variants of kernels/spectral.k.h for solids. */
#define DIM 3
#define TABLE_NAME hk_host_spectral3
#include "device/host/kernels/spectral2.c"
