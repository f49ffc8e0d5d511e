/* K by spectral elements is the sum over elements of G^T C G with the quadrature of their nodes, integrated here point by point from the
 * gradients of the shape functions: every order, class of map, law, precision and device. */
#include "support/body.h"
#include "element/element.h"
#include "operator/element/lumped.h"
#include "operator/spectral/map.h"
#include "operator/spectral/tune.h"
#include <omp.h>
#include <stdio.h>

static const char *const devices[] = {"cpu", "opencl"};
/* Beside the materials of the fixture: fluids alone; fluids and solids, of whose elements each reads and adds its own unknowns. */
enum { FLUIDS = MATERIALS, MEDIA };
typedef enum map { AFFINE, CORNERS, CURVED, MIXED, MAPS } map;

/* MIXED: affine on the left, curved on the right. */
static hk_mesh *mesh_of(int dim, int order, map m, int cells)
{
  hk_mesh *mesh = make_grid((hk_mesh_grid){.cells = {cells + 1, cells, dim == 3 ? cells : 0},
                                           .shape = dim == 2 ? HK_QUAD4 : HK_HEX8,
                                           .jitter = m == CORNERS || m == CURVED ? 0.15 : 0,
                                           .shuffle = 5});
  ok(hk_mesh_raise_to(mesh, order));
  for (hk_count n = 0; m >= CURVED && n < mesh->node_count; n++) {
    double *x = mesh->x + n * dim, y = m == CURVED ? 0.04 : 0.1 * fmax(0, x[0] - 0.5);
    const double z = dim == 3 ? x[2] : 0;
    x[0] += y * sin(5 * x[1] + z), x[1] += y * sin(4 * x[0] + 2 * z);
  }
  return mesh;
}

/* The same of a fluid: f = integral of (grad . grad u) / density */
static void add_fluid(const body *b, hk_count e, int state, const double *u, double *f)
{
  const hk_element *shape = hk_element_of(hk_mesh_block_of(b->mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(b->mesh, e);
  const hk_region *region = &b->region[b->element_region[e]];
  const int dim = b->mesh->dim;
  const double law = (dim == 2 ? region->thickness : 1) / region->material.density;
  static hk_spectral_map place;
  static double x[3 * HK_MOST_NODES], g[3 * HK_MOST_NODES];
  assert_true(hk_spectral_map_find(b->mesh, e, &place));
  for (int n = 0; n < shape->nodes; n++)
    for (int c = 0; c < dim; c++) x[n * dim + c] = b->mesh->x[(hk_count)node[n] * dim + c];
  for (int q = 0; q < shape->nodes; q++) {
    double slope[3] = {0};
    const double w =
        place.weight[q] * hk_element_physical(shape, shape->reference[shape->lattice[q]], x, g);
    for (int n = 0; n < shape->nodes; n++)
      for (int d = 0; d < dim; d++) slope[d] += u[(hk_count)node[n] * state] * g[n * dim + d];
    for (int n = 0; n < shape->nodes; n++)
      for (int d = 0; d < dim; d++)
        f[(hk_count)node[n] * state] += w * law * slope[d] * g[n * dim + d];
  }
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

static const int *option; /* how groups are launched; NULL: as ever */

/* largest error over largest force, of random u */
static double error_of(const body *b, hk_device *device, bool real, int state, const double *u,
                       const double *wanted)
{
  uint8_t *part = NULL;
  const hk_operator_kind *kind = NULL;
  hk_space *space = NULL;
  hk_operator *op = NULL;
  double *own = NULL, *found = NULL;
  ok(hk_operator_choose("auto", b->mesh, device, &kind));
  assert_string_equal(kind->name, "spectral");
  hk_space_desc numbering = hk_spectral_space(b->mesh, device, real, option);
  ok(hk_get(&part, b->mesh->element_count));
  for (hk_count e = 0; e < b->mesh->element_count; e++)
    part[e] = b->region[b->element_region[e]].material.fluid;
  numbering.element_part = part, numbering.components = state;
  ok(hk_space_create(b->mesh, &numbering, &space));
  const hk_count dofs = (hk_count)space->padded * state;
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = device,
                                            .space = space,
                                            .region = b->region,
                                            .element_region = b->element_region,
                                            .double_precision = real,
                                            .choice = option},
                        &op));
  ok(hk_get(&own, dofs));
  ok(hk_get(&found, b->mesh->node_count * state));
  hk_space_to_internal(space, state, u, own);
  apply(op, own, own);
  for (hk_index i = 0; i < space->padded; i++)
    for (int c = 0; c < state && space->mesh_node[i] < 0; c++)
      assert_true(own[(hk_count)i * state + c] == 0);
  hk_space_from_internal(space, state, own, found);
  const double error = difference_of(found, wanted, b->mesh->node_count * state);
  hk_free(&part);
  hk_free(&own);
  hk_free(&found);
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  return error;
}

