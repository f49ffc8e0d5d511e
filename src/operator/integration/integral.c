/* Integrals of element matrices (I.1) from create to result: chooses a plan (plan.h, tune.h), sends the tables of the reference element and the
 * coordinates, then for each launch prepares Jacobian terms where the way wants them, runs the way's kernel, looks for folded elements, and hands
 * the matrices over: to the host part by part (hk_integral_run) or to a buffer (hk_integral_fill). */
#include "operator/integration/parts.h"
#include <string.h>

static const double LONG = 5e10;

static const char *const way_name[HK_INTEGRAL_WAYS] = {
    "auto", "REG_JAC", "REG_NOJAC", "SHM_JAC", "SHM_NOJAC", "points", "products", "factorised"};

const char *hk_integral_way_name(hk_integral_way way)
{
  return way_name[way];
}

const hk_integral_plan *hk_integral_describe(const hk_integral *t)
{
  return &t->plan;
}

double hk_integral_seconds(const hk_integral *t, hk_integral_stage stage)
{
  return t->seconds[stage];
}

static bool is_factorised(const hk_integral *t)
{
  return t->plan.way == HK_INTEGRAL_FACTORISED;
}

static bool is_paper(const hk_integral *t)
{
  return t->plan.way < HK_INTEGRAL_POINTS;
}

/* Whether the integrals take longer unoptimised than their kernel takes to be optimised, 15 s or so. */
static bool is_long(const hk_integral *t)
{
  double useful, performed;
  hk_integral_operations(t, &useful, &performed);
  return hk_device_describe(t->desc.device)->unoptimised &&
         useful * (double)t->desc.elements > LONG;
}

static hk_status create_kernel(hk_integral *t)
{
  const hk_integral_plan *plan = &t->plan;
  const bool shm = plan->way == HK_INTEGRAL_SHM_JAC || plan->way == HK_INTEGRAL_SHM_NOJAC;
  const int equations = t->desc.coefficients.equations, elastic = t->desc.coefficients.elastic;
  const hk_kernel_desc paper = {.text = "quadrature",
                                .function = "quadrature_parts",
                                .double_precision = t->desc.double_precision,
                                .define = {{"CORNERS", hk_integral_corners(t)},
                                           {"DIRECTIONS", t->directions},
                                           {"ELASTIC", elastic},
                                           {"EQUATIONS", equations},
                                           {"JACOBIAN", !hk_integral_reads_jacobians(t)},
                                           {"MOST", t->desc.reference->shapes},
                                           {"PART", plan->blocks * plan->threads},
                                           {"STORE", shm}},
                                .local = plan->local,
                                .threads = plan->threads};
  hk_kernel_desc ours = {.text = "products",
                         .function = "products_elements",
                         .double_precision = t->desc.double_precision,
                         .define = {{"BATCH", plan->batch},
                                    {"CHUNK", plan->chunk},
                                    {"CORNERS", hk_integral_corners(t)},
                                    {"DIRECTIONS", t->directions},
                                    {"ELASTIC", elastic},
                                    {"ELEMENTS", plan->most_elements},
                                    {"EQUATIONS", equations},
                                    {"JACOBIAN", !hk_integral_reads_jacobians(t)},
                                    {"POINTWISE", plan->way == HK_INTEGRAL_POINTS},
                                    {"SPAN", plan->span},
                                    {"TILE", plan->tile}},
                         .local = plan->local,
                         .threads = plan->threads,
                         .lanes = hk_integral_lanes(t),
                         .optimised = is_long(t)};
  if (is_factorised(t)) hk_integral_factors_kernel(t, &ours);
  if (plan->split) hk_integral_whole_kernel(t, &ours);
  HK_PASS(hk_kernel_get(&t->pool, t->desc.device, is_paper(t) ? &paper : &ours, &t->kernel));
  if (is_paper(t) || !hk_integral_reads_jacobians(t)) return HK_OK;
  ours.function = is_factorised(t) ? "factorised_terms" : "products_terms", ours.local = 0;
  return hk_kernel_get(&t->pool, t->desc.device, &ours, &t->terms_kernel);
}

