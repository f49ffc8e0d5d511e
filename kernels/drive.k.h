/* What follows the operator's kernel in step n (state u_n -> u_n+1): forces, prescribed motions, receivers, in that order.
 * PARTS says which of them a launch carries out; ALONE: one group does all rows, with a barrier between the parts; without
 * it a launch has one part, and a group for each ROWS rows.
 *
 *   clock [2]: the step's number n lies in clock[parity]; every launch of the step leaves n + 1 in clock[1 - parity], so that
 *   launches differ from those of the step before last in nothing.
 *   table [2][signals][STEPS]: signals of step n, column n % STEPS of half n / STEPS % 2
 *   out, v, u, a, b as in kernels/epilogue.k.h; u_n in u, u_n+1 in out
 * Degrees of freedom of forces and motions are counted through the shots, o = (shot * padded + node) * DIM + component; those of
 * receivers are of one shot, and every shot has all receivers. */
#define PART_FORCE 1
#define PART_MOTION 2
#define PART_COMPLETE 4
#define PART_BEGIN 8
#define PART_ALONE 16

#if THREADS > 1
#define ROWS THREADS
#else
#define ROWS CHUNK
#endif

/* d = u_n+1 - u_n of one degree of freedom */
#if FORM == 2
#define INCREMENT(o) ((double)v[o])
#else
#define INCREMENT(o) ((double)out[o] - (double)u[o])
#endif

/* what the loss changes by when the increment after is `after` instead of `free`, as the operator's kernel counted */
#define MENDED(n, before, free, after)                                                             \
  ((1 - (double)a[n]) / (4 * (double)b[n]) *                                                       \
   ((after + before) * (after + before) - (free + before) * (free + before)))

/* x = sum_s coefficient s table[signal];   increment += B x, u += B x
 * Work x (u_n+1 - u_n-1) / 2 and the correction of the loss are added.
 *   dof [rows] node * DIM + component;  begin [rows + 1];  signal, coefficient [begin[rows]];
 *   last [rows] the increment before;  work, loss, now [rows], now: x */
DEVICE void push_force(const int r, const int padded, GLOBAL real *RESTRICT out,
                       GLOBAL real *RESTRICT v, GLOBAL const real *RESTRICT u,
                       GLOBAL const real *RESTRICT b, GLOBAL const real *RESTRICT a,
                       GLOBAL const double *RESTRICT table, GLOBAL const int *RESTRICT dof,
                       GLOBAL const int *RESTRICT begin, GLOBAL const int *RESTRICT signal,
                       GLOBAL const double *RESTRICT coefficient, GLOBAL double *RESTRICT last,
                       GLOBAL double *RESTRICT work, GLOBAL double *RESTRICT loss,
                       GLOBAL double *RESTRICT now)
{
  const int o = dof[r], n = o / DIM % padded;
  const double before = last[r];
  double x = 0;
  for (int s = begin[r]; s < begin[r + 1]; s++)
    x += coefficient[s] * table[(long)signal[s] * STEPS];
#if FORM == 2
  v[o] += (real)((double)b[n] * x);
#endif
  out[o] += (real)((double)b[n] * x);
  const double after = INCREMENT(o);
#if DAMPED
  loss[r] += MENDED(n, before, (after - (double)b[n] * x), after);
#endif
  work[r] += x * 0.5 * (after + before);
  last[r] = after;
  now[r] = x;
}

/* sum_j weight_j u_dof_j = base + drift t_n+1 + value g[signal], held by a force along the row (rows share no dof):
 *   lambda = (goal - sum weight u) / sum weight^2 B,  u_j += B_j weight_j lambda
 * The force of row r is reaction[r] = lambda; its work and the correction of the loss are added; so is what forces on the
 * row's dofs do as the row moves them: x push / 2.
 *   loaded [begin[rows]]: row of the force on a dof, -1: none;  force_now, force_last [its rows]: x, the increment
 *   begin [rows + 1];  dof, weight, last [begin[rows]];  signal, value, base, drift [rows];  signal -1: value 0;  time t_n+1 */
