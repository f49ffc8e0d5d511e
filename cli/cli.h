/* What the verbs of the command share: options, messages, progress, signals, printing.
 *
 * A verb is one file with one function and one line in the table of main.c; that of `hooke bench` is a program of its own
 * (bench/src/main.c), which shares these files. It returns the exit code: an hk_status, or 128 + signal. The result goes to stdout, everything else to stderr. Only
 * the command reads the environment (NO_COLOR, TERM, CUDA_PATH,
 * XDG_CACHE_HOME, HOME, HOOKE_MPI, HOOKE_MPI_PATIENCE and what launchers of MPI set). */
#pragma once
#include <hooke/hooke.h>
#include <jansson.h>
#include <popt.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct cli_verb cli_verb;
typedef struct cli_call { /* of a verb */
  const cli_verb *verb;
  int argc;
  const char **argv;
  const char *word[2]; /* those of the verb, after cli_open; NULL: not given */
  int code;            /* where cli_open says false */
  hk_messages *list;
  hk_count shown;
  char *json; /* the result; NULL: none yet */
} cli_call;
typedef int cli_function(cli_call *call);

struct cli_verb {
  const char *name;
  const char *words;    /* "MODEL", "IN OUT", "NAME [DIR]" */
  int least, most;      /* number of words */
  const char *summary;  /* one line, for the list of verbs */
  const char *examples; /* lines; the first thing that --help prints */
  const char *details;  /* after the usage line; may be NULL */
  cli_function *run;
};

cli_function cli_run, cli_vary, cli_check, cli_info, cli_convert, cli_partition, cli_export,
    cli_compare, cli_report, cli_image, cli_inject, cli_matrix, cli_devices, cli_new, cli_selftest,
    cli_bench;

/* Before anything else in main, and the last in it: returns the exit code, which is `code` where standard output took the result. */
void cli_begin(void);
/* OpenMP uses `wanted` threads from now on (0: one for each core), or as many as can be started. */
void cli_threads(int wanted);
int cli_end(int code);

/* -q, -v, --json: as given on the command line */
typedef struct cli_manner {
  int quiet, verbose, json;
  /* --json is among the words, also where a wrong one keeps them from being read */
  bool json_named;
} cli_manner;
extern cli_manner manner;

/* Rows for the verbs' option tables. */
extern const struct poptOption cli_say_options[];  /* -q -v */
extern const struct poptOption cli_json_options[]; /* --json */
#define CLI_SAY                                                                                    \
  {                                                                                                \
    NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)cli_say_options, 0, NULL, NULL                        \
  }
#define CLI_JSON                                                                                   \
  {                                                                                                \
    NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)cli_json_options, 0, NULL, NULL                       \
  }

/* Reads the words and options after the verb; word[most] entries that are not given are NULL. False
 * when the verb is over: *code = 0 after --help, HK_USAGE after a said error. `table` must outlive
 * the process. */
bool cli_parse(const cli_verb *verb, int argc, const char **argv, const struct poptOption *table,
               const char **word, int *code);
/* The same for a call, whose list of messages is made too; main gives back what the call holds. */
bool cli_open(cli_call *call, const struct poptOption *table);
/* Shows the messages, then the result or why the call failed; the exit code. */
int cli_finish(cli_call *call, hk_status status);

/* Says what is wrong with the command line and how to get help; returns HK_USAGE. */
int cli_usage_error(const cli_verb *verb, const char *format, ...) HK_PRINTF(2, 3);
/* ", did you mean "x"?", or "". */
const char *cli_did_you_mean(const char *word, const char *const *words, int count);

/* Prints the messages from *shown on, then moves *shown to the end. -q keeps the errors only. */
void cli_show_messages(const hk_messages *list, hk_count *shown);
/* Says why a call failed, unless errors of `list` (may be NULL) have said it; with --json, where no result was printed, on stdout as an
 * object with all messages too. Returns `status`. */
int cli_fail(hk_status status, const hk_messages *list);
/* The same of a call that left a result (JSON; may be NULL), which is printed; with --json status, exit_code, error and messages stand in it. */
int cli_fail_after(const char *result, hk_status status, const hk_messages *list);
/* Prints that object; a `status` that the result has stays. */
void cli_print_failure(const char *result, hk_status status, int code, const char *error,
                       const hk_messages *list);
