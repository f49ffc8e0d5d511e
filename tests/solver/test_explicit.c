#include "fixture.h"
#include <stdio.h>

/* a step neither allocates nor frees */
static void step_does_not_allocate(void **state)
{
  (void)state;
  fixture f;
  fixture_create(&f, "stored", HK_QUAD4, 8, 0, 1, 0.3, 1, false, 2);
  fixture_start(&f, 0.9 * f.limit, 1000, NULL, NULL);
  const hk_count before = hk_memory_calls();
  ok(hk_explicit_advance(f.solver, 600));
  assert_int_equal(hk_memory_calls(), before);
  fixture_destroy(&f);
}

/* A grid whose left edge moves, driven by a force at its last node, damped; receivers on that node. */
typedef struct loaded {
  fixture f;
  double *damping;
  hk_signal burst;
  hk_sparse receivers;
} loaded;

static void loaded_create(loaded *d, bool double_precision, bool positions, hk_receiver_kind kind,
                          hk_count steps, hk_count every)
{
  fixture *f = &d->f;
  memset(d, 0, sizeof *d);
  fixture_create(f, "stored", HK_QUAD4, 6, 0, 1, 0.3, 1, double_precision, 1);
  const double dt = 0.5 * f->limit;
  ok(hk_get(&d->damping, f->space->padded));
  for (hk_index i = 0; i < f->space->padded; i++) d->damping[i] = 0.4 / dt;
  d->burst = (hk_signal){
      .kind = HK_SIGNAL_TONEBURST, .frequency = 0.02 / dt, .cycles = 9, .hann = true, .scale = 1};
  f->excitation.signal_count = 2;
  ok(hk_get(&f->excitation.signal, 2));
  f->excitation.signal[0] = (hk_source_signal){.signal = &d->burst, .role = HK_ROLE_FORCE};
  f->excitation.signal[1] = (hk_source_signal){.signal = &d->burst, .role = HK_ROLE_ACCELERATION};
  f->excitation.motion.rows = 1;
  ok(hk_get(&f->excitation.motion.begin, 2));
  ok(hk_get(&f->excitation.motion.dof, 2));
  ok(hk_get(&f->excitation.motion.weight, 2));
  ok(hk_get(&f->excitation.motion_signal, 1));
  ok(hk_get(&f->excitation.motion_value, 1));
  ok(hk_get(&f->excitation.motion_base, 1));
  ok(hk_get(&f->excitation.motion_drift, 1));
  const hk_index corner = f->space->node[0], last = f->space->node[f->mesh->node_count - 1];
  f->excitation.motion.begin[1] = 2; /* along (0.6, 0.8) */
  f->excitation.motion.dof[0] = 2 * corner, f->excitation.motion.dof[1] = 2 * corner + 1;
  f->excitation.motion.weight[0] = 0.6, f->excitation.motion.weight[1] = 0.8;
  f->excitation.motion_signal[0] = 1, f->excitation.motion_value[0] = 3;
  hk_force_entry entry[] = {{.dof = 2 * last, .coefficient = 1},
                            {.dof = 2 * corner, .coefficient = 5},
                            {.dof = 2 * corner + 1, .coefficient = -2}};
  ok(hk_force_rows_build(entry, 3, &f->excitation.motion, &f->excitation.force));
  assert_int_equal(f->excitation.force.rows, 3);
  d->receivers.rows = 1;
  ok(hk_get(&d->receivers.begin, 2));
  ok(hk_get(&d->receivers.dof, 1));
  ok(hk_get(&d->receivers.weight, 1));
  d->receivers.begin[1] = 1, d->receivers.dof[0] = 2 * last, d->receivers.weight[0] = 1;
  const hk_receiver_group receiver_group = {.rows = 1, .kind = kind, .every = every};
  ok(hk_explicit_create(&(hk_explicit_desc){.op = f->op,
                                            .dt = dt,
                                            .steps = steps,
                                            .mass = f->mass,
                                            .damping = d->damping,
                                            .excitation = &f->excitation,
                                            .receivers = &d->receivers,
                                            .receiver_group = &receiver_group,
                                            .group_count = 1,
                                            .positions = positions},
                        &f->solver));
}

