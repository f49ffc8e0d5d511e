/* The discrepancy of traces: the largest |a - b| of a receiver over its largest |a|; not-a-number stays. */
#include "pogo/traces.h"
#include "support/check.h"

enum { SAMPLES = 3, ROWS = 4 }; /* two receivers of two components */

static double discrepancy(double at, double difference)
{
  hk_count rows[] = {ROWS}, samples[] = {SAMPLES};
  double a[SAMPLES * ROWS] = {0}, b[SAMPLES * ROWS] = {0}, *of_a[] = {a}, *of_b[] = {b}, dt[] = {1};
  for (int i = 0; i < SAMPLES * ROWS; i++) a[i] = b[i] = i % 2 ? 4 : 3; /* |a| = 5 */
  b[(int)at] += difference;
  const hk_traces first = {
      .components = 2, .groups = 1, .rows = rows, .samples = samples, .dt = dt, .value = of_a};
  hk_traces second = first;
  second.value = of_b;
  return hk_traces_discrepancy(&first, &second);
}

static void largest_difference_of_a_receiver(void **state)
{
  (void)state;
  for (int i = 0; i < SAMPLES * ROWS; i++) assert_true(fabs(discrepancy(i, 0.5) - 0.1) <= 1e-15);
}

/* at whatever sample and receiver it is */
static void not_a_number_stays(void **state)
{
  (void)state;
  for (int i = 0; i < SAMPLES * ROWS; i++) assert_true(isnan(discrepancy(i, NAN)));
}

/* hk_larger(a, b): the larger one, not-a-number if either is */
static void larger_of_two(void **state)
{
  (void)state;
  assert_true(hk_larger(1, 2) == 2 && hk_larger(2, 1) == 2);
  assert_true(isnan(hk_larger(NAN, 1)) && isnan(hk_larger(1, NAN)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(largest_difference_of_a_receiver),
                                     cmocka_unit_test(not_a_number_stays),
                                     cmocka_unit_test(larger_of_two)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
