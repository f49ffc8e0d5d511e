/* The largest frequency of K v = omega^2 M v by Lanczos's iteration on A = M^-1/2 K M^-1/2, with the held rows projected out:
 *
 *   w = A v_n - beta_(n-1) v_(n-1),   alpha_n = v_n . w,   w -= alpha_n v_n,   beta_n = |w|,   v_(n+1) = w / beta_n
 *
 * The vectors stay on the operator's device (solver/frequency/lanczos.k.h); the host reads alpha_n and beta_n of each iteration. The eigenvalues of the
 * tridiagonal matrix come from Sturm sequences and bisection; (W.13) bounds their distance from some eigenvalue, (W.24) the chance that a larger one
 * has not shown itself. */
#include "solver/frequency/frequency.h"
#include <math.h>

enum { CHUNK = 4096, LIST = 256, PIECE = 1 << 20 };

/* Number of eigenvalues of the tridiagonal matrix (a, b) below x: Sturm's sequence. */
static int below(const double *a, const double *b, int n, double x)
{
  int count = 0;
  double q = 1;
  for (int i = 0; i < n; i++) {
    q = a[i] - x - (i ? b[i - 1] * b[i - 1] / q : 0);
    if (q == 0) q = 1e-300;
    count += q < 0;
  }
  return count;
}

