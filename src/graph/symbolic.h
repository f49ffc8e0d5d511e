/* The pattern of a Cholesky factor, L L^T = P A P^T, from A's pattern alone (Liu, SIAM J. Matrix Anal. 11 (1990) 134; Davis, Direct Methods for
 * Sparse Linear Systems, 4.1-4.4): its elimination tree, entries of each column, and, where wanted, each entry. What reordering is worth
 * (Keating 2019, Fig. 3.6).
 *
 *   hk_symbolic s = {0};
 *   HK_TRY(hk_symbolic_create(n, begin, column, order, true, &s));
 *   ... column j of L: rows s.row[s.begin[j]] ... s.row[s.begin[j + 1] - 1], in the new numbers, j itself first ...
 *   hk_symbolic_clear(&s); */
#ifndef HK_GRAPH_SYMBOLIC_H
#define HK_GRAPH_SYMBOLIC_H
#include "base/base.h"

typedef struct hk_symbolic {
  hk_pool pool; /* holds the arrays */
  hk_index n;
  hk_index *
      parent; /* parent[n] in the elimination tree: first row below the diagonal of the column; -1: a root */
  hk_count *begin;  /* begin[n + 1]: entries of the columns before, diagonals among them */
  hk_count entries; /* begin[n] */
  double
      operations; /* sum over columns of the square of their entries: multiplications and additions of the factorisation */
  hk_index *row;  /* row[entries], ascending in a column; NULL: not wanted */
} hk_symbolic;

/* Symmetric pattern begin[n + 1], column[..] with or without the diagonal; order[n] as in hk_factor_matrix, NULL: as it is. *out is
 * overwritten. O(entries of L) time, of A without the rows. HK_NO_RESOURCES. */
hk_status hk_symbolic_create(hk_index n, const hk_count *begin, const hk_index *column,
                             const hk_index *order, bool rows, hk_symbolic *out);
void hk_symbolic_clear(hk_symbolic *symbolic);
#endif
