/* Element matrices by sum factorisation (operator/integration/factorised.k.h) are those of Algorithm 1; more elements than lanes, each way. */
#include "operator/integral_fixture.h"
#include "sanitized.h"
#include <pthread.h>

/* Largest difference of the first matrix to its transpose, over its largest entry. */
static double asymmetry(const double *matrix, int width)
{
  double off = 0, largest = 0;
  for (int i = 0; i < width; i++)
    for (int j = 0; j < width; j++) {
      largest = hk_larger(largest, fabs(matrix[i * width + j]));
      off = hk_larger(off, fabs(matrix[i * width + j] - matrix[j * width + i]));
    }
  return off / largest;
}

/* Sum factorisation of straight prisms by the rule p, or of curved ones by p + 1; of few points and in one precision where that is slow. */
static void check_factorised(hk_device *device, int p, bool curved, hk_integral_limits limits)
{
  const bool few = hk_device_describe(device)->compiles || SANITIZED;
  const hk_shape shape = !curved ? HK_WEDGE6 : p % 2 ? HK_WEDGE15 : HK_WEDGE18;
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3];
  distort(shape, x);
  ok(hk_reference_prism(p, few ? 1 + (p + curved) % 2 : p + curved, shape, &reference));
  for (int real = 0; real < 2; real++) {
    result r;
    const hk_integral_desc d = {.device = device,
                                .double_precision = real,
                                .reference = &reference,
                                .elements = p > 4 ? 1 : ELEMENTS,
                                .x = x[0],
                                .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]},
                                .way = HK_INTEGRAL_FACTORISED,
                                .limits = limits};
    if (few && (p / 2 + curved) % 2 == real) continue;
    integrate(&d, &r);
    const double off = difference(&d, r.matrix);
    if (!(off <= (real ? 1e-12 : 1e-5))) fail_msg("order %d, curved %d: off by %g", p, curved, off);
    assert_true(asymmetry(r.matrix, 3 * reference.shapes) <= (real ? 1e-14 : 1e-6));
    hk_free(&r.matrix);
  }
  hk_reference_clear(&reference);
}

static void factorised_on_host(void **state)
{
  hk_device *device = open_device("cpu");
  (void)state;
  for (int p = 1; p <= 7; p++)
    for (int curved = 0; curved < 2; curved++)
      check_factorised(device, p, curved, (hk_integral_limits){0});
  hk_device_close(&device);
}

static void factorised_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  for (int p = 1; p <= 7; p++) check_factorised(device, p, p % 2, (hk_integral_limits){0});
  hk_device_close(&device);
}

/* 32 kB of local memory and 256 threads per group */
static void factorised_on_small_device(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  for (int p = 1; p <= 7; p += 2)
    check_factorised(device, p, p % 4 == 3,
                     (hk_integral_limits){.threads = 256, .local_memory = 32 << 10});
  hk_device_close(&device);
}

/* more elements than lanes, in groups that are not full, launched in two parts to places behind the first: each has its own matrix */
static void check_many(hk_device *device, int p, hk_integral_way way)
{
  enum { MANY = 21, FIRST = 2, PART = 10 };
  const hk_element *wedge = hk_element_of(HK_WEDGE6);
  hk_reference reference;
  hk_integral *t = NULL;
  hk_buffer *buffer = NULL;
  double x[MANY * 18], c[MANY * 2], *matrix = NULL;
  ok(hk_reference_prism(p, 1, HK_WEDGE6, &reference));
  for (int k = 0; k < MANY * 18; k++)
    x[k] = wedge->reference[k / 3 % 6][k % 3] + 0.2 * noise((uint32_t)k);
  for (int k = 0; k < MANY * 2; k++) c[k] = 1 + noise((uint32_t)k);
  hk_integral_desc d = {.device = device,
                        .double_precision = true,
                        .reference = &reference,
                        .elements = MANY,
                        .x = x,
                        .coefficients = {3, true, HK_SPREAD_ELEMENT, c},
                        .way = way,
                        .resident = true};
  const hk_count size = 9 * (hk_count)reference.shapes * reference.shapes;
  d.limits.memory = 2 * PART * size * 8;
  ok(hk_get(&matrix, (MANY + FIRST) * size));
  ok(hk_buffer_create(device, (MANY + FIRST) * size * 8, &buffer));
  ok(hk_integral_create(&d, &t));
  assert_int_equal(hk_integral_describe(t)->launch, PART);
  ok(hk_integral_fill(t, 0, MANY, buffer, FIRST));
  ok(hk_buffer_read(buffer, 0, (MANY + FIRST) * size * 8, matrix));
  const double off = difference(&d, matrix + FIRST * size);
  if (!(off <= 1e-12))
    fail_msg("%s, order %d, %d elements: off by %g", hk_integral_way_name(way), p, MANY, off);
  hk_integral_destroy(&t);
  hk_buffer_destroy(&buffer);
  hk_free(&matrix);
  hk_reference_clear(&reference);
}

