/* Predicts memory, disk space and time of an explicit run before K is assembled. Memory is the
 * largest of what is held while K is assembled, while the files are opened, and while the run
 * steps. Disk space follows from the layouts of the files. Time is the number of steps times the
 * seconds of a step, which timing.c measures on a part of the mesh, with and without the help of
 * the caches. With hk_growth the model is a sample, and the costs are scaled to the model with more
 * nodes. */
#include "run/estimate/estimate.h"
#include "device/held.h"
#include "graph/order.h"
#include "load/dispersion.h"
#include "run/explicit/stage.h"
#include <math.h>

/* Code and tables of the libraries (HDF5 before all) and stacks that a run touches after it has been
 * prepared; measured. */
static const double RUN_BYTES = 4.5e6;
/* What the thread that writes frames takes beside them: stack, heap, the library's buffers. */
static const double SNAPSHOT_BYTES = 1.1e6;
static const double CHECKPOINT_SECONDS = 60;

typedef struct plan { /* of a run whose stages are known */
  const hk_problem *p;
  const hk_run_desc *desc;
  hk_stage *stage;
  int stages;
  hk_layouts layouts;
  const hk_growth *growth; /* NULL: the model itself */
  int at_once, snapshots;  /* shots that are stepped together; that have frames */
  hk_count now, held;      /* bytes that were resident and held before steps were timed */
} plan;

static hk_count least(hk_count a, hk_count b)
{
  return a < b ? a : b;
}

/* Rings of all receivers; a device holds them. grown: receivers of the model over those of the sample. */
static double ring_bytes(const plan *k, double grown)
{
  double rings = 0;
  for (int i = 0; i < k->stages; i++) {
    double sum = 0;
    for (int w = 0; w < k->stage[i].group_count; w++) {
      const double one = (double)k->stage[i].receiver_group[w].rows * grown;
      const hk_count rows = (hk_count)one * k->at_once;
      sum += 8.0 * (double)(rows * hk_receiver_room(rows));
    }
    rings = fmax(rings, sum);
  }
  return rings;
}

/* Rings of the receivers, as far as samples fill them, and the room that they are drained to: half a
 * ring for each, and once more. grown: so many times the receivers of the sample. */
static double trace_bytes(const plan *k, double grown)
{
  double rings = 0, room = 0;
  for (int i = 0; i < k->stages; i++) {
    double sum = 0;
    for (int w = 0; w < k->stage[i].group_count; w++) {
      const hk_receiver_group *receiver_group = &k->stage[i].receiver_group[w];
      const hk_count samples = hk_receiver_samples(receiver_group->every, k->stage[i].sampled),
                     rows = (hk_count)((double)receiver_group->rows * grown) * k->at_once,
                     most = hk_receiver_room(rows);
      const double part = 8.0 * (double)(rows * least(samples, most / 2));
      sum += 8.0 * (double)(rows * least(samples, most)) + part;
      room = fmax(room, part);
    }
    rings = fmax(rings, sum);
  }
  return rings + room;
}

/* Vectors in double that come and go beside the state, where initial values are set and where a stage follows another: before half of
 * the state is touched. */
static double passing_bytes(const plan *k)
{
  const hk_problem *p = k->p;
  const double dofs = (double)hk_discretisation_dofs(&p->on),
               untouched = 8 * dofs; /* single: u_next and K u; double: K u */
  bool given[2] = {false, false};
  for (int i = 0; i < p->on.model->initial.count; i++)
    given[p->on.model->initial.at[i].kind == HK_MOVE_VELOCITY] = true;
  const double start = 8 * dofs * (1 + 2 * given[0] + given[1]) - (given[0] ? 0 : untouched),
               next = k->stages > 1 ? 24 * dofs - untouched : 0;
  return fmax(0, fmax(start, next));
}

static double checkpoint_bytes(const plan *k, double seconds)
{
  const double every =
      k->desc->checkpoint_seconds > 0 ? k->desc->checkpoint_seconds : CHECKPOINT_SECONDS;
  if (k->desc->checkpoint_steps == 0 && seconds < every) return 0;
  return 2.0 * (double)hk_discretisation_bytes(&k->p->on) * k->at_once;
}

