/* One picture of values on a surface: axes or a view from above, colour bar, outline, words. It is made from the surface of a grid, a
 * raster of its triangles, and axes with round numbers. */
#pragma once
#include "picture/canvas.h"
#include "result/field_grid.h"

/* What is seen of a grid: its triangles (2D: all elements; 3D: the boundary) and its outline. */

enum { HK_SURFACE_RUN = 1024 };
typedef struct hk_surface {
  hk_pool pool;   /* of the arrays */
  bool flat;      /* 2D */
  hk_count nodes; /* that are seen: in 2D all of the grid, in 3D those of its boundary, ascending */
  hk_index *node; /* node[nodes]: their numbers in the grid; NULL: all */
  hk_count corners; /* these nodes, then centres */
  hk_count centres; /* of polygons: value = sum weight * value of the nodes around it */
  uint8_t *rule;    /* rule[centres]: how many there are, and their weights (surface.c) */
  hk_index *around; /* nodes of the first centre, of the second, ... */
  hk_count *
      start; /* start[centres / HK_SURFACE_RUN + 1]: where those of every HK_SURFACE_RUN-th centre begin */
  hk_count polygons;
  hk_index
      *cell; /* cell[polygons]: whose face each is, of the grid with cells of order p refined */
  hk_count triangles;      /* of the first polygon, of the second, ... */
  hk_index (*triangle)[3]; /* of corners; outward by the right-hand rule in 3D */
  hk_count edges;
  hk_index (*edge)[2];    /* corners: boundary edges (2D), edges sharper than 40 degrees (3D) */
  double low[3], high[3]; /* box of the grid */
} hk_surface;

hk_status hk_surface_create(const hk_field_grid *grid, hk_surface **out);
void hk_surface_destroy(hk_surface **surface);
/* to[corners][width] from[nodes of the grid][width]. */
void hk_surface_spread(const hk_surface *surface, int width, const double *from, double *to);
/* How many nodes of `around` a centre has. */
int hk_surface_around(const hk_surface *surface, hk_count centre);
/* The node of the grid at a corner that is one. */
static inline hk_count hk_surface_node(const hk_surface *surface, hk_count corner)
{
  return surface->node ? surface->node[corner] : corner;
}

/* Triangles with a value at each corner, drawn with depth at twice the canvas's resolution, then
 * coloured and averaged. */

/* HK_MAP_CLASSES: HK_CLASSES distinct colours, the k-th from k / HK_CLASSES on. */
typedef enum hk_map { HK_MAP_SEQUENTIAL, HK_MAP_DIVERGING, HK_MAP_CLASSES } hk_map;
enum { HK_CLASSES = 11 };

/* t from 0 to 1 (outside: the ends; not-a-number: grey). */
hk_colour hk_map_colour(hk_map map, double t);

typedef struct hk_raster hk_raster;

/* width x height pixels of the canvas. */
hk_status hk_raster_create(int width, int height, hk_raster **out);
void hk_raster_destroy(hk_raster **raster);
void hk_raster_clear(hk_raster *raster);
/* *raster, cleared, of that size: the one that is there, where it has the room, or a new one in its place. */
hk_status hk_raster_fit(int width, int height, hk_raster **raster);
/* What a raster keeps of the body that was drawn, for the next picture of the same body: most triangles of a fine mesh hold the centre of
 * no pixel. */
typedef struct hk_raster_body {
  hk_count corners, triangles; /* that there is room for */
  double (*place)[3];          /* place[corners] */
  hk_index *seen;              /* seen[count]: triangles that hold a centre, ascending */
  hk_count count;
  const double *of; /* the body: its corners, NULL: none is kept; and how it is drawn: */
  double scale;
  int margin;
} hk_raster_body;
/* With room for so many, which holds nothing where it had to be made. */
hk_status hk_raster_hold(hk_raster *raster, hk_count corners, hk_count triangles,
                         hk_raster_body **out);
/* Rows of fine pixels, from `first` to before `end`. Threads draw bands of one raster beside each other. */
typedef struct hk_raster_rows {
  int first, end;
} hk_raster_rows;
/* The k-th of `bands` bands, of about the same height, which make up the raster. */
hk_raster_rows hk_raster_band(const hk_raster *raster, int k, int bands);
/* Whether a triangle may hold a centre there, by its height alone. */
bool hk_raster_meets(hk_raster_rows rows, const double (*corner)[3]);
/* Draws what lies in these rows. Corners x, y in canvas pixels from the raster's corner, z towards the viewer. Whether the triangle holds the
 * centre of a fine pixel there. value: NULL: nothing is drawn. */
bool hk_raster_triangle(hk_raster *raster, hk_raster_rows rows, const double (*corner)[3],
                        const double *value, double shade);
/* Depth of the surface at a pixel; -inf where there is none. */
double hk_raster_depth(const hk_raster *raster, double x, double y);
/* Onto the canvas with its corner at (x0, y0); low and high are the ends of the map. */
hk_status hk_raster_paint(const hk_raster *raster, hk_canvas *canvas, int x0, int y0, hk_map map,
                          double low, double high);

/* Round numbers along an axis, for pictures and SVG alike. */

typedef struct hk_axis {
  double low, high;   /* of the axis */
  double first, step; /* ticks at first + i step, i < count, all within [low, high] */
  int count;
  int decimals; /* of a label */
  int power;    /* labels show value / 10^power; 0 or a multiple of 3 */
} hk_axis;

/* About `ticks` ticks (1, 2 or 5 times a power of ten apart) on [low, high]; `round`: the ends are
 * moved out to ticks. An empty or damaged range becomes one around its value. */
hk_axis hk_axis_make(double low, double high, int ticks, bool round);
double hk_axis_tick(const hk_axis *axis, int i);
/* text[32] */
const char *hk_axis_label(const hk_axis *axis, int i, char *text);
/* text[96] = "name (unit)", "name (10^-6 unit)" or "name (10^-6)". */
const char *hk_axis_title(const hk_axis *axis, const char *name, const char *unit, char *text);

typedef struct hk_figure {
  const hk_surface *surface;
  const double *corner; /* corner[surface->corners][3] */
  const double *value;  /* value[surface->corners] */
  const char *title, *time, *name, *unit, *length_unit;
  const char *note; /* below the title; NULL: the name */
  hk_map map;
  double low, high;
  bool beyond_low, beyond_high; /* values lie beyond the ends: the bar is pointed there */
  /* value[] are numbers of classes (NAN: a corner that is no node): the area around each corner has one colour, and there is no bar */
  bool classes;
  const double *displacement; /* [surface->corners][3]; NULL: only the outline as it was */
  double displacement_scale;
  bool displaced; /* the body is drawn where it is displaced to, else where it was */
} hk_figure;

/* *raster: NULL, or that of an earlier picture, which is drawn on again; owned by the caller. */
hk_status hk_figure_draw(const hk_figure *figure, int width, hk_raster **raster, hk_canvas **out);
