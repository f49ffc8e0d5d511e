/* Consistent nodal forces of tractions on faces and of forces in volumes. */
#include "element/element.h"
#include "load/rows.h"
#include <math.h>
#include <string.h>

/* Nodes of one face (or element) and their coordinates x[nodes][dim]. */
typedef struct patch {
  int nodes;
  hk_index node[HK_MOST_NODES];
  double x[3 * HK_MOST_NODES];
  double thickness, density;
  bool reduced; /* its loads are integrated by the reduced rules */
} patch;

/* Elements of second order have their loads integrated as their stiffness, as in CalculiX: its wedges of 15 nodes have two points a
 * direction on quadrilaterals. Those of first order exactly. */
static bool is_reduced(const hk_element *element, hk_integration integration)
{
  return element->order == 2 &&
         (integration == HK_INTEGRATION_REDUCED || element->shape == HK_WEDGE15);
}

static void gather(const hk_load_domain *d, hk_count e, int nodes, const int *which, patch *p)
{
  const hk_mesh *mesh = d->mesh;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const int region = d->element_region[e];
  p->nodes = nodes;
  p->thickness = mesh->dim == 2 && region >= 0 ? d->region[region].thickness : 1;
  p->reduced = is_reduced(hk_element_of(hk_mesh_block_of(mesh, e)->shape),
                          region >= 0 ? d->region[region].integration : HK_INTEGRATION_FULL);
  p->density = region >= 0 ? fmax(d->region[region].material.density, 0) : 0;
  for (int n = 0; n < nodes; n++) {
    p->node[n] = node[which ? which[n] : n];
    for (int c = 0; c < mesh->dim; c++)
      p->x[n * mesh->dim + c] = mesh->x[(hk_count)p->node[n] * mesh->dim + c];
  }
}

/* Volumes and masses by the element's own points. */
static hk_rule rule_of(const hk_element *shape, const patch *p)
{
  return p->reduced ? shape->reduced : (hk_rule){shape->points, shape->point, shape->weight};
}

/* Shape functions of a line on -1 .. 1: the ends, then the middle. */
static void line_functions(int nodes, double s, double n[3], double dn[3])
{
  if (nodes == 2) {
    n[0] = (1 - s) / 2, n[1] = (1 + s) / 2;
    dn[0] = -0.5, dn[1] = 0.5;
  } else {
    n[0] = s * (s - 1) / 2, n[1] = s * (s + 1) / 2, n[2] = 1 - s * s;
    dn[0] = s - 0.5, dn[1] = s + 0.5, dn[2] = -2 * s;
  }
}

/* Shape functions n[] and outward normal times dA / d(xi) at quadrature point q; the weight. Lines:
 * the body lies to the left, from the first end to the second. */
static double line_point(const patch *p, int q, double *n, double normal[3])
{
  static const double point[2][3] = {{-0.7745966692414834, 0, 0.7745966692414834},
                                     {-0.5773502691896257, 0.5773502691896257}};
  static const double weight[2][3] = {{5.0 / 9, 8.0 / 9, 5.0 / 9}, {1, 1}};
  double dn[3];
  line_functions(p->nodes, point[p->reduced][q], n, dn);
  normal[0] = normal[1] = normal[2] = 0;
  for (int i = 0; i < p->nodes; i++) {
    normal[0] += p->x[2 * i + 1] * dn[i];
    normal[1] -= p->x[2 * i] * dn[i];
  }
  return weight[p->reduced][q] * p->thickness;
}

