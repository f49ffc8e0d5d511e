/* Kinds of runs: each a line in the list (run/analyses.h), chosen by the model's steps. run/run.c owns the loop:
 *
 *   prepare   checks the model, opens the device, numbers the degrees of freedom; *run is what the others take
 *   assemble  K, and all that can be refused before the folder is touched
 *   open      the files of the folder, which is there
 *   begin     run.json says that it is running
 *   advance   to the next event: some steps in time, a static step
 *   write     what that event gave; *more: there are others
 *   stop      in place of advance, where the caller wants no more of it: HK_STOPPED with what is left and what to do
 *   close     the files, after the last event or a failure; the first failure of theirs
 *   summary   run.json as text, the caller's
 *   explain   files that show why a run failed; NULL: none
 *   destroy   takes what prepare left
 *   check     hk_check of such a model */
#ifndef HK_RUN_SESSION_ANALYSIS_H
#define HK_RUN_SESSION_ANALYSIS_H
#include "run/session/session.h"

typedef struct hk_analysis {
  const char *name;
  hk_step_kind kind; /* of the steps */
  hk_status (*prepare)(hk_session *session, void **run);
  hk_status (*assemble)(void *run);
  hk_status (*open)(void *run);
  hk_status (*begin)(void *run);
  hk_status (*advance)(void *run);
  hk_status (*write)(void *run, bool *more);
  hk_status (*stop)(void *run);
  hk_status (*close)(void *run);
  hk_status (*summary)(const void *run, char **json);
  hk_status (*explain)(void *run);
  void (*destroy)(void **run);
  hk_status (*check)(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                     char **json);
} hk_analysis;
#endif
