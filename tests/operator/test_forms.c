/* Every form of K, listed in operator/list.h, is the stored K and the assembled K: on every shape,
 * distribution of materials, and form of the state. */
#include "support/body.h"
#include "sanitized.h"

static const hk_shape shapes[] = {HK_TRI3,  HK_QUAD4, HK_TET4,  HK_HEX8,   HK_TRI6,
                                  HK_QUAD8, HK_TET10, HK_HEX20, HK_WEDGE15};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool is_stored(const char *method)
{
  return !strcmp(method, "stored");
}

/* All of a node's blocks, those of pairs twice. */
static bool has_rows(const char *method)
{
  return is_stored(method) || !strcmp(method, "blocks") || !strcmp(method, "assembled") ||
         !strcmp(method, "congruent");
}

/* K of rounded blocks: what a single K may be off. */
static double most_single(const char *method)
{
  return strcmp(method, "edges-packed") ? 3e-6 : 8e-6;
}

/* volume and g[4][3] of a linear tetrahedron: rows of the inverse of [1 x y z], by elimination. */
static double invert(const hk_mesh *mesh, const hk_index *node, double g[4][3])
{
  double a[4][8] = {{0}}, det = 1;
  for (int n = 0; n < 4; n++) {
    a[n][0] = a[n][4 + n] = 1;
    for (int d = 0; d < 3; d++) a[n][1 + d] = mesh->x[node[n] * 3 + d];
  }
  for (int c = 0; c < 4; c++) {
    int pivot = c;
    for (int r = c; r < 4; r++)
      if (fabs(a[r][c]) > fabs(a[pivot][c])) pivot = r;
    if (pivot != c) det = -det;
    det *= a[pivot][c];
    for (int k = 0; k < 8; k++) {
      const double swap = a[c][k];
      a[c][k] = a[pivot][k], a[pivot][k] = swap;
    }
    for (int k = 7; k >= c; k--) a[c][k] /= a[c][c];
    for (int r = 0; r < 4; r++)
      for (int k = 7; r != c && k >= c; k--) a[r][k] -= a[r][c] * a[c][k];
  }
  for (int n = 0; n < 4; n++)
    for (int d = 0; d < 3; d++) g[n][d] = a[1 + d][4 + n];
  return det / 6;
}

/* k[3 nodes][3 nodes] = sum of B^T D B V over the tetrahedra, written out. */
static void assemble(const body *b, double *k)
{
  const hk_mesh *mesh = b->mesh;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    double g[4][3], strain[6][12] = {{0}}, stress[6][12] = {{0}}, d[36];
    const double volume = invert(mesh, node, g);
    assert_true(volume > 0);
    hk_region_stiffness(&b->region[b->element_region[e]], 3, d);
    for (int n = 0; n < 4; n++) {
      for (int c = 0; c < 3; c++) strain[c][n * 3 + c] = g[n][c];
      strain[3][n * 3 + 1] = strain[4][n * 3] = g[n][2];
      strain[3][n * 3 + 2] = strain[5][n * 3] = g[n][1];
      strain[4][n * 3 + 2] = strain[5][n * 3 + 1] = g[n][0];
    }
    for (int p = 0; p < 36; p++)
      for (int j = 0; j < 12; j++) stress[p / 6][j] += volume * d[p] * strain[p % 6][j];
    for (int i = 0; i < 12; i++)
      for (int j = 0; j < 12; j++) {
        double sum = 0;
        for (int c = 0; c < 6; c++) sum += strain[c][i] * stress[c][j];
        k[(node[i / 3] * 3 + i % 3) * mesh->node_count * 3 + node[j / 3] * 3 + j % 3] += sum;
      }
  }
}

static double error_of_assembled(const body *b, const double *k, const char *method, bool real)
{
  const hk_count dofs = b->mesh->node_count * 3;
  double *expected = NULL;
  run r;
  ok(hk_get(&expected, dofs));
  run_open(&r, b, method, 2, real);
  double *u = field_of(&r, r.u);
  ok(run_steps(&r, HK_FORM_STORE, false, 1));
  double *got = field_of(&r, r.u);
  for (hk_count i = 0; i < dofs; i++)
    for (hk_count j = 0; j < dofs; j++) expected[i] += k[i * dofs + j] * u[j];
  const double error = difference_of(got, expected, dofs);
  hk_free(&expected);
  hk_free(&u);
  hk_free(&got);
  run_destroy(&r);
  return error;
}

