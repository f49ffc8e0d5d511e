/* Consistent nodal forces: sums, moments, and the closed forms of single elements. */
#include "load/rows.h"
#include "element/element.h"
#include "element/face.h"
#include "support/check.h"

enum { MOST = HK_LISTED_NODES };

static const double map[3][3] = {{1.1, .2, -.1}, {.3, .8, .2}, {-.2, .1, .9}};

/* One element: the reference element under `map`. */
static hk_mesh *single(hk_shape shape)
{
  const hk_element *element = hk_element_of(shape);
  const int dim = element->dim;
  hk_mesh *m = NULL;
  ok(hk_mesh_begin(dim, &m));
  m->node_count = element->nodes, m->element_count = 1, m->block_count = 1;
  ok(hk_get(&m->x, element->nodes * dim));
  ok(hk_new(&m->block));
  m->block[0] = (hk_block){.shape = shape, .nodes = element->nodes, .count = 1};
  ok(hk_get(&m->block[0].node, element->nodes));
  for (int n = 0; n < element->nodes; n++) {
    m->block[0].node[n] = n;
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) m->x[n * dim + i] += map[i][j] * element->reference[n][j];
  }
  return m;
}

static hk_region region = {.material = {.density = 3}, .thickness = .5};
static const hk_index first_region[1] = {0};
static const hk_index first_element[6] = {0};
static const uint8_t faces[6] = {0, 1, 2, 3, 4, 5};

static hk_load_domain all_faces(const hk_mesh *m)
{
  return (hk_load_domain){
      m,     &region, first_region, hk_element_of(m->block[0].shape)->faces, first_element,
      faces, {NULL},  NULL};
}

/* every shape: a pressure all around has no resultant and no moment, and its work on the motion
 * u = x - x_0 is -p dim V: sum f . x = -p int x . n dA */
static void pressure_around(void **state)
{
  (void)state;
  const double det3 = map[0][0] * (map[1][1] * map[2][2] - map[1][2] * map[2][1]) -
                      map[0][1] * (map[1][0] * map[2][2] - map[1][2] * map[2][0]) +
                      map[0][2] * (map[1][0] * map[2][1] - map[1][1] * map[2][0]);
  const double det2 = map[0][0] * map[1][1] - map[0][1] * map[1][0];
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    hk_mesh *m = single((hk_shape)shape);
    const hk_load_domain d = all_faces(m);
    const int dim = m->dim;
    double f[3 * MOST] = {0}, sum[3] = {0}, moment = 0, work = 0;
    hk_load_spread(&d, &(hk_load_density){.pressure = 7}, f);
    for (int n = 0; n < m->node_count; n++) {
      const double *x = m->x + n * dim, *fn = f + n * dim;
      for (int c = 0; c < dim; c++) sum[c] += fn[c], work += fn[c] * x[c];
      moment += x[0] * fn[1] - x[1] * fn[0];
    }
    for (int c = 0; c < dim; c++) near(sum[c], 0, 1e-12);
    near(moment, 0, 1e-12);
    const double volume = hk_element_of((hk_shape)shape)->volume * (dim == 2 ? .5 * det2 : det3);
    near(work, -7 * dim * volume, 1e-11);
    hk_mesh_destroy(&m);
  }
}

