/* The parts of hk_explicit, shared by explicit.c (stepping), create.c, start.c (the first step), state.c (reading, saving), sources.c (forces
 * and motions), receivers.c, energy.c and the files of terms (term.h). */
#pragma once
#include "device/fetch.h"
#include "device/graph.h"
#include "solver/explicit/integrator.h"
#include "solver/explicit/state.h"
#include "solver/explicit/term.h"

enum {
  HK_TABLE_STEPS = 256,
  HK_VECTOR_CHUNK = 1024,
  HK_GRAPHS = 6,
  HK_MOST_SUMS = 6,
  HK_PLAN_SIZE = 8
};
enum { HK_COPY_REALS = 1 << 16 }; /* read or written at a time */

/* The tasks of a step after the operator's kernel (solver/explicit/sources.k.h). */
enum {
  HK_TASK_FORCE = 1,
  HK_TASK_MOTION = 2,
  HK_TASK_COMPLETE = 4, /* samples of step n that need the increment after it */
  HK_TASK_BEGIN = 8,    /* samples of step n + 1 */
  HK_TASK_ALONE = 16,   /* all in one group */
  HK_TASKS_PUSH = HK_TASK_FORCE | HK_TASK_MOTION,
  HK_TASKS_RECEIVERS = HK_TASK_COMPLETE | HK_TASK_BEGIN
};

typedef struct hk_vectors {
  hk_buffer *x[2], *v,
      *ku;          /* [shots][padded][components]; v: the last increment, of HK_FORM_INCREMENTS */
  hk_buffer *b, *a; /* [padded]: B and A of operator/epilogue.k.h */
  hk_buffer *half_mass; /* [padded]: over dt^2 */
  hk_buffer *law;       /* state of the laws; borrowed of the state; NULL: they have none */
  hk_buffer *loss; /* by C, of the operator's groups; borrowed of the state; NULL: no damping */
} hk_vectors;

/* Places in hk_sources.head (LIST_* of solver/explicit/sources.k.h). */
typedef enum hk_list_place {
  HK_LIST_FORCE_ROWS,
  HK_LIST_MOTION_ROWS,
  HK_LIST_LINES,
  HK_LIST_SIGNALS,
  HK_LIST_FORCE_DOF,
  HK_LIST_FORCE_BEGIN,
  HK_LIST_FORCE_SIGNAL,
  HK_LIST_MOTION_BEGIN,
  HK_LIST_MOTION_DOF,
  HK_LIST_MOTION_LOADED,
  HK_LIST_MOTION_SIGNAL,
  HK_LIST_RECEIVER_BEGIN,
  HK_LIST_RECEIVER_DOF,
  HK_LIST_LINE,
  HK_LIST_FORCE_COEFFICIENT,
  HK_LIST_MOTION_WEIGHT,
  HK_LIST_MOTION_VALUE,
  HK_LIST_RECEIVER_WEIGHT,
  HK_LIST_SCALE,
  HK_LIST_SHOTS,
  HK_LIST_PADDED
} hk_list_place;

/* Parts of hk_sources.change, in this order: of force rows, of motion rows, of the entries of motion rows. */
typedef enum hk_change_part {
  HK_FORCE_NOW,
  HK_FORCE_LAST,
  HK_FORCE_WORK,
  HK_FORCE_LOSS,
  HK_MOTION_BASE,
  HK_MOTION_DRIFT,
  HK_MOTION_WORK,
  HK_MOTION_LOSS,
  HK_REACTION,
  HK_MOTION_LAST
} hk_change_part;

enum { HK_SOURCE_SUMS = 4 };

