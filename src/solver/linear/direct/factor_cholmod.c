/* Sparse factors A = L L^T on the host by CHOLMOD (SuiteSparse; Chen, Davis, Hager, Rajamanickam, ACM TOMS 35 (2008) 22), opened at
 * run time, with 64-bit integers (User Guide, chapters 11-13). The lower triangle goes over as triplets, with the caller's order or
 * CHOLMOD's own; then analysis, factors, solves in double. */
#include "solver/linear/direct/factor_parts.h"

#ifdef HOOKE_CHOLMOD
#include <cholmod.h>
#include <stdio.h>
#include <string.h>

/* X(member, result, parameters): cholmod_l_<member> */
#define FUNCTIONS(X)                                                                               \
  X(start, int, (cholmod_common *))                                                                \
  X(finish, int, (cholmod_common *))                                                               \
  X(allocate_triplet, cholmod_triplet *, (size_t, size_t, size_t, int, int, cholmod_common *))     \
  X(free_triplet, int, (cholmod_triplet **, cholmod_common *))                                     \
  X(triplet_to_sparse, cholmod_sparse *, (cholmod_triplet *, size_t, cholmod_common *))            \
  X(free_sparse, int, (cholmod_sparse **, cholmod_common *))                                       \
  X(analyze, cholmod_factor *, (cholmod_sparse *, cholmod_common *))                               \
  X(analyze_p, cholmod_factor *,                                                                   \
    (cholmod_sparse *, SuiteSparse_long *, SuiteSparse_long *, size_t, cholmod_common *))          \
  X(factorize, int, (cholmod_sparse *, cholmod_factor *, cholmod_common *))                        \
  X(solve, cholmod_dense *, (int, cholmod_factor *, cholmod_dense *, cholmod_common *))            \
  X(free_dense, int, (cholmod_dense **, cholmod_common *))                                         \
  X(free_factor, int, (cholmod_factor **, cholmod_common *))

#define POINTER(member, result, parameters) static result(*member##_cholmod) parameters;
FUNCTIONS(POINTER)
#define SYMBOL(member, result, parameters) {"cholmod_l_" #member, (void **)&member##_cholmod},
static hk_host_library library = {.names = HK_WORDS(HOOKE_CHOLMOD), .symbol = {FUNCTIONS(SYMBOL)}};

typedef struct cholmod {
  cholmod_common common;
  cholmod_factor *factor;
  bool begun;
} cholmod;

static hk_status tell(const cholmod *c, hk_index n)
{
  const int code = c->common.status;
  if (code == CHOLMOD_OUT_OF_MEMORY || code == CHOLMOD_TOO_LARGE)
    return hk_error_set(HK_NO_RESOURCES, "no memory for the factors: CHOLMOD needs about %.0f MB",
                        8e-6 * c->common.lnz);
  if (code == CHOLMOD_NOT_POSDEF || code == CHOLMOD_DSMALL)
    return hk_error_set(HK_NOT_CONVERGED,
                        "the matrix is singular or not positive definite: pivot %lld of "
                        "%d",
                        c->factor ? (long long)c->factor->minor : 0, (int)n);
  return hk_error_set(HK_INTERNAL, "CHOLMOD failed: code %d", code);
}

/* The lower triangle; entries of the same place add up. */
static hk_status send(cholmod *c, const hk_free_matrix *a, cholmod_sparse **out)
{
  enum { LOWER = -1 };
  hk_status status = HK_OK;
  cholmod_triplet *t = allocate_triplet_cholmod((size_t)a->n, (size_t)a->n, (size_t)a->entries,
                                                LOWER, CHOLMOD_REAL, &c->common);
  if (!t) return tell(c, a->n);
  SuiteSparse_long *row = t->i, *column = t->j;
  for (hk_count e = 0; e < a->entries; e++) row[e] = a->row[e] - 1, column[e] = a->column[e] - 1;
  memcpy(t->x, a->value, (size_t)a->entries * sizeof *a->value);
  t->nnz = (size_t)a->entries;
  *out = triplet_to_sparse_cholmod(t, 0, &c->common);
  if (!*out) status = tell(c, a->n);
  free_triplet_cholmod(&t, &c->common);
  return status;
}

