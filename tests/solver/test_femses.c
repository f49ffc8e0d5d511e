/* The method femses: K by elements alone, every relaxation, on every device, against the dense solution. */
#include "sanitized.h"
#include "solver/linear_fixture.h"

static const char *const relaxations[] = {"jacobi", "chebyshev", "conjugate", "multigrid"};
enum { RELAXATIONS = sizeof relaxations / sizeof *relaxations };

typedef struct heat_desc {
  hk_shape shape;
  hk_index cells;
  const char *device;
  const char *form; /* NULL: elements; "matrix-free": no films */
  bool single;
  int threads;
} heat_desc;

static const hk_exchange films[] = {{.element = 0, .face = 0, .coefficient = 2},
                                    {.element = 1, .face = 1, .coefficient = 3},
                                    {.element = 1, .face = 2, .coefficient = 1}};

/* A box whose left side is at 1 + y, with films on some faces, in two materials. */
static void heat_create(problem *p, const heat_desc *desc)
{
  const hk_shape linear = hk_shape_linear(desc->shape);
  const bool flat = hk_element_of(linear)->dim == 2;
  const hk_operator_kind *kind = NULL;
  const double one = 1, conductivity = 2.5;
  *p = (problem){0};
  ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = flat ? 2 : 3,
                                         .to = {1, 1.2, 0.9},
                                         .cells = {desc->cells, desc->cells, desc->cells},
                                         .shape = linear,
                                         .jitter = 0.3,
                                         .shuffle = 5},
                         &p->mesh));
  if (linear != desc->shape) ok(hk_mesh_raise(p->mesh));
  ok(hk_material_conduct(1, &conductivity, &p->region.material));
  p->region.thickness = 1;
  ok(hk_get(&p->element_region, p->mesh->element_count));
  ok(hk_device_open(desc->device ? desc->device : "cpu", desc->threads, &p->device));
  ok(hk_operator_choose(desc->form ? desc->form : "elements", p->mesh, p->device, &kind));
  hk_space_desc space = kind->space(p->mesh, p->device, !desc->single);
  space.components = 1;
  ok(hk_space_create(p->mesh, &space, &p->space));
  ok(hk_operator_create(
      kind,
      &(hk_operator_desc){.device = p->device,
                          .space = p->space,
                          .region = &p->region,
                          .element_region = p->element_region,
                          .double_precision = !desc->single,
                          .terms = {{{&hk_exchange_kind, films, desc->form ? 0 : 3}}}},
      &p->op));
  p->dofs = p->space->padded;
  ok(hk_get(&p->f, p->dofs));
  ok(hk_get(&p->u, p->dofs));
  for (hk_count n = 0; n < p->mesh->node_count; n++) {
    const double *x = p->mesh->x + n * p->mesh->dim;
    const hk_index i = p->space->node[n];
    p->f[i] = sin(7 * x[0] + 3 * x[1]) / (double)p->mesh->node_count;
    if (x[0] < 1e-9) ok(hk_constraint_rows_add(&p->rows, 1, &i, &one, 1 + x[1], NULL, 0));
  }
  ok(hk_constraints_build(&p->rows, p->dofs, 0, NULL, &p->constraints, NULL));
}

typedef struct asking {
  const char *relaxation;
  double tolerance;
  int iterations;
  bool single_sweeps, by_change;
  bool (*stop)(void *user);
} asking;

static bool iterates;

static void on_iteration(int iteration, double residual, void *user)
{
  (void)residual, (void)user;
  iterates = iteration > 0;
}

static hk_status relax(problem *p, const asking *how, hk_linear_report *report)
{
  hk_linear *linear = NULL;
  hk_status status = hk_linear_create(&(hk_linear_desc){.op = p->op,
                                                        .constraints = &p->constraints,
                                                        .method = "femses",
                                                        .relaxation = how->relaxation,
                                                        .single_sweeps = how->single_sweeps,
                                                        .by_change = how->by_change,
                                                        .tolerance = how->tolerance,
                                                        .iterations = how->iterations,
                                                        .progress = on_iteration,
                                                        .stop = how->stop},
                                      &linear);
  if (status == HK_OK) status = hk_linear_solve(linear, p->f, p->u, report);
  hk_linear_destroy(&linear);
  return status;
}

