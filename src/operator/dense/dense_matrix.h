/* K as a dense matrix on a device, and what Keating (2019), sections 2.4.3, 3.2 and 4.4.3, does with it.
 *
 *   hk_dense *k = NULL;
 *   HK_TRY(hk_dense_assemble(&desc, false, &k));            Algorithm 2, in a fixed order, without atomics
 *   HK_TRY(hk_dense_eliminate(k, &held, b));                rows and columns of what is prescribed (2.4.3)
 *   HK_TRY(hk_dense_to_rows(k, &rows));                     what is not zero of it, on the device
 *   hk_dense_rows_clear(&rows), hk_dense_destroy(&k);
 * All of it bit-reproducible. */
#pragma once
#include "operator/operator.h"

typedef struct hk_dense {
  hk_device *device; /* borrowed */
  /* space->padded * components: degrees of freedom in internal order, padding among them */
  hk_index n;
  int components;
  bool double_precision;
  hk_buffer *value; /* value[n][n], row by row */
  /* where timed; assembly: the lists that put elements in order, and their sums */
  double seconds_transfer, seconds_elements, seconds_assembly;
} hk_dense;

/* Bytes of the matrix alone. */
static inline double hk_dense_bytes(double n, bool double_precision)
{
  return n * n * (double_precision ? 8 : 4);
}

/* HK_NO_RESOURCES, before anything is allocated, with what is needed and free; HK_BAD_INPUT names a folded element. */
hk_status hk_dense_assemble(const hk_operator_desc *desc, bool timed, hk_dense **out);
void hk_dense_destroy(hk_dense **dense);

/* What u_dof = sum weight u_master takes in T^T K T: column and row `master[m]` += weight of those of dependent[e], entries
 * begin[m] ... begin[m + 1] - 1; lists on the device. */
typedef struct hk_dense_masters {
  hk_index count;
  const hk_buffer *master, *begin, *dependent; /* int */
  const hk_buffer *weight;                     /* double */
} hk_dense_masters;
hk_status hk_dense_fold(hk_dense *dense, const hk_dense_masters *masters);

/* The four steps of section 2.4.3 for each held degree of freedom j with the value U_j, and for what has no element (U = 0):
 *   b_i -= a_ij U_j;   a_ij = a_ji = 0;   a_jj = 1;   b_j = U_j
 * dof[count] ints and value[count] doubles on the device; value may be NULL: 0. b[n] reals, NULL: the matrix alone. */
typedef struct hk_dense_held {
  hk_index count;
  const hk_buffer *dof, *value;
} hk_dense_held;
hk_status hk_dense_eliminate(hk_dense *dense, const hk_dense_held *held, hk_buffer *b);

typedef struct hk_dense_rows {
  hk_index n;
  hk_count entries;
  hk_buffer *begin;          /* begin[n + 1], 64 bits */
  hk_buffer *column, *value; /* int, reals: ascending in a row */
  hk_pool pool;              /* the buffers */
} hk_dense_rows;
/* Numbers that are not zero, row by row. *out is overwritten. HK_NO_RESOURCES. */
hk_status hk_dense_to_rows(const hk_dense *dense, hk_dense_rows *out);
void hk_dense_rows_clear(hk_dense_rows *rows);
