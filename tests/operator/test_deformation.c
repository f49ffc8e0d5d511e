/* Strain, stress, divergence and rotation at nodes and points: linear fields on every shape, rows of receivers beside fields of nodes, stresses at
 * nodes that are constant in each element. */
#include "operator/measure/deformation.h"
#include "support/body.h"

static const double slope[3][3] = {{.3, -.2, .5}, {.7, .1, -.4}, {.2, .6, -.9}};

/* u = a + slope x */
static double *linear_field(const hk_mesh *m)
{
  double *u = NULL;
  ok(hk_get(&u, m->node_count * m->dim));
  for (hk_count n = 0; n < m->node_count; n++)
    for (int c = 0; c < m->dim; c++) {
      u[n * m->dim + c] = 2 + c;
      for (int d = 0; d < m->dim; d++) u[n * m->dim + c] += slope[c][d] * m->x[n * m->dim + d];
    }
  return u;
}

static double *random_field(const hk_mesh *m)
{
  double *u = NULL;
  ok(hk_get(&u, m->node_count * m->dim));
  for (hk_count i = 0; i < m->node_count * m->dim; i++) u[i] = rand() / (double)RAND_MAX - .5;
  return u;
}

/* By their definitions, of the linear field. */
static void expect(const hk_region *region, int dim, hk_deformation kind, double *value)
{
  const double(*g)[3] = slope;
  double flat[3][3] = {{0}};
  for (int i = 0; i < dim * dim; i++) flat[i / dim][i % dim] = g[i / dim][i % dim];
  if (kind == HK_DEFORMATION_STRAIN) hk_stress_find(region, dim, flat, value, NULL);
  if (kind == HK_DEFORMATION_STRESS) hk_stress_find(region, dim, flat, NULL, value);
  if (kind == HK_DEFORMATION_DIVERGENCE) value[0] = g[0][0] + g[1][1] + (dim == 3 ? g[2][2] : 0);
  if (kind == HK_DEFORMATION_ROTATION && dim == 2) value[0] = (g[1][0] - g[0][1]) / 2;
  if (kind == HK_DEFORMATION_ROTATION && dim == 3)
    for (int i = 0, j = 1, k = 2; i < 3; i++, j = (j + 1) % 3, k = (k + 1) % 3)
      value[i] = (g[k][j] - g[j][k]) / 2;
}

/* *value[receivers][components]: rows times u. */
static double *receive(const hk_deformed *of, const hk_sites *sites, hk_deformation kind,
                       const double *u)
{
  const int dim = of->mesh->dim, n = hk_deformation_components(kind, dim, HK_PLANE_STRAIN);
  hk_pool pool = {0};
  hk_deformation_rows rows;
  double *value = NULL;
  ok(hk_get(&value, sites->receivers * n));
  ok(hk_deformation_rows_find(of, sites, kind, &pool, &rows));
  for (hk_count i = 0; i < sites->receivers; i++)
    for (hk_count k = rows.begin[i]; k < rows.begin[i + 1]; k++)
      for (int c = 0; c < n; c++)
        for (int d = 0; d < dim; d++)
          value[i * n + c] +=
              rows.entry.at[k].weight[c][d] * u[(hk_count)rows.entry.at[k].node * dim + d];
  hk_pool_clear(&pool);
  return value;
}

static void expect_everywhere(hk_count count, int n, const double *value, const double *expected)
{
  for (hk_count i = 0; i < count * n; i++) near(value[i], expected[i % n], 1e-11);
}

static void linear_fields_on(const hk_deformed *of)
{
  const hk_mesh *m = of->mesh;
  double *u = linear_field(m), *at = NULL, middle[3] = {0};
  hk_pool pool = {0};
  hk_sites sites;
  const hk_block *block = &m->block[0];
  const int vertices = hk_element_of(block->shape)->vertices;
  for (int k = 0; k < vertices; k++)
    for (int d = 0; d < m->dim; d++)
      middle[d] += m->x[(hk_count)block->node[k] * m->dim + d] / vertices;
  ok(hk_sites_of_points(of, 1, middle, &pool, &sites));
  ok(hk_get(&at, m->node_count * HK_MOST_STRESSES));
  for (int kind = 0; kind <= HK_DEFORMATION_ROTATION; kind++) {
    const int n = hk_deformation_components((hk_deformation)kind, m->dim, HK_PLANE_STRAIN);
    double expected[HK_MOST_STRESSES] = {0};
    expect(of->region, m->dim, (hk_deformation)kind, expected);
    ok(hk_deformation_nodes(of, (hk_deformation)kind, u, at));
    expect_everywhere(m->node_count, n, at, expected);
    double *value = receive(of, &sites, (hk_deformation)kind, u);
    expect_everywhere(1, n, value, expected);
    hk_free(&value);
  }
  hk_pool_clear(&pool);
  hk_free(&u), hk_free(&at);
}

/* every shape, and of quadrilaterals, hexahedra, wedges, triangles and tetrahedra those of higher order */
static void linear_fields(void **state)
{
  (void)state;
  hk_region region = {.thickness = 3};
  anisotropic(&region.material);
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (int order = 0; order <= 3; order += 3) {
      if (!hk_shape_listed((hk_shape)s)) continue;
      if (order && hk_shape_raised((hk_shape)s, order) == HK_SHAPE_COUNT) continue;
      hk_mesh *m = make_patch((hk_shape)s, .05);
      if (order && hk_element_of((hk_shape)s)->order == 1) ok(hk_mesh_raise_to(m, order));
      hk_index *of = NULL;
      ok(hk_get(&of, m->element_count));
      linear_fields_on(&(hk_deformed){m, &region, 1, of});
      hk_free(&of);
      hk_mesh_destroy(&m);
    }
}

