/* New HDF5 files are filled with not-a-number where nothing was written, also by a thread beside those that write; until then they cannot be read. */
#include "base/file.h"
#include "hdf/hdf.h"
#include "result/field_file.h"
#include "files.h"
#include "support/mesh.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Several pieces of 1 MB each, the last ones shorter. */
enum { WIDE = 700001, NARROW = 1200003, WHOLE = 300007, BYTES = 1500001, ARRAYS = 4 };

static const hk_hdf_type type_of[ARRAYS] = {HK_F64, HK_F32, HK_I64, HK_U8};
static const char *const name_of[ARRAYS] = {"/wide", "/narrow", "/whole", "/bytes"};
static const hk_count count_of[ARRAYS] = {WIDE, NARROW, WHOLE, BYTES};

typedef struct file {
  char folder[64];
  hk_hdf *hdf;
  hk_hdf_array array[ARRAYS];
  char *expected[ARRAYS]; /* what each array holds in the end */
} file;

static void lay_out(file *f)
{
  hk_count all = 0;
  for (int k = 0; k < ARRAYS; k++) all += count_of[k] * (hk_count)hk_hdf_type_size(type_of[k]);
  if (!*f->folder) new_folder(f->folder);
  ok(hk_hdf_create(in(f->folder, "a.h5"), hk_hdf_plan(ARRAYS, all), &f->hdf));
  for (int k = 0; k < ARRAYS; k++) {
    const hk_count count = count_of[k];
    ok(hk_hdf_array_create(f->hdf, name_of[k], type_of[k], 1, &count, &f->array[k]));
    ok(hk_memory_get((void **)&f->expected[k], count, hk_hdf_type_size(type_of[k])));
    for (hk_count i = 0; i < count && type_of[k] == HK_F64; i++)
      ((double *)f->expected[k])[i] = NAN;
    for (hk_count i = 0; i < count && type_of[k] == HK_F32; i++) ((float *)f->expected[k])[i] = NAN;
  }
  ok(hk_hdf_lay_out(f->hdf));
}

/* Items [first, first + count) of array k, of which the bytes are numbered. */
static hk_status write_some(file *f, int k, hk_count first, hk_count count)
{
  const size_t size = hk_hdf_type_size(type_of[k]);
  char *own = f->expected[k] + (size_t)first * size;
  for (size_t i = 0; i < (size_t)count * size; i++) own[i] = (char)(i % 101 + (size_t)k);
  return hk_hdf_write(f->hdf, &f->array[k], first, count, own);
}

/* Closes the file: all of its arrays are what is expected, bit for bit. */
static void close_and_compare(file *f)
{
  hk_hdf *got = NULL;
  ok(hk_hdf_close(&f->hdf));
  ok(hk_hdf_open(in(f->folder, "a.h5"), true, &got));
  for (int k = 0; k < ARRAYS; k++) {
    const size_t size = hk_hdf_type_size(type_of[k]);
    char *there = NULL;
    hk_hdf_array a;
    ok(hk_hdf_array_find(got, name_of[k], &a));
    ok(hk_memory_get((void **)&there, count_of[k], size));
    ok(hk_hdf_read_back(got, &a, 0, count_of[k], there));
    if (memcmp(there, f->expected[k], (size_t)count_of[k] * size))
      fail_msg("%s differs", name_of[k]);
    hk_free(&there);
    hk_free(&f->expected[k]);
  }
  ok(hk_hdf_close(&got));
  remove_folder(f->folder);
}

/* Parts of pieces, whole ones, an array's first and last item, a whole array. */
static void write_parts(file *f)
{
  ok(write_some(f, 0, 0, 1));
  ok(write_some(f, 0, 100000, 400000));
  ok(write_some(f, 1, NARROW - 1, 1));
  ok(write_some(f, 1, 262144, 262144));
  ok(write_some(f, 2, 0, WHOLE));
  ok(write_some(f, 3, 1048575, 2));
  ok(write_some(f, 3, 7, 0));
}

/* what was written before the file is completed stays, the rest is not-a-number, integers 0 */
static void written_before(void **state)
{
  file f = {0};
  (void)state;
  lay_out(&f);
  write_parts(&f);
  ok(hk_hdf_complete(f.hdf, false, NULL, NULL));
  close_and_compare(&f);
}

