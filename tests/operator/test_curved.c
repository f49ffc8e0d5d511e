/* Prisms of order p with curved geometry of second order, by the rules of Table 1 of Banas et al. */
#include "element/prism.h"
#include "operator/assembly/csr.h"
#include "support/body.h"
#include "sanitized.h"
#include <complex.h>

/* An eighth of a ring, 1 <= r <= 3/2, 1/2 high, that turns by z / 2 on its way up: no face is flat but the lower one. wedge15. */
static void bend(hk_mesh *mesh)
{
  for (hk_count n = 0; n < mesh->node_count; n++) {
    double *x = mesh->x + 3 * n;
    const double r = 1 + x[0] / 2, at = acos(-1.0) / 4 * x[1] + x[2] / 2;
    x[0] = r * cos(at), x[1] = r * sin(at);
  }
}

static hk_mesh *make_ring(int cells, int order)
{
  hk_mesh *mesh = make_prisms((hk_mesh_grid){.to = {1, 1}, .cells = {cells, cells}}, 1,
                              &(hk_mesh_layer){.5, cells, NULL});
  ok(hk_mesh_raise(mesh));
  bend(mesh);
  ok(hk_mesh_raise_to(mesh, order));
  return mesh;
}

/* Re f of div grad f = 0, and its gradient, which is a displacement of no force. */
static void exact(const double *x, int n, double *u)
{
  const double complex k[3] = {.9, 1.5 * I, 1.2}, f = cexp(k[0] * x[0] + k[1] * x[1] + k[2] * x[2]);
  for (int c = 0; c < n; c++) u[c] = creal(n == 1 ? f : k[c] * f);
}

typedef struct problem {
  body b;
  hk_space *space;
  hk_csr k;
  bool *held; /* of nodes */
  int n;
} problem;

/* y = K x; 0 where it is held. */
static void multiply(const problem *p, const double *x, double *y)
{
  const int n = p->n;
  for (hk_index i = 0; i < p->k.rows; i++) {
    const hk_index node = p->space->mesh_node[i];
    if (node < 0) continue;
    for (int c = 0; c < n; c++) y[node * n + c] = 0;
    for (hk_count q = p->k.begin[i]; q < p->k.begin[i + 1] && !p->held[node]; q++)
      for (int c = 0; c < n; c++)
        for (int d = 0; d < n; d++)
          y[node * n + c] += p->k.block[(q * n + c) * n + d] *
                             x[(hk_count)p->space->mesh_node[p->k.column[q]] * n + d];
  }
}

/* diagonal[node * n + c] */
static void find_diagonal(const problem *p, double *diagonal)
{
  for (hk_index i = 0; i < p->k.rows; i++) {
    const hk_index node = p->space->mesh_node[i];
    for (hk_count q = p->k.begin[i]; node >= 0 && q < p->k.begin[i + 1]; q++)
      for (int c = 0; c < p->n && p->k.column[q] == i; c++)
        diagonal[node * p->n + c] = p->k.block[(q * p->n + c) * p->n + c];
  }
}

/* K u = 0 inside, by conjugate gradients. */
static void solve(const problem *p, double *u)
{
  const hk_count n = p->b.mesh->node_count * p->n;
  double *r, *z, *d, *q, *diagonal;
  ok(hk_get(&diagonal, n));
  find_diagonal(p, diagonal);
  ok(hk_get(&r, n));
  ok(hk_get(&z, n));
  ok(hk_get(&d, n));
  ok(hk_get(&q, n));
  multiply(p, u, r);
  for (hk_count i = 0; i < n; i++) r[i] = -r[i], z[i] = d[i] = r[i] / diagonal[i];
  double rho = dot(n, r, z);
  const double end = 1e-22 * rho;
  for (int k = 0; rho > end && k < 2000; k++) {
    multiply(p, d, q);
    const double a = rho / dot(n, d, q);
    for (hk_count i = 0; i < n; i++) u[i] += a * d[i], r[i] -= a * q[i], z[i] = r[i] / diagonal[i];
    const double next = dot(n, r, z), beta = next / rho;
    for (hk_count i = 0; i < n; i++) d[i] = z[i] + beta * d[i];
    rho = next;
  }
  assert_true(rho <= end);
  hk_free(&diagonal);
  hk_free(&r);
  hk_free(&z);
  hk_free(&d);
  hk_free(&q);
}

/* over the elements, by more points than K has */
static double l2(const problem *p, const double *u)
{
  const hk_prism_rule *rule = hk_prism_rule_of(9);
  const hk_element *e = hk_element_of(p->b.mesh->block->shape);
  double sum = 0, x[3 * HK_PRISM_NODES], n[HK_PRISM_NODES], g[3 * HK_PRISM_NODES];
  for (hk_count i = 0; i < p->b.mesh->element_count; i++) {
    const hk_index *node = hk_mesh_nodes_of(p->b.mesh, i);
    for (int k = 0; k < e->nodes; k++)
      memcpy(x + 3 * k, p->b.mesh->x + 3 * (hk_count)node[k], 3 * sizeof *x);
    for (int q = 0; q < rule->points; q++) {
      double at[3], v[3];
      hk_element_functions(e, rule->point[q], n, NULL);
      const double w = hk_element_physical(e, rule->point[q], x, g) * rule->weight[q];
      hk_element_place(3, e->nodes, n, x, at);
      exact(at, p->n, v);
      for (int c = 0; c < p->n; c++) {
        double here = -v[c];
        for (int k = 0; k < e->nodes; k++) here += n[k] * u[node[k] * p->n + c];
        sum += w * here * here;
      }
    }
  }
  return sqrt(sum);
}

