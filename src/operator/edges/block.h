/* The block of a pair of nodes as operator/edges/edges.k.h reads it: [words][width], `width` pairs side by side, a word a real; packed (3D):
 * 32 bits, double [4][width][2] and [width]. */
#pragma once
#include "base/base.h"

typedef struct hk_edges_format {
  int dim, width;
  bool double_precision, packed;
} hk_edges_format;

/* Bytes of one block: 3D single 24, packed 16; double 48, 36. */
int hk_edges_block_bytes(const hk_edges_format *format);
/* S[dim (dim + 1) / 2], 3D xx yy zz yz xz xy, 2D xx yy xy, as block `lane` of list[words][width].
 * Packed: each entry to 2^-17 (double 2^-43) of the largest, rounded so that S grows by a positive semidefinite part:
 * a free body's rotations, which pass through rounded blocks not quite without force, then oscillate ever so slowly
 * instead of growing. Blocks below 2^-100 (2^-900) lose digits. */
void hk_edges_block_put(const hk_edges_format *format, const double *s, void *list, int lane);
