/* The filling of a new file ends with its error where the disk does not take a piece, whoever was to write it. */
#include "hdf/fill.h"
#include "files.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

enum { PIECE = 1 << 20, AT = 4096 };

/* Two pieces, of which the file may hold one and a half; who writes covers the first and half of the second, which is to be filled before. */
static void a_piece_beside_that_fails_leaves_none_taken(void **state)
{
  (void)state;
  char path[] = "/tmp/hooke_fill_XXXXXX";
  struct rlimit before, little;
  hk_hdf_array array = {
      .type = HK_F64, .rank = 1, .size = {2 * PIECE / 8}, .count = 2 * PIECE / 8, .offset = AT};
  hk_hdf_fill *fill = NULL;
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  little = before, little.rlim_cur = AT + PIECE + PIECE / 2;
  assert_int_equal(hk_hdf_fill_create(path, fd, 1, &array, &fill), HK_OK);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
  alarm(60); /* a fill that waits for ever */
  assert_int_equal(hk_hdf_fill_take(fill, AT, PIECE + PIECE / 2), HK_NOT_WRITABLE);
  assert_int_equal(hk_hdf_fill_run(fill, false, NULL, NULL), HK_NOT_WRITABLE);
  assert_false(hk_hdf_fill_done(fd));
  alarm(0);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  hk_hdf_fill_destroy(&fill);
  close(fd);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_piece_beside_that_fails_leaves_none_taken)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
