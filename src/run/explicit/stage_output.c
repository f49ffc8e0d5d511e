/* What a stage records: rows of weights for the receivers of its traces, in groups of one quantity
 * and interval, and the layouts of run.h5, computed.h5 and the field files. Receivers in solids
 * read the displacement and its rates, or its deformation. In fluids pressure is the rate of minus
 * the potential, and vectors come from flow.c. */
#include "load/rows.h"
#include "operator/measure/deformation.h"
#include "run/explicit/stage.h"
#include "model/unit_names.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What traces and frames can hold: in which medium, what receivers read for it, its unit; deformation by rows of its own. The velocity of minus the
 * potential is the pressure. */
static const struct {
  hk_quantity quantity;
  hk_medium medium;
  hk_receiver_kind kind;
  hk_dimension unit;
  bool deforms;
  hk_deformation deformation;
} recordable[HK_RECORDABLES] = {
    {HK_DISPLACEMENT, HK_SOLID, HK_RECEIVER_DISPLACEMENT, {{1, 0, 0, 0}}, false, 0},
    {HK_VELOCITY, HK_SOLID, HK_RECEIVER_VELOCITY, {{1, 0, -1, 0}}, false, 0},
    {HK_ACCELERATION, HK_SOLID, HK_RECEIVER_ACCELERATION, {{1, 0, -2, 0}}, false, 0},
    {HK_PRESSURE, HK_FLUID, HK_RECEIVER_VELOCITY, {{-1, 1, -2, 0}}, false, 0},
#define DEFORMATION(name, ...)                                                                     \
  {                                                                                                \
    HK_##name, HK_SOLID, HK_RECEIVER_DISPLACEMENT, {__VA_ARGS__}, true, HK_DEFORMATION_##name      \
  }
    DEFORMATION(STRESS, {-1, 1, -2, 0}),
    DEFORMATION(STRAIN, {0, 0, 0, 0}),
    DEFORMATION(DIVERGENCE, {0, 0, 0, 0}),
    DEFORMATION(ROTATION, {0, 0, 0, 0}),
#undef DEFORMATION
    {HK_STRAIN_RATE, HK_SOLID, HK_RECEIVER_VELOCITY, {{0, 0, -1, 0}}, true, HK_DEFORMATION_STRAIN},
};

bool hk_quantity_deforms(hk_quantity quantity, hk_deformation *kind)
{
  for (int k = 0; k < HK_RECORDABLES; k++)
    if (recordable[k].quantity == quantity && recordable[k].deforms) {
      *kind = recordable[k].deformation;
      return true;
    }
  return false;
}

static int components_of(const hk_model *model, int k)
{
  if (recordable[k].deforms)
    return hk_deformation_components(recordable[k].deformation, model->mesh->dim,
                                     model->region[0].plane);
  return recordable[k].quantity == HK_PRESSURE ? 1 : hk_model_vector(model);
}

static const char *component_names(const hk_model *model, int k)
{
  static const char *const names[] = {
      "", "", "x y", "x y z", "xx yy zz xy", "", "xx yy zz xy xz yz"};
  const int count = components_of(model, k);
  const hk_quantity quantity = recordable[k].quantity;
  if (hk_model_is_antiplane(model) && count == 2 && quantity != HK_ROTATION) return "xz yz";
  if (quantity == HK_ROTATION && count == 1) return "z";
  return hk_model_is_antiplane(model) && count == 1 ? "z" : names[count];
}

/* Those of `quantities` that a medium has: vectors, or the pressure; or the deformation of solids. */
static unsigned of_medium(unsigned quantities, hk_medium medium, bool deforms)
{
  unsigned own = 0;
  for (int k = 0; k < HK_RECORDABLES; k++)
    if (recordable[k].medium == medium && recordable[k].deforms == deforms)
      own |= 1u << recordable[k].quantity;
  return quantities & own;
}

static unsigned all_recordable(void)
{
  unsigned all = 0;
  for (int k = 0; k < HK_RECORDABLES; k++) all |= 1u << recordable[k].quantity;
  return all;
}

