/* What a kernel of an operator does with the force f = -K u on a node once it is summed:
 *   FORM 0  store       out = K u
 *   FORM 1  positions   out <- u + A (u - out) + B f          (out held the last positions)   (W.5)
 *   FORM 2  increments  v <- A v + B f,  out = u + v   (W.6)
 * which is central differences, equations (2)-(4) of Huthwaite (2014), for lumped mass m and damping C = d M:
 *   A = (1 - c) / (1 + c),  B = dt^2 / m / (1 + c),  c = d dt / 2;   without damping (DAMPED 0) A = 1 and a is not read; DAMPED 2: all A are a[0].
 * With damping the energy that the step dissipates, d m w^2 dt with w = (u_next - u_prev) / 2 dt, that is
 * (1 - A) / (4 B) (increment before + increment after)^2 per component (W.16), is added to loss.
 *   u, out, v [shots][padded][DIM];  b, a [padded], b > 0 everywhere;  loss [patches][LOSS_GROUPS][shots][LOSS_THREADS / TEAM * LANES] double,
 *   LOSS_THREADS those of most kernels, LOSS_GROUPS times as many at least as this has, one sum for TEAM threads;
 *   stride: padded * DIM
 * A group treats one patch of one shot. The shots of a patch follow each other, so that its lists come from a cache; with PARTS, where a
 * launch is of one shot, the kernel has it as a parameter, shot. With BATCH a group treats so many shots, SHOTS_AT_ONCE, from the launch's
 * shot on: offsets h * stride + ..., LOSS_OF(h), h < SHOTS_AT_ONCE. */
#define STATE_PARAMS                                                                               \
  GLOBAL const real *RESTRICT u, GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,               \
      GLOBAL const real *RESTRICT b, GLOBAL const real *RESTRICT a, GLOBAL double *RESTRICT loss,  \
      const int shots, const int stride
#if BATCH
#define SHOTS_AT_ONCE BATCH
#define BATCH_PARAM , const int shot
#else
#define SHOTS_AT_ONCE 1
#define BATCH_PARAM
#endif
#if PARTS || BATCH
#define PATCH_OF(group) (group)
#define SHOT_ID shot
#else
#define PATCH_OF(group) ((group) / shots)
#define SHOT_ID (GROUP_ID % shots)
#endif
#define PATCH_ID PATCH_OF(GROUP_ID)

#define STATE_ALIGNED                                                                              \
  ALIGNED(u);                                                                                      \
  ALIGNED(out);                                                                                    \
  ALIGNED(v);

/* Between what reads constants alone and what reads the state. The next launch takes its places from here on: it may read ahead of its
 * own GRID_WAIT what this one waited for. */
#define STATE_GRID_WAIT                                                                            \
  GRID_WAIT();                                                                                     \
  GRID_TRIGGER();                                                                                  \
  RELOAD(u)
/* The same of a kernel that ends what others of this step began. They have waited for the step before already, so that the next launch, which waits for
 * this one, may take its places at once. */
#define STATE_GRID_FOLLOW                                                                          \
  GRID_TRIGGER();                                                                                  \
  GRID_WAIT();                                                                                     \
  RELOAD(u)

/* What finish needs beside u, LAST(o), FACTOR(i) and DAMPING(i), or of nodes first ... first + n - 1, d components, at most `most` of
 * them, asked for ahead: STAGE_FACTORS(first, n, most) and STAGE_DAMPING of constants and, after GRID_WAIT, STAGE_LAST(first, n, most, d), then
 * STAGED_LAST(k, c, d), STAGED_FACTOR(k) and STAGED_DAMPING(k) of the k-th. */
#if FORM && DAMPED == 1
#define DAMPING(i) a[i]
#define STAGE_DAMPING(first, n, most) STAGE(real, damping_, most, &a[first], n)
#define FETCH_DAMPING(first, n)                                                                    \
  ;                                                                                                \
  FETCH(&a[first], n)
