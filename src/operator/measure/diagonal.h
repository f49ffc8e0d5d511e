/* The diagonal blocks of K, K_ii = sum over the elements with node i of  integral B_i^T D B_i, without the rest of it. */
#pragma once
#include "operator/operator.h"

/* diagonal[padded][components][components], in internal order, overwritten; padding 0. On the host; bit-reproducible for any number of
 * threads. HK_BAD_INPUT names a folded element. HK_NO_RESOURCES. */
hk_status hk_diagonal_find(const hk_operator_desc *desc, double *diagonal);
