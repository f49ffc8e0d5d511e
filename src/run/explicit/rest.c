/* Judges whether signals begin from rest. A signal that jumps at t = 0 or later, or that is cut off
 * before t = 0, has frequencies that no mesh resolves, although its uncut pulse has a highest one.
 * The largest jump is compared with the largest value, which is found from samples; the warning
 * says which delay or t0 mends it. An act without a signal jumps where it begins. */
#include "run/explicit/problem.h"
#include "load/dispersion.h"
#include "run/acts/acts.h"
#include "model/unit_names.h"
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
               jump = hk_source_signal_at(&(hk_source_signal){.signal = s, .start = start}, 0);
  return fabs(jump) > REST * largest ? jump / largest : 0;
}

/* A jump after the begin, as a part of the largest value, at *at in the signal's own time; 0: none. */
static double later_jump(const hk_signal *s, double largest, double *at)
{
  double jump = 0;
  if (s->kind == HK_SIGNAL_TONEBURST && !s->hann) {
    *at = s->cycles / s->frequency;
    jump = fabs(s->scale * sin(2 * M_PI * s->cycles));
  }
  for (hk_count i = 0; s->kind == HK_SIGNAL_TABLE && i + 1 < s->count; i++) {
    const double own = fabs(s->scale * (s->value[i + 1] - s->value[i]));
    if (s->time[i + 1] > s->time[i] || own <= jump) continue;
    jump = own, *at = s->time[i];
  }
  return jump > REST * largest ? jump / largest : 0;
}

static const char *word_of(const hk_signal *s)
{
  static const char *const word[] = {
      [HK_SIGNAL_STEP] = "step",         [HK_SIGNAL_TONEBURST] = "toneburst",
      [HK_SIGNAL_GAUSSIAN] = "gaussian", [HK_SIGNAL_RICKER] = "ricker",
      [HK_SIGNAL_TABLE] = "table",       [HK_SIGNAL_RAMP] = "ramp",
      [HK_SIGNAL_SPLINE] = "of the file"};
  return s->name ? s->name : word[s->kind];
}

/* What brings the whole signal behind t = 0. */
static void advise(const hk_signal *s, double start, double begin, const char *unit, char *words,
                   size_t size)
{
  const double missing = -(start + begin);
  const bool centred = s->kind == HK_SIGNAL_RICKER || s->kind == HK_SIGNAL_GAUSSIAN;
  if (s->kind == HK_SIGNAL_TABLE && !(missing > 0))
    snprintf(words, size, "begin its table with 0");
  else if (centred && s->t0 + missing > 0)
    snprintf(words, size, "give t0 %.4g%s or more, or a delay of %.4g%s", s->t0 + missing, unit,
             start + missing, unit);
  else
    snprintf(words, size, "give a delay of %.4g%s or more", start + missing, unit);
}

typedef struct judging {
  const hk_model *model;
  hk_messages *list;
  const char *unit; /* of time */
  bool *told;       /* told[signal_count] */
  bool constant;    /* what has no signal has been told of */
} judging;

static const char *file_of(const judging *j, const hk_act *a)
{
  return a->place.file ? a->place.file : j->model->path;
}

static bool judge_begin(const judging *j, const hk_act *a, const shape *is, double start)
{
  const hk_signal *s = &j->model->signal.at[a->signal];
  const double jump = hk_signal_jump(s, start);
  char words[160];
  if (!(is->largest > 0) || (jump == 0 && !(is->begin < -start))) return false;
  advise(s, start, is->begin, j->unit, words, sizeof words);
  if (jump != 0)
    hk_messages_add(j->list, HK_WARNING, file_of(j, a), a->place.line, 0,
                    "signal %s does not begin from rest: at t = 0 it jumps to %.2g of its largest "
                    "value, and a jump has frequencies that no mesh resolves: %s",
                    word_of(s), jump, words);
  else
    hk_messages_add(j->list, HK_WARNING, file_of(j, a), a->place.line, 0,
                    "a part of signal %s lies before t = 0 and is cut off: %s", word_of(s), words);
  return true;
}

static bool judge_later(const judging *j, const hk_act *a, const shape *is, double start)
{
  const hk_signal *s = &j->model->signal.at[a->signal];
  double at = 0;
  const double jump = later_jump(s, is->largest, &at), time = start + at;
  if (jump == 0 || time <= 0 || time >= j->model->step[0].duration) return false;
  hk_messages_add(j->list, HK_WARNING, file_of(j, a), a->place.line, 0,
                  "signal %s jumps by %.2g of its largest value at t = %.4g%s, and a jump has "
                  "frequencies that no mesh resolves: %s",
                  word_of(s), jump, time, j->unit,
                  s->kind == HK_SIGNAL_TABLE ? "give its table a ramp there"
                                             : "give whole or half cycles, or window: hann");
  return true;
}

static void note_constant(judging *j, const hk_act *a)
{
  if (!j->constant)
    hk_messages_add(
        j->list, HK_NOTE, file_of(j, a), a->place.line, 0,
        "a source without a signal acts in full from t = 0 on: a jump has no highest frequency, so "
        "hooke cannot judge whether mesh and time step resolve its waves");
  j->constant = true;
}

static bool look(const hk_act *a, void *context)
{
  judging *j = context;
  if (a->fixed) return false;
  if (a->signal < 0) note_constant(j, a);
  if (a->signal < 0 || j->told[a->signal]) return false;
  const hk_signal *s = &j->model->signal.at[a->signal];
  if (s->kind == HK_SIGNAL_STEP) {
    j->told[a->signal] = true;
    hk_messages_add(j->list, HK_NOTE, file_of(j, a), a->place.line, 0,
                    "signal %s has no highest frequency: hooke cannot judge whether mesh and time "
                    "step resolve its waves",
                    word_of(s));
    return false;
  }
  const shape is = shape_of(s);
  for (hk_count i = 0; i < a->count && !j->told[a->signal]; i++) {
    const double start = hk_act_start(a, 0, i);
    j->told[a->signal] = judge_begin(j, a, &is, start) || judge_later(j, a, &is, start);
  }
  return false;
}

hk_status hk_rest_judge(const hk_model *model, hk_messages *list)
{
  const hk_unit_words unit = hk_unit_words_of(&model->units);
  judging j = {.model = model, .list = list, .unit = unit.time};
  const hk_status status = hk_get(&j.told, model->signal.count);
  if (status == HK_OK && model->step_count) hk_step_any(&model->step[0], look, &j);
  hk_free(&j.told);
  return status;
}
