/* Inside of fields: a grid as the readers of files fill it, and these readers. */
#pragma once
#include "field/field.h"

typedef struct hk_grid_axis {
  int direction; /* 0, 1, 2: of x, y, z */
  hk_count count;
  double *at;    /* at[count], monotonic in the file; ascending when hk_grid_read is done */
  char unit[32]; /* of the file; "": none is named */
} hk_grid_axis;

typedef struct hk_grid {
  int axes;
  hk_grid_axis axis[HK_GRID_AXES]; /* the last one varies fastest in `value` */
  double *value;                   /* value[product of the counts] */
  char unit[32];                   /* of the file; "": none is named */
} hk_grid;
void hk_grid_clear(hk_grid *grid);
/* The field of a grid that is whole and ascends, which goes over to it. */
hk_status hk_grid_field(hk_grid *grid, const hk_grid_desc *desc, const char *name,
                        hk_spatial **out);

/* NC_FILL_FLOAT and NC_FILL_DOUBLE, exactly: what netCDF has at places that were never written, unless _FillValue is another number. */
#define HK_GRID_UNWRITTEN 0x1.ep+122

/* Values and coordinates of a file as they stand there; missing ones are not-a-number. */
hk_status hk_grid_read_table(const hk_grid_desc *desc, hk_grid *grid);  /* CSV */
hk_status hk_grid_read_array(const hk_grid_desc *desc, hk_grid *grid);  /* HDF5, netCDF-4 */
hk_status hk_grid_read_netcdf(const hk_grid_desc *desc, hk_grid *grid); /* netCDF-3 */
/* Finds which coordinate the dimension a is, by the name that the file gives it (`called`) or by desc->axes, and sets its direction.
 * HK_BAD_INPUT: neither is x, y or z, or two dimensions have the same one. */
hk_status hk_grid_direct(const hk_grid_desc *desc, const char *called, int a, int axes,
                         hk_grid *grid);
