/* field.vtkhdf and field.pvd + .vtu: whole from the start, padded to VTK's components. */
#include "result/field_file.h"
#include "result/field_grid.h"
#include "result/result.h"
#include "files.h"
#include "support/mesh.h"
#include <hdf5.h>

enum { N = 5, NODES = (N + 1) * (N + 1), FRAMES = 3 };

static hk_mesh *mesh;
static double time_of[FRAMES] = {0, 1.5, 3};
static hk_field_layout layout;

static const char *const half_name[] = {"left\nhalf", "right half"};

static int left_half(const void *of, hk_count element)
{
  (void)of;
  return element % N < N / 2 ? 0 : element % N == N / 2 ? -1 : 1;
}

static const char *name_of(const void *of, int region)
{
  return ((const char *const *)of)[region];
}

static int set_up(void **state)
{
  (void)state;
  mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {N, N}, .shape = HK_QUAD4});
  layout = (hk_field_layout){.mesh = mesh,
                             .regions = {2, half_name, left_half, name_of},
                             .frames = FRAMES,
                             .time = time_of,
                             .quantity_count = 2,
                             .quantity = {{"velocity", "mm/us", 2}, {"stress", "GPa", 4}}};
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  hk_mesh_destroy(&mesh);
  return 0;
}

static float velocity_at(int frame, int node, int c)
{
  return (float)(1000 * frame + 10 * node + c);
}

static void copy_file(const char *from, const char *to)
{
  long size;
  char *bytes = slurp(from, &size);
  FILE *file = fopen(to, "wb");
  if (!bytes || !file || fwrite(bytes, 1, (size_t)size, file) != (size_t)size) abort();
  fclose(file);
  free(bytes);
}

static hk_status write_velocity(hk_field_file *file, int frame)
{
  float v[NODES * 2];
  for (int n = 0; n < NODES; n++)
    for (int c = 0; c < 2; c++) v[2 * n + c] = velocity_at(frame, n, c);
  return hk_field_file_write(file, frame, 0, v);
}

static void read_set(const char *path, const char *name, hid_t type, size_t count, void *data)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  const hid_t space = H5Dget_space(set);
  assert_int_equal(H5Sget_simple_extent_npoints(space), count);
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

