/* Displacements at the receivers of a stage, kept whole, and how far two recordings lie apart. */
#pragma once
#include "run/explicit/stage.h"
#include "space/space.h"

typedef struct hk_traces {
  char method[64];
  int groups, components;
  hk_count steps, receivers; /* of all receiver groups */
  hk_count *rows, *samples;  /* rows[groups], samples[groups] */
  double **value; /* value[group][sample][row], row = receiver * components + component */
  double *dt;     /* dt[group]: between samples */
  double largest; /* displacement of a component anywhere in the model after the last step */
} hk_traces;

/* Steps the solver from where it is to `steps`, and keeps the displacements of every receiver group of that kind. */
hk_status hk_traces_record(hk_explicit *solver, const hk_stage *stage, const hk_space *space,
                           hk_count steps, hk_traces *out);
void hk_traces_clear(hk_traces *traces);
/* Largest |a - b| of a receiver over the largest |a| of that receiver (Huthwaite 2014, Figs 9, 11, 13:
 * sqrt(dx^2 + dy^2)). The worst receiver with a signal counts, that is with at least 1e-4 of the largest displacement of a's model;
 * not-a-number when none has one. */
double hk_traces_discrepancy(const hk_traces *a, const hk_traces *b);
/* The discrepancy over time, of the first receivers, as a PNG. */
hk_status hk_traces_plot(const hk_traces *a, const hk_traces *b, const char *title,
                         const char *time_unit, const char *unit, const char *path);
