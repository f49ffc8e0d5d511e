/* A matrix in the layout that a user asks for, as sums of the values that assembly makes (operator/assembly/indices.k.h, layout of NODES):
 *
 *   lower            the lower triangle, diagonal included (of blocks: block column <= block row)
 *   constraints      T^T K T over the free degrees of freedom, u = T w + offset (A.2): an entry is a sum of weight_i weight_j K_ij
 *   blocks           rows of nodes, entries of components x components
 *   lines            ELLPACK, column[width][rows], -1 behind the end of a row
 *
 * The pattern is found once; a fill is one launch.
 *
 *   HK_TRY(hk_layout_create(&(hk_layout_desc){.device = device, .components = 3, ..., .lower = true}, &layout));
 *   HK_TRY(hk_layout_fill(layout, k->value, out)); */
#pragma once
#include "device/device.h"
#include "load/constraints.h"

typedef struct hk_layout_desc {
  hk_device *device; /* borrowed by the layout; the rest for the call */
  bool double_precision;
  int components;
  hk_index nodes;
  const hk_count *begin;  /* begin[nodes + 1] */
  const hk_index *column; /* column[begin[nodes]], ascending in a row */
  const hk_constraints
      *constraints;          /* of degree of freedom node * components + component; NULL: none */
  bool lower, blocks, lines; /* blocks: without constraints and lines */
  /* value[node * components + component] is all there is; begin and column are not read */
  bool diagonal;
} hk_layout_desc;

typedef struct hk_layout {
  hk_count rows, entries; /* entries: with places behind ends of rows, of lines */
  int size;               /* of an entry: 1, or components */
  hk_index width;         /* lines: of the longest row */
  hk_count *row_start;    /* row_start[rows + 1]; of lines too, as if they were none */
  hk_index *column;       /* column[entries], ascending in a row; lines: [width][rows] */
  hk_index *dof;          /* dof[rows], ascending: degree of freedom of a row; blocks: node */

  /* private: */
  hk_device *device;
  hk_buffer *begin, *from, *weight; /* begin, weight NULL: each number is one value, or none */
  hk_kernel *kernel;
  hk_pool pool; /* all of these */
} hk_layout;

/* HK_NO_RESOURCES. Time and memory of the host: O(entries). */
hk_status hk_layout_create(const hk_layout_desc *desc, hk_layout **out);
void hk_layout_destroy(hk_layout **layout);
/* out[entries][size][size] from value, reals on the device; waits. Bit-reproducible. */
hk_status hk_layout_fill(const hk_layout *layout, const hk_buffer *value, hk_buffer *out);
