/* Rows of the assembled stiffness matrix, patch by patch: what the stored and the edge form are
 * packed from.
 *
 * For the nodes of one patch:  K_ij = sum over the elements with both i and j of  integral B_i^T D
 * B_j; of one component per node  integral g_i^T k g_j. Each element is integrated once per patch that it touches; sums run over elements in
 * ascending order, so that a block is the same bit by bit whichever thread or patch makes it, and
 * K_ji = K_ij^T exactly.
 *
 *   HK_TRY(hk_matrix_create(&op->desc, &matrix));
 *   HK_TRY(hk_matrix_for_each(matrix, false, count_rows, form));
 *   HK_TRY(hk_matrix_for_each(matrix, true, pack_rows, form)); */
#pragma once
#include "graph/local.h"
#include "operator/operator.h"

/* Shared by the threads: adjacency, materials, and the patterns kept from the first pass for the
 * second. */
typedef struct hk_matrix hk_matrix;

/* Borrows what desc points to. Holds the elements of each patch, 4 bytes each, and from the first pass on the patterns, 2 bytes per entry and
 * per node of each element of a patch, which the second pass frees patch by patch (shelf.h). */
hk_status hk_matrix_create(const hk_operator_desc *desc, hk_matrix **out);
void hk_matrix_destroy(hk_matrix **matrix);
/* Bytes of a list of the elements around each node, which that of the elements of patches does not exceed. */
hk_count hk_matrix_plan(const hk_mesh *mesh);
/* The most that is held beside what is made, of `planned` bytes, which fills while the patterns go. */
hk_count hk_matrix_making(const hk_mesh *mesh, hk_count planned);

typedef struct hk_matrix_patch { /* one per thread; reused from patch to patch */
  const hk_matrix *matrix;
  hk_index first, count; /* internal nodes [first, first + count); padding at the end left out, the
                            rows of other padding are empty */
  hk_local *local;       /* numbers of the space's patch + halo */
  hk_index *begin;       /* begin[count + 1] */
  uint16_t *column; /* column[begin[count]]: local numbers, ascending in a row, the row's own node
                       among them */
  double *block;    /* block[begin[count]][components][components] = K_ij; second pass */
  /* private: the elements that touch the patch, ascending, of the matrix; their nodes node[start[k]..start[k +
     1]) in local numbers; the elements around[around_begin[i]..] of each node of the patch; entries
     of the diagonal; coordinates of local nodes; a set of local nodes */
  hk_index elements, *start, *around_begin, *around, *diagonal, *work;
  const hk_index *element;
  uint16_t *node;
  double *x, *of; /* of: the matrix of one element */
  uint64_t *set;
  hk_pool pool; /* all these arrays but the elements */
} hk_matrix_patch;

/* Runs `visit` for every patch, threads side by side. First with values false: patterns; then, once,
 * with values true: the same patterns, which it frees, and blocks. The first failure is returned; HK_NO_RESOURCES also where a
 * patch and its halo have more than 65536 nodes. */
typedef hk_status hk_matrix_visit(const hk_matrix_patch *patch, hk_index p, void *user);
hk_status hk_matrix_for_each(hk_matrix *matrix, bool values, hk_matrix_visit *visit, void *user);
/* The same for patches [first, end). */
hk_status hk_matrix_for_range(hk_matrix *matrix, hk_index first, hk_index end, bool values,
                              hk_matrix_visit *visit, void *user);
