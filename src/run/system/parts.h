/* What the files of run/system/ share: the object, and the table of functions by which an analysis fills it. */
#pragma once
#include <hooke/system.h>
#include "load/constraints.h"
#include "load/excitation.h"
#include "operator/assembly/csr.h"
#include "run/session/session.h"

typedef struct hk_system_kind hk_system_kind;

struct hk_system {
  hk_run_desc how;
  hk_session session;
  const hk_system_kind *kind;
  hk_pool pool;                /* of the vectors */
  void *own;                   /* of the kind */
  const hk_discretisation *on; /* its own too, with K of the step taken, and the vectors for K u */
  int step;                    /* taken; -1: none */
  hk_count takes;              /* how often hk_system_take was called */
  hk_constraints held;         /* in the numbers of the mesh */
  double *load;                /* load[dofs], in the numbers of the mesh */
  double *u, *ku;              /* [padded][components] */
};

/* How an analysis gives its system: hk_analysis.system.
 *
 *   create     own and on
 *   destroy    takes what create left, also where that failed midway
 *   take       K, held and load of a step that exists, at `time` after its begin
 *   mass       mass[padded], internal order, padding 1
 *   moving     the rows that hold what moves, for the largest frequency
 *   time_step  of the step taken; NULL: it is not made in time
 *   solve      u[dofs] in the numbers of the mesh; NULL: it is not solved at once */
struct hk_system_kind {
  hk_status (*create)(hk_system *y);
  void (*destroy)(hk_system *y);
  hk_status (*take)(hk_system *y, int step, double time);
  hk_status (*mass)(const hk_system *y, double *mass);
  const hk_sparse *(*moving)(const hk_system *y);
  double (*time_step)(const hk_system *y);
  hk_status (*solve)(hk_system *y, double *u);
};

/* HK_USAGE before a step was taken. */
hk_status hk_system_check(const hk_system *system);

/* held.c: y->held = both lists of constraints in internal numbers. extra[]: mesh nodes of the degrees of freedom behind those of the space; NULL: none. */
hk_status hk_system_merge(hk_system *y, const hk_constraints *a, const hk_constraints *b,
                          const hk_index *extra);
/* matrix.c: HK_BAD_INPUT of explicit steps on elements of order p, whose K is not assembled. */
hk_status hk_system_check_assembled(const hk_system *system);
/* Degree of freedom of the mesh: of an element's node, or of an extra one. */
hk_index hk_system_to_mesh(const hk_system *y, const hk_index *extra, hk_count dof);
