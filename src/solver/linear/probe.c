/* Motions without stiffness, by iteration d := d - S A d from a random d that fulfils the constraints, S the solver (seek).
 * What does not fall to nothing is judged by R(d) (A.19). Vectors that are known are projected out (deflate); those of one null space are
 * turned by Householder reflections until each moves alone at its own pivot (tell_apart), so that messages name one place per mechanism. */
#include "solver/linear/probe.h"
#include "solver/linear/accuracy.h"
#include "solver/linear/product.h"
#include "solver/linear/scale.h"
#include <math.h>

/* R of a null vector at most. Measured: 5e-18 to 3e-16 of hinges and of modes of reduced integration with every method; 3e-13 and more of a
 * beam 10^6 times as long as thick. */
static const double NULL_RATIO = 2e-15;
/* Parts of |w| / sqrt(n): a null vector's part of a random w is 1 in the mean, and below this once in a thousand. */
static const double NOTHING = 1e-3;
enum {
  MOST_ROUNDS = 12,
  MOST_MODES = 12,
  RUN = 4096 /* elements that are summed by one thread */,
  PARTS = 64 /* of sums over vectors */
};

typedef struct probe {
  const hk_probe_desc *desc;
  const hk_space *space;
  hk_count dofs, free;
  hk_operator *op, *twin; /* in double; twin: made for it */
  hk_buffer *in, *out;
  double *d, *f, *u;
  double *weight; /* weight[internal node]: D_n over the elements of the node; NULL: not yet */
  hk_pool pool;   /* of these buffers and arrays */
  hk_null_modes found;
} probe;

void hk_null_modes_clear(hk_null_modes *modes)
{
  hk_free(&modes->mode);
  *modes = (hk_null_modes){0};
}

/* Residuals in single precision do not tell a slender body from a mechanism: K once more, in double. */
static hk_status create_operator(probe *p)
{
  hk_operator_desc desc = p->desc->op->desc;
  p->op = p->desc->op;
  if (!desc.double_precision) {
    desc.double_precision = true;
    HK_PASS(hk_operator_create(p->op->kind, &desc, &p->twin));
    HK_PASS(hk_operator_bind(p->twin, HK_FORM_STORE, false, 1));
    p->op = p->twin;
  }
  HK_PASS(hk_buffer_get(&p->pool, desc.device, p->dofs * 8, &p->in));
  return hk_buffer_get(&p->pool, desc.device, p->dofs * 8, &p->out);
}

static hk_status create(probe *p)
{
  HK_PASS(hk_pool_get(&p->pool, &p->d, p->dofs));
  HK_PASS(hk_pool_get(&p->pool, &p->f, p->dofs));
  HK_PASS(hk_pool_get(&p->pool, &p->u, p->dofs));
  return create_operator(p);
}

static void clear(probe *p)
{
  hk_pool_clear(&p->pool);
  hk_operator_destroy(&p->twin);
  hk_null_modes_clear(&p->found);
}

/* Of parts that do not depend on the number of threads, added in order. */
static double dot(const double *a, const double *b, hk_count n)
{
  double part[PARTS], sum = 0;
#pragma omp parallel for schedule(static)
  for (int k = 0; k < PARTS; k++) {
    part[k] = 0;
    for (hk_count i = n * k / PARTS; i < n * (k + 1) / PARTS; i++) part[k] += a[i] * b[i];
  }
  for (int k = 0; k < PARTS; k++) sum += part[k];
  return sum;
}

static double norm(const double *v, hk_count n)
{
  return sqrt(dot(v, v, n));
}

/* d = w, which fulfils the constraints: the same for the same seed, on any machine. */
static void begin(probe *p, int seed)
{
  const int components = p->space->components;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < p->dofs; i++) {
    const int64_t key[2] = {seed, i};
    const uint64_t bits = hk_hash(key, sizeof key, 0) >> 11;
    p->d[i] = p->space->mesh_node[i / components] < 0 ? 0 : (double)bits / (1LL << 52) - 1;
  }
  hk_constraints_apply(p->desc->held, p->d);
}

/* d -= its part in the null vectors that are known, twice against rounding. */
static void deflate(probe *p)
{
  for (int times = 0; times < 2; times++)
    for (int k = 0; k < p->found.count; k++) {
      const double *z = p->found.mode + k * p->dofs, part = dot(z, p->d, p->dofs);
      for (hk_count i = 0; i < p->dofs; i++) p->d[i] -= part * z[i];
    }
}

typedef struct nearing {
  const probe *p;
  int scale;    /* d is near 2^scale u */
  double least; /* of |d - 2^scale u| */
} nearing;

