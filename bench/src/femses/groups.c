/* Element matrices and assembly by the number of threads in a group (Keating 2019, Figures 5.14, 5.15, 5.17 to 5.19). The kernels that
 * integrate elements, sum rows from them, do both at once, or sum dense lines are compiled for each number; their groups have as many elements or
 * rows as the threads and the LOCAL memory allow. A row holds the mean of several runs with its interval. */
#include "femses/femses.h"
#include "operator/assembly/assembly.h"
#include "operator/dense/dense_matrix.h"

typedef struct filling {
  hk_assembly_desc desc;
  double elements[HK_FEMSES_RUNS], sums[HK_FEMSES_RUNS]; /* seconds */
} filling;

static hk_status fill(filling *f)
{
  hk_status status = HK_OK;
  hk_assembly *k = NULL;
  HK_TRY(hk_assembly_create(&f->desc, &k));
  for (int n = -1; n < HK_FEMSES_RUNS; n++) { /* the first warms */
    HK_TRY(hk_assembly_fill(k));
    if (n < 0) continue;
    f->elements[n] = k->seconds_elements;
    f->sums[n] = k->seconds[2] - k->seconds_elements;
  }
cleanup:
  hk_assembly_destroy(&k);
  return status;
}

static void add_row(const hk_femses_body *b, const hk_femses_group *group, const char *method,
                    const char *figures, const double *seconds)
{
  json_t *row = hk_femses_row(b, "work-group size", method);
  hk_bench_set_text(row, "figures", figures);
  hk_bench_set_integer(row, "group_threads", group->threads);
  if (group->local_share) hk_bench_set_integer(row, "local_share", group->local_share);
  hk_bench_set_interval(row, "seconds", hk_interval_of(seconds, HK_FEMSES_RUNS));
  hk_bench_add(b->job, row);
}

static hk_status measure_sparse(const hk_femses_body *b, const hk_femses_group *group,
                                const hk_operator_desc *on)
{
  filling f = {.desc = {.on = *on, .timed = true, .no_fans = true, .threads = group->threads}};
  HK_PASS(fill(&f));
  add_row(b, group, "element matrices", "5.14, 5.15", f.elements);
  add_row(b, group, "assembly, rows", "5.17, 5.18", f.sums);
  f.desc.no_fans = false;
  HK_PASS(fill(&f));
  add_row(b, group, "main kernel, rows, fused", "", f.sums);
  return HK_OK;
}

/* Where it fits. */
static hk_status measure_dense(const hk_femses_body *b, const hk_femses_group *group,
                               const hk_operator_desc *on)
{
  filling f = {
      .desc = {.on = *on, .format = HK_FORMAT_DENSE, .timed = true, .threads = group->threads}};
  if (2 * hk_dense_bytes(on->space->padded, true) > (double)hk_device_available(b->device))
    return HK_OK;
  HK_PASS(fill(&f));
  add_row(b, group, "assembly, dense", "5.17, 5.19", f.sums);
  return HK_OK;
}

hk_status hk_femses_kernels_grouped(const hk_femses_body *b, const hk_femses_group *group)
{
  const hk_operator_desc on = hk_femses_desc(b, hk_femses_find(b, "assembled"), true);
  hk_bench_say(b->job, "%s, %d unknowns: %d threads in a group", b->name, (int)b->dofs,
               group->threads);
  HK_PASS(measure_sparse(b, group, &on));
  return measure_dense(b, group, &on);
}
