/* K by rows of symmetric blocks, for several states ("shots") at once: S, t and the lists of kernels/edges.k.h with each pair held by both
 * its nodes, so that there are neither slots nor `gather`:
 *   f_i = sum over neighbours j of  S_ij (u_j - u_i) + t_ij x (u_j - u_i)
 * A group is a patch of PATCH nodes and SHOTS states, all of a node for one item, so that a block is read once for them. Displacements lie
 * in LOCAL memory, x[local node][component][state]. States beyond the last one are the last one again, and are not written. One
 * lane. The epilogue runs over degrees of freedom in their order: written by nodes, lines of memory would be written DIM times. */
#define SYMMETRIC (DIM * (DIM + 1) / 2)
#define TWISTS (2 * DIM - 3)
#define ROWS_AT_ONCE 2
#define FOR_STATES(s)                                                                              \
  UNROLL                                                                                           \
  for (int s = 0; s < SHOTS; s++)

/* w = u_j - own of local node j */
DEVICE void load_difference(LOCAL const real *x, const int j, PRIVATE const real *own,
                            PRIVATE real *w)
{
  UNROLL
  for (int c = 0; c < DIM; c++)
    FOR_STATES(s) w[c * SHOTS + s] = x[(j * DIM + c) * SHOTS + s] - own[c * SHOTS + s];
}

/* f += S w */
DEVICE void add_block(PRIVATE const real *m, PRIVATE const real *w, PRIVATE real *f)
{
  FOR_STATES(s)
  {
#if DIM == 3
    const real a = w[s], b = w[SHOTS + s], c = w[2 * SHOTS + s];
    f[s] += m[0] * a + m[5] * b + m[4] * c;
    f[SHOTS + s] += m[5] * a + m[1] * b + m[3] * c;
    f[2 * SHOTS + s] += m[4] * a + m[3] * b + m[2] * c;
#else
    const real a = w[s], b = w[SHOTS + s];
    f[s] += m[0] * a + m[2] * b;
    f[SHOTS + s] += m[2] * a + m[1] * b;
#endif
  }
}

/* f += t x w */
DEVICE void add_twist(PRIVATE const real *t, PRIVATE const real *w, PRIVATE real *f)
{
  FOR_STATES(s)
  {
#if DIM == 3
    const real a = w[s], b = w[SHOTS + s], c = w[2 * SHOTS + s];
    f[s] += t[1] * c - t[2] * b;
    f[SHOTS + s] += t[2] * a - t[0] * c;
    f[2 * SHOTS + s] += t[0] * b - t[1] * a;
#else
    f[s] -= t[0] * w[SHOTS + s];
    f[SHOTS + s] += t[0] * w[s];
#endif
  }
}

/* The next n pairs of a node. */
DEVICE void add_blocks(LOCAL const real *x, GLOBAL const unsigned short *near,
                       GLOBAL const real *block, const int n, PRIVATE const real *own,
                       PRIVATE real *f)
{
  real m[ROWS_AT_ONCE * SYMMETRIC], w[DIM * SHOTS];
  int j[ROWS_AT_ONCE];
  UNROLL
  for (int q = 0; q < n; q++) {
    j[q] = near[q * WIDTH];
    UNROLL
    for (int c = 0; c < SYMMETRIC; c++) m[q * SYMMETRIC + c] = block[(q * SYMMETRIC + c) * WIDTH];
  }
  UNROLL
  for (int q = 0; q < n; q++) {
    load_difference(x, j[q], own, w);
    add_block(m + q * SYMMETRIC, w, f);
  }
}

/* Displacements of a patch's nodes and of its halo; at[s] where state s begins. */
DEVICE void load_nodes(GLOBAL const real *u, PRIVATE const long *at, const int first,
                       GLOBAL const int *halo, const int halos, LOCAL real *x)
{
  EARLY(int, early, (MAX_LOCAL - PATCH) * DIM, 1);
  FOR_EACH(k, halos * DIM, (MAX_LOCAL - PATCH) * DIM)
  EARLY_LOAD(early, 1, 0, halo[k / DIM] * DIM + k % DIM);
  FOR_EACH(k, PATCH * DIM, PATCH * DIM)
  FOR_STATES(s) x[k * SHOTS + s] = u[at[s] + first * DIM + k];
  FOR_EACH(k, halos * DIM, (MAX_LOCAL - PATCH) * DIM)
  {
    const int o = EARLY_GET(early, 1, 0, halo[k / DIM] * DIM + k % DIM);
    FOR_STATES(s) x[(PATCH * DIM + k) * SHOTS + s] = u[at[s] + o];
  }
}

