/* The parts of hk_explicit, shared by explicit.c (stepping), explicit/create.c, explicit/state.c (reading, saving), energy.c, drive.c
 * (what follows the operator in a step) and watch.c (receivers), dashpots.c, pml.c. */
#ifndef HK_SOLVER_EXPLICIT_PARTS_H
#define HK_SOLVER_EXPLICIT_PARTS_H
#include "device/fetch.h"
#include "device/graph.h"
#include "solver/explicit/explicit.h"

enum { HK_TABLE_STEPS = 256, HK_VECTOR_CHUNK = 1024, HK_GRAPHS = 5 };
enum { HK_PART_REALS = 1 << 16 }; /* read or written at a time */

typedef struct hk_watching {
  hk_watch watch;
  hk_count rows;       /* of all shots */
  hk_count room, ring; /* samples in its ring, and where it begins in hk_explicit.ring */
  hk_fetch *fetch;     /* [room / 2][rows] */
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
  HK_DASH_LAST,
  HK_DASH_LOSS,
  HK_LAYER_MEMORY,
  HK_LAYER_PAST,
  HK_LAYER_LAST,
  HK_LAYER_LOSS,
  HK_WATCH_TOTAL,
  HK_INTEGRAL,
  HK_SMALL_COUNT
};

/* What solver/explicit/drive.k.h does after the operator's kernel. */
enum {
  HK_PART_FORCE = 1,
  HK_PART_MOTION = 2,
  HK_PART_COMPLETE = 4, /* samples of step n that need the increment after it */
  HK_PART_BEGIN = 8,    /* samples of step n + 1 */
  HK_PART_ALONE = 16,   /* all in one group */
  HK_PARTS_PUSH = HK_PART_FORCE | HK_PART_MOTION,
  HK_PARTS_WATCH = HK_PART_COMPLETE | HK_PART_BEGIN
};

struct hk_explicit {
  hk_operator *op;
  hk_device *device;
  const hk_space *space;
  hk_drive *drive;
  bool double_precision, damped;
  int shots;
  hk_index *force_first, *motion_first; /* [shots + 1]: rows of the drive that are a shot's own */
  hk_form form;
  double dt;
  hk_count n, steps; /* state is u_n */
  int now;           /* u_n is x[now] */
  bool finished;     /* rates of the last step are complete */
  bool touched;      /* the state is not what hk_explicit_create left: zero */
  hk_buffer *x[2], *v, *ku, *b, *a, *half_mass;
  hk_buffer *small[HK_SMALL_COUNT], *shadow[HK_SMALL_COUNT];
  hk_buffer *force_dof, *force_begin, *force_signal, *force_coefficient, *force_now;
  hk_buffer *motion_begin, *motion_dof, *motion_weight, *motion_signal, *motion_value, *motion_base,
      *motion_drift, *motion_loaded;
  hk_index dashpots, *dash_at; /* how many, and their nodes */
  double
      *resist; /* resist[shots][dashpots][components][components]: S of solver/explicit/drive.k.h */
  bool dash_loaded; /* forces act on their nodes */
  hk_buffer *dash_node, *dash_share, *dash_force;
  hk_pml_lists layer; /* nodes 0: there is none */
  bool layer_loaded;  /* forces act on its nodes */
  hk_buffer *layer_slot, *layer_hold, *layer_force;
  hk_kernel *layer_forces[2], *layer_nodes, *layer_wet; /* forces of solids, of fluids */
  hk_buffer *receiver_begin, *receiver_dof, *receiver_weight;
  hk_buffer *line, *plan, *scale, *ring; /* solver/explicit/drive.k.h */
  hk_buffer *clock;        /* [2] int64: clock[now] is n, clock[1 - now] n - 1 or n + 1 */
  hk_buffer *table_buffer; /* [2][signals][HK_TABLE_STEPS]: halves in turn */
  double *table;           /* the same */
  hk_count table_end; /* signals of [table_end - 2 HK_TABLE_STEPS, table_end) are in the table */
  hk_buffer *kinetic, *strain, *part, *total, *range; /* solver/explicit/vectors.k.h */
  hk_fetch *totals;
  hk_count sampled; /* the step whose energies are in totals */
  hk_kernel *energy, *parts, *totalled, *after, *dashing, *integrating;
  hk_graph *graph[HK_GRAPHS]; /* graph[k]: 2 << k steps from x[0] */
  hk_watching *watching;
  int watch_count;
  hk_index lines;   /* rows of all watches */
  hk_index groups;  /* of HK_VECTOR_CHUNK nodes, of one shot */
  int total_groups; /* that sum what a shot has, at most */
  hk_index group_rows,
      alone_rows; /* rows of a part that a group of drive_step serves: among others, alone */
};

