/* Element matrices by every way (operator/integration/integral.h) beside Algorithm 1 of Banas, Plaszewski and Maciol. */
#include "operator/integral_fixture.h"
#include "sanitized.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Isotropic elasticity at order p by the rule k, each way, both precisions; where kernels are compiled, which is slow, a third of the ways
 * by `turn`, each in one precision. */
static void check_elastic(hk_device *device, int p, int k, int turn, hk_integral_limits limits)
{
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3];
  distort(HK_WEDGE6, x);
  ok(hk_reference_prism(p, k, HK_WEDGE6, &reference));
  const bool all = hk_device_describe(device)->compiles;
  for (int way = all ? HK_INTEGRAL_REG_JAC : HK_INTEGRAL_POINTS; way < HK_INTEGRAL_WAYS; way++)
    for (int real = 0; real < 2; real++) {
      if (all && ((way + turn) % 3 || real != (way + p) % 2)) continue;
      check(&(hk_integral_desc){.device = device,
                                .double_precision = real,
                                .reference = &reference,
                                .elements = all ? 2 : ELEMENTS,
                                .x = x[0],
                                .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]},
                                .way = (hk_integral_way)way,
                                .limits = limits});
    }
  hk_reference_clear(&reference);
}

static void elastic_on_host(void **state)
{
  hk_device *device = open_device("cpu");
  (void)state;
  for (int p = 1; p <= (SANITIZED ? 4 : 7); p++)
    check_elastic(device, p, p, p, (hk_integral_limits){0});
  hk_device_close(&device);
}

/* High orders with fewer points: what a kernel does does not depend on them, and PoCL is slow. */
static void elastic_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  for (int p = 1; p <= 7; p++) check_elastic(device, p, p > 2 ? 1 : p, p, (hk_integral_limits){0});
  hk_device_close(&device);
}

/* what is taken unless a way is named, with all points of each order, as in a run; single precision at two of them */
static void orders_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  double x[ELEMENTS][MOST_CORNERS * 3];
  (void)state;
  distort(HK_WEDGE6, x);
  for (int p = 1; p <= 7; p++)
    for (int real = p % 3 != 1; real < 2; real++) {
      hk_reference reference;
      ok(hk_reference_prism(p, p, HK_WEDGE6, &reference));
      check(&(hk_integral_desc){.device = device,
                                .double_precision = real,
                                .reference = &reference,
                                .elements = p > 4 ? 1 : ELEMENTS,
                                .x = x[0],
                                .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]}});
      hk_reference_clear(&reference);
    }
  hk_device_close(&device);
}

/* a device with 32 kB of local memory and 256 threads per group runs all orders */
static void small_device(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  for (int p = 1; p <= 7; p += 3)
    check_elastic(device, p, 1, p / 3,
                  (hk_integral_limits){.threads = 256, .local_memory = 32 << 10, .groups = 1});
  hk_device_close(&device);
}

/* c of any values: with mass, convection and diffusion, or diffusion alone; symmetric or not. */
static void fill_coefficients(int equations, bool values, bool symmetric, hk_count sets, double *c)
{
  for (hk_count s = 0; s < sets; s++)
    for (int i = 0; i < equations; i++)
      for (int j = 0; j < equations; j++)
        for (int k = 0; k < 16; k++) {
          const int here = (i * 5 + j) * 16 + k, there = (j * 5 + i) * 16 + k % 4 * 4 + k / 4;
          const int of = symmetric && there < here ? there : here;
          const bool zero = !values && (k < 4 || k % 4 == 0);
          *c++ = zero ? 0 : noise((uint32_t)(s * 400 + of));
        }
}