static void loaded_destroy(loaded *d)
{
  hk_free(&d->damping);
  hk_sparse_clear(&d->receivers);
  fixture_destroy(&d->f);
  assert_int_equal(hk_memory_held(), 0);
}

/* a force on a node that is held along n acts as its part across n: u(F) = u(F - (F n) n), and
 * the force that holds the row is larger by F n */
static void force_across_a_direction(void **state)
{
  (void)state;
  static const double force[2][2] = {{5, -2}, {5 - 0.6 * 1.4, -2 - 0.8 * 1.4}}; /* F n = 1.4 */
  double *u[2] = {NULL}, held[2], most = 0;
  for (int kind = 0; kind < 2; kind++) {
    loaded d;
    loaded_create(&d, true, false, HK_RECEIVER_DISPLACEMENT, 200, 1);
    hk_force_rows *rows = &d.f.excitation.force;
    const hk_index corner = d.f.space->node[0];
    for (hk_index r = 0; r < rows->rows; r++)
      if (rows->dof[r] / 2 == corner) rows->coefficient[r] = force[kind][rows->dof[r] % 2];
    hk_explicit_destroy(&d.f.solver);
    ok(hk_explicit_create(&(hk_explicit_desc){.op = d.f.op,
                                              .dt = 0.5 * d.f.limit,
                                              .steps = 200,
                                              .mass = d.f.mass,
                                              .damping = d.damping,
                                              .excitation = &d.f.excitation},
                          &d.f.solver));
    const hk_count dofs = (hk_count)d.f.space->padded * 2;
    double *got = malloc((size_t)dofs * sizeof *got), signal;
    ok(hk_explicit_start(d.f.solver, NULL, NULL));
    ok(hk_explicit_advance(d.f.solver, 150));
    ok(hk_explicit_read(d.f.solver, 0, HK_STATE_DISPLACEMENT, got));
    ok(hk_explicit_reactions(d.f.solver, &held[kind]));
    signal = hk_signal_value(&d.burst, 149 * 0.5 * d.f.limit);
    if (kind == 0) held[0] += 1.4 * signal;
    u[kind] = got;
    for (hk_count i = 0; i < dofs; i++) {
      most = fmax(most, fabs(got[i]));
      if (kind == 1) assert_true(fabs(got[i] - u[0][i]) <= 1e-12 * most);
    }
    const double *x = got + 2 * corner;
    assert_true(kind == 1 || fabs(0.6 * x[1] - 0.8 * x[0]) > 1e-3 * most);
    loaded_destroy(&d);
  }
  assert_true(fabs(held[0] - held[1]) <= 1e-10 * fabs(held[1]));
  free(u[0]);
  free(u[1]);
}

