/* The incident wave of an injection at the nodes of the elements beside the total field: what the elements outside are made of, a uniform body or
 * layers on a half-space; its rays (load/wave/wave.h) or tables for each height (load/wave/stack.h); and rows of signals. */
#include "run/acts/inject.h"
#include "load/dispersion.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool alike(double a, double b)
{
  return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

static bool alike_bodies(const hk_wave_body *a, const hk_wave_body *b)
{
  return a->fluid == b->fluid && alike(a->density, b->density) && alike(a->lambda, b->lambda) &&
         alike(a->mu, b->mu);
}

static hk_status check_material(const hk_injection *in, hk_count e, hk_wave_body *body)
{
  const hk_model *model = in->acts->on->model;
  const hk_region *r = &model->region[model->element_region[e]];
  if (!hk_wave_body_of(r, model->mesh->dim, body))
    return hk_inject_refuse_element(in, e,
                                    "is axisymmetric, or its material is not isotropic or has "
                                    "attenuation, which is not supported there");
  if (r->material.mass_damping > 0)
    return hk_inject_refuse_element(in, e, "has damping, which is not supported there");
  return HK_OK;
}

/* Widens the layer of this body by the element, or begins one. */
static hk_status add_layer(hk_injection *in, hk_count e, const hk_wave_body *body, double *bottom)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  int k = 0;
  while (k < in->layers && !alike_bodies(&in->layer[k].body, body)) k++;
  if (k == HK_WAVE_LAYERS)
    return hk_inject_refuse(in, "more than 64 materials are outside the total field");
  if (k == in->layers) {
    in->layer[in->layers++] = (hk_wave_layer){-INFINITY, *body};
    bottom[k] = INFINITY;
  }
  for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) {
    const double up = mesh->x[(hk_count)node[n] * mesh->dim + mesh->dim - 1];
    in->layer[k].top = fmax(in->layer[k].top, up), bottom[k] = fmin(bottom[k], up);
  }
  return HK_OK;
}

/* From above; several must lie below one another. */
static hk_status order_layers(hk_injection *in, double *bottom)
{
  double low = INFINITY;
  for (int i = 0; i < in->layers; i++) low = fmin(low, bottom[i]);
  for (int i = 1; i < in->layers; i++)
    for (int k = i; k > 0 && in->layer[k].top > in->layer[k - 1].top; k--) {
      const hk_wave_layer other = in->layer[k];
      const double own = bottom[k];
      in->layer[k] = in->layer[k - 1], in->layer[k - 1] = other;
      bottom[k] = bottom[k - 1], bottom[k - 1] = own;
    }
  for (int i = 0; i + 1 < in->layers; i++)
    if (fabs(bottom[i] - in->layer[i + 1].top) > 1e-6 * (in->layer[0].top - low))
      return hk_inject_refuse(
          in, "the elements outside the total field have several materials, which are no "
              "horizontal layers, each of its own material: put all that differs from "
              "layers into the set");
  if (in->layers > 1 && (!in->load->wave->below || in->layer[0].body.fluid))
    return hk_inject_refuse(
        in, "the elements outside the total field have several materials: layers need a "
            "free_surface, and solids; put all that differs into the set");
  return HK_OK;
}

/* Layers of what is outside, isotropic and without losses; the region and the body of the lowest. */
static hk_status find_body(hk_injection *in)
{
  const hk_model *model = in->acts->on->model;
  double bottom[HK_WAVE_LAYERS];
  hk_wave_body body;
  HK_PASS(hk_get(&in->layer, HK_WAVE_LAYERS));
  if (model->media.mass_damping > 0)
    return hk_inject_refuse(in, "damping of the whole body is not supported");
  for (hk_count e = 0; e < model->mesh->element_count; e++) {
    if (in->chosen[e]) continue;
    HK_PASS(check_material(in, e, &body));
    if (in->layers && body.fluid != in->layer[0].body.fluid)
      return hk_inject_refuse_element(
          in, e,
          "is of a fluid, and others are not, or the reverse: put all of "
          "one of them into the set");
    HK_PASS(add_layer(in, e, &body, bottom));
  }
  HK_PASS(order_layers(in, bottom));
  in->body = in->layer[in->layers - 1].body;
  return HK_OK;
}

static double along_level(const hk_plane_wave *w)
{
  double sum = 0;
  for (int c = 0; c < 3; c++) sum += w->along[c] * w->level[c];
  return sum;
}

static double phase_of(const hk_injection *in, const double *x)
{
  double sum = 0;
  for (int c = 0; c < in->body.dim; c++) sum += in->load->wave->along[c] * x[c];
  return sum;
}

