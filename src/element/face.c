/* Integrals over the faces of elements: shape functions, outward normal times dA, and weight at
 * each quadrature point.
 * A face of a 3D element uses the quadrature of its own shape, an edge of a 2D element the Gauss
 * points of a line; reduced rules follow CalculiX (face.h). Lumped integrals use the nodes of the
 * face as quadrature points. */
#include "element/face.h"
#include "element/gll.h"
#include <math.h>

bool hk_face_reduced(const hk_element *element, hk_integration integration)
{
  return element->order == 2 && hk_shape_listed(element->shape) &&
         (integration == HK_INTEGRATION_REDUCED || element->shape == HK_WEDGE15);
}

static hk_rule rule_of(const hk_element_face *face, bool reduced)
{
  const hk_element *shape = hk_element_of(face->shape);
  return reduced ? shape->reduced : shape->exact;
}

int hk_face_points(const hk_element *element, const hk_element_face *face, bool reduced)
{
  if (element->dim == 2) return reduced ? 2 : element->order < 3 ? 3 : element->order + 1;
  return rule_of(face, reduced).points;
}

/* Place along a line of its node k: the ends come first, then those between. */
static int along_line(int nodes, int k)
{
  return k == 0 ? 0 : k == 1 ? nodes - 1 : k - 1;
}

/* The body lies to the left, from the first end to the second. */
static void line_normal(int nodes, const double *x, const double *dn, double normal[3])
{
  normal[0] = normal[1] = normal[2] = 0;
  for (int i = 0; i < nodes; i++) {
    normal[0] += x[2 * i + 1] * dn[i];
    normal[1] -= x[2 * i] * dn[i];
  }
}

static const hk_gll *line_of(const hk_element_face *face)
{
  return hk_line_of(face->nodes - 1, (hk_line_axis)face->axis);
}

static double line_point(const hk_element_face *face, int points, int q, const double *x, double *n,
                         double normal[3])
{
  const hk_gauss *gauss = hk_gauss_of(points);
  const int nodes = face->nodes;
  double l[HK_LINE_NODES], dl[HK_LINE_NODES], dn[HK_LINE_NODES];
  hk_gll_functions(line_of(face), gauss->x[q], l, dl);
  for (int k = 0; k < nodes; k++) {
    const int from = along_line(nodes, k);
    n[k] = l[from], dn[k] = dl[from];
  }
  line_normal(nodes, x, dn, normal);
  return gauss->w[q];
}

static void surface_normal(int nodes, const double *x, const double *dn, double normal[3])
{
  double a[3] = {0}, b[3] = {0};
  for (int i = 0; i < nodes; i++)
    for (int c = 0; c < 3; c++)
      a[c] += x[3 * i + c] * dn[2 * i], b[c] += x[3 * i + c] * dn[2 * i + 1];
  for (int c = 0; c < 3; c++)
    normal[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

static double surface_point(const hk_element_face *face, bool reduced, int q, const double *x,
                            double *n, double normal[3])
{
  const hk_element *shape = hk_element_of(face->shape);
  const hk_rule rule = rule_of(face, reduced);
  double dn[2 * HK_MOST_FACE_NODES];
  hk_element_functions(shape, rule.point[q], n, dn);
  surface_normal(face->nodes, x, dn, normal);
  return rule.weight[q];
}

double hk_face_point(const hk_element *element, const hk_element_face *face, bool reduced, int q,
                     const double *x, double *n, double normal[3])
{
  return element->dim == 2
             ? line_point(face, hk_face_points(element, face, reduced), q, x, n, normal)
             : surface_point(face, reduced, q, x, n, normal);
}

static double factor_at(const hk_face_factor *h, int nodes, const double *n, const double at[3])
{
  double t = 0, slope = 0;
  if (!h->by) return 1;
  for (int k = 0; h->t && k < nodes; k++) t += n[k] * h->t[k];
  const double value = hk_formula_value_warm(h->by, at, t, &slope);
  if (!h->tangent) return value;
  return value + slope * (t - h->sink * (h->sink_by ? hk_formula_value(h->sink_by, at) : 1));
}

void hk_face_mass(const hk_element *element, const hk_element_face *face, bool reduced,
                  double scale, const hk_face_factor *h, const double *x, double *m)
{
  const int points = hk_face_points(element, face, reduced);
  for (int q = 0; q < points; q++) {
    double n[HK_MOST_FACE_NODES], normal[3], at[3];
    double w = scale * hk_face_point(element, face, reduced, q, x, n, normal);
    hk_element_place(element->dim, face->nodes, n, x, at);
    w *= factor_at(h, face->nodes, n, at) * (h->ring ? 2 * M_PI * at[0] : 1);
    const double area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int a = 0; a < face->nodes; a++)
      for (int b = 0; b < face->nodes; b++) m[a * face->nodes + b] += w * area * (n[a] * n[b]);
  }
}

/* The nodes of a line of any order are Gauss and Lobatto's, or Jacobi's: ends, and middle. */
static void line_rule(hk_face_rule *r)
{
  const hk_gll *gll = line_of(r->face);
  for (int k = 0; k < r->nodes; k++) {
    const int at = along_line(r->nodes, k);
    r->weight[k] = hk_line_weight(gll, (hk_line_axis)r->face->axis, at);
    for (int i = 0; i < r->nodes; i++)
      r->dn[k * r->nodes + i] = gll->d[at * r->nodes + along_line(r->nodes, i)];
  }
}

static void surface_rule(const hk_element *shape, hk_face_rule *r)
{
  double n[HK_MOST_FACE_NODES];
  for (int k = 0; k < r->nodes; k++) {
    r->weight[k] = 0;
    hk_element_functions(shape, shape->reference[k], NULL, r->dn + k * r->nodes * 2);
  }
  for (int q = 0; q < shape->exact.points; q++) {
    hk_element_functions(shape, shape->exact.point[q], n, NULL);
    for (int k = 0; k < r->nodes; k++) r->weight[k] += shape->exact.weight[q] * n[k];
  }
}

void hk_face_rule_find(const hk_element *element, const hk_element_face *face, hk_face_rule *rule)
{
  if (rule->face == face) return;
  rule->face = face, rule->nodes = face->nodes, rule->dim = element->dim - 1;
  if (rule->dim == 1)
    line_rule(rule);
  else
    surface_rule(hk_element_of(face->shape), rule);
}

void hk_face_areas(const hk_face_rule *rule, const double *x, double (*area)[3])
{
  for (int k = 0; k < rule->nodes; k++) {
    const double *dn = rule->dn + k * rule->nodes * rule->dim;
    if (rule->dim == 1)
      line_normal(rule->nodes, x, dn, area[k]);
    else
      surface_normal(rule->nodes, x, dn, area[k]);
    for (int c = 0; c < 3; c++) area[k][c] *= rule->weight[k];
  }
}
