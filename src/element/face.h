/* Integrals over faces of elements: of 3D elements by the quadrature of the face's own shape, of 2D ones (lines) by Gauss's.
 *
 *   double x[3 * HK_MOST_FACE_NODES], n[HK_MOST_FACE_NODES], normal[3];      x[face->nodes][dim]
 *   for (int q = 0; q < hk_face_points(element, face, reduced); q++)
 *     w = hk_face_point(element, face, reduced, q, x, n, normal);            dA = w |normal| */
#ifndef HK_ELEMENT_FACE_H
#define HK_ELEMENT_FACE_H
#include "element/element.h"

/* Whether loads on an element are integrated by the reduced rules. Elements of second order have them integrated as their stiffness, as in
 * CalculiX: its wedges of 15 nodes have two points a direction on quadrilaterals. Those of first order exactly. */
bool hk_face_reduced(const hk_element *element, hk_integration integration);

int hk_face_points(const hk_element *element, const hk_element_face *face, bool reduced);

/* Shape functions n[face->nodes] and the outward normal times dA / d(xi) at point q of a face with nodes x[face->nodes][dim]; the weight. */
double hk_face_point(const hk_element *element, const hk_element_face *face, bool reduced, int q,
                     const double *x, double *n, double normal[3]);

/* m[face->nodes][face->nodes] += scale * int N_a N_b dA */
void hk_face_mass(const hk_element *element, const hk_element_face *face, bool reduced,
                  double scale, const double *x, double *m);
#endif
