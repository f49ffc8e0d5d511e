/* What an HDF5 file names may lie elsewhere: in other HDF5 files (external links, virtual datasets) or in any file at all (external
 * storage). Whoever opens a result or a mesh of somebody else's would then read, and pass on, files of his own: nothing but what
 * the file itself holds is opened. Called between hk_hdf_begin and hk_hdf_end. */
#ifndef HK_HDF_DOOR_H
#define HK_HDF_DOOR_H
#include "base/base.h"
#include <hdf5.h>

/* Access lists for everything that follows a path, of groups and of the rest (links, objects, datasets, attributes): links to other files
 * are not followed. H5P_DEFAULT, which follows them, never serves. */
hid_t hk_hdf_group_door(void);
hid_t hk_hdf_door(void);
/* *set: the dataset, or -1 where there is none. HK_BAD_INPUT, naming `file`, where its numbers lie in other files. */
hk_status hk_hdf_dataset(hid_t where, const char *file, const char *name, hid_t *set);
#endif
