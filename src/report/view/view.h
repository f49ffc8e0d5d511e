/* The viewer of the report: the surface of the model with the frames of a field, regions, sets, sources and receivers.
 *
 * Its data are one block of bytes, deflated (zlib's format) and written as base64. It begins with the length of a text as 4 bytes, the text (JSON:
 * names, units, counts), and then these arrays, without gaps:
 *
 *   place     x, y, z of the vertices: three arrays of 16-bit numbers, 65535 is `size` from `low`
 *   triangle  [triangles][3], edge [edges][2]: vertices
 *   region    [vertices] bytes, 0: none, k: regions[k - 1]
 *   set       of each set: its triangles, edges and vertices, by number
 *   palette   of each quantity: 256 colours of 3 bytes
 *   values    of each quantity and frame: [vertices] bytes, 0: not a number, 1 to 255: the range of colours
 *
 * 16-bit numbers are differences from the number before, the low bytes of all first. Lists of numbers (triangle, edge, set) are differences
 * too, d >= 0 as 2 d and d < 0 as -2 d - 1, their lowest bytes first, then the next: 4 bytes. Values are differences from the frame before. */
#pragma once
#include "mesh/mesh.h"
#include "picture/picture.h"
#include <stdio.h>

extern const char hk_view_script[];

/* What is known of the model, from the run itself or from a field file; all borrowed. */
typedef struct hk_view_model {
  const hk_mesh *mesh;
  hk_mesh_regions regions;
} hk_view_model;

/* What is drawn of a surface. A vertex is a corner in a region: corners on the border of two are two vertices. */
typedef struct hk_view_body {
  hk_count vertices, triangles, edges;
  hk_index *corner;        /* corner[vertices] of the surface: its place and values */
  uint8_t *region;         /* region[vertices], 0: none */
  hk_index (*triangle)[3]; /* vertices */
  hk_index *whose;         /* whose[triangles]: of the surface */
  hk_index (*edge)[2];     /* vertices */
  hk_index *line;          /* line[edges]: of the surface */
  hk_index *vertex;        /* vertex[corners of the surface]: one that stands for it; -1: none */
} hk_view_body;

/* At most `most` corners are kept: of each cube of a grid one, at an edge if there is one, and the triangles between three cubes. part[triangles of the surface]: their
 * regions, below `parts`; NULL: 0. The same for any number of threads. */
hk_status hk_view_body_make(const hk_surface *surface, const double *corner, const uint8_t *part,
                            int parts, hk_count most, hk_view_body *out);
void hk_view_body_clear(hk_view_body *body);

/* *part = region of each triangle of the surface, from 1, 0: none; owned by the caller. */
hk_status hk_view_parts(const hk_surface *surface, const hk_view_model *model, uint8_t **part);

typedef struct hk_view_set {
  const char *name; /* borrowed from the mesh */
  hk_count count[3];
  hk_index *item[3]; /* triangles, edges of the body; vertices, where it has neither of these */
} hk_view_set;
/* Sets of nodes and faces that are seen, in the order of their names: set[*count], at most `most`, in the pool. */
hk_status hk_view_sets(const hk_surface *surface, const hk_mesh *mesh, const hk_view_body *body,
                       int most, hk_pool *pool, int *count, hk_view_set **set);

/* A block of bytes that grows. */
typedef struct hk_view_bytes {
  uint8_t *at;
  hk_count count, room;
} hk_view_bytes;
hk_status hk_view_put(hk_view_bytes *to, hk_count count, const void *bytes);
/* Differences of 16-bit numbers; of lists. */
hk_status hk_view_put_short(hk_view_bytes *to, hk_count count, const uint16_t *number);
hk_status hk_view_put_list(hk_view_bytes *to, hk_count count, const hk_index *number);

void hk_html_base64(FILE *to, const char *data, size_t size);

/* The section of a gallery, without script; nothing if the surface is empty. run: for sources and receivers; model: NULL: not known. *written: whether
 * there is one. */
hk_status hk_view_write(FILE *to, hk_gallery *gallery, const char *run, const hk_view_model *model,
                        bool *written);
