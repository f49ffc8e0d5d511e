/* Draws an image of an array. Between the points of an image in space values are linear; the columns of a B-scan are its elements, each as wide as the
 * distance between two. What lies more than `span` decibels below the largest value has the last colour. */
#include "picture/image/image_picture.h"
#include "picture/figure.h"
#include <math.h>

static const hk_colour ink = {30, 30, 34}, grey = {110, 110, 116};

typedef struct plot {
  const hk_image *image;
  double u, span, most;
  int x, y, width, height;
  double low[2], high[2]; /* of the axes */
} plot;

static void set_ends(plot *p)
{
  for (int k = 0; k < 2; k++) {
    const hk_image_axis *a = &p->image->axis[k];
    const double half = p->image->down && k == 0
                            ? (a->at[a->count - 1] - a->at[0]) / (double)(a->count - 1) / 2
                            : 0;
    p->low[k] = a->at[0] - half, p->high[k] = a->at[a->count - 1] + half;
  }
}

static void lay_out(const hk_image_picture *picture, int width, plot *p)
{
  double place[2];
  *p = (plot){.image = picture->image, .u = width / 1000.0, .span = picture->span};
  p->most = hk_image_peak(p->image, place);
  set_ends(p);
  const double u = p->u, across = width - (92 + 128) * u, most_tall = .72 * width;
  const double share = p->image->plane ? (p->high[1] - p->low[1]) / (p->high[0] - p->low[0]) : .55;
  const double wide = fmin(across, most_tall / share);
  p->x = (int)(92 * u), p->y = (int)(64 * u);
  p->width = (int)fmax(wide, 200 * u), p->height = (int)fmax(wide * share, 120 * u);
}