/* K u = assembled matrix times u on an unstructured mesh (Delaunay, a box with a hole), to 1e-13 */
static void equals_assembled(void **state)
{
  const char *method = *state;
  for (materials m = ONE; m < MATERIALS && serves(method, HK_TET4); m++) {
    body b = {0};
    double *k = NULL;
    ok(hk_mesh_read(TEST_DATA "/mesh/delaunay.msh", NULL, &b.mesh));
    body_dress(&b, m);
    ok(hk_get(&k, 9 * b.mesh->node_count * b.mesh->node_count));
    assemble(&b, k);
    const double error = error_of_assembled(&b, k, method, true);
    const double single = error_of_assembled(&b, k, method, false);
    hk_free(&k);
    if (!(error <= 1e-13 && single <= most_single(method)))
      fail_msg("%s, materials %d: error %.2e, single %.2e", method, (int)m, error, single);
    body_destroy(&b);
  }
}

/* Blocks of `edges-packed` are exact to 2^-43 of their largest entries (operator/edges/edges.k.h). */
static double most_double(const char *method)
{
  return strcmp(method, "edges-packed") == 0 ? ldexp(1, -43) : 1e-13;
}

/* Of second order, and under sanitizers: one material, and every kind of law. */
static unsigned step_of(hk_shape shape)
{
  return SANITIZED || hk_element_of(shape)->order > 1 ? EVERY_KIND - ONE : 1;
}

/* K u = K u by rows, to rounding */
static void equals_stored(void **state)
{
  const char *method = *state;
  for (int s = 0; s < SHAPES; s++)
    for (materials m = ONE; m < MATERIALS && serves(method, shapes[s]); m += step_of(shapes[s])) {
      body b = {0};
      body_create(&b, shapes[s], m);
      const double error = forms_differ(&b, method, "stored", HK_FORM_STORE, false, 1, true);
      if (!(error <= most_double(method)))
        fail_msg("%s, %s, materials %d: error %.2e", method, hk_shape_name(shapes[s]), (int)m,
                 error);
      const double single = forms_differ(&b, method, "stored", HK_FORM_STORE, false, 1, false);
      if (!(single <= most_single(method)))
        fail_msg("%s, %s, materials %d, single: %.2e", method, hk_shape_name(shapes[s]), (int)m,
                 single);
      body_destroy(&b);
    }
}

/* A fifth of the elements removed, a third of the others (quadrilaterals and hexahedra) replaced by a simplex on
 * four of their corners: two blocks, nodes with several fans of triangles. */
static void tear(hk_mesh *mesh)
{
  const int dim = mesh->dim, corner[4] = {0, 1, 3, 4};
  hk_block *from = mesh->block,
           simplices = {.shape = dim == 2 ? HK_TRI3 : HK_TET4, .nodes = dim + 1};
  hk_count kept = 0;
  const bool corners = from->shape == HK_QUAD4 || from->shape == HK_HEX8 ||
                       from->shape == HK_QUAD8 || from->shape == HK_HEX20;
  if (!corners) simplices.nodes = 0;
  ok(hk_get(&simplices.node, from->count * (dim + 1)));
  for (hk_count e = 0; e < from->count; e++) {
    const int what = rand() % 15;
    const hk_index *node = from->node + e * from->nodes;
    if (what < 3) continue;
    if (what < 7 && simplices.nodes) {
      hk_index *to = simplices.node + simplices.count++ * (dim + 1);
      for (int c = 0; c <= dim; c++) to[c] = node[corner[c]];
    } else
      memmove(from->node + kept++ * from->nodes, node, (size_t)from->nodes * sizeof *node);
  }
  from->count = simplices.first = kept;
  mesh->element_count = kept + simplices.count;
  if (simplices.count == 0) {
    hk_free(&simplices.node);
    return;
  }
  ok(hk_resize(&mesh->block, 2));
  mesh->block[1] = simplices;
  mesh->block_count = 2;
}

/* K u = by rows on torn meshes of two shapes, to the same */
static void torn_meshes(void **state)
{
  const char *method = *state;
  for (int s = 0; s < SHAPES; s++)
    for (materials m = ONE; m < MATERIALS && serves(method, shapes[s]); m += step_of(shapes[s])) {
      body b = {0};
      body_create(&b, shapes[s], m);
      tear(b.mesh);
      const double error = forms_differ(&b, method, "stored", HK_FORM_STORE, false, 1, true);
      if (!(error <= most_double(method)))
        fail_msg("%s, %s, materials %d: error %.2e", method, hk_shape_name(shapes[s]), (int)m,
                 error);
      body_destroy(&b);
    }
}