/* Motion rows of the first node instead of the fixture's: along the columns of turn[2][2], to value[2] times signal 1. */
static void hold_corner(loaded *d, const double turn[2][2], const double value[2])
{
  hk_excitation *excitation = &d->f.excitation;
  const hk_index corner = d->f.space->node[0], last = d->f.space->node[d->f.mesh->node_count - 1];
  hk_force_entry entry[] = {{.dof = 2 * last, .coefficient = 1},
                            {.dof = 2 * corner, .coefficient = 5},
                            {.dof = 2 * corner + 1, .coefficient = -2}};
  hk_index used = 0;
  hk_excitation_clear(excitation);
  excitation->signal_count = 2;
  ok(hk_get(&excitation->signal, 2));
  excitation->signal[0] = (hk_source_signal){.signal = &d->burst, .role = HK_ROLE_FORCE};
  excitation->signal[1] = (hk_source_signal){.signal = &d->burst, .role = HK_ROLE_DISPLACEMENT};
  excitation->motion.rows = 2;
  ok(hk_get(&excitation->motion.begin, 3));
  ok(hk_get(&excitation->motion.dof, 4));
  ok(hk_get(&excitation->motion.weight, 4));
  ok(hk_get(&excitation->motion_signal, 2));
  ok(hk_get(&excitation->motion_value, 2));
  ok(hk_get(&excitation->motion_base, 2));
  ok(hk_get(&excitation->motion_drift, 2));
  for (int r = 0; r < 2; r++) {
    for (int c = 0; c < 2; c++)
      if (turn[r][c] != 0) {
        excitation->motion.dof[used] = 2 * corner + c;
        excitation->motion.weight[used++] = turn[r][c];
      }
    excitation->motion.begin[r + 1] = used;
    excitation->motion_signal[r] = 1, excitation->motion_value[r] = value[r];
  }
  ok(hk_force_rows_build(entry, 3, &excitation->motion, &excitation->force));
}

/* a node held along two orthogonal directions, n1 . u = a g, n2 . u = b g, moves as one held along the axes, u = (a n1 + b n2) g, with
 * damping and forces on it: states to 1e-12 of the peak, energies to 1e-12 of the work */
static void two_directions_of_a_node(void **state)
{
  (void)state;
  static const double turn[2][2][2] = {{{1, 0}, {0, 1}}, {{0.6, 0.8}, {-0.8, 0.6}}};
  static const double value[2][2] = {{3 * 0.6 + 2 * 0.8, 3 * 0.8 - 2 * 0.6}, {3, -2}};
  double *u[2] = {NULL}, most = 0;
  hk_energy e[2];
  for (int kind = 0; kind < 2; kind++) {
    loaded d;
    loaded_create(&d, true, false, HK_RECEIVER_DISPLACEMENT, 200, 1);
    hk_explicit_destroy(&d.f.solver);
    hold_corner(&d, turn[kind], value[kind]);
    ok(hk_explicit_create(&(hk_explicit_desc){.op = d.f.op,
                                              .dt = 0.5 * d.f.limit,
                                              .steps = 200,
                                              .mass = d.f.mass,
                                              .damping = d.damping,
                                              .excitation = &d.f.excitation},
                          &d.f.solver));
    const hk_count dofs = (hk_count)d.f.space->padded * 2;
    assert_non_null(u[kind] = malloc((size_t)dofs * sizeof(double)));
    ok(hk_explicit_start(d.f.solver, NULL, NULL));
    ok(hk_explicit_advance(d.f.solver, 150));
    ok(hk_explicit_read(d.f.solver, 0, HK_STATE_DISPLACEMENT, u[kind]));
    ok(hk_explicit_energy_step(d.f.solver, &e[kind]));
    for (hk_count i = 0; i < dofs; i++) most = fmax(most, fabs(u[kind][i]));
    assert_true(most > 0);
    for (hk_count i = 0; i < dofs && kind; i++)
      assert_true(fabs(u[1][i] - u[0][i]) <= 1e-12 * most);
    loaded_destroy(&d);
  }
  assert_true(e[0].work > 0 && e[0].damping > 0);
  assert_true(fabs(e[1].work - e[0].work) <= 1e-12 * e[0].work);
  assert_true(fabs(e[1].damping - e[0].damping) <= 1e-12 * e[0].work);
  assert_true(fabs(e[1].strain + e[1].kinetic - e[0].strain - e[0].kinetic) <= 1e-12 * e[0].work);
  free(u[0]), free(u[1]);
}

/* kinetic + strain + damping - work = const with forces, motions along directions and damping, from
 * a state that moves: to the rounding of the state */
