/* Triangles with a value at each corner, drawn with depth. Each fine pixel, two by two of them in a pixel, whose
 * centre lies within a triangle takes its depth and value, both linear in the pixel's place, where the triangle is
 * nearer than what was drawn before. Values are coloured afterwards, from a table of the map, and the fine pixels of a
 * pixel are averaged. */
#include "picture/figure.h"
#include <math.h>

enum { FINE = 2, ANCHORS = 11, COLOURS = 512 * HK_CLASSES };

struct hk_raster {
  int width, height; /* fine pixels */
  hk_count room;     /* of each array, at least width x height */
  float *value, *depth, *shade;
  hk_raster_body body;
  hk_pool pool; /* of these arrays, and the body's */
};

/* matplotlib's viridis (CC0) and ColorBrewer's RdBu (Apache-2.0), at tenths; ColorBrewer's Set3. */
static const uint32_t anchor[3][ANCHORS] = {
    {0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151,
     0xbddf26, 0xfde725},
    {0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d,
     0xb2182b, 0x67001f},
    {0x8dd3c7, 0xfb8072, 0x80b1d3, 0xfdb462, 0xb3de69, 0xbc80bd, 0xffed6f, 0xfccde5, 0xbebada,
     0xccebc5, 0xc8c8c8}};

/* Red, green or blue of 0xrrggbb. */
static int part_of(uint32_t colour, int d)
{
  return (int)(colour >> (16 - 8 * d) & 255);
}

static void map_rgb(hk_map map, double t, double *rgb)
{
  if (isnan(t)) {
    rgb[0] = rgb[1] = rgb[2] = 190;
    return;
  }
  if (map == HK_MAP_CLASSES) {
    const int k = t >= 1 ? HK_CLASSES - 1 : t > 0 ? (int)(t * HK_CLASSES) : 0;
    for (int d = 0; d < 3; d++) rgb[d] = part_of(anchor[map][k], d);
    return;
  }
  const double place = fmin(fmax(t, 0), 1) * (ANCHORS - 1);
  const int i = place >= ANCHORS - 1 ? ANCHORS - 2 : (int)place;
  for (int d = 0; d < 3; d++) {
    const int from = part_of(anchor[map][i], d), to = part_of(anchor[map][i + 1], d);
    rgb[d] = from + (place - i) * (to - from);
  }
}

hk_colour hk_map_colour(hk_map map, double t)
{
  double rgb[3];
  map_rgb(map, t, rgb);
  return (hk_colour){(uint8_t)(rgb[0] + .5), (uint8_t)(rgb[1] + .5), (uint8_t)(rgb[2] + .5)};
}

hk_status hk_raster_create(int width, int height, hk_raster **out)
{
  hk_status status = HK_OK;
  hk_raster *r = NULL;
  HK_TRY(hk_new(&r));
  r->width = width * FINE, r->height = height * FINE;
  r->room = (hk_count)r->width * r->height;
  HK_TRY(hk_pool_get(&r->pool, &r->value, r->room));
  HK_TRY(hk_pool_get(&r->pool, &r->depth, r->room));
  HK_TRY(hk_pool_get(&r->pool, &r->shade, r->room));
  hk_raster_clear(r);
  *out = r, r = NULL;
cleanup:
  hk_raster_destroy(&r);
  return status;
}

void hk_raster_destroy(hk_raster **raster)
{
  if (!*raster) return;
  hk_pool_clear(&(*raster)->pool);
  hk_free(raster);
}

void hk_raster_clear(hk_raster *r)
{
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < (hk_count)r->width * r->height; i++) r->depth[i] = -INFINITY;
}

hk_status hk_raster_fit(int width, int height, hk_raster **raster)
{
  hk_raster *r = *raster;
  const int wide = width * FINE, high = height * FINE;
  if (!r || r->room < (hk_count)wide * high) {
    hk_raster_destroy(raster);
    return hk_raster_create(width, height, raster);
  }
  if (r->width != wide || r->height != high) r->body.of = NULL;
  r->width = wide, r->height = high;
  hk_raster_clear(r);
  return HK_OK;
}

