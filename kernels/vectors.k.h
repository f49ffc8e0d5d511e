/* Work on vectors and sparse rows beside the operator's kernel. All arrays are in internal node order, [padded][DIM]. */

/* Energies of the state between two steps (d the last increment, ku = K u of the step's start, u_next at its end):
 *   kinetic 1/2 sum m d^2 / dt^2 = sum mass d^2 (mass = m / (2 dt^2)),  strain 1/2 sum u_next . ku
 *   positions: d = u_next - u_before;   sums [groups][THREADS * LANES][2] */
KERNEL vectors_energy(GROUP_PARAM GLOBAL const real *RESTRICT next, GLOBAL const real *RESTRICT d,
                      GLOBAL const real *RESTRICT before, GLOBAL const real *RESTRICT ku,
                      GLOBAL const real *RESTRICT mass, GLOBAL double *RESTRICT sums,
                      const int padded)
{
  LANE_ARRAY(double, kinetic);
  LANE_ARRAY(double, strain);
  FOR_LANES(l) kinetic[l] = strain[l] = 0;
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
        kinetic[l] += (double)(mass[first + l] * e) * (double)e;
        strain[l] += 0.5 * (double)next[o] * (double)ku[o];
      }
    }
  }
  FOR_LANES(l) {
    const int o = ((GROUP_ID * THREADS + THREAD) * LANES + l) * 2;
    sums[o] = kinetic[l];
    sums[o + 1] = strain[l];
  }
}
