/* The discrete system of a model: what hk_static and hk_problem are made of, in the numbers of the mesh. */
#include "run/explicit/dt.h"
#include "run/system/parts.h"
#include "operator/element/element_matrix.h"
#include "solver/linear/product.h"
#include <omp.h>
#include <string.h>

hk_operator *hk_system_operator(const hk_system *system)
{
  return system->still ? system->s.op : system->problem->op;
}

static hk_device *device_of(const hk_system *system)
{
  return system->still ? system->s.device : system->problem->device;
}

int hk_system_threads(const hk_system *system)
{
  const int before = omp_get_max_threads();
  omp_set_num_threads(hk_device_describe(device_of(system))->threads);
  return before;
}

hk_status hk_system_check(const hk_system *system)
{
  hk_messages_renew(system->session.list);
  if (system->step >= 0) return HK_OK;
  return hk_error_set(HK_USAGE, "no step was taken: hk_system_take failed before");
}

static hk_status prepare_static(hk_system *y)
{
  hk_status status = HK_OK;
  y->s = (hk_static){.session = &y->session, .model = y->model, .list = y->session.list};
  HK_TRY(hk_static_prepare(&y->s));
  HK_TRY(hk_static_vectors(&y->s));
  y->space = y->s.space;
cleanup:
  return status;
}

static hk_status prepare_problem(hk_system *y)
{
  hk_status status = HK_OK;
  HK_CHECK(!y->model->media.fluid || !y->model->media.solid, HK_BAD_INPUT,
           "%s: a fluid beside a solid has no system of its own: its unknowns differ from node to "
           "node",
           y->model->path);
  HK_TRY(hk_problem_create(y->model, &y->how, y->session.list, &y->problem));
  y->space = y->problem->space;
  const hk_count bytes =
      (hk_count)y->space->padded * y->space->components * (y->problem->double_precision ? 8 : 4);
  HK_TRY(hk_buffer_create(y->problem->device, bytes, &y->in));
  HK_TRY(hk_buffer_create(y->problem->device, bytes, &y->out));
cleanup:
  return status;
}

static hk_status create(hk_system *y)
{
  hk_status status = HK_OK;
  HK_TRY(y->still ? prepare_static(y) : prepare_problem(y));
  HK_TRY(hk_narrow(hk_system_dofs(y), "the number of degrees of freedom", &(hk_index){0}));
  HK_TRY(hk_get(&y->load, hk_system_dofs(y)));
  HK_TRY(hk_get(&y->u, (hk_count)y->space->padded * y->space->components));
  HK_TRY(hk_get(&y->ku, (hk_count)y->space->padded * y->space->components));
  HK_TRY(hk_system_take(y, 0, 0));
cleanup:
  return status;
}

hk_status hk_system_create(const hk_model *model, const hk_run_desc *how, hk_messages *list,
                           hk_system **out)
{
  hk_status status = HK_OK;
  hk_system *y = NULL;
  hk_messages_renew(list);
  HK_TRY(hk_new(&y));
  y->model = model, y->still = hk_model_is_static(model);
  y->step = y->solved = -1;
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
  if (y->still) hk_static_clear(&y->s);
  hk_stage_clear(&y->stage);
  hk_buffer_destroy(&y->in);
  hk_buffer_destroy(&y->out);
  hk_problem_destroy(&y->problem);
  hk_constraints_clear(&y->held);
  hk_free(&y->load);
  hk_free(&y->u);
  hk_free(&y->ku);
  hk_free(system);
}

const hk_mesh *hk_system_mesh(const hk_system *y)
{
  return y->model->mesh;
}

int hk_system_components(const hk_system *y)
{
  return y->space->components;
}

hk_count hk_system_dofs(const hk_system *y)
{
  return y->model->mesh->node_count * y->space->components;
}

const char *hk_system_form(const hk_system *y)
{
  return y->still ? y->s.kind->name : y->problem->kind->name;
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
  return y->still ? 0 : y->stage.dt;
}

static double start_of(const hk_model *model, int step)
{
  double start = 0;
  for (int k = 0; k < step; k++) start += model->step[k].duration;
  return start;
}

/* Steps that hold what the one before left need that. */
static hk_status check_frozen(const hk_system *y, int step)
{
  const hk_step *of = &y->model->step[step];
  for (int m = 0; m < of->motion_count; m++)
    if (of->motion[m].frozen && y->solved != step - 1 && y->solved != step)
      return hk_error_set(
          HK_USAGE, "step %d starts from the result of the one before it: solve that one first",
          step + 1);
  return HK_OK;
}

