/* What makes a field continuous where elements of different order meet. On an edge or face that several elements share it is a polynomial of
 * the lowest of their orders (the minimum rule): a node of a higher one there takes the value that the lowest has at its place,
 *
 *   u[node[i]] = sum over k of weight[k] u[master[k]],  k = begin[i] ... begin[i + 1] - 1 */
#ifndef HK_MESH_TIES_H
#define HK_MESH_TIES_H
#include "mesh/mesh.h"

typedef struct hk_ties {
  hk_index count;
  hk_index *node;   /* node[count], ascending */
  hk_count *begin;  /* begin[count + 1] */
  hk_index *master; /* nodes that are not tied themselves */
  double *weight;   /* the sum of a node's is 1 */
} hk_ties;

/* Empty where all elements have one order, and where no shape is of a family: those are left as they were read. *out is overwritten.
 * O(elements at which orders meet). */
hk_status hk_mesh_ties(const hk_mesh *mesh, hk_ties *out);
void hk_ties_clear(hk_ties *ties);
#endif