hk_status hk_raster_hold(hk_raster *r, hk_count corners, hk_count triangles, hk_raster_body **out)
{
  hk_raster_body *b = &r->body;
  *out = b;
  if (corners <= b->corners && triangles <= b->triangles) return HK_OK;
  *b = (hk_raster_body){.place = b->place, .seen = b->seen}; /* holds none, should memory end */
  HK_PASS(hk_pool_resize(&r->pool, &b->place, corners));
  HK_PASS(hk_pool_resize(&r->pool, &b->seen, triangles));
  b->corners = corners, b->triangles = triangles;
  return HK_OK;
}

static int within(double x, int most)
{
  return x < 0 ? 0 : x > most ? most : (int)x;
}

/* The first whole number from x on, and `most` at most. */
static int within_above(double x, int most)
{
  const int k = within(x, most);
  return k < x && k < most ? k + 1 : k;
}

/* Narrows [*first, *end), 0 <= *first, to the k with v + k dv >= least; per: 1 / dv. */
static inline void keep_above(double v, double dv, double per, double least, int *first, int *end)
{
  if (dv == 0) {
    if (!(v >= least)) *end = *first;
    return;
  }
  const double k = (least - v) * per;
  if (dv > 0) {
    if (k > *end)
      *first = *end;
    else if (k > *first)
      *first = (int)k + ((int)k < k); /* rounded up */
  } else if (k < *first) {
    *end = *first;
  } else if (k < *end) {
    *end = (int)k + 1;
  }
}

/* at0 + k step, k from first to end, of a row's depths, values and shades. */
static void draw_row(hk_raster *r, size_t row, int first, int end, const double *at0,
                     const double *step, double shade)
{
  float *restrict depth = r->depth + row, *restrict value = r->value + row,
                  *restrict dim = r->shade + row;
  const double z0 = at0[0], dz = step[0], v0 = at0[1], dv = step[1];
  const float light = (float)shade;
#pragma omp simd
  for (int k = first; k < end; k++) {
    const double z = z0 + k * dz;
    const bool near = z >= depth[k];
    depth[k] = near ? (float)z : depth[k];
    value[k] = near ? (float)(v0 + k * dv) : value[k];
    dim[k] = near ? light : dim[k];
  }
}

typedef struct extent { /* of a triangle along an axis, in fine pixels */
  double low, high;
} extent;

static inline extent extent_of(const double *x)
{
  const double low = x[0] < x[1] ? x[0] : x[1], high = x[0] < x[1] ? x[1] : x[0];
  return (extent){low < x[2] ? low : x[2], high > x[2] ? high : x[2]};
}

hk_raster_rows hk_raster_band(const hk_raster *r, int k, int bands)
{
  return (hk_raster_rows){(int)((hk_count)r->height * k / bands),
                          (int)((hk_count)r->height * (k + 1) / bands)};
}

bool hk_raster_meets(hk_raster_rows rows, const double (*corner)[3])
{
  const double y[3] = {corner[0][1], corner[1][1], corner[2][1]};
  const extent tall = extent_of(y);
  return !(tall.high * FINE + 2 < rows.first || tall.low * FINE - 2 > rows.end);
}

/* Of a pixel's centre the barycentric coordinates are b, c and 1 - b - c, linear along a row. Most triangles of a fine mesh hold no
 * centre: those leave early. `beyond`: how far outside a centre may lie by the slack and by rounding, which moves it further where the
 * triangle is a sliver. */
