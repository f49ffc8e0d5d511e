/* The largest frequency by iteration: what it says when it has not converged, and when nothing can move. */
#include "../solver/fixture.h"
#include "run/explicit/problem.h"
#include "support/body.h"
#include "support/dense.h"

enum { HELD = 4 };

/* A body in one form of K, and rows that hold it: one node along two oblique directions, two nodes along x, the mean of three along y. */
typedef struct held_body {
  body b;
  run r;
  double *mass; /* internal */
  hk_sparse held;
} held_body;

static void add_row(hk_sparse *held, int count, const hk_index *dof, const double *weight)
{
  hk_index at = held->begin[held->rows++];
  for (int i = 0; i < count; i++, at++) held->dof[at] = dof[i], held->weight[at] = weight[i];
  held->begin[held->rows] = at;
}

static void hold_rows(held_body *h)
{
  const hk_index *node = h->r.space->node;
  const hk_index first = 2 * node[35], second = 2 * node[15], third = 2 * node[2];
  ok(hk_get(&h->held.begin, HELD + 1));
  ok(hk_get(&h->held.dof, 2 * HELD));
  ok(hk_get(&h->held.weight, 2 * HELD));
  add_row(&h->held, 2, (const hk_index[]){first, first + 1}, (const double[]){0.6, 0.8});
  add_row(&h->held, 2, (const hk_index[]){first, first + 1}, (const double[]){-0.8, 0.6});
  add_row(&h->held, 2, (const hk_index[]){second, third}, (const double[]){1, 1});
  add_row(&h->held, 2, (const hk_index[]){second + 1, third + 1}, (const double[]){1, -2});
}

static void held_body_create(held_body *h, hk_device *device, bool real)
{
  double *nodal = NULL;
  memset(h, 0, sizeof *h);
  h->b.mesh =
      make_grid((hk_mesh_grid){.cells = {6, 5, 0}, .shape = HK_QUAD4, .jitter = 0.2, .shuffle = 5});
  body_dress(&h->b, ONE);
  ok(run_create(&h->r, &h->b, device, "edges", real));
  ok(hk_get(&nodal, h->b.mesh->node_count));
  ok(hk_get(&h->mass, h->r.space->padded));
  ok(hk_mass_lumped(h->b.mesh, h->b.region, h->b.element_region, nodal));
  hk_space_to_internal(h->r.space, 1, nodal, h->mass);
  hk_free(&nodal);
  hold_rows(h);
}

static void held_body_destroy(held_body *h)
{
  hk_sparse_clear(&h->held);
  hk_free(&h->mass);
  run_destroy(&h->r);
  body_destroy(&h->b);
}

/* a -= a unit unit^T - unit unit^T a + ..., with a[n][n] symmetric: P a P of P = I - unit unit^T */
static void project(int n, double *a, const double *unit)
{
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < n; i++) {
      const int row = turn ? n : 1, entry = turn ? 1 : n;
      double along = 0;
      for (int k = 0; k < n; k++) along += unit[k] * a[i * row + k * entry];
      for (int k = 0; k < n; k++) a[i * row + k * entry] -= along * unit[k];
    }
}

/* The largest frequency of M^-1/2 K M^-1/2 with the first `rows` held rows projected out. */
static double dense_frequency(const held_body *h, hk_index rows)
{
  const hk_space *space = h->r.space;
  const int n = 2 * (int)h->b.mesh->node_count;
  const hk_count dofs = 2 * (hk_count)space->padded;
  double *a = NULL, *u = NULL, *ku = NULL, *unit = NULL, most = 0;
  ok(hk_get(&a, (hk_count)n * n));
  ok(hk_get(&u, dofs));
  ok(hk_get(&ku, dofs));
  ok(hk_get(&unit, n));
  hk_index *dof = NULL; /* internal numbers of the n */
  ok(hk_get(&dof, n));
  for (int i = 0; i < n; i++) dof[i] = 2 * space->node[i / 2] + i % 2;
  for (int i = 0; i < n; i++) {
    u[dof[i]] = 1;
    apply(h->r.op, u, ku);
    u[dof[i]] = 0;
    for (int k = 0; k < n; k++)
      a[i * n + k] = ku[dof[k]] / sqrt(h->mass[dof[i] / 2] * h->mass[dof[k] / 2]);
  }
  for (hk_index r = 0; r < rows; r++) {
    double square = 0;
    for (int i = 0; i < n; i++) {
      unit[i] = 0;
      for (hk_index p = h->held.begin[r]; p < h->held.begin[r + 1]; p++)
        if (h->held.dof[p] == dof[i]) unit[i] = h->held.weight[p] / sqrt(h->mass[dof[i] / 2]);
      square += unit[i] * unit[i];
    }
    for (int i = 0; i < n; i++) unit[i] /= sqrt(square);
    project(n, a, unit);
  }
  eigenvalues(n, a);
  for (int i = 0; i < n; i++) most = fmax(most, a[i * n + i]);
  hk_free(&a), hk_free(&u), hk_free(&ku), hk_free(&unit), hk_free(&dof);
  return sqrt(most);
}