static void energy_balance(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) { /* double, single increments, single positions */
    loaded d;
    double *v = NULL, most = 0, error = 0, first = 0;
    loaded_create(&d, kind == 0, kind == 2, HK_RECEIVER_DISPLACEMENT, 400, 1);
    ok(hk_get(&v, (hk_count)d.f.space->padded * 2));
    for (hk_index i = 0; i < 2 * d.f.space->nodes; i++) v[i] = 10 * sin(i * i);
    ok(hk_explicit_start(d.f.solver, NULL, v));
    for (int n = 0; n < 400; n++) {
      hk_energy e;
      ok(hk_explicit_energy_step(d.f.solver, &e));
      const double sum = e.kinetic + e.strain + e.damping - e.work,
                   expected = (n + 0.5) * 0.5 * d.f.limit; /* in the middle of the step */
      assert_true(fabs(e.time - expected) <= 1e-12 * expected);
      if (n == 0) first = sum;
      most = fmax(most, fmax(fabs(e.work), e.kinetic + e.strain + e.damping));
      error = fmax(error, fabs(sum - first) + 0 * sum);
    }
    print_message("balance %.2e\n", error / most);
    assert_true(error <= (kind == 0 ? 1e-12 : 1e-4) * most);
    hk_free(&v);
    loaded_destroy(&d);
  }
}

/* started with nothing = started with zeros, bit by bit, with forces and motions that act from the first step on; a part that is read = that
 * part of all */
static void nothing_is_zero(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) { /* double, single increments, single positions */
    double *all[2] = {NULL}, *zero = NULL, some[7], most = 0;
    for (int given = 0; given < 2; given++) {
      loaded d;
      loaded_create(&d, kind == 0, kind == 2, HK_RECEIVER_DISPLACEMENT, 400, 1);
      const hk_count dofs = (hk_count)d.f.space->padded * 2;
      d.f.excitation.signal[0].signal = NULL; /* constant 1 from the start on */
      ok(hk_get(&zero, dofs));
      assert_non_null(all[given] = malloc((size_t)dofs * sizeof *zero));
      ok(hk_explicit_start(d.f.solver, given ? zero : NULL, given ? zero : NULL));
      ok(hk_explicit_advance(d.f.solver, 77));
      ok(hk_explicit_read(d.f.solver, 0, HK_STATE_INCREMENT, all[given]));
      ok(hk_explicit_read_some(d.f.solver, 0, HK_STATE_INCREMENT, 11, 7, some));
      assert_memory_equal(some, all[given] + 11, sizeof some);
      for (hk_count i = 0; i < dofs; i++) most = fmax(most, fabs(all[given][i]));
      assert_true(most > 0);
      if (given) assert_memory_equal(all[0], all[1], (size_t)dofs * sizeof *zero);
      hk_free(&zero);
      loaded_destroy(&d);
    }
    free(all[0]), free(all[1]);
  }
}

/* rates of the last step: ready after hk_explicit_finish alone, v_N = that of a longer run at N */
static void last_rates(void **state)
{
  (void)state;
  for (int kind = HK_RECEIVER_VELOCITY; kind <= HK_RECEIVER_ACCELERATION; kind++) {
    loaded d;
    double ended, passed;
    loaded_create(&d, true, false, (hk_receiver_kind)kind, 300, 100);
    ok(hk_explicit_start(d.f.solver, NULL, NULL));
    ok(hk_explicit_advance(d.f.solver, 300));
    assert_int_equal(hk_explicit_complete(d.f.solver, 0), 3);
    ok(hk_explicit_finish(d.f.solver));
    assert_int_equal(hk_explicit_complete(d.f.solver, 0), 4);
    ok(hk_explicit_samples(d.f.solver, 0, 3, 1, &ended));
    loaded_destroy(&d);
    loaded_create(&d, true, false, (hk_receiver_kind)kind, 400, 100);
    ok(hk_explicit_start(d.f.solver, NULL, NULL));
    ok(hk_explicit_advance(d.f.solver, 301));
    ok(hk_explicit_samples(d.f.solver, 0, 3, 1, &passed));
    assert_true(fabs(passed) > 0);
    assert_true(ended == passed);
    loaded_destroy(&d);
  }
}

