/* Whole element matrices in LOCAL memory (kernels/whole.k.h), by each plan that there is, are those of Algorithm 1: elastic and without any
 * symmetry; groups that are full and not, launched in parts to places behind the first. */
#include "operator/integral_fixture.h"
#include "operator/integral_parts.h"

enum { MANY = 37, FIRST = 2, PART = 16 };
static double constants[MANY * 64];

static void check_plan(const hk_integral_desc *d, const hk_integral_plan *plan)
{
  const hk_count width = (hk_count)d->reference->shapes * d->coefficients.equations,
                 size = width * width;
  hk_integral *t = NULL;
  hk_buffer *buffer = NULL;
  double *matrix = NULL;
  ok(hk_get(&matrix, (MANY + FIRST) * size));
  ok(hk_buffer_create(d->device, (MANY + FIRST) * size * 8, &buffer));
  ok(hk_integral_make(d, plan, &t));
  assert_int_equal(hk_integral_describe(t)->launch, PART);
  ok(hk_integral_fill(t, 0, MANY, buffer, FIRST));
  ok(hk_buffer_read_reals(buffer, d->double_precision, FIRST * size, MANY * size, matrix));
  const double off = difference(d, matrix), most = d->double_precision ? 1e-12 : 1e-5;
  if (!(off <= most))
    fail_msg("%d shape functions, %d items, %d elements in a group, %d equations: off by %g",
             d->reference->shapes, plan->split, plan->most_elements, d->coefficients.equations,
             off);
  hk_integral_destroy(&t);
  hk_buffer_destroy(&buffer);
  hk_free(&matrix);
}

/* Other plans than whole matrices are among the candidates of an integral that has a plan of these. */
static void check_others(const hk_integral_desc *d, const hk_integral_plan *plan)
{
  hk_integral_plan list[HK_INTEGRAL_CANDIDATES];
  hk_integral *t = NULL;
  int whole = 0, others = 0;
  ok(hk_integral_make(d, plan, &t));
  const int count = hk_integral_candidates(t, list);
  for (int k = 0; k < count; k++)
    if (list[k].split)
      whole++;
    else
      others++;
  assert_true(whole > 0 && others > 0);
  hk_integral_destroy(&t);
}

/* The number of plans. */
static int check_plans(hk_device *device, int p, bool elastic, bool real)
{
  const hk_element *wedge = hk_element_of(HK_WEDGE6);
  hk_reference reference;
  hk_integral *t = NULL;
  hk_integral_plan plan[HK_INTEGRAL_CANDIDATES];
  double x[MANY * 18];
  ok(hk_reference_prism(p, p, HK_WEDGE6, &reference));
  for (int k = 0; k < MANY * 18; k++)
    x[k] = wedge->reference[k / 3 % 6][k % 3] + 0.2 * noise((uint32_t)k);
  for (int k = 0; k < MANY * 64; k++) constants[k] = 1 + noise((uint32_t)k);
  hk_integral_desc d = {.device = device,
                        .double_precision = real,
                        .reference = &reference,
                        .elements = MANY,
                        .x = x,
                        .coefficients = {elastic ? 3 : 2, elastic, HK_SPREAD_ELEMENT, constants},
                        .way = HK_INTEGRAL_PRODUCTS,
                        .resident = true};
  const hk_count width = (hk_count)reference.shapes * d.coefficients.equations;
  d.limits.memory = 2 * PART * width * width * (real ? 8 : 4);
  ok(hk_integral_create(&d, &t));
  const int count = hk_integral_whole_candidates(t, plan);
  hk_integral_destroy(&t);
  for (int k = 0; k < count; k++) check_plan(&d, &plan[k]);
  if (count > 0) check_others(&d, &plan[0]);
  hk_reference_clear(&reference);
  return count;
}

static void every_plan_on(const char *name)
{
  hk_device *device = NULL;
  if (hk_device_open(name, 2, &device) != HK_OK) return;
  assert_true(check_plans(device, 1, true, true) >= 3);
  assert_true(check_plans(device, 1, false, false) >= 3);
  assert_true(check_plans(device, 2, true, false) >= 1);
  assert_true(check_plans(device, 2, false, true) >= 1);
  hk_device_close(&device);
}

static void every_plan(void **state)
{
  (void)state;
  every_plan_on("opencl");
  every_plan_on("cuda");
}

/* matrices too large for LOCAL memory: no plan */
static void limits_are_kept(void **state)
{
  hk_device *device = NULL;
  hk_reference reference;
  hk_integral *t = NULL;
  hk_integral_plan plan[HK_INTEGRAL_CANDIDATES];
  double x[18];
  (void)state;
  if (hk_device_open("opencl", 2, &device) != HK_OK) return;
  for (int k = 0; k < 18; k++) x[k] = hk_element_of(HK_WEDGE6)->reference[k / 3][k % 3];
  for (int p = 2; p <= 4; p += 2) {
    ok(hk_reference_prism(p, p, HK_WEDGE6, &reference));
    ok(hk_integral_create(&(hk_integral_desc){.device = device,
                                              .double_precision = true,
                                              .reference = &reference,
                                              .elements = 1,
                                              .x = x,
                                              .coefficients = {3, true, HK_SPREAD_SAME, lame[0]},
                                              .way = HK_INTEGRAL_PRODUCTS,
                                              .limits = {.local_memory = p < 4 ? 20 << 10 : 0}},
                          &t));
    assert_int_equal(hk_integral_whole_candidates(t, plan), 0);
    hk_integral_destroy(&t);
    hk_reference_clear(&reference);
  }
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_plan),
                                     cmocka_unit_test(limits_are_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
