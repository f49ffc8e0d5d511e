/* Wet nodes of spectral elements: the lists of operator/spectral/fsi.k.h. */
#ifndef HK_OPERATOR_SPECTRAL_FSI_FACES_H
#define HK_OPERATOR_SPECTRAL_FSI_FACES_H
#include "operator/spectral/pack.h"

/* buffer[HK_SPECTRAL_FSI_..] and fsi->fluids; fsi->first_slot is there before; (*fluid)[fsi->fluids]: internal numbers of the fluid nodes, owned by the caller. Without fsi
 * nodes all stay as they are. */
hk_status hk_spectral_fsi_pack(const hk_operator_desc *desc, hk_buffer **buffer, hk_index **fluid,
                               hk_spectral_fsi *fsi);

/* Internal number of the node whose slot is number p. */
hk_index hk_spectral_fsi_node(const hk_operator_desc *desc, const hk_index *fluid, hk_index fluids,
                              hk_count p);
#endif
