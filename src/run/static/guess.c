/* First temperatures of a steady step. The first step begins with the mean of what is prescribed. Where nothing is, and films depend on temperature, a uniform T
 * is better at which the heat balances,
 *
 *   sum of f(T) - integral h(T) T dA = 0,   f: loads, and h(T) T_sink of the films,
 *
 * as the mean of sinks may be where h(T) is 0, so that K is singular, or so small that the first solution is far away. T is found by doubling a
 * distance from the mean until the sign changes, then by regula falsi (Illinois). Where nothing enters, T is a temperature nearby at which a film is above 0. A
 * later step begins with the temperatures before it, unless all its films are 0 there and nothing else holds the temperature. */
#include "base/formula.h"
#include "run/static/static.h"
#include <math.h>
#include <string.h>

enum { DOUBLINGS = 24, TRIALS = 30 };

static const double NEAR = 1e-3, BALANCED = 1e-3;

/* Number of prescribed temperatures, and their sum. */
static hk_index count_prescribed(const hk_static *s, double *sum)
{
  const hk_constraints *held = &s->held.own;
  hk_index count = 0;
  *sum = 0;
  for (hk_index i = 0; i < held->count; i++)
    if (held->begin[i] == held->begin[i + 1]) *sum += held->offset[i], count++;
  return count;
}

/* Prescribed temperatures of the first step, or sinks of its films where there are none: their mean. */
static double find_mean(const hk_static *s)
{
  const hk_step *step = &s->on.model->step[0];
  double sum, sinks = 0, films = 0;
  const hk_index count = count_prescribed(s, &sum);
  for (const hk_load *l = step->load; l < step->load + step->load_count; l++)
    if (l->kind == HK_LOAD_FILM && !l->by) sinks += l->vector[0], films++;
  return count > 0 ? sum / count : films > 0 ? sinks / films : 0;
}

hk_status hk_static_guess(hk_static *s)
{
  if (hk_static_theta(s, 0) > 0) return HK_OK;
  HK_PASS(hk_static_hold(s, 0, hk_model_step_start(s->on.model, 0)));
  const double mean = find_mean(s);
  for (hk_count i = 0; i < s->vector.dofs; i++) s->time.t[i] = mean;
  return HK_OK;
}

/* Whether the matrix is regular by more than films that depend on temperature. */
static bool is_held(const hk_static *s)
{
  double sum;
  bool held = count_prescribed(s, &sum) > 0;
  for (int r = 0; r < s->on.model->region_count; r++)
    held = held || hk_material_reacts(&s->on.model->region[r].material);
  return held;
}

const hk_load *hk_static_idle_film(const hk_static *s, bool *warm)
{
  const hk_step *step = &s->on.model->step[s->step];
  const hk_load *idle = NULL;
  bool held = is_held(s);
  *warm = false;
  for (const hk_load *l = step->load; l < step->load + step->load_count; l++) {
    if (l->kind != HK_LOAD_FILM) continue;
    const bool depends = hk_formula_warm(l->film_by),
               acts = hk_films_conductance(&s->on, &s->in_k, l->film_by, s->time.last) > 0;
    *warm = *warm || depends;
    held = held || acts;
    if (depends && !acts && !idle) idle = l;
  }
  return held ? NULL : idle;
}

/* What a uniform temperature leaves over, of loads beside what films and reactions take, and the sum of absolute loads; or NaN where a formula has
 * no value there. HK_NO_RESOURCES. */
static hk_status find_open(hk_static *s, double t, double *open, double *loads)
{
  hk_step_vectors *v = &s->vector;
  hk_messages *list = s->on.list;
  for (hk_count i = 0; i < v->dofs; i++) s->time.last[i] = t;
  *open = NAN, *loads = 0;
  HK_PASS(hk_messages_create(&s->on.list)); /* a trial that fails is no error */
  const hk_status loaded = hk_static_load(s, hk_model_step_start(s->on.model, s->step));
  hk_messages_destroy(&s->on.list);
  s->on.list = list;
  if (loaded == HK_BAD_INPUT) return HK_OK;
  HK_PASS(loaded);
  memset(v->right, 0, (size_t)v->dofs * sizeof *v->right);
  hk_films_heat(&s->on, &s->in_k, s->time.last, v->right);
  *open = 0;
  for (hk_count i = 0; i < v->dofs; i++) {
    *open += v->f[i] - v->right[i];
    *loads += fabs(v->f[i]);
  }
  return HK_OK;
}

