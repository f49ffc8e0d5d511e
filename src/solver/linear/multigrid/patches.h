/* Blocks of D larger than a node's (solver/linear/multigrid/level.k.h, level_patches), for the smoothing of levels whose nodes lie unevenly close: elements of order p,
 * and stretched ones. Nodes of an element are close by h_i h_j / |x_i - x_j|^2, h_i the distance of i's nearest; closest pairs come first,
 * and join their patches while these have room. Patches that are not full are then put together. */
#pragma once
#include "load/constraints.h"
#include "link/sharing.h"
#include "operator/operator.h"

enum { HK_PATCH_NODES = 16 }; /* PATCH of solver/linear/multigrid/level.k.h */

typedef struct hk_patches {
  hk_index count;
  hk_buffer *list;    /* [count][HK_PATCH_NODES] nodes; -1: none */
  hk_buffer *inverse; /* [count][rows][rows], rows = HK_PATCH_NODES * components */
  hk_kernel *step;    /* NULL: there are no patches */
  hk_halo *halo;      /* of ranks that share the rows of op: nodes of own patches; else NULL */
  hk_count groups, bytes;
  hk_pool pool; /* of them */
} hk_patches;

/* list[*count][HK_PATCH_NODES]: each internal number once. Reproducible. */
hk_status hk_patches_group(const hk_space *space, hk_index *count, hk_index **list);
/* op is "assembled"; of ranks that share its rows each gets the patches that have any of its nodes, and all agree. diagonal[padded][components][components]: of T^T K T, zero where a degree of freedom is dependent; products of different
 * nodes that constraints bring together are left out. *out is zero; destroy also after a failure. HK_NO_RESOURCES. */
hk_status hk_patches_create(const hk_operator *op, const hk_constraints *constraints,
                            const double *diagonal, hk_patches *out);
void hk_patches_destroy(hk_patches *patches);
/* Of ranks that share rows: those of *count patches that have an own node, first *inner without nodes of others. list is made anew. */
hk_status hk_patches_keep(const hk_sharing *share, hk_index *count, hk_index *inner,
                          hk_index **list);
/* a[count][rows][rows] of patches with nodes of others, own rows of each: becomes whole. Ranks agree. */
hk_status hk_patches_complete(const hk_sharing *share, const hk_index *list, hk_count count,
                              int components, double *a);
/* The nodes of patches. Ranks agree. */
hk_status hk_patches_halo(const hk_sharing *share, hk_device *device, const hk_index *list,
                          hk_count count, int components, hk_halo **out);
/* d = c1 d + c2 D^-1 r, x = d or (bit 1 of mode: ADD_TO_X) x + d; a launch. r may be x. */
hk_status hk_patches_step(const hk_patches *patches, const hk_buffer *r, hk_buffer *d, hk_buffer *x,
                          double c1, double c2, int mode);
