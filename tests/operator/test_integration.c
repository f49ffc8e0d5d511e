/* Contract of the element matrices of every shape, in every way that decks ask for it. */
#include "operator/element/element_matrix.h"
#include "support/dense.h"
#include "operator/measure/stress.h"

enum { MOST = 3 * HK_LISTED_NODES };

static const char *const words[] = {"full", "reduced", "incompatible"};

static hk_region region_of(hk_integration integration)
{
  static const double constant[9] = {13, .9, 1.1, .28, .3, .4, .5, .6, .3};
  static const double axes[3][3] = {{.36, .48, .8}, {-.8, .6, 0}, {-.48, -.64, .6}};
  hk_region r = {.thickness = .5, .integration = integration};
  ok(hk_material_engineering(constant, &r.material));
  hk_material_rotate(&r.material, axes);
  return r;
}

/* u of the k-th rigid-body motion: dim translations, then turns */
static void rigid_motion(int dim, int nodes, const double *x, int k, double *u)
{
  memset(u, 0, (size_t)(nodes * dim) * sizeof *u);
  for (int n = 0; n < nodes; n++) {
    const int i = dim == 2 ? 0 : (k + 1) % 3, j = dim == 2 ? 1 : (k + 2) % 3;
    if (k < dim)
      u[n * dim + k] = 1;
    else
      u[n * dim + i] = x[n * dim + j], u[n * dim + j] = -x[n * dim + i];
  }
}

/* Number of eigenvalues of the symmetric a[size][size] above 1e-9 of the largest; negative if one is below
 * -1e-9 of it. */
static int rank_of(int size, double *a)
{
  double largest = 0;
  int rank = 0;
  eigenvalues(size, a);
  for (int i = 0; i < size; i++) largest = fmax(largest, fabs(a[i * size + i]));
  for (int i = 0; i < size; i++) {
    if (a[i * size + i] < -1e-9 * largest) return -1;
    rank += a[i * size + i] > 1e-9 * largest;
  }
  return rank;
}

/* K r = 0 for rigid-body motions, rank K = dofs - rigid-body motions, but for the motions without strain at two points a direction:
 * one of quad8, six of hex20, which neighbours hold, and one of wedge6, whose full rule has two points; K = K^T exactly, positive semidefinite */
static void rigid_bodies_and_rank(void **state)
{
  (void)state;
  static double k[MOST * MOST];
  srand(1);
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
    for (int i = 0; i < 3; i++) {
      const hk_element *element = hk_element_of((hk_shape)shape);
      const hk_region region = region_of((hk_integration)i);
      const int dim = element->dim, size = element->nodes * dim, rigid = dim == 2 ? 3 : 6;
      const bool two = i == HK_INTEGRATION_REDUCED;
      const int free_motions = shape == HK_WEDGE6         ? 1
                               : two && shape == HK_QUAD8 ? 1
                               : two && shape == HK_HEX20 ? 6
                                                          : 0;
      double x[MOST], u[MOST], largest = 0;
      if (!has_integration(element, (hk_integration)i)) continue;
      place_element(element, .2, x);
      assert_true(hk_element_integrate(&region, element, x, k) > 0);
      for (int a = 0; a < size * size; a++) {
        largest = fmax(largest, fabs(k[a]));
        assert_true(k[a] == k[a % size * size + a / size]);
      }
      for (int r = 0; r < rigid; r++) {
        rigid_motion(dim, element->nodes, x, r, u);
        for (int a = 0; a < size; a++) {
          double force = 0;
          for (int b = 0; b < size; b++) force += k[a * size + b] * u[b];
          if (!(fabs(force) <= 1e-13 * largest * size))
            fail_msg("%s, %s: motion %d has the force %g of %g", element->name, words[i], r, force,
                     largest);
        }
      }
      const int rank = rank_of(size, k);
      if (rank != size - rigid - free_motions)
        fail_msg("%s, %s: rank %d of %d", element->name, words[i], rank,
                 size - rigid - free_motions);
    }
}

