/* Spectral elements: quadrilaterals and hexahedra of order p whose points of quadrature are their nodes (element/gll.h). Points q are counted
 * as in hk_element.lattice. */
#pragma once
#include "element/element.h"
#include "mesh/mesh.h"
#include "physics/material.h"

/* How much of the map of an element has to be kept. */
typedef enum hk_map_class { HK_MAP_AFFINE, HK_MAP_CORNERS, HK_MAP_CURVED } hk_map_class;

/* The map of one element at its points. */
typedef struct hk_spectral_map {
  double x[3 * HK_MOST_NODES];       /* x[q][dim] */
  double inverse[9 * HK_MOST_NODES]; /* inverse[q][a][c] = d xi_a / d x_c */
  double volume[HK_MOST_NODES];      /* volume[q] = w_q det J */
  double weight[HK_MOST_NODES];      /* weight[q] = w_q */
  double corner[8][3];               /* vertices less the first, i + 2 j + 4 k */
} hk_spectral_map;

/* Order p when all elements are of one shape of the family of quadrilaterals or hexahedra, else 0. */
int hk_spectral_order(const hk_mesh *mesh);

/* False: det J is not above 0 at some point. Of quadrilaterals with an edge on the axis too, whose weights have no radius (hk_element.nodal). */
bool hk_spectral_map_find(const hk_mesh *mesh, hk_count element, hk_spectral_map *map);

/* Of the map at the first point alone, and its corners: inverse[0], volume[0], weight[0], corner. */
void hk_spectral_map_first(const hk_mesh *mesh, hk_count element, hk_spectral_map *map);

/* The least class that gives the nodes to 1e-9 of the element's size. */
hk_map_class hk_spectral_class(const hk_element *shape, const hk_spectral_map *map);

/* class_of[mesh element] (hk_map_class). HK_BAD_INPUT: a folded element. */
hk_status hk_spectral_classes(const hk_mesh *mesh, uint8_t *class_of);

/* mass[mesh node] = sum over elements of rho w det J, in fluids 1 / K for rho (2D: times the thickness); 0 where no element is. *element: the one whose points are
 * closest together for its wave speed. HK_BAD_INPUT: an element without region, density or volume. */
hk_status hk_spectral_mass(const hk_mesh *mesh, const hk_region *region,
                           const hk_index *element_region, double *mass, hk_index *element);
