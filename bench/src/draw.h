/* Pictures of rows of benches, into the folder of results: curves, and bars below each other.
 *
 *   name        |######====......| its value      length: value / full, or its logarithm between least and full;
 *   longer name |#####==.|   |     its value      #, =, .: parts, by their share of the length; |: a mark */
#ifndef HK_BENCH_DRAW_H
#define HK_BENCH_DRAW_H
#include "bench.h"
#include "picture/trace_plot.h"

enum { HK_BENCH_WIDTH = 900, HK_BENCH_MARGIN = 24, HK_BENCH_PARTS = 16 };
extern const hk_colour hk_bench_ink, hk_bench_pale;

typedef struct hk_bench_bar {
  char name[64], words[32]; /* on its left; behind it */
  double value;             /* above 0 */
  double mark;              /* where a line crosses it; 0: nowhere */
  double part[HK_BENCH_PARTS];
  bool faded; /* beside those that the picture is about */
} hk_bench_bar;

typedef struct hk_bench_bars {
  int count, parts, names; /* pixels that names take */
  hk_bench_bar *bar;       /* bar[count] */
  double least,
      full; /* what the whole width stands for; least 0: in proportion, else logarithms from there on */
} hk_bench_bars;

/* Pixels that they are high, with the numbers below logarithms. */
int hk_bench_bars_height(const hk_bench_bars *bars);
/* The powers of ten about all values and marks become least and full. */
void hk_bench_span_bars(hk_bench_bars *bars);
/* From (x, y) down, `width` wide with names. Parts are of any sum; their colours are those of the legend. */
void hk_bench_draw_bars(hk_canvas *c, const hk_bench_bars *bars, int x, int y, int width);
/* A square of each part's colour before its name, in a line at y. */
void hk_bench_draw_legend(hk_canvas *c, int parts, const char *const *name, int x, int y);

hk_status hk_bench_write_canvas(const hk_bench_job *job, const hk_canvas *c, const char *name);
/* Curves over what curves->across says, values named so; nothing where there are none. */
hk_status hk_bench_write_curves(const hk_bench_job *job, const hk_curves *curves, const char *title,
                                const char *name, const char *file);
#endif
