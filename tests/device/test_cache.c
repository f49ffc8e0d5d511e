/* Compiled kernels are kept between runs; what is broken is passed over. */
#include "device/cache.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/hooke_cache_XXXXXX";

static char *only_file(void)
{
  static char path[600];
  char command[300];
  snprintf(command, sizeof command, "ls -d %s/inner/*", folder);
  FILE *list = popen(command, "r");
  assert_non_null(fgets(path, sizeof path, list));
  pclose(list);
  path[strcspn(path, "\n")] = 0;
  return path;
}

/* what is written is read under its own key alone; a cut or changed file is none */
static void kept_and_checked(void **state)
{
  char inner[300], data[1000], *got = NULL;
  hk_count size = 0;
  (void)state;
  snprintf(inner, sizeof inner, "%s/inner", folder);
  for (int i = 0; i < 1000; i++) data[i] = (char)(i * 7);
  const hk_cache_key key = hk_cache_key_of("gpu", "text"), other = hk_cache_key_of("gpu 2", "text");
  assert_false(hk_cache_read(inner, key, &got, &size));
  hk_cache_write(inner, key, data, 1000);
  assert_true(hk_cache_read(inner, key, &got, &size));
  assert_int_equal(size, 1000);
  assert_memory_equal(got, data, 1000);
  hk_free(&got);
  assert_false(hk_cache_read(inner, other, &got, &size));
  assert_false(hk_cache_read(inner, hk_cache_key_of("gpu", "text "), &got, &size));

  char *path = only_file();
  FILE *file = fopen(path, "r+b");
  fseek(file, -1, SEEK_END);
  fputc('!', file);
  fclose(file);
  assert_false(hk_cache_read(inner, key, &got, &size));
  assert_null(got);
  hk_cache_write(inner, key, data, 1000);
  assert_int_equal(truncate(path, 500), 0);
  assert_false(hk_cache_read(inner, key, &got, &size));
  remove(path);
  rmdir(inner);
}

/* no folder, or one that cannot be made: nothing is kept, nothing fails */
static void no_folder(void **state)
{
  char *got = NULL;
  hk_count size;
  const hk_cache_key key = hk_cache_key_of("a", "b");
  (void)state;
  hk_cache_write(NULL, key, "x", 1);
  hk_cache_write("/dev/null/folder", key, "x", 1);
  assert_false(hk_cache_read(NULL, key, &got, &size));
  assert_false(hk_cache_read("/dev/null/folder", key, &got, &size));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(kept_and_checked),
                                     cmocka_unit_test(no_folder)};
  if (!mkdtemp(folder)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
