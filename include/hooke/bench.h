/* The papers' tables, measured on this machine.
 *
 *   char *json = NULL;
 *   hk_messages *list = NULL;
 *   hk_messages_create(&list);
 *   hk_bench(&(hk_bench_desc){.name = "pogo", .output = "pogo.bench"}, list, &json);
 *   hk_messages_destroy(&list);
 *   hk_text_free(&json);
 */
#ifndef HOOKE_BENCH_H
#define HOOKE_BENCH_H
#include <hooke/messages.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hk_bench_desc {
  const char *name; /* "pogo", "assembly", "integration", "femses", "sem" */
  const char *const
      *model; /* model[model_count]: decks or case files, of plane explicit ("pogo") or
                               static steps ("assembly"), of heat ("femses"); none: generated ones. "sem": rates,
                               stages, tuner, bp5, elastic, acoustic, 2d, 3d, p1 ... p10, what is measured; none: all;
                               "integration": tables, times, device, host, single, double, paper, ours, p1 ... p7;
                               none: all but the paper's ways in double */
  int model_count;
  const char *output;  /* folder for case files, block files and plots; made if it is not there */
  const char *device;  /* as in hk_run_desc; measured beside the processor */
  const char *toolkit; /* as in hk_run_desc */
  const char *cache;   /* as in hk_run_desc */
  int threads;         /* of the processor; 0: as many as the machine has */
  double
      scale; /* degrees of freedom of generated models, as a part of the paper's; 0: 1, "femses" on the
                           processor alone 0.1 */
  double seconds;       /* that each rate is measured for, at least; 0: 0.5 */
  double trace_seconds; /* that each run for a discrepancy trace may take; 0: 5 */
  void (*progress)(const char *doing, void *user); /* may be NULL */
  void *user;
} hk_bench_desc;

/* *json = {bench, device, device_name, copy_gb_per_s, commit, rows: [{case, table, method, device, precision, dofs,
 * seconds_per_step or seconds, ...}]}, owned by the caller (hk_text_free). HK_USAGE for an unknown name; errors of the models go
 * to `list`. Takes minutes. */
HK_API hk_status hk_bench(const hk_bench_desc *desc, hk_messages *list, char **json);

#ifdef __cplusplus
}
#endif
#endif
