/* Texts that are attributes in HDF5 files, of fixed or variable length.
 *
 * Texts of variable length lie in heaps ("GCOL"), which HDF5's library takes for granted: where one is damaged it reads beyond its
 * memory, or for ever. So they are found and read here, with every number checked against the bytes that there are; object headers of
 * version 2, which no file of ours has, are left to the library: they carry check sums. Format: HDF5 File Format Specification 2.0, III.E
 * (global heap), IV.A.1.a (object headers of version 1), IV.A.2.m (attributes). */
#ifndef HK_HDF_TEXT_H
#define HK_HDF_TEXT_H
#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* text[size] = the attribute `name` of an open object of the file that `fd` reads, cut where it is longer. False: it is no single text, or
 * damaged. */
bool hk_hdf_attribute_text(int fd, hid_t object, const char *name, char *text, size_t size);

/* Where such a text of variable length lies in the file, and how long it is; the library has written it there. False: as above. */
bool hk_hdf_attribute_place(int fd, hid_t object, const char *name, uint64_t *at, uint64_t *length);

#endif