bool hk_raster_triangle(hk_raster *r, hk_raster_rows rows, const double (*corner)[3],
                        const double *value, double shade)
{
  const double slack = 1e-6;
  double x[3], y[3];
  for (int k = 0; k < 3; k++) x[k] = corner[k][0] * FINE, y[k] = corner[k][1] * FINE;
  const double twice = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  if (!(fabs(twice) > 0)) return false;
  const extent wide = extent_of(x), tall = extent_of(y);
  const double small = 1e-5 * (wide.high - wide.low + tall.high - tall.low);
  const double beyond = fabs(twice) > small ? small : 1;
  if (within_above(wide.low - beyond - .5, r->width) > wide.high + beyond - .5) return false;
  const int above = within_above(tall.low - beyond - .5, r->height);
  const int rough = within(tall.low - .5, r->height), from = above > rough ? above : rough;
  const int to = within(tall.high + beyond + .5, r->height);
  const int y0 = from > rows.first ? from : rows.first, y1 = to < rows.end ? to : rows.end;
  const int x0 = within(wide.low - .5, r->width), x1 = within(wide.high + 1.5, r->width);
  const double db = (y[2] - y[0]) / twice, dc = -(y[1] - y[0]) / twice, da = -db - dc;
  const double per[3] = {1 / db, 1 / dc, 1 / da};
  const double dz[2] = {corner[1][2] - corner[0][2], corner[2][2] - corner[0][2]},
               dv[2] = {value ? value[1] - value[0] : 0, value ? value[2] - value[0] : 0},
               step[2] = {db * dz[0] + dc * dz[1], db * dv[0] + dc * dv[1]};
  bool seen = false;
  for (int j = y0; j < y1; j++) {
    const double px = x0 + .5 - x[0], py = j + .5 - y[0];
    const double b = (px * (y[2] - y[0]) - (x[2] - x[0]) * py) / twice;
    const double c = ((x[1] - x[0]) * py - px * (y[1] - y[0])) / twice;
    int first = 0, end = x1 - x0;
    keep_above(b, db, per[0], -slack, &first, &end);
    keep_above(c, dc, per[1], -slack, &first, &end);
    keep_above(1 - b - c, da, per[2], -slack, &first, &end);
    seen = seen || first < end;
    if (!value) continue;
    const double at0[2] = {corner[0][2] + b * dz[0] + c * dz[1], value[0] + b * dv[0] + c * dv[1]};
    draw_row(r, (size_t)j * (size_t)r->width + (size_t)x0, first, end, at0, step, shade);
  }
  return seen;
}

double hk_raster_depth(const hk_raster *r, double x, double y)
{
  const int i = (int)floor(x * FINE), j = (int)floor(y * FINE);
  if (i < 0 || j < 0 || i >= r->width || j >= r->height) return -INFINITY;
  return r->depth[(size_t)j * (size_t)r->width + (size_t)i];
}

enum { RGB = 4 }; /* red, green, blue, and nothing: four are added at once */

/* Colours of a map at (k + 1/2) / COLOURS, that of not-a-number, and white. */
typedef struct palette {
  float rgb[COLOURS + 2][RGB];
} palette;

static void fill_palette(hk_map map, palette *p)
{
  for (int k = 0; k <= COLOURS; k++) {
    double rgb[3];
    map_rgb(map, k < COLOURS ? (k + .5) / COLOURS : NAN, rgb);
    for (int d = 0; d < RGB; d++) p->rgb[k][d] = d < 3 ? (float)rgb[d] : 0;
  }
  for (int d = 0; d < RGB; d++) p->rgb[COLOURS + 1][d] = 255;
}

/* The mean of the fine pixels at `at`, `at` + 1 and those below; white where there is no surface. */
static hk_colour mean_colour(const hk_raster *r, const palette *p, size_t at, double low,
                             double scale)
{
  float sum[RGB] = {.5f, .5f, .5f};
  for (int k = 0; k < FINE * FINE; k++) {
    const size_t i = at + (size_t)(k / FINE) * (size_t)r->width + (size_t)(k % FINE);
    const double t = (r->value[i] - low) * scale;
    const bool there = r->depth[i] != -INFINITY;
    const double above = t > 0 ? t : 0, place = above < COLOURS - 1 ? above : COLOURS - 1;
    const int colour = !there ? COLOURS + 1 : t == t ? (int)place : COLOURS;
    const float *rgb = p->rgb[colour], shade = (there ? r->shade[i] : 1) / (FINE * FINE);
    for (int d = 0; d < RGB; d++) sum[d] += rgb[d] * shade;
  }
  for (int d = 0; d < RGB; d++) sum[d] = sum[d] < 255 ? sum[d] : 255;
  return (hk_colour){(uint8_t)sum[0], (uint8_t)sum[1], (uint8_t)sum[2]};
}

hk_status hk_raster_paint(const hk_raster *r, hk_canvas *canvas, int x0, int y0, hk_map map,
                          double low, double high)
{
  hk_status status = HK_OK;
  const int width = r->width / FINE, height = r->height / FINE;
  hk_colour *colour = NULL;
  palette p;
  fill_palette(map, &p);
  HK_TRY(hk_get(&colour, (hk_count)width * height));
#pragma omp parallel for schedule(static)
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const size_t at = (size_t)(y * FINE) * (size_t)r->width + (size_t)(x * FINE);
      colour[y * width + x] = mean_colour(r, &p, at, low, COLOURS / (high - low));
    }
  hk_canvas_put(canvas, x0, y0, width, height, colour);
cleanup:
  hk_free(&colour);
  return status;
}
