/* The integral over time that an explicit solver keeps: of component 0 of each node, from step 0 on, by the trapezoid rule. */
#include "device/fetch.h"
#include "fixture.h"

enum { STEPS = 7 };

/* integral[n] = sum over steps of dt / 2 (u_x before + u_x after), of each node, which the host sums from states read one by one; a trial step
 * leaves it as it is, and a solver that starts again begins at 0 */
static void trapezoid_rule(void **state)
{
  (void)state;
  for (int real = 0; real < 2; real++) {
    fixture f;
    hk_fetch *fetch = NULL, *trial = NULL;
    const void *got = NULL;
    double *u = NULL, *v = NULL, *sum = NULL, most = 0;
    fixture_create(&f, "stored", HK_QUAD4, 6, 0, 1, 0.3, 1, real, 2);
    const hk_index padded = f.space->padded, dofs = padded * f.space->components;
    const double dt = 0.9 * f.limit;
    ok(hk_get(&u, dofs));
    ok(hk_get(&v, dofs));
    ok(hk_fetch_create(f.device, padded * 8LL, &fetch));
    ok(hk_fetch_create(f.device, dofs * (real ? 8LL : 4LL), &trial));
    for (hk_index i = 0; i < dofs; i++) v[i] = f.space->mesh_node[i / 2] < 0 ? 0 : cos(3.0 * i);
    ok(hk_explicit_create(&(hk_explicit_desc){.op = f.op,
                                              .dt = dt,
                                              .steps = STEPS,
                                              .mass = f.mass,
                                              .excitation = &f.excitation,
                                              .integrals = true},
                          &f.solver));
    for (int again = 0; again < 2; again++) {
      hk_free(&sum);
      ok(hk_get(&sum, padded));
      ok(hk_explicit_start(f.solver, NULL, v));
      for (int n = 0; n <= STEPS; n++) {
        ok(hk_explicit_advance(f.solver, n));
        ok(hk_explicit_read(f.solver, 0, HK_STATE_DISPLACEMENT, u));
        for (hk_index i = 0; i < padded; i++)
          sum[i] += dt * (n == 0 || n == STEPS ? 0.5 : 1) * u[i * f.space->components];
      }
      ok(hk_explicit_fetch_next(f.solver, 0, HK_STATE_DISPLACEMENT, trial));
      ok(hk_explicit_fetch(f.solver, 0, HK_STATE_INTEGRAL, fetch));
      ok(hk_fetch_wait(fetch, &got));
      for (hk_index i = 0; i < padded; i++) most = fmax(most, fabs(sum[i]));
      assert_true(most > 0);
      for (hk_index i = 0; i < padded; i++)
        if (!(fabs(((const double *)got)[i] - sum[i]) <= 1e-14 * most))
          fail_msg("node %d: %.17g, expected %.17g", i, ((const double *)got)[i], sum[i]);
    }
    hk_fetch_destroy(&fetch);
    hk_fetch_destroy(&trial);
    hk_free(&u);
    hk_free(&v);
    hk_free(&sum);
    fixture_destroy(&f);
  }
  assert_int_equal(hk_memory_held(), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(trapezoid_rule)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
