/* Quantities with units: values, systems, and what is refused. */
#include "base/units.h"
#include "support/check.h"

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
  ok(hk_unit_parse("mm", &system.base[HK_LENGTH]));
  ok(hk_unit_parse("us", &system.base[HK_TIME]));
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
  error_says(words);
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

/* 10^n of N, Pa, J, W by their names; what has none is composed; read again it is the same unit */
static void names(void **state)
{
  static const hk_dimension energy = {{2, 1, -2, 0}}, power = {{2, 1, -3, 0}},
                            flux = {{0, 1, -3, 0}}, gradient = {{-1, 0, 0, 1}},
                            nothing = {{0, 0, 0, 0}};
  static const struct {
    const char *base[HK_BASE_UNITS];
    hk_dimension dimension;
    const char *name;
  } of[] = {{{"m", "kg", "s", "K"}, pressure, "Pa"},
            {{"m", "kg", "s", "K"}, force, "N"},
            {{"m", "kg", "s", "K"}, energy, "J"},
            {{"m", "kg", "s", "K"}, power, "W"},
            {{"m", "kg", "s", "K"}, flux, "W/m^2"},
            {{"mm", "t", "s", "K"}, pressure, "MPa"},
            {{"mm", "t", "s", "K"}, force, "N"},
            {{"mm", "t", "s", "K"}, energy, "mJ"},
            {{"mm", "kg", "ms", "K"}, pressure, "GPa"},
            {{"mm", "kg", "us", "K"}, force, "GN"},
            {{"mm", "kg", "us", "K"}, energy, "MJ"},
            {{"mm", "kg", "s", "K"}, flux, "uW/mm^2"},
            {{"mm", "kg", "us", "K"}, pressure, "kg/(mm*us^2)"}, /* 1e15 Pa: no usual prefix */
            {{"cm", "g", "s", "K"}, pressure, "g/(cm*s^2)"},     /* 0.1 Pa */
            {{"in", "lb", "s", "K"}, energy, "lb*in^2/s^2"},
            {{"m", "kg", "h", "K"}, power, "kg*m^2/h^3"},
            {{"mm", "kg", "us", "K"}, speed, "mm/us"},
            {{"m", "kg", "s", "mK"}, gradient, "mK/m"},
            {{"m", "kg", "s", "K"}, rate, "1/s"}};
  char name[HK_UNIT_TEXT];
  (void)state;
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    hk_unit whole;
    double si = 1;
    hk_unit_name(of[i].base, of[i].dimension, name);
    assert_string_equal(name, of[i].name);
    if (strchr(name, '(')) continue; /* written for people alone */
    ok(hk_unit_parse(name, &whole));
    assert_true(hk_same_dimension(whole.dimension, of[i].dimension));
    for (int d = 0; d < HK_BASE_UNITS; d++) {
      hk_unit one;
      ok(hk_unit_parse(of[i].base[d], &one));
      si *= pow(hk_unit_si(&one), of[i].dimension.power[d]);
    }
    if (!(fabs(hk_unit_si(&whole) - si) <= 1e-14 * si)) fail_msg("%s is %g", name, si);
  }
  hk_unit_name((const char *const[]){"", "", "", ""}, pressure, name);
  assert_string_equal(name, "");
  hk_unit_name((const char *const[]){"m", "kg", "s", "K"}, nothing, name);
  assert_string_equal(name, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(si_values), cmocka_unit_test(own_system),
                                     cmocka_unit_test(refused), cmocka_unit_test(names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
