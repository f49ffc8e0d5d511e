/* A level: Chebyshev's iteration (A.9) with the inverse of A's diagonal blocks, residuals, and the largest eigenvalue of D^-1 A.
 * The blocks [nodes][block^2] come from the operator's kernel where it has one, else from the host; constraints fold what depends into its
 * masters and hold the rest (reduce_diagonal). hk_level_measure finds the eigenvalue by POWER_STEPS power iterations.
 * Vectors are [nodes][block] on the device; kernels are those of level.k.h. */
#include "solver/linear/multigrid/level.h"
#include "solver/linear/krylov.h"
#include "solver/linear/product.h"
#include <math.h>
#include <string.h>

enum { MOST_BLOCK = HK_MOST_BLOCK, POWER_STEPS = 16 };
enum { WITH_PRODUCT = 1, ADD_TO_X = 2, RESIDUAL_ONLY = 4 }; /* solver/linear/multigrid/level.k.h */

static hk_status take(hk_level *v, hk_buffer **out)
{
  const hk_count bytes = (hk_count)v->nodes * v->block * (v->double_precision ? 8 : 4);
  v->bytes += bytes;
  return hk_buffer_get(&v->pool, v->device, bytes, out);
}

hk_level hk_level_of(const hk_reduced *a, double ratio, int degree)
{
  const hk_operator_desc *desc = &a->op->desc;
  return (hk_level){.device = desc->device,
                    .double_precision = a->double_precision,
                    .block = desc->space->components,
                    .nodes = desc->space->padded,
                    .a = a,
                    .share = desc->share,
                    .most = 1,
                    .ratio = ratio,
                    .degree = degree};
}

hk_status hk_level_create(hk_level *v, bool own_vectors)
{
  if (own_vectors) {
    HK_PASS(take(v, &v->b));
    HK_PASS(take(v, &v->x));
  }
  HK_PASS(take(v, &v->r));
  HK_PASS(take(v, &v->d));
  HK_PASS(take(v, &v->ad));
  return hk_level_kernel(&v->pool, v->device, "level_smooth", v->block, v->block,
                         v->double_precision, &v->smooth);
}

void hk_level_destroy(hk_level *v)
{
  hk_pool_clear(&v->pool);
  hk_patches_destroy(&v->patches);
  hk_block_rows_destroy(&v->rows);
  hk_halo_destroy(&v->halo);
  *v = (hk_level){0};
}

static void put_inverse(const double *diagonal, int n, bool pointwise, int width, hk_index i,
                        double *to)
{
  double a[MOST_BLOCK * MOST_BLOCK];
  const int size = n * n;
  for (int q = 0; q < size; q++)
    a[q] = pointwise && q / n != q % n ? 0 : diagonal[(hk_count)i * size + q];
  hk_block_invert(n, a);
  for (int q = 0; q < size; q++) to[((hk_count)(i / width) * size + q) * width + i % width] = a[q];
}

hk_status hk_level_set_diagonal(hk_level *v, const double *diagonal, hk_index nodes, bool pointwise)
{
  hk_status status = HK_OK;
  double *inverse = NULL;
  const int width = hk_device_describe(v->device)->width, size = v->block * v->block;
  const hk_count count = (hk_count)v->nodes * size, bytes = count * (v->double_precision ? 8 : 4);
  HK_TRY(hk_get(&inverse, count));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < nodes; i++)
    put_inverse(diagonal, v->block, pointwise, width, i, inverse);
  HK_TRY(hk_buffer_get(&v->pool, v->device, bytes, &v->inverse));
  v->bytes += bytes;
  HK_TRY(hk_buffer_write_reals(v->inverse, v->double_precision, 0, count, inverse));
cleanup:
  hk_free(&inverse);
  return status;
}

/* What own rows read of x, where A is rows that ranks share. */
static hk_status exchange(const hk_level *v, hk_buffer *x)
{
  return v->halo && !v->a ? hk_halo_exchange(v->halo, x, v->block * (v->double_precision ? 8LL : 4))
                          : HK_OK;
}

/* ad = A x */
static hk_status multiply(const hk_level *v, hk_buffer *x, hk_buffer *to)
{
  HK_PASS(exchange(v, x));
  if (!v->a) return hk_block_rows_multiply(&v->rows, x, NULL, 1, to);
  if (!v->a->plain) HK_PASS(hk_reduced_fill(v->a, x));
  return hk_reduced_apply(v->a, x, to);
}

static hk_status step_of_nodes(const hk_level *v, const hk_buffer *from, hk_buffer *x, double c1,
                               double c2, int mode)
{
  const int group = hk_level_group(v->device);
  const hk_share_groups own = hk_sharing_cover(v->share, group, (v->nodes + group - 1) / group);
  return hk_kernel_launch(
      v->smooth, own.first, own.count,
      HK_ARGUMENTS(from, v->ad, v->r, v->d, x, v->inverse, c1, c2, mode, v->nodes));
}