/* Whether so little of d would be left that A is regular. */
static bool is_near(void *data, const double *u, double residual)
{
  const nearing *s = data;
  const double factor = ldexp(1, s->scale), *d = s->p->d;
  const hk_count n = s->p->dofs;
  double part[PARTS], sum = 0;
  (void)residual;
#pragma omp parallel for schedule(static)
  for (int k = 0; k < PARTS; k++) {
    part[k] = 0;
    for (hk_count i = n * k / PARTS; i < n * (k + 1) / PARTS; i++)
      part[k] += (d[i] - factor * u[i]) * (d[i] - factor * u[i]);
  }
  for (int k = 0; k < PARTS; k++) sum += part[k];
  return sqrt(sum) <= s->least;
}

/* d := d - S A d, which may end once |d| is `least`; 0: S decides. f is near 1 for S, whatever the units. */
static hk_status improve(probe *p, double least)
{
  HK_PASS(hk_product(p->op, p->in, p->out, p->d, p->f));
  const int scale = hk_scale_find(p->f, p->dofs);
  hk_scale_by(-scale, p->f, p->dofs, p->f);
  nearing near = {p, scale, least};
  const hk_enough enough = {is_near, &near};
  HK_PASS(p->desc->solve(p->desc->user, p->f, p->u, least > 0 ? &enough : NULL));
  hk_scale_by(scale, p->u, p->dofs, p->u);
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < p->dofs; i++) p->d[i] -= p->u[i];
  deflate(p);
  return HK_OK;
}

static hk_count runs_of(const hk_block *block)
{
  return (block->count + RUN - 1) / RUN;
}

/* sum over the nodes of an element of D_n |d_n - mean|^2 */
static double spread(const probe *p, const hk_index *node, int nodes)
{
  const int components = p->space->components;
  double mean[HK_MOST_EQUATIONS] = {0}, sum = 0;
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < components; c++)
      mean[c] += p->d[(hk_count)p->space->node[node[n]] * components + c] / nodes;
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < components; c++) {
      const hk_index i = p->space->node[node[n]];
      const double y = p->d[(hk_count)i * components + c] - mean[c];
      sum += p->weight[i] * y * y;
    }
  return sum;
}

/* Of the elements of a block: sums of RUN elements are summed in order, so that the bits are the same for any number of threads. */
static double spread_of_block(const probe *p, const hk_block *block, double *sums)
{
  const hk_count runs = runs_of(block);
  double sum = 0;
#pragma omp parallel for schedule(static)
  for (hk_count k = 0; k < runs; k++) {
    const hk_count end = (k + 1) * RUN < block->count ? (k + 1) * RUN : block->count;
    sums[k] = 0;
    for (hk_count e = k * RUN; e < end; e++)
      sums[k] += spread(p, block->node + e * block->nodes, block->nodes);
  }
  for (hk_count k = 0; k < runs; k++) sum += sums[k];
  return sum;
}

static hk_status spread_of_all(const probe *p, double *all)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = p->space->mesh;
  double *sums = NULL;
  hk_count most = 1;
  for (int b = 0; b < mesh->block_count; b++)
    if (runs_of(&mesh->block[b]) > most) most = runs_of(&mesh->block[b]);
  HK_TRY(hk_get(&sums, most));
  *all = 0;
  for (int b = 0; b < mesh->block_count; b++) *all += spread_of_block(p, &mesh->block[b], sums);
cleanup:
  hk_free(&sums);
  return status;
}

/* R(d), (A.19) */
static hk_status judge(probe *p, double *ratio)
{
  const double size = norm(p->d, p->dofs);
  double below;
  if (!p->weight) {
    HK_PASS(hk_pool_get(&p->pool, &p->weight, p->space->padded));
    HK_PASS(hk_accuracy_weights(p->op, p->weight));
  }
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < p->dofs; i++) p->d[i] /= size;
  HK_PASS(hk_product(p->op, p->in, p->out, p->d, p->f));
  HK_PASS(spread_of_all(p, &below));
  *ratio = fabs(dot(p->d, p->f, p->dofs)) / below;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < p->dofs; i++) p->d[i] *= size;
  return HK_OK;
}

