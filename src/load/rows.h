/* Loads and receivers over mesh nodes: consistent nodal forces, and sparse rows of points.
 *
 *   f[node][c] += int N_n t_c dA       faces, by the quadrature of the face (2D: times the
 * thickness, axisymmetric 2 pi r, so throughout) f[node][c] += int N_n b_c dV       elements, by their own quadrature (2D: times the
 * thickness) row i:  u(x_i) = sum_k weight[k] u[node[k]],  k in begin[i] .. begin[i + 1)
 *
 * A force at a point is the transpose of its row, so that a source and a receiver at the same point
 * are adjoint. */
#pragma once
#include "mesh/mesh.h"
#include "physics/material.h"

/* The faces (face != NULL) or elements that a load acts on; everything is borrowed. */
typedef struct hk_load_domain {
  const hk_mesh *mesh;
  const hk_region *region;
  const hk_index *element_region; /* element_region[mesh->element_count], none below 0 */
  hk_count count;
  const hk_index *element; /* element[count] */
  const uint8_t *face;     /* face[count] of those elements */
  const hk_formula *by[2]; /* flux, heat: their value is times these at each point; or NULL */
  const double *t;         /* t[mesh node]: temperatures for the formulas; NULL: 0 */
} hk_load_domain;

/* What acts, per area of faces or per volume of elements. */
typedef struct hk_load_density {
  /* vector[0] alone, on component `component` of `components` (0: 1) a node: heat; else all of `components` (0: as many as dimensions) */
  bool scalar;
  int component, components;
  double vector[3]; /* force, or heat into the body */
  double pressure;  /* faces: into the body */
  /* elements: omega2 (x - at, without its part along the unit vector axis[3]) is added to the vector */
  double omega2;
  const double *at, *axis;
  /* elements: the vector is an acceleration; without a density (below 0) it gives nothing */
  bool by_density;
} hk_load_density;

/* f[mesh node][component] += int N_n what, over the list in its order (bit-reproducible). */
void hk_load_spread(const hk_load_domain *domain, const hk_load_density *what, double *f);

/* Area of the faces or volume of the elements, by the same quadrature (2D: times the thickness). */
double hk_load_measure(const hk_load_domain *domain);

typedef struct hk_rows {
  hk_index row_count;
  hk_count *begin; /* begin[row_count + 1] */
  hk_index *node;  /* node[begin[row_count]]: mesh nodes */
  double *weight;  /* sum of a row is 1 */
  double (*slope)
      [3]; /* slope[begin[row_count]]: gradients of the weights, of rows that were asked for them; NULL: none was */
} hk_rows;

/* Rows of the points at[count][3] by the shape functions of the elements that hold them; nodes of
 * no weight (1e-12) are left out, so that a point on a node has one entry. HK_BAD_INPUT names the
 * points outside the mesh. O((elements + points) log elements). */
hk_status hk_rows_of_points(const hk_mesh *mesh, hk_count count, const double *at, hk_rows *out);
/* The same; of several elements that hold a point those are taken whose nodes have of[mesh node] == wanted, if there are any: of[] is constant on
 * each element. Where media meet that decides which of them is read, whatever the numbering. of NULL: as before. */
hk_status hk_rows_of_points_in(const hk_mesh *mesh, const bool *of, bool wanted, hk_count count,
                               const double *at, hk_rows *out);
/* As hk_rows_of_points; those with sloped[i] (NULL: none) have all nodes of the element, and gradients too. Between elements that is the one of the lowest number. */
hk_status hk_rows_of_sloped(const hk_mesh *mesh, hk_count count, const double *at,
                            const bool *sloped, hk_rows *out);
/* Rows of nodes: one entry of weight 1 each. */
hk_status hk_rows_of_nodes(hk_count count, const hk_index *node, hk_rows *out);
void hk_rows_clear(hk_rows *rows);