typedef struct hk_sources {
  hk_excitation *excitation;            /* borrowed */
  hk_index *force_first, *motion_first; /* [shots + 1]: rows that are a shot's own */
  hk_index *summed[HK_SOURCE_SUMS];     /* [shots + 1]: a shot's works and losses in change */
  hk_index *force_node, *motion_node;   /* [rows]: the (first) node of a row */
  hk_integers head;                     /* by hk_list_place */
  hk_buffer *list, *weight; /* solver/explicit/sources.k.h, those of receivers with them */
  hk_buffer *change;        /* borrowed of the state */
  hk_buffer *clock;         /* [2] int64: clock[now] is n, clock[1 - now] n - 1 or n + 1 */
  hk_buffer *plan;          /* hk_receivers.plan on the device */
  hk_buffer *table_buffer;  /* [2][signals][HK_TABLE_STEPS]: halves in turn */
  double *table;            /* the same */
  hk_count table_end; /* signals of [table_end - 2 HK_TABLE_STEPS, table_end) are in the table */
  hk_kernel *kernel;
  /* rows of a task that a group of sources_step serves: among others, alone */
  hk_index group_rows, alone_rows;
  int gather, lines; /* GATHER, 0: none, and LINES of sources.k.h: rows of receivers of a group */
} hk_sources;

typedef struct hk_group_state {
  hk_receiver_group receiver_group;
  hk_count rows;       /* of all shots */
  hk_count room, ring; /* samples in its ring, and where it begins behind the integrals */
  hk_fetch *fetch;     /* [room / 2][rows] */
} hk_group_state;

typedef struct hk_receivers {
  const hk_sparse *rows; /* borrowed for create; NULL: none */
  hk_index *line;        /* line[lines]: of solver/explicit/sources.k.h */
  int64_t *plan;         /* plan[plans][HK_PLAN_SIZE] */
  double *scale;         /* scale[plans][2] */
  hk_buffer *ring; /* borrowed of the state; integrals, then the rings of all receiver groups */
  hk_group_state *group_state;
  int count, plans;
  hk_index lines; /* rows of all receiver groups */
} hk_receivers;

typedef enum hk_sum_kind {
  HK_SUM_WORK,
  HK_SUM_LOSS,
  HK_SUM_EXCHANGE /* a loss that may be below 0 */
} hk_sum_kind;

typedef struct hk_sum { /* work or loss of all steps so far */
  hk_sum_kind kind;
  const hk_buffer *array; /* of doubles, borrowed */
  const hk_index *first;  /* first[shots + 1]: the numbers of a shot, borrowed */
  /* number[period]: the node of number i is number[(i - first[0]) % period], borrowed; NULL: of none */
  const hk_index *number;
  hk_index period;
} hk_sum;

typedef struct hk_sum_lists { /* of solver/explicit/vectors.k.h */
  hk_pool pool;
  HK_LIST(hk_index) begin, item;
} hk_sum_lists;

typedef struct hk_energies {
  hk_buffer *kinetic, *strain, *table;           /* solver/explicit/vectors.k.h */
  hk_buffer *begin, *item, *piece_begin, *piece; /* its lists */
  hk_sum sum[HK_MOST_SUMS];
  int sums;
  hk_fetch *totals; /* the table */
  hk_count sampled; /* the step whose energies are in totals */
  hk_kernel *energy, *tabled;
  hk_index granules, *granule; /* granule[granules]: own ones, ascending, in the whole numbering */
  hk_energy *summed;           /* summed[shots][granules] of the last sample that was waited for */
} hk_energies;

typedef struct hk_scheme { /* a step of u_n */
  const hk_integrator *integrator;
  void *data; /* of the integrator; NULL: none */
  hk_form form;
  bool damped;
  int damping; /* HK_UNDAMPED ..., of the operator's kernels */
  double dt;
} hk_scheme;

struct hk_explicit {
  hk_operator *op;
  hk_device *device;
  const hk_space *space;
  const hk_link *link; /* borrowed; NULL: one part */
  /* what follows K acts on rows of the boundary alone, and so comes before the interior */
  bool ahead;
  bool aside;    /* and on none that other parts read, so that it runs beside the exchange */
  bool late;     /* not ahead: it acts on some that other parts read, and the exchange follows it */
  bool trailing; /* the exchange of a step ends within the next one */
  bool pending;  /* that of the last step has not ended */
  bool double_precision;
  int shots;
  hk_scheme scheme;
  hk_count n, steps; /* state is u_n */
  int now;           /* u_n is x[now] */
  bool finished;     /* rates of the last step are complete */
  bool touched;      /* the state is not what hk_explicit_create left: zero */
  hk_vectors vector;
  hk_state state;
  hk_sources sources;
  hk_receivers receivers;
  hk_energies energies;
  hk_term term[HK_TERMS];
  hk_graph *graph[HK_GRAPHS]; /* from x[0], of the numbers of steps in explicit.c, ascending */
};