/* Where traces are transformed at the end: by each thread two rows at a time. */
static double restoring_bytes(const plan *k)
{
  const int threads = hk_device_describe(k->p->on.device)->threads;
  return k->stage[0].kept ? 0 : (double)hk_restore_plan(k->stage[0].steps, threads);
}

/* Values at every step of the forces of injections from files, where time dispersion is removed: up to the last sample (load/dispersion_signal.c). */
static double recorded_bytes(const plan *k)
{
  const hk_stage *stage = &k->stage[0];
  double sum = 0, from, to;
  for (int i = 0; !stage->kept && i < stage->excitation.signal_count; i++) {
    const hk_source_signal *s = &stage->excitation.signal[i];
    if (!s->signal || s->signal->kind != HK_SIGNAL_SPLINE) continue;
    hk_signal_support(s->signal, &from, &to);
    sum += 8 * fmin(HK_LONGEST_FILTER, fmax(0, (to + s->start) / stage->dt));
  }
  return sum * k->at_once;
}

/* Bytes of K on the host: of a device with a memory of its own they are there while K is made and sent alone. */
typedef struct k_bytes {
  double made, kept, making;
} k_bytes;

/* With the counts of the larger model, where there is one. A form whose bound is found by iteration has made K. */
static k_bytes plan_k(const plan *k, const hk_mesh *mesh)
{
  const hk_discretisation *on = &k->p->on;
  if (on->op) return (k_bytes){0};
  const bool own = hk_device_describe(on->device)->own_memory;
  const double bytes = (double)hk_discretisation_plan_of(on, mesh);
  return (k_bytes){.made = own && on->kind->waiting
                               ? (double)on->kind->waiting(mesh, on->device, on->double_precision)
                               : bytes,
                   .kept = own ? 0 : bytes,
                   .making = (double)on->kind->making(mesh, on->device, on->double_precision)};
}

/* What is held beside the mesh and the numbering, K and what it is made by left out, while the file of fields is opened, and while it is
 * stepped: the larger. Of a sample: grown. */
static double later_bytes(const plan *k, double traces, double seconds)
{
  const hk_problem *p = k->p;
  const double nodes = k->growth ? k->growth->nodes : 1, rows = k->growth ? k->growth->rows : 1;
  const bool vtu = hk_field_format_vtu(k->desc->field_format), fields = k->layouts.field.frames > 0,
             own = hk_device_describe(p->on.device)->own_memory;
  double opening = recorded_bytes(k), stepping = opening + traces;
  if (fields) {
    const double open = (double)hk_field_file_room(&k->layouts.field, vtu, false),
                 snapshots_at_once = hk_batch_snapshots(k->stage[0].step, k->at_once);
    opening += nodes * ((double)hk_field_file_room(&k->layouts.field, vtu, true) +
                        (k->snapshots - 1) * open);
    stepping +=
        SNAPSHOT_BYTES + nodes * (k->snapshots * open +
                                  snapshots_at_once * (double)hk_frames_plan(p, &k->layouts.field));
  }
  if (k->layouts.peak.frames) {
    opening += nodes * (double)hk_field_file_room(&k->layouts.peak, vtu, true);
    stepping += nodes * (double)hk_field_file_room(&k->layouts.peak, vtu, false);
  }
  stepping += (own ? 0 : rows * (double)hk_problem_state_plan(p, k->at_once)) +
              fmax(restoring_bytes(k), rows * fmax(passing_bytes(k), checkpoint_bytes(k, seconds)));
  return fmax(opening, stepping);
}

/* Of the model itself: the larger of what was held until now, while K is made and in the steps. own: code, stacks and libraries. peak: the most
 * that was resident, a part of what was held perhaps, as some arrays are not filled. */
static void predict_memory(const plan *k, hk_count most, hk_count peak, hk_cost *cost)
{
  const k_bytes of = plan_k(k, k->p->on.model->mesh);
  const double own = (double)(k->now - k->held) + RUN_BYTES;
  const double later = later_bytes(k, trace_bytes(k, 1), cost->seconds);
  cost->before = fmin(own - RUN_BYTES + (double)most, (double)peak);
  cost->memory =
      fmax(cost->before, (double)k->now + RUN_BYTES + fmax(of.made + of.making, of.kept + later));
}