/* rank K = dofs - rigid-body motions of elements of order p, distorted: no motion without strain but rigid ones (run/static/rigid.c counts on it) */
static void elements_of_order_p_have_full_rank(void **state)
{
  (void)state;
  enum { ROOM = 3 * 40 };
  static const struct {
    hk_shape linear;
    int most;
  } family[] = {{HK_QUAD4, 4}, {HK_HEX8, 2}, {HK_WEDGE6, 3}};
  static double k[ROOM * ROOM];
  const hk_region region = region_of(HK_INTEGRATION_FULL);
  srand(1);
  for (int f = 0; f < 3; f++)
    for (int order = 2; order <= family[f].most; order++) {
      const hk_element *element = hk_element_of(hk_shape_raised(family[f].linear, order));
      const int dim = element->dim, size = element->nodes * dim, rigid = dim == 2 ? 3 : 6;
      double x[ROOM];
      assert_true(size <= ROOM);
      place_element(element, .2 / order / order, x);
      assert_true(hk_element_integrate(&region, element, x, k) > 0);
      const int rank = rank_of(size, k);
      if (rank != size - rigid) fail_msg("%s: rank %d of %d", element->name, rank, size - rigid);
    }
}

/* k[nodes * dim][nodes * dim] of a mesh; hk_free */
static double *matrix_of(const hk_mesh *mesh, const hk_region *region, const hk_index *of)
{
  hk_space *space = NULL;
  hk_csr csr = {0};
  ok(hk_space_create(mesh, &(hk_space_desc){.patch = 64, .slice = 8}, &space));
  ok(hk_csr_assemble(&(hk_operator_desc){.space = space, .region = region, .element_region = of},
                     &csr));
  double *k = dense_of_csr(&csr, space);
  hk_csr_clear(&csr);
  hk_space_destroy(&space);
  return k;
}

/* Solves k u = 0 for the entries of u that are free, by elimination. */
static void solve_free(hk_count n, double *k, const bool *is_free, double *u)
{
  double *f = NULL;
  ok(hk_get(&f, n));
  for (hk_count i = 0; i < n; i++)
    for (hk_count j = 0; j < n; j++)
      if (!is_free[j]) f[i] -= k[i * n + j] * u[j];
  for (hk_count p = 0; p < n; p++) {
    if (!is_free[p]) continue;
    for (hk_count i = p + 1; i < n; i++) {
      if (!is_free[i]) continue;
      const double factor = k[i * n + p] / k[p * n + p];
      for (hk_count j = p; j < n; j++) k[i * n + j] -= factor * k[p * n + j];
      f[i] -= factor * f[p];
    }
  }
  for (hk_count p = n - 1; p >= 0; p--) {
    if (!is_free[p]) continue;
    for (hk_count j = p + 1; j < n; j++)
      if (is_free[j]) f[p] -= k[p * n + j] * u[j];
    u[p] = f[p] / k[p * n + p];
  }
  hk_free(&f);
}

static const double grad[3][3] = {{.3, -.2, .1}, {.4, .2, -.3}, {-.1, .25, .15}};

/* Frees the inner nodes; their number. */
static int find_inner(const hk_mesh *mesh, bool *is_free)
{
  hk_count faces;
  hk_index *element = NULL;
  uint8_t *face = NULL;
  int inner = 0;
  const int dim = mesh->dim;
  for (hk_count i = 0; i < mesh->node_count * dim; i++) is_free[i] = true;
  ok(hk_mesh_boundary(mesh, &faces, &element, &face));
  for (hk_count i = 0; i < faces; i++) {
    const hk_element *e = hk_element_of(hk_mesh_block_of(mesh, element[i])->shape);
    for (int n = 0; n < e->face[face[i]].nodes; n++)
      for (int c = 0; c < dim; c++)
        is_free[hk_mesh_nodes_of(mesh, element[i])[e->face[face[i]].node[n]] * dim + c] = false;
  }
  for (hk_count n = 0; n < mesh->node_count; n++) inner += is_free[n * dim];
  hk_free(&element);
  hk_free(&face);
  return inner;
}

