/* Reads quantities with units, such as "7800 kg/m^3", and names dimensions in messages.
 * A table gives each symbol its SI value, as a factor times a power of ten, and its powers of
 * length, mass, time and temperature. A parser multiplies and divides symbols (units.h gives the
 * grammar). The value in a system of units divides by the SI values of its base units. Powers of
 * ten are kept as integers until the end, so that "40 us" is the double nearest to 4e-5. */
#include "base/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct symbol {
  const char *name;
  bool prefixed; /* may carry m, k, M, ... */
  hk_unit unit;
} symbol;

/* length, mass, time, temperature */
static const symbol known[] = {
    {"m", true, {1, 0, {{1, 0, 0, 0}}}},
    {"g", true, {1, -3, {{0, 1, 0, 0}}}},
    {"s", true, {1, 0, {{0, 0, 1, 0}}}},
    {"K", true, {1, 0, {{0, 0, 0, 1}}}},
    {"Hz", true, {1, 0, {{0, 0, -1, 0}}}},
    {"N", true, {1, 0, {{1, 1, -2, 0}}}},
    {"Pa", true, {1, 0, {{-1, 1, -2, 0}}}},
    {"J", true, {1, 0, {{2, 1, -2, 0}}}},
    {"W", true, {1, 0, {{2, 1, -3, 0}}}},
    {"bar", true, {1, 5, {{-1, 1, -2, 0}}}},
    {"t", false, {1, 3, {{0, 1, 0, 0}}}},
    {"tonne", false, {1, 3, {{0, 1, 0, 0}}}},
    {"min", false, {60, 0, {{0, 0, 1, 0}}}},
    {"h", false, {3600, 0, {{0, 0, 1, 0}}}},
    {"in", false, {2.54, -2, {{1, 0, 0, 0}}}},
    {"ft", false, {0.3048, 0, {{1, 0, 0, 0}}}},
    {"lb", false, {0.45359237, 0, {{0, 1, 0, 0}}}},
    {"lbf", false, {4.4482216152605, 0, {{1, 1, -2, 0}}}},
    {"psi", false, {6894.757293168361, 0, {{-1, 1, -2, 0}}}},
    {"rad", true, {1, 0, {{0, 0, 0, 0}}}},
    {"deg", false, {0.017453292519943295, 0, {{0, 0, 0, 0}}}},
    {"%", false, {1, -2, {{0, 0, 0, 0}}}},
};
enum { KNOWN = sizeof known / sizeof *known };

static const struct {
  const char *name;
  int ten;
} prefix[] = {{"f", -15},       {"p", -12}, {"n", -9}, {"u", -6}, {"\xc2\xb5", -6},
              {"\xce\xbc", -6}, {"m", -3},  {"c", -2}, {"d", -1}, {"h", 2},
              {"k", 3},         {"M", 6},   {"G", 9},  {"T", 12}, {"P", 15}};
enum { PREFIXES = sizeof prefix / sizeof *prefix };

static bool same_word(const char *name, const char *text, size_t length)
{
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool find_symbol(const char *text, size_t length, hk_unit *out)
{
  for (int i = 0; i < KNOWN; i++)
    if (same_word(known[i].name, text, length)) {
      *out = known[i].unit;
      return true;
    }
  for (int p = 0; p < PREFIXES; p++) {
    const size_t skip = strlen(prefix[p].name);
    if (length <= skip || memcmp(prefix[p].name, text, skip) != 0) continue;
    for (int i = 0; i < KNOWN; i++)
      if (known[i].prefixed && same_word(known[i].name, text + skip, length - skip)) {
        *out = known[i].unit;
        out->ten += prefix[p].ten;
        return true;
      }
  }
  return false;
}

static bool letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (unsigned char)c >= 0x80;
}

static const char *skip_spaces(const char *p)
{
  while (*p == ' ' || *p == '\t') p++;
  return p;
}