static hk_status step(const hk_level *v, const hk_buffer *from, hk_buffer *x, double c1, double c2,
                      int mode)
{
  const hk_buffer *r = mode & WITH_PRODUCT ? v->r : from;
  if (!v->patches.step || mode & RESIDUAL_ONLY) return step_of_nodes(v, from, x, c1, c2, mode);
  if (mode & WITH_PRODUCT) HK_PASS(step_of_nodes(v, from, x, 0, 0, WITH_PRODUCT | RESIDUAL_ONLY));
  if (v->patches.halo) /* nodes of others, which nobody reads but here */
    HK_PASS(hk_halo_exchange(v->patches.halo, (hk_buffer *)r,
                             v->block * (v->double_precision ? 8LL : 4)));
  return hk_patches_step(&v->patches, r, v->d, x, c1, c2, mode);
}

hk_status hk_level_smooth(const hk_level *v, const hk_buffer *b, hk_buffer *x, bool zero)
{
  const double least = v->most / v->ratio, centre = (v->most + least) / 2,
               half = (v->most - least) / 2, sigma = centre / half;
  double rho = 1 / sigma;
  if (!zero) HK_PASS(multiply(v, x, v->ad));
  HK_PASS(step(v, b, x, 0, 1 / centre, zero ? 0 : WITH_PRODUCT | ADD_TO_X));
  for (int k = 1; k < v->degree; k++) {
    const double next = 1 / (2 * sigma - rho);
    HK_PASS(multiply(v, v->d, v->ad));
    HK_PASS(step(v, zero && k == 1 ? b : v->r, x, next * rho, 2 * next / half,
                 WITH_PRODUCT | ADD_TO_X));
    rho = next;
  }
  return HK_OK;
}

hk_status hk_level_residual(const hk_level *v, const hk_buffer *b, hk_buffer *x)
{
  if (!v->a) {
    HK_PASS(exchange(v, x));
    return hk_block_rows_multiply(&v->rows, x, b, -1, v->r);
  }
  HK_PASS(multiply(v, x, v->ad));
  return step(v, b, x, 0, 0, WITH_PRODUCT | RESIDUAL_ONLY);
}

/* x = D^-1 A x, by way of ad; d is overwritten. */
static hk_status power(const hk_level *v, hk_buffer *x)
{
  HK_PASS(multiply(v, x, v->ad));
  return step(v, v->ad, x, 0, 1, 0);
}

typedef struct measuring {
  const hk_level *level;
  hk_kernel *dot, *scatter;
  hk_buffer *part;
  double *sum, *mail; /* mail: of ranks that share rows */
  hk_index groups, n;
  hk_pool pool;
} measuring;

static hk_status create_measuring(measuring *k)
{
  const hk_level *v = k->level;
  const bool real = v->double_precision;
  HK_PASS(hk_krylov_kernel(&k->pool, v->device, "krylov", "krylov_scatter", real, &k->scatter));
  HK_PASS(hk_krylov_kernel(&k->pool, v->device, "krylov", "krylov_dot", real, &k->dot));
  HK_PASS(hk_buffer_get(&k->pool, v->device, k->groups * 8LL, &k->part));
  HK_PASS(hk_pool_get(&k->pool, &k->sum, k->groups));
  if (!v->share || !v->a) return HK_OK;
  return hk_pool_get(&k->pool, &k->mail, hk_sums_room(v->share, v->block, k->groups, 1));
}

/* Bytes [first, end) of x, fewer than a slice has, become zero. */
static hk_status clear_behind(hk_buffer *x, hk_count first, hk_count end)
{
  const char zero[256] = {0};
  for (hk_count at = first; at < end; at += (hk_count)sizeof zero)
    HK_PASS(hk_buffer_write(
        x, at, end - at < (hk_count)sizeof zero ? end - at : (hk_count)sizeof zero, zero));
  return HK_OK;
}

/* The parts of x . x; groups of shared rows whose cuts lie anywhere are summed by each rank, from all of x. */
static hk_status find_parts(const measuring *k, hk_buffer *x)
{
  const hk_level *v = k->level;
  if (v->share && !v->a) {
    const hk_count bytes = v->block * (v->double_precision ? 8LL : 4),
                   nodes = v->share->cut[v->share->count];
    HK_PASS(hk_sharing_gather_buffer(v->share, x, bytes));
    HK_PASS(clear_behind(x, nodes * bytes, v->nodes * bytes));
    return hk_kernel_launch(k->dot, 0, k->groups, HK_ARGUMENTS(x, x, k->part, k->n));
  }
  const hk_share_groups own = hk_sharing_groups(v->share, v->block, HK_KRYLOV_CHUNK, k->groups);
  HK_PASS(hk_kernel_launch(k->dot, own.first, own.count, HK_ARGUMENTS(x, x, k->part, k->n)));
  return v->share ? hk_sums_join(v->share, v->block, k->groups, 1, k->part, k->mail) : HK_OK;
}

static hk_status norm_of(const measuring *k, hk_buffer *x, double *norm)
{
  double sum = 0;
  HK_PASS(find_parts(k, x));
  HK_PASS(hk_buffer_read(k->part, 0, k->groups * 8LL, k->sum));
  for (hk_index g = 0; g < k->groups; g++) sum += k->sum[g];
  *norm = sqrt(sum);
  return HK_OK;
}

