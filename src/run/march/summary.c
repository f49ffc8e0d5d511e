/* The part of run.json for explicit runs: steps and shots done, the time step and the element that
 * sets it, the speed of stepping, the energies with their balance (W.14), and whether time
 * dispersion was removed from the traces (docs/reference/results.md). */
#include "run/march/march.h"
#include "base/json.h"

hk_count hk_march_bytes_per_step(const hk_march *s)
{
  const hk_problem *p = s->problem;
  const hk_count real = p->on.double_precision ? 8 : 4;
  const hk_count vectors =
      p->on.double_precision
          ? 3
          : 4; /* u and the last state read, the next written; increments also written */
  const hk_count laws = p->on.op ? 2 * p->on.op->state * s->shots.batch : 0; /* read and written */
  return hk_problem_operator_bytes(p, true) + laws +
         p->on.space->padded * real *
             (vectors * p->on.space->components * s->shots.batch + 1 + (p->damping != NULL));
}

static void add_counts(const hk_march *s, json_t *root)
{
  hk_count of_shot = 0, to_end = 0;
  for (int i = 0; i < s->stage_count; i++)
    of_shot += s->stage[i].all_steps, to_end += s->stage[i].steps;
  const hk_count done = s->steps.done - s->shots.first / s->shots.at_once * of_shot;
  hk_summary_count(root, "steps", done < to_end ? done : to_end);
  if (!s->files.layouts.run.shots) return;
  hk_summary_count(root, "shots", s->shots.all);
  hk_summary_count(root, "shots_at_once", s->shots.at_once);
}

static json_t *time_dispersion(const hk_march *s)
{
  const char *kept = s->stage[0].kept, *rest = hk_dispersion_rest(s->problem);
  const hk_count beyond = s->stage[0].all_steps - s->stage[0].steps;
  return json_pack("{s:b, s:s, s:s, s:s, s:s, s:I}", "removed", kept == NULL, "why",
                   kept   ? kept
                   : rest ? rest
                          : "",
                   "sources", kept ? "as given" : "transformed", "traces",
                   s->files.restored ? "transformed" : "as computed", "frames", "as computed",
                   "steps_beyond_end", (json_int_t)beyond);
}

static json_t *resolution(const hk_march *s)
{
  const hk_march_band *b = &s->band;
  const bool known = b->points > 0;
  return json_pack("{s:o, s:o, s:o}", "highest_frequency",
                   b->highest > 0 ? hk_json_real(b->highest) : json_null(), "points_per_wavelength",
                   known ? hk_json_real(b->points) : json_null(), "least_points_per_wavelength",
                   known ? hk_json_real(b->least) : json_null());
}

static json_t *energies(const hk_march *s)
{
  const hk_balance sum = hk_march_balance(s, s->shots.all);
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "kinetic", hk_json_real(sum.energy.kinetic),
                   "strain", hk_json_real(sum.energy.strain), "work", hk_json_real(sum.energy.work),
                   "damping", hk_json_real(sum.energy.damping), "balance_error",
                   hk_json_real(sum.balance));
}

static void add_speed(const hk_march *s, json_t *root)
{
  const double done = (double)(s->steps.done - s->steps.before),
               solving = hk_clock_named(&s->session->clock, "solve"),
               rate = solving > 0 ? done / solving : 0;
  const double dofs = (double)s->problem->on.space->nodes * s->problem->on.space->components;
  const double bytes = (double)hk_march_bytes_per_step(s);
  json_object_set_new(root, "dof_updates_per_second",
                      hk_json_real(solving > 0 ? s->steps.updates / solving * dofs : 0));
  json_object_set_new(root, "bytes_per_step", json_integer((json_int_t)bytes));
  json_object_set_new(root, "bandwidth_gb_per_s", hk_json_real(rate * bytes / 1e9));
}

/* The paper's blocks: nodes over places, and bytes of a step by its own count (appendix A). */
static void add_blocks(const hk_march *s, json_t *root)
{
  const hk_problem *p = s->problem;
  if (!p->on.space->blocks) return;
  json_object_set_new(root, "blocks",
                      json_pack("{s:i, s:i, s:f, s:I}", "count", (int)p->on.space->patches, "size",
                                (int)p->on.space->patch, "efficiency",
                                (double)p->on.space->nodes / p->on.space->padded,
                                "counted_bytes_per_step", (json_int_t)p->on.op->counted));
}

static void add_colours(const hk_march *s, json_t *root)
{
  const hk_interior *by = s->problem->on.space->interior;
  if (by && by->coloured) json_object_set_new(root, "colours", json_integer(by->colours));
}

/* What was found out about the links between ranks. */
static json_t *trials(const hk_several *all)
{
  json_t *list = json_array();
  for (int k = 0; k < all->trials; k++) {
    const hk_link_trial *t = &all->trial[k];
    json_array_append_new(
        list, t->why[0]
                  ? json_pack("{s:s, s:s}", "link", t->name, "refused", t->why)
                  : json_pack("{s:s, s:f}", "link", t->name, "exchange_us", 1e6 * t->seconds));
  }
  return list;
}

/* Several devices, and the way in which they exchange rows. */
static void add_devices(const hk_march *s, json_t *root)
{
  const hk_several *all = &s->problem->several;
  json_t *list = json_array();
  for (int k = 0; k < all->count; k++)
    json_array_append_new(list, json_string(hk_device_describe(all->device[k])->backend));
  if (all->count > 1) json_object_set(root, "devices", list);
  hk_summary_add_ranks(root);
  if (all->parts > 1 && all->link) json_object_set_new(root, "link", json_string(all->link));
  if (all->trials) json_object_set_new(root, "links", trials(all));
  json_decref(list);
}

void hk_march_summary(const void *march, json_t *root)
{
  const hk_march *s = march;
  const hk_stage *last = &s->stage[s->stage_count - 1];
  const hk_problem *p = s->problem;
  add_devices(s, root);
  add_counts(s, root);
  json_object_set_new(root, "dt", hk_json_real(s->stage[0].dt));
  json_object_set_new(root, "dt_limit", hk_json_real(hk_problem_dt_limit(p)));
  json_object_set_new(
      root, "dt_element",
      json_integer((json_int_t)hk_mesh_element_label(s->model->mesh, hk_problem_guilty(p))));
  json_object_set_new(root, "end_time", hk_json_real(last->start + (double)last->steps * last->dt));
  hk_summary_add_seconds(s->session, root);
  json_object_set_new(root, "predicted_seconds",
                      s->steps.foretold > 0 ? hk_json_real(s->steps.foretold) : json_null());
  add_speed(s, root);
  hk_summary_add_memory(&p->on, root);
  json_object_set_new(root, "operator_memory_bytes",
                      json_integer((json_int_t)hk_problem_operator_bytes(p, false)));
  add_blocks(s, root);
  add_colours(s, root);
  json_object_set_new(root, "iterations", json_integer(0));
  json_object_set_new(root, "residual", hk_json_real(0));
  json_object_set_new(root, "energy", energies(s));
  json_object_set_new(root, "time_dispersion", time_dispersion(s));
  json_object_set_new(root, "resolution", resolution(s));
  hk_check_add_attenuation(s->model, true, root);
  json_object_set_new(root, "sources", hk_march_sources(s->model));
  json_object_set_new(root, "axisymmetric", json_boolean(hk_model_is_axisymmetric(s->model)));
  json_object_set_new(root, "box", hk_march_box(s->model->mesh));
  json_object_set_new(root, "speeds", hk_march_speeds(s->model));
}