/* Power after a symbol: ^-2, **2, 2 or nothing (1); NULL when it is not within -9..9. */
static const char *read_power(const char *p, int *power)
{
  int64_t value = 0;
  const bool marked = *p == '^' || (p[0] == '*' && p[1] == '*');
  *power = 1;
  if (marked) p += *p == '^' ? 1 : 2;
  const size_t used =
      marked || (*p >= '0' && *p <= '9') ? hk_parse_integer(p, strlen(p), &value) : 0;
  if (marked && !used) return NULL;
  if (!used) return p;
  if (value < -9 || value > 9 || !value) return NULL;
  *power = (int)value;
  return p + used;
}

static bool multiply(hk_unit *product, const hk_unit *by, int power)
{
  product->factor *= pow(by->factor, power);
  product->ten += by->ten * power;
  for (int d = 0; d < HK_BASE_UNITS; d++) {
    const int sum = product->dimension.power[d] + by->dimension.power[d] * power;
    if (sum < -60 || sum > 60) return false;
    product->dimension.power[d] = (int8_t)sum;
  }
  return product->ten > -250 && product->ten < 250;
}

/* The sign between two symbols: +1 times, -1 divided by; 0: neither. */
static int read_operator(const char **p, bool first)
{
  const char *at = skip_spaces(*p);
  int sign = *at == '/' ? -1 : 1;
  if (*at == '/' || *at == '*')
    at++;
  else if (at[0] == '\xc2' && at[1] == '\xb7') /* middle dot */
    at += 2;
  else if (!first && at == *p)
    sign = 0;
  *p = skip_spaces(at);
  return sign;
}

/* A unit that differs from the word in the case of letters alone: small prefixes first for m, g and
 * s, large ones for the rest ("mhz" means MHz). */
static bool other_case(const char *word, char out[16])
{
  for (int i = 0; i < KNOWN; i++) {
    snprintf(out, 16, "%s", known[i].name);
    if (hk_same_text(out, word)) return true;
    for (int p = 0; known[i].prefixed && p < PREFIXES; p++) {
      snprintf(out, 16, "%s%s", prefix[i < 3 ? p : PREFIXES - 1 - p].name, known[i].name);
      if (hk_same_text(out, word)) return true;
    }
  }
  return false;
}

static hk_status bad_unit(const char *text, const char *at, size_t length)
{
  char word[24], near[16];
  snprintf(word, sizeof word, "%.*s", (int)(length < 20 ? length : 20), at);
  if (other_case(word, near))
    return hk_error_set(HK_BAD_INPUT, "unknown unit \"%s\": did you mean \"%s\"?", word, near);
  return hk_error_set(
      HK_BAD_INPUT,
      "unknown unit \"%s\" in \"%.40s\": known are m g s K Hz N Pa J W bar rad (with prefixes "
      "f p n u m c d h k M G T P), t tonne min h in ft lb lbf psi deg %%",
      word, text);
}

hk_status hk_unit_parse(const char *text, hk_unit *out)
{
  hk_unit product = {.factor = 1};
  const char *p = skip_spaces(text);
  bool first = true;
  if (p[0] == '1' && *skip_spaces(p + 1) == '/') p++, first = false;
  for (;; first = false) {
    hk_unit one;
    int power, sign = first ? 1 : read_operator(&p, false);
    if (!sign || !letter(*p)) {
      const size_t rest = strlen(p);
      return bad_unit(text, p, rest ? rest : 1);
    }
    size_t length = 0;
    while (letter(p[length]) && !(p[length] == '\xc2' && p[length + 1] == '\xb7')) length++;
    if (!find_symbol(p, length, &one)) return bad_unit(text, p, length);
    const char *after = read_power(p + length, &power);
    if (!after || !multiply(&product, &one, sign * power))
      return hk_error_set(HK_BAD_INPUT, "unit \"%.40s\": powers must be whole numbers from -9 to 9",
                          text);
    p = after;
    if (!*skip_spaces(p)) break;
  }
  *out = product;
  return HK_OK;
}

/* x * 10^ten, rounded once for |ten| <= 22 */
static double scale_ten(double x, int ten)
{
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (ten >= 0 && ten <= 22) return x * power[ten];
  if (ten < 0 && ten >= -22) return x / power[-ten];
  return x * pow(10, ten);
}

double hk_unit_si(const hk_unit *unit)
{
  return scale_ten(unit->factor, unit->ten);
}

