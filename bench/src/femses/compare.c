/* Ratios of measured times beside the speed-ups that Keating (2019), chapter 5, reads off his
 * figures, and the growth of iterations for fourfold unknowns (Figure 5.27). Each claim names a
 * figure, two methods, where they run, and the stages that are summed. The ratio is taken at the
 * largest number of unknowns that both solved. Claims without a figure are hooke's own comparisons. */
#include "femses/femses.h"
#include <math.h>
#include <string.h>

enum {
  TOTAL = 0,
  SOLVER = 1 << HK_FEMSES_ORDERING | 1 << HK_FEMSES_SETUP | 1 << HK_FEMSES_SOLVE,
  KERNEL = 1 << HK_FEMSES_ELEMENTS | 1 << HK_FEMSES_ASSEMBLY,
  ELEMENTS = 1 << HK_FEMSES_ELEMENTS,
  ASSEMBLY = 1 << HK_FEMSES_ASSEMBLY,
  TRANSFER = 1 << HK_FEMSES_TRANSFER,
  ALLOCATION = 1 << HK_FEMSES_ALLOCATION
};
typedef enum side {
  DEVICE,
  HOST,
  BESIDE,
  SIDES
} side; /* BESIDE: a device that is not the processor */

/* `stages` of `fast` over those of `slow`: slow's seconds / fast's. */
typedef struct claim {
  const char *figure, *fast;
  side fast_side;
  const char *slow;
  side slow_side;
  int stages;
  double paper;      /* 0: it gives no number */
  const char *words; /* what the paper says of it */
} claim;

static const claim claims[] = {
    {"5.2", "cholesky", HOST, "dense", HOST, TOTAL, 5000, "up to"},
    {"5.6a", "cholesky, cusolver", DEVICE, "cholesky", HOST, TOTAL, 0, "below 1, falling"},
    {"5.6b", "dense, cusolver", DEVICE, "dense", HOST, TOTAL, 50, "at 40 000"},
    {"5.6c", "dense-to-sparse", DEVICE, "cholesky", HOST, TOTAL, 0, "below 1"},
    {"5.6d", "dense-to-sparse", DEVICE, "dense", HOST, TOTAL, 100, "up to"},
    {"5.8a", "cholesky, cusolver", DEVICE, "cholesky", HOST, SOLVER, 0, "below 1, falling"},
    {"5.8b", "dense, cusolver", DEVICE, "dense", HOST, SOLVER, 50, "as 5.6b"},
    {"5.9", "cholesky, cusolver", DEVICE, "dense, cusolver", DEVICE, SOLVER, 10, "up to"},
    {"5.11", "cg, jacobi", DEVICE, "dense", DEVICE, ALLOCATION, 0, "above 1"},
    {"5.13", "cg, jacobi", DEVICE, "dense", DEVICE, TRANSFER, 0.7, "about"},
    {"5.14", "dense", DEVICE, "dense", HOST, ELEMENTS, 5000, "up to"},
    {"5.16a", "cg, jacobi", DEVICE, "cg, jacobi", HOST, ASSEMBLY, 20000,
     "by clocks of threads, up to"},
    {"5.16b", "dense", DEVICE, "dense", HOST, ASSEMBLY, 100000, "by clocks of threads, up to"},
    {"5.20a", "cg, jacobi", DEVICE, "cg, jacobi", HOST, KERNEL, 20, "up to"},
    {"5.20b", "dense", DEVICE, "dense", HOST, KERNEL, 300, "up to"},
    {"5.21a", "femses, jacobi", DEVICE, "cholesky", HOST, TOTAL, 0, "below 1, falling"},
    {"5.21b", "femses, jacobi", DEVICE, "dense", HOST, TOTAL, 10, "up to"},
    {"5.21c", "femses, jacobi", DEVICE, "cholesky, cusolver", DEVICE, TOTAL, 0,
     "above 1 for few unknowns, then falling"},
    {"5.21d", "femses, jacobi", DEVICE, "dense, cusolver", DEVICE, TOTAL, 0,
     "falling, then rising"},
    {"5.24a", "femses, jacobi", DEVICE, "cholesky", HOST, SOLVER, 0, "as 5.21a"},
    {"5.24b", "femses, jacobi", DEVICE, "dense", HOST, SOLVER, 10, "as 5.21b"},
    {"5.24c", "femses, jacobi", DEVICE, "cholesky, cusolver", DEVICE, SOLVER, 0, "as 5.21c"},
    {"5.24d", "femses, jacobi", DEVICE, "dense, cusolver", DEVICE, SOLVER, 0, "as 5.21d"},
    {"5.26a", "femses, jacobi", DEVICE, "cg, jacobi", DEVICE, ALLOCATION, 0, "1, then falling"},
    {"5.26b", "femses, jacobi", DEVICE, "dense", DEVICE, ALLOCATION, 7.5, "up to"},
    {"", "femses, multigrid", DEVICE, "femses, jacobi", DEVICE, TOTAL, 0, ""},
    {"", "femses, multigrid", DEVICE, "cholesky", HOST, TOTAL, 0, ""},
    {"", "femses, multigrid", DEVICE, "cholesky, cholmod", HOST, TOTAL, 0, ""},
    {"", "femses, multigrid", DEVICE, "cholesky", BESIDE, TOTAL, 0, ""},
    {"", "femses, multigrid", DEVICE, "cg, multigrid", DEVICE, TOTAL, 0, ""}};
