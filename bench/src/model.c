/* Reads a model and prepares its first step as a run does, up to the solver: the space and its device, the constraints
 * of the step and its loads. Benches then assemble and solve with them in their own ways. Solver choices of the model
 * are dropped. */
#include "model.h"
#include <string.h>

const char *hk_bench_base(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

hk_status hk_bench_model_read(hk_bench_job *job, const char *path, const char *device,
                              hk_bench_model *m)
{
  const hk_bench_desc *d = job->desc;
  hk_bench_say(job, "%s: reading", hk_bench_base(path));
  HK_PASS(hk_model_read(path, NULL, 0, job->list, &m->model));
  HK_NEED(!hk_analysis_of_model(m->model)->in_time, HK_BAD_INPUT,
          "%s: its first step is one in time: this bench solves static steps and steady heat",
          path);
  m->model->solve.how = (hk_static_how){.form = "assembled"};
  m->how = (hk_run_desc){.device = device,
                         .toolkit = d->toolkit,
                         .cache = d->cache,
                         .threads = d->threads,
                         .precision = HK_DOUBLE};
  m->session = (hk_session){.model = m->model, .desc = &m->how, .list = job->list};
  m->run = hk_static_of(&m->session);
  HK_PASS(hk_static_prepare(&m->run));
  HK_PASS(hk_static_vectors(&m->run));
  HK_PASS(hk_static_hold(&m->run, 0, 0));
  HK_PASS(hk_static_check_rigid(&m->run));
  return hk_static_load(&m->run, 0);
}

void hk_bench_model_clear(hk_bench_model *m)
{
  if (m->model) hk_static_clear(&m->run);
  hk_model_destroy(&m->model);
}
