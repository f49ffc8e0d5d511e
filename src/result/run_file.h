/* run.h5: traces and energies. Every dataset is created at full size, filled with not-a-number and
 * flushed before the first write; after that only raw data is written, so a kill leaves a readable
 * file. Plain HDF5 1.8 types, no object times. */
#pragma once
#include "hdf/hdf.h"

typedef struct hk_trace_quantity {
  const char *name;       /* "displacement", ... */
  const char *unit;       /* "" if the model has none */
  const char *components; /* "x y", "x y z", "xx yy zz xy": attribute `components` */
  int count;              /* number of components */
} hk_trace_quantity;

typedef struct hk_trace_layout { /* group /traces/<name> */
  const char *name;
  hk_count receivers;
  const int64_t *node;       /* node[receivers]: the user's labels; -1 for points */
  const double *coordinates; /* coordinates[receivers][dim] */
  int dim;
  hk_count samples;
  /* time of sample k: start + k every dt; written at creation */
  double start, dt;
  hk_count every, steps;
  const char *time_unit, *length_unit; /* the latter of coordinates */
  int quantity_count;
  hk_trace_quantity quantity[8]; /* dataset [receivers][count][samples]; see shots below */
} hk_trace_layout;

typedef struct hk_run_layout {
  int trace_count;
  const hk_trace_layout *trace;
  /* /energy/{time,kinetic,strain,work,damping}[energy_samples]; 0: no /energy */
  hk_count energy_samples;
  const double *energy_time;
  const char *energy_unit, *time_unit;
  hk_count shots; /* 0: none; else traces and energies have a first dimension of so many */
  hk_count
      beyond;  /* steps beyond the end in each trace: attribute `beyond_end` of /traces; 0: none */
  bool single; /* traces are float32, else float64; times, places and energies are float64 */
} hk_run_layout;

enum { HK_ENERGY_KINETIC, HK_ENERGY_STRAIN, HK_ENERGY_WORK, HK_ENERGY_DAMPING, HK_ENERGY_COUNT };

typedef struct hk_run_file hk_run_file;

/* "/traces/<request>", or "/traces/<request>/<part>", in the pool; a slash within the request's name becomes _. */
hk_status hk_trace_path(hk_pool *pool, char **out, const char *request, const char *part);
/* A dataset of a layout: made, or (make == false) found. HK_BAD_INPUT unless the one that is found has that type and shape. */
hk_status hk_layout_array(hk_hdf *file, bool make, const char *name, hk_hdf_type type, int rank,
                          const hk_count *size, hk_hdf_array *out);

/* values[count] of an array of float64 or float32, after hk_hdf_finish. */
hk_status hk_samples_read(hk_hdf *file, const hk_hdf_array *array, hk_count item, hk_count count,
                          double *values);

/* Whether time dispersion is still in the traces (load/dispersion.h): /traces has it as the attribute `samples`. */
typedef enum hk_run_samples { HK_AS_COMPUTED, HK_IN_PROGRESS, HK_TRANSFORMED } hk_run_samples;
hk_run_samples hk_run_file_samples(const hk_run_file *file);
/* Writes the word at once, after everything that was written before is on disk. */
hk_status hk_run_file_mark(hk_run_file *file, hk_run_samples samples);

/* HK_NOT_WRITABLE when the file cannot be made or another run holds it. */
hk_status hk_run_file_create(const char *path, const hk_run_layout *layout, hk_run_file **out);
/* Opens an existing file for writing on; HK_BAD_INPUT unless its layout is `layout`. Traces may be float32 or float64, whatever `single` says:
 * they are written on as they are. */
hk_status hk_run_file_reopen(const char *path, const hk_run_layout *layout, hk_run_file **out);
/* Bytes that the file takes at most. */
hk_count hk_run_file_plan(const hk_run_layout *layout);
/* values[receivers][components][count]: samples [first, first + count) of one quantity in one shot
 * (0 without shots). */
hk_status hk_run_file_write_trace(hk_run_file *file, hk_count shot, int trace, int quantity,
                                  hk_count first, hk_count count, const double *values);
/* values[count]: samples from `first` on of row `row` = receiver * components + component */
hk_status hk_run_file_read_trace(hk_run_file *file, hk_count shot, int trace, int quantity,
                                 hk_count row, hk_count first, hk_count count, double *values);
/* values[count], in place of what is there */
hk_status hk_run_file_write_row(hk_run_file *file, hk_count shot, int trace, int quantity,
                                hk_count row, hk_count first, hk_count count, const double *values);
/* values[HK_ENERGY_COUNT][count] */
hk_status hk_run_file_write_energy(hk_run_file *file, hk_count shot, hk_count first, hk_count count,
                                   const double *values);
/* On disk (fsync) when it returns. */
hk_status hk_run_file_flush(hk_run_file *file);
/* HK_NOT_WRITABLE when the last data could not be written. *file = NULL always. */
hk_status hk_run_file_close(hk_run_file **file);