static hk_status take_static(hk_system *y, int step)
{
  hk_status status = HK_OK;
  const double start = start_of(y->model, step);
  HK_TRY(check_frozen(y, step));
  HK_TRY(hk_static_hold(&y->s, step, start));
  HK_TRY(hk_static_load(&y->s, step, start));
  HK_TRY(hk_static_assemble(&y->s));
  y->s.total_time = start + y->model->step[step].duration;
cleanup:
  return status;
}

static hk_status take_explicit(hk_system *y, int step, bool anew)
{
  hk_status status = HK_OK;
  hk_operator *op = y->problem->op;
  if (!anew) return HK_OK;
  hk_stage_clear(&y->stage);
  y->stage = (hk_stage){0};
  HK_TRY(
      hk_stage_create(y->problem, step, start_of(y->model, step), 0, y->session.list, &y->stage));
  HK_TRY(hk_operator_bind(op, HK_FORM_STORE, false, 1));
cleanup:
  return status;
}

hk_status hk_system_take(hk_system *y, int step, double time)
{
  hk_status status = HK_OK;
  const int threads = hk_system_threads(y), before = y->step;
  y->step = -1;
  hk_messages_renew(y->session.list);
  HK_CHECK(step >= 0 && step < y->model->step_count, HK_USAGE,
           "there is no step %d: there are %d, counted from 0", step, y->model->step_count);
  HK_CHECK(time >= 0, HK_USAGE, "a time of %g: must be 0 or above", time);
  HK_TRY(y->still ? take_static(y, step) : take_explicit(y, step, step != before));
  HK_TRY(hk_system_hold(y, time));
  y->step = step;
cleanup:
  omp_set_num_threads(threads);
  return status;
}

hk_status hk_system_apply(hk_system *y, const double *u, double *ku)
{
  hk_status status = HK_OK;
  HK_TRY(hk_system_check(y));
  hk_space_to_internal(y->space, y->space->components, u, y->u);
  HK_TRY(hk_product(hk_system_operator(y), y->still ? y->s.in : y->in, y->still ? y->s.out : y->out,
                    y->u, y->ku));
  hk_space_from_internal(y->space, y->space->components, y->ku, ku);
cleanup:
  return status;
}

/* mass[padded], internal order; padding 1 */
static hk_status find_mass(hk_system *y, double *mass)
{
  hk_status status = HK_OK;
  const hk_model *model = y->model;
  double *nodal = NULL;
  if (!y->still) {
    memcpy(mass, y->problem->mass, (size_t)y->space->padded * sizeof *mass);
    return HK_OK;
  }
  HK_CHECK(!y->s.heat, HK_BAD_INPUT, "%s: steady heat conduction has no capacity matrix",
           model->path);
  for (int b = 0; b < model->mesh->block_count; b++)
    HK_CHECK(hk_shape_listed(model->mesh->block[b].shape), HK_BAD_INPUT,
             "%s: elements of order p have a lumped mass only in explicit steps", model->path);
  HK_TRY(hk_get(&nodal, model->mesh->node_count));
  HK_TRY(hk_mass_lumped(model->mesh, model->region, model->element_region, nodal));
  hk_space_to_internal(y->space, 1, nodal, mass);
  for (hk_index i = 0; i < y->space->padded; i++)
    if (y->space->mesh_node[i] < 0) mass[i] = 1;
cleanup:
  hk_free(&nodal);
  return status;
}

hk_status hk_system_mass(hk_system *y, double *m)
{
  hk_status status = HK_OK;
  const hk_space *space = y->space;
  const int components = space->components, threads = hk_system_threads(y);
  double *mass = NULL;
  HK_TRY(hk_get(&mass, space->padded));
  HK_TRY(find_mass(y, mass));
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
  const int threads = hk_system_threads(y);
  hk_index none = 0;
  const hk_sparse loose = {.begin = &none};
  double *mass = NULL;
  bool converged;
  HK_TRY(hk_system_check(y));
  HK_TRY(hk_get(&mass, y->space->padded));
  HK_TRY(find_mass(y, mass));
  HK_TRY(hk_largest_frequency(hk_system_operator(y), mass,
                              y->still ? &loose : &y->stage.excitation.motion,
                              HK_FREQUENCY_ITERATIONS, omega, &converged));
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
  const int threads = hk_system_threads(y);
  HK_CHECK(y->still, HK_USAGE, "an explicit step is not solved at once: hk_run steps it");
  HK_TRY(hk_system_check(y));
  HK_TRY(hk_static_check_rigid(&y->s));
  y->solved = -1;
  y->s.result[y->step] = (hk_static_result){0};
  y->s.history_count = 0;
  HK_TRY(hk_static_solve(&y->s));
  y->solved = y->step;
  hk_space_from_internal(y->space, y->space->components, y->s.u, u);
  hk_system_fill(y, u);
cleanup:
  omp_set_num_threads(threads);
  return status;
}
