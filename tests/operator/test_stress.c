/* Stress and strain at points and nodes. */
#include "mesh/scatter.h"
#include "operator/measure/stress.h"
#include "support/body.h"
#include <omp.h>

/* tension s gives |s|, pressure 0, shear sqrt(3) |t|, in 2D as in 3D */
static void von_mises(void **state)
{
  (void)state;
  near(hk_stress_mises(6, (double[6]){-7}), 7, 1e-14);
  near(hk_stress_mises(6, (double[6]){5, 5, 5}), 0, 1e-14);
  for (int i = 3; i < 6; i++) {
    double s[6] = {0};
    s[i] = -2;
    near(hk_stress_mises(6, s), 2 * sqrt(3.0), 1e-14);
  }
  near(hk_stress_mises(4, (double[4]){0, 0, 3, 0}), 3, 1e-14);
  near(hk_stress_mises(4, (double[4]){1, 1, 1, 2}), 2 * sqrt(3.0), 1e-14);
}

/* the polynomials of degree 1 (0 where there is one point; wedge6: in z) are carried to the nodes exactly */
static void extrapolation_of_linear_fields(void **state)
{
  (void)state;
  static const double field[4] = {3, .7, -.4, .9};
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
    for (int i = 0; i < 3; i++) {
      const hk_element *element = hk_element_of((hk_shape)shape);
      const hk_rule *rule = hk_element_rule(element, (hk_integration)i);
      double fit[HK_LISTED_NODES * HK_LISTED_POINTS];
      ok(hk_stress_extrapolation(element, (hk_integration)i, fit));
      for (int n = 0; n < element->nodes; n++) {
        double got = 0, expected = field[0];
        for (int d = 0; d < element->dim; d++) {
          const bool linear = rule->points > 2 || (rule->points == 2 && d == 2);
          if (linear) expected += field[d + 1] * element->reference[n][d];
          for (int q = 0; q < rule->points; q++)
            got += fit[n * rule->points + q] *
                   ((linear ? field[d + 1] * rule->point[q][d] : 0) + (d ? 0 : field[0]));
        }
        near(got, expected, 1e-12);
      }
    }
}

/* E = 2, nu = .25 under exx = .3, eyy = -.1, exy = .2: plane strain szz = lambda (exx + eyy); plane stress
 * ezz = -nu / (1 - nu) (exx + eyy), sxx = E / (1 - nu^2) (exx + nu eyy), sxy = 2 mu exy, szz = 0; the thickness does not matter */
static void plane_laws(void **state)
{
  (void)state;
  static const double x[6] = {0, 0, 2, 0, 0, 1}, exx = .3, eyy = -.1, exy = .2, nu = .25;
  double u[6], strain[4], stress[4], at[2];
  hk_region r = {.thickness = 9, .plane = HK_PLANE_STRAIN};
  ok(hk_material_isotropic(2, nu, &r.material));
  for (int n = 0; n < 3; n++) {
    u[2 * n] = 1 + exx * x[2 * n] + exy * x[2 * n + 1];
    u[2 * n + 1] = exy * x[2 * n] + eyy * x[2 * n + 1];
  }
  ok(hk_stress_points(&r, hk_element_of(HK_TRI3), x, u, strain, stress, at));
  near(strain[0], exx, 1e-15), near(strain[1], eyy, 1e-15), near(strain[3], exy, 1e-15);
  near(strain[2], 0, 0);
  near(stress[2], .8 * (exx + eyy), 1e-15);
  near(stress[3], 1.6 * exy, 1e-15);
  near(at[0], 2. / 3, 1e-15), near(at[1], 1. / 3, 1e-15);
  r.plane = HK_PLANE_STRESS;
  ok(hk_stress_points(&r, hk_element_of(HK_TRI3), x, u, strain, stress, NULL));
  near(strain[2], -nu / (1 - nu) * (exx + eyy), 1e-15);
  near(stress[0], 2 / (1 - nu * nu) * (exx + nu * eyy), 1e-15);
  near(stress[2], 0, 0);
  near(stress[3], 1.6 * exy, 1e-15);
}

