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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_apart),
      cmocka_unit_test(failures_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