/* How much of what a step reads comes from memory, for its bytes in parts of the last cache: that of
 * half of it stays there. */
static double from_memory(double bytes)
{
  return fmin(1, fmax(0, bytes / (double)hk_cache_size() - 0.5));
}

/* Of all steps, those that one of the devices does: batches of shots are shared out, or the nodes are. */
static double share_of(const plan *k, const hk_prediction *out)
{
  const hk_several *all = &k->p->several;
  const int devices = all->queued ? all->count : 1;
  const hk_count batches = out->shots ? (out->shots + k->at_once - 1) / k->at_once : 1,
                 own = (batches + devices - 1) / devices;
  return all->parts > 1 && !all->queued ? (double)own / all->parts : (double)own;
}

/* Steps of a part of the mesh are measured with and without the caches' help. Shots in one launch
 * compute each on its own and wait once for K. What devices send each other is not counted. */
static hk_status predict_time(const plan *k, hk_prediction *out)
{
  hk_timing s;
  hk_count passes = 0;
  HK_PASS(hk_timing_measure(k->p, &s));
  for (int i = 0; i < k->stages; i++)
    passes += k->stage[i].all_steps + k->stage[i].energies.samples;
  const double grown = k->growth ? k->growth->nodes : 1,
               parts = grown * (double)k->p->on.space->nodes / s.nodes,
               times = (double)passes * share_of(k, out) * parts,
               bytes = s.operator_bytes + (double)k->at_once * s.state_bytes,
               more = bytes / (s.operator_bytes + s.state_bytes),
               warm = (double)k->at_once * s.warm, wait = from_memory(parts * bytes) * more;
  out->cost.seconds = times * (warm + wait * fmax(0, s.cold - s.warm));
  out->cost.seconds_low = times * (warm + wait * fmax(0, s.least - s.warm));
  out->cost.seconds_high = times * (warm + more * fmax(0, s.most - s.warm));
  return HK_OK;
}

/* Of the device's memory, once the operator is there. */
static hk_count room_of(const hk_problem *p)
{
  const hk_count free = hk_device_available(p->on.device);
  return p->on.op ? free : free - hk_discretisation_plan(&p->on);
}

static hk_status create_stages(plan *k, hk_problem *p, hk_prediction *out)
{
  HK_PASS(hk_get(&k->stage, p->on.model->step_count));
  for (; k->stages < p->on.model->step_count; k->stages++) {
    hk_stage *stage = &k->stage[k->stages];
    HK_PASS(hk_stage_create(p, k->stages, out->end_time, 0, stage));
    out->end_time += (double)stage->steps * stage->dt;
    out->steps += stage->steps;
  }
  out->dt = k->stage[0].dt;
  out->shots = p->on.model->step[0].shot_count;
  k->snapshots = out->shots ? p->on.model->step[0].field.shot_count : 1;
  HK_PASS(hk_layouts_create(p, k->stage, k->stages, &k->layouts));
  k->at_once = out->at_once = hk_batch_choose(p, k->stage, k->stages, room_of(p));
  for (hk_count shot = 1; shot < out->shots; shot++) /* what is wrong with any is told */
    HK_PASS(hk_stage_take(p, shot, 1, &k->stage[0]));
  return HK_OK;
}

/* Nodes of the set on the larger body: of a box it is a side, an edge or all, with or without the nodes between vertices. */
static double grow_set(const hk_growth *g, const hk_trace_layout *t)
{
  double cells = 1, vertices = 1, sampled = 1, nodes = 1;
  if (!(g->cells[0] > 0)) return (double)t->receivers * pow(g->nodes, (t->dim - 1.0) / t->dim);
  for (int d = 0; d < t->dim; d++) {
    bool flat = true;
    for (hk_count i = 1; i < t->receivers && flat; i++)
      flat = t->coordinates[i * t->dim + d] == t->coordinates[d];
    if (flat) continue;
    cells *= g->cells[d] / g->sampled[d];
    vertices *= g->cells[d] + 1, sampled *= g->sampled[d] + 1;
    nodes *= g->order * g->cells[d] + 1;
  }
  if ((double)t->receivers == sampled) return vertices;
  return (double)t->receivers > sampled ? nodes : (double)t->receivers * cells;
}

