/* The loop of every run: the analysis advances and writes what is due until nothing is left, and
 * the caller may stop it in between. Then follow run.json, pictures and the report. However a run
 * ends, its files are closed and run.json says how it ended. If several parts fail, the first
 * failure is reported. */
#include <hooke/result.h>
#include "base/json.h"
#include "base/file.h"
#include "link/ranks.h"
#include "picture/pictures.h"
#include "report/report.h"
#include "result/written.h"
#include "run/session/session.h"
#include <omp.h>
#include <stdio.h>
#include <string.h>

typedef struct run {
  hk_session session;
  const hk_analysis *analysis;
  void *data;      /* of the analysis */
  hk_scene *scene; /* of the pictures; NULL: there are none of fields */
  char **json;     /* what run.json says, or should say where it cannot be written; may be NULL */
} run;

static hk_status write_summary(run *r)
{
  hk_status status = HK_OK;
  const hk_session *s = &r->session;
  char *text = NULL;
  hk_path path;
  json_t *root = hk_summary_begin(&r->session, r->analysis->on(r->data));
  r->analysis->summary(r->data, root);
  hk_summary_end(&r->session, root);
  HK_TRY(hk_json_dump(root, 15, &text));
  HK_TRY(hk_session_claim(&r->session, "run.json", &path));
  /* a sync before the end would wait for what other threads fill the files with */
  status = strcmp(s->status, "running") ? hk_write_text_file(path.text, text)
                                        : hk_write_file(path.text, text, strlen(text));
  if (r->json) hk_free(r->json), *r->json = text, text = NULL;
cleanup:
  json_decref(root);
  hk_free(&text);
  return status;
}

static void remove_file(const hk_session *s, const char *name)
{
  const hk_path path = hk_session_path(s, name);
  if (hk_written_check(path.text) == HK_OK) remove(path.text);
}

static hk_status step_through(run *r)
{
  HK_PASS(r->analysis->begin(r->data));
  for (bool more = true; more;) {
    if (hk_session_stops(&r->session)) return r->analysis->stop(r->data);
    HK_PASS(r->analysis->advance(r->data));
    HK_PASS(r->analysis->write(r->data, &more));
  }
  return HK_OK;
}

static bool keeps_frames(const hk_model *model)
{
  bool any = false;
  for (int i = 0; i < model->step_count; i++) any = any || model->step[i].field.quantities;
  return any;
}

/* While a device computes, half of the threads make what all pictures share. Where the processor computes it has no threads to spare: they
 * make it when the steps have ended. */
static hk_status begin_scene(run *r)
{
  const hk_session *s = &r->session;
  const int half = omp_get_max_threads() / 2;
  const bool beside = hk_device_describe(r->analysis->on(r->data)->device)->overlaps;
  if (s->desc->no_pictures || !keeps_frames(s->model)) return HK_OK;
  return hk_scene_begin(s->model->mesh, !beside ? 0 : half > 1 ? half : 1, &r->scene);
}

static hk_status draw_pictures(run *r)
{
  const hk_session *s = &r->session;
  hk_session_tell(s, "pictures", s->rest.pictures + s->rest.report);
  if (r->scene) HK_PASS(hk_scene_end(r->scene));
  return hk_pictures_draw(s->desc->output, r->scene, NULL, 0, NULL);
}

static hk_status write_report(run *r)
{
  const hk_session *s = &r->session;
  const hk_view_model model = {s->model->mesh, hk_model_regions(s->model)};
  const hk_report_beside beside = {r->scene, r->scene ? &model : NULL};
  return hk_report_make(s->desc->output, beside, NULL, NULL);
}

/* Pictures, then run.json (the report shows it), then the report, then the time that it took. */
static hk_status write_results(run *r)
{
  hk_session *s = &r->session;
  HK_PASS(write_summary(r)); /* the pictures show its residuals */
  const int before = hk_clock_begin("pictures");
  if (!s->desc->no_pictures) HK_PASS(draw_pictures(r));
  hk_clock_end(before);
  s->status = s->off[0] ? hk_status_name(HK_UNSTABLE) : "ok";
  HK_PASS(write_summary(r));
  if (s->desc->no_pictures) return HK_OK;
  hk_session_tell(s, "report", s->rest.report);
  hk_clock_begin("report");
  HK_PASS(write_report(r));
  hk_clock_end(before);
  return write_summary(r);
}

/* A finished run needs no checkpoint, nor what belongs to it, unless it is to go on some day. */
static void remove_checkpoints(const hk_session *s)
{
  if (s->desc->keep_checkpoint) return;
  remove_file(s, "checkpoint.h5");
  remove_file(s, "checkpoint.h5.old");
  remove_file(s, "computed.h5");
}

/* A run that ends badly says why, and does not leave a run.json that says ok. */
static hk_status tell_failure(run *r, hk_status status)
{
  char words[1024];
  hk_session *s = &r->session;
  const bool ok = strcmp(s->status, "running") != 0;
  snprintf(words, sizeof words, "%s", hk_error());
  s->status = hk_status_name(status);
  hk_session_log(s, "%s", words);
  if (write_summary(r) != HK_OK && ok) remove_file(s, "run.json");
  if (r->analysis->explain) {
    if (r->analysis->explain(r->data) != HK_OK) hk_session_log(s, "%s", hk_error());
    write_summary(r);
  }
  return hk_error_set(status, "%s", words);
}

