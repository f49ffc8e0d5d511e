/* The parts of run.json that every run has: status, version, device and method, units, sizes,
 * seconds by stage, memory, warnings and notes (docs/reference/results.md). An analysis adds its
 * own parts between hk_summary_begin and hk_summary_end. */
#include "run/session/session.h"
#include "base/json.h"
#include "model/unit_names.h"
#include <stdio.h>
#include <string.h>

/* Where the kernels of a device that compiles were found. */
static void add_kernels(const hk_device *device, json_t *root)
{
  hk_count count[HK_FROM_COUNT];
  if (!hk_device_describe(device)->compiles) return;
  hk_kernel_count(device, count);
  json_object_set_new(root, "kernels",
                      json_pack("{s:I, s:I, s:I}", "compiled", (json_int_t)count[HK_FROM_COMPILER],
                                "cached", (json_int_t)count[HK_FROM_CACHE], "installed",
                                (json_int_t)count[HK_FROM_INSTALLED]));
}

static void set_text(json_t *object, const char *key, const char *text)
{
  if (text) json_object_set_new(object, key, json_string(text));
}

static void set_number(json_t *object, const char *key, double value)
{
  if (value != 0) json_object_set_new(object, key, hk_json_real(value));
}

/* What the case says about pictures; nothing where it says nothing. */
static void add_picture(const hk_picture_request *p, json_t *root)
{
  json_t *picture = json_object();
  set_text(picture, "quantity", p->quantity);
  set_text(picture, "component", p->component);
  set_text(picture, "section", p->section);
  set_number(picture, "decibels", p->decibels);
  set_number(picture, "scale", p->scale);
  if (p->range[0] < p->range[1]) json_object_set_new(picture, "range", hk_json_reals(2, p->range));
  if (json_object_size(picture)) json_object_set(root, "picture", picture);
  json_decref(picture);
}

static void add_head(const hk_session *s, const hk_discretisation *on, json_t *root)
{
  const hk_device_info *info = hk_device_describe(on->device);
  json_object_set_new(root, "status", json_string(s->status));
  json_object_set_new(root, "hooke_version", json_string(HK_VERSION));
  if (s->model->title) json_object_set_new(root, "title", json_string(s->model->title));
  json_object_set_new(root, "model", json_string(s->model->path));
  if (s->desc->command) json_object_set_new(root, "command", json_string(s->desc->command));
  json_object_set_new(root, "device", json_string(info->backend));
  json_object_set_new(root, "device_name", json_string(info->name));
  json_object_set_new(root, "instruction_set", json_string(info->isa));
  add_kernels(on->device, root);
  json_object_set_new(root, "precision", json_string(on->double_precision ? "double" : "single"));
  json_object_set_new(root, "threads", json_integer(info->threads));
  json_object_set_new(root, "method", json_string(on->kind->name));
  json_object_set_new(root, "dimension", json_integer(s->model->mesh->dim));
  json_object_set_new(root, "time_unit", json_string(s->model->units.time));
  if (s->model->units.length[0])
    json_object_set_new(root, "units", hk_json_units(&s->model->units));
  json_t *thickness = hk_json_thickness(s->model);
  if (thickness) json_object_set_new(root, "thickness", thickness);
  if (s->model->step_count) add_picture(&s->model->step[0].picture, root);
}

/* "mesh/dt": the path of a stage */
static void name_stage(const hk_clock *c, int k, size_t room, char *text)
{
  char above[128] = "";
  if (c->stage[k].parent) name_stage(c, c->stage[k].parent, sizeof above, above);
  snprintf(text, room, "%.100s%s%.60s", above, *above ? "/" : "", c->stage[k].name);
}

/* Each stage's own seconds, without those of the stages below it, which are named beside it. */
static void add_stages(const hk_clock *c, const char *above, json_t *list)
{
  char name[200], path[300];
  for (int k = 1; k < c->count; k++) {
    name_stage(c, k, sizeof name, name);
    snprintf(path, sizeof path, "%s%s", above, name);
    json_object_set_new(list, path, hk_json_real(c->stage[k].seconds));
  }
}

/* `read` is the caller's; the model knows what its reading was made of. */
json_t *hk_summary_stages(const hk_session *s)
{
  json_t *list = json_object();
  const hk_clock *read = s->model->read ? &s->model->read->clock : NULL;
  const double all = s->desc->read_seconds, known = read ? hk_clock_of(read, 0) : 0;
  const bool told = known <= all;
  json_object_set_new(list, "read",
                      hk_json_real(told && read ? all - known + read->stage[0].seconds : all));
  if (told && read) add_stages(read, "read/", list);
  add_stages(&s->clock, "", list);
  return list;
}

void hk_summary_add_seconds(hk_session *s, json_t *root)
{
  static const char *const name[] = {"mesh", "assemble", "setup", "solve", "verify", "output"};
  const bool still = !hk_analysis_of_model(s->model)->in_time;
  json_t *list = json_object();
  hk_clock_settle(&s->clock);
  json_object_set_new(list, "read", hk_json_real(s->desc->read_seconds));
  for (size_t i = 0; i < sizeof name / sizeof *name; i++)
    if (still || (strcmp(name[i], "setup") != 0 && strcmp(name[i], "verify") != 0))
      json_object_set_new(list, name[i], hk_json_real(hk_clock_named(&s->clock, name[i])));
  json_object_set_new(list, "total",
                      hk_json_real(s->desc->read_seconds + hk_clock_of(&s->clock, 0)));
  json_object_set_new(root, "seconds", list);
  json_object_set_new(root, "stages", hk_summary_stages(s));
}