static void check_general(hk_device *device)
{
  enum { POINTS = 18 };
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3], *c = NULL;
  const bool all = hk_device_describe(device)->compiles;
  distort(HK_WEDGE6, x);
  ok(hk_reference_prism(2, 2, HK_WEDGE6, &reference));
  ok(hk_get(&c, ELEMENTS * POINTS * 400));
  for (int equations = 1; equations <= 5; equations++)
    for (int variant = 0; variant < 4; variant++) {
      const hk_spread spread = (hk_spread)((equations + variant) % 3);
      fill_coefficients(equations, variant % 2, variant / 2, ELEMENTS * POINTS, c);
      for (int way = HK_INTEGRAL_AUTO; way < HK_INTEGRAL_WAYS; way++) {
        const bool paper = way > HK_INTEGRAL_AUTO && way < HK_INTEGRAL_POINTS;
        if (paper && (!all || (way + 3 * equations + variant) % 8)) continue;
        if (all && !paper && (way == HK_INTEGRAL_AUTO || equations % 2 != variant / 2)) continue;
        if (way >= HK_INTEGRAL_PRODUCTS && spread == HK_SPREAD_POINT) continue;
        check(&(hk_integral_desc){.device = device,
                                  .double_precision = !all || variant < 3,
                                  .reference = &reference,
                                  .elements = ELEMENTS,
                                  .x = x[0],
                                  .coefficients = {equations, false, spread, c},
                                  .way = (hk_integral_way)way});
      }
    }
  hk_free(&c);
  hk_reference_clear(&reference);
}

static void any_coefficients_on_host(void **state)
{
  hk_device *device = open_device("cpu");
  (void)state;
  check_general(device);
  hk_device_close(&device);
}

static void any_coefficients_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  check_general(device);
  hk_device_close(&device);
}

/* curved prisms with more points; K = K^T; K (a + b x x) = 0 for the six motions of a rigid body, an identity of the space if its nodes
 * are placed by the geometry: order 2 with wedge18 */
static void rigid_motions(void **state)
{
  hk_device *device = open_device("cpu");
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3], n[MOST_CORNERS], at[18][3];
  const hk_element *wedge = hk_element_of(HK_WEDGE18);
  const hk_prism *prism = hk_prism_of(2);
  result r;
  (void)state;
  distort(HK_WEDGE18, x);
  ok(hk_reference_prism(2, 4, HK_WEDGE18, &reference));
  hk_integral_desc d = {.device = device,
                        .double_precision = true,
                        .reference = &reference,
                        .elements = 1,
                        .x = x[0],
                        .coefficients = {3, true, HK_SPREAD_SAME, lame[0]}};
  integrate(&d, &r);
  assert_true(difference(&d, r.matrix) <= 1e-12);
  for (int i = 0; i < 18; i++) {
    hk_element_functions(wedge, prism->reference[i], n, NULL);
    for (int c = 0; c < 3; c++) {
      at[i][c] = -5 * c;
      for (int k = 0; k < 18; k++) at[i][c] += n[k] * x[0][k * 3 + c];
    }
  }
  for (int row = 0; row < 54; row++)
    for (int motion = 0; motion < 6; motion++) {
      const int a = motion % 3, b = (motion + 1) % 3;
      double sum = 0;
      for (int i = 0; i < 18; i++)
        sum += motion < 3 ? r.matrix[row * 54 + i * 3 + a]
                          : r.matrix[row * 54 + i * 3 + a] * at[i][b] -
                                r.matrix[row * 54 + i * 3 + b] * at[i][a];
      assert_true(fabs(sum) <= 1e-12);
      for (int i = 0; i < 54; i++)
        assert_true(fabs(r.matrix[row * 54 + i] - r.matrix[i * 54 + row]) <= 1e-13);
    }
  hk_free(&r.matrix);
  hk_reference_clear(&reference);
  hk_device_close(&device);
}

/* launches of one element where memory is for two matrices; the same bits */
static void several_launches(void **state)
{
  hk_device *device = open_device("cpu"), *other = NULL;
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3];
  result whole, parts;
  (void)state;
  distort(HK_WEDGE6, x);
  ok(hk_reference_prism(2, 2, HK_WEDGE6, &reference));
  if (hk_device_open("opencl", 2, &other) != HK_OK) other = NULL;
  for (int k = 0; k < (other ? 2 : 1); k++) {
    hk_integral_desc d = {.device = k ? other : device,
                          .double_precision = true,
                          .reference = &reference,
                          .elements = ELEMENTS,
                          .x = x[0],
                          .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]}};
    integrate(&d, &whole);
    d.limits.memory = 2 * whole.size * 8;
    integrate(&d, &parts);
    assert_int_equal(whole.launches, 1);
    assert_int_equal(parts.launches, ELEMENTS);
    assert_memory_equal(whole.matrix, parts.matrix, (size_t)whole.size * ELEMENTS * 8);
    hk_free(&whole.matrix);
    hk_free(&parts.matrix);
  }
  hk_reference_clear(&reference);
  hk_device_close(&device);
  hk_device_close(&other);
}

