/* What a perfectly matched layer takes of elements of axisymmetric models: the arrays of solver/explicit/matched/pml.k.h, RING. */
#pragma once
#include "element/element.h"
#include "physics/material.h"

enum { HK_PML_RING_LAW = 10, HK_PML_RING_LINES = 3 * 121 }; /* 121: of order 10 */

/* d xi_a / d x_c by rows a, 2 pi r w det J and 1 / r (0 on the axis) of lattice point q of an element at x[nodes][2]. */
void hk_pml_ring_shape(const hk_element *element, const double *x, int q, double shape[6]);
/* parameter[HK_PML_RING_LAW]: the upper triangle of the stiffness, xx yy xy zz. */
void hk_pml_ring_law(const hk_region *region, double *parameter);
/* Where the derivatives along direction a of the element begin in line[], which the next fills; how many numbers these are. */
hk_index hk_pml_ring_line(const hk_element *element, int a);
int hk_pml_ring_lines(int order, double *line);