/* Points where media meet are read in elements of the one asked for. */
static hk_status rows_of_request(const hk_model *model, const hk_trace_request *r, hk_medium medium,
                                 hk_messages *list, hk_rows *rows)
{
  if (!r->point_count) return hk_rows_of_nodes(r->target.count, r->target.item, rows);
  const hk_status status = hk_rows_of_points_in(model->mesh, model->media.fluid, medium == HK_FLUID,
                                                r->point_count, r->at, rows);
  if (status != HK_BAD_INPUT) return status;
  return hk_model_error(model, list, r->place, status, "%s", hk_error());
}

static hk_status flow_of_request(const hk_model *model, const hk_trace_request *r, hk_pool *pool,
                                 hk_flow *flow)
{
  *flow = (hk_flow){0};
  if (!model->media.fluid || !of_medium(r->quantities, HK_SOLID, false)) return HK_OK;
  return r->point_count ? hk_flow_of_points(model, r->point_count, r->at, pool, flow)
                        : hk_flow_of_nodes(model, r->target.count, r->target.item, pool, flow);
}

typedef struct appending {
  const hk_problem *problem;
  hk_stage *stage;
} appending;

static hk_status make_room(appending *a, hk_count rows, hk_count entries)
{
  hk_pool *pool = &a->stage->pool;
  hk_sparse *out = &a->stage->receivers;
  const hk_count total = (hk_count)out->rows + rows,
                 all = (out->rows ? out->begin[out->rows] : 0) + entries;
  hk_index checked;
  HK_PASS(hk_narrow(total, "rows of receivers", &checked));
  HK_PASS(hk_narrow(all, "entries of receivers", &checked));
  HK_PASS(hk_pool_resize(pool, &out->begin, total + 1));
  HK_PASS(hk_pool_resize(pool, &a->stage->of_rate, total));
  HK_PASS(hk_pool_resize(pool, &out->dof, all));
  return hk_pool_resize(pool, &out->weight, all);
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
    out->dof[used] = space->node[flow->entry.at[k].node] * space->components;
    out->weight[used++] = flow->entry.at[k].weight[c];
  }
  return used;
}

/* Appends one row per receiver and component. Nodes without an element have no row entries, nor has what a medium does not have: they read zero. */
static hk_status append_rows(appending *a, const hk_rows *rows, const hk_flow *flow,
                             hk_medium medium)
{
  hk_sparse *out = &a->stage->receivers;
  const int dim = medium == HK_FLUID ? 1 : hk_model_vector(a->problem->on.model);
  const bool flows = medium == HK_SOLID && flow->receivers;
  const hk_count entries = (rows->row_count ? rows->begin[rows->row_count] : 0) +
                           (flows ? flow->begin[flow->receivers] : 0);
  hk_index used = out->rows ? out->begin[out->rows] : 0;
  HK_PASS(make_room(a, (hk_count)rows->row_count * dim, entries * dim));
  for (hk_index r = 0; r < rows->row_count; r++)
    for (int c = 0; c < dim; c++) {
      out->begin[out->rows] = used;
      used = append_unknown(a, rows, medium, r, c, used);
      a->stage->of_rate[out->rows] = flows && flow->begin[r] < flow->begin[r + 1];
      if (flows) used = append_flow(a, flow, r, c, used);
      out->begin[++out->rows] = used;
    }
  return HK_OK;
}

/* One row per receiver and component of a deformation. */
static hk_status append_deformation(appending *a, const hk_deformation_rows *rows,
                                    hk_count receivers, int components)
{
  const hk_space *space = a->problem->on.space;
  const int unknowns = hk_model_vector(a->problem->on.model);
  hk_sparse *out = &a->stage->receivers;
  hk_index used = out->rows ? out->begin[out->rows] : 0;
  HK_PASS(make_room(a, receivers * components, rows->entry.count * components * unknowns));
  for (hk_count r = 0; r < receivers; r++)
    for (int c = 0; c < components; c++) {
      out->begin[out->rows] = used;
      for (hk_count k = rows->begin[r]; k < rows->begin[r + 1]; k++) {
        const hk_deformation_entry *entry = &rows->entry.at[k];
        const hk_index node = space->node[entry->node];
        if (node < 0 || !hk_model_acts(a->problem->on.model, HK_SOLID, entry->node)) continue;
        for (int d = 0; d < unknowns; d++) {
          if (entry->weight[c][d] == 0 && (k > rows->begin[r] || d)) continue;
          out->dof[used] = node * space->components + d;
          out->weight[used++] = entry->weight[c][d];
        }
      }
      a->stage->of_rate[out->rows] = false;
      out->begin[++out->rows] = used;
    }
  return HK_OK;
}