/* Returns how many times as many receivers there are then. */
static double grow_traces(plan *k)
{
  double before = 0, after = 0;
  for (int i = 0; i < k->layouts.run.trace_count; i++) {
    hk_trace_layout *t = &k->layouts.trace[i];
    before += (double)t->receivers;
    if (t->receivers && t->node[0] >= 0) t->receivers = (hk_count)nearbyint(grow_set(k->growth, t));
    after += (double)t->receivers;
    k->layouts.computed_trace[i].receivers = t->receivers;
  }
  return before > 0 ? after / before : 1;
}

/* A mesh that has the counts of nodes and elements of the larger model and nothing else. The caller frees its blocks. */
static hk_status grow_mesh(const plan *k, const hk_mesh *from, hk_mesh *to)
{
  const double nodes = k->growth ? k->growth->nodes : 1,
               elements = k->growth ? k->growth->elements : 1;
  *to = *from;
  to->block = NULL, to->element_count = 0;
  HK_PASS(hk_get(&to->block, from->block_count));
  for (int b = 0; b < from->block_count; b++) {
    to->block[b] = from->block[b];
    to->block[b].count = (hk_count)nearbyint((double)from->block[b].count * elements);
    to->element_count += to->block[b].count;
  }
  to->node_count = (hk_count)nearbyint((double)from->node_count * nodes);
  return HK_OK;
}

/* Of what a sample holds, arrays of the numbering's rows: numbers of nodes, mass and damping. */
static double rows_bytes(const plan *k)
{
  return (double)k->p->on.space->padded * (4.0 + 8 + 8 * (k->p->damping != NULL));
}

/* Of the larger model: what its sample holds grows with the nodes and elements, rings of traces with the receivers, and K is planned by the
 * counts of the whole; code, stacks and libraries are as large. */
static hk_status grow_memory(const plan *k, hk_count most, hk_cost *cost)
{
  const hk_mesh *sample = k->p->on.model->mesh;
  const hk_growth *growth = k->growth;
  const double own = (double)(k->now - k->held) + RUN_BYTES,
               beside = rows_bytes(k) * (growth->rows - growth->nodes),
               held =
                   beside + hk_growth_of_bytes(growth, sample, (double)(k->held - growth->beside)),
               later = later_bytes(k, trace_bytes(k, growth->receivers), cost->seconds);
  hk_mesh whole;
  HK_PASS(grow_mesh(k, sample, &whole));
  const k_bytes of = plan_k(k, &whole);
  hk_free(&whole.block);
  cost->before = own + beside + hk_growth_of_bytes(growth, sample, (double)most);
  cost->memory = fmax(cost->before, own + held + fmax(of.made + of.making, of.kept + later));
  return HK_OK;
}

static hk_status plan_fields(const plan *k, const hk_field_layout *of, bool vtu, double *bytes)
{
  hk_field_layout layout = *of;
  hk_mesh mesh;
  if (!layout.frames) return HK_OK;
  HK_PASS(grow_mesh(k, of->mesh, &mesh));
  layout.mesh = &mesh;
  *bytes = (double)hk_field_file_plan(&layout, vtu);
  hk_free(&mesh.block);
  return HK_OK;
}

hk_count hk_estimate_most(const hk_model *model)
{
  const hk_count reading = model->read ? model->read->memory : 0, prepared = hk_memory_peak();
  return reading > prepared ? reading : prepared;
}

double hk_growth_of_bytes(const hk_growth *growth, const hk_mesh *mesh, double bytes)
{
  double of_elements = 0;
  for (int b = 0; b < mesh->block_count; b++) /* nodes, region, the set of all */
    of_elements += (double)mesh->block[b].count * (4.0 * mesh->block[b].nodes + 6);
  return bytes * growth->nodes + fmin(of_elements, bytes) * (growth->elements - growth->nodes);
}

