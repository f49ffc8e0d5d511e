/* Forces of spectral elements added colour by colour: elements of one colour share no node, K u and steps are those of slots, bit by bit the
 * same in each run. */
#include "support/body.h"
#include "element/element.h"
#include "graph/colour.h"

typedef enum kind { BLOCK, RING, ODD_RING, SPLIT, ROD, KINDS } kind;

static hk_mesh *grid_of(int dim, hk_shape shape, hk_count cells)
{
  return make_grid((hk_mesh_grid){.cells = {cells + 1, cells, dim == 3 ? cells : 0},
                                  .shape = shape,
                                  .jitter = 0.15,
                                  .shuffle = 5});
}

/* Each triangle as three quadrilaterals: vertices of 3, 4 and 6 of them. */
static hk_mesh *split_triangles(hk_count cells)
{
  hk_mesh *tri = grid_of(2, HK_TRI3, cells), *mesh = NULL;
  ok(hk_mesh_raise(tri));
  const hk_count count = tri->element_count, nodes = tri->node_count + count;
  double *x = NULL;
  hk_index *quad = NULL;
  ok(hk_get(&x, nodes * 2));
  ok(hk_get(&quad, count * 12));
  memcpy(x, tri->x, (size_t)tri->node_count * 2 * sizeof *x);
  for (hk_count e = 0; e < count; e++) {
    const hk_index *node = hk_mesh_nodes_of(tri, e), middle = (hk_index)(tri->node_count + e);
    for (int v = 0; v < 3; v++) {
      const hk_index corner[] = {node[v], node[3 + v], middle, node[3 + (v + 2) % 3]};
      memcpy(quad + e * 12 + v * 4, corner, sizeof corner);
      for (int c = 0; c < 2; c++) x[middle * 2 + c] += tri->x[node[v] * 2 + c] / 3;
    }
  }
  ok(hk_mesh_create(
      &(hk_mesh_desc){
          .dim = 2,
          .node_count = nodes,
          .x = x,
          .block = &(hk_mesh_block_desc){.shape = HK_QUAD4, .count = count * 3, .node = quad},
          .block_count = 1},
      NULL, &mesh));
  hk_free(&x);
  hk_free(&quad);
  hk_mesh_destroy(&tri);
  return mesh;
}

static hk_mesh *mesh_of(kind k, int dim, int order, hk_count cells)
{
  hk_mesh *mesh = NULL;
  if (k == BLOCK)
    mesh = grid_of(dim, dim == 2 ? HK_QUAD4 : HK_HEX8, cells);
  else if (k == SPLIT)
    mesh = split_triangles(cells);
  else if (k == ROD)
    ok(hk_mesh_create_cylinder(&(hk_mesh_cylinder){.radius = 1,
                                                   .length = 1,
                                                   .across = cells,
                                                   .along = cells,
                                                   .shape = HK_HEX8,
                                                   .shuffle = 3},
                               &mesh));
  else
    ok(hk_mesh_create_tube(&(hk_mesh_tube){.inner = 1,
                                           .outer = 2,
                                           .length = 1,
                                           .through = 2,
                                           .around = k == RING ? 8 : 9,
                                           .along = cells,
                                           .shape = HK_HEX8},
                           &mesh));
  ok(hk_mesh_raise_to(mesh, order));
  return mesh;
}

/* 2D: those of quadrilaterals */
static bool is_of(kind k, int dim)
{
  return k == BLOCK || (k == SPLIT) == (dim == 2);
}

/* last[node] = colour of the last element that had it */
static hk_index shared_nodes(const hk_mesh *mesh, const hk_index *colour, hk_index colours)
{
  hk_index *last = NULL, shared = 0;
  ok(hk_get(&last, mesh->node_count));
  for (hk_index c = 0; c < colours; c++)
    for (hk_count e = 0; e < mesh->element_count; e++) {
      const hk_index *node = hk_mesh_nodes_of(mesh, e);
      if (colour[e] != c) continue;
      for (int n = 0; n < mesh->block[0].nodes; n++)
        shared += last[node[n]] == c + 1, last[node[n]] = c + 1;
    }
  hk_free(&last);
  return shared;
}

