/* Host variants of kernels/sparse.k.h. The file includes itself: pass TABLES defines one variant of sparse_unite, pass BLOCKS one of
 * sparse_multiply, pass REALS_ONES what depends on the precision; the first of them has the rest too. */
#if defined(VARIANT)
#define sparse_candidates JOIN(sparse_candidates, NAME)
#define sparse_unite JOIN(sparse_unite, NAME)
#define sparse_multiply JOIN(sparse_multiply, NAME)
#define sparse_tally JOIN(sparse_tally, NAME)
#define sparse_scatter JOIN(sparse_scatter, NAME)
#define sparse_order JOIN(sparse_order, NAME)
#define sparse_flip JOIN(sparse_flip, NAME)
#define sparse_take JOIN(sparse_take, NAME)
#define sparse_mark JOIN(sparse_mark, NAME)
#define sparse_hold JOIN(sparse_hold, NAME)
#define sparse_diagonal JOIN(sparse_diagonal, NAME)
#define sparse_slices JOIN(sparse_slices, NAME)
#define sparse_narrow JOIN(sparse_narrow, NAME)
#define sparse_pack JOIN(sparse_pack, NAME)
#include "device/host/lists.h"
#include "sparse.k.h"

#if VARIANT == 1
static void JOIN(unite_run, NAME)(int group, void **v)
{
  sparse_unite(group, *(long **)v[0], *(int **)v[1], *(float **)v[2], *(long **)v[3], *(int **)v[4],
               *(long **)v[5], *(int **)v[6], *(int **)v[7], *(int **)v[8], *(int *)v[9],
               *(int *)v[10], *(int *)v[11]);
}
#elif VARIANT == 2
static void JOIN(multiply_run, NAME)(int group, void **v)
{
  sparse_multiply(group, *(long **)v[0], *(int **)v[1], *(float **)v[2], *(double **)v[3],
                  *(long **)v[4], *(int **)v[5], *(double **)v[6], *(long **)v[7], *(int **)v[8],
                  *(double **)v[9], *(int *)v[10]);
}
#else
static void JOIN(take_run, NAME)(int group, void **v)
{
  sparse_take(group, *(long **)v[0], *(real **)v[1], *(double **)v[2], *(int *)v[3], *(int *)v[4]);
}

static void JOIN(diagonal_run, NAME)(int group, void **v)
{
  sparse_diagonal(group, *(long **)v[0], *(int **)v[1], *(double **)v[2], *(real **)v[3],
                  *(int *)v[4], *(int *)v[5]);
}

static void JOIN(pack_run, NAME)(int group, void **v)
{
  sparse_pack(group, *(long **)v[0], *(int **)v[1], *(double **)v[2], *(int **)v[3], *(int **)v[4],
              *(real **)v[5], *(int *)v[6], *(int *)v[7]);
}
#if !defined(DOUBLE)
static void candidates_run(int group, void **v)
{
  sparse_candidates(group, *(long **)v[0], *(int **)v[1], *(float **)v[2], *(long **)v[3],
                    *(int **)v[4], *(int *)v[5]);
}

static void tally_run(int group, void **v)
{
  sparse_tally(group, *(long **)v[0], *(int **)v[1], *(int **)v[2], *(int *)v[3]);
}

static void scatter_run(int group, void **v)
{
  sparse_scatter(group, *(long **)v[0], *(int **)v[1], *(long **)v[2], *(int **)v[3], *(int **)v[4],
                 *(int *)v[5]);
}

static void order_run(int group, void **v)
{
  sparse_order(group, *(long **)v[0], *(int **)v[1], *(int *)v[2]);
}

static void flip_run(int group, void **v)
{
  sparse_flip(group, *(long **)v[0], *(int **)v[1], *(double **)v[2], *(long **)v[3], *(int **)v[4],
              *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int *)v[8]);
}

static void mark_run(int group, void **v)
{
  sparse_mark(group, *(int **)v[0], *(int **)v[1], *(int *)v[2]);
}

static void hold_run(int group, void **v)
{
  sparse_hold(group, *(long **)v[0], *(int **)v[1], *(int **)v[2], *(double **)v[3], *(int *)v[4],
              *(int *)v[5]);
}

static void slices_run(int group, void **v)
{
  sparse_slices(group, *(long **)v[0], *(int **)v[1], *(int *)v[2], *(int *)v[3]);
}

