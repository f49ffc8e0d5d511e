/* run.json of an explicit run. */
#include "run/march/march.h"
#include "run/session/summary.h"
#include "model/unit_names.h"
#include "base/json.h"

hk_count hk_march_bytes_per_step(const hk_march *s)
{
  const hk_problem *p = s->problem;
  const hk_count real = p->double_precision ? 8 : 4;
  const hk_count vectors =
      p->double_precision
          ? 3
          : 4; /* u and the last state read, the next written; increments also written */
  return p->op->bytes +
         p->space->padded * real *
             (vectors * p->space->components * s->shots.batch + 1 + (p->damping != NULL));
}

static json_t *counts(const hk_march *s)
{
  const hk_mesh *mesh = s->model->mesh;
  hk_count of_shot = 0, to_end = 0;
  for (int i = 0; i < s->stage_count; i++)
    of_shot += s->stage[i].all_steps, to_end += s->stage[i].steps;
  const hk_count done = s->steps.done - s->shots.first / s->shots.at_once * of_shot;
  json_t *list = json_pack("{s:I, s:I, s:I, s:I}", "nodes", (json_int_t)mesh->node_count,
                           "elements", (json_int_t)mesh->element_count, "dofs",
                           (json_int_t)s->problem->space->nodes * s->problem->space->components,
                           "steps", (json_int_t)(done < to_end ? done : to_end));
  if (!s->files.layouts.run.shots) return list;
  json_object_set_new(list, "shots", json_integer((json_int_t)s->shots.all));
  json_object_set_new(list, "shots_at_once", json_integer(s->shots.at_once));
  return list;
}

static json_t *time_dispersion(const hk_march *s)
{
  const char *kept = s->stage[0].kept;
  const hk_count beyond = s->stage[0].all_steps - s->stage[0].steps;
  return json_pack("{s:b, s:s, s:s, s:s, s:s, s:I}", "removed", kept == NULL, "why",
                   kept ? kept : "", "sources", kept ? "as given" : "transformed", "traces",
                   s->files.restored ? "transformed" : "as computed", "frames", "as computed",
                   "steps_beyond_end", (json_int_t)beyond);
}

static json_t *energies(const hk_march *s)
{
  const hk_balance sum = hk_march_balance(s);
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "kinetic", hk_json_real(sum.energy.kinetic),
                   "strain", hk_json_real(sum.energy.strain), "work", hk_json_real(sum.energy.work),
                   "damping", hk_json_real(sum.energy.damping), "balance_error",
                   hk_json_real(sum.balance));
}

static void add_speed(const hk_march *s, json_t *root)
{
  const double done = (double)(s->steps.done - s->steps.before);
  const double rate = s->session->seconds.solve > 0 ? done / s->session->seconds.solve : 0;
  const double dofs = (double)s->problem->space->nodes * s->problem->space->components;
  const double bytes = (double)hk_march_bytes_per_step(s);
  hk_count now, peak;
  hk_memory_resident(&now, &peak);
  json_object_set_new(root, "dof_updates_per_second",
                      hk_json_real(s->session->seconds.solve > 0
                                       ? s->steps.updates / s->session->seconds.solve * dofs
                                       : 0));
  json_object_set_new(root, "bytes_per_step", json_integer((json_int_t)bytes));
  json_object_set_new(root, "bandwidth_gb_per_s", hk_json_real(rate * bytes / 1e9));
  json_object_set_new(root, "peak_memory_bytes", json_integer((json_int_t)peak));
  json_object_set_new(root, "operator_memory_bytes",
                      json_integer((json_int_t)s->problem->op->memory));
}

/* The paper's blocks: nodes over places, and bytes of a step by its own count (appendix A). */
static void add_blocks(const hk_march *s, json_t *root)
{
  const hk_problem *p = s->problem;
  if (!p->space->blocks) return;
  json_object_set_new(root, "blocks",
                      json_pack("{s:i, s:i, s:f, s:I}", "count", (int)p->space->patches, "size",
                                (int)p->space->patch, "efficiency",
                                (double)p->space->nodes / p->space->padded,
                                "counted_bytes_per_step", (json_int_t)p->op->counted));
}

static void add_colours(const hk_march *s, json_t *root)
{
  const hk_interior *by = s->problem->space->interior;
  if (by && by->coloured) json_object_set_new(root, "colours", json_integer(by->colours));
}

hk_status hk_march_summary(const void *march, char **out)
{
  const hk_march *s = march;
  const hk_stage *last = &s->stage[s->stage_count - 1];
  const hk_problem *p = s->problem;
  hk_status status;
  json_t *root = hk_summary_head(s->session, p->device, p->double_precision, p->kind->name);
  json_object_set_new(root, "counts", counts(s));
  json_object_set_new(root, "dt", hk_json_real(s->stage[0].dt));
  json_object_set_new(root, "dt_limit", hk_json_real(2 / p->omega));
  json_object_set_new(root, "dt_element",
                      json_integer((json_int_t)hk_mesh_element_label(s->model->mesh, p->guilty)));
  json_object_set_new(root, "end_time", hk_json_real(last->start + (double)last->steps * last->dt));
  json_object_set_new(root, "seconds", hk_summary_seconds(s->session));
  add_speed(s, root);
  add_blocks(s, root);
  add_colours(s, root);
  json_object_set_new(root, "iterations", json_integer(0));
  json_object_set_new(root, "residual", hk_json_real(0));
  json_object_set_new(root, "energy", energies(s));
  json_object_set_new(root, "time_dispersion", time_dispersion(s));
  json_object_set_new(root, "sources", hk_march_sources(s->model));
  hk_summary_tail(s->session, root);
  status = hk_json_dump(root, 15, out);
  json_decref(root);
  return status;
}
