/* The largest displacement, velocity and acceleration of every node over the steps, as squares (solver/explicit/peaks/peaks.c). */

/* The largest squares so far at each node, over the components: of u_next and, with e the increment to it and `last` that to u, of
 * last + e and e - last: 2 dt times the velocity and dt^2 times the acceleration at u.
 *   displacement, rate, second [shots][padded]: those of bits 0, 1, 2 of `which`; last [shots][padded][DIM], of bits 1 and 2, becomes e
 *   positions: e = u_next - u, else d; vectors are [shots][padded][DIM]; a group treats a chunk of one shot */
KERNEL peaks_step(GROUP_PARAM GLOBAL const real *RESTRICT u, GLOBAL const real *RESTRICT next,
                  GLOBAL const real *RESTRICT d, GLOBAL real *RESTRICT last,
                  GLOBAL double *RESTRICT displacement, GLOBAL double *RESTRICT rate,
                  GLOBAL double *RESTRICT second, const int padded, const int which)
{
  const int chunks = (padded + CHUNK - 1) / CHUNK, chunk = GROUP_ID % chunks;
  const long shot = (long)(GROUP_ID / chunks) * padded;
  FOR_ITEMS(k, CHUNK / LANES) {
    const int first = chunk * CHUNK + k * LANES;
    if (first < padded)
      FOR_LANES(l) {
        const long i = shot + first + l;
        double of_u = 0, of_rate = 0, of_second = 0;
        UNROLL
        for (int c = 0; c < DIM; c++) {
          const long o = i * DIM + c;
#if FORM == 1
          const double e = (double)next[o] - (double)u[o];
#else
          const double e = (double)d[o];
#endif
          const double x = (double)next[o];
          of_u += x * x;
          if (which & 6) {
            const double before = (double)last[o];
            of_rate += (before + e) * (before + e);
            of_second += (e - before) * (e - before);
            last[o] = (real)e;
          }
        }
        if ((which & 1) && of_u > displacement[i]) displacement[i] = of_u;
        if ((which & 2) && of_rate > rate[i]) rate[i] = of_rate;
        if ((which & 4) && of_second > second[i]) second[i] = of_second;
      }
  }
}
