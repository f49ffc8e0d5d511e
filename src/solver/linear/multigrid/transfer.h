/* What takes vectors between a level of multigrid and the one below it: x += P x_below, b_below = P^T r.
 * Of ranks that share the rows of the level above, each makes own rows of both, and gets what they read. The level below is shared too, or whole on each
 * rank, which then gets all of b_below. */
#pragma once
#include "solver/linear/sparse/galerkin.h"

typedef struct hk_transfer {
  hk_block_rows up, down;
  hk_sharing *share; /* own: of the nodes below, where ranks share the level above; else NULL */
  /* nodes above whose r own rows of P^T read; nodes below whose x own rows of P read; all nodes below, where that level is whole; else NULL */
  hk_halo *above, *below, *all;
  int block[2]; /* numbers of a node above, below */
  bool double_precision;
} hk_transfer;

typedef struct hk_transfer_desc {
  const hk_galerkin_matrix *p, *r; /* P, P^T; own rows of both */
  int components;                  /* as hk_galerkin_pack */
  int above, below;                /* numbers of a node */
  bool double_precision;
  const hk_sharing *share;  /* borrowed: of the nodes above; NULL: one process */
  hk_sharing **below_share; /* of the nodes below, taken over */
  bool whole;               /* the level below is whole on each rank */
} hk_transfer_desc;

/* *out is zero before; hk_transfer_destroy also after a failure. Ranks agree. */
hk_status hk_transfer_create(hk_galerkin_tools *tools, const hk_transfer_desc *desc,
                             hk_transfer *out);
void hk_transfer_destroy(hk_transfer *transfer);
/* b = P^T r; exchanges and a launch. */
hk_status hk_transfer_down(const hk_transfer *transfer, hk_buffer *r, hk_buffer *b);
/* x += P below */
hk_status hk_transfer_up(const hk_transfer *transfer, hk_buffer *below, hk_buffer *x);
