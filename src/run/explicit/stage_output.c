/* What a stage records: rows of weights for the receivers of its traces, in groups of one quantity
 * and interval, and the layouts of run.h5, computed.h5 and the field files. Receivers in solids
 * read the displacement and its rates. In fluids pressure is the rate of minus the potential, and
 * vectors come from flow.c. */
#include "load/rows.h"
#include "run/explicit/flow.h"
#include "run/explicit/stage.h"
#include "model/unit_names.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  VECTORS = 1u << HK_DISPLACEMENT | 1u << HK_VELOCITY | 1u << HK_ACCELERATION,
  RECORDABLE = VECTORS | 1u << HK_PRESSURE
};
static const hk_quantity recordable[] = {HK_DISPLACEMENT, HK_VELOCITY, HK_ACCELERATION,
                                         HK_PRESSURE};
enum { RECORDABLES = sizeof recordable / sizeof *recordable };

static int components_of(const hk_mesh *mesh, hk_quantity quantity)
{
  return quantity == HK_PRESSURE ? 1 : mesh->dim;
}

static hk_status rows_of_request(const hk_model *model, const hk_trace_request *r,
                                 hk_messages *list, hk_rows *rows)
{
  if (!r->point_count) return hk_rows_of_nodes(r->target.count, r->target.item, rows);
  const hk_status status = hk_rows_of_points(model->mesh, r->point_count, r->at, rows);
  if (status != HK_BAD_INPUT) return status;
  return hk_model_error(model, list, r->place, status, "%s", hk_error());
}

static hk_status flow_of_request(const hk_model *model, const hk_trace_request *r, hk_flow *flow)
{
  if (!model->media.fluid || !(r->quantities & VECTORS)) return HK_OK;
  return r->point_count ? hk_flow_of_points(model, r->point_count, r->at, flow)
                        : hk_flow_of_nodes(model, r->target.count, r->target.item, flow);
}

typedef struct appending {
  const hk_problem *problem;
  hk_stage *stage;
  hk_count rows, entries, dofs, rates; /* capacities */
} appending;

static hk_status make_room(appending *a, hk_count rows, hk_count entries)
{
  hk_status status = HK_OK;
  hk_sparse *out = &a->stage->receivers;
  const hk_count total = (hk_count)out->rows + rows,
                 all = (out->rows ? out->begin[out->rows] : 0) + entries;
  hk_index checked;
  HK_TRY(hk_narrow(total, "rows of receivers", &checked));
  HK_TRY(hk_narrow(all, "entries of receivers", &checked));
  HK_TRY(hk_reserve(&out->begin, total + 1, &a->rows));
  HK_TRY(hk_reserve(&a->stage->of_rate, total, &a->rates));
  HK_TRY(hk_reserve(&out->dof, all, &a->dofs));
  HK_TRY(hk_reserve(&out->weight, all, &a->entries));
cleanup:
  return status;
}

/* The unknowns of a medium at a receiver: the displacement of solids, minus the potential of fluids, whose velocity is the pressure. */
static hk_index append_unknown(const appending *a, const hk_rows *rows, hk_medium medium,
                               hk_index receiver, int c, hk_index used)
{
  const hk_space *space = a->problem->on.space;
  hk_sparse *out = &a->stage->receivers;
  for (hk_count k = rows->begin[receiver]; k < rows->begin[receiver + 1]; k++) {
    const hk_index node = space->node[rows->node[k]];
    if (node < 0 || !hk_model_acts(a->problem->on.model, medium, rows->node[k])) continue;
    out->dof[used] = node * space->components + c;
    out->weight[used++] = medium == HK_FLUID ? -rows->weight[k] : rows->weight[k];
  }
  return used;
}

/* How the fluid flows at a receiver. */
static hk_index append_flow(const appending *a, const hk_flow *flow, hk_index receiver, int c,
                            hk_index used)
{
  const hk_space *space = a->problem->on.space;
  hk_sparse *out = &a->stage->receivers;
  for (hk_count k = flow->begin[receiver]; k < flow->begin[receiver + 1]; k++) {
    out->dof[used] = space->node[flow->node[k]] * space->components;
    out->weight[used++] = flow->weight[k * space->dim + c];
  }
  return used;
}

