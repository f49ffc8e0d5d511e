/* A level of a preconditioner: a symmetric matrix A on a device, the inverse of its diagonal blocks D, and Chebyshev's iteration with
 * them (Adams, Brezina, Hu, Tuminaro, J. Comput. Phys. 188, 2003):
 *   x += d,  d = c1 d + c2 D^-1 (b - A x) (A.9),   damping the part of D^-1 A's spectrum in [most / ratio, most]
 * A is that of an operator under constraints, or rows of blocks (solver/linear/sparse/block_rows.h). Vectors are [nodes][block] on the device. */
#pragma once
#include "solver/linear/sparse/block_rows.h"
#include "solver/linear/multigrid/patches.h"
#include "solver/linear/reduced.h"

typedef struct hk_level {
  hk_device *device; /* borrowed */
  bool double_precision;
  int block;               /* unknowns per node: 2, 3, 6 */
  hk_index nodes;          /* a multiple of the device's width */
  const hk_reduced *a;     /* borrowed; or: */
  const hk_sharing *share; /* borrowed: of ranks that share the rows of A; else NULL */
  hk_halo *halo;           /* own: of them, nodes that own rows of A read; else NULL */
  hk_block_rows rows;      /* own */
  hk_buffer *inverse;      /* of D, by nodes; or: */
  hk_patches patches;      /* by several nodes; step NULL: not so */
  hk_buffer *b, *x;        /* right side and solution; of the finest level NULL: the caller's */
  hk_buffer *r, *d, *ad;   /* residual, step, product */
  hk_kernel *smooth;
  double most;  /* of D^-1 A's eigenvalues, an estimate from above */
  double ratio; /* most / least one that is damped */
  int degree;
  hk_count bytes;
  hk_pool pool; /* of vectors, inverse and kernel */
} hk_level;

/* A level of that operator in its precision, whose most is 1 until it is measured. */
hk_level hk_level_of(const hk_reduced *a, double ratio, int degree);
/* Buffers and kernels; nodes, block, precision, degree and ratio are set, and a, or rows before smoothing. */
hk_status hk_level_create(hk_level *level, bool own_vectors);
void hk_level_destroy(hk_level *level);
/* The inverse of D: diagonal[nodes][block * block] of the host; unknowns whose own entry is not above 0 are held at 0. pointwise: of the
 * diagonal alone. */
hk_status hk_level_set_diagonal(hk_level *level, const double *diagonal, hk_index nodes,
                                bool pointwise);
/* The same from diagonal[nodes][block * block] reals of the device; once. */
hk_status hk_level_invert(hk_level *level, const hk_buffer *diagonal, bool pointwise);
/* That of level->a: blocks of A = T^T K T without the products of different nodes that constraints bring together. */
hk_status hk_level_find_diagonal(hk_level *level, const hk_constraints *constraints,
                                 bool pointwise);
/* The same by patches; level->a's form is "assembled". */
hk_status hk_level_find_patches(hk_level *level, const hk_constraints *constraints);
/* level->most: by power iterations on the device from a start that is always the same, times 1.15. Ranks that share rows agree first. */
hk_status hk_level_measure(hk_level *level);
/* Launches alone: x = 0 (zero) or x as it is, then `degree` steps for A x = b. */
hk_status hk_level_smooth(const hk_level *level, const hk_buffer *b, hk_buffer *x, bool zero);
/* level->r = b - A x */
hk_status hk_level_residual(const hk_level *level, const hk_buffer *b, hk_buffer *x);
