/* Three words of the dialect: records of reals in LOCAL memory, moved whole and transposed in
 * registers; compilers do not find that by themselves. RECORD = 2 (2D) or 4 (3D, one unused).
 *   LOAD_RECORDS(s, n, t)        t[c * LANES + l] = s[n[l] * RECORD + c],           c < DIM
 *   STORE_RECORDS(s, first, t)   s[(first + l) * RECORD + c] = t[c * LANES + l],    c < DIM
 *   LOAD_QUADS(s, n, t)          t[c * LANES + l] = s[n[l] * 4 + c],                c < 4 */
#pragma once
#define LOAD_RECORDS(s, n, t) JOIN(JOIN(load_records, DIM), PRECISION)(s, n, t)
#define STORE_RECORDS(s, first, t) JOIN(JOIN(store_records, DIM), PRECISION)(s, first, t)
#define LOAD_QUADS(s, n, t) JOIN(load_records_4, PRECISION)(s, n, t)
/* Results: in a slot, SLOT_LINES lines of WIDTH numbers apart; compact. */
#define SLOT_LINES(dim) 1
#define SLOT_LOAD LOAD_RECORDS
#define SLOT_STORE STORE_RECORDS
#define COMPACT(dim) (2 * (dim)-2)
#define COMPACT_LOAD LOAD_RECORDS
#define COMPACT_STORE STORE_RECORDS

DEVICE float from_bits_f(unsigned int high, unsigned int low)
{
  const union {
    unsigned int bits;
    float value;
  } u = {high};
  (void)low;
  return u.value;
}
DEVICE double from_bits_d(unsigned int high, unsigned int low)
{
  const union {
    unsigned long long bits;
    double value;
  } u = {(unsigned long long)high << 32 | low};
  return u.value;
}

/* Asks for n reals AHEAD bytes beyond p, of an array that is read once from end to end: processors
 * follow such a stream by themselves only within a page. It may point past the array's end. */
enum { AHEAD = 3072 };
#define PREFETCH(p, n)                                                                             \
  UNROLL                                                                                           \
  for (int k_ = 0; k_ < (n) * (int)sizeof(real); k_ += 64)                                         \
  __builtin_prefetch((const char *)(p) + AHEAD + k_, 0, 3)

#define RECORD_LOADER(dim, precision, T)                                                           \
  DEVICE void load_records_##dim##_##precision(const T *restrict s, const unsigned short *n,       \
                                               T *restrict t)
#define RECORD_STORER(dim, precision, T)                                                           \
  DEVICE void store_records_##dim##_##precision(T *restrict s, int first, const T *restrict t)

/* One value at a time, for processors without vectors of this size. */
#define PLAIN_LOADER(count, precision, T)                                                          \
  RECORD_LOADER(count, precision, T)                                                               \
  {                                                                                                \
    for (int l = 0; l < LANES; l++)                                                                \
      for (int c = 0; c < count; c++) t[c * LANES + l] = s[n[l] * (count == 2 ? 2 : 4) + c];       \
  }
#define PLAIN_RECORDS(dim, precision, T)                                                           \
  PLAIN_LOADER(dim, precision, T)                                                                  \
  RECORD_STORER(dim, precision, T)                                                                 \
  {                                                                                                \
    for (int l = 0; l < LANES; l++)                                                                \
      for (int c = 0; c < dim; c++) s[(first + l) * (2 * dim - 2) + c] = t[c * LANES + l];         \
  }

/* The loaders of three and of four values differ by one store. */
#define WIDE_LOADERS(precision, T)                                                                 \
  RECORD_LOADER(3, precision, T)                                                                   \
  {                                                                                                \
    load_wide_##precision(s, n, t, 0);                                                             \
  }                                                                                                \
  RECORD_LOADER(4, precision, T)                                                                   \
  {                                                                                                \
    load_wide_##precision(s, n, t, 1);                                                             \
  }
