/* Consistent nodal forces on the host: f[node][component] += integral N_n t dA over faces (pressure, traction, flux) and integral N_n b dV
 * over elements (body force, heat, gravity, centrifugal), by the quadrature of face or element; formulas are
 * evaluated at the points. 2D: times the thickness, axisymmetric times 2 pi r. */
#include "element/face.h"
#include "load/rows.h"
#include <math.h>

/* Nodes of one face (or element) and their coordinates x[nodes][dim]. */
typedef struct patch {
  int nodes;
  hk_index node[HK_MOST_NODES];
  double x[3 * HK_MOST_NODES];
  const hk_region *region; /* NULL: none */
  double density;
  bool reduced; /* its loads are integrated by the reduced rules */
} patch;

static void gather(const hk_load_domain *d, hk_count e, int nodes, const int *which, patch *p)
{
  const hk_mesh *mesh = d->mesh;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const int region = d->element_region[e];
  p->nodes = nodes;
  p->region = region >= 0 ? &d->region[region] : NULL;
  p->reduced = hk_face_reduced(hk_element_of(hk_mesh_block_of(mesh, e)->shape),
                               region >= 0 ? d->region[region].integration : HK_INTEGRATION_FULL);
  p->density = region >= 0 ? fmax(d->region[region].material.density, 0) : 0;
  for (int n = 0; n < nodes; n++) {
    p->node[n] = node[which ? which[n] : n];
    for (int c = 0; c < mesh->dim; c++)
      p->x[n * mesh->dim + c] = mesh->x[(hk_count)p->node[n] * mesh->dim + c];
  }
}

/* The depth normal to the plane of a 2D mesh at a point. */
static double depth_at(const hk_load_domain *d, const patch *p, const double *n)
{
  double x[3];
  if (!p->region) return 1;
  hk_element_place(d->mesh->dim, p->nodes, n, p->x, x);
  return hk_region_depth(p->region, d->mesh->dim, x);
}

/* Volumes and masses by the element's own points, what varies by more: radii do too, unless the stiffness has the reduced points. */
static hk_rule rule_of(const hk_load_domain *d, const hk_element *shape, const patch *p)
{
  const bool ring = p->region && d->mesh->dim == 2 && p->region->plane == HK_AXISYMMETRIC;
  if (d->by[0] || (ring && !p->reduced)) return shape->mass;
  return p->reduced ? shape->reduced : shape->exact;
}

/* Factor of the load where the nodes' shape functions are n[nodes]. */
static double factor_at(const hk_load_domain *d, const patch *p, const double *n)
{
  double x[3], t = 0, factor = 1;
  if (!d->by[0] && !d->by[1]) return factor;
  hk_element_place(d->mesh->dim, p->nodes, n, p->x, x);
  for (int k = 0; d->t && k < p->nodes; k++) t += n[k] * d->t[p->node[k]];
  for (int i = 0; i < 2; i++)
    if (d->by[i]) factor *= hk_formula_value_warm(d->by[i], x, t, NULL);
  return factor;
}

/* Components of the load on a node. */
static int places(const hk_load_domain *d, const hk_load_density *what)
{
  return what->scalar ? 1 : what->components ? what->components : d->mesh->dim;
}

static hk_count place_of(const hk_load_domain *d, const hk_load_density *what, hk_index node, int c)
{
  if (!what->scalar) return (hk_count)node * places(d, what) + c;
  return (hk_count)node * (what->components ? what->components : 1) + what->component;
}

/* The vector per area times |n| - pressure n, n the normal times the area. */
static void add_face(const hk_load_domain *d, hk_count i, const hk_load_density *what, double *f)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(d->mesh, d->element[i])->shape);
  const hk_element_face *face = &element->face[d->face[i]];
  patch p;
  gather(d, d->element[i], face->nodes, face->node, &p);
  const int points = hk_face_points(element, face, p.reduced);
  for (int q = 0; q < points; q++) {
    double n[HK_MOST_FACE_NODES], normal[3];
    double w = hk_face_point(element, face, p.reduced, q, p.x, n, normal);
    w *= depth_at(d, &p, n) * factor_at(d, &p, n);
    const double area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int k = 0; k < p.nodes; k++)
      for (int c = 0; c < places(d, what); c++)
        f[place_of(d, what, p.node[k], c)] +=
            w * n[k] * (what->vector[c] * area - what->pressure * normal[c]);
  }
}

/* vector + omega2 (x - at without its part along the axis) */
static void force_at(const hk_load_density *b, const double *x, int dim, double force[3])
{
  double arm[3] = {0}, along = 0;
  for (int c = 0; c < 3; c++) force[c] = b->vector[c];
  if (b->omega2 == 0) return;
  for (int c = 0; c < 3; c++) {
    arm[c] = (c < dim ? x[c] : 0) - b->at[c];
    along += arm[c] * b->axis[c];
  }
  for (int c = 0; c < 3; c++) force[c] += b->omega2 * (arm[c] - along * b->axis[c]);
}

/* The force per volume. */
static void add_element(const hk_load_domain *d, hk_count i, const hk_load_density *what, double *f)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(d->mesh, d->element[i])->shape);
  patch p;
  gather(d, d->element[i], element->nodes, NULL, &p);
  const double scale = what->by_density ? p.density : 1;
  const hk_rule rule = rule_of(d, element, &p);
  for (int q = 0; q < rule.points; q++) {
    double n[HK_MOST_NODES], g[3 * HK_MOST_NODES], x[3], force[3];
    const double det = hk_element_physical(element, rule.point[q], p.x, g);
    hk_element_functions(element, rule.point[q], n, NULL);
    const double w = scale * det * rule.weight[q] * depth_at(d, &p, n) * factor_at(d, &p, n);
    hk_element_place(element->dim, p.nodes, n, p.x, x);
    force_at(what, x, element->dim, force);
    for (int k = 0; k < p.nodes; k++)
      for (int c = 0; c < places(d, what); c++)
        f[place_of(d, what, p.node[k], c)] += w * n[k] * force[c];
  }
}

static double area_of(const hk_load_domain *d, hk_count i)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(d->mesh, d->element[i])->shape);
  const hk_element_face *face = &element->face[d->face[i]];
  double area = 0;
  patch p;
  gather(d, d->element[i], face->nodes, face->node, &p);
  for (int q = 0; q < hk_face_points(element, face, p.reduced); q++) {
    double n[HK_MOST_FACE_NODES], normal[3];
    const double w = hk_face_point(element, face, p.reduced, q, p.x, n, normal);
    area += w * depth_at(d, &p, n) *
            sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  }
  return area;
}

static double volume_of(const hk_load_domain *d, hk_count i)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(d->mesh, d->element[i])->shape);
  double volume = 0;
  patch p;
  gather(d, d->element[i], element->nodes, NULL, &p);
  const hk_rule rule = rule_of(d, element, &p);
  for (int q = 0; q < rule.points; q++) {
    double n[HK_MOST_NODES], g[3 * HK_MOST_NODES];
    hk_element_functions(element, rule.point[q], n, NULL);
    volume +=
        rule.weight[q] * depth_at(d, &p, n) * hk_element_physical(element, rule.point[q], p.x, g);
  }
  return volume;
}

double hk_load_measure(const hk_load_domain *d)
{
  double all = 0;
  for (hk_count i = 0; i < d->count; i++) all += (d->face ? area_of : volume_of)(d, i);
  return all;
}

void hk_load_spread(const hk_load_domain *d, const hk_load_density *what, double *f)
{
  for (hk_count i = 0; i < d->count; i++) (d->face ? add_face : add_element)(d, i, what, f);
}
