/* The launch parameters of the integration of element matrices, from the device's limits. For the paper's ways, (I.4) at each point, threads,
 * blocks and parts follow Banas, Plaszewski and Maciol, section 4.2. For the others, such as (I.5), all tiles, spans and numbers of elements that
 * local memory and registers allow are listed in the order of an estimate of their time; the first is used unless the candidates are timed
 * (tune.c). The elements of a launch follow from the memory that is free. */
#include "operator/integration/parts.h"
#include <string.h>

enum {
  PAPER_THREADS = 512, /* more would leave a block's registers too few */
  FEW_CORNERS = 18,
  FEW_SHAPES = 48,
  HOST_SPAN = 32,
  MOST_GROUPS = 65535,
  WHOLES = 5 /* plans of whole matrices among the candidates */
};
static const hk_count FEW_BYTES = 384LL << 20, MANY_BYTES = 2LL << 30;

static const hk_device_info *info_of(const hk_integral *t)
{
  return hk_device_describe(t->desc.device);
}

int hk_integral_threads(const hk_integral *t, int most)
{
  const int limit = t->desc.limits.threads;
  if (t->simulated) return limit < most ? limit : most;
  if (info_of(t)->most_threads < most) most = info_of(t)->most_threads;
  return limit && limit < most ? limit : most;
}

hk_count hk_integral_local_limit(const hk_integral *t)
{
  const hk_count own = info_of(t)->local_memory, limit = t->desc.limits.local_memory;
  if (t->simulated) return limit;
  if (limit && (!own || limit < own)) return limit;
  return own ? own : INT32_MAX;
}

hk_count hk_integral_local_share(const hk_integral *t)
{
  enum { KB = 1 << 10 };
  const hk_count all = info_of(t)->multiprocessor.local_memory;
  return (all - all / 8 / KB * KB) / 2;
}

int hk_integral_resident(const hk_integral *t, int registers)
{
  const int lockstep = info_of(t)->lockstep;
  return info_of(t)->multiprocessor.registers / registers / lockstep * lockstep;
}

bool hk_integral_reads_jacobians(const hk_integral *t)
{
  const hk_reference *r = t->desc.reference;
  if (t->plan.way == HK_INTEGRAL_FACTORISED) return true;
  if (t->plan.way >= HK_INTEGRAL_POINTS)
    return !hk_device_has_candidates(info_of(t)) || r->corners > FEW_CORNERS ||
           r->shapes > FEW_SHAPES;
  return t->plan.way == HK_INTEGRAL_REG_NOJAC || t->plan.way == HK_INTEGRAL_SHM_NOJAC;
}

int hk_integral_lanes(const hk_integral *t)
{
  return info_of(t)->vector;
}

int hk_integral_corners(const hk_integral *t)
{
  return hk_integral_reads_jacobians(t) ? 1 : t->desc.reference->corners;
}

static bool stores_in_local(hk_integral_way way)
{
  return way == HK_INTEGRAL_SHM_JAC || way == HK_INTEGRAL_SHM_NOJAC;
}

static hk_count paper_local(const hk_integral *t, int part)
{
  const int square = t->desc.coefficients.equations * t->desc.coefficients.equations;
  return hk_local_bytes(4LL * t->desc.reference->shapes, t->real) +
         hk_local_bytes(3LL * hk_integral_corners(t), t->real) + hk_local_bytes(12, t->real) +
         (part ? hk_local_bytes((hk_count)part * square, t->real) : 0);
}

