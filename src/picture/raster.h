/* Triangles with a value at each corner, drawn with depth at twice the canvas's resolution, then
 * coloured and averaged. */
#ifndef HK_PICTURE_RASTER_H
#define HK_PICTURE_RASTER_H
#include "picture/canvas.h"

/* HK_MAP_CLASSES: HK_CLASSES colours that are told apart, the k-th from k / HK_CLASSES on. */
typedef enum hk_map { HK_MAP_SEQUENTIAL, HK_MAP_DIVERGING, HK_MAP_CLASSES } hk_map;
enum { HK_CLASSES = 11 };

/* t from 0 to 1 (outside: the ends; not-a-number: grey). */
hk_colour hk_map_colour(hk_map map, double t);

typedef struct hk_raster hk_raster;

/* width x height pixels of the canvas. */
hk_status hk_raster_create(int width, int height, hk_raster **out);
void hk_raster_destroy(hk_raster **raster);
void hk_raster_clear(hk_raster *raster);
/* Corners x, y in canvas pixels from the raster's corner, z towards the viewer. */
void hk_raster_triangle(hk_raster *raster, const double (*corner)[3], const double *value,
                        double shade);
/* Depth of the surface at a pixel; -inf where there is none. */
double hk_raster_depth(const hk_raster *raster, double x, double y);
/* Onto the canvas with its corner at (x0, y0); low and high are the ends of the map. */
hk_status hk_raster_paint(const hk_raster *raster, hk_canvas *canvas, int x0, int y0, hk_map map,
                          double low, double high);
#endif
