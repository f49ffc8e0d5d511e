/* What kernels that change increments after the operator's kernel share (point forces, prescribed motions, matched layers): the increment d =
 * u_n+1 - u_n of one degree of freedom, and A of a node (operator/epilogue.k.h). LOSS_CORRECTION is the change of a node's loss (W.16) when its
 * increment becomes `after`, where the operator's kernel counted it with `free`; `before` is the increment of the step before. */
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
