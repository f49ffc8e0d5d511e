/* Work on the vectors of a time step beside the operator's kernel: the kinetic and strain energy of the state (W.14), the integral over time of a
 * potential, by the trapezoid rule, and the sums of a shot's energies, works and losses. All arrays are in internal node order, [padded][DIM].
 * Sums are made in an order that depends on sizes alone, so that each run gives the same bits. */

/* Energy that laws with state have lost so far, the first value of state of each point:
 *   memory [batches][shots][points][states][LANES] (operator/spectral/spectral.k.h),   lost [shots][batches][THREADS * LANES]: parts of the sum
 * A group treats a batch of one shot. */
KERNEL vectors_lost(GROUP_PARAM GLOBAL const real *RESTRICT memory, GLOBAL double *RESTRICT lost,
                    const int points, const int states, const int shots, const int batches)
{
  LANE_ARRAY(double, sum);
  GLOBAL const real *own =
      memory + ((long)(GROUP_ID % batches) * shots + GROUP_ID / batches) * points * states * LANES;
  FOR_LANES(l) sum[l] = 0;
  FOR_ITEMS(q, points)
    FOR_LANES(l) sum[l] += own[(q * states) * LANES + l];
  FOR_LANES(l) lost[(GROUP_ID * THREADS + THREAD) * LANES + l] = sum[l];
}

/* Energies of the state between two steps (d the last increment, ku = K u of the step's start, u_next at its end):
 *   kinetic 1/2 sum m d^2 / dt^2 = sum mass d^2 (mass = m / (2 dt^2)),  strain 1/2 sum u_next . ku
 *   positions: d = u_next - u_before;   kinetic, strain [shots][chunks][THREADS * LANES]: parts of the sums
 *   Nodes from `rows` on are ghosts, which other parts of the model count.
 * Vectors are [shots][padded][DIM]; a group treats a chunk of one shot. */
KERNEL vectors_energy(GROUP_PARAM GLOBAL const real *RESTRICT next, GLOBAL const real *RESTRICT d,
                      GLOBAL const real *RESTRICT before, GLOBAL const real *RESTRICT ku,
                      GLOBAL const real *RESTRICT mass, GLOBAL double *RESTRICT kinetic,
                      GLOBAL double *RESTRICT strain, const int padded, const int rows)
{
  LANE_ARRAY(double, moving);
  LANE_ARRAY(double, strained);
  const int chunks = (padded + CHUNK - 1) / CHUNK, chunk = GROUP_ID % chunks;
  const long shot = (long)(GROUP_ID / chunks) * padded * DIM;
  FOR_LANES(l) moving[l] = strained[l] = 0;
  FOR_ITEMS(k, CHUNK / LANES) {
    const int first = chunk * CHUNK + k * LANES;
    if (first < rows) {
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
    const int o = (GROUP_ID * THREADS + THREAD) * LANES + l;
    kinetic[o] = moving[l];
    strain[o] = strained[l];
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

/* Sums of arrays for each shot, in an order that depends on the sizes of its own parts alone: first each group sums its share,
 *   part[shot][group][k] = sum of the shot's part of array k in [group each, (group + 1) each),  each = ceil(count / groups)
 * then one group per shot sums the shares into what hk_energy names.
 *   range [shots][RANGES]: first and count of the part of each array but the last, count of that, groups
 *   the last array is [..][shots][run] */
#define TOTALS 9
#define RANGES (2 * TOTALS)
DEVICE double sum_from(GLOBAL const double *RESTRICT array, GLOBAL const int *RESTRICT range,
                       const int groups, const int group, const int t)
{
  const int each = (range[1] + groups - 1) / groups, first = group * each,
            end = first + each < range[1] ? first + each : range[1];
  double sum = 0;
  for (int i = first + t; i < end; i += THREADS) sum += array[range[0] + i];
  return sum;
}

DEVICE double sum_runs(GLOBAL const double *RESTRICT array, const int count, const int run,
                       const int shots, const int shot, const int groups, const int group,
                       const int t)
{
  const int each = (count + groups - 1) / groups, first = group * each,
            end = first + each < count ? first + each : count;
  double sum = 0;
  for (int i = first + t; i < end; i += THREADS)
    sum += array[((long)(i / run) * shots + shot) * run + i % run];
  return sum;
}

KERNEL vectors_part(GROUP_PARAM GLOBAL const double *RESTRICT a0, GLOBAL const double *RESTRICT a1,
                    GLOBAL const double *RESTRICT a2, GLOBAL const double *RESTRICT a3,
                    GLOBAL const double *RESTRICT a4, GLOBAL const double *RESTRICT a5,
                    GLOBAL const double *RESTRICT a6, GLOBAL const double *RESTRICT a7,
                    GLOBAL const double *RESTRICT a8, GLOBAL const int *RESTRICT range,
                    GLOBAL double *RESTRICT part, const int most_groups, const int shots,
                    const int run)
{
  const int shot = GROUP_ID / most_groups, group = GROUP_ID % most_groups;
  GLOBAL const int *own_range = range + shot * RANGES;
  const int groups = own_range[RANGES - 1];
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *TOTALS);
  FOR_ITEMS(t, THREADS) {
    LOCAL double *own = sum + t * TOTALS;
    own[0] = sum_from(a0, own_range, groups, group, t);
    own[1] = sum_from(a1, own_range + 2, groups, group, t);
    own[2] = sum_from(a2, own_range + 4, groups, group, t);
    own[3] = sum_from(a3, own_range + 6, groups, group, t);
    own[4] = sum_from(a4, own_range + 8, groups, group, t);
    own[5] = sum_from(a5, own_range + 10, groups, group, t);
    own[6] = sum_from(a6, own_range + 12, groups, group, t);
    own[7] = sum_from(a7, own_range + 14, groups, group, t);
    own[8] = sum_runs(a8, own_range[16], run, shots, shot, groups, group, t);
  }
  BARRIER();
  FOR_ITEMS(k, TOTALS) {
    double all = 0;
    for (int t = 0; t < THREADS; t++) all += sum[t * TOTALS + k];
    part[GROUP_ID * TOTALS + k] = all;
  }
}

KERNEL vectors_total(GROUP_PARAM GLOBAL const double *RESTRICT part,
                     GLOBAL const int *RESTRICT range, GLOBAL double *RESTRICT total,
                     const int most_groups)
{
  FOR_ITEMS(k, TOTALS) {
    double all = 0;
    for (int g = 0; g < range[GROUP_ID * RANGES + RANGES - 1]; g++)
      all += part[(GROUP_ID * most_groups + g) * TOTALS + k];
    total[GROUP_ID * TOTALS + k] = all;
  }
}
