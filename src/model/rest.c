/* Signals that do not begin from rest: a jump at t = 0 has every frequency, whatever the highest of the uncut pulse is. */
#include "model/rest.h"
#include "load/dispersion.h"
#include "model/act.h"
#include <math.h>
#include <stdio.h>

enum { SAMPLES = 2000 };
static const double REST = 0.01; /* of a signal's largest value: less than that is rest */

typedef struct shape {   /* of a signal in its own time */
  double largest, begin; /* largest |s|; where it first is above REST of that */
} shape;

static shape shape_of(const hk_signal *s)
{
  double from, to;
  shape out = {0, INFINITY};
  hk_signal_support(s, &from, &to);
  for (int k = 0; k <= SAMPLES; k++)
    out.largest = fmax(out.largest, fabs(hk_signal_value(s, from + (to - from) * k / SAMPLES)));
  for (int k = 0; k <= SAMPLES && out.begin == INFINITY; k++) {
    const double t = from + (to - from) * k / SAMPLES;
    if (fabs(hk_signal_value(s, t)) > REST * out.largest) out.begin = t;
  }
  return out;
}

double hk_signal_jump(const hk_signal *s, double start)
{
  const double largest = shape_of(s).largest,
               jump = hk_drive_signal_at(&(hk_drive_signal){.signal = s, .start = start}, 0);
  return fabs(jump) > REST * largest ? jump / largest : 0;
}

static const char *word_of(const hk_signal *s)
{
  static const char *const word[] = {
      [HK_SIGNAL_STEP] = "step",         [HK_SIGNAL_TONEBURST] = "toneburst",
      [HK_SIGNAL_GAUSSIAN] = "gaussian", [HK_SIGNAL_RICKER] = "ricker",
      [HK_SIGNAL_TABLE] = "table",       [HK_SIGNAL_RAMP] = "ramp"};
  return s->name ? s->name : word[s->kind];
}

/* What brings the whole signal behind t = 0. */
static void advise(const hk_signal *s, double start, double begin, char *words, size_t size)
{
  const double missing = -(start + begin);
  const bool centred = s->kind == HK_SIGNAL_RICKER || s->kind == HK_SIGNAL_GAUSSIAN;
  if (s->kind == HK_SIGNAL_TABLE && !(missing > 0))
    snprintf(words, size, "begin its table with 0");
  else if (centred && s->t0 + missing > 0)
    snprintf(words, size, "give t0 %.4g or more, or a delay of %.4g", s->t0 + missing,
             start + missing);
  else
    snprintf(words, size, "give a delay of %.4g or more", start + missing);
}

typedef struct judging {
  const hk_model *model;
  hk_messages *list;
  bool *told; /* told[signal_count] */
} judging;

static void judge(const judging *j, const hk_act *a, double start)
{
  const hk_signal *s = &j->model->signal[a->signal];
  const shape is = shape_of(s);
  const double jump = hk_signal_jump(s, start);
  char words[128];
  if (!(is.largest > 0) || (jump == 0 && !(is.begin < -start))) return;
  j->told[a->signal] = true;
  advise(s, start, is.begin, words, sizeof words);
  if (jump != 0)
    hk_messages_add(
        j->list, HK_WARNING, a->place.file ? a->place.file : j->model->path, a->place.line, 0,
        "signal %s does not begin from rest: at t = 0 it jumps to %.2g of its largest value, and a "
        "jump has frequencies that no mesh resolves: %s",
        word_of(s), jump, words);
  else
    hk_messages_add(j->list, HK_WARNING, a->place.file ? a->place.file : j->model->path,
                    a->place.line, 0, "a part of signal %s lies before t = 0 and is cut off: %s",
                    word_of(s), words);
}

static bool look(const hk_act *a, void *context)
{
  const judging *j = context;
  if (a->signal < 0 || a->fixed || j->told[a->signal]) return false;
  const hk_signal *s = &j->model->signal[a->signal];
  if (s->kind == HK_SIGNAL_STEP) {
    j->told[a->signal] = true;
    hk_messages_add(
        j->list, HK_NOTE, a->place.file ? a->place.file : j->model->path, a->place.line, 0,
        "signal %s has no highest frequency: whether mesh and time step resolve what it "
        "sends out cannot be judged",
        word_of(s));
    return false;
  }
  for (hk_count i = 0; i < a->count && !j->told[a->signal]; i++) judge(j, a, hk_act_start(a, 0, i));
  return false;
}

hk_status hk_rest_judge(const hk_model *model, hk_messages *list)
{
  judging j = {.model = model, .list = list};
  const hk_status status = hk_get(&j.told, model->signal_count);
  if (status == HK_OK && model->step_count) hk_step_any(&model->step[0], look, &j);
  hk_free(&j.told);
  return status;
}