/* phi[points][4][stride], zero behind the last function. */
static hk_status send_functions(hk_integral *t)
{
  hk_status status = HK_OK;
  const hk_reference *r = t->desc.reference;
  const int reach = t->plan.tile * t->plan.span;
  double *phi = NULL;
  t->tables.stride = is_paper(t) ? r->shapes : (r->shapes + reach - 1) / reach * reach;
  const hk_count size = (hk_count)r->points * 4 * t->tables.stride;
  HK_TRY(hk_get(&phi, size));
  for (hk_count k = 0; k < (hk_count)r->points * 4; k++)
    memcpy(phi + k * t->tables.stride, r->phi + k * r->shapes, (size_t)r->shapes * sizeof *phi);
  HK_TRY(hk_buffer_send_reals(&t->pool, t->desc.device, t->desc.double_precision, size, phi,
                              &t->tables.phi));
cleanup:
  hk_free(&phi);
  return status;
}

/* SIZE_* of operator/integration/points.k.h. */
static hk_status send_sizes(hk_integral *t)
{
  const hk_reference *r = t->desc.reference;
  const bool half = t->plan.way == HK_INTEGRAL_PRODUCTS || t->symmetric;
  const int32_t size[] = {r->shapes,
                          t->tables.stride,
                          r->points,
                          r->corners,
                          (int32_t)hk_integral_constants(t),
                          t->desc.coefficients.spread == HK_SPREAD_POINT ? t->constants : 0,
                          half,
                          (int32_t)t->plan.per_group,
                          t->plan.parts};
  return hk_buffer_send(&t->pool, t->desc.device, sizeof size, size, &t->tables.sizes);
}

/* slope[corners][3][points], and what the way has. */
static hk_status send_tables(hk_integral *t)
{
  hk_status status = HK_OK;
  const hk_reference *r = t->desc.reference;
  hk_device *device = t->desc.device;
  const bool real = t->desc.double_precision;
  const hk_count slopes = (hk_count)r->points * r->corners * 3;
  double *slope = NULL;
  HK_TRY(is_factorised(t) ? hk_integral_factors_send(t) : send_functions(t));
  HK_TRY(send_sizes(t));
  HK_TRY(hk_get(&slope, slopes));
  for (hk_count k = 0; k < slopes; k++)
    slope[k % (r->corners * 3) * r->points + k / (r->corners * 3)] = r->slope[k];
  HK_TRY(hk_buffer_send_reals(&t->pool, device, real, slopes, slope, &t->tables.slope));
  HK_TRY(hk_buffer_send_reals(&t->pool, device, real, r->points, r->weight, &t->tables.weight));
  HK_TRY(hk_buffer_get(&t->pool, device, 4, &t->folded));
cleanup:
  hk_free(&slope);
  return status;
}

static void destroy_arrays(hk_integral_arrays *a)
{
  for (int k = 0; k < 2; k++) hk_fetch_destroy(&a->fetch[k]);
  hk_pool_clear(&a->pool);
  *a = (hk_integral_arrays){0};
}

static hk_status create_arrays(hk_integral *t)
{
  hk_device *device = t->desc.device;
  hk_integral_plan *plan = &t->plan;
  hk_integral_arrays *a = &t->arrays;
  const hk_count x = plan->launch * t->desc.reference->corners * 3;
  const hk_count padded = is_factorised(t) ? hk_integral_lanes(t) - 1 : 0;
  const hk_count terms =
      hk_integral_reads_jacobians(t) ? (plan->launch + padded) * t->desc.reference->points * 10 : 0;
  const hk_count own = plan->launch * hk_integral_constants(t);
  const int buffers = t->desc.resident ? 0 : plan->launch < t->desc.elements ? 2 : 1;
  hk_integral_count_bytes(t);
  HK_PASS(hk_pool_get(&a->pool, &a->place, x));
  HK_PASS(hk_pool_get(&a->pool, &a->terms, is_paper(t) ? terms : 0));
  HK_PASS(hk_buffer_get(&a->pool, device, x * t->real, &a->x));
  HK_PASS(hk_buffer_get(&a->pool, device, terms * t->real, &a->jacobian));
  HK_PASS(hk_buffer_get(&a->pool, device, (own ? own : t->constants) * t->real, &a->c));
  if (!own)
    HK_PASS(hk_buffer_write_reals(a->c, t->desc.double_precision, 0, t->constants,
                                  t->desc.coefficients.c));
  for (int k = 0; k < buffers; k++) {
    HK_PASS(hk_buffer_get(&a->pool, device, plan->output, &a->matrix[k]));
    if (!hk_buffer_host(a->matrix[k])) HK_PASS(hk_fetch_create(device, plan->output, &a->fetch[k]));
  }
  return HK_OK;
}

