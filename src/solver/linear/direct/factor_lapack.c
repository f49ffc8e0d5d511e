/* Dense factors by LAPACK and BLAS, of which OpenBLAS holds both. Blocks of columns, so that a stop is seen between them (right-looking, Golub
 * and Van Loan, Matrix Computations, 4.2.9, 3.4.5). Of a symmetric matrix A = L L^T in the lower triangle,
 *   L_kk = chol(A_kk),   L_ik = A_ik L_kk^-T,   A_ij -= L_ik L_jk^T,
 * else P A^T = L U with the rows of a column of blocks exchanged for the largest pivots: rows of A are columns to LAPACK,
 *   P_k A_ik = L_ik U_kk (i >= k),   U_kj = L_kk^-1 P_k A_kj,   A_ij -= L_ik U_kj */
#include "solver/linear/direct/factor_parts.h"
#include <stdio.h>

#ifndef HOOKE_OPENBLAS /* the name of a copy beside this library, where there is one */
#define HOOKE_OPENBLAS "libopenblas.so.0"
#endif

enum { LEAST_BLOCK = 64, MOST_BLOCK = 512 };
static const double BLOCK_WORK = 4e10; /* operations between two looks at stop: about a second */

static void (*potrf)(const char *, const int *, double *, const int *, int *, size_t);
static void (*potrs)(const char *, const int *, const int *, const double *, const int *, double *,
                     const int *, int *, size_t);
static void (*trsm)(const char *, const char *, const char *, const char *, const int *,
                    const int *, const double *, const double *, const int *, double *, const int *,
                    size_t, size_t, size_t, size_t);
static void (*syrk)(const char *, const char *, const int *, const int *, const double *,
                    const double *, const int *, const double *, double *, const int *, size_t,
                    size_t);
static void (*getrf)(const int *, const int *, double *, const int *, int *, int *);
static void (*getrs)(const char *, const int *, const int *, const double *, const int *,
                     const int *, double *, const int *, int *, size_t);
static void (*laswp)(const int *, double *, const int *, const int *, const int *, const int *,
                     const int *);
static void (*gemm)(const char *, const char *, const int *, const int *, const int *,
                    const double *, const double *, const int *, const double *, const int *,
                    const double *, double *, const int *, size_t, size_t);
#define SYMBOLS                                                                                    \
  {"dpotrf_", (void **)&potrf}, {"dpotrs_", (void **)&potrs}, {"dtrsm_", (void **)&trsm},          \
      {"dsyrk_", (void **)&syrk}, {"dgetrf_", (void **)&getrf}, {"dgetrs_", (void **)&getrs},      \
      {"dlaswp_", (void **)&laswp}, {"dgemm_", (void **)&gemm},
static hk_host_library openblas = {.names = HK_WORDS(HOOKE_OPENBLAS, "libopenblas.so.0"),
                                   .symbol = {SYMBOLS},
                                   .title = "LAPACK of OpenBLAS"};
static hk_host_library plain = {
    .names = HK_WORDS("liblapack.so.3"), .symbol = {SYMBOLS}, .title = "LAPACK"};

typedef struct lapack {
  double *own; /* where the device has another memory; NULL: the dense matrix itself */
  int *pivot;  /* pivot[n]: the row that was exchanged with this one, from 1; NULL: A = L L^T */
} lapack;

static int block_of(hk_index n)
{
  const double block = BLOCK_WORK / ((double)n * n);
  return block < LEAST_BLOCK ? LEAST_BLOCK : block > MOST_BLOCK ? MOST_BLOCK : (int)block;
}

/* One step: columns [k, k + m) of the factor, and what they take from those behind. */
static hk_status eliminate(double *a, int n, int k, int m)
{
  const double one = 1, minus = -1;
  const int rest = n - k - m;
  double *own = a + (hk_count)k * n + k, *below = own + m, *behind = below + (hk_count)m * n;
  int info = 0;
  potrf("L", &m, own, &n, &info, 1);
  HK_NEED(info == 0, HK_NOT_CONVERGED,
          "the matrix is singular or not positive definite: pivot %d of %d", k + info, n);
  if (!rest) return HK_OK;
  trsm("R", "L", "T", "N", &rest, &m, &one, own, &n, below, &n, 1, 1, 1, 1);
  syrk("L", "N", &rest, &m, &minus, below, &n, &one, behind, &n, 1, 1);
  return HK_OK;
}

