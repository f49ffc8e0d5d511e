/* Elements of order p in the assembled matrix. */
#include "load/rows.h"
#include "operator/assembly/csr.h"
#include "operator/element/element_matrix.h"
#include "support/body.h"
#include "sanitized.h"
#include <complex.h>

/* x := A x of all nodes: elements stay affine, but none is upright. */
static void shear(hk_mesh *mesh)
{
  static const double a[3][3] = {{1.1, .2, -.1}, {.3, .8, .2}, {-.2, .1, .9}};
  for (hk_count n = 0; n < mesh->node_count; n++) {
    double x[3] = {0};
    for (int c = 0; c < mesh->dim; c++)
      for (int d = 0; d < mesh->dim; d++) x[c] += a[c][d] * mesh->x[n * mesh->dim + d];
    memcpy(mesh->x + n * mesh->dim, x, (size_t)mesh->dim * sizeof *x);
  }
}

/* One or two cells along each direction, of order p. */
static hk_mesh *make_mesh(hk_shape linear, int order)
{
  const hk_mesh_layer layer[2] = {{.5, 1, NULL}, {.7, 1, NULL}};
  hk_mesh_grid grid = {.to = {1, 1.2, .8}, .cells = {2, 2, 2}, .shape = linear, .shuffle = 3};
  if (linear == HK_WEDGE6) grid.jitter = 0.25;
  hk_mesh *mesh =
      linear == HK_WEDGE6 ? make_prisms(grid, SANITIZED ? 1 : 2, layer) : make_grid(grid);
  shear(mesh);
  ok(hk_mesh_raise_to(mesh, order));
  return mesh;
}

static const struct {
  hk_shape linear;
  int order;
} rows[] = {{HK_QUAD4, 2},  {HK_QUAD4, 3},  {HK_QUAD4, 7},  {HK_QUAD4, 10}, {HK_HEX8, 2},
            {HK_HEX8, 3},   {HK_HEX8, 4},   {HK_WEDGE6, 1}, {HK_WEDGE6, 2}, {HK_WEDGE6, 3},
            {HK_WEDGE6, 4}, {HK_WEDGE6, 5}, {HK_WEDGE6, 6}, {HK_WEDGE6, 7}};
enum { ROWS = sizeof rows / sizeof *rows };

/* Re (k . x)^m with k . k = 0: harmonic; its gradient. */
static double harmonic(int m, int dim, const double *x, double *gradient)
{
  const double complex k[3] = {1, dim == 2 ? I : .6 * I, .8 * I};
  double complex s = 0;
  for (int d = 0; d < dim; d++) s += k[d] * x[d];
  for (int d = 0; d < dim; d++) gradient[d] = creal(m * cpow(s, m - 1) * k[d]);
  return creal(cpow(s, m));
}

/* K u = 0 at nodes inside for u = a harmonic polynomial of degree p (heat), or the gradient of one of degree p + 1 (elasticity): solutions
 * of no force, which therefore come out exactly; not of one degree more (parallelograms side by side meet some of those too) */
static void polynomials_need_no_force(void **state)
{
  (void)state;
  for (int r = 0; r < ROWS; r++)
    for (int heat = rows[r].order > 5 && rows[r].linear == HK_WEDGE6; heat < 2; heat++)
      for (int more = 0; more < (rows[r].linear == HK_WEDGE6 && rows[r].order < 5 ? 2 : 1);
           more++) {
        if (more && SANITIZED) break; /* a number alone */
        body b = {.mesh = make_mesh(rows[r].linear, rows[r].order)};
        const int dim = b.mesh->dim, n = heat ? 1 : dim, p = rows[r].order + more;
        hk_space *space = NULL;
        hk_csr k = {0};
        hk_index *element = NULL;
        uint8_t *face = NULL;
        hk_count faces;
        ok(hk_get(&b.region, 1));
        ok(hk_get(&b.element_region, b.mesh->element_count));
        b.region[0].thickness = 1;
        ok(hk_material_isotropic(2, .3, &b.region[0].material));
        ok(hk_material_conduct(1, (const double[]){3}, &b.region[0].material));
        ok(hk_space_create(b.mesh, &(hk_space_desc){.patch = 32, .slice = 32, .components = n},
                           &space));
        ok(hk_csr_assemble(&(hk_operator_desc){.space = space,
                                               .region = b.region,
                                               .element_region = b.element_region},
                           &k));
        double *u = NULL, most = 0, error = 0;
        bool *outer = NULL;
        ok(hk_get(&u, b.mesh->node_count * n));
        ok(hk_get(&outer, b.mesh->node_count));
        ok(hk_mesh_boundary(b.mesh, &faces, &element, &face));
        for (hk_count i = 0; i < faces; i++) {
          const hk_element_face *f = &hk_element_of(b.mesh->block->shape)->face[face[i]];
          for (int q = 0; q < f->nodes; q++)
            outer[hk_mesh_nodes_of(b.mesh, element[i])[f->node[q]]] = true;
        }
        for (hk_count i = 0; i < b.mesh->node_count; i++) {
          double g[3];
          const double v = harmonic(heat ? p : p + 1, dim, b.mesh->x + i * dim, g);
          for (int c = 0; c < n; c++) u[i * n + c] = heat ? v : g[c];
        }
        for (hk_index i = 0; i < k.rows; i++) {
          const hk_index node = space->mesh_node[i];
          if (node < 0) continue;
          for (int c = 0; c < n; c++) {
            double sum = 0, size = 0;
            for (hk_count q = k.begin[i]; q < k.begin[i + 1]; q++)
              for (int d = 0; d < n; d++) {
                const double part = k.block[(q * n + c) * n + d] *
                                    u[(hk_count)space->mesh_node[k.column[q]] * n + d];
                sum += part, size += fabs(part);
              }
            if (size > most) most = size;
            if (!outer[node]) error = hk_larger(error, fabs(sum));
          }
        }
        if (more ? !(error >= 1e-9 * most) : !(error <= 1e-13 * most))
          fail_msg("%s, heat %d, degree %d: force %.2e of %.2e",
                   hk_shape_name(b.mesh->block->shape), heat, p, error, most);
        hk_free(&u);
        hk_free(&outer);
        hk_free(&element);
        hk_free(&face);
        hk_csr_clear(&k);
        hk_space_destroy(&space);
        body_destroy(&b);
      }
}