hk_unit_system hk_unit_system_si(void)
{
  return (hk_unit_system){{{1, 0, {{1, 0, 0, 0}}},
                           {1, 0, {{0, 1, 0, 0}}},
                           {1, 0, {{0, 0, 1, 0}}},
                           {1, 0, {{0, 0, 0, 1}}}}};
}

bool hk_same_dimension(hk_dimension a, hk_dimension b)
{
  return memcmp(&a, &b, sizeof a) == 0;
}

static hk_status wrong_dimension(const char *text, hk_dimension got, hk_dimension expected)
{
  char is[HK_DIMENSION_TEXT], want[HK_DIMENSION_TEXT];
  const char *example = hk_dimension_example(expected);
  hk_dimension_text(got, is);
  hk_dimension_text(expected, want);
  return hk_error_set(HK_BAD_INPUT, "\"%.40s\" is %s: must be %s%s%s%s", text, is, want,
                      *example ? " (such as " : "", example, *example ? ")" : "");
}

hk_status hk_quantity_parse(const char *text, hk_dimension expected, const hk_unit_system *system,
                            double *value)
{
  double number;
  const char *start = skip_spaces(text);
  size_t used = hk_parse_number(start, strlen(start), &number);
  if (!used)
    return hk_error_set(HK_BAD_INPUT, "\"%.40s\" is not a number%s", text,
                        hk_same_dimension(expected, (hk_dimension){{0}}) ? "" : " with a unit");
  const char *rest = skip_spaces(start + used);
  if (*rest) {
    hk_unit unit;
    char with_one[64];
    if (*rest == '/') { /* "1/s": the number is the numerator */
      snprintf(with_one, sizeof with_one, "1%.60s", rest);
      rest = with_one;
    }
    const hk_status status = hk_unit_parse(rest, &unit);
    if (status != HK_OK) return status;
    if (!hk_same_dimension(unit.dimension, expected))
      return wrong_dimension(text, unit.dimension, expected);
    for (int d = 0; d < HK_BASE_UNITS; d++) multiply(&unit, &system->base[d], -expected.power[d]);
    number = scale_ten(number * unit.factor, unit.ten);
  }
  if (!isfinite(number)) return hk_error_set(HK_BAD_INPUT, "\"%.40s\" is too large", text);
  *value = number;
  return HK_OK;
}

void hk_dimension_text(hk_dimension dimension, char *out)
{
  static const char *const name[HK_BASE_UNITS] = {"length", "mass", "time", "temperature"};
  static const int order[HK_BASE_UNITS] = {HK_MASS, HK_LENGTH, HK_TIME, HK_TEMPERATURE};
  size_t used = 0;
  bool any = false;
  for (int sign = 1; sign >= -1; sign -= 2)
    for (int i = 0; i < HK_BASE_UNITS; i++) {
      const int d = order[i], power = dimension.power[d] * sign;
      if (power <= 0) continue;
      if (used + 24 > HK_DIMENSION_TEXT) break;
      const char *before = sign > 0 ? (any ? "*" : "") : (any ? "/" : "1/");
      used += (size_t)snprintf(out + used, HK_DIMENSION_TEXT - used, power > 1 ? "%s%s^%d" : "%s%s",
                               before, name[d], power);
      any = true;
    }
  if (!any) snprintf(out, HK_DIMENSION_TEXT, "a plain number");
}

/* The prefixes that people write before N, Pa, J and W; NULL of other powers of ten. */
static const char *usual_prefix(int ten)
{
  static const char *const name[] = {"n", "u", "m", "", "k", "M", "G", "T"};
  return ten % 3 == 0 && ten >= -9 && ten <= 12 ? name[ten / 3 + 3] : NULL;
}

