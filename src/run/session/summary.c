/* run.json. */
#include "run/session/summary.h"
#include "model/unit_names.h"
#include "base/json.h"

hk_count hk_session_bytes_per_step(const hk_session *s)
{
  const hk_problem *p = s->problem;
  const hk_count real = p->double_precision ? 8 : 4;
  const hk_count vectors =
      p->double_precision
          ? 3
          : 4; /* u and the last state read, the next written; increments also written */
  return p->op->bytes + p->space->padded * real *
                            (vectors * p->space->components * s->batch + 1 + (p->damping != NULL));
}

static json_t *counts(const hk_session *s)
{
  const hk_mesh *mesh = s->model->mesh;
  hk_count of_shot = 0, to_end = 0;
  for (int i = 0; i < s->stage_count; i++)
    of_shot += s->stage[i].all_steps, to_end += s->stage[i].steps;
  const hk_count done = s->steps_done - s->first_shot / s->at_once * of_shot;
  json_t *list = json_pack("{s:I, s:I, s:I, s:I}", "nodes", (json_int_t)mesh->node_count,
                           "elements", (json_int_t)mesh->element_count, "dofs",
                           (json_int_t)s->problem->space->nodes * s->problem->space->components,
                           "steps", (json_int_t)(done < to_end ? done : to_end));
  if (!s->layouts.run.shots) return list;
  json_object_set_new(list, "shots", json_integer((json_int_t)s->shots));
  json_object_set_new(list, "shots_at_once", json_integer(s->at_once));
  return list;
}

static json_t *seconds(const hk_session *s)
{
  const double total = hk_seconds() - s->start + s->desc->read_seconds;
  return json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "read", hk_json_real(s->desc->read_seconds), "mesh",
      hk_json_real(s->problem->seconds_mesh), "partition", hk_json_real(0), "assemble",
      hk_json_real(s->problem->seconds_assemble), "solve", hk_json_real(s->seconds_solve), "output",
      hk_json_real(s->seconds_output), "total", hk_json_real(total));
}

static json_t *time_dispersion(const hk_session *s)
{
  const char *kept = s->stage[0].kept;
  const hk_count beyond = s->stage[0].all_steps - s->stage[0].steps;
  return json_pack("{s:b, s:s, s:s, s:s, s:s, s:I}", "removed", kept == NULL, "why",
                   kept ? kept : "", "sources", kept ? "as given" : "transformed", "traces",
                   s->restored ? "transformed" : "as computed", "frames", "as computed",
                   "steps_beyond_end", (json_int_t)beyond);
}

static json_t *energies(const hk_session *s)
{
  const hk_balance sum = hk_session_balance(s);
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "kinetic", hk_json_real(sum.energy.kinetic),
                   "strain", hk_json_real(sum.energy.strain), "work", hk_json_real(sum.energy.work),
                   "damping", hk_json_real(sum.energy.damping), "balance_error",
                   hk_json_real(sum.balance));
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

static void add_speed(const hk_session *s, json_t *root)
{
  const double done = (double)(s->steps_done - s->steps_before);
  const double rate = s->seconds_solve > 0 ? done / s->seconds_solve : 0;
  const double dofs = (double)s->problem->space->nodes * s->problem->space->components;
  const double bytes = (double)hk_session_bytes_per_step(s);
  hk_count now, peak;
  hk_memory_resident(&now, &peak);
  json_object_set_new(
      root, "dof_updates_per_second",
      hk_json_real(s->seconds_solve > 0 ? s->updates / s->seconds_solve * dofs : 0));
  json_object_set_new(root, "bytes_per_step", json_integer((json_int_t)bytes));
  json_object_set_new(root, "bandwidth_gb_per_s", hk_json_real(rate * bytes / 1e9));
  json_object_set_new(root, "peak_memory_bytes", json_integer((json_int_t)peak));
  json_object_set_new(root, "operator_memory_bytes",
                      json_integer((json_int_t)s->problem->op->memory));
}

/* The paper's blocks: nodes over places, and bytes of a step by its own count (appendix A). */
static void add_blocks(const hk_session *s, json_t *root)
{
  const hk_problem *p = s->problem;
  if (!p->space->blocks) return;
  json_object_set_new(root, "blocks",
                      json_pack("{s:i, s:i, s:f, s:I}", "count", (int)p->space->patches, "size",
                                (int)p->space->patch, "efficiency",
                                (double)p->space->nodes / p->space->padded,
                                "counted_bytes_per_step", (json_int_t)p->op->counted));
}

static void add_colours(const hk_session *s, json_t *root)
{
  const hk_interior *by = s->problem->space->interior;
  if (by && by->coloured) json_object_set_new(root, "colours", json_integer(by->colours));
}

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

void hk_summary_tail(const hk_session *s, json_t *root)
{
  json_object_set_new(root, "warnings", messages(s, HK_WARNING));
  json_object_set_new(root, "notes", messages(s, HK_NOTE));
}

hk_status hk_session_summary(const hk_session *s, char **out)
{
  const hk_stage *last = &s->stage[s->stage_count - 1];
  const hk_problem *p = s->problem;
  hk_status status;
  json_t *root = hk_summary_head(s, p->device, p->double_precision, p->kind->name);
  json_object_set_new(root, "counts", counts(s));
  json_object_set_new(root, "dt", hk_json_real(s->stage[0].dt));
  json_object_set_new(root, "dt_limit", hk_json_real(2 / p->omega));
  json_object_set_new(root, "dt_element",
                      json_integer((json_int_t)hk_mesh_element_label(s->model->mesh, p->guilty)));
  json_object_set_new(root, "end_time", hk_json_real(last->start + (double)last->steps * last->dt));
  json_object_set_new(root, "seconds", seconds(s));
  add_speed(s, root);
  add_blocks(s, root);
  add_colours(s, root);
  json_object_set_new(root, "iterations", json_integer(0));
  json_object_set_new(root, "residual", hk_json_real(0));
  json_object_set_new(root, "energy", energies(s));
  json_object_set_new(root, "time_dispersion", time_dispersion(s));
  json_object_set_new(root, "sources", hk_summary_sources(s->model));
  hk_summary_tail(s, root);
  status = hk_json_dump(root, 15, out);
  json_decref(root);
  return status;
}
