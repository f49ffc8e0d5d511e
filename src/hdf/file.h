/* Inside of hk_hdf, for hdf.c (the file and its data) and hdf/objects.c (what is in it). Functions that call HDF5 hold its turn. */
#pragma once
#include "hdf/hdf.h"
#include <hdf5.h>
#include "hdf/door.h"
#include "hdf/fill.h"

struct hk_hdf {
  char *path;
  int fd;
  hid_t file;          /* < 0 after hk_hdf_finish */
  bool made, dirty;    /* being created; written since the last flush */
  hk_hdf_array *array; /* made so far */
  hk_hdf_fill *fill;   /* of a new file from hk_hdf_lay_out on; or NULL */
  hk_count arrays, capacity;
};

hid_t hk_hdf_native_type(hk_hdf_type type);
/* Sets the error from the innermost words of HDF5's error stack; returns `code`. */
hk_status hk_hdf_failed(const hk_hdf *file, hk_status code, const char *what);
