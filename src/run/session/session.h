/* A run over its result folder: what runs of every analysis have in common. */
#pragma once
#include <hooke/run.h>
#include "model/model.h"
#include <jansson.h>
#include "run/session/discretisation.h"

struct json_t;
struct hk_system_kind;
struct hk_case_sample;

typedef struct
    hk_session_rest { /* seconds, by the last run like it; 0: not known, or nothing to do */
  double pictures, report;
} hk_session_rest;

typedef struct hk_session {
  const hk_model *model; /* NULL: not read yet */
  const hk_run_desc *desc;
  hk_messages *list;
  double start, last_progress;
  hk_clock clock;     /* of hk_run: its stages and what they took */
  const char *status; /* of run.json */
  char off[400];      /* why the end is not sound; empty: it is, so far */
  hk_session_rest rest;
} hk_session;

/* Before anything is computed: the folder is free, or holds a run that can be gone on with or may be overwritten; HK_NOT_WRITABLE
 * otherwise. HK_USAGE for an unknown format of fields. Changes nothing. */
hk_status hk_session_check(const hk_session *s);
/* Takes away what a run before wrote into the folder and its export/, run.h5 aside; other files stay. */
void hk_session_clean(const hk_session *s);
/* The results in the folder are of a run that is gone on with: where the list of what hooke wrote is lost, they are put on a new one. */
hk_status hk_session_adopt(const hk_session *s);
bool hk_session_has(const hk_session *s, const char *name);
bool hk_session_wants_vtu(const hk_session *s);
/* A stage of hk_progress begins: the clock counts for it, and the caller is told. */
void hk_session_stage(const hk_session *s, const char *stage);
/* Only tells the caller: what follows is a part of the stage that the clock counts for. left: seconds of the run; 0: not known. */
void hk_session_tell(const hk_session *s, const char *stage, double left);
/* Tells the caller how far a stage is: ten times a second at most, but for the last word. */
void hk_session_progress(hk_session *s, const hk_progress *p, bool last);
/* Whether the caller wants the run to stop, of any rank. */
bool hk_session_stops(const hk_session *s);
void hk_session_log(const hk_session *s, const char *format, ...) HK_PRINTF(2, 3);
/* shared.c, where ranks of MPI share systems of equations. A note that tells it, if there are several and rank 0 makes K. */
void hk_session_tell_ranks(const hk_session *s);
/* The same as hk_session_stops, asked by all ranks at once, which get one answer. */
bool hk_session_stops_together(const hk_session *s);
/* hk_analysis.serve: does(user) what rank 0 commands; NULL: solutions by PETSc. */
hk_status hk_session_serve(hk_session *s, hk_status (*does)(void *user), void *user);
/* A path in the result folder. What is cut off is longer than the system allows, which refuses the rest too. */
typedef struct hk_path {
  char text[4096 + 256];
} hk_path;
hk_path hk_session_path(const hk_session *s, const char *name);
/* The path of a file that the run writes, on the list of what hooke wrote. HK_NOT_WRITABLE where it is the user's. */
hk_status hk_session_claim(const hk_session *s, const char *name, hk_path *path);

/* What every run.json begins and ends with; in between its analysis adds what the others do not have. */

/* A new object: status, version, title, model, command, device, precision, threads, method, dimension, units; counts of nodes, elements and dofs. */
json_t *hk_summary_begin(const hk_session *s, const hk_discretisation *on);
/* What its stages took: read, mesh, assemble, setup and verify where there are some, solve, output, which add up to the total; and what those
 * that have parts are made of. */
void hk_summary_add_seconds(hk_session *s, json_t *root);
/* {path of a stage: its own seconds}, of the model's reading too; a new object. */
json_t *hk_summary_stages(const hk_session *s);
/* `ranks` of a run over ranks of MPI: how many, and whose MPI. */
void hk_summary_add_ranks(json_t *root);
/* Of the process at most, and of K. */
void hk_summary_add_memory(const hk_discretisation *on, json_t *root);
/* Keeps what the stages of a run that ended well took, those of compiling apart, in the cache folder of its device. Nothing where there
 * is none. */