hk_status hk_integral_make(const hk_integral_desc *desc, const hk_integral_plan *plan,
                           hk_integral **out)
{
  hk_status status = HK_OK;
  hk_integral *t = NULL;
  HK_TRY(hk_new(&t));
  t->desc = *desc, t->real = desc->double_precision ? 8 : 4;
  t->plan.way = desc->way != HK_INTEGRAL_AUTO                  ? desc->way
                : desc->coefficients.spread == HK_SPREAD_POINT ? HK_INTEGRAL_POINTS
                : !hk_device_has_groups(hk_device_describe(desc->device)) && hk_integral_factors(t)
                    ? HK_INTEGRAL_FACTORISED
                    : HK_INTEGRAL_PRODUCTS;
  const hk_count width = (hk_count)desc->reference->shapes * desc->coefficients.equations;
  t->size = width * width;
  HK_TRY(hk_integral_examine(t));
  HK_CHECK(
      t->desc.way == HK_INTEGRAL_AUTO || t->desc.way >= HK_INTEGRAL_POINTS ||
          hk_device_has_groups(hk_device_describe(t->desc.device)),
      HK_BAD_INPUT,
      "%s needs a device whose groups have threads; the host has points, products and factorised "
      "(auto)",
      hk_integral_way_name(t->desc.way));
  HK_TRY(hk_integral_plan_make(t));
  if (plan) {
    const hk_integral_plan planned = t->plan;
    t->plan = *plan, t->plan.launch = planned.launch;
  } else if (desc->cache && !is_paper(t))
    HK_TRY(hk_integral_tune(t));
  HK_TRY(create_kernel(t));
  const double start = hk_seconds();
  HK_TRY(send_tables(t));
  /* less where an array may not be as large as memory is */
  while ((status = create_arrays(t)) == HK_NO_RESOURCES && t->plan.launch > 1) {
    destroy_arrays(&t->arrays);
    t->plan.launch = (t->plan.launch + 1) / 2;
  }
  HK_TRY(status);
  HK_TRY(hk_device_finish(desc->device));
  t->seconds[HK_INTEGRAL_MEMORY] = hk_seconds() - start;
  *out = t, t = NULL;
cleanup:
  hk_integral_destroy(&t);
  return status;
}

hk_status hk_integral_create(const hk_integral_desc *desc, hk_integral **out)
{
  return hk_integral_make(desc, NULL, out);
}

void hk_integral_destroy(hk_integral **integral)
{
  hk_integral *t = *integral;
  if (!t) return;
  destroy_arrays(&t->arrays);
  hk_pool_clear(&t->pool);
  hk_free(integral);
}

static hk_status send(hk_integral *t, hk_count first, hk_count count)
{
  const bool real = t->desc.double_precision;
  const hk_count own = hk_integral_constants(t);
  HK_PASS(hk_buffer_write_reals(t->arrays.x, real, 0, count * t->desc.reference->corners * 3,
                                t->arrays.place));
  if (is_paper(t) && hk_integral_reads_jacobians(t))
    HK_PASS(hk_buffer_write_reals(t->arrays.jacobian, real, 0,
                                  count * t->desc.reference->points * 10, t->arrays.terms));
  if (own)
    HK_PASS(hk_buffer_write_reals(t->arrays.c, real, 0, count * own,
                                  t->desc.coefficients.c + first * own));
  return HK_OK;
}

