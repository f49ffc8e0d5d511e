/* Families of shape functions that several shapes share. In all: n[nodes], dn[nodes][dim]; either
 * may be NULL; `reference` are the nodes' coordinates, whose signs pick the function. */
#ifndef HK_ELEMENT_BASIS_H
#define HK_ELEMENT_BASIS_H

/* Triangle, tetrahedron: order 1: L_i; order 2: L_i (2 L_i - 1) at vertices, 4 L_i L_j on edges,
 * with the barycentric L_0 = 1 - sum xi, L_i = xi_(i-1). */
void hk_basis_simplex(int dim, int order, const double *xi, double *n, double *dn);

/* Lagrange products: N = prod_d l(r_d, xi_d) of the line's functions of that order. */
void hk_basis_tensor(int dim, int order, int nodes, const double (*reference)[3], const double *xi,
                     double *n, double *dn);

/* Serendipity of order 2: vertices prod_d (1 + r_d xi_d)/2 (sum_d r_d xi_d - (dim - 1)); on edges
 * the product of the linear functions with 1 - xi_d^2 along the edge. */
void hk_basis_serendipity(int dim, int nodes, const double (*reference)[3], const double *xi,
                          double *n, double *dn);

/* Wedges of 6 and 18 nodes: triangle(x, y) of that order times line(z). */
void hk_basis_wedge(int order, int nodes, const double (*reference)[3], const double *xi, double *n,
                    double *dn);

/* Serendipity wedge of 15 nodes: vertices L_i (2 L_i - 1) (1 + r z)/2 - L_i (1 - z^2)/2,
 * horizontal edges 4 L_i L_j (1 + r z)/2, vertical edges L_i (1 - z^2). */
void hk_basis_wedge15(const double (*reference)[3], const double *xi, double *n, double *dn);

#endif
