/* Heat conduction with conductivity, specific heat, reaction, sources and fluxes that depend on temperature, by Picard's iteration (A.23):
 *   K(t_k) and M(t_k) at the points of quadrature on the device, from the last temperatures;   K(t_k) t_k+1 = f
 * It begins from the temperatures before the step or increment, and ends where both the residual of t_k with K(t_k) and the change from t_k-1 are
 * within the tolerance. Newton's method (A.25) asks the tangent for the change, which is not symmetric. A specific heat that depends on temperature is
 * taken with its slope in both (A.26). Where the residual of these grows the change is halved. Else, where tables are steep t_k+1 is taken in part. The pattern of K stays; assembled forms get new values, others are made anew. */
#include "operator/assembly/assembled.h"
#include "operator/list.h"
#include "run/static/static.h"
#include "solver/linear/product.h"
#include <math.h>
#include <string.h>

static const double LEAST = 0.05; /* of Aitken's factors */

static bool loads_depend(const hk_model *model, int step)
{
  const hk_step *of = &model->step[step];
  bool depends = false;
  for (const hk_load *l = of->load; l < of->load + of->load_count; l++)
    depends = depends || hk_formula_warm(l->by) || hk_formula_warm(l->film_by);
  return depends;
}

bool hk_static_depends(const hk_static *s)
{
  const hk_model *model = s->on.model;
  bool depends = false;
  for (int r = 0; hk_static_heats(s) && r < model->region_count; r++)
    depends = depends || hk_material_by_temperature(&model->region[r].material);
  for (int i = 0; hk_static_heats(s) && i < model->step_count; i++)
    depends = depends || loads_depend(model, i);
  return depends;
}

/* K and M of the temperatures in on.t. */
static hk_status renew(hk_static *s)
{
  const int before = hk_clock_begin_top("assemble");
  if (s->on.kind == &hk_operator_assembled) {
    HK_PASS(hk_assembled_refill(s->on.op));
    if (s->time.capacity) HK_PASS(hk_assembled_refill(s->time.capacity));
    hk_clock_end(before);
    return HK_OK;
  }
  hk_linear_destroy(&s->solver.linear); /* it borrows K */
  HK_PASS(hk_discretisation_assemble(&s->on));
  HK_PASS(hk_operator_bind(s->on.op, HK_FORM_STORE, false, 1));
  HK_PASS(hk_transient_make_capacity(s));
  hk_clock_end(before);
  return HK_OK;
}

/* Relative to that of prescribed temperatures and loads alone: the residual of v->u. */
static hk_status find_residual(hk_static *s, const double *u, double *residual)
{
  hk_step_vectors *v = &s->vector;
  const hk_constraints *held = &s->held.own;
  double first;
  memset(v->right, 0, (size_t)v->dofs * sizeof *v->right);
  hk_constraints_apply(held, v->right);
  HK_PASS(hk_residual(s->on.op, held, s->on.in, s->on.out, v->f, v->right, v->ku, &first));
  HK_PASS(hk_residual(s->on.op, held, s->on.in, s->on.out, v->f, u, v->ku, residual));
  *residual = first > 0 ? *residual / first : *residual;
  return HK_OK;
}

/* last += omega (v->u - last), with Aitken's factor (A.24) of this change and the one before, which are in `before` from the second pass on: the first
 * begins beside the prescribed temperatures, and is taken whole. The largest change, over the largest temperature. */
static double take_change(const hk_static *s, int pass, double *omega, double *last, double *before)
{
  const double *u = s->vector.u;
  double change = 0, most = 0, product = 0, square = 0;
  for (hk_count i = 0; i < s->vector.dofs; i++) {
    const double more = u[i] - last[i] - before[i];
    change = hk_larger(change, fabs(u[i] - last[i]));
    most = hk_larger(most, fabs(u[i]));
    product += before[i] * more, square += more * more;
  }
  if (pass >= 2 && square > 0) *omega = fmin(fmax(-*omega * product / square, LEAST), 1);
  for (hk_count i = 0; i < s->vector.dofs; i++) {
    before[i] = u[i] - last[i];
    last[i] += *omega * before[i];
  }
  return most > 0 ? change / most : change;
}

