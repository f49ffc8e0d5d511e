/* Dashpots on nodes: the scheme that they follow, energies, motions beside them, restart, shots. */
#include "fixture.h"

enum { DIM = 2, NODES = 5, STEPS = 40 };

/* Grid, damped, with random blocks on some of its nodes; a force on one of them, a motion along (0.6, 0.8) on another, u_x held on a third. */
typedef struct body {
  fixture f;
  double *damping, dt;
  hk_signal burst;
  hk_dashpots dashpots;
  hk_index held[2]; /* nodes of the motion rows */
} body;

static void excitation(body *b)
{
  hk_excitation *d = &b->f.excitation;
  const hk_index *node = b->dashpots.node;
  d->signal_count = 2;
  ok(hk_get(&d->signal, 2));
  d->signal[0] = (hk_source_signal){.signal = &b->burst, .role = HK_ROLE_FORCE};
  d->signal[1] = (hk_source_signal){.signal = &b->burst, .role = HK_ROLE_ACCELERATION};
  d->motion.rows = 2;
  ok(hk_get(&d->motion.begin, 3));
  ok(hk_get(&d->motion.dof, 3));
  ok(hk_get(&d->motion.weight, 3));
  ok(hk_get(&d->motion_signal, 2));
  ok(hk_get(&d->motion_value, 2));
  ok(hk_get(&d->motion_base, 2));
  ok(hk_get(&d->motion_drift, 2));
  b->held[0] = node[1], b->held[1] = node[2];
  d->motion.begin[1] = 2, d->motion.begin[2] = 3;
  d->motion.dof[0] = 2 * node[1], d->motion.dof[1] = 2 * node[1] + 1,
  d->motion.dof[2] = 2 * node[2];
  d->motion.weight[0] = 0.6, d->motion.weight[1] = 0.8, d->motion.weight[2] = 1;
  d->motion_signal[0] = 1, d->motion_value[0] = 3, d->motion_signal[1] = -1;
  hk_force_entry entry[] = {{.dof = 2 * node[0], .coefficient = 1},
                            {.dof = 2 * node[0] + 1, .coefficient = -2},
                            {.dof = 2 * node[2] + 1, .coefficient = 1}};
  ok(hk_force_rows_build(entry, 3, &d->motion, &d->force));
}

/* strength: of the dashpots, C dt / m */
static void create(body *b, bool double_precision, bool positions, bool damped, double strength)
{
  fixture *f = &b->f;
  memset(b, 0, sizeof *b);
  fixture_create(f, "stored", HK_QUAD4, 6, 0.2, 1, 0.3, 1, double_precision, 1);
  b->dt = 0.9 * f->limit;
  ok(hk_get(&b->damping, f->space->padded));
  for (hk_index i = 0; i < f->space->padded; i++) b->damping[i] = 0.4 / b->dt;
  b->burst = (hk_signal){
      .kind = HK_SIGNAL_TONEBURST, .frequency = 0.1 / b->dt, .cycles = 3, .hann = true, .scale = 1};
  b->dashpots.count = NODES;
  ok(hk_get(&b->dashpots.node, NODES));
  ok(hk_get(&b->dashpots.c, NODES * DIM * DIM));
  srand(3);
  for (int i = 0, n = 0; i < NODES; i++) {
    while (f->space->mesh_node[n] < 0) n++;
    b->dashpots.node[i] = n;
    const double x = 2 * uniform(), y = 2 * uniform(), z = 2 * uniform(),
                 scale = strength * f->mass[n] / b->dt;
    const double c[] = {x * x + z * z, x * y, x * y, y * y + z * z}; /* symmetric and positive */
    for (int k = 0; k < DIM * DIM; k++) b->dashpots.c[i * DIM * DIM + k] = scale * c[k];
    n += 7;
  }
  excitation(b);
  ok(hk_explicit_create(&(hk_explicit_desc){.op = f->op,
                                            .dt = b->dt,
                                            .steps = STEPS,
                                            .mass = f->mass,
                                            .damping = damped ? b->damping : NULL,
                                            .dashpots = &b->dashpots,
                                            .excitation = &f->excitation,
                                            .positions = positions},
                        &f->solver));
}

static void destroy(body *b)
{
  hk_free(&b->damping);
  hk_dashpots_clear(&b->dashpots);
  fixture_destroy(&b->f);
  assert_int_equal(hk_memory_held(), 0);
}

static void random_state(const body *b, double *u)
{
  for (hk_index i = 0; i < b->f.space->padded * DIM; i++) {
    const hk_index node = i / DIM;
    const bool still = b->f.space->mesh_node[node] < 0 || node == b->held[0] || node == b->held[1];
    u[i] = still ? 0 : 2 * uniform();
  }
}

/* Dashpot of an internal node, -1: none. */
static int find(const body *b, hk_index node)
{
  for (int i = 0; i < NODES; i++)
    if (b->dashpots.node[i] == node) return i;
  return -1;
}

