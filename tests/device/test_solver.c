/* Explicit dynamics with all that drives and watches it, on every device: as on the host. */
#include "body.h"
#include "operator/element/element_matrix.h"
#include "solver/explicit/explicit.h"

enum { STEPS = 1000, FORCES = 40, MOTIONS = 12, RECEIVERS = 9, ENTRIES = 100 };

typedef struct record {
  double *field;                            /* [mesh node][component] */
  double trace[2][(STEPS + 1) * RECEIVERS]; /* displacement, velocity; [step][row] */
  hk_energy energy;
  hk_count trace_count[2];
} record;

static hk_index dof_of(const hk_space *space, int node, int component)
{
  return space->node[node * 13 % space->mesh->node_count] * space->components + component;
}

static hk_status make_excitation(const hk_space *space, hk_excitation *excitation)
{
  hk_status status = HK_OK;
  hk_force_entry entry[FORCES];
  *excitation = (hk_excitation){.signal_count = 2};
  HK_TRY(hk_get(&excitation->signal, 2));
  excitation->signal[0] = (hk_source_signal){.start = 0.1, .role = HK_ROLE_FORCE};
  excitation->signal[1] = (hk_source_signal){.start = 0.05, .role = HK_ROLE_VELOCITY};
  excitation->motion.rows = MOTIONS;
  HK_TRY(hk_get(&excitation->motion.begin, MOTIONS + 1));
  HK_TRY(hk_get(&excitation->motion.dof, 2 * MOTIONS));
  HK_TRY(hk_get(&excitation->motion.weight, 2 * MOTIONS));
  HK_TRY(hk_get(&excitation->motion_signal, MOTIONS));
  HK_TRY(hk_get(&excitation->motion_value, MOTIONS));
  HK_TRY(hk_get(&excitation->motion_base, MOTIONS));
  HK_TRY(hk_get(&excitation->motion_drift, MOTIONS));
  for (int r = 0; r < MOTIONS;
       r++) { /* along x; along a slope; across the slope of the row before */
    static const double weight[3][2] = {{1, 0}, {0.6, 0.8}, {-0.8, 0.6}};
    excitation->motion.begin[r + 1] = excitation->motion.begin[r];
    for (int c = 0; c < 1 + (r % 3 > 0); c++) {
      excitation->motion.dof[excitation->motion.begin[r + 1]] =
          dof_of(space, 50 + r - r % 3 / 2, c);
      excitation->motion.weight[excitation->motion.begin[r + 1]++] = weight[r % 3][c];
    }
    excitation->motion_signal[r] = r % 4 ? 1 : -1;
    excitation->motion_value[r] = 0.01 * r, excitation->motion_drift[r] = 0.001 * r;
  }
  for (int i = 0; i < FORCES; i++)
    entry[i] = (hk_force_entry){.dof = dof_of(space, i % 30, i % 2), .coefficient = 0.01 * (i + 1)};
  HK_TRY(hk_force_rows_build(entry, FORCES, &excitation->motion, &excitation->force));
cleanup:
  return status;
}

/* Their displacements and velocities are work of one group beside that of the forces; without damping there are too many for that. */
static int rows_of(bool damped)
{
  return damped ? 7 : RECEIVERS;
}

/* Two entries in a row, or many; some where forces and motions act. */
static hk_status make_receivers(const hk_space *space, int rows, hk_sparse *receivers)
{
  hk_status status = HK_OK;
  receivers->rows = rows;
  HK_TRY(hk_get(&receivers->begin, rows + 1));
  HK_TRY(hk_get(&receivers->dof, ENTRIES * rows));
  HK_TRY(hk_get(&receivers->weight, ENTRIES * rows));
  for (int r = 0; r < rows; r++) {
    const int first = receivers->begin[r], entries = r % 3 == 2 ? ENTRIES : 2;
    receivers->begin[r + 1] = first + entries;
    for (int k = 0; k < entries; k++) {
      receivers->dof[first + k] = dof_of(space, 7 * r + k, r % 2);
      receivers->weight[first + k] = k ? 0.25 / (entries - 1) : 0.75;
    }
  }
cleanup:
  return status;
}

