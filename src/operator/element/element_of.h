/* Matrices of the elements that an operator is made of. */
#pragma once
#include "operator/element/element_matrix.h"
#include "operator/operator.h"

/* k[nodes * components][nodes * components] of element e, one component in a fluid: hk_element_integrate, or hk_element_conduct and what its faces exchange.
 * HK_BAD_INPUT: it has no section, or is folded. */
hk_status hk_operator_element(const hk_operator_desc *desc, hk_count e, double *k);

/* HK_BAD_INPUT where a law by formulas, at a point of quadrature of some element, lets heat flow from cold to hot or is no number;
 * says which, where. */
hk_status hk_operator_check_laws(const hk_operator_desc *desc);

/* Local memory that integrate_elements of operator/assembly/integrate.k.h takes for `many` elements at once. */
hk_count hk_integrate_bytes(const hk_element *element, const hk_rule *rule, int components,
                            bool double_precision, bool by_temperature, int many);

/* Whether the device integrates it itself: hk_element_plain, no face of it exchanges heat, and its matrix fits local memory. */
bool hk_operator_plain(const hk_operator_desc *desc, hk_count e);

/* Whether its matrix is wanted with the tangent too, which the host integrates (hk_warmth.newton). */
bool hk_operator_tangent(const hk_operator_desc *desc, hk_count e);

/* Whether its matrix times a translation, or a constant temperature, is nothing: no face of it exchanges heat, and its material has no reaction;
 * not of axisymmetric solids, which resist motion along r, nor of a material that moves, as its matrix has columns whose sum is not 0. */
bool hk_operator_translates(const hk_operator_desc *desc, hk_count e);
