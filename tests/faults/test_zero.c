/* A model that is loaded and whose result is zero everywhere is a fault of hooke, and no result: HK_INTERNAL. No input that is accepted leads
 * there: the functions below stand in for the library's that sample loads and solve, as the program's names come before a library's. */
#include <dlfcn.h>
#include <hooke/hooke.h>
#include <stdbool.h>
#include "load/excitation.h"
#include "solver/linear/linear.h"
#include "support/check.h"

enum { NODES = 6 };

static bool lost;

/* The library's own function of a name that this program defines. */
static void *library_has(const char *name)
{
  void *function = dlsym(RTLD_NEXT, name);
  assert_non_null(function);
  return function;
}

void hk_excitation_sample(hk_excitation *excitation, double dt, hk_count first, int count,
                          int stride, double *table)
{
  void (*sample)(hk_excitation *, double, hk_count, int, int, double *) = library_has(__func__);
  sample(excitation, dt, first, count, stride, table);
  for (int i = 0; lost && i < excitation->signal_count; i++)
    memset(table + (ptrdiff_t)i * stride, 0, (size_t)count * sizeof *table);
}

hk_status hk_linear_solve(hk_linear *linear, const double *f, double *u, hk_linear_report *report)
{
  hk_status (*solve)(hk_linear *, const double *, double *, hk_linear_report *) =
      library_has(__func__);
  const hk_status status = solve(linear, f, u, report);
  if (lost) memset(u, 0, 2 * NODES * sizeof *u);
  return status;
}

static hk_status run(const char *solve)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  FILE *file = fopen("zero.yaml", "w");
  assert_non_null(file);
  assert_true(fprintf(file,
                      "mesh: {rectangle: {size: [2, 1], cells: [2, 1]}}\n"
                      "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
                      "boundary: [{set: left, fix: [x, y]}]\n"
                      "%s",
                      solve) > 0);
  assert_int_equal(fclose(file), 0);
  ok(hk_messages_create(&list));
  ok(hk_model_read("zero.yaml", NULL, 0, list, &model));
  const hk_run_desc desc = {.output = "zero.hooke",
                            .device = "cpu",
                            .precision = HK_DOUBLE,
                            .threads = 1,
                            .force = true,
                            .no_pictures = true};
  const hk_status status = hk_run(model, &desc, list, NULL);
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
  return status;
}

static void is_internal(const char *solve)
{
  lost = false;
  ok(run(solve));
  lost = true;
  const hk_status status = run(solve);
  lost = false;
  assert_int_equal(status, HK_INTERNAL);
  error_says("zero everywhere although the model is loaded");
}

static void run_in_time_without_its_loads_ends_in_1(void **state)
{
  (void)state;
  is_internal("sources: [{set: right, force: 1, direction: [1, 0], signal: step}]\n"
              "outputs: {traces: [{set: right}]}\n"
              "solve: {explicit: {end: 200}}\n");
}

static void static_step_whose_solution_is_lost_ends_in_1(void **state)
{
  (void)state;
  is_internal("sources: [{set: right, force: 1, direction: [1, 0]}]\nsolve: {static: {}}\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(run_in_time_without_its_loads_ends_in_1),
      cmocka_unit_test(static_step_whose_solution_is_lost_ends_in_1),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