hk_status hk_level_measure(hk_level *v)
{
  hk_status status = HK_OK;
  const hk_index n = v->nodes * v->block;
  measuring k = {.level = v, .n = n, .groups = hk_krylov_groups(n)};
  double before, after;
  HK_TRY(hk_sharing_agree(v->share, create_measuring(&k)));
  HK_TRY(hk_kernel_launch(k.scatter, 0, k.groups, HK_ARGUMENTS(v->r, n)));
  for (int i = 0; i < POWER_STEPS; i++) HK_TRY(power(v, v->r));
  HK_TRY(norm_of(&k, v->r, &before));
  HK_TRY(power(v, v->r));
  HK_TRY(norm_of(&k, v->r, &after));
  v->most = before > 0 && isfinite(after) ? 1.15 * after / before : 1;
cleanup:
  hk_pool_clear(&k.pool);
  return status;
}

hk_status hk_level_invert(hk_level *v, const hk_buffer *diagonal, bool pointwise)
{
  hk_status status = HK_OK;
  const int group = hk_level_group(v->device);
  hk_pool pool = {0};
  hk_kernel *invert;
  HK_TRY(hk_level_kernel(&pool, v->device, "level_invert", v->block, v->block, v->double_precision,
                         &invert));
  HK_TRY(hk_buffer_get(&v->pool, v->device, hk_buffer_bytes(diagonal), &v->inverse));
  v->bytes += hk_buffer_bytes(v->inverse);
  HK_TRY(hk_kernel_launch(invert, 0, (v->nodes + group - 1) / group,
                          HK_ARGUMENTS(diagonal, v->inverse, pointwise, v->nodes)));
  HK_TRY(hk_device_finish(v->device));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* On the device, where the operator has its diagonal there. */
static hk_status take_diagonal(hk_level *v, bool pointwise)
{
  hk_status status = HK_OK;
  const hk_reduced *a = v->a;
  const int group = hk_level_group(v->device), size = v->block * v->block;
  const hk_count bytes = (hk_count)v->nodes * size * (v->double_precision ? 8 : 4);
  hk_pool pool = {0};
  hk_buffer *diagonal;
  hk_kernel *hold;
  HK_TRY(hk_level_kernel(&pool, v->device, "level_hold", v->block, v->block, v->double_precision,
                         &hold));
  HK_TRY(hk_buffer_get(&pool, v->device, bytes, &diagonal));
  HK_TRY(a->op->kind->diagonal(a->op, diagonal));
  HK_TRY(hk_kernel_launch(hold, 0, (a->count + group - 1) / group,
                          HK_ARGUMENTS(a->dof, diagonal, a->count)));
  HK_TRY(hk_level_invert(v, diagonal, pointwise));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* What a dependent degree of freedom adds to its masters: weight^2 K_dd; its own row and column are held. */
static void reduce_diagonal(const hk_constraints *c, int n, double *diagonal)
{
  const int size = n * n;
  for (hk_index i = 0; i < c->count; i++) {
    const double own = diagonal[(hk_count)(c->dof[i] / n) * size + c->dof[i] % n * (n + 1)];
    for (hk_index e = c->begin[i]; e < c->begin[i + 1]; e++)
      diagonal[(hk_count)(c->master[e] / n) * size + c->master[e] % n * (n + 1)] +=
          c->weight[e] * c->weight[e] * own;
  }
  for (hk_index i = 0; i < c->count; i++)
    for (int k = 0; k < n; k++) {
      double *own = diagonal + (hk_count)(c->dof[i] / n) * size;
      own[c->dof[i] % n * n + k] = own[k * n + c->dof[i] % n] = 0;
    }
}

/* diagonal[nodes][block^2] of A; freed by the caller, also after a failure. */
static hk_status get_diagonal(const hk_level *v, const hk_constraints *constraints,
                              double **diagonal)
{
  HK_PASS(hk_get(diagonal, (hk_count)v->nodes * v->block * v->block));
  HK_PASS(hk_diagonal_of(v->a->op, *diagonal));
  reduce_diagonal(constraints, v->block, *diagonal);
  return HK_OK;
}

hk_status hk_level_find_patches(hk_level *v, const hk_constraints *constraints)
{
  hk_status status = HK_OK;
  double *diagonal = NULL;
  HK_TRY(get_diagonal(v, constraints, &diagonal));
  HK_TRY(hk_patches_create(v->a->op, constraints, diagonal, &v->patches));
  v->bytes += v->patches.bytes;
cleanup:
  hk_free(&diagonal);
  return status;
}

hk_status hk_level_find_diagonal(hk_level *v, const hk_constraints *constraints, bool pointwise)
{
  hk_status status = HK_OK;
  double *diagonal = NULL;
  if (v->a->op->kind->diagonal && v->a->plain) return take_diagonal(v, pointwise);
  HK_TRY(get_diagonal(v, constraints, &diagonal));
  HK_TRY(hk_level_set_diagonal(v, diagonal, v->nodes, pointwise));
cleanup:
  hk_free(&diagonal);
  return status;
}
