/* K by spectral elements is the sum over elements of G^T C G with the quadrature of their nodes, integrated here point by point from the
 * gradients of the shape functions: every order, class of map, law, precision and device. */
#include "fixture.h"
#include "element/element.h"
#include "operator/spectral_map.h"

static const char *const devices[] = {"cpu", "opencl"};
typedef enum map { AFFINE, CORNERS, CURVED, MIXED, MAPS } map;

/* MIXED: affine on the left, curved on the right. */
static hk_mesh *mesh_of(int dim, int order, map m, int cells)
{
  hk_mesh *mesh = NULL;
  ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = dim,
                                         .to = {1, 1.2, 0.9},
                                         .cells = {cells + 1, cells, dim == 3 ? cells : 0},
                                         .shape = dim == 2 ? HK_QUAD4 : HK_HEX8,
                                         .jitter = m == CORNERS || m == CURVED ? 0.15 : 0,
                                         .shuffle = 5},
                         &mesh));
  ok(hk_mesh_raise_to(mesh, order));
  for (hk_count n = 0; m >= CURVED && n < mesh->node_count; n++) {
    double *x = mesh->x + n * dim, y = m == CURVED ? 0.04 : 0.1 * fmax(0, x[0] - 0.5);
    const double z = dim == 3 ? x[2] : 0;
    x[0] += y * sin(5 * x[1] + z), x[1] += y * sin(4 * x[0] + 2 * z);
  }
  return mesh;
}

/* f += of element e, u and f in the numbers of the mesh */
static void add_element(const body *b, hk_count e, const double *u, double *f)
{
  const hk_element *shape = hk_element_of(hk_mesh_block_of(b->mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(b->mesh, e);
  const int dim = b->mesh->dim, strains = 3 * dim - 3;
  static const int pair[2][6][2] = {{{0, 0}, {1, 1}, {0, 1}},
                                    {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}};
  static hk_spectral_map place;
  static double x[3 * HK_MOST_NODES], g[3 * HK_MOST_NODES];
  double d[36];
  hk_region_stiffness(&b->region[b->element_region[e]], dim, d);
  assert_true(hk_spectral_map_find(b->mesh, e, &place));
  for (int n = 0; n < shape->nodes; n++)
    for (int c = 0; c < dim; c++) x[n * dim + c] = b->mesh->x[(hk_count)node[n] * dim + c];
  for (int q = 0; q < shape->nodes; q++) {
    double slope[3][3] = {{0}}, strain[6] = {0}, stress[3][3] = {{0}};
    const double w =
        place.weight[q] * hk_element_physical(shape, shape->reference[shape->lattice[q]], x, g);
    for (int n = 0; n < shape->nodes; n++)
      for (int k = 0; k < dim * dim; k++)
        slope[k / dim][k % dim] += u[(hk_count)node[n] * dim + k / dim] * g[n * dim + k % dim];
    for (int k = 0; k < strains; k++) {
      const int *p = pair[dim - 2][k];
      strain[k] = p[0] == p[1] ? slope[p[0]][p[0]] : slope[p[0]][p[1]] + slope[p[1]][p[0]];
    }
    for (int k = 0; k < strains; k++) {
      const int *p = pair[dim - 2][k];
      double sum = 0;
      for (int m = 0; m < strains; m++) sum += d[k * strains + m] * strain[m];
      stress[p[0]][p[1]] = stress[p[1]][p[0]] = w * sum;
    }
    for (int n = 0; n < shape->nodes; n++)
      for (int k = 0; k < dim * dim; k++)
        f[(hk_count)node[n] * dim + k / dim] += stress[k / dim][k % dim] * g[n * dim + k % dim];
  }
}

/* largest error over largest force, of random u */
static double error_of(const body *b, hk_device *device, bool real, const double *u,
                       const double *wanted)
{
  const hk_operator_kind *kind = NULL;
  hk_space *space = NULL;
  hk_operator *op = NULL;
  hk_buffer *in = NULL, *out = NULL;
  double *own = NULL, *found = NULL, most = 0, error = 0;
  ok(hk_operator_choose("auto", b->mesh, device, &kind));
  assert_string_equal(kind->name, "spectral");
  const hk_space_desc numbering = kind->space(b->mesh, device, real);
  ok(hk_space_create(b->mesh, &numbering, &space));
  const hk_count dofs = (hk_count)space->padded * space->dim;
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = device,
                                            .space = space,
                                            .region = b->region,
                                            .element_region = b->element_region,
                                            .double_precision = real},
                        &op));
  ok(hk_get(&own, dofs));
  ok(hk_get(&found, b->mesh->node_count * space->dim));
  ok(hk_buffer_create(device, dofs * (real ? 8 : 4), &in));
  ok(hk_buffer_create(device, dofs * (real ? 8 : 4), &out));
  hk_space_to_internal(space, space->dim, u, own);
  ok(hk_buffer_write_reals(in, real, 0, dofs, own));
  ok(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  ok(hk_operator_apply(op, &(hk_epilogue){.form = HK_FORM_STORE, .u = in, .out = out}));
  ok(hk_buffer_read_reals(out, real, 0, dofs, own));
  for (hk_index i = 0; i < space->padded; i++)
    for (int c = 0; c < space->dim && space->mesh_node[i] < 0; c++)
      assert_true(own[(hk_count)i * space->dim + c] == 0);
  hk_space_from_internal(space, space->dim, own, found);
  for (hk_count i = 0; i < b->mesh->node_count * space->dim; i++) {
    most = fmax(most, fabs(wanted[i]));
    if (!(fabs(found[i] - wanted[i]) <= error)) error = fabs(found[i] - wanted[i]);
  }
  hk_free(&own);
  hk_free(&found);
  hk_buffer_destroy(&in);
  hk_buffer_destroy(&out);
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  return error / most;
}

