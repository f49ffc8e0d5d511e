/* The lists of operator/spectral/spectral.k.h and operator/spectral/slots.k.h. */
#pragma once
#include "operator/operator.h"

enum {
  HK_SPECTRAL_GROUP,
  HK_SPECTRAL_SURFACE,
  HK_SPECTRAL_DATA,
  HK_SPECTRAL_SLOT,
  HK_SPECTRAL_SLICE,
  HK_SPECTRAL_FROM,
  HK_SPECTRAL_BUFFERS
};

/* Nodes on the surface of an element of order p. */
int hk_spectral_surface(int dim, int order);
/* Whether the first element, for which all others stand, is a parallelogram or a parallelepiped by its corners i + 2 j + 4 k. */
bool hk_spectral_is_affine(const hk_mesh *mesh, int order);
/* Slots that nodes of surfaces sum, in slices as long as those of the node with most: corners have 2^dim elements, edges of hexahedra 4, the
 * others 2. Of an inner element's share of nodes one is a corner, dim (p - 1) lie on edges; slices have nodes by chance. */
double hk_spectral_sums(const hk_mesh *mesh, int order, int width);

/* New parameters of the laws, from the regions as they are now, for steps of dt, in the same places: each element's law stays. */
hk_status hk_spectral_set_parameters(const hk_operator_desc *desc, int elements, double dt,
                                     hk_buffer **buffer);
/* buffer[HK_SPECTRAL_BUFFERS], the caller's also on failure, of the space's elements in groups of `elements` batches; kinds[part]: bit k, some
 * group of solids (0) or fluids (1) is of kind k; *first_slot: offset of the slots of terms, behind
 * those of the elements and the one that stays zero. HK_BAD_INPUT: a folded element; HK_NO_RESOURCES. Memory of the host: a map per thread. */
hk_status hk_spectral_pack(const hk_operator_desc *desc, int elements, hk_buffer **buffer,
                           int kinds[2], hk_index *first_slot);
