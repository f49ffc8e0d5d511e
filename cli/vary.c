/* hooke vary CASE --over KEY=VALUES: runs a case once for each combination of values, each in a folder of its own, over the devices, and writes one table.
 * All variations are read and checked before the first one runs. vary.json says what the study is: the same command continues it. */
#include "study.h"
#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *output, *precision, *device;
static char **over, **overrides;
static int force, pictures, threads;

static const struct poptOption options[] = {
    {"over", 0, POPT_ARG_ARGV, &over, 0,
     "values of a case key: A,B,... or FIRST:LAST:COUNT; repeatable", "KEY=VALUES"},
    {"set", 0, POPT_ARG_ARGV, &overrides, 0, "override a case key in all runs; repeatable",
     "KEY=VALUE"},
    {"output", 0, POPT_ARG_STRING, &output, 0, "folder of the study (default: CASE.vary here)",
     "DIR"},
    {"force", 0, POPT_ARG_NONE, &force, 0, "run again what has finished", NULL},
    {"device", 0, POPT_ARG_STRING, &device, 0,
     "auto (a GPU if there is one, else cpu), cpu, cuda[:N], opencl[:N], all (each runs the next; "
     "or A,B)",
     "NAME"},
    {"precision", 0, POPT_ARG_STRING, &precision, 0, "single or double", "NAME"},
    {"threads", 0, POPT_ARG_INT, &threads, 0,
     "threads of each run on the processor (default: 0, its share)", "N"},
    {"pictures", 0, POPT_ARG_NONE, &pictures, 0, "write pictures and report.html of each run",
     NULL},
    CLI_SAY,
    CLI_JSON,
    POPT_TABLEEND};

/* Reads each variation as a run would; stops at the first wrong one and names its values. */
static hk_status check_all(cli_call *c, const study *s)
{
  hk_status worst = HK_OK;
  int set = 0;
  while (overrides && overrides[set]) set++;
  const char **words = calloc((size_t)(set + s->keys), sizeof *words);
  char **sets = calloc((size_t)s->keys, sizeof *sets);
  for (int r = 0; words && sets && r < s->runs && worst == HK_OK; r++) {
    hk_model *model = NULL;
    study_sets(s, r, sets);
    for (int k = 0; k < set; k++) words[k] = overrides[k];
    for (int k = 0; k < s->keys; k++) words[set + k] = sets[k];
    const hk_status status =
        hk_model_create(&(hk_model_desc){.path = s->path, .set = words, .set_count = set + s->keys},
                        c->list, &model);
    if (status != HK_OK) {
      worst = status;
      fprintf(stderr, "hooke: error: variation %d of %d:", r + 1, s->runs);
      for (int k = 0; k < s->keys; k++) fputs(" ", stderr), cli_put(stderr, sets[k]);
      fputs(" cannot be run\n", stderr);
    }
    for (int k = 0; k < s->keys; k++) free(sets[k]), sets[k] = NULL;
    hk_model_destroy(&model);
  }
  if (!words || !sets) worst = HK_NO_RESOURCES;
  free(words);
  free(sets);
  return worst;
}

/* What this command asks for, and which version of the case file. */
static json_t *describe(const study *s)
{
  json_t *root = json_object(), *all = json_array(), *set = json_array();
  for (int k = 0; k < s->keys; k++) {
    json_t *values = json_array();
    for (int i = 0; i < s->key[k].count; i++)
      json_array_append_new(values, json_string(s->key[k].value[i]));
    json_t *key = json_object(); /* the order of the keys numbers the runs */
    json_object_set_new(key, "key", json_string(s->key[k].name));
    json_object_set_new(key, "values", values);
    json_array_append_new(all, key);
  }
  for (int k = 0; overrides && overrides[k]; k++)
    json_array_append_new(set, json_string(overrides[k]));
  struct stat info = {0};
  stat(s->path, &info);
  json_object_set_new(root, "case", json_string(s->path));
  json_object_set_new(root, "bytes", json_integer((json_int_t)info.st_size));
  json_object_set_new(root, "modified", json_integer((json_int_t)info.st_mtime));
  json_object_set_new(root, "precision", json_string(precision ? precision : ""));
  json_object_set_new(root, "set", set);
  json_object_set_new(root, "over", all);
  return root;
}

