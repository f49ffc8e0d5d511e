#include "solver/factor.h"

#ifdef HOOKE_MUMPS
#include <dlfcn.h>
#include <dmumps_c.h>
#include <pthread.h>
#include <stdio.h>

/* MUMPS 5 Users' Guide: jobs, error codes; ICNTL(i) and INFOG(i) are counted from 1 there. */
enum { INIT = -1, END = -2, ANALYSE = 1, FACTORISE = 2, SOLVE = 3, WORLD = -987654 };
enum { OUT_OF_WORKSPACE = -9, SINGULAR = -10, OUT_OF_MEMORY = -13, SINGULAR_STRUCTURE = -6 };
#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]

typedef void mumps_call(DMUMPS_STRUC_C *id);
typedef void set_threads(int threads);

static struct {
  mumps_call *call;
  set_threads *blas_threads;
} library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
  void *mumps = dlopen(HOOKE_MUMPS, RTLD_NOW | RTLD_LOCAL);
  if (!mumps) return;
  *(void **)&library.call = dlsym(mumps, "dmumps_c");
  *(void **)&library.blas_threads = dlsym(mumps, "openblas_set_num_threads");
}

struct hk_factor {
  DMUMPS_STRUC_C id;
  bool begun;
  char name[40];
};

bool hk_factor_available(const char **why)
{
  pthread_once(&once, load);
  *why = library.call ? "" : "MUMPS is not installed (" HOOKE_MUMPS "; package libmumps-seq-dev)";
  return library.call != NULL;
}

static hk_status tell(const hk_factor *f, const char *doing)
{
  const int code = f->id.INFOG(1);
  if (code == SINGULAR || code == SINGULAR_STRUCTURE)
    return hk_error_set(
        HK_NOT_CONVERGED,
        "the stiffness matrix is singular or not positive definite: pivot %d of %d; "
        "is every part held, and every material stable?",
        (int)f->id.INFOG(2), (int)f->id.n);
  if (code == OUT_OF_MEMORY || code == OUT_OF_WORKSPACE)
    return hk_error_set(HK_NO_RESOURCES, "no memory for the factors: MUMPS needs about %d MB",
                        (int)f->id.INFOG(17));
  return hk_error_set(HK_INTERNAL, "MUMPS failed %s: code %d, %d", doing, code,
                      (int)f->id.INFOG(2));
}

static hk_status run(hk_factor *f, int job, const char *doing)
{
  f->id.job = job;
  library.call(&f->id);
  return f->id.INFOG(1) < 0 ? tell(f, doing) : HK_OK;
}

static hk_status begin(hk_factor *f)
{
  f->id.comm_fortran = WORLD, f->id.par = 1, f->id.sym = 1;
  const hk_status status = run(f, INIT, "starting");
  f->begun = status == HK_OK;
  for (int i = 1; i <= 3; i++) f->id.ICNTL(i) = -1; /* no words */
  f->id.ICNTL(4) = 0;
  snprintf(f->name, sizeof f->name, "MUMPS %s", f->id.version_number);
  return status;
}

static hk_status analyse(hk_factor *f, const hk_free_matrix *m, const hk_index *order)
{
  enum { GIVEN = 1, SCOTCH = 3 };
  hk_status status = HK_OK;
  int *place = NULL;
  f->id.n = m->n, f->id.nnz = m->entries;
  f->id.irn = m->row, f->id.jcn = m->column, f->id.a = m->value;
  f->id.ICNTL(7) = order ? GIVEN : SCOTCH;
  if (order) {
    HK_TRY(hk_get(&place, m->n));
    for (hk_index k = 0; k < m->n; k++) place[order[k]] = k + 1;
    f->id.perm_in = place;
  }
  HK_TRY(run(f, ANALYSE, "analysing"));
  HK_CHECK(f->id.INFOG(17) * 1.2e6 < (double)hk_memory_available(), HK_NO_RESOURCES,
           "the factors need about %d MB, %lld MB are free: take the method cg",
           (int)(f->id.INFOG(17) * 1.2), (long long)(hk_memory_available() / 1000000));
cleanup:
  f->id.perm_in = NULL;
  hk_free(&place);
  return status;
}

hk_status hk_factor_create(const hk_free_matrix *matrix, const hk_index *order, int threads,
                           hk_factor **out)
{
  enum { MORE_ROOM = 4 };
  hk_status status = HK_OK;
  hk_factor *f = NULL;
  const char *why;
  HK_CHECK(hk_factor_available(&why), HK_USAGE, "method direct: %s; take the method cg", why);
  HK_TRY(hk_new(&f));
  if (library.blas_threads) library.blas_threads(threads);
  HK_TRY(begin(f));
  HK_TRY(analyse(f, matrix, order));
  for (int tries = 0; tries < MORE_ROOM; tries++) {
    status = run(f, FACTORISE, "factorising");
    if (status == HK_OK || f->id.INFOG(1) != OUT_OF_WORKSPACE) break;
    f->id.ICNTL(14) = 2 * f->id.ICNTL(14) + 20; /* per cent of workspace beyond the estimate */
  }
  HK_TRY(status);
  f->id.irn = f->id.jcn = NULL, f->id.a = NULL;
  *out = f, f = NULL;
cleanup:
  hk_factor_destroy(&f);
  return status;
}

void hk_factor_destroy(hk_factor **factor)
{
  hk_factor *f = *factor;
  if (!f) return;
  f->id.irn = f->id.jcn = NULL, f->id.a = NULL, f->id.rhs = NULL;
  if (f->begun) {
    f->id.job = END;
    library.call(&f->id);
  }
  hk_free(factor);
}

hk_status hk_factor_solve(hk_factor *f, double *x)
{
  f->id.rhs = x, f->id.nrhs = 1, f->id.lrhs = f->id.n;
  const hk_status status = run(f, SOLVE, "solving");
  f->id.rhs = NULL;
  return status;
}

hk_count hk_factor_bytes(const hk_factor *f)
{
  return (hk_count)f->id.INFOG(22) * 1000000;
}

const char *hk_factor_name(const hk_factor *f)
{
  return f->name;
}

#else
bool hk_factor_available(const char **why)
{
  *why = "hooke was built without MUMPS (package libmumps-seq-dev)";
  return false;
}

hk_status hk_factor_create(const hk_free_matrix *matrix, const hk_index *order, int threads,
                           hk_factor **out)
{
  const char *why;
  (void)matrix, (void)order, (void)threads, (void)out;
  hk_factor_available(&why);
  return hk_error_set(HK_USAGE, "method direct: %s; take the method cg", why);
}

void hk_factor_destroy(hk_factor **factor)
{
  (void)factor;
}

hk_status hk_factor_solve(hk_factor *factor, double *x)
{
  (void)factor, (void)x;
  return HK_INTERNAL;
}

hk_count hk_factor_bytes(const hk_factor *factor)
{
  (void)factor;
  return 0;
}

const char *hk_factor_name(const hk_factor *factor)
{
  (void)factor;
  return "";
}
#endif
