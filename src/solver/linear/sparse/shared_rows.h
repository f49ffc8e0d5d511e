/* Sparse matrices whose rows are shared out among ranks of MPI (link/sharing.h): numbers of rows and columns are those of the whole matrix, and rows that a rank does
 * not have are empty. Rows are moved on the device; what goes to other ranks passes through the host's memory. All ranks call, and agree first. */
#pragma once
#include "link/sharing.h"
#include "solver/linear/sparse/galerkin.h"

/* Rows outside [first, end) become empty. */
hk_status hk_shared_keep(hk_galerkin_tools *tools, hk_index first, hk_index end,
                         hk_galerkin_matrix *a);
/* Entries outside columns [first, end) are left out. */
hk_status hk_shared_keep_columns(hk_galerkin_tools *tools, hk_index first, hk_index end,
                                 hk_galerkin_matrix *a);
hk_status hk_shared_copy(hk_galerkin_tools *tools, const hk_galerkin_matrix *from,
                         hk_galerkin_matrix *to);

typedef struct hk_row_list { /* for one rank */
  hk_count count;
  const hk_index *row; /* row[count], that the sender has and the receiver has not */
} hk_row_list;
/* list[ranks] of rows of a; those that come from others are added to a. */
hk_status hk_shared_send(const hk_sharing *share, hk_galerkin_tools *tools, const hk_row_list *list,
                         hk_galerkin_matrix *a);
/* Each rank has its rows of a; then all have all. */
hk_status hk_shared_gather(const hk_sharing *share, hk_galerkin_tools *tools,
                           hk_galerkin_matrix *a);
/* The nodes that the columns of a's rows are, shared out by `columns`, with so many bytes each at most. */
hk_status hk_shared_halo(const hk_sharing *columns, hk_galerkin_tools *tools,
                         const hk_galerkin_matrix *a, hk_count bytes, hk_halo **out);
/* list[ranks], of the pool: own rows of p that have a column of another rank, for that rank; columns: how these are shared out. */
hk_status hk_shared_by_columns(const hk_sharing *rows, const hk_sharing *columns,
                               hk_galerkin_tools *tools, const hk_galerkin_matrix *p, hk_pool *pool,
                               hk_row_list **list);
