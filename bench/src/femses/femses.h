/* What the files of `hooke bench femses` share (Keating 2019, chapter 5): bodies, ways of solving, what each took.
 *
 *   bodies   the paper's rectangle of triangles, the same jittered and renumbered, a quarter of the pipe with a bore hole, a box of tetrahedra
 *   ways     methods of solver/linear/list.h with what they are asked for
 *   places   0: the device, 1: the processor beside it */
#pragma once
#include "load/constraints.h"
#include "model.h"
#include "operator/operator.h"

enum { HK_FEMSES_RUNS = 5, HK_FEMSES_FORMS = 2, HK_FEMSES_SIZES = 6 };

typedef struct hk_femses_case {
  const char *name;
  hk_shape shape;
  bool scrambled;               /* jittered and renumbered at random */
  bool full;                    /* every way and kernel, not only those that are compared */
  double dofs[HK_FEMSES_SIZES]; /* ascending, 0: no more; of scale 1 */
  void (*map)(double *x);       /* of the unit square or cube; NULL: as it is */
  double (*held)(const double *x, int dim); /* prescribed value; not-a-number: free */
  bool linear;                              /* u = x is the solution */
} hk_femses_case;

enum { HK_FEMSES_CASES = 4 };
extern const hk_femses_case hk_femses_cases[HK_FEMSES_CASES];

/* What words choose: bits of a kind, 0: all of it. */
typedef enum hk_femses_kind {
  HK_FEMSES_PARTS,
  HK_FEMSES_PLACES,
  HK_FEMSES_WHAT,
  HK_FEMSES_BODIES, /* bit c: hk_femses_cases[c] */
  HK_FEMSES_WAYS,
  HK_FEMSES_KINDS
} hk_femses_kind;
typedef struct hk_femses_wanted {
  int chosen[HK_FEMSES_KINDS];
  double dofs[HK_FEMSES_SIZES]; /* of every body, in place of its own; dofs[sizes] */
  int sizes, files;
} hk_femses_wanted;

/* Whether the words choose a way of solving, by its method or its relaxation (NULL: it has none). */
bool hk_femses_wants(const hk_femses_wanted *w, const char *method, const char *relaxation);

/* Threads of a group, and the percent of the cache that its LOCAL memory has; 0: as the driver chooses. */
typedef struct hk_femses_group {
  int threads, local_share;
} hk_femses_group;

/* In the numbering that a form of K wants. */
typedef struct hk_femses_numbering {
  const hk_operator_kind *kind; /* "assembled", "elements" */
  hk_space *space;
  hk_constraints held;
  double *f; /* f[padded]; NULL: nothing */
} hk_femses_numbering;

typedef struct hk_femses_body {
  hk_bench_job *job;
  const hk_femses_wanted *wanted;
  const char *name;  /* lives as long as the job */
  bool full, linear; /* as hk_femses_case */
  int place;
  hk_device *device; /* borrowed */
  const hk_mesh *mesh;
  hk_index dofs;
  const hk_region *region;
  const hk_index *element_region;
  hk_operator_terms terms;
  hk_femses_numbering form[HK_FEMSES_FORMS];

  /* private: of a generated body */
  const hk_femses_case *of;
  hk_mesh *own_mesh;
  hk_region own_region;
  hk_index *own_element_region;
  hk_bench_model model; /* private: whose step it is */
} hk_femses_body;

/* The first step of a deck or case file of heat conduction, on a device of its own. HK_BAD_INPUT where it is something else. As create, but
 * that *b stays where it is. */
hk_status hk_femses_body_read(hk_bench_job *job, const char *path, const char *device, int place,
                              hk_femses_body *b);
/* *b is zero; clear also after a failure. */
hk_status hk_femses_body_create(hk_bench_job *job, const hk_femses_case *of, double dofs,
                                hk_device *device, int place, hk_femses_body *b);
void hk_femses_body_clear(hk_femses_body *b);
/* The numbering of a form of K by name. */
const hk_femses_numbering *hk_femses_find(const hk_femses_body *b, const char *form);
hk_operator_desc hk_femses_desc(const hk_femses_body *b, const hk_femses_numbering *form,
                                bool double_precision);

/* The stages that a whole solution is divided into; what none of them names is OTHER. */
typedef enum hk_femses_stage {
  HK_FEMSES_ALLOCATION,
  HK_FEMSES_TRANSFER,
  HK_FEMSES_SCAN,     /* which entries there are */
  HK_FEMSES_ELEMENTS, /* element matrices, where not integrated by the rows themselves */
  HK_FEMSES_ASSEMBLY,
  HK_FEMSES_CONVERSION, /* dense to rows */
  HK_FEMSES_ORDERING,
  HK_FEMSES_SETUP, /* factors, levels, the diagonal */
  HK_FEMSES_SOLVE,
  HK_FEMSES_OTHER,
  HK_FEMSES_STAGES
} hk_femses_stage;
extern const char *const hk_femses_stage_name[HK_FEMSES_STAGES];

typedef struct hk_femses_result {
  const char *body, *way;
  int place;
  hk_index dofs;
  bool converged;
  int iterations;
  hk_interval total, stage[HK_FEMSES_STAGES];
} hk_femses_result;

/* All results so far. */
typedef struct hk_femses_results {
  hk_femses_result *of;
  hk_count count, capacity;
} hk_femses_results;
/* The one of these; NULL: not measured. dofs 0: the largest that converged. */
const hk_femses_result *hk_femses_result_of(const hk_femses_results *all, const char *body,
                                            const char *way, int place, hk_index dofs);

/* The k-th name of a body that was solved; NULL behind the last. */
const char *hk_femses_body_name(const hk_femses_results *all, int k);

/* Whole solutions by every way that is expected to end in time: rows, results. */
hk_status hk_femses_solve_all(const hk_femses_body *b, hk_femses_results *results);
/* Some of them on a device whose groups have so many threads: rows. */
hk_status hk_femses_solve_grouped(const hk_femses_body *b, const hk_femses_group *group);
/* Sparsity scans, element matrices, assembly, sweeps and products: rows. */
hk_status hk_femses_kernels(const hk_femses_body *b);
/* Element matrices and assembly by kernels of so many threads in a group: rows. */
hk_status hk_femses_kernels_grouped(const hk_femses_body *b, const hk_femses_group *group);
/* Speed-ups beside the paper's, and how iterations grow: rows. */
void hk_femses_compare(hk_bench_job *job, const hk_femses_results *results);
/* The matrix of a small mesh and its orders, of which bench/draw.py draws Figures 3.4 to 3.6: pattern.json. */
hk_status hk_femses_write_pattern(const hk_bench_job *job);

/* table, case, method, device, precision, dofs, host_threads: what each row has. */
json_t *hk_femses_row(const hk_femses_body *b, const char *table, const char *method);