/* [{severity, file, line, column, text}] of all messages; the caller's. */
json_t *cli_json_messages(const hk_messages *list);
/* Prints text that comes from files, paths or the command line: what a terminal would obey is written out, ESC as \x1b. */
void cli_put(FILE *to, const char *text);
/* "hooke: text" on stderr; not with -q. */
void cli_note(const char *format, ...) HK_PRINTF(1, 2);

/* Prints JSON text as it is with --json, else as indented lines for people. */
int cli_print_result(const char *json);
bool cli_result_printed(void);
/* 12345678 -> "12.3 MB"; text[32] */
const char *cli_bytes(double bytes, char *text);

/* "path/weld.inp.gz", ".hooke" -> "weld.hooke"; owned by the caller (free). NULL when there is no
 * memory. */
char *cli_name_after(const char *model, const char *ending);

/* Progress on stderr: one line that is rewritten on a terminal, a line each 10 % otherwise, JSON
 * objects, or nothing. `mode`: "auto", "json", "none". */
bool cli_progress_mode(const char *mode);
void cli_progress(const hk_progress *progress);
void cli_progress_end(void); /* clears the line of a terminal */

/* From now on the first SIGINT or SIGTERM asks to stop and the second ends the process; SIGPIPE is
 * ignored. */
void cli_signals_catch(void);
bool cli_signals_stop(void *user); /* for hk_run_desc.stop */
int cli_signals_exit_code(void);   /* 130, 143 */

/* Where a launcher of MPI started this process among others: this is one of their ranks from now on; those but the first say nothing. HK_USAGE: the
 * launcher's MPI has no plug-in. */
hk_status cli_ranks_begin(void);
/* Lets a rank that fails alone say so. */
void cli_ranks_speak(void);
/* Ends it; the exit code, that of the first rank. */
int cli_ranks_end(int code);

/* --run-gmsh, --set: what cli_model_desc takes */
extern const struct poptOption cli_model_options[];
#define CLI_MODEL                                                                                  \
  {                                                                                                \
    NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)cli_model_options, 0, NULL, NULL                      \
  }
/* These, --device, --precision, --threads */
extern const struct poptOption cli_device_options[];
#define CLI_DEVICE                                                                                 \
  {                                                                                                \
    NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)cli_device_options, 0, NULL, NULL                     \
  }
/* These, --field-format and --blocks: of run and of check */
extern const struct poptOption cli_solve_options[];
#define CLI_SOLVE                                                                                  \
  {                                                                                                \
    NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)cli_solve_options, 0, NULL, NULL                      \
  }
int cli_threads_given(void); /* --threads, 0 without it */
/* A list of devices, a precision, as the options take them; both may be NULL. False after saying what is wrong. */
bool cli_are_devices(const cli_verb *verb, const char *names);
bool cli_is_precision(const cli_verb *verb, const char *name);
/* Puts them into `desc`; false after saying what is wrong. */
bool cli_solve_desc(const cli_verb *verb, hk_run_desc *desc);

/* --quantity, --component, --range, --decibels, --time, --section, --scale: of export and report */
extern const struct poptOption cli_picture_options[];
#define CLI_PICTURE                                                                                \
  {                                                                                                \
    NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)cli_picture_options, 0, NULL, NULL                    \
  }
/* What they say; NULL after saying what is wrong. */
const hk_picture_desc *cli_picture_choice(const cli_verb *verb);
/* "6, 2" -> x[*count], least to most numbers; false after saying what is wrong. */
bool cli_read_list(const cli_verb *verb, const char *option, const char *text, int least, int most,
                   double *x, int *count);

/* The number of an option that was given; nothing of one that was not (NULL). False after saying that it is none, or not above 0. */
bool cli_read_above_0(const cli_verb *verb, const char *option, const char *text, double *x);

/* From the environment: CUDA_PATH -> toolkit; XDG_CACHE_HOME or HOME -> cache. */
void cli_surroundings(hk_run_desc *desc);

/* What run and check read: the model at `path` with --set and --run-gmsh. */
hk_model_desc cli_model_desc(const char *path);
/* --set: overrides of case keys */
const char *const *cli_overrides(int *count);