void hk_stages_keep(const hk_session *s, const hk_discretisation *on);
/* What pictures and report of a run will take by the last run like it. */
hk_session_rest hk_stages_kept_rest(const hk_session *s, const hk_discretisation *on);
/* "seconds_beside", "stages": what a run of `nodes` nodes will take beside solving, by what the last run like it took: of the same
 * analysis, form of K, shape, precision, solver and kinds of files, device and threads, and a number of nodes that differs by a factor of 16 at most.
 * null, and no stages: none is kept. */
void hk_stages_add_kept(const hk_discretisation *on, double nodes, json_t *root);
/* Seconds of its solving; 0: none is kept. */
double hk_stages_kept_solve(const hk_discretisation *on, double nodes);
/* {nodes, elements, dofs} */
json_t *hk_json_sizes(const hk_discretisation *on);
/* counts[key] = count */
void hk_summary_count(json_t *root, const char *key, hk_count count);
/* Warnings and notes. */
void hk_summary_end(const hk_session *s, json_t *root);

/* Kinds of runs: each a line in HK_ANALYSIS_LIST, chosen by the model's steps. run/run.c owns the loop:
 *
 *   prepare   checks the model, opens the device, numbers the degrees of freedom; *run is what the others take
 *   on        the discretised model of a run that was prepared
 *   assemble  K, and all that can be refused before the folder is touched
 *   open      the files of the folder, which is there
 *   begin     run.json says that it is running
 *   advance   to the next event: some steps in time, a static step
 *   write     what that event gave; *more: there are others
 *   stop      in place of advance, where the caller wants no more of it: HK_STOPPED with what is left and what to do
 *   close     the files, after the last event or a failure; the first failure of theirs
 *   summary   adds to run.json what the others do not have (hk_summary_begin)
 *   explain   files that show why a run failed; NULL: none
 *   serve     in place of all from open to close, on ranks of MPI but the first: until rank 0 commands HK_RUN_END, whose flag is the status;
 *             NULL: prepare refuses ranks
 *   destroy   takes what prepare left
 *   check     hk_check: adds to the JSON what a run will take (estimate/estimate.h)
 *   ahead     hk_check_ahead: the session's model is a sample of the case `of`, whose mesh is not made; *complete: the answer is that of hk_check
 *
 * `system` is how the analysis gives its discrete system as an object (run/system/). */

enum { HK_RUN_END = 1, HK_STATIC_ADVANCE = 32 }; /* hk_command.what */

typedef struct hk_analysis {
  const char *name;
  hk_step_kind kind; /* of the steps */
  bool in_time;      /* signals act as time goes on; else by their value at the end of a step */
  const struct hk_system_kind *system;
  hk_status (*prepare)(hk_session *session, void **run);
  const hk_discretisation *(*on)(const void *run);
  hk_status (*assemble)(void *run);
  hk_status (*open)(void *run);
  hk_status (*begin)(void *run);
  hk_status (*advance)(void *run);
  hk_status (*write)(void *run, bool *more);
  hk_status (*stop)(void *run);
  hk_status (*close)(void *run);
  void (*summary)(const void *run, struct json_t *root);
  hk_status (*explain)(void *run);
  hk_status (*serve)(void *run);
  void (*destroy)(void **run);
  hk_status (*check)(hk_session *session, struct json_t *root);
  hk_status (*ahead)(hk_session *session, const hk_model_desc *of,
                     const struct hk_case_sample *sample, struct json_t *root, bool *complete);
} hk_analysis;

extern const struct hk_system_kind hk_system_explicit, hk_system_static;
extern const hk_analysis hk_analysis_explicit, hk_analysis_static, hk_analysis_heat,
    hk_analysis_coupled;
#define HK_ANALYSIS_LIST                                                                           \
  &hk_analysis_explicit, &hk_analysis_static, &hk_analysis_heat, &hk_analysis_coupled

/* Of steps of that kind. */
const hk_analysis *hk_analysis_of(hk_step_kind kind);
/* Of a model by its first step; the first of the list refuses one without steps. */
const hk_analysis *hk_analysis_of_model(const hk_model *model);
