/* Cracks: inner faces whose two sides share no nodes.
 *
 *   o---o---o---o      A node of cut faces stays one node where its elements are still linked, from one to the next, by faces with the node
 *   |   | # |   |      that are not cut: at a tip (a front in 3D) they are, around it. Else each linked group but that of the lowest element
 *   o===o===*---o      gets a node of its own: inside a crack (=), where it meets the boundary, where it meets or crosses another (#).
 *   |   |   |   |      *: the tip
 *   o---o---o---o
 *
 *   HK_TRY(hk_crack_pair(mesh, set->count, set->item, set->face, &count, &face));
 *   HK_TRY(hk_mesh_cut(mesh, count, face, &origin)); */
#pragma once
#include "mesh/mesh.h"

typedef struct hk_crack_face { /* the two elements that meet there, the lower one first */
  hk_index element[2];
  uint8_t face[2];
} hk_crack_face;

/* The inner faces that the list names, from either side or both: pair[*count], in the order of the lower elements, each once; owned by the
 * caller. HK_BAD_INPUT names an element whose face no other element shares. O(elements + count). */
hk_status hk_crack_pair(const hk_mesh *mesh, hk_count count, const hk_index *element,
                        const uint8_t *face, hk_count *pairs, hk_crack_face **pair);

/* Cuts all of them at once; a face may be there twice. New nodes come last, with new labels, and belong to the node sets of those that they
 * were one with. origin[new nodes] (owned by the caller): what node mesh->node_count before + k was; *added of them. Any shapes, any order.
 * HK_NO_RESOURCES leaves the mesh half cut. */
hk_status hk_mesh_cut(hk_mesh *mesh, hk_count count, const hk_crack_face *face, hk_count *added,
                      hk_index **origin);

/* Where elements of two kinds meet. */

/* Faces where elements with part[element] meet others: face[*count], the lower element first, owned by the caller. */
hk_status hk_mesh_meetings(const hk_mesh *mesh, const bool *part, hk_count *count,
                           hk_crack_face **face);
