/* HDF5: the arrays of the format under the names of hk_sparse_view, /node and /component of the rows, and attributes of / (docs/matrix.md). All
 * integers have 64 bits. The file is made beside its place and renamed: an old one stays whole if writing fails. */
#include "hdf/hdf.h"
#include "result/matrix/matrix_file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A dataset and where its numbers are. */
typedef struct dataset {
  const char *name;
  const void *data; /* NULL: not of this format */
  int bytes;        /* of an item of data: integers of 4 or 8, or reals */
  bool real;
  int rank;
  hk_count size[3];
  hk_hdf_array array;
} dataset;

enum { SETS = 6 };

static void list_sets(const hk_matrix_file *f, dataset *set)
{
  const hk_sparse_view *v = &f->view;
  const bool lines = v->format == HK_SPARSE_ELL, blocks = v->format == HK_SPARSE_BSR;
  const hk_count first = lines ? v->width : v->entries, second = lines ? v->rows : v->size;
  const dataset all[SETS] = {{"/row_start", v->row_start, 8, false, 1, {v->rows + 1}, {0}},
                             {"/row", v->row, 4, false, 1, {v->entries}, {0}},
                             {"/column", v->column, 4, false, lines ? 2 : 1, {first, second}, {0}},
                             {"/value",
                              v->value,
                              v->value_bytes,
                              true,
                              lines    ? 2
                              : blocks ? 3
                                       : 1,
                              {first, second, v->size},
                              {0}},
                             {"/node", f->node, 8, false, 1, {f->unknowns}, {0}},
                             {"/component", f->component, 4, false, 1, {f->unknowns}, {0}}};
  for (int k = 0; k < SETS; k++) set[k] = all[k];
}

static hk_status make(hk_hdf *file, const hk_matrix_file *f, dataset *set)
{
  const hk_sparse_view *v = &f->view;
  const int64_t numbers[] = {f->unknowns, v->symmetric, v->size};
  for (int k = 0; k < SETS; k++)
    if (set[k].data)
      HK_PASS(hk_hdf_array_create(file, set[k].name,
                                  !set[k].real          ? HK_I64
                                  : v->value_bytes == 8 ? HK_F64
                                                        : HK_F32,
                                  set[k].rank, set[k].size, &set[k].array));
  HK_PASS(hk_hdf_text(file, "/", "kind", "matrix"));
  HK_PASS(hk_hdf_text(file, "/", "format", hk_sparse_format_name(v->format)));
  HK_PASS(hk_hdf_text(file, "/", "about", f->about));
  HK_PASS(hk_hdf_integers(file, "/", "rows", 0, &numbers[0]));
  HK_PASS(hk_hdf_integers(file, "/", "symmetric", 0, &numbers[1]));
  HK_PASS(hk_hdf_integers(file, "/", "block_size", 0, &numbers[2]));
  return hk_hdf_lay_out(file);
}

/* Integers of 32 bits are widened a part at a time. */
static hk_status write_set(hk_hdf *file, const dataset *s)
{
  enum { PART = 1 << 16 };
  hk_status status = HK_OK;
  int64_t *part = NULL;
  if (!s->data || !s->array.count) return HK_OK;
  if (s->real || s->bytes == 8) return hk_hdf_write(file, &s->array, 0, s->array.count, s->data);
  HK_TRY(hk_get(&part, PART));
  for (hk_count at = 0; at < s->array.count; at += PART) {
    const hk_count count = s->array.count - at < PART ? s->array.count - at : PART;
    for (hk_count k = 0; k < count; k++) part[k] = ((const int32_t *)s->data)[at + k];
    HK_TRY(hk_hdf_write(file, &s->array, at, count, part));
  }
cleanup:
  hk_free(&part);
  return status;
}

hk_status hk_matrix_write_h5(const char *path, const hk_matrix_file *f)
{
  hk_status status = HK_OK;
  hk_hdf *file = NULL;
  char *beside = NULL;
  dataset set[SETS];
  hk_count bytes = 0;
  list_sets(f, set);
  for (int k = 0; k < SETS; k++) {
    hk_count count = 1;
    for (int d = 0; d < set[k].rank; d++) count *= set[k].size[d];
    if (set[k].data) bytes += count * 8;
  }
  HK_TRY(hk_format(&beside, "%s.%ld.tmp", path, (long)getpid()));
  HK_TRY(hk_hdf_create(beside, hk_hdf_plan(SETS + 1, bytes), &file));
  HK_TRY(make(file, f, set));
  for (int k = 0; k < SETS; k++) HK_TRY(write_set(file, &set[k]));
  HK_TRY(hk_hdf_complete(file, false, NULL, NULL));
  HK_TRY(hk_hdf_close(&file));
  HK_CHECK(rename(beside, path) == 0, HK_NOT_WRITABLE, "%s: %s", path, strerror(errno));
cleanup:
  hk_hdf_close(&file);
  if (status != HK_OK && beside) unlink(beside);
  hk_free(&beside);
  return status;
}
