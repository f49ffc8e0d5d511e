/* What a kernel of an operator does with the force f = -K u on a node once it is summed:
 *   FORM 0  store       out = K u
 *   FORM 1  positions   out <- u + A (u - out) + B f          (out held the last positions)
 *   FORM 2  increments  v <- A v + B f,  out = u + v
 * which is central differences, equations (2)-(4) of Huthwaite (2014), for lumped mass m and damping C = d M:
 *   A = (1 - c) / (1 + c),  B = dt^2 / m / (1 + c),  c = d dt / 2;   without damping (DAMPED 0) A = 1 and a is not read.
 * With damping the energy that the step dissipates, d m w^2 dt with w = (u_next - u_prev) / 2 dt, that is
 * (1 - A) / (4 B) (increment before + increment after)^2 per component, is added to loss.
 *   u, out, v [shots][padded][DIM];  b, a [padded], b > 0 everywhere;  loss [patches][shots][THREADS * LANES] double;
 *   stride: padded * DIM
 * A group treats one patch of one shot. The shots of a patch follow each other, so that its lists come from a cache. */
#define STATE_PARAMS                                                                               \
  GLOBAL const real *RESTRICT u, GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,               \
      GLOBAL const real *RESTRICT b, GLOBAL const real *RESTRICT a, GLOBAL double *RESTRICT loss,  \
      const int shots, const int stride
#define PATCH_ID (GROUP_ID / shots)

/* One component: o its offset, i its node, x its u, f its force; the energy lost is added to *lost. */
DEVICE void finish(GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,
                   GLOBAL const real *RESTRICT b, GLOBAL const real *RESTRICT a, const int o,
                   const int i, const real x, const real f, PRIVATE real *lost)
{
#if FORM == 0
  out[o] = -f;
#else
#if FORM == 1
  const real before = x - out[o];
#else
  const real before = v[o];
#endif
#if DAMPED
  const real after = a[i] * before + b[i] * f;
  *lost += (1 - a[i]) / (4 * b[i]) * (before + after) * (before + after);
#else
  const real after = before + b[i] * f;
#endif
#if FORM == 2
  v[o] = after;
#endif
  out[o] = x + after;
#endif
}

/* Around the items of a group: STATE_BEGIN ... finish(..., LOSS) ... LOSS_END; after STATE_BEGIN u, out, v are the shot's own. */
#if FORM == 2
#define SHOT_BEGIN(o) u += o, out += o, v += o;
#else
#define SHOT_BEGIN(o) u += o, out += o;
#endif
#if DAMPED
#define STATE_BEGIN                                                                                \
  SHOT_BEGIN((long)(GROUP_ID % shots) * stride)                                                    \
  LANE_ARRAY(real, lost);                                                                          \
  FOR_LANES(l) lost[l] = 0;
#define LOSS &lost[l]
#define LOSS_END                                                                                   \
  FOR_LANES(l) loss[(GROUP_ID * THREADS + THREAD) * LANES + l] += (double)lost[l];
#else
#define STATE_BEGIN SHOT_BEGIN((long)(GROUP_ID % shots) * stride)
#define LOSS 0
#define LOSS_END
#endif
