/* The packed block of a pair of nodes: operator/edges/edges.k.h decodes what hk_edges_block_put packs. */
#include "operator/edges/block.h"
#include "operator/edges/pack.h"
#include "support/check.h"

enum { WIDTH = 8, ENTRIES = 6, TRIES = 20000 };

/* The block of `lane` as edges.k.h lays it out. */
static void unpack(bool real, const uint32_t *list, int lane, double *s)
{
  uint32_t w[9];
  for (int c = 0; c < (real ? 9 : 4); c++)
    w[c] = list[real && c < 8 ? (c / 2 * WIDTH + lane) * 2 + c % 2 : c * WIDTH + lane];
  if (real) {
    const int exponent = (int)(w[6] >> 28 | w[7] >> 28 << 4 | w[8] >> 28 << 8) - 1023;
    for (int c = 0; c < ENTRIES; c++) {
      const uint64_t high = w[6 + c / 2] >> 14 * (c % 2) & 0x3fff;
      s[c] = ldexp((double)(high << 32 | w[c]) - ldexp(1, 45), exponent);
    }
    return;
  }
  const int exponent = (int)((w[1] >> 20 & 15) | (w[3] >> 20 & 15) << 4) - 127;
  for (int c = 0; c < 4; c++) s[c] = (double)(w[c] & 0xfffff) - ldexp(1, 19);
  for (int c = 0; c < 2; c++)
    s[4 + c] = (double)(w[2 * c] >> 20 << 8 | w[2 * c + 1] >> 24) - ldexp(1, 19);
  for (int c = 0; c < ENTRIES; c++) s[c] = ldexp(s[c], exponent);
}

static void pack_and_unpack(bool real, const double *s, double *got)
{
  const hk_edges_format format = {
      .dim = 3, .width = WIDTH, .double_precision = real, .packed = true};
  uint32_t list[9 * WIDTH];
  memset(list, 0xff, sizeof list);
  hk_edges_block_put(&format, s, list, 5);
  unpack(real, list, 5, got);
}

static void random_block(double *s)
{
  const double scale = pow(10, 25 * 2 * uniform());
  for (int c = 0; c < ENTRIES; c++) s[c] = scale * 2 * uniform() * (rand() % 4 ? 1 : 1e-4);
  if (rand() % 8 == 0)
    s[rand() % 3] = scale; /* a power of two or just below it: rounding may carry */
  if (rand() % 8 == 0) s[rand() % 3] = exp2(floor(log2(scale))) * (1 - 1e-9);
}

static double largest_of(const double *s)
{
  double most = 0;
  for (int c = 0; c < ENTRIES; c++) most = fmax(most, fabs(s[c]));
  return most;
}

/* |S' - S| <= 2^-17 max |S| in single, 2^-43 in double */
static void error_is_bounded(void **state)
{
  (void)state;
  srand(5);
  for (int real = 0; real < 2; real++)
    for (int k = 0; k < TRIES; k++) {
      double s[ENTRIES], got[ENTRIES];
      random_block(s);
      pack_and_unpack(real, s, got);
      for (int c = 0; c < ENTRIES; c++)
        if (!(fabs(got[c] - s[c]) <= ldexp(largest_of(s), real ? -43 : -17)))
          fail_msg("entry %d: %.17g for %.17g, largest %.3g", c, got[c], s[c], largest_of(s));
    }
}

/* S' - S is diagonally dominant with a diagonal that is not negative, to rounding: positive semidefinite */
static void never_less_stiff(void **state)
{
  static const int row[3][2] = {{4, 5}, {3, 5}, {3, 4}};
  (void)state;
  srand(6);
  for (int real = 0; real < 2; real++)
    for (int k = 0; k < TRIES; k++) {
      double s[ENTRIES], e[ENTRIES];
      random_block(s);
      pack_and_unpack(real, s, e);
      for (int c = 0; c < ENTRIES; c++) e[c] -= s[c];
      for (int c = 0; c < 3; c++)
        assert_true(e[c] - fabs(e[row[c][0]]) - fabs(e[row[c][1]]) >= -1e-15 * largest_of(s));
    }
}

/* zero is zero; tiny blocks lose digits, and stay finite */
static void small_blocks(void **state)
{
  (void)state;
  for (int real = 0; real < 2; real++) {
    double s[ENTRIES] = {0}, got[ENTRIES];
    pack_and_unpack(real, s, got);
    for (int c = 0; c < ENTRIES; c++) assert_true(got[c] == 0);
    s[0] = real ? 1e-305 : 1e-38;
    pack_and_unpack(real, s, got);
    assert_true(fabs(got[0] - s[0]) <= (real ? exp2(-943) : exp2(-117)));
  }
}

/* what a group keeps in local memory where lists are not staged: dim numbers for each node and each slot, of 4 or 8 bytes */
static void local_memory_is_counted(void **state)
{
  (void)state;
  for (int dim = 2; dim < 4; dim++)
    for (int real = 0; real < 2; real++) {
      const hk_edges_format f = {.dim = dim, .width = 32, .double_precision = real};
      const hk_edges_sizes size = {.local = 1024, .slots = 512, .pairs = 7};
      assert_int_equal(hk_edges_local(&f, 256, &size), (1024 + 512) * dim * (real ? 8 : 4));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_is_bounded), cmocka_unit_test(never_less_stiff),
      cmocka_unit_test(small_blocks), cmocka_unit_test(local_memory_is_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