/* batches of n shots, and the smaller last one: what is taken at a time has room in what the largest needs */
static void samples_of_smaller_batches_fit(void **state)
{
  (void)state;
  for (hk_count rows = 1; rows < 3000000; rows += 1 + rows / 50)
    for (int shots = 1; shots <= 12; shots++)
      for (int last = 1; last <= shots; last++)
        assert_true(hk_receiver_room(rows * last) / 2 * rows * last <=
                    hk_receiver_most(rows * shots));
}

/* a row whose unknown is a velocity has as velocity the value, as acceleration the rate, as displacement the integral by the trapezoid rule of
 * what another row has of the same degree of freedom */
static void rows_of_rates(void **state)
{
  enum { ROWS = 5, STEPS = 60, KINDS = 3 };
  static const bool of_rate[ROWS] = {false, true, false, false, true};
  static const int same[ROWS] = {0, 0, 2, 3, 2}; /* the row with the value */
  static const hk_receiver_group receiver_group[KINDS] = {
      {.rows = ROWS, .kind = HK_RECEIVER_DISPLACEMENT, .every = 1},
      {.rows = ROWS, .kind = HK_RECEIVER_VELOCITY, .every = 1},
      {.rows = ROWS, .kind = HK_RECEIVER_ACCELERATION, .every = 1}};
  (void)state;
  fixture f;
  double *v = NULL, got[KINDS][(STEPS + 1) * ROWS], most = 0, sum[ROWS] = {0};
  hk_sparse receivers = {.rows = ROWS};
  fixture_create(&f, "stored", HK_QUAD4, 5, 0, 1, 0.3, 1, true, 1);
  const double dt = 0.7 * f.limit;
  ok(hk_get(&v, (hk_count)f.space->padded * 2));
  for (hk_index i = 0; i < 2 * f.space->nodes; i++) v[i] = sin(i * i);
  ok(hk_get(&receivers.begin, ROWS + 1));
  ok(hk_get(&receivers.dof, ROWS));
  ok(hk_get(&receivers.weight, ROWS));
  for (int r = 0; r < ROWS; r++) {
    receivers.begin[r + 1] = r + 1, receivers.weight[r] = 1;
    receivers.dof[r] = 2 * f.space->node[7 * same[r]] + 1;
  }
  ok(hk_explicit_create(&(hk_explicit_desc){.op = f.op,
                                            .dt = dt,
                                            .steps = STEPS,
                                            .mass = f.mass,
                                            .excitation = &f.excitation,
                                            .receivers = &receivers,
                                            .of_rate = of_rate,
                                            .receiver_group = receiver_group,
                                            .group_count = KINDS},
                        &f.solver));
  ok(hk_explicit_start(f.solver, NULL, v));
  ok(hk_explicit_advance(f.solver, STEPS));
  ok(hk_explicit_finish(f.solver));
  for (int w = 0; w < KINDS; w++) ok(hk_explicit_samples(f.solver, w, 0, STEPS + 1, got[w]));
  for (int n = 0; n <= STEPS; n++)
    for (int r = 0; r < ROWS; r++) {
      const double *u = got[0] + n * ROWS, value = u[same[r]];
      most = fmax(most, fabs(value));
      if (!of_rate[r]) continue;
      if (n) sum[r] += 0.5 * dt * (value + u[same[r] - ROWS]);
      assert_true(fabs(u[r] - sum[r]) <= 1e-12 * most * STEPS * dt);
      assert_true(got[1][n * ROWS + r] == value);
      assert_true(fabs(got[2][n * ROWS + r] - got[1][n * ROWS + same[r]]) <= 1e-12 * most / dt);
    }
  assert_true(most > 0);
  hk_free(&v);
  hk_sparse_clear(&receivers);
  fixture_destroy(&f);
}

