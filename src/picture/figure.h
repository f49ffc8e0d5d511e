/* One picture of values on a surface: axes or a view from above, colour bar, outline, words. */
#ifndef HK_PICTURE_FIGURE_H
#define HK_PICTURE_FIGURE_H
#include "picture/raster.h"
#include "picture/surface.h"

typedef struct hk_figure {
  const hk_surface *surface;
  const double *corner; /* corner[surface->corners][3] */
  const double *value;  /* value[surface->corners] */
  const char *title, *time, *name, *unit, *length_unit;
  hk_map map;
  double low, high;
  bool beyond_low, beyond_high; /* values lie beyond the ends: the bar is pointed there */
  bool
      classes; /* value[] are numbers of classes (NAN: a corner that is no node): the area around each
                   corner has one colour, and there is no bar */
  const double *displacement; /* [surface->corners][3]; NULL: only the outline as it was */
  double displacement_scale;
  bool displaced; /* the body is drawn where it is displaced to, else where it was */
} hk_figure;

hk_status hk_figure_draw(const hk_figure *figure, int width, hk_canvas **out);
#endif
