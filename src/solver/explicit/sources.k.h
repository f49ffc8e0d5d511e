/* What follows the operator's kernel in step n (state u_n -> u_n+1): forces, dashpots (a launch of their own), prescribed motions, receivers,
 * in that order.
 * `tasks` says which of them a launch carries out; ALONE: one group does all rows (on a GPU a thread each), with a barrier between the
 * tasks; without it a launch has one task, and a group for each ROWS rows.
 *
 *   clock [2]: the step's number n lies in clock[parity]; every launch of the step leaves n + 1 in clock[1 - parity], so that
 *   launches differ from those of the step before last in nothing.
 *   table [2][signals][STEPS]: signals of step n, column n % STEPS of half n / STEPS % 2
 *   out, v, u, a, b as in operator/epilogue.k.h; u_n in u, u_n+1 in out
 *   head: numbers of rows, shots and nodes, then the places of arrays in list, all integers, and in weight, all constants
 *   change: what the step changes beside the vectors, arrays of force rows (R), motion rows (M), entries of motion rows:
 *     force now, last, work, loss [R each];  motion base, drift, work, loss, reaction [M each], last [entries]
 * Degrees of freedom of forces and motions are counted through the shots, o = (shot * padded + node) * DIM + component; those of
 * receivers are of one shot, and every shot has all receivers. */
#define TASK_FORCE 1
#define TASK_MOTION 2
#define TASK_COMPLETE 4
#define TASK_BEGIN 8
#define TASK_ALONE 16

#define LIST_FORCE_ROWS 0
#define LIST_MOTION_ROWS 1
#define LIST_LINES 2
#define LIST_SIGNALS 3
#define LIST_FORCE_DOF 4 /* places in list */
#define LIST_FORCE_BEGIN 5
#define LIST_FORCE_SIGNAL 6
#define LIST_MOTION_BEGIN 7
#define LIST_MOTION_DOF 8
#define LIST_MOTION_LOADED 9
#define LIST_MOTION_SIGNAL 10
#define LIST_RECEIVER_BEGIN 11
#define LIST_RECEIVER_DOF 12
#define LIST_LINE 13
#define LIST_FORCE_COEFFICIENT 14 /* places in weight */
#define LIST_MOTION_WEIGHT 15
#define LIST_MOTION_VALUE 16
#define LIST_RECEIVER_WEIGHT 17
#define LIST_SCALE 18
#define LIST_SHOTS 19
#define LIST_PADDED 20

#if THREADS > 1
#define ROWS THREADS
#else
#define ROWS CHUNK
#endif

/* sum_s coefficient s table[signal] over the entries [first, end) */
DEVICE double force_of(const int first, const int end, GLOBAL const double *RESTRICT table,
                       GLOBAL const int *RESTRICT signal, GLOBAL const double *RESTRICT coefficient)
{
  double x = 0;
  for (int s = first; s < end; s++) x += coefficient[s] * table[(long)signal[s] * STEPS];
  return x;
}

/* A force x on the dof o of row r:   increment += B x, u += B x
 * Work x (u_n+1 - u_n-1) / 2 (W.16) and the correction of the loss are added. All is read before anything is written, since a GPU does not
 * read past a write to an array that may be the same.
 *   last [rows] the increment before;  work, loss, now [rows], now: x */
DEVICE void push_force(const int r, const int o, const double x, const double A, const double B,
                       GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,
                       GLOBAL const real *RESTRICT u, GLOBAL double *RESTRICT last,
                       GLOBAL double *RESTRICT work, GLOBAL double *RESTRICT loss,
                       GLOBAL double *RESTRICT now)
{
  const double before = last[r], worked = work[r], lost = loss[r];
#if FORM == 2
  v[o] += (real)(B * x);
#endif
  out[o] += (real)(B * x);
  const double after = INCREMENT(o);
#if DAMPED
  loss[r] = lost + LOSS_CORRECTION(A, B, before, (after - B * x), after);
#else
  (void)lost;
#endif
  work[r] = worked + x * 0.5 * (after + before);
  last[r] = after;
  now[r] = x;
}

/* Whether row r begins at the node at which the row before it begins. Rows share degrees of freedom only where they are of one node,
 * along directions that are orthogonal, and lie side by side: B is the same for all components of a node, so that holding one leaves the
 * others as they are, and one item holds them in turn. */
