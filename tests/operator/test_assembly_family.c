/* The assembled matrix of elements of order p, integrated by operator/integration/integral.h on the device, is the plain one (operator/assembly/csr.h). */
#include "operator/assembly/assembly.h"
#include "operator/assembly/csr.h"
#include "support/body.h"

enum { MIXED = 0 }; /* orders 1 to 4, an element each in turn */

static hk_mesh *make_mesh(hk_shape linear, int order)
{
  const hk_mesh_grid grid = {
      .to = {1, 1.2, .8}, .cells = {2, 1, 1}, .shape = linear, .jitter = 0.2, .shuffle = 3};
  hk_mesh *mesh = linear == HK_WEDGE6
                      ? make_prisms(grid, 1, (const hk_mesh_layer[1]){{.5, 1, NULL}})
                      : make_grid(grid);
  if (order == MIXED) {
    int8_t each[16];
    assert_in_range(mesh->element_count, 2, 16);
    for (hk_count e = 0; e < mesh->element_count; e++) each[e] = (int8_t)(1 + (e + 1) % 4);
    ok(hk_mesh_raise_orders(mesh, each));
  } else
    ok(hk_mesh_raise_to(mesh, order));
  for (hk_count i = 0; i < mesh->node_count * 3; i++) mesh->x[i] += .004 * sin(3.0 * (double)i);
  return mesh;
}

static void check(hk_device *device, hk_shape linear, int order, int components, materials which,
                  bool real)
{
  body b = {.mesh = make_mesh(linear, order)};
  hk_space *space = NULL;
  hk_assembly *k = NULL;
  hk_csr own = {0}, plain = {0};
  double most = 0, error = 0;
  body_dress(&b, which);
  for (int r = 0; r < REGIONS; r++)
    ok(hk_material_conduct(1, (const double[]){3 + r % 5}, &b.region[r].material));
  ok(hk_space_create(b.mesh, &(hk_space_desc){.patch = 32, .slice = 32, .components = components},
                     &space));
  const hk_assembly_desc desc = {.on = {.device = device,
                                        .space = space,
                                        .region = b.region,
                                        .element_region = b.element_region,
                                        .double_precision = real}};
  ok(hk_assembly_create(&desc, &k));
  for (int i = 0; i < b.mesh->block_count; i++) /* none is left to the host */
    assert_true(hk_shape_listed(b.mesh->block[i].shape) || k->family[i]);
  for (int fill = 0; fill < 2; fill++) { /* the second from other laws */
    ok(hk_assembly_fill(k));
    ok(hk_assembly_read(k, &own));
    ok(hk_csr_assemble(&desc.on, &plain));
    assert_int_equal(own.entries, plain.entries);
    for (hk_count i = 0; i < own.entries * components * components; i++) {
      most = fmax(most, fabs(plain.block[i]));
      error = hk_larger(error, fabs(plain.block[i] - own.block[i]));
    }
    if (!(error <= (real ? 1e-12 : 1e-5) * most))
      fail_msg("%s of order %d, %d components: off by %.2e of %.2e", hk_shape_name(linear), order,
               components, error, most);
    hk_csr_clear(&own);
    hk_csr_clear(&plain);
    for (int r = 0; r < REGIONS; r++) {
      for (int c = 0; c < 36; c++) b.region[r].material.c[c / 6][c % 6] *= 1.5;
      for (int c = 0; c < 9; c++) b.region[r].material.conductivity[c / 3][c % 3] *= 1.5;
    }
  }
  hk_assembly_destroy(&k);
  hk_space_destroy(&space);
  body_destroy(&b);
}

static void check_all(hk_device *device)
{
  check(device, HK_WEDGE6, 3, 3, EVERY_ELEMENT, true);
  check(device, HK_WEDGE6, 4, 1, EVERY_ELEMENT, true);
  check(device, HK_WEDGE6, 2, 3, ANISOTROPIC, true);
  check(device, HK_HEX8, 3, 3, EVERY_ELEMENT, false);
  check(device, HK_WEDGE6, MIXED, 3, EVERY_ELEMENT, true);
  check(device, HK_WEDGE6, MIXED, 1, EVERY_ELEMENT, true);
  check(device, HK_HEX8, MIXED, 3, ANISOTROPIC, false);
}

static void on_host(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  check_all(device);
  hk_device_close(&device);
}

static void on_opencl(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (hk_device_open("opencl", 2, &device) != HK_OK) skip();
  check_all(device);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(on_host), cmocka_unit_test(on_opencl)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
