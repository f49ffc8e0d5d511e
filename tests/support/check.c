/* Checks that name the line of the test, and small arithmetic of tests. */
#include "support/check.h"

void check_ok(hk_status status, const char *file, int line)
{
  if (status == HK_OK) return;
  print_error("status %d: %s\n", (int)status, hk_error());
  _fail(file, line);
}

void check_near(double got, double expected, double tolerance, const char *file, int line)
{
  if (fabs(got - expected) <= tolerance) return;
  print_error("got %.17g, expected %.17g, tolerance %g\n", got, expected, tolerance);
  _fail(file, line);
}

void check_says(const char *text, const char *words, const char *file, int line)
{
  if (strstr(text, words)) return;
  print_error("\"%s\" lacks \"%s\"\n", text, words);
  _fail(file, line);
}

void check_refused(hk_status got, hk_status status, const char *words, const char *file, int line)
{
  if (got == status && strstr(hk_error(), words)) return;
  print_error("status %d: %s; expected %d: %s\n", (int)got, hk_error(), (int)status, words);
  _fail(file, line);
}

double difference_of(const double *got, const double *expected, hk_count count)
{
  double most = 0, scale = 0;
  for (hk_count i = 0; i < count; i++) {
    most = hk_larger(most, fabs(got[i] - expected[i]));
    scale = hk_larger(scale, fabs(expected[i]));
  }
  return most / scale;
}

double dot(hk_count n, const double *a, const double *b)
{
  double sum = 0;
  for (hk_count i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

double *vector(hk_count n)
{
  double *v = NULL;
  ok(hk_get(&v, n));
  return v;
}

double uniform(void)
{
  return (double)rand() / RAND_MAX - 0.5;
}

bool next_shortage(shortage *memory)
{
  hk_memory_fail_at(0);
  if (memory->k > 0) {
    if (memory->status != HK_OK && memory->status != HK_NO_RESOURCES)
      fail_msg("allocation %lld: %s", (long long)memory->k, hk_error());
    assert_int_equal(hk_memory_held(), memory->held);
    if (memory->status == HK_OK) return false;
    assert_true(memory->k < 100000);
  }
  memory->held = hk_memory_held();
  hk_memory_fail_at(++memory->k);
  return true;
}
