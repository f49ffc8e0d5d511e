/* Transient heat conduction, rho c dT/dt + K T = f, and coupled equations, M du/dt + K u = f, by steps theta of fixed length (A.21), (A.22):
 *   (K + M / (theta dt)) t = f + M t0 / (theta dt),   t1 = t0 + (t - t0) / theta
 * with loads, sinks and films as they are at t0 + theta dt, prescribed temperatures at t1, and t = theta t1 + (1 - theta) t0. M, consistent or
 * lumped, is a reaction rho c / (theta dt) of the materials (E.5), (E.12), so K + M / (theta dt) is one operator of any form, which is made anew
 * only where theta dt or the films differ; a second one with M alone multiplies t0. */
#include "run/static/static.h"
#include <math.h>
#include "solver/linear/product.h"
#include <string.h>

static const hk_step *step_of(const hk_static *s)
{
  return &s->on.model->step[s->step];
}

double hk_transient_storage(const hk_static *s)
{
  const double theta = hk_static_theta(s, s->step);
  return theta > 0 ? 1 / (theta * hk_static_dt(step_of(s))) : 0;
}

/* An iteration was chosen for equations that need none. */
static void tell_linear(const hk_static *s)
{
  const hk_static_how *how = &s->on.model->solve.how;
  const hk_place place = s->on.model->step[0].place;
  if (how->newton || how->nonlinear_tolerance > 0 || how->nonlinear_iterations > 0)
    hk_messages_add(s->on.list, HK_NOTE, place.file, place.line, 0,
                    "nonlinear changes nothing: no constant depends on the temperature");
}

hk_status hk_transient_begin(hk_static *s)
{
  hk_status status = HK_OK;
  hk_transient *time = &s->time;
  const hk_acts_on on = {.model = s->on.model, .list = s->on.list, .space = s->on.space};
  double *initial = NULL;
  HK_TRY(hk_pool_get(&s->pool, &time->t, s->vector.all));
  HK_TRY(hk_pool_get(&s->pool, &time->start, s->vector.all));
  HK_TRY(hk_acts_begin(&on, HK_MOVE_DISPLACEMENT, NULL, &initial));
  if (initial) memcpy(time->t, initial, (size_t)s->vector.dofs * sizeof *initial);
  if (hk_static_depends(s)) {
    if (!initial) HK_TRY(hk_static_guess(s));
    HK_TRY(hk_pool_get(&s->pool, &time->last, s->vector.dofs));
    HK_TRY(hk_pool_get(&s->pool, &time->load, s->vector.dofs));
    HK_TRY(hk_pool_get(&s->pool, &time->change, s->vector.dofs));
    memcpy(time->last, time->t, (size_t)s->vector.dofs * sizeof *time->last);
    time->warm.t = time->last, time->warm.newton = s->on.model->solve.how.newton;
    if (time->warm.newton) HK_TRY(hk_static_find_feedback(s));
    s->on.warm = &time->warm;
  } else
    tell_linear(s);
  if (!hk_model_marches(s->on.model)) goto cleanup;
  HK_TRY(hk_pool_get(&s->pool, &time->region, s->on.model->region_count));
  HK_TRY(hk_pool_get(&s->pool, &time->alone, s->on.model->region_count));
  HK_TRY(hk_pool_get(&s->pool, &time->before, s->vector.dofs));
  HK_TRY(hk_pool_get(&s->pool, &time->rate, s->vector.dofs));
cleanup:
  hk_free(&initial);
  return status;
}

/* rho c of the region times the factor, as a reaction; its table stays. */
static void add_storage(const hk_material *m, double factor, bool lumped, hk_material *to)
{
  const double storage = m->density * m->specific_heat * factor;
  if (lumped)
    to->lumped = storage;
  else
    to->stored = storage;
}

hk_status hk_transient_take(hk_static *s)
{
  hk_transient *time = &s->time;
  const hk_model *model = s->on.model;
  time->in_k = hk_transient_storage(s), time->lumped = step_of(s)->lumped;
  for (int r = 0; time->region && r < model->region_count; r++) {
    time->region[r] = model->region[r];
    if (time->in_k > 0 && hk_static_coupled(s))
      time->region[r].material.stored = time->in_k;
    else if (time->in_k > 0)
      add_storage(&model->region[r].material, time->in_k, time->lumped, &time->region[r].material);
  }
  s->on.region = time->region;
  return HK_OK;
}