/* Jacobian terms of elements first on, which were sent. */
static hk_status launch_terms(hk_integral *t, hk_count first, hk_count count)
{
  const hk_reference *r = t->desc.reference;
  const int lanes = is_factorised(t) ? hk_integral_lanes(t) : 1;
  const hk_count blocks = (count + lanes - 1) / lanes;
  return hk_kernel_launch(
      t->terms_kernel, 0, (blocks * r->points + HK_INTEGRAL_TERMS - 1) / HK_INTEGRAL_TERMS,
      HK_ARGUMENTS(t->tables.slope, t->tables.weight, t->arrays.x, t->arrays.jacobian, t->folded,
                   (int32_t)first, (int32_t)count, r->points, r->corners));
}

hk_status hk_integral_launch(hk_integral *t, hk_count first, hk_count count, hk_buffer *matrix,
                             hk_count at)
{
  const hk_integral_plan *plan = &t->plan;
  const hk_count blocks = (count + plan->per_group - 1) / plan->per_group;
  if (t->terms_kernel) {
    const hk_status status = launch_terms(t, first, count);
    if (status != HK_OK) return status;
  }
  if (is_factorised(t)) return hk_integral_factors_launch(t, count, matrix, at);
  if (plan->split) return hk_integral_whole_launch(t, first, count, matrix, at);
  const hk_integral_tables *of = &t->tables;
  const hk_integral_arrays *on = &t->arrays;
  return hk_kernel_launch(t->kernel, 0, is_paper(t) ? blocks : blocks * plan->parts,
                          HK_ARGUMENTS(of->phi, of->slope, of->weight, on->x, on->jacobian, on->c,
                                       matrix, t->folded, of->sizes, (int32_t)first, (int32_t)at,
                                       (int32_t)count));
}

hk_status hk_integral_check(const hk_integral *t)
{
  int32_t folded = 0;
  HK_PASS(hk_buffer_read(t->folded, 0, sizeof folded, &folded));
  HK_NEED(!folded, HK_BAD_INPUT,
          "element %d is folded: its Jacobian is not above 0 at a quadrature point", folded);
  return HK_OK;
}

hk_status hk_integral_await(hk_integral *t, int place, const void **matrix)
{
  *matrix = hk_buffer_host(t->arrays.matrix[place]);
  return *matrix ? HK_OK : hk_fetch_wait(t->arrays.fetch[place], matrix);
}

static hk_status hand_over(hk_integral *t, int place, hk_count first, hk_count count,
                           hk_integral_take *take, void *user)
{
  const void *matrix;
  HK_PASS(hk_integral_await(t, place, &matrix));
  return take(user, first, count, matrix);
}

/* Adds the time since *start; what was begun is awaited. */
static hk_status clock_stage(hk_integral *t, bool timed, hk_integral_stage stage, double *start)
{
  const hk_status status = timed ? hk_device_finish(t->desc.device) : HK_OK;
  const double now = hk_seconds();
  t->seconds[stage] += now - *start;
  *start = now;
  return status;
}

hk_status hk_integral_reset(hk_integral *t)
{
  const int32_t none = 0;
  return hk_buffer_write(t->folded, 0, sizeof none, &none);
}

static hk_status begin(hk_integral *t, bool timed, int place, hk_count first, hk_count count)
{
  hk_buffer *matrix = t->arrays.matrix[place];
  double start = hk_seconds();
  HK_PASS(hk_integral_prepare(t, first, count));
  HK_PASS(clock_stage(t, timed, HK_INTEGRAL_PREPARE, &start));
  HK_PASS(send(t, first, count));
  HK_PASS(clock_stage(t, timed, HK_INTEGRAL_SEND, &start));
  HK_PASS(hk_integral_launch(t, first, count, matrix, 0));
  HK_PASS(clock_stage(t, timed, HK_INTEGRAL_KERNEL, &start));
  if (t->arrays.fetch[place])
    HK_PASS(hk_fetch_begin(t->arrays.fetch[place], 0, matrix, 0, count * t->size * t->real));
  return clock_stage(t, timed, HK_INTEGRAL_FETCH, &start);
}

hk_status hk_integral_begin(hk_integral *t, int place, hk_count first, hk_count count)
{
  return begin(t, false, place, first, count);
}

