/* What a pool hands out is zero, apart, aligned, and gone when it is cleared. */
#include "base/base.h"
#include "support/check.h"

/* pieces of every size are zero, do not overlap, and nothing is held after hk_pool_clear */
static void pieces_are_apart(void **state)
{
  (void)state;
  enum { PIECES = 200 };
  hk_pool pool = {0};
  unsigned char *piece[PIECES];
  const hk_count held = hk_memory_held();
  for (int i = 0; i < PIECES; i++) {
    const size_t bytes = (size_t)(i * i * 7 % 60000);
    if (i % 3)
      ok(hk_pool_take(&pool, bytes, (void **)&piece[i]));
    else
      ok(hk_pool_get(&pool, &piece[i], (hk_count)bytes));
    assert_int_equal((uintptr_t)piece[i] % (i % 3 ? 16 : 64), 0);
    for (size_t k = 0; k < bytes; k++) assert_int_equal(piece[i][k], 0);
    memset(piece[i], i + 1, bytes);
  }
  for (int i = 0; i < PIECES; i++)
    for (int k = 0; k < i * i * 7 % 60000; k++) assert_int_equal(piece[i][k], (i + 1) & 255);
  hk_pool_clear(&pool);
  hk_pool_clear(&pool);
  assert_int_equal(hk_memory_held(), held);
}

/* a failing allocation leaves NULL and a pool that can be cleared; absurd counts are refused */
static void failures_are_told(void **state)
{
  (void)state;
  const hk_count held = hk_memory_held();
  for (hk_count k = 1; k < 4; k++) {
    hk_pool pool = {0};
    double *x = (double *)1;
    hk_status status = HK_OK;
    hk_memory_fail_at(k);
    for (int i = 0; i < 3 && status == HK_OK; i++) status = hk_pool_get(&pool, &x, 10);
    hk_memory_fail_at(0);
    assert_int_equal(status, HK_NO_RESOURCES);
    assert_null(x);
    assert_int_equal(hk_pool_get(&pool, &x, INT64_MAX), HK_NO_RESOURCES);
    assert_int_equal(hk_pool_get(&pool, &x, -1), HK_NO_RESOURCES);
    hk_pool_clear(&pool);
    assert_int_equal(hk_memory_held(), held);
  }
}

static int order[4], destroyed;

static void note(void *object)
{
  order[destroyed++] = *(int *)object;
}

/* objects of a pool are destroyed once, the last first, by clear; where memory for one fails, that one at once, and it is NULL */
static void objects_are_destroyed_backwards(void **state)
{
  (void)state;
  const hk_count held = hk_memory_held();
  hk_pool pool = {0};
  int number[3] = {1, 2, 3};
  destroyed = 0;
  for (int k = 0; k < 3; k++) {
    void *object = &number[k];
    double *beside;
    ok(hk_pool_get(&pool, &beside, 100));
    hk_memory_fail_at(k == 1);
    const hk_status status = hk_pool_keep(&pool, note, &object);
    hk_memory_fail_at(0);
    assert_int_equal(status, k == 1 ? HK_NO_RESOURCES : HK_OK);
    assert_ptr_equal(object, k == 1 ? NULL : &number[k]);
    assert_int_equal(destroyed, k >= 1);
  }
  hk_pool_clear(&pool);
  hk_pool_clear(&pool);
  assert_int_equal(destroyed, 3);
  assert_int_equal(order[0], 2);
  assert_int_equal(order[1], 3);
  assert_int_equal(order[2], 1);
  assert_int_equal(hk_memory_held(), held);
}

/* an array that grows and shrinks between two others keeps what it holds, its new part is zero, and the others stay as they are */
static void arrays_are_resized(void **state)
{
  (void)state;
  static const hk_count size[] = {1, 50, 7, 40000, 300, 90000, 0, 20000, 20001};
  hk_pool pool = {0};
  int *x[3] = {NULL}, *small;
  hk_count have = 0;
  const hk_count held = hk_memory_held();
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    for (int k = 0; k < 3; k++) {
      ok(hk_pool_resize(&pool, &x[k], size[i]));
      for (hk_count n = 0; n < size[i]; n++) {
        assert_int_equal(x[k][n], n < have ? k + n : 0);
        x[k][n] = (int)(k + n);
      }
    }
    ok(hk_pool_few(&pool, &small, 3));
    assert_int_equal(small[0] + small[1] + small[2], 0);
    small[0] = small[1] = small[2] = -1;
    for (int k = 0; k < 3; k++)
      for (hk_count n = 0; n < size[i]; n++) assert_int_equal(x[k][n], k + n);
    have = size[i];
  }
  hk_pool_clear(&pool);
  assert_int_equal(hk_memory_held(), held);
}

