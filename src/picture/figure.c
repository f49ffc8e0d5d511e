/* One picture of values on a surface. The body is projected along a fixed view (a plane body onto its plane), its
 * triangles go through the raster, and edges, axes or a triad, the colour bar and words are drawn over it. All lengths
 * are multiples of a unit u, a thousandth of the picture's width. Displaced bodies are drawn where they are displaced
 * to, over the outline of where they were; an edge is hidden where the raster holds a nearer surface. The raster keeps
 * which triangles were seen: the next picture of the same body draws these alone. */
#include "picture/figure.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static const hk_colour ink = {30, 30, 34}, grey = {110, 110, 116}, light = {170, 170, 176};

typedef struct frame {     /* where things lie, in pixels */
  double u;                /* one unit: the text's capitals are 10 u high */
  int x, y, width, height; /* the plot */
  int bar_x, bar_width;
  double gap; /* between plot and axes, wider where the displaced body needs it */
  int margin; /* of the raster around the plot, within the gap */
  double right[3], up[3], toward[3]; /* the view */
  double scale, centre[2];           /* pixel = scale (projected - low) */
} frame;

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void set_view(bool flat, frame *f)
{
  const double plane[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double c = cos(-.95), s = sin(-.95), rise = .42; /* from the front right, 25 degrees up */
  const double space[3][3] = {{-s, c, 0},
                              {-c * sin(rise), -s * sin(rise), cos(rise)},
                              {c * cos(rise), s * cos(rise), sin(rise)}};
  const double(*view)[3] = flat ? plane : space;
  memcpy(f->right, view[0], sizeof f->right);
  memcpy(f->up, view[1], sizeof f->up);
  memcpy(f->toward, view[2], sizeof f->toward);
}

/* Pixels from the plot's corner, and depth. */
static void project(const frame *f, const double *x, double *to)
{
  to[0] = f->scale * (dot(x, f->right) - f->centre[0]) + f->width / 2.0;
  to[1] = f->height / 2.0 - f->scale * (dot(x, f->up) - f->centre[1]);
  to[2] = dot(x, f->toward);
}

/* Room for the labels and the title of the axis y, of a canvas 1000 wide: labels of more than four characters need more. */
static double room_of_labels(double low, double high)
{
  const hk_axis a = hk_axis_make(low, high, 6, false);
  char text[32];
  size_t most = 4;
  for (int i = 0; i < a.count; i++) {
    const size_t length = strlen(hk_axis_label(&a, i, text));
    if (length > most) most = length;
  }
  return 78 + 12 * (double)(most - 4);
}

/* The canvas is `width` wide unless the body is so tall that this would make it higher than wide.
 */
static void lay_out(const hk_surface *s, bool displaced, int width, frame *f, int *canvas_width,
                    int *canvas_height)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  f->u = width / 1000.0;
  f->gap = (displaced ? 28 : 6) * f->u;
  f->margin = displaced ? (int)f->gap : 0;
  set_view(s->flat, f);
  for (int k = 0; k < 8; k++) {
    const double x[3] = {k & 1 ? s->high[0] : s->low[0], k & 2 ? s->high[1] : s->low[1],
                         k & 4 ? s->high[2] : s->low[2]};
    const double p[2] = {dot(x, f->right), dot(x, f->up)};
    for (int d = 0; d < 2; d++) low[d] = fmin(low[d], p[d]), high[d] = fmax(high[d], p[d]);
  }
  for (int d = 0; d < 2; d++) f->centre[d] = (low[d] + high[d]) / 2;
  const double left = (s->flat ? room_of_labels(low[1], high[1]) : 34) * f->u + f->gap,
               right = 144 * f->u + f->gap;
  const double top = 58 * f->u + f->gap;
  const double bottom = (s->flat ? 60 : 24) * f->u + f->gap, pad = s->flat ? 0 : 20 * f->u;
  const double wide = fmax(high[0] - low[0], 1e-300), tall = fmax(high[1] - low[1], 1e-300);
  const double most_wide = width - left - right - 2 * pad, most_tall = width * .8 - top - bottom;
  f->scale = fmin(most_wide / wide, most_tall / tall);
  f->width = (int)ceil(fmax(f->scale * wide + 2 * pad, 260 * f->u));
  f->height = (int)ceil(fmax(f->scale * tall + 2 * pad, 40 * f->u));
  f->x = (int)left, f->y = (int)top;
  f->bar_x = f->x + f->width + (int)(18 * f->u + f->gap), f->bar_width = (int)(18 * f->u);
  *canvas_width = f->x + f->width + (int)right;
  *canvas_height = f->y + (int)fmax(f->height, 150 * f->u) + (int)bottom;
}

