/* Loads and receivers over mesh nodes: consistent nodal forces, and sparse rows of points.
 *
 *   f[node][c] += int N_n t_c dA       faces, by the quadrature of the face (2D: times the
 * thickness) f[node][c] += int N_n b_c dV       elements, by their own quadrature (2D: times the
 * thickness) row i:  u(x_i) = sum_k weight[k] u[node[k]],  k in begin[i] .. begin[i + 1)
 *
 * A force at a point is the transpose of its row, so that a source and a receiver at the same point
 * are adjoint. */
#ifndef HK_LOAD_ROWS_H
#define HK_LOAD_ROWS_H
#include "mesh/mesh.h"
#include "physics/material.h"

/* The faces (face != NULL) or elements that a load acts on; everything is borrowed. */
typedef struct hk_load_domain {
  const hk_mesh *mesh;
  const hk_region *region;
  const int16_t *element_region; /* element_region[mesh->element_count], none below 0 */
  hk_count count;
  const hk_index *element; /* element[count] */
  const uint8_t *face;     /* face[count] of those elements */
  const hk_formula *by[2]; /* flux, heat: their value is times these at each point; or NULL */
} hk_load_domain;

/* All add to f[mesh node][dim], over the list in its order (bit-reproducible), and cannot fail. */
void hk_load_pressure(const hk_load_domain *faces, double pressure, double *f); /* into the body */
void hk_load_traction(const hk_load_domain *faces, const double traction[3], double *f);
void hk_load_body(const hk_load_domain *elements, const double force[3],
                  double *f); /* per volume */
/* f[mesh node] += int N q dA, int N s dV: heat into the body per area, and made per volume */
void hk_load_flux(const hk_load_domain *faces, double flux, double *f);
void hk_load_heat(const hk_load_domain *elements, double heat, double *f);
/* density times the acceleration per volume; elements without a density (below 0) give nothing */
void hk_load_gravity(const hk_load_domain *elements, const double acceleration[3], double *f);
/* density omega2 (x - at, without its part along the unit vector `axis`) per volume */
void hk_load_centrifugal(const hk_load_domain *elements, double omega2, const double at[3],
                         const double axis[3], double *f);

typedef struct hk_rows {
  hk_index row_count;
  hk_count *begin; /* begin[row_count + 1] */
  hk_index *node;  /* node[begin[row_count]]: mesh nodes */
  double *weight;  /* sum of a row is 1 */
} hk_rows;

/* Rows of the points at[count][3] by the shape functions of the elements that hold them; nodes of
 * no weight (1e-12) are left out, so that a point on a node has one entry. HK_BAD_INPUT names the
 * points outside the mesh. O((elements + points) log elements). */
hk_status hk_rows_of_points(const hk_mesh *mesh, hk_count count, const double *at, hk_rows *out);
/* Rows of nodes: one entry of weight 1 each. */
hk_status hk_rows_of_nodes(hk_count count, const hk_index *node, hk_rows *out);
void hk_rows_clear(hk_rows *rows);
#endif
