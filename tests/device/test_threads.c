/* Threads that share a launch: every index once, whatever the counts and threads. */
#include "device/host/threads.h"
#include "device/host/touch.h"
#include "support/check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
/* after the headers that it needs */

enum { MOST = 1000, FIRST = 7 };

typedef struct marks {
  int times[MOST]; /* times[i - FIRST]: how often i was done */
  _Atomic int parts, shortest, longest;
} marks;

static void mark(void *user, hk_count first, hk_count count)
{
  marks *m = user;
  for (hk_count i = first; i < first + count; i++) m->times[i - FIRST]++;
  int shortest = m->shortest, longest = m->longest;
  m->parts++;
  while (count < shortest && !atomic_compare_exchange_weak(&m->shortest, &shortest, (int)count)) {
  }
  while (count > longest && !atomic_compare_exchange_weak(&m->longest, &longest, (int)count)) {
  }
}

static void run_marks(hk_threads *pool, int threads, int count)
{
  marks m = {.shortest = MOST};
  hk_threads_run(pool, FIRST, count, mark, &m);
  for (int i = 0; i < MOST; i++) assert_int_equal(m.times[i], i < count);
  assert_int_equal(m.parts, count < threads ? count : threads);
  if (count) assert_in_range(m.longest - m.shortest, 0, 1);
}

/* each index of [first, first + count) is done once, none beside them, in min(threads, count) parts that differ by one
 * at most: for counts below, at and above the threads */
static void covers_exactly(void **state)
{
  static const int threads[] = {1, 2, 3, 8};
  (void)state;
  for (int t = 0; t < 4; t++) {
    hk_threads *pool = NULL;
    ok(hk_threads_create(threads[t], &pool));
    for (int count = 0; count <= 40; count++) run_marks(pool, threads[t], count);
    run_marks(pool, threads[t], MOST);
    hk_threads_destroy(&pool);
    assert_null(pool);
  }
}

/* 20000 runs of varying counts, some behind a pause in which the threads fall asleep: none is lost, nothing is
 * allocated */
static void many_runs(void **state)
{
  hk_threads *pool = NULL;
  (void)state;
  ok(hk_threads_create(4, &pool));
  const hk_count before = hk_memory_calls();
  for (int n = 0; n < 20000; n++) {
    if (n % 1000 == 0) usleep(1000);
    run_marks(pool, 4, n * 7919 % 13);
  }
  assert_int_equal(hk_memory_calls(), before);
  hk_threads_destroy(&pool);
}

static void add_squares(void *user, hk_count first, hk_count count)
{
  _Atomic hk_count *sum = user;
  hk_count part = 0;
  for (hk_count i = first; i < first + count; i++) part += i * i;
  *sum += part;
}

static void *use_pool(void *user)
{
  hk_threads *pool = NULL;
  bool *right = user;
  if (hk_threads_create(3, &pool) != HK_OK) return NULL;
  *right = true;
  for (int n = 1; n < 2000; n++) {
    const hk_count count = n % 50;
    _Atomic hk_count sum = 0;
    hk_threads_run(pool, 0, count, add_squares, &sum);
    if (sum != (count - 1) * count * (2 * count - 1) / 6) *right = false;
  }
  hk_threads_destroy(&pool);
  return NULL;
}

/* two pools, each used by a thread of its own at the same time, do not meet */
static void two_pools(void **state)
{
  pthread_t thread;
  bool right[2] = {false, false};
  (void)state;
  assert_int_equal(pthread_create(&thread, NULL, use_pool, &right[1]), 0);
  use_pool(&right[0]);
  pthread_join(thread, NULL);
  assert_true(right[0] && right[1]);
}

static void run_inner(void *user, hk_count first, hk_count count)
{
  hk_threads *inner = NULL;
  (void)first, (void)count;
  if (hk_threads_create(2, &inner) != HK_OK) return;
  hk_threads_run(inner, 0, 10, add_squares, user);
  hk_threads_destroy(&inner);
}

