/* The order of nodes on the surface of a block in 3D: few blocks read a section. */
#include "papers/pogo/surface.h"
#include "support/check.h"
#include <stdlib.h>

/* Readers of all sections of 8 nodes, added up. */
static int readers_of(const hk_block_surface_node *node, hk_index count)
{
  int sum = 0;
  for (hk_index k = 0; k < count; k += 8) {
    uint64_t readers = 0;
    for (hk_index i = k; i < k + 8 && i < count; i++) readers |= node[i].readers;
    sum += __builtin_popcountll(readers);
  }
  return sum;
}

/* The least number of readers of two sections of 16 nodes, over all ways to choose the first. */
static int least_readers(const hk_block_surface_node *node)
{
  int least = 1000;
  for (unsigned first = 0; first < 1 << 16; first++) {
    uint64_t readers[2] = {0};
    if (__builtin_popcount(first) != 8) continue;
    for (int i = 0; i < 16; i++) readers[first >> i & 1] |= node[i].readers;
    const int sum = __builtin_popcountll(readers[0]) + __builtin_popcountll(readers[1]);
    if (sum < least) least = sum;
  }
  return least;
}

/* of 16 nodes with random readers: at most 5 % more readers than the best order has */
static void few_read_a_section(void **state)
{
  hk_block_surface s = {0};
  int all = 0, best = 0;
  (void)state;
  srand(8);
  ok(hk_block_surface_create(16, &s));
  for (int draw = 0; draw < 100; draw++) {
    for (int k = 0; k < 16; k++) {
      const uint64_t edge =
          (uint64_t)1 << rand() % 8 | (rand() % 2 ? (uint64_t)1 << rand() % 8 : 0);
      s.node[k] = (hk_block_surface_node){edge, 26, k};
    }
    best += least_readers(s.node);
    hk_block_surface_order(&s, 16);
    all += readers_of(s.node, 16);
  }
  assert_in_range(all, best, best * 105 / 100);
  hk_pool_clear(&s.pool);
}

/* each node once, all but the last section full; as many sections of nodes with equal readers as fit; longest first, in and among sections */
static void surfaces_are_ordered_by_links(void **state)
{
  hk_block_surface s = {0};
  (void)state;
  srand(9);
  ok(hk_block_surface_create(400, &s));
  for (int count = 0; count <= 400; count += 25) {
    int of_group[5] = {0}, alike = 0, expected = 0, met[400] = {0};
    for (int k = 0; k < count; k++) {
      const int group = rand() % 5;
      s.node[k] = (hk_block_surface_node){(uint64_t)1 << 12 * group, 8 + rand() % 20, k};
      of_group[group]++;
    }
    hk_block_surface_order(&s, count);
    for (int g = 0; g < 5; g++) expected += of_group[g] / 8;
    for (int k = 0; k < count; k++) {
      met[s.node[k].member]++;
      if (k % 8) assert_true(s.node[k].links <= s.node[k - 1].links);
      if (k % 8 == 0 && k && k + 8 <= count) assert_true(s.node[k].links <= s.node[k - 8].links);
      if (k % 8 == 0 && k + 8 <= count) alike += readers_of(s.node + k, 8) == 1;
    }
    for (int k = 0; k < count; k++) assert_int_equal(met[k], 1);
    assert_int_equal(alike, expected);
  }
  hk_pool_clear(&s.pool);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(few_read_a_section),
                                     cmocka_unit_test(surfaces_are_ordered_by_links)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