/* A group for recordable number k of the request; its rows begin at first_row. */
static hk_status add_group(hk_stage *s, int trace, int k, hk_index first_row, hk_count receivers)
{
  const hk_trace_request *r = &s->step->trace[trace];
  const hk_times times = hk_stage_times(s);
  const hk_count every = hk_times_every(&times, r);
  const int w = s->group_count;
  int place = 0; /* among the quantities of the request */
  for (int i = 0; i < k; i++) place += (r->quantities & 1u << recordable[i].quantity) != 0;
  HK_PASS(hk_pool_resize(&s->pool, &s->receiver_group, w + 1));
  HK_PASS(hk_pool_resize(&s->pool, &s->group_output, w + 1));
  s->receiver_group[w] = (hk_receiver_group){.first_row = first_row,
                                             .rows = s->receivers.rows - first_row,
                                             .kind = recordable[k].kind,
                                             .every = s->kept ? every : 1};
  s->group_output[w] =
      (hk_group_output){.trace = trace, .quantity = place, .receivers = receivers, .every = every};
  s->group_count++;
  return HK_OK;
}

/* A group for each quantity of the medium that the request names. */
static hk_status add_groups(hk_stage *s, int trace, hk_medium medium, hk_index first_row,
                            hk_count receivers)
{
  const unsigned own = of_medium(s->step->trace[trace].quantities, medium, false);
  for (int k = 0; k < HK_RECORDABLES; k++)
    if (own & 1u << recordable[k].quantity) HK_PASS(add_group(s, trace, k, first_row, receivers));
  return HK_OK;
}

/* Receivers of pressure where no fluid is read 0. */
static void warn_dry(const appending *a, const hk_trace_request *r, const hk_rows *rows)
{
  const hk_model *model = a->problem->on.model;
  hk_count dry = 0;
  if (!model->media.fluid || !model->media.solid) return;
  for (hk_index i = 0; i < rows->row_count; i++) {
    bool wet = false;
    for (hk_count k = rows->begin[i]; k < rows->begin[i + 1]; k++)
      wet = wet || hk_model_acts(model, HK_FLUID, rows->node[k]);
    dry += !wet;
  }
  if (dry)
    hk_messages_add(a->problem->on.list, HK_WARNING, r->place.file, r->place.line, 0,
                    "trace %s: %lld of its receivers lie in no fluid, where there is no pressure: "
                    "they read 0",
                    r->name, (long long)dry);
}

static hk_status add_medium(appending *a, int trace, hk_medium medium, const hk_flow *flow)
{
  hk_stage *s = a->stage;
  hk_status status = HK_OK;
  hk_rows rows = {0};
  const hk_trace_request *r = &s->step->trace[trace];
  const hk_index first = s->receivers.rows;
  HK_TRY(rows_of_request(a->problem->on.model, r, medium, a->problem->on.list, &rows));
  if (medium == HK_FLUID) warn_dry(a, r, &rows);
  HK_TRY(append_rows(a, &rows, flow, medium));
  HK_TRY(add_groups(s, trace, medium, first, rows.row_count));
cleanup:
  hk_rows_clear(&rows);
  return status;
}

static hk_status add_motions(appending *a, int trace, hk_pool *pool)
{
  const hk_trace_request *r = &a->stage->step->trace[trace];
  hk_flow flow;
  HK_PASS(flow_of_request(a->problem->on.model, r, pool, &flow));
  for (hk_medium m = HK_SOLID; m <= HK_FLUID; m++)
    if (of_medium(r->quantities, m, false)) HK_PASS(add_medium(a, trace, m, &flow));
  return HK_OK;
}

