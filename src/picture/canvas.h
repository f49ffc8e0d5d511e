/* A picture in memory, drawn by cairo: lines and text without jagged edges, filled areas, PNG. Pixel (0, 0) is the
 * upper left one; its centre lies at (0.5, 0.5). No font of the system is used: the same calls give the same pixels with the
 * same version of cairo. */
#pragma once
#include "base/base.h"

typedef struct hk_colour {
  uint8_t r, g, b;
} hk_colour;

typedef struct hk_canvas {
  int width, height;
  struct _cairo_surface *surface; /* private */
  struct _cairo *pen;             /* private */
} hk_canvas;

/* White. */
hk_status hk_canvas_create(int width, int height, hk_canvas **out);
void hk_canvas_destroy(hk_canvas **canvas);
hk_colour hk_canvas_pixel(const hk_canvas *canvas, int x, int y);

/* Whole pixels x0 <= x < x1, y0 <= y < y1. */
void hk_canvas_fill(hk_canvas *canvas, int x0, int y0, int x1, int y1, hk_colour colour);
/* colour[height][width] with its upper left pixel at (x0, y0); what lies outside of the picture is left out. */
void hk_canvas_put(hk_canvas *canvas, int x0, int y0, int width, int height,
                   const hk_colour *colour);
void hk_canvas_polygon(hk_canvas *canvas, int count, const double (*point)[2], hk_colour colour);
/* Line through point[count][2] with round joints, `width` pixels wide. A point that is
 * not-a-number breaks it. */
void hk_canvas_line(hk_canvas *canvas, hk_count count, const double (*point)[2], double width,
                    hk_colour colour);
/* The outline of the rectangle whose upper left corner is (x, y). */
void hk_canvas_frame(hk_canvas *canvas, double x, double y, double across, double down,
                     double width, hk_colour colour);
void hk_canvas_segment(hk_canvas *canvas, double x0, double y0, double x1, double y1, double width,
                       hk_colour colour);
/* UTF-8 text whose capitals are `size` pixels high, its base line at y; sign and digits after ^ are raised. align: 0 begins at x, 0.5 is
 * centred on it, 1 ends there. upright: reads from below, x is then the base line. */
void hk_canvas_text(hk_canvas *canvas, double x, double y, double size, double align, bool upright,
                    const char *text, hk_colour colour);
double hk_canvas_text_width(hk_canvas *canvas, double size, const char *text);

/* pixel[height][width] of the picture. HK_NO_RESOURCES if a drawing call since create ran out of memory. */
hk_status hk_canvas_read(const hk_canvas *canvas, hk_colour *pixel);
hk_status hk_canvas_write(const hk_canvas *canvas, const char *path);
/* *data = PNG of *size bytes, owned by the caller (hk_free). HK_NO_RESOURCES if a drawing call since create ran out of memory. */
hk_status hk_canvas_encode(const hk_canvas *canvas, char **data, size_t *size);

/* The letter drawn for the character of UTF-8 at *text, which moves on behind it: accents are left
 * out, and a character without a likeness becomes ?. */
char hk_letter(const char **text);
