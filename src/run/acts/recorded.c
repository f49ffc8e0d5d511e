/* The incident wave of a file (load/wave/recorded.h) at the nodes of the elements beside the total field. Each node takes the splines of the point of the
 * file where it lies; as (W.27) is linear, the forces on a degree of freedom are one spline, whose coefficients are sums of theirs:
 *
 *   F_i(t) = sum over k  [ -+ sum over j  K_ij c_j,k ]  B(t / step - k)
 *
 * About a vertical axis u = (u_r cos, u_r sin, u_z) at the point (r, z) of the file. */
#include "run/acts/inject.h"
#include "base/sort.h"
#include <math.h>
#include <stdlib.h>

typedef struct finder { /* points of the file in cells of `cell`, sorted by their keys */
  const hk_recorded *wave;
  double cell, low[3];
  uint64_t *key;
  hk_index *point;
} finder;

static uint64_t key_of(const finder *f, const double *x, const double *off)
{
  int64_t at[3] = {0};
  for (int d = 0; d < f->wave->dim; d++)
    at[d] = (int64_t)floor((x[d] + off[d] - f->low[d]) / f->cell);
  return hk_hash(at, sizeof at, 0);
}

static hk_status sort_points(finder *f)
{
  static const double none[3] = {0};
  const hk_recorded *w = f->wave;
  hk_index points;
  HK_PASS(hk_narrow(w->points, "points of an injection", &points));
  HK_PASS(hk_get(&f->key, points));
  HK_PASS(hk_get(&f->point, points));
  for (hk_index i = 0; i < points; i++)
    f->key[i] = key_of(f, w->x + (hk_count)i * w->dim, none), f->point[i] = i;
  return hk_mesh_sort(points, f->key, f->point);
}

static bool is_at(const finder *f, hk_index point, const double *x)
{
  bool same = true;
  for (int d = 0; d < f->wave->dim; d++)
    same = same && fabs(f->wave->x[(hk_count)point * f->wave->dim + d] - x[d]) <= f->cell / 4;
  return same;
}

