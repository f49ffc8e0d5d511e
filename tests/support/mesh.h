/* Meshes of tests. What cannot be made fails the test; hk_mesh_destroy ends each. */
#pragma once
#include "element/element.h"
#include "mesh/mesh.h"
#include "support/check.h"

/* The grid; its dimension is that of the shape where desc.dim is 0, its far corner (1, 1.2, 0.9) where desc.to is 0. */
hk_mesh *make_grid(hk_mesh_grid desc);

/* Wedges: a grid of triangles drawn out along z by `layers`. */
hk_mesh *make_prisms(hk_mesh_grid flat, int layers, const hk_mesh_layer *layer);

/* One block from literal arrays x[nodes][dim], node[elements][nodes of the shape]; finish it with hk_mesh_finish where sets are asked for. */
hk_mesh *mesh_of_elements(hk_shape shape, hk_count nodes, const double *x, hk_count elements,
                          const hk_index *node);

/* A quadrilateral (0, 1, 4, 3) beside the triangles (1, 2, 5) and (1, 5, 4), nodes at x[nodes][2], not finished. */
hk_mesh *make_mixed(hk_count nodes, const double *x);

/* Takes a quarter of the elements of a mesh of one block away, at random. */
void punch(hk_mesh *mesh);

/* Renumbers the nodes at random. */
void shuffle_nodes(hk_mesh *mesh);

/* Patches of every shape: 2 or 3 cells along each direction, their vertices moved by `noise`, straight edges. */
hk_mesh *make_patch(hk_shape shape, double noise);

/* x[nodes][dim]: the reference element under an affine map, its vertices moved by noise. */
void place_element(const hk_element *element, double noise, double *x);

/* True where decks ask for the shape with this integration. */
bool has_integration(const hk_element *element, hk_integration integration);