/* The same of L U. */
static hk_status eliminate_lu(double *a, int n, int k, int m, int *pivot)
{
  const double one = 1, minus = -1;
  const int rest = n - k - m, rows = n - k, unit = 1;
  double *own = a + (hk_count)k * n + k, *right = own + (hk_count)m * n;
  int info = 0;
  getrf(&rows, &m, own, &n, pivot + k, &info);
  HK_NEED(info == 0, HK_NOT_CONVERGED, "the matrix is singular: pivot %d of %d", k + info, n);
  if (k) laswp(&k, a + k, &n, &unit, &m, pivot + k, &unit);
  if (rest) {
    laswp(&rest, right, &n, &unit, &m, pivot + k, &unit);
    trsm("L", "L", "N", "U", &m, &rest, &one, own, &n, right, &n, 1, 1, 1, 1);
    gemm("N", "N", &rest, &rest, &m, &minus, own + m, &n, right, &n, &one, right + m, &n, 1, 1);
  }
  for (int i = k; i < k + m; i++) pivot[i] += k;
  return HK_OK;
}

/* The matrix where the host has it: in place, or read from the device and freed there. */
static hk_status take(hk_factor_matrix *matrix, hk_factor *f, double **a)
{
  lapack *l = f->data;
  const hk_count entries = (hk_count)f->n * f->n;
  f->bytes = entries * 8;
  *a = hk_buffer_host(matrix->dense->value);
  if (*a) {
    f->matrix.dense = matrix->dense, matrix->dense = NULL;
    return HK_OK;
  }
  HK_PASS(hk_get(&l->own, entries));
  *a = l->own;
  HK_PASS(hk_buffer_read(matrix->dense->value, 0, entries * 8, l->own));
  hk_dense_destroy(&matrix->dense);
  return HK_OK;
}

static hk_status create(const hk_factor_desc *desc, hk_factor_matrix *matrix, hk_factor *f)
{
  const int block = block_of(f->n);
  double *a = NULL;
  lapack *l = NULL;
  HK_PASS(hk_new(&l));
  f->data = l;
  HK_PASS(take(matrix, f, &a));
  if (desc->unsymmetric) HK_PASS(hk_get(&l->pivot, f->n));
  hk_factor_set_threads(f);
  snprintf(f->name, sizeof f->name, "%s", f->library->title);
  for (int k = 0; k < f->n; k += block) {
    const int m = f->n - k < block ? f->n - k : block;
    HK_NEED(!(desc->stop && desc->stop(desc->user)), HK_STOPPED,
            "stopped at column %d of %d of the factor", k, (int)f->n);
    HK_PASS(l->pivot ? eliminate_lu(a, f->n, k, m, l->pivot) : eliminate(a, f->n, k, m));
  }
  return HK_OK;
}

static void destroy(hk_factor *f)
{
  lapack *l = f->data;
  if (!l) return;
  hk_free(&l->own);
  hk_free(&l->pivot);
  hk_memory_free(&f->data);
}

static hk_status solve(hk_factor *f, double *x)
{
  const lapack *l = f->data;
  const double *a = l->own ? l->own : hk_buffer_host(f->matrix.dense->value);
  const int one = 1;
  int info = 0;
  if (l->pivot)
    getrs("T", &f->n, &one, a, &f->n, l->pivot, x, &f->n, &info, 1);
  else
    potrs("L", &f->n, &one, a, &f->n, x, &f->n, &info, 1);
  HK_NEED(info == 0, HK_INTERNAL, "LAPACK failed to solve: code %d", info);
  return HK_OK;
}

const hk_factor_kind hk_factor_lapack = {
    .name = "lapack",
    .dense = true,
    .unsymmetric = true,
    .stops = true,
    .library = {&openblas, &plain},
    .absent = "LAPACK is not installed (libopenblas.so.0 or liblapack.so.3; package "
              "libopenblas0-pthread)",
    .create = create,
    .solve = solve,
    .destroy = destroy};
