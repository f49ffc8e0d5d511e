/* A run over its result folder: what runs of every analysis have in common. */
#ifndef HK_RUN_SESSION_SESSION_H
#define HK_RUN_SESSION_SESSION_H
#include <hooke/run.h>
#include "model/model.h"

typedef struct hk_seconds_spent { /* for run.json, beside those of hk_discretisation */
  double setup;                   /* of a solver; < 0: the analysis has none */
  double solve, output;
} hk_seconds_spent;

typedef struct hk_session {
  const hk_model *model; /* NULL: not read yet */
  const hk_run_desc *desc;
  hk_messages *list;
  double start, last_progress;
  hk_seconds_spent seconds;
  const char *status; /* of run.json */
  char off[400];      /* why the end is not sound; empty: it is, so far */
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
/* Tells the caller that a stage of hk_progress begins. */
void hk_session_stage(const hk_session *s, const char *stage);
/* Tells the caller how far a stage is: ten times a second at most, but for the last word. */
void hk_session_progress(hk_session *s, const hk_progress *p, bool last);
/* Whether the caller wants the run to stop. */
bool hk_session_stops(const hk_session *s);
void hk_session_log(const hk_session *s, const char *format, ...) HK_PRINTF(2, 3);
char *hk_session_path(const hk_session *s,
                      const char *name); /* NULL when memory ran out; hk_free */
/* The path of a file that the run writes, on the list of what hooke wrote; hk_free. HK_NOT_WRITABLE where it is the user's. */
hk_status hk_session_claim(const hk_session *s, const char *name, char **path);
#endif