/* Stress of that gradient by the plane law or in 3D, in the order of results. */
static void expected_stress(const hk_region *r, int dim, double *stress)
{
  static const int place[6] = {0, 1, 2, 5, 4, 3};
  const double g[6] = {grad[0][0],
                       grad[1][1],
                       dim == 3 ? grad[2][2] : 0,
                       dim == 3 ? grad[1][2] + grad[2][1] : 0,
                       dim == 3 ? grad[0][2] + grad[2][0] : 0,
                       grad[0][1] + grad[1][0]};
  for (int i = 0; i < hk_stress_components(dim); i++) {
    stress[i] = 0;
    for (int k = 0; k < 6; k++) stress[i] += r->material.c[place[i]][k] * g[k];
  }
}

/* a distorted patch held at its boundary by u = G x: u = G x inside, stress = C : G at every node, to 1e-12 */
static void patch_test(void **state)
{
  (void)state;
  srand(2);
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
    for (int i = 0; i < 3; i++) {
      if (!has_integration(hk_element_of((hk_shape)shape), (hk_integration)i)) continue;
      const hk_region region = region_of((hk_integration)i);
      hk_mesh *mesh = make_patch((hk_shape)shape, .25);
      const int dim = mesh->dim, n = (int)mesh->node_count * dim,
                components = hk_stress_components(dim);
      double *u = NULL, *stress = NULL, expected[6], error = 0, off = 0;
      hk_index *of = NULL;
      bool *is_free = NULL;
      ok(hk_get(&u, n));
      ok(hk_get(&stress, mesh->node_count * components));
      ok(hk_get(&of, mesh->element_count));
      ok(hk_get(&is_free, n));
      double *k = matrix_of(mesh, &region, of);
      assert_true(find_inner(mesh, is_free) > 0);
      for (int a = 0; a < n; a++)
        for (int d = 0; d < dim && !is_free[a]; d++)
          u[a] += grad[a % dim][d] * mesh->x[a / dim * dim + d];
      solve_free(n, k, is_free, u);
      for (int a = 0; a < n; a++) {
        double linear = 0;
        for (int d = 0; d < dim; d++) linear += grad[a % dim][d] * mesh->x[a / dim * dim + d];
        if (!(fabs(u[a] - linear) <= error)) error = fabs(u[a] - linear);
      }
      ok(hk_stress_nodes(mesh, &region, 1, of, u, stress, NULL));
      expected_stress(&region, dim, expected);
      for (int a = 0; a < mesh->node_count * components; a++)
        if (!(fabs(stress[a] - expected[a % components]) <= off))
          off = fabs(stress[a] - expected[a % components]);
      if (!(error <= 1e-12 && off <= 1e-10))
        fail_msg("%s, %s: u off by %g, stress by %g", hk_shape_name((hk_shape)shape), words[i],
                 error, off);
      hk_free(&k);
      hk_free(&u);
      hk_free(&stress);
      hk_free(&of);
      hk_free(&is_free);
      hk_mesh_destroy(&mesh);
    }
}

/* quad4 and hex8: a beam of one layer in pure bending: one element of modes has the exact energy, b h^3 E k^2 / 24 l (nu = 0), the
 * full one more, one-point integration only what its hourglass stiffness gives: in 2D
 * 1/2 a (sum gamma u)^2, a = 2 * 5e-4 E V sum b^2 = 1e-3 * 3 * 32 (4 / 16^2 + 4 / 4^2), sum gamma u = 16 */
