/* Static solvers give the dense solution, on every shape, with every kind of constraint. */
#include "sanitized.h"
#include "solver/linear/direct/factor.h"
#include "solver/linear_fixture.h"
#include "solver/linear/list.h"
#include <time.h>

/* Of a residual of 1e-13: 1e-10 of the largest displacement, for the condition of these bodies is below 1e3. */
static void check(const problem_desc *desc, const char *method, const char *preconditioner)
{
  problem p;
  hk_linear_report report;
  problem_create(&p, desc);
  ok(solve(&p, method, preconditioner, 1e-13, 0, &report));
  double *expected = dense_solution(&p);
  const double error = difference_of(p.u, expected, p.dofs);
  if (!(error <= 1e-10))
    fail_msg("%s, shape %d: error %g, expected at most 1e-10", report.method, (int)desc->shape,
             error);
  assert_true(report.residual <= 1e-13);
  hk_linear_report_clear(&report);
  hk_free(&expected);
  problem_destroy(&p);
}

static const problem_desc bodies[] = {
    {.shape = HK_TRI3, .cells = {13, 11}, .jitter = 0.2},
    {.shape = HK_QUAD4, .cells = {13, 11}, .jitter = 0.2, .equations = true},
    {.shape = HK_TET4, .cells = {5, 4, 4}, .jitter = 0.2, .equations = true},
    {.shape = HK_HEX8, .cells = {5, 4, 4}, .jitter = 0.2},
    {.shape = HK_HEX8, .cells = {5, 4, 4}, .form = "stored", .equations = true},
    {.shape = HK_TET10, .cells = {3, 2, 2}, .form = "assembled"},
    {.shape = HK_TET10, .cells = {3, 2, 2}, .form = "edges"},
    {.shape = HK_HEX20, .cells = {3, 2, 2}, .form = "edges"},
    {.shape = HK_TRI6, .cells = {7, 6}, .form = "assembled", .equations = true},
    {.shape = HK_QUAD8, .cells = {7, 6}, .jitter = 0.1, .form = "assembled"},
    {.shape = HK_TET10, .cells = {3, 2, 2}, .form = "assembled", .equations = true},
    {.shape = HK_HEX20, .cells = {3, 2, 2}, .jitter = 0.1, .form = "assembled"},
};
enum { BODIES = sizeof bodies / sizeof *bodies };

static void cg_with_jacobi_is_the_dense_solution(void **state)
{
  (void)state;
  for (int k = 0; k < BODIES; k++) check(&bodies[k], "cg", "jacobi");
}

static void cg_with_block_jacobi_is_the_dense_solution(void **state)
{
  (void)state;
  for (int k = 0; k < BODIES; k++) check(&bodies[k], "cg", "block-jacobi");
}

static void cg_with_chebyshev_is_the_dense_solution(void **state)
{
  (void)state;
  for (int k = 0; k < BODIES; k++) check(&bodies[k], "cg", "chebyshev");
}

static void cg_with_multigrid_is_the_dense_solution(void **state)
{
  (void)state;
  for (int k = 0; k < BODIES; k++) check(&bodies[k], "cg", "multigrid");
}

/* every method of the list that has what it needs gives the dense solution, from the form of K that it names */
static void every_method_is_the_dense_solution(void **state)
{
  static const hk_method *const methods[] = {HK_METHOD_LIST};
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (int k = 0; k < 4 && hk_linear_ready(methods[m]->name, false) == HK_OK; k++) {
      problem_desc desc = bodies[k];
      desc.form = methods[m]->form;
      check(&desc, methods[m]->name, NULL);
    }
}

static int iterations_of(const problem_desc *desc)
{
  problem p;
  hk_linear_report report;
  problem_create(&p, desc);
  ok(solve(&p, "cg", "multigrid", 0, 0, &report));
  assert_true(report.residual <= 1e-8);
  const int iterations = report.iterations;
  hk_linear_report_clear(&report);
  problem_destroy(&p);
  return iterations;
}

