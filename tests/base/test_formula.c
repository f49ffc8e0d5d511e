/* Formulas of x, y, z give what C gives; wrong ones are told with their column. */
#include "base/formula.h"
#include "support/check.h"
#include <hooke/status.h>

static const double at[3] = {.3, -1.7, 2.5};

/* value(text) = the same expression of C, exactly */
static void values_are_those_of_c(void **state)
{
  const double x = at[0], y = at[1], z = at[2];
  const struct {
    const char *text;
    double value;
  } row[] = {
      {"1", 1},
      {"1.5e2", 150},
      {" 2 + 3*4 - 6/3 ", 12},
      {"2 - 3 - 4", -5},
      {"12/3/2", 2},
      {"2^3^2", 512},
      {"-2^2", -4},
      {"2^-1", .5},
      {"--3", 3},
      {"-(x + y)*z", -(x + y) * z},
      {"x^2 - y^3", pow(x, 2) - pow(y, 3)},
      {"sin(pi*x)*cos(y) + tan(z)", sin(M_PI * x) * cos(y) + tan(z)},
      {"exp(-x) + log(z) + sqrt(abs(y)) + tanh(y)", exp(-x) + log(z) + sqrt(fabs(y)) + tanh(y)},
      {"min(x, y) + 10*max(x, min(z, 2))", fmin(x, y) + 10 * fmax(x, fmin(z, 2))}};
  (void)state;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    hk_formula *f = NULL;
    ok(hk_formula_read(row[i].text, &f));
    const double got = hk_formula_value(f, at);
    if (!(fabs(got - row[i].value) <= 0)) fail_msg("%s: %.17g", row[i].text, got);
    assert_string_equal(hk_formula_text(f), row[i].text);
    hk_formula_destroy(&f);
  }
}

/* What has no value has none in min and max either, on whichever side. */
static void no_value_is_not_hidden(void **state)
{
  static const char *const text[] = {"min(1, log(-1))", "min(log(-1), 1)", "max(1, sqrt(-1))",
                                     "max(sqrt(-1), 1)"};
  (void)state;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    hk_formula *f = NULL;
    ok(hk_formula_read(text[i], &f));
    assert_true(isnan(hk_formula_value(f, (double[3]){0})));
    hk_formula_destroy(&f);
  }
}

/* Formulas of T: the value, and the derivative by central differences; T is refused where the place alone counts. */
static void derivatives_are_those_of_differences(void **state)
{
  static const char *const text[] = {"T",
                                     "50 * (1 + 2e-3*T)",
                                     "x * T^2 / (1 + T)",
                                     "exp(-T) * sin(T) + cos(2*T)",
                                     "T^x",
                                     "2^T",
                                     "sqrt(T) - log(T)",
                                     "tanh(T) + tan(T/5)",
                                     "abs(2 - 3*T)",
                                     "min(T, 4) * max(T^3, x)",
                                     "-T",
                                     "x + y",
                                     "3 - T"};
  const double t = 1.3, h = 1e-5;
  (void)state;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    hk_formula *f = NULL, *cold = NULL;
    double slope;
    ok(hk_formula_read_warm(text[i], &f));
    const bool warm = strchr(text[i], 'T');
    assert_int_equal(hk_formula_warm(f), warm);
    hk_formula_value_warm(f, at, t, &slope);
    const double up = hk_formula_value_warm(f, at, t + h, NULL),
                 down = hk_formula_value_warm(f, at, t - h, NULL), by = (up - down) / (2 * h);
    if (!(fabs(slope - by) <= 1e-8 * (1 + fabs(by))))
      fail_msg("%s: %.17g %.17g", text[i], slope, by);
    assert_int_equal(hk_formula_read(text[i], &cold), warm ? HK_BAD_INPUT : HK_OK);
    if (warm) assert_non_null(strstr(hk_error(), "cannot depend on the temperature T"));
    hk_formula_destroy(&f);
    hk_formula_destroy(&cold);
  }
}

/* What T is not in has the derivative 0, also where it has no slope. */
static void constants_have_no_slope(void **state)
{
  static const char *const text[] = {"sqrt(x - x)", "(x - x)^0.5", "1 / x", "abs(x)"};
  (void)state;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    hk_formula *f = NULL;
    double slope = 1;
    ok(hk_formula_read_warm(text[i], &f));
    assert_true(isfinite(hk_formula_value_warm(f, at, 2, &slope)));
    assert_true(slope == 0);
    hk_formula_destroy(&f);
  }
}

static void wrong_ones_are_told(void **state)
{
  char deep[400] = "", wide[3000] = "x";
  (void)state;
  for (int i = 0; i < 200; i++) strcat(deep, "(");
  for (int i = 0; i < 400; i++) strcat(wide, "+ x");
  const struct {
    const char *text, *words;
  } row[] = {{"", "column 1"},
             {"1 +", "column 4"},
             {"2 x", "column 3"},
             {"(1", "expected \")\""},
             {"max(1)", "expected \",\""},
             {"sine(x)", "unknown name \"sine\""},
             {"t", "unknown name"},
             {"1 ** 2", "column 4"},
             {".", "not a number"},
             {deep, "more than"},
             {wide, "too long"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    hk_formula *f = NULL;
    assert_int_equal(hk_formula_read(row[i].text, &f), HK_BAD_INPUT);
    assert_null(f);
    if (!strstr(hk_error(), row[i].words)) fail_msg("%s: %s", row[i].text, hk_error());
  }
}

static void allocations_fail(void **state)
{
  hk_formula *f = NULL;
  hk_status status = HK_NO_RESOURCES;
  const hk_count held = hk_memory_held();
  (void)state;
  for (hk_count k = 1; status != HK_OK; k++) {
    hk_memory_fail_at(k);
    status = hk_formula_read("x + 1", &f);
    hk_memory_fail_at(0);
    assert_true(status == HK_OK || (status == HK_NO_RESOURCES && hk_memory_held() == held));
  }
  hk_formula_destroy(&f);
  assert_int_equal(hk_memory_held(), held);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_c),
                                     cmocka_unit_test(no_value_is_not_hidden),
                                     cmocka_unit_test(derivatives_are_those_of_differences),
                                     cmocka_unit_test(constants_have_no_slope),
                                     cmocka_unit_test(wrong_ones_are_told),
                                     cmocka_unit_test(allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
