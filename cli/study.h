/* A parameter study: variations of a case, each a run in a folder of its own (cli/vary.c). */
#pragma once
#include "cli.h"

typedef struct study_key { /* of --over */
  char *name;
  char **value; /* value[count], as YAML */
  int count;
} study_key;

typedef struct study_run {
  int code;        /* exit code; -1: not run yet */
  bool kept;       /* finished before */
  char folder[16]; /* in the study's folder: 0001, ... */
} study_run;

typedef struct study {
  const char *path; /* of the case */
  study_key *key;
  int keys, runs;
  study_run *run;     /* the last key varies fastest */
  const char *output; /* folder */
} study;

/* --over KEY=VALUES: values between commas outside brackets, braces and quotes, or first:last:count. False after saying what is wrong. */
bool study_read(const cli_verb *verb, const char *const *over, study *out);
/* False after saying which --set KEY=VALUE has no effect, for a key of the study replaces it. */
bool study_keeps_sets(const cli_verb *verb, const char *const *set, const study *s);
void study_clear(study *s);
/* The value of a key in a run. */
const char *study_value(const study *s, int run, int key);
/* The words --set KEY=VALUE of a run: text[keys], each the caller's (free); false: no memory. */
bool study_sets(const study *s, int run, char **text);
/* A path in the study's folder; the caller's (free). NULL: no memory. */
char *study_path(const study *s, const char *folder, const char *name);

typedef struct study_jobs {
  const char *const *word; /* word[words]: options of each run */
  int words;
  const char **device; /* device[devices]; NULL: the default */
  int devices;
  void (*told)(void *user, int run);
  void *user;
} study_jobs;
/* Runs each variation whose code is below 0 as a process `hooke run`, on the next free device. Calls told(user, run) when one has ended. HK_STOPPED after
 * a signal, which it hands on to the processes; HK_NO_RESOURCES where a process cannot be started. */
int study_run_all(study *s, const study_jobs *jobs);

/* vary.csv, and the same table on stdout: with --json as an object {status, exit_code, case, folder, runs: [{run, values: {KEY: text}, exit_code, folder,
 * key figures}]}; without --json and with -q nothing. `code`: how the study ended. */
int study_write(const study *s, int code);
