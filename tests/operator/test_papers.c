/* The papers' ways of stage 3 (papers/assembly.h) on each device of this machine. */
#include "operator/assembly_fixture.h"
#include "papers/assembly.h"

/* The matrix of a way is the dense one. */
static void compare_way(const body *b, hk_device *device, hk_matrix_format format,
                        hk_assembly_way way, const double *expected)
{
  const hk_device_info *info = hk_device_describe(device);
  const char *shape = hk_shape_name(b->mesh->block[0].shape);
  const hk_count n = b->mesh->node_count * 3;
  hk_assembly_filled filled;
  made m = make(b, device, &(hk_assembly_desc){.format = format, .on.double_precision = true});
  const hk_status status = hk_assembly_fill_by(m.k, way, &filled);
  if (way == HK_ASSEMBLE_SHARED_NZ && status == HK_NO_RESOURCES)
    assert_true(info->local_memory && info->local_memory < 112 << 10); /* its pool does not fit */
  else {
    ok(status);
    assert_true((way == HK_ASSEMBLE_COLOURS) == (filled.colours > 0));
    double *got = dense_of_made(&m);
    const double error = difference_of(got, expected, n * n);
    if (!(error <= 1e-13)) /* sums of up to 162 elements: 3e-16 to 8e-16 measured */
      fail_msg("%s, %s, %s, format %d: error %.2e", shape, info->backend, hk_assembly_way_name(way),
               (int)format, error);
    hk_free(&got);
  }
  unmake(&m);
}

/* the papers' ways give what ours does, in each format that they know, to the rounding of other orders */
static void papers_agree(void **state)
{
  static const hk_shape shapes[] = {HK_TET4, HK_TET10, HK_HEX20};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    for (int s = 0; s < 3; s++) {
      body b = {0};
      body_of_shape(&b, shapes[s], EVERY_KIND);
      double *expected = dense_of(&b);
      for (int f = 0; f < HK_FORMATS; f += HK_FORMAT_ELL)
        for (int w = 0; w < HK_ASSEMBLE_WAYS; w++)
          if (!left_out(device, s + f + w, 2))
            compare_way(&b, device, (hk_matrix_format)f, (hk_assembly_way)w, expected);
      hk_free(&expected);
      body_destroy(&b);
    }
    hk_device_close(&device);
  }
}

/* the same on grids of any number of cells, with nodes at random places and in a random order: elements share a batch, groups an element */
static void papers_agree_on_grids(void **state)
{
  static const hk_shape shapes[] = {HK_TET4, HK_TET10, HK_HEX20};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    for (int s = 0; s < 3; s++) {
      body b = {0};
      srand((unsigned)(29 + s));
      const hk_count across = 2 + rand() % 3, along = 3 + rand() % 2;
      b.mesh = make_grid((hk_mesh_grid){.dim = 3,
                                        .cells = {across, along, 2},
                                        .shape = hk_shape_linear(shapes[s]),
                                        .jitter = 0.2,
                                        .shuffle = (uint64_t)rand() + 1});
      if (shapes[s] != HK_TET4) ok(hk_mesh_raise(b.mesh));
      body_dress(&b, EVERY_KIND);
      double *expected = dense_of(&b);
      const hk_matrix_format format = s % 2 ? HK_FORMAT_NODES : HK_FORMAT_ELL;
      for (int w = HK_ASSEMBLE_SHARED_NZ; w < HK_ASSEMBLE_WAYS; w++)
        compare_way(&b, device, format, (hk_assembly_way)w, expected);
      compare_way(&b, device, format, (hk_assembly_way)(s % 2), expected);
      hk_free(&expected);
      body_destroy(&b);
    }
    hk_device_close(&device);
  }
}

/* ways without atomics give the same bits in two runs */
static void colours_repeat(void **state)
{
  hk_device *device = NULL;
  body b = {0};
  (void)state;
  body_of_shape(&b, HK_TET10, LAYERS);
  for (int k = 0; next_device(k, &device); k++)
    for (int w = HK_ASSEMBLE_SHARED_NZ; w < HK_ASSEMBLE_WAYS; w++) {
      hk_assembly_filled filled;
      made m = make(&b, device, &(hk_assembly_desc){.on.double_precision = true});
      ok(hk_assembly_fill_by(m.k, (hk_assembly_way)w, &filled));
      double *one = read_values(&m);
      ok(hk_assembly_fill(m.k));
      ok(hk_assembly_fill_by(m.k, (hk_assembly_way)w, &filled));
      double *two = read_values(&m);
      assert_memory_equal(one, two, (size_t)hk_buffer_bytes(m.k->value));
      hk_free(&one);
      hk_free(&two);
      unmake(&m);
    }
  body_destroy(&b);
}

static double *read_and_destroy(hk_assembly **k)
{
  double *value = NULL;
  const hk_count count = hk_buffer_bytes((*k)->value) / 8;
  ok(hk_get(&value, count));
  ok(hk_buffer_read((*k)->value, 0, count * 8, value));
  hk_assembly_destroy(k);
  return value;
}

/* Keating, Algorithm 3: conductances added element by element, each place found by search, are those that rows gather, to the rounding of
 * other orders; ways that do not have them refuse */
static void conductances_by_search(void **state)
{
  static const hk_shape shapes[] = {HK_TRI3, HK_TET4};
  const double conductivity[] = {3, 2, 5, 0.4, 0.1, 0.2};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    for (int s = 0; s < 4; s++) {
      hk_mesh *mesh = NULL;
      hk_space *space = NULL;
      hk_region region = {.thickness = 1};
      hk_index *none = NULL;
      hk_assembly *own = NULL, *other = NULL;
      hk_assembly_filled filled;
      ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = 2 + s % 2,
                                             .to = {1, 1.2, 0.9},
                                             .cells = {6, 5, 4},
                                             .shape = shapes[s % 2],
                                             .jitter = 0.3,
                                             .shuffle = 5},
                             &mesh));
      ok(hk_material_conduct(6, conductivity, &region.material));
      ok(hk_get(&none, mesh->element_count));
      ok(hk_space_create(mesh, &(hk_space_desc){.components = 1, .patch = 32, .slice = 32},
                         &space));
      const hk_assembly_desc desc = {.on = {device, space, &region, none, true},
                                     .format = s < 2 ? HK_FORMAT_CSR : HK_FORMAT_ELL};
      ok(hk_assembly_create(&desc, &own));
      ok(hk_assembly_fill(own));
      ok(hk_assembly_create(&desc, &other));
      ok(hk_assembly_fill_by(other, HK_ASSEMBLE_SAME, &filled));
      for (int w = HK_ASSEMBLE_SEPARATE; w < HK_ASSEMBLE_WAYS; w++)
        assert_int_equal(hk_assembly_fill_by(other, (hk_assembly_way)w, &filled), HK_BAD_INPUT);
      const hk_count count = hk_buffer_bytes(own->value) / 8;
      double *expected = read_and_destroy(&own), *got = read_and_destroy(&other);
      const double error = difference_of(got, expected, count);
      if (!(error <= 1e-13))
        fail_msg("%s, %s: error %.2e", hk_shape_name(shapes[s % 2]),
                 hk_device_describe(device)->backend, error);
      hk_free(&expected);
      hk_free(&got);
      hk_space_destroy(&space);
      hk_free(&none);
      hk_mesh_destroy(&mesh);
    }
    hk_device_close(&device);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(papers_agree), cmocka_unit_test(papers_agree_on_grids),
      cmocka_unit_test(colours_repeat), cmocka_unit_test(conductances_by_search)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
