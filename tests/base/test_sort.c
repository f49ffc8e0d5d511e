/* Keys are sorted stably, whatever the number of threads. */
#include "base/sort.h"
#include "support/check.h"
#include <omp.h>

typedef struct entry {
  uint64_t key;
  hk_index with;
} entry;

static int compare(const void *p, const void *q)
{
  const entry *a = p, *b = q;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->with > b->with) - (a->with < b->with);
}

/* Few different keys over bytes 0, 3 and 7, so that most are repeated. */
static void make(hk_count count, entry *made)
{
  uint64_t random = 88172645463325252ull;
  for (hk_count i = 0; i < count; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    made[i] = (entry){random & 0x03000000f0000007ull, (hk_index)i};
  }
}

/* key[i], with[i] of 1, 2, 3 and 5 threads are those of qsort by (key, place), for lists below and above the size that is divided */
static void stable_for_any_threads(void **state)
{
  (void)state;
  static const hk_count counts[] = {1, 300, 65537, 200003};
  const int threads_before = omp_get_max_threads();
  for (int n = 0; n < 4; n++)
    for (int k = 0; k < 4; k++) {
      const hk_count count = counts[n];
      entry *expected = NULL;
      uint64_t *key = NULL;
      hk_index *with = NULL;
      ok(hk_get(&expected, count));
      ok(hk_get(&key, count));
      ok(hk_get(&with, count));
      make(count, expected);
      for (hk_count i = 0; i < count; i++) key[i] = expected[i].key, with[i] = (hk_index)i;
      qsort(expected, (size_t)count, sizeof *expected, compare);
      omp_set_num_threads((const int[]){1, 2, 3, 5}[k]);
      ok(hk_mesh_sort(count, key, with));
      for (hk_count i = 0; i < count; i++) {
        assert_true(key[i] == expected[i].key);
        assert_int_equal(with[i], expected[i].with);
      }
      hk_free(&expected);
      hk_free(&key);
      hk_free(&with);
    }
  omp_set_num_threads(threads_before);
}

/* the k-th allocation fails: no memory is lost */
static void failing_memory(void **state)
{
  (void)state;
  shortage memory = {0};
  while (next_shortage(&memory)) {
    uint64_t key[3] = {3, 1, 2};
    hk_index with[3] = {0, 1, 2};
    memory.status = hk_mesh_sort(3, key, with);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(stable_for_any_threads),
                                     cmocka_unit_test(failing_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
