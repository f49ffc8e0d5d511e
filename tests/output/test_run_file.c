/* run.h5: its contents are those of the contract, survive a kill, and are the same each time. */
#include "result/restart/carry.h"
#include "result/run_file.h"
#include "files.h"
#include "support/check.h"
#include <errno.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { RECEIVERS = 3, SAMPLES = 50 };

static double time_of[SAMPLES];
static const int64_t node[RECEIVERS] = {17, -1, 4000000000};
static const double coordinates[RECEIVERS][2] = {{0, 1}, {2, 3}, {4, 5}};
static hk_trace_layout trace[2];
static hk_run_layout layout;

static int set_up(void **state)
{
  (void)state;
  for (int i = 0; i < SAMPLES; i++) time_of[i] = 1e-9 * i;
  trace[0] = (hk_trace_layout){
      .name = "rx",
      .receivers = RECEIVERS,
      .node = node,
      .coordinates = &coordinates[0][0],
      .dim = 2,
      .samples = SAMPLES,
      .dt = 1e-9,
      .every = 1,
      .steps = SAMPLES - 1,
      .time_unit = "s",
      .quantity_count = 2,
      .quantity = {{"displacement", "mm", "x y", 2}, {"stress", "", "xx yy zz xy", 4}}};
  trace[1] = trace[0];
  trace[1].name = "a/b", trace[1].receivers = 1, trace[1].quantity_count = 1;
  layout = (hk_run_layout){2, trace, SAMPLES, time_of, "mJ", "s", 0, 0, false};
  return 0;
}

static double value_at(int receiver, int component, int sample)
{
  return 100 * receiver + 10 * component + 1e-3 * sample;
}

/* samples [first, first + count) of the displacement of rx */
static hk_status write_some(hk_run_file *file, int first, int count)
{
  double v[RECEIVERS * 2 * SAMPLES];
  for (int r = 0; r < RECEIVERS; r++)
    for (int c = 0; c < 2; c++)
      for (int i = 0; i < count; i++) v[(r * 2 + c) * count + i] = value_at(r, c, first + i);
  return hk_run_file_write_trace(file, 0, 0, 0, first, count, v);
}

static void read_displacement(const char *path, double v[RECEIVERS][2][SAMPLES])
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t set = H5Dopen2(file, "/traces/rx/displacement", H5P_DEFAULT);
  assert_true(set >= 0);
  const hid_t space = H5Dget_space(set);
  hsize_t size[3];
  assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 3);
  assert_int_equal(size[0], RECEIVERS);
  assert_int_equal(size[1], 2);
  assert_int_equal(size[2], SAMPLES);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

static void check_text(const char *path, const char *object, const char *name, const char *expected)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(attribute >= 0);
  const hid_t type = H5Aget_type(attribute);
  char *text = NULL;
  assert_true(H5Tis_variable_str(type) > 0);
  assert_true(H5Aread(attribute, type, &text) >= 0);
  assert_string_equal(text ? text : "", expected);
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Fclose(file);
}

/* what is written in pieces is read back; the rest is not-a-number */
static void written_is_read(void **state)
{
  (void)state;
  char folder[64];
  double v[RECEIVERS][2][SAMPLES];
  hk_run_file *file = NULL;
  new_folder(folder);
  const char *path = in(folder, "run.h5");
  ok(hk_run_file_create(path, &layout, &file));
  ok(write_some(file, 0, 7));
  ok(write_some(file, 7, 20));
  ok(hk_run_file_close(&file));
  assert_null(file);
  read_displacement(path, v);
  for (int r = 0; r < RECEIVERS; r++)
    for (int c = 0; c < 2; c++)
      for (int i = 0; i < SAMPLES; i++)
        assert_true(i < 27 ? v[r][c][i] == value_at(r, c, i) : isnan(v[r][c][i]));
  check_text(path, "/traces/rx/displacement", "unit", "mm");
  check_text(path, "/traces/rx/displacement", "components", "x y");
  check_text(path, "/traces/rx/stress", "unit", "");
  check_text(path, "/traces/rx/stress", "components", "xx yy zz xy");
  check_text(path, "/traces/a_b/time", "unit", "s");
  check_text(path, "/energy/kinetic", "unit", "mJ");
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_true(info.st_size <= hk_run_file_plan(&layout));
  remove_folder(folder);
}

