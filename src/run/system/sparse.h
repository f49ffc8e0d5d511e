/* What the files of hooke/matrix.h share: the object. */
#pragma once
#include <hooke/matrix.h>
#include "operator/assembly/assembly.h"
#include "run/system/parts.h"
#include "solver/linear/sparse/layout.h"

struct hk_sparse_matrix {
  const hk_system *system; /* borrowed */
  hk_sparse_desc desc;
  hk_count takes;    /* of the system when the matrix was made */
  hk_space *space;   /* the mesh's own order */
  hk_assembly *k;    /* NULL: mass */
  hk_layout *layout; /* NULL: the arrays of k are those of the format */
  hk_count rows, entries;
  hk_index width;
  int size;
  hk_index *dof; /* dof[rows * size] of the mesh */
  /* Arrays of the format on the device; NULL: it has none. `value` is layout's, or k's. */
  const hk_buffer *row_start, *row, *column, *value;
  hk_buffer *mass; /* [dofs] reals, of mass; NULL: K */
  hk_pool copies;  /* of the last read */
  hk_pool pool;    /* dof, and buffers of the format that are not k's */
};

/* refill.c: HK_BAD_INPUT where the regions of `laws` cannot take the place of those of the matrix. */
hk_status hk_sparse_check_laws(const hk_sparse_matrix *m, const hk_model *laws);