/* Residuals of 1e-11 tell temperatures to 1e-8: the condition of these bodies is below 1e3. */
static void relaxations_are_the_dense_solution(void **state)
{
  static const struct {
    hk_shape shape;
    hk_index cells;
  } bodies[] = {{HK_TRI3, 12}, {HK_QUAD4, 12}, {HK_TET4, 5},
                {HK_HEX8, 5},  {HK_TRI6, 6},   {HK_TET10, 3}};
  (void)state;
  for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
    problem p;
    heat_create(&p, &(heat_desc){.shape = bodies[b].shape, .cells = bodies[b].cells});
    double *expected = dense_solution(&p);
    for (int r = 0; r < RELAXATIONS; r++) {
      hk_linear_report report;
      ok(relax(&p, &(asking){.relaxation = relaxations[r], .tolerance = 1e-11}, &report));
      const double error = difference_of(p.u, expected, p.dofs);
      if (!(error <= 1e-8))
        fail_msg("%s, shape %d: error %g", report.method, (int)bodies[b].shape, error);
      assert_true(report.residual <= 1e-11 && report.bytes > 0);
      assert_int_equal(report.history_count, report.iterations + 1);
      assert_true(fabs(report.history[0] - 1) <= 1e-9);
      hk_linear_report_clear(&report);
    }
    hk_free(&expected);
    problem_destroy(&p);
  }
}

/* Triangles and tetrahedra from their geometry, in several groups; the diagonal is the host's. */
static void geometry_is_relaxed_too(void **state)
{
  static const hk_index cells[2] = {SANITIZED ? 26 : 40, SANITIZED ? 8 : 10};
  (void)state;
  for (int s = 0; s < 2; s++) {
    problem p;
    heat_create(
        &p, &(heat_desc){.shape = s ? HK_TET4 : HK_TRI3, .cells = cells[s], .form = "matrix-free"});
    assert_true(p.space->patches > 1);
    double *expected = dense_solution(&p);
    for (int r = 0; r < RELAXATIONS; r++) {
      hk_linear_report report;
      ok(relax(&p, &(asking){.relaxation = relaxations[r], .tolerance = 1e-11}, &report));
      assert_true(difference_of(p.u, expected, p.dofs) <= 1e-8);
      if (r == RELAXATIONS - 1) assert_in_range(report.iterations, 5, 24);
      hk_linear_report_clear(&report);
    }
    hk_free(&expected);
    problem_destroy(&p);
  }
}

static int iterations_of(hk_shape shape, hk_index cells)
{
  problem p;
  hk_linear_report report;
  heat_create(&p, &(heat_desc){.shape = shape, .cells = cells});
  ok(relax(&p, &(asking){.tolerance = 0}, &report));
  assert_true(report.residual <= 1e-8);
  assert_non_null(strstr(report.method, "multigrid"));
  const int iterations = report.iterations;
  hk_linear_report_clear(&report);
  problem_destroy(&p);
  return iterations;
}

/* by less than 1.3 per fourfold unknowns, and one */
static void iterations_of_multigrid_hardly_grow(void **state)
{
  (void)state;
  const hk_index cells = SANITIZED ? 20 : 40, solids = SANITIZED ? 8 : 12;
  const int few = iterations_of(HK_TRI3, cells), more = iterations_of(HK_TRI3, 2 * cells),
            many = SANITIZED ? more : iterations_of(HK_TRI3, 4 * cells);
  assert_in_range(few, 5, 18);
  assert_true(more <= 1.3 * few + 1 && many <= 1.3 * more + 1);
  const int solid = iterations_of(HK_TET4, solids),
            larger = iterations_of(HK_TET4, solids * 19 / 12);
  assert_in_range(solid, 5, 18);
  assert_true(larger <= 1.3 * solid + 1);
  assert_in_range(iterations_of(HK_TET10, 6), 5, 25);
}

/* A single K, and sweeps in single with a double one: residuals in double. */
static void mixed_precision_reaches_what_single_does_not(void **state)
{
  (void)state;
  for (int way = 0; way < 2; way++) {
    problem p;
    heat_create(&p, &(heat_desc){.shape = HK_TRI3, .cells = 16, .single = way == 0});
    double *expected = dense_solution(&p);
    for (int r = 0; r < RELAXATIONS; r++) {
      hk_linear_report report;
      ok(relax(
          &p, &(asking){.relaxation = relaxations[r], .tolerance = 1e-8, .single_sweeps = way == 1},
          &report));
      assert_non_null(strstr(report.method, "mixed"));
      assert_true(report.residual <= 1e-8);
      assert_true(difference_of(p.u, expected, p.dofs) <= 1e-6);
      hk_linear_report_clear(&report);
    }
    hk_free(&expected);
    problem_destroy(&p);
  }
}

static void opencl_gives_what_the_host_gives(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (hk_device_open("opencl", 0, &device) != HK_OK) skip();
  hk_device_close(&device);
  for (int r = 0; r < RELAXATIONS; r++) {
    problem host, other;
    heat_create(&host, &(heat_desc){.shape = HK_TET4, .cells = 5});
    heat_create(&other, &(heat_desc){.shape = HK_TET4, .cells = 5, .device = "opencl"});
    ok(relax(&host, &(asking){.relaxation = relaxations[r], .tolerance = 1e-12}, NULL));
    ok(relax(&other, &(asking){.relaxation = relaxations[r], .tolerance = 1e-12}, NULL));
    double *a = NULL, *b = NULL;
    ok(hk_get(&a, host.mesh->node_count));
    ok(hk_get(&b, host.mesh->node_count));
    hk_space_from_internal(host.space, 1, host.u, a);
    hk_space_from_internal(other.space, 1, other.u, b);
    assert_true(difference_of(a, b, host.mesh->node_count) <= 1e-10);
    hk_free(&a);
    hk_free(&b);
    problem_destroy(&host);
    problem_destroy(&other);
  }
}

