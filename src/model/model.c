#include "model/model.h"
#include "model/case.h"
#include <string.h>

static void clear_trace(hk_trace_request *trace)
{
  hk_free(&trace->name);
  hk_target_clear(&trace->target);
  hk_free(&trace->at);
}

static void clear_step(hk_step *step)
{
  for (int i = 0; i < step->load_count; i++) {
    hk_target_clear(&step->load[i].target);
    hk_free(&step->load[i].delays);
  }
  for (int i = 0; i < step->motion_count; i++) {
    hk_target_clear(&step->motion[i].target);
    hk_free(&step->motion[i].delays);
  }
  for (int i = 0; i < step->trace_count; i++) clear_trace(&step->trace[i]);
  hk_free(&step->load);
  hk_free(&step->motion);
  hk_free(&step->trace);
  hk_free(&step->field.times);
}

static void clear_state(hk_model *m)
{
  for (int i = 0; i < m->initial_count; i++) {
    hk_target_clear(&m->initial[i].target);
    hk_free(&m->initial[i].values);
  }
  for (int i = 0; i < m->absorb_count; i++) hk_target_clear(&m->absorb[i].target);
  hk_free(&m->initial);
  hk_free(&m->absorb);
}

void hk_model_destroy(hk_model **model)
{
  hk_model *m = *model;
  if (!m) return;
  for (int i = 0; i < m->region_count; i++) {
    hk_free(&m->region[i].name);
    hk_free(&m->region[i].material.name);
  }
  for (int i = 0; i < m->signal_count; i++) hk_signal_clear(&m->signal[i]);
  for (int i = 0; i < m->step_count; i++) clear_step(&m->step[i]);
  for (int i = 0; i < m->file_count; i++) hk_free(&m->file[i]);
  clear_state(m);
  hk_mesh_destroy(&m->mesh);
  hk_free(&m->region);
  hk_free(&m->element_region);
  hk_free(&m->signal);
  hk_free(&m->step);
  hk_free(&m->file);
  hk_free(&m->title);
  hk_free(&m->path);
  hk_free(model);
}

const hk_mesh *hk_model_mesh(const hk_model *model)
{
  return model->mesh;
}

static bool ends_with(const char *text, const char *end)
{
  const size_t n = strlen(text), k = strlen(end);
  return n > k && hk_same_text(text + n - k, end);
}

hk_status hk_model_read(const char *path, const char *const *set, int set_count, hk_messages *list,
                        hk_model **out)
{
  if (ends_with(path, ".yaml") || ends_with(path, ".yml") || ends_with(path, ".json"))
    return hk_case_read(path, set, set_count, list, out);
  return hk_error_set(HK_USAGE, "%s: not a model: its name must end in .yaml, .yml or .json", path);
}
