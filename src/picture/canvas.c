/* The canvas on which pictures are drawn, over an image surface of cairo: lines, polygons and text are cairo's, with its smoothed edges.
 * Text is drawn letter by letter in cairo's built-in font "twin" (family "@cairo:"), which asks neither fontconfig nor the system for
 * files, so that pictures are the same on a machine without fonts. Errors stay in cairo's context and are reported when
 * the picture is encoded. libpng writes the file by its fastest settings that keep it small (write_png): cairo's own PNG writer takes several times as
 * long. */
#include "picture/canvas.h"
#include "base/file.h"
#include <cairo.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static const double capital = 42 / 72.0; /* height of the font's capitals at size 1 */
static const double raised = .7;         /* size of what follows ^ */
enum {
  RUN = 1000
}; /* segments that are stroked at once: the memory of a stroke grows with them, its time faster */

hk_status hk_canvas_create(int width, int height, hk_canvas **out)
{
  hk_status status = HK_OK;
  hk_canvas *c = NULL;
  HK_TRY(hk_new(&c));
  c->width = width, c->height = height;
  c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  c->pen = cairo_create(c->surface);
  HK_CHECK(cairo_status(c->pen) == CAIRO_STATUS_SUCCESS, HK_NO_RESOURCES,
           "picture of %d x %d pixels: %s", width, height,
           cairo_status_to_string(cairo_status(c->pen)));
  cairo_set_source_rgb(c->pen, 1, 1, 1);
  cairo_paint(c->pen);
  cairo_set_line_cap(c->pen, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(c->pen, CAIRO_LINE_JOIN_ROUND);
  cairo_select_font_face(c->pen, "@cairo:semibold", CAIRO_FONT_SLANT_NORMAL,
                         CAIRO_FONT_WEIGHT_NORMAL);
  *out = c, c = NULL;
cleanup:
  hk_canvas_destroy(&c);
  return status;
}

void hk_canvas_destroy(hk_canvas **canvas)
{
  if (!*canvas) return;
  cairo_destroy((*canvas)->pen);
  cairo_surface_destroy((*canvas)->surface);
  hk_free(canvas);
}

static void dip(hk_canvas *c, hk_colour colour)
{
  cairo_set_source_rgb(c->pen, colour.r / 255.0, colour.g / 255.0, colour.b / 255.0);
}

void hk_canvas_fill(hk_canvas *c, int x0, int y0, int x1, int y1, hk_colour colour)
{
  dip(c, colour);
  cairo_rectangle(c->pen, x0, y0, x1 - x0, y1 - y0);
  cairo_fill(c->pen);
}

/* A row of the picture's pixels: 0xrrggbb. */
static uint32_t *pixel_row(const hk_canvas *c, int y)
{
  unsigned char *data = cairo_image_surface_get_data(c->surface);
  return (uint32_t *)(void *)(data +
                              (size_t)y * (size_t)cairo_image_surface_get_stride(c->surface));
}

void hk_canvas_put(hk_canvas *c, int x0, int y0, int width, int height, const hk_colour *colour)
{
  const int first = x0 < 0 ? -x0 : 0, end = c->width - x0 < width ? c->width - x0 : width;
  cairo_surface_flush(c->surface);
  for (int y = y0 < 0 ? -y0 : 0; y < height && y0 + y < c->height; y++) {
    uint32_t *to = pixel_row(c, y0 + y) + x0;
    const hk_colour *from = colour + (size_t)y * (size_t)width;
    for (int x = first; x < end; x++)
      to[x] = (uint32_t)from[x].r << 16 | (uint32_t)from[x].g << 8 | from[x].b;
  }
  cairo_surface_mark_dirty(c->surface);
}

static bool finite_point(const double *p)
{
  return isfinite(p[0]) && isfinite(p[1]) && fabs(p[0]) < 1e6 && fabs(p[1]) < 1e6;
}

/* Points that are not finite break the path. */
static void trace(cairo_t *pen, hk_count count, const double (*point)[2])
{
  bool open = false;
  for (hk_count i = 0; i < count; i++) {
    const bool good = finite_point(point[i]);
    if (good && open)
      cairo_line_to(pen, point[i][0], point[i][1]);
    else if (good)
      cairo_move_to(pen, point[i][0], point[i][1]);
    open = good;
  }
}

void hk_canvas_polygon(hk_canvas *c, int count, const double (*point)[2], hk_colour colour)
{
  dip(c, colour);
  trace(c->pen, count, point);
  cairo_fill(c->pen);
}

void hk_canvas_line(hk_canvas *c, hk_count count, const double (*point)[2], double width,
                    hk_colour colour)
{
  dip(c, colour);
  cairo_set_line_width(c->pen, width);
  for (hk_count first = 0; first < count; first += RUN) {
    trace(c->pen, count - first > RUN ? RUN + 1 : count - first, point + first);
    cairo_stroke(c->pen);
  }
}

void hk_canvas_frame(hk_canvas *c, double x, double y, double across, double down, double width,
                     hk_colour colour)
{
  const double corner[5][2] = {
      {x, y}, {x + across, y}, {x + across, y + down}, {x, y + down}, {x, y}};
  hk_canvas_line(c, 5, corner, width, colour);
}

void hk_canvas_segment(hk_canvas *c, double x0, double y0, double x1, double y1, double width,
                       hk_colour colour)
{
  hk_canvas_line(c, 2, (const double[][2]){{x0, y0}, {x1, y1}}, width, colour);
}

/* Letters one after the other: sign, digits after ^ are raised and small. */
typedef struct cursor {
  const char *text;
  bool raised;
} cursor;

static bool next_letter(cursor *at, char *c)
{
  if (*at->text == '^' && at->text[1] && strchr("-0123456789", at->text[1]))
    at->raised = true, at->text++;
  if (!*at->text) return false;
  *c = hk_letter(&at->text);
  if (at->raised && !strchr("-0123456789", *c)) at->raised = false;
  return true;
}

/* Writes along x from the pen's origin; returns how far. drawn: else it is only measured. */
static double set_letters(cairo_t *pen, double size, const char *text, bool drawn)
{
  double x = 0;
  char letter[2] = "";
  cairo_text_extents_t extents;
  for (cursor at = {text, false}; next_letter(&at, letter); x += extents.x_advance) {
    cairo_set_font_size(pen, size / capital * (at.raised ? raised : 1));
    cairo_text_extents(pen, letter, &extents);
    if (!drawn) continue;
    cairo_move_to(pen, x, at.raised ? -size / 2 : 0);
    cairo_show_text(pen, letter);
  }
  cairo_new_path(pen);
  return x;
}

double hk_canvas_text_width(hk_canvas *c, double size, const char *text)
{
  return set_letters(c->pen, size, text, false);
}

void hk_canvas_text(hk_canvas *c, double x, double y, double size, double align, bool upright,
                    const char *text, hk_colour colour)
{
  dip(c, colour);
  cairo_save(c->pen);
  cairo_translate(c->pen, x, y);
  if (upright) cairo_rotate(c->pen, -acos(0));
  cairo_translate(c->pen, -align * hk_canvas_text_width(c, size, text), 0);
  set_letters(c->pen, size, text, true);
  cairo_restore(c->pen);
}

static hk_colour colour_of(uint32_t pixel)
{
  return (hk_colour){(uint8_t)(pixel >> 16), (uint8_t)(pixel >> 8), (uint8_t)pixel};
}

hk_colour hk_canvas_pixel(const hk_canvas *c, int x, int y)
{
  return colour_of(pixel_row(c, y)[x]);
}

typedef struct png_bytes {
  char *data;
  size_t size, room;
  char error[128];
} png_bytes;

static void keep_bytes(png_structp png, png_bytep from, size_t count)
{
  png_bytes *to = png_get_io_ptr(png);
  if (count > to->room - to->size) png_error(png, "no room is left");
  memcpy(to->data + to->size, from, count);
  to->size += count;
}

static void flush_nothing(png_structp png)
{
  (void)png;
}

static void keep_error(png_structp png, png_const_charp message)
{
  png_bytes *to = png_get_error_ptr(png);
  snprintf(to->error, sizeof to->error, "%s", message);
  png_longjmp(png, 1);
}

static void keep_no_warning(png_structp png, png_const_charp message)
{
  (void)png, (void)message;
}

/* Each row is written as differences from the row above, in which runs of equal bytes alone are compressed: less time than libpng's fast mode takes, for
 * some more bytes. False: to->error. */
static bool write_png(png_structp png, png_infop info, const hk_canvas *c, const hk_colour *rgb,
                      png_bytes *to)
{
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, to, keep_bytes, flush_nothing);
  png_set_compression_level(png, 1);
  png_set_compression_strategy(png, Z_RLE);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
  png_set_IHDR(png, info, (png_uint_32)c->width, (png_uint_32)c->height, 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  for (int y = 0; y < c->height; y++)
    png_write_row(png, (png_const_bytep)(rgb + (hk_count)y * c->width));
  png_write_end(png, info);
  return true;
}

/* Room also for bytes that nothing compresses, and for what stands around them: a third more than there are. */
static hk_status get_room(const hk_canvas *c, png_bytes *to)
{
  to->room = (size_t)c->height * ((size_t)c->width * 4 + 64) + 4096;
  return hk_get(&to->data, (hk_count)to->room);
}

hk_status hk_canvas_read(const hk_canvas *c, hk_colour *pixel)
{
  HK_NEED(cairo_status(c->pen) == CAIRO_STATUS_SUCCESS, HK_NO_RESOURCES, "picture: %s",
          cairo_status_to_string(cairo_status(c->pen)));
  cairo_surface_flush(c->surface);
  for (int y = 0; y < c->height; y++) {
    const uint32_t *row = pixel_row(c, y);
    for (int x = 0; x < c->width; x++) pixel[(hk_count)y * c->width + x] = colour_of(row[x]);
  }
  return HK_OK;
}

hk_status hk_canvas_encode(const hk_canvas *c, char **data, size_t *size)
{
  hk_status status = HK_OK;
  png_bytes to = {.error = "no memory"};
  hk_colour *rgb = NULL;
  png_structp png = NULL;
  png_infop info = NULL;
  HK_TRY(hk_get(&rgb, (hk_count)c->width * c->height));
  HK_TRY(hk_canvas_read(c, rgb));
  HK_TRY(get_room(c, &to));
  png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &to, keep_error, keep_no_warning);
  if (png) info = png_create_info_struct(png);
  HK_CHECK(info && write_png(png, info, c, rgb, &to), HK_NO_RESOURCES, "PNG of %d x %d: %s",
           c->width, c->height, to.error);
  *data = to.data, to.data = NULL;
  *size = to.size;
cleanup:
  png_destroy_write_struct(&png, &info);
  hk_free(&rgb);
  hk_free(&to.data);
  return status;
}

hk_status hk_canvas_write(const hk_canvas *c, const char *path)
{
  hk_status status = HK_OK;
  char *data = NULL;
  size_t size;
  HK_TRY(hk_canvas_encode(c, &data, &size));
  HK_TRY(hk_write_file(path, data, size));
cleanup:
  hk_free(&data);
  return status;
}
