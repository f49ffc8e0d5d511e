/* Steps in single precision beside the same steps in double, as in section 4.1 of Carrascal-Manzanares et al. (2017): the largest difference at a
 * node of the time step, over the largest value of the time step in double. The mesh is curved, the step 0.9 of the limit, and both states of
 * single precision are measured. */
#include "sem/sem.h"
#include "run/explicit/problem.h"
#include <math.h>

enum { NODES = 3000, CHECKS = 2, PRECISION_CASES = 3 };
static const hk_count steps_at[CHECKS] = {500, 5000};

static const struct {
  const char *state;
  bool real, positions;
} cases[PRECISION_CASES] = {
    {NULL, true, true}, {"increments", false, false}, {"positions", false, true}};

/* u[check][node][component] of the mesh */
static hk_status advance(const hk_sem_body *b, double dt, bool positions, double *u)
{
  hk_status status = HK_OK;
  hk_explicit *solver = NULL;
  hk_excitation excitation = {0};
  double *wave = NULL, *inner = NULL;
  const int d = b->space->components;
  HK_TRY(hk_sem_body_wave(b, &wave));
  HK_TRY(hk_get(&inner, (hk_count)b->space->padded * d));
  HK_TRY(hk_force_rows_build(NULL, 0, &excitation.motion, &excitation.force));
  HK_TRY(hk_explicit_create(&(hk_explicit_desc){.op = b->op,
                                                .dt = dt,
                                                .steps = steps_at[CHECKS - 1],
                                                .mass = b->mass,
                                                .excitation = &excitation,
                                                .positions = positions},
                            &solver));
  HK_TRY(hk_explicit_start(solver, wave, NULL));
  for (int k = 0; k < CHECKS; k++) {
    HK_TRY(hk_explicit_advance(solver, steps_at[k]));
    HK_TRY(hk_explicit_read(solver, 0, HK_STATE_DISPLACEMENT, inner));
    hk_space_from_internal(b->space, d, inner, u + k * b->mesh->node_count * d);
  }
cleanup:
  hk_free(&wave);
  hk_free(&inner);
  hk_explicit_destroy(&solver);
  hk_excitation_clear(&excitation);
  return status;
}

static hk_status find_step(const hk_sem_body *b, double *dt)
{
  hk_index none = 0;
  double omega;
  bool converged;
  HK_PASS(hk_largest_frequency(b->op, b->mass, &(hk_sparse){.begin = &none},
                               HK_FREQUENCY_ITERATIONS, HK_FREQUENCY_OF_LIMIT, &omega, &converged));
  *dt = 0.9 * 2 / omega;
  return HK_OK;
}

static void add_row(const hk_sem_body *b, const char *state, hk_count steps, const double *single,
                    const double *real)
{
  double most = 0, error = 0;
  for (hk_count i = 0; i < b->mesh->node_count * b->space->components; i++) {
    most = fmax(most, fabs(real[i]));
    if (!(fabs(single[i] - real[i]) <= error)) error = fabs(single[i] - real[i]);
  }
  json_t *row = hk_sem_row(b, "precision", state);
  hk_bench_set_integer(row, "steps", steps);
  hk_bench_set(row, "error", error / most);
  hk_bench_add(b->job, row);
}

static hk_status measure_order(hk_sem_body *b)
{
  hk_status status = HK_OK;
  double *u[2] = {0}, dt = 0;
  HK_TRY(hk_sem_body_create(b->job->scale * NODES, b));
  hk_bench_say(b->job, "%dD, order %d: single and double, %s", b->dim, b->order,
               b->fluid ? "acoustic" : "elastic");
  const hk_count part = b->mesh->node_count * (b->fluid ? 1 : b->dim);
  for (int k = 0; k < 2; k++) HK_TRY(hk_get(&u[k], CHECKS * part));
  for (int k = 0; k < PRECISION_CASES; k++) {
    HK_TRY(hk_sem_body_assemble(HK_MAP_CURVED, cases[k].real, NULL, b));
    if (!k) HK_TRY(find_step(b, &dt));
    HK_TRY(advance(b, dt, cases[k].positions, u[k > 0]));
    for (int c = 0; k && c < CHECKS; c++)
      add_row(b, cases[k].state, steps_at[c], u[1] + c * part, u[0] + c * part);
  }
cleanup:
  for (int k = 0; k < 2; k++) hk_free(&u[k]);
  return status;
}

hk_status hk_sem_precision(hk_bench_job *job, hk_device *device, int place,
                           const hk_sem_wanted *wanted)
{
  return hk_sem_each_order(job, device, place, wanted, measure_order);
}
