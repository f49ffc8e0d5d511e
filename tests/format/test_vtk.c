/* .vtu and .vtkhdf: the cells that VTK itself writes are read in our numbering, from every encoding. */
#include "format_test.h"

static const char *const solids[] = {DATA("solids_ascii.vtu"),       DATA("solids_mirrored.vtu"),
                                     DATA("solids_inline.vtu"),      DATA("solids_inline_zlib.vtu"),
                                     DATA("solids_raw.vtu"),         DATA("solids_base64.vtu"),
                                     DATA("solids_base64_zlib.vtu"), DATA("solids_raw_zlib.vtu")};

static void check_nodes(const char *path, int blocks)
{
  hk_mesh *mesh = read_good(path);
  assert_int_equal(mesh->block_count, blocks);
  assert_int_equal(mesh->element_count, blocks);
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const double error = distance_from_straight(mesh, e);
    if (!(error <= 1e-12)) fail_msg("%s: element %lld: %g", path, (long long)e, error);
  }
  hk_mesh_destroy(&mesh);
}

/* |x_n - sum_v N_v(xi_n) x_v| = 0 with x from VTK's own parametric coordinates of each cell */
static void nodes_of_every_cell(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) check_nodes(solids[i], 8);
  check_nodes(DATA("planes_ascii.vtu"), 5);
}

/* all encodings hold the same mesh, bit by bit */
static void encodings_agree(void **state)
{
  (void)state;
  hk_mesh *first = read_good(DATA("solids_raw.vtu"));
  for (size_t i = 2; i < sizeof solids / sizeof *solids; i++) {
    hk_mesh *mesh = read_good(solids[i]);
    assert_same_mesh(first, mesh);
    hk_mesh_destroy(&mesh);
  }
  hk_mesh_destroy(&first);
}

/* regions of a file by meshio become the sets that its Gmsh file has, by their tags */
static void regions_are_sets(void **state)
{
  (void)state;
  hk_mesh *mesh = read_good(DATA("boxes_meshio.vtu"));
  set_of(mesh, "10", HK_FACE_SET, 4);
  set_of(mesh, "10", HK_NODE_SET, 5);
  set_of(mesh, "1", HK_ELEMENT_SET, 24);
  hk_mesh_destroy(&mesh);
}

/* a file cut at any byte is refused */
static void cut_anywhere(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
    size_t size;
    char *text = read_file(solids[i], &size);
    for (size_t cut = 1; cut < size; cut += 61) {
      hk_mesh *mesh = NULL;
      const char *path = write_file(".vtu", text, cut);
      const hk_status status = hk_mesh_read(path, NULL, &mesh);
      unlink(path);
      assert_true(status == HK_BAD_INPUT || cut + 64 > size);
      hk_mesh_destroy(&mesh);
    }
    free(text);
  }
}

/* so is a cut .vtkhdf */
static void cut_hdf(void **state)
{
  (void)state;
  hk_mesh *good = read_good(DATA("tet10.msh"));
  size_t size;
  assert_int_equal(hk_mesh_write(good, scratch(".vtkhdf")), HK_OK);
  hk_mesh_destroy(&good);
  char *text = read_file(scratch(".vtkhdf"), &size);
  for (size_t cut = 8; cut < size; cut += 211) {
    hk_mesh *mesh = NULL;
    assert_int_equal(hk_mesh_read(write_file(".vtkhdf", text, cut), NULL, &mesh), HK_BAD_INPUT);
  }
  unlink(scratch(".vtkhdf"));
  free(text);
}

/* any byte changed: read or refused, nothing else; the sanitizers watch */
static void damaged_anywhere(void **state)
{
  (void)state;
  hk_mesh *good = read_good(DATA("tet10.msh"));
  static const char *const ending[] = {".vtu", ".msh"};
  for (int k = 0; k < 2; k++) {
    size_t size;
    assert_int_equal(hk_mesh_write(good, scratch(ending[k])), HK_OK);
    char *text = read_file(scratch(ending[k]), &size);
    srand(3);
    for (int trial = 0; trial < 300; trial++) {
      hk_mesh *mesh = NULL;
      const size_t place = (size_t)rand() % size;
      const char before = text[place];
      text[place] = (char)rand();
      hk_mesh_read(write_file(ending[k], text, size), NULL, &mesh);
      hk_mesh_destroy(&mesh);
      text[place] = before;
    }
    unlink(scratch(ending[k]));
    free(text);
  }
  hk_mesh_destroy(&good);
}

static void check_failing_allocations(const char *path)
{
  const hk_count before = hk_memory_held();
  for (hk_count k = 1;; k++) {
    hk_mesh *mesh = NULL;
    hk_memory_fail_at(k);
    const hk_status status = hk_mesh_read(path, NULL, &mesh);
    hk_memory_fail_at(0);
    hk_mesh_destroy(&mesh);
    assert_int_equal(hk_memory_held(), before);
    if (status == HK_OK) break;
    assert_int_equal(status, HK_NO_RESOURCES);
  }
}

