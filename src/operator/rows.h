/* Rows of the assembled stiffness matrix, patch by patch: what the stored and the edge form are
 * packed from.
 *
 * For the nodes of one patch:  K_ij = sum over the elements with both i and j of  integral B_i^T D
 * B_j. Each element is integrated once per patch that it touches; sums run over elements in
 * ascending order, so that a block is the same bit by bit whichever thread or patch makes it, and
 * K_ji = K_ij^T exactly.
 *
 *   HK_TRY(hk_matrix_create(&op->desc, &matrix));
 *   HK_TRY(hk_matrix_for_each(matrix, true, pack_patch, form)); */
#ifndef HK_OPERATOR_ROWS_H
#define HK_OPERATOR_ROWS_H
#include "operator/operator.h"

typedef struct hk_matrix
    hk_matrix; /* shared by the threads: adjacency and materials of an operator */

/* Borrows what desc points to. Holds node -> elements: 4 bytes per node and per node of each
 * element. */
hk_status hk_matrix_create(const hk_operator_desc *desc, hk_matrix **out);
void hk_matrix_destroy(hk_matrix **matrix);

typedef struct hk_matrix_patch { /* one per thread; reused from patch to patch */
  const hk_matrix *matrix;
  hk_index first, count; /* internal nodes [first, first + count); padding left out */
  hk_index *begin;       /* begin[count + 1] */
  hk_index *column; /* column[begin[count]]: internal nodes, ascending in a row, the row's own node
                       among them */
  double *block;    /* block[begin[count]][dim][dim] = K_ij; valid after assemble */
  /* private: the elements that touch the patch, ascending; their nodes node[start[k]..start[k +
     1]) in internal numbers; the elements around each node */
  hk_index elements, *element, *start, *node, *row_begin, *row_element, *table;
  hk_count capacity, block_capacity, element_capacity, start_capacity, node_capacity, row_capacity,
      table_capacity;
} hk_matrix_patch;

hk_status hk_matrix_patch_create(const hk_matrix *matrix, hk_matrix_patch **out);
void hk_matrix_patch_destroy(hk_matrix_patch **patch);

/* begin and column of patch `number` of the space. */
hk_status hk_matrix_pattern(hk_matrix_patch *p, hk_index number);
/* The pattern, and the blocks. */
hk_status hk_matrix_assemble(hk_matrix_patch *p, hk_index number);

/* Runs `visit` for every patch, threads side by side, after the pattern (values: the blocks) of
 * that patch has been made. The first failure is returned. */
typedef hk_status hk_matrix_visit(const hk_matrix_patch *patch, hk_index p, void *user);
hk_status hk_matrix_for_each(const hk_matrix *matrix, bool values, hk_matrix_visit *visit,
                             void *user);
#endif
