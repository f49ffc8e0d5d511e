/* Matrices of the elements that an operator is made of. */
#ifndef HK_OPERATOR_ELEMENT_OF_H
#define HK_OPERATOR_ELEMENT_OF_H
#include "operator/element_matrix.h"
#include "operator/operator.h"

/* k[nodes * components][nodes * components] of element e: hk_element_integrate, or hk_element_conduct and what its faces exchange.
 * HK_BAD_INPUT: it has no section, or is folded. */
hk_status hk_operator_element(const hk_operator_desc *desc, hk_count e, double *k);

/* Whether devices integrate it themselves: hk_element_plain, and no face of it exchanges heat. */
bool hk_operator_plain(const hk_operator_desc *desc, hk_count e);

/* Whether its matrix times a translation, or a constant temperature, is nothing: no face of it exchanges heat, and its material has no reaction. */
bool hk_operator_translates(const hk_operator_desc *desc, hk_count e);
#endif
