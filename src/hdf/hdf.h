/* HDF5 files of contiguous datasets, all created before the first datum is written.
 *
 * HDF5 itself makes the groups, the attributes and the addresses; then it is closed, and the data
 * goes to those addresses by pwrite. So a write that fails reports the system's own words, leaves
 * nothing to repair, and a process killed at any moment leaves a readable file, or one without
 * HDF5's signature, which hk_hdf_open says is not complete. Space is reserved at creation: a disk
 * that is too small is found before the first time step.
 *
 *   hk_hdf *file = NULL;
 *   hk_hdf_array a;
 *   HK_TRY(hk_hdf_create("run.h5", hk_hdf_plan(2, 8 * n), &file));
 *   HK_TRY(hk_hdf_group(file, "/energy"));
 *   HK_TRY(hk_hdf_array_create(file, "/energy/time", HK_F64, 1, (hk_count[]){n}, &a));
 *   HK_TRY(hk_hdf_finish(file));
 *   HK_TRY(hk_hdf_write(file, &a, 0, n, time));
 *   HK_TRY(hk_hdf_close(&file));
 */
#pragma once
#include "base/base.h"

typedef enum hk_hdf_type { HK_F64, HK_F32, HK_I64, HK_U8 } hk_hdf_type;

typedef struct hk_hdf_array {
  hk_hdf_type type;
  int rank;
  hk_count size[4];
  hk_count count;  /* items: product of size[0..rank) */
  hk_count offset; /* byte of the file where they begin */
} hk_hdf_array;

typedef struct hk_hdf hk_hdf;

size_t hk_hdf_type_size(hk_hdf_type type);
/* Bytes that a file takes at most: `objects` groups and datasets with `data` bytes in all. */
hk_count hk_hdf_plan(hk_count objects, hk_count data);

/* A new empty file. `bytes`: at least its final size (hk_hdf_plan), asked of the file system
 * beforehand, since HDF5 cannot be stopped cleanly on a full disk. HK_NOT_WRITABLE when it cannot
 * be made or another run holds it: the lock is fcntl's on the open file, goes with the process, and
 * does not hinder readers. */
hk_status hk_hdf_create(const char *path, hk_count bytes, hk_hdf **out);
/* HK_NOT_WRITABLE when another run holds the file, HK_OK when none does or there is no such file. */
hk_status hk_hdf_check_idle(const char *path);
/* An existing file; `write`: locked and written on. HK_BAD_INPUT when it cannot be read. */
hk_status hk_hdf_open(const char *path, bool write, hk_hdf **out);

/* The following work before hk_hdf_finish. */
hk_status hk_hdf_group(hk_hdf *file, const char *name);
/* Dataset of native items; floating ones are not-a-number, integers 0 until written. */
hk_status hk_hdf_array_create(hk_hdf *file, const char *name, hk_hdf_type type, int rank,
                              const hk_count *size, hk_hdf_array *out);
/* Text attribute of an object: UTF-8 of variable length; `ascii`: of fixed length. */
hk_status hk_hdf_text(hk_hdf *file, const char *object, const char *name, const char *text);
hk_status hk_hdf_ascii(hk_hdf *file, const char *object, const char *name, const char *text);
/* *at: byte of the file at which the text of an attribute begins, *length: its bytes; for hk_hdf_write_bytes. */
hk_status hk_hdf_text_place(hk_hdf *file, const char *object, const char *name, hk_count *at,
                            hk_count *length);
/* Attribute of int64; count 0: a scalar. */
hk_status hk_hdf_integers(hk_hdf *file, const char *object, const char *name, int count,
                          const int64_t *value);
/* Attribute of a double. */
hk_status hk_hdf_real(hk_hdf *file, const char *object, const char *name, double value);
/* Shape and place of an existing dataset; HK_BAD_INPUT unless it is there, with numbers of at most
 * four dimensions. offset is -1 where it is not of hk_hdf_type or not contiguous: it can be read
 * but not written. */
