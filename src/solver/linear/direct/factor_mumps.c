/* Sparse multifrontal factors A = L L^T, or L U, on the host by sequential MUMPS 5, opened at run time.
 * The lower triangle, or all of an unsymmetric A, goes over as (row, column, value), counted from 1: jobs analyse, factorise and solve of its Users' Guide; ICNTL(i) and
 * INFOG(i) are counted from 1 there. One thread at a time may be inside MUMPS; too little workspace is asked for again, larger. */
#include "solver/linear/direct/factor_parts.h"

#ifdef HOOKE_MUMPS
#include <dmumps_c.h>
#include <pthread.h>
#include <stdio.h>

enum { INIT = -1, END = -2, ANALYSE = 1, FACTORISE = 2, SOLVE = 3, WORLD = -987654 };
enum { OUT_OF_WORKSPACE = -9, SINGULAR = -10, OUT_OF_MEMORY = -13, SINGULAR_STRUCTURE = -6 };
#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]

static void (*call_mumps)(DMUMPS_STRUC_C *id);
static hk_host_library library = {.names = HK_WORDS(HOOKE_MUMPS),
                                  .symbol = {{"dmumps_c", (void **)&call_mumps}}};

typedef struct mumps {
  DMUMPS_STRUC_C id;
  bool begun;
} mumps;

static hk_status tell(const mumps *m, const char *doing)
{
  const int code = m->id.INFOG(1);
  if (code == SINGULAR || code == SINGULAR_STRUCTURE)
    return hk_error_set(HK_NOT_CONVERGED,
                        "the matrix is singular or not positive definite: pivot %d of %d",
                        (int)m->id.INFOG(2), (int)m->id.n);
  if (code == OUT_OF_MEMORY || code == OUT_OF_WORKSPACE)
    return hk_error_set(HK_NO_RESOURCES, "no memory for the factors: MUMPS needs about %d MB",
                        (int)m->id.INFOG(17));
  return hk_error_set(HK_INTERNAL, "MUMPS failed %s: code %d, %d", doing, code,
                      (int)m->id.INFOG(2));
}

/* MUMPS serves one thread at a time, and a thread whose factors nobody waits for any more may still be in it. */
static void call(mumps *m, int job)
{
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&turn);
  m->id.job = job;
  call_mumps(&m->id);
  pthread_mutex_unlock(&turn);
}

static hk_status run(mumps *m, int job, const char *doing)
{
  call(m, job);
  return m->id.INFOG(1) < 0 ? tell(m, doing) : HK_OK;
}

static hk_status begin(bool unsymmetric, hk_factor *f)
{
  mumps *m = f->data;
  m->id.comm_fortran = WORLD, m->id.par = 1, m->id.sym = !unsymmetric;
  const hk_status status = run(m, INIT, "starting");
  m->begun = status == HK_OK;
  for (int i = 1; i <= 3; i++) m->id.ICNTL(i) = -1; /* no words */
  m->id.ICNTL(4) = 0;
  snprintf(f->name, sizeof f->name, "MUMPS %s", m->id.version_number);
  return status;
}

static hk_status analyse(mumps *m, const hk_free_matrix *a, const hk_index *order)
{
  enum { GIVEN = 1, SCOTCH = 3 };
  hk_status status = HK_OK;
  int *place = NULL;
  m->id.n = a->n, m->id.nnz = a->entries;
  m->id.irn = a->row, m->id.jcn = a->column, m->id.a = a->value;
  m->id.ICNTL(6) = 0; /* unsymmetric: columns stay where they are, as the order has them */
  m->id.ICNTL(7) = order ? GIVEN : SCOTCH;
  if (order) {
    HK_TRY(hk_get(&place, a->n));
    for (hk_index k = 0; k < a->n; k++) place[order[k]] = k + 1;
    m->id.perm_in = place;
  }
  HK_TRY(run(m, ANALYSE, "analysing"));
  HK_CHECK(m->id.INFOG(17) * 1.2e6 < (double)hk_memory_available(), HK_NO_RESOURCES,
           "the factors need about %d MB, and %lld MB are free: use the method cg",
           (int)(m->id.INFOG(17) * 1.2), (long long)(hk_memory_available() / 1000000));
cleanup:
  m->id.perm_in = NULL;
  hk_free(&place);
  return status;
}

static hk_status create(const hk_factor_desc *desc, hk_factor_matrix *matrix, hk_factor *f)
{
  enum { MORE_ROOM = 4 };
  hk_status status = HK_OK;
  mumps *m = NULL;
  HK_TRY(hk_new(&m));
  f->data = m;
  hk_factor_set_threads(f);
  HK_TRY(begin(desc->unsymmetric, f));
  HK_TRY(analyse(m, &matrix->entries, matrix->order));
  for (int tries = 0; tries < MORE_ROOM; tries++) {
    status = run(m, FACTORISE, "factorising");
    if (status == HK_OK || m->id.INFOG(1) != OUT_OF_WORKSPACE) break;
    m->id.ICNTL(14) = 2 * m->id.ICNTL(14) + 20; /* per cent of workspace beyond the estimate */
  }
  HK_TRY(status);
  f->bytes = (hk_count)m->id.INFOG(22) * 1000000;
cleanup:
  if (m) m->id.irn = m->id.jcn = NULL, m->id.a = NULL;
  return status;
}

static void destroy(hk_factor *f)
{
  mumps *m = f->data;
  if (!m) return;
  m->id.irn = m->id.jcn = NULL, m->id.a = NULL, m->id.rhs = NULL;
  if (m->begun) call(m, END);
  hk_memory_free(&f->data);
}

static hk_status solve(hk_factor *f, double *x)
{
  mumps *m = f->data;
  m->id.rhs = x, m->id.nrhs = 1, m->id.lrhs = m->id.n;
  const hk_status status = run(m, SOLVE, "solving");
  m->id.rhs = NULL;
  return status;
}

const hk_factor_kind hk_factor_mumps = {.name = "mumps",
                                        .unsymmetric = true,
                                        .library = {&library},
                                        .absent = "MUMPS is not installed (" HOOKE_MUMPS
                                                  "; package libmumps-seq-dev)",
                                        .create = create,
                                        .solve = solve,
                                        .destroy = destroy};

#else
const hk_factor_kind hk_factor_mumps = {
    .name = "mumps", .absent = "hooke was built without MUMPS (package libmumps-seq-dev)"};
#endif
