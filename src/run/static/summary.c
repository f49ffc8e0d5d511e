/* The part of run.json for static runs: solver, iterations and residual; for each step the sums of
 * loads and reactions, the energies u.K u / 2 and f.u / 2 and the estimated error; the residuals
 * for the convergence plot, and mechanisms if they ended the run (docs/reference/results.md). */
#include "run/static/static.h"
#include "base/json.h"

static json_t *steps(const hk_static *s)
{
  json_t *list = json_array();
  const int dim = s->components;
  for (hk_count i = 0; s->result && i < s->frames.count; i++) {
    const hk_static_result *r = &s->result[i];
    if (!r->done && !r->method[0]) break;
    json_t *step = json_pack(
        "{s:b, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "done", r->done, "method", r->method,
        "iterations", r->iterations, "residual", hk_json_real(r->residual), "strain_energy",
        hk_json_real(r->strain), "work", hk_json_real(r->work), "load", hk_json_reals(dim, r->load),
        "reaction", hk_json_reals(dim, r->reaction), hk_words_of(s->unknowns)->largest,
        hk_json_real(r->most), "largest_nodal_force", hk_json_real(r->most_force));
    if (s->on.model->step[s->frames.at[i].step].theta > 0)
      json_object_set_new(step, "time", hk_json_real(s->frames.at[i].time));
    if (r->done) json_object_set_new(step, "estimated_error", hk_json_real(r->error));
    if (r->change > 0) json_object_set_new(step, "change", hk_json_real(r->change));
    if (r->passes > 0)
      json_object_set_new(step, "nonlinear",
                          json_pack("{s:i, s:o, s:o}", "iterations", r->passes, "residual",
                                    hk_json_real(r->open), "change", hk_json_real(r->moved)));
    if (r->damping > 0) json_object_set_new(step, "damping", hk_json_real(r->damping));
    json_array_append_new(list, step);
  }
  return list;
}

/* Residuals of the iteration, step by step: what the convergence plot shows. */
static json_t *convergence(const hk_static *s)
{
  json_t *list = json_array();
  const hk_count *begin = s->solver.begin;
  const double *residual = s->solver.residual.at;
  for (hk_count i = 0; begin && i < s->frames.count; i++)
    json_array_append_new(
        list, hk_json_reals(begin[i + 1] - begin[i], residual ? residual + begin[i] : NULL));
  return list;
}

/* Over time: what the body holds more than at the beginning is what came in. */
static json_t *balance(const hk_heat_sums *sums)
{
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "stored", hk_json_real(sums->stored), "supplied",
                   hk_json_real(sums->supplied), "prescribed", hk_json_real(sums->held),
                   "exchanged", hk_json_real(sums->exchanged), "open",
                   hk_json_real(hk_heat_open(sums)));
}

void hk_static_summary(const void *run, json_t *root)
{
  const hk_static *s = run;
  const hk_static_result *last =
      s->result ? &s->result[s->frames.now < 0 ? 0 : s->frames.now] : &(hk_static_result){0};
  hk_count iterations = 0, done = 0;
  for (hk_count i = 0; s->result && i < s->frames.count; i++)
    iterations += s->result[i].iterations, done += s->result[i].done;
  hk_summary_add_ranks(root);
  hk_summary_count(root, "steps", done);
  json_object_set_new(root, "end_time", hk_json_real(s->total_time));
  hk_summary_add_seconds(s->session, root);
  hk_summary_add_memory(&s->on, root);
  json_object_set_new(root, "solver_memory_bytes", json_integer((json_int_t)s->solver.bytes));
  json_object_set_new(root, "solver", json_string(last->method));
  json_object_set_new(root, "iterations", json_integer((json_int_t)iterations));
  json_object_set_new(root, "residual", hk_json_real(last->residual));
  json_object_set_new(root, "energy",
                      json_pack("{s:o, s:o}", "strain", hk_json_real(last->strain), "work",
                                hk_json_real(last->work)));
  if (s->time.sums.counted) json_object_set_new(root, "heat", balance(&s->time.sums));
  json_object_set_new(root, "steps", steps(s));
  json_object_set_new(root, "convergence", convergence(s));
  hk_static_tell_advection(s, root);
  if (s->solver.mechanism.count) json_object_set_new(root, "mechanisms", hk_static_mechanisms(s));
}
