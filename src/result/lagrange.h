/* VTK's Lagrange cells: elements of order p, whose nodes are in VTK's order already (hk_shape). VTK takes the nodes for equidistant ones,
 * so that what it draws between them is off by what its map of the element is off; at the nodes it is exact. */
#ifndef HK_RESULT_LAGRANGE_H
#define HK_RESULT_LAGRANGE_H
#include "element/element.h"
#include "result/field_grid.h"

/* Shape of a cell with so many nodes; HK_SHAPE_COUNT if hooke has none. */
hk_shape hk_shape_of_cell(int type, hk_count nodes);
/* VTK's type of an element of a family. */
int hk_lagrange_type(hk_shape shape);

bool hk_lagrange_any(const hk_field_grid *grid);
/* link[links]: cells of order p between the order of VTK 9, which the grid has, and that of files of version 1, in which hexahedra have
 * the third and the fourth of the edges along z the other way around. */
void hk_lagrange_swap(const hk_field_grid *grid, int64_t *link);
/* The same nodes in quadrilaterals, hexahedra and wedges of first order, p along each edge. */
hk_status hk_lagrange_refine(const hk_field_grid *grid, hk_field_grid **out);
#endif