/* Triangles around one node. */
static body make_hub(int spokes)
{
  body b = {0};
  ok(hk_mesh_begin(2, &b.mesh));
  ok(hk_get(&b.mesh->x, 2 * (spokes + 1)));
  ok(hk_get(&b.mesh->block, 1));
  ok(hk_get(&b.region, 1));
  ok(hk_get(&b.element_region, spokes));
  hk_block *block = b.mesh->block;
  *block = (hk_block){.shape = HK_TRI3, .nodes = 3, .count = spokes};
  ok(hk_get(&block->node, 3 * spokes));
  for (int k = 0; k < spokes; k++) {
    const int e = 3 * (k * 31 % spokes);
    b.mesh->x[2 * k + 2] = cos(2 * M_PI * k / spokes);
    b.mesh->x[2 * k + 3] = sin(2 * M_PI * k / spokes);
    block->node[e] = k + 1, block->node[e + 1] = (k + 1) % spokes + 1, block->node[e + 2] = 0;
  }
  b.mesh->node_count = spokes + 1, b.mesh->block_count = 1, b.mesh->element_count = spokes;
  b.region->thickness = 1, b.region->material.density = 1;
  ok(hk_material_isotropic(1, 0.3, &b.region->material));
  return b;
}

/* 700 triangles around one node; of blocks 500, for a node's links beyond its block are few */
static void hub(void **state)
{
  const char *method = *state;
  if (!serves(method, HK_TRI3)) return;
  body b = make_hub(strcmp(method, "blocks") ? 700 : 500);
  const double error = forms_differ(&b, method, "stored", HK_FORM_STORE, false, 1, true);
  assert_true(error <= 1e-12);
  body_destroy(&b);
}

/* 20 000 triangles around one node: by pairs refused in words, the patch's halo is too large */
static void large_hub(void **state)
{
  body b = make_hub(20000);
  const hk_operator_kind *kind = NULL;
  hk_device *device = NULL;
  stiffness f;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  ok(hk_operator_choose("edges", b.mesh, device, &kind));
  const hk_count held = hk_memory_held();
  fails_with(stiffness_create(&f, kind, b.mesh, 0,
                              (hk_operator_desc){.device = device,
                                                 .region = b.region,
                                                 .element_region = b.element_region}),
             HK_NO_RESOURCES, "--set solve.explicit.method=stored");
  assert_int_equal(hk_memory_held(), held);
  hk_device_close(&device);
  run r;
  run_open(&r, &b, "stored", 2, true);
  run_destroy(&r);
  body_destroy(&b);
}

/* How much the plan of a form may miss the memory: the rows of tetrahedra follow from Euler's formula,
 * those of other shapes are means of large meshes, and grids of second order are small. */
static double plan_tolerance(const char *method, hk_shape shape)
{
  if (hk_element_of(shape)->order == 2) return 0.15;
  if (shape == HK_TET4 && !strcmp(method, "stored")) return 0.02;
  return has_rows(method) ? 0.08 : 0.05;
}

/* plan = memory on a grid whose patches are mostly whole */
static void planned_memory(void **state)
{
  const char *method = *state;
  if (SANITIZED) skip(); /* numbers alone */
  for (int s = 0; s < SHAPES; s++) {
    if (!serves(method, shapes[s])) continue;
    body b = {0};
    run r;
    const hk_element *element = hk_element_of(shapes[s]);
    const bool raised = element->order == 2, prisms = shapes[s] == HK_WEDGE15;
    if (raised && strcmp(method, "stored") && strcmp(method, "blocks"))
      continue; /* test_edges_shapes */
    const int cells = element->dim == 2 ? 200 / (1 + raised) : raised ? 15 : 32;
    const hk_mesh_grid grid = {.to = {1, 1, 1},
                               .cells = {cells, cells, cells},
                               .shape = hk_shape_linear(shapes[s]),
                               .jitter = 0.1};
    b.mesh = prisms ? make_prisms(grid, 1, &(hk_mesh_layer){.height = 1, .cells = cells})
                    : make_grid(grid);
    if (raised) ok(hk_mesh_raise(b.mesh));
    ok(hk_get(&b.region, 1));
    ok(hk_get(&b.element_region, b.mesh->element_count));
    b.region->thickness = 1;
    ok(hk_material_isotropic(1, 0.3, &b.region->material));
    run_open(&r, &b, method, 2, s % 2);
    const double planned = (double)r.op->kind->plan(b.mesh, r.device, s % 2);
    if (!(fabs(planned / (double)r.op->memory - 1) <= plan_tolerance(method, shapes[s])))
      fail_msg("%s, %s: planned %.3f of the memory", method, hk_shape_name(shapes[s]),
               planned / (double)r.op->memory);
    run_destroy(&r);
    body_destroy(&b);
  }
}

