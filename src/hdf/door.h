/* What an HDF5 file names may lie elsewhere: in other HDF5 files (external links, virtual datasets) or in any file at all (external
 * storage). Whoever opens a result or a mesh of somebody else's would then read, and pass on, files of his own: nothing but what
 * the file itself holds is opened. Called between hk_hdf_begin and hk_hdf_end. */
#pragma once
#include "base/base.h"
#include <hdf5.h>

/* Access lists for everything that follows a path, of groups and of the rest (links, objects, datasets, attributes): links to other files
 * are not followed. H5P_DEFAULT, which follows them, never serves. */
hid_t hk_hdf_group_door(void);
hid_t hk_hdf_door(void);
/* *set: the dataset, or -1 where there is none. HK_BAD_INPUT, naming `file`, where its numbers lie in other files. */
hk_status hk_hdf_dataset(hid_t where, const char *file, const char *name, hid_t *set);

/* HDF5 is used by one thread at a time, for only some builds of it are safe for several; and it prints its errors unless told
 * otherwise, but the library never prints. Whoever calls HDF5 does it between these two; they may nest. */

void hk_hdf_begin(void);
void hk_hdf_end(void);

/* Texts that are attributes in HDF5 files, of fixed or variable length.
 *
 * Texts of variable length lie in heaps ("GCOL"), which HDF5's library takes for granted: where one is damaged it reads beyond its
 * memory, or for ever. So they are found and read here, with every number checked against the bytes that there are; object headers of
 * version 2, which no file of ours has, are left to the library: they carry check sums. Format: HDF5 File Format Specification 2.0, III.E
 * (global heap), IV.A.1.a (object headers of version 1), IV.A.2.m (attributes). */

/* text[size] = the attribute `name` of an open object of the file that `fd` reads, cut where it is longer. False: it is no single text, or
 * damaged. */
bool hk_hdf_attribute_text(int fd, hid_t object, const char *name, char *text, size_t size);

/* Where such a text of variable length lies in the file, and how long it is; the library has written it there. False: as above. */
bool hk_hdf_attribute_place(int fd, hid_t object, const char *name, uint64_t *at, uint64_t *length);