/* Work-groups as large as may be, a multiple of 64 not above the number of blocks, then no larger than the parts of the matrix ask for. */
static hk_status plan_paper(hk_integral *t)
{
  hk_integral_plan *plan = &t->plan;
  const int shapes = t->desc.reference->shapes, pairs = shapes * shapes;
  int most = hk_integral_threads(t, PAPER_THREADS) / 64 * 64;
  if (most > pairs / 64 * 64) most = pairs / 64 * 64;
  if (most < 64) most = 64;
  plan->threads = most, plan->blocks = 1;
  while (stores_in_local(plan->way) && plan->blocks * plan->threads < pairs &&
         paper_local(t, (plan->blocks + 1) * plan->threads) <= hk_integral_local_limit(t))
    plan->blocks++;
  plan->parts = (pairs + plan->blocks * most - 1) / (plan->blocks * most);
  const int needed = (pairs + plan->parts * plan->blocks - 1) / (plan->parts * plan->blocks);
  plan->threads = (needed + 63) / 64 * 64;
  plan->local = paper_local(t, stores_in_local(plan->way) ? plan->blocks * plan->threads : 0);
  HK_NEED(
      plan->local <= hk_integral_local_limit(t), HK_NO_RESOURCES,
      "device %s: %s with %d shape functions needs %lld bytes of local memory; the device has %lld",
      info_of(t)->backend, hk_integral_way_name(plan->way), shapes, (long long)plan->local,
      (long long)hk_integral_local_limit(t));
  return HK_OK;
}

static int sums_of(const hk_integral *t, hk_integral_way way)
{
  const int e = t->desc.coefficients.equations;
  return way == HK_INTEGRAL_POINTS ? e * e : t->directions * t->directions;
}

hk_count hk_integral_local(const hk_integral *t, const hk_integral_plan *plan)
{
  const int e = t->desc.coefficients.equations, reach = plan->tile * plan->span;
  const int left = plan->way == HK_INTEGRAL_POINTS ? e * e * t->directions : 4;
  const hk_count gradients =
      (hk_count)plan->chunk * plan->most_elements * reach * (left + t->directions);
  const hk_count rows = (hk_count)plan->most_elements * plan->span * e * (reach * e + 1);
  return (hk_integral_reads_jacobians(t)
              ? 0
              : hk_local_bytes((hk_count)plan->most_elements * 3 * t->desc.reference->corners,
                               t->real)) +
         hk_local_bytes((hk_count)plan->most_elements * plan->batch * 10, t->real) +
         hk_local_bytes(gradients > rows ? gradients : rows, t->real);
}

/* Chunks and batches as large as local memory allows; false: none fits. */
static bool fit_local(const hk_integral *t, hk_integral_plan *plan)
{
  const hk_count limit = hk_integral_local_limit(t), share = hk_integral_local_share(t),
                 most = limit < share ? limit : share;
  const int points = t->desc.reference->points;
  for (int chunk = 16; chunk >= 1; chunk /= 2) {
    const int even = (points + (points + chunk - 1) / chunk - 1) / ((points + chunk - 1) / chunk);
    plan->chunk = even;
    for (plan->batch = (points + even - 1) / even * even; plan->batch >= even;
         plan->batch = plan->batch / 2 / even * even)
      if (hk_integral_local(t, plan) <= (chunk > 1 ? most : limit)) {
        plan->local = hk_integral_local(t, plan);
        return true;
      }
  }
  return false;
}

static void count_tiles(const hk_integral *t, hk_integral_plan *plan)
{
  const int reach = plan->tile * plan->span;
  const int tiles = (t->desc.reference->shapes + reach - 1) / reach;
  const bool half = plan->way == HK_INTEGRAL_PRODUCTS || t->symmetric;
  plan->parts = half ? tiles * (tiles + 1) / 2 : tiles * tiles;
  plan->blocks = plan->tile * plan->tile;
  plan->per_group = plan->most_elements;
}

/* Time that is expected of an element: pairs with those that idle, gradients of both sides, teams in lockstep that are not full; where
 * threads compute with vectors, gradients cost most and a group costs as much again as many of them. */
static double cost_of(const hk_integral *t, const hk_integral_plan *plan)
{
  const double reach = plan->tile * plan->span, sums = sums_of(t, plan->way);
  const int vector = info_of(t)->vector, lockstep = info_of(t)->lockstep;
  if (vector > 1)
    return plan->parts *
           (reach * reach * sums / vector + reach * 80 + 2000.0 / plan->most_elements);
  const int teams = (plan->threads + lockstep - 1) / lockstep;
  const double full = (double)lockstep * teams / plan->threads;
  const double loads = 1 + 0.6 / plan->tile;
  return plan->parts * full * (reach * reach * sums * loads + reach * 40) *
         (plan->chunk < 4 ? 1.5 : 1) * (plan->threads < 96 ? 1.3 : 1);
}

