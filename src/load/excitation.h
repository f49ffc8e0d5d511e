/* What drives a model in time and what is recorded, on degrees of freedom: sparse rows, and signals
 * sampled per step.
 *
 *   forces     F(t_n)[dof]  = sum coefficient s(t_n)
 *   motions    sum weight u_n+1[dof] = base + drift t_n+1 + value g(t_n+1),
 *              g = s, or the once or twice integrated s
 *   receivers  y = sum weight u[dof]
 * g is integrated by the time scheme: velocity g_n+1 = g_n + dt s(t_n + dt / 2), acceleration by
 * central differences; base and drift are the row's displacement and velocity when it begins. Where a signal is
 * filtered, s is what hk_excitation_filter has made of it. */
#pragma once
#include "load/signal.h"

typedef enum hk_role {
  HK_ROLE_FORCE,
  HK_ROLE_DISPLACEMENT,
  HK_ROLE_VELOCITY,
  HK_ROLE_ACCELERATION
} hk_role;

/* s without time dispersion (load/dispersion.h), at step n; of velocities at n + 1/2 */
typedef struct hk_filtered {
  bool on;
  hk_count first, count;
  double *value;        /* value[count], from n = first on */
  double before, after; /* what it is before and after them */
} hk_filtered;
void hk_filtered_clear(hk_filtered *filtered);

typedef struct hk_source_signal { /* one row of the sampled table */
  const hk_signal *signal;        /* borrowed; NULL: constant 1 from `start` on */
  double start;                   /* s(t - start); 0 before it */
  hk_role role;
  hk_filtered filtered; /* on: instead of s, owned */
  double sum, rate;     /* integrals up to the last sampled step; private */
} hk_source_signal;

/* s(t - start); 0 before it. */
double hk_source_signal_at(const hk_source_signal *s, double t);

typedef struct hk_sparse { /* rows of weights over degrees of freedom */
  hk_index rows;
  hk_index *begin; /* begin[rows + 1] */
  hk_index *dof;   /* dof[begin[rows]]: internal node * components + component */
  double *weight;  /* weight[begin[rows]] */
} hk_sparse;
struct hk_space;
/* u_r of each node on the axis of an axisymmetric solid, one row each, not of nodes of fluid[mesh node] (NULL: none are); arrays of the pool. HK_NO_RESOURCES. */
hk_status hk_sparse_of_axis(const struct hk_space *space, const bool *fluid, hk_pool *pool,
                            hk_sparse *out);

typedef struct hk_force_rows { /* one row per loaded dof, ascending */
  hk_index rows;
  hk_index *dof;       /* dof[rows] */
  hk_index *begin;     /* begin[rows + 1] */
  hk_index *signal;    /* signal[begin[rows]]: index in hk_excitation.signal */
  double *coefficient; /* coefficient[begin[rows]] */
} hk_force_rows;

typedef struct hk_dashpots { /* force -c v on nodes */
  hk_index count;
  hk_index *node; /* node[count]: internal, ascending */
  double *c; /* c[count][components][components]: symmetric, positive semidefinite; mass per time */
} hk_dashpots;

enum { HK_RELAXING = 3 }; /* mechanisms of a node of one fluid */

/* Forces on component 0 of nodes, each the sum over mechanisms p of -weight (u' - rate s), s' = u' - rate s. */
typedef struct hk_relaxing {
  hk_index count;
  hk_index *node;        /* node[count]: internal, ascending */
  hk_index *begin;       /* begin[count + 1] */
  double *rate, *weight; /* rate[begin[count]] 1/s, weight: mass per time */
} hk_relaxing;

typedef struct hk_excitation {
  int signal_count;
  hk_source_signal *signal; /* signal[signal_count], owned */
  hk_pool tables;           /* of signals that were made for it */
  hk_force_rows force;
  /* rows share no dof, but for those of one node along orthogonal directions, which lie side by side */
  hk_sparse motion;
  hk_index *motion_signal;                           /* motion_signal[motion.rows]; -1: value 0 */
  double *motion_value, *motion_base, *motion_drift; /* [motion.rows] */
} hk_excitation;

void hk_sparse_clear(hk_sparse *sparse);
void hk_excitation_clear(hk_excitation *excitation);
void hk_dashpots_clear(hk_dashpots *dashpots);

/* table[signal][stride], column k = 0..count-1: forces s(t_n), motions g(t_n+1) for step n = first
 * + k. Steps are asked for in ascending order without gaps; first = 0 starts anew. By all threads; the
 * same bits for any number of them. */
void hk_excitation_sample(hk_excitation *excitation, double dt, hk_count first, int count,
                          int stride, double *table);

/* Builder of force rows: sorts, and drops dofs that a motion row of their own holds. On a dof of a
 * row with several a force acts, but for its part along the row, which the row's own force takes up. */
typedef struct hk_force_entry {
  hk_index dof, signal;
  double coefficient;
} hk_force_entry;
hk_status hk_force_rows_build(hk_force_entry *entry, hk_count count, const hk_sparse *motion,
                              hk_force_rows *out);
