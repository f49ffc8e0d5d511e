/* An explicit run in progress: batches of shots, each through the stages of the model, from event to event. analysis.c steps, open.c, traces.c,
 * snapshots.c and checkpoint.c write, energy.c judges, summary.c tells. */
#pragma once
#include "run/explicit/stage.h"
#include "run/estimate/estimate.h"
#include "run/march/balance.h"
#include "run/march/queue.h"
#include "run/session/session.h"
#include "result/restart/checkpoint.h"

struct hk_case_sample;
struct json_t;

typedef struct hk_snapshots { /* frames of one shot */
  hk_count shot;
  const char *name; /* of its files */
  hk_field_layout layout;
  hk_field_file *file;
  hk_frames *frames; /* while the shot is being stepped */
} hk_snapshots;

typedef enum hk_key_part { /* of the key of a checkpoint; causes before what follows from them */
                           HK_KEY_PRECISION,
                           HK_KEY_METHOD,
                           HK_KEY_MESH,
                           HK_KEY_NUMBERING,
                           HK_KEY_MATERIALS,
                           HK_KEY_SPRINGS,
                           HK_KEY_MASS,
                           HK_KEY_ABSORB,
                           HK_KEY_DAMPING,
                           HK_KEY_INITIAL,
                           HK_KEY_SIGNALS,
                           HK_KEY_LOADS,
                           HK_KEY_MOTIONS,
                           HK_KEY_STEP,
                           HK_KEY_DURATION,
                           HK_KEY_SHOTS,
                           HK_KEY_PEAKS,
                           HK_KEY_END, /* of the last step; from here on parts that a run may go on without */
                           HK_KEY_TRACES,
                           HK_KEY_FRAMES,
                           HK_KEY_PARTS
} hk_key_part;
_Static_assert((int)HK_KEY_PARTS == (int)HK_CHECKPOINT_PARTS,
               "a checkpoint keeps every part of the key");

typedef struct hk_march_shots { /* [first, first + batch) are being stepped */
  hk_count all;                 /* 1 where the model has none */
  hk_count first;
  int batch, at_once; /* at_once: batch of all but the last */
} hk_march_shots;

typedef struct hk_march_steps { /* over all stages and batches */
  hk_count done, all;
  hk_count before; /* done before a restart */
  double updates;  /* steps times shots since then */
  double began;    /* when the first of them did */
  double foretold; /* seconds that they will take by the times that are kept; 0: there are none */
  double seconds;  /* of each of the last ones; 0: not known yet */
} hk_march_steps;

typedef struct hk_march_band { /* of the sources, and how the mesh resolves it; 0: not known */
  double highest;              /* frequency */
  double points;               /* per shortest wavelength, of the coarsest region */
  double least;                /* points below which a run warns */
} hk_march_band;

typedef struct hk_march_energy {
  hk_balance *all;     /* all[shots]; those that ended before a restart: zero */
  hk_balance *balance; /* balance[batch]: those of all that are being stepped */
  hk_energy *sample;   /* sample[batch] */
  hk_balance
      ended;   /* of the shots that ended before a restart: sums; balance: the worst, relative */
  bool coming; /* a sample is on its way from the device: */
  hk_count number, step; /* its number, and the step at its end */
} hk_march_energy;

typedef struct hk_march_files {
  hk_layouts layouts;
  hk_run_file *run;
  hk_field_file *peak; /* NULL: no peak maps */
  /* computed.h5: traces of every step, beside the checkpoint; NULL: not kept */
  hk_run_file *computed;
  double *room; /* room[room_count], for draining */
  hk_count room_count;
  bool restored;              /* traces are without time dispersion */
  bool carried, fresh_traces; /* files were laid out anew; the receivers are others than before */
} hk_march_files;

typedef struct hk_march_checkpoint {
  uint64_t key[HK_KEY_PARTS];
  bool resumes; /* the next stage goes on from: */
  hk_checkpoint head;
  char *state;   /* of the checkpoint, until the queue takes it */
  double time;   /* of the last one */
  hk_count step; /* steps.done of the last one */
} hk_march_checkpoint;

enum {
  HK_MARCH_CREATE = HK_RUN_END + 1
}; /* hk_command.what: part: the stage; first, count: shots */

typedef struct hk_march {
  hk_session *session; /* borrowed, as are model and list */
  hk_pool pool;        /* of the arrays that live as long as the run */
  const hk_model *model;
  hk_messages *list;
  hk_problem *problem;
  hk_stage *stage; /* stage[stage_count] */
  int stage_count, current;
  hk_team *solver;         /* of the current stage */
  bool over;               /* after the last step of the last shot */
  hk_count frame;          /* next of the current stage */
  hk_snapshots *snapshots; /* snapshots[snapshots_count]: ascending shots; none without frames */
  int snapshots_count;
  hk_march_queue *queue;
  hk_march_shots shots;
  hk_march_steps steps;
  hk_march_band band;
  hk_march_energy energy;
  hk_march_files files;
  hk_march_checkpoint checkpoint;
} hk_march;