static double shade_of(const frame *f, const hk_figure *figure, const hk_index *t)
{
  double a[3], b[3], n[3], light_from[3], length = 0;
  if (figure->surface->flat) return 1;
  const double *x0 = figure->corner + 3 * t[0];
  for (int d = 0; d < 3; d++) {
    a[d] = figure->corner[3 * t[1] + d] - x0[d];
    b[d] = figure->corner[3 * t[2] + d] - x0[d];
    light_from[d] = .8 * f->toward[d] + .55 * f->up[d] - .25 * f->right[d];
  }
  for (int d = 0; d < 3; d++) {
    n[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    length += n[d] * n[d];
  }
  return .7 + .3 * fabs(dot(n, light_from)) / sqrt(fmax(length, 1e-300));
}

/* The part of triangle `corner` that is nearest to its corner k, between the middles of two sides and
 * `inner`: one value. */
static void draw_share(hk_raster *raster, hk_raster_rows rows, const double (*corner)[3], int k,
                       const double *inner, double value, double shade)
{
  const double values[3] = {value, value, value};
  for (int side = 1; side < 3; side++) {
    double part[3][3];
    for (int d = 0; d < 3; d++) {
      part[0][d] = corner[k][d];
      part[1][d] = (corner[k][d] + corner[(k + side) % 3][d]) / 2;
      part[2][d] = inner[d];
    }
    hk_raster_triangle(raster, rows, part, values, shade);
  }
}

static void draw_classes(hk_raster *raster, hk_raster_rows rows, const double (*corner)[3],
                         const double *value, double shade)
{
  double inner[3] = {0};
  for (int k = 0; k < 3; k++) /* a corner that is no node lies on the border of the others' areas */
    for (int d = 0; d < 3; d++) inner[d] += corner[k][d] / 3;
  for (int k = 0; k < 3; k++)
    if (isnan(value[k])) memcpy(inner, corner[k], sizeof inner);
  for (int k = 0; k < 3; k++)
    if (!isnan(value[k])) draw_share(raster, rows, corner, k, inner, value[k], shade);
}

/* Of all corners, in pixels of the raster and depth. */
static void place_corners(const frame *f, const hk_figure *figure, double (*place)[3])
{
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < figure->surface->corners; i++) {
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = figure->corner[3 * i + d] +
             (figure->displaced ? figure->displacement_scale * figure->displacement[3 * i + d] : 0);
    project(f, x, place[i]);
    place[i][0] += f->margin, place[i][1] += f->margin;
  }
}

/* What a picture's triangles are drawn from and on. */
typedef struct drawing {
  const frame *f;
  const hk_figure *figure;
  hk_raster *raster;
  const double (*place)[3]; /* of corners */
} drawing;

static void find_corners(const drawing *d, hk_count i, double (*corner)[3])
{
  const hk_index *t = d->figure->surface->triangle[i];
  for (int k = 0; k < 3; k++) memcpy(corner[k], d->place[t[k]], sizeof corner[k]);
}

/* Whether the i-th triangle may be seen. */
static bool covers(const drawing *d, hk_count i)
{
  double corner[3][3];
  if (d->figure->classes) return true;
  find_corners(d, i, corner);
  return hk_raster_triangle(d->raster, hk_raster_band(d->raster, 0, 1), (const double(*)[3])corner,
                            NULL, 0);
}