/* Receivers where no solid is read 0. */
static void warn_without(const appending *a, const hk_trace_request *r, const hk_sites *sites)
{
  hk_count without = 0;
  for (hk_count i = 0; i < sites->receivers; i++) without += sites->begin[i] == sites->begin[i + 1];
  if (without)
    hk_messages_add(a->problem->on.list, HK_WARNING, r->place.file, r->place.line, 0,
                    "trace %s: %lld of its receivers lie in no solid, where nothing is deformed: "
                    "they read 0",
                    r->name, (long long)without);
}

/* The strain of a cable along itself, and its rate. */
static hk_status add_fibre(appending *a, int trace, hk_pool *pool)
{
  const hk_model *model = a->problem->on.model;
  const hk_trace_request *r = &a->stage->step->trace[trace];
  hk_deformation_rows rows;
  const hk_status status = hk_fibre_rows(model, r->fibre, r->point_count, pool, &rows);
  if (status == HK_BAD_INPUT)
    return hk_model_error(model, a->problem->on.list, r->place, status, "trace %s: %s", r->name,
                          hk_error());
  HK_PASS(status);
  for (int k = 0; k < HK_RECORDABLES; k++) {
    const hk_index first = a->stage->receivers.rows;
    if (!(r->quantities & 1u << recordable[k].quantity)) continue;
    HK_PASS(append_deformation(a, &rows, r->point_count, 1));
    HK_PASS(add_group(a->stage, trace, k, first, r->point_count));
  }
  return HK_OK;
}

static hk_status add_deformations(appending *a, int trace, hk_pool *pool)
{
  const hk_model *model = a->problem->on.model;
  const hk_trace_request *r = &a->stage->step->trace[trace];
  const hk_deformed body = {model->mesh, model->region, model->region_count, model->element_region};
  const unsigned own = of_medium(r->quantities, HK_SOLID, true);
  hk_sites sites;
  if (!own) return HK_OK;
  if (r->fibre) return add_fibre(a, trace, pool);
  const hk_status status =
      r->point_count ? hk_sites_of_points(&body, r->point_count, r->at, pool, &sites)
                     : hk_sites_of_nodes(&body, r->target.count, r->target.item, pool, &sites);
  if (status == HK_BAD_INPUT)
    return hk_model_error(model, a->problem->on.list, r->place, status, "%s", hk_error());
  HK_PASS(status);
  warn_without(a, r, &sites);
  for (int k = 0; k < HK_RECORDABLES; k++) {
    const hk_index first = a->stage->receivers.rows;
    hk_deformation_rows rows;
    if (!(own & 1u << recordable[k].quantity)) continue;
    HK_PASS(hk_deformation_rows_find(&body, &sites, recordable[k].deformation, pool, &rows));
    HK_PASS(append_deformation(a, &rows, sites.receivers, components_of(model, k)));
    HK_PASS(add_group(a->stage, trace, k, first, sites.receivers));
  }
  return HK_OK;
}