/* Appends one row per receiver and component. Nodes without an element have no row entries, nor has what a medium does not have: they read zero. */
static hk_status append_rows(appending *a, const hk_rows *rows, const hk_flow *flow,
                             hk_medium medium)
{
  hk_status status = HK_OK;
  hk_sparse *out = &a->stage->receivers;
  const int dim = medium == HK_FLUID ? 1 : a->problem->on.space->dim;
  const bool flows = medium == HK_SOLID && flow->receivers;
  const hk_count entries = (rows->row_count ? rows->begin[rows->row_count] : 0) +
                           (flows ? flow->begin[flow->receivers] : 0);
  hk_index used = out->rows ? out->begin[out->rows] : 0;
  HK_TRY(make_room(a, (hk_count)rows->row_count * dim, entries * dim));
  for (hk_index r = 0; r < rows->row_count; r++)
    for (int c = 0; c < dim; c++) {
      out->begin[out->rows] = used;
      used = append_unknown(a, rows, medium, r, c, used);
      a->stage->of_rate[out->rows] = flows && flow->begin[r] < flow->begin[r + 1];
      if (flows) used = append_flow(a, flow, r, c, used);
      out->begin[++out->rows] = used;
    }
cleanup:
  return status;
}

/* Steps between samples; one more than there are: the first sample alone. */
static hk_count every_of(const hk_stage *s, const hk_trace_request *r)
{
  const double asked = r->interval > 0 ? r->interval / s->dt + 0.5 : (double)r->every;
  return (hk_count)fmin(fmax(asked, 1), (double)s->steps + 1);
}

static void warn_one_sample(const hk_problem *problem, const hk_stage *s, const hk_trace_request *r)
{
  hk_unit_words unit;
  if (every_of(s, r) <= s->steps) return;
  hk_unit_words_of(&problem->on.model->units, &unit);
  if (r->interval > 0)
    hk_messages_add(problem->on.list, HK_WARNING, r->place.file, r->place.line, 0,
                    "trace %s: its interval of %.6g%s is longer than the computed time of %.6g%s: "
                    "only the sample at t = 0 is recorded; give a shorter interval",
                    r->name, r->interval, unit.time, (double)s->steps * s->dt, unit.time);
  else
    hk_messages_add(problem->on.list, HK_WARNING, r->place.file, r->place.line, 0,
                    "trace %s: it samples every %lld time steps, and there are %lld: only the "
                    "sample at t = 0 is recorded; give a smaller number",
                    r->name, (long long)r->every, (long long)s->steps);
}

static hk_status add_groups(hk_stage *s, const hk_trace_request *r, unsigned quantities, int trace,
                            hk_index first_row, hk_index rows, hk_count receivers,
                            hk_count *group_capacity, hk_count *output_capacity)
{
  hk_status status = HK_OK;
  static const struct {
    hk_quantity quantity;
    hk_receiver_kind kind;
  } known[] = {{HK_DISPLACEMENT, HK_RECEIVER_DISPLACEMENT},
               {HK_VELOCITY, HK_RECEIVER_VELOCITY},
               {HK_ACCELERATION, HK_RECEIVER_ACCELERATION},
               {HK_PRESSURE, HK_RECEIVER_VELOCITY}};
  const hk_count every = every_of(s, r);
  int quantity = 0;
  for (int k = 0; k < RECORDABLES; k++) {
    if (!(r->quantities & 1u << known[k].quantity)) continue;
    if (!(quantities & 1u << known[k].quantity)) {
      quantity++;
      continue;
    }
    HK_TRY(hk_reserve(&s->receiver_group, s->group_count + 1, group_capacity));
    HK_TRY(hk_reserve(&s->group_output, s->group_count + 1, output_capacity));
    s->receiver_group[s->group_count] = (hk_receiver_group){
        .first_row = first_row, .rows = rows, .kind = known[k].kind, .every = s->kept ? every : 1};
    s->group_output[s->group_count++] = (hk_group_output){
        .trace = trace, .quantity = quantity, .receivers = receivers, .every = every};
    quantity++;
  }
cleanup:
  return status;
}

