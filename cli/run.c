/* hooke run MODEL: reads a model, solves it and prints a summary or run.json.
 * hk_run_ready checks the output folder and the device before the model is read. Warnings are
 * printed when they arise. A signal stops the run (signals.c). --restart without a value means
 * auto. */
#include "cli.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *output, *restart, *progress_mode;
static int force, no_pictures, keep_checkpoint;
static double checkpoint;

static const struct poptOption options[] = {
    {"output", 0, POPT_ARG_STRING, &output, 0, "result folder (default: MODEL.hooke here)", "DIR"},
    {"restart", 0, POPT_ARG_STRING, &restart, 0,
     "continue from the folder's checkpoint, or from FILE.h5", "[auto|FILE]"},
    {"force", 0, POPT_ARG_NONE, &force, 0, "overwrite a finished run", NULL},
    {"checkpoint", 0, POPT_ARG_DOUBLE, &checkpoint, 0,
     "wall time between checkpoints, in seconds (default: 60)", "SECONDS"},
    {"keep-checkpoint", 0, POPT_ARG_NONE, &keep_checkpoint, 0,
     "keep a checkpoint of the end: --restart can continue to a later end", NULL},
    {"no-pictures", 0, POPT_ARG_NONE, &no_pictures, 0, "write no pictures and no report.html",
     NULL},
    CLI_SOLVE,
    {"progress", 0, POPT_ARG_STRING, &progress_mode, 0, "auto, json (one object per line), none",
     "MODE"},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

static int visible(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

static void print_files(const char *folder)
{
  struct dirent **entry = NULL;
  const int count = scandir(folder, &entry, visible, alphasort);
  fputs("results in ", stdout), cli_put(stdout, folder), putchar(':');
  for (int i = 0; i < count; i++) {
    putchar(' '), cli_put(stdout, entry[i]->d_name);
    free(entry[i]);
  }
  free(entry);
  putchar('\n');
}

static double number(const json_t *object, const char *key)
{
  return json_number_value(json_object_get(object, key));
}

static void print_static(const json_t *run, const char *memory)
{
  const json_t *counts = json_object_get(run, "counts"), *seconds = json_object_get(run, "seconds");
  printf("%s: %.0f nodes, %.0f elements, %.0f static steps, %s, %.0f iterations, residual %.2g, "
         "%.3g s solving of %.3g s in all, %s\n",
         json_string_value(json_object_get(run, "status")), number(counts, "nodes"),
         number(counts, "elements"), number(counts, "steps"),
         json_string_value(json_object_get(run, "solver")), number(run, "iterations"),
         number(run, "residual"), number(seconds, "solve"), number(seconds, "total"), memory);
}

/* run.json in two lines */
static void print_summary(const char *folder, const char *json)
{
  json_t *run = json_loads(json, 0, NULL);
  const json_t *counts = json_object_get(run, "counts"), *seconds = json_object_get(run, "seconds");
  const char *state = json_string_value(json_object_get(run, "status")),
             *unit = json_string_value(json_object_get(run, "time_unit"));
  char memory[32], shots[32] = "";
  if (json_object_get(counts, "shots"))
    snprintf(shots, sizeof shots, "%.0f shots of ", number(counts, "shots"));
  cli_bytes(number(run, "peak_memory_bytes"), memory);
  if (json_object_get(run, "analysis"))
    print_static(run, memory);
  else
    printf(
        "%s: %.0f nodes, %.0f elements, %s%.0f steps of %.6g%s%s, %.3g s solving of %.3g s in all, "
        "%.3g Mdof/s, %s\n",
        state ? state : "?", number(counts, "nodes"), number(counts, "elements"), shots,
        number(counts, "steps"), number(run, "dt"), unit && *unit ? " " : "", unit ? unit : "",
        number(seconds, "solve"), number(seconds, "total"),
        number(run, "dof_updates_per_second") / 1e6, memory);
  print_files(folder);
  json_decref(run);
}

/* Where the seconds went: the stages, and what the largest are made of. */
static void print_stages(const char *json)
{
  json_t *run = json_loads(json, 0, NULL), *stages = json_object_get(run, "stages"), *value;
  const double total = number(json_object_get(run, "seconds"), "total");
  const char *name;
  puts("seconds by stage:");
  json_object_foreach(stages, name, value)
  {
    const double seconds = json_number_value(value);
    if (seconds >= 0.0005) printf("%10.3f %5.1f %%  %s\n", seconds, 100 * seconds / total, name);
  }
  printf("%10.3f          total\n", total);
  json_decref(run);
}

static char *join_words(const cli_verb *verb, int argc, const char **argv)
{
  size_t size = sizeof "hooke " + strlen(verb->name);
  for (int i = 1; i < argc; i++) size += strlen(argv[i]) + 1;
  char *text = malloc(size);
  if (!text) return NULL;
  strcpy(text, "hooke "), strcat(text, verb->name);
  for (int i = 1; i < argc; i++) strcat(text, " "), strcat(text, argv[i]);
  return text;
}

/* Warnings are said when they arise: a run may take hours. */
static void on_progress(const hk_progress *progress, void *user)
{
  cli_call *c = user;
  if (c->shown < hk_messages_count(c->list)) {
    cli_progress_end();
    cli_show_messages(c->list, &c->shown);
  }
  cli_progress(progress);
}

/* Of a run that has ended: its result, why it failed; the exit code. */
static int tell(const cli_call *c, hk_status status)
{
  int code = (int)status;
  if (hk_ranks_torn()) cli_ranks_speak();
  if (status == HK_STOPPED) {
    code = cli_signals_exit_code();
    cli_note("%s", hk_error());
    if (manner.json) cli_print_failure(c->json, status, code, hk_error(), c->list);
  } else if (status != HK_OK) {
    cli_fail_after(manner.json ? c->json : NULL, status, c->list);
  } else if (c->json && manner.json) {
    cli_print_result(c->json);
  } else if (c->json && !manner.quiet) {
    print_summary(output, c->json);
    if (manner.verbose) print_stages(c->json);
  }
  return code;
}

static int solve(cli_call *c, hk_run_desc *desc)
{
  hk_model *model = NULL;
  const hk_model_desc what = cli_model_desc(c->word[0]);
  struct timespec before, after;
  desc->progress = on_progress, desc->user = c;
  cli_progress(&(hk_progress){.stage = "read", .seconds_left = -1});
  clock_gettime(CLOCK_MONOTONIC, &before);
  hk_status status = hk_ranks_agree(hk_ranks_rank() == 0 ? hk_run_ready(desc, c->list) : HK_OK);
  if (status == HK_OK) status = hk_ranks_agree(hk_model_create(&what, c->list, &model));
  clock_gettime(CLOCK_MONOTONIC, &after);
  desc->read_seconds =
      (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
  cli_progress_end();
  cli_show_messages(c->list, &c->shown);
  if (status == HK_OK) {
    cli_signals_catch();
    status = hk_run(model, desc, c->list, &c->json);
    cli_progress_end();
    cli_show_messages(c->list, &c->shown);
  }
  hk_model_destroy(&model);
  return tell(c, status);
}

static int ends_with(const char *text, const char *ending)
{
  const size_t n = strlen(text), m = strlen(ending);
  return n >= m && !strcmp(text + n - m, ending);
}

/* "--restart" alone means "--restart=auto"; the next word is its value only if it can be one. */
static void complete_restart(int argc, const char **argv)
{
  for (int i = 1; i < argc; i++) {
    const char *next = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--restart") && strcmp(next, "auto") != 0 && !ends_with(next, ".h5") &&
        !ends_with(next, ".h5.old"))
      argv[i] = "--restart=auto";
  }
}

int cli_run(cli_call *c)
{
  int code = HK_USAGE;
  hk_run_desc desc = {.stop = cli_signals_stop};
  char *command = join_words(c->verb, c->argc, c->argv);

  complete_restart(c->argc, c->argv);
  const hk_status begun = cli_ranks_begin();
  if (begun != HK_OK) {
    code = cli_fail(begun, NULL);
    goto cleanup;
  }
  if (!cli_open(c, options)) {
    code = c->code;
    goto cleanup;
  }
  if (!cli_solve_desc(c->verb, &desc)) goto cleanup;
  if (!cli_progress_mode(progress_mode ? progress_mode : "auto")) {
    cli_usage_error(c->verb, "--progress %s: must be auto, json or none", progress_mode);
    goto cleanup;
  }
  if (!(checkpoint >= 0 && checkpoint < 1e9)) {
    cli_usage_error(c->verb, "--checkpoint %g: must be 0 s or more; 0 means the default, 60 s",
                    checkpoint);
    goto cleanup;
  }
  if (!output) output = cli_name_after(c->word[0], ".hooke");
  desc.output = output, desc.force = force, desc.restart = restart, desc.command = command;
  desc.no_pictures = no_pictures;
  desc.checkpoint_seconds = checkpoint, desc.keep_checkpoint = keep_checkpoint;
  code = output ? solve(c, &desc) : cli_fail(HK_NO_RESOURCES, NULL);
cleanup:
  free(command);
  return cli_ranks_end(code);
}