static double largest_eigenvalue(const double *a, const double *b, int n)
{
  double high = 0, low = 0;
  for (int i = 0; i < n; i++) {
    const double reach = fabs(a[i]) + (i ? fabs(b[i - 1]) : 0) + (i < n - 1 ? fabs(b[i]) : 0);
    if (reach > high) high = reach;
  }
  for (int k = 0; k < 60; k++) {
    const double middle = 0.5 * (low + high);
    if (below(a, b, n, middle) < n)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* Last component of the unit eigenvector of the largest eigenvalue: times b[n - 1] it bounds the error (W.13). */
static double last_component(const double *a, const double *b, int n, double value)
{
  double previous = 0, now = 1, sum = 1;
  for (int i = 0; i + 1 < n; i++) {
    const double next = ((value - a[i]) * now - (i ? b[i - 1] * previous : 0)) / b[i];
    previous = now, now = next, sum += next * next;
    if (sum > 1e200) previous /= 1e100, now /= 1e100, sum /= 1e200;
  }
  return fabs(now) / sqrt(sum);
}

/* of hk_buffer scalar, as lanczos.k.h has them */
enum { ALPHA, BETA, SCALARS };

typedef struct kernels {
  hk_kernel *multiply, *subtract, *advance, *hold, *fold;
} kernels;

typedef struct held_rows {
  hk_index bundles; /* of rows that share degrees of freedom */
  hk_buffer *bundle, *begin, *dof, *unit;
} held_rows;

typedef struct lanczos {
  hk_pool pool; /* of the arrays */
  hk_operator *op;
  kernels run;
  held_rows held;
  hk_buffer *u, *ku;               /* [n] reals of the operator */
  hk_buffer *v, *w, *scale, *part; /* doubles: [n], [n], [n / components], [groups] */
  hk_buffer *scalar;               /* [SCALARS] doubles */
  hk_index n, groups;              /* degrees of freedom, padding counted */
} lanczos;

static hk_status find_kernel(lanczos *z, const char *function, hk_kernel **out)
{
  const hk_operator_desc *desc = &z->op->desc;
  const hk_device_info *info = hk_device_describe(desc->device);
  const hk_count sums = (hk_count)info->group_threads * info->lanes;
  return hk_kernel_get(
      &z->pool, desc->device,
      &(hk_kernel_desc){
          .text = "lanczos",
          .function = function,
          .double_precision = desc->double_precision,
          .define = {{"CHUNK", CHUNK}, {"DIM", desc->space->components}, {"LIST", LIST}},
          .local = 2 * hk_local_bytes(sums, 8)},
      out);
}

static hk_status find_kernels(lanczos *z)
{
  HK_PASS(find_kernel(z, "lanczos_multiply", &z->run.multiply));
  HK_PASS(find_kernel(z, "lanczos_subtract", &z->run.subtract));
  HK_PASS(find_kernel(z, "lanczos_advance", &z->run.advance));
  if (z->held.bundles) HK_PASS(find_kernel(z, "lanczos_hold", &z->run.hold));
  return find_kernel(z, "lanczos_fold", &z->run.fold);
}

/* scale[node] = M^-1/2, 0 on padding. */
static hk_status send_scale(lanczos *z, const double *mass, double *scale)
{
  const hk_space *space = z->op->desc.space;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < space->padded; i++)
    scale[i] = space->mesh_node[i] >= 0 ? 1 / sqrt(mass[i]) : 0;
  return hk_buffer_send(&z->pool, z->op->desc.device, 8LL * space->padded, scale, &z->scale);
}

/* unit[entry]: the rows times M^-1/2, of length 1. */
static void scale_rows(const hk_sparse *held, int components, const double *scale, double *unit)
{
  for (hk_index r = 0; r < held->rows; r++) {
    double square = 0;
    for (hk_index p = held->begin[r]; p < held->begin[r + 1]; p++) {
      unit[p] = held->weight[p] * scale[held->dof[p] / components];
      square += unit[p] * unit[p];
    }
    for (hk_index p = held->begin[r]; p < held->begin[r + 1]; p++) unit[p] /= sqrt(square);
  }
}

/* Rows of one node lie side by side (load/excitation.h) and are a bundle; other rows share nothing. bundle[bundles + 1]: the first row of each. */
static hk_index bundle_rows(const hk_sparse *held, int components, hk_index *bundle)
{
  hk_index bundles = 0;
  for (hk_index r = 0; r < held->rows; r++) {
    const bool same =
        r > 0 && held->begin[r] < held->begin[r + 1] && held->begin[r - 1] < held->begin[r] &&
        held->dof[held->begin[r]] / components == held->dof[held->begin[r - 1]] / components;
    if (!same) bundle[bundles++] = r;
  }
  bundle[bundles] = held->rows;
  return bundles;
}

static hk_status send_rows(lanczos *z, const hk_sparse *held, const double *scale)
{
  hk_status status = HK_OK;
  hk_device *device = z->op->desc.device;
  const int components = z->op->desc.space->components;
  const hk_count rows = held->rows, entries = rows ? held->begin[rows] : 0;
  hk_index *bundle = NULL;
  double *unit = NULL;
  if (!rows) return HK_OK;
  HK_TRY(hk_get(&bundle, rows + 1));
  HK_TRY(hk_get(&unit, entries));
  scale_rows(held, components, scale, unit);
  z->held.bundles = bundle_rows(held, components, bundle);
  HK_TRY(hk_buffer_send(&z->pool, device, 4LL * (z->held.bundles + 1), bundle, &z->held.bundle));
  HK_TRY(hk_buffer_send(&z->pool, device, 4 * (rows + 1), held->begin, &z->held.begin));
  HK_TRY(hk_buffer_send(&z->pool, device, 4 * entries, held->dof, &z->held.dof));
  HK_TRY(hk_buffer_send(&z->pool, device, 8 * entries, unit, &z->held.unit));
cleanup:
  hk_free(&bundle);
  hk_free(&unit);
  return status;
}

static hk_status hold(const lanczos *z)
{
  const held_rows *h = &z->held;
  if (!h->bundles) return HK_OK;
  return hk_kernel_launch(z->run.hold, 0, (h->bundles + LIST - 1) / LIST,
                          HK_ARGUMENTS(h->bundle, h->begin, h->dof, h->unit, z->w, h->bundles));
}

static hk_status fold(const lanczos *z, int place)
{
  return hk_kernel_launch(z->run.fold, 0, 1, HK_ARGUMENTS(z->part, z->scalar, z->groups, place));
}

/* Takes the multiple of v out of w; beta = |w|. Waits for both coefficients. */
static hk_status subtract(const lanczos *z, double scalar[SCALARS])
{
  HK_PASS(hold(z));
  HK_PASS(hk_kernel_launch(z->run.subtract, 0, z->groups,
                           HK_ARGUMENTS(z->scalar, z->v, z->w, z->part, z->n)));
  HK_PASS(fold(z, BETA));
  return hk_buffer_read(z->scalar, 0, 8 * SCALARS, scalar);
}

/* v = w / beta, and w = A v - beta v_before. What rounding left of the held rows in v is taken out, for the next vector would have alpha / beta as much. */
static hk_status multiply(lanczos *z)
{
  HK_PASS(hk_kernel_launch(z->run.advance, 0, z->groups,
                           HK_ARGUMENTS(z->scalar, z->scale, z->w, z->u, z->n)));
  HK_PASS(hold(z));
  hk_buffer *const before = z->v;
  z->v = z->w, z->w = before;
  HK_PASS(hk_operator_apply(z->op, &(hk_epilogue){.form = HK_FORM_STORE, .u = z->u, .out = z->ku}));
  HK_PASS(hk_kernel_launch(z->run.multiply, 0, z->groups,
                           HK_ARGUMENTS(z->scalar, z->scale, z->ku, z->v, z->w, z->part, z->n)));
  return fold(z, ALPHA);
}

/* The k-th number behind 12345 of the generator x -> 1664525 x + 1013904223. */
static uint32_t random_at(hk_count k)
{
  uint32_t factor = 1664525U, term = 1013904223U, x = 12345U;
  for (; k; k /= 2) {
    if (k % 2) x = factor * x + term;
    term += factor * term, factor *= factor;
  }
  return x;
}

/* some[i]: number first + i of the start vector, between -1/2 and 1/2; 0 on padding. */
static void fill_start(const hk_space *space, hk_count first, hk_count count, double *some)
{
  enum { RUN = 4096 };
#pragma omp parallel for schedule(static)
  for (hk_count run = 0; run < count; run += RUN) {
    const hk_count end = run + RUN < count ? run + RUN : count;
    uint32_t random = random_at(first + run);
    for (hk_count i = run; i < end; i++) {
      random = random * 1664525U + 1013904223U;
      some[i] = space->mesh_node[(first + i) / space->components] >= 0
                    ? (double)random / 4294967296.0 - 0.5
                    : 0;
    }
  }
}

/* w = the start vector without what is held; *norm = its length. */
static hk_status start(lanczos *z, double *norm)
{
  hk_status status = HK_OK;
  double *some = NULL, scalar[SCALARS];
  HK_TRY(hk_get(&some, z->n < PIECE ? z->n : PIECE));
  for (hk_count first = 0; first < z->n; first += PIECE) {
    const hk_count count = z->n - first < PIECE ? z->n - first : PIECE;
    fill_start(z->op->desc.space, first, count, some);
    HK_TRY(hk_buffer_write(z->w, 8 * first, 8 * count, some));
  }
  HK_TRY(subtract(z, scalar));
  *norm = scalar[BETA];
cleanup:
  hk_free(&some);
  return status;
}

/* Iterations from a random vector of n numbers after which the chance that more than the part `missed` of the largest frequency is wanting is below
 * 1e-6, whatever the eigenvalues are (W.24). */
static double needed_iterations(hk_index n, double missed)
{
  return 0.5 * (log(1.648e6 * sqrt((double)n)) / sqrt(2 * missed) + 1);
}

/* near: the last value that (W.13) showed to be close to an eigenvalue. (W.13) fails many iterations later, when the tridiagonal matrix has that
 * value twice. */
static hk_status iterate(lanczos *z, int most, double needed, double *omega, bool *converged)
{
  double a[HK_FREQUENCY_ITERATIONS], b[HK_FREQUENCY_ITERATIONS], value = 0, near = 0, norm = 0;
  *omega = 0;
  HK_PASS(start(z, &norm));
  *converged = !(norm > 0); /* then everything is held */
  for (int n = 0; n < most && n < HK_FREQUENCY_ITERATIONS && !*converged; n++) {
    double scalar[SCALARS];
    HK_PASS(multiply(z));
    HK_PASS(subtract(z, scalar));
    a[n] = scalar[ALPHA], b[n] = scalar[BETA];
    value = largest_eigenvalue(a, b, n + 1);
    HK_NEED(isfinite(b[n]) && isfinite(value), HK_BAD_INPUT,
            "the stiffness over the mass is not a number: check the units of the materials");
    if (b[n] * last_component(a, b, n + 1, value) <= 1e-3 * value) near = value;
    *converged = !(b[n] > 1e-10 * value) || (n + 1 >= needed && value - near <= 1e-3 * value);
  }
  *omega = sqrt(value);
  return HK_OK;
}

static hk_status create_vectors(lanczos *z)
{
  hk_device *device = z->op->desc.device;
  const hk_count bytes = (hk_count)z->n * (z->op->desc.double_precision ? 8 : 4);
  HK_PASS(hk_buffer_get(&z->pool, device, bytes, &z->u));
  HK_PASS(hk_buffer_get(&z->pool, device, bytes, &z->ku));
  HK_PASS(hk_buffer_get(&z->pool, device, 8LL * z->n, &z->v));
  HK_PASS(hk_buffer_get(&z->pool, device, 8LL * z->n, &z->w));
  HK_PASS(hk_buffer_get(&z->pool, device, 8LL * z->groups, &z->part));
  return hk_buffer_get(&z->pool, device, 8 * SCALARS, &z->scalar);
}

hk_count hk_largest_frequency_plan(const hk_space *space, bool double_precision)
{
  const hk_count each = 2 * 8 + 2 * (double_precision ? 8 : 4);
  return space->padded * (each * space->components + 8);
}

hk_status hk_largest_frequency(hk_operator *op, const double *mass, const hk_sparse *held, int most,
                               double missed, double *omega, bool *converged)
{
  hk_status status = HK_OK;
  const hk_space *space = op->desc.space;
  lanczos z = {.op = op};
  double *scale = NULL;

  HK_TRY(hk_narrow((hk_count)space->padded * space->components,
                   "degrees of freedom, padding counted,", &z.n));
  z.groups = (z.n - 1) / CHUNK + 1;
  HK_TRY(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  HK_TRY(hk_get(&scale, space->padded));
  HK_TRY(send_scale(&z, mass, scale));
  HK_TRY(send_rows(&z, held, scale));
  hk_free(&scale);
  HK_TRY(find_kernels(&z));
  HK_TRY(create_vectors(&z));
  HK_TRY(iterate(&z, most, needed_iterations(z.n, missed), omega, converged));
cleanup:
  hk_free(&scale);
  hk_pool_clear(&z.pool);
  return status;
}
