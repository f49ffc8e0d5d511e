/* Stable radix sort of 64-bit keys, one byte per pass, with an optional index beside each key.
 * Ascending keys are returned at once, and a byte that is the same in all keys is skipped. O(count)
 * for each pass, with buffers for the keys and the index. Of many keys each thread moves a
 * contiguous part, behind what the threads before it move of each byte: the order of one thread. */
#include "base/sort.h"
#include <omp.h>
#include <string.h>

enum { BYTES = 256, MANY = 1 << 16 };

typedef struct sorting {
  hk_count count;
  uint64_t *key, *key_to;
  hk_index *with, *with_to;
  hk_count (*begin)[BYTES]; /* begin[threads]: where a thread puts its next key with a byte */
} sorting;

static bool ascending(hk_count count, const uint64_t *key)
{
  for (hk_count i = 1; i < count; i++)
    if (key[i - 1] > key[i]) return false;
  return true;
}

static void sum_counts(sorting *s, int threads)
{
  hk_count sum = 0;
  for (int b = 0; b < BYTES; b++)
    for (int t = 0; t < threads; t++) {
      const hk_count count = s->begin[t][b];
      s->begin[t][b] = sum;
      sum += count;
    }
}

/* Moves the keys in the order of one of their bytes. */
static void pass(sorting *s, int shift)
{
#pragma omp parallel if (s->count >= MANY)
  {
    const int t = omp_get_thread_num(), threads = omp_get_num_threads();
    const hk_count first = s->count * t / threads, end = s->count * (t + 1) / threads;
    hk_count *begin = s->begin[t];
    memset(begin, 0, BYTES * sizeof *begin);
    for (hk_count i = first; i < end; i++) begin[s->key[i] >> shift & 255]++;
#pragma omp barrier
#pragma omp single
    sum_counts(s, threads);
    for (hk_count i = first; i < end; i++) {
      const hk_count to = begin[s->key[i] >> shift & 255]++;
      s->key_to[to] = s->key[i];
      if (s->with) s->with_to[to] = s->with[i];
    }
  }
}

static void exchange(sorting *s)
{
  uint64_t *key = s->key;
  hk_index *with = s->with;
  s->key = s->key_to, s->key_to = key;
  s->with = s->with_to, s->with_to = with;
}

hk_status hk_mesh_sort(hk_count count, uint64_t *key, hk_index *with)
{
  hk_status status = HK_OK;
  sorting s = {.count = count, .key = key, .with = with};
  uint64_t *other = NULL, differ = 0;
  hk_index *other_with = NULL;

  if (ascending(count, key)) return HK_OK;
  HK_TRY(hk_get(&other, count));
  if (with) HK_TRY(hk_get(&other_with, count));
  HK_TRY(hk_get(&s.begin, count < MANY ? 1 : omp_get_max_threads()));
  s.key_to = other, s.with_to = other_with;
  for (hk_count i = 0; i < count; i++) differ |= key[i] ^ key[0];
  for (int shift = 0; shift < 64; shift += 8) {
    if (!(differ >> shift & 255)) continue;
    pass(&s, shift);
    exchange(&s);
  }
  if (s.key != key) memcpy(key, other, (size_t)count * sizeof *key);
  if (with && s.with != with) memcpy(with, other_with, (size_t)count * sizeof *with);
cleanup:
  hk_free(&other);
  hk_free(&other_with);
  hk_free(&s.begin);
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

int hk_compare_index(const void *a, const void *b)
{
  const hk_index x = *(const hk_index *)a, y = *(const hk_index *)b;
  return (x > y) - (x < y);
}