hk_status hk_stage_add_receivers(const hk_problem *problem, hk_stage *s)
{
  hk_status status = HK_OK;
  hk_rows rows = {0};
  hk_flow flow = {0};
  appending a = {.problem = problem, .stage = s};
  hk_count group_capacity = 0, output_capacity = 0;
  for (int t = 0; t < s->step->trace_count; t++) {
    const hk_trace_request *r = &s->step->trace[t];
    if (r->quantities & ~(unsigned)RECORDABLE)
      hk_messages_add(
          problem->on.list, HK_WARNING, r->place.file, r->place.line, 0,
          "trace %s: hooke records only displacement, velocity, acceleration and pressure",
          r->name);
    warn_one_sample(problem, s, r);
    HK_TRY(rows_of_request(problem->on.model, r, problem->on.list, &rows));
    HK_TRY(flow_of_request(problem->on.model, r, &flow));
    for (hk_medium m = HK_SOLID; m <= HK_FLUID; m++) {
      const unsigned kinds = m == HK_FLUID ? 1u << HK_PRESSURE : VECTORS;
      const hk_index first = s->receivers.rows;
      if (!(r->quantities & kinds)) continue;
      HK_TRY(append_rows(&a, &rows, &flow, m));
      HK_TRY(add_groups(s, r, kinds, t, first, s->receivers.rows - first, rows.row_count,
                        &group_capacity, &output_capacity));
    }
    hk_rows_clear(&rows);
    hk_flow_clear(&flow);
  }
cleanup:
  hk_rows_clear(&rows);
  hk_flow_clear(&flow);
  return status;
}

static void name_units(const hk_units *u, hk_layouts *out)
{
  hk_units_name(u, (hk_dimension){{1, 0, -1, 0}}, out->velocity_unit);
  hk_units_name(u, (hk_dimension){{1, 0, -2, 0}}, out->acceleration_unit);
  hk_units_name(u, (hk_dimension){{-1, 1, -2, 0}}, out->pressure_unit);
  hk_units_name(u, (hk_dimension){{2, 1, -2, 0}}, out->energy_unit);
}

static const char *unit_of(const hk_model *model, const hk_layouts *out, hk_quantity quantity)
{
  if (quantity == HK_DISPLACEMENT) return model->units.length;
  if (quantity == HK_PRESSURE) return out->pressure_unit;
  return quantity == HK_VELOCITY ? out->velocity_unit : out->acceleration_unit;
}

/* A set that a step before named already gets a number: rx, rx_2, ... */
static hk_status name_trace(const hk_layouts *out, int count, const char *name, char **unique)
{
  hk_status status = HK_OK;
  bool taken = true;
  HK_TRY(hk_copy_text(unique, name));
  for (int k = 2; taken; k++) {
    taken = false;
    for (int t = 0; t < count; t++) taken = taken || !strcmp(out->trace[t].name, *unique);
    if (!taken) break;
    hk_free(unique);
    HK_TRY(hk_format(unique, "%s_%d", name, k));
  }
cleanup:
  return status;
}

static hk_status place_receivers(const hk_mesh *mesh, const hk_trace_request *r, hk_trace_layout *t)
{
  hk_status status = HK_OK;
  const int dim = mesh->dim;
  int64_t *node = NULL;
  double *coordinates = NULL;
  t->receivers = r->point_count ? r->point_count : r->target.count;
  HK_TRY(hk_get(&node, t->receivers));
  t->node = node;
  HK_TRY(hk_get(&coordinates, t->receivers * dim));
  t->coordinates = coordinates, t->dim = dim;
  for (hk_count i = 0; i < t->receivers; i++) {
    node[i] = r->point_count ? -1 : hk_mesh_node_label(mesh, r->target.item[i]);
    memcpy(coordinates + i * dim,
           r->point_count ? r->at + 3 * i : mesh->x + (hk_count)r->target.item[i] * dim,
           (size_t)dim * sizeof *coordinates);
  }
cleanup:
  return status;
}

static hk_status lay_out_trace(const hk_model *model, const hk_stage *s, int index, hk_layouts *out)
{
  hk_status status = HK_OK;
  const hk_trace_request *r = &s->step->trace[index];
  hk_trace_layout *t = &out->trace[out->run.trace_count];
  hk_count every = 1;
  char *name = NULL;
  HK_TRY(name_trace(out, out->run.trace_count, r->name, &name));
  t->name = name;
  out->run.trace_count++;
  HK_TRY(place_receivers(model->mesh, r, t));
  for (int w = 0; w < s->group_count; w++)
    if (s->group_output[w].trace == index) every = s->group_output[w].every;
  t->samples = hk_receiver_samples(every, s->steps);
  t->start = s->start, t->dt = s->dt, t->every = every, t->steps = s->steps;
  t->time_unit = model->units.time;
  for (int k = 0; k < RECORDABLES; k++) {
    const hk_quantity q = recordable[k];
    const int components = components_of(model->mesh, q);
    if (r->quantities & 1u << q)
      t->quantity[t->quantity_count++] =
          (hk_trace_quantity){.name = hk_quantity_name(q),
                              .unit = unit_of(model, out, q),
                              .components = components == 1   ? ""
                                            : components == 2 ? "x y"
                                                              : "x y z",
                              .count = components};
  }
cleanup:
  return status;
}