/* Three levels; 14 to 18 measured for every size. */
static void multigrid_needs_few_iterations(void **state)
{
  (void)state;
  assert_in_range(iterations_of(&(problem_desc){.shape = HK_HEX8, .cells = {16, 16, 16}}), 5, 22);
  assert_in_range(
      iterations_of(&(problem_desc){.shape = HK_TET4, .cells = {16, 16, 16}, .jitter = 0.2}), 5,
      22);
  if (SANITIZED) return; /* as many levels, by the same kernels */
  assert_in_range(iterations_of(&(problem_desc){.shape = HK_QUAD4, .cells = {80, 80}}), 5, 30);
  assert_in_range(
      iterations_of(&(problem_desc){.shape = HK_HEX20, .cells = {8, 8, 8}, .form = "assembled"}), 5,
      30);
  assert_in_range(
      iterations_of(&(problem_desc){.shape = HK_TET10, .cells = {8, 8, 8}, .form = "assembled"}), 5,
      30);
}

/* levels of multigrid take more than a quarter of K beside what a diagonal takes; K and vectors are counted with either */
static void memory_is_told(void **state)
{
  static const char *const ways[] = {"jacobi", "multigrid"};
  hk_count bytes[2];
  (void)state;
  for (int w = 0; w < 2; w++) {
    problem p;
    hk_linear_report report;
    problem_create(&p, &(problem_desc){.shape = HK_HEX8, .cells = {10, 10, 10}});
    ok(solve(&p, "cg", ways[w], 1e-6, 0, &report));
    bytes[w] = report.bytes;
    assert_true(bytes[w] >= p.dofs * 8 * 5);
    if (w) assert_true(bytes[1] - bytes[0] > p.op->memory / 4);
    hk_linear_report_clear(&report);
    problem_destroy(&p);
  }
}

static void multigrid_bears_little_compression_and_stretched_elements(void **state)
{
  (void)state;
  if (SANITIZED) skip(); /* numbers alone */
  assert_in_range(
      iterations_of(&(problem_desc){.shape = HK_HEX8, .cells = {12, 12, 12}, .poisson = 0.49}), 5,
      90);
  assert_in_range(
      iterations_of(&(problem_desc){.shape = HK_HEX8, .cells = {12, 12, 12}, .size = {20, 1, 1}}),
      5, 150);
  assert_in_range(
      iterations_of(&(problem_desc){.shape = HK_TRI3, .cells = {60, 60}, .size = {4, 1}}), 5, 25);
  assert_in_range(
      iterations_of(&(problem_desc){
          .shape = HK_WEDGE6, .cells = {16, 16, 4}, .size = {4, 4, 0.2}, .form = "assembled"}),
      5, 70);
}

/* As far as residuals of 1e-8 tell displacements apart. */
static void opencl_gives_what_the_host_gives(void **state)
{
  (void)state;
  static const char *const ways[] = {"block-jacobi", "multigrid"};
  hk_device *device = NULL;
  if (hk_device_open("opencl", 0, &device) != HK_OK) skip();
  hk_device_close(&device);
  for (int w = 0; w < 2; w++) {
    problem host, other;
    problem_desc desc = {.shape = HK_TET4, .cells = {6, 6, 6}, .form = "stored", .equations = true};
    problem_create(&host, &desc);
    desc.device = "opencl";
    problem_create(&other, &desc);
    ok(solve(&host, "cg", ways[w], 1e-12, 0, NULL));
    ok(solve(&other, "cg", ways[w], 1e-12, 0, NULL));
    double *a = NULL, *b = NULL;
    const hk_count n = host.mesh->node_count * 3;
    ok(hk_get(&a, n));
    ok(hk_get(&b, n));
    hk_space_from_internal(host.space, 3, host.u, a);
    hk_space_from_internal(other.space, 3, other.u, b);
    assert_true(difference_of(a, b, n) <= 1e-10);
    hk_free(&a);
    hk_free(&b);
    problem_destroy(&host);
    problem_destroy(&other);
  }
}

static void factors_are_the_dense_solution(void **state)
{
  (void)state;
  for (int k = 0; k < BODIES; k++) check(&bodies[k], "direct", "auto");
}

static void a_body_that_is_not_held_is_singular(void **state)
{
  (void)state;
  problem p;
  problem_create(&p, &(problem_desc){.shape = HK_HEX8, .cells = {3, 3, 3}, .loose = true});
  assert_int_equal(solve(&p, "direct", "auto", 0, 0, NULL), HK_NOT_CONVERGED);
  assert_non_null(strstr(hk_error(), "singular"));
  problem_destroy(&p);
}

