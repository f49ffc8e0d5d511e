/* Numbers from text, independent of the locale and as strtod rounds them. Most are read in one pass (parse_plain), which leaves the others alone.
 * Digits are taken eight at a time, as the bytes of one word. A decimal is d 10^p with an integer d of up to 19 digits. For |p| <= 27,
 * d 5^p is an exact product of 128 bits, or a quotient of 64 bits with its remainder, which is then rounded once to 53 bits, ties to even
 * (Clinger, How to read floating point numbers accurately, 1990, with integers). All others go to strtod. */
#include "base/digits.h"
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { MOST_POWER = 27, MOST_DIGITS = 19, MOST_EXPONENT = 9999 };

#define FIVE_7 78125ull
#define FIVE_14 (FIVE_7 * FIVE_7)
#define FIVE_21 (FIVE_7 * FIVE_14)
#define SEVEN(x) (x), (x)*5, (x)*25, (x)*125, (x)*625, (x)*3125, (x)*15625
static const uint64_t five[MOST_POWER + 1] = {SEVEN(1ull), SEVEN(FIVE_7), SEVEN(FIVE_14),
                                              SEVEN(FIVE_21)};

static bool digit(char c)
{
  return c >= '0' && c <= '9';
}

/* *sum = 10^n *sum + the n <= 8 digits at p; n. */
static inline int take_eight(const char *p, uint64_t *sum)
{
  static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  uint64_t value;
  const int n = hk_take_digits(p, &value);
  if (n) *sum = *sum * ten[n] + value;
  return n;
}

/* *sum = 10^n *sum + the n digits from p on; where they end. Beyond 19 digits *sum is of no use. */
static const char *take_digits(const char *p, const char *end, uint64_t *sum)
{
  while (end - p >= 8 && hk_words_fit()) {
    const int n = take_eight(p, sum);
    p += n;
    if (n < 8) return p;
  }
  for (; p < end && digit(*p); p++) *sum = *sum * 10 + (uint64_t)(*p - '0');
  return p;
}

/* m 2^e to 53 bits. m has its highest bit; more: m is cut. The result is neither below the normal numbers nor infinite. */
static double round_to_double(uint64_t m, bool more, int e)
{
  const uint64_t rest = m & 2047;
  uint64_t bits = m >> 11;
  double value;
  if (rest > 1024 || (rest == 1024 && (more || bits & 1))) bits++;
  if (bits >> 53) bits >>= 1, e++;
  const uint64_t word = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(e + 11 + 52 + 1023) << 52;
  memcpy(&value, &word, sizeof value);
  return value;
}

/* digits 10^power, rounded once. */
static double scale(uint64_t digits, int power)
{
  if (!digits) return 0;
  int shift = __builtin_clzll(digits), e = power - shift;
  const uint64_t top = digits << shift;
  if (power >= 0) {
    const wide product = (wide)top * five[power];
    const uint64_t high = (uint64_t)(product >> 64);
    if (!high) return round_to_double(top, false, e); /* power 0 */
    shift = __builtin_clzll(high);
    const wide m = product << shift;
    return round_to_double((uint64_t)(m >> 64), (uint64_t)m != 0, e + 64 - shift);
  }
  shift = __builtin_clzll(five[-power]);
  const uint64_t by = five[-power] << shift;
  const wide dividend = (wide)top << 63; /* 1/2 < top / by < 2: the quotient has 63 or 64 bits */
  const uint64_t quotient = (uint64_t)(dividend / by), left = (uint64_t)dividend - quotient * by;
  e += shift - 63;
  if (quotient >> 63) return round_to_double(quotient, left != 0, e);
  return round_to_double(quotient << 1 | (left >= by - left), left != 0, e - 1); /* one bit more */
}

/* strtod needs the locale's own point; `exponent`: where its letter is, 0: there is none. */
static double parse_slow(const char *text, size_t used, size_t exponent)
{
  char copy[512];
  if (used >= sizeof copy) used = sizeof copy - 1;
  memcpy(copy, text, used);
  copy[used] = 0;
  if (exponent && exponent < used) copy[exponent] = 'e';
  char *point = strchr(copy, '.');
  if (point) *point = *nl_langinfo(RADIXCHAR);
  return strtod(copy, NULL);
}