hk_status hk_stage_add_receivers(const hk_problem *problem, hk_stage *s)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  appending a = {.problem = problem, .stage = s};
  const hk_times times = hk_stage_times(s);
  for (int t = 0; t < s->step->trace_count; t++) {
    const hk_trace_request *r = &s->step->trace[t];
    if (r->quantities & ~all_recordable())
      hk_messages_add(problem->on.list, HK_WARNING, r->place.file, r->place.line, 0,
                      "trace %s: hooke records only displacement, velocity, acceleration, "
                      "pressure, stress, strain, strain_rate, divergence and rotation",
                      r->name);
    hk_times_warn(&problem->on, &times, r);
    HK_TRY(add_motions(&a, t, &pool));
    HK_TRY(add_deformations(&a, t, &pool));
    hk_pool_clear(&pool);
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* A set that a step before named already gets a number: rx, rx_2, ... */
static hk_status name_trace(hk_layouts *out, const char *name, const char **unique)
{
  const size_t size = strlen(name) + sizeof "_2147483647";
  void *text;
  bool taken = true;
  *unique = name;
  for (int k = 2; taken; k++) {
    taken = false;
    for (int t = 0; t < out->run.trace_count; t++)
      taken = taken || !strcmp(out->trace[t].name, *unique);
    if (!taken) break;
    HK_PASS(hk_pool_take(&out->pool, size, &text));
    snprintf(text, size, "%s_%d", name, k);
    *unique = text;
  }
  return HK_OK;
}

static hk_status place_receivers(const hk_mesh *mesh, const hk_trace_request *r, hk_pool *pool,
                                 hk_trace_layout *t)
{
  const int dim = mesh->dim;
  int64_t *node;
  double *coordinates;
  t->receivers = r->point_count ? r->point_count : r->target.count;
  HK_PASS(hk_pool_get(pool, &node, t->receivers));
  HK_PASS(hk_pool_get(pool, &coordinates, t->receivers * dim));
  t->node = node, t->coordinates = coordinates, t->dim = dim;
  for (hk_count i = 0; i < t->receivers; i++) {
    node[i] = r->point_count ? -1 : hk_mesh_node_label(mesh, r->target.item[i]);
    memcpy(coordinates + i * dim,
           r->point_count ? r->at + 3 * i : mesh->x + (hk_count)r->target.item[i] * dim,
           (size_t)dim * sizeof *coordinates);
  }
  return HK_OK;
}

static hk_status lay_out_trace(const hk_model *model, const hk_stage *s, int index, hk_layouts *out)
{
  const hk_trace_request *r = &s->step->trace[index];
  hk_trace_layout *t = &out->trace[out->run.trace_count];
  hk_count every = 1;
  HK_PASS(name_trace(out, r->name, &t->name));
  out->run.trace_count++;
  HK_PASS(place_receivers(model->mesh, r, &out->pool, t));
  for (int w = 0; w < s->group_count; w++)
    if (s->group_output[w].trace == index) every = s->group_output[w].every;
  t->samples = hk_receiver_samples(every, s->steps);
  t->start = s->start, t->dt = s->dt, t->every = every, t->steps = s->steps;
  t->time_unit = model->units.time, t->length_unit = model->units.length;
  for (int k = 0; k < HK_RECORDABLES; k++) {
    const hk_quantity q = recordable[k].quantity;
    if (r->quantities & 1u << q)
      t->quantity[t->quantity_count++] = (hk_trace_quantity){
          hk_quantity_name(q), out->unit[k], r->fibre ? "" : component_names(model, k),
          r->fibre ? 1 : components_of(model, k)};
  }
  return HK_OK;
}

static hk_status lay_out_fields(const hk_model *model, hk_stage *stage, int count, hk_layouts *out)
{
  unsigned quantities = 0;
  hk_count frames = 0;
  for (int i = 0; i < count; i++) {
    quantities |= stage[i].step->field.quantities;
    stage[i].frames.first = frames;
    frames += stage[i].frames.count;
  }
  HK_PASS(hk_pool_get(&out->pool, &out->frame_time, frames));
  out->field = (hk_field_layout){.mesh = model->mesh,
                                 .regions = hk_model_regions(model),
                                 .frames = frames,
                                 .time = out->frame_time};
  for (int i = 0; i < count; i++)
    for (hk_count k = 0; k < stage[i].frames.count; k++)
      out->frame_time[stage[i].frames.first + k] =
          stage[i].start + (double)stage[i].frames.step[k] * stage[i].dt;
  for (int k = 0; k < HK_RECORDABLES; k++)
    if (quantities & 1u << recordable[k].quantity)
      out->field.quantity[out->field.quantity_count++] = (hk_field_quantity){
          hk_quantity_name(recordable[k].quantity), out->unit[k], components_of(model, k)};
  return HK_OK;
}

/* One frame, at the end, of norms; of shots one each, whose time is the number of the shot. */
static hk_status lay_out_peaks(const hk_model *model, const hk_stage *stage, int count,
                               hk_layouts *out)
{
  const int shots = count ? stage[0].step->shot_count : 0, frames = shots ? shots : 1;
  if (!count || !model->step[0].peaks) return HK_OK;
  const hk_stage *last = &stage[count - 1];
  HK_PASS(hk_pool_get(&out->pool, &out->peak_time, frames));
  for (int k = 0; k < frames; k++)
    out->peak_time[k] = shots ? k + 1 : last->start + (double)last->steps * last->dt;
  out->peak = (hk_field_layout){.mesh = model->mesh,
                                .regions = hk_model_regions(model),
                                .frames = frames,
                                .time = out->peak_time,
                                .name = "field_peak"};
  for (int q = 0; q < HK_QUANTITY_COUNT; q++)
    for (int k = 0; k < HK_RECORDABLES; k++)
      if (model->step[0].peaks >> q & 1 && recordable[k].quantity == (hk_quantity)q)
        out->peak.quantity[out->peak.quantity_count++] =
            (hk_field_quantity){hk_quantity_name(recordable[k].quantity), out->unit[k], 1};
  return HK_OK;
}

static hk_status lay_out_energies(const hk_model *model, hk_stage *stage, int count,
                                  hk_layouts *out)
{
  hk_count samples = 0;
  for (int i = 0; i < count; i++) {
    stage[i].energies.first = samples;
    samples += stage[i].energies.samples;
  }
  HK_PASS(hk_pool_get(&out->pool, &out->energy_time, samples));
  for (int i = 0; i < count; i++)
    for (hk_count k = 0; k < stage[i].energies.samples; k++)
      out->energy_time[stage[i].energies.first + k] =
          stage[i].start + ((double)(k * stage[i].energies.every) + 0.5) * stage[i].dt;
  out->run.energy_samples = samples, out->run.energy_time = out->energy_time;
  out->run.energy_unit = out->energy_unit, out->run.time_unit = model->units.time;
  return HK_OK;
}

/* Traces as they are computed: at every step, those beyond the end too, without energies. */
static hk_status lay_out_computed(const hk_stage *stage, hk_layouts *out)
{
  out->computed = out->run;
  out->computed.single = false; /* the transform is in double precision */
  out->computed.energy_samples = 0;
  out->computed.beyond = stage->sampled - stage->steps;
  HK_PASS(hk_pool_get(&out->pool, &out->computed_trace, out->run.trace_count));
  out->computed.trace = out->computed_trace;
  for (int t = 0; t < out->run.trace_count; t++) {
    out->computed_trace[t] = out->trace[t];
    out->computed_trace[t].every = 1;
    out->computed_trace[t].samples = out->trace[t].steps + 1 + out->computed.beyond;
  }
  return HK_OK;
}

hk_status hk_layouts_create(const hk_problem *problem, hk_stage *stage, int stage_count,
                            hk_layouts *out)
{
  const hk_model *model = problem->on.model;
  hk_count traces = 0;
  *out = (hk_layouts){0};
  for (int k = 0; k < HK_RECORDABLES; k++)
    hk_units_name(&model->units, recordable[k].unit, out->unit[k]);
  hk_units_name(&model->units, (hk_dimension){{2, 1, -2, 0}}, out->energy_unit);
  for (int i = 0; i < stage_count; i++) traces += stage[i].step->trace_count;
  HK_PASS(hk_pool_get(&out->pool, &out->trace, traces));
  out->run.trace = out->trace;
  out->run.single = !problem->on.double_precision;
  out->run.shots = stage_count ? stage[0].step->shot_count : 0;
  for (int i = 0; i < stage_count; i++) {
    const int first = out->run.trace_count;
    for (int t = 0; t < stage[i].step->trace_count; t++)
      HK_PASS(lay_out_trace(model, &stage[i], t, out));
    for (int w = 0; w < stage[i].group_count; w++) stage[i].group_output[w].trace += first;
  }
  HK_PASS(lay_out_energies(model, stage, stage_count, out));
  HK_PASS(lay_out_fields(model, stage, stage_count, out));
  HK_PASS(lay_out_peaks(model, stage, stage_count, out));
  if (stage_count) HK_PASS(lay_out_computed(&stage[0], out));
  return HK_OK;
}
