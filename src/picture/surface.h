/* What is seen of a grid: its triangles (2D: all elements; 3D: the boundary) and its outline. */
#ifndef HK_PICTURE_SURFACE_H
#define HK_PICTURE_SURFACE_H
#include "result/field_grid.h"

enum { HK_CENTRE_NODES = 9 };

typedef struct hk_surface {
  bool flat;                           /* 2D */
  hk_count corners;                    /* nodes of the grid, then centres */
  hk_count centres;                    /* of polygons: value = sum weight * value of the nodes */
  hk_index (*centre)[HK_CENTRE_NODES]; /* centre[centres][9]; unused ones have weight 0 */
  double (*weight)[HK_CENTRE_NODES];
  hk_count triangles;
  hk_index (*triangle)[3]; /* of corners; outward by the right-hand rule in 3D */
  hk_count edges;
  hk_index (*edge)[2];    /* nodes: boundary edges (2D), edges sharper than 40 degrees (3D) */
  double low[3], high[3]; /* box of the grid */
} hk_surface;

hk_status hk_surface_create(const hk_field_grid *grid, hk_surface **out);
void hk_surface_destroy(hk_surface **surface);
/* to[corners][width] from nodes[node][width]. */
void hk_surface_spread(const hk_surface *surface, hk_count nodes, int width, const double *from,
                       double *to);
#endif
