/* Work on the vectors of a time step beside the operator's kernel: the kinetic and strain energy of the state (W.14), the integral over time of a
 * potential, by the trapezoid rule, and the sums of a shot's energies, works and losses. All arrays are in internal node order, [padded][DIM].
 * Sums are made by granules
 * (space/space.h) in an order that depends on the mesh alone, so that each run gives the same bits, on any number of devices. */

/* Energy that laws with state have lost so far, a group of memory each:
 *   memory [groups][shots], each of `rows` rows of points with `values`, the energy lost the third from last (operator/spectral/spectral.k.h)
 *   lost   [shots][groups] */
KERNEL vectors_lost(GROUP_PARAM GLOBAL const real *RESTRICT memory, GLOBAL double *RESTRICT lost,
                    const int rows, const int values, const int shots, const int groups)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, part, THREADS *LANES);
  GLOBAL const real *own =
      memory + (((long)(GROUP_ID % groups) * shots + GROUP_ID / groups) * values * rows +
                (ITEMS_TOGETHER ? (values - 3) * rows : values - 3)) *
                   LANES;
  FOR_LANES(l) part[THREAD * LANES + l] = 0;
  FOR_ITEMS(q, rows)
    FOR_LANES(l) part[THREAD * LANES + l] += own[q * (ITEMS_TOGETHER ? 1 : values) * LANES + l];
  BARRIER();
  FOR_ITEMS(k, 1) {
    double all = 0;
    for (int t = 0; t < THREADS * LANES; t++) all += part[t];
    lost[GROUP_ID] = all;
  }
}

/* Energies of the state between two steps (d the last increment, ku = K u of the step's start, u_next at its end), summed granule by granule:
 *   kinetic 1/2 sum m d^2 / dt^2 = sum mass d^2 (mass = m / (2 dt^2)),  strain 1/2 sum u_next . ku
 *   positions: d = u_next - u_before;   kinetic, strain [shots][granules]
 *   piece [begin[granules]][2]: of each granule the first ones of consecutive numbers, and how many, at most `size`.
 * Vectors are [shots][padded][DIM]; a group treats a granule of one shot. */
KERNEL vectors_energy(GROUP_PARAM GLOBAL const real *RESTRICT next, GLOBAL const real *RESTRICT d,
                      GLOBAL const real *RESTRICT before, GLOBAL const real *RESTRICT ku,
                      GLOBAL const real *RESTRICT mass, GLOBAL const int *RESTRICT begin,
                      GLOBAL const int *RESTRICT piece, GLOBAL double *RESTRICT kinetic,
                      GLOBAL double *RESTRICT strain, const int size, const int padded,
                      const int granules)
{
  LANE_ARRAY(double, moving);
  LANE_ARRAY(double, strained);
  LOCAL_BEGIN
  LOCAL_ARRAY(double, part, 2 * THREADS * LANES);
  const int granule = GROUP_ID % granules, lines = (size + LANES - 1) / LANES;
  const int own = begin[granule], items = (begin[granule + 1] - own) * lines;
  const long shot = (long)(GROUP_ID / granules) * padded * DIM;
  FOR_LANES(l) moving[l] = strained[l] = 0;
  FOR_ITEMS(k, items) {
    GLOBAL const int *at = piece + 2 * (own + k / lines);
    const int first = at[0] + k % lines * LANES;
    if (k % lines * LANES < at[1]) {
      FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) {
        const long o = shot + (first + l) * DIM + c;
#if FORM == 1
        const real e = next[o] - before[o];
#else
        const real e = d[o];
#endif
        moving[l] += (double)(mass[first + l] * e) * (double)e;
        strained[l] += 0.5 * (double)next[o] * (double)ku[o];
      }
    }
  }
  FOR_LANES(l) {
    part[THREAD * LANES + l] = moving[l];
    part[(THREADS + THREAD) * LANES + l] = strained[l];
  }
  BARRIER();
  FOR_ITEMS(k, 2) {
    double all = 0;
    for (int t = 0; t < THREADS * LANES; t++) all += part[k * THREADS * LANES + t];
    if (k) strain[GROUP_ID] = all;
    if (!k) kinetic[GROUP_ID] = all;
  }
}