DEVICE void hold_motion(const int r, const int padded, GLOBAL real *RESTRICT out,
                        GLOBAL real *RESTRICT v, GLOBAL const real *RESTRICT u,
                        GLOBAL const real *RESTRICT b, GLOBAL const real *RESTRICT a,
                        GLOBAL const double *RESTRICT table, GLOBAL const int *RESTRICT begin,
                        GLOBAL const int *RESTRICT dof, GLOBAL const double *RESTRICT weight,
                        GLOBAL const int *RESTRICT loaded, GLOBAL const int *RESTRICT signal,
                        GLOBAL const double *RESTRICT value, GLOBAL const double *RESTRICT base,
                        GLOBAL const double *RESTRICT drift, GLOBAL double *RESTRICT last,
                        GLOBAL double *RESTRICT work, GLOBAL double *RESTRICT loss,
                        GLOBAL double *RESTRICT reaction, GLOBAL const double *RESTRICT force_now,
                        GLOBAL double *RESTRICT force_last, const double time)
{
  const int alone = begin[r + 1] - begin[r] == 1;
  const double goal =
      base[r] + drift[r] * time + (signal[r] < 0 ? 0 : value[r] * table[(long)signal[r] * STEPS]);
  double have = 0, compliance = 0, lambda, moved = 0;
  for (int p = begin[r]; p < begin[r + 1]; p++) {
    have += weight[p] * (double)out[dof[p]];
    compliance += weight[p] * weight[p] * (double)b[dof[p] / DIM % padded];
  }
  lambda = (goal - have) / compliance;
  for (int p = begin[r]; p < begin[r + 1]; p++) {
    const int o = dof[p], n = o / DIM % padded, pushed = loaded[p];
    const double push = (double)b[n] * weight[p] * lambda, before = last[p], free = INCREMENT(o),
                 after = free + push;
#if DAMPED
    loss[r] += MENDED(n, before, free, after);
#endif
    /* a single prescribed dof takes its goal exactly, without the rounding of u + push */
    out[o] = alone ? (real)(goal / weight[p]) : (real)((double)out[o] + push);
#if FORM == 2
    v[o] = alone ? out[o] - u[o] : (real)after;
#endif
    last[p] = INCREMENT(o);
    moved += weight[p] * 0.5 * (after + before);
    if (pushed >= 0) {
      work[r] += force_now[pushed] * 0.5 * push;
      force_last[pushed] = last[p];
    }
  }
  reaction[r] = lambda;
  work[r] += lambda * moved;
}

/* A watch samples rows of weights over dofs into a ring of its own, at steps 0, every, 2 every, ... and the last:
 *   displacement  ring[k][row] = sum weight u_n
 *   rates         ring[k][row] = scale[0] sum weight d- + scale[1] sum weight d+,  d-, d+: increments before, after step n
 * Step n -> n + 1 completes the sample of n and begins that of n + 1.
 *   plan [watch][WATCH_*]: see there;  scale [watch][2];  line [lines]: watch of a line, which is a row of it
 * A sample holds the rows of all shots, [shots][rows]. */
#define WATCH_FIRST_LINE 0 /* of this watch */
#define WATCH_FIRST_ROW 1  /* of begin */
#define WATCH_ROWS 2
#define WATCH_RATES 3
#define WATCH_EVERY 4
#define WATCH_LAST 5 /* the last step */
#define WATCH_ROOM 6 /* samples in the ring */
#define WATCH_RING 7 /* where it begins */
#define WATCH_SIZE 8

/* a / b of numbers that are not negative; small ones, as steps are, in 32 bits: a GPU has no long division */
DEVICE long quotient(const long a, const long b)
{
  return (a | b) >> 31 ? a / b : (long)((unsigned)a / (unsigned)b);
}

/* Place in all rings of sample `step`, row r of all shots' rows; -1: there is none */
DEVICE long sample_place(GLOBAL const long *RESTRICT w, const long step, const int r,
                         const int shots)
{
  const long every = w[WATCH_EVERY], last = w[WATCH_LAST], room = w[WATCH_ROOM];
  if (step < 0 || step > last) return -1;
  const long whole = quotient(step, every), rest = step - whole * every,
             number = whole + (rest > 0);
  if (rest && step != last) return -1;
  return w[WATCH_RING] + (number - quotient(number, room) * room) * w[WATCH_ROWS] * shots + r;
}

