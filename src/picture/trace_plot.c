/* Line plots of traces. A curve is thinned to its envelope: each stretch of samples keeps its smallest and largest
 * value, in order of time, so that no peak is lost. The plot has one axis of time and one of values with round ticks,
 * a colour per curve and a legend on the right. */
#include "picture/trace_plot.h"
#include "picture/figure.h"
#include <math.h>
#include <stdio.h>

/* Okabe and Ito's colours, distinct for colour-blind readers too. */
const hk_colour hk_curve_colour[HK_MOST_CURVES] = {{0, 114, 178},   {213, 94, 0},   {0, 158, 115},
                                                   {204, 121, 167}, {86, 180, 233}, {230, 159, 0},
                                                   {90, 90, 90},    {148, 90, 30}};

hk_count hk_envelope(hk_count samples, const double *time, const double *value, hk_count most,
                     double (*point)[2])
{
  const hk_count parts = samples <= most ? samples : most / 2;
  hk_count count = 0;
  for (hk_count k = 0; k < parts; k++) {
    hk_count low = -1, high = -1;
    for (hk_count i = k * samples / parts; i < (k + 1) * samples / parts; i++) {
      if (!isfinite(value[i])) continue;
      if (low < 0 || value[i] < value[low]) low = i;
      if (high < 0 || value[i] > value[high]) high = i;
    }
    const hk_count first = low < high ? low : high, second = low < high ? high : low;
    if (first < 0) continue;
    point[count][0] = time[first], point[count++][1] = value[first];
    if (second == first) continue;
    point[count][0] = time[second], point[count++][1] = value[second];
  }
  return count;
}

hk_status hk_curves_create(hk_curves **out)
{
  const hk_status status = hk_new(out);
  for (int d = 0; status == HK_OK && d < 2; d++)
    (*out)->low[d] = INFINITY, (*out)->high[d] = -INFINITY;
  return status;
}

static void widen(hk_curves *all, const hk_curve *c)
{
  for (hk_count i = 0; i < c->count; i++)
    for (int d = 0; d < 2; d++) {
      all->low[d] = fmin(all->low[d], c->point[i][d]);
      all->high[d] = fmax(all->high[d], c->point[i][d]);
    }
}

hk_status hk_curves_add(hk_curves *all, const char *label, hk_count samples, const double *time,
                        const double *value, hk_count most)
{
  hk_curve *curve = &all->curve[all->count];
  HK_NEED(all->count < HK_MOST_CURVES, HK_INTERNAL, "more than %d curves", HK_MOST_CURVES);
  all->count++;
  HK_PASS(hk_pool_text(&all->pool, label, &curve->label));
  HK_PASS(hk_pool_get(&all->pool, &curve->point, most));
  curve->count = hk_envelope(samples, time, value, most, curve->point);
  widen(all, curve);
  return HK_OK;
}

static hk_status read_receiver(hk_result *r, int trace, hk_count row, hk_count most,
                               const double *time, double *values, hk_curves *all)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  char component[16], label[128], *name = NULL;
  HK_TRY(hk_result_receiver(r, trace, row % t->receivers, &name));
  HK_TRY(hk_result_values(r, trace, row, 1, values));
  for (int c = 0; c < t->count && all->count < HK_MOST_CURVES; c++) {
    hk_component_name(t->components, c, component);
    snprintf(label, sizeof label, "%.100s %s", name, component);
    HK_TRY(hk_curves_add(all, label, t->samples, time, values + c * t->samples, most));
  }
cleanup:
  hk_free(&name);
  return status;
}

hk_status hk_curves_read(hk_result *r, int trace, hk_count shot, hk_count most, hk_curves **out)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  hk_curves *all = NULL;
  hk_pool pool = {0};
  double *time, *values;
  hk_count i = 0;

  HK_TRY(hk_curves_create(&all));
  HK_TRY(hk_pool_get(&pool, &time, t->samples));
  HK_TRY(hk_pool_get(&pool, &values, t->count * t->samples));
  HK_TRY(hk_result_time(r, trace, time));
  for (; i < t->receivers && (i == 0 || all->count + t->count <= HK_MOST_CURVES); i++)
    HK_TRY(read_receiver(r, trace, shot * t->receivers + i, most, time, values, all));
  all->left_out = t->receivers - i;
  *out = all, all = NULL;
cleanup:
  hk_pool_clear(&pool);
  hk_curves_destroy(&all);
  return status;
}

void hk_curves_destroy(hk_curves **curves)
{
  if (!*curves) return;
  hk_pool_clear(&(*curves)->pool);
  hk_free(curves);
}

static const hk_colour ink = {30, 30, 34}, pale = {228, 228, 232};

typedef struct panel {
  double x, y, width, height, u;
  hk_axis axis[2];
} panel;

static double place_x(const panel *p, double value)
{
  return p->x + (value - p->axis[0].low) / (p->axis[0].high - p->axis[0].low) * p->width;
}

static double place_y(const panel *p, double value)
{
  return p->y + p->height -
         (value - p->axis[1].low) / (p->axis[1].high - p->axis[1].low) * p->height;
}