/* What runs of another study left in the folders of this one, so that none of it counts: of folders that hooke wrote alone. */
static void forget_runs(const study *s)
{
  static const char *const name[] = {"run.json", "checkpoint.h5", "checkpoint.h5.old"};
  for (int r = 0; r < s->runs; r++) {
    char *written = study_path(s, s->run[r].folder, "written.txt");
    for (int k = 0; written && access(written, F_OK) == 0 && k < 3; k++) {
      char *path = study_path(s, s->run[r].folder, name[k]);
      if (path) unlink(path);
      free(path);
    }
    free(written);
  }
}

/* Says why the folder cannot hold the study; HK_NOT_WRITABLE. */
static int refuse(const cli_call *c, const study *s, const char *why)
{
  char text[4096];
  snprintf(text, sizeof text, "%s: %s", s->output, why);
  fputs("hooke: error: ", stderr), cli_put(stderr, text), fputs("\n", stderr);
  if (manner.json) cli_print_failure(NULL, HK_NOT_WRITABLE, HK_NOT_WRITABLE, text, c->list);
  return HK_NOT_WRITABLE;
}

/* The folder is new, or of this very study. */
static int open_folder(const cli_call *c, const study *s)
{
  int code = HK_OK;
  char *path = study_path(s, "", "vary.json"), why[256];
  json_t *own = describe(s), *there = path ? json_load_file(path, 0, NULL) : NULL;
  if (mkdir(s->output, 0777) != 0 && errno != EEXIST) {
    snprintf(why, sizeof why, "the folder cannot be made: %s", strerror(errno));
    code = refuse(c, s, why);
  } else if (there && !force && !json_equal(own, there)) {
    code = refuse(c, s,
                  "holds another study, or one of an earlier version of the case: give --force to "
                  "overwrite it, or another --output");
  } else {
    if (force || !there) forget_runs(s);
    if (!path || json_dump_file(own, path, JSON_INDENT(2)) != 0)
      code = refuse(c, s, "cannot be written");
  }
  json_decref(own);
  json_decref(there);
  free(path);
  return code;
}

/* Runs that have finished are kept. */
static void keep_finished(study *s)
{
  for (int r = 0; r < s->runs && !force; r++) {
    char *path = study_path(s, s->run[r].folder, "run.json");
    json_t *root = path ? json_load_file(path, 0, NULL) : NULL;
    const char *status = json_string_value(json_object_get(root, "status"));
    s->run[r].kept = status && !strcmp(status, "ok");
    if (s->run[r].kept) s->run[r].code = HK_OK;
    json_decref(root);
    free(path);
  }
}

static void told(void *user, int run)
{
  const study *s = user;
  int left = 0;
  for (int r = 0; r < s->runs; r++) left += s->run[r].code < 0;
  cli_note("run %d: exit code %d, %d left", run + 1, s->run[run].code, left);
}

/* The devices of a list; all: every CUDA GPU, else cpu. */
static int list_devices(const char **name, int most)
{
  static char text[512];
  int count = 0;
  if (device && !strcmp(device, "all")) {
    char *json = NULL;
    hk_run_desc how = {.output = NULL};
    cli_surroundings(&how);
    json_t *root = hk_devices(&how, &json) == HK_OK ? json_loads(json, 0, NULL) : NULL, *line;
    size_t i, used = 0;
    json_array_foreach(root, i, line)
    {
      const char *one = json_string_value(json_object_get(line, "device"));
      if (one && !strncmp(one, "cuda", 4) && !json_object_get(line, "error"))
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? "," : "", one);
    }
    if (!used) snprintf(text, sizeof text, "cpu");
    json_decref(root);
    hk_text_free(&json);
  } else if (device) {
    snprintf(text, sizeof text, "%s", device);
  } else {
    return name[0] = NULL, 1;
  }
  for (char *next = strtok(text, ","); next && count < most; next = strtok(NULL, ","))
    name[count++] = next;
  return count;
}