static void problem_create(problem *p, int cells, int order, int n)
{
  hk_index *element = NULL;
  uint8_t *face = NULL;
  hk_count faces;
  *p = (problem){.b = {.mesh = make_ring(cells, order)}, .n = n};
  body *b = &p->b;
  ok(hk_get(&b->region, 1));
  ok(hk_get(&b->element_region, b->mesh->element_count));
  b->region[0].thickness = 1;
  ok(hk_material_isotropic(2, .3, &b->region[0].material));
  ok(hk_material_conduct(1, (const double[]){3}, &b->region[0].material));
  ok(hk_space_create(b->mesh, &(hk_space_desc){.patch = 32, .slice = 32, .components = n},
                     &p->space));
  ok(hk_csr_assemble(&(hk_operator_desc){.space = p->space,
                                         .region = b->region,
                                         .element_region = b->element_region},
                     &p->k));
  ok(hk_get(&p->held, b->mesh->node_count));
  ok(hk_mesh_boundary(b->mesh, &faces, &element, &face));
  for (hk_count i = 0; i < faces; i++) {
    const hk_element_face *f = &hk_element_of(b->mesh->block->shape)->face[face[i]];
    for (int q = 0; q < f->nodes; q++)
      p->held[hk_mesh_nodes_of(b->mesh, element[i])[f->node[q]]] = true;
  }
  hk_free(&element);
  hk_free(&face);
}

static void problem_destroy(problem *p)
{
  hk_free(&p->held);
  hk_csr_clear(&p->k);
  hk_space_destroy(&p->space);
  body_destroy(&p->b);
}

static double error_of(int cells, int order, int n)
{
  problem p;
  double *u = NULL;
  problem_create(&p, cells, order, n);
  ok(hk_get(&u, p.b.mesh->node_count * n));
  for (hk_count i = 0; i < p.b.mesh->node_count; i++)
    if (p.held[i]) exact(p.b.mesh->x + 3 * i, n, u + i * n);
  solve(&p, u);
  const double error = l2(&p, u);
  hk_free(&u);
  problem_destroy(&p);
  return error;
}

/* |u - u_h| in L2 falls as h^(p + 1), all values on the surface given, of heat and of displacements (of displacements of order 4 a solution
 * would take too long). 0.2: the coarser meshes have not all of it. */
static void error_falls_with_the_order(void **state)
{
  static const int cells[] = {4, 3, 2, 2};
  (void)state;
  for (int p = 1; p <= (SANITIZED ? 2 : 4); p++)
    for (int n = 1; n <= (p < 4 ? 3 : 1); n += 2) {
      const double coarse = error_of(cells[p - 1], p, n), fine = error_of(2 * cells[p - 1], p, n),
                   order = log2(coarse / fine);
      if (!(order >= p + 1 - 0.2))
        fail_msg("order %d, %d components: error %.3e, %.3e with half the size: falls with %.2f", p,
                 n, coarse, fine, order);
    }
}

/* K u at all nodes, at those inside alone where `inside`; of its largest product. */
static double force_of(problem *p, const double *u, bool inside)
{
  const hk_count size = p->b.mesh->node_count * p->n;
  double *f = NULL, most = 0, largest = 0;
  bool *none = NULL, *held = p->held;
  ok(hk_get(&f, size));
  ok(hk_get(&none, p->b.mesh->node_count));
  if (!inside) p->held = none;
  multiply(p, u, f);
  p->held = held;
  for (hk_count i = 0; i < size; i++) most = hk_larger(most, fabs(f[i]));
  for (hk_count q = 0; q < p->k.entries * p->n * p->n; q++)
    largest = fmax(largest, fabs(p->k.block[q]));
  hk_free(&f);
  hk_free(&none);
  return most / largest;
}

/* Rigid motions need no force, and a strain that is the same everywhere none inside: of second order on, as its nodes can say what curved
 * edges are, p + 2 and p + 3 being the degrees of |J| grad N */
static void rigid_motions_and_equal_strains(void **state)
{
  static const double strain[3][3] = {{.3, -.2, .1}, {.5, -.4, .2}, {-.1, .6, .7}};
  (void)state;
  for (int order = 1; order <= 4; order++) {
    problem p;
    double *u = NULL;
    problem_create(&p, 2, order, 3);
    const hk_mesh *mesh = p.b.mesh;
    ok(hk_get(&u, mesh->node_count * 3));
    for (int motion = 0; motion < 7; motion++) {
      for (hk_count i = 0; i < mesh->node_count; i++)
        for (int c = 0; c < 3; c++) {
          const double *x = mesh->x + 3 * i;
          const int a = motion - 3, d = (a + 1) % 3, f = (a + 2) % 3;
          u[3 * i + c] = motion == 6
                             ? strain[c][0] * x[0] + strain[c][1] * x[1] + strain[c][2] * x[2]
                         : motion < 3 ? c == motion
                         : c == f     ? x[d]
                         : c == d     ? -x[f]
                                      : 0;
        }
      const double force = force_of(&p, u, motion == 6);
      if (!(force <= 1e-13)) fail_msg("order %d, motion %d: force %.2e", order, motion, force);
    }
    hk_free(&u);
    problem_destroy(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(error_falls_with_the_order),
                                     cmocka_unit_test(rigid_motions_and_equal_strains)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
