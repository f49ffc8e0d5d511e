#include "model/model.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void clear_trace(hk_trace_request *trace)
{
  hk_free(&trace->name);
  hk_target_clear(&trace->target);
  hk_free(&trace->at);
}

static void clear_loads(int count, hk_load **load)
{
  for (int i = 0; i < count; i++) {
    hk_target_clear(&(*load)[i].target);
    hk_free(&(*load)[i].delays);
    hk_free(&(*load)[i].vectors);
  }
  hk_free(load);
}

static void clear_motions(int count, hk_motion **motion)
{
  for (int i = 0; i < count; i++) {
    hk_target_clear(&(*motion)[i].target);
    hk_free(&(*motion)[i].delays);
    hk_free(&(*motion)[i].directions);
    hk_free(&(*motion)[i].values);
  }
  hk_free(motion);
}

void hk_shot_clear(hk_shot *shot)
{
  clear_loads(shot->load_count, &shot->load);
  clear_motions(shot->motion_count, &shot->motion);
  shot->load_count = shot->motion_count = 0;
}

static void clear_print(hk_print_request *print)
{
  hk_target_clear(&print->target);
  hk_free(&print->axes);
  hk_free(&print->marked);
  hk_free(&print->set);
}

static void clear_step(hk_step *step)
{
  clear_loads(step->load_count, &step->load);
  clear_motions(step->motion_count, &step->motion);
  for (int i = 0; i < step->shot_count; i++) hk_shot_clear(&step->shot[i]);
  for (int i = 0; i < step->trace_count; i++) clear_trace(&step->trace[i]);
  for (int i = 0; i < step->print_count; i++) clear_print(&step->print[i]);
  hk_free(&step->shot);
  hk_free(&step->trace);
  hk_free(&step->print);
  hk_free(&step->field.times);
  hk_free(&step->field.shot);
}

static void clear_state(hk_model *m)
{
  for (int i = 0; i < m->initial_count; i++) {
    hk_target_clear(&m->initial[i].target);
    hk_free(&m->initial[i].values);
  }
  for (int i = 0; i < m->absorb_count; i++) hk_target_clear(&m->absorb[i].target);
  for (int i = 0; i < m->equation_count; i++) {
    hk_free(&m->equation[i].node);
    hk_free(&m->equation[i].component);
    hk_free(&m->equation[i].coefficient);
  }
  hk_free(&m->initial);
  hk_free(&m->absorb);
  hk_free(&m->equation);
  hk_free(&m->spring);
}

void hk_model_destroy(hk_model **model)
{
  hk_model *m = *model;
  if (!m) return;
  for (int i = 0; i < m->region_count; i++) {
    hk_free(&m->region[i].name);
    hk_free(&m->region[i].axes_name);
    hk_material_clear(&m->region[i].material);
  }
  for (int i = 0; i < m->signal_count; i++) hk_signal_clear(&m->signal[i]);
  for (int i = 0; i < m->formula_count; i++) hk_formula_destroy(&m->formula[i]);
  for (int i = 0; i < m->step_count; i++) clear_step(&m->step[i]);
  for (int i = 0; i < m->file_count; i++) hk_free(&m->file[i]);
  clear_state(m);
  hk_mesh_destroy(&m->mesh);
  hk_free(&m->region);
  hk_free(&m->element_region);
  hk_free(&m->fluid);
  hk_free(&m->fsi);
  hk_free(&m->signal);
  hk_free(&m->formula);
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

void hk_units_name(const hk_units *units, hk_dimension dimension, char *out)
{
  hk_unit_name((const char *const[]){units->length, units->mass, units->time, units->temperature},
               dimension, out);
}

hk_status hk_model_error(const hk_model *model, hk_messages *list, hk_place place, hk_status code,
                         const char *format, ...)
{
  const char *file = place.file ? place.file : model->path;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  hk_messages_add(list, HK_ERROR, file, place.line, 0, "%s", text);
  return place.line > 0 ? hk_error_set(code, "%s:%lld: %s", file, (long long)place.line, text)
                        : hk_error_set(code, "%s: %s", file, text);
}