static void dress(body *b, int law)
{
  body_dress(b, law < MATERIALS ? (materials)law : EVERY_KIND);
  for (int r = 0; r < REGIONS && law >= FLUIDS; r++) {
    if (law == MEDIA && r % 3) continue;
    b->region[r].material.density = 1 + uniform();
    ok(hk_material_fluid(2 + uniform(), &b->region[r].material));
  }
}

static void check(hk_device *device, int dim, int order, map m, int law, int cells)
{
  body b = {.mesh = mesh_of(dim, order, m, cells)};
  dress(&b, law);
  const int state = law == FLUIDS ? 1 : dim;
  const hk_count dofs = b.mesh->node_count * state;
  double *u = NULL, *f = NULL;
  ok(hk_get(&u, dofs));
  ok(hk_get(&f, dofs));
  srand(3);
  for (hk_count i = 0; i < dofs; i++) u[i] = (float)uniform();
  for (hk_count e = 0; e < b.mesh->element_count; e++)
    if (b.region[b.element_region[e]].material.fluid)
      add_fluid(&b, e, state, u, f);
    else
      add_element(&b, e, u, f);
  for (int real = 0; real < 2; real++) {
    const double error = error_of(&b, device, real, state, u, f);
    if (!(error <= (real ? 1e-12 : 1e-5)))
      fail_msg("%s, %dD, order %d, map %d, materials %d, double %d: error %.2e",
               hk_device_describe(device)->backend, dim, order, (int)m, law, real, error);
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

static void host_computes_fluids(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  for (int order = 1; order <= 10; order++)
    for (int m = 0; m < MAPS; m++)
      check(device, 2, order, (map)m, m % 2 ? MEDIA : FLUIDS, order < 6 ? 5 : 2);
  for (int order = 1; order <= 6; order++)
    for (int m = order % 2; m < MAPS; m += 2)
      check(device, 3, order, (map)m, m / 2 ? MEDIA : FLUIDS, order < 4 ? 3 : 1);
  hk_device_close(&device);
}

static void chunks_share_nodes(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  check(device, 2, 4, CORNERS, EVERY_KIND, 70);
  check(device, 3, 2, CURVED, EVERY_KIND, 17);
  check(device, 2, 4, CORNERS, MEDIA, 70);
  hk_device_close(&device);
}

static const int by_colours[HK_SPECTRAL_FIELDS] = {[HK_SPECTRAL_COLOURS] = 1};

/* Elements of fluids and solids that share nodes too. */
static void host_adds_colour_by_colour(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  option = by_colours;
  for (int order = 1; order <= 10; order++)
    for (int m = 0; m < MAPS; m++) {
      check(device, 2, order, (map)m, m % 2 ? MEDIA : EVERY_KIND, order < 6 ? 5 : 2);
      if (order < 5) check(device, 3, order, (map)m, m % 3 ? EVERY_KIND : MEDIA, order < 4 ? 3 : 1);
    }
  check(device, 2, 4, CURVED, FLUIDS, 7);
  check(device, 3, 3, CORNERS, FLUIDS, 3);
  check(device, 2, 4, CORNERS, EVERY_KIND, 70);
  option = NULL;
  hk_device_close(&device);
}

static void compiled_kernels_add_colour_by_colour(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (hk_device_open(devices[1], 1, &device) != HK_OK) skip();
  option = by_colours;
  check(device, 2, 1, CORNERS, ONE, 4);
  check(device, 2, 4, MIXED, EVERY_KIND, 7);
  check(device, 2, 4, MIXED, FLUIDS, 7);
  check(device, 3, 2, CORNERS, MEDIA, 4);
  check(device, 3, 3, CURVED, FLUIDS, 3);
  option = NULL;
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
  check(device, 2, 4, MIXED, FLUIDS, 7);
  check(device, 3, 3, CORNERS, MEDIA, 3);
  hk_device_close(&device);
}

/* The kernels' cache, and what was found, in a folder of their own. */
static void tuned_kernels_compute_the_same(void **state)
{
  static const int options[][HK_SPECTRAL_FIELDS] = {
      {[HK_SPECTRAL_ELEMENTS] = 1, [HK_SPECTRAL_REGISTERS] = 1},
      {[HK_SPECTRAL_ELEMENTS] = 2, [HK_SPECTRAL_AHEAD] = 1}};
  char folder[] = "/tmp/hooke_tune_XXXXXX", command[80];
  hk_device *device = NULL;
  body b = {.mesh = mesh_of(2, 2, CORNERS, 3)};
  (void)state;
  assert_non_null(mkdtemp(folder));
  const hk_status opened = hk_device_create(
      &(hk_device_desc){.name = devices[1], .threads = 1, .cache = folder}, &device);
  if (opened == HK_OK) {
    for (int k = 0; k < 2; k++) {
      option = options[k];
      check(device, 2, 3, MIXED, EVERY_KIND, 7);
    }
    option = NULL;
    const int before = hk_spectral_chosen(b.mesh, device, false, NULL).threads;
    assert_int_equal(
        before, hk_spectral_chosen(b.mesh, device, false, (int[HK_SPECTRAL_FIELDS]){0}).threads);
    ok(hk_spectral_tune(b.mesh, device, false));
    check(device, 2, 2, CORNERS, ONE, 3); /* with what was remembered */
  }
  body_destroy(&b);
  hk_device_close(&device);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  if (opened != HK_OK) skip();
}

/* parallelograms have an affine map; with a vertex moved corners give it; with a side bent none does */
static void maps_are_of_the_least_class(void **state)
{
  static const double slant[3][3] = {{1.1, .3, -.2}, {.2, .9, .1}, {-.3, .15, 1.2}};
  (void)state;
  for (int dim = 2; dim < 4; dim++)
    for (int order = 1; order < 5; order += 3)
      for (int bent = 0; bent < 3; bent++) {
        static hk_spectral_map found;
        hk_mesh *mesh = NULL;
        hk_mesh_grid grid = {.dim = dim, .from = {3, -2, 5}, .to = {4, -1, 6}, .cells = {1, 1, 1}};
        grid.shape = dim == 2 ? HK_QUAD4 : HK_HEX8;
        ok(hk_mesh_create_grid(&grid, &mesh));
        ok(hk_mesh_raise_to(mesh, order));
        for (hk_count i = 0; i < mesh->node_count; i++) {
          double *x = mesh->x + i * dim, y[3] = {0}, all = 1;
          for (int d = 0; d < dim; d++) all *= x[d] - grid.from[d];
          for (int c = 0; c < dim; c++)
            for (int d = 0; d < dim; d++) y[c] += slant[c][d] * x[d];
          if (bent == 1) y[0] += .1 * all; /* as far as the corners' map goes */
          if (bent == 2) y[0] += .03 * sin(9 * x[1]);
          memcpy(x, y, (size_t)dim * sizeof *x);
        }
        /* of order 1 what bends a side only slants it */
        const hk_map_class expected = bent == 0 || (bent == 2 && order == 1) ? HK_MAP_AFFINE
                                      : bent == 1                            ? HK_MAP_CORNERS
                                                                             : HK_MAP_CURVED;
        assert_true(hk_spectral_map_find(mesh, 0, &found));
        assert_int_equal(hk_spectral_class(hk_element_of(mesh->block[0].shape), &found), expected);
        hk_mesh_destroy(&mesh);
      }
}

/* Masses and classes are those of one loop over the maps, bit by bit, flat and slanted elements too. */
static void masses_and_classes_are_those_of_one_loop(void **state)
{
  (void)state;
  const int before = omp_get_max_threads();
  omp_set_num_threads(5);
  for (int k = 0; k < 4 * MAPS; k++) {
    const int dim = 2 + k % 2, order = 2 + k / 4;
    static hk_spectral_map found;
    body b = {.mesh = mesh_of(dim, order, (enum map)(k / 2 % MAPS), 5)};
    const hk_count nodes = b.mesh->node_count;
    for (hk_count n = 0; n < nodes; n++) b.mesh->x[n * dim] += (k % 3) * 3 * b.mesh->x[n * dim + 1];
    for (hk_count n = 0; n < nodes; n++) b.mesh->x[n * dim + 1] *= k % 5 ? 1 : 1e-3;
    body_dress(&b, EVERY_KIND);
    double *mass = NULL, *expected = NULL;
    uint8_t *class = NULL;
    hk_index fastest;
    ok(hk_get(&mass, nodes));
    ok(hk_get(&expected, nodes));
    ok(hk_get(&class, b.mesh->element_count));
    ok(hk_spectral_mass(b.mesh, b.region, b.element_region, mass, &fastest));
    ok(hk_spectral_classes(b.mesh, class));
    for (hk_count e = 0; e < b.mesh->element_count; e++) {
      const hk_element *shape = hk_element_of(b.mesh->block[0].shape);
      const double inertia = hk_element_inertia(b.mesh, &b.region[b.element_region[e]]);
      assert_true(hk_spectral_map_find(b.mesh, e, &found));
      assert_int_equal(class[e], hk_spectral_class(shape, &found));
      for (int q = 0; q < shape->nodes; q++)
        expected[hk_mesh_nodes_of(b.mesh, e)[shape->lattice[q]]] += inertia * found.volume[q];
    }
    assert_memory_equal(mass, expected, (size_t)nodes * sizeof *mass);
    hk_free(&mass);
    hk_free(&expected);
    hk_free(&class);
    body_destroy(&b);
  }
  omp_set_num_threads(before);
}

/* A folded element is told, also where all others are affine. */
static void folded_elements_are_refused(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    body b = {.mesh = mesh_of(dim, 3, AFFINE, 4)};
    uint8_t class[1000];
    for (hk_count n = 0; n < b.mesh->node_count; n++) b.mesh->x[n * dim] *= -1;
    assert_int_equal(hk_spectral_classes(b.mesh, class), HK_BAD_INPUT);
    hk_mesh_destroy(&b.mesh);
  }
}

/* Each node sums its slots in the order of the elements, however many threads make the lists: K u has the same bits. */
static void lists_are_the_same_for_any_number_of_threads(void **state)
{
  (void)state;
  const int before = omp_get_max_threads();
  for (int dim = 2; dim <= 3; dim++) {
    body b = {.mesh = mesh_of(dim, 3, CURVED, dim == 2 ? 40 : 9)};
    double *got[2] = {NULL};
    body_dress(&b, EVERY_KIND);
    for (int k = 0; k < 2; k++) {
      run r;
      omp_set_num_threads(1 + 63 * k);
      run_open(&r, &b, "spectral", 1, true);
      ok(run_steps(&r, HK_FORM_STORE, false, 1));
      got[k] = field_of(&r, r.out);
      run_destroy(&r);
    }
    assert_memory_equal(got[0], got[1], (size_t)b.mesh->node_count * (size_t)dim * sizeof **got);
    for (int k = 0; k < 2; k++) hk_free(&got[k]);
    body_destroy(&b);
  }
  omp_set_num_threads(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_are_of_the_least_class),
      cmocka_unit_test(masses_and_classes_are_those_of_one_loop),
      cmocka_unit_test(folded_elements_are_refused),
      cmocka_unit_test(lists_are_the_same_for_any_number_of_threads),
      cmocka_unit_test(host_computes_every_order_map_and_law),
      cmocka_unit_test(host_computes_fluids),
      cmocka_unit_test(chunks_share_nodes),
      cmocka_unit_test(host_adds_colour_by_colour),
      cmocka_unit_test(compiled_kernels_compute_the_same),
      cmocka_unit_test(compiled_kernels_add_colour_by_colour),
      cmocka_unit_test(tuned_kernels_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
