/* What is written is read back the same: nodes, elements, labels and sets, bit by bit. */
#include "format_test.h"
#include "support/mesh.h"

static const char *const ending[] = {".msh", ".vtu", ".vtkhdf"};

/* A mesh of one element whose reference coordinates are mapped by x + 0.1 y z + ..., so that no two
 * nodes can be exchanged unseen. */
static hk_mesh *one_element(hk_shape shape)
{
  const hk_element *element = hk_element_of(shape);
  double at[HK_LISTED_NODES * 3];
  hk_index node[HK_LISTED_NODES];
  for (int n = 0; n < element->nodes; n++) {
    const double *xi = element->reference[n];
    const double z = element->dim == 3 ? xi[2] : 0;
    const double x[3] = {xi[0] + 0.1 * xi[1] * xi[1] + 0.03 * z, xi[1] + 0.07 * xi[0] * z,
                         z - 0.05 * xi[0] * xi[0]};
    node[n] = element->nodes - 1 - n; /* numbered backwards */
    memcpy(at + node[n] * element->dim, x, (size_t)element->dim * sizeof *x);
  }
  return mesh_of_elements(shape, element->nodes, at, 1, node);
}

static void check_round_trip(const hk_mesh *mesh, const char *end)
{
  const char *path = scratch(end);
  if (hk_mesh_write(mesh, path) != HK_OK) fail_msg("%s", hk_error());
  hk_mesh *back = read_good(path);
  unlink(path);
  assert_same_mesh(mesh, back);
  hk_mesh_destroy(&back);
}

/* read(write(mesh)) = mesh for one curved element of every shape, in every format */
static void every_shape(void **state)
{
  (void)state;
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
    for (int k = 0; k < 3; k++) {
      hk_mesh *mesh = one_element((hk_shape)shape);
      check_round_trip(mesh, ending[k]);
      hk_mesh_destroy(&mesh);
    }
}

/* ... and in .inp for the shapes that it has names for, with coordinates that its 20 characters hold */
static void every_shape_of_inp(void **state)
{
  (void)state;
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    if (shape == HK_QUAD9 || shape == HK_HEX27 || shape == HK_WEDGE18) continue;
    hk_mesh *mesh = one_element((hk_shape)shape);
    for (hk_count i = 0; i < mesh->node_count * mesh->dim; i++)
      mesh->x[i] = rint(1e8 * mesh->x[i]) / 1e8;
    check_round_trip(mesh, ".inp");
    hk_mesh_destroy(&mesh);
  }
}

/* read(write(mesh)) = mesh with overlapping sets of all kinds and labels with gaps */
static void sets_and_labels(void **state)
{
  (void)state;
  hk_mesh *mesh = read_good(DATA("boxes_41.msh"));
  for (int k = 0; k < 3; k++) check_round_trip(mesh, ending[k]);
  check_round_trip(mesh, ".inp");
  hk_mesh_destroy(&mesh);
}

/* a node set that shares its name with a face set, but not its nodes, comes back */
static void node_set_beside_face_set(void **state)
{
  (void)state;
  hk_mesh *mesh = one_element(HK_TET4);
  hk_index *item = NULL;
  uint8_t *face = NULL;
  assert_int_equal(hk_get(&item, 1), HK_OK);
  assert_int_equal(hk_get(&face, 1), HK_OK);
  assert_int_equal(hk_mesh_add_set(mesh, "side", HK_FACE_SET, 1, &item, &face), HK_OK);
  assert_int_equal(hk_get(&item, 4), HK_OK);
  for (int n = 0; n < 4; n++) item[n] = n;
  assert_int_equal(hk_mesh_add_set(mesh, "side", HK_NODE_SET, 4, &item, NULL), HK_OK);
  for (int k = 0; k < 3; k++) check_round_trip(mesh, ending[k]);
  hk_mesh_destroy(&mesh);
}

/* names with the formats' own signs come back */
static void odd_names(void **state)
{
  (void)state;
  hk_mesh *mesh = one_element(HK_TET4);
  hk_index *item = NULL;
  assert_int_equal(hk_get(&item, 1), HK_OK);
  assert_int_equal(hk_mesh_add_set(mesh, "a<b>/&%2F 'c' \xc3\xa9", HK_NODE_SET, 1, &item, NULL),
                   HK_OK);
  for (int k = 0; k < 3; k++) check_round_trip(mesh, ending[k]);
  hk_mesh_destroy(&mesh);
}

