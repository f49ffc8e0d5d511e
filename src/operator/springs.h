/* What the springs of hk_operator_desc add to K, for every form that does not hold them in rows of its own (hk_operator_kind.springs).
 *
 *   HK_TRY(hk_springs_create(op, &springs));       springs == NULL: there are none
 *   HK_TRY(hk_springs_before(op, epilogue));       then the operator's kernels, then
 *   HK_TRY(hk_springs_apply(op, epilogue)); */
#ifndef HK_OPERATOR_SPRINGS_H
#define HK_OPERATOR_SPRINGS_H
#include "operator/operator.h"

typedef struct hk_springs hk_springs;
/* Adds its groups to op->groups and its bytes to op->memory and op->bytes. */
hk_status hk_springs_create(hk_operator *op, hk_springs **out);
void hk_springs_destroy(hk_springs **springs);
hk_status hk_springs_bind(hk_operator *op, hk_form form, bool damped, int shots);
hk_status hk_springs_before(const hk_operator *op, const hk_epilogue *epilogue);
hk_status hk_springs_apply(const hk_operator *op, const hk_epilogue *epilogue);

/* One node's end of a spring: internal nodes. */
typedef struct hk_spring_end {
  hk_index node, other;
  hk_count spring;
} hk_spring_end;
/* end[2 spring_count], ascending by node, other, spring; owned by the caller. */
hk_status hk_springs_ends(const hk_operator_desc *desc, hk_spring_end **end);
/* Numbers of the list that are node's: [*first, end). */
hk_count hk_springs_of(const hk_operator_desc *desc, const hk_spring_end *end, hk_index node,
                       hk_count *first);

/* A bound of the largest eigenvalue of k over the mass[mesh node]: to be added to that of the rest of K. */
hk_status hk_springs_bound(const hk_mesh *mesh, hk_count count, const hk_spring *spring,
                           const double *mass, double *lambda);
#endif