/* the matrix of a distorted wedge of order 3 and of an anisotropic law: symmetric, of no force for rigid-body motions; the same by way of
 * a law that varies (the strains' rows) */
static void matrix_is_symmetric_and_free(void **state)
{
  const hk_element *e = hk_element_of(HK_WEDGE_P + 3);
  const int size = 3 * e->nodes;
  double *k = NULL, *other = NULL, x[3 * 40], most = 0;
  hk_region region = {.thickness = 1};
  (void)state;
  srand(5);
  anisotropic(&region.material);
  for (int n = 0; n < e->nodes; n++)
    for (int c = 0; c < 3; c++)
      x[3 * n + c] = e->reference[n][c] + .05 * sin(7 * e->reference[n][(c + 1) % 3] + c);
  ok(hk_get(&k, (hk_count)size * size));
  ok(hk_get(&other, (hk_count)size * size));
  assert_true(hk_element_integrate(&region, e, x, k) > 0);
  region.varies = true, region.axes.kind = HK_AXES_RECTANGULAR;
  for (int d = 0; d < 3; d++) region.axes.row[d][d] = 1;
  assert_true(hk_element_integrate(&region, e, x, other) > 0);
  for (int i = 0; i < size * size; i++) most = fmax(most, fabs(k[i]));
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      assert_true(k[i * size + j] == k[j * size + i]);
      assert_true(fabs(k[i * size + j] - other[i * size + j]) <= 1e-14 * most);
    }
  for (int motion = 0; motion < 6; motion++)
    for (int i = 0; i < size; i++) {
      double sum = 0;
      for (int n = 0; n < e->nodes; n++)
        for (int c = 0; c < 3; c++) {
          const int a = motion - 3, d = (a + 1) % 3, f = (a + 2) % 3;
          const double v = motion < 3 ? c == motion
                           : c == f   ? x[3 * n + d]
                           : c == d   ? -x[3 * n + f]
                                      : 0;
          sum += k[i * size + 3 * n + c] * v;
        }
      assert_true(fabs(sum) <= 1e-12 * most);
    }
  hk_free(&k);
  hk_free(&other);
}

/* sum of f x = int x dA of a traction on the side x = const, and the resultant of pressure all around is nothing */
static void loads_on_faces_are_exact(void **state)
{
  (void)state;
  for (int r = 0; r < ROWS; r++) {
    hk_mesh *mesh = make_mesh(rows[r].linear, rows[r].order);
    const int dim = mesh->dim;
    hk_region region = {.thickness = 1};
    hk_index *of = NULL;
    hk_index *element = NULL;
    uint8_t *face = NULL;
    hk_count faces;
    double *f = NULL, sum[3] = {0}, moment = 0;
    hk_mesh_quality q;
    ok(hk_get(&of, mesh->element_count));
    ok(hk_get(&f, mesh->node_count * dim));
    ok(hk_mesh_measure(mesh, &q));
    ok(hk_mesh_boundary(mesh, &faces, &element, &face));
    hk_load_spread(&(hk_load_domain){.mesh = mesh,
                                     .region = &region,
                                     .element_region = of,
                                     .count = faces,
                                     .element = element,
                                     .face = face},
                   &(hk_load_density){.pressure = 2}, f);
    for (hk_count n = 0; n < mesh->node_count; n++)
      for (int c = 0; c < dim; c++) {
        sum[c] += f[n * dim + c];
        moment += f[n * dim + c] * mesh->x[n * dim + c];
      }
    for (int c = 0; c < dim; c++) assert_true(fabs(sum[c]) <= 1e-13);
    assert_true(fabs(moment + 2 * dim * q.volume) <= 1e-12); /* - p dim V */
    hk_free(&of);
    hk_free(&f);
    hk_free(&element);
    hk_free(&face);
    hk_mesh_destroy(&mesh);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(polynomials_need_no_force),
                                     cmocka_unit_test(matrix_is_symmetric_and_free),
                                     cmocka_unit_test(loads_on_faces_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
