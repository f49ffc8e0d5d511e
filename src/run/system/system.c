/* The discrete system of a model in the numbers of the mesh: K u by its form on the device, mass,
 * constraints, load, largest frequency (W.10, W.13) and the right side T^T (f - K offset) of (A.2).
 * What differs between analyses is in a table of functions (parts.h), which the model's analysis
 * names. */
#include "run/explicit/problem.h"
#include "run/system/parts.h"
#include "solver/linear/product.h"
#include <omp.h>
#include <string.h>

hk_status hk_system_check(const hk_system *system)
{
  hk_messages_renew(system->session.list);
  if (system->step >= 0) return HK_OK;
  return hk_error_set(HK_USAGE, "no step was taken: hk_system_take failed before");
}

static hk_status create(hk_system *y)
{
  HK_PASS(y->kind->create(y));
  HK_PASS(hk_narrow(hk_system_dofs(y), "the number of degrees of freedom", &(hk_index){0}));
  HK_PASS(hk_pool_get(&y->pool, &y->load, hk_system_dofs(y)));
  HK_PASS(hk_pool_get(&y->pool, &y->u, hk_discretisation_dofs(y->on)));
  HK_PASS(hk_pool_get(&y->pool, &y->ku, hk_discretisation_dofs(y->on)));
  return hk_system_take(y, 0, 0);
}

hk_status hk_system_create(const hk_model *model, const hk_run_desc *how, hk_messages *list,
                           hk_system **out)
{
  hk_status status = HK_OK;
  hk_system *y = NULL;
  hk_messages_renew(list);
  HK_TRY(hk_new(&y));
  y->kind = hk_analysis_of_model(model)->system;
  y->step = -1;
  if (how) y->how = *how;
  if (y->how.precision != HK_SINGLE) y->how.precision = HK_DOUBLE;
  y->session = (hk_session){.model = model, .desc = &y->how, .list = list, .start = hk_seconds()};
  HK_TRY(create(y));
  /* the caller's texts are read no more */
  y->how.output = y->how.device = y->how.toolkit = y->how.cache = y->how.blocks = NULL;
  *out = y, y = NULL;
cleanup:
  hk_system_destroy(&y);
  return status;
}

void hk_system_destroy(hk_system **system)
{
  hk_system *y = *system;
  if (!y) return;
  y->kind->destroy(y);
  hk_constraints_clear(&y->held);
  hk_pool_clear(&y->pool);
  hk_free(system);
}

const hk_mesh *hk_system_mesh(const hk_system *y)
{
  return y->session.model->mesh;
}

int hk_system_components(const hk_system *y)
{
  return y->on->space->components;
}

hk_count hk_system_dofs(const hk_system *y)
{
  return y->session.model->mesh->node_count * y->on->space->components;
}

const char *hk_system_form(const hk_system *y)
{
  return y->on->kind->name;
}

bool hk_system_symmetric(const hk_system *y)
{
  return !y->on->op->unsymmetric;
}

hk_held hk_system_held(const hk_system *y)
{
  const hk_constraints *c = &y->held;
  return (hk_held){.count = c->count,
                   .dof = c->dof,
                   .begin = c->begin,
                   .master = c->master,
                   .weight = c->weight,
                   .offset = c->offset};
}

const double *hk_system_load(const hk_system *y)
{
  return y->load;
}

double hk_system_time_step(const hk_system *y)
{
  return y->kind->time_step ? y->kind->time_step(y) : 0;
}

hk_status hk_system_take(hk_system *y, int step, double time)
{
  hk_status status = HK_OK;
  const int threads = hk_discretisation_threads(y->on), steps = y->session.model->step_count;
  hk_messages_renew(y->session.list);
  HK_CHECK(step >= 0 && step < steps, HK_USAGE, "there is no step %d: there are %d, counted from 0",
           step, steps);
  HK_CHECK(time >= 0, HK_USAGE, "a time of %g: must be 0 or above", time);
  HK_TRY(y->kind->take(y, step, time));
cleanup:
  y->takes++;
  y->step = status == HK_OK ? step : -1;
  omp_set_num_threads(threads);
  return status;
}

hk_status hk_system_apply(hk_system *y, const double *u, double *ku)
{
  const hk_space *space = y->on->space;
  HK_PASS(hk_system_check(y));
  hk_space_to_internal(space, space->components, u, y->u);
  HK_PASS(hk_product(y->on->op, y->on->in, y->on->out, y->u, y->ku));
  hk_space_from_internal(space, space->components, y->ku, ku);
  return HK_OK;
}

hk_status hk_system_mass(hk_system *y, double *m)
{
  hk_status status = HK_OK;
  const hk_space *space = y->on->space;
  const int components = space->components, threads = hk_discretisation_threads(y->on);
  double *mass = NULL;
  HK_TRY(hk_get(&mass, space->padded));
  HK_TRY(y->kind->mass(y, mass));
  for (hk_index i = 0; i < space->padded; i++)
    for (int c = 0; c < components; c++) y->u[(hk_count)i * components + c] = mass[i];
  hk_space_from_internal(space, components, y->u, m);
cleanup:
  hk_free(&mass);
  omp_set_num_threads(threads);
  return status;
}

hk_status hk_system_frequency(hk_system *y, double *omega)
{
  hk_status status = HK_OK;
  const int threads = hk_discretisation_threads(y->on);
  double *mass = NULL;
  bool converged;
  HK_TRY(hk_system_check(y));
  HK_TRY(hk_get(&mass, y->on->space->padded));
  HK_TRY(y->kind->mass(y, mass));
  HK_TRY(hk_largest_frequency(y->on->op, mass, y->kind->moving(y), HK_FREQUENCY_ITERATIONS,
                              HK_FREQUENCY_OF_LIMIT, omega, &converged));
  HK_CHECK(converged, HK_NOT_CONVERGED,
           "the iteration for the largest frequency has not converged in %d steps: it is at %.9g",
           HK_FREQUENCY_ITERATIONS, *omega);
cleanup:
  hk_free(&mass);
  omp_set_num_threads(threads);
  return status;
}

hk_status hk_system_right(hk_system *y, double *b)
{
  hk_status status = HK_OK;
  double *u = NULL;
  bool moved = false;
  HK_TRY(hk_system_check(y));
  HK_TRY(hk_get(&u, hk_system_dofs(y)));
  for (hk_index i = 0; i < y->held.count; i++) {
    u[y->held.dof[i]] = y->held.offset[i];
    moved = moved || y->held.offset[i] != 0;
  }
  memset(b, 0, (size_t)hk_system_dofs(y) * sizeof *b);
  if (moved) HK_TRY(hk_system_apply(y, u, b));
  for (hk_count i = 0; i < hk_system_dofs(y); i++) b[i] = y->load[i] - b[i];
  hk_constraints_transpose(&y->held, b);
cleanup:
  hk_free(&u);
  return status;
}

void hk_system_fill(const hk_system *y, double *u)
{
  hk_constraints_apply(&y->held, u);
}

hk_status hk_system_solve(hk_system *y, double *u)
{
  hk_status status = HK_OK;
  const int threads = hk_discretisation_threads(y->on);
  HK_CHECK(y->kind->solve, HK_USAGE, "an explicit step is not solved at once: hk_run steps it");
  HK_TRY(hk_system_check(y));
  HK_TRY(y->kind->solve(y, u));
  hk_system_fill(y, u);
cleanup:
  omp_set_num_threads(threads);
  return status;
}