DEVICE void sample_line(const int i, const int shot, const int shots, const int stride,
                        const long n, const int parts, GLOBAL const real *RESTRICT out,
                        GLOBAL const real *RESTRICT v, GLOBAL const real *RESTRICT u,
                        GLOBAL const int *RESTRICT begin, GLOBAL const int *RESTRICT dof,
                        GLOBAL const double *RESTRICT weight, GLOBAL const int *RESTRICT line,
                        GLOBAL const long *RESTRICT plan, GLOBAL const double *RESTRICT scale,
                        GLOBAL double *RESTRICT ring)
{
  GLOBAL const long *RESTRICT w = plan + line[i] * WATCH_SIZE;
  const int r = i - (int)w[WATCH_FIRST_LINE], row = (int)w[WATCH_FIRST_ROW] + r,
            rates = (int)w[WATCH_RATES];
  const int at = shot * (int)w[WATCH_ROWS] + r, first = shot * stride;
  const long complete = (parts & PART_COMPLETE) && rates ? sample_place(w, n, at, shots) : -1;
  const long start = parts & PART_BEGIN ? sample_place(w, n + 1, at, shots) : -1;
  double sum = 0;
  if (complete < 0 && start < 0) return;
  for (int p = begin[row]; p < begin[row + 1]; p++)
    sum += weight[p] * (rates ? INCREMENT(first + dof[p]) : (double)out[first + dof[p]]);
  if (complete >= 0) ring[complete] += scale[2 * line[i] + 1] * sum;
  if (start >= 0) ring[start] = scale[2 * line[i]] * sum;
}

/* The rows of a part that this group carries out: [first, first + count). */
#define FOR_ROWS(r, rows)                                                                          \
  const int first_##r = alone ? 0 : GROUP_ID * ROWS;                                               \
  const int count_##r = alone || first_##r + ROWS > (rows) ? (rows)-first_##r : ROWS;              \
  FOR_ITEMS(k_##r, count_##r)

KERNEL
drive_step(GROUP_PARAM GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,
           GLOBAL const real *RESTRICT u, GLOBAL const real *RESTRICT b,
           GLOBAL const real *RESTRICT a, GLOBAL long *RESTRICT clock,
           GLOBAL const double *RESTRICT table, GLOBAL const int *RESTRICT force_dof,
           GLOBAL const int *RESTRICT force_begin, GLOBAL const int *RESTRICT force_signal,
           GLOBAL const double *RESTRICT force_coefficient, GLOBAL double *RESTRICT force_last,
           GLOBAL double *RESTRICT force_work, GLOBAL double *RESTRICT force_loss,
           GLOBAL double *RESTRICT force_now, GLOBAL const int *RESTRICT motion_begin,
           GLOBAL const int *RESTRICT motion_dof, GLOBAL const double *RESTRICT motion_weight,
           GLOBAL const int *RESTRICT motion_loaded, GLOBAL const int *RESTRICT motion_signal,
           GLOBAL const double *RESTRICT motion_value, GLOBAL const double *RESTRICT motion_base,
           GLOBAL const double *RESTRICT motion_drift, GLOBAL double *RESTRICT motion_last,
           GLOBAL double *RESTRICT motion_work, GLOBAL double *RESTRICT motion_loss,
           GLOBAL double *RESTRICT reaction, GLOBAL const int *RESTRICT receiver_begin,
           GLOBAL const int *RESTRICT receiver_dof, GLOBAL const double *RESTRICT receiver_weight,
           GLOBAL const int *RESTRICT line, GLOBAL const long *RESTRICT plan,
           GLOBAL const double *RESTRICT scale, GLOBAL double *RESTRICT ring, const int force_rows,
           const int motion_rows, const int lines, const int signals, const int parity,
           const int parts, const int shots, const int padded, const double dt)
{
  const long n = clock[parity];
  const int alone = parts & PART_ALONE;
  GLOBAL const double *RESTRICT signal_now = table + n / STEPS % 2 * signals * STEPS + n % STEPS;
  if (parts & PART_FORCE) {
    FOR_ROWS(f, force_rows)
    push_force(first_f + k_f, padded, out, v, u, b, a, signal_now, force_dof, force_begin,
               force_signal, force_coefficient, force_last, force_work, force_loss, force_now);
    BARRIER_GLOBAL();
  }
  if (parts & PART_MOTION) {
    FOR_ROWS(m, motion_rows)
    hold_motion(first_m + k_m, padded, out, v, u, b, a, signal_now, motion_begin, motion_dof,
                motion_weight, motion_loaded, motion_signal, motion_value, motion_base,
                motion_drift, motion_last, motion_work, motion_loss, reaction, force_now,
                force_last, (double)(n + 1) * dt);
    BARRIER_GLOBAL();
  }
  if (parts & (PART_COMPLETE | PART_BEGIN)) {
    FOR_ROWS(s, lines * shots)
    sample_line((first_s + k_s) % lines, (first_s + k_s) / lines, shots, padded * DIM, n, parts,
                out, v, u, receiver_begin, receiver_dof, receiver_weight, line, plan, scale, ring);
  }
  FOR_ITEMS(i, 1)
    if (GROUP_ID == 0) clock[1 - parity] = n + 1;
}