static void draw_grid(const panel *p, hk_canvas *c, const char *across,
                      const hk_curves_words *words)
{
  char text[96];
  const double u = p->u;
  double widest = 0;
  for (int i = 0; i < p->axis[0].count; i++) {
    const double x = place_x(p, hk_axis_tick(&p->axis[0], i));
    hk_canvas_segment(c, x, p->y, x, p->y + p->height, u, pale);
    hk_canvas_text(c, x, p->y + p->height + 22 * u, 10 * u, .5, false,
                   hk_axis_label(&p->axis[0], i, text), ink);
  }
  for (int i = 0; i < p->axis[1].count; i++) {
    const double y = place_y(p, hk_axis_tick(&p->axis[1], i));
    hk_canvas_segment(c, p->x, y, p->x + p->width, y, u, pale);
    hk_canvas_text(c, p->x - 8 * u, y + 5 * u, 10 * u, 1, false,
                   hk_axis_label(&p->axis[1], i, text), ink);
    widest = fmax(widest, hk_canvas_text_width(c, 10 * u, text));
  }
  hk_canvas_text(c, p->x + p->width / 2, p->y + p->height + 48 * u, 10.5 * u, .5, false,
                 hk_axis_title(&p->axis[0], across ? across : "time", words->time_unit, text), ink);
  hk_canvas_text(c, p->x - 20 * u - widest, p->y + p->height / 2, 10.5 * u, .5, true,
                 hk_axis_title(&p->axis[1], words->name, words->unit, text), ink);
}

static hk_status draw_curve(const panel *p, hk_canvas *c, const hk_curve *curve, hk_colour colour)
{
  hk_status status = HK_OK;
  double(*point)[2] = NULL;
  HK_TRY(hk_get(&point, curve->count));
  for (hk_count i = 0; i < curve->count; i++) {
    point[i][0] = place_x(p, curve->point[i][0]);
    point[i][1] = place_y(p, curve->point[i][1]);
  }
  hk_canvas_line(c, curve->count, (const double(*)[2])point, 1.7 * p->u, colour);
cleanup:
  hk_free(&point);
  return status;
}

static void draw_legend(const panel *p, hk_canvas *c, const hk_curves *all)
{
  char more[48];
  const double x = p->x + p->width + 18 * p->u, u = p->u;
  double y = p->y + 14 * u;
  for (int i = 0; i < all->count; i++, y += 24 * u) {
    hk_canvas_segment(c, x, y - 4 * u, x + 22 * u, y - 4 * u, 2.4 * u, hk_curve_colour[i]);
    hk_canvas_text(c, x + 30 * u, y, 9.5 * u, 0, false, all->curve[i].label, ink);
  }
  if (!all->left_out) return;
  snprintf(more, sizeof more, "and %lld more", (long long)all->left_out);
  hk_canvas_text(c, x, y, 9.5 * u, 0, false, more, ink);
}

static double legend_width(hk_canvas *c, const hk_curves *all, double u)
{
  double widest = 100 * u;
  for (int i = 0; i < all->count; i++)
    widest = fmax(widest, hk_canvas_text_width(c, 9.5 * u, all->curve[i].label));
  return widest + 60 * u;
}

hk_status hk_curves_plot(const hk_curves *all, const hk_curves_words *words, int width,
                         hk_canvas **out)
{
  hk_status status = HK_OK;
  const double u = width / 1000.0;
  const int height = (int)(460 * u);
  hk_canvas *c = NULL;

  HK_TRY(hk_canvas_create(width, height, &c));
  const panel p = {.x = 100 * u,
                   .y = 52 * u,
                   .width = width - 100 * u - legend_width(c, all, u),
                   .height = height - 116 * u,
                   .u = u,
                   .axis = {hk_axis_make(all->low[0], all->high[0], 8, false),
                            hk_axis_make(all->low[1], all->high[1], 6, true)}};
  draw_grid(&p, c, all->across, words);
  for (int i = 0; i < all->count; i++)
    HK_TRY(draw_curve(&p, c, &all->curve[i], hk_curve_colour[i]));
  hk_canvas_frame(c, p.x, p.y, p.width, p.height, p.u, ink);
  draw_legend(&p, c, all);
  hk_canvas_text(c, p.x, 32 * u, 13 * u, 0, false, words->title, ink);
  *out = c, c = NULL;
cleanup:
  hk_canvas_destroy(&c);
  return status;
}

hk_status hk_trace_plot(hk_result *r, int trace, hk_count shot, const hk_picture_desc *choice,
                        int width, hk_canvas **out)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  char title[128];
  hk_curves *all = NULL;
  const int used = snprintf(title, sizeof title, "%.60s: %.30s", t->request, t->quantity);
  if (t->shots)
    snprintf(title + used, sizeof title - (size_t)used, ", shot %lld of %lld", (long long)shot + 1,
             (long long)t->shots);
  if (hk_section_fits(t)) return hk_section_plot(r, trace, shot, choice, title, width, out);
  HK_TRY(hk_curves_read(r, trace, shot, width * 2, &all));
  HK_TRY(hk_curves_plot(
      all,
      &(hk_curves_words){
          .title = title, .time_unit = t->time_unit, .name = t->quantity, .unit = t->unit},
      width, out));
cleanup:
  hk_curves_destroy(&all);
  return status;
}
