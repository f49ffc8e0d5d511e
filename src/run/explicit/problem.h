/* A model made ready for a device: numbering, operator, mass, damping, and the largest stable step. */
#pragma once
#include "load/absorb/absorb.h"
#include "load/excitation.h"
#include "operator/spectral/pml/pml_pack.h"
#include "run/session/discretisation.h"
#include "run/session/several.h"
#include "solver/explicit/integrator.h"
#include "solver/frequency/frequency.h"
#include "solver/team/division.h"
#include "model/model.h"

typedef struct hk_delay { /* of Kelvin-Voigt solids (delay.c) */
  double most;            /* largest time t of all regions; 0: there are none */
  bool varies;            /* regions differ in t */
  double rate;            /* bound of tau, 1 / time; INFINITY: t w^2 is all that is known */
  hk_index guilty;        /* element that sets it, where t varies */
} hk_delay;

typedef struct hk_problem {
  hk_discretisation on;
  hk_pool pool;                   /* of its own arrays */
  hk_several several;             /* devices that step the model; none: on.device alone */
  hk_division *division;          /* of the model among them; NULL: not made, or one device */
  hk_fsi *fsi;                    /* entries of one of its terms, owned */
  bool *on_fsi;                   /* on_fsi[mesh node]; NULL: none */
  double *mass;                   /* mass[padded], internal order */
  double *damping;                /* damping[padded], 1/s; NULL: none */
  hk_dashpots dashpots;           /* on absorbing faces */
  hk_relaxing relaxing;           /* of fluids, of the pool; `damping` has its part */
  hk_pml pml;                     /* stretch NULL: none */
  bool *in_layer;                 /* in_layer[mesh node]: of an element of it; NULL: none */
  hk_absorb_layer *damping_layer; /* damping_layer[damping_layers], with what was chosen */
  int damping_layers;
  double hidden;      /* of a layer, h of run/march/balance.h; 0 stands for 1 */
  double surplus;     /* of laws, a factor of it: hk_law.surplus of all regions; 0 stands for 1 */
  bool stiff_springs; /* springs of cracks set the step */
  hk_delay delay;
  const hk_integrator *integrator;
  double omega;    /* bound of the largest frequency, rad per unit of time */
  hk_index guilty; /* element that sets it; of the step hk_problem_guilty */
} hk_problem;

/* HK_BAD_INPUT when the model cannot be run (elements, materials, absorbing layers), with all reasons in `list`. */
hk_status hk_problem_create(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                            hk_problem **out);
/* The same without the operator: `op` is NULL, but where the bound is found with it. Runs with the device's number of threads throughout. */
hk_status hk_problem_prepare(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                             hk_problem **out);
/* The operator, if it is not there yet. */
hk_status hk_problem_assemble(hk_problem *problem);
/* problem_fsi.c: pairs of a fluid and a solid node; and those in the matched layer, which one part must own together, as internal numbers behind
 * joined[*pairs], which has room for all. */
hk_count hk_problem_pairs(const hk_problem *problem);
hk_status hk_problem_join_layer(const hk_problem *problem, hk_count *pairs, hk_index (*joined)[2]);
/* K of the parts of a model on several devices in place of that of the whole; a part owns all nodes that one row of `held` [rows] sets holds.
 * acted[padded]: hk_granules; dashpots are added. Of several devices. */
hk_status hk_problem_divide(hk_problem *problem, int rows, const hk_sparse *const *held,
                            bool *acted);
/* Bytes of K and of what a step reads of it, of all parts. */
hk_count hk_problem_operator_bytes(const hk_problem *problem, bool read);
/* The numbering of the problem's form of K for a mesh of its regions, the problem's own or a part of it. */
hk_status hk_problem_number(const hk_problem *problem, const hk_mesh *mesh,
                            const hk_index *element_region, const hk_blocks *blocks,
                            hk_space **out);
/* The largest time step that is stable by the bound `omega`. */
double hk_problem_dt_limit(const hk_problem *problem);
/* The same by another bound w of the largest frequency: dt^2 w^2 + 2 tau dt <= limit^2 with Kelvin-Voigt solids (V.8, delay.c). */
double hk_problem_dt_below(const hk_problem *problem, double omega);
/* The element that sets hk_problem_dt_limit. */
hk_index hk_problem_guilty(const hk_problem *problem);
/* `delay` without the bound of tau; then that bound, which takes `mass` and needs K's memory for a while and leaves no K. held: what does not move.
 * margin, unsure: factors of what the iteration finds where it has converged or not. Private to the model folder. */
void hk_problem_find_delay(hk_problem *problem);
hk_status hk_problem_bound_delay(hk_problem *problem, const hk_sparse *held, double margin,
                                 double unsure);
/* Bytes of the solver's state of so many shots, layers that absorb counted. */
hk_count hk_problem_state_plan(const hk_problem *problem, int shots);
/* Bytes of the iteration for the largest frequency, before there is a state; 0 where none is needed. */
hk_count hk_problem_bound_plan(const hk_problem *problem);
void hk_problem_destroy(hk_problem **problem);

/* Dashpots on faces that absorb to first order, with a note of what they reflect. Private to the model folder. */
hk_status hk_problem_find_dashpots(hk_problem *problem);

/* relax/fluids.c: `relaxing` and its part of `damping`; nodes of such a fluid on a solid get a mass of their own. HK_BAD_INPUT beside what does not
 * take it. Private to the model folder. */
hk_status hk_problem_find_relaxing(hk_problem *problem);
/* Whether there are such fluids. */
bool hk_problem_relaxes(const hk_problem *problem);

/* The perfectly matched layers, and d[mesh node] += the sum of each node's, for waves like that; with a note. */
hk_status hk_problem_find_pml(hk_problem *problem, const hk_absorb_wave *wave, double *d);

/* problem_fsi.c: `terms` and `on_fsi`, with what is fixed left out. Private to the model folder. */
hk_status hk_problem_find_terms(hk_problem *problem);
/* Highest frequency of the signals of all steps (-40 dB); 0: none known. Private to the model folder. */
hk_status hk_model_highest_frequency(const hk_model *model, double *frequency);
/* Centre of the sources' spectrum: given by the signal, else half of its upper end; 0: none known. */
hk_status hk_model_centre_frequency(const hk_model *model, double *frequency);

/* The time step: chosen from the element bound, which is rigorous, or checked when given. */

/* dt and the number of steps: the last one ends at `duration` or less than dt beyond it. Chosen:
 * 0.95 of the bound, shortened to fit the duration, or so that it divides the intervals of traces.
 * Given: refused (HK_UNSTABLE) above the
 * integrator's limit over omega of a Lanczos iteration converged to 1e-3, or, with a warning, above
 * the bound where that does not converge; a warning between the bound and the limit. held: the
 * motion rows of the step, of every shot.
 * before: the step of a checkpoint that is gone on from, 0 for none; it is taken where none is
 * given, it is no larger than 0.95 of the bound, and the traces' intervals are multiples of it. */
hk_status hk_choose_dt(hk_problem *problem, const hk_step *step, const hk_sparse *held,
                       double before, double *dt, hk_count *steps);

/* Whether signals begin from rest. */

/* The signal's value at t = 0 over its largest; 0 below 1 %. */
double hk_signal_jump(const hk_signal *signal, double start);

/* Checks the signals of the first step. Warns of a signal that begins before t = 0 or that jumps, and says what to give instead. Adds a
 * note for a signal of all frequencies (step), for which no mesh can be judged. One message for each signal, one for all loads without a signal. */
hk_status hk_rest_judge(const hk_model *model, hk_messages *list);
