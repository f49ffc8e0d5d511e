/* What ranks of MPI that share the rows of A send each other where aggregates are made (solver/linear/sparse/aggregate.h): numbers of roots, nodes of
 * aggregates for the rank that owns the root, rows of P0 back to the owners of the nodes, and products of own rows. All ranks call, and agree first. */
#pragma once
#include "solver/linear/sparse/aggregate.h"

/* *any of all ranks: 1 where one has it. */
hk_status hk_coarse_any(const hk_sharing *share, int32_t *any);
/* value[nodes] (32 bits) outside own nodes, in the groups of HK_GALERKIN_CHUNK that kernels write for these, becomes `none`. */
hk_status hk_coarse_own_only(const hk_sharing *share, int32_t none, hk_buffer *value);
/* number[nodes] (64 bits) of own nodes, sums of own roots on entry, becomes that of all roots before; *aggregates likewise, from own ones to all of them.
 * *below: aggregates belong to the owners of their roots. */
hk_status hk_coarse_number(const hk_sharing *share, hk_buffer *number, hk_count *aggregates,
                           hk_sharing **below);
/* p0: own rows on entry, an entry each; then the rows of all nodes of own aggregates, values not yet set. */
hk_status hk_coarse_send_members(hk_galerkin_tools *tools, const hk_sharing *share,
                                 const hk_sharing *below, hk_galerkin_matrix *p0);
/* p0: rows of the nodes of own aggregates on entry; then own rows and those of the nodes that own rows of A read. */
hk_status hk_coarse_send_tentative(hk_galerkin_tools *tools, const hk_coarse_desc *desc,
                                   hk_galerkin_matrix *p0);
/* c->r = P^T, c->a = P^T A P: own rows, from own rows of c->p. */
hk_status hk_coarse_multiply(hk_galerkin_tools *tools, const hk_coarse_desc *desc, hk_coarse *c);
