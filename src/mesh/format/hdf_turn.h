/* HDF5 prints its errors unless told otherwise; the library never prints. */
#ifndef HK_MESH_FORMAT_HDF_QUIET_H
#define HK_MESH_FORMAT_HDF_QUIET_H
#include <hdf5.h>

typedef struct hk_hdf_quiet {
  H5E_auto2_t print;
  void *data;
} hk_hdf_quiet;

static inline hk_hdf_quiet hk_hdf_begin_quiet(void)
{
  hk_hdf_quiet before = {0};
  H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

static inline void hk_hdf_end_quiet(hk_hdf_quiet before)
{
  H5Eset_auto2(H5E_DEFAULT, before.print, before.data);
}

#endif