/* Whether the unit is 10^n of a symbol that has a name of its own, or of one over an area. */
static bool name_derived(const hk_unit *unit, const char *length, const hk_unit *area, char *out)
{
  for (int i = 0; i < KNOWN; i++) {
    const symbol *s = &known[i];
    if (s->unit.ten || s->unit.dimension.power[HK_MASS] != 1 || !s->prefixed) continue;
    for (int over = 0; over < 2; over++) {
      hk_unit whole = *unit;
      if (over && (!multiply(&whole, area, 1) || strcmp(s->name, "W") != 0)) continue;
      const char *sign = usual_prefix(whole.ten);
      if (whole.factor != 1 || !sign || !hk_same_dimension(whole.dimension, s->unit.dimension))
        continue;
      snprintf(out, HK_UNIT_TEXT, over ? "%s%s/%s^2" : "%s%s", sign, s->name, length);
      return true;
    }
  }
  return false;
}

/* Appends the symbols with powers of that sign: "kg*mm^2"; how many there are. */
static int append_symbols(const char *const base[HK_BASE_UNITS], hk_dimension dimension, int sign,
                          char *out)
{
  static const int order[HK_BASE_UNITS] = {HK_MASS, HK_LENGTH, HK_TEMPERATURE, HK_TIME};
  size_t used = 0;
  int count = 0;
  *out = 0;
  for (int i = 0; i < HK_BASE_UNITS; i++) {
    const int power = sign * dimension.power[order[i]];
    if (power <= 0 || used >= HK_UNIT_TEXT) continue;
    used += (size_t)snprintf(out + used, HK_UNIT_TEXT - used, "%s%s", count++ ? "*" : "",
                             base[order[i]]);
    if (power > 1 && used < HK_UNIT_TEXT)
      used += (size_t)snprintf(out + used, HK_UNIT_TEXT - used, "^%d", power);
  }
  return count;
}

void hk_unit_name(const char *const base[HK_BASE_UNITS], hk_dimension dimension, char *out)
{
  hk_unit unit = {.factor = 1}, area = {.factor = 1}, one;
  char above[HK_UNIT_TEXT], below[HK_UNIT_TEXT];
  bool known_all = true;
  *out = 0;
  if (!*base[HK_LENGTH]) return;
  for (int d = 0; d < HK_BASE_UNITS && known_all; d++) {
    known_all = hk_unit_parse(base[d], &one) == HK_OK && multiply(&unit, &one, dimension.power[d]);
    if (known_all && d == HK_LENGTH) known_all = multiply(&area, &one, 2);
  }
  if (known_all && name_derived(&unit, base[HK_LENGTH], &area, out)) return;
  const int over = append_symbols(base, dimension, 1, above),
            under = append_symbols(base, dimension, -1, below);
  if (over || under)
    snprintf(out, HK_UNIT_TEXT,
             under > 1 ? "%.46s/(%.46s)"
             : under   ? "%.46s/%.46s"
                       : "%.46s",
             over ? above : "1", below);
}

void hk_unit_frequency(const char *time, char *out)
{
  static const struct {
    int ten;
    const char *name;
  } usual[] = {{0, "Hz"}, {-3, "kHz"}, {-6, "MHz"}, {-9, "GHz"}};
  hk_unit unit;
  *out = 0;
  if (!*time) return;
  snprintf(out, HK_UNIT_TEXT, "1/%.40s", time);
  if (hk_unit_parse(time, &unit) != HK_OK || unit.factor != 1) return;
  for (int i = 0; i < 4; i++)
    if (usual[i].ten == unit.ten) snprintf(out, HK_UNIT_TEXT, "%s", usual[i].name);
}

const char *hk_dimension_example(hk_dimension dimension)
{
  static const struct {
    hk_dimension dimension;
    const char *unit;
  } usual[] = {{{{1, 0, 0, 0}}, "mm"},      {{{0, 1, 0, 0}}, "kg"},     {{{0, 0, 1, 0}}, "us"},
               {{{0, 0, -1, 0}}, "1/s"},    {{{0, 0, -2, 0}}, "1/s^2"}, {{{1, 0, -1, 0}}, "m/s"},
               {{{-3, 1, 0, 0}}, "kg/m^3"}, {{{-1, 1, -2, 0}}, "GPa"},  {{{1, 1, -2, 0}}, "N"},
               {{{1, 0, -2, 0}}, "m/s^2"},  {{{0, 0, 0, 1}}, "K"}};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (hk_same_dimension(usual[i].dimension, dimension)) return usual[i].unit;
  return "";
}