/* a row of squares strained by 1, 2, 3, E = 1 in two regions, which are one material, and 4: the mean of the elements inside it, of
 * the materials at its end; 0 where no element has a region */
static void interfaces(void **state)
{
  (void)state;
  hk_mesh *m = make_grid((hk_mesh_grid){.to = {3, 1}, .cells = {3, 1}, .shape = HK_QUAD4});
  hk_region r[3] = {{.thickness = 1}, {.thickness = 1}, {.thickness = 1}};
  double u[16] = {0}, stress[32], strain[32];
  for (int i = 0; i < 3; i++)
    ok(hk_material_isotropic(i == 2 ? 4 : 1, 0, &r[i].material)); /* regions 0 and 1 are equal */
  for (int n = 0; n < 8; n++) u[2 * n] = m->x[2 * n] * (m->x[2 * n] + 1) / 2; /* exx = 1, 2, 3 */
  hk_index of[3] = {0, 1, 2};
  ok(hk_stress_nodes(m, r, 3, of, u, stress, strain));
  for (int n = 0; n < 8; n++) {
    const double at = m->x[2 * n];
    const double sxx = at == 0 ? 1 : at == 1 ? 1.5 : at == 2 ? (2 + 12) / 2. : 12;
    const double exx = at == 0 ? 1 : at == 1 ? 1.5 : at == 2 ? (2 + 3) / 2. : 3;
    near(stress[4 * n], sxx, 1e-13);
    near(strain[4 * n], exx, 1e-13);
  }
  of[0] = 2, of[2] = 0; /* now node x = 1 parts the materials, x = 2 does not */
  ok(hk_stress_nodes(m, r, 3, of, u, stress, NULL));
  for (int n = 0; n < 8; n++) {
    const double at = m->x[2 * n];
    near(stress[4 * n], at == 0 ? 4 : at == 1 ? 3 : at == 2 ? 2.5 : 3, 1e-13);
  }
  of[2] = -1;
  ok(hk_stress_nodes(m, r, 3, of, u, stress, NULL));
  for (int n = 0; n < 8; n++)
    if (m->x[2 * n] == 3) near(stress[4 * n], 0, 0);
  of[0] = 0; /* and one material in all */
  ok(hk_stress_nodes(m, r, 2, of, u, stress, NULL));
  for (int n = 0; n < 8; n++) {
    const double at = m->x[2 * n];
    near(stress[4 * n], at == 0 ? 1 : at == 1 ? 1.5 : at == 2 ? 2 : 0, 1e-13);
  }
  hk_mesh_destroy(&m);
}

/* four squares around a node: three of one region and one of another are averaged as one material where only axes differ that no law
 * turns with, else as two */
