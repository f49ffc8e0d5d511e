/* run.json of a static run. */
#include "run/static/static.h"
#include "run/session/summary.h"
#include "base/json.h"

static json_t *vector(int dim, const double *v)
{
  json_t *list = json_array();
  for (int c = 0; c < dim; c++) json_array_append_new(list, hk_json_real(v[c]));
  return list;
}

static json_t *steps(const hk_static *s)
{
  json_t *list = json_array();
  const int dim = s->components;
  for (int i = 0; s->result && i < s->model->step_count; i++) {
    const hk_static_result *r = &s->result[i];
    if (!r->done && !r->method[0]) break;
    json_t *step = json_pack(
        "{s:b, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "done", r->done, "method", r->method,
        "iterations", r->iterations, "residual", hk_json_real(r->residual), "strain_energy",
        hk_json_real(r->strain), "work", hk_json_real(r->work), "load", vector(dim, r->load),
        "reaction", vector(dim, r->reaction), hk_words_of(s->heat)->largest, hk_json_real(r->most),
        "largest_nodal_force", hk_json_real(r->most_force));
    if (r->done) json_object_set_new(step, "estimated_error", hk_json_real(r->error));
    if (r->damping > 0) json_object_set_new(step, "damping", hk_json_real(r->damping));
    json_array_append_new(list, step);
  }
  return list;
}

/* Residuals of the iteration, step by step: what the convergence plot shows. */
static json_t *convergence(const hk_static *s)
{
  json_t *list = json_array();
  for (int i = 0; s->result && i < s->model->step_count && s->history_begin; i++) {
    json_t *step = json_array();
    for (hk_count k = s->history_begin[i]; k < s->history_begin[i + 1]; k++)
      json_array_append_new(step, hk_json_real(s->history[k]));
    json_array_append_new(list, step);
  }
  return list;
}

hk_status hk_static_summary(const void *run, char **out)
{
  const hk_static *s = run;
  const hk_mesh *mesh = s->model->mesh;
  const hk_static_result *last = s->result ? &s->result[s->step] : &(hk_static_result){0};
  hk_status status;
  hk_count now, peak, iterations = 0;
  int done = 0;
  json_t *root = hk_summary_head(s->session, s->device, s->double_precision, s->kind->name);
  for (int i = 0; s->result && i < s->model->step_count; i++)
    iterations += s->result[i].iterations, done += s->result[i].done;
  hk_memory_resident(&now, &peak);
  json_object_set_new(root, "analysis", json_string(s->heat ? "heat" : "static"));
  json_object_set_new(root, "counts",
                      json_pack("{s:I, s:I, s:I, s:i}", "nodes", (json_int_t)mesh->node_count,
                                "elements", (json_int_t)mesh->element_count, "dofs",
                                (json_int_t)s->space->nodes * s->space->components, "steps", done));
  json_object_set_new(root, "end_time", hk_json_real(s->total_time));
  json_object_set_new(root, "seconds", hk_summary_seconds(s->session));
  json_object_set_new(root, "peak_memory_bytes", json_integer((json_int_t)peak));
  json_object_set_new(root, "operator_memory_bytes",
                      json_integer(s->op ? (json_int_t)s->op->memory : 0));
  json_object_set_new(root, "solver_memory_bytes", json_integer((json_int_t)s->bytes));
  json_object_set_new(root, "solver", json_string(last->method));
  json_object_set_new(root, "iterations", json_integer((json_int_t)iterations));
  json_object_set_new(root, "residual", hk_json_real(last->residual));
  json_object_set_new(root, "energy",
                      json_pack("{s:o, s:o}", "strain", hk_json_real(last->strain), "work",
                                hk_json_real(last->work)));
  json_object_set_new(root, "steps", steps(s));
  json_object_set_new(root, "convergence", convergence(s));
  if (s->mechanism.count) json_object_set_new(root, "mechanisms", hk_static_mechanisms(s));
  hk_summary_tail(s->session, root);
  status = hk_json_dump(root, 15, out);
  json_decref(root);
  return status;
}
