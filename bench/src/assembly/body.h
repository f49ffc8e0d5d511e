/* Bodies that `hooke bench assembly` measures: generated ones and static decks, held and loaded. */
#pragma once
#include "model.h"
#include "operator/assembly/assembly.h"

typedef struct hk_bench_paper { /* a row of the paper's tables; 0: it gives none */
  hk_count nodes, elements;
  double seconds[3], megabytes; /* of the stages; of ELL's values, one per pair of nodes */
} hk_bench_paper;

typedef struct hk_bench_generated {
  hk_mesh *mesh;
  hk_space *space;
  hk_region region;
  hk_index *element_region;
  hk_constraints held;
  double *f;
} hk_bench_generated;

typedef struct hk_bench_body {
  hk_bench_job *job;
  char name[48];
  const char *table; /* the paper's, of its stages */
  bool full;         /* every format and precision */
  bool ways;         /* the papers' ways of stage 3 */
  bool solved;       /* whole solutions too */
  int place;         /* 0: the device, 1: the processor beside it */
  hk_bench_paper paper;
  hk_device *device;
  const hk_mesh *mesh;
  const hk_space *space;
  const hk_region *region;
  const hk_index *element_region;
  const hk_constraints *held;
  const double *f; /* f[padded * dim] */

  /* private: what it owns, generated or read */
  hk_bench_generated own;
  hk_bench_model model;
} hk_bench_body;

/* What the words of the bench choose: generated bodies of these kinds, and where. None: all. */
typedef struct hk_bench_chosen {
  bool boxes, tubes, device, host;
} hk_bench_chosen;

/* Number `which` of the generated bodies, HK_BENCH_BODIES of them; the processor beside a device has a tenth of the elements. *b is zero;
 * clear also after a failure. hk_bench_body_is: of a kind that was chosen. */
enum { HK_BENCH_BODIES = 13 };
bool hk_bench_body_is(int which, const hk_bench_chosen *chosen);
hk_status hk_bench_body_generate(hk_bench_job *job, int which, hk_device *device, int place,
                                 hk_bench_body *b);
/* The first step of a static deck or case file, on a device of its own; "rod*.inp" of HEX20 has the paper's Table 5 beside it. *b is zero and
 * stays where it is. */
hk_status hk_bench_body_read(hk_bench_job *job, const char *path, const char *device, int place,
                             hk_bench_body *b);
/* The rod of a plan (rod*.msh). *b is zero; clear also after a failure. */
hk_status hk_bench_body_draw(hk_bench_job *job, const char *path, hk_device *device, int place,
                             hk_bench_body *b);
void hk_bench_body_clear(hk_bench_body *b);

/* A row of the bench, with the format of the matrix. */
json_t *hk_assembly_row(const hk_bench_body *b, const char *table, const char *method,
                        hk_matrix_format format, bool double_precision);
/* The solid of HEX20 over a plan; the places that are held and pulled; the paper's numbers of a rod whose nodes are these to a twentieth. */
hk_status hk_bench_rod_make(const hk_mesh *plan, const char *path, hk_mesh **out);
bool hk_bench_rod_held(const double *x);
bool hk_bench_rod_pulled(const double *x);
void hk_bench_rod_find(hk_bench_body *b);

/* Bytes that a stage (0, 1, 2) reads and writes, all kernels together. */
double hk_bench_traffic(const hk_assembly *assembly, int stage);
/* Figure 16: the matrix and the rest of a whole solution to 1e-8, by Jacobi and by the default solver, a row each. */
hk_status hk_bench_share(const hk_bench_body *b);