/* Before the stages are made: reads the checkpoint to go on from, if one is asked for (checkpoint.resumes, head and state are set). */
hk_status hk_march_find(hk_march *s);
/* What was found belongs to this model. */
hk_status hk_march_check_checkpoint(hk_march *s);
/* HK_BAD_INPUT where the end, the traces or the frames differ from the checkpoint's in a way that a run cannot go on with. */
hk_status hk_march_check_carry(const hk_march *s, const char *path, const hk_checkpoint *head);
/* Lays out the files of a run anew that goes on with another end, other traces or other frames; warns of what they lack. */
hk_status hk_march_carry(hk_march *s, const hk_checkpoint *head);
/* Opens the files in the folder: anew, or to go on from a checkpoint. */
hk_status hk_march_open(void *march); /* hk_analysis.open */
/* Makes the solver of the current stage, with initial values, with the state of the solver before, or of the checkpoint that it goes on from. */
hk_status hk_march_begin_stage(hk_march *s);
/* The solver of the current stage, on all ranks. */
hk_status hk_march_create_solver(hk_march *s);
/* A rank but the first: does what that tells it until the run ends (HK_RUN_END); the run's status. */
hk_status hk_march_serve(void *march); /* hk_analysis.serve */
/* The checkpoint that rank 0 has found, to all ranks; and whether their model is that of rank 0. */
hk_status hk_march_share_checkpoint(hk_march *s);
hk_status hk_march_compare_keys(const hk_march *s);
/* Moves samples of the receivers to run.h5: half rings, or with `all` every sample that is complete. What one call begins the next one
 * writes: the device steps on in between. */
hk_status hk_march_drain(hk_march *s, bool all);
/* After the last step: traces without time dispersion in run.h5, from computed.h5. Nothing where it stays. */
hk_status hk_march_restore(hk_march *s);
/* When going on: run.h5 holds again what was computed, in place of what an interrupted hk_march_restore has left. */
hk_status hk_march_unrestore(hk_march *s);
/* Everything so far on disk, and a checkpoint of the present step. */
hk_status hk_march_checkpoint_write(hk_march *s);
/* The state of the batch of s into the queue, with all samples and frames before it in the files; *good: it holds numbers. */
hk_status hk_march_save(hk_march *s, bool *good);
/* Begins the next batch of the queue; s->over where none is left. */
hk_status hk_march_next_batch(hk_march *s);
/* To the next event, or the turn to the next stage or batch, and samples into the files. */
hk_status hk_march_forward(hk_march *s);
/* Room for what one device steps: samples of receivers and energies. */
hk_status hk_march_get_room(hk_march *s);
/* One step with a sample of the energies, number `sample`, which comes while steps go on; hk_march_energy_end, where one is
 * coming, writes it and judges it: HK_UNSTABLE, with step, node, cause and what to do, as run/march/balance.h has it. */
hk_status hk_march_energy_begin(hk_march *s, hk_count sample);
hk_status hk_march_energy_end(hk_march *s);
/* Of the shots [0, shots) so far: sums of the energies, and as balance the worst, relative. */
hk_balance hk_march_balance(const hk_march *s, hk_count shots);
/* What a checkpoint belongs to, part by part: all that its state depends on, and the steps at which traces and frames are written. Every
 * excitation is built once for it, so that what is wrong with any is found before the first step. */
hk_status hk_march_key(hk_march *s, uint64_t key[HK_KEY_PARTS]);
/* Whether two keys differ in what a state depends on; words: "damping, materials", without what follows from other parts that differ. */
bool hk_march_differs(const uint64_t a[HK_KEY_PARTS], const uint64_t b[HK_KEY_PARTS], char *words,
                      size_t size);
/* Whether they differ in the end, the traces or the frames: a run can go on with others. */
bool hk_march_outputs_differ(const uint64_t a[HK_KEY_PARTS], const uint64_t b[HK_KEY_PARTS]);
/* HK_UNSTABLE when the displacement at the end of a stage is not a number: it may have become so after the last sample. A balance that is
 * off at the end is kept in session->off: the results are written nevertheless. */
hk_status hk_march_judge_end(hk_march *s);
/* The same of shots that ended before a restart: worst balance, relative. */
void hk_march_judge_ended(hk_march *s, double worst);
/* Frames: the files of all shots that have any; snapshots of those that are being stepped. */
hk_status hk_snapshots_name(hk_march *s); /* which there are, and their layouts; once */
hk_status hk_snapshots_open(hk_march *s, bool vtu, bool reopen);
hk_status hk_snapshots_roll(hk_march *s); /* for the shots of this batch; waits for those before */
hk_status hk_snapshots_begin(hk_march *s, hk_count frame, double dt);
hk_status hk_snapshots_complete(hk_march *s, bool at_end);
bool hk_snapshots_pending(const hk_march *s);
hk_status hk_snapshots_wait(hk_march *s);    /* all frames are written */
hk_status hk_snapshots_release(hk_march *s); /* and their writers end */
hk_status hk_snapshots_flush(hk_march *s);
hk_status hk_snapshots_close(hk_march *s); /* all is written; the first failure */
/* Peak maps: the file, and its values where the last step was made since step `before`. */
hk_status hk_march_peaks_open(hk_march *s);
hk_status hk_march_peaks_write(hk_march *s, hk_count before);
void hk_march_progress(hk_march *s, bool last);
void hk_march_summary(const void *march, struct json_t *root); /* hk_analysis.summary */
hk_count hk_march_bytes_per_step(const hk_march *s);
/* [[x, y(, z)], ...]: the middle of the points, nodes and faces where the sources of each shot act; one item without shots, of the first
 * step that has sources; null: nowhere in particular. */
struct json_t *hk_march_sources(const hk_model *model);
/* [[least], [largest]] coordinates of the nodes; [{region, p_speed, s_speed, uniform}], null where there is none: uniform is true where P
 * waves have one speed, at all places of the region and in all directions; else p_speed is the largest, s_speed the smallest. */
struct json_t *hk_march_box(const hk_mesh *mesh);
struct json_t *hk_march_speeds(const hk_model *model);
/* hk_analysis.check and .ahead. */
hk_status hk_march_check(hk_session *session, struct json_t *root);
hk_status hk_march_ahead(hk_session *session, const hk_model_desc *of,
                         const struct hk_case_sample *sample, struct json_t *root, bool *complete);