void hk_integral_insert(const hk_integral_plan *plan, double cost, hk_integral_plan *list,
                        double *costs, int *count)
{
  int at = *count < HK_INTEGRAL_CANDIDATES ? (*count)++ : HK_INTEGRAL_CANDIDATES;
  while (at > 0 && costs[at - 1] > cost) {
    if (at < HK_INTEGRAL_CANDIDATES) list[at] = list[at - 1], costs[at] = costs[at - 1];
    at--;
  }
  if (at < HK_INTEGRAL_CANDIDATES) list[at] = *plan, costs[at] = cost;
}

static int host_candidate(const hk_integral *t, hk_integral_plan *plan)
{
  plan->tile = 1, plan->span = HOST_SPAN, plan->most_elements = 1, plan->threads = 1;
  plan->chunk = plan->batch = plan->way == HK_INTEGRAL_POINTS ? 8 : 16;
  count_tiles(t, plan);
  return 1;
}

/* plan[count] with the best of whole matrices, whose threads compute real by real: one of tiles, which is taken where none is timed, then two
 * of these, and so on; where threads have vectors all behind. */
static int with_wholes(const hk_integral *t, hk_integral_plan *list, int count)
{
  hk_integral_plan whole[HK_INTEGRAL_CANDIDATES], tiles[HK_INTEGRAL_CANDIDATES];
  int number = hk_integral_whole_candidates(t, whole), w = 0, i = 0;
  if (number > WHOLES) number = WHOLES;
  if (count > HK_INTEGRAL_CANDIDATES - number) count = HK_INTEGRAL_CANDIDATES - number;
  memcpy(tiles, list, (size_t)count * sizeof *list);
  for (int k = 0; k < count + number; k++) {
    const bool turn = i == count || (info_of(t)->vector == 1 && k % 3 > 0);
    list[k] = turn && w < number ? whole[w++] : tiles[i++];
  }
  return count + number;
}

static int products_candidates(const hk_integral *t, hk_integral_plan list[HK_INTEGRAL_CANDIDATES])
{
  const int threads = hk_integral_threads(t, HK_INTEGRAL_THREADS), sums = sums_of(t, t->plan.way);
  const int lanes = hk_integral_lanes(t), lockstep = info_of(t)->lockstep;
  const bool vectors = lanes > 1;
  const int most = vectors ? 32 : 16;
  double costs[HK_INTEGRAL_CANDIDATES];
  int count = 0;
  list[0] = t->plan;
  if (!hk_device_has_candidates(info_of(t))) return host_candidate(t, &list[0]);
  for (int tile = 1; tile <= 4; tile++) {
    if (tile > 1 && tile * tile * sums > 96) break; /* registers */
    for (int span = vectors ? lanes : 2; span <= most; span += lanes) {
      hk_integral_plan plan = t->plan;
      plan.split = 0;
      if (span * span / lanes > threads || tile * (span - lanes) >= t->desc.reference->shapes)
        break;
      plan.tile = tile, plan.span = span;
      for (int e = 1; e <= 32; e *= 2) {
        plan.most_elements = e, plan.threads = span * span / lanes * e;
        if (plan.threads > threads || (e > 1 && plan.threads > threads / 2 && span > 8)) break;
        if (!vectors && plan.threads < lockstep && e < 32 && plan.threads * 2 <= threads) continue;
        if (!fit_local(t, &plan)) break;
        count_tiles(t, &plan);
        hk_integral_insert(&plan, cost_of(t, &plan), list, costs, &count);
      }
    }
  }
  return t->plan.way == HK_INTEGRAL_PRODUCTS ? with_wholes(t, list, count) : count;
}

int hk_integral_candidates(const hk_integral *t, hk_integral_plan list[HK_INTEGRAL_CANDIDATES])
{
  hk_integral_plan own[HK_INTEGRAL_CANDIDATES], other[HK_INTEGRAL_CANDIDATES];
  int count = 0, first, second;
  if (t->plan.way == HK_INTEGRAL_FACTORISED) return hk_integral_factors_candidates(t, list);
  if (t->desc.way != HK_INTEGRAL_AUTO || !hk_integral_factors(t))
    return products_candidates(t, list);
  /* of both ways in turn */
  first = products_candidates(t, own), second = hk_integral_factors_candidates(t, other);
  for (int k = 0; k < HK_INTEGRAL_CANDIDATES; k++) {
    if (k < first && count < HK_INTEGRAL_CANDIDATES) list[count++] = own[k];
    if (k < second && count < HK_INTEGRAL_CANDIDATES) list[count++] = other[k];
  }
  return count;
}