/* m (d+ - d-) / dt^2 + (d m + C) (d+ + d-) / (2 dt) + K u = F on all nodes that no motion holds, for the first step from v0 and
 * for later ones; and the first velocity is v0 */
static void scheme(void **state)
{
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    body b = {0};
    create(&b, true, true, damped, 3);
    const hk_index dofs = b.f.space->padded * DIM;
    double *u = calloc((size_t)dofs, 8), *v0 = calloc((size_t)dofs, 8),
           *ku = calloc((size_t)dofs, 8);
    double *before = calloc((size_t)dofs, 8), *after = calloc((size_t)dofs, 8), worst = 0,
           scale = 0;
    hk_buffer *in = NULL, *out = NULL;
    random_state(&b, v0);
    ok(hk_buffer_create(b.f.device, dofs * 8, &in));
    ok(hk_buffer_create(b.f.device, dofs * 8, &out));
    ok(hk_explicit_start(b.f.solver, NULL, v0));
    for (int n = 0; n < 20; n++) {
      ok(hk_explicit_read(b.f.solver, 0, HK_STATE_DISPLACEMENT, u));
      ok(hk_explicit_read(b.f.solver, 0, HK_STATE_INCREMENT, before));
      ok(hk_buffer_write(in, 0, dofs * 8, u));
      ok(hk_operator_apply(b.f.op, &(hk_epilogue){.form = HK_FORM_STORE, .u = in, .out = out}));
      ok(hk_buffer_read(out, 0, dofs * 8, ku));
      ok(hk_explicit_advance(b.f.solver, n + 1));
      ok(hk_explicit_read(b.f.solver, 0, HK_STATE_INCREMENT, after));
      for (hk_index i = 0; i < dofs; i++) {
        const hk_index node = i / DIM;
        const int at = find(&b, node);
        if (b.f.space->mesh_node[node] < 0 || node == b.held[0] || node == b.held[1]) continue;
        const double m = b.f.mass[node];
        double r = m * (after[i] - before[i]) / b.dt + ku[i] * b.dt;
        if (damped) r += 0.5 * b.damping[node] * m * (after[i] + before[i]);
        for (int c = 0; c < DIM && at >= 0; c++)
          r += 0.5 * b.dashpots.c[(at * DIM + i % DIM) * DIM + c] *
               (after[node * DIM + c] + before[node * DIM + c]);
        const hk_force_rows *f = &b.f.excitation.force;
        for (hk_index k = 0; k < f->rows; k++)
          if (f->dof[k] == i)
            r -= f->coefficient[0 + f->begin[k]] * hk_signal_value(&b.burst, n * b.dt) * b.dt;
        worst = fmax(worst, fabs(r)), scale = fmax(scale, fabs(m * after[i] / b.dt));
        if (n == 0) assert_true(fabs(after[i] + before[i] - 2 * b.dt * v0[i]) <= 1e-12 * b.dt);
      }
    }
    assert_true(scale > 0);
    if (!(worst <= 1e-11 * scale)) fail_msg("residual %.2e of %.2e", worst, scale);
    hk_buffer_destroy(&in);
    hk_buffer_destroy(&out);
    free(u), free(v0), free(ku), free(before), free(after);
    destroy(&b);
  }
}

/* kinetic + strain + damping - work = constant, with forces and motions on the nodes of dashpots, which lose most */
static void balance(void **state)
{
  (void)state;
  for (int kind = 0; kind < 6; kind++) {
    const bool real = kind < 4, damped = kind % 2;
    body b = {0};
    create(&b, real, kind / 2 == 1, damped, 3);
    double *v0 = calloc((size_t)b.f.space->padded * DIM, 8), first = 0, most = 0;
    random_state(&b, v0);
    ok(hk_explicit_start(b.f.solver, NULL, v0));
    for (int n = 0; n < STEPS; n++) {
      hk_energy e;
      ok(hk_explicit_energy_step(b.f.solver, &e));
      const double sum = e.kinetic + e.strain + e.damping - e.work;
      if (n == 0) first = sum;
      most = fmax(most, e.kinetic + e.strain + e.damping);
      if (n == 0) continue;
      assert_true(e.damping > 0);
      if (!(fabs(sum - first) <= (real ? 1e-12 : 1e-5) * most))
        fail_msg("%d: balance off by %.2e of %.2e in step %d", kind, sum - first, most, n);
    }
    free(v0);
    destroy(&b);
  }
}

/* a body with dashpots a million times m / dt, at 0.9 of the bound without them, comes to rest: 1000 steps without a growing energy */
static void stable(void **state)
{
  (void)state;
  body b = {0};
  create(&b, true, true, false, 1e6);
  double *v0 = calloc((size_t)b.f.space->padded * DIM, 8);
  hk_energy first, last;
  random_state(&b, v0);
  b.burst.scale = 0;
  ok(hk_explicit_start(b.f.solver, NULL, v0));
  ok(hk_explicit_energy_step(b.f.solver, &first));
  ok(hk_explicit_advance(b.f.solver, 1000));
  ok(hk_explicit_energy_step(b.f.solver, &last));
  assert_true(last.kinetic + last.strain <= 1.000001 * (first.kinetic + first.strain));
  free(v0);
  destroy(&b);
}