#define WIDE_LOADER(precision, T)                                                                  \
  DEVICE void load_wide_##precision(const T *restrict s, const unsigned short *n, T *restrict t,   \
                                    const int fourth)

#define SHUFFLE __builtin_shufflevector
#define LOAD(V, p) (*(const V *)(p))
#define STORE(V, p, x) (*(V *)(p) = (x))

#if defined(__AVX__)
typedef float float2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float float8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef double double2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double double4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double double8 __attribute__((vector_size(64), aligned(8), may_alias));

#define PAIR(k)                                                                                    \
  SHUFFLE(LOAD(float4, s + 4 * n[k]), LOAD(float4, s + 4 * n[(k) + 4]), 0, 1, 2, 3, 4, 5, 6, 7)
WIDE_LOADER(f, float)
{
  const float8 p = PAIR(0), q = PAIR(1), r = PAIR(2), w = PAIR(3);
  const float8 xy0 = SHUFFLE(p, q, 0, 8, 1, 9, 4, 12, 5, 13),
               zw0 = SHUFFLE(p, q, 2, 10, 3, 11, 6, 14, 7, 15);
  const float8 xy1 = SHUFFLE(r, w, 0, 8, 1, 9, 4, 12, 5, 13),
               zw1 = SHUFFLE(r, w, 2, 10, 3, 11, 6, 14, 7, 15);
  STORE(float8, t, SHUFFLE(xy0, xy1, 0, 1, 8, 9, 4, 5, 12, 13));
  STORE(float8, t + 8, SHUFFLE(xy0, xy1, 2, 3, 10, 11, 6, 7, 14, 15));
  STORE(float8, t + 16, SHUFFLE(zw0, zw1, 0, 1, 8, 9, 4, 5, 12, 13));
  if (fourth) STORE(float8, t + 24, SHUFFLE(zw0, zw1, 2, 3, 10, 11, 6, 7, 14, 15));
}
WIDE_LOADERS(f, float)
#undef PAIR