/* no two elements of a colour share a node; as many colours as directions have parities where the mesh is a grid: 2^dim */
static void elements_of_a_colour_share_no_node(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k < KINDS; k++)
      for (int order = 1; order <= 3 && is_of((kind)k, dim); order++) {
        hk_mesh *mesh = mesh_of((kind)k, dim, order, 6);
        hk_index *colour = NULL, colours = 0;
        ok(hk_get(&colour, mesh->element_count));
        ok(hk_elements_colour(mesh, colour, &colours));
        print_message("mesh %d of %dD, order %d: %d colours\n", k, dim, order, (int)colours);
        for (hk_count e = 0; e < mesh->element_count; e++)
          assert_in_range(colour[e], 0, colours - 1);
        assert_int_equal(shared_nodes(mesh, colour, colours), 0);
        if (k == BLOCK || k == RING) assert_int_equal(colours, 1 << dim);
        assert_in_range(colours, 1 << dim, dim == 2 ? 8 : 24);
        hk_free(&colour);
        hk_mesh_destroy(&mesh);
      }
}

/* the same of shapes of no family; each colour has elements */
static void other_shapes_share_no_node(void **state)
{
  static const hk_shape shapes[] = {HK_TRI3, HK_QUAD8, HK_TET4, HK_TET10, HK_WEDGE15, HK_HEX20};
  static const hk_index most[] = {12, 12, 64, 64, 32, 20};
  (void)state;
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    body b = {0};
    body_create(&b, shapes[s], ONE);
    hk_index *colour = NULL, colours = 0, seen[64] = {0};
    ok(hk_get(&colour, b.mesh->element_count));
    ok(hk_elements_colour(b.mesh, colour, &colours));
    print_message("%s: %d colours\n", hk_shape_name(shapes[s]), (int)colours);
    assert_in_range(colours, 3, most[s]);
    for (hk_count e = 0; e < b.mesh->element_count; e++) {
      assert_in_range(colour[e], 0, colours - 1);
      seen[colour[e]]++;
    }
    for (hk_index c = 0; c < colours; c++) assert_true(seen[c] > 0);
    assert_int_equal(shared_nodes(b.mesh, colour, colours), 0);
    hk_free(&colour);
    body_destroy(&b);
  }
}

/* n quadrilaterals around one node need n colours, and have no more: 3 to 9, and more than a mask of 64 holds */
static void a_fan_has_as_many_colours_as_blades(void **state)
{
  static const int blades[] = {3, 5, 7, 9, 70};
  (void)state;
  for (size_t k = 0; k < sizeof blades / sizeof *blades; k++) {
    const int n = blades[k];
    hk_mesh *mesh = NULL;
    hk_index colour[70], colours = 0;
    ok(hk_mesh_begin(2, &mesh));
    mesh->node_count = 1 + 2 * n, mesh->element_count = n, mesh->block_count = 1;
    ok(hk_get(&mesh->x, mesh->node_count * 2));
    ok(hk_new(&mesh->block));
    mesh->block[0] = (hk_block){.shape = HK_QUAD4, .nodes = 4, .count = n};
    ok(hk_get(&mesh->block[0].node, 4 * n));
    for (int i = 0; i < 2 * n; i++) {
      const double angle = M_PI * i / n, radius = i % 2 ? 1 : cos(M_PI / n);
      mesh->x[2 + 2 * i] = radius * cos(angle), mesh->x[3 + 2 * i] = radius * sin(angle);
    }
    for (int e = 0; e < n; e++) {
      const hk_index of[4] = {0, 1 + 2 * e, 2 + 2 * e, 1 + (2 * e + 2) % (2 * n)};
      memcpy(mesh->block[0].node + 4 * e, of, sizeof of);
    }
    ok(hk_mesh_finish(mesh, "fan", NULL));
    ok(hk_mesh_raise_to(mesh, 2));
    ok(hk_elements_colour(mesh, colour, &colours));
    assert_int_equal(colours, n);
    assert_int_equal(shared_nodes(mesh, colour, colours), 0);
    hk_mesh_destroy(&mesh);
  }
}

/* a row of cells has two colours, one cell one */
static void colours_without_elements_are_none(void **state)
{
  (void)state;
  for (hk_count cells = 1; cells <= 3; cells++) {
    hk_mesh *mesh = NULL;
    hk_index colour[3], colours = 0;
    mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {cells, 1}, .shape = HK_QUAD4});
    ok(hk_mesh_raise_to(mesh, 2));
    ok(hk_elements_colour(mesh, colour, &colours));
    assert_int_equal(colours, cells == 1 ? 1 : 2);
    for (hk_count e = 1; e < cells; e++) assert_int_not_equal(colour[e], colour[e - 1]);
    hk_mesh_destroy(&mesh);
  }
}

