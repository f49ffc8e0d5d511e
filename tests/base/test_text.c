/* Numbers read the same in C's and Fortran's notation; near words are found. */
#include "base/base.h"
#include "support/check.h"
#include <omp.h>

/* The number, which is the same whether the text ends behind it or goes on. */
static size_t parse_both(const char *text, double *value)
{
  char longer[300];
  double other = 0;
  const size_t used = hk_parse_number(text, strlen(text), value);
  for (int end = 0; end < 4; end++) {
    snprintf(longer, sizeof longer, "%s%c%.60s", text, " ,\n;"[end],
             "1234567890.1234567890123456789012345678901234567890123456789012345");
    assert_int_equal(hk_parse_number(longer, strlen(longer), &other), used);
    if (used) assert_memory_equal(&other, value, sizeof other);
  }
  return used;
}

/* parse(text) = strtod(text) bit by bit, for random numbers printed with 1..17 digits */
static void numbers_equal_strtod(void **state)
{
  (void)state;
  srand(7);
  for (int i = 0; i < 100000; i++) {
    char text[64];
    double value = (double)rand() / RAND_MAX * (rand() % 2 ? 1 : -1), got = 0;
    for (int k = rand() % 40 - 20; k > 0; k--) value *= 7.3;
    snprintf(text, sizeof text, rand() % 3 ? "%.*g" : "%.*f", 1 + rand() % 17, value);
    assert_int_equal(parse_both(text, &got), strlen(text));
    const double expected = strtod(text, NULL);
    assert_memory_equal(&got, &expected, sizeof got);
  }
}

/* The same halfway between two doubles and one digit beside, where rounding decides, and with digits without end. */
static void hard_numbers(void **state)
{
  (void)state;
  srand(8);
  for (int i = 0; i < 100000; i++) {
    const int k = rand() % 30; /* an odd 54-bit integer times 5^k 10^-k or 10^k */
    uint64_t odd = (UINT64_C(1) << 53 | (uint64_t)rand() << 22 | (uint64_t)rand()) | 1;
    char text[160];
    double got = 0;
    for (int d = 0; d < k % 4; d++) odd = (odd >> 3 | 1) * 5;
    const uint64_t near = odd + (uint64_t)(rand() % 3) - 1;
    snprintf(text, sizeof text, "-%llu%s%se%d", (unsigned long long)near, k % 5 ? "" : ".00000",
             k % 7 ? "" : "00000000000000000000000001", k % 2 ? -k % 4 : k - 12);
    assert_int_equal(parse_both(text, &got), strlen(text));
    const double expected = strtod(text, NULL);
    assert_memory_equal(&got, &expected, sizeof got);
  }
}

/* Integers end where their digits do, whatever follows; those that may not fit are none. */
static void integers(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int64_t value;
    size_t used;
  } row[] = {{"12345678", 12345678, 8},
             {"-123456789,5", -123456789, 10},
             {"0000000000000000000000017 2", 17, 25},
             {"4611686018427387904", INT64_C(4611686018427387904), 19},
             {"46116860184273879040", 0, 0},
             {"+7.5", 7, 2},
             {"12\xb3", 12, 2},
             {"1234567:", 1234567, 7},
             {"-", 0, 0}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    int64_t got = 0;
    assert_int_equal(hk_parse_integer(row[i].text, strlen(row[i].text), &got), row[i].used);
    assert_true(got == row[i].value);
  }
}

static void fortran_notation(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double value;
    size_t used;
  } row[] = {{"1.D-3", 1e-3, 5},
             {"1.", 1, 2},
             {".5", .5, 2},
             {"+2d2,", 200, 4},
             {"-1e", -1, 2},
             {"e5", 0, 0},
             {"-", 0, 0},
             {"1.e400", HUGE_VAL, 6},
             {"1e0007", 1e7, 6},
             {"-.25E+01", -2.5, 8},
             {"123456789", 123456789, 9},
             {"1.23456789012345678901234567e2", 123.456789012345678901234567, 30},
             {"00000000.5", .5, 10},
             {"1e-", 1, 1},
             {"-.e1", 0, 0}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double got = 0;
    assert_int_equal(parse_both(row[i].text, &got), row[i].used);
    assert_true(got == row[i].value);
  }
}

static void near_words(void **state)
{
  (void)state;
  static const char *const words[] = {"density", "young", "poisson"};
  assert_int_equal(hk_nearest("poison", words, 3), 2);
  assert_int_equal(hk_nearest("Densty", words, 3), 0);
  assert_int_equal(hk_nearest("temperature", words, 3), -1);
}

/* a terminal obeys controls of ASCII and of Unicode, marks of direction, and may obey what is no UTF-8 */
static void plain_text(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    size_t plain;
  } row[] = {{"", 0},
             {"weld 5 \xc2\xb5m", 10},
             {"a\033[2J", 1},
             {"\n", 0},
             {"a\x7f", 1},
             {"a\xc2\x9b", 1},
             {"a\x9b", 1},
             {"\xe2\x80\xae"
              "x",
              0},
             {"x\xe2\x81\xa6", 1},
             {"\xf0\x9f\x98\x80!", 5},
             {"\xf0\x9f\x98", 0},
             {"\xc0\xaf", 0}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    assert_int_equal(hk_text_plain(row[i].text), row[i].plain);
}

/* 2^31 - 1 is taken; one more, and what is below 0, is refused with its number */
static void sizes_beyond_32_bits(void **state)
{
  (void)state;
  static const hk_count wrong[] = {INT64_C(2147483648), INT64_C(4611686018427387904), -1};
  hk_index got = 0;
  ok(hk_narrow(INT64_C(2147483647), "things", &got));
  assert_int_equal(got, 2147483647);
  for (int i = 0; i < 3; i++) {
    char words[64];
    snprintf(words, sizeof words, "%lld things: at most 2147483647", (long long)wrong[i]);
    assert_int_equal(hk_narrow(wrong[i], "things", &got), HK_BAD_INPUT);
    error_says(words);
  }
}

/* The hash of large data is the same for 1, 2, 3 and 7 threads, and another one where one byte differs, of the first, a middle and the last piece,
 * within a word and behind the last. */
static void hash_of_large_data(void **state)
{
  (void)state;
  enum { SIZE = (1 << 20) + 8 * 77 + 5 };
  static const size_t place[] = {0, 7, (1 << 18) - 1, 1 << 18, 600001, SIZE - 6, SIZE - 1};
  char *data = NULL;
  ok(hk_get(&data, SIZE));
  for (size_t i = 0; i < SIZE; i++) data[i] = (char)(i * i / 3);
  const uint64_t whole = hk_hash_large(data, SIZE, 5);
  for (int threads = 1; threads <= 7; threads += threads < 3 ? 1 : 4) {
    omp_set_num_threads(threads);
    assert_true(hk_hash_large(data, SIZE, 5) == whole);
    assert_true(hk_hash_large(data, SIZE, 6) != whole);
    assert_true(hk_hash_large(data, SIZE - 1, 5) != whole);
    for (size_t k = 0; k < sizeof place / sizeof *place; k++) {
      data[place[k]]++;
      assert_true(hk_hash_large(data, SIZE, 5) != whole);
      data[place[k]]--;
    }
  }
  hk_free(&data);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hash_of_large_data), cmocka_unit_test(numbers_equal_strtod),
      cmocka_unit_test(hard_numbers),       cmocka_unit_test(integers),
      cmocka_unit_test(fortran_notation),   cmocka_unit_test(near_words),
      cmocka_unit_test(plain_text),         cmocka_unit_test(sizes_beyond_32_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
