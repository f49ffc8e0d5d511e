/* A run in progress: what run.c steps, session.c writes and summary.c tells. */
#ifndef HK_RUN_SESSION_SESSION_H
#define HK_RUN_SESSION_SESSION_H
#include "run/explicit/frames.h"
#include "run/session/balance.h"
#include "result/restart/checkpoint.h"

typedef struct hk_snapshots { /* frames of one shot */
  hk_count shot;
  char *name; /* of its files */
  hk_field_layout layout;
  hk_field_file *file;
  hk_frames *frames; /* while the shot is being stepped */
} hk_snapshots;

typedef enum hk_part { /* of the key of a checkpoint; causes before what follows from them */
                       HK_PART_PRECISION,
                       HK_PART_METHOD,
                       HK_PART_MESH,
                       HK_PART_NUMBERING,
                       HK_PART_MATERIALS,
                       HK_PART_SPRINGS,
                       HK_PART_MASS,
                       HK_PART_ABSORB,
                       HK_PART_DAMPING,
                       HK_PART_INITIAL,
                       HK_PART_SIGNALS,
                       HK_PART_LOADS,
                       HK_PART_MOTIONS,
                       HK_PART_STEP,
                       HK_PART_DURATION,
                       HK_PART_SHOTS,
                       HK_PART_END, /* of the last step; from here on parts that a run may go on without */
                       HK_PART_TRACES,
                       HK_PART_FRAMES,
                       HK_PARTS
} hk_part;
_Static_assert((int)HK_PARTS == (int)HK_CHECKPOINT_PARTS,
               "a checkpoint keeps every part of the key");

typedef struct hk_session {
  const hk_model *model;
  const hk_run_desc *desc;
  hk_messages *list;
  hk_problem *problem;
  hk_stage *stage; /* stage[stage_count] */
  int stage_count, current;
  hk_count shots;      /* in all; 1 where there are none */
  hk_count first_shot; /* [first_shot, first_shot + batch) are being stepped */
  int batch, at_once;  /* at_once: batch of all but the last */
  hk_balance *balance; /* balance[batch] */
  hk_energy *energy;   /* energy[batch], of a sample */
  hk_balance ended;    /* of the shots that ended: sums; balance: the worst, relative */
  hk_layouts layouts;
  hk_run_file *file;
  hk_run_file
      *computed; /* computed.h5: traces of every step, beside the checkpoint; NULL: not kept */
  hk_snapshots *snapshots; /* film[film_count]: ascending shots; none without frames */
  int snapshots_count;
  hk_explicit *solver; /* of the current stage */
  hk_count frame;      /* next of the current stage */
  uint64_t key[HK_PARTS];
  bool energy_coming;                  /* a sample is on its way from the device: */
  hk_count energy_sample, energy_step; /* its number, and the step at its end */
  hk_count steps_done, steps_all,
      steps_before; /* over all stages and batches; done before a restart */
  double updates;   /* steps times shots since then */
  double start, solve_start, last_progress, last_checkpoint, seconds_solve, seconds_output;
  hk_count last_checkpoint_step;
  char *state;    /* room for a checkpoint */
  double *traces; /* room for draining */
  hk_count trace_room;
  const char *status;         /* of run.json */
  char off[400];              /* why the end is not sound; empty: it is, so far */
  bool restored;              /* traces are without time dispersion */
  bool carried, fresh_traces; /* files were laid out anew; the receivers are others than before */
} hk_session;

/* Before anything is computed: the folder is free, or holds a run that can be gone on with or may be overwritten; HK_NOT_WRITABLE
 * otherwise. HK_USAGE for an unknown format of fields. Changes nothing. */
