/* Bounds of the error of a solution u, as the header states them. One product K u gives the residual; one pass over the elements gives
 * G |u| + |f| (backward) and the rounding noise rho of each component (operator/measure/noise.c), both folded by |T|^T and T^T. The forward error is
 * what the caller's solver makes of r + T^T rho (A.20), scaled near 1 on the way. */
#include "solver/linear/accuracy.h"
#include "operator/measure/noise.h"
#include "solver/linear/product.h"
#include "solver/linear/scale.h"
#include <float.h>
#include <math.h>

typedef struct accuracy {
  const hk_accuracy_desc *desc;
  const hk_space *space;
  hk_count dofs;
  hk_buffer *in, *out;
  double *weight;            /* weight[padded] */
  double most;               /* max |u| */
  double *r, *bound, *noise; /* [dofs]; noise: then its solution */
  hk_pool pool;              /* of all of them */
} accuracy;

double hk_accuracy_unit(const hk_operator *op)
{
  return op->desc.double_precision ? DBL_EPSILON / 2 : FLT_EPSILON / 2.;
}

hk_status hk_accuracy_weights(hk_operator *op, double *weight)
{
  hk_status status = HK_OK;
  const hk_space *space = op->desc.space;
  const int c = space->components;
  const hk_count entries = (hk_count)space->padded * c * c;
  hk_pool pool = {0};
  double *own;
  hk_index *uses;
  HK_TRY(hk_pool_get(&pool, &own, entries));
  HK_TRY(hk_pool_get(&pool, &uses, space->padded));
  HK_TRY(hk_diagonal_of(op, own));
  hk_noise_uses(space, uses);
#pragma omp parallel for schedule(static)
  for (hk_index n = 0; n < space->padded; n++) {
    weight[n] = 0;
    for (int i = 0; i < c && uses[n]; i++)
      weight[n] += own[(hk_count)n * c * c + i * (c + 1)] / c / uses[n];
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status create(accuracy *a)
{
  hk_operator *op = a->desc->op;
  const hk_count real = op->desc.double_precision ? 8 : 4;
  HK_PASS(hk_pool_get(&a->pool, &a->weight, a->space->padded));
  HK_PASS(hk_pool_get(&a->pool, &a->r, a->dofs));
  HK_PASS(hk_pool_get(&a->pool, &a->bound, a->dofs));
  HK_PASS(hk_pool_get(&a->pool, &a->noise, a->dofs));
  HK_PASS(hk_buffer_get(&a->pool, op->desc.device, a->dofs * real, &a->in));
  HK_PASS(hk_buffer_get(&a->pool, op->desc.device, a->dofs * real, &a->out));
  return hk_accuracy_weights(op, a->weight);
}

/* bound := |T|^T bound */
static void transpose_bound(const hk_constraints *held, double *bound)
{
  for (hk_index i = 0; i < held->count; i++) {
    for (hk_index k = held->begin[i]; k < held->begin[i + 1]; k++)
      bound[held->master[k]] += fabs(held->weight[k]) * bound[held->dof[i]];
    bound[held->dof[i]] = 0;
  }
}

static double find_backward(const accuracy *a)
{
  double most = 0;
  for (hk_count i = 0; i < a->dofs; i++)
    if (a->r[i] != 0) most = hk_larger(most, fabs(a->r[i]) / a->bound[i]);
  return most;
}

static hk_status find_forward(accuracy *a, double *forward)
{
  const double unit = hk_accuracy_unit(a->desc->op);
  *forward = 0;
  if (!(a->most > 0)) return HK_OK;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < a->dofs; i++) a->noise[i] *= unit;
  hk_constraints_transpose(a->desc->held, a->noise);
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < a->dofs; i++) a->r[i] += a->noise[i];
  const int scale = hk_scale_find(a->r, a->dofs);
  hk_scale_by(-scale, a->r, a->dofs, a->r);
  HK_PASS(a->desc->solve(a->desc->user, a->r, a->noise));
  *forward = ldexp(hk_scale_most(a->noise, a->dofs), scale) / a->most;
  return HK_OK;
}

hk_status hk_accuracy_find(const hk_accuracy_desc *desc, const double *f, const double *u,
                           hk_accuracy *out)
{
  hk_status status = HK_OK;
  const hk_space *space = desc->op->desc.space;
  accuracy a = {.desc = desc, .space = space, .dofs = (hk_count)space->padded * space->components};
  double norm;
  *out = (hk_accuracy){0};
  a.most = hk_scale_most(u, a.dofs);
  HK_TRY(create(&a));
  HK_TRY(hk_residual(desc->op, desc->held, a.in, a.out, f, u, a.r, &norm));
  HK_TRY(hk_noise_add(space, hk_operator_differences(&desc->op->desc), a.weight, u, a.most, a.bound,
                      a.noise));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < a.dofs; i++) a.bound[i] += fabs(f[i]);
  transpose_bound(desc->held, a.bound);
  out->backward = find_backward(&a);
  HK_TRY(find_forward(&a, &out->forward));
cleanup:
  hk_pool_clear(&a.pool);
  return status;
}