/* a file that is laid out is refused by name until it is completed, also by readers that know HDF5 alone, and does not stay when it never is */
static void refused_until_complete(void **state)
{
  file f = {0};
  hk_hdf *got = NULL;
  (void)state;
  lay_out(&f);
  write_parts(&f);
  assert_int_equal(hk_hdf_open(in(f.folder, "a.h5"), false, &got), HK_BAD_INPUT);
  assert_non_null(strstr(hk_error(), "is not complete"));
  ok(hk_hdf_complete(f.hdf, false, NULL, NULL));
  ok(hk_hdf_open(in(f.folder, "a.h5"), false, &got));
  ok(hk_hdf_close(&got));
  close_and_compare(&f);
  memset(&f, 0, sizeof f);
  lay_out(&f);
  write_parts(&f);
  hk_hdf_close(&f.hdf);
  assert_int_not_equal(access(in(f.folder, "a.h5"), F_OK), 0);
  for (int k = 0; k < ARRAYS; k++) hk_free(&f.expected[k]);
  remove_folder(f.folder);
}

typedef struct writer {
  file *f;
  int number;
  hk_status status;
} writer;

/* Every third stretch of both arrays of reals, from the end on for one of the writers. */
static void *write_stretches(void *user)
{
  enum { STRETCH = 4999, WRITERS = 3 };
  writer *w = user;
  for (int k = 0; k < 2; k++)
    for (hk_count i = 0, n = count_of[k] / STRETCH; i < n && w->status == HK_OK; i++) {
      const hk_count at = w->number == 1 ? n - 1 - i : i;
      if (at % WRITERS == w->number && at % 5)
        w->status = write_some(w->f, k, at * STRETCH, STRETCH);
    }
  return NULL;
}

static hk_status write_whole(void *user)
{
  return write_some(user, 2, 0, WHOLE);
}

/* three threads write while one of the file's own fills and does the work that it was given: the file is the same as if it had been filled before, and
 * hk_hdf_flush returns when it can be read */
static void written_beside(void **state)
{
  (void)state;
  for (int round = 0; round < 4; round++) {
    file f = {0};
    hk_hdf *got = NULL;
    pthread_t thread[3];
    writer w[3];
    lay_out(&f);
    ok(hk_hdf_complete(f.hdf, true, write_whole, &f));
    for (int k = 0; k < 3; k++) {
      w[k] = (writer){&f, k, HK_OK};
      assert_int_equal(pthread_create(&thread[k], NULL, write_stretches, &w[k]), 0);
    }
    for (int k = 0; k < 3; k++) {
      pthread_join(thread[k], NULL);
      assert_int_equal(w[k].status, HK_OK);
    }
    ok(hk_hdf_flush(f.hdf));
    ok(hk_hdf_open(in(f.folder, "a.h5"), false, &got));
    ok(hk_hdf_close(&got));
    close_and_compare(&f);
  }
}

static hk_status end_badly(void *user)
{
  (void)user;
  return hk_error_set(HK_NOT_WRITABLE, "the disk is gone");
}

/* what the thread failed with is told by whoever waits for it, writers do not wait for ever, and the file does not stay */
static void failure_beside(void **state)
{
  file f = {0};
  (void)state;
  lay_out(&f);
  ok(hk_hdf_complete(f.hdf, true, end_badly, NULL));
  write_parts(&f);
  assert_int_equal(hk_hdf_flush(f.hdf), HK_NOT_WRITABLE);
  assert_string_equal(hk_error(), "the disk is gone");
  assert_int_equal(hk_hdf_close(&f.hdf), HK_NOT_WRITABLE);
  assert_int_not_equal(access(in(f.folder, "a.h5"), F_OK), 0);
  for (int k = 0; k < ARRAYS; k++) hk_free(&f.expected[k]);
  remove_folder(f.folder);
}

static hk_status die(void *user)
{
  raise(SIGKILL);
  return write_whole(user);
}

/* a process that is killed while a thread fills its file leaves one that is not complete, in whose place a new one may be made */
static void killed_beside(void **state)
{
  file f = {0};
  hk_hdf *got = NULL;
  int how;
  (void)state;
  new_folder(f.folder);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    lay_out(&f);
    hk_hdf_complete(f.hdf, true, die, &f);
    hk_hdf_flush(f.hdf);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how));
  assert_int_equal(hk_hdf_open(in(f.folder, "a.h5"), false, &got), HK_BAD_INPUT);
  assert_non_null(strstr(hk_error(), "is not complete"));
  ok(hk_hdf_create(in(f.folder, "a.h5"), hk_hdf_plan(0, 0), &got));
  ok(hk_hdf_finish(got));
  ok(hk_hdf_close(&got));
  ok(hk_hdf_open(in(f.folder, "a.h5"), false, &got));
  ok(hk_hdf_close(&got));
  remove_folder(f.folder);
}