/* The point that the wave passes at time 0: the one given, or the first node of the total field or of `across`. */
static void find_origin(hk_injection *in)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_index *first = NULL;
  memcpy(in->from, in->load->wave->from, sizeof in->from);
  if (in->load->wave->has_from) return;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    if (!in->chosen[e] && !hk_inject_touches(in, in->inside, e)) continue;
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++)
      if (!first || phase_of(in, mesh->x + (hk_count)node[n] * mesh->dim) <
                        phase_of(in, mesh->x + (hk_count)*first * mesh->dim))
        first = &node[n];
  }
  hk_model_node_x(in->acts->on->model, *first, in->from);
}

/* The half-space has nodes of the model's mesh only at its surface or below. */
static hk_status check_surface(const hk_injection *in)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_plane_wave *w = in->load->wave;
  double low = INFINITY, high = -INFINITY;
  for (hk_count n = 0; n < mesh->node_count; n++) {
    const double up = mesh->x[n * mesh->dim + mesh->dim - 1];
    low = fmin(low, up), high = fmax(high, up);
  }
  if (w->below && fabs(w->surface - high) > 1e-6 * (high - low))
    return hk_model_error(in->acts->on->model, in->acts->on->list, in->load->place, HK_BAD_INPUT,
                          "plane_wave: free_surface is %g, and the mesh ends at %g: give the upper "
                          "side of the mesh",
                          w->surface, high);
  return HK_OK;
}

/* Displacements along the layers and up, or of SH, each by a table for each height. */
static hk_status find_stack(hk_injection *in)
{
  const hk_acts_on *on = in->acts->on;
  const hk_model *model = on->model;
  const hk_plane_wave *w = in->load->wave;
  const int up = in->body.dim - 1;
  double end = 0, back = 0;
  for (int i = 0; i < model->step_count; i++) end += model->step[i].duration;
  in->rays = w->kind == HK_WAVE_SH ? 1 : 2;
  for (int k = 0; k < in->rays; k++) {
    in->ray[k] = (hk_ray){.start = 0};
    for (int c = 0; c < up; c++)
      in->ray[k].slowness[c] = w->level[c] * along_level(w) / hk_wave_speed(w, &in->body);
  }
  for (hk_count n = 0; n < model->mesh->node_count; n++) {
    double start = 0;
    for (int c = 0; c < up; c++)
      start += in->ray[0].slowness[c] * (model->mesh->x[n * in->body.dim + c] - in->from[c]);
    back = fmin(back, start);
  }
  if (in->rays == 1)
    hk_wave_across(w, &in->body, in->ray[0].motion);
  else
    memcpy(in->ray[0].motion, w->level, sizeof w->level), in->ray[1].motion[up] = 1;
  const hk_wave_stack_desc desc = {.wave = w,
                                   .layers = in->layers,
                                   .layer = in->layer,
                                   .from = in->from[up],
                                   .signal = &model->signal.at[in->load->signal],
                                   .end = 1.1 * end - back};
  return hk_wave_stack_create(&desc, &in->acts->pool, &in->stack);
}

static hk_status find_rays(hk_injection *in)
{
  const hk_plane_wave *w = in->load->wave;
  const bool stacked = in->layers > 1 || hk_wave_is_beyond(w, &in->body);
  hk_status status = hk_wave_check(w, &in->body);
  if (status == HK_OK && stacked) status = find_stack(in);
  if (status == HK_OK && !stacked) hk_wave_rays(w, &in->body, in->from, in->ray, &in->rays);
  return status == HK_BAD_INPUT ? hk_inject_refuse(in, hk_error()) : status;
}

/* Starts of the rays at all nodes of `across`. */
static hk_status find_starts(hk_injection *in, double start)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  HK_PASS(hk_get(&in->start, mesh->node_count * in->rays));
  HK_PASS(hk_get(&in->row, mesh->node_count * in->rays));
  for (hk_count i = 0; i < in->across_count; i++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, in->across[i]);
    for (int n = 0; n < hk_mesh_block_of(mesh, in->across[i])->nodes; n++)
      for (int k = 0; k < in->rays; k++) {
        double t = start + in->ray[k].start;
        for (int c = 0; c < mesh->dim; c++)
          t += in->ray[k].slowness[c] * (mesh->x[(hk_count)node[n] * mesh->dim + c] - in->from[c]);
        in->start[(hk_count)node[n] * in->rays + k] = t;
        in->row[(hk_count)node[n] * in->rays + k] = -1;
      }
  }
  return HK_OK;
}