/* numbers of .inp have 20 characters at most: longer ones are rounded to 12 digits or more */
static void inp_numbers(void **state)
{
  (void)state;
  static const double x[] = {-1.1102230246251565e-16,
                             -0.00012345678901234567,
                             1.2345678901234567e-300,
                             -1.2345678901234567e-300,
                             0.1,
                             1.0 / 3};
  hk_mesh *mesh = one_element(HK_TRI3);
  size_t size;
  memcpy(mesh->x, x, sizeof x);
  const char *path = scratch(".inp");
  assert_int_equal(hk_mesh_write(mesh, path), HK_OK);
  char *text = read_file(path, &size), *rest = strstr(text, "*NODE\n") + 6;
  unlink(path);
  for (int n = 0; n < 3; n++) {
    strtol(rest, &rest, 10);
    for (int c = 0; c < 2; c++) {
      char *const from = rest + 2; /* behind a comma and a blank */
      const double got = strtod(from, &rest), exact = x[2 * n + c];
      assert_true(rest - from <= 20);
      assert_true(fabs(got - exact) <= 1e-12 * fabs(exact));
    }
  }
  free(text);
  hk_mesh_destroy(&mesh);
}

/* the whole .inp of one triangle with a set of each kind */
static void inp_text(void **state)
{
  (void)state;
  static const char *const expected =
      "*NODE\n1, 0, 0\n2, 1, 0\n3, 0, 0.1\n*ELEMENT, TYPE=CPE3\n1, 1, 2, 3\n"
      "*NSET, NSET=\"two words\"\n1\n*ELSET, ELSET=all\n1\n*SURFACE, TYPE=ELEMENT, NAME=side\n"
      "1, S3\n";
  hk_mesh *mesh = one_element(HK_TRI3);
  size_t size;
  memcpy(mesh->x, (const double[]){0, 0, 1, 0, 0, 0.1}, 6 * sizeof(double));
  for (int n = 0; n < 3; n++) mesh->block[0].node[n] = n;
  for (int k = 0; k < 3; k++) {
    static const char *const name[] = {"two words", "all", "side"};
    hk_index *item = NULL;
    uint8_t *face = NULL;
    assert_int_equal(hk_get(&item, 1), HK_OK);
    if (k == HK_FACE_SET) assert_int_equal(hk_get(&face, 1), HK_OK);
    if (face) face[0] = 2;
    assert_int_equal(hk_mesh_add_set(mesh, name[k], (hk_set_kind)k, 1, &item, &face), HK_OK);
  }
  const char *path = scratch(".inp");
  assert_int_equal(hk_mesh_write(mesh, path), HK_OK);
  char *text = read_file(path, &size);
  unlink(path);
  assert_string_equal(strstr(text, "*NODE"), expected);
  free(text);
  hk_mesh_destroy(&mesh);
}

/* no ending, another ending, a folder that is not there, a shape that .inp has no name for */
static void refusals(void **state)
{
  (void)state;
  hk_mesh *mesh = one_element(HK_HEX27);
  assert_int_equal(hk_mesh_write(mesh, "/tmp/mesh"), HK_USAGE);
  assert_int_equal(hk_mesh_write(mesh, "/tmp/mesh.obj"), HK_USAGE);
  assert_int_equal(hk_mesh_write(mesh, "/tmp/mesh.inp"), HK_USAGE);
  for (int k = 0; k < 3; k++) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/no/such/folder/mesh%s", ending[k]);
    assert_int_equal(hk_mesh_write(mesh, path), HK_NOT_WRITABLE);
  }
  hk_mesh_destroy(&mesh);
}

/* with the k-th allocation failing the writers leave no file and no memory behind */
static void failing_allocations(void **state)
{
  (void)state;
  static const char *const all[] = {".msh", ".vtu", ".vtkhdf", ".inp"};
  hk_mesh *mesh = read_good(DATA("boxes_41.msh"));
  const hk_count before = hk_memory_held();
  for (int i = 0; i < 4; i++)
    for (hk_count k = 1;; k++) {
      const char *path = scratch(all[i]);
      unlink(path);
      hk_memory_fail_at(k);
      const hk_status status = hk_mesh_write(mesh, path);
      hk_memory_fail_at(0);
      assert_int_equal(hk_memory_held(), before);
      assert_true((access(path, F_OK) == 0) == (status == HK_OK));
      unlink(path);
      if (status == HK_OK) break;
    }
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_shape),
                                     cmocka_unit_test(every_shape_of_inp),
                                     cmocka_unit_test(node_set_beside_face_set),
                                     cmocka_unit_test(sets_and_labels),
                                     cmocka_unit_test(odd_names),
                                     cmocka_unit_test(inp_text),
                                     cmocka_unit_test(inp_numbers),
                                     cmocka_unit_test(refusals),
                                     cmocka_unit_test(failing_allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