RECORD_STORER(3, f, float)
{
  const float8 x = LOAD(float8, t), y = LOAD(float8, t + 8), z = LOAD(float8, t + 16);
  const float8 xy0 = SHUFFLE(x, y, 0, 8, 1, 9, 4, 12, 5, 13),
               xy1 = SHUFFLE(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
  const float8 zz0 = SHUFFLE(z, z, 0, 0, 1, 1, 4, 4, 5, 5),
               zz1 = SHUFFLE(z, z, 2, 2, 3, 3, 6, 6, 7, 7);
  const float8 r0 = SHUFFLE(xy0, zz0, 0, 1, 8, 9, 4, 5, 12, 13),
               r1 = SHUFFLE(xy0, zz0, 2, 3, 10, 11, 6, 7, 14, 15);
  const float8 r2 = SHUFFLE(xy1, zz1, 0, 1, 8, 9, 4, 5, 12, 13),
               r3 = SHUFFLE(xy1, zz1, 2, 3, 10, 11, 6, 7, 14, 15);
  float *to = s + 4 * first;
  STORE(float8, to, SHUFFLE(r0, r1, 0, 1, 2, 3, 8, 9, 10, 11));
  STORE(float8, to + 8, SHUFFLE(r2, r3, 0, 1, 2, 3, 8, 9, 10, 11));
  STORE(float8, to + 16, SHUFFLE(r0, r1, 4, 5, 6, 7, 12, 13, 14, 15));
  STORE(float8, to + 24, SHUFFLE(r2, r3, 4, 5, 6, 7, 12, 13, 14, 15));
}

#define TWO(k, m) SHUFFLE(LOAD(float2, s + 2 * n[k]), LOAD(float2, s + 2 * n[m]), 0, 1, 2, 3)
RECORD_LOADER(2, f, float)
{
  const float8 p = SHUFFLE(TWO(0, 1), TWO(4, 5), 0, 1, 2, 3, 4, 5, 6, 7);
  const float8 q = SHUFFLE(TWO(2, 3), TWO(6, 7), 0, 1, 2, 3, 4, 5, 6, 7);
  STORE(float8, t, SHUFFLE(p, q, 0, 2, 8, 10, 4, 6, 12, 14));
  STORE(float8, t + 8, SHUFFLE(p, q, 1, 3, 9, 11, 5, 7, 13, 15));
}
#undef TWO

RECORD_STORER(2, f, float)
{
  const float8 x = LOAD(float8, t), y = LOAD(float8, t + 8);
  const float8 p = SHUFFLE(x, y, 0, 8, 1, 9, 4, 12, 5, 13),
               q = SHUFFLE(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
  STORE(float8, s + 2 * first, SHUFFLE(p, q, 0, 1, 2, 3, 8, 9, 10, 11));
  STORE(float8, s + 2 * first + 8, SHUFFLE(p, q, 4, 5, 6, 7, 12, 13, 14, 15));
}
#else
PLAIN_RECORDS(2, f, float)
PLAIN_RECORDS(3, f, float)
PLAIN_LOADER(4, f, float)
#endif

#if defined(__AVX512F__)
#define PAIR(k)                                                                                    \
  SHUFFLE(LOAD(double4, s + 4 * n[k]), LOAD(double4, s + 4 * n[(k) + 4]), 0, 1, 2, 3, 4, 5, 6, 7)
WIDE_LOADER(d, double)
{
  const double8 p = PAIR(0), q = PAIR(1), r = PAIR(2), w = PAIR(3);
  const double8 xz0 = SHUFFLE(p, q, 0, 8, 2, 10, 4, 12, 6, 14),
                yw0 = SHUFFLE(p, q, 1, 9, 3, 11, 5, 13, 7, 15);
  const double8 xz1 = SHUFFLE(r, w, 0, 8, 2, 10, 4, 12, 6, 14),
                yw1 = SHUFFLE(r, w, 1, 9, 3, 11, 5, 13, 7, 15);
  STORE(double8, t, SHUFFLE(xz0, xz1, 0, 1, 8, 9, 4, 5, 12, 13));
  STORE(double8, t + 8, SHUFFLE(yw0, yw1, 0, 1, 8, 9, 4, 5, 12, 13));
  STORE(double8, t + 16, SHUFFLE(xz0, xz1, 2, 3, 10, 11, 6, 7, 14, 15));
  if (fourth) STORE(double8, t + 24, SHUFFLE(yw0, yw1, 2, 3, 10, 11, 6, 7, 14, 15));
}
#undef PAIR
WIDE_LOADERS(d, double)

RECORD_STORER(3, d, double)
{
  const double8 x = LOAD(double8, t), y = LOAD(double8, t + 8), z = LOAD(double8, t + 16);
  const double8 even = SHUFFLE(x, y, 0, 8, 2, 10, 4, 12, 6, 14),
                odd = SHUFFLE(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  double *to = s + 4 * first;
  STORE(double8, to,
        SHUFFLE(SHUFFLE(even, z, 0, 1, 8, 8, 2, 3, 10, 10),
                SHUFFLE(odd, z, 0, 1, 9, 9, 2, 3, 11, 11), 0, 1, 2, 3, 8, 9, 10, 11));
  STORE(double8, to + 8,
        SHUFFLE(SHUFFLE(even, z, 0, 1, 8, 8, 2, 3, 10, 10),
                SHUFFLE(odd, z, 0, 1, 9, 9, 2, 3, 11, 11), 4, 5, 6, 7, 12, 13, 14, 15));
  STORE(double8, to + 16,
        SHUFFLE(SHUFFLE(even, z, 4, 5, 12, 12, 6, 7, 14, 14),
                SHUFFLE(odd, z, 4, 5, 13, 13, 6, 7, 15, 15), 0, 1, 2, 3, 8, 9, 10, 11));
  STORE(double8, to + 24,
        SHUFFLE(SHUFFLE(even, z, 4, 5, 12, 12, 6, 7, 14, 14),
                SHUFFLE(odd, z, 4, 5, 13, 13, 6, 7, 15, 15), 4, 5, 6, 7, 12, 13, 14, 15));
}

#define TWO(k, m) SHUFFLE(LOAD(double2, s + 2 * n[k]), LOAD(double2, s + 2 * n[m]), 0, 1, 2, 3)
RECORD_LOADER(2, d, double)
{
  const double8 p = SHUFFLE(TWO(0, 2), TWO(4, 6), 0, 1, 2, 3, 4, 5, 6, 7);
  const double8 q = SHUFFLE(TWO(1, 3), TWO(5, 7), 0, 1, 2, 3, 4, 5, 6, 7);
  STORE(double8, t, SHUFFLE(p, q, 0, 8, 2, 10, 4, 12, 6, 14));
  STORE(double8, t + 8, SHUFFLE(p, q, 1, 9, 3, 11, 5, 13, 7, 15));
}
#undef TWO

RECORD_STORER(2, d, double)
{
  const double8 x = LOAD(double8, t), y = LOAD(double8, t + 8);
  const double8 p = SHUFFLE(x, y, 0, 8, 2, 10, 4, 12, 6, 14),
                q = SHUFFLE(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  STORE(double8, s + 2 * first, SHUFFLE(p, q, 0, 1, 8, 9, 2, 3, 10, 11));
  STORE(double8, s + 2 * first + 8, SHUFFLE(p, q, 4, 5, 12, 13, 6, 7, 14, 15));
}
#elif defined(__AVX__)
WIDE_LOADER(d, double)
{
  for (int l = 0; l < LANES; l += 4) {
    const double4 p = LOAD(double4, s + 4 * n[l]), q = LOAD(double4, s + 4 * n[l + 1]);
    const double4 r = LOAD(double4, s + 4 * n[l + 2]), w = LOAD(double4, s + 4 * n[l + 3]);
    const double4 xz0 = SHUFFLE(p, q, 0, 4, 2, 6), xz1 = SHUFFLE(r, w, 0, 4, 2, 6);
    STORE(double4, t + l, SHUFFLE(xz0, xz1, 0, 1, 4, 5));
    const double4 yw0 = SHUFFLE(p, q, 1, 5, 3, 7), yw1 = SHUFFLE(r, w, 1, 5, 3, 7);
    STORE(double4, t + 8 + l, SHUFFLE(yw0, yw1, 0, 1, 4, 5));
    STORE(double4, t + 16 + l, SHUFFLE(xz0, xz1, 2, 3, 6, 7));
    if (fourth) STORE(double4, t + 24 + l, SHUFFLE(yw0, yw1, 2, 3, 6, 7));
  }
}
WIDE_LOADERS(d, double)

RECORD_STORER(3, d, double)
{
  for (int l = 0; l < LANES; l += 4) {
    const double4 x = LOAD(double4, t + l), y = LOAD(double4, t + 8 + l),
                  z = LOAD(double4, t + 16 + l);
    const double4 even = SHUFFLE(x, y, 0, 4, 2, 6), odd = SHUFFLE(x, y, 1, 5, 3, 7);
    const double4 zz0 = SHUFFLE(z, z, 0, 0, 2, 2), zz1 = SHUFFLE(z, z, 1, 1, 3, 3);
    double *to = s + 4 * (first + l);
    STORE(double4, to, SHUFFLE(even, zz0, 0, 1, 4, 5));
    STORE(double4, to + 4, SHUFFLE(odd, zz1, 0, 1, 4, 5));
    STORE(double4, to + 8, SHUFFLE(even, zz0, 2, 3, 6, 7));
    STORE(double4, to + 12, SHUFFLE(odd, zz1, 2, 3, 6, 7));
  }
}
PLAIN_RECORDS(2, d, double)
#else
PLAIN_RECORDS(2, d, double)
PLAIN_RECORDS(3, d, double)
PLAIN_LOADER(4, d, double)
#endif
