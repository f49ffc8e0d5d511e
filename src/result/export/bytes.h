/* Numbers in the order of bytes that a file has: the most significant byte first (`big`), or the machine's. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void hk_put_big(void *to, int bytes, uint64_t bits)
{
  unsigned char *byte = to;
  for (int k = 0; k < bytes; k++) byte[k] = (unsigned char)(bits >> 8 * (bytes - 1 - k));
}

static inline void hk_put16(char *to, bool big, int value)
{
  const uint16_t bits = (uint16_t)value;
  if (big)
    hk_put_big(to, 2, bits);
  else
    memcpy(to, &bits, sizeof bits);
}

static inline void hk_put32(char *to, bool big, int64_t value)
{
  const uint32_t bits = (uint32_t)value;
  if (big)
    hk_put_big(to, 4, bits);
  else
    memcpy(to, &bits, sizeof bits);
}

static inline void hk_put_float(char *to, bool big, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (big)
    hk_put_big(to, 4, bits);
  else
    memcpy(to, &bits, sizeof bits);
}

static inline void hk_put_double(char *to, bool big, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (big)
    hk_put_big(to, 8, bits);
  else
    memcpy(to, &bits, sizeof bits);
}