static double surface_point(const hk_element *shape, const hk_rule *rule, const patch *p, int q,
                            double *n, double normal[3])
{
  double dn[2 * HK_MOST_FACE_NODES], a[3] = {0}, b[3] = {0};
  shape->shape_functions(rule->point[q], n);
  shape->gradients(rule->point[q], dn);
  for (int i = 0; i < p->nodes; i++)
    for (int c = 0; c < 3; c++)
      a[c] += p->x[3 * i + c] * dn[2 * i], b[c] += p->x[3 * i + c] * dn[2 * i + 1];
  for (int c = 0; c < 3; c++)
    normal[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
  return rule->weight[q];
}

/* f += int N (traction |n| - pressure n) over each face, n the normal times the area. */
static void add_faces(const hk_load_domain *d, double pressure, const double traction[3], double *f)
{
  const int dim = d->mesh->dim;
  for (hk_count i = 0; i < d->count; i++) {
    const hk_block *block = hk_mesh_block_of(d->mesh, d->element[i]);
    const hk_element_face *face = &hk_element_of(block->shape)->face[d->face[i]];
    const hk_element *shape = dim == 3 ? hk_element_of(face->shape) : NULL;
    patch p;
    gather(d, d->element[i], face->nodes, face->node, &p);
    const hk_rule rule = shape ? rule_of(shape, &p) : (hk_rule){.points = p.reduced ? 2 : 3};
    for (int q = 0; q < rule.points; q++) {
      double n[HK_MOST_FACE_NODES], normal[3];
      const double w =
          shape ? surface_point(shape, &rule, &p, q, n, normal) : line_point(&p, q, n, normal);
      const double area =
          sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
      for (int k = 0; k < p.nodes; k++)
        for (int c = 0; c < dim; c++)
          f[(hk_count)p.node[k] * dim + c] +=
              w * n[k] * (traction[c] * area - pressure * normal[c]);
    }
  }
}

void hk_load_pressure(const hk_load_domain *faces, double pressure, double *f)
{
  static const double none[3] = {0};
  add_faces(faces, pressure, none, f);
}

void hk_load_traction(const hk_load_domain *faces, const double traction[3], double *f)
{
  add_faces(faces, 0, traction, f);
}

typedef struct body_force { /* vector + omega2 (x - at without its part along the axis) */
  const double *vector;
  double omega2;
  const double *at, *axis;
  bool by_density;
} body_force;

static void force_at(const body_force *b, const double *x, int dim, double force[3])
{
  double arm[3] = {0}, along = 0;
  for (int c = 0; c < 3; c++) force[c] = b->vector ? b->vector[c] : 0;
  if (b->omega2 == 0) return;
  for (int c = 0; c < 3; c++) {
    arm[c] = (c < dim ? x[c] : 0) - b->at[c];
    along += arm[c] * b->axis[c];
  }
  for (int c = 0; c < 3; c++) force[c] += b->omega2 * (arm[c] - along * b->axis[c]);
}

static void add_elements(const hk_load_domain *d, const body_force *b, double *f)
{
  const int dim = d->mesh->dim;
  for (hk_count i = 0; i < d->count; i++) {
    const hk_element *element = hk_element_of(hk_mesh_block_of(d->mesh, d->element[i])->shape);
    patch p;
    gather(d, d->element[i], element->nodes, NULL, &p);
    const double scale = p.thickness * (b->by_density ? p.density : 1);
    const hk_rule rule = rule_of(element, &p);
    for (int q = 0; q < rule.points; q++) {
      double n[HK_MOST_NODES], g[3 * HK_MOST_NODES], x[3] = {0}, force[3];
      const double det = hk_element_physical(element, rule.point[q], p.x, g);
      const double w = scale * det * rule.weight[q];
      element->shape_functions(rule.point[q], n);
      for (int k = 0; k < p.nodes; k++)
        for (int c = 0; c < dim; c++) x[c] += n[k] * p.x[k * dim + c];
      force_at(b, x, dim, force);
      for (int k = 0; k < p.nodes; k++)
        for (int c = 0; c < dim; c++) f[(hk_count)p.node[k] * dim + c] += w * n[k] * force[c];
    }
  }
}

void hk_load_body(const hk_load_domain *elements, const double force[3], double *f)
{
  add_elements(elements, &(body_force){.vector = force}, f);
}

void hk_load_gravity(const hk_load_domain *elements, const double acceleration[3], double *f)
{
  add_elements(elements, &(body_force){.vector = acceleration, .by_density = true}, f);
}

void hk_load_centrifugal(const hk_load_domain *elements, double omega2, const double at[3],
                         const double axis[3], double *f)
{
  add_elements(elements,
               &(body_force){.omega2 = omega2, .at = at, .axis = axis, .by_density = true}, f);
}