static void narrow_run(int group, void **v)
{
  sparse_narrow(group, *(long **)v[0], *(int **)v[1], *(int *)v[2]);
}
#endif
#endif
#undef SPREAD
#undef TAKES
#undef sparse_candidates
#undef sparse_unite
#undef sparse_multiply
#undef sparse_tally
#undef sparse_scatter
#undef sparse_order
#undef sparse_flip
#undef sparse_take
#undef sparse_mark
#undef sparse_hold
#undef sparse_diagonal
#undef sparse_slices
#undef sparse_narrow
#undef sparse_pack
#include "device/host/lists_end.h"

#elif defined(SELF) /* VARIANT 0 by precision */
#define NAME PRECISION
#define VARIANT 0
#include "device/host/kernels/sparse.c"
#undef VARIANT
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#pragma GCC diagnostic ignored "-Wunused-function" /* each variant has all functions of the text */
#define CHUNK 128
#define ROWS 1
#define SELF "device/host/kernels/sparse.c"
#include "device/host/for_reals.h"

#define real double
#define VARIANT 1
#define NAME JOIN(FILL, HEAVY)
#define SLOTS 1024
#define HEAVY 0
#define FILL 0
#include SELF
#undef FILL
#define FILL 1
#include SELF
#undef HEAVY
#define HEAVY 1
#include SELF
#undef FILL
#define FILL 0
#include SELF
#undef FILL
#undef HEAVY
#undef SLOTS
#undef NAME
#undef VARIANT

#define VARIANT 2
#define LINES HEIGHT
#define NAME JOIN(HEIGHT, JOIN(INNER, COLUMNS))
#include "device/host/for_products.h"
#undef NAME
#undef LINES
#undef VARIANT
#undef real

#define REAL_LINES(p)                                                                              \
  {"sparse_take " #p " CHUNK=128 ROWS=1", JOIN(take_run, p)},                                      \
      {"sparse_diagonal " #p " CHUNK=128 ROWS=1", JOIN(diagonal_run, p)},                          \
  {                                                                                                \
    "sparse_pack " #p " CHUNK=128 ROWS=1", JOIN(pack_run, p)                                       \
  }
#define MULTIPLY_LINE(h, i, c)                                                                     \
  {                                                                                                \
    "sparse_multiply f CHUNK=128 COLUMNS=" #c " HEIGHT=" #h " INNER=" #i " LINES=" #h " ROWS=1",   \
        JOIN(multiply_run, h##_##i##_##c)                                                          \
  }

const hk_host_kernel JOIN(hk_host_sparse, HOST_ISA)[] = {
    {"sparse_candidates f CHUNK=128 ROWS=1", candidates_run},
    {"sparse_tally f CHUNK=128 ROWS=1", tally_run},
    {"sparse_scatter f CHUNK=128 ROWS=1", scatter_run},
    {"sparse_order f CHUNK=128 ROWS=1", order_run},
    {"sparse_flip f CHUNK=128 ROWS=1", flip_run},
    {"sparse_mark f CHUNK=128 ROWS=1", mark_run},
    {"sparse_hold f CHUNK=128 ROWS=1", hold_run},
    {"sparse_slices f CHUNK=128 ROWS=1", slices_run},
    {"sparse_narrow f CHUNK=128 ROWS=1", narrow_run},
    REAL_LINES(f),
    REAL_LINES(d),
    {"sparse_unite f CHUNK=128 FILL=0 HEAVY=0 ROWS=1 SLOTS=1024", unite_run_0_0},
    {"sparse_unite f CHUNK=128 FILL=1 HEAVY=0 ROWS=1 SLOTS=1024", unite_run_1_0},
    {"sparse_unite f CHUNK=128 FILL=0 HEAVY=1 ROWS=1 SLOTS=1024", unite_run_0_1},
    {"sparse_unite f CHUNK=128 FILL=1 HEAVY=1 ROWS=1 SLOTS=1024", unite_run_1_1},
    MULTIPLY_LINE(1, 1, 1),
    MULTIPLY_LINE(2, 2, 2),
    MULTIPLY_LINE(2, 2, 3),
    MULTIPLY_LINE(3, 2, 3),
    MULTIPLY_LINE(3, 3, 3),
    MULTIPLY_LINE(3, 3, 6),
    MULTIPLY_LINE(6, 3, 6),
    MULTIPLY_LINE(6, 6, 6),
    {0}};
#endif