/* a copy of the file while the run goes on holds all that was written so far */
static void readable_when_killed(void **state)
{
  (void)state;
  char folder[64];
  double v[RECEIVERS][2][SAMPLES];
  new_folder(folder);
  const char *path = in(folder, "run.h5");
  const pid_t child = fork();
  if (child == 0) {
    hk_run_file *file = NULL;
    if (hk_run_file_create(path, &layout, &file) != HK_OK || write_some(file, 0, 5) != HK_OK)
      _exit(1);
    raise(SIGKILL);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how));
  read_displacement(path, v);
  assert_true(v[2][1][4] == value_at(2, 1, 4));
  assert_true(isnan(v[2][1][5]));
  remove_folder(folder);
}

/* two runs, one after the other in time: the same bytes */
static void same_bytes(void **state)
{
  (void)state;
  char folder[64];
  new_folder(folder);
  for (int k = 0; k < 2; k++) {
    hk_run_file *file = NULL;
    ok(hk_run_file_create(in(folder, k ? "b.h5" : "a.h5"), &layout, &file));
    ok(write_some(file, 0, SAMPLES));
    ok(hk_run_file_close(&file));
    if (k == 0) usleep(1100000);
  }
  long n, m;
  char *a = slurp(in(folder, "a.h5"), &n), *b = slurp(in(folder, "b.h5"), &m);
  assert_int_equal(n, m);
  assert_memory_equal(a, b, (size_t)n);
  free(a);
  free(b);
  remove_folder(folder);
}

/* the second run over the same file is refused, and the first one's data stay */
static void held_by_another(void **state)
{
  (void)state;
  char folder[64];
  double v[RECEIVERS][2][SAMPLES];
  hk_run_file *file = NULL, *other = NULL;
  new_folder(folder);
  const char *path = in(folder, "run.h5");
  ok(hk_run_file_create(path, &layout, &file));
  ok(write_some(file, 0, SAMPLES));
  assert_int_equal(hk_run_file_create(path, &layout, &other), HK_NOT_WRITABLE);
  error_says("another run uses it");
  assert_int_equal(hk_run_file_reopen(path, &layout, &other), HK_NOT_WRITABLE);
  read_displacement(path, v);
  assert_true(v[0][0][9] == value_at(0, 0, 9));
  ok(hk_run_file_close(&file));
  ok(hk_run_file_create(path, &layout, &other));
  ok(hk_run_file_close(&other));
  remove_folder(folder);
}

/* writing on after a restart keeps what was there */
static void written_on(void **state)
{
  (void)state;
  char folder[64];
  double v[RECEIVERS][2][SAMPLES];
  hk_run_file *file = NULL;
  new_folder(folder);
  const char *path = in(folder, "run.h5");
  ok(hk_run_file_create(path, &layout, &file));
  ok(write_some(file, 0, 20));
  ok(hk_run_file_close(&file));
  ok(hk_run_file_reopen(path, &layout, &file));
  ok(write_some(file, 20, 30));
  ok(hk_run_file_close(&file));
  read_displacement(path, v);
  for (int i = 0; i < SAMPLES; i++) assert_true(v[1][1][i] == value_at(1, 1, i));
  remove_folder(folder);
}

static void read_shots(const char *path, const char *name, int rank, hsize_t *size, double *values)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  const hid_t space = H5Dget_space(set);
  assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
  H5Sget_simple_extent_dims(space, size, NULL);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

/* with shots: displacement[shot][receiver][component][step], kinetic[shot][step]; what is not written is not-a-number */
static void shots_come_first(void **state)
{
  (void)state;
  enum { SHOTS = 3 };
  static double v[RECEIVERS * 2 * SAMPLES], energy[4 * SAMPLES], u[SHOTS][RECEIVERS][2][SAMPLES],
      kinetic[SHOTS][SAMPLES];
  char folder[64];
  hsize_t size[4];
  hk_run_file *file = NULL;
  new_folder(folder);
  const char *path = in(folder, "run.h5");
  layout.shots = SHOTS;
  for (int i = 0; i < RECEIVERS * 2 * SAMPLES; i++) v[i] = i;
  for (int i = 0; i < 4 * SAMPLES; i++) energy[i] = -i;
  ok(hk_run_file_create(path, &layout, &file));
  ok(hk_run_file_write_trace(file, 1, 0, 0, 0, SAMPLES, v));
  assert_int_equal(hk_run_file_write_trace(file, 3, 0, 0, 0, SAMPLES, v), HK_INTERNAL);
  ok(hk_run_file_write_energy(file, 2, 0, SAMPLES, energy));
  ok(hk_run_file_close(&file));
  read_shots(path, "/traces/rx/displacement", 4, size, &u[0][0][0][0]);
  assert_true(size[0] == SHOTS && size[1] == RECEIVERS && size[2] == 2 && size[3] == SAMPLES);
  read_shots(path, "/energy/kinetic", 2, size, &kinetic[0][0]);
  assert_true(size[0] == SHOTS && size[1] == SAMPLES);
  assert_memory_equal(u[1], v, sizeof v);
  assert_true(isnan(u[0][RECEIVERS - 1][1][SAMPLES - 1]) && isnan(u[2][0][0][0]));
  for (int i = 0; i < SAMPLES; i++) assert_true(kinetic[2][i] == -i && isnan(kinetic[1][i]));
  set_up(NULL);
  remove_folder(folder);
}