/* The integral over time of component 0 of each node, by the trapezoid rule: total += half (u + next), half = dt / 2.
 *   total [shots][padded]; vectors and groups as above */
KERNEL vectors_integrate(GROUP_PARAM GLOBAL const real *RESTRICT u,
                         GLOBAL const real *RESTRICT next, GLOBAL double *RESTRICT total,
                         const int padded, const double half_dt)
{
  const int chunks = (padded + CHUNK - 1) / CHUNK, chunk = GROUP_ID % chunks;
  const long shot = (long)(GROUP_ID / chunks) * padded;
  FOR_ITEMS(k, CHUNK / LANES) {
    const int first = chunk * CHUNK + k * LANES;
    if (first < padded)
      FOR_LANES(l) {
        const long i = shot + first + l;
        total[i] += half_dt * ((double)u[i * DIM] + (double)next[i * DIM]);
      }
  }
}

/* What each granule sums of the energies of a shot, in an order that depends on the granule alone:
 *   table [shots][granules][TOTALS]: kinetic, strain, sums of the arrays a2 ... a7 over the items that are the granule's, of the losses of its
 *   groups of K;  loss [groups][shots][run]
 *   begin [LISTS * shots + 1][granules], then the end: where the items of each begin; the last list is of groups of K, for every shot
 * A group treats a granule of one shot. */
#define TOTALS 9
#define SUMS 2
#define LISTS (TOTALS - SUMS - 1)
DEVICE double sum_items(GLOBAL const double *RESTRICT array, GLOBAL const int *RESTRICT begin,
                        GLOBAL const int *RESTRICT item, const int t)
{
  double sum = 0;
  for (int i = begin[0] + t; i < begin[1]; i += THREADS) sum += array[item[i]];
  return sum;
}

DEVICE double sum_runs(GLOBAL const double *RESTRICT loss, GLOBAL const int *RESTRICT begin,
                       GLOBAL const int *RESTRICT item, const int run, const int shots,
                       const int shot, const int t)
{
  const int count = (begin[1] - begin[0]) * run;
  double sum = 0;
  for (int i = t; i < count; i += THREADS)
    sum += loss[((long)item[begin[0] + i / run] * shots + shot) * run + i % run];
  return sum;
}

KERNEL vectors_table(GROUP_PARAM GLOBAL const double *RESTRICT kinetic,
                     GLOBAL const double *RESTRICT strain, GLOBAL const double *RESTRICT a2,
                     GLOBAL const double *RESTRICT a3, GLOBAL const double *RESTRICT a4,
                     GLOBAL const double *RESTRICT a5, GLOBAL const double *RESTRICT a6,
                     GLOBAL const double *RESTRICT a7, GLOBAL const double *RESTRICT loss,
                     GLOBAL const int *RESTRICT begin, GLOBAL const int *RESTRICT item,
                     GLOBAL double *RESTRICT table, const int granules, const int shots,
                     const int run)
{
  const int shot = GROUP_ID / granules, granule = GROUP_ID % granules;
  GLOBAL const int *RESTRICT own = begin + shot * granules + granule;
  const int next = shots * granules;
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *TOTALS);
  FOR_ITEMS(t, THREADS) {
    LOCAL double *to = sum + t * TOTALS;
    to[0] = t ? 0 : kinetic[GROUP_ID];
    to[1] = t ? 0 : strain[GROUP_ID];
    to[2] = sum_items(a2, own, item, t);
    to[3] = sum_items(a3, own + next, item, t);
    to[4] = sum_items(a4, own + 2 * next, item, t);
    to[5] = sum_items(a5, own + 3 * next, item, t);
    to[6] = sum_items(a6, own + 4 * next, item, t);
    to[7] = sum_items(a7, own + 5 * next, item, t);
    to[8] = sum_runs(loss, begin + LISTS * next + granule, item, run, shots, shot, t);
  }
  BARRIER();
  FOR_ITEMS(k, TOTALS) {
    double all = 0;
    for (int t = 0; t < THREADS; t++) all += sum[t * TOTALS + k];
    table[GROUP_ID * TOTALS + k] = all;
  }
}
