/* Host variants of kernels/elements.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, DIFFERENCES), NODES), PRECISION)
#define elements_take JOIN(elements_take, NAME)
#define elements_times JOIN(elements_times, NAME)
#define elements_packed JOIN(elements_packed, NAME)
#define elements_own JOIN(elements_own, NAME)
#define elements_product JOIN(elements_product, NAME)
#define elements_diagonal JOIN(elements_diagonal, NAME)
#define elements_jacobi JOIN(elements_jacobi, NAME)
#include "elements.k.h"

static void JOIN(product_run, NAME)(int group, void **v)
{
  elements_product(group, *(int **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                   *(int *)v[4], *(int *)v[5], *(int *)v[6], *(int *)v[7], *(int *)v[8],
                   *(int *)v[9]);
}

static void JOIN(diagonal_run, NAME)(int group, void **v)
{
  elements_diagonal(group, *(real **)v[0], *(real **)v[1], *(int *)v[2], *(int *)v[3], *(int *)v[4],
                    *(int *)v[5], *(int *)v[6]);
}

static void JOIN(jacobi_run, NAME)(int group, void **v)
{
  elements_jacobi(group, *(int **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                  *(real **)v[4], *(real **)v[5], *(int *)v[6], *(int *)v[7], *(int *)v[8]);
}
#undef SIZE
#undef OFTEN
#undef elements_take
#undef elements_times
#undef elements_packed
#undef elements_own
#undef elements_product
#undef elements_diagonal
#undef elements_jacobi
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(JOIN(DIM, DIFFERENCES), NODES), PRECISION)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " DIFFERENCES=" TEXT_OF(DIFFERENCES) " DIM=" TEXT_OF(                     \
      DIM) " ELEMENTS=64 EXACT=" TEXT_OF(EXACT) " NODES=" TEXT_OF(NODES)
{"elements_product" KEY, JOIN(product_run, NAME)},
    {"elements_diagonal" KEY, JOIN(diagonal_run, NAME)},
    {"elements_jacobi" KEY, JOIN(jacobi_run, NAME)},
#undef NAME
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define ELEMENTS 64
#define SELF "device/host/kernels/elements.c"

#define VARIANT
#include "device/host/for_elements.h"
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_elements, HOST_ISA)[] = {
#include "device/host/for_elements.h"
    {0}};
#endif
