/* Convergence of iterative solutions: the residuals of each step, which run.json lists under
 * `convergence`, as curves log10(residual) over the iteration. Steps with fewer than three
 * residuals are left out, and at most HK_MOST_CURVES steps are drawn. */
#include "picture/trace_plot.h"
#include <math.h>
#include <stdio.h>

static hk_status add_step(hk_curves *all, size_t step, const json_t *residuals)
{
  hk_status status = HK_OK;
  const size_t count = json_array_size(residuals);
  char label[32];
  hk_pool pool = {0};
  double *iteration, *value;
  HK_TRY(hk_pool_get(&pool, &iteration, (hk_count)count));
  HK_TRY(hk_pool_get(&pool, &value, (hk_count)count));
  for (size_t i = 0; i < count; i++) {
    const double residual = json_number_value(json_array_get(residuals, i));
    iteration[i] = (double)i;
    value[i] = residual > 0 ? log10(residual) : NAN;
  }
  snprintf(label, sizeof label, "step %d", (int)step + 1);
  HK_TRY(hk_curves_add(all, label, (hk_count)count, iteration, value, 2000));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_convergence_read(const json_t *run, hk_curves **out)
{
  hk_status status = HK_OK;
  const json_t *steps = json_object_get(run, "convergence");
  hk_curves *all = NULL;
  *out = NULL;
  HK_TRY(hk_curves_create(&all));
  all->across = "iteration";
  for (size_t i = 0; i < json_array_size(steps) && all->count < HK_MOST_CURVES; i++) {
    const json_t *residuals = json_array_get(steps, i);
    if (json_array_size(residuals) > 2) HK_TRY(add_step(all, i, residuals));
  }
  if (all->count) *out = all, all = NULL;
cleanup:
  hk_curves_destroy(&all);
  return status;
}

hk_status hk_convergence_plot(const hk_curves *curves, int width, hk_canvas **out)
{
  const hk_curves_words words = {
      .title = "Convergence", .time_unit = "", .name = "log10 of the residual", .unit = ""};
  return hk_curves_plot(curves, &words, width, out);
}