hk_status hk_session_check(const hk_session *s);
/* Opens the folder and its files: anew, or to go on from a checkpoint. */
hk_status hk_session_open(hk_session *s, bool resume, const hk_checkpoint *head);
/* Before the stages are made: reads the checkpoint to go on from, if one is asked for (*resume: head and s->state are set). */
hk_status hk_session_find(hk_session *s, bool *resume, hk_checkpoint *head);
/* HK_BAD_INPUT where the end, the traces or the frames differ from the checkpoint's in a way that a run cannot go on with. */
hk_status hk_session_check_carry(const hk_session *s, const char *path, const hk_checkpoint *head);
/* Lays out the files of a run anew that goes on with another end, other traces or other frames; warns of what they lack. */
hk_status hk_session_carry(hk_session *s, const hk_checkpoint *head);
/* Takes away what a run before wrote into the folder and its export/, run.h5 aside; other files stay. */
void hk_session_clean(const hk_session *s);
/* The results in the folder are of a run that is gone on with: where the list of what hooke wrote is lost, they are put on a new one. */
hk_status hk_session_adopt(const hk_session *s);
bool hk_session_has(const hk_session *s, const char *name);
bool hk_session_wants_vtu(const hk_session *s);
/* Makes the solver of the current stage, with initial values, with the state of the solver before, or of a checkpoint (NULL: none), whose
 * state is in s->state. */
hk_status hk_session_begin_stage(hk_session *s, const hk_checkpoint *head);
/* Moves completed samples of the receivers to run.h5. */
hk_status hk_session_drain(hk_session *s);
/* After the last step: traces without time dispersion in run.h5, from computed.h5. Nothing where it stays. */
hk_status hk_session_restore(hk_session *s);
/* When going on: run.h5 holds again what was computed, in place of what an interrupted hk_session_restore has left. */
hk_status hk_session_unrestore(hk_session *s);
/* Everything so far on disk, and a checkpoint of the present step. */
hk_status hk_session_checkpoint(hk_session *s);
/* One step with a sample of the energies, number `sample`, which comes while steps go on; hk_session_energy_end, where one is
 * coming, writes it and judges it: HK_UNSTABLE, with step, node, cause and what to do, as run/session/balance.h has it. */
hk_status hk_session_energy_begin(hk_session *s, hk_count sample);
hk_status hk_session_energy_end(hk_session *s);
/* Of all shots so far: sums of the energies, and as balance the worst, relative. */
hk_balance hk_session_balance(const hk_session *s);
/* What a checkpoint belongs to, part by part: all that its state depends on, and the steps at which traces and frames are written. Every
 * excitation is built once for it, so that what is wrong with any is found before the first step. */
hk_status hk_session_key(hk_session *s, uint64_t key[HK_PARTS]);
/* Whether two keys differ in what a state depends on; words: "damping, materials", without what follows from other parts that differ. */
bool hk_session_differs(const uint64_t a[HK_PARTS], const uint64_t b[HK_PARTS], char *words,
                        size_t size);
/* Whether they differ in the end, the traces or the frames: a run can go on with others. */
bool hk_session_outputs_differ(const uint64_t a[HK_PARTS], const uint64_t b[HK_PARTS]);
/* HK_UNSTABLE when the displacement at the end of a stage is not a number: it may have become so after the last sample. A balance that is
 * off at the end is kept in s->off: the results are written nevertheless. */
hk_status hk_session_judge_end(hk_session *s);
/* The same of the shots that ended before a restart. */
void hk_session_judge_ended(hk_session *s);
/* Frames: the files of all shots that have any; snapshots of those that are being stepped. */
hk_status hk_snapshots_name(hk_session *s); /* which there are, and their layouts; once */
hk_status hk_snapshots_open(hk_session *s, bool vtu, bool reopen);
hk_status
hk_snapshots_roll(hk_session *s); /* for the shots of this batch; waits for those before */
hk_status hk_snapshots_begin(hk_session *s, hk_count frame, double dt);
hk_status hk_snapshots_complete(hk_session *s, bool at_end);
bool hk_snapshots_pending(const hk_session *s);
hk_status hk_snapshots_flush(hk_session *s);
hk_status hk_snapshots_close(hk_session *s); /* all is written; the first failure */
void hk_snapshots_clear(hk_session *s);
void hk_session_progress(hk_session *s, bool last);
void hk_session_log(const hk_session *s, const char *format, ...) HK_PRINTF(2, 3);
/* run.json as text; owned by the caller. */
hk_status hk_session_summary(const hk_session *s, char **json);
hk_count hk_session_bytes_per_step(const hk_session *s);
char *hk_session_path(const hk_session *s,
                      const char *name); /* NULL when memory ran out; hk_free */
#endif