/* hk_linear_probe with multigrid ends its iterations early: a body that is held has no mechanism (tests/faults/test_mechanisms.py has those that have),
 * and the error that is estimated behind it is that which factors give, to a tenth. */
static void early_ends_change_no_verdict(void **state)
{
  static const problem_desc held[] = {
      {.shape = HK_HEX27, .cells = {4, 4, 4}, .form = "assembled"},
      {.shape = HK_HEX8, .cells = {40, 3, 3}, .size = {20, 1, 1}, .form = "assembled"}};
  (void)state;
  for (size_t b = 0; b < sizeof held / sizeof *held; b++) {
    double error[2] = {0};
    for (int way = 0; way < 2; way++) {
      problem p;
      hk_linear *linear = NULL;
      hk_null_modes modes = {0};
      problem_create(&p, &held[b]);
      ok(hk_linear_create(&(hk_linear_desc){.op = p.op,
                                            .constraints = &p.constraints,
                                            .method = way ? "direct" : "cg",
                                            .preconditioner = way ? "auto" : "multigrid",
                                            .tolerance = 1e-11},
                          &linear));
      ok(hk_linear_probe(linear, &modes));
      assert_int_equal(modes.count, 0);
      for (hk_count i = 0; i < p.dofs; i++) p.u[i] = sin(1. + i);
      hk_constraints_apply(&p.constraints, p.u);
      ok(hk_linear_error(linear, p.f, p.u, &error[way]));
      hk_null_modes_clear(&modes);
      hk_linear_destroy(&linear);
      problem_destroy(&p);
    }
    if (!(fabs(error[0] - error[1]) <= 0.1 * error[1]))
      fail_msg("body %zu: %g, by factors %g", b, error[0], error[1]);
  }
}

/* u = offset where nothing loads the body but prescribed values that are rigid; no iterations without load. */
static void no_load_needs_no_iterations(void **state)
{
  (void)state;
  problem p;
  hk_linear_report report;
  problem_create(&p, &(problem_desc){.shape = HK_TET4, .cells = {3, 3, 3}});
  for (hk_count i = 0; i < p.dofs; i++) p.f[i] = 0;
  for (hk_index i = 0; i < p.constraints.count; i++) p.constraints.offset[i] = 0;
  ok(solve(&p, "cg", "jacobi", 0, 0, &report));
  assert_int_equal(report.iterations, 0);
  for (hk_count i = 0; i < p.dofs; i++) assert_true(p.u[i] == 0);
  hk_linear_report_clear(&report);
  problem_destroy(&p);
}

