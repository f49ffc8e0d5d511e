/* Faces that absorb: dashpots of all shapes against the closed form, and what comes back at an angle. */
#include "load/absorb/stacey.h"
#include "support/mesh.h"

typedef struct body {
  hk_mesh *mesh;
  hk_space *space;
  hk_region region;
  hk_index *element_region;
} body;

/* order 0: the shape itself */
static void create(body *b, hk_shape shape, int order, double thickness)
{
  const int dim = hk_element_of(shape)->dim;
  memset(b, 0, sizeof *b);
  b->mesh = make_grid(
      (hk_mesh_grid){.to = {4, 3, 2}, .cells = {4, 3, 2}, .shape = hk_shape_linear(shape)});
  if (hk_shape_linear(shape) != shape) ok(hk_mesh_raise(b->mesh));
  if (order) ok(hk_mesh_raise_to(b->mesh, order));
  b->region.material.density = 2, b->region.thickness = thickness;
  ok(hk_material_from_speeds(3, 1.5, &b->region.material));
  ok(hk_get(&b->element_region, b->mesh->element_count));
  ok(hk_space_create(b->mesh, &(hk_space_desc){.components = dim, .patch = 64, .slice = 8},
                     &b->space));
}

static void destroy(body *b)
{
  hk_space_destroy(&b->space);
  hk_free(&b->element_region);
  hk_mesh_destroy(&b->mesh);
  assert_int_equal(hk_memory_held(), 0);
}

static hk_load_domain faces(const body *b, const char *name)
{
  const hk_set *s = hk_mesh_find_set(b->mesh, name, HK_FACE_SET);
  assert_non_null(s);
  return (hk_load_domain){.mesh = b->mesh,
                          .region = &b->region,
                          .element_region = b->element_region,
                          .count = s->count,
                          .element = s->item,
                          .face = s->face};
}

/* sum of all blocks = area (rho c_p n n + rho c_s (1 - n n)) with rho c_p = 6, rho c_s = 3, for every shape; all blocks positive (of vertices of tri6: nothing); a face
 * that is named twice counts once */
static void sums(void **state)
{
  (void)state;
  static const struct {
    hk_shape shape;
    int order;
  } kind[] = {{HK_TRI3, 0},  {HK_QUAD4, 0}, {HK_TET4, 0}, {HK_HEX8, 0},   {HK_QUAD4, 2},
              {HK_QUAD4, 5}, {HK_HEX8, 2},  {HK_HEX8, 4}, {HK_QUAD4, 10}, {HK_TRI6, 0},
              {HK_QUAD8, 0}, {HK_TET10, 0}, {HK_HEX20, 0}};
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
    body b = {0};
    hk_dashpots d;
    double sum[9] = {0};
    create(&b, kind[i].shape, kind[i].order, 0.5);
    const int dim = b.mesh->dim;
    const hk_load_domain domain[3] = {faces(&b, "right"), faces(&b, "top"), faces(&b, "right")};
    ok(hk_stacey_create(b.space, 3, domain, NULL, &d));
    for (hk_index n = 0; n < d.count; n++) {
      assert_true(n == 0 || d.node[n] > d.node[n - 1]);
      for (int k = 0; k < dim * dim; k++) sum[k] += d.c[n * dim * dim + k];
      for (int k = 0; k < dim; k++) {
        const double own = d.c[(n * dim + k) * dim + k];
        assert_true(kind[i].shape == HK_TET10 ? own >= 0 : own > 0);
      }
    }
    const double right =
        dim == 2 ? 0.5 * 3
                 : 6; /* 2D: times the thickness; 3D: the box is 4 x 3 x 2, top is z or y */
    const double top = dim == 2 ? 0.5 * 4 : 0;
    near(sum[0], dim == 2 ? 6 * right + 3 * top : sum[0], 1e-12 * sum[0]);
    near(sum[1], 0, 1e-12 * sum[0]);
    near(sum[dim + 1], dim == 2 ? 3 * right + 6 * top : sum[dim + 1], 1e-12 * sum[0]);
    hk_dashpots_clear(&d);
    ok(hk_stacey_create(b.space, 1, domain, NULL, &d));
    memset(sum, 0, sizeof sum);
    for (hk_index n = 0; n < d.count; n++)
      for (int k = 0; k < dim * dim; k++) sum[k] += d.c[n * dim * dim + k];
    for (int r = 0; r < dim; r++)
      for (int c = 0; c < dim; c++)
        near(sum[r * dim + c], r != c ? 0 : (r == 0 ? 6 : 3) * right, 1e-11);
    hk_dashpots_clear(&d);
    destroy(&b);
  }
}