static hk_index find_in_cell(const finder *f, uint64_t key, const double *x)
{
  hk_count low = 0, high = f->wave->points; /* key[low - 1] < key <= key[high] */
  while (low < high) {
    const hk_count middle = low + (high - low) / 2;
    if (f->key[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < f->wave->points && f->key[low] == key; low++)
    if (is_at(f, f->point[low], x)) return f->point[low];
  return -1;
}

/* The point of the file at x[dim], or -1. `guess` is looked at first: files often keep the order of the nodes. */
static hk_index find_point(const finder *f, const double *x, hk_index guess)
{
  const int corners = 1 << f->wave->dim;
  if (guess < f->wave->points && is_at(f, guess, x)) return guess;
  for (int corner = 0; corner < corners; corner++) {
    double off[3];
    for (int d = 0; d < 3; d++) off[d] = (corner >> d & 1 ? 0.25 : -0.25) * f->cell;
    const hk_index found = find_in_cell(f, key_of(f, x, off), x);
    if (found >= 0) return found;
  }
  return -1;
}

static void place_of(const hk_injection *in, hk_index node, double out[3])
{
  const hk_recorded *w = in->load->wave->recorded;
  double x[3];
  hk_model_node_x(in->acts->on->model, node, x);
  for (int d = 0; d < 3; d++) out[d] = x[d];
  if (w->ring) out[0] = hypot(x[0] - w->axis[0], x[1] - w->axis[1]), out[1] = x[2];
}

static hk_status number_nodes(const hk_injection *in, hk_recorded_sums *s)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  HK_PASS(hk_get(&s->number, mesh->node_count));
  for (hk_count n = 0; n < mesh->node_count; n++) s->number[n] = -1;
  for (hk_count i = 0; i < in->across_count; i++)
    for (int n = 0; n < hk_mesh_block_of(mesh, in->across[i])->nodes; n++)
      s->number[hk_mesh_nodes_of(mesh, in->across[i])[n]] = 0;
  for (hk_count n = 0; n < mesh->node_count; n++)
    if (s->number[n] == 0) s->number[n] = s->nodes++;
  HK_PASS(hk_get(&s->node, s->nodes));
  HK_PASS(hk_get(&s->point, s->nodes));
  for (hk_count n = 0; n < mesh->node_count; n++)
    if (s->number[n] >= 0) s->node[s->number[n]] = (hk_index)n;
  return HK_OK;
}

static hk_status refuse_node(const hk_injection *in, hk_index node)
{
  const hk_acts_on *on = in->acts->on;
  const hk_recorded *w = in->load->wave->recorded;
  double x[3];
  hk_model_node_x(on->model, node, x);
  return hk_model_error(
      on->model, on->list, in->load->place, HK_BAD_INPUT,
      "injection: node %lld at (%.9g, %.9g, %.9g) is not among the %lld points "
      "of %s: record the wave at the points that `hooke inject` writes for this "
      "case, in the same frame",
      (long long)(on->model->mesh->node_label ? on->model->mesh->node_label[node] : node + 1), x[0],
      x[1], x[2], (long long)w->points, w->path);
}

static hk_status match(const hk_injection *in, hk_recorded_sums *s)
{
  hk_status status = HK_OK;
  finder f = {.wave = in->load->wave->recorded};
  double x[3], high[3], size = 0;
  for (int d = 0; d < f.wave->dim; d++) f.low[d] = INFINITY, high[d] = -INFINITY;
  for (hk_count i = 0; i < f.wave->points * f.wave->dim; i++) {
    const int d = (int)(i % f.wave->dim);
    f.low[d] = fmin(f.low[d], f.wave->x[i]), high[d] = fmax(high[d], f.wave->x[i]);
  }
  for (int d = 0; d < f.wave->dim; d++) size = fmax(size, high[d] - f.low[d]);
  f.cell = size > 0 ? 4e-7 * size : 1;
  HK_TRY(sort_points(&f));
  for (hk_index i = 0; i < s->nodes; i++) {
    place_of(in, s->node[i], x);
    s->point[i] = find_point(&f, x, i);
    if (s->point[i] < 0) HK_TRY(refuse_node(in, s->node[i]));
  }
cleanup:
  hk_free(&f.key);
  hk_free(&f.point);
  return status;
}

/* Elements beside the total field have a constant linear law, and all have the unknowns of the file. */
static hk_status check_bodies(hk_injection *in)
{
  const hk_model *model = in->acts->on->model;
  const hk_recorded *w = in->load->wave->recorded;
  for (hk_count i = 0; i < in->across_count; i++) {
    const hk_count e = in->across[i];
    const hk_region *r = &model->region[model->element_region[e]];
    hk_wave_body_of(r, model->mesh->dim, &in->body);
    if (r->varies || r->material.law || r->plane == HK_AXISYMMETRIC)
      return hk_inject_refuse_element(
          in, e,
          "is axisymmetric, or its material has attenuation or axes that vary, which is not "
          "supported beside the total field: put it into the set");
    if (in->body.fluid != w->fluid)
      return hk_inject_refuse_element(
          in, e,
          w->fluid ? "is of a solid, and the file has pressures: put all solids into the set, or "
                     "give a file of displacements or velocities"
                   : "is of a fluid, and the wave has displacements: put all fluids into the set, "
                     "or give a file that has pressures alone");
  }
  return HK_OK;
}

static double largest_at(const hk_recorded *w, double t)
{
  double largest = 0;
  for (hk_count i = 0; i < w->points * w->components; i++) {
    const hk_signal s = hk_spline_signal(w, w->c + i * (w->samples + 2));
    largest = fmax(largest, fabs(hk_signal_value(&s, t)));
  }
  return largest;
}

/* The file begins from rest, and reaches to the end of the run. */
static hk_status check_times(const hk_injection *in, double start)
{
  const hk_acts_on *on = in->acts->on;
  const hk_recorded *w = in->load->wave->recorded;
  const double begin = fmax(w->begin, -start), first = largest_at(w, begin),
               all = in->load->wave->amplitude;
  double end = 0;
  for (int i = 0; i < on->model->step_count; i++) end += on->model->step[i].duration;
  if (w->end + start < end * (1 - 1e-9))
    return hk_model_error(on->model, on->list, in->load->place, HK_BAD_INPUT,
                          "injection: the samples of %s end at %g, and the run at %g: record the "
                          "wave for longer, or end the run before",
                          w->path, w->end + start, end);
  if (first > 0.01 * all)
    return hk_model_error(
        on->model, on->list, in->load->place, HK_BAD_INPUT,
        "injection: at t = %g, with which %s begins, the wave has already %.2g of "
        "its largest value, and the run begins from rest: record the wave from "
        "before it reaches the points, and give a delay if that is before t = 0",
        begin + start, begin > w->begin ? "the run" : w->path, first / all);
  return HK_OK;
}

hk_status hk_inject_recorded(hk_injection *in, double start)
{
  hk_recorded_sums *s;
  const hk_recorded *w = in->load->wave->recorded;
  HK_PASS(check_bodies(in));
  HK_PASS(check_times(in, start));
  HK_PASS(hk_get(&in->sums, 1));
  s = in->sums;
  s->components = in->body.fluid || in->body.antiplane ? 1 : in->body.dim;
  s->start = start;
  HK_PASS(number_nodes(in, s));
  HK_PASS(match(in, s));
  return hk_pool_get(&in->acts->pool, &s->sum,
                     (hk_count)s->nodes * s->components * (w->samples + 2));
}

/* Part of the unknown j at the node that the component f of the file gives. */
static double part_of(const hk_injection *in, hk_index node, int j, int f)
{
  const hk_recorded *w = in->load->wave->recorded;
  double x[3];
  if (!w->ring || w->components == 1) return j == f;
  if (j == 2 || f == 1) return j == 2 && f == 1;
  hk_model_node_x(in->acts->on->model, node, x);
  const double away[2] = {x[0] - w->axis[0], x[1] - w->axis[1]}, r = hypot(away[0], away[1]);
  return r > 0 ? away[j] / r : 0;
}

void hk_inject_add_recorded(hk_injection *in, hk_index node, hk_index other, double sign,
                            const double *k, bool turned)
{
  const hk_recorded *w = in->load->wave->recorded;
  const hk_recorded_sums *s = in->sums;
  const hk_count size = w->samples + 2, to = s->number[node], from = s->point[s->number[other]];
  const int c = s->components;
  for (int f = 0; f < w->components; f++) {
    const double *given = w->c + (from * w->components + f) * size;
    for (int i = 0; i < c; i++) {
      double *sum = s->sum + (to * c + i) * size, factor = 0;
      for (int j = 0; j < c; j++)
        factor += sign * k[turned ? j * c + i : i * c + j] * part_of(in, other, j, f);
      if (factor == 0) continue;
      for (hk_count n = 0; n < size; n++) sum[n] += factor * given[n];
    }
  }
}

hk_status hk_inject_push_recorded(hk_injection *in)
{
  hk_acts *a = in->acts;
  const hk_recorded *w = in->load->wave->recorded;
  const hk_recorded_sums *s = in->sums;
  const hk_medium medium = in->body.fluid ? HK_FLUID : HK_SOLID;
  const hk_count size = w->samples + 2, all = (hk_count)s->nodes * s->components;
  hk_signal *signal;
  HK_PASS(hk_pool_get(&a->pool, &signal, all));
  for (hk_count i = 0; i < all; i++) {
    double *c = s->sum + i * size, largest = 0;
    const int component = in->body.antiplane ? 2 : (int)(i % s->components);
    for (hk_count n = 0; n < size; n++) largest = fmax(largest, fabs(c[n]));
    if (!(largest > 0)) continue;
    signal[i] = hk_spline_signal(w, c);
    signal[i].scale = 1 / largest;
    HK_PASS(hk_list_more(&a->signal));
    a->signal.at[a->signal.count++] =
        (hk_source_signal){.signal = &signal[i], .start = s->start, .role = HK_ROLE_FORCE};
    HK_PASS(hk_acts_add_force(a, hk_acts_dof(a->on, medium, s->node[i / s->components], component),
                              (hk_index)a->signal.count - 1, largest));
  }
  return HK_OK;
}

void hk_recorded_sums_destroy(hk_recorded_sums **sums)
{
  if (!*sums) return;
  hk_free(&(*sums)->number);
  hk_free(&(*sums)->node);
  hk_free(&(*sums)->point);
  hk_free(sums);
}
