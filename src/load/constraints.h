/* Linear constraints between degrees of freedom, brought to u = T w + offset (A.1):
 *
 *   sum_k coefficient[k] u[dof[k]] = value   (rows: prescribed values, directions, equations)
 *     ->  u[dof[i]] = offset[i] + sum weight u[master],  masters being free degrees of freedom.
 *
 * By Gaussian elimination over the rows, each row's largest coefficient as the pivot; rows of one
 * term first. Degrees of freedom are internal: internal node * components + component. Those from
 * `dofs` on ("extra") belong to nodes without an element: they are eliminated before all others and
 * kept apart, so that a solver never sees them.
 *
 *   HK_TRY(hk_constraint_rows_add(&rows, 2, dof, coefficient, 0, file, line));
 *   HK_TRY(hk_constraints_build(&rows, dofs, extra, list, &constraints, &extras));
 */
#pragma once
#include "base/base.h"

typedef struct hk_constraints {
  hk_count dofs;
  hk_index count;
  hk_index *dof;    /* dof[count], ascending: those that are not free */
  hk_index *begin;  /* begin[count + 1] */
  hk_index *master; /* master[begin[count]]: free ones */
  double *weight;   /* weight[begin[count]] */
  double *offset;   /* offset[count] */
} hk_constraints;

void hk_constraints_clear(hk_constraints *constraints);
/* *to is cleared first. HK_NO_RESOURCES. */
hk_status hk_constraints_copy(const hk_constraints *from, hk_constraints *to);
/* u[dof[i]] := offset[i] + sum weight u[master] */
void hk_constraints_apply(const hk_constraints *constraints, double *u);
/* f := T^T f: f[master] += weight f[dof[i]], f[dof[i]] := 0 */
void hk_constraints_transpose(const hk_constraints *constraints, double *f);

typedef struct hk_constraint_term {
  hk_index dof;
  double coefficient;
} hk_constraint_term;

typedef struct hk_constraint_row {
  hk_count begin; /* its first term */
  int terms;
  double value;
  const char *file; /* borrowed; with line: where the row came from */
  hk_count line;
} hk_constraint_row;

typedef struct hk_constraint_rows { /* a growing list; zero: empty */
  HK_LIST(hk_constraint_row) row;
  HK_LIST(hk_constraint_term) term; /* none of coefficient 0 */
} hk_constraint_rows;

/* Adds a row; coefficients of a degree of freedom that occurs twice add up. */
hk_status hk_constraint_rows_add(hk_constraint_rows *rows, int terms, const hk_index *dof,
                                 const double *coefficient, double value, const char *file,
                                 hk_count line);
void hk_constraint_rows_clear(hk_constraint_rows *rows);

/* Rows of one term: of several for one dof the last one holds, with one counted warning where
 * values differ. Rows of several terms that follow from others are left out with a warning;
 * HK_BAD_INPUT, each told with its place in `list` (may be NULL), where one contradicts others.
 * `extras` (may be NULL when extra is 0): rows of the dofs dofs .. dofs + extra - 1; their masters
 * are below `dofs`. Cost: O(entries) for rows that share few dofs. */
hk_status hk_constraints_build(const hk_constraint_rows *rows, hk_count dofs, hk_count extra,
                               hk_messages *list, hk_constraints *out, hk_constraints *extras);
/* The same rows with prescribed degrees of freedom among the masters, numbered with the extra ones: u[dof] = sum weight u[master] + ..., so
 * that the force that holds h is what is on h and sum weight[.][h] times what is on its dependents (virtual work). Those of hk_constraints_build are the
 * dependents. *out is overwritten; rows that hk_constraints_build has taken. HK_NO_RESOURCES. */
hk_status hk_constraints_lead(const hk_constraint_rows *rows, hk_count dofs, hk_count extra,
                              hk_constraints *out);
