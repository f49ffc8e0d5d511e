/* Pieces on a shelf lie apart, are zero, and go back to the system box by box. */
#include "operator/rows/shelf.h"
#include "support/check.h"

enum { THREADS = 3, PIECES = 60 };

static hk_count size_of(int i)
{
  return i == 7 ? 3 << 20 : (hk_count)i * i * 97 % 200000; /* one is larger than a box */
}

/* pieces of each thread are zero, aligned to 16 bytes, and keep what is written into them until they are dropped; then nothing is held */
static void pieces_are_apart(void **state)
{
  (void)state;
  hk_shelf *shelf = NULL;
  void *piece[PIECES];
  const hk_count held = hk_memory_held();
  ok(hk_shelf_create(THREADS, &shelf));
  const hk_count empty = hk_memory_held();
  for (int i = 0; i < PIECES; i++) {
    ok(hk_shelf_put(shelf, i % THREADS, size_of(i), &piece[i]));
    assert_int_equal((uintptr_t)piece[i] % 16, 0);
    for (hk_count k = 0; k < size_of(i); k++) assert_int_equal(((char *)piece[i])[k], 0);
    memset(piece[i], i + 1, (size_t)size_of(i));
  }
  for (int i = 0; i < PIECES; i++) {
    for (hk_count k = 0; k < size_of(i); k++) assert_int_equal(((char *)piece[i])[k], i + 1);
    hk_shelf_drop(&piece[i]);
    assert_null(piece[i]);
    hk_shelf_drop(&piece[i]);
  }
  assert_int_equal(hk_memory_held(), empty);
  hk_shelf_destroy(&shelf);
  hk_shelf_destroy(&shelf);
  assert_int_equal(hk_memory_held(), held);
}

/* half of the pieces, dropped in the order in which they were laid, give at least a third of the bytes back */
static void boxes_go_back_on_the_way(void **state)
{
  (void)state;
  enum { EACH = 100000, MANY = 100 };
  hk_shelf *shelf = NULL;
  void *piece[MANY];
  ok(hk_shelf_create(1, &shelf));
  for (int i = 0; i < MANY; i++) ok(hk_shelf_put(shelf, 0, EACH, &piece[i]));
  const hk_count full = hk_memory_held();
  for (int i = 0; i < MANY / 2; i++) hk_shelf_drop(&piece[i]);
  assert_true(full - hk_memory_held() >= (hk_count)EACH * MANY / 3);
  hk_shelf_destroy(&shelf); /* with the others */
}

/* a failing allocation leaves NULL, and a shelf that can be destroyed */
static void failures_are_told(void **state)
{
  (void)state;
  const hk_count held = hk_memory_held();
  for (hk_count k = 1; k <= 3; k++) {
    hk_shelf *shelf = NULL;
    void *piece = &shelf;
    hk_memory_fail_at(k);
    hk_status status = hk_shelf_create(THREADS, &shelf);
    if (status == HK_OK) status = hk_shelf_put(shelf, 0, 100, &piece);
    hk_memory_fail_at(0);
    assert_int_equal(status, HK_NO_RESOURCES);
    assert_true(!shelf || !piece);
    hk_shelf_destroy(&shelf);
    assert_int_equal(hk_memory_held(), held);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_apart),
      cmocka_unit_test(boxes_go_back_on_the_way),
      cmocka_unit_test(failures_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