/* room grows where it is short only; where memory fails the array and its room are as before */
static void room_is_reserved(void **state)
{
  (void)state;
  hk_pool pool = {0};
  HK_LIST(int) list = {0};
  int *beside;
  const hk_count held = hk_memory_held();
  for (int n = 0; n < 50000; n++) {
    const hk_count room = list.room, calls = hk_memory_calls();
    int *const at = list.at;
    if (n == room) {
      hk_memory_fail_at(1);
      assert_int_equal(hk_pool_more(&pool, &list), HK_NO_RESOURCES);
      hk_memory_fail_at(0);
      assert_true(list.at == at && list.room == room && list.count == n);
    }
    ok(hk_pool_more(&pool, &list));
    assert_true(list.room > n && (n == room || hk_memory_calls() == calls));
    assert_int_equal(list.at[n], 0);
    list.at[list.count++] = n;
    if (n == room) ok(hk_pool_get(&pool, &beside, 5));
  }
  for (int n = 0; n < 50000; n++) assert_int_equal(list.at[n], n);
  assert_int_equal(hk_pool_resize(&pool, &list.at, INT64_MAX), HK_NO_RESOURCES);
  assert_int_equal(list.at[49999], 49999);
  hk_pool_clear(&pool);
  assert_int_equal(hk_memory_held(), held);
}

/* an array knows its own room: it is moved only where it is short */
static void room_is_known(void **state)
{
  (void)state;
  hk_pool pool = {0};
  int *x = NULL;
  const hk_count held = hk_memory_held();
  for (int n = 0; n < 50000; n++) {
    ok(hk_pool_room(&pool, &x, n + 1));
    assert_int_equal(x[n], 0);
    x[n] = n + 1;
    const hk_count calls = hk_memory_calls();
    ok(hk_pool_room(&pool, &x, n / 2));
    assert_int_equal(hk_memory_calls(), calls);
  }
  for (int n = 0; n < 50000; n++) assert_int_equal(x[n], n + 1);
  assert_true(hk_memory_held() - held < (hk_count)(2 * 50000 * sizeof *x));
  hk_pool_clear(&pool);
  assert_int_equal(hk_memory_held(), held);
}

/* pages that were promised and not yet written are not free: of two pieces of nine tenths of the free memory the second is refused */
static void promised_pages_are_not_free(void **state)
{
  (void)state;
  char *first = NULL, *second = NULL;
  const hk_count part = hk_memory_available() / 10 * 9;
  if (hk_get(&first, part) != HK_OK) skip(); /* of a machine that promises nothing */
  assert_int_equal(hk_get(&second, part), HK_NO_RESOURCES);
  assert_null(second);
  hk_free(&first);
}

/* the peak is the most that was held since it was renewed */
static void peak_is_renewed(void **state)
{
  (void)state;
  char *piece = NULL;
  ok(hk_get(&piece, 1000000));
  hk_free(&piece);
  assert_true(hk_memory_peak() >= hk_memory_held() + 1000000);
  hk_memory_renew_peak();
  assert_int_equal(hk_memory_peak(), hk_memory_held());
  ok(hk_get(&piece, 1000));
  hk_free(&piece);
  assert_int_equal(hk_memory_peak(), hk_memory_held() + 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_apart),
      cmocka_unit_test(failures_are_told),
      cmocka_unit_test(objects_are_destroyed_backwards),
      cmocka_unit_test(arrays_are_resized),
      cmocka_unit_test(room_is_reserved),
      cmocka_unit_test(room_is_known),
      cmocka_unit_test(promised_pages_are_not_free),
      cmocka_unit_test(peak_is_renewed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