/* each change of the layout is noticed when the file is opened again */
static void other_layout_refused(void **state)
{
  (void)state;
  char folder[64];
  hk_run_file *file = NULL;
  new_folder(folder);
  const char *path = in(folder, "run.h5");
  ok(hk_run_file_create(path, &layout, &file));
  ok(hk_run_file_close(&file));
  const int64_t others[RECEIVERS] = {17, -1, 5};
  for (int k = 0; k < 10; k++) {
    set_up(NULL);
    if (k == 0) trace[0].samples--;
    if (k == 1) trace[0].receivers--;
    if (k == 2) trace[0].quantity_count--;
    if (k == 3) trace[0].dt = 2e-9;
    if (k == 4) trace[0].node = others;
    if (k == 5) trace[0].name = "tx";
    if (k == 6) layout.trace_count = 1;
    if (k == 7) layout.energy_samples--;
    if (k == 8) trace[0].quantity[0].unit = "m";
    if (k == 9) layout.shots = 1;
    assert_int_equal(hk_run_file_reopen(path, &layout, &file), HK_BAD_INPUT);
    assert_null(file);
  }
  set_up(NULL);
  ok(hk_run_file_reopen(path, &layout, &file));
  ok(hk_run_file_close(&file));
  remove_folder(folder);
}

/* times of many samples: start + k every dt, without an array of them in memory; compared when reopened */
static void times_follow_the_rule(void **state)
{
  (void)state;
  enum { MANY = 1000003, EVERY = 3, STEPS = EVERY * (MANY - 1) };
  char folder[64];
  hk_run_file *file = NULL;
  double *got = malloc(MANY * sizeof *got);
  new_folder(folder);
  const char *path = in(folder, "run.h5");
  trace[0].samples = MANY, trace[0].start = .5, trace[0].dt = 1e-3, trace[0].quantity_count = 0;
  trace[0].every = EVERY, trace[0].steps = STEPS;
  layout.trace_count = 1;
  const hk_count before = hk_memory_peak();
  ok(hk_run_file_create(path, &layout, &file));
  ok(hk_run_file_close(&file));
  ok(hk_run_file_reopen(path, &layout, &file));
  ok(hk_run_file_close(&file));
  assert_true(hk_memory_peak() - before < MANY);
  trace[0].dt = nextafter(1e-3, 1); /* in the last digit */
  assert_int_equal(hk_run_file_reopen(path, &layout, &file), HK_BAD_INPUT);
  const hid_t id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(id, "/traces/rx/time", H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, got) >= 0);
  for (int k = 0; k < MANY; k++) assert_true(got[k] == .5 + (double)(k * EVERY) * 1e-3);
  H5Dclose(set);
  H5Fclose(id);
  set_up(NULL);
  free(got);
  remove_folder(folder);
}

static void bad_places_refused(void **state)
{
  (void)state;
  hk_run_file *file = NULL;
  assert_int_equal(hk_run_file_create("/tmp/hooke_no_such_folder/run.h5", &layout, &file),
                   HK_NOT_WRITABLE);
  error_says("No such file");
  assert_int_equal(hk_run_file_reopen("/tmp/hooke_no_such_folder/run.h5", &layout, &file),
                   HK_BAD_INPUT);
  char folder[64];
  new_folder(folder);
  FILE *text = fopen(in(folder, "run.h5"), "w");
  fputs("no HDF5", text);
  fclose(text);
  assert_int_equal(hk_run_file_reopen(in(folder, "run.h5"), &layout, &file), HK_BAD_INPUT);
  trace[1].name = "rx";
  assert_int_equal(hk_run_file_create(in(folder, "new.h5"), &layout, &file), HK_BAD_INPUT);
  assert_int_equal(access(in(folder, "new.h5"), F_OK), -1);
  set_up(NULL);
  remove_folder(folder);
}