static void two_runs_give_the_same_bits(void **state)
{
  (void)state;
  double *first = NULL;
  for (int threads = 1; threads <= 2; threads++) {
    problem p;
    problem_create(&p, &(problem_desc){.shape = HK_TET4, .cells = {9, 8, 8}, .threads = threads});
    ok(solve(&p, "cg", "auto", 0, 0, NULL));
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

static void too_few_iterations_are_told_with_the_residual(void **state)
{
  (void)state;
  problem p;
  hk_linear_report report;
  problem_create(&p, &(problem_desc){.shape = HK_TET4, .cells = {6, 6, 6}});
  assert_int_equal(solve(&p, "cg", "jacobi", 0, 5, &report), HK_NOT_CONVERGED);
  assert_non_null(strstr(hk_error(), "not converged after 5 iterations: residual "));
  assert_int_equal(report.iterations, 5);
  assert_int_equal(report.history_count, 6);
  assert_true(report.history[0] == 1 && report.residual > 1e-8 && report.residual < 10);
  hk_linear_report_clear(&report);
  problem_destroy(&p);
}

static void auto_takes_factors_where_iterations_fail(void **state)
{
  (void)state;
  problem p;
  hk_linear_report report;
  problem_create(&p, &(problem_desc){.shape = HK_TET4, .cells = {6, 6, 6}});
  ok(solve(&p, "auto", "jacobi", 0, 3, &report));
  assert_non_null(strstr(report.note, "conjugate gradients ended after 3 iterations"));
  assert_non_null(strstr(report.method, "direct"));
  assert_true(report.residual <= 1e-8);
  hk_linear_report_clear(&report);
  problem_destroy(&p);
}

static void single_precision_reaches_its_tolerance(void **state)
{
  (void)state;
  problem p;
  hk_linear_report report;
  problem_create(&p, &(problem_desc){.shape = HK_TET4, .cells = {6, 6, 6}, .single = true});
  ok(solve(&p, "cg", "block-jacobi", 0, 0, &report));
  assert_true(report.residual <= 1e-5);
  hk_linear_report_clear(&report);
  problem_destroy(&p);
}

static bool stop_now(void *user)
{
  (void)user;
  return true;
}

/* what is asked for while factors are made ends in HK_STOPPED, not in a solution */
static void factors_end_where_a_stop_was_asked_for(void **state)
{
  (void)state;
  problem p;
  hk_linear *linear = NULL;
  problem_create(&p, &bodies[3]);
  const hk_linear_desc desc = {
      .op = p.op, .constraints = &p.constraints, .method = "direct", .stop = stop_now};
  assert_int_equal(hk_linear_create(&desc, &linear), HK_STOPPED);
  assert_null(linear);
  problem_destroy(&p);
}

static bool stop_later(void *user)
{
  return --*(int *)user < 0;
}

/* How often a stop is looked for until there is a solution: asked for at the first look, the second, ... it is a stop and no failure. */
static int count_looks(hk_linear_desc desc)
{
  hk_status status = HK_STOPPED;
  problem p;
  int k = 0;
  problem_create(&p, &bodies[3]);
  for (; status == HK_STOPPED; k++) {
    int looks = k;
    hk_linear *linear = NULL;
    hk_linear_report report = {0};
    desc.op = p.op, desc.constraints = &p.constraints;
    desc.stop = stop_later, desc.user = &looks;
    ok(hk_linear_create(&desc, &linear));
    status = hk_linear_solve(linear, p.f, p.u, &report);
    if (status != HK_OK && status != HK_STOPPED) fail_msg("look %d: %s", k, hk_error());
    hk_linear_report_clear(&report);
    hk_linear_destroy(&linear);
    while (hk_factor_running()) nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
  }
  problem_destroy(&p);
  return k;
}

/* a stop is one wherever it comes: during iterations, during the factors that follow them, else all is well. While factors are made the
 * library looks by the clock: more looks there make more rounds, no other outcome; factors that are left behind end before the next are begun. */
static void a_stop_is_not_taken_for_iterations_that_failed(void **state)
{
  (void)state;
  const int looks =
      count_looks((hk_linear_desc){.method = "auto", .preconditioner = "jacobi", .iterations = 3});
  assert_true(looks >= 3); /* iterations, then factors, then neither */
}

/* iterations end in HK_STOPPED whenever it is asked for, else in a solution */
static void cg_ends_where_a_stop_was_asked_for(void **state)
{
  (void)state;
  assert_true(count_looks((hk_linear_desc){.method = "cg", .preconditioner = "jacobi"}) >= 2);
}

/* the processor factors larger plane problems than solid ones */
static void factors_by_size_and_dimension(void **state)
{
  static const struct {
    hk_mesh_grid grid;
    bool factors;
  } row[] = {{{.dim = 2, .to = {1, 1}, .cells = {200, 200}, .shape = HK_QUAD4}, true},
             {{.dim = 2, .to = {1, 1}, .cells = {400, 400}, .shape = HK_QUAD4}, false},
             {{.dim = 3, .to = {1, 1, 1}, .cells = {16, 16, 16}, .shape = HK_HEX8}, true},
             {{.dim = 3, .to = {1, 1, 1}, .cells = {20, 20, 20}, .shape = HK_HEX8}, false}};
  hk_device *device = NULL;
  (void)state;
  if (SANITIZED) skip(); /* a comparison of sizes */
  ok(hk_device_open("cpu", 1, &device));
  for (int r = 0; r < 4; r++) {
    hk_mesh *mesh = NULL;
    ok(hk_mesh_create_grid(&row[r].grid, &mesh));
    assert_int_equal(hk_linear_factors("auto", "auto", mesh, mesh->dim, device), row[r].factors);
    hk_mesh_destroy(&mesh);
  }
  hk_device_close(&device);
}

static void unknown_names_are_refused(void **state)
{
  (void)state;
  problem p;
  problem_create(&p, &(problem_desc){.shape = HK_TRI3, .cells = {3, 3}});
  assert_int_equal(solve(&p, "gauss", "auto", 0, 0, NULL), HK_USAGE);
  assert_int_equal(solve(&p, "cg", "ilu", 0, 0, NULL), HK_USAGE);
  problem_destroy(&p);
}

static hk_status once(const char *method, const char *preconditioner, problem *p)
{
  hk_linear_report report = {0};
  const hk_status status = solve(p, method, preconditioner, 0, 0, &report);
  hk_linear_report_clear(&report);
  return status;
}

static void a_failing_allocation_is_told(void **state)
{
  (void)state;
  static const char *const ways[][2] = {
      {"cg", "jacobi"}, {"cg", "chebyshev"}, {"cg", "multigrid"}, {"direct", "auto"}};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    problem p;
    problem_create(&p, &(problem_desc){.shape = HK_QUAD4, .cells = {15, 14}, .equations = true});
    ok(hk_operator_bind(p.op, HK_FORM_STORE, false, 1)); /* what the operator keeps */
    shortage memory = {0};
    while (next_shortage(&memory)) {
      memory.status = once(ways[w][0], ways[w][1], &p);
    }
    problem_destroy(&p);
  }
}

/* K in rows: for factors, for the levels of elements of first order, and for heat */
static void rows_where_they_are_wanted(void **state)
{
  static const struct {
    const char *method, *preconditioner;
    hk_shape shape;
    int cells, components;
    const char *form;
  } row[] = {{"auto", "auto", HK_TET10, 8, 3, "assembled"},
             {"auto", "auto", HK_TET10, 10, 3, "edges"},
             {"cg", "auto", HK_TET10, 2, 3, "edges"},
             {"auto", "jacobi", HK_TET10, 2, 3, "edges"},
             {"direct", "", HK_TET10, 10, 3, "assembled"},
             {"", "", HK_HEX8, 20, 3, "assembled"},
             {"cg", "multigrid", HK_HEX8, 2, 3, "assembled"},
             {"cg", "jacobi", HK_HEX8, 2, 3, "edges"},
             {"cg", "jacobi", HK_HEX8, 2, 1, "assembled"},
             {"cg", "multigrid", HK_HEX20, 2, 3, "edges"}};
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    hk_mesh *mesh = NULL;
    const bool tets = row[i].shape == HK_TET10, raised = row[i].shape != HK_HEX8;
    const int n = row[i].cells;
    ok(hk_mesh_create_grid(
        &(hk_mesh_grid){
            .dim = 3, .to = {1, 1, 1}, .cells = {n, n, n}, .shape = tets ? HK_TET4 : HK_HEX8},
        &mesh));
    if (raised) ok(hk_mesh_raise(mesh));
    assert_string_equal(
        hk_linear_form(row[i].method, row[i].preconditioner, mesh, row[i].components, device),
        row[i].form);
    hk_mesh_destroy(&mesh);
  }
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_is_the_dense_solution),
      cmocka_unit_test(cg_with_jacobi_is_the_dense_solution),
      cmocka_unit_test(cg_with_block_jacobi_is_the_dense_solution),
      cmocka_unit_test(cg_with_chebyshev_is_the_dense_solution),
      cmocka_unit_test(cg_with_multigrid_is_the_dense_solution),
      cmocka_unit_test(multigrid_needs_few_iterations),
      cmocka_unit_test(memory_is_told),
      cmocka_unit_test(multigrid_bears_little_compression_and_stretched_elements),
      cmocka_unit_test(opencl_gives_what_the_host_gives),
      cmocka_unit_test(rows_where_they_are_wanted),
      cmocka_unit_test(factors_are_the_dense_solution),
      cmocka_unit_test(a_body_that_is_not_held_is_singular),
      cmocka_unit_test(early_ends_change_no_verdict),
      cmocka_unit_test(no_load_needs_no_iterations),
      cmocka_unit_test(two_runs_give_the_same_bits),
      cmocka_unit_test(too_few_iterations_are_told_with_the_residual),
      cmocka_unit_test(auto_takes_factors_where_iterations_fail),
      cmocka_unit_test(single_precision_reaches_its_tolerance),
      cmocka_unit_test(factors_end_where_a_stop_was_asked_for),
      cmocka_unit_test(a_stop_is_not_taken_for_iterations_that_failed),
      cmocka_unit_test(unknown_names_are_refused),
      cmocka_unit_test(cg_ends_where_a_stop_was_asked_for),
      cmocka_unit_test(factors_by_size_and_dimension),
      cmocka_unit_test(a_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
