/* The lists of kernels/spectral.k.h and kernels/slots.k.h. */
#ifndef HK_OPERATOR_SPECTRAL_PACK_H
#define HK_OPERATOR_SPECTRAL_PACK_H
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

/* buffer[HK_SPECTRAL_BUFFERS], the caller's also on failure, of the space's elements in groups of `elements` batches; *kinds: bit k, some
 * group is of kind k. HK_BAD_INPUT: a folded element; HK_NO_RESOURCES. Memory of the host: a map per thread. */
hk_status hk_spectral_pack(const hk_operator_desc *desc, int elements, hk_buffer **buffer,
                           int *kinds);
#endif