double hk_growth_of_rows(const hk_growth *growth, const hk_discretisation *on)
{
  const hk_mesh *mesh = on->model->mesh;
  const hk_space_desc desc = on->kind->space(mesh, on->device, on->double_precision);
  hk_index layers[3];
  double distance[3];
  if (!desc.gaps || !(growth->cells[0] > 0) || growth->order != 1) return growth->nodes;
  for (int d = 0; d < mesh->dim; d++) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (hk_count n = 0; n < mesh->node_count; n++) {
      low = fmin(low, mesh->x[n * mesh->dim + d]);
      high = fmax(high, mesh->x[n * mesh->dim + d]);
    }
    layers[d] = (hk_index)growth->cells[d] + 1, distance[d] = (high - low) / growth->cells[d];
  }
  return (double)hk_order_grid_patches(layers, distance, mesh->dim, on->space->patch) *
         on->space->patch / (double)on->space->padded;
}

/* Of all devices together: K, and the larger of what is stepped, with frames and rings, and of the iteration for the bound of dt. */
static hk_status plan_device(const plan *k, double *bytes)
{
  const hk_problem *p = k->p;
  const bool own = hk_device_describe(p->on.device)->own_memory;
  const double nodes = k->growth ? k->growth->nodes : 1, rows = k->growth ? k->growth->rows : 1,
               frames = own ? nodes * (double)hk_frames_room(p) : 0, /* else they go to the host */
      stepping = frames + ring_bytes(k, k->growth ? k->growth->receivers : 1) +
                 rows * (double)hk_problem_state_plan(p, k->at_once),
               bound = rows * (double)hk_problem_bound_plan(p);
  hk_mesh whole;
  HK_PASS(grow_mesh(k, p->on.model->mesh, &whole));
  *bytes = (double)hk_discretisation_plan_of(&p->on, &whole) + fmax(stepping, bound);
  hk_free(&whole.block);
  return HK_OK;
}

hk_status hk_predict(hk_problem *p, const hk_run_desc *desc, hk_count most, const hk_growth *growth,
                     hk_prediction *out)
{
  hk_status status = HK_OK;
  hk_growth grown = growth ? *growth : (hk_growth){0};
  plan k = {.p = p, .desc = desc, .growth = growth ? &grown : NULL};
  const bool vtu = hk_field_format_vtu(desc->field_format);
  hk_count peak;
  double fields = 0, maps = 0;

  *out = (hk_prediction){0};
  HK_TRY(create_stages(&k, p, out));
  if (growth) grown.rows = hk_growth_of_rows(growth, &p->on);
  hk_memory_trim(); /* what compiling has left */
  hk_memory_resident(&k.now, &peak);
  k.now -= hk_device_compiler(p->on.device); /* a run finds the kernels in the cache */
  k.held =
      hk_memory_held(); /* kernels are compiled from now on, and their texts do not grow with the model */
  if (!growth && hk_memory_peak() > most) most = hk_memory_peak();
  HK_TRY(predict_time(&k, out));
  if (growth) {
    grown.receivers = grow_traces(&k);
    HK_TRY(grow_memory(&k, most, &out->cost));
  } else {
    predict_memory(&k, most, peak, &out->cost);
  }
  HK_TRY(plan_device(&k, &out->device));
  out->kept = k.stage[0].kept;
  out->cost.disk = (double)hk_run_file_plan(&k.layouts.run);
  if (!out->kept) out->cost.disk += (double)hk_run_file_plan(&k.layouts.computed);
  HK_TRY(plan_fields(&k, &k.layouts.field, vtu, &fields));
  HK_TRY(plan_fields(&k, &k.layouts.peak, vtu, &maps));
  out->cost.disk += k.snapshots * fields + maps;
cleanup:
  hk_pool_clear(&k.layouts.pool);
  for (int i = 0; i < k.stages; i++) hk_stage_clear(&k.stage[i]);
  hk_free(&k.stage);
  return status;
}
