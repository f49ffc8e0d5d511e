/* One block of a pair as edges.k.h reads it: six (2D three) reals, or six integers with a common power of two (edges-packed).
 * Rounding is done so that what is added is positive semidefinite (K.5): entries off the diagonal are rounded to nearest, those
 * on it up, past what the others lost. So packing never lowers K's stiffness. */
#include "operator/edges/block.h"
#include "base/reals.h"
#include <math.h>

enum { ENTRIES = 6, WORDS = 4, WORDS_DOUBLE = 9 };

int hk_edges_block_bytes(const hk_edges_format *f)
{
  if (f->packed) return 4 * (f->double_precision ? WORDS_DOUBLE : WORDS);
  return f->dim * (f->dim + 1) / 2 * (f->double_precision ? 8 : 4);
}

/* k = s 2^-exponent + E in integers (K.5), E positive semidefinite: off the diagonal rounded, on it up, past what that takes
 * from the row. Whether all |k| < half. */
static bool round_up(const double *s, int exponent, int64_t half, int64_t *k)
{
  static const int row[ENTRIES / 2][2] = {{4, 5}, {3, 5}, {3, 4}};
  bool fits = true;
  double error[ENTRIES];
  for (int c = ENTRIES / 2; c < ENTRIES; c++) {
    const double x = ldexp(s[c], -exponent);
    k[c] = llrint(x), error[c] = fabs((double)k[c] - x);
  }
  for (int c = 0; c < ENTRIES / 2; c++)
    k[c] = (int64_t)ceil(ldexp(s[c], -exponent) + error[row[c][0]] + error[row[c][1]]);
  for (int c = 0; c < ENTRIES; c++) fits = fits && k[c] < half && k[c] > -half;
  return fits;
}

/* s[c] = (to[c] - 2^(bits - 1)) 2^*exponent */
static void quantize(const double *s, int bits, int least, uint64_t *to, int *exponent)
{
  const int64_t half = (int64_t)1 << (bits - 1);
  int64_t k[ENTRIES];
  double most = 0;
  for (int c = 0; c < ENTRIES; c++) most = fmax(most, fabs(s[c]));
  int e = least;
  if (most > 0) frexp(most, &e);
  if (e < least) e = least;
  *exponent = e - (bits - 1);
  if (!round_up(s, *exponent, half, k)) round_up(s, ++*exponent, half, k);
  for (int c = 0; c < ENTRIES; c++) to[c] = (uint64_t)(k[c] + half);
}

static void put_single(const uint64_t *k, unsigned exponent, int width, uint32_t *to)
{
  const uint32_t xz = (uint32_t)k[4], xy = (uint32_t)k[5];
  to[0] = (uint32_t)k[0] | xz >> 8 << 20;
  to[width] = (uint32_t)k[1] | (exponent & 15) << 20 | (xz & 255) << 24;
  to[2 * width] = (uint32_t)k[2] | xy >> 8 << 20;
  to[3 * width] = (uint32_t)k[3] | exponent >> 4 << 20 | (xy & 255) << 24;
}

/* Words in pairs, so that a double lies over words of its own lane. */
static void put_double(const uint64_t *k, unsigned exponent, int width, int lane, uint32_t *to)
{
  uint32_t word[WORDS_DOUBLE];
  for (int c = 0; c < ENTRIES; c++) word[c] = (uint32_t)k[c];
  for (int c = 0; c < ENTRIES / 2; c++)
    word[ENTRIES + c] = (uint32_t)(k[2 * c] >> 32) | (uint32_t)(k[2 * c + 1] >> 32) << 14 |
                        (exponent >> 4 * c & 15) << 28;
  for (int c = 0; c < WORDS_DOUBLE - 1; c++) to[(c / 2 * width + lane) * 2 + c % 2] = word[c];
  to[(WORDS_DOUBLE - 1) * width + lane] = word[WORDS_DOUBLE - 1];
}

void hk_edges_block_put(const hk_edges_format *f, const double *s, void *list, int lane)
{
  enum { BIAS = 127, BIAS_DOUBLE = 1023 };
  uint64_t k[ENTRIES];
  int exponent;
  for (int c = 0; !f->packed && c < f->dim * (f->dim + 1) / 2; c++)
    hk_put_real(list, f->double_precision, c * f->width + lane, s[c]);
  if (!f->packed) return;
  if (f->double_precision) {
    quantize(s, 46, -900, k, &exponent);
    put_double(k, (unsigned)(exponent + BIAS_DOUBLE), f->width, lane, list);
  } else {
    quantize(s, 20, -100, k, &exponent);
    put_single(k, (unsigned)(exponent + BIAS), f->width, (uint32_t *)list + lane);
  }
}