/* Where the SHOTS states from `shot` on begin. */
DEVICE void find_states(const int shot, const int shots, const int stride, PRIVATE long *at)
{
  FOR_STATES(s) at[s] = (long)(shot + s < shots ? shot + s : shots - 1) * stride;
}

KERNEL edges_rows_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT halo_begin,
                       GLOBAL const int *RESTRICT halo, GLOBAL const int *RESTRICT slice,
                       GLOBAL const unsigned short *RESTRICT neighbour,
                       GLOBAL const real *RESTRICT block,
                       GLOBAL const unsigned short *RESTRICT twisted,
                       GLOBAL const real *RESTRICT twist)
{
  LOCAL_BEGIN
  const int chunks = (shots + SHOTS - 1) / SHOTS, patch = GROUP_ID / chunks;
  const int shot = GROUP_ID % chunks * SHOTS, first = patch * PATCH;
  LOCAL_ARRAY(real, x, MAX_LOCAL * DIM * SHOTS);
  LOCAL_ARRAY(real, force, PATCH * DIM * SHOTS);
  long at[SHOTS];
  find_states(shot, shots, stride, at);
  load_nodes(u, at, first, halo + halo_begin[patch], halo_begin[patch + 1] - halo_begin[patch], x);
  BARRIER();

  FOR_EACH(i, PATCH, PATCH)
  {
    const int lane = i % WIDTH, node = first + i;
    GLOBAL const int *begin = slice + (patch * (PATCH / WIDTH) + i / WIDTH) * 4;
    GLOBAL const unsigned short *near = neighbour + (long)begin[0] * WIDTH + lane;
    GLOBAL const real *m = block + (long)begin[0] * (SYMMETRIC * WIDTH) + lane;
    const int pairs = begin[4] - begin[0];
    real own[DIM * SHOTS], f[DIM * SHOTS], w[DIM * SHOTS], t[3];
    UNROLL
    for (int c = 0; c < DIM; c++)
      FOR_STATES(s) own[c * SHOTS + s] = x[(i * DIM + c) * SHOTS + s], f[c * SHOTS + s] = 0;
    for (int p = 0; p + ROWS_AT_ONCE <= pairs; p += ROWS_AT_ONCE) {
      add_blocks(x, near, m, ROWS_AT_ONCE, own, f);
      near += ROWS_AT_ONCE * WIDTH, m += ROWS_AT_ONCE * SYMMETRIC * WIDTH;
    }
    if (pairs % ROWS_AT_ONCE) add_blocks(x, near, m, 1, own, f);
    for (int p = begin[3]; p < begin[7]; p++) {
      load_difference(x, twisted[(long)p * WIDTH + lane], own, w);
      for (int c = 0; c < TWISTS; c++) t[c] = twist[((long)p * TWISTS + c) * WIDTH + lane];
      add_twist(t, w, f);
    }
    UNROLL
    for (int c = 0; c < DIM; c++) FOR_STATES(s) force[(i * DIM + c) * SHOTS + s] = f[c * SHOTS + s];
  }
  BARRIER();

  real lost[SHOTS];
  FOR_STATES(s) lost[s] = 0;
  FOR_EACH(k, PATCH * DIM, PATCH * DIM)
  FOR_STATES(s)
  {
    const int o = first * DIM + k, node = first + k / DIM;
    if (shot + s < shots)
      finish(out + at[s], v + (FORM == 2 ? at[s] : 0), o, x[k * SHOTS + s], force[k * SHOTS + s],
             LAST(at[s] + o), FACTOR(node), DAMPING(node), &lost[s]);
  }
#if DAMPED
  FOR_STATES(s)
  if (shot + s < shots) {
    const real team = TEAM_SUM(lost[s]);
    if (THREAD % TEAM == 0)
      ADD_TO(loss[((patch * ((PATCH + LOSS_THREADS - 1) / LOSS_THREADS) + THREAD / LOSS_THREADS) *
                       shots +
                   shot + s) *
                      (LOSS_THREADS / TEAM) +
                  THREAD % LOSS_THREADS / TEAM],
             (double)team);
  }
#endif
}