/* a run within a run of another pool: 3 times the sum of squares below 10, 285 */
static void nested_pools(void **state)
{
  hk_threads *pool = NULL;
  _Atomic hk_count sum = 0;
  (void)state;
  ok(hk_threads_create(3, &pool));
  hk_threads_run(pool, 0, 3, run_inner, &sum);
  assert_int_equal(sum, 3 * 285);
  hk_threads_destroy(&pool);
}

/* a pool is destroyed before it ran, right after it ran, and while its threads sleep */
static void destroy_at_once(void **state)
{
  (void)state;
  for (int n = 0; n < 300; n++) {
    hk_threads *pool = NULL;
    ok(hk_threads_create(1 + n % 5, &pool));
    for (int k = 0; k < n % 3; k++) run_marks(pool, 1 + n % 5, 20);
    if (n % 50 == 0) usleep(1000);
    hk_threads_destroy(&pool);
  }
}

/* the k-th allocation fails: HK_NO_RESOURCES, and nothing is left */
static void failing_allocations(void **state)
{
  hk_status status = HK_NO_RESOURCES;
  (void)state;
  for (int k = 1; status != HK_OK; k++) {
    hk_threads *pool = NULL;
    const hk_count held = hk_memory_held();
    hk_memory_fail_at(k);
    status = hk_threads_create(3, &pool);
    hk_memory_fail_at(0);
    assert_int_equal(status, k > 2 ? HK_OK : HK_NO_RESOURCES);
    hk_threads_destroy(&pool);
    assert_int_equal(hk_memory_held(), held);
  }
}

/* a machine that gives no more address space for stacks: HK_NO_RESOURCES says which thread, those started end */
static void failing_threads(void **state)
{
  struct rlimit before, few;
  hk_threads *pool = NULL;
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip(); /* their shadow memory is beyond any limit */
#endif
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  few = before;
  few.rlim_cur = (rlim_t)512 << 20;
  assert_int_equal(setrlimit(RLIMIT_AS, &few), 0);
  const hk_status status = hk_threads_create(4096, &pool);
  assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
  assert_int_equal(status, HK_NO_RESOURCES);
  assert_null(pool);
  error_says("of 4096 cannot be started");
}

/* behind a header of 64 bytes, as the host's buffers lie: every page gets memory, and stays zero */
static void pages_are_touched(void **state)
{
  static const int threads[] = {1, 3, 8};
  enum { PAGE = 4096, PAGES = 3001, HEAD = 64 };
  unsigned char *there = NULL;
  (void)state;
  ok(hk_get(&there, PAGES));
  for (int t = 0; t < 3; t++) {
    char *memory =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    hk_touch(memory + HEAD, PAGES * PAGE - HEAD, threads[t]);
    assert_int_equal(mincore(memory, PAGES * PAGE, there), 0);
    for (int k = 0; k < PAGES; k++) assert_int_equal(there[k] & 1, 1);
    for (int k = 0; k < PAGES * PAGE; k++) assert_int_equal(memory[k], 0);
    munmap(memory, PAGES * PAGE);
  }
  hk_free(&there);
}

static void nodes_of_memory_are_counted(void **state)
{
  (void)state;
  assert_true(hk_touch_several("0-1\n") && hk_touch_several("0,8\n") &&
              hk_touch_several("0-3,8\n"));
  assert_false(hk_touch_several("0\n") || hk_touch_several("12\n") || hk_touch_several(""));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(covers_exactly),
      cmocka_unit_test(many_runs),
      cmocka_unit_test(two_pools),
      cmocka_unit_test(nested_pools),
      cmocka_unit_test(destroy_at_once),
      cmocka_unit_test(failing_allocations),
      cmocka_unit_test(failing_threads),
      cmocka_unit_test(pages_are_touched),
      cmocka_unit_test(nodes_of_memory_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
