/* Text: formatted copies, comparison without case, and the edit distance behind "did you mean".
 * hk_text_plain returns the prefix that is safe on a terminal (UTF-8 without control characters).
 * hk_narrow converts a count to a 32-bit index and fails with a message if it does not fit. */
#include "base/base.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

hk_status hk_format(char **out, const char *format, ...)
{
  char *text = NULL;
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  HK_NEED(length >= 0, HK_INTERNAL, "cannot format \"%s\"", format);
  HK_PASS(hk_get(&text, (hk_count)length + 1));
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  *out = text;
  return HK_OK;
}

hk_status hk_copy_text(char **out, const char *text)
{
  const size_t size = strlen(text) + 1;
  const hk_status status = hk_get(out, (hk_count)size);
  if (status == HK_OK) memcpy(*out, text, size);
  return status;
}

static int lower(int c)
{
  return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

bool hk_same_text(const char *a, const char *b)
{
  while (*a && lower((unsigned char)*a) == lower((unsigned char)*b)) a++, b++;
  return !*a && !*b;
}

bool hk_ends_with(const char *text, const char *end)
{
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && hk_same_text(text + n - m, end);
}

/* Levenshtein's distance by rows; words beyond 63 letters are cut. */
int hk_text_distance(const char *a, const char *b)
{
  int row[64];
  const int n = (int)strnlen(a, 63), m = (int)strnlen(b, 63);
  for (int j = 0; j <= m; j++) row[j] = j;
  for (int i = 1; i <= n; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= m; j++) {
      const int above = row[j];
      int best = corner + (lower((unsigned char)a[i - 1]) != lower((unsigned char)b[j - 1]));
      if (above + 1 < best) best = above + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best, corner = above;
    }
  }
  return row[m];
}

/* Bytes of the character at p, and which it is; 0: no character of UTF-8. */
static size_t decode(const unsigned char *p, unsigned *code)
{
  const size_t size = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;
  if (!size || *p >= 0xf5) return 0;
  *code = size == 1 ? *p : *p & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; i++) {
    if ((p[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (p[i] & 0x3f);
  }
  return size;
}

static bool is_plain(unsigned code)
{
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0),
             turns = code == 0x200e || code == 0x200f || code == 0x2028 || code == 0x2029 ||
                     (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !control && !turns;
}

size_t hk_text_plain(const char *text)
{
  size_t length = 0, size;
  unsigned code;
  while (text[length]) {
    size = decode((const unsigned char *)text + length, &code);
    if (!size || !is_plain(code)) break;
    length += size;
  }
  return length;
}

int hk_nearest(const char *word, const char *const *words, int count)
{
  int best = -1, least = 1 + (int)strlen(word) / 3;
  for (int i = 0; i < count; i++) {
    const int distance = hk_text_distance(word, words[i]);
    if (distance <= least && (best < 0 || distance < least)) best = i, least = distance;
  }
  return best;
}

hk_status hk_narrow(hk_count value, const char *what, hk_index *out)
{
  if (value < 0 || value > INT32_MAX)
    return hk_error_set(HK_BAD_INPUT, "%lld %s: at most %d are possible", (long long)value, what,
                        INT32_MAX);
  *out = (hk_index)value;
  return HK_OK;
}

uint64_t hk_hash(const void *data, size_t size, uint64_t seed)
{
  const unsigned char *byte = data;
  uint64_t h = seed ? seed : UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; i++) h = (h ^ byte[i]) * UINT64_C(1099511628211);
  return h;
}

/* Each step maps the hash one to one, so that a word that differs is not lost. */
static uint64_t hash_piece(const char *data, size_t size)
{
  uint64_t h = size, word;
  for (size_t i = 0; i < size / 8; i++) {
    memcpy(&word, data + 8 * i, 8);
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 29;
  }
  return hk_hash(data + size / 8 * 8, size % 8, h);
}

uint64_t hk_hash_large(const void *data, size_t size, uint64_t seed)
{
  enum { PIECE = 1 << 18, PIECES = 1024 };
  uint64_t of[PIECES] = {0}, sum = seed;
  const size_t all = (size + PIECE - 1) / PIECE;
  for (size_t first = 0; first < all; first += PIECES) {
    const size_t count = all - first < PIECES ? all - first : PIECES;
#pragma omp parallel for schedule(static) if (count > 1)
    for (size_t k = 0; k < count; k++) {
      const size_t from = (first + k) * PIECE;
      of[k] = hash_piece((const char *)data + from, size - from < PIECE ? size - from : PIECE);
    }
    sum = hk_hash(of, count * sizeof *of, sum);
  }
  return sum;
}

double hk_larger(double a, double b)
{
  return isnan(a) || a > b ? a : b;
}

double hk_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
