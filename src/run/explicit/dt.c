/* The time step of an explicit stage: 0.95 of the limit 2 / omega (W.10) by the bound of the
 * elements (W.11), reduced so that it divides the intervals of traces or, if none is given, the
 * duration. A given step above that bound is checked against the largest frequency of M^-1/2 K
 * M^-1/2, found by Lanczos iteration with the prescribed motions projected out. The eigenvalues of
 * the tridiagonal matrix come from Sturm sequences and bisection; (W.13) bounds their error. */
#include "run/explicit/problem.h"
#include "model/unit_names.h"
#include <math.h>

/* Number of eigenvalues of the tridiagonal matrix (a, b) below x: Sturm's sequence. */
static int below(const double *a, const double *b, int n, double x)
{
  int count = 0;
  double q = 1;
  for (int i = 0; i < n; i++) {
    q = a[i] - x - (i ? b[i - 1] * b[i - 1] / q : 0);
    if (q == 0) q = 1e-300;
    count += q < 0;
  }
  return count;
}

static double largest_eigenvalue(const double *a, const double *b, int n)
{
  double high = 0, low = 0;
  for (int i = 0; i < n; i++) {
    const double reach = fabs(a[i]) + (i ? fabs(b[i - 1]) : 0) + (i < n - 1 ? fabs(b[i]) : 0);
    if (reach > high) high = reach;
  }
  for (int k = 0; k < 60; k++) {
    const double middle = 0.5 * (low + high);
    if (below(a, b, n, middle) < n)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* Last component of the unit eigenvector of the largest eigenvalue: times b[n - 1] it bounds the error (W.13). */
static double last_component(const double *a, const double *b, int n, double value)
{
  double previous = 0, now = 1, sum = 1;
  for (int i = 0; i + 1 < n; i++) {
    const double next = ((value - a[i]) * now - (i ? b[i - 1] * previous : 0)) / b[i];
    previous = now, now = next, sum += next * next;
    if (sum > 1e200) previous /= 1e100, now /= 1e100, sum /= 1e200;
  }
  return fabs(now) / sqrt(sum);
}

typedef struct lanczos {
  hk_pool pool; /* of the arrays */
  hk_operator *op;
  hk_buffer *u, *ku;
  hk_count dofs;
  const hk_sparse *held;
  double *unit;           /* unit[entries of held]: rows times M^-1/2, of length 1 */
  double *scale;          /* 1 / sqrt(mass) per node; 0 on padding */
  double *v, *before, *w; /* [dofs] */
} lanczos;

/* Takes out of x what moves the held rows; they are orthogonal (load/excitation.h), so that each is taken out alone. */
static void hold(const lanczos *z, double *x)
{
  for (hk_index r = 0; r < z->held->rows; r++) {
    double along = 0;
    for (hk_index p = z->held->begin[r]; p < z->held->begin[r + 1]; p++)
      along += z->unit[p] * x[z->held->dof[p]];
    for (hk_index p = z->held->begin[r]; p < z->held->begin[r + 1]; p++)
      x[z->held->dof[p]] -= along * z->unit[p];
  }
}

static hk_status scale_rows(lanczos *z)
{
  const hk_sparse *held = z->held;
  const int c = z->op->desc.space->components;
  const hk_status status =
      hk_pool_get(&z->pool, &z->unit, held->rows ? held->begin[held->rows] : 0);
  for (hk_index r = 0; status == HK_OK && r < held->rows; r++) {
    double square = 0;
    for (hk_index p = held->begin[r]; p < held->begin[r + 1]; p++) {
      z->unit[p] = held->weight[p] * z->scale[held->dof[p] / c];
      square += z->unit[p] * z->unit[p];
    }
    for (hk_index p = held->begin[r]; p < held->begin[r + 1]; p++) z->unit[p] /= sqrt(square);
  }
  return status;
}

/* w = M^-1/2 K M^-1/2 v */
static hk_status multiply(lanczos *z)
{
  const int c = z->op->desc.space->components;
  const bool precise = z->op->desc.double_precision;
  for (hk_count i = 0; i < z->dofs; i++) z->w[i] = z->v[i] * z->scale[i / c];
  HK_PASS(hk_buffer_write_reals(z->u, precise, 0, z->dofs, z->w));
  HK_PASS(hk_operator_apply(z->op, &(hk_epilogue){.form = HK_FORM_STORE, .u = z->u, .out = z->ku}));
  HK_PASS(hk_device_finish(z->op->desc.device));
  HK_PASS(hk_buffer_read_reals(z->ku, precise, 0, z->dofs, z->w));
  for (hk_count i = 0; i < z->dofs; i++) z->w[i] *= z->scale[i / c];
  hold(z, z->w);
  return HK_OK;
}

static double dot(const double *a, const double *b, hk_count n)
{
  double sum = 0;
  for (hk_count i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static bool start_vector(lanczos *z)
{
  uint32_t random = 12345;
  const int c = z->op->desc.space->components;
  for (hk_count i = 0; i < z->dofs; i++) {
    random = random * 1664525u + 1013904223u;
    z->v[i] = z->scale[i / c] > 0 ? (double)random / 4294967296.0 - 0.5 : 0;
  }
  hold(z, z->v);
  const double norm = sqrt(dot(z->v, z->v, z->dofs));
  for (hk_count i = 0; i < z->dofs && norm > 0; i++) z->v[i] /= norm;
  return norm > 0;
}

static hk_status iterate(lanczos *z, int most, double *omega, bool *converged)
{
  double a[HK_FREQUENCY_ITERATIONS], b[HK_FREQUENCY_ITERATIONS], value = 0;
  *omega = 0;
  *converged = !start_vector(z); /* then everything is held */
  for (int n = 0; n < most && n < HK_FREQUENCY_ITERATIONS && !*converged; n++) {
    HK_PASS(multiply(z));
    a[n] = dot(z->v, z->w, z->dofs);
    for (hk_count i = 0; i < z->dofs; i++)
      z->w[i] -= a[n] * z->v[i] + (n ? b[n - 1] * z->before[i] : 0);
    b[n] = sqrt(dot(z->w, z->w, z->dofs));
    value = largest_eigenvalue(a, b, n + 1);
    HK_NEED(isfinite(b[n]) && isfinite(value), HK_BAD_INPUT,
            "the stiffness over the mass is not a number: check the units of the materials");
    *converged = !(b[n] > 1e-10 * value) ||
                 (n >= 8 && b[n] * last_component(a, b, n + 1, value) <= 1e-3 * value);
    for (hk_count i = 0; i < z->dofs && !*converged; i++)
      z->before[i] = z->v[i], z->v[i] = z->w[i] / b[n];
  }
  *omega = sqrt(value);
  return HK_OK;
}

hk_status hk_largest_frequency(hk_operator *op, const double *mass, const hk_sparse *held, int most,
                               double *omega, bool *converged)
{
  hk_status status = HK_OK;
  const hk_space *space = op->desc.space;
  lanczos z = {.op = op, .dofs = (hk_count)space->padded * space->components, .held = held};
  const hk_count bytes = z.dofs * (op->desc.double_precision ? 8 : 4);

  HK_TRY(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  HK_TRY(hk_buffer_create(op->desc.device, bytes, &z.u));
  HK_TRY(hk_buffer_create(op->desc.device, bytes, &z.ku));
  HK_TRY(hk_pool_get(&z.pool, &z.scale, space->padded));
  HK_TRY(hk_pool_get(&z.pool, &z.v, z.dofs));
  HK_TRY(hk_pool_get(&z.pool, &z.before, z.dofs));
  HK_TRY(hk_pool_get(&z.pool, &z.w, z.dofs));
  for (hk_index i = 0; i < space->padded; i++)
    if (space->mesh_node[i] >= 0) z.scale[i] = 1 / sqrt(mass[i]);
  HK_TRY(scale_rows(&z));
  HK_TRY(iterate(&z, most, omega, converged));
cleanup:
  hk_buffer_destroy(&z.u);
  hk_buffer_destroy(&z.ku);
  hk_pool_clear(&z.pool);
  return status;
}

static hk_status check_given(hk_problem *p, const hk_step *step, const hk_sparse *held)
{
  hk_status status = HK_OK;
  double omega;
  bool converged;
  const double bound = hk_problem_dt_limit(p);
  const long long element = (long long)hk_mesh_element_label(p->on.model->mesh, p->guilty);

  if (step->dt <= bound) return HK_OK;
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  HK_TRY(hk_problem_assemble(p));
  HK_TRY(
      hk_largest_frequency(p->on.op, p->mass, held, HK_FREQUENCY_ITERATIONS, &omega, &converged));
  if (!converged)
    hk_messages_add(p->on.list, HK_WARNING, step->place.file, step->place.line, 0,
                    "the iteration for the largest frequency has not converged in %d steps: hooke "
                    "takes the safe bound %.6g%s as the limit of the time step",
                    HK_FREQUENCY_ITERATIONS, bound, unit.time);
  const double limit = converged ? p->integrator->limit / omega : bound;
  if (!(step->dt <= limit * (1 + 1e-9)))
    status =
        hk_model_error(p->on.model, p->on.list, step->place, HK_UNSTABLE,
                       "the time step %.6g%s is above the stability limit %.6g%s, set by element "
                       "%lld: give at most %.6g%s, or leave dt to hooke",
                       step->dt, unit.time, limit, unit.time, element, 0.95 * limit, unit.time);
  else
    hk_messages_add(p->on.list, HK_WARNING, step->place.file, step->place.line, 0,
                    "the time step %.6g%s is above the safe bound %.6g%s (element %lld) and below "
                    "the limit %.6g%s found by iteration",
                    step->dt, unit.time, bound, unit.time, element, limit, unit.time);
cleanup:
  return status;
}

/* The largest common divisor of a and b, to a relative 1e-6; b = 0: a. Returns 0 where the divisor is below `least`. */
static double common_divisor(double a, double b, double least)
{
  const double small = 1e-6 * (b > 0 ? fmin(a, b) : a);
  while (b > small) {
    const double rest = a - b * floor(a / b + 1e-6);
    a = b, b = fmax(rest, 0);
  }
  return a < least ? 0 : a;
}

static bool divides(double dt, double interval)
{
  const double n = interval / dt;
  return n > 0.5 && fabs(n - floor(n + 0.5)) <= 1e-6 * n;
}

/* A given step: samples at other times than those asked for are no answer. */
static hk_status check_intervals(const hk_problem *p, const hk_step *step)
{
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  for (int t = 0; t < step->trace_count; t++) {
    const hk_trace_request *r = &step->trace[t];
    const double n = ceil(r->interval / step->dt);
    if (r->interval > 0 && !divides(step->dt, r->interval))
      return hk_model_error(
          p->on.model, p->on.list, r->place, HK_BAD_INPUT,
          "the interval %.6g%s of trace %s is not a multiple of the time step %.6g%s: give dt "
          "%.9g%s, leave dt to hooke, or give every instead of interval",
          r->interval, unit.time, r->name, step->dt, unit.time, r->interval / fmax(n, 1),
          unit.time);
  }
  return HK_OK;
}

/* The largest step up to `most` that divides the intervals of all traces, and those of the frames where that costs no more than four times as
 * many steps; *dt = 0 where no interval is given. */
static hk_status fit_intervals(const hk_problem *p, const hk_step *step, double most, double *dt)
{
  enum { MOST_TIMES = 4 };
  double divisor = 0;
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  *dt = 0;
  for (int t = 0; t < step->trace_count; t++) {
    const hk_trace_request *r = &step->trace[t];
    if (!(r->interval > 0)) continue;
    const double next = common_divisor(r->interval, divisor, divisor > 0 ? most / MOST_TIMES : 0);
    if (!(next > 0))
      return hk_model_error(
          p->on.model, p->on.list, r->place, HK_BAD_INPUT,
          "the interval %.6g%s of trace %s and those before it have no common divisor above a "
          "quarter of the time step %.6g%s: give intervals that are multiples of one another",
          r->interval, unit.time, r->name, most, unit.time);
    divisor = next;
  }
  if (step->field.interval > 0) {
    const double next = common_divisor(step->field.interval, divisor, most / MOST_TIMES);
    if (next > 0) divisor = next;
  }
  if (!(divisor > 0)) return HK_OK;
  *dt = divisor / fmax(ceil(divisor / most * (1 - 1e-9)), 1);
  if (*dt < most / MOST_TIMES)
    hk_messages_add(
        p->on.list, HK_WARNING, step->place.file, step->place.line, 0,
        "the intervals of the traces make the time step %.6g%s, though %.6g%s is stable: %.0f "
        "times as many steps",
        *dt, unit.time, most, unit.time, most / *dt);
  return HK_OK;
}

/* Whether a run can go on with the time step that it had. */
static bool serves(const hk_step *step, double before, double chosen)
{
  bool good = before > 0 && before <= chosen * (1 + 1e-9);
  for (int t = 0; t < step->trace_count; t++)
    good = good && (!(step->trace[t].interval > 0) || divides(before, step->trace[t].interval));
  return good;
}

hk_status hk_choose_dt(hk_problem *p, const hk_step *step, const hk_sparse *held, double before,
                       double *dt, hk_count *steps)
{
  const double chosen = 0.95 * p->integrator->limit / p->omega;
  double fitted = 0;
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  if (!(step->dt > 0)) HK_PASS(fit_intervals(p, step, chosen, &fitted));
  if (serves(step, before, chosen)) fitted = before;
  const double given = step->dt > 0 ? step->dt
                       : fitted > 0 ? fitted
                                    : chosen,
               count = step->duration / given;

  if (!(step->duration > 0 && isfinite(step->duration)))
    return hk_model_error(p->on.model, p->on.list, step->place, HK_BAD_INPUT,
                          "the duration %g%s must be above 0", step->duration, unit.time);
  if (!(count < 1e12))
    return hk_model_error(p->on.model, p->on.list, step->place, HK_BAD_INPUT,
                          "%.3g steps of %.3g%s are too many for a run", count, given, unit.time);
  *steps = (hk_count)ceil(count * (1 - 1e-9));
  if (*steps < 1) *steps = 1;
  *dt = step->dt > 0 || fitted > 0 ? given : step->duration / (double)*steps;
  HK_PASS(check_given(p, step, held));
  if (step->dt > 0) HK_PASS(check_intervals(p, step));
  return HK_OK;
}