static void axes_part_materials_that_turn_with_them(void **state)
{
  (void)state;
  for (int varies = 0; varies < 2; varies++) {
    hk_mesh *m = NULL;
    hk_region r[2] = {{.thickness = 1, .varies = varies}};
    double u[18], one[36], two[36], most = 0;
    m = make_grid((hk_mesh_grid){.to = {2, 2}, .cells = {2, 2}, .shape = HK_QUAD4});
    ok(hk_material_isotropic(1, .2, &r[0].material));
    r[0].axes = (hk_axes){.kind = HK_AXES_CYLINDRICAL,
                          .origin = {-5, -4, 0},
                          .row = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    r[1] = r[0];
    r[1].axes.origin[0] = -6;
    for (int i = 0; i < 18; i++) u[i] = sin(3.0 * i);
    ok(hk_stress_nodes(m, r, 2, (const hk_index[]){0, 0, 0, 0}, u, one, NULL));
    ok(hk_stress_nodes(m, r, 2, (const hk_index[]){0, 0, 0, 1}, u, two, NULL));
    for (int i = 0; i < 36; i++) most = fmax(most, fabs(one[i] - two[i]));
    assert_true(varies ? most > 1e-3 : most <= 1e-15);
    hk_mesh_destroy(&m);
  }
}

/* the same bits for 1 and 4 threads, more than one part of elements */
static void threads_do_not_matter(void **state)
{
  (void)state;
  body b = {0};
  double *u = NULL, *stress[2] = {NULL, NULL};
  b.mesh = make_grid(
      (hk_mesh_grid){.to = {1, 1, 1}, .cells = {24, 22, 20}, .shape = HK_HEX8, .jitter = .1});
  body_dress(&b, EVERY_KIND);
  const hk_count nodes = b.mesh->node_count;
  ok(hk_get(&u, nodes * 3));
  for (hk_count i = 0; i < nodes * 3; i++) u[i] = uniform();
  for (int t = 0; t < 2; t++) {
    omp_set_num_threads(t ? 4 : 1);
    ok(hk_get(&stress[t], nodes * 6));
    ok(hk_stress_nodes(b.mesh, b.region, REGIONS, b.element_region, u, stress[t], NULL));
  }
  assert_memory_equal(stress[0], stress[1], (size_t)nodes * 6 * sizeof(double));
  assert_true(hk_stress_mises(6, stress[0] + 6) > 0);
  hk_free(&u);
  hk_free(&stress[0]);
  hk_free(&stress[1]);
  body_destroy(&b);
}

/* more nodes of elements than are added at a time where there is little room (mesh/scatter.h): the flux of a linear field */
static void many_nodes_of_elements(void **state)
{
  (void)state;
  body b = {0};
  double *t = NULL, *flux = NULL, most = 0;
  b.mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {30, 30}, .shape = HK_QUAD4});
  ok(hk_mesh_raise_to(b.mesh, 10));
  const double share = hk_memory_share(0);
  assert_true(b.mesh->block[0].count * b.mesh->block[0].nodes > hk_memory_room(HK_SCATTER_MOST));
  body_dress(&b, ONE);
  const hk_count nodes = b.mesh->node_count;
  ok(hk_get(&t, nodes));
  ok(hk_get(&flux, nodes * 2));
  for (hk_count i = 0; i < nodes; i++) t[i] = b.mesh->x[2 * i];
  for (int r = 0; r < REGIONS; r++) {
    b.region[r].thickness = 1;
    ok(hk_material_conduct(1, (double[1]){2}, &b.region[r].material));
  }
  ok(hk_flux_nodes(b.mesh, b.region, REGIONS, b.element_region, t, flux));
  hk_memory_share(share);
  for (hk_count i = 0; i < nodes; i++)
    most = fmax(most, fmax(fabs(flux[2 * i] + 2), fabs(flux[2 * i + 1])));
  assert_true(most < 1e-9);
  hk_free(&t);
  hk_free(&flux);
  body_destroy(&b);
}

/* a folded element is named, by its label */
static void folded(void **state)
{
  (void)state;
  body b = {.mesh = make_patch(HK_QUAD8, 0)};
  body_dress(&b, ONE);
  double u[200] = {0}, stress[400];
  hk_index *node = b.mesh->block[0].node + 2 * 8, first = node[0];
  node[0] = node[1], node[1] = first;
  assert_int_equal(hk_stress_nodes(b.mesh, b.region, REGIONS, b.element_region, u, stress, NULL),
                   HK_BAD_INPUT);
  error_says("element 3 ");
  body_destroy(&b);
}

/* the k-th allocation fails: no memory is lost */
static void failing_memory(void **state)
{
  (void)state;
  body b = {.mesh = make_patch(HK_WEDGE15, 0)};
  body_dress(&b, EVERY_ELEMENT);
  static double u[3 * 1000], stress[6 * 1000], strain[6 * 1000];
  assert_true(b.mesh->node_count <= 1000);
  shortage memory = {0};
  while (next_shortage(&memory)) {
    memory.status = hk_stress_nodes(b.mesh, b.region, REGIONS, b.element_region, u, stress, strain);
  }
  body_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(von_mises),
      cmocka_unit_test(extrapolation_of_linear_fields),
      cmocka_unit_test(plane_laws),
      cmocka_unit_test(interfaces),
      cmocka_unit_test(axes_part_materials_that_turn_with_them),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(many_nodes_of_elements),
      cmocka_unit_test(folded),
      cmocka_unit_test(failing_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
