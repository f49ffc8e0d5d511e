/* Intervals of repeated measurements. */
#include "interval.h"
#include "support/check.h"

static void assert_near(double got, double expected, double tolerance)
{
  if (!(fabs(got - expected) <= tolerance))
    fail_msg("got %.9g, expected %.9g +- %.2g", got, expected, tolerance);
}

/* 1, 2, 3, 4, 5: mean 3, half 2.776 sqrt(2.5 / 5) */
static void five_values(void **state)
{
  (void)state;
  const hk_interval i = hk_interval_of((const double[]){1, 2, 3, 4, 5}, 5);
  assert_near(i.mean, 3, 1e-15);
  assert_near(i.half, 1.96293, 1e-3);
  assert_int_equal(i.count, 5);
}

/* equal values: no width; one value: none known */
static void equal_and_single_values(void **state)
{
  (void)state;
  assert_near(hk_interval_of((const double[]){2, 2, 2}, 3).half, 0, 0);
  assert_true(isnan(hk_interval_of((const double[]){7}, 1).half));
}

/* 31 values of variance 1: t of 30 degrees of freedom is 2.0423 */
static void many_values(void **state)
{
  double value[31] = {0};
  (void)state;
  for (int i = 0; i < 30; i++) value[i] = i % 2 ? 1 : -1;
  assert_near(hk_interval_of(value, 31).half, 2.0423 / sqrt(31), 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(five_values),
                                     cmocka_unit_test(equal_and_single_values),
                                     cmocka_unit_test(many_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