static void draw_triangle(const drawing *d, hk_raster_rows rows, hk_count i)
{
  const hk_index *t = d->figure->surface->triangle[i];
  double corner[3][3], value[3];
  find_corners(d, i, corner);
  if (!hk_raster_meets(rows, (const double(*)[3])corner)) return;
  const double shade = shade_of(d->f, d->figure, t);
  for (int k = 0; k < 3; k++) value[k] = d->figure->value[t[k]];
  if (d->figure->classes)
    draw_classes(d->raster, rows, (const double(*)[3])corner, value, shade);
  else
    hk_raster_triangle(d->raster, rows, (const double(*)[3])corner, value, shade);
}

/* seen[]: the triangles that hold a centre, ascending; returns how many. Each thread lists those of a range, which are then put together. */
static hk_count find_seen(const drawing *d, hk_index *seen)
{
  const hk_count triangles = d->figure->surface->triangles;
  hk_count total = 0;
#pragma omp parallel
  {
    const hk_count threads = omp_get_num_threads(), me = omp_get_thread_num();
    const hk_count first = triangles * me / threads, end = triangles * (me + 1) / threads;
    hk_count count = 0;
    for (hk_count i = first; i < end; i++)
      if (covers(d, i)) seen[first + count++] = (hk_index)i;
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
    for (hk_count t = 0; t < threads; t++) {
#pragma omp ordered
      {
        memmove(seen + total, seen + first, (size_t)count * sizeof *seen);
        total += count;
      }
    }
  }
  return total;
}

/* Of a body that lies where it lay in the picture before, those triangles alone that were seen. Each thread draws a band, in which the triangles
 * come in the same order as in a picture that one thread draws. */
static hk_status draw_body(const frame *f, const hk_figure *figure, hk_raster *raster)
{
  const hk_surface *s = figure->surface;
  hk_raster_body *b;
  HK_PASS(hk_raster_hold(raster, s->corners, s->triangles, &b));
  const drawing d = {f, figure, raster, (const double(*)[3])b->place};
  if (figure->displaced || b->of != figure->corner || b->scale != f->scale ||
      b->margin != f->margin) {
    place_corners(f, figure, b->place);
    b->of = figure->displaced ? NULL : figure->corner, b->scale = f->scale, b->margin = f->margin;
    b->count = find_seen(&d, b->seen);
  }
#pragma omp parallel
  {
    const hk_raster_rows rows = hk_raster_band(raster, omp_get_thread_num(), omp_get_num_threads());
    for (hk_count i = 0; i < b->count; i++) draw_triangle(&d, rows, b->seen[i]);
  }
  return HK_OK;
}

static bool visible(const frame *f, const hk_raster *raster, const double *a, const double *b,
                    const hk_surface *s)
{
  double size = 0;
  if (s->flat) return true;
  for (int d = 0; d < 3; d++) size = fmax(size, s->high[d] - s->low[d]);
  const double x = (a[0] + b[0]) / 2, y = (a[1] + b[1]) / 2, z = (a[2] + b[2]) / 2;
  return z >= hk_raster_depth(raster, x + f->margin, y + f->margin) - .015 * size;
}

/* All edges in one stroke, so that their joints are not drawn twice. */
static hk_status draw_outline(const frame *f, const hk_figure *figure, const hk_raster *raster,
                              hk_canvas *canvas, double scale, double width, hk_colour colour)
{
  hk_status status = HK_OK;
  const hk_surface *s = figure->surface;
  double(*point)[2] = NULL;
  hk_count count = 0;
  HK_TRY(hk_get(&point, 3 * s->edges));
  for (hk_count i = 0; i < s->edges; i++) {
    double end[2][3];
    for (int k = 0; k < 2; k++) {
      double x[3];
      const hk_index n = s->edge[i][k];
      for (int d = 0; d < 3; d++)
        x[d] = figure->corner[3 * n + d] +
               (figure->displacement ? scale * figure->displacement[3 * n + d] : 0);
      project(f, x, end[k]);
    }
    if (!visible(f, raster, end[0], end[1], s)) continue;
    for (int k = 0; k < 2; k++, count++)
      point[count][0] = f->x + end[k][0], point[count][1] = f->y + end[k][1];
    point[count][0] = point[count][1] = NAN;
    count++;
  }
  hk_canvas_line(canvas, count, (const double(*)[2])point, width, colour);
cleanup:
  hk_free(&point);
  return status;
}