/* The options of each run. */
static int collect_words(const char **word, int devices)
{
  static char number[16];
  int n = 0;
  word[n++] = "-q", word[n++] = "--progress", word[n++] = "none";
  if (!pictures) word[n++] = "--no-pictures";
  if (precision) word[n++] = "--precision", word[n++] = precision;
  const int share = devices > 1 ? (omp_get_num_procs() + devices - 1) / devices : 0;
  if (threads || share) {
    snprintf(number, sizeof number, "%d", threads ? threads : share);
    word[n++] = "--threads", word[n++] = number;
  }
  for (int k = 0; overrides && overrides[k] && n < 60; k++)
    word[n++] = "--set", word[n++] = overrides[k];
  return n;
}

/* The exit code of the first run that failed. */
static int first_failure(const study *s)
{
  for (int r = 0; r < s->runs; r++)
    if (s->run[r].code > 0) return s->run[r].code;
  return HK_OK;
}

static void tell_failures(const study *s)
{
  for (int r = 0; r < s->runs; r++) {
    if (s->run[r].code <= 0) continue;
    fprintf(stderr, "hooke: error: run %d (%s) ended with exit code %d: see %s/%s.txt\n", r + 1,
            s->run[r].folder, s->run[r].code, s->output, s->run[r].folder);
  }
}

static int vary(cli_call *c, study *s)
{
  enum { MOST = 64 };
  const char *name[MOST], *word[MOST];
  const int devices = list_devices(name, MOST);
  hk_status status = check_all(c, s);
  cli_show_messages(c->list, &c->shown);
  if (status != HK_OK) return cli_fail(status, c->list);
  if (open_folder(c, s) != HK_OK) return HK_NOT_WRITABLE;
  keep_finished(s);
  cli_signals_catch();
  const int ended = study_run_all(s, &(study_jobs){.word = word,
                                                   .words = collect_words(word, devices),
                                                   .device = name,
                                                   .devices = devices,
                                                   .told = told,
                                                   .user = s});
  if (ended == HK_NO_RESOURCES)
    fprintf(stderr, "hooke: error: a process of hooke run cannot be started: %s\n",
            strerror(errno));
  const int code = ended == HK_STOPPED ? cli_signals_exit_code()
                   : ended != HK_OK    ? ended
                                       : first_failure(s);
  const int written = study_write(s, code);
  if (ended == HK_STOPPED) {
    cli_note(force ? "stopped: the same command without --force continues"
                   : "stopped: the same command continues");
    return code;
  }
  tell_failures(s);
  return code != HK_OK ? code : written;
}

int cli_vary(cli_call *c)
{
  enum { MOST_SETS = 24 }; /* words of a process: study_jobs */
  study s = {.path = NULL};
  int set = 0;
  int code = HK_USAGE;
  if (!cli_open(c, options)) return c->code;
  while (overrides && overrides[set]) set++;
  if (!cli_are_devices(c->verb, device) || !cli_is_precision(c->verb, precision)) return code;
  if (threads < 0) return cli_usage_error(c->verb, "--threads %d: must be 0 or more", threads);
  if (set > MOST_SETS)
    return cli_usage_error(c->verb, "--set is given %d times: at most %d", set, MOST_SETS);
  s.path = c->word[0];
  s.output = output ? output : cli_name_after(c->word[0], ".vary");
  if (s.output && study_read(c->verb, (const char *const *)over, &s) &&
      study_keeps_sets(c->verb, (const char *const *)overrides, &s))
    code = vary(c, &s);
  study_clear(&s);
  return code;
}