hk_count hk_integral_constants(const hk_integral *t)
{
  return t->desc.coefficients.spread == HK_SPREAD_SAME ? 0
         : t->desc.coefficients.spread == HK_SPREAD_ELEMENT
             ? t->constants
             : (hk_count)t->constants * t->desc.reference->points;
}

void hk_integral_count_bytes(hk_integral *t)
{
  const hk_reference *r = t->desc.reference;
  const hk_count own = hk_integral_constants(t);
  const hk_factors *f = &r->factors;
  const hk_count functions = t->plan.way == HK_INTEGRAL_FACTORISED
                                 ? (hk_count)f->points * 3 * f->nodes + f->planes * 2 * f->layers
                                 : (hk_count)r->points * 4 * r->shapes;
  const hk_count tables = functions + (hk_count)r->points * (r->corners * 3 + 1);
  const hk_count terms = hk_integral_reads_jacobians(t) ? r->points * 10 : 0;
  t->plan.input =
      (tables + (own ? 0 : t->constants) + t->plan.launch * (r->corners * 3 + terms + own)) *
      t->real;
  t->plan.output = t->plan.launch * t->size * t->real;
}

/* The matrices of a launch: all, or two launches' worth in turn. A device beside the host wants many elements at once: some hundreds of the highest orders. */
static void plan_launch(hk_integral *t)
{
  hk_integral_plan *plan = &t->plan;
  const hk_count one = t->size * t->real, elements = t->desc.elements;
  const hk_device_info *info = info_of(t);
  const hk_count most = info->overlaps ? MANY_BYTES : FEW_BYTES;
  hk_count memory = t->simulated ? 0 : hk_device_available(t->desc.device) / 4;
  /* as much is taken of the host, for what is fetched */
  if (!t->desc.resident && memory > hk_memory_available() / 4) memory = hk_memory_available() / 4;
  if (memory > most) memory = most;
  if (t->desc.limits.memory) memory = t->desc.limits.memory;
  plan->launch = elements * one <= memory ? elements : memory / 2 / one;
  if (t->desc.limits.launch && plan->launch > t->desc.limits.launch)
    plan->launch = t->desc.limits.launch;
  if (plan->launch < 1) plan->launch = 1;
  if (plan->way < HK_INTEGRAL_POINTS) {
    const hk_count groups = t->desc.limits.groups ? t->desc.limits.groups : MOST_GROUPS;
    plan->per_group = (plan->launch + groups - 1) / groups;
  }
}

hk_status hk_integral_simulate(const hk_integral_desc *desc, hk_integral_plan *plan)
{
  hk_integral t = {.desc = *desc, .simulated = true, .real = desc->double_precision ? 8 : 4};
  const hk_count width = (hk_count)desc->reference->shapes * desc->coefficients.equations;
  t.plan.way = desc->way, t.size = width * width;
  HK_PASS(hk_integral_examine(&t));
  HK_PASS(hk_integral_plan_make(&t));
  hk_integral_count_bytes(&t);
  *plan = t.plan;
  return HK_OK;
}

hk_status hk_integral_plan_make(hk_integral *t)
{
  hk_integral_plan list[HK_INTEGRAL_CANDIDATES];
  if (t->plan.way < HK_INTEGRAL_POINTS)
    HK_PASS(plan_paper(t));
  else {
    HK_NEED(hk_integral_candidates(t, list) > 0, HK_NO_RESOURCES,
            "device %s: its %lld bytes of local memory are too few to integrate %d shape functions",
            info_of(t)->backend, (long long)hk_integral_local_limit(t), t->desc.reference->shapes);
    t->plan = list[0];
  }
  plan_launch(t);
  return HK_OK;
}
