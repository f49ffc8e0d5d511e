/* Numbers as bytes that deflate well: differences from the number before, and bytes of one place beside each other (view.h); and
 * bytes as the letters of base64. */
#include "report/view/view.h"
#include <string.h>

/* Room for so many more; where they go. */
static hk_status grow(hk_view_bytes *to, hk_count count, uint8_t **out)
{
  HK_PASS(hk_reserve(&to->at, to->count + count, &to->room));
  *out = to->at + to->count;
  to->count += count;
  return HK_OK;
}

hk_status hk_view_put(hk_view_bytes *to, hk_count count, const void *bytes)
{
  uint8_t *out;
  HK_PASS(grow(to, count, &out));
  memcpy(out, bytes, (size_t)count);
  return HK_OK;
}

hk_status hk_view_put_short(hk_view_bytes *to, hk_count count, const uint16_t *number)
{
  uint8_t *out;
  HK_PASS(grow(to, 2 * count, &out));
  for (hk_count i = 0; i < count; i++) {
    const uint16_t d = (uint16_t)(number[i] - (i ? number[i - 1] : 0));
    out[i] = (uint8_t)d, out[count + i] = (uint8_t)(d >> 8);
  }
  return HK_OK;
}

hk_status hk_view_put_list(hk_view_bytes *to, hk_count count, const hk_index *number)
{
  uint8_t *out;
  HK_PASS(grow(to, 4 * count, &out));
  for (hk_count i = 0; i < count; i++) {
    const int64_t d = (int64_t)number[i] - (i ? number[i - 1] : 0);
    const uint32_t word = (uint32_t)(d < 0 ? -2 * d - 1 : 2 * d);
    for (int k = 0; k < 4; k++) out[k * count + i] = (uint8_t)(word >> (8 * k));
  }
  return HK_OK;
}

void hk_html_base64(FILE *to, const char *data, size_t size)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char text[4096];
  size_t used = 0;
  for (size_t i = 0; i < size; i += 3) {
    unsigned bits = 0;
    for (size_t k = 0; k < 3; k++)
      bits = bits << 8 | (i + k < size ? (unsigned char)data[i + k] : 0);
    for (size_t k = 0; k < 4; k++)
      text[used++] = i + k <= size ? digit[bits >> (18 - 6 * k) & 63] : '=';
    if (used == sizeof text || i + 3 >= size) fwrite(text, 1, used, to), used = 0;
  }
}
