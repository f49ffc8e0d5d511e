/* Every form of K, the one preferred where several serve first. */
#pragma once
#include "operator/operator.h"

extern const hk_operator_kind hk_operator_edges;
extern const hk_operator_kind hk_operator_edges_packed;
extern const hk_operator_kind hk_operator_congruent;
extern const hk_operator_kind hk_operator_matrix_free;
extern const hk_operator_kind hk_operator_spectral;
extern const hk_operator_kind hk_operator_spectral_colours;
extern const hk_operator_kind hk_operator_stored;
extern const hk_operator_kind hk_operator_blocks;
extern const hk_operator_kind hk_operator_assembled;
extern const hk_operator_kind hk_operator_elements;
#define HK_OPERATOR_LIST                                                                           \
  &hk_operator_spectral, &hk_operator_edges, &hk_operator_matrix_free, &hk_operator_stored,        \
      &hk_operator_blocks, &hk_operator_edges_packed, &hk_operator_congruent,                      \
      &hk_operator_assembled, &hk_operator_elements, &hk_operator_spectral_colours