/* u after five steps of each form = by rows, to 1e-12; the loss too */
static void steps_equal_stored(void **state)
{
  const char *method = *state;
  static const struct {
    hk_form form;
    bool damped;
  } row[] = {{HK_FORM_POSITIONS, false},
             {HK_FORM_INCREMENTS, false},
             {HK_FORM_INCREMENTS, true},
             {HK_FORM_POSITIONS, true}};
  for (int s = 0; s < SHAPES; s++)
    for (int k = 0; k < 4 && serves(method, shapes[s]); k++) {
      body b = {0};
      body_create(&b, shapes[s], LAYERS);
      const double error = forms_differ(&b, method, "stored", row[k].form, row[k].damped, 5, true);
      if (!(error <= 1e-12))
        fail_msg("%s, %s, form %d: error %.2e", method, hk_shape_name(shapes[s]), (int)row[k].form,
                 error);
      body_destroy(&b);
    }
}

/* K u = 0 for a translation, exactly; sum over nodes of K u = 0 to rounding for any u */
static void translation_and_momentum(void **state)
{
  const char *method = *state;
  if (SANITIZED) skip(); /* numbers alone */
  for (int s = 0; s < SHAPES; s++) {
    if (!serves(method, shapes[s])) continue;
    body b = {0};
    run r;
    body_create(&b, shapes[s], EVERY_ELEMENT);
    run_open(&r, &b, method, 1, true);
    ok(run_steps(&r, HK_FORM_STORE, false, 1));
    double *force = field_of(&r, r.u), sum = 0, size = 0;
    for (hk_count i = 0; i < b.mesh->node_count; i++)
      sum += force[i * b.mesh->dim], size += fabs(force[i * b.mesh->dim]);
    assert_true(size > 0 && fabs(sum) <= 1e-13 * size);
    hk_free(&force);

    double *ones = NULL;
    ok(hk_get(&ones, r.dofs));
    for (hk_count i = 0; i < r.dofs; i++)
      ones[i] = r.space->mesh_node[i / b.mesh->dim] >= 0 ? 1e3 + 0.1 : 0;
    ok(hk_buffer_write_reals(r.u, true, 0, r.dofs, ones));
    ok(run_steps(&r, HK_FORM_STORE, false, 1));
    force = field_of(&r, r.u);
    for (hk_count i = 0; i < b.mesh->node_count * b.mesh->dim; i++) assert_true(force[i] == 0);
    hk_free(&force);
    hk_free(&ones);
    run_destroy(&r);
    body_destroy(&b);
  }
}

/* K u of a body carried 2^10 away, in numbers that single precision has: as in double, to 3e-6 */
static void far_away(void **state)
{
  const char *method = *state;
  if (SANITIZED) skip(); /* numbers alone */
  for (int s = 0; s < SHAPES; s++) {
    if (!serves(method, shapes[s])) continue;
    body b = {0};
    double *force[2];
    body_create(&b, shapes[s], EVERY_ELEMENT);
    for (int real = 0; real < 2; real++) {
      run r;
      double *values = NULL, *internal = NULL;
      run_open(&r, &b, method, 1, real);
      ok(hk_get(&values, b.mesh->node_count * b.mesh->dim));
      ok(hk_get(&internal, r.dofs));
      srand(7);
      for (hk_count i = 0; i < b.mesh->node_count * b.mesh->dim; i++)
        values[i] = 1024 + ldexp(rand() % 4096, -13);
      hk_space_to_internal(r.space, b.mesh->dim, values, internal);
      ok(hk_buffer_write_reals(r.u, real, 0, r.dofs, internal));
      ok(run_steps(&r, HK_FORM_STORE, false, 1));
      force[real] = field_of(&r, r.u);
      hk_free(&values);
      hk_free(&internal);
      run_destroy(&r);
    }
    const double error = difference_of(force[0], force[1], b.mesh->node_count * b.mesh->dim);
    if (!(error <= most_single(method)))
      fail_msg("%s, %s: %.2e", method, hk_shape_name(shapes[s]), error);
    hk_free(&force[0]);
    hk_free(&force[1]);
    body_destroy(&b);
  }
}

