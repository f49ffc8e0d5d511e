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
 *   summary   adds to run.json what the others do not have (session/summary.h)
 *   explain   files that show why a run failed; NULL: none
 *   destroy   takes what prepare left
 *   check     hk_check: adds to the JSON what a run will take (estimate/check.h)
 *   ahead     hk_check_ahead: the session's model is a sample of the case `of`, whose mesh is not made; *complete: the answer is that of hk_check
 *
 * `system` is how the analysis gives its discrete system as an object (run/system/). */
#ifndef HK_RUN_SESSION_ANALYSIS_H
#define HK_RUN_SESSION_ANALYSIS_H
#include "run/session/discretisation.h"
#include "run/session/session.h"

struct json_t;
struct hk_system_kind;
struct hk_case_sample;

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
  void (*destroy)(void **run);
  hk_status (*check)(hk_session *session, struct json_t *root);
  hk_status (*ahead)(hk_session *session, const hk_model_desc *of,
                     const struct hk_case_sample *sample, struct json_t *root, bool *complete);
} hk_analysis;

extern const struct hk_system_kind hk_system_explicit, hk_system_static;
extern const hk_analysis hk_analysis_explicit, hk_analysis_static, hk_analysis_heat;
#define HK_ANALYSIS_LIST &hk_analysis_explicit, &hk_analysis_static, &hk_analysis_heat

/* Of steps of that kind. */
const hk_analysis *hk_analysis_of(hk_step_kind kind);
/* Of a model by its first step; the first of the list refuses one without steps. */
const hk_analysis *hk_analysis_of_model(const hk_model *model);
#endif
