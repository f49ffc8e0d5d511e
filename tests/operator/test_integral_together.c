/* Element matrices by a device and the host at once (operator/integration/together.h) are those of one alone. */
#include "operator/integration/together.h"
#include "operator/integral_fixture.h"
#include <pthread.h>

enum { MANY = 300 };

/* MANY distorted prisms of order p, with a material each. */
typedef struct body {
  hk_reference reference;
  hk_count size; /* of a matrix */
  double *x, *lame;
  double *matrix; /* [MANY][size] */
  /* [MANY]: 1, by the thread of the test, 2, by another one; sums where a matrix came twice */
  int *taken;
  pthread_t thread;
  bool fails;
} body;

static void make_body(int p, body *b)
{
  const hk_element *wedge = hk_element_of(HK_WEDGE6);
  *b = (body){.thread = pthread_self()};
  ok(hk_reference_prism(p, p, HK_WEDGE6, &b->reference));
  b->size = 9LL * b->reference.shapes * b->reference.shapes;
  ok(hk_get(&b->x, MANY * 18));
  ok(hk_get(&b->lame, MANY * 2));
  ok(hk_get(&b->matrix, MANY * b->size));
  ok(hk_get(&b->taken, MANY));
  for (int k = 0; k < MANY * 18; k++)
    b->x[k] = wedge->reference[k / 3 % 6][k % 3] + 0.2 * noise((uint32_t)k);
  for (int k = 0; k < MANY * 2; k++) b->lame[k] = 1 + noise((uint32_t)k);
}

static void clear_body(body *b)
{
  hk_reference_clear(&b->reference);
  hk_free(&b->x);
  hk_free(&b->lame);
  hk_free(&b->matrix);
  hk_free(&b->taken);
}

static hk_integral_desc describe(const body *b, hk_device *device)
{
  return (hk_integral_desc){.device = device,
                            .double_precision = true,
                            .reference = &b->reference,
                            .elements = MANY,
                            .x = b->x,
                            .coefficients = {3, true, HK_SPREAD_ELEMENT, b->lame}};
}

static hk_status place(void *user, hk_count first, hk_count count, const void *matrix)
{
  body *b = user;
  const bool own = pthread_equal(pthread_self(), b->thread);
  if (b->fails) return hk_error_set(HK_STOPPED, "no more");
  memcpy(b->matrix + first * b->size, matrix, (size_t)(count * b->size) * sizeof *b->matrix);
  for (hk_count e = first; e < first + count; e++) b->taken[e] += own ? 1 : 2;
  return HK_OK;
}

/* Every element came once, and hk_together_share counts those that another thread took. */
static void check_taken(const body *b, const hk_together *t)
{
  hk_count others = 0;
  for (int e = 0; e < MANY; e++) {
    assert_in_range(b->taken[e], 1, 2);
    others += b->taken[e] == 2;
  }
  assert_int_equal(others, hk_together_share(t));
}

/* two hosts: the bits of one, in both of two runs; the device takes from the front, the host from the back */
static void two_hosts_have_the_bits_of_one(void **state)
{
  hk_device *device = open_device("cpu"), *host = open_device("cpu");
  (void)state;
  for (int p = 1; p <= 2; p++) {
    body b, one;
    hk_together *t = NULL;
    hk_integral *alone = NULL;
    make_body(p, &b);
    make_body(p, &one);
    hk_integral_desc d = describe(&b, device);
    ok(hk_integral_create(&d, &alone));
    ok(hk_integral_run(alone, false, place, &one));
    ok(hk_together_create(&d, host, &t));
    for (int run = 0; run < 2; run++) {
      memset(b.taken, 0, MANY * sizeof *b.taken);
      memset(b.matrix, 0, (size_t)(MANY * b.size) * sizeof *b.matrix);
      ok(hk_together_run(t, place, &b));
      check_taken(&b, t);
      for (int e = 1; e < MANY; e++) assert_true(b.taken[e] <= b.taken[e - 1]);
      assert_memory_equal(b.matrix, one.matrix, (size_t)(MANY * b.size) * sizeof *b.matrix);
    }
    hk_together_destroy(&t);
    hk_integral_destroy(&alone);
    clear_body(&b);
    clear_body(&one);
  }
  hk_device_close(&device);
  hk_device_close(&host);
}

/* a device and the host: those of the host to 1e-13 of the largest entry of a matrix; ways of the paper run on the device alone */
static void device_and_host_agree(void **state)
{
  hk_device *device = open_device("opencl"), *host = open_device("cpu");
  (void)state;
  for (int way = HK_INTEGRAL_AUTO; way <= HK_INTEGRAL_SHM_JAC; way += HK_INTEGRAL_SHM_JAC) {
    body b, one;
    hk_together *t = NULL;
    hk_integral *alone = NULL;
    make_body(1, &b);
    make_body(1, &one);
    hk_integral_desc d = describe(&b, host);
    ok(hk_integral_create(&d, &alone));
    ok(hk_integral_run(alone, false, place, &one));
    d.device = device, d.way = (hk_integral_way)way;
    ok(hk_together_create(&d, host, &t));
    ok(hk_together_run(t, place, &b));
    check_taken(&b, t);
    for (int e = 0; e < MANY; e++) {
      double largest = 0, off = 0;
      for (hk_count k = e * b.size; k < (e + 1) * b.size; k++) {
        largest = hk_larger(largest, fabs(one.matrix[k]));
        off = hk_larger(off, fabs(one.matrix[k] - b.matrix[k]));
      }
      assert_true(off <= 1e-13 * largest);
    }
    hk_together_destroy(&t);
    hk_integral_destroy(&alone);
    clear_body(&b);
    clear_body(&one);
  }
  hk_device_close(&device);
  hk_device_close(&host);
}