/* On every fifth node of the mesh, forces and motions or not. */
static hk_status make_dashpots(const hk_space *space, const double *mass, double dt,
                               hk_dashpots *out)
{
  hk_status status = HK_OK;
  const int dim = space->components;
  HK_TRY(hk_get(&out->node, space->nodes));
  HK_TRY(hk_get(&out->c, (hk_count)space->nodes * dim * dim));
  for (hk_index i = 0; i < space->padded; i++) {
    if (space->mesh_node[i] < 0 || space->mesh_node[i] % 5) continue;
    for (int k = 0; k < dim * dim; k++)
      out->c[out->count * dim * dim + k] = (k % (dim + 1) ? 0.02 : 0.1) * mass[i] / dt;
    out->node[out->count++] = i;
  }
cleanup:
  return status;
}

static void find_mass(const run *r, const body *b, double *mass, double *dt)
{
  double *nodal = NULL, omega;
  hk_index guilty;
  ok(hk_get(&nodal, b->mesh->node_count));
  ok(hk_mass_lumped(b->mesh, b->region, b->element_region, nodal));
  hk_space_to_internal(r->space, 1, nodal, mass);
  ok(hk_element_bound(b->mesh, b->region, b->element_region, &omega, &guilty));
  *dt = 1.8 / omega;
  hk_free(&nodal);
}

/* Half of the steps, a state saved and restored in a new solver, the other half; samples as they come. */
static void solve(const body *b, hk_device *device, const char *method, bool real, bool damped,
                  record *out)
{
  const int rows = rows_of(damped);
  const hk_receiver_group receiver_group[2] = {
      {.rows = rows, .kind = HK_RECEIVER_DISPLACEMENT, .every = 1},
      {.rows = rows, .kind = HK_RECEIVER_VELOCITY, .every = 10}};
  run r;
  hk_excitation excitation;
  hk_sparse receivers = {0};
  hk_dashpots dashpots = {0};
  hk_explicit *solver = NULL;
  double *mass = NULL, *damping = NULL, *internal = NULL, dt;
  ok(run_create(&r, b, device, method, real));
  ok(make_excitation(r.space, &excitation));
  ok(make_receivers(r.space, rows, &receivers));
  ok(hk_get(&mass, r.space->padded));
  ok(hk_get(&damping, r.space->padded));
  ok(hk_get(&internal, r.dofs));
  find_mass(&r, b, mass, &dt);
  if (damped) ok(make_dashpots(r.space, mass, dt, &dashpots));
  for (hk_index i = 0; i < r.space->padded; i++) damping[i] = 0.05;
  ok(hk_explicit_create(&(hk_explicit_desc){.op = r.op,
                                            .dt = dt,
                                            .steps = STEPS,
                                            .mass = mass,
                                            .damping = damped ? damping : NULL,
                                            .dashpots = &dashpots,
                                            .excitation = &excitation,
                                            .receivers = &receivers,
                                            .receiver_group = receiver_group,
                                            .group_count = 2},
                        &solver));
  ok(hk_explicit_start(solver, NULL, NULL));
  memset(out->trace_count, 0, sizeof out->trace_count);
  for (hk_count n = 100; n <= STEPS; n += 100) {
    ok(hk_explicit_advance(solver, n - 1));
    ok(hk_explicit_energy_step(solver, &out->energy));
    if (n == STEPS) ok(hk_explicit_finish(solver));
    if (n == 500) {
      void *state = NULL;
      ok(hk_memory_get(&state, hk_explicit_state_bytes(solver, true), 1));
      ok(hk_explicit_save(solver, state));
      ok(hk_explicit_advance(solver, n + 50));
      ok(hk_explicit_restore(solver, n, true, state));
      hk_memory_free(&state);
    }
    for (int w = 0; w < 2; w++) {
      const hk_count ready = hk_explicit_complete(solver, w), first = out->trace_count[w];
      ok(hk_explicit_samples(solver, w, first, ready - first, out->trace[w] + first * rows));
      out->trace_count[w] = ready;
    }
  }
  ok(hk_explicit_read(solver, 0, HK_STATE_DISPLACEMENT, internal));
  ok(hk_get(&out->field, b->mesh->node_count * b->mesh->dim));
  hk_space_from_internal(r.space, r.space->components, internal, out->field);
  hk_explicit_destroy(&solver);
  hk_excitation_clear(&excitation);
  hk_sparse_clear(&receivers);
  hk_dashpots_clear(&dashpots);
  hk_free(&mass);
  hk_free(&damping);
  hk_free(&internal);
  run_destroy(&r);
}

