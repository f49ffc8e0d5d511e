/* The static analysis, K u = f, also of steady heat: each step is held, loaded, solved and written.
 * Constraints and loads of every step are tried before a file is written, so that errors in any
 * step appear at once. There is no checkpoint; a stopped run leaves the results of the steps
 * before. */
#include "run/static/static.h"

/* Constraints and loads of every step are tried before anything is written: what is wrong with any is told. */
static hk_status try_steps(hk_static *s)
{
  for (int i = s->on.model->step_count - 1; i >= 0; i--) {
    const double start = hk_model_step_start(s->on.model, i);
    HK_PASS(hk_static_hold(s, i, start));
    HK_PASS(hk_static_check_rigid(s));
    HK_PASS(hk_static_load(s, start));
  }
  return HK_OK;
}

static void destroy(void **run)
{
  if (*run) hk_static_clear(*run);
  hk_memory_free(run);
}

/* The rest of the run too has the device's number of threads. */
static hk_status prepare(hk_session *session, void **run)
{
  hk_static *s = NULL;
  HK_PASS(hk_new(&s));
  *run = s;
  *s = hk_static_of(session);
  if (session->desc->restart)
    hk_messages_add(s->on.list, HK_NOTE, NULL, 0, 0,
                    "static runs have no checkpoints: the run starts from the beginning");
  HK_PASS(hk_static_prepare(s));
  hk_discretisation_threads(&s->on);
  return HK_OK;
}

static const hk_discretisation *on_of(const void *run)
{
  const hk_static *s = run;
  return &s->on;
}

static hk_status assemble(void *run)
{
  hk_static *s = run;
  HK_PASS(hk_static_vectors(s));
  HK_PASS(try_steps(s));
  return hk_static_assemble(s);
}

static hk_status open_files(void *run)
{
  hk_static *s = run;
  HK_PASS(hk_static_print_ready(s));
  HK_PASS(hk_static_pictures_ready(s));
  hk_session_clean(s->session);
  HK_PASS(hk_static_open(s));
  hk_session_log(s->session, "%s: %lld nodes, %lld elements, %d %s steps, %s, %s",
                 s->on.model->path, (long long)s->on.model->mesh->node_count,
                 (long long)s->on.model->mesh->element_count, s->on.model->step_count,
                 s->heat ? "heat" : "static", s->on.kind->name,
                 s->on.double_precision ? "double" : "single");
  return HK_OK;
}

static hk_status begin(void *run)
{
  hk_static *s = run;
  s->total_time = 0, s->next = 0;
  return HK_OK;
}

static hk_status stop(void *run)
{
  const hk_static *s = run;
  return hk_error_set(HK_STOPPED,
                      "stopped before step %d of %d; the steps before it are in the result",
                      s->next + 1, s->on.model->step_count);
}

/* Stopped while the solver iterates: how far it came. */
static hk_status tell_stop(const hk_static *s, const hk_static_result *r)
{
  const int step = s->next + 1, steps = s->on.model->step_count;
  if (!r->method[0]) /* before the first iteration */
    return hk_error_set(HK_STOPPED,
                        "%s, in step %d of %d; the steps before it are in the result: run it again",
                        hk_error(), step, steps);
  return hk_error_set(HK_STOPPED,
                      "stopped in step %d of %d, after %d iterations with residual %.3g; the steps "
                      "before it are in the result: run it again",
                      step, steps, r->iterations, r->residual);
}

static hk_status advance(void *run)
{
  hk_status status = HK_OK;
  hk_static *s = run;
  hk_seconds_spent *spent = &s->session->seconds;
  const int step = s->next;
  const double start = s->total_time, before = hk_seconds(), others = spent->setup + spent->verify;
  const hk_static_result *r = &s->result[step];
  HK_TRY(hk_static_hold(s, step, start));
  HK_TRY(hk_static_load(s, start));
  HK_TRY(hk_static_assemble(s));
  s->total_time = start + s->on.model->step[step].duration;
  status = hk_static_solve(s);
  spent->solve += hk_seconds() - before - (spent->setup + spent->verify - others);
  hk_session_log(s->session, "step %d: %s, %d iterations, residual %.3g", step + 1, r->method,
                 r->iterations, r->residual);
  if (status == HK_STOPPED) tell_stop(s, r);
cleanup:
  return status;
}

static hk_status write(void *run, bool *more)
{
  hk_static *s = run;
  *more = ++s->next < s->on.model->step_count;
  return hk_static_write(s);
}

static hk_status close_files(void *run)
{
  hk_static *s = run;
  return hk_static_close(&s->files);
}

/* Both differ in the words alone. */
#define STATIC_ANALYSIS(word, of_kind)                                                             \
  {                                                                                                \
    .name = word, .kind = of_kind, .system = &hk_system_static, .prepare = prepare, .on = on_of,   \
    .assemble = assemble, .open = open_files, .begin = begin, .advance = advance, .write = write,  \
    .stop = stop, .close = close_files, .summary = hk_static_summary,                              \
    .explain = hk_static_show_mechanism, .destroy = destroy, .check = hk_static_check,             \
    .ahead = hk_static_ahead                                                                       \
  }
const hk_analysis hk_analysis_static = STATIC_ANALYSIS("static", HK_STEP_STATIC);
const hk_analysis hk_analysis_heat = STATIC_ANALYSIS("heat", HK_STEP_HEAT);
