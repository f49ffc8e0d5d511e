/* The mesh of another order on the same elements, and interpolation from it to all nodes of a space: what p-multigrid goes down by.
 * Where elements are straight and rules exact, K of that mesh is P^T K P. */
#pragma once
#include "physics/warmth.h"
#include "space/space.h"

typedef struct hk_interpolation {
  hk_index rows, columns;
  hk_count *begin;  /* begin[rows + 1] */
  hk_index *column; /* ascending in a row */
  double *weight;   /* u_i = sum weight[k] u[column[k]], k = begin[i] ... begin[i + 1] - 1 */
} hk_interpolation;
void hk_interpolation_clear(hk_interpolation *interpolation);

/* node[*count]: internal numbers of the vertices of elements, ascending. */
hk_status hk_coarse_vertices(const hk_space *space, hk_index *count, hk_index **node);
/* Elements of that order in the places of the space's, curved as they are; vertices have the numbers of hk_coarse_vertices, other nodes follow.
 * Order 1: shapes of first order; else all shapes have the order (hk_shape_raised). */
hk_status hk_coarse_mesh(const hk_space *space, int order, hk_mesh **out);
/* From the nodes of such a mesh, number[node] or, where that is NULL, themselves the columns, to the internal numbers of the space below
 * padded. *out is zero before. */
hk_status hk_interpolation_create(const hk_space *space, const hk_mesh *lower,
                                  const hk_index *number, hk_index columns, hk_interpolation *out);
/* Temperatures of the lower mesh for a preconditioner, within those of the nodes around: t_j = sum_i |w_ij| t_i / sum_i |w_ij|. *out and its
 * arrays are of the pool; NULL where `above` is NULL. */
hk_status hk_interpolation_warmth(const hk_interpolation *interpolation, const hk_warmth *above,
                                  hk_pool *pool, const hk_warmth **out);
