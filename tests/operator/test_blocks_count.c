/* What a step by blocks moves, beside the paper's own count. */
#include "papers/blocks.h"
#include "support/body.h"

/* Huthwaite (2014), Appendix A: a block of 512 nodes in double, rows of 12 links of which 9 are read on average:
 * 48 720 + 16 384 L_av = 48 720 + 147 456 bytes */
static void the_papers_bytes_of_a_block(void **state)
{
  enum { ROWS = 16 };
  const hk_block_layout layout = hk_block_layout_of(512);
  (void)state;
  assert_int_equal(hk_blocks_count_bytes(&layout, 1, 12, 9 * ROWS, true), 48720 + 147456);
  assert_int_equal(hk_blocks_count_bytes(&layout, 7, 12, 7 * 9 * ROWS, true), 7 * (48720 + 147456));
}

/* the same in single precision: the numbers take half, pointers and flags (2 bytes each of 12 links, 4 + 2) what they took */
static void numbers_take_half_in_single(void **state)
{
  const hk_block_layout layout = hk_block_layout_of(512);
  const hk_count other = 512 * (4 + 2 + 2 * 12) + 4 * 20;
  (void)state;
  assert_int_equal(hk_blocks_count_bytes(&layout, 1, 12, 144, false),
                   (48720 + 147456 - other) / 2 + other);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_papers_bytes_of_a_block),
                                     cmocka_unit_test(numbers_take_half_in_single)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