/* Step n -> n + 1 with those of `parts` that there are; and its undoing (needs shadows taken by hk_explicit_trial). */
hk_status hk_explicit_one_step(hk_explicit *s, int parts);
hk_status hk_explicit_record(hk_explicit *s);
hk_status hk_explicit_trial(hk_explicit *s);
hk_status hk_explicit_undo(hk_explicit *s);

/* energy.c */
hk_status hk_energy_create(hk_explicit *s);
void hk_energy_destroy(hk_explicit *s);

/* drive.c */
/* Threads of a group of drive_step; 0: those of the device. */
int hk_drive_threads(const hk_device_info *info);
hk_status hk_drive_create(hk_explicit *s);
/* Signals of steps [n, n + count) are in the table; count <= HK_TABLE_STEPS. */
hk_status hk_drive_load(hk_explicit *s, hk_count count);
/* Tells the device that the state is u_n. */
hk_status hk_drive_set_clock(hk_explicit *s);
/* What follows the operator's kernel in the step from x[from] to x[1 - from], those of `parts` that there are. */
hk_status hk_drive_follow(hk_explicit *s, int from, int parts);

/* *out [shots][nodes][components]: the force row of each degree of freedom of these nodes, -1: none; *any: set if there is one. */
hk_status hk_drive_send_loaded(hk_explicit *s, hk_index nodes, const hk_index *node,
                               hk_buffer **out, bool *any);

/* dashpots.c */
hk_status hk_dashpots_create(hk_explicit *s, const hk_explicit_desc *desc);
void hk_dashpots_destroy(hk_explicit *s);
/* Degree of freedom i of all dashpots' [shots][dashpots][components], counted through the shots. */
hk_count hk_dashpot_dof(const hk_explicit *s, hk_count i);
/* d += 2 dt S v0 / (1 + A): their part of the increment before the first step. v0, fading (A) may be NULL. */
void hk_dashpots_resist(const hk_explicit *s, int shot, const double *v0, const double *fading,
                        double *d);
/* Tells the device the last increment d of a shot. */
hk_status hk_dashpots_set(hk_explicit *s, int shot, const double *d);
hk_status hk_dashpots_launch(hk_explicit *s, int from);

/* integrals.c */
hk_status hk_integrals_create(hk_explicit *s, const hk_explicit_desc *desc);
/* The state is that of step 0. */
hk_status hk_integrals_clear(hk_explicit *s);
/* Of the step from x[from] to x[1 - from]. */
hk_status hk_integrals_launch(hk_explicit *s, int from);

/* pml.c */
hk_status hk_layer_create(hk_explicit *s, const hk_explicit_desc *desc);
void hk_layer_destroy(hk_explicit *s);
/* Tells the device the last increment d of a shot. */
hk_status hk_layer_set(hk_explicit *s, int shot, const double *d);
hk_status hk_layer_launch(hk_explicit *s, int from);

hk_status hk_watch_create(hk_explicit *s, const hk_explicit_desc *desc);
void hk_watch_destroy(hk_explicit *s);
#endif