static void bending(void **state)
{
  (void)state;
  static double k[MOST * MOST];
  for (int s = 0; s < 2; s++) {
    const hk_element *element = hk_element_of(s ? HK_HEX8 : HK_QUAD4);
    const int dim = element->dim, size = element->nodes * dim;
    double x[MOST], energy[3] = {0};
    for (int i = 0; i < 3; i++) {
      hk_region region = {.thickness = 2, .integration = (hk_integration)i};
      ok(hk_material_isotropic(3, 0, &region.material));
      for (int a = 0; a < size; a++)
        x[a] = element->reference[a / dim][a % dim] * (a % dim ? 1 : 4);
      assert_true(hk_element_integrate(&region, element, x, k) > 0);
      for (int a = 0; a < element->nodes; a++)
        for (int b = 0; b < element->nodes; b++)
          energy[i] += .5 * x[a * dim] * x[a * dim + 1] * k[a * dim * size + b * dim] * x[b * dim] *
                       x[b * dim + 1];
    }
    const double exact = .5 * 3 * 2 * 8 * 8 / 12.; /* E b l h^3 / 12, curvature 1 */
    assert_true(fabs(energy[HK_INTEGRATION_INCOMPATIBLE] - exact) <= 1e-12 * exact);
    assert_true(energy[HK_INTEGRATION_FULL] > 2 * exact);
    if (!s) assert_true(fabs(energy[HK_INTEGRATION_REDUCED] - 3.264) <= 1e-12);
    assert_true(energy[HK_INTEGRATION_REDUCED] > 0 && energy[HK_INTEGRATION_REDUCED] < .5 * exact);
  }
}

/* K u of the operator = the assembled matrix times u */
static void check_product(hk_operator *op, const body *b)
{
  const hk_space *space = op->desc.space;
  const hk_count n = b->mesh->node_count * b->mesh->dim,
                 dofs = (hk_count)space->padded * space->components;
  double *values = vector(n), *product = vector(n), *expected = vector(n), *u = vector(dofs);
  double *k = matrix_of(b->mesh, b->region, b->element_region);
  for (hk_count i = 0; i < n; i++) values[i] = uniform();
  for (hk_count i = 0; i < n; i++) expected[i] = dot(n, k + i * n, values);
  hk_space_to_internal(space, space->components, values, u);
  for (hk_count i = 0; i < dofs; i++)
    if (space->mesh_node[i / space->components] < 0) u[i] = 0;
  apply(op, u, u);
  hk_space_from_internal(space, space->components, u, product);
  const double error = difference_of(product, expected, n);
  if (!(error <= 1e-12)) fail_msg("%s: off by %g", op->kind->name, error);
  hk_free(&values);
  hk_free(&product);
  hk_free(&expected);
  hk_free(&u);
  hk_free(&k);
}

/* every operator that serves a shape = the dense matrix times u in each of its integrations; matrix-free refuses those of quad4 and
 * hex8 that it has no kernel for */
static void operators_obey(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (int i = 0; i < 3; i++)
      for (int o = 0; hk_operator_name(o); o++) {
        if (!has_integration(hk_element_of((hk_shape)s), (hk_integration)i)) continue;
        body b = {.mesh = make_patch((hk_shape)s, .25)};
        hk_device *device = NULL;
        hk_space *space = NULL;
        hk_operator *op = NULL;
        const hk_operator_kind *kind = NULL;
        body_dress(&b, EVERY_KIND);
        for (int r = 0; r < REGIONS; r++) b.region[r].integration = (hk_integration)i;
        ok(hk_device_open("cpu", 1, &device));
        if (hk_operator_choose(hk_operator_name(o), b.mesh, device, &kind) == HK_OK) {
          const hk_space_desc desc = kind->space(b.mesh, device, true);
          ok(hk_space_create(b.mesh, &desc, &space));
          const hk_operator_desc made = {.device = device,
                                         .space = space,
                                         .region = b.region,
                                         .element_region = b.element_region,
                                         .double_precision = true};
          const hk_status status = hk_operator_create(kind, &made, &op);
          if (i && hk_element_of((hk_shape)s)->order == 1 && !strcmp(kind->name, "matrix-free"))
            assert_int_equal(status, HK_BAD_INPUT);
          else if (status != HK_BAD_INPUT || !i)
            ok(status);
          if (status == HK_OK) check_product(op, &b);
        }
        hk_operator_destroy(&op);
        hk_space_destroy(&space);
        hk_device_close(&device);
        body_destroy(&b);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rigid_bodies_and_rank),
      cmocka_unit_test(elements_of_order_p_have_full_rank),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(bending),
      cmocka_unit_test(operators_obey),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
