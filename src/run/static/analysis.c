/* The static analysis, K u = f, also of heat and of coupled equations: each step, or increment of a transient step, is held,
 * loaded and solved, and what is due is written.
 * Constraints and loads of every step are tried before a file is written, so that errors in any
 * step appear at once. There is no checkpoint; a stopped run leaves the results of the steps
 * before. */
#include "run/static/static.h"

/* Constraints and loads of every step are tried before anything is written: what is wrong with any is told. */
static hk_status try_steps(hk_static *s)
{
  for (int i = s->on.model->step_count - 1; i >= 0; i--) {
    const double start = hk_model_step_start(s->on.model, i);
    s->time.increment = hk_static_increments(&s->on.model->step[i]);
    HK_PASS(hk_static_hold(s, i, start));
    if (!(hk_static_theta(s, i) > 0)) HK_PASS(hk_static_check_rigid(s));
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
  s->on.shared = true;
  HK_PASS(hk_linear_ready(session->model->solve.how.method, hk_ranks_now() != NULL));
  s->on.in_rows = hk_ranks_now() && hk_linear_shares_rows(session->model->solve.how.method);
  if (hk_ranks_rank() > 0 && !s->on.in_rows) return HK_OK;
  if (!s->on.in_rows) hk_session_tell_ranks(session);
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
  if (hk_ranks_rank() > 0 && !s->on.share) return HK_OK;
  HK_PASS(hk_static_vectors(s));
  const int before = hk_clock_begin("constraints and loads");
  HK_PASS(try_steps(s));
  hk_clock_end(before);
  if (s->on.share) HK_PASS(hk_static_compare_ranks(s));
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
                 hk_analysis_of_model(s->on.model)->name, s->on.kind->name,
                 s->on.double_precision ? "double" : "single");
  return HK_OK;
}

static hk_status begin(void *run)
{
  hk_static *s = run;
  s->total_time = 0, s->frames.now = -1, s->time.increment = 0;
  return HK_OK;
}

/* Where the frame after the last that was written belongs. */
static const hk_static_frame *next_frame(const hk_static *s)
{
  return &s->frames.at[s->frames.now + 1];
}

static hk_status stop(void *run)
{
  const hk_static *s = run;
  const int step = next_frame(s)->step;
  if (!(s->on.model->step[step].theta > 0))
    return hk_error_set(HK_STOPPED,
                        "stopped before step %d of %d; the steps before it are in the result",
                        step + 1, s->on.model->step_count);
  return hk_error_set(HK_STOPPED,
                      "stopped in step %d of %d, at time %.6g; the frames before it are in the "
                      "result",
                      step + 1, s->on.model->step_count, s->total_time);
}

/* Stopped while the solver iterates: how far it came. */
static hk_status tell_stop(const hk_static *s, const hk_static_result *r)
{
  const int step = s->step + 1, steps = s->on.model->step_count;
  if (!r->method[0]) /* before the first iteration */
    return hk_error_set(HK_STOPPED,
                        "%s, in step %d of %d; the steps before it are in the result: run it again",
                        hk_error(), step, steps);
  return hk_error_set(HK_STOPPED,
                      "stopped in step %d of %d, after %d iterations with residual %.3g; the steps "
                      "before it are in the result: run it again",
                      step, steps, r->iterations, r->residual);
}

/* One solution: of the step, or of its next increment, in the frame frames.now. */
static hk_status solve(hk_static *s, int step)
{
  const hk_step *of = &s->on.model->step[step];
  const double start = hk_model_step_start(s->on.model, step);
  const hk_static_result *r = &s->result[s->frames.now];
  s->time.increment++;
  const int before = hk_clock_begin("constraints and loads");
  HK_PASS(hk_static_hold(s, step, start));
  HK_PASS(hk_static_load(s, start));
  hk_clock_end(before);
  HK_PASS(hk_static_assemble(s));
  if (s->time.increment == 1) hk_static_sample(s, 0);
  const hk_status status = hk_static_solve(s);
  s->total_time = start + (double)s->time.increment * hk_static_dt(of);
  if (status == HK_STOPPED) return tell_stop(s, r);
  HK_PASS(status);
  hk_static_sample(s, s->time.increment);
  return HK_OK;
}

static hk_status go_on(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_static_frame *frame = next_frame(s);
  if (s->frames.now >= 0 && s->frames.at[s->frames.now].step != frame->step) s->time.increment = 0;
  s->frames.now++;
  const hk_static_result *r = &s->result[s->frames.now];
  while (status == HK_OK && s->time.increment < frame->increment) {
    if (r->done && hk_static_wants_to_stop(s)) {
      s->frames.now--;
      return stop(s);
    }
    status = solve(s, frame->step);
  }
  hk_session_log(s->session, "step %d, time %.6g: %s, %d iterations, residual %.3g",
                 frame->step + 1, s->total_time, r->method, r->iterations, r->residual);
  return status;
}

/* Ranks that share the rows of K do it together. */
static hk_status advance(void *run)
{
  hk_static *s = run;
  if (!s->on.share) return go_on(s);
  if (hk_ranks_rank() == 0)
    HK_PASS(hk_ranks_command(hk_ranks_now(), &(hk_command){.what = HK_STATIC_ADVANCE}));
  return hk_ranks_agree(go_on(s));
}

static hk_status write(void *run, bool *more)
{
  hk_static *s = run;
  HK_PASS(hk_static_write(s));
  *more = s->frames.now + 1 < s->frames.count;
  if (!*more) hk_transient_warn(s);
  return HK_OK;
}

static hk_status close_files(void *run)
{
  hk_static *s = run;
  hk_linear_destroy(&s->solver.linear); /* while the ranks that share it are there */
  return hk_static_close(&s->files);
}

static hk_status serve(void *run)
{
  hk_static *s = run;
  if (!s->on.share) return hk_session_serve(s->session, NULL, NULL);
  HK_PASS(begin(s));
  return hk_session_serve(s->session, advance, s);
}

/* They differ in the words alone. */
#define STATIC_ANALYSIS(word, of_kind)                                                             \
  {                                                                                                \
    .name = word, .kind = of_kind, .system = &hk_system_static, .prepare = prepare, .on = on_of,   \
    .assemble = assemble, .open = open_files, .begin = begin, .advance = advance, .write = write,  \
    .stop = stop, .close = close_files, .summary = hk_static_summary,                              \
    .explain = hk_static_show_mechanism, .serve = serve, .destroy = destroy,                       \
    .check = hk_static_check, .ahead = hk_static_ahead                                             \
  }
const hk_analysis hk_analysis_static = STATIC_ANALYSIS("static", HK_STEP_STATIC);
const hk_analysis hk_analysis_heat = STATIC_ANALYSIS("heat", HK_STEP_HEAT);
const hk_analysis hk_analysis_coupled = STATIC_ANALYSIS("coupled", HK_STEP_COUPLED);