DEVICE int same_node(const int r, GLOBAL const int *RESTRICT begin, GLOBAL const int *RESTRICT dof)
{
  return r > 0 && dof[begin[r]] / DIM == dof[begin[r - 1]] / DIM;
}

/* sum_j weight_j u_dof_j = base + drift t_n+1 + value g[signal], held by a force along the row:
 *   lambda = (goal - sum weight u) / sum weight^2 B,  u_j += B_j weight_j lambda   (W.8)
 * The force of row r is reaction[r] = lambda; its work and the correction of the loss are added; so is what forces on the
 * row's dofs do as the row moves them: x push / 2.
 *   loaded [begin[rows]]: row of the force on a dof, -1: none;  force_now, force_last [its rows]: x, the increment
 *   begin [rows + 1];  dof, weight, last [begin[rows]];  signal, value, base, drift [rows];  signal -1: value 0;  time t_n+1
 * Holds row `row`, and those of its node that follow it; nothing where that row itself follows one. */
DEVICE void hold_motions(const int row, const int rows, const int padded, GLOBAL real *RESTRICT out,
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
  for (int r = row; r < rows && same_node(r, begin, dof) == (r > row); r++) {
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
      loss[r] += LOSS_CORRECTION(DECAY(n), (double)b[n], before, free, after);
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
}

/* Dashpots: the force -C v on nodes, C a symmetric DIM x DIM block, implicit as damping is, so that the bound of dt stays. With
 * S = B C / (2 dt) what the operator and the forces leave, d' = A d + B F (d, d+ the increments before and after), becomes
 *   (1 + S) d+ = d' - S d,   that is   d+ = d' - q,   q = G (d' + d),   G = (1 + S)^-1 S   (W.18).
 * Lost is w C w / (4 dt) = w q / (2 B), w = d+ + d. The work of forces on these nodes and the loss by A are corrected. C holds
 * nothing along motion rows of its node: these come afterwards, and change nothing here.
 *   share [shots][count][DIM (DIM + 1) / 2]: upper triangle of G;  loaded [shots][count][DIM]: row of the force on a dof, -1: none
 *   last [shots][count][DIM]: d;  loss [shots][count] */
KERNEL dashpots_step(GROUP_PARAM GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,
                     GLOBAL const real *RESTRICT u, GLOBAL const real *RESTRICT b,
                     GLOBAL const real *RESTRICT a, GLOBAL const int *RESTRICT node,
                     GLOBAL const real *RESTRICT share, GLOBAL const int *RESTRICT loaded,
                     GLOBAL double *RESTRICT last, GLOBAL double *RESTRICT loss,
                     GLOBAL double *RESTRICT change, const int force_rows, const int count,
                     const int shots, const int padded)
{
  GLOBAL const double *RESTRICT force_now = change;
  GLOBAL double *RESTRICT force_last = change + force_rows;
  GLOBAL double *RESTRICT force_work = change + 2 * (long)force_rows;
  const int first = GROUP_ID * ROWS, left = count * shots - first, rows = left > ROWS ? ROWS : left;
  GRID_WAIT();
  GRID_TRIGGER();
  RELOAD(u);
  FOR_EACH(k, rows, ROWS)
  {
    const int r = first + k, n = node[r % count], origin = (r / count * padded + n) * DIM;
    const double B = (double)b[n];
    GLOBAL const real *g = share + (long)r * (DIM * (DIM + 1) / 2);
    double sum[DIM], q[DIM], lost = 0;
    UNROLL
    for (int c = 0; c < DIM; c++) {
      sum[c] = INCREMENT(origin + c) + last[r * DIM + c];
      q[c] = 0;
    }
    UNROLL
    for (int c = 0; c < DIM; c++) UNROLL
    for (int d = 0; d < DIM; d++) {
      const int i = c < d ? c : d, j = c < d ? d : c;
      q[c] += (double)g[i * (2 * DIM - 1 - i) / 2 + j] * sum[d];
    }
    UNROLL
    for (int c = 0; c < DIM; c++) {
      const int o = origin + c, pushed = loaded[r * DIM + c];
      const double free = INCREMENT(o);
#if FORM == 2
      v[o] = (real)(free - q[c]);
      out[o] = u[o] + v[o];
#else
      out[o] = (real)((double)out[o] - q[c]);
#endif
      const double after = INCREMENT(o);
      lost += q[c] * (sum[c] - q[c]) / (2 * B);
#if DAMPED
      lost += LOSS_CORRECTION(DECAY(n), B, last[r * DIM + c], free, after);
#endif
      last[r * DIM + c] = after;
      if (pushed >= 0) {
        force_work[pushed] += force_now[pushed] * 0.5 * (after - free);
        force_last[pushed] = after;
      }
    }
    loss[r] += lost;
  }
}

/* A receiver group samples rows of weights over dofs into a ring of its own, at steps 0, every, 2 every, ... up to the last:
 *   displacement  ring[k][row] = sum weight u_n
 *   rates         ring[k][row] = scale[0] sum weight d- + scale[1] sum weight d+,  d-, d+: increments before, after step n
 *   integrals     ring[k][row] = dt (g_0 / 2 + g_1 + ... + g_n / 2),  g = sum weight u;  total [shots][lines]: that and dt g_n / 2
 * Step n -> n + 1 completes the sample of n and begins that of n + 1.
 *   plan [group][GROUP_*];  scale [group][2];  line [lines]: group of a line, which is a row of it
 *   ring: total, then the rings
 * A sample holds the rows of all shots, [shots][rows]. */
#define GROUP_FIRST_LINE 0 /* of this group */
#define GROUP_FIRST_ROW 1  /* of begin */
#define GROUP_ROWS 2
#define GROUP_RATES 3 /* 1; 0: values; -1: their integrals over time */
#define GROUP_EVERY 4
#define GROUP_LAST 5 /* the last step */
#define GROUP_ROOM 6 /* samples in the ring */
#define GROUP_RING 7 /* where it begins */
#define GROUP_SIZE 8

/* a / b of numbers that are not negative; small ones, as steps are, in 32 bits: a GPU has no long division */
DEVICE long quotient(const long a, const long b)
{
  return (a | b) >> 31 ? a / b : (long)((unsigned)a / (unsigned)b);
}

/* Place in all rings of sample `step`, row r of all shots' rows; -1: there is none */
DEVICE long sample_place(GLOBAL const long *RESTRICT w, const long step, const int r,
                         const int shots)
{
  const long every = w[GROUP_EVERY], last = w[GROUP_LAST], room = w[GROUP_ROOM];
  if (step < 0 || step > last) return -1;
  const long number = quotient(step, every);
  if (number * every != step) return -1;
  return w[GROUP_RING] + (number - quotient(number, room) * room) * w[GROUP_ROWS] * shots + r;
}

/* GATHER: the threads of a group load the entries of its rows of receivers, at most LINES with at most GATHER entries, side by side, and a thread adds
 * those of a row in their order. Where no force or motion acts on a degree of freedom its value is loaded before these act; others are listed as ~dof.
 * GATHER 0: a thread loads all of its row. */
#ifndef GATHER
#define GATHER 0
#define LINES ROWS
#endif
#define GATHERED (LINES * GATHER)
#define DOF_OF(listed) ((listed) < 0 ? ~(listed) : (listed))

/* Row of the receivers that line i of group w is. */
DEVICE int row_of(GLOBAL const long *RESTRICT w, const int i)
{
  return (int)w[GROUP_FIRST_ROW] + i - (int)w[GROUP_FIRST_LINE];
}

/* Places of the samples that line i of a shot completes and begins in step n. */
DEVICE long completed_place(GLOBAL const long *RESTRICT w, const int i, const int shot,
                            const int shots, const long n, const int tasks)
{
  const int at = shot * (int)w[GROUP_ROWS] + i - (int)w[GROUP_FIRST_LINE];
  return (tasks & TASK_COMPLETE) && w[GROUP_RATES] > 0 ? sample_place(w, n, at, shots) : -1;
}

DEVICE long begun_place(GLOBAL const long *RESTRICT w, const int i, const int shot, const int shots,
                        const long n, const int tasks)
{
  const int at = shot * (int)w[GROUP_ROWS] + i - (int)w[GROUP_FIRST_LINE];
  return tasks & TASK_BEGIN ? sample_place(w, n + 1, at, shots) : -1;
}

DEVICE double receiver_value(const int o, const int rates, GLOBAL const real *RESTRICT out,
                             GLOBAL const real *RESTRICT v, GLOBAL const real *RESTRICT u)
{
  return rates ? INCREMENT(o) : (double)out[o];
}

#if GATHER
#define NO_ENTRY -1 /* else whether a load acts on it, times 2, and whether its rate is asked for */
#define GATHER_BEGIN                                                                               \
  LOCAL_BEGIN                                                                                      \
  LOCAL_ARRAY(double, gathered, GATHERED);                                                         \
  LOCAL_ARRAY(double, gathered_weight, GATHERED);                                                  \
  EARLY(int, early_entry, GATHERED, 2);
#define GATHER_LISTS                                                                               \
  FOR_EACH(k, count_s *GATHER, GATHERED)                                                           \
  {                                                                                                \
    const int i = (first_s + k / GATHER) % lines;                                                  \
    GLOBAL const long *w = plan + line[i] * GROUP_SIZE;                                            \
    const int entry = receiver_begin[row_of(w, i)] + k % GATHER;                                   \
    const int is_there = entry < receiver_begin[row_of(w, i) + 1];                                 \
    const int listed = is_there ? receiver_dof[entry] : 0;                                         \
    EARLY_LOAD(early_entry, 2, 0, DOF_OF(listed));                                                 \
    EARLY_LOAD(early_entry, 2, 1, is_there ? 2 * (listed < 0) + (w[GROUP_RATES] > 0) : NO_ENTRY);  \
    gathered[k] = 0, gathered_weight[k] = is_there ? receiver_weight[entry] : 0;                   \
  }
/* Of what loads act on, of what they do not. */
#define GATHER_VALUES(of_loaded)                                                                   \
  FOR_EACH(k, count_s *GATHER, GATHERED)                                                           \
  {                                                                                                \
    const int kind = EARLY_GET(early_entry, 2, 1, NO_ENTRY);                                       \
    const int origin = (first_s + k / GATHER) / lines * padded * DIM;                              \
    if (kind != NO_ENTRY && kind / 2 == (of_loaded))                                               \
      gathered[k] = receiver_value(origin + EARLY_GET(early_entry, 2, 0, 0), kind % 2, out, v, u); \
  }
#define RECEIVE(k, i, origin, w, rates) receive(gathered + (k)*GATHER, gathered_weight + (k)*GATHER)

/* The row whose values and weights these are; what it has less than GATHER is zero. */
DEVICE double receive(LOCAL const double *value, LOCAL const double *weight)
{
  double sum = 0;
  for (int c = 0; c < GATHER; c += 4) UNROLL
  for (int k = 0; k < 4; k++) sum += weight[c + k] * value[c + k];
  return sum;
}
#else
#define GATHER_BEGIN
#define GATHER_LISTS
#define GATHER_VALUES(of_loaded)
#define RECEIVE(k, i, origin, w, rates)                                                            \
  receive(receiver_begin[row_of(w, i)], receiver_begin[row_of(w, i) + 1], origin, rates, out, v,   \
          u, receiver_dof, receiver_weight)

/* The row with the entries [begin, end), of the shot whose dofs begin at origin. */
DEVICE double receive(const int begin, const int end, const int origin, const int rates,
                      GLOBAL const real *RESTRICT out, GLOBAL const real *RESTRICT v,
                      GLOBAL const real *RESTRICT u, GLOBAL const int *RESTRICT dof,
                      GLOBAL const double *RESTRICT weight)
{
  double sum = 0;
  for (int p = begin; p < end; p++)
    sum += weight[p] * receiver_value(origin + DOF_OF(dof[p]), rates, out, v, u);
  return sum;
}
#endif

/* The sample of step `step` that begins with this sum. */
DEVICE double begun(const double sum, const double scale, const int rates, const long step,
                    const double dt, GLOBAL double *RESTRICT total)
{
  if (rates >= 0) return scale * sum;
  *total = step ? *total + dt * sum : 0.5 * dt * sum;
  return *total - 0.5 * dt * sum;
}

/* The rows of a task that this group carries out, [first, first + count): at most so many on a GPU. */
#define OWN_ROWS(r, task, rows, most)                                                              \
  const int first_##r = alone ? 0 : GROUP_ID * (most);                                             \
  const int left_##r = tasks & (task) ? (rows)-first_##r : 0;                                      \
  const int count_##r = !alone && left_##r > (most) ? (most) : left_##r;
#define TASKS_RECEIVERS (TASK_COMPLETE | TASK_BEGIN)

#define FORCE_OF(r)                                                                                \
  force_of(force_begin[r], force_begin[(r) + 1], signal_now, force_signal, force_coefficient)
#define LISTED(name, place) GLOBAL const int *RESTRICT name = list + head.at[place];
#define WEIGHED(name, place) GLOBAL const double *RESTRICT name = weight + head.at[place];

/* Whether one group does all, and the arrays of list, weight, change, clock and ring by their names. */
#define NAME_ARRAYS                                                                                \
  const int alone = tasks & TASK_ALONE;                                                            \
  const int force_rows = head.at[LIST_FORCE_ROWS], motion_rows = head.at[LIST_MOTION_ROWS],        \
            lines = head.at[LIST_LINES], signals = head.at[LIST_SIGNALS],                          \
            shots = head.at[LIST_SHOTS], padded = head.at[LIST_PADDED];                            \
  LISTED(force_dof, LIST_FORCE_DOF)                                                                \
  LISTED(force_begin, LIST_FORCE_BEGIN)                                                            \
  LISTED(force_signal, LIST_FORCE_SIGNAL)                                                          \
  LISTED(motion_begin, LIST_MOTION_BEGIN)                                                          \
  LISTED(motion_dof, LIST_MOTION_DOF)                                                              \
  LISTED(motion_loaded, LIST_MOTION_LOADED)                                                        \
  LISTED(motion_signal, LIST_MOTION_SIGNAL)                                                        \
  LISTED(receiver_begin, LIST_RECEIVER_BEGIN)                                                      \
  LISTED(receiver_dof, LIST_RECEIVER_DOF)                                                          \
  LISTED(line, LIST_LINE)                                                                          \
  WEIGHED(force_coefficient, LIST_FORCE_COEFFICIENT)                                               \
  WEIGHED(motion_weight, LIST_MOTION_WEIGHT)                                                       \
  WEIGHED(motion_value, LIST_MOTION_VALUE)                                                         \
  WEIGHED(receiver_weight, LIST_RECEIVER_WEIGHT)                                                   \
  WEIGHED(scale, LIST_SCALE)                                                                       \
  GLOBAL double *RESTRICT force_now = change;                                                      \
  GLOBAL double *RESTRICT force_last = force_now + force_rows;                                     \
  GLOBAL double *RESTRICT force_work = force_last + force_rows;                                    \
  GLOBAL double *RESTRICT force_loss = force_work + force_rows;                                    \
  GLOBAL const double *RESTRICT motion_base = force_loss + force_rows;                             \
  GLOBAL const double *RESTRICT motion_drift = motion_base + motion_rows;                          \
  GLOBAL double *RESTRICT motion_work = change + 4 * (long)force_rows + 2 * (long)motion_rows;     \
  GLOBAL double *RESTRICT motion_loss = motion_work + motion_rows;                                 \
  GLOBAL double *RESTRICT reaction = motion_loss + motion_rows;                                    \
  GLOBAL double *RESTRICT motion_last = reaction + motion_rows;                                    \
  GLOBAL double *RESTRICT total = ring;

/* Of the rows of receivers of a group: where their samples go, by what they are scaled, and what the sample that they complete has so far. */
#define PLACES_AHEAD                                                                               \
  FOR_EACH(k, count_s, ROWS)                                                                       \
  {                                                                                                \
    const int i = (first_s + k) % lines, at = line[i];                                             \
    GLOBAL const long *w = plan + at * GROUP_SIZE;                                                 \
    const long complete = completed_place(w, i, (first_s + k) / lines, shots, n, tasks);           \
    EARLY_LOAD(early_line, 2, 0, at);                                                              \
    EARLY_LOAD(early_line, 2, 1, (int)w[GROUP_RATES]);                                             \
    EARLY_LOAD(early_place, 2, 0, complete);                                                       \
    EARLY_LOAD(early_place, 2, 1, begun_place(w, i, (first_s + k) / lines, shots, n, tasks));      \
    EARLY_LOAD(early_sample, 3, 0, scale[2 * at]);                                                 \
    EARLY_LOAD(early_sample, 3, 1, scale[2 * at + 1]);                                             \
    EARLY_LOAD(early_sample, 3, 2,                                                                 \
               complete < 0 ? 0 : ((GLOBAL const volatile double *)ring)[complete]);               \
  }

KERNEL sources_step(GROUP_PARAM GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,
                    GLOBAL const real *RESTRICT u, GLOBAL const real *RESTRICT b,
                    GLOBAL const real *RESTRICT a, GLOBAL long *RESTRICT clock,
                    GLOBAL const double *RESTRICT table, const integers head,
                    GLOBAL const int *RESTRICT list, GLOBAL const double *RESTRICT weight,
                    GLOBAL double *RESTRICT change, GLOBAL const long *RESTRICT plan,
                    GLOBAL double *RESTRICT ring, const int parity, const int tasks,
                    const double dt)
{
  NAME_ARRAYS
  OWN_ROWS(f, TASK_FORCE, force_rows, ROWS)
  OWN_ROWS(m, TASK_MOTION, motion_rows, ROWS)
  OWN_ROWS(s, TASKS_RECEIVERS, lines * shots, LINES)
  GATHER_BEGIN
  EARLY(int, early_force, ROWS, 1);
  EARLY(double, early_factor, ROWS, 3);
  EARLY(int, early_line, ROWS, 2);
  EARLY(long, early_place, ROWS, 2);
  EARLY(double, early_sample, ROWS, 3);
  GRID_TRIGGER();
  /* the step before is done: the operator's kernel has waited for it */
  const long n = ((GLOBAL const volatile long *)clock)[parity];
  GLOBAL const double *RESTRICT signal_now = table + n / STEPS % 2 * signals * STEPS + n % STEPS;
  FOR_EACH(k, count_f, ROWS)
  {
    const int r = first_f + k, o = force_dof[r];
    EARLY_LOAD(early_force, 1, 0, o);
    EARLY_LOAD(early_factor, 3, 0, FORCE_OF(r));
    EARLY_LOAD(early_factor, 3, 1, DECAY(o / DIM % padded));
    EARLY_LOAD(early_factor, 3, 2, (double)b[o / DIM % padded]);
  }
  PLACES_AHEAD
  GATHER_LISTS
  GRID_WAIT();
  RELOAD(u);

  GATHER_VALUES(0)
  if (tasks & TASK_FORCE) {
    FOR_EACH(k, count_f, ROWS)
    {
      const int r = first_f + k, o = EARLY_GET(early_force, 1, 0, force_dof[r]);
      const double x = EARLY_GET(early_factor, 3, 0, FORCE_OF(r)),
                   A = EARLY_GET(early_factor, 3, 1, DECAY(o / DIM % padded)),
                   B = EARLY_GET(early_factor, 3, 2, (double)b[o / DIM % padded]);
      push_force(r, o, x, A, B, out, v, u, force_last, force_work, force_loss, force_now);
    }
    BARRIER_GLOBAL();
  }
  if (tasks & TASK_MOTION) {
    FOR_EACH(k, count_m, ROWS)
    hold_motions(first_m + k, motion_rows, padded, out, v, u, b, a, signal_now, motion_begin,
                 motion_dof, motion_weight, motion_loaded, motion_signal, motion_value, motion_base,
                 motion_drift, motion_last, motion_work, motion_loss, reaction, force_now,
                 force_last, (double)(n + 1) * dt);
    BARRIER_GLOBAL();
  }
  GATHER_VALUES(1)
  BARRIER();
  FOR_EACH(k, count_s, ROWS)
  {
    const int i = (first_s + k) % lines, shot = (first_s + k) / lines;
    const int at = EARLY_GET(early_line, 2, 0, line[i]);
    GLOBAL const long *w = plan + at * GROUP_SIZE;
    const long complete =
        EARLY_GET(early_place, 2, 0, completed_place(w, i, shot, shots, n, tasks));
    const long start = EARLY_GET(early_place, 2, 1, begun_place(w, i, shot, shots, n, tasks));
    const int rates = EARLY_GET(early_line, 2, 1, (int)w[GROUP_RATES]),
              starts = start >= 0 || (rates < 0 && tasks & TASK_BEGIN);
    if (complete < 0 && !starts) continue;
    const double sum = RECEIVE(k, i, shot * padded * DIM, w, rates > 0);
    if (complete >= 0)
      ring[complete] = EARLY_GET(early_sample, 3, 2, ring[complete]) +
                       EARLY_GET(early_sample, 3, 1, scale[2 * at + 1]) * sum;
    if (!starts) continue;
    const double value = begun(sum, EARLY_GET(early_sample, 3, 0, scale[2 * at]), rates, n + 1, dt,
                               total + first_s + k);
    if (start >= 0) ring[start] = value;
  }
  FOR_ITEMS(i, 1)
    if (GROUP_ID == 0) clock[1 - parity] = n + 1;
}
