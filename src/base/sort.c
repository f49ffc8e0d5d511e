/* Stable radix sort of 64-bit keys, one byte per pass, with an optional index beside each key.
 * Ascending keys are returned at once, and a byte that is the same in all keys is skipped. O(count)
 * for each pass, with buffers for the keys and the index. */
#include "base/sort.h"
#include <string.h>

static bool ascending(hk_count count, const uint64_t *key)
{
  for (hk_count i = 1; i < count; i++)
    if (key[i - 1] > key[i]) return false;
  return true;
}

/* Moves `from` to `to` in the order of one byte of the keys. */
static void pass(hk_count count, int shift, const uint64_t *key, const hk_index *with,
                 uint64_t *key_to, hk_index *with_to)
{
  hk_count begin[257] = {0};
  for (hk_count i = 0; i < count; i++) begin[(key[i] >> shift & 255) + 1]++;
  for (int b = 0; b < 256; b++) begin[b + 1] += begin[b];
  for (hk_count i = 0; i < count; i++) {
    const hk_count to = begin[key[i] >> shift & 255]++;
    key_to[to] = key[i];
    if (with) with_to[to] = with[i];
  }
}

hk_status hk_mesh_sort(hk_count count, uint64_t *key, hk_index *with)
{
  hk_status status = HK_OK;
  uint64_t *other = NULL, differ = 0;
  hk_index *other_with = NULL;

  if (ascending(count, key)) return HK_OK;
  HK_TRY(hk_get(&other, count));
  if (with) HK_TRY(hk_get(&other_with, count));
  for (hk_count i = 0; i < count; i++) differ |= key[i] ^ key[0];
  for (int shift = 0; shift < 64; shift += 8) {
    if (!(differ >> shift & 255)) continue;
    pass(count, shift, key, with, other, other_with);
    memcpy(key, other, (size_t)count * sizeof *key);
    if (with) memcpy(with, other_with, (size_t)count * sizeof *with);
  }
cleanup:
  hk_free(&other);
  hk_free(&other_with);
  return status;
}

void hk_sort_few(hk_index count, hk_index *item)
{
  for (hk_index i = 1; i < count; i++) {
    const hk_index value = item[i];
    hk_index k = i;
    for (; k > 0 && item[k - 1] > value; k--) item[k] = item[k - 1];
    item[k] = value;
  }
}