/* shots that begin alike have the energies of one alone; the last increment of a large model is that of its displacements */
static void energies_of_shots(void **state)
{
  enum { SHOTS = 3, STEPS = 4, CELLS = 190 };
  (void)state;
  fixture f;
  double *v = NULL, *u = NULL, *before = NULL, *increment = NULL;
  hk_energy energy[2][SHOTS];
  fixture_create(&f, "edges", HK_QUAD4, CELLS, 0, 1, 0.3, 1, true, 1);
  const hk_count dofs = (hk_count)f.space->padded * 2;
  assert_true(dofs > 1 << 16);
  ok(hk_get(&v, dofs));
  ok(hk_get(&u, dofs));
  ok(hk_get(&before, dofs));
  ok(hk_get(&increment, dofs));
  for (hk_index i = 0; i < 2 * f.space->nodes; i++) v[i] = sin(i * 0.1);
  for (int kind = 0; kind < 2; kind++) {
    const int shots = kind ? SHOTS : 1;
    ok(hk_explicit_create(&(hk_explicit_desc){.op = f.op,
                                              .dt = 0.5 * f.limit,
                                              .steps = STEPS,
                                              .shots = shots,
                                              .mass = f.mass,
                                              .excitation = &f.excitation},
                          &f.solver));
    ok(hk_explicit_start(f.solver, NULL, v));
    for (int n = 0; n < STEPS; n++) ok(hk_explicit_energy_step(f.solver, energy[kind]));
    for (int k = 0; k < shots; k++) {
      assert_true(energy[kind][k].kinetic > 0 && energy[kind][k].strain > 0);
      assert_true(energy[kind][k].kinetic == energy[0][0].kinetic);
      assert_true(energy[kind][k].strain == energy[0][0].strain);
    }
    ok(hk_explicit_read(f.solver, shots - 1, HK_STATE_DISPLACEMENT, before));
    ok(hk_explicit_advance(f.solver, STEPS + 1));
    ok(hk_explicit_read(f.solver, shots - 1, HK_STATE_DISPLACEMENT, u));
    ok(hk_explicit_read(f.solver, shots - 1, HK_STATE_INCREMENT, increment));
    for (hk_count i = 0; i < dofs; i++) assert_true(increment[i] == u[i] - before[i]);
    hk_explicit_destroy(&f.solver);
  }
  hk_free(&v);
  hk_free(&u);
  hk_free(&before);
  hk_free(&increment);
  fixture_destroy(&f);
}

/* degrees of freedom of all shots beyond 2^31 - 1: HK_BAD_INPUT, before anything is obtained */
static void too_many_shots_are_refused(void **state)
{
  fixture f;
  hk_explicit *solver = NULL;
  (void)state;
  fixture_create(&f, "edges", HK_QUAD4, 3, 0, 1, 0.3, 1, true, 1);
  const hk_count calls = hk_memory_calls();
  const int shots = INT32_MAX / (f.space->padded * f.space->components) + 1;
  assert_int_equal(hk_explicit_create(&(hk_explicit_desc){.op = f.op,
                                                          .dt = 1,
                                                          .steps = 1,
                                                          .shots = shots,
                                                          .mass = f.mass,
                                                          .excitation = &f.excitation},
                                      &solver),
                   HK_BAD_INPUT);
  assert_null(solver);
  assert_int_equal(hk_memory_calls(), calls);
  fixture_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(too_many_shots_are_refused),
                                     cmocka_unit_test(samples_of_smaller_batches_fit),
                                     cmocka_unit_test(energy_balance),
                                     cmocka_unit_test(nothing_is_zero),
                                     cmocka_unit_test(energies_of_shots),
                                     cmocka_unit_test(rows_of_rates),
                                     cmocka_unit_test(last_rates),
                                     cmocka_unit_test(step_does_not_allocate),
                                     cmocka_unit_test(force_across_a_direction),
                                     cmocka_unit_test(two_directions_of_a_node)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