/* a saved state goes on bit by bit */
static void restart(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    body b = {0};
    create(&b, kind, false, true, 2);
    const hk_count bytes = hk_explicit_state_bytes(b.f.solver, true);
    const size_t dofs = (size_t)b.f.space->padded * DIM;
    double *u[2] = {calloc(dofs, 8), calloc(dofs, 8)}, work[2], loss[2];
    void *saved = malloc((size_t)bytes);
    ok(hk_explicit_start(b.f.solver, NULL, NULL));
    ok(hk_explicit_advance(b.f.solver, 15));
    ok(hk_explicit_save(b.f.solver, saved));
    for (int k = 0; k < 2; k++) {
      ok(hk_explicit_advance(b.f.solver, 35));
      ok(hk_explicit_read(b.f.solver, 0, HK_STATE_DISPLACEMENT, u[k]));
      ok(hk_explicit_totals(b.f.solver, 0, &work[k], &loss[k]));
      if (!k) ok(hk_explicit_restore(b.f.solver, 15, true, saved));
    }
    assert_memory_equal(u[0], u[1], dofs * 8);
    assert_true(work[0] == work[1] && loss[0] == loss[1] && loss[0] > 0);
    free(u[0]), free(u[1]), free(saved);
    destroy(&b);
  }
}

/* in a batch every shot, here the same one twice, is as alone bit by bit, its losses too */
static void shots(void **state)
{
  (void)state;
  body b = {0};
  create(&b, false, false, false, 2);
  hk_excitation *d = &b.f.excitation, two = {0};
  const hk_index dofs = b.f.space->padded * DIM, rows = d->force.rows;
  double *u[2] = {calloc((size_t)dofs, 8), calloc((size_t)dofs, 8)}, work[2], loss[2];
  hk_force_entry entry[8];
  ok(hk_explicit_start(b.f.solver, NULL, NULL));
  ok(hk_explicit_advance(b.f.solver, 30));
  ok(hk_explicit_read(b.f.solver, 0, HK_STATE_DISPLACEMENT, u[0]));
  ok(hk_explicit_totals(b.f.solver, 0, &work[0], &loss[0]));
  hk_explicit_destroy(&b.f.solver);

  two = *d; /* the same motions of each shot */
  hk_sparse *m = &two.motion;
  *m = (hk_sparse){.rows = 4};
  two.motion_signal = NULL, two.motion_value = two.motion_base = two.motion_drift = NULL;
  ok(hk_get(&m->begin, 5));
  ok(hk_get(&m->dof, 6));
  ok(hk_get(&m->weight, 6));
  ok(hk_get(&two.motion_signal, 4));
  ok(hk_get(&two.motion_value, 4));
  ok(hk_get(&two.motion_base, 4));
  ok(hk_get(&two.motion_drift, 4));
  for (int k = 0; k < 2; k++) {
    for (int r = 0; r < 2; r++) {
      m->begin[2 * k + r + 1] = 3 * k + d->motion.begin[r + 1];
      two.motion_signal[2 * k + r] = d->motion_signal[r];
      two.motion_value[2 * k + r] = d->motion_value[r];
    }
    for (int p = 0; p < 3; p++) {
      m->dof[3 * k + p] = d->motion.dof[p] + k * dofs;
      m->weight[3 * k + p] = d->motion.weight[p];
    }
    for (hk_index r = 0; r < rows; r++)
      entry[k * rows + r] =
          (hk_force_entry){.dof = d->force.dof[r] + k * dofs,
                           .coefficient = d->force.coefficient[d->force.begin[r]]};
  }
  ok(hk_force_rows_build(entry, 2 * rows, m, &two.force));
  ok(hk_explicit_create(&(hk_explicit_desc){.op = b.f.op,
                                            .dt = b.dt,
                                            .steps = STEPS,
                                            .mass = b.f.mass,
                                            .dashpots = &b.dashpots,
                                            .excitation = &two,
                                            .shots = 2},
                        &b.f.solver));
  ok(hk_explicit_start(b.f.solver, NULL, NULL));
  ok(hk_explicit_advance(b.f.solver, 30));
  for (int k = 0; k < 2; k++) {
    ok(hk_explicit_read(b.f.solver, k, HK_STATE_DISPLACEMENT, u[1]));
    ok(hk_explicit_totals(b.f.solver, k, &work[1], &loss[1]));
    assert_memory_equal(u[0], u[1], (size_t)dofs * 8);
    assert_true(work[0] == work[1] && loss[0] == loss[1] && loss[0] > 0);
  }
  hk_explicit_destroy(&b.f.solver);
  two.signal = NULL, two.signal_count = 0; /* the other drive's */
  hk_excitation_clear(&two);
  free(u[0]), free(u[1]);
  destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scheme),  cmocka_unit_test(balance), cmocka_unit_test(stable),
      cmocka_unit_test(restart), cmocka_unit_test(shots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
