/* Springs between nodes, for a form of K that holds them in its rows (hk_operator_kind.pairs): it asks for their ends. */
#pragma once
#include "operator/operator.h"

/* spring[*count] of the desc's terms. */
const hk_spring *hk_springs_in(const hk_operator_desc *desc, hk_count *count);

/* One node's end of a spring: internal nodes. */
typedef struct hk_spring_end {
  hk_index node, other;  /* node: INT32_MAX where it is another part's (space/part.h) */
  hk_index place, order; /* node and other in the whole numbering */
  hk_count spring;
} hk_spring_end;
/* end[2 springs], ascending by node, other, spring; owned by the caller. */
hk_status hk_springs_ends(const hk_operator_desc *desc, hk_spring_end **end);
/* first[granules + 1], owned by the caller: groups of losses before those of each granule, of a whole model. A part has the groups of its granules,
 * in the order of op->term_node. */
hk_status hk_springs_groups(const hk_operator_desc *whole, hk_index **first);
/* Numbers of the list that are node's: [*first, end). */
hk_count hk_springs_of(const hk_operator_desc *desc, const hk_spring_end *end, hk_index node,
                       hk_count *first);
