/* Compiled kernels are kept between runs; what is broken is passed over. */
#include "device/cache.h"
#include "support/check.h"
#include <sys/stat.h>
#include <unistd.h>

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
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(truncate(path, info.st_size - 1), 0);
  assert_false(hk_cache_read(inner, key, &got, &size));
  remove(path);
  rmdir(inner);
}

/* a folder is made with those that it lies in */
static void folders_are_made(void **state)
{
  char outer[300], deep[320], *got = NULL;
  hk_count size = 0;
  (void)state;
  snprintf(outer, sizeof outer, "%s/outer", folder);
  snprintf(deep, sizeof deep, "%s/inner", outer);
  const hk_cache_key key = hk_cache_key_of("gpu", "text");
  hk_cache_write(deep, key, "kernel", 6);
  assert_true(hk_cache_read(deep, key, &got, &size));
  hk_free(&got);
  char command[400];
  snprintf(command, sizeof command, "rm -r %s", outer);
  assert_int_equal(system(command), 0);
}

/* kernels are run and trust is taken from what only the user can write: folder and file, and no link of that name */
static void others_are_not_believed(void **state)
{
  char inner[300], victim[300], made[600], *got = NULL;
  hk_count size = 0;
  (void)state;
  snprintf(inner, sizeof inner, "%s/inner", folder);
  snprintf(victim, sizeof victim, "%s/victim", folder);
  const hk_cache_key key = hk_cache_key_of("gpu", "text");
  hk_cache_write(inner, key, "kernel", 6);
  char *path = only_file();
  struct stat info;
  assert_int_equal(stat(inner, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  static const mode_t open_to[] = {0720, 0702, 0777};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(chmod(inner, open_to[i]), 0);
    assert_false(hk_cache_read(inner, key, &got, &size));
    assert_int_equal(chmod(inner, 0700), 0);
    assert_int_equal(chmod(path, open_to[i]), 0);
    assert_false(hk_cache_read(inner, key, &got, &size));
    assert_int_equal(chmod(path, 0600), 0);
  }
  assert_true(hk_cache_read(inner, key, &got, &size));
  hk_free(&got);
  assert_int_equal(rename(path, victim), 0);
  assert_int_equal(symlink(victim, path), 0);
  assert_false(hk_cache_read(inner, key, &got, &size));
  remove(path);
  snprintf(made, sizeof made, "%s.%ld", path, (long)getpid());
  assert_int_equal(symlink(victim, made), 0);
  assert_int_equal(stat(victim, &info), 0);
  const off_t before = info.st_size;
  hk_cache_write(inner, key, "another kernel", 14);
  assert_int_equal(stat(victim, &info), 0);
  assert_true(info.st_size == before);
  remove(path), remove(made), remove(victim), rmdir(inner);
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kept_and_checked), cmocka_unit_test(folders_are_made),
      cmocka_unit_test(others_are_not_believed), cmocka_unit_test(no_folder)};
  if (!mkdtemp(folder)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