/* busy + even seconds = other_busy + (left - even) other_seconds, within 0 ... left */
static void both_end_together(void **state)
{
  (void)state;
  assert_int_equal(hk_together_even(100, 0, 1, 0, 1), 50);
  assert_int_equal(hk_together_even(100, 0, 1, 0, 4), 80);
  assert_int_equal(hk_together_even(100, 10, 1, 0, 4), 78);  /* 88 = 22 * 4 */
  assert_int_equal(hk_together_even(100, 10, 1, 60, 4), 90); /* 100 = 60 + 10 * 4 */
  assert_int_equal(hk_together_even(100, 30, 3, 40, 2), 42); /* 156 = 40 + 58 * 2 */
  assert_int_equal(hk_together_even(10, 50, 1, 0, 1), 0);
  assert_int_equal(hk_together_even(10, 0, 1, 50, 1), 10);
  assert_int_equal(hk_together_even(0, 0, 1, 50, 1), 0);
  assert_int_equal(hk_together_even(1, 0, 1, 0, 1), 0);
}

/* an element turned inside out is named, whoever integrates it; the next run of a sound list is not told of it */
static void folded_elements_are_named(void **state)
{
  hk_device *device = open_device("cpu"), *host = open_device("cpu");
  const int at[3] = {0, MANY / 2, MANY - 1};
  (void)state;
  for (int k = 0; k < 3; k++) {
    body b = {0};
    hk_together *t = NULL;
    char words[40];
    make_body(1, &b);
    double *x = b.x + at[k] * 18;
    hk_integral_desc d = describe(&b, device);
    ok(hk_together_create(&d, host, &t));
    for (int n = 0; n < 6; n++) x[n * 3 + 2] = -x[n * 3 + 2];
    assert_int_equal(hk_together_run(t, place, &b), HK_BAD_INPUT);
    snprintf(words, sizeof words, "element %d is folded", at[k] + 1);
    error_says(words);
    for (int n = 0; n < 6; n++) x[n * 3 + 2] = -x[n * 3 + 2];
    ok(hk_together_run(t, place, &b));
    hk_together_destroy(&t);
    clear_body(&b);
  }
  hk_device_close(&device);
  hk_device_close(&host);
}

/* what the caller answers ends the run */
static void caller_may_stop(void **state)
{
  hk_device *device = open_device("cpu"), *host = open_device("cpu");
  body b = {0};
  hk_together *t = NULL;
  (void)state;
  make_body(1, &b);
  hk_integral_desc d = describe(&b, device);
  ok(hk_together_create(&d, host, &t));
  b.fails = true;
  assert_int_equal(hk_together_run(t, place, &b), HK_STOPPED);
  error_says("no more");
  hk_together_destroy(&t);
  clear_body(&b);
  hk_device_close(&device);
  hk_device_close(&host);
}

/* no element: nothing is taken */
static void no_elements(void **state)
{
  hk_device *device = open_device("cpu"), *host = open_device("cpu");
  body b = {0};
  hk_together *t = NULL;
  (void)state;
  make_body(1, &b);
  hk_integral_desc d = describe(&b, device);
  d.elements = 0, d.x = NULL; /* nothing is timed either */
  ok(hk_together_create(&d, host, &t));
  ok(hk_together_run(t, place, &b));
  assert_int_equal(hk_together_share(t), 0);
  for (int e = 0; e < MANY; e++) assert_int_equal(b.taken[e], 0);
  hk_together_destroy(&t);
  clear_body(&b);
  hk_device_close(&device);
  hk_device_close(&host);
}

/* the k-th allocation or call of a device fails, k = 1, 2, ... until none does */
static void faults_end_the_run(void **state)
{
  hk_device *device = open_device("cpu"), *host = open_device("cpu");
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    hk_status status = HK_NO_RESOURCES;
    for (hk_count k = 1; status != HK_OK; k++) {
      body b = {0};
      hk_together *t = NULL;
      make_body(1, &b);
      assert_true(k < 1000);
      hk_integral_desc d = describe(&b, device);
      kind ? hk_device_fail_at(k) : hk_memory_fail_at(k);
      status = hk_together_create(&d, host, &t);
      if (status == HK_OK) status = hk_together_run(t, place, &b);
      hk_device_fail_at(0), hk_memory_fail_at(0);
      if (status == HK_OK)
        check_taken(&b, t);
      else
        assert_int_equal(status, HK_NO_RESOURCES);
      hk_together_destroy(&t);
      clear_body(&b);
    }
  }
  hk_device_close(&device);
  hk_device_close(&host);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_hosts_have_the_bits_of_one),
                                     cmocka_unit_test(device_and_host_agree),
                                     cmocka_unit_test(both_end_together),
                                     cmocka_unit_test(folded_elements_are_named),
                                     cmocka_unit_test(caller_may_stop),
                                     cmocka_unit_test(no_elements),
                                     cmocka_unit_test(faults_end_the_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
