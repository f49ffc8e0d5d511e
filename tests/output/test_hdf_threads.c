/* HDF5 is called by one thread at a time, whatever threads use hooke's files: some builds of it are not safe for several. */
#include "hdf/hdf.h"
#include "files.h"
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <hdf5.h>
#include <hooke/mesh.h>
#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 8, COUNT = 100 };

/* These stand before HDF5's own: each stays for a while, and counts the others that are there. */

static _Atomic int inside, met, calls;

static void enter(void)
{
  calls++;
  if (inside++) met++;
  usleep(300);
}

static void *own(const char *name)
{
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

hid_t H5Fcreate(const char *name, unsigned flags, hid_t create, hid_t access)
{
  hid_t (*call)(const char *, unsigned, hid_t, hid_t) = own("H5Fcreate");
  enter();
  const hid_t id = call(name, flags, create, access);
  inside--;
  return id;
}

hid_t H5Fopen(const char *name, unsigned flags, hid_t access)
{
  hid_t (*call)(const char *, unsigned, hid_t) = own("H5Fopen");
  enter();
  const hid_t id = call(name, flags, access);
  inside--;
  return id;
}

hid_t H5Gcreate2(hid_t at, const char *name, hid_t link, hid_t create, hid_t access)
{
  hid_t (*call)(hid_t, const char *, hid_t, hid_t, hid_t) = own("H5Gcreate2");
  enter();
  const hid_t id = call(at, name, link, create, access);
  inside--;
  return id;
}

hid_t H5Dopen2(hid_t at, const char *name, hid_t access)
{
  hid_t (*call)(hid_t, const char *, hid_t) = own("H5Dopen2");
  enter();
  const hid_t id = call(at, name, access);
  inside--;
  return id;
}

htri_t H5Lexists(hid_t at, const char *name, hid_t access)
{
  htri_t (*call)(hid_t, const char *, hid_t) = own("H5Lexists");
  enter();
  const htri_t there = call(at, name, access);
  inside--;
  return there;
}

herr_t H5Fclose(hid_t id)
{
  herr_t (*call)(hid_t) = own("H5Fclose");
  enter();
  const herr_t code = call(id);
  inside--;
  return code;
}

typedef struct user {
  pthread_t thread;
  int number;
  char folder[64];
  int good; /* rounds */
} user;

static hk_status write_and_read(const char *path, int number)
{
  hk_status status = HK_OK;
  hk_hdf *file = NULL;
  hk_hdf_array array;
  double values[COUNT], back[COUNT];
  for (int i = 0; i < COUNT; i++) values[i] = 1000 * number + i;
  HK_TRY(hk_hdf_create(path, hk_hdf_plan(2, 8 * COUNT), &file));
  HK_TRY(hk_hdf_group(file, "/group"));
  HK_TRY(hk_hdf_array_create(file, "/group/values", HK_F64, 1, (hk_count[]){COUNT}, &array));
  HK_TRY(hk_hdf_finish(file));
  HK_TRY(hk_hdf_write(file, &array, 0, COUNT, values));
  HK_TRY(hk_hdf_close(&file));
  HK_TRY(hk_hdf_open(path, false, &file));
  HK_TRY(hk_hdf_read(file, "/group/values", 1, 0, COUNT, back));
  HK_CHECK(!memcmp(values, back, sizeof back), HK_CHECK_FAILED, "other values");
cleanup:
  hk_hdf_close(&file);
  return status;
}

/* A mesh, which is none: its reader has calls of its own. */
static void *use_files(void *pointer)
{
  user *u = pointer;
  char path[160];
  for (int round = 0; round < ROUNDS; round++) {
    snprintf(path, sizeof path, "%s/%d.vtkhdf", u->folder, u->number);
    hk_mesh *mesh = NULL;
    if (write_and_read(path, u->number) == HK_OK &&
        hk_mesh_read(path, NULL, &mesh) == HK_BAD_INPUT && strstr(hk_error(), "no group VTKHDF"))
      u->good++;
    hk_mesh_destroy(&mesh);
  }
  return NULL;
}

static void one_thread_at_a_time(void **state)
{
  (void)state;
  user each[THREADS] = {0};
  char folder[64];
  new_folder(folder);
  for (int t = 0; t < THREADS; t++) {
    each[t].number = t;
    strcpy(each[t].folder, folder);
    assert_int_equal(pthread_create(&each[t].thread, NULL, use_files, &each[t]), 0);
  }
  for (int t = 0; t < THREADS; t++) {
    assert_int_equal(pthread_join(each[t].thread, NULL), 0);
    assert_int_equal(each[t].good, ROUNDS);
  }
  remove_folder(folder);
  assert_true(calls > THREADS * ROUNDS * 8);
  assert_int_equal(met, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_thread_at_a_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
