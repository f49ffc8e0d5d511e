/* What acts in a step as sparse rows over degrees of freedom: the one translation of loads, motions, equations and
 * initial values, for every analysis.
 *
 *   motion, equation   row r:  sum weight[k] u[dof[k]] = value s(t),   k in begin .. begin + terms
 *   force              F[dof] += coefficient s(t)
 *
 * An analysis says how it numbers degrees of freedom, and whether time runs in it. Where it does, s is a row of the table `signal`; where it
 * stands still, signals are taken by their value at the end of the step: value and coefficient contain it, and `signal` is empty.
 *
 *   hk_acts acts = {.on = &on, .points = &points};
 *   HK_TRY(hk_acts_move(&acts, step->motion_count, step->motion));
 *   HK_TRY(hk_acts_push(&acts, step->load_count, step->load)); */
#pragma once
#include "load/excitation.h"
#include "load/rows.h"
#include "mesh/ties.h"
#include "model/model.h"
#include "space/space.h"

typedef struct hk_points { /* where loads and motions act that have a point: all located together */
  hk_rows rows;
  const void **act; /* act[rows.row_count]: the hk_load or hk_motion of a row, in their order */
} hk_points;
/* Of the motions, then the loads of each of acts[count]. HK_BAD_INPUT names the first that lies outside the mesh. */
hk_status hk_points_find(const hk_model *model, hk_messages *list, int count, const hk_shot *acts,
                         hk_points *out);
void hk_points_clear(hk_points *points);

typedef struct hk_acts_on { /* the degrees of freedom of an analysis; everything is borrowed */
  const hk_model *model;
  hk_messages *list;
  const hk_space *space;
  /* extra[extra_count]: nodes without an element, ascending, whose degrees of freedom follow those of the space */
  const hk_index *extra;
  hk_count extra_count;
  const bool *fsi;     /* fsi[mesh node]: no load may act there; NULL: none */
  const bool *absorbs; /* absorbs[mesh node]: of a layer or a face that absorbs; NULL: none */
  double start;        /* of the step, in the time of the model */
  bool still;
  double end;      /* still: of the step, in its own time */
  const double *t; /* t[mesh node]: temperatures that formulas of loads may depend on; NULL: 0 */
  const hk_ties *ties; /* of nodes where orders meet; NULL: none */
} hk_acts_on;

/* Degree of freedom of a mesh node; -1: it has none of that medium. */
hk_index hk_acts_dof(const hk_acts_on *on, hk_medium medium, hk_index node, int component);
/* Still: the factor of a load at the end of the step, of its signal and delay. */
double hk_acts_scale(const hk_acts_on *on, const hk_load *load);
/* Still: the coefficient of a film at the end of the step. HK_BAD_INPUT below 0. */
hk_status hk_acts_film(const hk_acts_on *on, const hk_load *load, double *film);

/* (*out)[padded][components], owned by the caller: the model's initial displacements or velocities, but for nodes that `without` marks
 * (without[mesh node], or NULL); NULL where there are none. */
hk_status hk_acts_begin(const hk_acts_on *on, hk_motion_kind kind, const bool *without,
                        double **out);

typedef struct hk_act_row {
  const hk_motion *motion; /* NULL: an equation */
  hk_place place;
  hk_count begin; /* of its entries in dof and weight */
  hk_index terms;
  hk_index signal; /* of the table; -1: the value is constant */
  double value;
} hk_act_row;

typedef struct hk_acts {
  const hk_acts_on *on;
  const hk_points *points;       /* of all that is translated and has a point */
  hk_index first_dof;            /* is added to all degrees of freedom: the shot's first */
  HK_LIST(hk_act_row) row;       /* in the order of translation */
  HK_LIST(hk_index) dof;         /* of the terms of all rows, */
  HK_LIST(double) weight;        /* and their weights */
  double *f;                     /* where the analysis stands still: forces are added here */
  HK_LIST(hk_force_entry) force; /* in time */
  HK_LIST(hk_source_signal) signal;
  hk_pool pool;     /* tables of signals that are made here; who takes `signal` takes it too */
  hk_count orphans; /* motions of nodes without a degree of freedom, left out */
  /* [node_count][components] of loads on faces and elements; private, as is the next */
  double *spread;
  hk_count point;
  int *
      moved; /* moved[mesh node]: the last motion of hk_acts_move that names it, from 1; where there are ties; private */
} hk_acts;

/* Append to acts. HK_BAD_INPUT at the place of what cannot act: points outside, loads on nodes that nothing carries (still), what acts
 * on the other medium alone, materials without the density that a load needs, formulas without a value. */
hk_status hk_acts_tie(hk_acts *acts);
hk_status hk_acts_link(hk_acts *acts, int count, const hk_equation *equation);
hk_status hk_acts_move(hk_acts *acts, int count, const hk_motion *motion);
/* The row of one node, whose first degree of freedom is `first`, has the direction w[3] from now on. */
hk_status hk_acts_aim(hk_acts *acts, hk_act_row *row, hk_index first, const double w[3]);
/* Warns of a row that takes the place of an earlier one along the same line, unless they prescribe the same. dot: of their
 * directions, 1 or -1. */
void hk_acts_tell_replaced(const hk_acts *acts, hk_count earlier, hk_count row, double dot);
hk_status hk_acts_push(hk_acts *acts, int count, const hk_load *load);
void hk_acts_clear(hk_acts *acts);
/* wanted[mesh node] = true for those whose incident wave the injection `load` needs; its target has elements. HK_BAD_INPUT: there are none. */
hk_status hk_inject_wanted(const hk_model *model, hk_messages *list, const hk_load *load,
                           bool *wanted);

/* What acts in a step, loads and motions alike: signals and when they begin. */

typedef struct hk_act {
  int signal;            /* of the model; -1: constant */
  bool total_time, held; /* held: a prescribed displacement that is not zero */
  bool fixed;            /* a motion of value zero */
  double delay;
  const double *delays; /* delays[count]; NULL: none */
  hk_count count;       /* starts: one, or one for each node */
  hk_place place;
} hk_act;

hk_act hk_act_of_load(const hk_load *load);
hk_act hk_act_of_motion(const hk_motion *motion);

/* Whether `look` is true of something that acts in the step, in any shot; it is asked until then. */
typedef bool hk_act_look(const hk_act *act, void *context);
bool hk_step_any(const hk_step *step, hk_act_look *look, void *context);

/* When signal number i of the act begins, counted from the begin of the step, which is at step_start. */
double hk_act_start(const hk_act *act, double step_start, hk_count i);
