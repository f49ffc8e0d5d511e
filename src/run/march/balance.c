/* Decides from energy samples whether a run is unstable. With E the energy, D the losses and W the
 * work, E + D - W must stay E_0 (W.14). Four tests are defined in balance.h: the balance is off,
 * the energy exceeds what was put in, kinetic and strain energy split, or the energy grows from
 * window to window. The file uses neither files nor devices. */
#include "run/march/balance.h"
#include <math.h>

enum { WINDOW = 64 }; /* samples */

static const double TOLERATED = 0.05, MARGIN = 1.1, GROWN = 10, SPLIT = 1000;

void hk_balance_continue(hk_balance *l, double work, double damping)
{
  l->earlier_work += work, l->earlier_damping += damping;
  l->earlier_layer = l->energy.layer;
  l->has_baseline = 0;
  l->window = (hk_balance_window){.work = l->earlier_work};
}

/* Closes a window; whether E has grown since the lowest one. */
static bool close_window(hk_balance *l, const hk_balance_bounds *b)
{
  hk_balance_window *w = &l->window;
  const double since = w->since + w->gain;
  const bool has_low = w->low > 0, lower = !has_low || w->top < w->low + since;
  const bool grown = has_low && w->top > GROWN * (b->counted * w->low + b->hidden * since) &&
                     w->top > b->noise * l->largest;
  if (lower)
    w->low = w->top, w->since = w->gain, w->low_layer = l->energy.layer;
  else
    w->since = since;
  w->samples = w->top = w->gain = 0;
  return grown;
}

static bool has_grown(hk_balance *l, double energy, double work, const hk_balance_bounds *b)
{
  hk_balance_window *w = &l->window;
  w->gain += fmax(0, work - w->work), w->work = work;
  w->top = fmax(w->top, energy), w->samples++;
  return w->samples >= WINDOW && close_window(l, b);
}

hk_balance_verdict hk_balance_add(hk_balance *l, const hk_energy *of_stage,
                                  const hk_balance_bounds *b)
{
  hk_energy *e = &l->energy;
  *e = *of_stage;
  e->work += l->earlier_work, e->damping += l->earlier_damping, e->layer += l->earlier_layer;
  const double energy = e->kinetic + e->strain, sum = energy + e->damping - e->work;
  if (l->has_baseline == 0) l->baseline = sum, l->has_baseline = 1;
  l->largest = fmax(l->largest, fmax(fabs(energy + e->damping), fabs(e->work)));
  l->given = fmax(l->given, l->baseline + e->work);
  l->balance = sum - l->baseline;
  if (!isfinite(sum)) return HK_BALANCE_NAN;
  const double least = e->kinetic + e->strain / b->counted;
  const bool grown = has_grown(l, least, e->work, b);
  if (!(l->largest > b->floor)) return HK_BALANCE_SOUND;
  if (!(fabs(l->balance) <= TOLERATED * l->largest)) return HK_BALANCE_OFF;
  if (least > b->hidden * MARGIN * l->given + TOLERATED * l->largest) return HK_BALANCE_EXCESS;
  if (e->kinetic > SPLIT * b->hidden * l->given + l->largest) return HK_BALANCE_SPLIT;
  return grown ? HK_BALANCE_GROWTH : HK_BALANCE_SOUND;
}

bool hk_balance_off_at_end(const hk_balance *l, const hk_balance_bounds *b)
{
  const double most = b->inexact ? TOLERATED : HK_BALANCE_OFF_AT_END;
  return l->largest > b->floor && !(fabs(l->balance) <= most * l->largest);
}

bool hk_balance_blames_layer(const hk_balance *l, hk_balance_verdict verdict)
{
  const hk_energy *e = &l->energy;
  const double energy = e->kinetic + e->strain;
  if (verdict == HK_BALANCE_GROWTH)
    return l->window.low_layer - e->layer > 0.5 * (energy - l->window.low);
  return e->layer < 0 && -e->layer > 0.5 * (energy - l->given);
}
