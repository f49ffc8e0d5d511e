/* A picture in memory: lines and text without jagged edges, filled areas, PNG. Pixel (0, 0) is the
 * upper left one; its centre lies at (0.5, 0.5). */
#ifndef HK_PICTURE_CANVAS_H
#define HK_PICTURE_CANVAS_H
#include "base/base.h"

typedef struct hk_colour {
  uint8_t r, g, b;
} hk_colour;

typedef struct hk_canvas {
  int width, height;
  uint8_t *rgb;  /* rgb[height][width][3] */
  uint8_t *mask; /* mask[height][width]: cover of the stroke being drawn, else 0 */
} hk_canvas;

/* White. */
hk_status hk_canvas_create(int width, int height, hk_canvas **out);
void hk_canvas_destroy(hk_canvas **canvas);

/* Whole pixels x0 <= x < x1, y0 <= y < y1. */
void hk_canvas_fill(hk_canvas *canvas, int x0, int y0, int x1, int y1, hk_colour colour);
void hk_canvas_dot(hk_canvas *canvas, int x, int y, hk_colour colour);
/* Line through point[count][2] with round joints, `width` pixels wide. A point that is
 * not-a-number breaks it. */
void hk_canvas_line(hk_canvas *canvas, hk_count count, const double (*point)[2], double width,
                    hk_colour colour);
void hk_canvas_segment(hk_canvas *canvas, double x0, double y0, double x1, double y1, double width,
                       hk_colour colour);
/* UTF-8 text whose capitals are `size` pixels high, its base line at y. align: 0 begins at x, 0.5 is
 * centred on it, 1 ends there. upright: reads from below, x is then the base line. */
void hk_canvas_text(hk_canvas *canvas, double x, double y, double size, double align, bool upright,
                    const char *text, hk_colour colour);
double hk_text_width(double size, const char *text);

hk_status hk_canvas_write(const hk_canvas *canvas, const char *path);
/* *data = PNG of *size bytes, owned by the caller (hk_free). */
hk_status hk_canvas_encode(const hk_canvas *canvas, char **data, size_t *size);

/* Strokes of a character: one per call with part = 0, 1, ...; returns the number of points (0: no
 * more) in units in which capitals are 12 high. Curves come as polylines. */
enum { HK_GLYPH_POINTS = 128 };
int hk_glyph_stroke(char c, int part, double (*point)[2]);
double hk_glyph_width(char c);
/* The letter drawn for the character of UTF-8 at *text, which moves on behind it: accents are left
 * out, and ? stands for what there is no likeness of. */
char hk_glyph_letter(const char **text);
#endif
