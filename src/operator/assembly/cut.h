/* What a rank of MPI assembles of a model whose rows are shared out (link/sharing.h). */
#pragma once
#include "operator/operator.h"

/* *own: on, of the elements alone that have a node of this rank, in the same order and in the same numbers of nodes. Their rows of own nodes are those of the whole model
 * bit by bit; rows of other nodes are not complete. A rank without nodes has the first element. Arrays are of the pool. HK_NO_RESOURCES. */
hk_status hk_assembly_cut(const hk_operator_desc *on, hk_pool *pool, hk_operator_desc *own);
