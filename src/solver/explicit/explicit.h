/* Explicit elastodynamics: M a + C v + K u = F(t) by an integrator of integrator.h (central differences unless another is
 * given), lumped mass M and C = d M diagonal. The state between steps is u_n and the last
 * increment u_n - u_n-1 (single), or u_n and u_n-1 (double).
 *
 *   step:  operator with the epilogue  ->  forces  ->  terms (dashpots, matched layer)  ->  motions  ->  receivers
 *
 * Several shots of one model (operator, mass, damping, receivers, initial values) may be stepped together, each with an excitation of
 * its own: state is [shots][padded][components], and hk_excitation's dofs are counted through all of it.
 *
 * Discrete energy at t_n + dt/2: kinetic 1/2 d^T M d / dt^2 (d = u_n+1 - u_n), strain 1/2 u_n^T K~
 * u_n+1 (W.14), K~ of the integrator; with the work of forces and motions and the loss by damping, each summed by the trapezoid
 * rule of the scheme, kinetic + strain + damping - work  is constant to rounding.
 *
 *   HK_TRY(hk_explicit_create(&desc, &solver));
 *   HK_TRY(hk_explicit_start(solver, NULL, NULL));
 *   HK_TRY(hk_explicit_advance(solver, 1000)); */
#pragma once
#include "device/fetch.h"
#include "load/excitation.h"
#include "operator/operator.h"
#include "operator/spectral/pml/pml_pack.h"
#include "solver/explicit/link.h"

typedef enum hk_receiver_kind {
  HK_RECEIVER_DISPLACEMENT,
  HK_RECEIVER_VELOCITY,
  HK_RECEIVER_ACCELERATION
} hk_receiver_kind;

typedef struct hk_receiver_group { /* receivers sampled at steps 0, every, 2 every, ... */
  hk_index first_row, rows;        /* of hk_explicit_desc.receivers */
  hk_receiver_kind kind;
  hk_count every;
  hk_count room; /* samples in its ring; 0: hk_receiver_room */
} hk_receiver_group;

typedef struct hk_integrator hk_integrator; /* integrator.h */

typedef enum hk_peak {
  HK_PEAK_DISPLACEMENT = 1,
  HK_PEAK_VELOCITY = 2,
  HK_PEAK_ACCELERATION = 4,
  HK_PEAK_RATES = HK_PEAK_VELOCITY | HK_PEAK_ACCELERATION
} hk_peak; /* bits */

typedef struct hk_explicit_desc {
  hk_operator *op;                 /* borrowed */
  const hk_integrator *integrator; /* NULL: the first of the list */
  double dt;
  hk_count steps;              /* the last one, for `receiver_group` */
  const double *mass;          /* mass[padded]; padding: any positive value */
  const double *damping;       /* damping[padded], 1/s; NULL: none */
  const hk_dashpots *dashpots; /* of every shot, but for directions that motions hold; NULL: none */
  /* of every shot, borrowed for create; `damping` has the sum of each node's weights over its mass; NULL: none */
  const hk_relaxing *relaxing;
  const hk_pml *pml; /* NULL, or without stretch: none. `damping` has the sum of each node's d */
  hk_excitation *excitation;  /* borrowed; sampled as steps go */
  const hk_sparse *receivers; /* may be NULL */
  /* of_rate[receivers->rows]: the solver's unknown of the row is a velocity: a trace of the velocity takes the unknown, one of the acceleration its rate,
   * one of the displacement its integral from step 0 on. NULL: no row */
  const bool *of_rate;
  const hk_receiver_group *receiver_group; /* receiver_group[group_count], copied */
  int group_count;
  bool positions;      /* state as positions in single too; double always keeps positions */
  bool integrals;      /* HK_STATE_INTEGRAL is kept */
  unsigned peaks;      /* of hk_peak: HK_STATE_PEAK_... are kept */
  int shots;           /* states stepped together, each bit by bit as if alone; 0 stands for 1 */
  const hk_link *link; /* of a part to the others, borrowed; NULL: the model is one part */
} hk_explicit_desc;

typedef struct hk_energy {
  double time, kinetic, strain, work, damping;
  double layer; /* the part of damping that the forces of the matched layer took; may be below 0 */
} hk_energy;

typedef struct hk_energy_table { /* of a part, by granules */
  hk_index granules;
  const hk_index *granule; /* granule[granules]: ascending, in the whole numbering */
  const hk_energy *energy; /* energy[shots][granules] */
  hk_index at;             /* the first that is not added yet */
} hk_energy_table;

typedef struct hk_explicit hk_explicit;

/* All memory is obtained and all kernels are compiled here. HK_BAD_INPUT for more than 2^31 - 1 degrees of freedom in all shots,
 * padding counted; with a link: for a form of K that sums slots, an integrator that cannot step parts, loads on ghosts. HK_NO_RESOURCES. */
hk_status hk_explicit_create(const hk_explicit_desc *desc, hk_explicit **out);
void hk_explicit_destroy(hk_explicit **solver);
typedef struct hk_explicit_size { /* of hk_explicit_desc, what its memory follows from */
  const hk_space *space;
  const hk_pml *pml;
  bool double_precision, damped, integrals;
  unsigned peaks;
  int shots;
  hk_count laws;     /* bytes of hk_operator_state */
  hk_count relaxing; /* nodes of hk_relaxing */
} hk_explicit_size;
/* About the bytes of state on the device: vectors and terms. */
hk_count hk_explicit_plan(const hk_explicit_size *size);

/* State of every shot at step 0: u0, v0 [padded][components] or NULL (zero). The first step is that of the integrator; central
 * differences: u_1 = u_0 + dt v_0 + dt^2/2 a_0. */