static void two_runs_give_the_same_bits(void **state)
{
  (void)state;
  for (int r = 0; r < RELAXATIONS; r++) {
    double *first = NULL;
    for (int threads = 1; threads <= 2; threads++) {
      problem p;
      heat_create(&p, &(heat_desc){.shape = HK_TRI3, .cells = 30, .threads = threads});
      ok(relax(&p, &(asking){.relaxation = relaxations[r], .tolerance = 1e-6}, NULL));
      if (first)
        assert_memory_equal(first, p.u, p.dofs * sizeof *p.u);
      else {
        ok(hk_get(&first, p.dofs));
        memcpy(first, p.u, (size_t)p.dofs * sizeof *p.u);
      }
      problem_destroy(&p);
    }
    hk_free(&first);
  }
}

static void too_few_iterations_are_told_with_the_residual(void **state)
{
  (void)state;
  for (int r = 0; r < RELAXATIONS; r++) {
    problem p;
    hk_linear_report report;
    heat_create(&p, &(heat_desc){.shape = HK_TRI3, .cells = 20});
    assert_int_equal(relax(&p, &(asking){.relaxation = relaxations[r], .iterations = 3}, &report),
                     HK_NOT_CONVERGED);
    assert_non_null(strstr(hk_error(), "not converged after 3 iterations: residual "));
    assert_int_equal(report.iterations, 3);
    assert_true(report.residual > 1e-8 && report.residual < 10);
    hk_linear_report_clear(&report);
    problem_destroy(&p);
  }
}

static int looks; /* before a stop is asked for */

static bool stop_later(void *user)
{
  (void)user;
  return looks-- <= 0;
}

/* while levels are made, at each look; later than that while it iterates */
static void a_stop_of_the_set_up_is_obeyed(void **state)
{
  int made = 0;
  problem p;
  hk_linear_report report = {0};
  (void)state;
  heat_create(&p, &(heat_desc){.shape = HK_TRI3, .cells = 60});
  for (;; made++) {
    looks = made;
    assert_int_equal(relax(&p, &(asking){.stop = stop_later}, &report), HK_STOPPED);
    if (report.iterations) break;
    assert_non_null(strstr(hk_error(), "stopped while "));
  }
  assert_in_range(made, 5, 1000);
  hk_linear_report_clear(&report);
  problem_destroy(&p);
}

static bool stop_now(void *user)
{
  (void)user;
  return iterates;
}

static void a_stop_is_obeyed(void **state)
{
  (void)state;
  for (int r = 0; r < RELAXATIONS; r++)
    for (int mixed = 0; mixed < 2; mixed++) {
      problem p;
      hk_linear_report report;
      heat_create(&p, &(heat_desc){.shape = HK_TRI3, .cells = 20});
      const asking how = {.relaxation = relaxations[r], .single_sweeps = mixed, .stop = stop_now};
      iterates = false;
      assert_int_equal(relax(&p, &how, &report), HK_STOPPED);
      assert_true(report.iterations > 0 && report.iterations <= 64 && report.residual < 10);
      hk_linear_report_clear(&report);
      problem_destroy(&p);
    }
}

/* u after `steps` steps, more than which are wanted */
static double *values_after(problem *p, const char *relaxation, int steps)
{
  const asking how = {
      .relaxation = relaxation, .tolerance = 1e-15, .iterations = steps, .by_change = true};
  double *u = NULL;
  ok(hk_get(&u, p->dofs));
  if (steps)
    assert_int_equal(relax(p, &how, NULL), HK_NOT_CONVERGED);
  else {
    memset(p->u, 0, (size_t)p->dofs * sizeof *p->u);
    hk_constraints_apply(&p->constraints, p->u);
  }
  memcpy(u, p->u, (size_t)p->dofs * sizeof *u);
  return u;
}

static double change_after(problem *p, const char *relaxation, int steps)
{
  double *u = values_after(p, relaxation, steps), *before = values_after(p, relaxation, steps - 1),
         sum = 0;
  for (hk_count i = 0; i < p->dofs; i++) sum += (u[i] - before[i]) * (u[i] - before[i]);
  hk_free(&u);
  hk_free(&before);
  return sqrt(sum);
}

