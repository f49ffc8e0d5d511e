/* Conductance matrices: one component per node, of every shape, with faces that exchange heat. */
#include "operator/assembly/assembled.h"
#include "support/dense.h"
#include "operator/list.h"
#include <hooke/status.h>

static const double conductivity[6] = {2, 3, 1.5, .4, -.3, .2};

/* Two regions: anisotropic, and one in cylindrical axes. */
static void conduct(body *b, hk_mesh *mesh, bool varies)
{
  b->mesh = mesh;
  ok(hk_get(&b->region, 2));
  ok(hk_get(&b->element_region, mesh->element_count));
  for (int r = 0; r < 2; r++) {
    b->region[r] = (hk_region){.thickness = 1 + r};
    ok(hk_material_conduct(6, conductivity, &b->region[r].material));
  }
  b->region[1].varies = varies;
  b->region[1].axes = (hk_axes){
      .kind = HK_AXES_CYLINDRICAL, .origin = {-5, -4, 0}, .row = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (hk_count e = 0; e < mesh->element_count; e++) b->element_region[e] = varies && e % 3 == 0;
}

static void clear(body *b)
{
  hk_mesh_destroy(&b->mesh);
  hk_free(&b->region);
  hk_free(&b->element_region);
}

/* Of straight-edged patches, by their full rules. */
static double volume_of(const hk_mesh *mesh)
{
  double volume = 0, x[3 * HK_MOST_NODES], g[3 * HK_MOST_NODES];
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int k = 0; k < element->nodes * mesh->dim; k++)
      x[k] = mesh->x[(hk_count)node[k / mesh->dim] * mesh->dim + k % mesh->dim];
    for (int q = 0; q < element->exact.points; q++)
      volume +=
          element->exact.weight[q] * hk_element_physical(element, element->exact.point[q], x, g);
  }
  return volume;
}

/* on each device K is the host's to 1e-13 of its largest entry, with films and without, then with a reaction; without both rows sum to
 * nothing, and a reaction's part of them is beta times the volume */
static void devices_agree(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) {
    for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
      for (int films = 0; films < 3; films++) { /* 2: a reaction instead */
        if (left_out(device, shape + films, 3)) continue;
        body b = {0};
        hk_space *space = NULL;
        hk_operator *op = NULL;
        hk_csr mine = {0}, theirs = {0};
        conduct(&b, make_patch((hk_shape)shape, .1), true);
        for (int r = 0; r < 2 && films == 2; r++)
          b.region[r].material.reaction = .7 / (b.mesh->dim == 2 ? 1 + r : 1);
        const hk_exchange exchange[] = {{.element = 0, .face = 1, .coefficient = 5},
                                        {.element = 2, .face = 0, .coefficient = 3},
                                        {.element = 2, .face = 2, .coefficient = 4}};
        hk_space_desc numbering = hk_operator_assembled.space(b.mesh, device, true);
        numbering.components = 1;
        ok(hk_space_create(b.mesh, &numbering, &space));
        const hk_operator_desc desc = {
            .device = device,
            .space = space,
            .region = b.region,
            .element_region = b.element_region,
            .double_precision = true,
            .terms = {{{&hk_exchange_kind, exchange, films == 1 ? 3 : 0}}}};
        ok(hk_csr_assemble(&desc, &mine));
        ok(hk_operator_create(&hk_operator_assembled, &desc, &op));
        ok(hk_assembled_read(op, &theirs));
        assert_int_equal(mine.entries, theirs.entries);
        double most = 0, error = 0, sum = 0;
        for (hk_count e = 0; e < mine.entries; e++) {
          most = fmax(most, fabs(mine.block[e]));
          error = hk_larger(error, fabs(mine.block[e] - theirs.block[e]));
          sum += mine.block[e];
        }
        if (!(error <= 1e-13 * most)) fail_msg("%s: %g", hk_shape_name((hk_shape)shape), error);
        if (films == 2)
          assert_true(fabs(sum - .7 * volume_of(b.mesh)) <= 1e-11 * volume_of(b.mesh));
        else
          assert_true(films ? sum > 1e-3 : fabs(sum) <= 1e-11 * most);
        hk_operator_destroy(&op);
        hk_csr_clear(&mine);
        hk_csr_clear(&theirs);
        hk_space_destroy(&space);
        clear(&b);
      }
    hk_device_close(&device);
  }
}

static bool same_face(const hk_mesh *mesh, hk_count e, int f, hk_count g, int h)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_element_face *a = &element->face[f], *b = &element->face[h];
  const hk_index *x = hk_mesh_nodes_of(mesh, e), *y = hk_mesh_nodes_of(mesh, g);
  if (a->nodes != b->nodes) return false;
  for (int i = 0; i < a->nodes; i++) {
    bool found = false;
    for (int j = 0; j < b->nodes; j++) found = found || x[a->node[i]] == y[b->node[j]];
    if (!found) return false;
  }
  return true;
}

static void mark_boundary(const hk_mesh *mesh, bool *outer)
{
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    for (int f = 0; f < element->faces; f++) {
      bool inner = false;
      for (hk_count g = 0; g < mesh->element_count && !inner; g++)
        for (int h = 0; h < element->faces && g != e; h++)
          inner = inner || same_face(mesh, e, f, g, h);
      for (int n = 0; n < element->face[f].nodes && !inner; n++)
        outer[hk_mesh_nodes_of(mesh, e)[element->face[f].node[n]]] = true;
    }
  }
}

