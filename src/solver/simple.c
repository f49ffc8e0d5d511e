#include "solver/simple.h"
#include "operator/diagonal.h"
#include "solver/level.h"

/* Iterations that are cheap are looked at eight at a time. The polynomial: as many products as pay on regular meshes. */
enum { EVERY = 8, DEGREE = 6, RATIO = 20 };
/* Beyond the estimate of the largest eigenvalue the polynomial would soon be negative. */
#define MARGIN 1.15

static void hold(int block, hk_index dof, double *diagonal)
{
  double *own = diagonal + (hk_count)(dof / block) * block * block;
  for (int k = 0; k < block; k++) own[dof % block * block + k] = own[k * block + dof % block] = 0;
}

/* What a dependent degree of freedom adds to its masters: weight^2 K_dd. */
static void pass_on(const hk_constraints *c, int block, hk_index i, double *diagonal)
{
  const hk_index dof = c->dof[i];
  const double own = diagonal[(hk_count)(dof / block) * block * block + dof % block * (block + 1)];
  for (hk_index e = c->begin[i]; e < c->begin[i + 1]; e++) {
    const hk_index m = c->master[e];
    diagonal[(hk_count)(m / block) * block * block + m % block * (block + 1)] +=
        c->weight[e] * c->weight[e] * own;
  }
}

hk_status hk_reduced_diagonal(const hk_operator_desc *desc, const hk_constraints *c,
                              double *diagonal)
{
  hk_status status = HK_OK;
  const int block = desc->space->components;
  HK_TRY(hk_diagonal_find(desc, diagonal));
  for (hk_index i = 0; i < c->count; i++) pass_on(c, block, i, diagonal);
  for (hk_index i = 0; i < c->count; i++) hold(block, c->dof[i], diagonal);
cleanup:
  return status;
}

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

hk_status hk_simple_create(const hk_reduced *a, const hk_constraints *constraints, hk_simple kind,
                           hk_preconditioner *out)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = &a->op->desc;
  const bool polynomial = kind == HK_SIMPLE_CHEBYSHEV;
  const int block = desc->space->components;
  double *diagonal = NULL;
  hk_level *v = NULL;
  hk_preconditioner m = {.double_precision = a->double_precision,
                         .every = polynomial ? 2 : EVERY,
                         .apply = apply,
                         .destroy = destroy};
  HK_TRY(hk_new(&v));
  m.data = v;
  *v = (hk_level){.device = desc->device,
                  .double_precision = a->double_precision,
                  .block = block,
                  .nodes = desc->space->padded,
                  .a = a,
                  .most = 1,
                  .ratio = polynomial ? RATIO : 2,
                  .degree = polynomial ? DEGREE : 1};
  HK_TRY(hk_level_create(v, false));
  HK_TRY(hk_get(&diagonal, (hk_count)desc->space->padded * block * block));
  HK_TRY(hk_reduced_diagonal(desc, constraints, diagonal));
  HK_TRY(hk_level_set_diagonal(v, diagonal, desc->space->padded, kind == HK_SIMPLE_JACOBI));
  if (polynomial) HK_TRY(hk_level_measure(v));
  if (polynomial) v->most *= MARGIN;
  m.bytes = v->bytes;
  *out = m, m = (hk_preconditioner){0};
cleanup:
  hk_preconditioner_destroy(&m);
  hk_free(&diagonal);
  return status;
}