/* Whether the run ended well or not, its files are closed; of both failures the first counts. */
static hk_status close_files(run *r, hk_status ended)
{
  char words[1024] = "";
  if (ended != HK_OK) snprintf(words, sizeof words, "%s", hk_error());
  const int before = hk_clock_begin("close");
  const hk_status closed = r->analysis->close(r->data);
  hk_clock_end(before);
  return ended == HK_OK ? closed : hk_error_set(ended, "%s", words);
}

/* After the folder is open: the run itself, and what is written whatever its end. */
static hk_status run_opened(run *r)
{
  hk_status status = HK_OK;
  hk_session *s = &r->session;
  hk_session_stage(s, "solve");
  s->status = "running";
  s->rest = hk_stages_kept_rest(s, r->analysis->on(r->data));
  status = write_summary(r);
  if (status == HK_OK) status = begin_scene(r);
  if (status == HK_OK) status = step_through(r);
  hk_session_stage(s, "output");
  HK_TRY(close_files(r, status));
  HK_TRY(write_results(r));
  if (!s->desc->restart && !s->off[0]) hk_stages_keep(s, r->analysis->on(r->data));
  remove_checkpoints(s);
  return s->off[0] ? hk_error_set(HK_UNSTABLE, "%s", s->off) : HK_OK;
cleanup:
  return tell_failure(r, status);
}

static hk_status open_folder(run *r)
{
  HK_PASS(hk_make_folder(r->session.desc->output));
  HK_PASS(hk_session_check(&r->session)); /* once more: others may have written there meanwhile */
  const int before = hk_clock_begin_top("output");
  hk_clock_begin("open");
  HK_PASS(r->analysis->open(r->data));
  hk_clock_end(before);
  return HK_OK;
}

/* All that can be refused before the folder is touched; of several ranks each does it, and the first says what is wrong with the folder. */
static hk_status set_up(run *r)
{
  const bool writes = hk_ranks_rank() == 0;
  HK_NEED(r->session.desc->output && r->session.desc->output[0], HK_USAGE,
          "no output folder was given");
  if (writes) HK_PASS(hk_session_check(&r->session));
  hk_session_stage(&r->session, "mesh");
  HK_PASS(hk_ranks_agree(r->analysis->prepare(&r->session, &r->data)));
  hk_session_stage(&r->session, "assemble");
  return r->analysis->assemble(r->data);
}

/* The other ranks leave with what rank 0 came to. */
static hk_status end_ranks(hk_status status)
{
  hk_ranks *ranks = hk_ranks_now();
  char words[1024] = "";
  if (!ranks || ranks->torn || ranks->failure.status != HK_OK) return status;
  if (status != HK_OK) snprintf(words, sizeof words, "%s", hk_error());
  hk_ranks_command(ranks, &(hk_command){.what = HK_RUN_END, .flag = (int)status});
  return status == HK_OK ? HK_OK : hk_error_set(status, "%s", words);
}

static hk_status work(run *r)
{
  HK_PASS(hk_ranks_agree(set_up(r)));
  if (hk_ranks_rank() > 0) {
    HK_PASS(hk_ranks_agree(HK_OK));
    return r->analysis->serve(r->data);
  }
  HK_PASS(hk_ranks_agree(open_folder(r)));
  return end_ranks(run_opened(r));
}

bool hk_stop_when_set(void *user)
{
  return *(const volatile bool *)user;
}

hk_status hk_run(const hk_model *model, const hk_run_desc *desc, hk_messages *list, char **json)
{
  const int threads_before = omp_get_max_threads(); /* the caller's, put back */
  run r = {.session = {.model = model, .desc = desc, .list = list, .start = hk_seconds()},
           .analysis = hk_analysis_of_model(model),
           .json = json};
  hk_clock *clock_before = hk_clock_start(&r.session.clock);

  hk_clock_begin_top("mesh");
  hk_messages_renew(list);
  if (json) *json = NULL;
  if (hk_ranks_now()) hk_ranks_renew(hk_ranks_now());
  const hk_status status = work(&r);
  hk_scene_destroy(&r.scene);
  r.analysis->destroy(&r.data);
  hk_clock_use(clock_before);
  omp_set_num_threads(threads_before);
  return status;
}

hk_status hk_check(const hk_model *model, const hk_run_desc *desc, hk_messages *list, char **json)
{
  hk_status status = HK_OK;
  hk_session session = {.model = model, .desc = desc, .list = list, .start = hk_seconds()};
  json_t *root = json_object();
  hk_messages_renew(list);
  HK_TRY(hk_analysis_of_model(model)->check(&session, root));
  HK_TRY(hk_json_dump(root, 12, json));
cleanup:
  json_decref(root);
  return status;
}