enum { CLAIMS = sizeof claims / sizeof *claims };

static double seconds_of(const hk_femses_result *r, int stages)
{
  double sum = 0;
  for (int s = 0; s < HK_FEMSES_STAGES; s++)
    if (stages >> s & 1) sum += r->stage[s].mean;
  return stages ? sum : r->total.mean;
}

static void name_stages(int stages, char *words, size_t size)
{
  size_t at = 0;
  snprintf(words, size, "all");
  for (int s = 0; s < HK_FEMSES_STAGES; s++)
    if (stages >> s & 1 && at < size)
      at +=
          (size_t)snprintf(words + at, size - at, "%s%s", at ? " + " : "", hk_femses_stage_name[s]);
}

/* The largest number of unknowns that both solved. */
static const hk_femses_result *find_pair(const hk_femses_results *all, const char *body,
                                         const claim *c, const int place[SIDES],
                                         const hk_femses_result **slow)
{
  const hk_femses_result *best = NULL;
  for (hk_count k = 0; k < all->count; k++) {
    const hk_femses_result *r = &all->of[k];
    if (!r->converged || r->place != place[c->fast_side] || strcmp(r->way, c->fast) != 0 ||
        strcmp(r->body, body) != 0 || (best && best->dofs > r->dofs))
      continue;
    const hk_femses_result *other =
        hk_femses_result_of(all, body, c->slow, place[c->slow_side], r->dofs);
    if (other && other->converged) best = r, *slow = other;
  }
  return best;
}

static void add_claim(hk_bench_job *job, const hk_femses_results *all, const char *body,
                      const claim *c, const int place[SIDES])
{
  char stages[64], words[128];
  const hk_femses_result *slow = NULL, *fast = find_pair(all, body, c, place, &slow);
  const bool apart = c->slow_side == BESIDE || (c->figure[0] && c->fast_side != c->slow_side);
  if (!fast || (apart && place[HOST] == place[DEVICE]) ||
      (c->figure[0] && strcmp(body, hk_femses_cases[0].name) != 0))
    return;
  const double a = seconds_of(slow, c->stages), b = seconds_of(fast, c->stages);
  if (!(a > 0) || !(b > 0)) return;
  name_stages(c->stages, stages, sizeof stages);
  snprintf(words, sizeof words, "%s over %s", c->fast, c->slow);
  json_t *row = hk_bench_row(body, "speed-up", words, job->device, true, fast->dofs, 0);
  hk_bench_set_text(row, "figure", c->figure);
  hk_bench_set(row, "seconds", b);
  hk_bench_set(row, "speed_up", a / b);
  hk_bench_set_text(row, "of", stages);
  hk_bench_set_text(row, "fast_on", c->fast_side == HOST ? "cpu" : job->device);
  hk_bench_set_text(row, "slow_on", c->slow_side == HOST ? "cpu" : job->device);
  hk_bench_set_text(row, "paper_words", c->words);
  if (c->paper > 0) hk_bench_set(row, "paper_speed_up", c->paper);
  hk_bench_add(job, row);
}

/* Iterations for fourfold unknowns, from one size to the next. */
static void add_growth(hk_bench_job *job, const hk_femses_results *all, const hk_femses_result *r)
{
  const hk_femses_result *before = NULL;
  for (const hk_femses_result *q = all->of; q < r; q++)
    if (q->place == r->place && !strcmp(q->body, r->body) && !strcmp(q->way, r->way)) before = q;
  if (!before || !r->converged || before->iterations < 2 || before->dofs == r->dofs) return;
  const double growth =
      pow((double)r->iterations / before->iterations, log(4) / log((double)r->dofs / before->dofs));
  json_t *row =
      hk_bench_row(r->body, "iterations", r->way, r->place ? "cpu" : job->device, true, r->dofs, 0);
  hk_bench_set_text(row, "figure", "5.27");
  hk_bench_set_integer(row, "dofs_before", before->dofs);
  hk_bench_set_integer(row, "iterations", r->iterations);
  hk_bench_set_integer(row, "iterations_before", before->iterations);
  hk_bench_set(row, "seconds", r->total.mean);
  hk_bench_set(row, "growth_of_fourfold", growth);
  hk_bench_add(job, row);
}

const char *hk_femses_body_name(const hk_femses_results *all, int k)
{
  for (hk_count i = 0; i < all->count; i++) {
    bool first = true;
    for (hk_count j = 0; j < i && first; j++) first = strcmp(all->of[i].body, all->of[j].body) != 0;
    if (first && k-- == 0) return all->of[i].body;
  }
  return NULL;
}

void hk_femses_compare(hk_bench_job *job, const hk_femses_results *all)
{
  const int place[SIDES] = {[HOST] = hk_bench_is_beside(job)};
  const char *body;
  for (int k = 0; k < CLAIMS; k++)
    for (int n = 0; (body = hk_femses_body_name(all, n)); n++)
      add_claim(job, all, body, &claims[k], place);
  for (hk_count k = 0; k < all->count; k++) add_growth(job, all, &all->of[k]);
}