/* every shape, full and reduced integration: traction on one face: sum f = t A, A by its corners */
static void traction_on_face(void **state)
{
  (void)state;
  static const double t[3] = {2, -3, 5};
  for (int i = 0; i < 2 * HK_SHAPE_COUNT; i++) {
    const hk_shape shape = (hk_shape)(i / 2);
    hk_mesh *m = single(shape);
    const hk_element *element = hk_element_of(shape);
    region.integration = i % 2 ? HK_INTEGRATION_REDUCED : HK_INTEGRATION_FULL;
    const int dim = m->dim;
    for (int k = 0; k < element->faces; k++) {
      hk_load_domain d = all_faces(m);
      d.count = 1, d.face = faces + k;
      double f[3 * MOST] = {0}, a[3] = {0}, b[3] = {0}, n[3], area;
      const int *node = element->face[k].node;
      const bool triangle = element->face[k].shape == HK_TRI3 || element->face[k].shape == HK_TRI6;
      hk_load_spread(&d, &(hk_load_density){.vector = {t[0], t[1], t[2]}}, f);
      for (int c = 0; c < dim; c++) {
        a[c] = m->x[node[1] * dim + c] - m->x[node[0] * dim + c];
        b[c] = m->x[node[2] * dim + c] - m->x[node[0] * dim + c];
      }
      for (int c = 0; c < 3; c++)
        n[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
      area = dim == 2 ? .5 * hypot(a[0], a[1])
                      : sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (triangle ? .5 : 1);
      for (int c = 0; c < dim; c++) {
        double sum = 0;
        for (int v = 0; v < m->node_count; v++) sum += f[v * dim + c];
        near(sum, t[c] * area, 1e-12);
      }
    }
    hk_mesh_destroy(&m);
  }
  region.integration = HK_INTEGRATION_FULL;
}

/* distorted elements, in either of two regions: f_n = t sum over the face's points, of the rules of the element's own region, of w N_n dA */
static void rules_of_the_region(void **state)
{
  static const double t[3] = {2, -3, 5};
  (void)state;
  bool differ = false;
  for (int i = 0; i < 4 * HK_SHAPE_COUNT; i++) {
    const hk_shape shape = (hk_shape)(i / 4);
    const hk_element *element = hk_element_of(shape);
    const hk_index own = i % 2;
    const hk_integration integration[2] = {HK_INTEGRATION_FULL, HK_INTEGRATION_REDUCED};
    hk_region regions[2] = {region, region};
    regions[own].integration = integration[i / 2 % 2];
    regions[!own].integration = integration[!(i / 2 % 2)];
    hk_mesh *m = single(shape);
    const int dim = m->dim;
    for (int c = 0; c < m->node_count * dim; c++) m->x[c] += .1 * sin(5 * c + 1);
    const bool reduced = hk_face_reduced(element, integration[i / 2 % 2]);
    for (int k = 0; k < element->faces; k++) {
      const hk_element_face *face = &element->face[k];
      hk_load_domain d = all_faces(m);
      d.count = 1, d.face = faces + k, d.region = regions, d.element_region = &own;
      double f[3 * MOST] = {0}, expected[2][3 * MOST] = {{0}}, x[3 * MOST], n[MOST],
                   normal[3] = {0};
      hk_load_spread(&d, &(hk_load_density){.vector = {t[0], t[1], t[2]}}, f);
      for (int v = 0; v < face->nodes; v++)
        for (int c = 0; c < dim; c++) x[v * dim + c] = m->x[face->node[v] * dim + c];
      for (int rule = 0; rule < 2; rule++)
        for (int q = 0; q < hk_face_points(element, face, rule); q++) {
          const double w = hk_face_point(element, face, rule, q, x, n, normal);
          const double dA = w * sqrt(normal[0] * normal[0] + normal[1] * normal[1] +
                                     (dim == 3 ? normal[2] * normal[2] : 0));
          for (int v = 0; v < face->nodes; v++)
            for (int c = 0; c < dim; c++)
              expected[rule][face->node[v] * dim + c] +=
                  t[c] * n[v] * dA * (dim == 2 ? region.thickness : 1);
        }
      for (int c = 0; c < m->node_count * dim; c++) {
        near(f[c], expected[reduced][c], 1e-13);
        differ = differ || (reduced && fabs(expected[0][c] - expected[1][c]) > 1e-6);
      }
    }
    hk_mesh_destroy(&m);
  }
  assert_true(differ);
}

/* distorted elements: f_n = thickness sum over the points of the rule of w det N_n b */
static void body_forces_of_the_rule(void **state)
{
  static const double b[3] = {2, -3, 5};
  (void)state;
  for (int i = 0; i < 2 * HK_SHAPE_COUNT; i++) {
    const hk_element *element = hk_element_of((hk_shape)(i / 2));
    region.integration = i % 2 ? HK_INTEGRATION_REDUCED : HK_INTEGRATION_FULL;
    if (i % 2 && element->order == 1) continue;
    hk_mesh *m = single(element->shape);
    const int dim = m->dim;
    double f[3 * MOST] = {0}, expected[3 * MOST] = {0}, n[MOST], g[3 * MOST];
    for (int c = 0; c < m->node_count * dim; c++) m->x[c] += .1 * sin(5 * c + 1);
    hk_load_domain d = all_faces(m);
    d.count = 1, d.face = NULL;
    hk_load_spread(&d, &(hk_load_density){.vector = {b[0], b[1], b[2]}}, f);
    const hk_rule rule =
        hk_face_reduced(element, region.integration) ? element->reduced : element->exact;
    for (int q = 0; q < rule.points; q++) {
      const double det = hk_element_physical(element, rule.point[q], m->x, g);
      hk_element_functions(element, rule.point[q], n, NULL);
      for (int k = 0; k < element->nodes * dim; k++)
        expected[k] +=
            rule.weight[q] * det * n[k / dim] * b[k % dim] * (dim == 2 ? region.thickness : 1);
    }
    for (int k = 0; k < element->nodes * dim; k++) near(f[k], expected[k], 1e-12);
    hk_mesh_destroy(&m);
  }
  region.integration = HK_INTEGRATION_FULL;
}

/* a square [-1, 1]^2 has its bottom pushed up: half of p times length and thickness on each end */
static void pressure_on_line(void **state)
{
  (void)state;
  hk_mesh *m = single(HK_QUAD4);
  hk_load_domain d = all_faces(m);
  double f[8] = {0};
  d.count = 1;
  memcpy(m->x, (double[8]){-1, -1, 1, -1, 1, 1, -1, 1}, 8 * sizeof(double));
  hk_load_spread(&d, &(hk_load_density){.pressure = 4}, f);
  const double expected[8] = {0, 2, 0, 2};
  for (int i = 0; i < 8; i++) near(f[i], expected[i], 1e-14);
  hk_mesh_destroy(&m);
}

/* every shape: body force and gravity: sum f = b V, density times b V (2D: times the thickness) */
static void body_forces(void **state)
{
  (void)state;
  static const double b[3] = {2, -3, 5};
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    hk_mesh *m = single((hk_shape)shape);
    const int dim = m->dim;
    hk_load_domain d = all_faces(m);
    d.count = 1, d.face = NULL;
    double f[3 * MOST] = {0}, g[3 * MOST] = {0}, force[3] = {0}, work = 0;
    hk_load_spread(&d, &(hk_load_density){.vector = {b[0], b[1], b[2]}}, f);
    hk_load_spread(&d, &(hk_load_density){.vector = {b[0], b[1], b[2]}, .by_density = true}, g);
    for (int i = 0; i < m->node_count * dim; i++) {
      near(g[i], 3 * f[i], 1e-13);
      force[i % dim] += f[i];
    }
    /* pressure work of the same body gives its volume: -p dim V */
    hk_load_domain around = all_faces(m);
    double p[3 * MOST] = {0};
    hk_load_spread(&around, &(hk_load_density){.pressure = -1}, p);
    for (int i = 0; i < m->node_count * dim; i++) work += p[i] * m->x[i];
    for (int c = 0; c < dim; c++) near(force[c], b[c] * work / dim, 1e-12);
    hk_mesh_destroy(&m);
  }
}

/* row of a node: weight 1 on it; the k-th allocation fails: no memory is lost */
static void rows_of_nodes(void **state)
{
  (void)state;
  static const hk_index node[3] = {7, 0, 7};
  const hk_count held = hk_memory_held();
  hk_status status = HK_NO_RESOURCES;
  for (int k = 1; status != HK_OK; k++) {
    hk_rows rows = {0};
    hk_memory_fail_at(k);
    status = hk_rows_of_nodes(3, node, &rows);
    hk_memory_fail_at(0);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    if (status == HK_OK) {
      assert_int_equal(rows.row_count, 3);
      for (int i = 0; i < 3; i++) {
        assert_int_equal(rows.begin[i + 1], i + 1);
        assert_int_equal(rows.node[i], node[i]);
        near(rows.weight[i], 1, 0);
      }
    }
    hk_rows_clear(&rows);
    assert_int_equal(hk_memory_held(), held);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(pressure_around),
                                     cmocka_unit_test(traction_on_face),
                                     cmocka_unit_test(pressure_on_line),
                                     cmocka_unit_test(rules_of_the_region),
                                     cmocka_unit_test(body_forces_of_the_rule),
                                     cmocka_unit_test(body_forces),
                                     cmocka_unit_test(rows_of_nodes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