/* each range of batches has elements of one part and colour, each element comes once */
static void batches_are_of_one_colour(void **state)
{
  (void)state;
  hk_mesh *mesh = mesh_of(BLOCK, 3, 2, 5);
  const hk_count count = mesh->element_count;
  hk_index *seen = NULL, *range = NULL;
  uint8_t *part = NULL;
  hk_space *space = NULL;
  ok(hk_get(&seen, count));
  ok(hk_get(&range, count));
  ok(hk_get(&part, count));
  for (hk_count e = 0; e < count; e++) part[e] = e % 3 == 0;
  ok(hk_space_create(mesh,
                     &(hk_space_desc){.patch = 64,
                                      .slice = 32,
                                      .element_lanes = 2,
                                      .element_group = 3,
                                      .element_part = part,
                                      .element_colours = true},
                     &space));
  const hk_interior *by = space->interior;
  assert_true(by->coloured);
  assert_int_equal(by->colours, 8);
  assert_int_equal(by->range_batch[16], by->batches);
  for (hk_index c = 0; c < 16; c++) {
    assert_int_equal(by->range_batch[c] % 3, 0);
    for (hk_index p = by->range_batch[c] * 2; p < by->range_batch[c + 1] * 2; p++) {
      const hk_index e = by->element[p];
      if (e < 0) continue;
      seen[e]++, range[e] = c;
      assert_int_equal(part[e], c / 8);
    }
  }
  for (hk_count e = 0; e < count; e++) assert_int_equal(seen[e], 1);
  assert_int_equal(shared_nodes(mesh, range, 16), 0);
  hk_free(&seen);
  hk_free(&range);
  hk_free(&part);
  hk_space_destroy(&space);
  hk_mesh_destroy(&mesh);
}

/* u after some steps of a form */
static double *result_of(const body *b, const char *method, int threads, bool real, hk_form form,
                         bool damped, double *loss)
{
  run r;
  run_open(&r, b, method, threads, real);
  ok(run_steps(&r, form, damped, form == HK_FORM_STORE ? 1 : 4));
  double *u = field_of(&r, r.u);
  if (loss && damped) *loss = total_loss(&r);
  run_destroy(&r);
  return u;
}

/* K u and four steps by colours = by slots, to 1e-12 in double and 1e-5 in single; bit by bit the same with one and two threads. The host
 * has these kernels as solvers ask for them: no increments in double. */
static void equals_slots(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k < KINDS; k++)
      for (int form = 0; form < HK_FORM_COUNT && is_of((kind)k, dim); form++)
        for (int real = 0; real <= (form != HK_FORM_INCREMENTS); real++) {
          body b = {.mesh = mesh_of((kind)k, dim, dim == 2 ? 4 : 2, 4)};
          const bool damped = form == HK_FORM_INCREMENTS || (form == HK_FORM_POSITIONS && real);
          double wanted = 1, got = 1;
          body_dress(&b, k % 2 ? ONE : EVERY_KIND);
          const hk_count dofs = b.mesh->node_count * dim;
          double *slots = result_of(&b, "spectral", 2, real, (hk_form)form, damped, &wanted),
                 *two = result_of(&b, "spectral-colours", 2, real, (hk_form)form, damped, &got),
                 *one = result_of(&b, "spectral-colours", 1, real, (hk_form)form, damped, NULL);
          const double error = difference_of(two, slots, dofs), most = real ? 1e-12 : 1e-5;
          if (!(error <= most && fabs(got / wanted - 1) <= most))
            fail_msg("mesh %d of %dD, form %d, double %d: error %.2e, loss %g, not %g", k, dim,
                     form, real, error, got, wanted);
          assert_memory_equal(one, two, (size_t)dofs * sizeof *one);
          hk_free(&slots);
          hk_free(&one);
          hk_free(&two);
          body_destroy(&b);
        }
}

static hk_status make(const hk_mesh *mesh)
{
  hk_status status = HK_OK;
  hk_space *space = NULL;
  HK_TRY(hk_space_create(mesh,
                         &(hk_space_desc){.patch = 64,
                                          .slice = 32,
                                          .element_lanes = 1,
                                          .element_group = 1,
                                          .element_colours = true},
                         &space));
cleanup:
  hk_space_destroy(&space);
  return status;
}

/* every failing allocation ends in HK_NO_RESOURCES and leaves nothing behind */
static void every_allocation_may_fail(void **state)
{
  hk_mesh *mesh = mesh_of(SPLIT, 2, 2, 3);
  (void)state;
  ok(make(mesh));
  shortage memory = {0};
  while (next_shortage(&memory)) {
    memory.status = make(mesh);
  }
  assert_true(memory.k > 10);
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_of_a_colour_share_no_node),
      cmocka_unit_test(other_shapes_share_no_node),
      cmocka_unit_test(a_fan_has_as_many_colours_as_blades),
      cmocka_unit_test(colours_without_elements_are_none),
      cmocka_unit_test(batches_are_of_one_colour),
      cmocka_unit_test(equals_slots),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
