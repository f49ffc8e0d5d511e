/* Sparse matrices of blocks on a device, in double: what the levels of multigrid are made with (solver/linear/sparse/sparse.k.h).
 *
 *   hk_galerkin_tools tools = {.device = device};
 *   HK_TRY(hk_galerkin_multiply(&tools, &a, &p, NULL, &ap));      C = A P
 *   HK_TRY(hk_galerkin_transpose(&tools, &p, &r));                R = P^T
 *   ...
 *   hk_galerkin_tools_clear(&tools);
 *
 * Counts come first, then the memory that they ask for, then columns, ascending in each row, then values, each summed by one thread in the
 * order of A's row: bit-reproducible. What is made is zero before; hk_galerkin_clear also after a failure. HK_NO_RESOURCES. */
#pragma once
#include "load/constraints.h"
#include "operator/assembly/assembly.h"
#include "operator/assembly/scan.h"
#include "solver/linear/sparse/block_rows.h"

typedef struct hk_galerkin_matrix {
  hk_index rows, columns; /* in blocks */
  int height, width;      /* of a block */
  hk_count entries;
  /* [rows + 1] 64 bits, [entries] int, [entries][height][width] double */
  hk_buffer *begin, *column, *block;
} hk_galerkin_matrix;

typedef struct hk_made_kernel {
  hk_kernel_desc desc;
  hk_kernel *kernel;
} hk_made_kernel;

typedef struct hk_galerkin_tools { /* kernels and sums, made once for all levels */
  hk_device *device;               /* borrowed */
  const hk_stop *stop; /* borrowed, looked at by each product and between levels; NULL: never */
  /* private: */
  hk_scan *scan;
  hk_count items; /* that the scan is for */
  HK_LIST(hk_made_kernel) made;
  hk_pool pool; /* of them */
} hk_galerkin_tools;
void hk_galerkin_tools_clear(hk_galerkin_tools *tools);
/* HK_STOPPED where tools->stop asks for it. */
hk_status hk_galerkin_look(const hk_galerkin_tools *tools);

void hk_galerkin_clear(hk_galerkin_matrix *matrix);
/* Columns of a row are ascending. */
hk_status hk_galerkin_send(hk_device *device, const hk_block_matrix *from, hk_galerkin_matrix *to);
hk_status hk_galerkin_read(const hk_galerkin_matrix *from, hk_block_matrix *to);
/* A copy of what a device has assembled, of format NODES. */
hk_status hk_galerkin_take(hk_galerkin_tools *tools, const hk_assembly *k, hk_galerkin_matrix *a);
/* c = a b; weight [entries of a] float: entries that are not above 0 do not count; NULL: all do. */
hk_status hk_galerkin_multiply(hk_galerkin_tools *tools, const hk_galerkin_matrix *a,
                               const hk_galerkin_matrix *b, const hk_buffer *weight,
                               hk_galerkin_matrix *c);
hk_status hk_galerkin_transpose(hk_galerkin_tools *tools, const hk_galerkin_matrix *a,
                                hk_galerkin_matrix *t);
/* Without blocks. */
hk_status hk_galerkin_transpose_pattern(hk_galerkin_tools *tools, const hk_galerkin_matrix *a,
                                        hk_galerkin_matrix *t);
/* Rows and columns of dof[count] of the host become zero. */
hk_status hk_galerkin_hold(hk_galerkin_tools *tools, const hk_index *dof, hk_index count,
                           hk_galerkin_matrix *a);
/* a = T^T a T (load/constraints.h), rows and columns of dependent degrees of freedom zero. share: of ranks that share the rows of a, own ones of both; else NULL. */
hk_status hk_galerkin_constrain(hk_galerkin_tools *tools, const hk_constraints *constraints,
                                const hk_sharing *share, hk_galerkin_matrix *a);
/* Columns and blocks of entries of `from` to places of `to`, blocks of one size: run[runs][3] (64 bits) first of `from`, first of `to`, count; none overlap. */
hk_status hk_galerkin_move(hk_galerkin_tools *tools, const hk_buffer *run, hk_count runs,
                           const hk_galerkin_matrix *from, hk_galerkin_matrix *to);
/* span[rows][2] int: of the columns of a row those in [low, high), the first of them counted from its begin, and their count. */
hk_status hk_galerkin_spans(hk_galerkin_tools *tools, const hk_galerkin_matrix *a, hk_index low,
                            hk_index high, hk_buffer *span);
/* need[columns] int: 1 where a row has the column; others stay as they are. */
hk_status hk_galerkin_need(hk_galerkin_tools *tools, const hk_galerkin_matrix *a, hk_buffer *need);
/* diagonal[rows][height][height] reals; what is behind stays as it is. */
hk_status hk_galerkin_diagonal(hk_galerkin_tools *tools, const hk_galerkin_matrix *a,
                               bool double_precision, hk_buffer *diagonal);
/* A packed for products; or, where components is not 0, its 1 x 1 blocks as weights of pairs of nodes with so many components. *rows is zero before;
 * hk_block_rows_destroy also after a failure. */
hk_status hk_galerkin_pack(hk_galerkin_tools *tools, const hk_galerkin_matrix *a, int components,
                           bool double_precision, hk_block_rows *rows);

/* For what else is computed with rows: a kernel of one thread per row (or whatever else there are `count` of), HK_GALERKIN_CHUNK in a group;
 * desc: text, function, precision and defines. */
enum { HK_GALERKIN_CHUNK = 128 };
hk_status hk_galerkin_run(hk_galerkin_tools *tools, const hk_kernel_desc *desc, hk_count count,
                          const hk_argument *argument, int arguments);
/* The same of the groups [first, first + groups) alone. */
hk_status hk_galerkin_run_groups(hk_galerkin_tools *tools, const hk_kernel_desc *desc,
                                 hk_count first, hk_count groups, const hk_argument *argument,
                                 int arguments);
/* begin [items + 1] of count [items], as hk_scan_run. */
hk_status hk_galerkin_sum(hk_galerkin_tools *tools, const hk_buffer *count, hk_buffer *begin,
                          hk_count items, hk_count *total, hk_index *largest);
