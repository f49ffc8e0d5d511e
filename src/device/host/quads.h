/* A word of the dialect: records of four reals in LOCAL memory, loaded whole and transposed in
 * registers; compilers do not find that by themselves.
 *   LOAD_QUADS(s, n, t)   t[c * LANES + l] = s[n[l] * 4 + c],   c < 4, l < LANES */
#define LOAD_QUADS(s, n, t) JOIN(load_quads, PRECISION)(s, n, t)

#define QUAD_LOADER(precision, T)                                                                  \
  DEVICE void load_quads_##precision(const T *restrict s, const unsigned short *n, T *restrict t)

#define PLAIN_QUADS(precision, T)                                                                  \
  QUAD_LOADER(precision, T)                                                                        \
  {                                                                                                \
    for (int l = 0; l < LANES; l++)                                                                \
      for (int c = 0; c < 4; c++) t[c * LANES + l] = s[n[l] * 4 + c];                              \
  }

#if defined(__AVX__)
typedef float quad_f __attribute__((vector_size(16), aligned(4), may_alias));
typedef float quads_f __attribute__((vector_size(32), aligned(4), may_alias));
typedef double quad_d __attribute__((vector_size(32), aligned(8), may_alias));
typedef double quads_d __attribute__((vector_size(64), aligned(8), may_alias));
#define MIX __builtin_shufflevector
#define BOTH(V, k, m)                                                                              \
  MIX(*(const V *)(s + 4 * n[k]), *(const V *)(s + 4 * n[m]), 0, 1, 2, 3, 4, 5, 6, 7)

QUAD_LOADER(f, float)
{
  const quads_f p = BOTH(quad_f, 0, 4), q = BOTH(quad_f, 1, 5), r = BOTH(quad_f, 2, 6),
                w = BOTH(quad_f, 3, 7);
  const quads_f xy0 = MIX(p, q, 0, 8, 1, 9, 4, 12, 5, 13),
                zw0 = MIX(p, q, 2, 10, 3, 11, 6, 14, 7, 15);
  const quads_f xy1 = MIX(r, w, 0, 8, 1, 9, 4, 12, 5, 13),
                zw1 = MIX(r, w, 2, 10, 3, 11, 6, 14, 7, 15);
  *(quads_f *)t = MIX(xy0, xy1, 0, 1, 8, 9, 4, 5, 12, 13);
  *(quads_f *)(t + 8) = MIX(xy0, xy1, 2, 3, 10, 11, 6, 7, 14, 15);
  *(quads_f *)(t + 16) = MIX(zw0, zw1, 0, 1, 8, 9, 4, 5, 12, 13);
  *(quads_f *)(t + 24) = MIX(zw0, zw1, 2, 3, 10, 11, 6, 7, 14, 15);
}
#if defined(__AVX512F__)
QUAD_LOADER(d, double)
{
  const quads_d p = BOTH(quad_d, 0, 4), q = BOTH(quad_d, 1, 5), r = BOTH(quad_d, 2, 6),
                w = BOTH(quad_d, 3, 7);
  const quads_d xz0 = MIX(p, q, 0, 8, 2, 10, 4, 12, 6, 14),
                yw0 = MIX(p, q, 1, 9, 3, 11, 5, 13, 7, 15);
  const quads_d xz1 = MIX(r, w, 0, 8, 2, 10, 4, 12, 6, 14),
                yw1 = MIX(r, w, 1, 9, 3, 11, 5, 13, 7, 15);
  *(quads_d *)t = MIX(xz0, xz1, 0, 1, 8, 9, 4, 5, 12, 13);
  *(quads_d *)(t + 8) = MIX(yw0, yw1, 0, 1, 8, 9, 4, 5, 12, 13);
  *(quads_d *)(t + 16) = MIX(xz0, xz1, 2, 3, 10, 11, 6, 7, 14, 15);
  *(quads_d *)(t + 24) = MIX(yw0, yw1, 2, 3, 10, 11, 6, 7, 14, 15);
}
#else
QUAD_LOADER(d, double)
{
  for (int l = 0; l < LANES; l += 4) {
    const quad_d p = *(const quad_d *)(s + 4 * n[l]), q = *(const quad_d *)(s + 4 * n[l + 1]);
    const quad_d r = *(const quad_d *)(s + 4 * n[l + 2]), w = *(const quad_d *)(s + 4 * n[l + 3]);
    const quad_d xz0 = MIX(p, q, 0, 4, 2, 6), yw0 = MIX(p, q, 1, 5, 3, 7);
    const quad_d xz1 = MIX(r, w, 0, 4, 2, 6), yw1 = MIX(r, w, 1, 5, 3, 7);
    *(quad_d *)(t + l) = MIX(xz0, xz1, 0, 1, 4, 5);
    *(quad_d *)(t + 8 + l) = MIX(yw0, yw1, 0, 1, 4, 5);
    *(quad_d *)(t + 16 + l) = MIX(xz0, xz1, 2, 3, 6, 7);
    *(quad_d *)(t + 24 + l) = MIX(yw0, yw1, 2, 3, 6, 7);
  }
}
#endif
#undef BOTH
#undef MIX
#else
PLAIN_QUADS(f, float)
PLAIN_QUADS(d, double)
#endif