/* written frames are there with z = 0, others are not-a-number, before the file is closed */
static void frames_are_read(void **state)
{
  (void)state;
  char folder[64];
  hk_field_file *file = NULL;
  static float v[FRAMES][NODES][3];
  int64_t start[FRAMES], counts[1];
  double time[FRAMES];
  new_folder(folder);
  ok(hk_field_file_open(folder, false, false, &layout, &file));
  ok(write_velocity(file, 0));
  ok(write_velocity(file, 2));
  copy_file(in(folder, "field.vtkhdf"), in(folder, "copy.h5"));
  ok(hk_field_file_close(&file));
  const char *path = in(folder, "copy.h5");
  read_set(path, "/VTKHDF/PointData/velocity", H5T_NATIVE_FLOAT, FRAMES * NODES * 3, v);
  for (int k = 0; k < FRAMES; k++)
    for (int n = 0; n < NODES; n++)
      for (int c = 0; c < 3; c++)
        assert_true(k == 1 ? isnan(v[k][n][c]) : v[k][n][c] == (c < 2 ? velocity_at(k, n, c) : 0));
  read_set(path, "/VTKHDF/Steps/PointDataOffsets/velocity", H5T_NATIVE_INT64, FRAMES, start);
  for (int k = 0; k < FRAMES; k++) assert_int_equal(start[k], k * NODES);
  read_set(path, "/VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, FRAMES, time);
  assert_memory_equal(time, time_of, sizeof time);
  read_set(path, "/VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, 1, counts);
  assert_int_equal(counts[0], NODES);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_true(info.st_size <= hk_field_file_plan(&layout, false));
  remove_folder(folder);
}

/* xx yy zz xy -> xx yy zz xy 0 0;  xx yy zz xy xz yz -> xx yy zz xy yz xz */
static void tensors_in_order_of_vtk(void **state)
{
  (void)state;
  float to[6];
  hk_vtk_pad(6, 1, (float[]){1, 2, 3, 4, 5, 6}, to);
  assert_memory_equal(to, ((float[]){1, 2, 3, 4, 6, 5}), sizeof to);
  hk_vtk_pad(4, 1, (float[]){1, 2, 3, 4}, to);
  assert_memory_equal(to, ((float[]){1, 2, 3, 4, 0, 0}), sizeof to);
}

static void written_on(void **state)
{
  (void)state;
  for (int vtu = 0; vtu < 2; vtu++) {
    char folder[64];
    hk_field_file *file = NULL;
    new_folder(folder);
    hk_mesh bare = *mesh; /* sets and regions may be others when a run goes on */
    bare.set_count = 0;
    hk_field_layout first = layout;
    first.mesh = &bare, first.regions.count = 0;
    ok(hk_field_file_open(folder, vtu, false, &first, &file));
    ok(write_velocity(file, 0));
    ok(hk_field_file_close(&file));
    ok(hk_field_file_open(folder, vtu, true, &layout, &file));
    ok(write_velocity(file, 1));
    ok(hk_field_file_close(&file));
    if (vtu) {
      long size = 0;
      char *text = slurp(in(folder, "field.pvd"), &size);
      assert_non_null(strstr(text, "<DataSet timestep=\"0\" file=\"field_0000.vtu\"/>"));
      assert_non_null(strstr(text, "<DataSet timestep=\"1.5\" file=\"field_0001.vtu\"/>"));
      assert_null(strstr(text, "field_0002"));
      free(text);
    } else {
      static float v[FRAMES][NODES][3];
      read_set(in(folder, "field.vtkhdf"), "/VTKHDF/PointData/velocity", H5T_NATIVE_FLOAT,
               FRAMES * NODES * 3, v);
      assert_true(v[0][7][1] == velocity_at(0, 7, 1) && v[1][7][1] == velocity_at(1, 7, 1));
      double late[FRAMES] = {0, 1, 3};
      layout.time = late;
      assert_int_equal(hk_field_file_open(folder, vtu, true, &layout, &file), HK_BAD_INPUT);
      layout.time = time_of, layout.frames = 2;
      assert_int_equal(hk_field_file_open(folder, vtu, true, &layout, &file), HK_BAD_INPUT);
      layout.frames = FRAMES;
    }
    remove_folder(folder);
  }
}

/* a frame appears in field.pvd when all of its quantities are there, and its file is whole */
static void pvd_lists_whole_frames(void **state)
{
  (void)state;
  char folder[64];
  hk_field_file *file = NULL;
  float stress[NODES * 4] = {1, 2, 3, 4};
  long size = 0;
  new_folder(folder);
  ok(hk_field_file_open(folder, true, false, &layout, &file));
  ok(write_velocity(file, 1));
  assert_int_equal(access(in(folder, "field_0001.vtu"), F_OK), -1);
  ok(hk_field_file_write(file, 1, 1, stress));
  char *text = slurp(in(folder, "field.pvd"), &size);
  assert_non_null(strstr(text, "field_0001.vtu"));
  free(text);
  ok(hk_field_file_close(&file));
  text = slurp(in(folder, "field_0001.vtu"), &size);
  assert_true(size <= hk_field_file_plan(&layout, true) / FRAMES);
  assert_string_equal(text + size - strlen("\n</AppendedData>\n</VTKFile>\n"),
                      "\n</AppendedData>\n</VTKFile>\n");
  free(text);
  remove_folder(folder);
}

/* a mesh read back has the regions and sets that were written: none in the middle column, no set of all elements */
static void mesh_is_read_back(void **state)
{
  (void)state;
  char folder[64];
  hk_field_file *file = NULL;
  hk_field *field = NULL;
  new_folder(folder);
  ok(hk_field_file_open(folder, false, false, &layout, &file));
  ok(write_velocity(file, 0));
  ok(hk_field_file_close(&file));
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_field_model *model = NULL;
    memory.status = hk_field_open(folder, "field", &field);
    if (memory.status == HK_OK) memory.status = hk_field_model_read(field, &model);
    if (memory.status == HK_OK) {
      const hk_mesh *back = hk_field_model_mesh(model);
      const hk_mesh_regions regions = hk_field_model_regions(model);
      assert_int_equal(regions.count, 2);
      assert_string_equal(regions.name(regions.of, 0), "left half");
      assert_string_equal(regions.name(regions.of, 1), "right half");
      for (hk_count e = 0; e < back->element_count; e++)
        assert_int_equal(regions.region(regions.of, e), left_half(NULL, e));
      for (int s = 0; s < mesh->set_count; s++) {
        const hk_set *set = &mesh->set[s], *found = hk_mesh_find_set(back, set->name, set->kind);
        if (!strcmp(set->name, "all")) continue;
        assert_true(found && found->count == set->count);
        assert_memory_equal(found->item, set->item, (size_t)set->count * sizeof *set->item);
        if (set->face) assert_memory_equal(found->face, set->face, (size_t)set->count);
      }
      assert_null(hk_mesh_find_set(back, "all", HK_ELEMENT_SET));
      assert_memory_equal(back->block->node, mesh->block->node,
                          (size_t)mesh->block->count * 4 * sizeof *mesh->block->node);
    }
    hk_field_model_destroy(&model);
    hk_field_close(&field);
  }
  assert_true(memory.k > 20);
  remove_folder(folder);
}

static void allocations_fail(void **state)
{
  (void)state;
  char folder[64];
  new_folder(folder);
  for (int how = 0; how < 4; how++) { /* new and again, vtkhdf and vtu */
    shortage memory = {0};
    while (next_shortage(&memory)) {
      hk_field_file *file = NULL;
      memory.status = hk_field_file_open(folder, how & 2, how & 1, &layout, &file);
      if (memory.status == HK_OK) hk_field_file_close(&file);
      assert_null(file);
    }
    assert_true(memory.k > 5 && memory.k < 1000);
  }
  remove_folder(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_are_read),   cmocka_unit_test(tensors_in_order_of_vtk),
      cmocka_unit_test(written_on),        cmocka_unit_test(pvd_lists_whole_frames),
      cmocka_unit_test(mesh_is_read_back), cmocka_unit_test(allocations_fail)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