void hk_summary_count(json_t *root, const char *key, hk_count count)
{
  json_object_set_new(json_object_get(root, "counts"), key, json_integer((json_int_t)count));
}

json_t *hk_summary_begin(const hk_session *s, const hk_discretisation *on)
{
  const hk_analysis *analysis = hk_analysis_of_model(s->model);
  json_t *root = json_object();
  add_head(s, on, root);
  if (!analysis->in_time) json_object_set_new(root, "analysis", json_string(analysis->name));
  json_object_set_new(root, "counts", hk_json_sizes(on));
  return root;
}

void hk_summary_add_ranks(json_t *root)
{
  const hk_ranks *ranks = hk_ranks_now();
  if (ranks)
    json_object_set_new(
        root, "ranks",
        json_pack("{s:i, s:s}", "count", hk_ranks_count(), "mpi", ranks->place.library));
}

void hk_summary_add_memory(const hk_discretisation *on, json_t *root)
{
  hk_count now, peak;
  hk_memory_resident(&now, &peak);
  json_object_set_new(root, "peak_memory_bytes", json_integer((json_int_t)peak));
  json_object_set_new(root, "device_memory_bytes",
                      json_integer((json_int_t)hk_device_peak(on->device)));
  json_object_set_new(root, "operator_memory_bytes",
                      json_integer(on->op ? (json_int_t)on->op->memory : 0));
}

json_t *hk_json_sizes(const hk_discretisation *on)
{
  const hk_mesh *mesh = on->model->mesh;
  return json_pack("{s:I, s:I, s:I}", "nodes", (json_int_t)mesh->node_count, "elements",
                   (json_int_t)mesh->element_count, "dofs",
                   (json_int_t)on->space->nodes * on->space->components);
}

static json_t *messages(const hk_session *s, hk_severity severity)
{
  json_t *list = json_array();
  for (hk_count i = 0; i < hk_messages_count(s->list); i++) {
    const hk_message *m = hk_messages_at(s->list, i);
    if (m->severity == severity) json_array_append_new(list, json_string(m->text));
  }
  return list;
}

static void add_boundary(json_t *list, const char *kind, int component, hk_count count,
                         const char *of, const char *line)
{
  json_t *one = json_pack("{s:s, s:I, s:s}", "kind", kind, "count", (json_int_t)count, "of", of);
  if (component >= 0) json_object_set_new(one, "component", json_integer(component + 1));
  json_object_set_new(one, "line", json_string(line));
  json_array_append_new(list, one);
}

static const char *line_of(const hk_model *model, hk_place place, char *text, size_t size)
{
  const char *file = place.file ? place.file : model->path,
             *slash = file ? strrchr(file, '/') : NULL;
  text[0] = 0;
  if (file && place.line > 0)
    snprintf(text, size, "%s:%lld", slash ? slash + 1 : file, (long long)place.line);
  return text;
}

/* What a motion prescribes; *component = -1 where there is one unknown alone. */
static const char *motion_of(const hk_step *step, const hk_motion *m, int *component)
{
  const bool fluid = m->medium == HK_FLUID, heat = step->kind == HK_STEP_HEAT;
  *component = fluid || heat ? -1 : m->component;
  if (heat) return "temperature";
  if (step->kind == HK_STEP_COUPLED) return "value";
  if (fluid) return "pressure";
  return m->value == 0 && !m->values ? "fixed" : "moved";
}

/* What absorbs, and what the first step holds or moves: kind, component from 1, how many nodes or faces, and the line that says so. */
static json_t *boundaries(const hk_model *model)
{
  static const char *const kind[] = {"absorbing layer", "absorbing (stacey)", "absorbing (pml)"};
  json_t *list = json_array();
  char line[300];
  for (hk_index i = 0; i < model->absorb.count; i++) {
    const hk_absorb *a = &model->absorb.at[i];
    add_boundary(list, kind[a->kind], -1, a->target.count, a->target.face ? "faces" : "nodes",
                 line_of(model, a->place, line, sizeof line));
  }
  for (int i = 0; model->step_count && i < model->step[0].motion_count; i++) {
    const hk_motion *m = &model->step[0].motion[i];
    int component;
    const char *what = motion_of(&model->step[0], m, &component);
    add_boundary(list, what, component, m->has_point ? 1 : m->target.count,
                 m->has_point ? "point" : "nodes", line_of(model, m->place, line, sizeof line));
  }
  return list;
}

void hk_summary_end(const hk_session *s, json_t *root)
{
  if (s->model) json_object_set_new(root, "boundaries", boundaries(s->model));
  json_object_set_new(root, "warnings", messages(s, HK_WARNING));
  json_object_set_new(root, "notes", messages(s, HK_NOTE));
}
