/* Quantities with units: values, systems, and what is refused. */
#include "base/units.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const hk_dimension plain = {{0}}, length = {{1, 0, 0, 0}}, density = {{-3, 1, 0, 0}},
                          duration = {{0, 0, 1, 0}}, rate = {{0, 0, -1, 0}},
                          pressure = {{-1, 1, -2, 0}}, force = {{1, 1, -2, 0}},
                          speed = {{1, 0, -1, 0}};

static void expect(const char *text, hk_dimension d, const hk_unit_system *system, double value)
{
  double got = 0;
  if (hk_quantity_parse(text, d, system, &got) != HK_OK) fail_msg("%s: %s", text, hk_error());
  if (!(got == value)) fail_msg("%s: got %.17g, expected %.17g", text, got, value);
}

/* parse(text) = the literal nearest to the SI value */
static void si_values(void **state)
{
  (void)state;
  const hk_unit_system si = hk_unit_system_si();
  expect("5 MHz", rate, &si, 5e6);
  expect("7800 kg/m^3", density, &si, 7800);
  expect("7.8 g/cm3", density, &si, 7800);
  expect("0.1 mm", length, &si, 1e-4);
  expect("1 us", duration, &si, 1e-6);
  expect("40 us", duration, &si, 40e-6);
  expect("40us", duration, &si, 40e-6);
  expect("3 \xc2\xb5s", duration, &si, 3e-6);
  expect("210 GPa", pressure, &si, 210e9);
  expect("210e3 N/mm^2", pressure, &si, 210e9);
  expect("210 kN mm**-2", pressure, &si, 210e9);
  expect("45 deg", plain, &si, 0.78539816339744828);
  expect("1/s", rate, &si, 1);
  expect("100 1/s", rate, &si, 100);
  expect("100 s^-1", rate, &si, 100);
  expect("2 kg*m/s^2", force, &si, 2);
  expect("2 kg m / s / s", force, &si, 2);
  expect("2 kg\xc2\xb7m/s^2", force, &si, 2);
  expect(" -3.5 ", length, &si, -3.5);
  expect("1 in", length, &si, 0.0254);
  expect("1 min", duration, &si, 60);
  expect("5800 m/s", speed, &si, 5800);
}

/* value = SI value / prod unit^power */
static void own_system(void **state)
{
  (void)state;
  hk_unit_system system = hk_unit_system_si();
  assert_int_equal(hk_unit_parse("mm", &system.base[HK_LENGTH]), HK_OK);
  assert_int_equal(hk_unit_parse("us", &system.base[HK_TIME]), HK_OK);
  expect("0.1 mm", length, &system, 0.1);
  expect("0.1", length, &system, 0.1);
  expect("5 MHz", rate, &system, 5);
  expect("5800 m/s", speed, &system, 5.8);
  expect("7800 kg/m^3", density, &system, 7.8e-6);
  expect("210 GPa", pressure, &system, 2.1e-4);
}

static void refuse(const char *text, hk_dimension d, const char *words)
{
  const hk_unit_system si = hk_unit_system_si();
  double value = 7;
  if (hk_quantity_parse(text, d, &si, &value) != HK_BAD_INPUT) fail_msg("%s was accepted", text);
  if (!strstr(hk_error(), words)) fail_msg("%s: \"%s\" lacks \"%s\"", text, hk_error(), words);
  assert_true(value == 7);
}

static void refused(void **state)
{
  (void)state;
  refuse("7800 kg/m^2", density, "is mass/length^2: must be mass/length^3 (such as kg/m^3)");
  refuse("5 m", duration, "is length: must be time");
  refuse("5 mm", plain, "is length: must be a plain number");
  refuse("5 mhz", rate, "unknown unit \"mhz\": did you mean \"MHz\"?");
  refuse("5 pa", pressure, "did you mean \"Pa\"");
  refuse("5 MM", length, "did you mean \"mm\"?");
  refuse("5 gpa", pressure, "did you mean \"GPa\"?");
  refuse("5 furlong", length, "unknown unit \"furlong\" in");
  refuse("fast", speed, "is not a number with a unit");
  refuse("", length, "is not a number");
  refuse("nan", length, "is not a number");
  refuse("inf", length, "is not a number");
  refuse("1e400", length, "is too large");
  refuse("1e305 Mm", length, "too large");
  refuse("1 m^99", length, "powers must be");
  refuse("1 m^", length, "powers must be");
  refuse("1 m^0", length, "powers must be");
  refuse("1 /", rate, "unknown unit");
  refuse("1 m/", length, "unknown unit");
  refuse("1 (m)", length, "unknown unit");
  refuse("1 m!", length, "unknown unit");
  refuse("1 2 m", length, "unknown unit");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(si_values), cmocka_unit_test(own_system),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
