/* The form `congruent`: shapes of elements are found however coordinates are rounded, few rows are kept for regular meshes, and K u is that of
 * the rows on every device. */
#include "graph/shapes.h"
#include "operator/list.h"
#include "support/dense.h"
#include <hooke/status.h>
#include <math.h>

enum { BOX, TORN, SQUARES, TRIANGLES, TETRAHEDRA, EXTRUDED, PRISMS, JITTERED, MESHES };

static hk_mesh *draw_out(hk_mesh *flat)
{
  hk_mesh *mesh = NULL;
  const hk_mesh_layer layer[2] = {{.height = .3, .cells = 7}, {.height = .5, .cells = 6}};
  ok(hk_mesh_extrude(flat, .1, 2, layer, &mesh));
  hk_mesh_destroy(&flat);
  return mesh;
}

/* A grid somewhere in space, whose coordinates are rounded. */
static hk_mesh *make(int which)
{
  static const hk_shape shapes[MESHES] = {HK_HEX8, HK_HEX8,  HK_QUAD4, HK_TRI3,
                                          HK_TET4, HK_QUAD4, HK_TRI3,  HK_HEX8};
  const bool solid = shapes[which] == HK_HEX8 || shapes[which] == HK_TET4;
  hk_mesh *mesh =
      make_grid((hk_mesh_grid){.dim = solid ? 3 : 2,
                               .shape = shapes[which],
                               .from = {7.3, -1.1, 2.9},
                               .to = {8.6, -.3, 3.3},
                               .cells = {solid ? 13 : 23, 9, 7},
                               .jitter = which == EXTRUDED || which == JITTERED ? .2 : 0,
                               .shuffle = which == EXTRUDED ? 0 : 5});
  srand(3);
  if (which == EXTRUDED || which == PRISMS) mesh = draw_out(mesh);
  if (which == TORN) punch(mesh);
  return mesh;
}

/* Every coordinate off by up to 1e-14, less than a fifth of what two elements of a shape may differ by. */
static void blur(hk_mesh *mesh)
{
  for (hk_count k = 0; k < mesh->node_count * mesh->dim; k++)
    mesh->x[k] += 2e-14 * (uniform() - .5);
}

/* Shapes, and nodes that differ by their elements, of one region and of two that halve the mesh by elements' numbers. */
static void shapes_are_counted(void **state)
{
  static const struct {
    hk_index shapes, nodes;
  } of[MESHES] = {[BOX] = {1, 27},        [SQUARES] = {1, 9},           [TRIANGLES] = {2, 9},
                  [TETRAHEDRA] = {6, 27}, [EXTRUDED] = {2 * 23 * 9, 0}, [PRISMS] = {4, 45}};
  (void)state;
  for (int which = 0; which < MESHES; which++) {
    hk_mesh *mesh = make(which);
    hk_shapes s;
    hk_index nodes;
    if (!of[which].shapes) {
      hk_mesh_destroy(&mesh);
      continue;
    }
    if (which == EXTRUDED) blur(mesh);
    ok(hk_shapes_find(mesh, 5000, &s));
    assert_int_equal(s.count, of[which].shapes);
    assert_true(s.difference > 0 && s.difference < 1e-11 * s.extent && s.worst >= 0);
    for (hk_count e = 0; e < mesh->element_count; e++)
      assert_true(s.of[e] >= 0 && s.of[e] < s.count && s.of[s.first[s.of[e]]] == s.of[e]);
    ok(hk_shapes_count_nodes(mesh, &s, NULL, 5000, &nodes));
    if (of[which].nodes) assert_int_equal(nodes, of[which].nodes);
    ok(hk_shapes_count_nodes(mesh, &s, s.of, 8, &nodes));
    assert_int_equal(nodes, 9);
    hk_shapes_clear(&s);
    if (of[which].shapes > 1) {
      ok(hk_shapes_find(mesh, of[which].shapes - 1, &s));
      assert_true(s.count == of[which].shapes && !s.of);
      hk_shapes_clear(&s);
    }
    hk_mesh_destroy(&mesh);
  }
}

