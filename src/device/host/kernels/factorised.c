/* Host variants of kernels/factorised.k.h. The file includes itself: pass VARIANT defines one variant, pass ROW its table line. */
#if EQUATIONS > 3 /* arrays lie on the thread's stack */
#define TILE 2
#define PAIRS 4
#elif EQUATIONS > 0
#define TILE 4
#define PAIRS 16
#endif
#if defined(VARIANT)
#define NAME JOIN(JOIN(EQUATIONS, DIRECTIONS), JOIN(ELASTIC, PRECISION))
#define factorised_terms JOIN(factorised_terms, NAME)
#define factorised_gradients JOIN(factorised_gradients, NAME)
#define factorised_sum JOIN(factorised_sum, NAME)
#define factorised_law JOIN(factorised_law, NAME)
#define factorised_line JOIN(factorised_line, NAME)
#define factorised_pair JOIN(factorised_pair, NAME)
#define factorised_write JOIN(factorised_write, NAME)
#define factorised_begin JOIN(factorised_begin, NAME)
#define factorised_find JOIN(factorised_find, NAME)
#define factorised_laws JOIN(factorised_laws, NAME)
#define factorised_layers JOIN(factorised_layers, NAME)
#define factorised_put JOIN(factorised_put, NAME)
#define factorised_ask JOIN(factorised_ask, NAME)
#define factorised_expect JOIN(factorised_expect, NAME)
#define factorised_elements JOIN(factorised_elements, NAME)
#include "device/host/points.h"
#include "factorised.k.h"

static void JOIN(terms_run, NAME)(int group, void **v)
{
  factorised_terms(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                   *(int **)v[4], *(int *)v[5], *(int *)v[6], *(int *)v[7], *(int *)v[8]);
}

static void JOIN(factorised_run, NAME)(int group, void **v)
{
  factorised_elements(group, *(real **)v[0], *(real **)v[1], *(int **)v[2], *(real **)v[3],
                      *(real **)v[4], *(real **)v[5], *(int *)v[6], *(int *)v[7], *(int *)v[8],
                      *(int *)v[9], *(int *)v[10], *(int *)v[11], *(int *)v[12], *(int *)v[13],
                      *(int *)v[14]);
}
#include "device/host/points_end.h"
#undef TERMS
#undef NEAR
#undef LINE
#undef TABLE_LENGTH
#undef HALF
#undef CROSS
#undef SIDE
#undef NEXT
#undef APART
#undef BLEND
#undef SUM_ITEMS
#undef CONSTANTS
#undef BAND
#undef ACROSS
#undef LENGTH
#undef GRADIENTS
#undef STAGED_REALS
#undef POOL
#undef factorised_terms
#undef factorised_gradients
#undef factorised_sum
#undef factorised_law
#undef factorised_line
#undef factorised_pair
#undef factorised_write
#undef factorised_begin
#undef factorised_find
#undef factorised_laws
#undef factorised_layers
#undef factorised_put
#undef factorised_ask
#undef factorised_expect
#undef factorised_elements
#undef NAME

#elif defined(ROW)
#define NAME JOIN(JOIN(EQUATIONS, DIRECTIONS), JOIN(ELASTIC, PRECISION))
#define KEY_KIND " CHUNK=8 DEPTH=10 DIRECTIONS=" TEXT_OF(DIRECTIONS) " ELASTIC=" TEXT_OF(ELASTIC)
#define KEY_SIZE " ELEMENTS=1 EQUATIONS=" TEXT_OF(EQUATIONS)
#define KEY_TILE " LAYERS=0 PAIRS=" TEXT_OF(PAIRS) " PLANES=1 ROWS=2 TILE=" TEXT_OF(TILE)
#define KEY " " TEXT_OF(PRECISION) KEY_KIND KEY_SIZE KEY_TILE
{"factorised_elements" KEY, JOIN(factorised_run, NAME)},
    {"factorised_terms" KEY, JOIN(terms_run, NAME)},
#undef KEY
#undef KEY_KIND
#undef KEY_SIZE
#undef KEY_TILE
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#include <math.h>
#define CHUNK 8
#define DEPTH 10
#define ELEMENTS 1
#define LAYERS 0
#define PLANES 1
#define ROWS 2
#define SELF "device/host/kernels/factorised.c"

#define VARIANT
#include "device/host/for_integrals.h"
#undef VARIANT

#define ROW
const hk_host_kernel JOIN(hk_host_factorised, HOST_ISA)[] = {
#include "device/host/for_integrals.h"
    {0}};
#endif
#undef TILE
#undef PAIRS