static void check(hk_device *device, int dim, int order, map m, materials law, int cells)
{
  body b = {.mesh = mesh_of(dim, order, m, cells)};
  body_dress(&b, law);
  const hk_count dofs = b.mesh->node_count * dim;
  double *u = NULL, *f = NULL;
  ok(hk_get(&u, dofs));
  ok(hk_get(&f, dofs));
  srand(3);
  for (hk_count i = 0; i < dofs; i++) u[i] = (float)uniform();
  for (hk_count e = 0; e < b.mesh->element_count; e++) add_element(&b, e, u, f);
  for (int real = 0; real < 2; real++) {
    const double error = error_of(&b, device, real, u, f);
    if (!(error <= (real ? 1e-12 : 1e-5)))
      fail_msg("%s, %dD, order %d, map %d, materials %d, double %d: error %.2e",
               hk_device_describe(device)->backend, dim, order, (int)m, (int)law, real, error);
  }
  hk_free(&u);
  hk_free(&f);
  body_destroy(&b);
}

static void host_computes_every_order_map_and_law(void **state)
{
  static const materials laws[] = {ONE, ANISOTROPIC, EVERY_KIND};
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  for (int order = 1; order <= 10; order++)
    for (int k = 0; k < MAPS * 3; k++)
      check(device, 2, order, (map)(k / 3), laws[k % 3], order < 6 ? 5 : 2);
  for (int order = 1; order <= 6; order++)
    for (int k = 0; k<MAPS * 3; k += order> 2 ? 5 : 1)
      check(device, 3, order, (map)(k / 3), laws[k % 3], order < 4 ? 3 : 1);
  hk_device_close(&device);
}

static void chunks_share_nodes(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  check(device, 2, 4, CORNERS, EVERY_KIND, 70);
  check(device, 3, 2, CURVED, EVERY_KIND, 17);
  hk_device_close(&device);
}

static void compiled_kernels_compute_the_same(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (hk_device_open(devices[1], 1, &device) != HK_OK) skip();
  check(device, 2, 1, CORNERS, ONE, 4);
  check(device, 2, 4, MIXED, EVERY_KIND, 7);
  check(device, 2, 10, CURVED, ONE, 3);
  check(device, 3, 1, CURVED, ONE, 3);
  check(device, 3, 2, CORNERS, EVERY_KIND, 3);
  check(device, 3, 4, MIXED, ONE, 2);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(host_computes_every_order_map_and_law),
      cmocka_unit_test(chunks_share_nodes),
      cmocka_unit_test(compiled_kernels_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
