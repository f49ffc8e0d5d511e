/* Radix sort of non-negative 32-bit numbers, 11 bits per pass, from the lowest digit up.
 * As many passes run as the largest possible number needs. Each pass counts the digits, sums the
 * counts to positions, and moves the numbers stably to a buffer and back. */
#include "graph/digits.h"
#include <string.h>

enum { BITS = 11, DIGITS = 1 << BITS };

void hk_sort_digits(hk_index *item, hk_index *work, hk_index count, hk_index most)
{
  if (count == 0) return;
  for (int shift = 0; shift < 31 && most >> shift; shift += BITS) {
    hk_index begin[DIGITS + 1] = {0};
    for (hk_index i = 0; i < count; i++) begin[(item[i] >> shift & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++) begin[d + 1] += begin[d];
    for (hk_index i = 0; i < count; i++) work[begin[item[i] >> shift & (DIGITS - 1)]++] = item[i];
    memcpy(item, work, (size_t)count * sizeof *item);
  }
}
