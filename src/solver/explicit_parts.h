/* The parts of hk_explicit, shared by explicit.c (stepping), explicit_state.c (reading, saving) and
 * watch.c (receivers). */
#ifndef HK_SOLVER_EXPLICIT_PARTS_H
#define HK_SOLVER_EXPLICIT_PARTS_H
#include "solver/explicit.h"

enum { HK_TABLE_STEPS = 256, HK_VECTOR_CHUNK = 1024 };

typedef struct hk_watching {
  hk_watch watch;
  hk_count room;
  hk_buffer *ring; /* [room][rows] double */
} hk_watching;

/* Small arrays that a step changes beside the state vectors. */
enum {
  HK_FORCE_LAST,
  HK_FORCE_WORK,
  HK_FORCE_LOSS,
  HK_MOTION_LAST,
  HK_MOTION_WORK,
  HK_REACTION,
  HK_LOSS,
  HK_MOTION_LOSS,
  HK_SMALL_COUNT
};

struct hk_explicit {
  hk_operator *op;
  hk_device *device;
  const hk_space *space;
  hk_drive *drive;
  bool double_precision, damped;
  hk_form form;
  double dt;
  hk_count n, steps; /* state is u_n */
  int now;           /* u_n is x[now] */
  bool finished;     /* rates of the last step are complete */
  hk_buffer *x[2], *v, *ku, *b, *a, *half_mass, *sums;
  hk_buffer *small[HK_SMALL_COUNT], *shadow[HK_SMALL_COUNT];
  hk_buffer *force_dof, *force_begin, *force_signal, *force_coefficient, *force_now;
  hk_buffer *motion_begin, *motion_dof, *motion_weight, *motion_signal, *motion_value, *motion_base,
      *motion_drift, *motion_loaded;
  hk_buffer *receiver_begin, *receiver_dof, *receiver_weight;
  hk_buffer *table_buffer; /* [signals][HK_TABLE_STEPS] */
  double *table;
  double *sums_host;
  hk_count table_first; /* first step in the table; -1: none */
  hk_kernel *energy, *force, *motion, *sample;
  hk_watching *watching;
  int watch_count;
  hk_index groups; /* of HK_VECTOR_CHUNK nodes */
};

/* Step n -> n + 1 without receivers; and its undoing (needs shadows taken by hk_explicit_trial). */
hk_status hk_explicit_bare_step(hk_explicit *s);
hk_status hk_explicit_trial(hk_explicit *s);
hk_status hk_explicit_undo(hk_explicit *s);
/* Sampled signals of step n are in the table. */
hk_status hk_explicit_load_table(hk_explicit *s);

hk_status hk_watch_create(hk_explicit *s, const hk_explicit_desc *desc);
void hk_watch_destroy(hk_explicit *s);
/* After the state has become u_n: begins the samples of step n. */
hk_status hk_watch_begin(hk_explicit *s);
/* Adds the increment n - 1 -> n to the rates of step n - 1. */
hk_status hk_watch_complete(hk_explicit *s, hk_count step);
#endif