/* Matrices with the tangent of Newton's method (A.25), or with the slope of the enthalpy (A.26), in place of K; and J t_k + f - K t_k, whose solution is
 * t_k+1, in place of f. kind: hk_warmth.tangent or slope. */
static hk_status take_tangent(hk_static *s, bool *kind)
{
  hk_step_vectors *v = &s->vector;
  const double *last = s->time.last;
  const int before = hk_clock_begin_top("assemble");
  HK_PASS(hk_product(s->on.op, s->on.in, s->on.out, last, v->ku));
  for (hk_count i = 0; i < v->dofs; i++) v->f[i] -= v->ku[i];
  *kind = true;
  hk_linear_destroy(&s->solver.linear);
  const hk_status made = s->on.kind == &hk_operator_assembled ? hk_assembled_refill(s->on.op)
                                                              : hk_discretisation_assemble(&s->on);
  *kind = false;
  HK_PASS(made);
  HK_PASS(hk_operator_bind(s->on.op, HK_FORM_STORE, false, 1));
  HK_PASS(hk_product(s->on.op, s->on.in, s->on.out, last, v->ku));
  for (hk_count i = 0; i < v->dofs; i++) v->f[i] += v->ku[i];
  hk_clock_end(before);
  return HK_OK;
}

/* A change of Newton's method that made the residual larger is halved, a few times at most; whether it was. */
static bool halve(const hk_static *s, double before, double now, double *omega)
{
  const hk_transient *time = &s->time;
  if (now <= before || *omega < LEAST) return false;
  *omega /= 2;
  for (hk_count i = 0; i < s->vector.dofs; i++) time->last[i] -= *omega * time->change[i];
  return true;
}

/* What the next matrix has of the derivatives: the tangent, the slope of the enthalpy of a step, or nothing. In the first pass Picard's iteration does not
 * need a good guess; but loads that depend on temperature may send it far away. */
static bool *derivative_of(hk_static *s, int pass)
{
  hk_warmth *warm = &s->time.warm;
  if (warm->newton) return pass > 0 || s->feedback.count > 0 ? &warm->tangent : NULL;
  return pass > 0 && warm->before && s->time.stores ? &warm->slope : NULL;
}

/* A solution that failed where nothing may hold the temperature: the film that is 0 is told in place of the singular matrix. */
static hk_status tell_idle(const hk_static *s, int pass, hk_status solved)
{
  bool warm;
  const hk_load *film = solved == HK_NOT_CONVERGED ? hk_static_idle_film(s, &warm) : NULL;
  if (!film) return solved;
  double least = INFINITY, most = -INFINITY;
  for (hk_count n = 0; n < s->on.model->mesh->node_count; n++) {
    const hk_index at = s->on.space->node[n];
    if (at >= 0) least = fmin(least, s->time.last[at]), most = fmax(most, s->time.last[at]);
  }
  return hk_model_error(
      s->on.model, s->on.list, film->place, HK_NOT_CONVERGED,
      "film: the coefficient %s is 0 on all its faces in nonlinear iteration %d, where "
      "temperatures "
      "are from %.6g to %.6g, so that the matrix is singular: give a coefficient above 0 there, or "
      "a transient step whose initial temperatures are near the solution",
      hk_formula_text(film->film_by), pass + 1, least, most);
}