hk_status hk_hdf_array_find(hk_hdf *file, const char *name, hk_hdf_array *out);
/* Rows [first, first + count) of the first dimension, `row` numbers each (HK_BAD_INPUT if they have
 * another length), converted to double: data[count][row]. */
hk_status hk_hdf_read(hk_hdf *file, const char *name, hk_count row, hk_count first, hk_count count,
                      double *data);
/* The same of the second dimension, at index `outer` of the first. */
hk_status hk_hdf_read_within(hk_hdf *file, const char *name, hk_count outer, hk_count row,
                             hk_count first, hk_count count, double *data);
/* The same for one number each. */
hk_status hk_hdf_read_integers(hk_hdf *file, const char *name, hk_count first, hk_count count,
                               int64_t *data);
bool hk_hdf_exists(hk_hdf *file, const char *name);
/* *text = the attribute's text, "" when it is not there; owned by the caller. */
hk_status hk_hdf_text_read(hk_hdf *file, const char *object, const char *name, char **text);
/* *out = the int64 attribute (first item), `otherwise` when it is not there. */
hk_status hk_hdf_integer_read(hk_hdf *file, const char *object, const char *name, int64_t otherwise,
                              int64_t *out);
/* scale[rank]: the paths of the datasets in the array's group with the coordinates of its dimensions (dimension scales, as netCDF-4 has them);
 * NULL, as they come, where there is none. Owned by the caller. */
hk_status hk_hdf_scales(hk_hdf *file, const char *name, int rank, char *scale[4]);
/* *out = the attribute as a double, `otherwise` when it is not there. */
hk_status hk_hdf_real_read(hk_hdf *file, const char *object, const char *name, double otherwise,
                           double *out);
/* Names in a group in ascending order; names[*count] owned by the caller (hk_names_free). */
hk_status hk_hdf_names(hk_hdf *file, const char *group, int *count, char ***names);
void hk_names_free(int count, char ***names);

/* HDF5 is done with the file. A new one may be written from here on, but can only be read when it is complete. */
hk_status hk_hdf_lay_out(hk_hdf *file);
/* A new file that is laid out: fills what was not written, and puts it on disk; once. beside: a thread of its own does that, after work(user) if there is
 * some, while others write; what they cover is not filled. hk_hdf_flush and hk_hdf_close wait for it, and tell its failure. */
hk_status hk_hdf_complete(hk_hdf *file, bool beside, hk_status (*work)(void *user), void *user);
/* Both, by the thread that calls. */
hk_status hk_hdf_finish(hk_hdf *file);

/* The following work after hk_hdf_finish or hk_hdf_lay_out. Items [first, first + count) of the array.
 * HK_NOT_WRITABLE with the system's words. */
hk_status hk_hdf_write(hk_hdf *file, const hk_hdf_array *array, hk_count first, hk_count count,
                       const void *data);
/* Bytes of a text of the same length, in place of what is there. */
hk_status hk_hdf_write_bytes(hk_hdf *file, hk_count at, hk_count bytes, const void *data);
/* The same items as they were written; HK_BAD_INPUT where the file ends before them. */
hk_status hk_hdf_read_back(hk_hdf *file, const hk_hdf_array *array, hk_count first, hk_count count,
                           void *data);
/* A copy of a file, whose arrays of more than some kB are shuffled and deflated in chunks of whole rows of the first dimension; HDF5's filters
 * unpack them. By all threads; takes some MB of memory per thread. HK_BAD_INPUT where the file has something else than groups, arrays of numbers with
 * rows of at most 1 MB, and attributes of numbers and texts. */
hk_status hk_hdf_pack(const char *from, const char *to);
/* On disk (fsync) when it returns. */
hk_status hk_hdf_flush(hk_hdf *file);
/* HK_NOT_WRITABLE when the last data is not on disk. *file = NULL always. */
hk_status hk_hdf_close(hk_hdf **file);
