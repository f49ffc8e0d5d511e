/* What run.json says of runs of every analysis. */
#include "run/session/summary.h"
#include "model/unit_names.h"
#include "base/json.h"

json_t *hk_summary_head(const hk_session *s, const hk_device *device, bool double_precision,
                        const char *method)
{
  const hk_device_info *info = hk_device_describe(device);
  json_t *root = json_object();
  json_object_set_new(root, "status", json_string(s->status));
  json_object_set_new(root, "hooke_version", json_string(HK_VERSION));
  if (s->model->title) json_object_set_new(root, "title", json_string(s->model->title));
  json_object_set_new(root, "model", json_string(s->model->path));
  if (s->desc->command) json_object_set_new(root, "command", json_string(s->desc->command));
  json_object_set_new(root, "device", json_string(info->backend));
  json_object_set_new(root, "device_name", json_string(info->name));
  json_object_set_new(root, "instruction_set", json_string(info->isa));
  json_object_set_new(root, "precision", json_string(double_precision ? "double" : "single"));
  json_object_set_new(root, "threads", json_integer(info->threads));
  json_object_set_new(root, "method", json_string(method));
  json_object_set_new(root, "dimension", json_integer(s->model->mesh->dim));
  json_object_set_new(root, "time_unit", json_string(s->model->units.time));
  if (s->model->units.length[0])
    json_object_set_new(root, "units", hk_json_units(&s->model->units));
  json_t *thickness = hk_json_thickness(s->model);
  if (thickness) json_object_set_new(root, "thickness", thickness);
  return root;
}

json_t *hk_summary_seconds(const hk_session *s)
{
  const double total = hk_seconds() - s->start + s->desc->read_seconds;
  const hk_seconds_spent *spent = &s->seconds;
  json_t *list = json_pack("{s:o, s:o, s:o, s:o}", "read", hk_json_real(s->desc->read_seconds),
                           "mesh", hk_json_real(spent->mesh), "partition", hk_json_real(0),
                           "assemble", hk_json_real(spent->assemble));
  if (spent->setup >= 0) json_object_set_new(list, "setup", hk_json_real(spent->setup));
  json_object_set_new(list, "solve", hk_json_real(spent->solve));
  json_object_set_new(list, "output", hk_json_real(spent->output));
  json_object_set_new(list, "total", hk_json_real(total));
  return list;
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

void hk_summary_tail(const hk_session *s, json_t *root)
{
  json_object_set_new(root, "warnings", messages(s, HK_WARNING));
  json_object_set_new(root, "notes", messages(s, HK_NOTE));
}
