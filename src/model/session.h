/* A run in progress: what run.c steps, session.c writes and summary.c tells. */
#ifndef HK_MODEL_SESSION_H
#define HK_MODEL_SESSION_H
#include "model/frames.h"
#include "output/checkpoint.h"

typedef struct hk_session {
  const hk_model *model;
  const hk_run_desc *desc;
  hk_messages *list;
  hk_problem *problem;
  hk_stage *stage; /* stage[stage_count] */
  int stage_count, current;
  hk_layouts layouts;
  hk_run_file *file;
  hk_field_file *field;
  hk_frames *frames;
  hk_explicit *solver; /* of the current stage */
  hk_count frame;      /* next of the current stage */
  uint64_t key;
  hk_energy energy;                  /* last */
  double baseline, largest, balance; /* of the energies: see session_energy.c */
  bool has_baseline;
  double earlier_work, earlier_damping;         /* of the stages before */
  hk_count steps_done, steps_all, steps_before; /* over all stages; done before a restart */
  double start, solve_start, last_progress, last_checkpoint, seconds_solve, seconds_output;
  hk_count last_checkpoint_step;
  char *state;    /* room for a checkpoint */
  double *traces; /* room for draining */
  hk_count trace_room;
  const char *status; /* of run.json */
} hk_session;

/* Opens the folder and its files: anew, or to go on from a checkpoint (*resume: head and s->state are set). */
hk_status hk_session_open(hk_session *s, bool *resume, hk_checkpoint *head);
/* Moves completed samples of the receivers to run.h5. */
hk_status hk_session_drain(hk_session *s);
/* Everything so far on disk, and a checkpoint of the present step. */
hk_status hk_session_checkpoint(hk_session *s);
/* Writes the energies of a sample and judges them: HK_UNSTABLE, with step, node and element, on not-a-number or a balance off by
 * more than 5 %. */
hk_status hk_session_energy(hk_session *s, hk_count sample, const hk_energy *energy);
/* What a checkpoint belongs to: mesh, materials, mass, damping, initial values, drive with its
 * signals, receivers, steps, frames, precision, form of K, numbering. */
uint64_t hk_session_key(const hk_session *s);
/* HK_UNSTABLE when the displacement at the end of a stage is not a number: it may have become so after the last sample. */
hk_status hk_session_judge_end(hk_session *s);
void hk_session_progress(hk_session *s, bool last);
void hk_session_log(const hk_session *s, const char *format, ...) HK_PRINTF(2, 3);
/* run.json as text; owned by the caller. */
hk_status hk_session_summary(const hk_session *s, char **json);
hk_count hk_session_bytes_per_step(const hk_session *s);
char *hk_session_path(const hk_session *s,
                      const char *name); /* NULL when memory ran out; hk_free */
#endif
