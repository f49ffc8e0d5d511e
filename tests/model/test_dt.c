/* The largest frequency by iteration: what it says when it has not converged, and when nothing can move. */
#include "../solver/fixture.h"
#include "run/explicit/problem.h"

/* after 400 iterations omega is converged and not above the bound; after 3 it is below that and says so */
static void iteration_says_whether_it_converged(void **state)
{
  fixture f;
  const hk_sparse none = {0};
  double omega, early;
  bool converged = false;
  (void)state;
  fixture_create(&f, "edges", HK_TRI3, 12, 0.3, 1, 0.3, 1, true, 1);
  ok(hk_largest_frequency(f.op, f.mass, &none, HK_FREQUENCY_ITERATIONS, &omega, &converged));
  assert_true(converged);
  assert_true(omega <= 2 / f.limit * (1 + 1e-9) && omega >= 0.6 * 2 / f.limit);
  ok(hk_largest_frequency(f.op, f.mass, &none, 3, &early, &converged));
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
  ok(hk_largest_frequency(f.op, f.mass, &held, HK_FREQUENCY_ITERATIONS, &omega, &converged));
  assert_true(omega == 0 && converged);
  hk_sparse_clear(&held);
  fixture_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(iteration_says_whether_it_converged),
                                     cmocka_unit_test(held_body_has_no_frequency)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
