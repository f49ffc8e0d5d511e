/* run.h5 of static runs:
 *   /static/node[nodes], /static/coordinates[nodes][dim],
 *   /static/NNNN/<quantity>[nodes][components],
 *   /static/NNNN/points/{element,point}[points], {coordinates,stress,strain}[points][components];
 *   traces as in run.h5 of explicit runs (run_file.h).
 * Every dataset is created at full size and filled with not-a-number before the first write, so that
 * a kill leaves a readable file. */
#pragma once
#include "mesh/mesh.h"
#include "result/run_file.h"

typedef struct hk_static_quantity {
  const char *name, *unit, *components; /* "x y z" */
  int count;
} hk_static_quantity;

enum { HK_STATIC_MOST = 16 };

typedef struct hk_static_layout {
  int steps;           /* 1 .. 9999 */
  const hk_mesh *mesh; /* borrowed until the file is closed: labels and coordinates of its nodes */
  const char *length_unit;
  int nodal_count, point_count;
  hk_static_quantity nodal[HK_STATIC_MOST]; /* at nodes */
  hk_count points;                          /* integration points of all elements; 0: none */
  hk_static_quantity point[HK_STATIC_MOST]; /* there */
  int trace_count;
  const hk_trace_layout *trace; /* each of one quantity of one component */
  bool beside;                  /* filled by a thread of its own: where others do not compute */
} hk_static_layout;

typedef struct hk_static_file hk_static_file;

/* HK_NOT_WRITABLE when the file cannot be made or another run holds it. */
hk_status hk_static_file_create(const char *path, const hk_static_layout *layout,
                                hk_static_file **out);
hk_count hk_static_file_plan(const hk_static_layout *layout); /* bytes at most */
/* values[nodes][components] of a step, from 0 */
hk_status hk_static_file_write(hk_static_file *file, int step, int quantity, const double *values);
/* Labels of the elements and numbers (from 1) of the points [first, first + count). */
hk_status hk_static_file_write_labels(hk_static_file *file, int step, hk_count first,
                                      hk_count count, const int64_t *element, const int64_t *point);
/* values[count][components] of the points [first, first + count) */
hk_status hk_static_file_write_points(hk_static_file *file, int step, int quantity, hk_count first,
                                      hk_count count, const double *values);
/* values[count]: samples from `first` on of a receiver */
hk_status hk_static_file_write_trace(hk_static_file *file, int trace, hk_index receiver,
                                     hk_count first, hk_count count, const double *values);
hk_status hk_static_file_flush(hk_static_file *file); /* on disk when it returns */
hk_status hk_static_file_close(hk_static_file **file);
