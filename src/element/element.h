/* Elements: nodes, faces, shape functions and quadrature of each shape, as one table of facts and
 * functions. A shape is one file of shape/ with one hk_element and a line in list.h. Node and face numbers
 * are Abaqus's, 0-based. */
#pragma once
#include <hooke/mesh.h>
#include "base/base.h"
#include "base/kinds.h"

/* Of any element; and of the shapes of list.h alone, for arrays of their squares. */
enum { HK_MOST_NODES = 1331, HK_MOST_POINTS = 1331, HK_MOST_FACE_NODES = 121 };
enum { HK_LISTED_NODES = 27, HK_LISTED_POINTS = 27 };

typedef struct hk_element_face {
  hk_shape shape; /* 2D elements: HK_SHAPE_COUNT (a line) */
  int nodes;
  /* 2D: the two ends, then those between from the first to the second; 3D: as the face's shape lists them, outward normal by the
   * right-hand rule */
  int node[HK_MOST_FACE_NODES];
  int axis; /* 2D, hk_line_axis: the end on the axis of families whose points are Jacobi's along this face */
} hk_element_face;

/* point[points][3] in reference coordinates and weight[points], which sum to the element's volume. */
typedef struct hk_rule {
  int points;
  const double (*point)[3];
  const double *weight;
} hk_rule;

typedef struct hk_element {
  const char *name;
  hk_shape shape;
  int dim, order, nodes, vertices;
  bool simplex; /* triangle or tetrahedron, of any order */
  /* explicit steps run on it in every form of K that does not name its shapes; families: in the spectral forms alone */
  bool steps;
  double volume; /* of the reference element: [0, 1]-simplices, [-1, 1]^dim, wedges of the two */
  int faces;
  hk_element_face face[6];
  const double (*reference)[3]; /* reference coordinates of the nodes */
  void (*functions)(const struct hk_element *element, const double *xi, double *n, double *dn);
  /* integrates the stiffness of the undistorted element exactly: of volumes and masses */
  hk_rule exact;
  /* of the stiffness, Abaqus's and CalculiX's; both are one where neither has reduced elements (CalculiX
   * has no quad9, hex27, wedge18: fewer points leave motions of many of them without stiffness) */
  hk_rule full, reduced;
  hk_rule mass; /* exact for products of two shape functions of the undistorted element */
  /* quadrilaterals of order p: their nodes, with the weights of (S.3); across a face on the axis those of (S.16) without the radius */
  hk_rule nodal;
  /* families (else NULL): node lattice[i + (order + 1) (j + (order + 1) k)] at (x_i, x_j, x_k) of line[0 .. 2]; of wedges and
   * triangles, which have no lines, the node that element/prism.h calls n is lattice[n] */
  const int *lattice;
  const struct hk_gll *line[3];
} hk_element;

/* The table's line for a shape; never NULL. Those of families are made at the first call of any thread, and stay. */
const hk_element *hk_element_of(hk_shape shape);

/* Shape of that order with the vertices of this one, of families where there are: 1..10, wedges 1..7, triangles and tetrahedra 2 alone;
 * HK_SHAPE_COUNT where there is none. */
hk_shape hk_shape_raised(hk_shape shape, int order);
/* Shape of first order with the vertices of this one. */
hk_shape hk_shape_linear(hk_shape shape);
bool hk_shape_listed(hk_shape shape); /* of list.h, not of a family */

/* The quadrilateral of that order with this face on the axis; order 2..10, face 0..3. */
hk_shape hk_shape_on_axis(int order, int face);
/* Its face on the axis; -1: not such a shape. */
int hk_shape_axis(hk_shape shape);
/* Whether it is a quadrilateral of order p, on the axis or not. */
bool hk_shape_quad_family(hk_shape shape);

/* n[nodes]: shape functions at xi[dim]; dn[nodes][dim]: their derivatives to xi; either may be NULL. */
static inline void hk_element_functions(const hk_element *element, const double *xi, double *n,
                                        double *dn)
{
  element->functions(element, xi, n, dn);
}

/* The quadrature of the stiffness, or of products of shape functions; incompatible: the full one. */
const hk_rule *hk_element_rule(const hk_element *element, hk_integration integration);

/* Shape functions n[points][nodes] and their derivatives dn[points][nodes][dim] at the points of hk_element_rule. Made at the first
 * call of any thread, there until the program ends. NULL for families of order 3 and above, on the axis and at their nodes: hk_element_n and hk_element_dn find those at a point when asked. */
typedef struct hk_tabulation {
  double n[HK_LISTED_POINTS * HK_LISTED_NODES], dn[HK_LISTED_POINTS * HK_LISTED_NODES * 3];
} hk_tabulation;
const hk_tabulation *hk_element_tabulation(const hk_element *element, hk_integration integration);

/* n[nodes], dn[nodes][dim] at point q of the rule: points into the tabulation, else into own, which is filled. */
typedef struct hk_values {
  double n[HK_MOST_NODES], dn[3 * HK_MOST_NODES];
} hk_values;
const double *hk_element_n(const hk_element *element, hk_integration integration, int q,
                           hk_values *own);
const double *hk_element_dn(const hk_element *element, hk_integration integration, int q,
                            hk_values *own);

/* at[3] = sum_n n[n] x[n], x[nodes][dim]; 0 beyond dim */
static inline void hk_element_place(int dim, int nodes, const double *n, const double *x,
                                    double at[3])
{
  at[0] = at[1] = at[2] = 0;
  for (int k = 0; k < nodes; k++)
    for (int c = 0; c < dim; c++) at[c] += n[k] * x[k * dim + c];
}

/* Physical gradients g[nodes][dim] of the shape functions at xi and the Jacobian determinant, for
 * node coordinates x[nodes][dim]: g_n = J^-T dn_n, J[c][d] = sum_n x[n][c] dn[n][d]. g is infinite
 * or not a number where the determinant is 0. */
double hk_element_physical(const hk_element *element, const double *xi, const double *x, double *g);

/* The same from dn[nodes][dim] at that point. */
double hk_element_transform(const hk_element *element, const double *dn, const double *x,
                            double *g);

/* slope[c][d] = du_c/dx_d = sum_n u[n][c] g_n[d] of u[nodes][dim] and the Jacobian determinant, in fewer operations than by g. */
double hk_element_slope(const hk_element *element, const double *dn, const double *x,
                        const double *u, double slope[3][3]);