static hk_status lay_out_fields(const hk_model *model, hk_stage *stage, int count, hk_layouts *out)
{
  hk_status status = HK_OK;
  unsigned quantities = 0;
  hk_count frames = 0;
  for (int i = 0; i < count; i++) {
    quantities |= stage[i].step->field.quantities;
    stage[i].first_frame = frames;
    frames += stage[i].frame_count;
  }
  HK_TRY(hk_get(&out->frame_time, frames));
  out->field = (hk_field_layout){.mesh = model->mesh, .frames = frames, .time = out->frame_time};
  for (int i = 0; i < count; i++)
    for (hk_count k = 0; k < stage[i].frame_count; k++)
      out->frame_time[stage[i].first_frame + k] =
          stage[i].start + (double)stage[i].frame[k] * stage[i].dt;
  for (int k = 0; k < RECORDABLES; k++)
    if (quantities & 1u << recordable[k])
      out->field.quantity[out->field.quantity_count++] =
          (hk_field_quantity){.name = hk_quantity_name(recordable[k]),
                              .unit = unit_of(model, out, recordable[k]),
                              .components = components_of(model->mesh, recordable[k])};
cleanup:
  return status;
}

static hk_status lay_out_energies(const hk_model *model, hk_stage *stage, int count,
                                  hk_layouts *out)
{
  hk_status status = HK_OK;
  hk_count samples = 0;
  for (int i = 0; i < count; i++) {
    stage[i].first_energy = samples;
    samples += stage[i].energy_samples;
  }
  HK_TRY(hk_get(&out->energy_time, samples));
  for (int i = 0; i < count; i++)
    for (hk_count k = 0; k < stage[i].energy_samples; k++)
      out->energy_time[stage[i].first_energy + k] =
          stage[i].start + ((double)(k * stage[i].energy_every) + 0.5) * stage[i].dt;
  out->run.energy_samples = samples, out->run.energy_time = out->energy_time;
  out->run.energy_unit = out->energy_unit, out->run.time_unit = model->units.time;
cleanup:
  return status;
}

/* Traces as they are computed: at every step, those beyond the end too, without energies. */
static hk_status lay_out_computed(const hk_stage *stage, hk_layouts *out)
{
  hk_status status = HK_OK;
  out->computed = out->run;
  out->computed.energy_samples = 0;
  out->computed.beyond = stage->sampled - stage->steps;
  HK_TRY(hk_get(&out->computed_trace, out->run.trace_count));
  out->computed.trace = out->computed_trace;
  for (int t = 0; t < out->run.trace_count; t++) {
    out->computed_trace[t] = out->trace[t];
    out->computed_trace[t].every = 1;
    out->computed_trace[t].samples = out->trace[t].steps + 1 + out->computed.beyond;
  }
cleanup:
  return status;
}

hk_status hk_layouts_create(const hk_problem *problem, hk_stage *stage, int stage_count,
                            hk_layouts *out)
{
  hk_status status = HK_OK;
  const hk_model *model = problem->on.model;
  hk_count traces = 0;
  *out = (hk_layouts){0};
  name_units(&model->units, out);
  for (int i = 0; i < stage_count; i++) traces += stage[i].step->trace_count;
  HK_TRY(hk_get(&out->trace, traces));
  out->run.trace = out->trace;
  out->run.shots = stage_count ? stage[0].step->shot_count : 0;
  for (int i = 0; i < stage_count; i++) {
    const int first = out->run.trace_count;
    for (int t = 0; t < stage[i].step->trace_count; t++)
      HK_TRY(lay_out_trace(model, &stage[i], t, out));
    for (int w = 0; w < stage[i].group_count; w++) stage[i].group_output[w].trace += first;
  }
  HK_TRY(lay_out_energies(model, stage, stage_count, out));
  HK_TRY(lay_out_fields(model, stage, stage_count, out));
  if (stage_count) HK_TRY(lay_out_computed(&stage[0], out));
cleanup:
  return status;
}

void hk_layouts_clear(hk_layouts *layouts)
{
  for (int t = 0; t < layouts->run.trace_count; t++) {
    void *owned[] = {(void *)layouts->trace[t].name, (void *)layouts->trace[t].node,
                     (void *)layouts->trace[t].coordinates};
    for (int i = 0; i < 3; i++) hk_memory_free(&owned[i]);
  }
  hk_free(&layouts->trace);
  hk_free(&layouts->computed_trace);
  hk_free(&layouts->energy_time);
  hk_free(&layouts->frame_time);
}
