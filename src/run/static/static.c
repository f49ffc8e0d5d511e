/* The loop of a static run: step by step hold, load, solve, write. */
#include "run/static/static.h"
#include <hooke/result.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include "base/text_file.h"
#include "result/written.h"

static void begin_stage(const hk_static *s, const char *stage)
{
  const hk_run_desc *desc = s->session->desc;
  const hk_progress p = {.stage = stage, .seconds_left = -1};
  if (desc->progress) desc->progress(&p, desc->user);
}

static hk_status write_summary(const hk_static *s, char **json)
{
  hk_status status = HK_OK;
  char *text = NULL, *path = hk_session_path(s->session, "run.json");
  HK_CHECK(path, HK_NO_RESOURCES, "out of memory");
  HK_TRY(hk_static_summary(s, &text));
  HK_TRY(hk_written_claim(path));
  status = hk_write_text_file(path, text);
  if (json) hk_free(json), *json = text, text = NULL;
cleanup:
  hk_free(&text);
  hk_free(&path);
  return status;
}

static hk_status open_folder(hk_static *s)
{
  hk_status status = HK_OK;
  hk_session *run = s->session;
  HK_TRY(hk_make_folder(run->desc->output));
  HK_TRY(hk_session_check(run)); /* once more: others may have written there meanwhile */
  HK_TRY(hk_static_print_ready(s));
  HK_TRY(hk_static_pictures_ready(s));
  hk_session_clean(run);
  HK_TRY(hk_static_open(s));
  hk_session_log(run, "%s: %lld nodes, %lld elements, %d %s steps, %s, %s", s->model->path,
                 (long long)s->model->mesh->node_count, (long long)s->model->mesh->element_count,
                 s->model->step_count, s->heat ? "heat" : "static", s->kind->name,
                 s->double_precision ? "double" : "single");
cleanup:
  return status;
}

/* Constraints and loads of every step are tried before anything is written: what is wrong with any is told. */
static hk_status try_steps(hk_static *s)
{
  hk_status status = HK_OK;
  double start = 0;
  for (int i = s->model->step_count - 1; i >= 0; i--) {
    start = 0;
    for (int k = 0; k < i; k++) start += s->model->step[k].duration;
    HK_TRY(hk_static_hold(s, i, start));
    HK_TRY(hk_static_check_rigid(s));
    HK_TRY(hk_static_load(s, i, start));
  }
cleanup:
  return status;
}

static hk_status run_step(hk_static *s, int step)
{
  hk_status status = HK_OK;
  const double start = s->total_time, before = hk_seconds(), setup = s->seconds_setup;
  const hk_static_result *r = &s->result[step];
  HK_TRY(hk_static_hold(s, step, start));
  HK_TRY(hk_static_load(s, step, start));
  HK_TRY(hk_static_assemble(s));
  s->total_time = start + s->model->step[step].duration;
  status = hk_static_solve(s);
  s->session->seconds_solve += hk_seconds() - before - (s->seconds_setup - setup);
  hk_session_log(s->session, "step %d: %s, %d iterations, residual %.3g", step + 1, r->method,
                 r->iterations, r->residual);
  if (status == HK_STOPPED && !r->method[0]) /* before the first iteration */
    hk_error_set(status,
                 "%s, in step %d of %d; the steps before it are in the result: run it again",
                 hk_error(), step + 1, s->model->step_count);
  else if (status == HK_STOPPED)
    hk_error_set(status,
                 "stopped in step %d of %d, after %d iterations with residual %.3g; the steps "
                 "before it are in the result: run it again",
                 step + 1, s->model->step_count, r->iterations, r->residual);
  HK_TRY(status);
  HK_TRY(hk_static_write(s));
cleanup:
  return status;
}

static hk_status run_steps(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_run_desc *desc = s->session->desc;
  s->total_time = 0;
  for (int i = 0; i < s->model->step_count; i++) {
    HK_CHECK(!(desc->stop && desc->stop(desc->user)), HK_STOPPED,
             "stopped before step %d of %d; the steps before it are in the result", i + 1,
             s->model->step_count);
    HK_TRY(run_step(s, i));
  }
cleanup:
  return status;
}

/* Pictures, then run.json (the report shows it), then the report, then the time that it took. */
static hk_status write_results(hk_static *s, char **json)
{
  hk_status status = HK_OK;
  hk_session *run = s->session;
  const double start = hk_seconds();
  begin_stage(s, "output");
  HK_TRY(write_summary(s, json)); /* the pictures show its residuals */
  if (!run->desc->no_pictures) HK_TRY(hk_pictures_write(run->desc->output, NULL, 0));
  run->seconds_output += hk_seconds() - start;
  run->status = "ok";
  HK_TRY(write_summary(s, json));
  if (run->desc->no_pictures) return HK_OK;
  HK_TRY(hk_report_write(run->desc->output, NULL));
  HK_TRY(write_summary(s, json));
cleanup:
  return status;
}

/* After the folder is open: the run itself, and what is written whatever its end. The first failure counts. */
static hk_status run_opened(hk_static *s, char **json)
{
  char words[1024] = "";
  hk_session *run = s->session;
  begin_stage(s, "solve");
  run->status = "running";
  hk_status status = write_summary(s, json);
  if (status == HK_OK) status = run_steps(s);
  if (status != HK_OK) snprintf(words, sizeof words, "%s", hk_error());
  const hk_status closed = hk_static_close(s);
  if (status == HK_OK && closed != HK_OK) status = closed;
  if (status == HK_OK) status = write_results(s, json);
  if (status == HK_OK) return HK_OK;
  if (!words[0]) snprintf(words, sizeof words, "%s", hk_error());
  run->status = hk_status_name(status);
  hk_session_log(run, "%s", words);
  write_summary(s, json);
  if (s->mechanism.count) {
    if (hk_static_show_mechanism(s) != HK_OK) hk_session_log(run, "%s", hk_error());
    write_summary(s, json);
  }
  return hk_error_set(status, "%s", words);
}

hk_status hk_static_run(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                        char **json)
{
  hk_status status = HK_OK;
  hk_session run = {.model = model, .desc = desc, .list = list, .start = hk_seconds()};
  hk_static s = {.session = &run, .model = model, .list = list};
  const int threads_before = omp_get_max_threads();

  HK_TRY(hk_session_check(&run));
  if (desc->restart)
    hk_messages_add(list, HK_NOTE, NULL, 0, 0,
                    "static runs have no checkpoints: the run starts from the beginning");
  begin_stage(&s, "mesh");
  HK_TRY(hk_static_prepare(&s));
  omp_set_num_threads(hk_device_describe(s.device)->threads);
  begin_stage(&s, "assemble");
  HK_TRY(hk_static_vectors(&s));
  HK_TRY(try_steps(&s));
  HK_TRY(hk_static_assemble(&s));
  HK_TRY(open_folder(&s));
  status = run_opened(&s, json);
cleanup:
  hk_static_clear(&s);
  omp_set_num_threads(threads_before);
  return status;
}
