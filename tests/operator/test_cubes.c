/* Hexahedra by cubes.k.h on devices whose threads share a memory: K u = sum of K_e u_e over elements, in any order of nodes, corners and elements. */
#include "operator/list.h"
#include "support/dense.h"
#include <hooke/status.h>
#include <math.h>

enum { TURNS = 24 };

/* Corners in the order of hex8 after a random rotation of the element. */
static void turn_elements(hk_mesh *mesh)
{
  /* about the z axis, and (x, y, z) -> (y, z, x) */
  static const int quarter[8] = {1, 2, 3, 0, 5, 6, 7, 4}, cycle[8] = {0, 4, 5, 1, 3, 7, 6, 2};
  hk_block *b = &mesh->block[0];
  for (hk_count e = 0; e < b->count; e++)
    for (int times = rand() % TURNS; times; times--) {
      const int *turn = rand() % 2 ? quarter : cycle;
      hk_index old[8], *node = b->node + 8 * e;
      memcpy(old, node, sizeof old);
      for (int c = 0; c < 8; c++) node[c] = old[turn[c]];
    }
}

/* x -> A x + b with a shear, far from the origin. */
static void shear(hk_mesh *mesh)
{
  for (hk_count i = 0; i < mesh->node_count; i++) {
    double *x = mesh->x + 3 * i;
    const double a = x[0], b = x[1], c = x[2];
    x[0] = 2 + a + .25 * b - .125 * c, x[1] = 1.25 * b + .125 * a - 1, x[2] = .75 * c + .25 * b;
  }
}

/* `sectors` wedges of one layer of hexahedra around an axis: its nodes have so many elements. The corners of a sector are
 * axis, spoke, middle of the arc, next spoke. */
static hk_mesh *make_fan(int sectors, int layers)
{
  const hk_index ring = 2 * sectors + 1, elements = sectors * layers;
  double *x = NULL;
  hk_index *node = NULL;
  ok(hk_get(&x, (hk_count)3 * ring * (layers + 1)));
  ok(hk_get(&node, (hk_count)8 * elements));
  for (int k = 0; k <= layers; k++)
    for (hk_index i = 0; i < ring; i++) {
      const double angle = acos(-1) * (i - 1) / sectors, radius = i ? 1 + .5 * (i % 2 == 0) : 0;
      double *at = x + 3 * (k * ring + i);
      at[0] = radius * cos(angle), at[1] = radius * sin(angle), at[2] = .3 * k;
    }
  for (int k = 0; k < layers; k++)
    for (int s = 0; s < sectors; s++)
      for (int c = 0; c < 8; c++) {
        const hk_index at[4] = {0, 1 + 2 * s, 2 + 2 * s, s + 1 < sectors ? 2 * s + 3 : 1};
        node[8 * (k * sectors + s) + c] = (k + c / 4) * ring + at[c % 4];
      }
  hk_mesh *mesh = mesh_of_elements(HK_HEX8, (hk_count)ring * (layers + 1), x, elements, node);
  ok(hk_mesh_finish(mesh, NULL, NULL));
  hk_free(&x);
  hk_free(&node);
  return mesh;
}

enum { GRID, TURNED, PUNCHED, SHEARED, FAN, CROWD, MESHES };

static hk_mesh *make(int which)
{
  hk_mesh *mesh;
  srand(11);
  if (which == FAN || which == CROWD) {
    mesh = make_fan(which == FAN ? 11 : 150, 5);
  } else {
    mesh = make_grid((hk_mesh_grid){
        .shape = HK_HEX8, .cells = {17, 13, 11}, .jitter = which == SHEARED ? 0 : .25});
    if (which == PUNCHED) punch(mesh);
    shuffle_nodes(mesh);
  }
  if (which == SHEARED) shear(mesh);
  if (which != GRID) turn_elements(mesh);
  return mesh;
}

enum { LARGEST = 256 << 10 }; /* more than any GPU has */

/* Whether a node of the mesh and all around it fit in what threads share. */
static bool has_room(const hk_device *device, int which)
{
  const hk_device_info *info = hk_device_describe(device);
  return which != CROWD || !hk_device_has_groups(info) || !info->local_memory ||
         info->local_memory >= LARGEST;
}

/* |K u by the form - K u by rows| over the largest; the same bits twice */
static double product_error(const body *b, hk_device *device, bool real)
{
  stiffness f;
  hk_csr k = {0};
  ok(stiffness_create(&f, &hk_operator_matrix_free, b->mesh, 0,
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

/* K u is that of the rows on every device, for every order and law. */
static void products_are_those_of_the_rows(void **state)
{
  static const materials dress[3] = {ONE, EVERY_ELEMENT, ANISOTROPIC};
  (void)state;
  for (int which = 0; which < MESHES; which++)
    for (int m = 0; m < 3; m++) {
      body b = {.mesh = make(which)};
      hk_device *device = NULL;
      body_dress(&b, dress[m]);
      for (int d = 0; next_device(d, &device); d++)
        for (int real = 0; real < 2; real++) {
          if (left_out(device, which + m + real, m < 2 ? 1 : 3) || !has_room(device, which))
            continue;
          const double error = product_error(&b, device, real);
          if (!(error <= (real ? 1e-14 : 2e-6)))
            fail_msg("%s, mesh %d, materials %d, %s: %g", hk_device_describe(device)->name, which,
                     m, real ? "double" : "single", error);
        }
      body_destroy(&b);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_those_of_the_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
