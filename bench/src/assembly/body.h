/* Bodies that `hooke bench assembly` measures: generated ones and static decks, held and loaded. */
#ifndef HK_BENCH_ASSEMBLY_BODY_H
#define HK_BENCH_ASSEMBLY_BODY_H
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
  int16_t *element_region;
  hk_constraints held;
  double *f;
} hk_bench_generated;

typedef struct hk_bench_body {
  hk_bench_job *job;
  char name[48];
  const char *table; /* the paper's, of its stages */
  bool full;         /* every format, way and precision */
  bool solved;       /* whole solutions too */
  int place;         /* 0: the device, 1: the processor beside it */
  hk_bench_paper paper;
  hk_device *device;
  const hk_mesh *mesh;
  const hk_space *space;
  const hk_region *region;
  const int16_t *element_region;
  const hk_constraints *held;
  const double *f; /* f[padded * dim] */

  /* private: what it owns, generated or read */
  hk_bench_generated own;
  hk_bench_model model;
} hk_bench_body;

/* Number `which` of the generated bodies, HK_BENCH_BODIES of them; the processor beside a device has a tenth of the elements. *b is zero;
 * clear also after a failure. */
enum { HK_BENCH_BODIES = 10 };
hk_status hk_bench_body_generate(hk_bench_job *job, int which, hk_device *device, int place,
                                 hk_bench_body *b);
/* The first step of a static deck or case file, on a device of its own; "rod*.inp" of HEX20 has the paper's Table 5 beside it. *b is zero and
 * stays where it is. */
hk_status hk_bench_body_read(hk_bench_job *job, const char *path, const char *device, int place,
                             hk_bench_body *b);
void hk_bench_body_clear(hk_bench_body *b);

/* A row of the bench, with the format of the matrix. */
json_t *hk_assembly_row(const hk_bench_body *b, const char *table, const char *method,
                        hk_matrix_format format, bool double_precision);
/* Figure 16: the matrix and the rest of a whole solution to 1e-8, by Jacobi and by the default solver, a row each. */
hk_status hk_bench_share(const hk_bench_body *b);
#endif