/* 1 thread = 2 threads, bit by bit */
static void threads_do_not_matter(void **state)
{
  const char *method = *state;
  if (SANITIZED) skip(); /* numbers alone */
  for (int s = 0; s < SHAPES; s++) {
    if (!serves(method, shapes[s])) continue;
    body b = {0};
    double *field[2];
    body_create(&b, shapes[s], LAYERS);
    for (int t = 0; t < 2; t++) {
      run r;
      run_open(&r, &b, method, t + 1, false);
      ok(run_steps(&r, HK_FORM_POSITIONS, false, 3));
      field[t] = field_of(&r, r.u);
      run_destroy(&r);
    }
    assert_memory_equal(field[0], field[1],
                        (size_t)(b.mesh->node_count * b.mesh->dim) * sizeof(double));
    hk_free(&field[0]);
    hk_free(&field[1]);
    body_destroy(&b);
  }
}

/* what an operator holds beside `memory`: its records */
static hk_count records(const body *b, const char *method, hk_count *memory)
{
  run r;
  const hk_count before = hk_memory_held();
  run_open(&r, b, method, 1, true);
  const hk_count held = hk_memory_held();
  assert_true(before < held);
  *memory = r.op->memory;
  hk_operator_destroy(&r.op);
  const hk_count freed = held - hk_memory_held();
  assert_true(*memory <= freed);
  run_destroy(&r);
  return freed - *memory;
}

/* one material: less memory than rows; what `memory` leaves out does not grow with the mesh */
static void memory_is_small_and_exact(void **state)
{
  const char *method = *state;
  for (int s = 0; s < SHAPES; s++) {
    if (!serves(method, shapes[s])) continue;
    body b = {0}, small = {0};
    hk_count memory, rows, few;
    body_create(&b, shapes[s], ONE);
    body_create_small(&small, shapes[s], ONE);
    assert_int_equal(records(&b, method, &memory), records(&small, method, &few));
    records(&b, "stored", &rows);
    const bool all = has_rows(method) || !strcmp(method, "elements"); /* of each element */
    assert_true(all || memory < 0.65 * (double)rows);
    body_destroy(&small);
    body_destroy(&b);
  }
}

/* an allocation that fails while creating gives HK_NO_RESOURCES and leaves nothing behind */
static void allocations_fail(void **state)
{
  const char *method = *state;
  body b = {0};
  hk_device *device = NULL;
  hk_space *space = NULL;
  const hk_operator_kind *kind = NULL;
  body_create(&b, serves(method, HK_TET4) ? HK_TET4 : HK_TRI3, LAYERS);
  ok(hk_device_open("cpu", 1, &device));
  ok(hk_operator_choose(method, b.mesh, device, &kind));
  const hk_space_desc desc = kind->space(b.mesh, device, true);
  ok(hk_space_create(b.mesh, &desc, &space));
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_operator *op = NULL;
    memory.status = hk_operator_create(kind,
                                       &(hk_operator_desc){.device = device,
                                                           .space = space,
                                                           .region = b.region,
                                                           .element_region = b.element_region},
                                       &op);
    hk_operator_destroy(&op);
  }
  assert_true(memory.k > 12);
  hk_space_destroy(&space);
  hk_device_close(&device);
  body_destroy(&b);
}

int main(void)
{
  enum { AGAINST_STORED = 4 };
  static const struct CMUnitTest all[] = {
      cmocka_unit_test(equals_stored),
      cmocka_unit_test(torn_meshes),
      cmocka_unit_test(hub),
      cmocka_unit_test(steps_equal_stored),
      cmocka_unit_test(equals_assembled),
      cmocka_unit_test(planned_memory),
      cmocka_unit_test(translation_and_momentum),
      cmocka_unit_test(far_away),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(memory_is_small_and_exact),
      cmocka_unit_test(allocations_fail),
  };
  enum { COUNT = sizeof all / sizeof *all };
  int failed = 0;
  for (int i = 0; hk_operator_name(i); i++) {
    struct CMUnitTest tests[COUNT] = {0};
    const char *name = hk_operator_name(i);
    if (!serves(name, HK_TET4) && !serves(name, HK_TRI3)) continue; /* of order p: test_spectral */
    for (int k = is_stored(name) ? AGAINST_STORED : 0; k < COUNT; k++) {
      tests[k] = all[k];
      tests[k].initial_state = (void *)(uintptr_t)name;
    }
    failed += cmocka_run_group_tests_name(name, tests, NULL, NULL);
  }
  const struct CMUnitTest once[] = {cmocka_unit_test(large_hub)};
  return failed + cmocka_run_group_tests(once, NULL, NULL);
}