static record expected, got;

/* The largest difference of fields, traces and energies from `expected`, of their peaks. */
static double distance(const body *b, bool damped)
{
  double error = difference_of(got.field, expected.field, b->mesh->node_count * b->mesh->dim);
  for (int w = 0; w < 2; w++) {
    assert_true(got.trace_count[w] == (w ? STEPS / 10 : STEPS) + 1);
    assert_true(got.trace_count[w] == expected.trace_count[w]);
    error = hk_larger(error, difference_of(got.trace[w], expected.trace[w],
                                           got.trace_count[w] * rows_of(damped)));
  }
  const hk_energy *x = &got.energy, *y = &expected.energy;
  error = hk_larger(error, fabs(x->kinetic + x->strain - y->kinetic - y->strain) / y->work);
  error = hk_larger(error, fabs(x->work - y->work) / y->work);
  return hk_larger(error, fabs(x->damping - y->damping) / y->work);
}

static double distance_of(const body *b, hk_device *device, const char *method, bool real,
                          bool damped)
{
  solve(b, device, method, real, damped, &got);
  const double error = distance(b, damped);
  hk_free(&got.field);
  return error;
}

/* What single precision loses on the host; of packed numbers, what it loses without packing them. */
static double rounding_of(const body *b, hk_device *host, const char *method, bool damped)
{
  const char *plain = strcmp(method, "edges-packed") ? method : "edges";
  solve(b, host, plain, true, damped, &expected);
  const double error = distance_of(b, host, plain, false, damped);
  hk_free(&expected.field);
  return error;
}

static void compare(const char *name, const body *b, hk_device *device, const char *method,
                    bool real, bool damped)
{
  hk_device *host = NULL;
  ok(hk_device_open("cpu", 2, &host));
  const double allowed = real ? 1e-12 : 3 * rounding_of(b, host, method, damped);
  solve(b, host, method, real, damped, &expected);
  const double error = distance_of(b, device, method, real, damped);
  print_message("%s %s %s %s: %.1e of %.1e\n", name, method, real ? "double" : "single",
                damped ? "damped" : "", error, allowed);
  if (!(allowed <= 1e-3 && error <= allowed))
    fail_msg("error %.2e; allowed is %.2e", error, allowed);
  hk_free(&expected.field);
  hk_device_close(&host);
}

/* fields, traces and energies after 1000 steps with forces, motions, receivers, a restart: as on the host to 1e-12 of the peak in double; in
 * single to three times what rounding leaves on the host */
static void same_run(void **state)
{
  char name[16];
  body flat, solid;
  int k = 1;
  (void)state;
  layers_create(&flat, HK_TRI3, false);
  layers_create(&solid, HK_TET4, true);
  for (; hk_device_list(&(hk_device_desc){0}, k, name); k++) {
    hk_device *device = NULL;
    ok(hk_device_open(name, 2, &device));
    const bool slow = hk_device_describe(device)->unoptimised;
    compare(name, &flat, device, "edges", true, true);
    compare(name, &flat, device, "matrix-free", false, false);
    compare(name, &flat, device, "blocks", true, true);
    compare(name, &flat, device, "blocks", false, false);
    for (int m = 0; hk_operator_name(m) && !slow; m++)
      for (int i = 0; i < 4 && serves(hk_operator_name(m), HK_TET4); i++)
        compare(name, &solid, device, hk_operator_name(m), i / 2, i % 2);
    hk_device_close(&device);
  }
  if (k == 1) print_message("skipped: no device beside the host\n");
  body_destroy(&flat);
  body_destroy(&solid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