/* *part in [0, 1]: x lies that far from at[k] to at[k + 1]. */
static hk_count locate(const hk_image_axis *a, double x, double *part)
{
  hk_count low = 0, high = a->count - 1;
  while (high - low > 1) {
    const hk_count middle = (low + high) / 2;
    if (a->at[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  *part = fmax(0, fmin(1, (x - a->at[low]) / (a->at[high] - a->at[low])));
  return low;
}

static double value_at(const hk_image *i, double x, double y)
{
  double f, g;
  const hk_count wide = i->axis[0].count, k = locate(&i->axis[0], x, &f),
                 row = locate(&i->axis[1], y, &g);
  const double *v = i->value + row * wide + k;
  if (i->down) f = f >= .5;
  return (1 - g) * ((1 - f) * v[0] + f * v[1]) + g * ((1 - f) * v[wide] + f * v[wide + 1]);
}

static hk_colour colour_of(const plot *p, double value)
{
  const double decibels = value > 0 ? 20 * log10(value / p->most) : -INFINITY;
  return hk_map_colour(HK_MAP_SEQUENTIAL, fmax(0, 1 + decibels / p->span));
}

static hk_status draw_values(const plot *p, hk_canvas *c)
{
  hk_status status = HK_OK;
  hk_colour *pixel = NULL;
  HK_TRY(hk_get(&pixel, (hk_count)p->width * p->height));
#pragma omp parallel for schedule(static)
  for (int row = 0; row < p->height; row++) {
    const double part = (row + .5) / p->height, up = p->image->down ? part : 1 - part;
    const double y = p->low[1] + up * (p->high[1] - p->low[1]);
    for (int k = 0; k < p->width; k++) {
      const double x = p->low[0] + (k + .5) / p->width * (p->high[0] - p->low[0]);
      pixel[(hk_count)row * p->width + k] = colour_of(p, value_at(p->image, x, y));
    }
  }
  hk_canvas_put(c, p->x, p->y, p->width, p->height, pixel);
  hk_canvas_frame(c, p->x, p->y, p->width, p->height, p->u, ink);
cleanup:
  hk_free(&pixel);
  return status;
}

static void draw_across(const plot *p, hk_canvas *c)
{
  char text[96];
  const hk_image_axis *axis = &p->image->axis[0];
  const double u = p->u, bottom = p->y + p->height;
  const hk_axis a = hk_axis_make(p->low[0], p->high[0], (int)fmax(2, p->width / (90 * u)), false);
  for (int i = 0; i < a.count; i++) {
    const double x = p->x + (hk_axis_tick(&a, i) - p->low[0]) / (p->high[0] - p->low[0]) * p->width;
    hk_canvas_segment(c, x, bottom, x, bottom + 5 * u, u, ink);
    hk_canvas_text(c, x, bottom + 23 * u, 10 * u, .5, false, hk_axis_label(&a, i, text), ink);
  }
  hk_canvas_text(
      c, p->x + p->width / 2.0, bottom + 47 * u, 10.5 * u, .5, false,
      hk_axis_title(&a, p->image->down ? "distance along the array" : axis->name, axis->unit, text),
      ink);
}

static void draw_upright(const plot *p, hk_canvas *c)
{
  char text[96];
  const hk_image_axis *axis = &p->image->axis[1];
  const double u = p->u;
  const hk_axis a = hk_axis_make(p->low[1], p->high[1], (int)fmax(2, p->height / (60 * u)), false);
  double widest = 0;
  for (int i = 0; i < a.count; i++) {
    const double part = (hk_axis_tick(&a, i) - p->low[1]) / (p->high[1] - p->low[1]);
    const double y = p->y + (p->image->down ? part : 1 - part) * p->height;
    hk_canvas_segment(c, p->x - 5 * u, y, p->x, y, u, ink);
    hk_canvas_text(c, p->x - 9 * u, y + 5 * u, 10 * u, 1, false, hk_axis_label(&a, i, text), ink);
    widest = fmax(widest, hk_canvas_text_width(c, 10 * u, text));
  }
  hk_canvas_text(c, p->x - 19 * u - widest, p->y + p->height / 2.0, 10.5 * u, .5, true,
                 hk_axis_title(&a, axis->name, axis->unit, text), ink);
}

static void draw_bar(const plot *p, hk_canvas *c)
{
  char text[96];
  const double u = p->u;
  const int x = p->x + p->width + (int)(18 * u), wide = (int)(18 * u);
  const hk_axis a = hk_axis_make(-p->span, 0, (int)fmax(2, p->height / (55 * u)), false);
  for (int y = 0; y < p->height; y++)
    hk_canvas_fill(c, x, p->y + y, x + wide, p->y + y + 1,
                   hk_map_colour(HK_MAP_SEQUENTIAL, 1 - (y + .5) / p->height));
  for (int i = 0; i < a.count; i++) {
    const double y = p->y - hk_axis_tick(&a, i) / p->span * p->height;
    hk_canvas_segment(c, x + wide, y, x + wide + 5 * u, y, u, grey);
    hk_canvas_text(c, x + wide + 9 * u, y + 5 * u, 10 * u, 0, false, hk_axis_label(&a, i, text),
                   ink);
  }
  hk_canvas_text(c, x + wide + 62 * u, p->y + p->height / 2.0, 10.5 * u, .5, true, "dB", ink);
}

hk_status hk_image_draw(const hk_image_picture *picture, int width, hk_canvas **out)
{
  hk_status status = HK_OK;
  hk_canvas *c = NULL;
  plot p;
  lay_out(picture, width, &p);
  HK_TRY(hk_canvas_create(p.x + p.width + (int)(128 * p.u), p.y + p.height + (int)(62 * p.u), &c));
  HK_TRY(draw_values(&p, c));
  draw_across(&p, c);
  draw_upright(&p, c);
  draw_bar(&p, c);
  hk_canvas_text(c, p.x, 30 * p.u, 13 * p.u, 0, false, picture->title, ink);
  hk_canvas_text(c, p.x, 52 * p.u, 10.5 * p.u, 0, false, picture->note, grey);
  *out = c, c = NULL;
cleanup:
  hk_canvas_destroy(&c);
  return status;
}
