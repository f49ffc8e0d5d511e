/* Integrals over faces of elements: of 3D elements by the quadrature of the face's own shape, of 2D ones (lines) by Gauss's.
 *
 *   double x[3 * HK_MOST_FACE_NODES], n[HK_MOST_FACE_NODES], normal[3];      x[face->nodes][dim]
 *   for (int q = 0; q < hk_face_points(element, face, reduced); q++)
 *     w = hk_face_point(element, face, reduced, q, x, n, normal);            dA = w |normal| */
#pragma once
#include "base/formula.h"
#include "element/element.h"

/* Whether loads on an element are integrated by the reduced rules. Elements of second order have them integrated as their stiffness, as in
 * CalculiX: its wedges of 15 nodes have two points a direction on quadrilaterals. Those of first order exactly, but for films
 * on triangles, which have one point there too. */
bool hk_face_reduced(const hk_element *element, hk_integration integration);

int hk_face_points(const hk_element *element, const hk_element_face *face, bool reduced);

/* Shape functions n[face->nodes] and the outward normal times dA / d(xi) at point q of a face with nodes x[face->nodes][dim]; the weight. */
double hk_face_point(const hk_element *element, const hk_element_face *face, bool reduced, int q,
                     const double *x, double *n, double normal[3]);

/* A factor h(x, T) at the points of a face: of a film, whose heat flux is h (T - sink). */
typedef struct hk_face_factor {
  const hk_formula *by;      /* h; NULL: 1 */
  const double *t;           /* t[face->nodes], for formulas of the temperature; NULL: 0 */
  bool tangent;              /* the derivative of h (T - sink) instead of h: h + dh/dT (T - sink) */
  double sink;               /* times */
  const hk_formula *sink_by; /* this; NULL: 1 */
  bool ring;                 /* axisymmetric: dA = 2 pi x ds */
} hk_face_factor;
/* m[face->nodes][face->nodes] += scale * int h N_a N_b dA */
void hk_face_mass(const hk_element *element, const hk_element_face *face, bool reduced,
                  double scale, const hk_face_factor *h, const double *x, double *m);

/* Quadrature of a face with its nodes as points: weight_n = int N_n over the reference face, which of families is Gauss and Lobatto's.
 * Positive for shapes of first order and families; of others of second order they may be 0 or less. Made once for all faces of a shape. */
typedef struct hk_face_rule {
  const hk_element_face *face; /* whose rule it is; NULL: none yet */
  int nodes, dim;              /* of the face; 1: a line */
  double weight[HK_MOST_FACE_NODES];
  double dn[HK_MOST_FACE_NODES * HK_MOST_FACE_NODES * 2]; /* dn[at node][nodes][dim] */
} hk_face_rule;
/* *rule is zero, or that of the face before. */
void hk_face_rule_find(const hk_element *element, const hk_element_face *face, hk_face_rule *rule);
/* area[nodes][3]: outward normals at the nodes of a face at x[nodes][dim of space], each as long as the area that belongs to the node. */
void hk_face_areas(const hk_face_rule *rule, const double *x, double (*area)[3]);