typedef struct bracket {
  double t[2], open[2];
} bracket;

/* b->t[1]: t[0] and a distance that doubles towards `sign`, until the heat that is left over has another sign; false: it does not. */
static hk_status widen(hk_static *s, double sign, bracket *b, bool *found)
{
  double loads;
  *found = false;
  for (int k = 0; k < DOUBLINGS && !*found; k++) {
    b->t[1] = b->t[0] + sign * ldexp(NEAR * fmax(fabs(b->t[0]), 1), k);
    HK_PASS(find_open(s, b->t[1], &b->open[1], &loads));
    *found = b->open[1] * sign <= 0;
  }
  return HK_OK;
}

/* Narrows the bracket; s->time.last is its best. */
static hk_status balance(hk_static *s, bracket *b)
{
  const double enough = BALANCED * fabs(b->open[0]);
  double weight[2] = {1, 1}, loads;
  for (int k = 0; k < TRIALS && fabs(b->open[1]) > enough; k++) {
    const double low = weight[0] * b->open[0], high = weight[1] * b->open[1];
    const double t = (b->t[0] * high - b->t[1] * low) / (high - low);
    double open;
    HK_PASS(find_open(s, t, &open, &loads));
    if (isnan(open)) break;
    const bool same = open * b->open[1] > 0; /* the other end stays, with half its weight */
    if (!same) b->t[0] = b->t[1], b->open[0] = b->open[1];
    weight[0] = same ? weight[0] / 2 : 1;
    b->t[1] = t, b->open[1] = open;
  }
  return find_open(s, b->t[1], &b->open[1], &loads);
}

/* s->time.last: uniform, near t, where a film holds the temperature; false: there is none. */
static hk_status leave(hk_static *s, double t, bool *found)
{
  *found = false;
  for (int k = 0; k < 2 * DOUBLINGS && !*found; k++) {
    const double away = ldexp(NEAR * fmax(fabs(t), 1), k / 2);
    double open, loads;
    bool warm;
    HK_PASS(find_open(s, k % 2 ? t - away : t + away, &open, &loads));
    *found = !isnan(open) && !hk_static_idle_film(s, &warm);
  }
  return HK_OK;
}

static hk_status choose(hk_static *s, bool idle, double mean, bool *found)
{
  double sum, loads;
  bool warm;
  bracket b = {.t = {mean}};
  *found = false;
  if (!count_prescribed(s, &sum)) {
    HK_PASS(find_open(s, mean, &b.open[0], &loads));
    if (fabs(b.open[0]) > 1e-9 * loads) HK_PASS(widen(s, b.open[0] > 0 ? 1 : -1, &b, found));
    if (*found) HK_PASS(balance(s, &b));
    *found = *found && !hk_static_idle_film(s, &warm);
  }
  return idle && !*found ? leave(s, mean, found) : HK_OK;
}

hk_status hk_static_guess_films(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_count dofs = s->vector.dofs;
  double *kept = NULL, mean = 0;
  bool warm, found;
  const bool idle = hk_static_idle_film(s, &warm) != NULL;
  if (!idle && (!warm || s->step > 0)) return HK_OK;
  HK_TRY(hk_get(&kept, dofs));
  memcpy(kept, s->time.last, (size_t)dofs * sizeof *kept);
  for (hk_count i = 0; i < dofs; i++) mean += kept[i] / (double)dofs;
  HK_TRY(choose(s, idle, mean, &found));
  if (!found) memcpy(s->time.last, kept, (size_t)dofs * sizeof *kept);
cleanup:
  hk_free(&kept);
  return status;
}
