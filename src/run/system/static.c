/* The system of a static model for hk_system, also of steady heat: K with the films of a step, its
 * constraints and f, made by the functions of run/static/ that a run uses. A step is solved as in a
 * run. A step that holds what the one before left needs the solution of that one. */
#include "operator/element/element_matrix.h"
#include "run/static/static.h"
#include "run/system/parts.h"

typedef struct own {
  hk_static s; /* with K of the step taken */
  int solved;  /* whose solution s.vector.u is; -1: none */
} own;

static hk_status create(hk_system *y)
{
  own *o = NULL;
  HK_PASS(hk_new(&o));
  y->own = o;
  o->s = hk_static_of(&y->session);
  o->solved = -1, o->s.time.stands = true;
  HK_PASS(hk_static_prepare(&o->s));
  HK_PASS(hk_static_vectors(&o->s));
  y->on = &o->s.on;
  if (hk_static_depends(&o->s))
    hk_messages_add(y->session.list, HK_NOTE, NULL, 0, 0,
                    "constants depend on temperature: K and the load are those of the temperatures "
                    "that the iteration begins with, after a solution those of that one");
  return HK_OK;
}

static void destroy(hk_system *y)
{
  own *o = y->own;
  if (o) hk_static_clear(&o->s);
  hk_memory_free(&y->own);
}

/* Steps that hold what the one before left need that. */
static hk_status check_frozen(const own *o, int step)
{
  const hk_step *of = &o->s.on.model->step[step];
  for (int m = 0; m < of->motion_count; m++)
    if (of->motion[m].frozen && o->solved != step - 1 && o->solved != step)
      return hk_error_set(
          HK_USAGE, "step %d starts from the result of the one before it: solve that one first",
          step + 1);
  return HK_OK;
}

static hk_status take(hk_system *y, int step, double time)
{
  own *o = y->own;
  hk_static *s = &o->s;
  const hk_model *model = s->on.model;
  const double start = hk_model_step_start(model, step);
  s->time.at = time; /* of transient steps; signals of others are taken at the end of the step */
  HK_PASS(check_frozen(o, step));
  HK_PASS(hk_static_hold(s, step, start));
  HK_PASS(hk_static_load(s, start));
  HK_PASS(hk_static_assemble(s));
  s->total_time = start + model->step[step].duration;
  HK_PASS(hk_system_merge(y, &s->held.own, &s->held.extras, s->extra.node));
  hk_space_from_internal(s->on.space, s->components, s->vector.f, y->load);
  return HK_OK;
}

/* Of heat the capacity: rho c in place of the density. */
static hk_status regions_of(const hk_static *s, hk_region **region)
{
  const hk_model *model = s->on.model;
  HK_PASS(hk_get(region, model->region_count));
  for (int r = 0; r < model->region_count; r++) {
    (*region)[r] = model->region[r];
    hk_material *m = &(*region)[r].material;
    if (hk_static_heats(s)) m->density *= m->specific_heat, m->fluid = false;
  }
  return HK_OK;
}

/* The capacity is one matrix where no specific heat varies. */
static hk_status check_heat(const hk_model *model)
{
  for (int r = 0; r < model->region_count; r++) {
    const hk_material *m = &model->region[r].material;
    HK_NEED(!m->at[HK_AT_SPECIFIC_HEAT] && !m->by[HK_BY_SPECIFIC_HEAT], HK_BAD_INPUT,
            "%s: the specific heat of material %s varies with the place or the temperature: the "
            "system has no lumped capacity; give a number",
            model->path, m->name ? m->name : model->region[r].name);
  }
  return HK_OK;
}

static hk_status mass(const hk_system *y, double *m)
{
  hk_status status = HK_OK;
  const own *o = y->own;
  const hk_model *model = y->session.model;
  const hk_space *space = y->on->space;
  double *nodal = NULL;
  hk_region *region = NULL;
  HK_CHECK(!hk_static_coupled(&o->s), HK_BAD_INPUT,
           "%s: coupled equations have no lumped mass matrix", model->path);
  HK_CHECK(!hk_static_heats(&o->s) || hk_model_marches(model), HK_BAD_INPUT,
           "%s: steady heat conduction has no capacity matrix", model->path);
  if (hk_static_heats(&o->s)) HK_TRY(check_heat(model));
  for (int b = 0; b < model->mesh->block_count; b++)
    HK_CHECK(hk_shape_listed(model->mesh->block[b].shape), HK_BAD_INPUT,
             "%s: elements of order p have a lumped mass only in explicit steps", model->path);
  HK_TRY(hk_get(&nodal, model->mesh->node_count));
  HK_TRY(regions_of(&o->s, &region));
  HK_TRY(hk_mass_lumped(model->mesh, region, model->element_region, nodal));
  hk_space_to_internal(space, 1, nodal, m);
  for (hk_index i = 0; i < space->padded; i++)
    if (space->mesh_node[i] < 0) m[i] = 1;
cleanup:
  hk_free(&nodal);
  hk_free(&region);
  return status;
}

/* Frequencies are those of the free body. */
static const hk_sparse *moving(const hk_system *y)
{
  static hk_index none = 0;
  static const hk_sparse loose = {.begin = &none};
  (void)y;
  return &loose;
}

static hk_status solve(hk_system *y, double *u)
{
  own *o = y->own;
  hk_static *s = &o->s;
  HK_PASS(hk_static_check_rigid(s));
  o->solved = -1;
  s->frames.now = y->step;
  s->result[y->step] = (hk_static_result){0};
  HK_PASS(hk_static_solve(s));
  o->solved = y->step;
  if (hk_static_depends(s)) /* K and f are of the solution now */
    hk_space_from_internal(s->on.space, s->components, s->vector.f, y->load);
  hk_space_from_internal(y->on->space, s->components, s->vector.u, u);
  return HK_OK;
}

const hk_system_kind hk_system_static = {.create = create,
                                         .destroy = destroy,
                                         .take = take,
                                         .mass = mass,
                                         .moving = moving,
                                         .solve = solve};