/* Degrees of freedom of one shot, padding counted. */
static inline hk_count hk_explicit_dofs(const hk_explicit *s)
{
  return (hk_count)s->space->padded * s->space->components;
}

/* What follows the operator's kernel in the step from x[from] to x[1 - from], those of `tasks` that there are. */
hk_status hk_explicit_follow(hk_explicit *s, int from, int tasks);
/* Fills the ghosts of a vector from the other parts; nothing where the model is one part. */
hk_status hk_explicit_exchange(hk_explicit *s, hk_buffer *vector);
/* Step n -> n + 1 with those of `tasks` that there are; and its undoing (needs what hk_explicit_trial keeps). */
hk_status hk_explicit_one_step(hk_explicit *s, int tasks);
/* The boundary of a step runs beside its interior: launches are all that the exchange does, and the interior waits for none of the boundary. Such steps
 * are not recorded, for a graph gives the boundary no priority. */
bool hk_explicit_overlaps(const hk_explicit *s);
hk_status hk_explicit_record(hk_explicit *s);
hk_status hk_explicit_trial(hk_explicit *s);
hk_status hk_explicit_undo(hk_explicit *s);

/* Fills sent and ahead of a term that acts on these nodes. */
void hk_explicit_place(hk_term *term, hk_index nodes, const hk_index *node);
/* *out: a buffer of these bytes. */
hk_status hk_explicit_send(const hk_explicit *s, hk_count bytes, const void *from, hk_buffer **out);
/* A kernel of solver/explicit/sources.k.h, with so many threads in a group; gather, lines: its GATHER and LINES, gather 0: none. */
hk_status hk_explicit_kernel(const hk_explicit *s, const char *function, int threads, int gather,
                             int lines, hk_kernel **out);
/* Writes the last increment d of a shot at these nodes [count] into its part of to [shots][count][components] doubles. */
hk_status hk_explicit_send_last(const hk_explicit *s, int shot, hk_index count,
                                const hk_index *node, const double *d, hk_buffer *to);

/* energy.c: at most HK_MOST_SUMS in all, works before losses; nothing without an array */
hk_status hk_sum_add(hk_explicit *s, const hk_sum *sum);
hk_status hk_energy_create(hk_explicit *s);
void hk_energy_destroy(hk_explicit *s);

/* sums.c: the patches of each granule, and which they are, into s->energies; then the numbers that each granule sums */
hk_status hk_granules_list(hk_explicit *s, hk_sum_lists *lists);
hk_status hk_sum_lists_create(const hk_explicit *s, hk_sum_lists *lists);

/* sources.c */
/* Threads of a group of sources.k.h; 0: those of the device. */
int hk_sources_threads(const hk_device_info *info);
/* Receivers are there already. */
hk_status hk_sources_create(hk_explicit *s, hk_excitation *excitation);
void hk_sources_destroy(hk_explicit *s);
/* Signals of steps [n, n + count) are in the table; count <= HK_TABLE_STEPS. */
hk_status hk_sources_load(hk_explicit *s, hk_count count);
/* Tells the device that the state is u_n. */
hk_status hk_sources_set_clock(hk_explicit *s);
/* Place in `change` where a part begins. */
hk_count hk_sources_part(const hk_sources *sources, hk_change_part part);
/* Tells the device the last increment d of a shot's driven degrees of freedom. */
hk_status hk_sources_set(hk_explicit *s, int shot, const double *d);
/* Forces, motions and receivers, those of `tasks` that there are. */
hk_status hk_sources_launch(hk_explicit *s, int from, int tasks);
/* loaded [shots][nodes][components]: the force row of each degree of freedom of these nodes, -1: none; whether there is one. */
bool hk_sources_find_loaded(const hk_explicit *s, hk_index nodes, const hk_index *node,
                            hk_index *loaded);

/* receivers.c */
hk_status hk_receivers_create(hk_explicit *s, const hk_explicit_desc *desc);
void hk_receivers_destroy(hk_explicit *s);
