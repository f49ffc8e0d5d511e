/* Traces thinned for a drawing, and their picture. */
#pragma once
#include <hooke/result.h>
#include "base/kinds.h"
#include "picture/canvas.h"
#include "result/result.h"

typedef struct hk_curve {
  const char *label; /* "node 17 x" */
  hk_count count;
  double (*point)[2]; /* point[count]: time, value */
} hk_curve;

typedef struct hk_curves {
  hk_pool pool; /* of labels and points */
  int count;
  hk_curve curve[HK_MOST_CURVES];
  hk_count left_out;      /* receivers that are not shown */
  double low[2], high[2]; /* box of all points */
  const char *across;     /* what they go over; NULL: "time" */
  double mark; /* a dashed line at this place of that axis, in SVG; 0, or beyond the axis: none */
} hk_curves;

hk_status hk_curves_create(hk_curves **out);
/* One curve more, thinned to at most `most` points that keep its envelope. */
hk_status hk_curves_add(hk_curves *all, const char *label, hk_count samples, const double *time,
                        const double *value, hk_count most);
/* The first receivers of a trace in one shot (0 without shots) with all their components, each thinned to at most `most` points
 * that keep the envelope: the smallest and the largest value of each stretch, in order. */
hk_status hk_curves_read(hk_result *result, int trace, hk_count shot, hk_count most,
                         hk_curves **out);
void hk_curves_destroy(hk_curves **curves);
/* Thins one curve of `samples` into point[at most `most`]; returns their number. Samples that are
 * not-a-number are left out. */
hk_count hk_envelope(hk_count samples, const double *time, const double *value, hk_count most,
                     double (*point)[2]);
extern const hk_colour hk_curve_colour[HK_MOST_CURVES];

typedef struct hk_curves_words {
  const char *title, *time_unit, *name, *unit; /* name: of the values */
} hk_curves_words;
hk_status hk_curves_plot(const hk_curves *all, const hk_curves_words *words, int width,
                         hk_canvas **out);
/* Whether the receivers of a trace are drawn as a section: there are more of them than curves, and two samples at least. */
static inline bool hk_section_fits(const hk_result_trace *trace)
{
  return trace->receivers > HK_MOST_CURVES && trace->samples > 1;
}
/* The traces of a shot side by side, time downwards (section.c). */
hk_status hk_section_plot(hk_result *result, int trace, hk_count shot,
                          const hk_picture_desc *choice, const char *title, int width,
                          hk_canvas **out);
/* A section where there are many receivers, else curves; choice: may be NULL (hk_picture_choose). */
hk_status hk_trace_plot(hk_result *result, int trace, hk_count shot, const hk_picture_desc *choice,
                        int width, hk_canvas **out);

/* Convergence of an iterative solver: a curve for each of the first steps, log10 of run.json's residuals over iterations. *out = NULL if
 * there are none. */
hk_status hk_convergence_read(const json_t *run, hk_curves **out);
hk_status hk_convergence_plot(const hk_curves *curves, int width, hk_canvas **out);
