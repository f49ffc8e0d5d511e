/* One explicit step of a model on the degrees of freedom of a problem: its excitation, its receivers, when things are written. */
#pragma once
#include "run/acts/acts.h"
#include "run/explicit/problem.h"
#include "run/session/times.h"
#include "result/field_file.h"
#include "result/run_file.h"
#include "solver/team/team.h"
#include "load/dispersion.h"
#include "model/model.h"
#include "operator/measure/deformation.h"
#include "operator/spectral/map.h"

typedef struct hk_group_output { /* one quantity of one trace request */
  int trace, quantity;           /* in run.h5 */
  hk_count receivers, written;   /* samples taken so far */
  hk_count coming;               /* of the next ones, on their way from the device */
  hk_count every;                /* steps between samples of run.h5 */
} hk_group_output;

typedef struct hk_stage_energies { /* samples at steps 0, every, ... < steps */
  hk_count every, samples, first;  /* first: place in /energy */
  /* reference[shots], of one step of the full excitation: below a small part of it balances are not judged */
  double *reference;
} hk_stage_energies;

typedef struct hk_stage_frames {
  hk_count *step;        /* step[count]: at which frames are written, ascending */
  hk_count count, first; /* first: place in the files */
} hk_stage_frames;

typedef struct hk_stage {
  const hk_step *step;
  double start, dt;
  hk_count steps;   /* to the end: energies and frames are of these */
  hk_count sampled; /* to the last sample of the receivers: traces without time dispersion need some
                       beyond the end (load/dispersion.h) */
  hk_count all_steps; /* and one more then, which completes the last rates */
  /* why time dispersion stays in the traces; NULL: it is removed, and every step is sampled */
  const char *kept;
  /* of those in the excitation: [first_shot, first_shot + shots) of the step's shots */
  hk_count first_shot;
  int shots;                /* at least 1: a step without shots is one */
  hk_points points;         /* where sources act: of every shot, then each shot's own */
  hk_excitation excitation; /* dofs of shot k in it begin at k * padded * components */
  hk_sparse receivers;
  bool *of_rate; /* of_rate[receivers.rows]: how a fluid flows (solver/explicit/explicit.h) */
  hk_receiver_group *receiver_group; /* receiver_group[group_count] */
  hk_group_output *group_output;     /* group_output[group_count] */
  int group_count;
  hk_stage_energies energies;
  hk_stage_frames frames;
  hk_pool pool; /* of its arrays, but those of points and excitation */
} hk_stage;

/* Ends of its time steps. */
hk_times hk_stage_times(const hk_stage *stage);
/* Builds stage number `index` with the excitation of its first shot; `start` is the simulated time at which
 * it begins, `before` the time step of a checkpoint (hk_choose_dt), 0 for none. Errors go to the list of the problem. */
hk_status hk_stage_create(hk_problem *problem, int index, double start, double before,
                          hk_stage *out);
/* What acts or is recorded inside a layer that absorbs: warned of, or refused; used by hk_stage_create. */
hk_status hk_stage_check_layer(const hk_problem *problem, int index);
/* (*absorbs)[mesh node], owned by the caller: of a layer or a face that absorbs. */
hk_status hk_stage_mark_absorbing(const hk_problem *problem, bool **absorbs);
/* Points at which sources of any shot act; used by hk_stage_create. */
hk_status hk_stage_find_points(const hk_problem *problem, hk_stage *stage);
/* *held: the motions of every shot alone; used by hk_stage_create. */
hk_status hk_stage_hold_common(const hk_problem *problem, const hk_stage *stage,
                               hk_excitation *held);

/* The excitation of the shots [first, first + shots) in place of what it was, with unwritten traces. */
hk_status hk_stage_take(hk_problem *problem, hk_count first, int shots, hk_stage *stage);
/* Warns where single precision rounds off what slow forces do to a body that moves fast (stage_rounding.c). */
hk_status hk_stage_warn_rounding(const hk_problem *problem, const hk_stage *stage);

/* energies.reference of the excitation; used by hk_stage_create. */
hk_status hk_stage_measure(const hk_problem *problem, hk_stage *stage);

void hk_stage_clear(hk_stage *stage);

/* Receivers of the step's traces; used by hk_stage_create. */
hk_status hk_stage_add_receivers(const hk_problem *problem, hk_stage *stage);

enum { HK_RECORDABLES = 9 }; /* quantities of traces and frames (stage_output.c) */
/* Whether a quantity is a deformation of solids, and which. */
bool hk_quantity_deforms(hk_quantity quantity, hk_deformation *kind);
/* The layouts of run.h5 and of the fields for all stages. */
typedef struct hk_layouts {
  hk_pool pool; /* of all arrays and names */
  hk_run_layout run;
  hk_run_layout computed; /* of computed.h5: the same traces at every step */
  hk_field_layout field, peak;
  hk_trace_layout *trace, *computed_trace;
  double *energy_time, *frame_time, *peak_time;
  char unit[HK_RECORDABLES][HK_UNIT_TEXT], energy_unit[HK_UNIT_TEXT];
} hk_layouts;
hk_status hk_layouts_create(const hk_problem *problem, hk_stage *stage, int stage_count,
                            hk_layouts *out);

/* The error of phase of the time integrator: whether it is taken out of signals and traces, and how large it is. */

/* Sets stage->kept: why time dispersion stays; NULL: it is removed. Needs dt and steps; a hindrance is told. Used by hk_stage_create. */
void hk_dispersion_decide(const hk_problem *problem, hk_stage *stage);

