/* Pictures that several benches share: horizontal bars with parts, and curves as in plots of
 * traces. The parts of a bar are shares of its length, and the length is in proportion to a value,
 * or to its logarithm if the bars span powers of ten. A mark on a bar shows a second value. Bars of
 * a paper are faded beside hooke's own. */
#include "draw.h"
#include <math.h>
#include <stdio.h>

enum { BAR = 26, GAP = 6, TEXT = 9, NUMBERS = 24 };
const hk_colour hk_bench_ink = {30, 30, 34}, hk_bench_pale = {228, 228, 232};

int hk_bench_bars_height(const hk_bench_bars *bars)
{
  return bars->count * BAR + (bars->least > 0 ? NUMBERS : 0);
}

void hk_bench_span_bars(hk_bench_bars *bars)
{
  double low = HUGE_VAL, high = 0;
  for (int k = 0; k < bars->count; k++) {
    const hk_bench_bar *bar = &bars->bar[k];
    low = fmin(low, bar->mark > 0 ? fmin(bar->value, bar->mark) : bar->value);
    high = fmax(high, fmax(bar->value, bar->mark));
  }
  if (!(high > 0)) return;
  bars->least = pow(10, floor(log10(0.9 * low)));
  bars->full = pow(10, ceil(log10(high)));
}

static hk_colour colour_of(int part)
{
  static const hk_colour ninth = {150, 205, 130};
  return part < HK_MOST_CURVES    ? hk_curve_colour[part]
         : part == HK_MOST_CURVES ? ninth
                                  : hk_bench_pale;
}

static hk_colour fade(hk_colour c)
{
  return (hk_colour){(uint8_t)(128 + c.r / 2), (uint8_t)(128 + c.g / 2), (uint8_t)(128 + c.b / 2)};
}

/* 0 ... 1 */
static double length_of(const hk_bench_bars *bars, double value)
{
  const double of = bars->least > 0 ? log(value / bars->least) / log(bars->full / bars->least)
                                    : value / bars->full;
  return fmin(fmax(of, 0), 1);
}

static void draw_bar(hk_canvas *c, const hk_bench_bars *bars, const hk_bench_bar *bar, int x, int y,
                     int width)
{
  const double most = width - bars->names, length = length_of(bars, bar->value) * most;
  double sum = 0, at = x + bars->names;
  for (int s = 0; s < bars->parts; s++) sum += fmax(bar->part[s], 0);
  hk_canvas_text(c, at - 8, y + 15, TEXT, 1, false, bar->name, hk_bench_ink);
  for (int s = 0; s < bars->parts && sum > 0; s++) {
    const double end = at + fmax(bar->part[s], 0) / sum * length;
    hk_canvas_fill(c, (int)at, y, (int)end, y + BAR - GAP,
                   bar->faded ? fade(colour_of(s)) : colour_of(s));
    at = end;
  }
  if (bar->mark > 0) {
    const int mark = x + bars->names + (int)(length_of(bars, bar->mark) * most);
    hk_canvas_fill(c, mark - 1, y - 1, mark + 1, y + BAR - GAP + 1, hk_bench_ink);
    at = fmax(at, mark);
  }
  hk_canvas_text(c, at + 6, y + 15, TEXT, 0, false, bar->words, hk_bench_ink);
}

/* A line at each power of ten, with its number below. */
static void draw_powers(hk_canvas *c, const hk_bench_bars *bars, int x, int y, int width)
{
  const int high = bars->count * BAR;
  for (double value = bars->least; value <= 1.001 * bars->full; value *= 10) {
    char words[24];
    const int at = x + bars->names + (int)(length_of(bars, value) * (width - bars->names));
    hk_canvas_fill(c, at, y, at + 1, y + high, hk_bench_pale);
    snprintf(words, sizeof words, "%.*f", value < 0.999 ? (int)ceil(-log10(value) - 0.001) : 0,
             value);
    hk_canvas_text(c, at, y + high + NUMBERS - 8, TEXT, 0.5, false, words, hk_bench_ink);
  }
}

void hk_bench_draw_bars(hk_canvas *c, const hk_bench_bars *bars, int x, int y, int width)
{
  if (bars->least > 0) draw_powers(c, bars, x, y, width);
  for (int k = 0; k < bars->count; k++) draw_bar(c, bars, &bars->bar[k], x, y + k * BAR, width);
}

void hk_bench_draw_legend(hk_canvas *c, int parts, const char *const *name, int x, int y)
{
  double at = x;
  for (int s = 0; s < parts; s++) {
    hk_canvas_fill(c, (int)at, y, (int)at + 12, y + 12, colour_of(s));
    hk_canvas_text(c, at + 16, y + 12, TEXT, 0, false, name[s], hk_bench_ink);
    at += 30 + hk_canvas_text_width(c, TEXT, name[s]);
  }
}

hk_status hk_bench_write_canvas(const hk_bench_job *job, const hk_canvas *c, const char *name)
{
  hk_status status = HK_NO_RESOURCES;
  char *path = hk_bench_path(job, name);
  if (path) status = hk_canvas_write(c, path);
  hk_free(&path);
  return status;
}

hk_status hk_bench_write_curves(const hk_bench_job *job, const hk_curves *curves, const char *title,
                                const char *name, const char *file)
{
  hk_status status = HK_OK;
  hk_canvas *c = NULL;
  const hk_curves_words words = {.title = title, .time_unit = "", .name = name, .unit = ""};
  if (!curves->count) return HK_OK;
  HK_TRY(hk_curves_plot(curves, &words, HK_BENCH_WIDTH, &c));
  HK_TRY(hk_bench_write_canvas(job, c, file));
cleanup:
  hk_canvas_destroy(&c);
  return status;
}
