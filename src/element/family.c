/* Shapes of order p: triangles, quadrilaterals, hexahedra and wedges, made once when the first of
 * them is needed.
 * Each shape derives from the shape of first order: a node belongs to the vertex, edge or face, or
 * to the interior, whose vertices have weight at it, and is numbered in that order. Functions are
 * products of Lagrange polynomials on Gauss-Lobatto-Legendre points (S.2), Jacobi's across a face on
 * the axis (S.16), or those of prisms (I.2); the quadrature has p + 1 Gauss points in each direction,
 * or the rules of prisms. */
#include "element/basis.h"
#include "element/gll.h"
#include "element/prism.h"
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Nodes and points of all orders of all families. */
enum { MOST_PLACES = 9000, LINES = HK_SHAPE_END - HK_TRI_P, FACES_OF_QUAD = 4 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hk_element line[LINES];
static double place[2 * MOST_PLACES][3], weights[MOST_PLACES];
static int lattice[MOST_PLACES], places, weight_count, lattices;
static char name[LINES][16];

/* Edges and faces by the set of their vertices (bits), in the order of VTK's cells. */
typedef struct cell {
  hk_shape linear;
  const char *name;
  int edges, faces;
  int edge[12], face[6];
} cell;
#define E(a, b) (1 << (a) | 1 << (b))
#define T(a, b, c) (E(a, b) | 1 << (c))
#define Q(a, b, c, d) (E(a, b) | E(c, d))
static const cell tri = {HK_TRI3, "tri", 3, 0, {E(0, 1), E(1, 2), E(2, 0)}, {0}};
static const cell quad = {HK_QUAD4, "quad", 4, 0, {E(0, 1), E(1, 2), E(2, 3), E(3, 0)}, {0}};
static const cell hex = {
    HK_HEX8,
    "hex",
    12,
    6,
    {E(0, 1), E(1, 2), E(2, 3), E(3, 0), E(4, 5), E(5, 6), E(6, 7), E(7, 4), E(0, 4), E(1, 5),
     E(2, 6), E(3, 7)},
    {Q(0, 3, 4, 7), Q(1, 2, 5, 6), Q(0, 1, 4, 5), Q(2, 3, 6, 7), Q(0, 1, 2, 3), Q(4, 5, 6, 7)}};
static const cell wedge = {
    HK_WEDGE6,
    "wedge",
    9,
    5,
    {E(0, 1), E(1, 2), E(2, 0), E(3, 4), E(4, 5), E(5, 3), E(0, 3), E(1, 4), E(2, 5)},
    {T(0, 1, 2), T(3, 4, 5), Q(0, 1, 3, 4), Q(1, 2, 4, 5), Q(2, 0, 5, 3)}};

static void tensor_functions(const hk_element *e, const double *xi, double *n, double *dn)
{
  const int side = e->order + 1, dim = e->dim;
  double l[3][HK_LINE_NODES] = {{0}}, dl[3][HK_LINE_NODES] = {{0}};
  for (int d = 0; d < dim; d++) hk_gll_functions(e->line[d], xi[d], l[d], dl[d]);
  if (dim == 2) l[2][0] = 1;
  for (int k = 0; k < (dim == 2 ? 1 : side); k++)
    for (int j = 0; j < side; j++)
      for (int i = 0; i < side; i++) {
        const int node = e->lattice[i + side * (j + side * k)];
        if (n) n[node] = l[0][i] * l[1][j] * l[2][k];
        if (!dn) continue;
        dn[node * dim] = dl[0][i] * l[1][j] * l[2][k];
        dn[node * dim + 1] = l[0][i] * dl[1][j] * l[2][k];
        if (dim == 3) dn[node * dim + 2] = l[0][i] * l[1][j] * dl[2][k];
      }
}

/* Those of element/prism.h, in the order of its nodes. */
static void prism_functions(const hk_element *e, const double *xi, double *n, double *dn)
{
  double own[HK_PRISM_NODES], slope[3 * HK_PRISM_NODES];
  if (e->dim == 2)
    hk_prism_triangle(hk_prism_of(e->order), xi, own, slope);
  else
    hk_prism_shape(hk_prism_of(e->order), xi, n ? own : NULL, dn ? slope : NULL);
  for (int i = 0; i < e->nodes; i++) {
    const int node = e->lattice[i];
    if (n) n[node] = own[i];
    for (int d = 0; dn && d < e->dim; d++) dn[e->dim * node + d] = slope[e->dim * i + d];
  }
}

/* x[nodes][3] in the lattice's order, and of the rule. */
static int lattice_points(hk_shape family, const hk_element *e, double (*x)[3])
{
  const int order = e->order, dim = e->dim, side = order + 1;
  if (family == HK_TRI_P || family == HK_WEDGE_P) {
    const hk_prism *prism = hk_prism_of(order);
    const int count = family == HK_TRI_P ? prism->triangle_nodes : prism->nodes;
    for (int i = 0; i < count; i++) {
      memcpy(x[i], prism->reference[i], sizeof *x);
      if (family == HK_TRI_P) x[i][2] = 0;
    }
    return count;
  }
  const int count = side * side * (dim == 3 ? side : 1);
  for (int i = 0; i < count; i++) {
    x[i][0] = e->line[0]->x[i % side], x[i][1] = e->line[1]->x[i / side % side];
    x[i][2] = dim == 3 ? e->line[2]->x[i / (side * side)] : 0;
  }
  return count;
}

/* Where in the list of parts a point lies: vertices, edges, faces, inside. */
static int part_of(const cell *of, const hk_element *linear, const double *x)
{
  double n[8];
  int at = linear->vertices, set = 0, single = 0;
  hk_element_functions(linear, x, n, NULL);
  for (int v = 0; v < linear->vertices; v++)
    if (fabs(n[v]) > 1e-9) set |= 1 << v, single = v;
  if (set == 1 << single) return single;
  for (int i = 0; i < of->edges; i++, at++)
    if (of->edge[i] == set) return at;
  for (int i = 0; i < of->faces; i++, at++)
    if (of->face[i] == set) return at;
  return at;
}

/* Numbers the nodes part by part, in each as the lattice lists them. */
static void number_nodes(const cell *of, hk_shape family, hk_element *e)
{
  static double x[HK_MOST_NODES][3];
  static int part[HK_MOST_NODES];
  const hk_element *linear = hk_element_of(of->linear);
  const int last = linear->vertices + of->edges + of->faces;
  int *to = lattice + lattices, count = 0;
  e->nodes = lattice_points(family, e, x);
  e->lattice = to, e->reference = place + places;
  for (int i = 0; i < e->nodes; i++) part[i] = part_of(of, linear, x[i]);
  for (int p = 0; p <= last; p++)
    for (int i = 0; i < e->nodes; i++) {
      if (part[i] != p) continue;
      to[i] = count;
      memcpy(place[places + count++], x[i], sizeof *x);
    }
  lattices += e->nodes, places += e->nodes;
}

/* The node at x; -1: none. */
static int node_at(const hk_element *e, const double *x)
{
  for (int n = 0; n < e->nodes; n++) {
    double distance = 0;
    for (int d = 0; d < e->dim; d++) distance += fabs(e->reference[n][d] - x[d]);
    if (distance < 1e-9) return n;
  }
  return -1;
}

/* Nodes of a face at the places of the nodes of its own shape, between the face's vertices. */
static void find_face(const hk_element *e, const hk_element_face *from, int axis,
                      hk_element_face *face)
{
  const bool flat = e->dim == 2;
  const hk_gll *points = hk_line_of(e->order, (hk_line_axis)axis);
  const int family = from->shape == HK_TRI3 ? HK_TRI_P : HK_QUAD_P;
  const hk_element *own = flat ? NULL : &line[family + e->order - HK_TRI_P];
  const int vertices = flat ? 2 : own->vertices;
  face->shape = flat ? HK_SHAPE_COUNT : own->shape;
  face->nodes = flat ? e->order + 1 : own->nodes;
  face->axis = axis;
  for (int k = 0; k < face->nodes; k++) {
    double n[4], x[3] = {0};
    if (flat) {
      const double s = points->x[k == 0 ? 0 : k == 1 ? e->order : k - 1];
      n[0] = (1 - s) / 2, n[1] = (1 + s) / 2;
    } else
      hk_element_functions(hk_element_of(from->shape), own->reference[k], n, NULL);
    for (int v = 0; v < vertices; v++)
      for (int d = 0; d < e->dim; d++) x[d] += n[v] * e->reference[from->node[v]][d];
    face->node[k] = node_at(e, x);
  }
}

static hk_rule keep_rule(int points, const double (*x)[3], const double *w)
{
  const hk_rule rule = {points, (const double(*)[3])(place + places), weights + weight_count};
  memcpy(place + places, x, (size_t)points * sizeof *x);
  memcpy(weights + weight_count, w, (size_t)points * sizeof *w);
  places += points, weight_count += points;
  return rule;
}

/* Products of Gauss's rule of order + 1 points; wedges: that of Table 1 of Banas et al. */
static hk_rule rule_of(hk_shape family, int order)
{
  static double x[HK_MOST_POINTS][3], w[HK_MOST_POINTS];
  const int side = order + 1, dim = family == HK_HEX_P ? 3 : 2;
  if (family == HK_WEDGE_P) {
    const hk_prism_rule *r = hk_prism_rule_of(order);
    return (hk_rule){r->points, r->point, r->weight};
  }
  if (family == HK_TRI_P) {
    const hk_prism_rule *r = hk_prism_rule_of(order);
    for (int q = 0; q < r->triangle_points; q++) {
      x[q][0] = r->triangle[q][0], x[q][1] = r->triangle[q][1], x[q][2] = 0;
      w[q] = r->triangle_weight[q];
    }
    return keep_rule(r->triangle_points, (const double(*)[3])x, w);
  }
  const hk_gauss *g = hk_gauss_of(side);
  const int points = side * side * (dim == 3 ? side : 1);
  for (int q = 0; q < points; q++) {
    const int i = q % side, j = q / side % side, k = q / (side * side);
    x[q][0] = g->x[i], x[q][1] = g->x[j], x[q][2] = dim == 3 ? g->x[k] : 0;
    w[q] = g->w[i] * g->w[j] * (dim == 3 ? g->w[k] : 1);
  }
  return keep_rule(points, (const double(*)[3])x, w);
}

/* Of quadrilaterals the nodes, lattice point by point: (S.3) with the weights of the lines. */
static hk_rule nodal_rule(const hk_element *e, const int axis[2])
{
  const int side = e->order + 1;
  double *w = weights + weight_count;
  for (int q = 0; q < e->nodes; q++)
    w[e->lattice[q]] = hk_line_weight(e->line[0], (hk_line_axis)axis[0], q % side) *
                       hk_line_weight(e->line[1], (hk_line_axis)axis[1], q / side);
  weight_count += e->nodes;
  return (hk_rule){e->nodes, e->reference, w};
}

/* The quadrilateral with face `at` on the axis, points of Jacobi's across it; at < 0: none is. Faces run around the element, those beside `at`
 * to and from it. */
static void make_quad(int order, int at)
{
  static const int across[FACES_OF_QUAD] = {1, 0, 1,
                                            0}; /* direction, and the end where a face lies */
  static const hk_line_axis end[FACES_OF_QUAD] = {HK_AXIS_FIRST, HK_AXIS_LAST, HK_AXIS_LAST,
                                                  HK_AXIS_FIRST};
  const hk_element *linear = hk_element_of(HK_QUAD4), *plain = &line[HK_QUAD_P + order - HK_TRI_P];
  const int shape = at < 0 ? HK_QUAD_P + order : HK_AXIS_P + 10 * at + order;
  hk_element *e = &line[shape - HK_TRI_P];
  int axis[2] = {HK_NO_AXIS, HK_NO_AXIS};
  if (at >= 0) {
    (void)snprintf(name[shape - HK_TRI_P], sizeof *name, "quad-p%d-axis%d", order, at + 1);
    *e = *plain;
    e->name = name[shape - HK_TRI_P], e->shape = (hk_shape)shape;
    axis[across[at]] = (int)end[at];
    e->line[across[at]] = hk_line_of(order, end[at]);
    number_nodes(&quad, HK_QUAD_P, e);
  }
  for (int f = 0; f < FACES_OF_QUAD; f++)
    find_face(e, &linear->face[f],
              at < 0 || (f - at) % 2 == 0                     ? HK_NO_AXIS
              : (f - at + FACES_OF_QUAD) % FACES_OF_QUAD == 1 ? HK_AXIS_FIRST
                                                              : HK_AXIS_LAST,
              &e->face[f]);
  e->nodal = nodal_rule(e, axis);
}

static void make_line(const cell *of, hk_shape family, int order)
{
  const hk_element *linear = hk_element_of(of->linear);
  const int at = (int)family + order - HK_TRI_P;
  hk_element *e = &line[at];
  (void)snprintf(name[at], sizeof *name, "%s-p%d", of->name, order);
  *e = (hk_element){.name = name[at],
                    .shape = (hk_shape)((int)family + order),
                    .dim = linear->dim,
                    .order = order,
                    .vertices = linear->vertices,
                    .simplex = linear->simplex,
                    .volume = linear->volume,
                    .faces = linear->faces,
                    .functions = family == HK_QUAD_P || family == HK_HEX_P ? tensor_functions
                                                                           : prism_functions,
                    .full = rule_of(family, order)};
  e->exact = e->reduced = e->mass = e->full;
  for (int d = 0; e->functions == tensor_functions && d < 3; d++) e->line[d] = hk_gll_of(order);
  number_nodes(of, family, e);
  for (int f = 0; f < e->faces && family != HK_QUAD_P; f++)
    find_face(e, &linear->face[f], HK_NO_AXIS, &e->face[f]);
  for (int f = -1; f < FACES_OF_QUAD && family == HK_QUAD_P; f++)
    if (f < 0 || order > 1) make_quad(order, f);
}

static void make(void)
{
  for (int p = 1; p <= HK_MOST_ORDER; p++) {
    if (p <= HK_PRISM_ORDERS) make_line(&tri, HK_TRI_P, p);
    make_line(&quad, HK_QUAD_P, p);
    if (p <= HK_PRISM_ORDERS) make_line(&wedge, HK_WEDGE_P, p);
    make_line(&hex, HK_HEX_P, p);
  }
  assert(places <= 2 * MOST_PLACES && weight_count <= MOST_PLACES && lattices <= MOST_PLACES);
}

const hk_element *hk_family_of(hk_shape shape)
{
  pthread_once(&once, make);
  return &line[shape - HK_TRI_P];
}

hk_shape hk_shape_raised(hk_shape shape, int order)
{
  int family = HK_SHAPE_COUNT, most = HK_MOST_ORDER;
  switch (hk_shape_linear(shape)) {
  case HK_TRI3: return order == 2 ? HK_TRI6 : HK_SHAPE_COUNT;
  case HK_TET4: return order == 2 ? HK_TET10 : HK_SHAPE_COUNT;
  case HK_QUAD4: family = HK_QUAD_P; break;
  case HK_HEX8: family = HK_HEX_P; break;
  case HK_WEDGE6: family = HK_WEDGE_P, most = HK_PRISM_ORDERS; break;
  default: return HK_SHAPE_COUNT;
  }
  return order < 1 || order > most ? HK_SHAPE_COUNT : (hk_shape)(family + order);
}

hk_shape hk_shape_on_axis(int order, int face)
{
  return (hk_shape)(HK_AXIS_P + 10 * face + order);
}

int hk_shape_axis(hk_shape shape)
{
  return (int)shape > HK_AXIS_P ? ((int)shape - HK_AXIS_P - 1) / 10 : -1;
}

bool hk_shape_quad_family(hk_shape shape)
{
  return ((int)shape > HK_QUAD_P && (int)shape <= HK_QUAD_P + HK_MOST_ORDER) ||
         hk_shape_axis(shape) >= 0;
}

static bool is_linear_of(const hk_element *linear, const hk_element *e)
{
  return linear->order == 1 && linear->dim == e->dim && linear->vertices == e->vertices;
}

hk_shape hk_shape_linear(hk_shape shape)
{
  const hk_element *e = hk_element_of(shape);
  int s = 0;
  while (!is_linear_of(hk_element_of((hk_shape)s), e)) s++;
  return (hk_shape)s;
}
