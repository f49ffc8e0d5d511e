/* IDR(4) for A w = b on a device, A = T^T K T (solver/linear/reduced.h) of any kind, with a preconditioner M from the right (A.32). An iteration is one
 * product; five are a cycle, which is recorded once as a graph. */
#pragma once
#include "solver/linear/rounds.h"

typedef struct hk_idr {
  hk_rounds rounds; /* m is of a's precision */
  hk_buffer *w;
  hk_buffer *p, *g, *u; /* [4][n] */
  hk_kernel *shadow, *clear, *dots, *mix, *direct, *advance, *fold;
} hk_idr;

/* *idr is zero; destroy also after a failure. iterations: at most. hk_rounds_solve(&idr->rounds, ...) solves. */
hk_status hk_idr_create(const hk_reduced *a, const hk_preconditioner *m, int iterations,
                        hk_idr *idr);
void hk_idr_destroy(hk_idr *idr);
