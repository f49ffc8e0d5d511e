/* Every library of factors, ordering and way to its matrix gives the dense solution, on every device. */
#include "solver/linear/direct/factor.h"
#include "solver/linear_fixture.h"
#include "solver/linear/scale.h"
#include <time.h>

static const problem_desc bodies[] = {
    {.shape = HK_TRI3, .cells = {9, 7}, .jitter = 0.2},
    {.shape = HK_QUAD8, .cells = {5, 4}, .jitter = 0.1, .form = "assembled", .equations = true},
    {.shape = HK_TET4, .cells = {4, 3, 3}, .jitter = 0.2, .form = "assembled", .equations = true},
    {.shape = HK_TET10, .cells = {3, 2, 2}, .form = "assembled"},
    {.shape = HK_HEX20, .cells = {2, 2, 2}, .form = "assembled", .equations = true},
    {.shape = HK_TRI6, .cells = {5, 4}, .form = "assembled", .equations = true},
    {.shape = HK_HEX8, .cells = {4, 3, 3}, .form = "assembled", .single = true},
};
enum { BODIES = sizeof bodies / sizeof *bodies };

typedef struct way {
  const char *method, *library, *ordering, *title;
} way;
static const way ways[] = {
    {"direct", NULL, NULL, "direct (MUMPS"},
    {"cholesky", "", "", "cholesky (MUMPS"},
    {"cholesky", "mumps", "rcm", "cholesky (MUMPS"},
    {"cholesky", "mumps", "natural", "cholesky (MUMPS"},
    {"cholesky", "cholmod", NULL, "cholesky (CHOLMOD"},
    {"cholesky", "cholmod", "rcm", "cholesky (CHOLMOD"},
    {"dense", NULL, NULL, "dense (LAPACK"},
    {"dense", "lapack", NULL, "dense (LAPACK"},
    {"dense-to-sparse", NULL, NULL, "dense-to-sparse (MUMPS"},
    {"dense-to-sparse", "cholmod", "rcm", "dense-to-sparse (CHOLMOD"},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* LAPACK is always there where the tests are run, as MUMPS and METIS; CHOLMOD need not be. */
static bool there(const way *w, hk_device *device)
{
  const char *why;
  return hk_factor_available(&(hk_factor_desc){.device = device, .library = w->library},
                             strcmp(w->method, "dense") == 0, &why);
}

static hk_status solve_by(problem *p, const way *w, hk_linear_report *report)
{
  hk_linear *linear = NULL;
  hk_status status =
      hk_linear_create(&(hk_linear_desc){.op = p->op,
                                         .constraints = &p->constraints,
                                         .method = w->method,
                                         .library = w->library,
                                         .ordering = w->ordering,
                                         .tolerance = p->op->desc.double_precision ? 1e-12 : 0},
                       &linear);
  if (status == HK_OK) status = hk_linear_solve(linear, p->f, p->u, report);
  hk_linear_destroy(&linear);
  return status;
}

/* 1e-10 of the largest displacement (condition below 1e3, residual 1e-12); single: what its K differs from K by */
static void all_ways_agree(void **state)
{
  char device[16];
  (void)state;
  for (int d = 0; hk_device_list(&(hk_device_desc){0}, d, device); d++)
    for (int b = 0; b < BODIES; b++) {
      problem p;
      problem_desc desc = bodies[b];
      desc.device = device;
      problem_create(&p, &desc);
      double *expected = dense_solution(&p);
      for (int w = 0; w < WAYS; w++) {
        hk_linear_report report = {0};
        if (!there(&ways[w], p.device)) continue;
        memset(p.u, 0, (size_t)p.dofs * sizeof *p.u);
        ok(solve_by(&p, &ways[w], &report));
        const double error = difference_of(p.u, expected, p.dofs),
                     most = desc.single ? 1e-4 : 1e-10;
        if (!(error <= most))
          fail_msg("%s, %s, body %d: error %g, expected at most %g", device, report.method, b,
                   error, most);
        const bool named = ways[w].library && ways[w].library[0];
        if ((named || strncmp(device, "cuda", 4) != 0) && /* else a GPU's own library comes first */
            strncmp(report.method, ways[w].title, strlen(ways[w].title)) != 0)
          fail_msg("got \"%s\", expected \"%s...\"", report.method, ways[w].title);
        assert_true(report.bytes > 0);
        hk_linear_report_clear(&report);
      }
      hk_free(&expected);
      problem_destroy(&p);
    }
}

/* Keating, section 2.4.3: the right side after elimination, b_i -= a_ij U_j, b_j = U_j, gives u by one solution, held degrees of freedom
 * included; residual: the condition, below 1e3, times rounding. With the values held at zero (hk_linear_error) none of it is left. */
static void a_dense_matrix_gives_the_part_of_prescribed_values(void **state)
{
  char device[16];
  (void)state;
  for (int d = 0; hk_device_list(&(hk_device_desc){0}, d, device); d++)
    for (int b = 0; b < BODIES; b++)
      for (int w = 0; w < WAYS; w++) {
        problem p;
        problem_desc desc = bodies[b];
        hk_linear_report report = {0};
        hk_linear *linear = NULL;
        double error;
        if (desc.single || strncmp(ways[w].method, "dense", 5) != 0) continue;
        desc.device = device;
        problem_create(&p, &desc);
        if (there(&ways[w], p.device)) {
          ok(hk_linear_create(&(hk_linear_desc){.op = p.op,
                                                .constraints = &p.constraints,
                                                .method = ways[w].method,
                                                .library = ways[w].library,
                                                .tolerance = 1e-11},
                              &linear));
          for (int again = 0; again < 2; again++) {
            hk_scale_by(40 * again, p.f, p.dofs, p.f); /* which scales prescribed values too */
            ok(hk_linear_solve(linear, p.f, p.u, &report));
            if (!(report.iterations == 1 && report.history[1] <= 1e-11))
              fail_msg("%s, %s, body %d: residual %g after %d", device, report.method, b,
                       report.history[1], report.iterations);
            hk_linear_report_clear(&report);
            ok(hk_linear_error(linear, p.f, p.u, &error));
            assert_true(error <= 1e-9);
          }
        }
        hk_linear_destroy(&linear);
        problem_destroy(&p);
      }
}

static void what_is_not_held_is_singular(void **state)
{
  (void)state;
  problem p;
  problem_create(&p, &(problem_desc){
                         .shape = HK_HEX8, .cells = {3, 3, 3}, .form = "assembled", .loose = true});
  for (int w = 0; w < WAYS; w++) {
    hk_linear_report report = {0};
    if (!there(&ways[w], p.device)) continue;
    const hk_status status = solve_by(&p, &ways[w], &report);
    if (status != HK_NOT_CONVERGED) fail_msg("%s: %s", ways[w].title, hk_error());
    assert_non_null(strstr(hk_error(), "singular"));
    hk_linear_report_clear(&report);
  }
  problem_destroy(&p);
}

/* loads and prescribed values of 2^900, or of 2^-900, give 2^900, or 2^-900, times the answer, to the last bit */
static void huge_and_tiny_loads_are_scaled(void **state)
{
  static const way how[] = {
      {"cg", NULL, NULL, NULL}, {"direct", NULL, NULL, NULL}, {"dense", NULL, NULL, NULL}};
  static const problem_desc of[] = {
      {.shape = HK_TET4, .cells = {4, 3, 3}, .form = "assembled"},
      {.shape = HK_HEX8, .cells = {4, 3, 3}, .form = "assembled", .single = true}};
  (void)state;
  for (int k = 0; k < 6; k++) {
    problem p;
    double *plain = NULL;
    problem_create(&p, &of[k % 2]);
    double *offset = p.constraints.offset;
    const hk_index held = p.constraints.count;
    hk_scale_by(20, p.f, p.dofs, p.f);
    hk_scale_by(20, offset, held, offset);
    ok(solve_by(&p, &how[k / 2], NULL));
    ok(hk_get(&plain, p.dofs));
    memcpy(plain, p.u, (size_t)p.dofs * sizeof *plain);
    for (int e = -900; e <= 900; e += 1800) {
      hk_scale_by(e, p.f, p.dofs, p.f);
      hk_scale_by(e, offset, held, offset);
      ok(solve_by(&p, &how[k / 2], NULL));
      hk_scale_by(-e, p.f, p.dofs, p.f);
      hk_scale_by(-e, offset, held, offset);
      hk_scale_by(-e, p.u, p.dofs, p.u);
      assert_memory_equal(p.u, plain, (size_t)p.dofs * sizeof *plain);
    }
    assert_true(p.u[0] == p.u[0] && difference_of(p.u, plain, p.dofs) == 0);
    hk_free(&plain);
    problem_destroy(&p);
  }
}

static void unknown_names_are_refused(void **state)
{
  static const way bad[] = {{"cholesky", "pardiso", NULL, NULL},
                            {"cholesky", "lapack", NULL, NULL},
                            {"dense", "mumps", NULL, NULL},
                            {"cholesky", NULL, "best", NULL}};
  (void)state;
  problem p;
  problem_create(&p, &(problem_desc){.shape = HK_TRI3, .cells = {3, 3}});
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    assert_int_equal(solve_by(&p, &bad[k], NULL), HK_USAGE);
  problem_destroy(&p);
}

/* the stages of each way that it has take time, and no more than all of it */
static void stages_are_timed(void **state)
{
  (void)state;
  problem p;
  problem_create(&p, &(problem_desc){.shape = HK_TET10, .cells = {3, 3, 3}, .form = "assembled"});
  for (int w = 0; w < WAYS; w++) {
    hk_linear_report r = {0};
    if (!there(&ways[w], p.device)) continue;
    ok(solve_by(&p, &ways[w], &r));
    const bool dense = strncmp(ways[w].method, "dense", 5) == 0;
    assert_true(r.stages.factors > 0 && r.stages.assembly > 0);
    assert_true(dense == (r.stages.elements > 0));
    assert_true((strcmp(ways[w].method, "dense-to-sparse") == 0) == (r.stages.conversion > 0));
    const double sum = r.stages.transfer + r.stages.elements + r.stages.assembly +
                       r.stages.conversion + r.stages.ordering + r.stages.factors;
    assert_true(sum <= r.seconds_setup * 1.001);
    hk_linear_report_clear(&r);
  }
  problem_destroy(&p);
}

static void a_failing_allocation_is_told(void **state)
{
  (void)state;
  problem p;
  problem_create(
      &p,
      &(problem_desc){.shape = HK_QUAD4, .cells = {6, 5}, .form = "assembled", .equations = true});
  ok(hk_operator_bind(p.op, HK_FORM_STORE, false, 1)); /* what the operator keeps */
  for (int w = 0; w < WAYS; w++) {
    if (!there(&ways[w], p.device)) continue;
    shortage memory = {0};
    while (next_shortage(&memory)) {
      hk_linear_report report = {0};
      memory.status = solve_by(&p, &ways[w], &report);
      hk_linear_report_clear(&report);
    }
  }
  problem_destroy(&p);
}

/* True from the second time on: the first is before the factors. */
static bool second_time(void *user)
{
  return ++*(int *)user > 1;
}

/* A small body by the same library. */
static void solve_beside(const way *w)
{
  problem p;
  hk_linear_report report = {0};
  problem_create(&p, &bodies[3]);
  double *expected = dense_solution(&p);
  ok(solve_by(&p, w, &report));
  assert_true(difference_of(p.u, expected, p.dofs) <= 1e-10);
  hk_linear_report_clear(&report);
  hk_free(&expected);
  problem_destroy(&p);
}

/* a stop during a factorisation ends create within a second, another solve is right although the first still works, and what is left behind
 * frees all that it held */
static void factors_are_left_at_once(void **state)
{
  static const char *const library[] = {"mumps", "cholmod"};
  (void)state;
  problem p;
  problem_create(&p, &(problem_desc){.shape = HK_HEX8, .cells = {15, 15, 15}, .form = "assembled"});
  ok(hk_operator_bind(p.op, HK_FORM_STORE, false, 1));
  for (int k = 0; k < 2; k++) {
    hk_linear *linear = NULL;
    const hk_count held = hk_memory_held();
    int looks = 0;
    const way w = {"cholesky", library[k], "natural", NULL};
    if (!there(&w, p.device)) continue;
    assert_int_equal(hk_linear_create(&(hk_linear_desc){.op = p.op,
                                                        .constraints = &p.constraints,
                                                        .method = w.method,
                                                        .library = w.library,
                                                        .ordering = w.ordering,
                                                        .stop = second_time,
                                                        .user = &looks},
                                      &linear),
                     HK_STOPPED);
    assert_null(linear);
    assert_int_equal(looks, 2);
    solve_beside(&w);
    while (hk_factor_running()) nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    assert_int_equal(hk_memory_held(), held);
  }
  problem_destroy(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_ways_agree),
      cmocka_unit_test(a_dense_matrix_gives_the_part_of_prescribed_values),
      cmocka_unit_test(what_is_not_held_is_singular),
      cmocka_unit_test(huge_and_tiny_loads_are_scaled),
      cmocka_unit_test(unknown_names_are_refused),
      cmocka_unit_test(stages_are_timed),
      cmocka_unit_test(a_failing_allocation_is_told),
      cmocka_unit_test(factors_are_left_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
