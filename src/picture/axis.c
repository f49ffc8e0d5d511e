/* Round numbers along an axis. The distance of ticks is the smallest of 1, 2 or 5 times a power of ten that gives no
 * more ticks than asked for. Labels are divided by a power of 1000 where values are 10 000 and more or below 0.01, and
 * the title names that power. */
#include "picture/figure.h"
#include <math.h>
#include <stdio.h>

static double round_step(double least)
{
  const double power = pow(10, floor(log10(least))), digit = least / power;
  return power * (digit <= 1.0001 ? 1 : digit <= 2.0001 ? 2 : digit <= 5.0001 ? 5 : 10);
}

hk_axis hk_axis_make(double low, double high, int ticks, bool round)
{
  if (!isfinite(low) || !isfinite(high) || fabs(low) > 1e300 || fabs(high) > 1e300) low = high = 0;
  if (!(high - low > 1e-12 * fmax(fabs(low), fabs(high)))) {
    const double half = low != 0 ? fabs(low) / 10 : 1;
    low -= half, high += half;
  }
  hk_axis a = {.low = low, .high = high, .step = round_step((high - low) / ticks)};
  if (round) {
    a.low = floor(low / a.step + 1e-9) * a.step;
    a.high = ceil(high / a.step - 1e-9) * a.step;
  }
  a.first = ceil(a.low / a.step - 1e-9) * a.step;
  a.count = 1 + (int)floor((a.high - a.first) / a.step + 1e-9);
  const double most = fmax(fabs(a.low), fabs(a.high));
  if (most >= 1e4 || most < 1e-2) a.power = 3 * (int)floor(log10(most) / 3 + 1e-9);
  a.decimals = (int)fmax(0, ceil(a.power - log10(a.step) - 1e-6));
  return a;
}

double hk_axis_tick(const hk_axis *a, int i)
{
  const double value = a->first + i * a->step;
  return fabs(value) < 1e-9 * a->step ? 0 : value;
}

const char *hk_axis_label(const hk_axis *a, int i, char *text)
{
  snprintf(text, 32, "%.*f", a->decimals, hk_axis_tick(a, i) / pow(10, a->power));
  for (char *c = text; *c; c++)
    if (*c == ',') *c = '.';
  return text;
}

const char *hk_axis_title(const hk_axis *a, const char *name, const char *unit, char *text)
{
  char scale[32] = "";
  if (a->power) snprintf(scale, sizeof scale, "10^%d%s", a->power, *unit ? " " : "");
  snprintf(text, 96, *scale || *unit ? "%.40s (%s%.20s)" : "%.40s", name, scale, unit);
  return text;
}
