/* Where a fluid wets a solid in a perfectly matched layer: the lists of solver/explicit/pml.k.h, pml_wet. In the calls place[padded] is the place of an
 * internal node in the layer, -1 of those that are not there. */
#ifndef HK_OPERATOR_SPECTRAL_PML_WET_H
#define HK_OPERATOR_SPECTRAL_PML_WET_H
#include "operator/spectral/pml_pack.h"

/* place 0 of all nodes of pairs of which one node has it; counts these pairs and their fluid nodes. */
void hk_pml_wet_mark(const hk_operator_desc *desc, hk_index *place, hk_pml_lists *lists);
/* (*out)[wet_fluids + wet_entries], owned by the caller: places of the fluid nodes, then of the solid node of each pair. */
hk_status hk_pml_wet_places(const hk_operator_desc *desc, const hk_index *place,
                            const hk_pml_lists *lists, hk_index **out);
hk_status hk_pml_wet_send(const hk_operator_desc *desc, const hk_pml *pml, const hk_index *place,
                          hk_pml_lists *lists);
#endif
