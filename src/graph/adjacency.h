/* The graph of a mesh: nodes that share an element are neighbours. */
#pragma once
#include "mesh/mesh.h"

typedef struct hk_adjacency {
  hk_pool pool; /* holds the arrays */
  hk_index nodes;
  hk_index *begin; /* begin[nodes + 1] */
  hk_index *node;  /* node[begin[i]..begin[i + 1]): the neighbours of i, ascending, without i */
} hk_adjacency;

/* O(elements), all shapes, 2D and 3D. HK_BAD_INPUT beyond 2^31 - 1 entries. */
hk_status hk_adjacency_create(const hk_mesh *mesh, hk_adjacency **out);
void hk_adjacency_destroy(hk_adjacency **graph);

/* Pairs of nodes that share an element, each node with itself too: O(sum over elements of the square of their nodes), by all threads. HK_NO_RESOURCES. */
hk_status hk_adjacency_count(const hk_mesh *mesh, double *pairs);