/* Rows of the dictionary for a grid of one material: 27; of two in layers across x 9 more at the interface, all differ: fewer than nodes. */
static void rows_are_few(void **state)
{
  hk_device *device = NULL;
  body b = {.mesh = make(BOX)};
  (void)state;
  body_dress(&b, ONE);
  ok(hk_device_open("cpu", 2, &device));
  for (int two = 0; two < 2; two++) {
    stiffness f;
    for (hk_count e = 0; e < b.mesh->element_count && two; e++)
      b.element_region[e] = b.mesh->x[3 * hk_mesh_nodes_of(b.mesh, e)[0]] > 8;
    if (two) b.region[1] = b.region[0], b.region[1].material.c[0][0] *= 1.5;
    ok(stiffness_create(&f, &hk_operator_congruent, b.mesh, 0,
                        (hk_operator_desc){.device = device,
                                           .region = b.region,
                                           .element_region = b.element_region,
                                           .double_precision = true}));
    const double lists = 2 * 28.0 * f.space->padded + 6.0 * f.space->padded + 8.0 * f.space->padded,
                 rows = 27 * (two ? 2.5 : 1) * 27 * 80;
    assert_true((double)f.op->memory < lists + rows);
    stiffness_destroy(&f);
  }
  hk_device_close(&device);
  body_destroy(&b);
}

/* |K u by the form - K u by rows| over the largest; the same bits twice */
static double product_error(const body *b, hk_device *device, bool real)
{
  stiffness f;
  hk_csr k = {0};
  ok(stiffness_create(&f, &hk_operator_congruent, b->mesh, 0,
                      (hk_operator_desc){.device = device,
                                         .region = b->region,
                                         .element_region = b->element_region,
                                         .double_precision = real}));
  const hk_count n = (hk_count)f.space->padded * b->mesh->dim;
  double *u = vector(n), *out = vector(n), *again = vector(n), *expected = vector(n);
  for (hk_count i = 0; i < n; i++) u[i] = real ? uniform() : (float)uniform();
  apply(f.op, u, out);
  apply(f.op, u, again);
  assert_memory_equal(out, again, (size_t)n * sizeof *out);
  ok(hk_csr_assemble(&f.op->desc, &k));
  csr_multiply(&k, u, expected);
  const double error = difference_of(out, expected, n);
  hk_csr_clear(&k);
  stiffness_destroy(&f);
  hk_free(&u);
  hk_free(&out);
  hk_free(&again);
  hk_free(&expected);
  return error;
}

/* K u is that of the rows on a device, for each mesh and law. */
static void compare(hk_device *device)
{
  static const materials dress[3] = {ONE, LAYERS, ANISOTROPIC};
  for (int which = 0; which < MESHES; which++)
    for (int m = 0; m < 3; m++) {
      body b = {.mesh = make(which)};
      body_dress(&b, dress[m]);
      for (int real = 0; real < 2; real++) {
        if (left_out(device, 3 * which + m + real, 24)) continue;
        const double error = product_error(&b, device, real);
        if (!(error <= (real ? 2e-13 : 2e-6)))
          fail_msg("%s, mesh %d, materials %d, %s: %g", hk_device_describe(device)->name, which, m,
                   real ? "double" : "single", error);
      }
      body_destroy(&b);
    }
}

/* `auto` on a device that has groups: the dictionary for tetrahedra in a box of one material, not for jittered cells, random materials or a method that is
 * named. */
static void choose(hk_device *device)
{
  for (int which = 0; which < 3; which++) {
    body b = {.mesh = make(which == 1 ? JITTERED : TETRAHEDRA)};
    const char *method;
    const hk_operator_kind *kind = NULL;
    body_dress(&b, which == 2 ? EVERY_ELEMENT : ONE);
    ok(hk_operator_choose("auto", b.mesh, device, &kind));
    const bool may = hk_device_has_groups(hk_device_describe(device)) && which == 0 &&
                     (kind == &hk_operator_matrix_free || kind == &hk_operator_edges);
    ok(hk_operator_for_shapes("auto", b.mesh, b.element_region, device, &method));
    assert_string_equal(method, may ? "congruent" : "auto");
    ok(hk_operator_for_shapes("stored", b.mesh, b.element_region, device, &method));
    assert_string_equal(method, "stored");
    body_destroy(&b);
  }
}

/* K u of the form is that of the rows on every device, and `auto` takes it where few rows differ. */
static void products_are_those_of_the_rows(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) compare(device), choose(device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_are_counted),
                                     cmocka_unit_test(rows_are_few),
                                     cmocka_unit_test(products_are_those_of_the_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