/* rows of receivers at all nodes give what the field has there, of any displacement, with materials that meet, a fluid among them */
static void rows_and_fields(void **state)
{
  (void)state;
  static const hk_shape shape[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  for (int s = 0; s < 4; s++)
    for (int order = 1; order <= 4; order += 3) {
      body b = {0};
      if (order > 1 && s % 2 == 0) continue;
      b.mesh = make_patch(shape[s], .05);
      if (order > 1) ok(hk_mesh_raise_to(b.mesh, order));
      body_dress(&b, EVERY_KIND);
      const hk_deformed whole = {b.mesh, b.region, REGIONS, b.element_region};
      b.region[b.element_region[0]].material.fluid = true;
      double *u = random_field(b.mesh), *at = NULL;
      hk_index *node = NULL;
      hk_pool pool = {0};
      hk_sites sites;
      ok(hk_get(&node, b.mesh->node_count));
      for (hk_index n = 0; n < b.mesh->node_count; n++) node[n] = n;
      ok(hk_sites_of_nodes(&whole, b.mesh->node_count, node, &pool, &sites));
      ok(hk_get(&at, b.mesh->node_count * HK_MOST_STRESSES));
      for (int kind = 0; kind <= HK_DEFORMATION_ROTATION; kind++) {
        const int n = hk_deformation_components((hk_deformation)kind, b.mesh->dim, HK_PLANE_STRAIN);
        double *value = receive(&whole, &sites, (hk_deformation)kind, u), most = 0;
        ok(hk_deformation_nodes(&whole, (hk_deformation)kind, u, at));
        for (hk_count i = 0; i < b.mesh->node_count * n; i++) most = fmax(most, fabs(at[i]));
        for (hk_count i = 0; i < b.mesh->node_count * n; i++) near(value[i], at[i], 1e-12 * most);
        assert_true(most > 0);
        hk_free(&value);
      }
      hk_pool_clear(&pool);
      hk_free(&u), hk_free(&at), hk_free(&node);
      body_destroy(&b);
    }
}

/* constant in each element: what extrapolation from its point gives */
static void constant_strains(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    body b = {0};
    body_create(&b, dim == 2 ? HK_TRI3 : HK_TET4, EVERY_KIND);
    const int n = hk_stress_components(dim);
    double *u = random_field(b.mesh), *stress = NULL, *strain = NULL, *at = NULL;
    ok(hk_get(&stress, b.mesh->node_count * n));
    ok(hk_get(&strain, b.mesh->node_count * n));
    ok(hk_get(&at, b.mesh->node_count * n));
    ok(hk_stress_nodes(b.mesh, b.region, REGIONS, b.element_region, u, stress, strain));
    const hk_deformed whole = {b.mesh, b.region, REGIONS, b.element_region};
    ok(hk_deformation_nodes(&whole, HK_DEFORMATION_STRESS, u, at));
    for (hk_count i = 0; i < b.mesh->node_count * n; i++)
      near(at[i], stress[i], 1e-10 * (1 + fabs(stress[i])));
    ok(hk_deformation_nodes(&whole, HK_DEFORMATION_STRAIN, u, at));
    for (hk_count i = 0; i < b.mesh->node_count * n; i++)
      near(at[i], strain[i], 1e-10 * (1 + fabs(strain[i])));
    hk_free(&u), hk_free(&stress), hk_free(&strain), hk_free(&at);
    body_destroy(&b);
  }
}

static void refusals(void **state)
{
  (void)state;
  hk_mesh *m = make_patch(HK_QUAD4, 0);
  hk_region region = {.thickness = 1};
  hk_index *of = NULL;
  hk_pool pool = {0};
  hk_sites sites;
  hk_deformation_rows rows;
  ok(hk_material_isotropic(1, .2, &region.material));
  ok(hk_get(&of, m->element_count));
  const hk_deformed whole = {m, &region, 1, of};
  fails_with(hk_sites_of_points(&whole, 1, (double[]){99, 0, 0}, &pool, &sites), HK_BAD_INPUT,
             "point 1 lies outside the mesh");
  ok(hk_sites_of_nodes(&whole, 1, m->block[0].node, &pool, &sites));
  const hk_index corner = m->block[0].node[0], other = m->block[0].node[2];
  for (int d = 0; d < 2; d++)
    m->x[corner * 2 + d] = 3 * m->x[other * 2 + d] - 2 * m->x[corner * 2 + d];
  double *u = linear_field(m), *at = NULL;
  ok(hk_get(&at, m->node_count * 4));
  fails_with(hk_deformation_nodes(&whole, HK_DEFORMATION_STRAIN, u, at), HK_BAD_INPUT, "folded");
  fails_with(hk_deformation_rows_find(&whole, &sites, HK_DEFORMATION_STRAIN, &pool, &rows),
             HK_BAD_INPUT, "folded");
  hk_pool_clear(&pool);
  hk_free(&u), hk_free(&at), hk_free(&of);
  hk_mesh_destroy(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_fields),
      cmocka_unit_test(rows_and_fields),
      cmocka_unit_test(constant_strains),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
