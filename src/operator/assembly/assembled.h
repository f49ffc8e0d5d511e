/* The form "assembled": K in node rows, made on the device (operator/assembly/assembly.h), applied by rows (operator/rows/product.k.h). */
#pragma once
#include "operator/assembly/assembly.h"

/* What op is made of; it must be of this kind. Its stages are timed where the device's meter ran when it was made. */
const hk_assembly *hk_assembled_matrix(const hk_operator *op);
/* K on the host; op must be of this kind. HK_NO_RESOURCES. */
hk_status hk_assembled_read(hk_operator *op, hk_csr *out);
/* out[lists][size * components][size * components] = K between the nodes list[lists][size], -1: none; reals of the operator's precision, on
 * the device. */
hk_status hk_assembled_blocks(const hk_operator *op, const hk_buffer *list, hk_count lists,
                              int size, hk_buffer *out);
/* K on the host by the shortest way: read from op, if it is of this kind in double; made on the device for this, where that is a GPU; else by
 * hk_csr_assemble. op may be NULL. Errors as hk_csr_assemble. */
hk_status hk_csr_find(hk_operator *op, const hk_operator_desc *desc, hk_csr *out);
/* Bytes that the form will hold on the device; of these those of element matrices that wait to be summed, and the most that they are of any mesh: chunks
 * follow each other then. */
typedef struct hk_assembled_room {
  hk_count bytes;
  double waiting, most_waiting;
} hk_assembled_room;
/* For the regions, components and faces that exchange heat of `on`. exact: rows, and elements of chunks of rows, are counted one by one (a pass over the mesh
 * by all threads, O(sum over elements of the square of their nodes)), and the sum is that which is taken where rows are no longer than local memory takes;
 * else with means. HK_NO_RESOURCES. */
hk_status hk_assembled_plan(const hk_operator_desc *on, bool exact, hk_assembled_room *out);
/* The same of a mesh alone: displacements, laws that devices integrate. */
hk_count hk_assembled_guess(const hk_mesh *mesh, const hk_device *device, bool double_precision);
/* Bytes of the host's memory beside those while it is made (hk_operator_kind.making). */
hk_count hk_assembled_making(const hk_mesh *mesh, const hk_device *device, bool double_precision);
/* New values of the same pattern, from the laws that the regions have now. */
hk_status hk_assembled_refill(hk_operator *op);
