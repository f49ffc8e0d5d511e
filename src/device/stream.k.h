/* Two kernels that do little but move memory, to measure its speed and to check a device (device/bandwidth.c, device/check.c): a copy, b = a, and
 * the traffic of a time step, d <- 2 c - d + a b, which reads four arrays and writes one. All arrays are of reals, and a group treats CHUNK of
 * them. */
KERNEL stream_copy(GROUP_PARAM GLOBAL const real *RESTRICT a, GLOBAL real *RESTRICT b)
{
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    FOR_LANES(l) b[o + l] = a[o + l];
  }
}

/* d <- 2 c - d + a b */
KERNEL stream_step(GROUP_PARAM GLOBAL const real *RESTRICT a, GLOBAL const real *RESTRICT b,
                   GLOBAL const real *RESTRICT c, GLOBAL real *RESTRICT d)
{
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    FOR_LANES(l) d[o + l] = 2 * c[o + l] - d[o + l] + a[o + l] * b[o + l];
  }
}