/* By how much waves of a frequency lead after `time`, rad. Central differences:  omega t (asin(x) / x - 1), x = omega dt / 2,  that
 * is (omega dt)^2 / 24 omega t and smaller terms (D.2). */
double hk_dispersion_phase(const hk_integrator *integrator, double frequency, double dt,
                           double time);

typedef struct hk_dispersion {
  const char *kept;
  /* highest frequency; longest path from a source to a receiver, < 0: none; its time, or the run's */
  double frequency, path, time;
  double computed, left; /* rad, as computed and in the traces that are written; both with `lag` */
  double lag;            /* of these the part of Kelvin-Voigt solids, hk_dispersion_lag */
} hk_dispersion;
/* By how much waves of a frequency lead after `time`, as the rate of a Kelvin-Voigt solid lags by dt / 2: at most, in the solid of the largest t, whose
 * modulus it makes larger by the part w^2 t dt / 2:  w time w^2 t dt / 4  (docs/attenuation.md). 0: there is none. */
double hk_dispersion_lag(const hk_problem *problem, double frequency, double dt, double time);
/* Why some dispersion is left where that of the integrator is removed; NULL: none is. */
const char *hk_dispersion_rest(const hk_problem *problem);
/* slowest: wave speed; 0: unknown. Warns where the error is kept on demand and above 1 %. */
void hk_dispersion_foretell(const hk_problem *problem, const char *kept, double frequency,
                            double slowest, double dt, double end, hk_messages *list,
                            hk_dispersion *out);

/* Shots are stepped together, so that the operator's lists are read once per step for all of them. */

/* How many shots of the stages are stepped together: those asked for, or as many as `room` bytes of the
 * device's memory hold beside the operator, at most 8, in batches of about equal size, as many for each device; at least 1. */
int hk_batch_choose(const hk_problem *problem, const hk_stage *stage, int stages, hk_count room);

/* The most shots of one batch that have frames; 1 without shots. */
int hk_batch_snapshots(const hk_step *step, int at_once);

/* Bytes of state and receivers on the device of `shots` shots stepped together. */
hk_count hk_batch_bytes(const hk_problem *problem, const hk_stage *stage, int stages, int shots);

/* Field frames: snapshots of the state are taken between steps and written by a thread of their own. */

typedef struct hk_frames hk_frames;

/* `file` is borrowed. The memory of two snapshots is obtained here. */
hk_status hk_frames_create(const hk_problem *problem, const hk_field_layout *layout,
                           hk_field_file *file, hk_frames **out);
/* Ends the thread after what it was given. */
void hk_frames_destroy(hk_frames **frames);

/* The state u_n of a shot of the solver is that of frame number `frame`: begins the snapshot (waits while two are being
 * written). */
hk_status hk_frames_begin(hk_frames *frames, hk_team *solver, int shot, hk_count frame, double dt);
/* The snapshot begun is completed by the increment after it: after one more step, or at the end by a trial step. */
hk_status hk_frames_complete(hk_frames *frames, hk_team *solver, int shot, bool at_end);
bool hk_frames_pending(const hk_frames *frames);
/* Waits until all is written; the first failure of the thread. */
hk_status hk_frames_wait(hk_frames *frames);
hk_count hk_frames_plan(const hk_problem *problem, const hk_field_layout *layout); /* bytes */
/* Whether frames need HK_STATE_INTEGRAL: displacements of fluids are asked for. */
bool hk_frames_integrate(const hk_problem *problem);
/* What the solver keeps of peaks: of a quantity, and in all, bits of hk_peak. */
hk_peak hk_peak_of(hk_quantity quantity);
unsigned hk_peaks_kept(const hk_problem *problem);
/* Of the memory of the problem's device, for one shot; 0 where the model asks for no frames. */
hk_count hk_frames_room(const hk_problem *problem);

/* How fluids flow, from their potential q (model.h): velocity = grad q / density, acceleration = grad dq/dt / density. At a node the mean over
 * its elements, each with its volume there; at a point that of its element, interpolated between the nodes, or the mean over the elements that share it.
 * None at a point of a solid too, where the two meet. Spectral elements. */

typedef struct hk_flow_entry {
  hk_index node; /* of the mesh */
  double weight[3];
} hk_flow_entry;
/* flow_c(receiver i) = sum_k entry[k].weight[c] q[entry[k].node], k in begin[i] .. begin[i + 1) */
typedef struct hk_flow {
  hk_count receivers;
  hk_count *begin; /* begin[receivers + 1]; no entries in solids */
  HK_LIST(hk_flow_entry) entry;
} hk_flow;
/* Arrays live in the pool. */
hk_status hk_flow_of_nodes(const hk_model *model, hk_count count, const hk_index *node,
                           hk_pool *pool, hk_flow *out);
hk_status hk_flow_of_points(const hk_model *model, hk_count count, const double *at, hk_pool *pool,
                            hk_flow *out);

/* Rows of the strain of channels along a cable, as one component of a deformation: the sum over a channel's pieces of t . (u(to) - u(from)) / gauge, t along
 * the piece, which is the mean of t . strain . t. Arrays live in the pool. HK_BAD_INPUT: an end lies outside the mesh, or in a fluid. */
hk_status hk_fibre_rows(const hk_model *model, const hk_fibre *fibre, hk_count channels,
                        hk_pool *pool, hk_deformation_rows *out);

/* flow[mesh node][dim + 1] of q[mesh node]; nodes of solids: zero. What follows the components is scratch, and so is the map. */
hk_status hk_flow_everywhere(const hk_model *model, const double *q, hk_spectral_map *map,
                             double *flow);