/* with the k-th allocation failing, k = 1, 2, ..., the readers end in words and keep nothing */
static void failing_allocations(void **state)
{
  (void)state;
  check_failing_allocations(DATA("solids_base64_zlib.vtu"));
  hk_mesh *mesh = read_good(DATA("boxes_41.msh"));
  const char *path = scratch(".vtkhdf");
  assert_int_equal(hk_mesh_write(mesh, path), HK_OK);
  hk_mesh_destroy(&mesh);
  check_failing_allocations(path);
  unlink(path);
}

typedef struct fault { /* of one cell; cell < 0: none */
  int cell, point, offset;
  const char *words;
} fault;

/* Rows of quadrilaterals (the first cells), then triangles over their own points, with regions 5 and 6 of each. */
static void write_cells(const fault *f)
{
  enum { CELLS = 2500, POINTS = 4 * CELLS };
  FILE *file = fopen(scratch(".vtu"), "w");
  assert_non_null(file);
  fprintf(file,
          "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">"
          "<UnstructuredGrid><Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\"><Points>"
          "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n",
          POINTS, 2 * CELLS);
  for (int i = 0; i < POINTS; i++)
    fprintf(file, "%d %d 0\n", 2 * (i / 4) + (i % 4 == 1 || i % 4 == 2), i % 4 / 2);
  fprintf(file, "</DataArray></Points><Cells><DataArray type=\"Int64\" Name=\"connectivity\" "
                "format=\"ascii\">\n");
  for (int c = 0; c < 2 * CELLS; c++)
    for (int k = 0; k < (c < CELLS ? 4 : 3); k++)
      fprintf(file, "%d%c", c == f->cell && k == 2 && f->point ? f->point : 4 * (c % CELLS) + k,
              k == 2 ? '\n' : ' ');
  fprintf(file, "</DataArray><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n");
  for (int c = 0; c < 2 * CELLS; c++)
    fprintf(file, "%d\n",
            (c < CELLS ? 4 * c + 4 : 4 * CELLS + 3 * (c - CELLS) + 3) + (c == f->cell) * f->offset);
  fprintf(file, "</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n");
  for (int c = 0; c < 2 * CELLS; c++) fprintf(file, "%d\n", c < CELLS ? 9 : 5);
  fprintf(file, "</DataArray></Cells><CellData><DataArray type=\"Int32\" Name=\"MaterialIDs\" "
                "format=\"ascii\">\n");
  for (int c = 0; c < 2 * CELLS; c++) fprintf(file, "%d\n", c / (CELLS / 2) % 2 ? 6 : 5);
  fprintf(file, "</DataArray></CellData></Piece></UnstructuredGrid></VTKFile>\n");
  fclose(file);
}

/* Of thousands of cells that are alike a wrong one is named, wherever it stands. */
static void wrong_cells_are_named(void **state)
{
  (void)state;
  static const fault row[] = {{0, 10000, 0, "cell 0 refers to point 10000: there are 10000"},
                              {1249, -1, 0, "cell 1249 refers to point -1"},
                              {2499, 10000, 0, "cell 2499 refers to point 10000"},
                              {4999, INT32_MAX, 0, "cell 4999 refers to point"},
                              {1700, 0, 1, "cell 1700 of VTK type 9 has the offsets 6800 to 6805"},
                              {4100, 0, -1, "cell 4100 of VTK type 5 has the offsets 14800 to"},
                              {4998, 0, 1, "cell 4998 of VTK type 5 has the offsets 17494 to"}};
  hk_mesh *mesh = NULL;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    write_cells(&row[i]);
    assert_int_equal(hk_mesh_read(scratch(".vtu"), NULL, &mesh), HK_BAD_INPUT);
    if (!strstr(hk_error(), row[i].words))
      fail_msg("got: %s\nexpected: %s", hk_error(), row[i].words);
  }
  write_cells(&(fault){.cell = -1});
  mesh = read_good(scratch(".vtu"));
  assert_int_equal(mesh->element_count, 5000);
  for (int e = 0; e < 5000; e++)
    for (int k = 0; k < (e < 2500 ? 3 : 4); k++)
      assert_int_equal(hk_mesh_nodes_of(mesh, e)[k], 4 * (e % 2500) + k);
  set_of(mesh, "5", HK_ELEMENT_SET, 2500);
  const hk_set *six = set_of(mesh, "6", HK_ELEMENT_SET, 2500);
  assert_int_equal(six->item[0], 1250);
  assert_int_equal(six->item[1250], 3750);
  hk_mesh_destroy(&mesh);
  unlink(scratch(".vtu"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_of_every_cell),
                                     cmocka_unit_test(encodings_agree),
                                     cmocka_unit_test(regions_are_sets),
                                     cmocka_unit_test(cut_anywhere),
                                     cmocka_unit_test(cut_hdf),
                                     cmocka_unit_test(damaged_anywhere),
                                     cmocka_unit_test(wrong_cells_are_named),
                                     cmocka_unit_test(failing_allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
