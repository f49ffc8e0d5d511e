/* A section: the traces of many receivers side by side, time downwards, a panel for each component. A receiver stands at
 * its distance along the line of receivers, or at its number where they form no line. Up to a density that the eye can
 * separate, each trace is a curve whose positive lobes are filled; beyond it, values are colours. All traces of a
 * panel share one scale, unless it is given the upper quartile of their peaks, so that the few next to the source do not flatten all others:
 * curves are clipped at 1.5 distances, colours at the scale. */
#include "picture/figure.h"
#include "picture/picture.h"
#include "picture/trace_plot.h"
#include "base/file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 3 };

static const hk_colour ink = {30, 30, 34}, pale = {228, 228, 232}, lobe = {0, 114, 178};

typedef struct section {
  hk_result *result;
  const hk_result_trace *trace;
  int index;          /* of the trace */
  hk_count first;     /* row of the shot's first receiver */
  double *place;      /* place[receivers]: distance, or number from 1; ascending */
  bool line;          /* place is a distance */
  double *time;       /* time[samples] */
  double *row;        /* row[components][samples] of the receiver that was read last */
  double (*point)[2]; /* point[most + 2]: a curve */
  hk_count most;
  hk_picture_desc choice;
} section;

typedef struct panel {
  double x, y, width, height, u;
  hk_axis place, time;
  double full; /* value that is one distance between traces, or the last colour */
} panel;

static double place_x(const panel *p, double place)
{
  return p->x + (place - p->place.low) / (p->place.high - p->place.low) * p->width;
}

