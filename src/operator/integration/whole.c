/* Element matrices of few shape functions, a whole matrix at once: the plans, kernel and launches of whole.k.h, which computes (I.5). Each thread
 * has some pairs of one function, all in registers, so that gradients are computed once per matrix. Plans differ in the pieces of a function's
 * pairs and in the elements of a group; they are sorted by an estimate of the time, from registers, local memory and idle threads. */
#include "operator/integration/parts.h"

enum {
  FREE_SHARE = 28,      /* of a multiprocessor's local memory, that groups seldom fill: a 28th */
  FULL_REGISTERS = 102, /* of each thread, where threads keep it busy */
  OTHER_REGISTERS = 40, /* of a thread, beside its sums */
  MOST_SUMS = 64,
  PIECES = 5 /* of a function's pairs, at most */
};

static int sums_of(const hk_integral *t)
{
  return t->directions * t->directions;
}

/* APART of the kernel */
static hk_count apart_of(const hk_integral *t, const hk_integral_plan *plan)
{
  const hk_reference *r = t->desc.reference;
  const int size = r->points * t->directions * (r->shapes + plan->split * plan->blocks - 1);
  return size + (32 + r->shapes % 32 - size % 32) % 32;
}

static hk_count local_of(const hk_integral *t, const hk_integral_plan *plan)
{
  const hk_reference *r = t->desc.reference;
  const hk_count e = plan->most_elements, apart = apart_of(t, plan);
  return hk_local_bytes(e * r->corners * 3, t->real) + hk_local_bytes(e * r->points * 10, t->real) +
         hk_local_bytes(e * (apart > t->size ? apart : t->size), t->real);
}

/* Time that is expected of an element, as of the other plans: pairs, teams in lockstep that are not full, multiprocessors that are not. */
static double cost_of(const hk_integral *t, const hk_integral_plan *plan)
{
  const hk_device_info *info = hk_device_describe(t->desc.device);
  const hk_multiprocessor *on = &info->multiprocessor;
  const int shapes = t->desc.reference->shapes,
            teams = (plan->threads + info->lockstep - 1) / info->lockstep;
  const double registers = plan->blocks * sums_of(t) * t->real / 4.0 + OTHER_REGISTERS;
  enum { KB = 1 << 10 };
  const hk_count kept = on->local_memory / FREE_SHARE / KB * KB,
                 by_local = (on->local_memory - kept) / plan->local * plan->threads;
  const int full = hk_integral_resident(t, FULL_REGISTERS);
  const double by_registers = (int)(on->registers / (registers * plan->threads)) * plan->threads;
  const double active = (double)by_local < by_registers ? (double)by_local : by_registers;
  return shapes * (plan->split * (plan->blocks * sums_of(t) + 20.0) + 10) * info->lockstep * teams /
         plan->threads * (active < full ? full / (active + 1) : 1);
}

int hk_integral_whole_candidates(const hk_integral *t,
                                 hk_integral_plan list[HK_INTEGRAL_CANDIDATES])
{
  const hk_reference *r = t->desc.reference;
  const int round = r->shapes / 2 + 1, most = hk_integral_threads(t, HK_INTEGRAL_THREADS);
  const hk_count limit = hk_integral_local_limit(t);
  double costs[HK_INTEGRAL_CANDIDATES];
  int count = 0;
  if (hk_integral_reads_jacobians(t) || t->desc.coefficients.spread == HK_SPREAD_POINT) return 0;
  for (int split = 1; split <= PIECES && split <= round; split++) {
    hk_integral_plan plan = t->plan;
    plan.split = split, plan.blocks = (round + split - 1) / split, plan.parts = 1;
    plan.tile = 1, plan.span = r->shapes, plan.chunk = plan.batch = r->points;
    /* too many registers, or a last item without a pair */
    if (plan.blocks * sums_of(t) > MOST_SUMS || (split - 1) * plan.blocks >= round) continue;
    for (int e = 1; r->shapes * split * e <= most; e *= 2) {
      plan.most_elements = e, plan.per_group = e, plan.threads = r->shapes * split * e;
      plan.local = local_of(t, &plan);
      if (plan.local > limit || plan.local > hk_integral_local_share(t)) break;
      hk_integral_insert(&plan, cost_of(t, &plan), list, costs, &count);
    }
  }
  return count;
}

void hk_integral_whole_kernel(const hk_integral *t, hk_kernel_desc *out)
{
  const hk_integral_plan *plan = &t->plan;
  const hk_reference *r = t->desc.reference;
  *out = (hk_kernel_desc){.text = "whole",
                          .function = "whole_elements",
                          .double_precision = t->desc.double_precision,
                          .define = {{"BLOCKS", plan->blocks},
                                     {"CORNERS", r->corners},
                                     {"DIRECTIONS", t->directions},
                                     {"ELASTIC", t->desc.coefficients.elastic},
                                     {"ELEMENTS", plan->most_elements},
                                     {"EQUATIONS", t->desc.coefficients.equations},
                                     {"POINTS", r->points},
                                     {"SHAPES", r->shapes},
                                     {"SPLIT", plan->split}},
                          .local = plan->local,
                          .threads = plan->threads};
}

hk_status hk_integral_whole_launch(hk_integral *t, hk_count first, hk_count count,
                                   hk_buffer *matrix, hk_count at)
{
  const hk_integral_tables *of = &t->tables;
  const hk_integral_arrays *on = &t->arrays;
  const hk_count groups = (count + t->plan.per_group - 1) / t->plan.per_group;
  return hk_kernel_launch(t->kernel, 0, groups,
                          HK_ARGUMENTS(of->phi, of->slope, of->weight, on->x, on->c, matrix,
                                       t->folded, (int32_t)first, (int32_t)at, (int32_t)count,
                                       of->stride, (int32_t)hk_integral_constants(t)));
}
