/* One explicit step of a model on the degrees of freedom of a problem: its excitation, its receivers, when things are written. */
#ifndef HK_RUN_EXPLICIT_STAGE_H
#define HK_RUN_EXPLICIT_STAGE_H
#include "run/acts/acts.h"
#include "run/explicit/problem.h"
#include "result/field_file.h"
#include "result/run_file.h"
#include "solver/explicit/explicit.h"

typedef struct hk_group_output { /* one quantity of one trace request */
  int trace, quantity;           /* in run.h5 */
  hk_count receivers, written;   /* samples taken so far */
  hk_count coming;               /* of the next ones, on their way from the device */
  hk_count every;                /* steps between samples of run.h5 */
} hk_group_output;

typedef struct hk_stage {
  const hk_step *step;
  double start, dt;
  hk_count steps;   /* to the end: energies and frames are of these */
  hk_count sampled; /* to the last sample of the receivers: traces without time dispersion need some
                       beyond the end (load/dispersion.h) */
  hk_count all_steps; /* and one more then, which completes the last rates */
  const char *
      kept; /* why time dispersion stays in the traces; NULL: it is removed, and every step is sampled */
  hk_count
      first_shot; /* of those in the excitation: [first_shot, first_shot + shots) of the step's shots */
  int shots;      /* at least 1: a step without shots is one */
  hk_points points;         /* where sources act: of every shot, then each shot's own */
  hk_excitation excitation; /* dofs of shot k in it begin at k * padded * components */
  hk_sparse receivers;
  bool *of_rate; /* of_rate[receivers.rows]: how a fluid flows (solver/explicit/explicit.h) */
  hk_receiver_group *receiver_group; /* receiver_group[group_count] */
  hk_group_output *group_output;     /* group_output[group_count] */
  int group_count;
  hk_count energy_every, energy_samples,
      first_energy; /* samples at steps 0, every, ... < steps; place in /energy */
  hk_count *frame;  /* frame[frame_count]: steps at which frames are written, ascending */
  hk_count frame_count, first_frame;
  double *
      reference_energy; /* [shots], of one step of the full excitation: below a small part of it balances
                               are not judged */
} hk_stage;

/* Builds stage number `index` with the excitation of its first shot; `start` is the simulated time at which
 * it begins, `before` the time step of a checkpoint (hk_choose_dt), 0 for none. Errors go to the list of the problem. */
hk_status hk_stage_create(hk_problem *problem, int index, double start, double before,
                          hk_stage *out);
/* What acts or is recorded inside a layer that absorbs: warned of, or refused; used by hk_stage_create. */
hk_status hk_stage_check_layer(const hk_problem *problem, int index);
/* Points at which sources of any shot act; used by hk_stage_create. */
hk_status hk_stage_find_points(const hk_problem *problem, hk_stage *stage);
/* *held: the motions of every shot alone; used by hk_stage_create. */
hk_status hk_stage_hold_common(const hk_problem *problem, const hk_stage *stage,
                               hk_excitation *held);

/* The excitation of the shots [first, first + shots) in place of what it was, with unwritten traces. */
hk_status hk_stage_take(hk_problem *problem, hk_count first, int shots, hk_stage *stage);
/* Warns where single precision rounds off what slow forces do to a body that moves fast (stage_rounding.c). */
void hk_stage_warn_rounding(const hk_problem *problem, const hk_stage *stage);

/* reference_energy of the excitation; used by hk_stage_create. */
hk_status hk_stage_measure(const hk_problem *problem, hk_stage *stage);

void hk_stage_clear(hk_stage *stage);

/* Receivers of the step's traces; used by hk_stage_create. */
hk_status hk_stage_add_receivers(const hk_problem *problem, hk_stage *stage);

/* The layouts of run.h5 and of the fields for all stages; everything in them is owned. */
typedef struct hk_layouts {
  hk_run_layout run;
  hk_run_layout computed; /* of computed.h5: the same traces at every step */
  hk_field_layout field;
  hk_trace_layout *trace, *computed_trace;
  double *energy_time, *frame_time;
  char velocity_unit[HK_UNIT_TEXT], acceleration_unit[HK_UNIT_TEXT], pressure_unit[HK_UNIT_TEXT],
      energy_unit[HK_UNIT_TEXT];
} hk_layouts;
hk_status hk_layouts_create(const hk_problem *problem, hk_stage *stage, int stage_count,
                            hk_layouts *out);
void hk_layouts_clear(hk_layouts *layouts);
#endif