hk_status hk_integral_run(hk_integral *t, bool timed, hk_integral_take *take, void *user)
{
  hk_count before = -1;
  int k = 0;
  double start;
  for (int s = 0; s < HK_INTEGRAL_STAGES; s++)
    if (s != HK_INTEGRAL_MEMORY) t->seconds[s] = 0;
  HK_PASS(hk_integral_reset(t));
  for (hk_count first = 0; first < t->desc.elements; first += t->plan.launch) {
    const hk_count left = t->desc.elements - first;
    HK_PASS(begin(t, timed, k, first, left < t->plan.launch ? left : t->plan.launch));
    start = hk_seconds();
    if (before >= 0) HK_PASS(hand_over(t, !k, before, t->plan.launch, take, user));
    HK_PASS(clock_stage(t, timed, HK_INTEGRAL_FETCH, &start));
    before = first;
    if (t->arrays.matrix[1]) k = !k;
  }
  start = hk_seconds();
  HK_PASS(hk_integral_check(t));
  if (before >= 0)
    HK_PASS(
        hand_over(t, t->arrays.matrix[1] ? !k : 0, before, t->desc.elements - before, take, user));
  return clock_stage(t, timed, HK_INTEGRAL_FETCH, &start);
}

hk_status hk_integral_fill(hk_integral *t, hk_count first, hk_count count, hk_buffer *matrix,
                           hk_count at)
{
  HK_PASS(hk_integral_reset(t));
  for (hk_count done = 0; done < count; done += t->plan.launch) {
    const hk_count part = count - done < t->plan.launch ? count - done : t->plan.launch;
    HK_PASS(hk_integral_prepare(t, first + done, part));
    HK_PASS(send(t, first + done, part));
    HK_PASS(hk_integral_launch(t, first + done, part, matrix, at + done));
  }
  return hk_integral_check(t);
}

/* Pairs of shape functions whose products our kernel sums at a point: whole tiles, but for threads that have none. */
static double pairs_summed(const hk_integral *t)
{
  const hk_integral_plan *plan = &t->plan;
  const int shapes = t->desc.reference->shapes, reach = plan->tile * plan->span;
  const int lanes = hk_integral_lanes(t);
  const bool half = plan->way == HK_INTEGRAL_PRODUCTS || t->symmetric;
  double sum = 0;
  if (plan->split) return (double)shapes * plan->split * plan->blocks;
  for (int i = 0; i < shapes; i += reach)
    for (int j = half ? i : 0; j < shapes; j += reach) {
      const int down = shapes - i < plan->span ? shapes - i : plan->span;
      const int along =
          shapes - j < plan->span ? (shapes - j + lanes - 1) / lanes * lanes : plan->span;
      sum += (double)plan->blocks * down * along;
    }
  return sum;
}

void hk_integral_operations(const hk_integral *t, double *useful, double *performed)
{
  const hk_integral_plan *plan = &t->plan;
  const hk_reference *r = t->desc.reference;
  const double points = r->points, shapes = r->shapes;
  const double e2 = (double)t->desc.coefficients.equations * t->desc.coefficients.equations;
  const double d2 = (double)t->directions * t->directions;
  /* of a block at a point: Algorithm 2's */
  const double block = t->desc.coefficients.elastic ? 63 : 2 * d2 + 2 * e2 * d2;
  const double jacobian = 18.0 * r->corners + 42;
  *useful = block * points * shapes * shapes;
  if (is_paper(t)) {
    const double again = points * plan->parts;
    *performed = again * (block * plan->threads * plan->blocks + 15 * shapes +
                          (hk_integral_reads_jacobians(t) ? 0 : jacobian));
  } else if (is_factorised(t)) {
    *performed = points * jacobian + hk_integral_factors_operations(t);
  } else {
    const double sums = plan->way == HK_INTEGRAL_POINTS ? e2 * t->directions : d2;
    const double times = hk_integral_reads_jacobians(t) ? 1 : plan->parts;
    /* of both sides of a pair of tiles; whole matrices: once, and times the weight by each item */
    const double gradients = plan->split ? shapes * (15 + plan->split * t->directions)
                                         : 2.0 * 15 * plan->parts * plan->tile * plan->span;
    *performed = points * (2 * sums * pairs_summed(t) + times * jacobian + gradients);
  }
}