static void many_elements(void **state)
{
  hk_device *device = open_device("cpu"), *other = NULL;
  (void)state;
  for (int p = 1; p <= 3; p++)
    for (int way = HK_INTEGRAL_POINTS; way < HK_INTEGRAL_WAYS; way++)
      check_many(device, p, (hk_integral_way)way);
  if (hk_device_open("opencl", 2, &other) == HK_OK)
    for (int way = HK_INTEGRAL_PRODUCTS; way < HK_INTEGRAL_WAYS; way++)
      check_many(other, 2, (hk_integral_way)way);
  hk_device_close(&device);
  hk_device_close(&other);
}

/* without factors, or where coefficients vary in elements, it is refused, with what to take instead */
static void factorised_is_refused(void **state)
{
  hk_device *device = open_device("cpu");
  const hk_element *hexahedron = hk_element_of(HK_HEX8);
  hk_reference reference[2];
  hk_integral *t = NULL;
  double x[18 * 3] = {0}, c[2 * 6] = {0};
  (void)state;
  ok(hk_reference_element(hexahedron, &hexahedron->full, &reference[0]));
  ok(hk_reference_prism(1, 1, HK_WEDGE6, &reference[1]));
  for (int k = 0; k < 2; k++) {
    const hk_integral_desc d = {
        .device = device,
        .reference = &reference[k],
        .elements = 1,
        .x = x,
        .coefficients = {3, true, k ? HK_SPREAD_POINT : HK_SPREAD_ELEMENT, c},
        .way = HK_INTEGRAL_FACTORISED};
    assert_int_equal(hk_integral_create(&d, &t), HK_BAD_INPUT);
    error_says("use another method");
    hk_reference_clear(&reference[k]);
  }
  hk_device_close(&device);
}

typedef struct attempt {
  hk_integral_desc desc;
  hk_status status;
} attempt;

static hk_status take_none(void *user, hk_count first, hk_count count, const void *matrix)
{
  (void)user, (void)first, (void)count, (void)matrix;
  return HK_OK;
}

static void *attempt_run(void *user)
{
  attempt *a = user;
  hk_integral *t = NULL;
  a->status = hk_integral_create(&a->desc, &t);
  if (a->status == HK_OK) a->status = hk_integral_run(t, false, take_none, NULL);
  hk_integral_destroy(&t);
  return NULL;
}

/* the arrays of the host's kernels fit a thread with a stack of 0.75 MB, whatever the coefficients */
static void small_stacks_suffice(void **state)
{
  enum { MOST = 5 * 5 * 16 };
  double x[ELEMENTS][MOST_CORNERS * 3], c[MOST];
  hk_reference reference;
  pthread_attr_t small;
  hk_device *device = NULL;
  (void)state;
  if (SANITIZED) skip();
  ok(hk_device_open("cpu", 1, &device)); /* the caller does it all */
  distort(HK_WEDGE6, x);
  for (int k = 0; k < MOST; k++) c[k] = 1 + noise((uint32_t)k);
  ok(hk_reference_prism(2, 2, HK_WEDGE6, &reference));
  pthread_attr_init(&small);
  assert_int_equal(pthread_attr_setstacksize(&small, 768 << 10), 0);
  for (int way = HK_INTEGRAL_POINTS; way < HK_INTEGRAL_WAYS; way++)
    for (int equations = 1; equations <= 5; equations++) {
      pthread_t thread;
      attempt a = {.desc = {.device = device,
                            .double_precision = true,
                            .reference = &reference,
                            .elements = ELEMENTS,
                            .x = x[0],
                            .coefficients = {equations, false, HK_SPREAD_SAME, c},
                            .way = (hk_integral_way)way}};
      assert_int_equal(pthread_create(&thread, &small, attempt_run, &a), 0);
      assert_int_equal(pthread_join(thread, NULL), 0);
      ok(a.status);
    }
  pthread_attr_destroy(&small);
  hk_reference_clear(&reference);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factorised_on_host),         cmocka_unit_test(factorised_on_opencl),
      cmocka_unit_test(factorised_on_small_device), cmocka_unit_test(many_elements),
      cmocka_unit_test(factorised_is_refused),      cmocka_unit_test(small_stacks_suffice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
