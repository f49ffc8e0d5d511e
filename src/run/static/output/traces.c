/* Traces of temperatures in transient steps of heat: rows of weights on the nodes around each receiver are multiplied by the temperatures after
 * every so many increments, and what was taken is written to run.h5 with the frames. */
#include "load/rows.h"
#include "model/unit_names.h"
#include "run/static/static.h"
#include <math.h>

static hk_status find_rows(const hk_static *s, const hk_trace_request *r, hk_rows *rows)
{
  if (!r->point_count) return hk_rows_of_nodes(r->target.count, r->target.item, rows);
  const hk_status status = hk_rows_of_points(s->on.model->mesh, r->point_count, r->at, rows);
  if (status != HK_BAD_INPUT) return status;
  return hk_model_error(s->on.model, s->on.list, r->place, status, "%s", hk_error());
}

static hk_status find_trace(hk_static *s, int step, const hk_trace_request *r, hk_static_trace *t)
{
  const hk_step *of = &s->on.model->step[step];
  const hk_times times = hk_static_times(of);
  hk_times_warn(&s->on, &times, r);
  *t = (hk_static_trace){.request = r, .step = step, .every = hk_times_every(&times, r)};
  t->samples = times.count / t->every + 1;
  HK_PASS(find_rows(s, r, &t->rows));
  return hk_pool_get(&s->pool, &t->value, (hk_count)t->rows.row_count * t->samples);
}

/* As explicit steps have it: samples at other times than those asked for are no answer. */
static hk_status check_intervals(const hk_static *s, const hk_step *step)
{
  const hk_unit_words unit = hk_unit_words_of(&s->on.model->units);
  const hk_times times = hk_static_times(step);
  const hk_trace_request *r = hk_times_uneven(&times);
  if (!r) return HK_OK;
  return hk_model_error(
      s->on.model, s->on.list, r->place, HK_BAD_INPUT,
      "the interval %.6g%s of trace %s is not a multiple of the time step %.6g%s: give dt so that "
      "the interval and the simulated time are multiples of it, or every instead of interval",
      r->interval, unit.time, r->name, times.dt, unit.time);
}

hk_status hk_static_find_traces(hk_static *s)
{
  const hk_model *model = s->on.model;
  int count = 0;
  for (int i = 0; i < model->step_count; i++)
    if (model->step[i].theta > 0) {
      HK_PASS(check_intervals(s, &model->step[i]));
      count += model->step[i].trace_count;
    }
  HK_PASS(hk_pool_get(&s->pool, &s->traces.at, count));
  for (int i = 0; i < model->step_count; i++)
    for (int k = 0; model->step[i].theta > 0 && k < model->step[i].trace_count; k++)
      HK_PASS(find_trace(s, i, &model->step[i].trace[k], &s->traces.at[s->traces.count++]));
  return HK_OK;
}

static hk_status lay_out(hk_static *s, const hk_static_trace *t, hk_trace_layout *layout)
{
  const hk_model *model = s->on.model;
  const hk_trace_request *r = t->request;
  const hk_step *step = &model->step[t->step];
  const int dim = model->mesh->dim;
  int64_t *node;
  double *coordinates;
  HK_PASS(hk_pool_get(&s->pool, &node, t->rows.row_count));
  HK_PASS(hk_pool_get(&s->pool, &coordinates, (hk_count)t->rows.row_count * dim));
  for (hk_index i = 0; i < t->rows.row_count; i++) {
    node[i] = r->point_count ? -1 : hk_mesh_node_label(model->mesh, r->target.item[i]);
    for (int d = 0; d < dim; d++)
      coordinates[i * dim + d] =
          r->point_count ? r->at[3 * i + d] : model->mesh->x[r->target.item[i] * dim + d];
  }
  *layout = (hk_trace_layout){.name = r->name,
                              .receivers = t->rows.row_count,
                              .node = node,
                              .coordinates = coordinates,
                              .dim = dim,
                              .samples = t->samples,
                              .start = hk_model_step_start(model, t->step),
                              .dt = hk_static_dt(step),
                              .every = t->every,
                              .time_unit = model->units.time,
                              .quantity_count = 1,
                              .quantity = {{"temperature", model->units.temperature, "t", 1}}};
  return HK_OK;
}

hk_status hk_static_lay_out_traces(hk_static *s, hk_static_layout *layout)
{
  hk_trace_layout *trace;
  HK_PASS(hk_pool_get(&s->pool, &trace, s->traces.count));
  for (int i = 0; i < s->traces.count; i++) HK_PASS(lay_out(s, &s->traces.at[i], &trace[i]));
  layout->trace = trace, layout->trace_count = s->traces.count;
  return HK_OK;
}

void hk_static_sample(hk_static *s, hk_count increment)
{
  for (hk_static_trace *t = s->traces.at; t < s->traces.at + s->traces.count; t++) {
    if (t->step != s->step || increment % t->every) continue;
    for (hk_index r = 0; r < t->rows.row_count; r++) {
      double sum = 0;
      for (hk_count k = t->rows.begin[r]; k < t->rows.begin[r + 1]; k++) {
        const hk_index i = s->on.space->node[t->rows.node[k]];
        if (i >= 0) sum += t->rows.weight[k] * s->time.t[i];
      }
      t->value[r * t->samples + t->taken] = sum;
    }
    t->taken++;
  }
}

hk_status hk_static_write_traces(hk_static *s)
{
  for (int i = 0; i < s->traces.count; i++) {
    hk_static_trace *t = &s->traces.at[i];
    for (hk_index r = 0; r < t->rows.row_count; r++)
      HK_PASS(hk_static_file_write_trace(s->files.run, i, r, t->written, t->taken - t->written,
                                         t->value + r * t->samples + t->written));
    t->written = t->taken;
  }
  return HK_OK;
}

void hk_static_clear_traces(hk_static *s)
{
  for (int i = 0; i < s->traces.count; i++) hk_rows_clear(&s->traces.at[i].rows);
}
