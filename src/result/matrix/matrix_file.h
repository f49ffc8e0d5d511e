/* Writes a sparse matrix (hooke/matrix.h), whose arrays are on the host, to a file; the extension of its path selects the format. */
#pragma once
#include <hooke/matrix.h>
#include "base/base.h"

typedef struct hk_matrix_file {
  hk_sparse_view view;
  const char *about;        /* a line for people */
  hk_count unknowns;        /* rows * size */
  const int64_t *node;      /* node[unknowns]: label of the row's node */
  const int32_t *component; /* component[unknowns], from 1 */
} hk_matrix_file;

typedef hk_status hk_matrix_writer(const char *path, const hk_matrix_file *file);
hk_matrix_writer hk_matrix_write_mtx, hk_matrix_write_npz, hk_matrix_write_h5;

/* HK_USAGE: no such extension, or not of this format; HK_NOT_WRITABLE. */
hk_status hk_matrix_file_check(const char *path, hk_sparse_format format);
/* The same, then writes it beside and renames it (.h5: in place). */
hk_status hk_matrix_file_write(const char *path, const hk_matrix_file *file);