static hk_status analyse(cholmod *c, cholmod_sparse *a, const hk_index *order)
{
  hk_status status = HK_OK;
  SuiteSparse_long *place = NULL;
  if (order) {
    c->common.nmethods = 1, c->common.method[0].ordering = CHOLMOD_GIVEN, c->common.postorder = 0;
    HK_TRY(hk_get(&place, (hk_count)a->nrow));
    for (size_t k = 0; k < a->nrow; k++) place[k] = order[k];
  }
  c->factor =
      order ? analyze_p_cholmod(a, place, NULL, 0, &c->common) : analyze_cholmod(a, &c->common);
  if (!c->factor) {
    status = tell(c, (hk_index)a->nrow);
    goto cleanup;
  }
  const double need = 1.5 * 8 * c->common.lnz;
  HK_CHECK(need < (double)hk_memory_available(), HK_NO_RESOURCES,
           "the factors need about %.0f MB, and %lld MB are free: use the method cg", need / 1e6,
           (long long)(hk_memory_available() / 1000000));
cleanup:
  hk_free(&place);
  return status;
}

static hk_status create(const hk_factor_desc *desc, hk_factor_matrix *matrix, hk_factor *f)
{
  hk_status status = HK_OK;
  cholmod *c = NULL;
  cholmod_sparse *a = NULL;
  (void)desc;
  HK_TRY(hk_new(&c));
  f->data = c;
  hk_factor_set_threads(f);
  start_cholmod(&c->common);
  c->begun = true;
  c->common.print = 0, c->common.supernodal = CHOLMOD_AUTO;
  snprintf(f->name, sizeof f->name, "CHOLMOD %d.%d.%d", CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION,
           CHOLMOD_SUBSUB_VERSION);
  HK_TRY(send(c, &matrix->entries, &a));
  hk_free_matrix_clear(&matrix->entries);
  HK_TRY(analyse(c, a, matrix->order));
  if (!factorize_cholmod(a, c->factor, &c->common) || c->common.status < CHOLMOD_OK ||
      c->factor->minor < c->factor->n)
    status = tell(c, f->n);
  free_sparse_cholmod(&a, &c->common);
  f->bytes = (hk_count)c->common.memory_inuse;
cleanup:
  if (a) free_sparse_cholmod(&a, &c->common);
  return status;
}

static void destroy(hk_factor *f)
{
  cholmod *c = f->data;
  if (!c) return;
  if (c->factor) free_factor_cholmod(&c->factor, &c->common);
  if (c->begun) finish_cholmod(&c->common);
  hk_memory_free(&f->data);
}

static hk_status solve(hk_factor *f, double *x)
{
  cholmod *c = f->data;
  cholmod_dense b = {.nrow = (size_t)f->n,
                     .ncol = 1,
                     .nzmax = (size_t)f->n,
                     .d = (size_t)f->n,
                     .x = x,
                     .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  cholmod_dense *answer = solve_cholmod(CHOLMOD_A, c->factor, &b, &c->common);
  if (!answer) return tell(c, f->n);
  memcpy(x, answer->x, (size_t)f->n * sizeof *x);
  free_dense_cholmod(&answer, &c->common);
  return HK_OK;
}

const hk_factor_kind hk_factor_cholmod = {.name = "cholmod",
                                          .library = {&library},
                                          .absent = "CHOLMOD is not installed (" HOOKE_CHOLMOD
                                                    "; package libsuitesparse-dev)",
                                          .create = create,
                                          .solve = solve,
                                          .destroy = destroy};

#else
const hk_factor_kind hk_factor_cholmod = {
    .name = "cholmod", .absent = "hooke was built without CHOLMOD (package libsuitesparse-dev)"};
#endif
