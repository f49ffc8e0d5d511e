/* Memory of K in rows: what is foreseen is what is taken. */
#include "operator/assembly/assembled.h"
#include "support/dense.h"
#include "operator/list.h"

/* planned / taken of the body with so many components (0: displacements) */
static double share(body *b, hk_device *device, int components, bool real, bool exact)
{
  const hk_exchange exchange[] = {{.element = 0, .face = 1, .coefficient = 5},
                                  {.element = 2, .face = 0, .coefficient = 3},
                                  {.element = 2, .face = 1, .coefficient = 4}};
  hk_space *space = NULL;
  hk_operator *op = NULL;
  hk_assembled_room planned = {0};
  hk_space_desc numbering = hk_operator_assembled.space(b->mesh, device, real);
  numbering.components = components;
  ok(hk_space_create(b->mesh, &numbering, &space));
  const hk_operator_desc desc = {
      .device = device,
      .space = space,
      .region = b->region,
      .element_region = b->element_region,
      .double_precision = real,
      .terms = {{{&hk_exchange_kind, exchange, components == 1 ? 3 : 0}}}};
  ok(hk_assembled_plan(&desc, exact, &planned));
  ok(hk_operator_create(&hk_operator_assembled, &desc, &op));
  const double share = (double)planned.bytes / (double)op->memory;
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  return share;
}

static void conduct(body *b, bool varies)
{
  static const double conductivity[6] = {2, 3, 1.5, .4, -.3, .2};
  for (int r = 0; r < REGIONS; r++) {
    b->region[r] = (hk_region){.thickness = 1, .varies = varies && r % 2};
    ok(hk_material_conduct(6, conductivity, &b->region[r].material));
    b->region[r].axes = (hk_axes){.kind = HK_AXES_CYLINDRICAL,
                                  .origin = {-5, -4, 0},
                                  .row = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  }
}

/* to the byte, of every shape: displacements; reduced integration and incompatible modes, which the host integrates; heat with films; with
 * laws that vary */
static void the_plan_is_what_is_taken(void **state)
{
  static const hk_integration way[] = {HK_INTEGRATION_FULL, HK_INTEGRATION_REDUCED,
                                       HK_INTEGRATION_INCOMPATIBLE};
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) {
    for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
      for (int what = 0; what < 5; what++) {
        if (left_out(device, shape + what, 5)) continue;
        body b = {.mesh = make_patch((hk_shape)shape, .1)};
        body_dress(&b, EVERY_KIND);
        if (what > 2) conduct(&b, what == 4);
        for (int r = 0; what < 3 && r < REGIONS; r += 1 + what) b.region[r].integration = way[what];
        const double got = share(&b, device, what > 2, shape % 2, true);
        if (got != 1)
          fail_msg("%s, %d: planned %.6f of what is taken", hk_shape_name((hk_shape)shape), what,
                   got);
        body_destroy(&b);
      }
    hk_device_close(&device);
  }
}

/* to the byte where element matrices are summed in chunks of rows, whose elements overlap: in a scratch of 1 MB */
static void chunks_are_counted(void **state)
{
  static const hk_shape shapes[] = {HK_QUAD4, HK_TRI3, HK_HEX8, HK_TET4};
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  const double before = hk_memory_share(1. / 64);
  for (int s = 0; s < 4; s++)
    for (int order = 1; order < 3; order++) {
      const int n = (s < 2 ? 90 : 13) / order;
      const bool heat = s % 2 && order == 1; /* simplices of displacements have no matrices */
      body b = {.mesh = make_grid((hk_mesh_grid){.dim = s < 2 ? 2 : 3,
                                                 .to = {1, 1, 1},
                                                 .cells = {n, n, n},
                                                 .shape = shapes[s],
                                                 .shuffle = 3})};
      if (order == 2) ok(hk_mesh_raise(b.mesh));
      body_dress(&b, ONE);
      if (heat) conduct(&b, false);
      const double got = share(&b, device, heat, true, true);
      if (got != 1)
        fail_msg("%s, order %d: planned %.6f of what is taken", hk_shape_name(shapes[s]), order,
                 got);
      body_destroy(&b);
    }
  hk_memory_share(before);
  hk_device_close(&device);
}

/* by mean rows within 15 % on small grids, whose surface has short rows, of displacements and of heat */
static void means_are_near(void **state)
{
  static const hk_shape shapes[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  for (int s = 0; s < 4; s++)
    for (int heat = 0; heat < 2; heat++) {
      body b = {0};
      body_create(&b, shapes[s], ONE);
      if (heat) conduct(&b, false);
      const double got = share(&b, device, heat, true, false);
      if (!(fabs(got - 1) <= 0.15))
        fail_msg("%s, %d: planned %.3f of what is taken", hk_shape_name(shapes[s]), heat, got);
      body_destroy(&b);
    }
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_plan_is_what_is_taken),
      cmocka_unit_test(chunks_are_counted),
      cmocka_unit_test(means_are_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
