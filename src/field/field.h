/* Fields: values on a grid, from a file, and random media. Formulas use them by name (base/formula.h).
 *
 *   hk_spatial *f = NULL;
 *   HK_TRY(hk_grid_read(&(hk_grid_desc){.path = "model.nc", .name = "vp", .units = si}, "vp", &f));
 *   value = f->at(f, x);
 *   hk_spatial_destroy(&f); */
#pragma once
#include "base/base.h"
#include "base/formula.h"
#include "base/units.h"

enum { HK_GRID_AXES = 3 };

typedef struct hk_grid_desc {
  const char *path;
  const char *name; /* of the dataset, variable or column; NULL: the only one */
  const char *
      axes; /* which coordinate each dimension is, the first one first ("zx"); NULL: as the file names them */
  const char *unit;      /* of the values; NULL: that of the file, else `units` */
  const char *axis_unit; /* of the coordinates, likewise */
  const double *
      units; /* si[4] of the model's units; NULL: there are none, and the file's are not looked at */
  bool nearest_outside; /* outside, the value of the nearest point of the grid; else none */
  bool nearest;         /* within, the value of the nearest point; else linear between points */
} hk_grid_desc;

/* A grid from a CSV file, an HDF5 or a netCDF file (docs/materials.md). Coordinates that the grid does not have do not matter.
 * HK_BAD_INPUT: a missing axis, one that is not monotonic, not-a-number, another shape, an unknown unit, with the file and the place in it. */
hk_status hk_grid_read(const hk_grid_desc *desc, const char *name, hk_spatial **out);
/* The box of the grid: low[3], high[3], infinite along coordinates that it does not have. Of a field of hk_grid_read; false: it is another. */
bool hk_grid_box(const hk_spatial *field, double low[3], double high[3]);

typedef enum hk_random_kind {
  HK_RANDOM_GAUSSIAN,    /* correlation exp(-r^2) */
  HK_RANDOM_EXPONENTIAL, /* exp(-r) */
  HK_RANDOM_VON_KARMAN,  /* 2^(1-H)/Gamma(H) r^H K_H(r); H = 1/2 is exponential */
  HK_RANDOM_KINDS
} hk_random_kind;

typedef struct hk_random_desc {
  hk_random_kind kind;
  int dim;
  double correlation[3]; /* lengths: r^2 = sum over directions of (distance / correlation)^2 */
  double std;            /* standard deviation; the mean is 0 */
  double hurst;          /* von Karman: H, above 0 and at most 1 */
  int64_t seed;
  int modes; /* plane waves that are added */
} hk_random_desc;

/* The same numbers for any mesh, number of threads and ranks. HK_NO_RESOURCES. */
hk_status hk_random_create(const hk_random_desc *desc, const char *name, hk_spatial **out);
