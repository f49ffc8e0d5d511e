/* What the files system*.c share. */
#ifndef HK_RUN_SYSTEM_PARTS_H
#define HK_RUN_SYSTEM_PARTS_H
#include <hooke/system.h>
#include "run/explicit/stage.h"
#include "run/static/static.h"
#include "operator/assembly/csr.h"

struct hk_system {
  const hk_model *model; /* borrowed */
  hk_run_desc how;
  hk_session session;
  bool still;  /* a static system, or one in time: */
  hk_static s; /* with K of the step taken */
  hk_problem *problem;
  hk_stage stage; /* of the step taken */
  hk_buffer *in, *out;
  const hk_space *space;
  int step;            /* taken; -1: none */
  int solved;          /* whose solution s.u is; -1: none */
  hk_constraints held; /* in the numbers of the mesh */
  double *load;        /* load[dofs], in the numbers of the mesh */
  double *u, *ku;      /* [padded][components] */
};

/* The form of K, on the device. */
hk_operator *hk_system_operator(const hk_system *system);
/* HK_USAGE before a step was taken. */
hk_status hk_system_check(const hk_system *system);
/* Sets the number of threads; returns the caller's, to be put back. */
int hk_system_threads(const hk_system *system);

/* system/held.c: `held` and `load` of a step, at a time. */
hk_status hk_system_hold(hk_system *system, double time);
#endif