hk_status hk_explicit_start(hk_explicit *solver, const double *u0, const double *v0);
/* Steps until step number `to`. Nothing is allocated. */
hk_status hk_explicit_advance(hk_explicit *solver, hk_count to);
/* One step, and the energies at its middle, energy[shots]. Costs one more pass of the operator. */
hk_status hk_explicit_energy_step(hk_explicit *solver, hk_energy *energy);
/* The same in two parts: the step with its launches, and, steps later, the energies, waiting for no launch behind them. One
 * at a time; not across hk_explicit_totals. */
hk_status hk_explicit_energy_begin(hk_explicit *solver);
hk_status hk_explicit_energy_end(hk_explicit *solver, hk_energy *energy);
/* In place of hk_explicit_energy_end, of a part of a model: the energies of its granules; arrays live until its next sample. */
hk_status hk_explicit_energies(hk_explicit *solver, hk_energy_table *out);
/* energy[shots] of the whole, in the order of granules: the same bits as of the whole model in one part. Uses up the tables. */
void hk_energy_join(hk_energy_table *part, int parts, int shots, hk_energy *energy);
/* In place of hk_explicit_energy_begin: the work and the loss of the steps so far alone; kinetic and strain are of the last sample. */
hk_status hk_explicit_totals_begin(hk_explicit *solver);
/* Work of forces and motions, and loss by damping, of all steps of one shot so far. */
hk_status hk_explicit_totals(hk_explicit *solver, int shot, double *work, double *damping);
/* Completes the samples of the last step (rates there need the next increment): a step is made and
 * taken back. */
hk_status hk_explicit_finish(hk_explicit *solver);
hk_count hk_explicit_step(const hk_explicit *solver);

/* Samples of one receiver group: samples [first, first + count) as values[count][shots][rows]. Each receiver group has a
 * ring of at least hk_explicit_room samples: take them before they are overwritten. complete:
 * samples that are ready so far; rates of the last step are so after hk_explicit_finish. */
hk_count hk_explicit_room(const hk_explicit *solver, int receiver_group);
hk_count hk_explicit_complete(const hk_explicit *solver, int receiver_group);
hk_status hk_explicit_samples(hk_explicit *solver, int receiver_group, hk_count first,
                              hk_count count, double *values);
/* The same in two parts, one at a time per receiver group: begin takes at most half a ring as it is now; *values: until the next begin. */
hk_status hk_explicit_samples_begin(hk_explicit *solver, int receiver_group, hk_count first,
                                    hk_count count);
hk_status hk_explicit_samples_end(hk_explicit *solver, int receiver_group, const double **values);
/* Samples in the ring of a receiver group of `rows` rows in all shots: at least 8. */
hk_count hk_receiver_room(hk_count rows);
/* Most numbers that hk_explicit_samples_begin takes at a time, of a receiver group of at most `rows` rows in all shots:
 * hk_receiver_room(r) / 2 * r for every r <= rows. */
hk_count hk_receiver_most(hk_count rows);
/* Number of samples of a receiver group over a run of `steps`; sample k is of step k every. */
hk_count hk_receiver_samples(hk_count every, hk_count steps);

/* u_n; the last increment u_n - u_n-1; what the solver keeps of that
 * (hk_explicit_fetch alone): the increment in single, u_n-1 in double and with `positions`; the integral over time of component 0 of
 * each node, from step 0 on by the trapezoid rule (hk_explicit_fetch alone, [padded] double); the largest squares so far (the same), each summed over
 * the components of a node: of u_k for k to n, of u_k+1 - u_k-1 and u_k+1 - 2 u_k + u_k-1 for k to n - 1. In internal order. */
typedef enum hk_state_part {
  HK_STATE_DISPLACEMENT,
  HK_STATE_INCREMENT,
  HK_STATE_LAST,
  HK_STATE_INTEGRAL, /* from here on a double for each node */
  HK_STATE_PEAK_DISPLACEMENT,
  HK_STATE_PEAK_VELOCITY,
  HK_STATE_PEAK_ACCELERATION
} hk_state_part;
hk_status hk_explicit_read(const hk_explicit *solver, int shot, hk_state_part part, double *values);
/* Of [first, first + count) of the shot's numbers alone. */
hk_status hk_explicit_read_some(const hk_explicit *solver, int shot, hk_state_part part,
                                hk_count first, hk_count count, double *values);
/* Goes on from a state of another solver of the same space: u and the last increment of all shots, internal order, at step 0. */
hk_status hk_explicit_continue(hk_explicit *solver, const double *u, const double *increment);
/* A part of the state as it is now, in reals of the solver's own precision but for integrals, to be read while steps go on. */
hk_status hk_explicit_fetch(const hk_explicit *solver, int shot, hk_state_part part,
                            hk_fetch *fetch);
/* As it would be after the step that comes next; the state is left as it was. */
hk_status hk_explicit_fetch_next(hk_explicit *solver, int shot, hk_state_part part,
                                 hk_fetch *fetch);
/* Forces that hold the motion rows in the last step: force[motion.rows]. */
hk_status hk_explicit_reactions(const hk_explicit *solver, double *force);

/* Everything that the next step depends on, bit by bit: a restart goes on as if it had not been
 * interrupted. state_bytes: of all; or, first in it, of what does not belong to receivers. */
hk_count hk_explicit_state_bytes(const hk_explicit *solver, bool receivers);
hk_status hk_explicit_save(const hk_explicit *solver, void *state);
/* receivers: what was saved of them too; else they may be others, without integrals, and their samples begin with those of `step`. */
hk_status hk_explicit_restore(hk_explicit *solver, hk_count step, bool receivers,
                              const void *state);