static hk_status find_next(hk_static *s, int pass, double *omega, hk_status (*solve)(hk_static *s))
{
  bool *const derivative = derivative_of(s, pass);
  hk_static_result *r = &s->result[s->frames.now];
  if (derivative) HK_PASS(take_tangent(s, derivative));
  hk_linear_destroy(&s->solver.linear);
  if (derivative) *derivative = true; /* also of matrices that the solver integrates itself */
  const hk_status solved = solve(s);
  if (derivative) *derivative = false;
  if (solved != HK_OK) return tell_idle(s, pass, solved);
  if (derivative) *omega = 1;
  r->moved = take_change(s, derivative ? 0 : pass, omega, s->time.last, s->time.change);
  r->passes++;
  return HK_OK;
}

/* K, M and f of the last temperatures; *residual of them. f: the part that does not depend on them. */
static hk_status take_last(hk_static *s, const double *f, bool loads, bool first, double *residual)
{
  HK_PASS(renew(s));
  if (loads)
    HK_PASS(hk_static_load(s, hk_model_step_start(s->on.model, s->step)));
  else
    memcpy(s->vector.f, f, (size_t)s->vector.dofs * sizeof *f);
  HK_PASS(hk_transient_store(s));
  return first ? HK_OK : find_residual(s, s->time.last, residual);
}

static bool heat_depends(const hk_model *model)
{
  bool depends = false;
  for (int r = 0; r < model->region_count; r++) {
    const hk_material *m = &model->region[r].material;
    depends = depends || m->at[HK_AT_SPECIFIC_HEAT] || hk_formula_warm(m->by[HK_BY_SPECIFIC_HEAT]);
  }
  return depends;
}

static void begin(hk_static *s, hk_static_result *r)
{
  hk_transient *time = &s->time;
  memcpy(time->load, s->vector.f, (size_t)s->vector.dofs * sizeof *time->load);
  memcpy(time->last, time->t, (size_t)s->vector.dofs * sizeof *time->last);
  time->warm.theta = hk_static_theta(s, s->step);
  time->warm.before = time->in_k > 0 ? time->t : NULL;
  time->stores = heat_depends(s->on.model);
  r->moved = r->open = INFINITY;
}

static double nonlinear_tolerance(const hk_static *s)
{
  const double asked = s->on.model->solve.how.nonlinear_tolerance;
  return asked > 0 ? asked : s->on.double_precision ? 1e-8 : 1e-4;
}

double hk_static_linear_aim(const hk_static *s)
{
  const double share = s->on.double_precision ? 0.01 : 0.1;
  return hk_static_depends(s) ? share * nonlinear_tolerance(s) : 0;
}

hk_status hk_static_iterate(hk_static *s, hk_status (*solve)(hk_static *s))
{
  const hk_static_how *how = &s->on.model->solve.how;
  hk_static_result *r = &s->result[s->frames.now];
  const bool loads = loads_depend(s->on.model, s->step);
  const double tolerance = nonlinear_tolerance(s);
  const int most = how->nonlinear_iterations > 0 ? how->nonlinear_iterations : 100;
  double omega = 1, before = INFINITY;
  begin(s, r);
  if (!(s->time.warm.theta > 0)) HK_PASS(hk_static_guess_films(s));
  for (int pass = 0;; pass++) {
    HK_PASS(take_last(s, s->time.load, loads, pass == 0, &r->open));
    while (pass > 1 && derivative_of(s, pass) && halve(s, before, r->open, &omega))
      HK_PASS(take_last(s, s->time.load, loads, false, &r->open));
    if (r->open <= tolerance && r->moved <= tolerance) break;
    HK_NEED(
        pass < most && !isnan(r->open), HK_NOT_CONVERGED,
        "the temperatures do not converge: after %d nonlinear iterations the relative residual is "
        "%.3g and the change %.3g, above %.3g: give more iterations (nonlinear), shorter time "
        "steps, or tables and formulas that change less abruptly",
        pass, r->open, r->moved, tolerance);
    before = r->open;
    HK_PASS(find_next(s, pass, &omega, solve));
  }
  memcpy(s->vector.u, s->time.last, (size_t)s->vector.dofs * sizeof *s->vector.u);
  return HK_OK;
}
