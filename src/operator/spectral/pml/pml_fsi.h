/* Where a fluid meets a solid in a perfectly matched layer: the lists of solver/explicit/matched/pml.k.h, pml_fsi. In the calls place[padded] is the place of an
 * internal node in the layer, -1 of those that are not there. */
#pragma once
#include "operator/spectral/pml/pml_pack.h"

/* place 0 of all nodes of pairs of which one node has it; counts these pairs and their fluid nodes. */
void hk_pml_fsi_mark(const hk_operator_desc *desc, hk_index *place, hk_pml_lists *lists);
/* (*out)[fsi_fluids + fsi_entries], owned by the caller: places of the fluid nodes, then of the solid node of each pair. */
hk_status hk_pml_fsi_places(const hk_operator_desc *desc, const hk_index *place,
                            const hk_pml_lists *lists, hk_index **out);
hk_status hk_pml_fsi_send(const hk_operator_desc *desc, const hk_pml *pml, const hk_index *place,
                          hk_pml_lists *lists);
