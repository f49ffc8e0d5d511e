/* Traces and frames of the explicit steps of a deck. Requests hold until a later step makes others of their kind. TIME INTERVAL, NUMBER
 * INTERVAL, FREQUENCY and TIME POINTS become an interval, a number of frames, or times; without any of them a field has 20 frames, as in
 * Abaqus. A trace has the name of its set, NAME_2 where that repeats. A deck without requests gets 100 frames of displacement and velocity. */
#include "input/deck/make.h"
#include <string.h>

enum { DEFAULT_FRAMES = 100, ABAQUS_FRAMES = 20, MOST_TRACES = 1000 };

/* The step s, or the last one before it, that asks for traces (frames). */
static const deck_step *asking(const deck *d, int s, bool history)
{
  for (; s >= 0; s--)
    if (history ? d->step.at[s].has_history : d->step.at[s].field.given) return &d->step.at[s];
  return NULL;
}

static bool same_set(const deck_trace *a, const deck_trace *b)
{
  return a->on.name && b->on.name ? hk_same_text(a->on.name, b->on.name)
                                  : !a->on.name && !b->on.name;
}

/* The set's name, `all` without one, NAME_2 where it repeats; `first`: of the step's requests. */
static hk_status name_trace(hk_pool *pool, const hk_step *step, const deck_trace *first,
                            const deck_trace *from, const char **out)
{
  hk_status status = HK_OK;
  char *name = NULL;
  const char *set = from->on.name;
  int n = 1; /* how often the set was asked for, this time included */
  bool taken = true;
  for (const deck_trace *t = first; t < from; t++) n += same_set(t, from);
  for (; taken; n++) {
    hk_free(&name);
    if (n == 1)
      HK_TRY(hk_copy_text(&name, set ? set : "all"));
    else
      HK_TRY(hk_format(&name, "%s_%d", set ? set : "all", n));
    for (char *c = name; *c; c++)
      if (*c == '/') *c = '_'; /* names of groups in run.h5 */
    taken = false;
    for (int i = 0; i < step->trace_count && !taken; i++)
      taken = strcmp(step->trace[i].name, name) == 0;
  }
  HK_TRY(hk_pool_text(pool, name, out));
cleanup:
  hk_free(&name);
  return status;
}

static hk_status make_trace(deck *d, hk_model *model, hk_step *step, const deck_trace *first,
                            const deck_trace *from)
{
  hk_trace_request t = {.quantities = from->quantities, .place = from->on.place};
  if (from->on.name)
    HK_PASS(hk_deck_nodes(d, &model->pool, "output", &from->on, &t.target));
  else
    HK_PASS(hk_target_all(&model->pool, model->mesh->node_count, &t.target));
  if (!t.target.count) return HK_OK; /* told already */
  HK_PASS(hk_deck_count(d, model->mesh, t.target.count, from->on.place));
  HK_PASS(name_trace(&model->pool, step, first, from, &t.name));
  t.every = from->timing.every;
  t.interval = from->timing.interval;
  if (from->timing.frames) t.interval = step->duration / (double)from->timing.frames;
  if (from->timing.points)
    hk_inp_say(d->reader, HK_WARNING, from->on.place,
               "TIME POINTS: ignored: traces are written at every increment");
  step->trace[step->trace_count++] = t;
  return HK_OK;
}

static hk_status make_times(deck *d, hk_pool *pool, const deck_step *from, int s,
                            hk_field_request *field)
{
  double start = 0;
  const int number = hk_deck_find(d, from->field.place, from->field.timing.points, DECK_POINTS);
  if (number < 0) return HK_OK;
  const deck_points *p = &d->asked.points.at[number];
  for (int i = 0; i < s && p->total_time; i++) start += d->step.at[i].duration;
  HK_PASS(hk_pool_get(pool, &field->times, p->time.count));
  for (hk_count i = 0; i < p->time.count; i++) {
    const double time = p->time.at[i] - start;
    if (time >= 0 && time <= d->step.at[s].duration) field->times[field->time_count++] = time;
  }
  if (!field->time_count)
    hk_inp_say(d->reader, HK_WARNING, from->field.place,
               "TIME POINTS=%s: none of its times lies within the step at line %lld", p->name,
               (long long)d->step.at[s].place.line);
  return HK_OK;
}

/* Every n-th increment is a time where the increment is given; else a number of frames. */
static void make_frequency(deck *d, const deck_step *from, const hk_step *step,
                           hk_field_request *field)
{
  const double interval = (double)from->field.timing.every * step->dt;
  if (step->dt > 0 && interval < step->duration)
    field->interval = interval;
  else
    field->frames = step->dt > 0 ? 1 : DEFAULT_FRAMES;
  if (!(step->dt > 0))
    hk_inp_say(
        d->reader, HK_NOTE, from->field.place,
        "FREQUENCY counts increments, and hooke chooses their size later: it writes %d frames",
        DEFAULT_FRAMES);
}

static hk_status make_field(deck *d, hk_pool *pool, const deck_step *from, int s, hk_step *step)
{
  hk_field_request *field = &step->field;
  const deck_timing *timing = &from->field.timing;
  field->quantities = from->field.quantities;
  field->place = from->field.place;
  if (!field->quantities) return HK_OK;
  field->interval = timing->interval;
  field->frames = timing->frames;
  if (timing->points)
    HK_PASS(make_times(d, pool, from, s, field));
  else if (timing->every)
    make_frequency(d, from, step, field);
  else if (!field->frames && !(field->interval > 0))
    field->frames = ABAQUS_FRAMES;
  return HK_OK;
}

hk_status hk_deck_make_outputs(deck *d, hk_model *model, int s)
{
  hk_step *step = &model->step[s];
  const deck_step *history = asking(d, s, true), *field = asking(d, s, false);
  if (!history && !field) {
    hk_inp_say(d->reader, HK_WARNING, d->step.at[s].place,
               "the deck requests no output: hooke writes %d frames of displacement and velocity, "
               "and energies",
               DEFAULT_FRAMES);
    step->field = (hk_field_request){.quantities = 1u << HK_DISPLACEMENT | 1u << HK_VELOCITY,
                                     .frames = DEFAULT_FRAMES,
                                     .place = d->step.at[s].place};
    return HK_OK;
  }
  if (field) HK_PASS(make_field(d, &model->pool, field, s, step));
  if (history) {
    HK_NEED(history->traces.last - history->traces.first <= MOST_TRACES, HK_BAD_INPUT,
            "%s:%lld: more than %d outputs in a step", history->place.file,
            (long long)history->place.line, MOST_TRACES);
    HK_PASS(hk_pool_get(&model->pool, &step->trace, history->traces.last - history->traces.first));
    for (hk_count i = history->traces.first; i < history->traces.last; i++)
      HK_PASS(make_trace(d, model, step, &d->asked.trace.at[history->traces.first],
                         &d->asked.trace.at[i]));
  }
  return HK_OK;
}
