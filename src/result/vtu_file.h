/* VTK's XML unstructured grids with appended raw data, and the .pvd that lists them by time. */
#pragma once
#include "result/field_grid.h"

typedef struct hk_vtu_array {
  const char *name, *unit;
  const char *components; /* "x y": of those that were given; the file may hold more */
  int wide;               /* components in the file: 1, 3, 6 */
  const float *values;    /* values[nodes][wide] */
} hk_vtu_array;

/* The whole file, or none: HK_NOT_WRITABLE. compress: the data is packed by zlib, by all threads; takes about as much memory again. */
hk_status hk_vtu_write(const char *path, const hk_field_grid *grid, int count,
                       const hk_vtu_array *array, bool compress);
/* folder/<field>.pvd: the frames with written[frame] as <field>_NNNN.vtu. */
hk_status hk_pvd_write(const char *folder, const char *field, hk_count frames, const double *time,
                       const bool *written);
/* folder/<field>_NNNN.vtu */
hk_status hk_vtu_path(char **out, const char *folder, const char *field, hk_count frame);