typedef struct begun {
  double height, start; /* height 0 where no table depends on it */
  hk_count at;          /* in injection.start */
  int ray;              /* 0 likewise */
} begun;

static int by_start(const void *a, const void *b)
{
  const begun *x = a, *y = b;
  if (x->ray != y->ray) return x->ray < y->ray ? -1 : 1;
  if (x->height != y->height) return x->height < y->height ? -1 : 1;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static hk_status list_starts(const hk_injection *in, begun **begin, hk_count *count)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_count all = mesh->node_count * in->rays;
  *count = 0;
  for (hk_count i = 0; i < all; i++) *count += in->row[i] < 0;
  HK_PASS(hk_get(begin, *count));
  *count = 0;
  for (hk_count i = 0; i < all; i++) {
    if (in->row[i] >= 0) continue;
    begun *b = &(*begin)[(*count)++];
    *b = (begun){.start = in->start[i], .at = i};
    if (in->stack)
      b->height = mesh->x[(i / in->rays + 1) * mesh->dim - 1], b->ray = (int)(i % in->rays);
  }
  qsort(*begin, (size_t)*count, sizeof **begin, by_start);
  return HK_OK;
}

/* The signal of those that begin: that of the load, or the table of their height. */
static hk_status find_signal(hk_injection *in, const begun *b, const hk_signal **signal)
{
  hk_signal *table;
  *signal = &in->acts->on->model->signal.at[in->load->signal];
  if (!in->stack) return HK_OK;
  HK_PASS(hk_pool_get(&in->acts->pool, &table, 1));
  *signal = table;
  return hk_wave_stack_at(in->stack, b->height, b->ray, table);
}

/* One row of the table for each signal and start; those that differ by rounding alone share one. */
static hk_status add_signals(hk_injection *in)
{
  hk_status status = HK_OK;
  hk_acts *a = in->acts;
  const hk_signal *signal = NULL;
  begun *begin = NULL;
  hk_count count;
  double same = 0;
  HK_TRY(list_starts(in, &begin, &count));
  for (hk_count i = 0; i < count; i++) same = fmax(same, 1e-12 * fabs(begin[i].start));
  for (hk_count i = 0, first = 0; i < count; i++) {
    const begun *b = &begin[i], *of = &begin[first];
    const bool other = i == 0 || b->ray != of->ray || b->height != of->height;
    if (other) HK_TRY(find_signal(in, b, &signal));
    if (other || b->start - of->start > same) {
      first = i;
      HK_TRY(hk_list_more(&a->signal));
      a->signal.at[a->signal.count++] =
          (hk_source_signal){.signal = signal, .start = b->start, .role = HK_ROLE_FORCE};
    }
    in->row[b->at] = (hk_index)a->signal.count - 1;
  }
cleanup:
  hk_free(&begin);
  return status;
}

/* HK_BAD_INPUT where the signal has begun before t = 0 at a node of `across`, which start from rest. */
static hk_status check_rest(const hk_injection *in, double start)
{
  enum { TIMES = 400 };
  const hk_signal *signal = &in->acts->on->model->signal.at[in->load->signal];
  double first = INFINITY, largest = 0, before = 0, from, to, x[3];
  for (hk_count i = 0; i < in->acts->on->model->mesh->node_count; i++) {
    if (in->row[i * in->rays] >= 0) continue;
    hk_model_node_x(in->acts->on->model, i, x);
    first = fmin(first, phase_of(in, x) - phase_of(in, in->from));
  }
  first = start + first / hk_wave_speed(in->load->wave, &in->body);
  hk_signal_support(signal, &from, &to);
  for (int k = 0; k <= TIMES; k++) {
    const double t = from + (to - from) * k / TIMES, s = fabs(hk_signal_value(signal, t));
    largest = fmax(largest, s);
    if (first + t <= 0) before = fmax(before, s);
  }
  before = fmax(before, fabs(hk_signal_value(signal, -first)));
  if (!(before > 0.01 * largest) || !(first < 0)) return HK_OK;
  return hk_model_error(in->acts->on->model, in->acts->on->list, in->load->place, HK_BAD_INPUT,
                        "plane_wave: the wave has reached the total field before t = 0, by up to "
                        "%.4g: give a point `through` that lies behind, a later signal or a delay",
                        -first);
}

hk_status hk_inject_incident(hk_injection *in, double start)
{
  HK_PASS(find_body(in));
  HK_PASS(check_surface(in));
  find_origin(in);
  HK_PASS(find_rays(in));
  HK_PASS(find_starts(in, start));
  HK_PASS(check_rest(in, start));
  return add_signals(in);
}