/* a face between two elements is refused */
static void inner_faces(void **state)
{
  (void)state;
  body b = {0};
  hk_dashpots d = {0};
  const hk_index element = 0;
  const uint8_t face = 1; /* x = 1 */
  create(&b, HK_QUAD4, 0, 1);
  hk_load_domain domain = faces(&b, "left");
  domain.count = 1, domain.element = &element, domain.face = &face;
  assert_int_equal(hk_stacey_create(b.space, 1, &domain, NULL, &d), HK_BAD_INPUT);
  error_says("face 2 of element 1 lies inside the body");
  destroy(&b);
}

/* Z Z = rho n c n for an anisotropic law and an inclined normal, in 3D and in plane strain times the thickness */
static void impedance(void **state)
{
  (void)state;
  static const double n[2][3] = {{0.6, 0.8, 0}, {2 / 3., -1 / 3., 2 / 3.}};
  static const int voigt3[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
  hk_region r = {.thickness = 0.5, .material.density = 2};
  const double constant[9] = {5, 3, 2, 0.2, 0.1, 0.3, 1, 0.8, 0.5};
  ok(hk_material_engineering(constant, &r.material));
  const double turn[3][3] = {{0.8, 0.6, 0}, {-0.6, 0.8, 0}, {0, 0, 1}};
  hk_material_rotate(&r.material, turn);
  for (int dim = 2; dim <= 3; dim++) {
    double z[9];
    const double *at = n[dim - 2], size = dim == 2 ? 0.25 : 1; /* thickness squared */
    hk_region_impedance(&r, dim, at, z);
    for (int i = 0; i < dim; i++)
      for (int k = 0; k < dim; k++) {
        double got = 0, expected = 0;
        for (int j = 0; j < dim; j++) got += z[i * dim + j] * z[j * dim + k];
        for (int j = 0; j < dim; j++)
          for (int l = 0; l < dim; l++)
            expected += size * 2 * at[j] * r.material.c[voigt3[i][j]][voigt3[k][l]] * at[l];
        near(got, expected, 1e-12 * 10);
        near(z[i * dim + k], z[k * dim + i], 1e-14 * 10);
      }
  }
}

/* reflected energy of P and S waves: none at normal incidence, all at grazing incidence, between them never more than all; a wave in a
 * fluid-like body (c_s -> 0) as ((1 - cos) / (1 + cos))^2 */
static void reflection(void **state)
{
  (void)state;
  for (int wave = 0; wave < 2; wave++) {
    const hk_stacey_wave kind = wave ? HK_STACEY_S : HK_STACEY_P;
    near(hk_stacey_reflection(2, 1.1, kind, 0), 0, 1e-20);
    near(hk_stacey_reflection(2, 1.1, kind, M_PI / 2 - 1e-7), 1, 1e-5);
    for (double angle = 0.01; angle < 1.57; angle += 0.01) {
      const double r = hk_stacey_reflection(2, 1.1, kind, angle);
      assert_true(r >= 0 && r <= 1);
    }
  }
  for (double angle = 0.1; angle < 1.5; angle += 0.1) {
    const double r = (1 - cos(angle)) / (1 + cos(angle));
    near(hk_stacey_reflection(2, 1e-5, HK_STACEY_P, angle), r * r, 1e-4);
  }
}

/* a face of second order: vertices of tri6 have nothing, of quad8 3 / 76 of the area, nodes in the middle of edges a third and 16 / 76 */
static void second_order(void **state)
{
  (void)state;
  for (int hexes = 0; hexes < 2; hexes++) {
    body b = {0};
    hk_dashpots d;
    double least = INFINITY, most = 0;
    create(&b, hexes ? HK_HEX20 : HK_TET10, 0, 1);
    hk_load_domain domain = faces(&b, "right");
    domain.count = 1;
    ok(hk_stacey_create(b.space, 1, &domain, NULL, &d));
    for (hk_index n = 0; n < d.count; n++)
      least = fmin(least, d.c[n * 9]), most = fmax(most, d.c[n * 9]);
    assert_int_equal(d.count, hexes ? 8 : 6);
    near(least, hexes ? 6 * 3. / 76 : 0, 1e-13);
    near(most, hexes ? 6 * 16. / 76 : 6 * 0.5 / 3, 1e-13);
    hk_dashpots_clear(&d);
    destroy(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(inner_faces), cmocka_unit_test(sums),
                                     cmocka_unit_test(impedance), cmocka_unit_test(reflection),
                                     cmocka_unit_test(second_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
