/* Preconditioners of the diagonal alone: jacobi and block-jacobi, z = D^-1 r, and chebyshev, a polynomial of fixed DEGREE in D^-1 A
 * over the upper 1 / RATIO of its spectrum. D is the diagonal of A or its blocks per node; the level of level.h does the steps.
 * These iterations are cheap, so the host looks at the residual only every EVERY of them. */
#include "solver/linear/multigrid/level.h"
#include "solver/linear/multigrid/multigrid.h"

/* Iterations that are cheap are looked at eight at a time. The polynomial: as many products as pay on regular meshes. */
enum { EVERY = 8, DEGREE = 6, RATIO = 20 };
/* Beyond the estimate of the largest eigenvalue the polynomial would soon be negative. */
#define MARGIN 1.15

static hk_status apply(void *data, const hk_buffer *r, hk_buffer *z)
{
  return hk_level_smooth(data, r, z, true);
}

static void destroy(void *data)
{
  hk_level *level = data;
  if (level) hk_level_destroy(level);
  hk_free(&level);
}

hk_status hk_simple_create(const hk_reduced *a, const hk_constraints *constraints,
                           hk_preconditioner_word kind, hk_preconditioner *out)
{
  hk_status status = HK_OK;
  const bool polynomial = kind == HK_PRECONDITIONER_CHEBYSHEV;
  hk_level *v = NULL;
  hk_preconditioner m = {.double_precision = a->double_precision,
                         .every = polynomial ? 2 : EVERY,
                         .apply = apply,
                         .destroy = destroy};
  HK_TRY(hk_new(&v));
  m.data = v;
  *v = hk_level_of(a, polynomial ? RATIO : 2, polynomial ? DEGREE : 1);
  HK_TRY(hk_level_create(v, false));
  HK_TRY(hk_level_find_diagonal(v, constraints, kind == HK_PRECONDITIONER_JACOBI));
  if (polynomial) HK_TRY(hk_level_measure(v));
  if (polynomial) v->most *= MARGIN;
  m.bytes = v->bytes;
  *out = m, m = (hk_preconditioner){0};
cleanup:
  hk_preconditioner_destroy(&m);
  return status;
}