/* geometries of many nodes: hex20, and the prism of order 3 whose nodes its own functions place */
static void check_shapes(hk_device *device)
{
  const hk_element *element[2] = {hk_element_of(HK_HEX20),
                                  hk_element_of(hk_shape_raised(HK_WEDGE6, 3))};
  const bool all = hk_device_describe(device)->compiles;
  for (int s = 0; s < 2; s++) {
    hk_reference reference;
    double x[2 * 40 * 3];
    ok(hk_reference_element(element[s], &element[s]->full, &reference));
    for (int k = 0; k < 2 * 3 * element[s]->nodes; k++)
      x[k] = element[s]->reference[k / 3 % element[s]->nodes][k % 3] + 0.1 * noise((uint32_t)k);
    for (int way = HK_INTEGRAL_REG_JAC; way < HK_INTEGRAL_WAYS; way++)
      if (way == HK_INTEGRAL_FACTORISED ? s == 1
                                        : way >= HK_INTEGRAL_POINTS || (all && way % 2 == s))
        check(&(hk_integral_desc){.device = device,
                                  .double_precision = true,
                                  .reference = &reference,
                                  .elements = 2,
                                  .x = x,
                                  .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]},
                                  .way = (hk_integral_way)way});
    hk_reference_clear(&reference);
  }
}

static void shapes_on_host(void **state)
{
  hk_device *device = open_device("cpu");
  (void)state;
  check_shapes(device);
  hk_device_close(&device);
}

static void shapes_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  check_shapes(device);
  hk_device_close(&device);
}

static hk_status drop(void *user, hk_count first, hk_count count, const void *matrix)
{
  (void)user, (void)first, (void)count, (void)matrix;
  return HK_OK;
}

/* an element turned inside out is named */
static void folded_elements_are_named(void **state)
{
  hk_device *device = open_device("cpu");
  hk_reference reference;
  hk_integral *t = NULL;
  double x[ELEMENTS][MOST_CORNERS * 3], *third = x[0] + 36;
  (void)state;
  distort(HK_WEDGE6, x);
  for (int k = 2; k < 18; k += 3) third[k] = -third[k];
  ok(hk_reference_prism(1, 1, HK_WEDGE6, &reference));
  ok(hk_integral_create(&(hk_integral_desc){.device = device,
                                            .double_precision = true,
                                            .reference = &reference,
                                            .elements = ELEMENTS,
                                            .x = x[0],
                                            .coefficients = {3, true, HK_SPREAD_SAME, lame[0]}},
                        &t));
  assert_int_equal(hk_integral_run(t, false, drop, NULL), HK_BAD_INPUT);
  error_says("element 3");
  hk_integral_destroy(&t);
  hk_reference_clear(&reference);
  hk_device_close(&device);
}

/* Files of a folder, which are removed. */
static int empty(const char *folder)
{
  char path[512];
  int files = 0;
  DIR *list = opendir(folder);
  assert_non_null(list);
  for (const struct dirent *entry; (entry = readdir(list));) {
    if (entry->d_name[0] == '.') continue;
    files++;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    remove(path);
  }
  closedir(list);
  return files;
}

/* with a cache folder candidates are timed; one file of it says which was the fastest, and serves the second time; fewer elements than
 * are timed, or a folded one of them, leave nothing behind and are no error before the run */