#define STAGED_DAMPING(k) damping_[k]
#else
#if FORM && DAMPED
#define DAMPING(i) a[0]
#else
#define DAMPING(i) 1
#endif
#define STAGE_DAMPING(first, n, most) (void)0
#define FETCH_DAMPING(first, n)
#define STAGED_DAMPING(k) DAMPING(k)
#endif
#if FORM
#if FORM == 1
#define LAST(o) out[o]
#else
#define LAST(o) v[o]
#endif
#define FACTOR(i) b[i]
#define STAGE_FACTORS(first, n, most) STAGE(real, factor_, most, &FACTOR(first), n)
#define STAGE_LAST(first, n, most, d)                                                              \
  STAGE(real, last_, (most) * (d), &LAST((first) * (d)), (n) * (d))
#define FETCH_STATE(first, n, d)                                                                   \
  FETCH(&u[(first) * (d)], (n) * (d));                                                             \
  FETCH(&LAST((first) * (d)), (n) * (d));                                                          \
  FETCH(&FACTOR(first), n) FETCH_DAMPING(first, n)
#define STAGED_LAST(k, c, d) last_[(k) * (d) + (c)]
#define STAGED_FACTOR(k) factor_[k]
#else
#define LAST(o) 0
#define FACTOR(i) 0
#define STAGE_FACTORS(first, n, most) (void)0
#define STAGE_LAST(first, n, most, d) (void)0
#define FETCH_STATE(first, n, d) FETCH(&u[(first) * (d)], (n) * (d))
#define STAGED_LAST(k, c, d) 0
#define STAGED_FACTOR(k) 0
#endif

#if FORM
/* The next increment of one component: x its u, f its force, last, factor and damping LAST(o), FACTOR(i) and DAMPING(i) of its node i; the energy
 * lost is added to *lost. */
DEVICE real next_increment(const real x, const real f, const real last, const real factor,
                           const real damping, PRIVATE real *lost)
{
#if FORM == 1
  const real before = x - last;
#else
  const real before = last;
#endif
#if DAMPED
  const real after = PRODUCT(damping, before) + factor * f;
  *lost += (1 - damping) * RECIPROCAL(4 * factor) * (before + after) * (before + after);
#else
  const real after = before + factor * f;
#endif
  return after;
}
#endif

/* The same, stored at its offset o. */
DEVICE void finish(GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v, const int o, const real x,
                   const real f, const real last, const real factor, const real damping,
                   PRIVATE real *lost)
{
#if FORM == 0
  out[o] = -f;
#else
  const real after = next_increment(x, f, last, factor, damping, lost);
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
  SHOT_BEGIN((long)SHOT_ID *stride)                                                                \
  LANE_LINE(real, lost, SHOTS_AT_ONCE);                                                            \
  FOR_LANES(l) UNROLL                                                                              \
  for (int h_ = 0; h_ < SHOTS_AT_ONCE; h_++) lost[h_ * LANES + l] = 0;
#define LOSS_GROUPS ((THREADS + LOSS_THREADS - 1) / LOSS_THREADS)
#define LOSS_OF(h) &lost[(h)*LANES + l]
#define LOSS_END LOSS_END_OF(PATCH_ID)
/* Of that patch; what comes next is counted from 0 on. */
#define LOSS_END_OF(patch)                                                                         \
  FOR_LANES(l) UNROLL                                                                              \
  for (int h_ = 0; h_ < SHOTS_AT_ONCE; h_++) {                                                     \
    const real run_ = TEAM_SUM(lost[h_ * LANES + l]);                                              \
    lost[h_ * LANES + l] = 0;                                                                      \
    if (THREAD % TEAM == 0)                                                                        \
      ADD_TO(loss[(((patch)*LOSS_GROUPS + THREAD / LOSS_THREADS) * shots + SHOT_ID + h_) *         \
                      (LOSS_THREADS / TEAM * LANES) +                                              \
                  THREAD % LOSS_THREADS / TEAM * LANES + l],                                       \
             (double)run_);                                                                        \
  }
#else
#define STATE_BEGIN SHOT_BEGIN((long)SHOT_ID *stride)
#define LOSS_OF(h) 0
#define LOSS_END
#define LOSS_END_OF(patch)
#endif
#define LOSS LOSS_OF(0)
