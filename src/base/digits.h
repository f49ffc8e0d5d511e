/* Eight decimal digits at a time, as the bytes of a word whose lowest is the first character: for machines that store it so (hk_words_fit). */
#pragma once
#include "base/base.h"
#include <string.h>

#define HK_EACH_BYTE UINT64_C(0x0101010101010101)

/* How many of eight characters, each combined with '0' by xor, are digits before the first that is none. A byte of `value` is 0 to 9 for a
 * digit; others get their highest bit by the sum, whose carries reach later bytes only. */
static inline int hk_count_digits(uint64_t value)
{
  const uint64_t others = ((value + 0x76 * HK_EACH_BYTE) | value) & 0x80 * HK_EACH_BYTE;
  return others ? __builtin_ctzll(others) / 8 : 8;
}

/* The number whose eight digits are the bytes of `value`, the first one lowest: pairs, fours, then all. */
static inline uint64_t hk_join_digits(uint64_t value)
{
  const uint64_t even = UINT64_C(0x000000ff000000ff);
  value = value * 10 + (value >> 8);
  return (uint32_t)(((value & even) * UINT64_C(0x000f424000000064) +
                     ((value >> 16) & even) * UINT64_C(0x0000271000000001)) >>
                    32);
}

/* Whether a word that is read from memory has the first character lowest. */
static inline bool hk_words_fit(void)
{
  const uint32_t one = 1;
  return *(const char *)&one;
}

/* The digits at p, up to 8 of the 8 characters that are read, as a number into *value; their count. 0: *value stays. */
static inline int hk_take_digits(const char *p, uint64_t *value)
{
  uint64_t word;
  memcpy(&word, p, sizeof word);
  word ^= '0' * HK_EACH_BYTE;
  const int count = hk_count_digits(word);
  if (count) *value = hk_join_digits(word << (64 - 8 * count));
  return count;
}