static void tuned_plans_are_remembered(void **state)
{
  hk_device *device = open_device("opencl");
  char folder[] = "/tmp/hooke_integral_XXXXXX";
  hk_reference reference;
  hk_integral *t = NULL;
  double x[ELEMENTS][MOST_CORNERS * 3], law[ELEMENTS * 6][2];
  (void)state;
  assert_non_null(mkdtemp(folder));
  distort(HK_WEDGE6, x);
  ok(hk_reference_prism(1, 1, HK_WEDGE6, &reference));
  hk_integral_desc d = {.device = device,
                        .double_precision = true,
                        .reference = &reference,
                        .elements = ELEMENTS,
                        .x = x[0],
                        .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]},
                        .cache = folder};
  check(&d);
  check(&d);
  assert_int_equal(empty(folder), 1);
  /* of coefficients that vary other plans are timed: each list has its file */
  for (int k = 0; k < ELEMENTS * 6; k++) law[k][0] = 1 + noise((uint32_t)k), law[k][1] = 1;
  check(&d);
  d.coefficients = (hk_coefficients){3, true, HK_SPREAD_POINT, law[0]};
  check(&d);
  assert_int_equal(empty(folder), 2);
  d.coefficients = (hk_coefficients){3, true, HK_SPREAD_ELEMENT, lame[0]};
  d.elements = 1;
  check(&d);
  assert_int_equal(empty(folder), 0);
  d.elements = ELEMENTS;
  for (int k = 2; k < 18; k += 3) x[0][k] = -x[0][k];
  ok(hk_integral_create(&d, &t));
  assert_int_equal(hk_integral_run(t, false, drop, NULL), HK_BAD_INPUT);
  error_says("element 1");
  hk_integral_destroy(&t);
  assert_int_equal(empty(folder), 0);
  rmdir(folder);
  hk_reference_clear(&reference);
  hk_device_close(&device);
}

/* the k-th allocation fails, k = 1, 2, ... until none does */
static void allocations_may_fail(void **state)
{
  hk_device *device = open_device("cpu");
  double x[ELEMENTS][MOST_CORNERS * 3];
  hk_status status = HK_NO_RESOURCES;
  (void)state;
  distort(HK_WEDGE6, x);
  for (hk_count k = 1; status != HK_OK; k++) {
    hk_reference reference = {0};
    hk_integral *t = NULL;
    assert_true(k < 100);
    hk_memory_fail_at(k);
    status = hk_reference_prism(1, 1, HK_WEDGE6, &reference);
    if (status == HK_OK)
      status = hk_integral_create(
          &(hk_integral_desc){.device = device,
                              .reference = &reference,
                              .elements = 1,
                              .x = x[0],
                              .coefficients = {3, true, HK_SPREAD_SAME, lame[0]}},
          &t);
    hk_memory_fail_at(0);
    hk_integral_destroy(&t);
    hk_reference_clear(&reference);
  }
  hk_device_close(&device);
}

/* sets of equal order and colour, elements ascending in each */
static void sets_by_order_and_colour(void **state)
{
  const int8_t order[6] = {3, 1, 3, 1, 3, 1};
  const int32_t colour[6] = {0, 1, 1, 0, 0, 1};
  const hk_index expected[6] = {3, 1, 5, 0, 4, 2}, begins[5] = {0, 1, 3, 5, 6};
  hk_index *element = NULL, *set = NULL;
  hk_count sets;
  (void)state;
  ok(hk_integral_sets(6, order, colour, &element, &set, &sets));
  assert_int_equal(sets, 4);
  assert_memory_equal(element, expected, sizeof expected);
  assert_memory_equal(set, begins, sizeof begins);
  hk_free(&element);
  hk_free(&set);
  ok(hk_integral_sets(6, order, NULL, &element, &set, &sets));
  assert_int_equal(sets, 2);
  assert_int_equal(set[1], 3);
  hk_free(&element);
  hk_free(&set);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(elastic_on_host),
                                     cmocka_unit_test(elastic_on_opencl),
                                     cmocka_unit_test(orders_on_opencl),
                                     cmocka_unit_test(small_device),
                                     cmocka_unit_test(any_coefficients_on_host),
                                     cmocka_unit_test(any_coefficients_on_opencl),
                                     cmocka_unit_test(shapes_on_host),
                                     cmocka_unit_test(shapes_on_opencl),
                                     cmocka_unit_test(rigid_motions),
                                     cmocka_unit_test(several_launches),
                                     cmocka_unit_test(folded_elements_are_named),
                                     cmocka_unit_test(tuned_plans_are_remembered),
                                     cmocka_unit_test(allocations_may_fail),
                                     cmocka_unit_test(sets_by_order_and_colour)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
