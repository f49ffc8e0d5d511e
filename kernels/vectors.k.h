/* Work on vectors and sparse rows beside the operator's kernel. All arrays are in internal node order, [padded][DIM]. */

/* Energies of the state between two steps (d the last increment, ku = K u of the step's start, u_next at its end):
 *   kinetic 1/2 sum m d^2 / dt^2 = sum mass d^2 (mass = m / (2 dt^2)),  strain 1/2 sum u_next . ku
 *   positions: d = u_next - u_before;   kinetic, strain [groups][THREADS * LANES]: parts of the sums */
KERNEL vectors_energy(GROUP_PARAM GLOBAL const real *RESTRICT next, GLOBAL const real *RESTRICT d,
                      GLOBAL const real *RESTRICT before, GLOBAL const real *RESTRICT ku,
                      GLOBAL const real *RESTRICT mass, GLOBAL double *RESTRICT kinetic,
                      GLOBAL double *RESTRICT strain, const int padded)
{
  LANE_ARRAY(double, moving);
  LANE_ARRAY(double, strained);
  FOR_LANES(l) moving[l] = strained[l] = 0;
  FOR_ITEMS(k, CHUNK / LANES) {
    const int first = GROUP_ID * CHUNK + k * LANES;
    if (first < padded) {
      FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) {
        const int o = (first + l) * DIM + c;
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

/* Sums of arrays, in an order that depends on their sizes alone: first each group sums its part of each array,
 *   part[group][k] = sum of array k in [group each, (group + 1) each),  each = ceil(count / groups)
 * then one group sums the parts into what hk_energy names. */
#define TOTALS 7
DEVICE double sum_from(GLOBAL const double *RESTRICT array, const int count, const int each,
                       const int group, const int t)
{
  const long first = (long)group * each, end = first + each < count ? first + each : count;
  double sum = 0;
  for (long i = first + t; i < end; i += THREADS) sum += array[i];
  return sum;
}

KERNEL vectors_part(GROUP_PARAM GLOBAL const double *RESTRICT a0, GLOBAL const double *RESTRICT a1,
                    GLOBAL const double *RESTRICT a2, GLOBAL const double *RESTRICT a3,
                    GLOBAL const double *RESTRICT a4, GLOBAL const double *RESTRICT a5,
                    GLOBAL const double *RESTRICT a6, const int n0, const int n1, const int n2,
                    const int n3, const int n4, const int n5, const int n6,
                    GLOBAL double *RESTRICT part, const int groups)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *TOTALS);
  FOR_ITEMS(t, THREADS) {
    LOCAL double *own = sum + t * TOTALS;
    own[0] = sum_from(a0, n0, (n0 + groups - 1) / groups, GROUP_ID, t);
    own[1] = sum_from(a1, n1, (n1 + groups - 1) / groups, GROUP_ID, t);
    own[2] = sum_from(a2, n2, (n2 + groups - 1) / groups, GROUP_ID, t);
    own[3] = sum_from(a3, n3, (n3 + groups - 1) / groups, GROUP_ID, t);
    own[4] = sum_from(a4, n4, (n4 + groups - 1) / groups, GROUP_ID, t);
    own[5] = sum_from(a5, n5, (n5 + groups - 1) / groups, GROUP_ID, t);
    own[6] = sum_from(a6, n6, (n6 + groups - 1) / groups, GROUP_ID, t);
  }
  BARRIER();
  FOR_ITEMS(k, TOTALS) {
    double all = 0;
    for (int t = 0; t < THREADS; t++) all += sum[t * TOTALS + k];
    part[GROUP_ID * TOTALS + k] = all;
  }
}

KERNEL vectors_total(GROUP_PARAM GLOBAL const double *RESTRICT part, GLOBAL double *RESTRICT total,
                     const int groups)
{
  FOR_ITEMS(k, TOTALS) {
    double all = 0;
    for (int g = 0; g < groups; g++) all += part[g * TOTALS + k];
    total[k] = all;
  }
}