static void draw_axis_x(const frame *f, const hk_figure *figure, hk_canvas *c)
{
  char text[96];
  const double half = f->width / 2.0 / f->scale, u = f->u, base = f->y + f->height + f->gap - 6 * u;
  const hk_axis a = hk_axis_make(f->centre[0] - half, f->centre[0] + half,
                                 (int)fmax(2, f->width / (90 * u)), false);
  for (int i = 0; i < a.count; i++) {
    const double x = f->x + f->width / 2.0 + f->scale * (hk_axis_tick(&a, i) - f->centre[0]);
    hk_canvas_segment(c, x, base + 6 * u, x, base + 12 * u, u, grey);
    hk_canvas_text(c, x, base + 28 * u, 10 * u, .5, false, hk_axis_label(&a, i, text), ink);
  }
  hk_canvas_text(c, f->x + f->width / 2.0, base + 52 * u, 10.5 * u, .5, false,
                 hk_axis_title(&a, "x", figure->length_unit, text), ink);
  hk_canvas_segment(c, f->x, base + 6 * u, f->x + f->width, base + 6 * u, u, grey);
}

static void draw_axis_y(const frame *f, const hk_figure *figure, hk_canvas *c)
{
  char text[96];
  const double half = f->height / 2.0 / f->scale, u = f->u, x = f->x - f->gap;
  const hk_axis a = hk_axis_make(f->centre[1] - half, f->centre[1] + half,
                                 (int)fmax(2, f->height / (60 * u)), false);
  double widest = 0;
  for (int i = 0; i < a.count; i++) {
    const double y = f->y + f->height / 2.0 - f->scale * (hk_axis_tick(&a, i) - f->centre[1]);
    hk_canvas_segment(c, x - 6 * u, y, x, y, u, grey);
    hk_canvas_text(c, x - 10 * u, y + 5 * u, 10 * u, 1, false, hk_axis_label(&a, i, text), ink);
    widest = fmax(widest, hk_canvas_text_width(c, 10 * u, text));
  }
  hk_canvas_text(c, x - 18 * u - widest, f->y + f->height / 2.0, 10.5 * u, .5, true,
                 hk_axis_title(&a, "y", figure->length_unit, text), ink);
  hk_canvas_segment(c, x, f->y, x, f->y + f->height, u, grey);
}

/* Directions of x, y and z in the lower left corner. */
static void draw_triad(const frame *f, hk_canvas *c)
{
  static const char *const name[] = {"x", "y", "z"};
  const double x = 52 * f->u, y = c->height - 46 * f->u, length = 32 * f->u;
  for (int d = 0; d < 3; d++) {
    const double dx = f->right[d] * length, dy = -f->up[d] * length;
    hk_canvas_segment(c, x, y, x + dx, y + dy, 1.6 * f->u, ink);
    hk_canvas_text(c, x + 1.4 * dx, y + 1.4 * dy + 4 * f->u, 9 * f->u, .5, false, name[d], ink);
  }
}

/* A pointed end at y, in the end's colour. */
static void draw_point(const frame *f, hk_canvas *c, double y, int direction, hk_colour colour)
{
  const double x = f->bar_x, corner[3][2] = {{x, y},
                                             {x + f->bar_width, y},
                                             {x + f->bar_width / 2.0, y + direction * 12 * f->u}};
  hk_canvas_polygon(c, 3, corner, colour);
}