/* a file without traces and energies is one too */
static void nothing_asked(void **state)
{
  (void)state;
  char folder[64];
  hk_run_file *file = NULL;
  const hk_run_layout none = {0};
  new_folder(folder);
  ok(hk_run_file_create(in(folder, "run.h5"), &none, &file));
  ok(hk_run_file_close(&file));
  ok(hk_run_file_reopen(in(folder, "run.h5"), &none, &file));
  ok(hk_run_file_close(&file));
  remove_folder(folder);
}

/* whatever the size at which the disk is full: the system's words, never a crash, no half file */
static void disk_full(void **state)
{
  (void)state;
  char folder[64];
  new_folder(folder);
  int good = 0, full = 0;
  for (rlim_t most = 0; most <= 1 << 17; most += 1 << 11) {
    const char *path = in(folder, "run.h5");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
      hk_run_file *file = NULL;
      signal(SIGSEGV, SIG_DFL);
      signal(SIGABRT, SIG_DFL);
      signal(SIGXFSZ, SIG_IGN);
      setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most});
      const hk_status status = hk_run_file_create(path, &layout, &file);
      const bool told = status == HK_OK || strstr(hk_error(), strerror(EFBIG));
      const bool clean = status == HK_OK || access(path, F_OK) != 0;
      exit(status == HK_OK && hk_run_file_close(&file) == HK_OK ? 0
           : status == HK_NOT_WRITABLE && told && clean         ? 1
                                                                : 2);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    good += WEXITSTATUS(how) == 0, full += WEXITSTATUS(how) == 1;
    assert_true(WEXITSTATUS(how) < 2);
  }
  assert_true(good > 0 && full > 0);
  remove_folder(folder);
}

/* the k-th allocation fails: an error, nothing leaked, nothing left over */
static void allocations_fail(void **state)
{
  (void)state;
  char folder[64];
  new_folder(folder);
  for (int reopen = 0; reopen < 2; reopen++) {
    shortage memory = {0};
    while (next_shortage(&memory)) {
      hk_run_file *file = NULL;
      memory.status =
          (reopen ? hk_run_file_reopen : hk_run_file_create)(in(folder, "run.h5"), &layout, &file);
      if (memory.status == HK_OK) hk_run_file_close(&file);
      assert_null(file);
    }
    assert_true(memory.k > 5 && memory.k < 1000);
  }
  remove_folder(folder);
}

/* laid out anew: receivers in another order with one more, twice the samples, every second sample of the old ones, an energy less often; what
 * both have is carried, the rest is not-a-number; the k-th allocation fails: the file is the old one or the new one, whole */
static void carried(void **state)
{
  static const int64_t other[4] = {-1, 17, 99, 4000000000};
  static const double places[4][2] = {{2, 3}, {0, 1}, {9, 9}, {4, 5}}, energy_time[2] = {0, 4e-9};
  static const int old_of[4] = {1, 0, -1, 2};
  enum { MORE = 40, EVERY = 2 };
  (void)state;
  set_up(NULL);
  hk_trace_layout fresh[2] = {trace[0], trace[1]};
  fresh[0].receivers = 4, fresh[0].node = other, fresh[0].coordinates = &places[0][0];
  fresh[0].every = EVERY, fresh[0].samples = MORE, fresh[0].quantity_count = 1;
  fresh[1].name = "new";
  const hk_run_layout wanted = {2, fresh, 2, energy_time, "mJ", "s", 0, 0, false};
  hk_status status = HK_NO_RESOURCES;
  char folder[64], path[128];
  new_folder(folder);
  snprintf(path, sizeof path, "%s/run.h5", folder);
  for (hk_count k = 1; status != HK_OK; k++) {
    hk_run_file *file = NULL;
    hk_count missing[2];
    double row[MORE], energy[HK_ENERGY_COUNT * SAMPLES];
    for (int i = 0; i < HK_ENERGY_COUNT * SAMPLES; i++) energy[i] = i;
    remove(path);
    ok(hk_run_file_create(path, &layout, &file));
    ok(write_some(file, 0, 31));
    ok(hk_run_file_write_energy(file, 0, 0, SAMPLES, energy));
    ok(hk_run_file_close(&file));
    const hk_count held = hk_memory_held();
    hk_memory_fail_at(k);
    status = hk_carry_run(path, &wanted, missing);
    hk_memory_fail_at(0);
    assert_int_equal(hk_memory_held(), held);
    if (status != HK_OK) {
      assert_int_equal(status, HK_NO_RESOURCES);
      ok(hk_run_file_reopen(path, &layout, &file));
      ok(hk_run_file_close(&file));
      continue;
    }
    assert_int_equal(missing[0], 1);
    assert_int_equal(missing[1], 1);
    ok(hk_run_file_reopen(path, &wanted, &file));
    for (int r = 0; r < 8; r++) {
      ok(hk_run_file_read_trace(file, 0, 0, 0, r, 0, MORE, row));
      for (int i = 0; i < MORE; i++)
        if (old_of[r / 2] < 0 || i * EVERY > 30)
          assert_true(isnan(row[i]));
        else
          assert_true(row[i] == value_at(old_of[r / 2], r % 2, i * EVERY));
    }
    ok(hk_run_file_close(&file));
    const hid_t opened = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t set = H5Dopen2(opened, "/energy/work", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row) >= 0);
    assert_true(row[0] == HK_ENERGY_WORK * SAMPLES && row[1] == HK_ENERGY_WORK * SAMPLES + 4);
    H5Dclose(set);
    H5Fclose(opened);
  }
  remove_folder(folder);
}

