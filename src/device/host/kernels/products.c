/* Host variants of kernels/products.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(EQUATIONS, DIRECTIONS), JOIN(JOIN(ELASTIC, POINTWISE), PRECISION))
#define products_left JOIN(products_left, NAME)
#define products_right JOIN(products_right, NAME)
#define products_sum JOIN(products_sum, NAME)
#define products_block JOIN(products_block, NAME)
#define products_put JOIN(products_put, NAME)
#define products_terms JOIN(products_terms, NAME)
#define products_jacobians JOIN(products_jacobians, NAME)
#define products_write JOIN(products_write, NAME)
#define products_elements JOIN(products_elements, NAME)
#include "device/host/points.h"
#include "products.k.h"

static void JOIN(terms_run, NAME)(int group, void **v)
{
  products_terms(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                 *(int **)v[4], *(int *)v[5], *(int *)v[6], *(int *)v[7], *(int *)v[8]);
}

static void JOIN(products_run, NAME)(int group, void **v)
{
  products_elements(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                    *(real **)v[4], *(real **)v[5], *(real **)v[6], *(int **)v[7], *(int *)v[8],
                    *(int *)v[9], *(int *)v[10], *(int *)v[11], *(int *)v[12], *(int *)v[13],
                    *(int *)v[14], *(int *)v[15], *(int *)v[16], *(int *)v[17]);
}
#include "device/host/points_end.h"
#undef TERMS
#undef REACH
#undef ACROSS
#undef ITEMS
#undef SUMS
#undef LEFT
#undef LEFT_LINE
#undef LEFTS
#undef GRADIENTS
#undef LINE_LENGTH
#undef ROWS
#undef POOL
#undef products_left
#undef products_right
#undef products_sum
#undef products_block
#undef products_put
#undef products_terms
#undef products_jacobians
#undef products_write
#undef products_elements
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(EQUATIONS, DIRECTIONS), JOIN(JOIN(ELASTIC, POINTWISE), PRECISION))
#define KEY_POINTS " BATCH=" TEXT_OF(CHUNK) " CHUNK=" TEXT_OF(CHUNK) " CORNERS=1"
#define KEY_KIND " DIRECTIONS=" TEXT_OF(DIRECTIONS) " ELASTIC=" TEXT_OF(ELASTIC)
#define KEY_SIZE " ELEMENTS=1 EQUATIONS=" TEXT_OF(EQUATIONS)
#define KEY_TILE " JACOBIAN=0 POINTWISE=" TEXT_OF(POINTWISE) " SPAN=32 TILE=1"
#define KEY " " TEXT_OF(PRECISION) KEY_POINTS KEY_KIND KEY_SIZE KEY_TILE
{"products_elements" KEY, JOIN(products_run, NAME)}, {"products_terms" KEY, JOIN(terms_run, NAME)},
#undef KEY
#undef KEY_POINTS
#undef KEY_KIND
#undef KEY_SIZE
#undef KEY_TILE
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CORNERS 1
#define ELEMENTS 1
#define JACOBIAN 0
#define SPAN 32
#define TILE 1
#define SELF "device/host/kernels/products.c"

#define VARIANT
#define POINTWISE 0
#define CHUNK 16
#define BATCH 16
#include "device/host/for_integrals.h"
#undef POINTWISE
#undef CHUNK
#undef BATCH
#define POINTWISE 1
#define CHUNK 8
#define BATCH 8
#include "device/host/for_integrals.h"
#undef POINTWISE
#undef CHUNK
#undef BATCH
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_products, HOST_ISA)[] = {
#define POINTWISE 0
#define CHUNK 16
#include "device/host/for_integrals.h"
#undef POINTWISE
#undef CHUNK
#define POINTWISE 1
#define CHUNK 8
#include "device/host/for_integrals.h"
#undef POINTWISE
#undef CHUNK
    {0}};
#endif