/* a linear temperature leaves no heat at inner nodes, for every shape and integration, to 1e-12 of the largest on the boundary */
static void linear_temperatures_are_exact(void **state)
{
  static const hk_integration way[] = {HK_INTEGRATION_FULL, HK_INTEGRATION_REDUCED};
  (void)state;
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
    for (int w = 0; w < 2; w++) {
      body b = {0};
      hk_space *space = NULL;
      hk_csr k = {0};
      bool *outer = NULL;
      double inside = 0, outside = 0;
      int inner = 0;
      if (!has_integration(hk_element_of((hk_shape)shape), way[w])) continue;
      conduct(&b, make_patch((hk_shape)shape, .2), false);
      const int dim = b.mesh->dim;
      b.region[0].integration = way[w];
      ok(hk_space_create(b.mesh, &(hk_space_desc){.components = 1, .patch = 32, .slice = 32},
                         &space));
      ok(hk_csr_assemble(&(hk_operator_desc){.space = space,
                                             .region = b.region,
                                             .element_region = b.element_region},
                         &k));
      ok(hk_get(&outer, b.mesh->node_count));
      mark_boundary(b.mesh, outer);
      for (hk_count i = 0; i < k.rows; i++) {
        double heat = 0;
        for (hk_count q = k.begin[i]; q < k.begin[i + 1]; q++) {
          const double *x = b.mesh->x + (hk_count)space->mesh_node[k.column[q]] * dim;
          heat += k.block[q] * (1 + 2 * x[0] - 3 * x[1] + (dim == 3 ? 4 * x[2] : 0));
        }
        if (space->mesh_node[i] < 0) continue;
        const bool at_edge = outer[space->mesh_node[i]];
        inner += !at_edge;
        inside = at_edge ? inside : hk_larger(inside, fabs(heat));
        outside = at_edge ? hk_larger(outside, fabs(heat)) : outside;
      }
      assert_true(inner > 0);
      if (!(inside <= 1e-12 * outside))
        fail_msg("%s: %g beside %g", hk_shape_name((hk_shape)shape), inside, outside);
      hk_free(&outer);
      hk_csr_clear(&k);
      hk_space_destroy(&space);
      clear(&b);
    }
}

/* whichever allocation fails: HK_NO_RESOURCES, nothing is kept */
static void allocations_fail(void **state)
{
  body b = {0};
  hk_space *space = NULL;
  hk_device *device = NULL;
  hk_operator *op = NULL;
  hk_status status = HK_NO_RESOURCES;
  const hk_exchange exchange[] = {{.element = 0, .face = 1, .coefficient = 5}};
  (void)state;
  conduct(&b, make_patch(HK_TET10, .1), true);
  ok(hk_device_open("cpu", 1, &device));
  ok(hk_space_create(b.mesh, &(hk_space_desc){.components = 1, .patch = 32, .slice = 32}, &space));
  const hk_operator_desc desc = {.device = device,
                                 .space = space,
                                 .region = b.region,
                                 .element_region = b.element_region,
                                 .double_precision = true,
                                 .terms = {{{&hk_exchange_kind, exchange, 1}}}};
  ok(hk_operator_create(&hk_operator_assembled, &desc, &op)); /* what is made once */
  hk_operator_destroy(&op);
  const hk_count before = hk_memory_held();
  for (hk_count n = 1; status != HK_OK; n++) {
    hk_memory_fail_at(n);
    status = hk_operator_create(&hk_operator_assembled, &desc, &op);
    hk_memory_fail_at(0);
    if (status == HK_OK) break;
    assert_int_equal(status, HK_NO_RESOURCES);
    assert_int_equal(hk_memory_held(), before);
  }
  hk_operator_destroy(&op);
  assert_int_equal(hk_memory_held(), before);
  hk_space_destroy(&space);
  hk_device_close(&device);
  clear(&b);
}

/* forms of displacements refuse temperatures by name */
static void other_forms_refuse(void **state)
{
  body b = {0};
  hk_space *space = NULL;
  hk_device *device = NULL;
  hk_operator *op = NULL;
  const hk_operator_kind *kind = NULL;
  (void)state;
  conduct(&b, make_patch(HK_TRI3, .1), false);
  ok(hk_device_open("cpu", 1, &device));
  ok(hk_operator_choose("edges", b.mesh, device, &kind));
  hk_space_desc numbering = kind->space(b.mesh, device, true);
  numbering.components = 1;
  ok(hk_space_create(b.mesh, &numbering, &space));
  assert_int_equal(hk_operator_create(kind,
                                      &(hk_operator_desc){.device = device,
                                                          .space = space,
                                                          .region = b.region,
                                                          .element_region = b.element_region,
                                                          .double_precision = true},
                                      &op),
                   HK_BAD_INPUT);
  error_says("edges");
  hk_space_destroy(&space);
  hk_device_close(&device);
  clear(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices_agree), cmocka_unit_test(linear_temperatures_are_exact),
      cmocka_unit_test(allocations_fail), cmocka_unit_test(other_forms_refuse)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
