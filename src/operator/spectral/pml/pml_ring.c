/* Elements of axisymmetric models in a perfectly matched layer (S.18): the map and the weights 2 pi r w det J of their nodes, which across an edge on
 * the axis are Gauss-Lobatto-Jacobi points (S.16), 1 / r there, the derivatives along each direction, and the stiffness of (E.13). */
#include "operator/spectral/pml/pml_ring.h"
#include "element/gll.h"
#include "operator/element/ring.h"

/* Those without an axis, with it at the first and at the last end. */
enum { LINES = 3 };

void hk_pml_ring_shape(const hk_element *element, const double *x, int q, double shape[6])
{
  const int node = element->lattice[q];
  double dn[2 * HK_MOST_NODES], slope[2][2] = {{0}};
  hk_element_functions(element, element->nodal.point[node], NULL, dn);
  for (int n = 0; n < element->nodes; n++)
    for (int c = 0; c < 2; c++)
      for (int a = 0; a < 2; a++) slope[c][a] += x[2 * n + c] * dn[2 * n + a];
  const double det = slope[0][0] * slope[1][1] - slope[0][1] * slope[1][0],
               r = hk_ring_radius(element, x, x[2 * node]);
  shape[0] = slope[1][1] / det, shape[1] = -slope[0][1] / det;
  shape[2] = -slope[1][0] / det, shape[3] = slope[0][0] / det;
  shape[4] = element->nodal.weight[node] * det * hk_ring_depth(element, x, r, dn);
  shape[5] = r > 0 ? 1 / r : 0;
}

void hk_pml_ring_law(const hk_region *region, double *parameter)
{
  double d[16];
  hk_region_ring_stiffness(region, d);
  for (int i = 0; i < 4; i++)
    for (int j = i; j < 4; j++) *parameter++ = d[4 * i + j];
}

hk_index hk_pml_ring_line(const hk_element *element, int a)
{
  const int size = (element->order + 1) * (element->order + 1);
  return (hk_index)((int)hk_line_axis_of(element->line[a]) * size);
}

int hk_pml_ring_lines(int order, double *line)
{
  const int size = (order + 1) * (order + 1);
  for (int k = 0; k < LINES; k++)
    for (int i = 0; i < size; i++) line[k * size + i] = hk_line_of(order, (hk_line_axis)k)->d[i];
  return LINES * size;
}
