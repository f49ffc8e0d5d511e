/* The assembled stiffness matrix on the host, by nodes:
 *   K_ij = sum over the elements with both i and j of  integral B_i^T D B_j   (dim x dim per pair of nodes)
 *
 *   hk_csr k = {0};
 *   HK_TRY(hk_csr_assemble(&desc, &k));
 *   for (hk_count q = k.begin[i]; q < k.begin[i + 1]; q++) ... k.column[q], k.block + q * k.components * k.components
 *   hk_csr_clear(&k); */
#pragma once
#include "operator/operator.h"

typedef struct hk_csr {
  hk_count rows, entries; /* rows = space->padded, in internal order; those of padding are empty */
  int components;
  hk_count *begin;  /* begin[rows + 1] */
  hk_index *column; /* column[entries], ascending in a row; the row's own node is among them */
  double *block;    /* block[entries][components][components] = K_ij, row-major */
} hk_csr;

void hk_csr_clear(hk_csr *csr);

/* The plain way, what the devices' assembly is tested against: element matrices by hk_element_integrate, added row by row in ascending
 * order of elements. K_ji = K_ij^T to rounding; bit-reproducible for any number of threads (those of desc->device, which may be NULL: all;
 * no other use is made of it). *out is overwritten. HK_BAD_INPUT names an element without volume or region; HK_NO_RESOURCES.
 * Cost: each element is integrated once for each 256 consecutive rows that it touches. */
hk_status hk_csr_assemble(const hk_operator_desc *desc, hk_csr *out);