/* One null vector orthogonal to those that are known, in d; *yes. */
static hk_status seek(probe *p, int seed, bool *yes)
{
  double ratio, before = INFINITY, size, size_before = INFINITY;
  *yes = false;
  begin(p, seed);
  deflate(p);
  const double least = NOTHING / sqrt((double)p->dofs) * norm(p->d, p->dofs);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    HK_PASS(improve(p, round == 0 ? 0.9 * least : 0));
    size = norm(p->d, p->dofs);
    HK_NEED(isfinite(size), HK_NOT_CONVERGED,
            "the solution is not a number: the matrix is singular");
    if (size <= least) return HK_OK;
    HK_PASS(judge(p, &ratio));
    *yes = ratio <= NULL_RATIO;
    /* neither falls: the lowest motion of a regular matrix, which S cannot tell from nothing */
    if (*yes || (!(ratio < 0.5 * before) && !(size < 0.5 * size_before))) return HK_OK;
    before = ratio, size_before = size;
  }
  return HK_OK;
}

static hk_status keep(probe *p)
{
  const double size = norm(p->d, p->dofs);
  HK_PASS(hk_resize(&p->found.mode, (p->found.count + 1) * p->dofs));
  double *z = p->found.mode + p->found.count++ * p->dofs;
  for (hk_count i = 0; i < p->dofs; i++) z[i] = p->d[i] / size;
  return HK_OK;
}

/* Where the vectors from the k-th on move most: sum over them of z_i^2 does not depend on their choice. Of equal ones the first of the mesh. */
static hk_count find_pivot(const hk_space *space, const hk_null_modes *m, int k)
{
  const int components = space->components;
  const double equal = 1e-6;
  hk_count best = 0;
  double most = 0;
  for (hk_count n = 0; n < space->mesh->node_count; n++)
    for (int c = 0; c < components && space->node[n] >= 0; c++) {
      const hk_count i = (hk_count)space->node[n] * components + c;
      double sum = 0;
      for (int j = k; j < m->count; j++) sum += m->mode[j * m->dofs + i] * m->mode[j * m->dofs + i];
      if (sum > most * (1 + equal)) most = sum, best = i;
    }
  return best;
}

/* Turns the orthonormal vectors from the k-th on so that it alone moves at i: v_j -= 2 h_j sum h v, a Householder reflection. */
static void turn(hk_null_modes *m, int k, hk_count i)
{
  double h[MOST_MODES] = {0}, size = 0, length = 0;
  for (int j = k; j < m->count; j++) h[j] = m->mode[j * m->dofs + i], size += h[j] * h[j];
  h[k] += h[k] < 0 ? -sqrt(size) : sqrt(size);
  for (int j = k; j < m->count; j++) length += h[j] * h[j];
  if (!(length > 0)) return;
  for (hk_count at = 0; at < m->dofs; at++) {
    double sum = 0;
    for (int j = k; j < m->count; j++) sum += h[j] * m->mode[j * m->dofs + at];
    for (int j = k; j < m->count; j++) m->mode[j * m->dofs + at] -= 2 * h[j] / length * sum;
  }
}

/* Of orthonormal vectors to such as name one place each: each is 1 at its own pivot and 0 at those of the others. They do not depend on the
 * vectors that they are made of, but on the space that these span. */
static void tell_apart(const hk_space *space, hk_null_modes *m)
{
  hk_count pivot[MOST_MODES];
  for (int k = 0; k < m->count; k++) turn(m, k, pivot[k] = find_pivot(space, m, k));
  for (int k = m->count - 1; k >= 0; k--) {
    double *own = m->mode + k * m->dofs;
    const double at_pivot = own[pivot[k]];
    for (hk_count i = 0; i < m->dofs; i++) own[i] /= at_pivot;
    for (int j = 0; j < k; j++) {
      double *other = m->mode + j * m->dofs;
      const double part = other[pivot[k]];
      for (hk_count i = 0; i < m->dofs; i++) other[i] -= part * own[i];
    }
  }
}

hk_status hk_probe_find(const hk_probe_desc *desc, hk_null_modes *out)
{
  hk_status status = HK_OK;
  const hk_space *space = desc->op->desc.space;
  probe p = {.desc = desc, .space = space, .dofs = (hk_count)space->padded * space->components};
  bool yes = true;
  *out = (hk_null_modes){0};
  p.found.dofs = p.dofs;
  if (desc->held->count >= (hk_count)space->nodes * space->components) return HK_OK;
  HK_TRY(create(&p));
  while (yes && p.found.count < MOST_MODES) {
    HK_TRY(seek(&p, p.found.count + 1, &yes));
    if (yes) HK_TRY(keep(&p));
  }
  p.found.more = yes;
  tell_apart(space, &p.found);
  *out = p.found, p.found = (hk_null_modes){0};
cleanup:
  clear(&p);
  return status;
}