static void draw_bar(const frame *f, const hk_figure *figure, hk_canvas *c)
{
  char text[96];
  const double u = f->u;
  const int tall = (int)fmax(f->height, 150 * u), inset = (int)(14 * u);
  const int top = f->y + (figure->beyond_high ? inset : 0);
  const int bottom = f->y + tall - (figure->beyond_low ? inset : 0);
  const hk_axis a = hk_axis_make(figure->low, figure->high, (int)fmax(4, tall / (55 * u)), false);
  double widest = 0;
  for (int y = top; y < bottom; y++)
    hk_canvas_fill(c, f->bar_x, y, f->bar_x + f->bar_width, y + 1,
                   hk_map_colour(figure->map, (bottom - y - .5) / (bottom - top)));
  if (figure->beyond_high) draw_point(f, c, top, -1, hk_map_colour(figure->map, 1));
  if (figure->beyond_low) draw_point(f, c, bottom, 1, hk_map_colour(figure->map, 0));
  for (int i = 0; i < a.count; i++) {
    const double x = f->bar_x + f->bar_width;
    const double y = bottom - (hk_axis_tick(&a, i) - figure->low) / (figure->high - figure->low) *
                                  (bottom - top);
    hk_canvas_segment(c, x, y, x + 5 * u, y, u, grey);
    hk_canvas_text(c, x + 9 * u, y + 5 * u, 10 * u, 0, false, hk_axis_label(&a, i, text), ink);
    widest = fmax(widest, hk_canvas_text_width(c, 10 * u, text));
  }
  hk_canvas_text(c, f->bar_x + f->bar_width + 28 * u + widest, f->y + tall / 2.0, 10.5 * u, .5,
                 true, hk_axis_title(&a, figure->name, figure->unit, text), ink);
}

static void draw_words(const frame *f, const hk_figure *figure, hk_canvas *c)
{
  char note[128], number[32];
  const double u = f->u, end = f->x + f->width;
  hk_canvas_text(c, f->x, 30 * u, 13 * u, 0, false, figure->title, ink);
  snprintf(note, sizeof note, "%.90s", figure->note ? figure->note : figure->name);
  if (figure->displacement) {
    snprintf(number, sizeof number, "%g", figure->displacement_scale);
    snprintf(note, sizeof note, "%.60s, %s x %s", figure->note ? figure->note : figure->name,
             figure->displaced ? "displaced" : "outline displaced", number);
  }
  hk_canvas_text(c, f->x, 52 * u, 10.5 * u, 0, false, note, grey);
  const double begin =
      f->x + hk_canvas_text_width(c, 10.5 * u, note) + 16 * u; /* behind it, on narrow plots */
  if (begin + hk_canvas_text_width(c, 10.5 * u, figure->time) > end)
    hk_canvas_text(c, begin, 52 * u, 10.5 * u, 0, false, figure->time, ink);
  else
    hk_canvas_text(c, end, 52 * u, 10.5 * u, 1, false, figure->time, ink);
}

hk_status hk_figure_draw(const hk_figure *figure, int width, hk_raster **raster, hk_canvas **out)
{
  hk_status status = HK_OK;
  hk_canvas *c = NULL;
  frame f;
  int canvas_width, canvas_height;

  lay_out(figure->surface, figure->displacement != NULL, width, &f, &canvas_width, &canvas_height);
  HK_TRY(hk_canvas_create(canvas_width, canvas_height, &c));
  HK_TRY(hk_raster_fit(f.width + 2 * f.margin, f.height + 2 * f.margin, raster));
  HK_TRY(draw_body(&f, figure, *raster));
  HK_TRY(hk_raster_paint(*raster, c, f.x - f.margin, f.y - f.margin, figure->map, figure->low,
                         figure->high));
  HK_TRY(draw_outline(&f, figure, *raster, c, 0, 1.2 * f.u, figure->displacement ? light : ink));
  if (figure->displacement)
    HK_TRY(draw_outline(&f, figure, *raster, c, figure->displacement_scale, 1.6 * f.u, ink));
  if (figure->surface->flat)
    draw_axis_x(&f, figure, c), draw_axis_y(&f, figure, c);
  else
    draw_triad(&f, c);
  if (!figure->classes) draw_bar(&f, figure, c);
  draw_words(&f, figure, c);
  *out = c, c = NULL;
cleanup:
  hk_canvas_destroy(&c);
  return status;
}