/* |u_k - u_k-1| <= tolerance |u_1 - u_0| at the step k that ends it and not before, on every device, in both precisions; the report has the
 * change, and a residual that is another number. Of the differences of u in single, 1e-3 is rounding. */
static void the_change_ends_it_when_it_is_to(void **state)
{
  const double tolerance = 1e-3;
  char device[16];
  (void)state;
  for (int d = 0; hk_device_list(&(hk_device_desc){0}, d, device); d++)
    for (int way = 0; way < 4; way++) {
      problem p;
      hk_linear_report report;
      const char *name = relaxations[way / 2];
      heat_create(&p,
                  &(heat_desc){.shape = HK_TRI3, .cells = 9, .device = device, .single = way % 2});
      ok(relax(&p, &(asking){.relaxation = name, .tolerance = tolerance, .by_change = true},
               &report));
      const int steps = report.iterations;
      const double first = change_after(&p, name, 1), last = change_after(&p, name, steps) / first,
                   before = change_after(&p, name, steps - 1) / first;
      if (!(last <= tolerance * 1.001 && before > tolerance * 0.999 &&
            fabs(report.change - last) <= 2e-3 * last && report.residual > 0 &&
            fabs(report.residual - last) > 0.01 * last))
        fail_msg("%s on %s: %g, then %g after %d; change %g, residual %g", report.method, device,
                 before, last, steps, report.change, report.residual);
      assert_non_null(strstr(report.note, "stopped by the change"));
      assert_non_null(strstr(report.method, "change"));
      hk_linear_report_clear(&report);
      problem_destroy(&p);
    }
}

static void the_change_ends_no_other_method(void **state)
{
  problem p;
  hk_linear *linear = NULL;
  (void)state;
  heat_create(&p, &(heat_desc){.shape = HK_TRI3, .cells = 3});
  for (int r = 2; r < RELAXATIONS; r++)
    assert_int_equal(relax(&p, &(asking){.relaxation = relaxations[r], .by_change = true}, NULL),
                     HK_USAGE);
  assert_int_equal(
      relax(&p, &(asking){.relaxation = "jacobi", .single_sweeps = true, .by_change = true}, NULL),
      HK_USAGE);
  assert_int_equal(hk_linear_create(&(hk_linear_desc){.op = p.op,
                                                      .constraints = &p.constraints,
                                                      .method = "cg",
                                                      .relaxation = "jacobi",
                                                      .by_change = true},
                                    &linear),
                   HK_USAGE);
  problem_destroy(&p);
}

static void what_it_does_not_know_is_refused(void **state)
{
  problem p;
  (void)state;
  heat_create(&p, &(heat_desc){.shape = HK_TRI3, .cells = 3});
  assert_int_equal(relax(&p, &(asking){.relaxation = "gauss"}, NULL), HK_USAGE);
  problem_destroy(&p);
  problem_create(&p, &(problem_desc){.shape = HK_TRI3, .cells = {3, 3}});
  assert_int_equal(relax(&p, &(asking){.tolerance = 0}, NULL), HK_BAD_INPUT);
  assert_non_null(strstr(hk_error(), "elements"));
  problem_destroy(&p);
}

static void allocations_fail(void **state)
{
  (void)state;
  for (int r = 0; r < RELAXATIONS; r++) {
    problem p;
    hk_status status = HK_NO_RESOURCES;
    heat_create(&p, &(heat_desc){.shape = HK_TRI3, .cells = 24});
    ok(relax(&p, &(asking){.relaxation = relaxations[r], .tolerance = 1e-3, .single_sweeps = true},
             NULL));
    const hk_count held = hk_memory_held();
    for (int k = 1; status != HK_OK; k += 1 + k / 16) {
      hk_memory_fail_at(k);
      status = relax(
          &p, &(asking){.relaxation = relaxations[r], .tolerance = 1e-3, .single_sweeps = true},
          NULL);
      hk_memory_fail_at(0);
      assert_true(status == HK_OK || status == HK_NO_RESOURCES);
      assert_int_equal(hk_memory_held(), held);
    }
    problem_destroy(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relaxations_are_the_dense_solution),
      cmocka_unit_test(geometry_is_relaxed_too),
      cmocka_unit_test(iterations_of_multigrid_hardly_grow),
      cmocka_unit_test(mixed_precision_reaches_what_single_does_not),
      cmocka_unit_test(opencl_gives_what_the_host_gives),
      cmocka_unit_test(two_runs_give_the_same_bits),
      cmocka_unit_test(too_few_iterations_are_told_with_the_residual),
      cmocka_unit_test(a_stop_of_the_set_up_is_obeyed),
      cmocka_unit_test(a_stop_is_obeyed),
      cmocka_unit_test(the_change_ends_it_when_it_is_to),
      cmocka_unit_test(the_change_ends_no_other_method),
      cmocka_unit_test(what_it_does_not_know_is_refused),
      cmocka_unit_test(allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
