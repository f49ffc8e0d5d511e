/* The first step of a deck or case file, statics or steady heat, prepared with its constraints and loads: a body that benches measure. */
#pragma once
#include "bench.h"
#include "run/session/session.h"
#include "run/static/static.h"

typedef struct hk_bench_model {
  hk_model *model; /* NULL: none was read */
  hk_static run;

  /* private */
  hk_run_desc how;
  hk_session session;
} hk_bench_model;

/* The word behind a path's last slash. */
const char *hk_bench_base(const char *path);
/* On a device of its own, in double precision, K assembled. *m is zero and stays where it is; clear also after a failure. HK_BAD_INPUT where
 * the step is one in time. */
hk_status hk_bench_model_read(hk_bench_job *job, const char *path, const char *device,
                              hk_bench_model *m);
void hk_bench_model_clear(hk_bench_model *m);
