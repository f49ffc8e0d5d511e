/* The pieces of a new file's arrays that nothing was written to yet, filled by the run or by a thread beside it. A piece is at most 1 MB of one array.
 * Whoever writes takes the pieces that it overlaps: those that it covers are never filled, of the others the fill comes first. The file is no HDF5 file
 * before all pieces hold data: its signature is written last, so what a killed run leaves is either readable or has none. */
#pragma once
#include "hdf/hdf.h"

typedef struct hk_hdf_fill hk_hdf_fill;

/* Of the arrays of a file that HDF5 has closed, whose descriptor is fd: array[count], put in order of their places; borrowed, as path. HK_NO_RESOURCES. */
hk_status hk_hdf_fill_create(const char *path, int fd, hk_count count, hk_hdf_array *array,
                             hk_hdf_fill **out);
/* What is still open, by this thread, or (beside) by one of its own after work(user) of it; then the file is on disk and readable. Once. */
hk_status hk_hdf_fill_run(hk_hdf_fill *fill, bool beside, hk_status (*work)(void *user),
                          void *user);
/* Before and after bytes [at, at + bytes) are written, by any thread; `written`: they are there. Bytes outside of arrays belong to no piece. */
hk_status hk_hdf_fill_take(hk_hdf_fill *fill, hk_count at, hk_count bytes);
void hk_hdf_fill_give(hk_hdf_fill *fill, hk_count at, hk_count bytes, bool written);
/* Waits for the thread; how filling ended. HK_INTERNAL where it was not begun. */
hk_status hk_hdf_fill_wait(hk_hdf_fill *fill);
/* Waits too. */
void hk_hdf_fill_destroy(hk_hdf_fill **fill);
bool hk_hdf_fill_begun(const hk_hdf_fill *fill); /* NULL: false */
/* Whether a file does not begin with zeros in place of the signature. */
bool hk_hdf_fill_done(int fd);
/* All of data[bytes] at a place of the file, whatever the system cuts. HK_NOT_WRITABLE with its words. */
hk_status hk_hdf_put(const char *path, int fd, const void *data, size_t bytes, hk_count at);
