/* What the benches of hk_bench share. A bench is a function here and a line in the table of bench.c. */
#pragma once
#include <hooke/hooke.h>
#include "run/explicit/problem.h"
#include "base/json.h"
#include "interval.h"
#include "solver/explicit/explicit.h"

typedef struct hk_bench_desc {
  const char *name; /* "pogo", "assembly", "integration", "femses", "sem" */
  /* model[model_count]: decks or case files, of plane explicit ("pogo") or static steps ("assembly", also plans of rods, and the words
   * boxes, tubes, device, host), of heat ("femses", and the words of its help); none: generated ones. "pogo" also takes the words
   * blocks, steps, sweep, traces, device, host: what is measured. "sem": rates, stages, tuner, bp5, elastic, acoustic, 2d, 3d, p1 ...
   * p10, what is measured; none: all; "integration": tables, times, together, scaling, device, host, single, double, paper, ours, p1 ...
   * p7; none: all but the paper's ways in double */
  const char *const *model;
  int model_count;
  const char *output;  /* folder for case files, block files and plots; made if it is not there */
  const char *device;  /* as in hk_run_desc; measured beside the processor */
  const char *toolkit; /* as in hk_run_desc */
  const char *cache;   /* as in hk_run_desc */
  int threads;         /* of the processor; 0: as many as the machine has */
  /* degrees of freedom of generated models, as a part of the paper's; 0: 1, "femses" on the processor alone 0.1 */
  double scale;
  double seconds;       /* that each rate is measured for, at least; 0: 0.5 */
  double trace_seconds; /* that each run for a discrepancy trace may take; 0: 5 */
  void (*progress)(const char *doing, void *user); /* may be NULL */
  void *user;
} hk_bench_desc;

/* *json = {bench, device, device_name, copy_gb_per_s, commit, rows: [{case, table, method, device, precision, dofs,
 * seconds_per_step or seconds, ...}]}, owned by the caller (hk_text_free). HK_USAGE for an unknown name; errors of the models go
 * to `list`. Takes minutes. */
hk_status hk_bench(const hk_bench_desc *desc, hk_messages *list, char **json);

typedef struct hk_bench_job {
  const hk_bench_desc *desc;
  hk_messages *list;
  json_t *rows;
  char device[16];         /* measured beside "cpu"; "cpu": alone */
  double copy_gb_per_s[2]; /* of the device, of the processor */
  double seconds, trace_seconds, scale;
} hk_bench_job;

/* case, table, method, device (the name of its backend), precision, dofs, elements: what each row has; without the counts that are 0. */
json_t *hk_bench_row(const char *name, const char *table, const char *method, const char *device,
                     bool double_precision, hk_count dofs, hk_count elements);
/* Appends a row; takes it over. */
void hk_bench_add(hk_bench_job *job, json_t *row);
/* key: value */
void hk_bench_set(json_t *row, const char *key, double value);
void hk_bench_set_integer(json_t *row, const char *key, hk_count value);
void hk_bench_set_text(json_t *row, const char *key, const char *value);
/* key: the mean, key_95: half the interval, where there is one. */
void hk_bench_set_interval(json_t *row, const char *key, hk_interval value);
/* bytes, gb_per_s, share_of_copy: bytes that pass in so many seconds. place: 0, the device; 1, the processor beside it. */
void hk_bench_set_bytes(const hk_bench_job *job, int place, json_t *row, double bytes,
                        double seconds);
/* A device as the job's options want it; groups of so many threads, and such a share of LOCAL memory (hk_device_desc), 0: as they are. */
hk_status hk_bench_open(const hk_bench_job *job, const char *name, int group_threads,
                        int local_share, hk_device **out);
void hk_bench_say(const hk_bench_job *job, const char *format, ...) HK_PRINTF(2, 3);
/* Seconds of a step: best of the chunks that fit into `seconds`, at least three; a chunk takes a fifth of it. *processor (may be NULL): of
 * this process on its processors, all threads together, which other work on the machine does not lengthen. */
hk_status hk_bench_time_steps(hk_explicit *solver, hk_device *device, double seconds, double *best,
                              double *processor);
/* value[runs]: seconds of one launch, out of as many as take a part of the job's seconds. The first launches, which compile, do not count. */
hk_status hk_bench_time(const hk_bench_job *job, hk_device *device, hk_status (*launch)(void *data),
                        void *data, int runs, double *value);
/* Seconds of out = K u, the best of several runs; u, out: of the operator's reals. */
hk_status hk_bench_time_product(const hk_bench_job *job, hk_operator *op, const hk_buffer *u,
                                hk_buffer *out, double *seconds);
/* Its path in the folder of results; NULL when memory ran out; hk_free. */
char *hk_bench_path(const hk_bench_job *job, const char *name);
/* A file of the folder of results that bench/draw.py reads; takes `value` over. */
hk_status hk_bench_write(const hk_bench_job *job, const char *name, json_t *value);
/* measure(job, device, place, data) on a device with as many of OpenMP's threads. place: 0, the job's; 1, the processor. */
hk_status hk_bench_on(hk_bench_job *job, int place,
                      hk_status (*measure)(hk_bench_job *job, hk_device *device, int place,
                                           void *data),
                      void *data);
/* A processor is measured beside the device. */
bool hk_bench_is_beside(const hk_bench_job *job);

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
