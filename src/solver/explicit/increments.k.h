/* What kernels that change increments after the operator's kernel share: d = u_n+1 - u_n of one degree of freedom; A of a node; and what the
 * loss of a node with A and B (operator/epilogue.k.h) changes by when the increment after is `after` instead of `free`, as was counted. */
#if FORM == 2
#define INCREMENT(o) ((double)v[o])
#else
#define INCREMENT(o) ((double)out[o] - (double)u[o])
#endif
#if DAMPED
#define DECAY(n) ((double)a[n])
#else
#define DECAY(n) ((double)1)
#endif
#define LOSS_CORRECTION(A, B, before, free, after)                                                 \
  ((1 - (A)) / (4 * (B)) *                                                                         \
   ((after + before) * (after + before) - (free + before) * (free + before)))