/* Of coupled equations: their capacity times 1 / (theta dt), as terms of its own. */
static hk_status take_capacity(hk_static *s, hk_material *m)
{
  hk_coupled *alone;
  if (!m->coupled) return HK_OK;
  HK_PASS(hk_pool_few(&s->pool, &alone, 1));
  *alone = hk_coupled_capacity(m->coupled);
  m->coupled = alone, m->stored = s->time.in_k;
  return HK_OK;
}

hk_status hk_transient_make_capacity(hk_static *s)
{
  hk_transient *time = &s->time;
  const hk_model *model = s->on.model;
  hk_operator_desc desc = hk_discretisation_desc(&s->on);
  hk_operator_destroy(&time->capacity);
  if (!(time->in_k > 0)) return HK_OK;
  for (int r = 0; r < model->region_count; r++) {
    hk_material *m = &time->alone[r].material;
    time->alone[r] = model->region[r];
    if (hk_static_coupled(s)) {
      HK_PASS(take_capacity(s, m));
      continue;
    }
    memset(m->conductivity, 0, sizeof m->conductivity);
    m->by[HK_BY_CONDUCTIVITY] = m->by[HK_BY_REACTION] = NULL, m->reaction = 0;
    time->alone[r].varies =
        m->by[HK_BY_SPECIFIC_HEAT] != NULL || time->alone[r].plane == HK_AXISYMMETRIC;
    add_storage(&model->region[r].material, time->in_k, time->lumped, m);
  }
  desc.region = time->alone, desc.terms = (hk_operator_terms){0};
  HK_PASS(hk_operator_create(s->on.kind, &desc, &time->capacity));
  return hk_operator_bind(time->capacity, HK_FORM_STORE, false, 1);
}

hk_status hk_transient_store(hk_static *s)
{
  hk_transient *time = &s->time;
  if (!(time->in_k > 0)) return HK_OK;
  HK_PASS(hk_product(time->capacity, s->on.in, s->on.out, time->t, time->before));
  for (hk_count i = 0; i < s->vector.dofs; i++) s->vector.f[i] += time->before[i];
  return HK_OK;
}

hk_status hk_transient_release(hk_static *s)
{
  hk_step_vectors *v = &s->vector;
  hk_transient *time = &s->time;
  if (!(time->in_k > 0)) return HK_OK;
  HK_PASS(hk_product(time->capacity, s->on.in, s->on.out, v->u, time->rate));
  for (hk_count i = 0; i < v->dofs; i++) {
    time->rate[i] -= time->before[i];
    v->f[i] -= time->before[i], v->ku[i] -= time->before[i];
  }
  return HK_OK;
}

void hk_transient_advance(hk_static *s)
{
  const hk_step *step = step_of(s);
  const hk_step_vectors *v = &s->vector;
  hk_transient *time = &s->time;
  const bool moves = time->in_k > 0;
  const double dt = moves ? hk_static_dt(step) : 0, theta = moves ? step->theta : 1;
  time->sums.counted = time->sums.counted || (moves && hk_static_heats(s));
  for (hk_count i = 0; moves && i < v->dofs; i++) {
    time->sums.stored += dt * time->rate[i];
    time->sums.supplied += dt * v->f[i];
    time->sums.held += dt * (v->ku[i] - v->f[i]);
    time->sums.exchanged += dt * v->right[i];
  }
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < v->dofs; i++) time->t[i] += (v->u[i] - time->t[i]) / theta;
  for (hk_count i = v->dofs; i < v->all; i++) time->t[i] = v->u[i];
}

double hk_heat_open(const hk_heat_sums *sums)
{
  return sums->stored - (sums->supplied + sums->held - sums->exchanged);
}

void hk_transient_warn(const hk_static *s)
{
  const hk_heat_sums *sums = &s->time.sums;
  const double few = 1e-3, open = fabs(hk_heat_open(sums)),
               most = fmax(fmax(fabs(sums->stored), fabs(sums->supplied)),
                           fmax(fabs(sums->held), fabs(sums->exchanged)));
  if (sums->counted && open > few * most)
    hk_messages_add(s->on.list, HK_WARNING, s->on.model->path, 0, 0,
                    "the heat of this run is not balanced: %.2g of its largest part is missing; "
                    "give %s",
                    open / most,
                    s->on.double_precision ? "a smaller tolerance" : "double precision");
}

void hk_transient_conducted(hk_static *s)
{
  for (hk_count i = 0; s->time.in_k > 0 && i < s->vector.dofs; i++)
    s->vector.ku[i] -= s->time.rate[i];
}

void hk_transient_clear(hk_transient *time)
{
  hk_operator_destroy(&time->capacity);
}