/* omega is that of the dense matrix to 1e-3, free and with held rows, on every device in both precisions */
static void iteration_finds_the_dense_frequency(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++)
    for (int real = 0; real < 2; real++) {
      held_body h;
      double free = 0, omega = 0;
      bool converged = false;
      held_body_create(&h, device, real);
      for (hk_index rows = 0; rows <= HELD; rows += HELD) {
        const hk_sparse held = {rows, h.held.begin, h.held.dof, h.held.weight};
        const double expected = dense_frequency(&h, rows);
        ok(hk_largest_frequency(h.r.op, h.mass, &held, HK_FREQUENCY_ITERATIONS,
                                HK_FREQUENCY_OF_LIMIT, &omega, &converged));
        assert_true(converged && fabs(omega - expected) <= 1e-3 * expected);
        if (rows) assert_true(expected < 0.996 * free);
        free = expected;
      }
      held_body_destroy(&h);
    }
  hk_device_close(&device);
}

/* omega has the same bits on one thread and on three */
static void iteration_does_not_depend_on_threads(void **state)
{
  double omega[2];
  bool converged;
  (void)state;
  for (int k = 0; k < 2; k++) {
    fixture f;
    fixture_create(&f, "stored", HK_TRI3, 70, 0.3, 1, 0.3, 1, false, k ? 3 : 1);
    ok(hk_largest_frequency(f.op, f.mass, &(hk_sparse){0}, HK_FREQUENCY_ITERATIONS,
                            HK_FREQUENCY_OF_LIMIT, &omega[k], &converged));
    assert_true(converged && omega[k] > 0);
    fixture_destroy(&f);
  }
  assert_true(omega[0] == omega[1]);
}

/* after 400 iterations omega is converged and not above the bound; after 3 it is below that and says so */
static void iteration_says_whether_it_converged(void **state)
{
  fixture f;
  const hk_sparse none = {0};
  double omega, early;
  bool converged = false;
  (void)state;
  fixture_create(&f, "edges", HK_TRI3, 12, 0.3, 1, 0.3, 1, true, 1);
  ok(hk_largest_frequency(f.op, f.mass, &none, HK_FREQUENCY_ITERATIONS, HK_FREQUENCY_OF_LIMIT,
                          &omega, &converged));
  assert_true(converged);
  assert_true(omega <= 2 / f.limit * (1 + 1e-9) && omega >= 0.6 * 2 / f.limit);
  ok(hk_largest_frequency(f.op, f.mass, &none, 3, HK_FREQUENCY_OF_LIMIT, &early, &converged));
  assert_false(converged);
  assert_true(early > 0 && early < 0.999 * omega);
  fixture_destroy(&f);
}

/* all degrees of freedom held: 0, converged */
static void held_body_has_no_frequency(void **state)
{
  fixture f;
  double omega = 1;
  bool converged = false;
  hk_sparse held = {0};
  (void)state;
  fixture_create(&f, "edges", HK_QUAD4, 3, 0, 1, 0.3, 1, true, 1);
  held.rows = f.space->padded * f.space->components;
  ok(hk_get(&held.begin, held.rows + 1));
  ok(hk_get(&held.dof, held.rows));
  ok(hk_get(&held.weight, held.rows));
  held.rows = 0;
  for (hk_index i = 0; i < f.space->padded * f.space->components; i++) {
    if (f.space->mesh_node[i / f.space->components] < 0) continue;
    held.dof[held.rows] = i, held.weight[held.rows] = 1;
    held.rows++;
    held.begin[held.rows] = held.rows;
  }
  ok(hk_largest_frequency(f.op, f.mass, &held, HK_FREQUENCY_ITERATIONS, HK_FREQUENCY_OF_LIMIT,
                          &omega, &converged));
  assert_true(omega == 0 && converged);
  hk_sparse_clear(&held);
  fixture_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(iteration_says_whether_it_converged),
                                     cmocka_unit_test(held_body_has_no_frequency),
                                     cmocka_unit_test(iteration_finds_the_dense_frequency),
                                     cmocka_unit_test(iteration_does_not_depend_on_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