/* Traces of a single run are float32, a half of the bytes, the nearest to what was written, more than a piece of the conversion at a time too. A file of
 * the other type is written on as it is, and carried over in both directions. */
static void single_traces(void **state)
{
  (void)state;
  enum { LONG = 2500 };
  for (int single = 0; single < 2; single++) {
    hk_trace_layout of = trace[1];
    hk_run_layout own = {1, &of, 0, NULL, "mJ", "s", .single = single}, other = own;
    char folder[64];
    double v[2 * LONG], got[LONG];
    hk_count missing[1];
    hk_run_file *file = NULL;
    of.samples = LONG, of.steps = LONG - 1;
    other.single = !single;
    for (int i = 0; i < 2 * LONG; i++) v[i] = sin(.37 * i);
    new_folder(folder);
    const char *path = in(folder, "run.h5");
    ok(hk_run_file_create(path, &own, &file));
    ok(hk_run_file_write_trace(file, 0, 0, 0, 0, LONG - 1, v));
    ok(hk_run_file_close(&file));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size <= hk_run_file_plan(&own));
    assert_true(info.st_size >= (single ? 4 : 8) * 2 * LONG + 8 * LONG);
    assert_true(!single || info.st_size < 8 * 3 * LONG);
    for (int k = 0; k < 2; k++) { /* written on by a layout of the other type, then carried to it */
      if (k == 0)
        ok(hk_run_file_reopen(path, &other, &file));
      else
        ok(hk_carry_run(path, &other, missing)), ok(hk_run_file_reopen(path, &own, &file));
      for (int row = 0; row < 2; row++) {
        if (k == 0) ok(hk_run_file_write_row(file, 0, 0, 0, row, LONG - 1, 1, &v[LONG - 1]));
        ok(hk_run_file_read_trace(file, 0, 0, 0, row, 0, LONG, got));
        for (int i = 0; i < LONG; i++) {
          const double wrote = i < LONG - 1 ? v[row * (LONG - 1) + i] : v[LONG - 1];
          const bool narrow = single || k == 1;
          assert_true(got[i] == (narrow ? (double)(float)wrote : wrote));
        }
      }
      ok(hk_run_file_close(&file));
    }
    remove_folder(folder);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(written_is_read),
                                     cmocka_unit_test(readable_when_killed),
                                     cmocka_unit_test(same_bytes),
                                     cmocka_unit_test(held_by_another),
                                     cmocka_unit_test(written_on),
                                     cmocka_unit_test(shots_come_first),
                                     cmocka_unit_test(other_layout_refused),
                                     cmocka_unit_test(times_follow_the_rule),
                                     cmocka_unit_test(bad_places_refused),
                                     cmocka_unit_test(nothing_asked),
                                     cmocka_unit_test(disk_full),
                                     cmocka_unit_test(carried),
                                     cmocka_unit_test(single_traces),
                                     cmocka_unit_test(allocations_fail)};
  return cmocka_run_group_tests(tests, set_up, NULL);
}
