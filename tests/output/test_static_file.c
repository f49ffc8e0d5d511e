/* /static of run.h5: what is written is read back, and what is not yet written is not-a-number. */
#include "result/static_file.h"
#include "files.h"
#include "result/result.h"
#include "support/check.h"

enum { NODES = 4, POINTS = 5, STEPS = 2 };

static int64_t node[NODES] = {1, 7, 9, 4000000000};
static double coordinates[NODES][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
static const hk_mesh mesh = {
    .dim = 2, .node_count = NODES, .x = &coordinates[0][0], .node_label = node};
static const hk_static_layout layout = {
    .steps = STEPS,
    .mesh = &mesh,
    .length_unit = "mm",
    .nodal_count = 2,
    .nodal = {{"displacement", "mm", "x y", 2}, {"stress", "", "xx yy zz xy", 4}},
    .points = POINTS,
    .point_count = 1,
    .point = {{"stress", "", "xx yy zz xy", 4}}};

static hk_status write_step(hk_static_file *f, int step)
{
  hk_status status = HK_OK;
  double u[NODES * 2], stress[POINTS * 4];
  const int64_t element[POINTS] = {3, 3, 3, 8, 8}, number[POINTS] = {1, 2, 3, 1, 2};
  for (int i = 0; i < NODES * 2; i++) u[i] = 10 * step + i;
  for (int i = 0; i < POINTS * 4; i++) stress[i] = -i;
  HK_TRY(hk_static_file_write(f, step, 0, u));
  HK_TRY(hk_static_file_write_labels(f, step, 0, POINTS, element, number));
  HK_TRY(hk_static_file_write_points(f, step, 0, 0, 2, stress));
  HK_TRY(hk_static_file_write_points(f, step, 0, 2, POINTS - 2, stress + 8));
  HK_TRY(hk_static_file_flush(f));
cleanup:
  return status;
}

static const hk_result_array *find(const hk_result *r, const char *path)
{
  for (int i = 0; i < r->array_count; i++)
    if (!strcmp(r->array[i].path, path)) return &r->array[i];
  fail_msg("%s is not there", path);
  return NULL;
}

/* values written = values read, labels too; a step that was not written is not-a-number */
static void round_trip(void **state)
{
  (void)state;
  char folder[64];
  hk_static_file *f = NULL;
  hk_result *r = NULL;
  double u[NODES * 2], stress[POINTS * 4];
  int64_t label[NODES];
  new_folder(folder);
  const char *path = in(folder, "run.h5");
  ok(hk_static_file_create(path, &layout, &f));
  ok(write_step(f, 0));
  ok(hk_static_file_close(&f));
  ok(hk_result_open(path, &r));
  assert_int_equal(r->array_count, STEPS * 5);
  const hk_result_array *a = find(r, "/static/0001/displacement");
  assert_string_equal(a->unit, "mm");
  assert_string_equal(a->components, "x y");
  ok(hk_hdf_read(r->file, a->path, 2, 0, NODES, u));
  for (int i = 0; i < NODES * 2; i++) assert_true(u[i] == i);
  ok(hk_hdf_read(r->file, find(r, "/static/0001/points/stress")->path, 4, 0, POINTS, stress));
  for (int i = 0; i < POINTS * 4; i++) assert_true(stress[i] == -i);
  ok(hk_hdf_read_integers(r->file, "/static/node", 0, NODES, label));
  assert_memory_equal(label, node, sizeof node);
  ok(hk_hdf_read(r->file, "/static/0002/displacement", 2, 0, NODES, u));
  for (int i = 0; i < NODES * 2; i++) assert_true(isnan(u[i]));
  hk_result_close(&r);
  remove_folder(folder);
}

/* the k-th allocation fails, k = 1, 2, ...: HK_NO_RESOURCES, nothing is held */
static void allocations(void **state)
{
  (void)state;
  char folder[64];
  new_folder(folder);
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_static_file *f = NULL;
    memory.status = hk_static_file_create(in(folder, "run.h5"), &layout, &f);
    ok(hk_static_file_close(&f));
  }
  remove_folder(folder);
}

/* labels and coordinates of more nodes than are written at a time, also by a thread beside the one that writes a step */
static void places_of_many_nodes(void **state)
{
  enum { MANY = 300001 };
  int64_t *many = NULL, *got = NULL;
  double *x = NULL, *u = NULL;
  (void)state;
  ok(hk_get(&many, MANY));
  ok(hk_get(&got, MANY));
  ok(hk_get(&x, 2 * MANY));
  ok(hk_get(&u, 2 * MANY));
  for (int i = 0; i < MANY; i++) many[i] = 3 * (int64_t)i + 1, x[2 * i] = i, x[2 * i + 1] = -i;
  const hk_mesh large = {.dim = 2, .node_count = MANY, .x = x, .node_label = many};
  for (int beside = 0; beside < 2; beside++) {
    char folder[64];
    hk_static_file *f = NULL;
    hk_result *r = NULL;
    hk_static_layout of_large = layout;
    of_large.mesh = &large, of_large.beside = beside;
    new_folder(folder);
    ok(hk_static_file_create(in(folder, "run.h5"), &of_large, &f));
    ok(hk_static_file_write(f, 0, 0, x));
    ok(hk_static_file_close(&f));
    ok(hk_result_open(in(folder, "run.h5"), &r));
    ok(hk_hdf_read_integers(r->file, "/static/node", 0, MANY, got));
    assert_memory_equal(got, many, MANY * sizeof *got);
    ok(hk_hdf_read(r->file, "/static/coordinates", 2, 0, MANY, u));
    assert_memory_equal(u, x, 2 * MANY * sizeof *u);
    ok(hk_hdf_read(r->file, "/static/0001/displacement", 2, 0, MANY, u));
    assert_memory_equal(u, x, 2 * MANY * sizeof *u);
    hk_result_close(&r);
    remove_folder(folder);
  }
  hk_free(&many);
  hk_free(&got);
  hk_free(&x);
  hk_free(&u);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(allocations),
                                     cmocka_unit_test(places_of_many_nodes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
