/* Elements of order p as VTK's Lagrange cells (types 70, 72 and 73), and their refinement into
 * p^dim linear cells for pictures. VTK takes the nodes of such a cell for equidistant, so its
 * drawing between the nodes is approximate; at the nodes it is exact. Files of version 1 order two
 * upright edges of a hexahedron differently from VTK 9; hk_lagrange_swap converts between both. */
#include "result/field_grid.h"
#include "element/gll.h"
#include "element/prism.h"
#include <string.h>

enum { QUADRILATERAL = 70, HEXAHEDRON = 72, WEDGE = 73 };
enum { VTK_QUAD = 9, VTK_HEX = 12, VTK_WEDGE = 13 };

int hk_lagrange_type(hk_shape shape)
{
  const hk_element *e = hk_element_of(shape);
  return e->dim == 2 ? QUADRILATERAL : e->vertices == 8 ? HEXAHEDRON : WEDGE;
}

static int family_of(int type)
{
  return type == QUADRILATERAL ? HK_QUAD_P
         : type == HEXAHEDRON  ? HK_HEX_P
         : type == WEDGE       ? HK_WEDGE_P
                               : 0;
}

hk_shape hk_shape_of_cell(int type, hk_count nodes)
{
  const int family = family_of(type), most = type == WEDGE ? HK_PRISM_ORDERS : HK_MOST_ORDER;
  const hk_shape listed = hk_shape_of_vtk(type);
  if (listed != HK_SHAPE_COUNT)
    return hk_element_of(listed)->nodes == nodes ? listed : HK_SHAPE_COUNT;
  for (int p = 1; family && p <= most; p++)
    if (hk_element_of((hk_shape)(family + p))->nodes == nodes) return (hk_shape)(family + p);
  return HK_SHAPE_COUNT;
}

int hk_lagrange_parts(hk_shape shape)
{
  const hk_element *e = hk_element_of(shape);
  if (hk_shape_listed(shape)) return 1;
  return e->order * e->order * (e->dim == 3 ? e->order : 1);
}

bool hk_lagrange_any(const hk_field_grid *g)
{
  for (hk_count e = 0; e < g->cells; e++)
    if (family_of(g->type[e])) return true;
  return false;
}

static hk_shape shape_of(const hk_field_grid *g, hk_count cell)
{
  return hk_shape_of_cell(g->type[cell], g->offset[cell + 1] - g->offset[cell]);
}

void hk_lagrange_swap(const hk_field_grid *g, int64_t *link)
{
  for (hk_count e = 0; e < g->cells; e++) {
    if (g->type[e] != HEXAHEDRON) continue;
    const int between = hk_element_of(shape_of(g, e))->order - 1;
    int64_t *third = link + g->offset[e] + 8 + 10 * between, *fourth = third + between;
    for (int k = 0; k < between; k++) {
      const int64_t kept = third[k];
      third[k] = fourth[k], fourth[k] = kept;
    }
  }
}

/* Number of the node i steps along edge 0 1 and j along 0 2 of a triangle of element/prism.h. */
static int triangle_node(int p, int i, int j)
{
  const int between = p - 1;
  if (i == 0 && j == 0) return 0;
  if (i == p) return 1;
  if (j == p) return 2;
  if (j == 0) return 2 + i;
  if (i + j == p) return 2 + between + j;
  if (i == 0) return 3 + 2 * between + p - j - 1;
  int at = 3 + 3 * between;
  for (int row = 1; row < j; row++) at += p - row - 1;
  return at + i - 1;
}

/* at: places in the lattice; without a lattice all nodes. */
static void put_cell(hk_field_grid *g, uint8_t type, int nodes, const int64_t *link,
                     const int *lattice, const int *at)
{
  g->type[g->cells++] = type;
  for (int k = 0; k < nodes; k++) g->link[g->links++] = link[lattice ? lattice[at[k]] : k];
  g->offset[g->cells] = g->links;
}

static void refine_wedge(const hk_element *e, const int64_t *link, hk_field_grid *to)
{
  const int p = e->order, layer = (p + 1) * (p + 2) / 2;
  for (int k = 0; k < p; k++)
    for (int j = 0; j < p; j++)
      for (int i = 0; i + j < p; i++)
        for (int over = 0; over < (i + j < p - 1 ? 2 : 1); over++) {
          int at[6];
          at[0] = k * layer + (over ? triangle_node(p, i + 1, j) : triangle_node(p, i, j));
          at[1] = k * layer + (over ? triangle_node(p, i + 1, j + 1) : triangle_node(p, i + 1, j));
          at[2] = k * layer + triangle_node(p, i, j + 1);
          for (int v = 0; v < 3; v++) at[3 + v] = at[v] + layer;
          put_cell(to, VTK_WEDGE, 6, link, e->lattice, at);
        }
}

static void refine_product(const hk_element *e, const int64_t *link, hk_field_grid *to)
{
  const int p = e->order, side = p + 1, layer = side * side;
  const bool solid = e->dim == 3;
  for (int k = 0; k < (solid ? p : 1); k++)
    for (int j = 0; j < p; j++)
      for (int i = 0; i < p; i++) {
        const int first = i + side * j + layer * k;
        const int at[8] = {
            first,         first + 1,         first + side + 1,         first + side,
            first + layer, first + layer + 1, first + layer + side + 1, first + layer + side};
        put_cell(to, solid ? VTK_HEX : VTK_QUAD, solid ? 8 : 4, link, e->lattice, at);
      }
}

static void count_cells(const hk_field_grid *g, hk_count *cells, hk_count *links)
{
  for (hk_count e = 0; e < g->cells; e++) {
    const hk_element *element = hk_element_of(shape_of(g, e));
    const hk_count p = element->order;
    if (!family_of(g->type[e])) {
      *cells += 1, *links += element->nodes;
      continue;
    }
    const hk_count own = p * p * (element->dim == 3 ? p : 1);
    *cells += own, *links += own * element->vertices;
  }
}

hk_status hk_lagrange_refine(const hk_field_grid *g, hk_field_grid **out)
{
  hk_status status = HK_OK;
  hk_field_grid *to = NULL;
  hk_count cells = 0, links = 0;
  count_cells(g, &cells, &links);
  HK_TRY(hk_new(&to));
  HK_TRY(hk_field_grid_get(to, g->nodes, cells, links));
  to->nodes = g->nodes;
  memcpy(to->point, g->point, (size_t)g->nodes * 3 * sizeof *to->point);
  for (hk_count e = 0; e < g->cells; e++) {
    const hk_element *element = hk_element_of(shape_of(g, e));
    const int64_t *link = g->link + g->offset[e];
    if (!family_of(g->type[e]))
      put_cell(to, g->type[e], element->nodes, link, NULL, NULL);
    else
      (g->type[e] == WEDGE ? refine_wedge : refine_product)(element, link, to);
  }
  *out = to, to = NULL;
cleanup:
  hk_field_grid_destroy(&to);
  return status;
}