/* Digits from the first that is not 0. */
static ptrdiff_t significant(const char *p, const char *end, ptrdiff_t digits)
{
  for (; p < end && (*p == '0' || *p == '.'); p++) digits -= *p == '0';
  return digits;
}

/* The exponent at p, [e|d [sign] digits], into *power; where it ends: p where there is none. */
static const char *take_exponent(const char *p, const char *end, int64_t *power)
{
  const char *q = p + 1;
  uint64_t value = 0;
  if (p >= end || ((*p | 32) != 'e' && (*p | 32) != 'd')) return p;
  const bool negative = q < end && *q == '-';
  if (q < end && (*q == '-' || *q == '+')) q++;
  if (q >= end || !digit(*q)) return p;
  for (; q < end && digit(*q); q++)
    if (value < MOST_EXPONENT) value = value * 10 + (uint64_t)(*q - '0');
  *power += negative ? -(int64_t)value : (int64_t)value;
  return q;
}

enum { PLAIN = 48 }; /* characters that parse_plain may look at */

/* [-] up to 8 digits [. up to 24] [e [sign] up to 3], at most 19 digits, and the power within the table: its length. 0: another number, or none. */
static size_t parse_plain(const char *text, double *value)
{
  const char *p = text + (*text == '-');
  uint64_t digits = 0;
  int power = 0, count = take_eight(p, &digits);
  p += count;
  if (*p == '.') {
    int n = take_eight(++p, &digits), all = n;
    for (int k = 0; k < 2 && n == 8; k++) all += n = take_eight(p + all, &digits);
    p += all, count += all, power = -all;
  }
  if (!count || count > MOST_DIGITS || digit(*p)) return 0;
  if ((*p | 32) == 'e' || (*p | 32) == 'd') {
    const bool negative = p[1] == '-';
    uint64_t exponent = 0;
    p += 1 + (negative || p[1] == '+');
    const int n = take_eight(p, &exponent);
    if (n < 1 || n > 3) return 0;
    p += n, power += negative ? -(int)exponent : (int)exponent;
  }
  if (power < -MOST_POWER || power > MOST_POWER) return 0;
  *value = *text == '-' ? -scale(digits, power) : scale(digits, power);
  return (size_t)(p - text);
}

size_t hk_parse_number(const char *text, size_t length, double *value)
{
  const char *p = text, *end = text + length;
  const size_t plain = length >= PLAIN && hk_words_fit() ? parse_plain(text, value) : 0;
  if (plain) return plain;
  uint64_t digits = 0;
  int64_t power = 0;
  if (p < end && (*p == '-' || *p == '+')) p++;
  const char *first = p;
  p = take_digits(p, end, &digits);
  ptrdiff_t count = p - first;
  if (p < end && *p == '.') {
    const char *fraction = ++p;
    p = take_digits(p, end, &digits);
    count += p - fraction, power = fraction - p;
  }
  if (!count) return 0;
  const char *mark = p;
  p = take_exponent(p, end, &power);
  const size_t used = (size_t)(p - text);
  if (power < -MOST_POWER || power > MOST_POWER ||
      (count > MOST_DIGITS && significant(first, mark, count) > MOST_DIGITS))
    *value = parse_slow(text, used, p > mark ? (size_t)(mark - text) : 0);
  else
    *value = *text == '-' ? -scale(digits, (int)power) : scale(digits, (int)power);
  return used;
}

size_t hk_parse_integer(const char *text, size_t length, int64_t *value)
{
  const char *p = text, *end = text + length;
  uint64_t sum = 0;
  if (length && (*p == '+' || *p == '-')) p++;
  const char *first = p;
  p = take_digits(p, end, &sum);
  if (p == first) return 0;
  if (p - first >= MOST_DIGITS) { /* it may not fit: the bound before each digit is 2^62 / 10 */
    sum = 0;
    for (const char *q = first; q < p; q++) {
      if (sum > (UINT64_C(1) << 62) / 10) return 0;
      sum = sum * 10 + (uint64_t)(*q - '0');
    }
  }
  *value = *text == '-' ? -(int64_t)sum : (int64_t)sum;
  return (size_t)(p - text);
}
