/* Levels of multigrid between elements of order p and their vertices: elements of order (p + 1) / 2, and so on, K integrated anew on the device. */
#pragma once
#include "operator/coarse/coarse.h"
#include "solver/linear/multigrid/level.h"
#include "solver/linear/multigrid/transfer.h"

enum { HK_MOST_ORDER_LEVELS = 4 }; /* 10 -> 5 -> 3 -> 2 */

typedef struct hk_order_level {
  hk_mesh *mesh;
  hk_space *space;
  hk_operator *op;
  hk_constraints constraints;
  hk_reduced a;
  hk_pool pool; /* temperatures that op was made of */
} hk_order_level;
void hk_order_level_clear(hk_order_level *level);

/* Of the level below elements of the mesh; 1: their vertices. */
int hk_order_below(const hk_mesh *mesh);
/* K of that order in rows, on the elements of `above`, up and down between the two. *out is zero; clear also after a failure. */
hk_status hk_order_level_create(hk_galerkin_tools *tools, const hk_operator_desc *above,
                                const hk_constraints *constraints, int order, hk_order_level *out,
                                hk_transfer *transfer);
/* D and lambda_max of a level with an operator: by patches, where its elements are of order p and K is there in rows. */
hk_status hk_order_level_smoother(hk_level *level, const hk_constraints *constraints);

/* p and its transpose on the device, for so many components. *share: of the nodes below, taken over, where ranks share those above; else above is NULL.
 * *out is zero. */
hk_status hk_interpolation_pack(hk_galerkin_tools *tools, const hk_interpolation *p, int components,
                                bool double_precision, const hk_sharing *above, hk_sharing **share,
                                bool whole, hk_transfer *out);
/* Constraints among the nodes that values are interpolated from: as among those above, where both have the same place; what else is dependent
 * is held at the node with most weight. *out is zero. */
hk_status hk_constraints_coarse(const hk_constraints *c, const hk_interpolation *p, int components,
                                hk_constraints *out);
