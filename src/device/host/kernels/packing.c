/* Host variants of kernels/packing.k.h, one per precision; the file includes itself. */
#if defined(SELF)
#define packing_key JOIN(packing_key, PRECISION)
#define packing_nodes JOIN(packing_nodes, PRECISION)
#define packing_matrices JOIN(packing_matrices, PRECISION)
#define packing_corners JOIN(packing_corners, PRECISION)
#include "packing.k.h"

static void JOIN(matrices_run, PRECISION)(int group, void **v)
{
  packing_matrices(group, *(int **)v[0], *(int **)v[1], *(real **)v[2], *(real **)v[3],
                   *(real **)v[4], *(int *)v[5], *(int *)v[6], *(int *)v[7], *(int *)v[8],
                   *(int *)v[9], *(int *)v[10]);
}

static void JOIN(key_run, PRECISION)(int group, void **v)
{
  packing_key(group, *(int **)v[0], *(int **)v[1], *(int **)v[2], *(int *)v[3], *(int *)v[4],
              *(int *)v[5]);
}

static void JOIN(nodes_run, PRECISION)(int group, void **v)
{
  packing_nodes(group, *(int **)v[0], *(int **)v[1], *(int **)v[2], *(int **)v[3], *(int *)v[4],
                *(int *)v[5], *(int *)v[6], *(int *)v[7], *(int *)v[8], *(int *)v[9],
                *(int *)v[10]);
}

static void JOIN(corners_run, PRECISION)(int group, void **v)
{
  packing_corners(group, *(long **)v[0], *(int **)v[1], *(unsigned short **)v[2], *(int **)v[3],
                  *(int **)v[4], *(int **)v[5], *(int *)v[6], *(int *)v[7], *(int *)v[8]);
}
#undef packing_key
#undef packing_nodes
#undef packing_matrices
#undef packing_corners

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CHUNK 128
#define SELF "device/host/kernels/packing.c"
#include "device/host/for_reals.h"

#define LINES(p)                                                                                   \
  {"packing_key " #p " CHUNK=128", JOIN(key_run, p)},                                              \
      {"packing_nodes " #p " CHUNK=128", JOIN(nodes_run, p)},                                      \
      {"packing_matrices " #p " CHUNK=128", JOIN(matrices_run, p)},                                \
  {                                                                                                \
    "packing_corners " #p " CHUNK=128", JOIN(corners_run, p)                                       \
  }

const hk_host_kernel JOIN(hk_host_packing, HOST_ISA)[] = {LINES(f), LINES(d), {0}};
#endif
