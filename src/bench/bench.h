/* What the benches of hk_bench share. A bench is a function here and a line in the table of bench.c. */
#ifndef HK_BENCH_BENCH_H
#define HK_BENCH_BENCH_H
#include <hooke/bench.h>
#include "run/explicit/problem.h"
#include "base/json.h"
#include "solver/explicit/explicit.h"

typedef struct hk_bench_job {
  const hk_bench_desc *desc;
  hk_messages *list;
  json_t *rows;
  char device[16];         /* measured beside "cpu"; "cpu": alone */
  double copy_gb_per_s[2]; /* of the device, of the processor */
  double seconds, trace_seconds, scale;
} hk_bench_job;

/* Appends a row; takes it over. */
void hk_bench_add(hk_bench_job *job, json_t *row);
void hk_bench_say(const hk_bench_job *job, const char *format, ...) HK_PRINTF(2, 3);
/* Seconds of a step: best of the chunks that fit into `seconds`, at least three; a chunk takes a fifth of it. *processor (may be NULL): of
 * this process on its processors, all threads together, which other work on the machine does not lengthen. */
hk_status hk_bench_time_steps(hk_explicit *solver, hk_device *device, double seconds, double *best,
                              double *processor);
/* Its path in the folder of results; NULL when memory ran out; hk_free. */
char *hk_bench_path(const hk_bench_job *job, const char *name);

/* Huthwaite (2014): Tables 1, 2, 4, A.5, discrepancy traces. */
hk_status hk_bench_pogo(hk_bench_job *job);
/* Sanfui, Sharma: Tables 1 to 5, the data of Figures 9 to 17. */
hk_status hk_bench_assembly(hk_bench_job *job);
/* Banas, Plaszewski, Maciol: Tables 1 to 7, the data of Figures 2 and 3. */
hk_status hk_bench_integration(hk_bench_job *job);
/* Keating (2019): the figures of chapter 5, Figures 3.4 to 3.6, equations (4.8) to (4.14). */
hk_status hk_bench_femses(hk_bench_job *job);
/* Carrascal-Manzanares et al. (2017): Tables 1 to 4, Figures 3 to 8; rates of steps by order. */
hk_status hk_bench_sem(hk_bench_job *job);
#endif