static char *field_bytes(bool beside, long *size)
{
  enum { N = 300, NODES = (N + 1) * (N + 1), FRAMES = 5 };
  char folder[64];
  hk_field_file *fields = NULL;
  float *values = NULL;
  hk_mesh *mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {N, N}, .shape = HK_QUAD4});
  ok(hk_get(&values, 2 * NODES));
  new_folder(folder);
  ok(hk_field_file_open(folder, false, false,
                        &(hk_field_layout){.mesh = mesh,
                                           .frames = FRAMES,
                                           .time = (double[]){0, 1, 2, 3, 4},
                                           .quantity_count = 1,
                                           .quantity = {{"velocity", "m/s", 2}},
                                           .beside = beside},
                        &fields));
  for (int k = 0; k < FRAMES; k++) {
    for (int i = 0; i < 2 * NODES; i++) values[i] = (float)(k + 3 * i);
    if (k != 3) ok(hk_field_file_write(fields, k, 0, values));
  }
  ok(hk_field_file_close(&fields));
  char *bytes = slurp(in(folder, "field.vtkhdf"), size);
  remove_folder(folder);
  hk_free(&values);
  hk_mesh_destroy(&mesh);
  return bytes;
}

/* a field file has the same bytes whoever fills it */
static void fields_beside(void **state)
{
  long size[2];
  char *bytes[2];
  (void)state;
  for (int k = 0; k < 2; k++) bytes[k] = field_bytes(k, &size[k]);
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(bytes[0], bytes[1], (size_t)size[0]);
  for (int k = 0; k < 2; k++) free(bytes[k]);
}

/* A small file of that name is emptied, a large one replaced: who reads it keeps its contents. Both stay locked. */
static void large_files_are_replaced(void **state)
{
  (void)state;
  for (int large = 0; large < 2; large++) {
    char folder[64];
    struct stat before, after, named;
    hk_hdf *f = NULL, *other = NULL;
    new_folder(folder);
    const char *path = in(folder, "a.h5");
    const off_t size = large ? 2 * HK_LARGE_FILE : 4096;
    const int fd = open(path, O_RDWR | O_CREAT, 0666);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, size), 0);
    assert_int_equal(fstat(fd, &before), 0);
    ok(hk_hdf_create(path, hk_hdf_plan(0, 0), &f));
    assert_int_equal(fstat(fd, &after), 0);
    assert_int_equal(stat(path, &named), 0);
    assert_int_equal(named.st_ino == before.st_ino, !large);
    assert_int_equal(after.st_nlink, large ? 0 : 1);
    assert_true(large ? after.st_size == size : after.st_size < size);
    assert_true(named.st_size < size);
    assert_int_equal(hk_hdf_create(path, hk_hdf_plan(0, 0), &other), HK_NOT_WRITABLE);
    error_says("another run uses it");
    ok(hk_hdf_finish(f));
    ok(hk_hdf_close(&f));
    assert_int_equal(access(path, F_OK), 0);
    close(fd);
    remove_folder(folder);
  }
}

/* A disk or quota that was full is tried again once for files that have gone since the writer began, whether it had to wait for them or not. */
static void full_disks_are_tried_again(void **state)
{
  (void)state;
  const int full[] = {ENOSPC, EDQUOT};
  char folder[64];
  new_folder(folder);
  const char *path = in(folder, "a.h5");
  for (int k = 0; k < 4; k++) {
    hk_count deleted = hk_files_deleted();
    const int fd = open(path, O_RDWR | O_CREAT, 0666);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 2 * HK_LARGE_FILE), 0);
    close(fd);
    assert_true(hk_file_delete(path));
    while (k < 2 && hk_files_deleted() == deleted) usleep(1000);
    errno = EIO;
    assert_false(hk_disk_freed(&deleted));
    errno = full[k % 2];
    assert_true(hk_disk_freed(&deleted));
    assert_int_equal(errno, full[k % 2]);
    assert_false(hk_disk_freed(&deleted));
  }
  remove_folder(folder);
}

/* A file that would be larger than the process may write is refused when it is made. */
static void limits_are_seen_at_once(void **state)
{
  (void)state;
  char folder[64];
  struct rlimit before, little;
  hk_hdf *f = NULL;
  new_folder(folder);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  little = before, little.rlim_cur = 4 << 20;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
  const hk_status status = hk_hdf_create(in(folder, "a.h5"), hk_hdf_plan(1, 8 << 20), &f);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(status, HK_NOT_WRITABLE);
  error_says("MB are needed");
  assert_null(f);
  assert_int_not_equal(access(in(folder, "a.h5"), F_OK), 0);
  remove_folder(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_before),
      cmocka_unit_test(refused_until_complete),
      cmocka_unit_test(written_beside),
      cmocka_unit_test(failure_beside),
      cmocka_unit_test(killed_beside),
      cmocka_unit_test(fields_beside),
      cmocka_unit_test(large_files_are_replaced),
      cmocka_unit_test(full_disks_are_tried_again),
      cmocka_unit_test(limits_are_seen_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