static double place_y(const panel *p, double time)
{
  return p->y + (time - p->time.low) / (p->time.high - p->time.low) * p->height;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The length of the path through the receivers, if neighbours on it are neighbours in space: no step is longer than four times the median. */
static hk_status find_distances(const section *s, bool *line)
{
  hk_status status = HK_OK;
  const hk_count n = s->trace->receivers;
  hk_pool pool = {0};
  char *path = NULL;
  double *x, *step;
  hk_hdf_array array;
  HK_TRY(hk_format(&path, "/traces/%s/coordinates", s->trace->request));
  HK_TRY(hk_hdf_array_find(s->result->file, path, &array));
  HK_CHECK(array.rank == 2 && array.size[0] == n && array.size[1] <= 3, HK_BAD_INPUT,
           "%s is not a list of points", path);
  const hk_count width = array.size[1];
  HK_TRY(hk_pool_get(&pool, &x, n * width));
  HK_TRY(hk_pool_get(&pool, &step, n));
  HK_TRY(hk_hdf_read(s->result->file, path, width, 0, n, x));
  s->place[0] = 0;
  for (hk_count i = 1; i < n; i++) {
    double square = 0;
    for (hk_count d = 0; d < width; d++)
      square += pow(x[i * width + d] - x[(i - 1) * width + d], 2);
    step[i - 1] = sqrt(square);
    s->place[i] = s->place[i - 1] + step[i - 1];
  }
  qsort(step, (size_t)n - 1, sizeof *step, ascending);
  *line = step[0] > 0 && step[n - 2] <= 4 * step[(n - 1) / 2];
cleanup:
  hk_free(&path);
  hk_pool_clear(&pool);
  return status;
}

static hk_status find_places(section *s)
{
  HK_PASS(find_distances(s, &s->line));
  for (hk_count i = 0; !s->line && i < s->trace->receivers; i++) s->place[i] = (double)i + 1;
  return HK_OK;
}

static hk_status read_row(const section *s, hk_count receiver)
{
  return hk_result_values(s->result, s->index, s->first + receiver, 1, s->row);
}

/* *full = upper quartile of the peaks of the receivers [0, count) step `stride`; 0 where all are 0 or not-a-number. */
static hk_status find_scale(const section *s, int component, hk_count stride, double *full)
{
  hk_status status = HK_OK;
  double *peak = NULL;
  hk_count count = 0;
  HK_TRY(hk_get(&peak, s->trace->receivers / stride + 1));
  for (hk_count i = 0; i < s->trace->receivers; i += stride) {
    HK_TRY(read_row(s, i));
    const double *value = s->row + component * s->trace->samples;
    double most = 0;
    for (hk_count k = 0; k < s->trace->samples; k++)
      if (isfinite(value[k])) most = fmax(most, fabs(value[k]));
    peak[count++] = most;
  }
  qsort(peak, (size_t)count, sizeof *peak, ascending);
  *full = peak[(3 * count) / 4];
  if (*full == 0) *full = peak[count - 1];
cleanup:
  hk_free(&peak);
  return status;
}

/* The curve of a row around x = base, `reach` pixels for p->full. Returns its points. */
static hk_count make_curve(const section *s, const panel *p, int component, double base,
                           double reach)
{
  const hk_count n = s->trace->samples;
  const hk_count count = hk_envelope(n, s->time, s->row + component * n, s->most, s->point);
  for (hk_count k = 0; k < count; k++) {
    const double y = place_y(p, s->point[k][0]);
    const double value = p->full > 0 ? s->point[k][1] / p->full : 0;
    s->point[k][0] = base + reach * fmax(-1.5, fmin(1.5, value));
    s->point[k][1] = y;
  }
  return count;
}

/* Fills the lobes right of x = base, each closed where the curve crosses it. */
static void fill_lobes(hk_canvas *c, hk_count count, const double (*point)[2], double base)
{
  enum { ROOM = 4096 };
  double area[ROOM][2];
  int used = 0;
  for (hk_count k = 0; k < count; k++) {
    const double x = point[k][0], y = point[k][1];
    const double ahead = k ? point[k - 1][0] : base, above = k ? point[k - 1][1] : y;
    if ((x > base) != (ahead > base)) {
      area[used][0] = base, area[used][1] = above + (base - ahead) / (x - ahead) * (y - above);
      used++;
    }
    if (x > base) area[used][0] = x, area[used][1] = y, used++;
    if (used && (x <= base || used > ROOM - 3 || k + 1 == count)) {
      area[used][0] = base, area[used][1] = y;
      hk_canvas_polygon(c, used + 1, (const double(*)[2])area, lobe);
      used = 0;
      if (x > base) area[0][0] = base, area[0][1] = y, used = 1;
    }
  }
}

static hk_status draw_wiggles(const section *s, const panel *p, int component, hk_canvas *c)
{
  const hk_count n = s->trace->receivers;
  const double reach =
      p->width / (p->place.high - p->place.low) * (s->place[n - 1] - s->place[0]) / (double)(n - 1);
  for (hk_count i = 0; i < n; i++) {
    HK_PASS(read_row(s, i));
    const double base = place_x(p, s->place[i]);
    const hk_count count = make_curve(s, p, component, base, reach);
    const double(*point)[2] = (const double(*)[2])s->point;
    fill_lobes(c, count, point, base);
    hk_canvas_line(c, count, point, .8 * p->u, ink);
  }
  return HK_OK;
}

/* pixel[height][width], column `x`: in each row the value of the largest size within it; rows without a sample take that above. Not-a-number is grey. */
static void colour_column(const section *s, const panel *p, int component, int x, hk_colour *pixel)
{
  const int width = (int)p->width, height = (int)p->height;
  const double *value = s->row + component * s->trace->samples;
  double kept = 0;
  hk_count k = 0;
  for (int y = 0; y < height; y++) {
    const double end = p->time.low + (p->time.high - p->time.low) * (y + 1) / height;
    for (hk_count i = 0; k < s->trace->samples && s->time[k] <= end; k++, i++)
      if (i == 0 || !(fabs(value[k]) <= fabs(kept))) kept = value[k];
    pixel[y * width + x] =
        hk_map_colour(HK_MAP_DIVERGING, .5 + .5 * (p->full > 0 ? kept / p->full : 0 * kept));
  }
}

static hk_status draw_colours(const section *s, const panel *p, int component, hk_canvas *c)
{
  hk_status status = HK_OK;
  const int width = (int)p->width, height = (int)p->height;
  hk_colour *pixel = NULL;
  hk_count i = 0, read = -1;
  HK_TRY(hk_get(&pixel, (hk_count)width * height));
  for (int x = 0; x < width; x++) {
    const double at = p->place.low + (p->place.high - p->place.low) * (x + .5) / width;
    while (i + 1 < s->trace->receivers && s->place[i + 1] - at < at - s->place[i]) i++;
    if (i != read) HK_TRY(read_row(s, i));
    read = i;
    colour_column(s, p, component, x, pixel);
  }
  hk_canvas_put(c, (int)p->x, (int)p->y, width, height, pixel);
cleanup:
  hk_free(&pixel);
  return status;
}

/* Ticks of both axes; labels of time only where `left`. */
static void draw_axes(const section *s, const panel *p, bool left, const char *length_unit,
                      hk_canvas *c)
{
  char text[96];
  const double u = p->u, bottom = p->y + p->height;
  for (int i = 0; i < p->place.count; i++) {
    const double x = place_x(p, hk_axis_tick(&p->place, i));
    hk_canvas_segment(c, x, bottom, x, bottom + 5 * u, u, ink);
    hk_canvas_text(c, x, bottom + 23 * u, 10 * u, .5, false, hk_axis_label(&p->place, i, text),
                   ink);
  }
  hk_canvas_text(c, p->x + p->width / 2, bottom + 47 * u, 10.5 * u, .5, false,
                 hk_axis_title(&p->place, s->line ? "distance along the receivers" : "receiver",
                               s->line ? length_unit : "", text),
                 ink);
  double widest = 0;
  for (int i = 0; i < p->time.count; i++) {
    const double y = place_y(p, hk_axis_tick(&p->time, i));
    hk_canvas_segment(c, p->x - 5 * u, y, p->x, y, u, ink);
    hk_axis_label(&p->time, i, text);
    widest = fmax(widest, hk_canvas_text_width(c, 10 * u, text));
    if (left) hk_canvas_text(c, p->x - 9 * u, y + 5 * u, 10 * u, 1, false, text, ink);
  }
  if (left)
    hk_canvas_text(c, p->x - 21 * u - widest, p->y + p->height / 2, 10.5 * u, .5, true,
                   hk_axis_title(&p->time, "time", s->trace->time_unit, text), ink);
}

static void draw_time_lines(const panel *p, hk_canvas *c)
{
  for (int i = 0; i < p->time.count; i++) {
    const double y = place_y(p, hk_axis_tick(&p->time, i));
    hk_canvas_segment(c, p->x, y, p->x + p->width, y, p->u, pale);
  }
}

static hk_status draw_panel(const section *s, panel *p, int component, bool colours, hk_canvas *c)
{
  char name[16], number[32], text[160];
  const hk_count stride = s->trace->receivers / 1500 + 1;
  p->full = s->choice.scale;
  if (p->full == 0) HK_PASS(find_scale(s, component, stride, &p->full));
  if (colours) {
    HK_PASS(draw_colours(s, p, component, c));
  } else {
    draw_time_lines(p, c);
    HK_PASS(draw_wiggles(s, p, component, c));
  }
  hk_canvas_frame(c, p->x, p->y, p->width, p->height, p->u, ink);
  hk_component_name(s->trace->components, component, name);
  snprintf(text, sizeof text, "%s: %s %s%s%.20s", name,
           colours ? "red +, blue -, full colour at" : "one spacing of traces =",
           hk_number_text(number, 3, p->full), *s->trace->unit ? " " : "", s->trace->unit);
  hk_canvas_text(c, p->x, p->y - 9 * p->u, 9.5 * p->u, 0, false, text, ink);
  return HK_OK;
}

static hk_status draw_panels(const section *s, const char *title, int width, hk_canvas *c)
{
  const hk_result_trace *t = s->trace;
  const int panels = t->count < MOST_PANELS ? t->count : MOST_PANELS;
  const double u = width / 1000.0, left = 84 * u, gap = 26 * u;
  const double each = floor((width - left - panels * gap) / panels);
  const double last = s->place[t->receivers - 1];
  const char *style = s->choice.section;
  const bool colours = style ? !strcmp(style, "density") : each / (double)t->receivers < 7 * u;
  const double spread = colours ? 0 : 1.5 * (last - s->place[0]) / (double)(t->receivers - 1);
  json_t *unit = json_object_get(json_object_get(s->result->run, "units"), "length");
  hk_canvas_text(c, left, 30 * u, 13 * u, 0, false, title, ink);
  for (int k = 0; k < panels; k++) {
    panel p = {.x = floor(left + k * (each + gap)),
               .y = floor(74 * u),
               .width = each,
               .height = floor(c->height - 140 * u),
               .u = u,
               .place = hk_axis_make(s->place[0] - spread, last + spread, 12 / panels, false),
               .time = hk_axis_make(s->time[0], s->time[t->samples - 1], 8, false)};
    HK_PASS(draw_panel(s, &p, k, colours, c));
    draw_axes(s, &p, k == 0, json_is_string(unit) ? json_string_value(unit) : "", c);
  }
  return HK_OK;
}

hk_status hk_section_plot(hk_result *r, int trace, hk_count shot, const hk_picture_desc *choice,
                          const char *title, int width, hk_canvas **out)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  hk_pool pool = {0};
  hk_canvas *c = NULL;
  section s = {
      .result = r, .trace = t, .index = trace, .first = shot * t->receivers, .most = 2L * width};
  HK_TRY(hk_picture_choose(r->run, choice, &s.choice));
  HK_CHECK(t->receivers > 1 && t->samples > 1, HK_INTERNAL, "%s: no section of one", t->path);
  HK_TRY(hk_pool_get(&pool, &s.place, t->receivers));
  HK_TRY(hk_pool_get(&pool, &s.time, t->samples));
  HK_TRY(hk_pool_get(&pool, &s.row, t->count * t->samples));
  HK_TRY(hk_pool_get(&pool, &s.point, s.most + 2));
  HK_TRY(hk_result_time(r, trace, s.time));
  HK_TRY(find_places(&s));
  HK_TRY(hk_canvas_create(width, (int)(.62 * width), &c));
  HK_TRY(draw_panels(&s, title, width, c));
  *out = c, c = NULL;
cleanup:
  hk_canvas_destroy(&c);
  hk_pool_clear(&pool);
  return status;
}
