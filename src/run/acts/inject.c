/* Injection of a plane wave: total field in some elements, scattered field in the others. With i a node of the total field, j one outside
 * it, and u0 the incident wave (W.27),
 *
 *   F_i(t) = - sum over j  K_ij u0(x_j, t),     F_j(t) = + sum over i  K_ji u0(x_i, t)
 *
 * so that the nodes inside have u, and those outside u - u0. K is that of the elements outside which share nodes with the inside: the only ones
 * with nodes of both kinds. As the mass is diagonal it adds nothing. Each node of these elements has a signal of its own for each ray of the
 * wave (load/wave.h); equal starts share one. */
#include "run/acts/push.h"
#include "load/wave.h"
#include "load/dispersion.h"
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "element/element.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct injection {
  hk_acts *acts;
  const hk_load *load;
  bool *inside;     /* inside[mesh node]: it has the total field */
  bool *chosen;     /* chosen[element]: of the total field */
  hk_index *across; /* across[across_count]: other elements with nodes inside, ascending */
  hk_count across_count;
  const hk_region *region; /* of all elements outside */
  hk_wave_body body;
  double from[3];
  hk_ray ray[HK_MOST_RAYS];
  int rays;
  double *start; /* start[node][rays], of nodes of `across` */
  hk_index *row; /* row[node][rays] of the table of signals */
} injection;

static hk_status refuse(const injection *in, const char *words)
{
  return hk_model_error(in->acts->on->model, in->acts->on->list, in->load->place, HK_BAD_INPUT,
                        "plane_wave: %s", words);
}

static hk_status refuse_element(const injection *in, hk_count e, const char *words)
{
  return hk_model_error(in->acts->on->model, in->acts->on->list, in->load->place, HK_BAD_INPUT,
                        "plane_wave: element %lld, outside the total field, %s",
                        (long long)hk_mesh_element_label(in->acts->on->model->mesh, e), words);
}

/* Elements that touch no absorbing boundary, where the load names none. */
static bool touches(const injection *in, const bool *mark, hk_count e)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  bool any = false;
  for (int n = 0; mark && n < hk_mesh_block_of(mesh, e)->nodes; n++) any = any || mark[node[n]];
  return any;
}

static hk_status find_sides(injection *in)
{
  const hk_acts_on *on = in->acts->on;
  const hk_mesh *mesh = on->model->mesh;
  HK_PASS(hk_get(&in->inside, mesh->node_count));
  HK_PASS(hk_get(&in->chosen, mesh->element_count));
  for (hk_count i = 0; i < in->load->target.count; i++) in->chosen[in->load->target.item[i]] = true;
  for (hk_count e = 0; e < mesh->element_count && !in->load->target.count; e++)
    in->chosen[e] = !touches(in, on->absorbs, e);
  for (hk_count e = 0; e < mesh->element_count; e++)
    for (int n = 0; in->chosen[e] && n < hk_mesh_block_of(mesh, e)->nodes; n++)
      in->inside[hk_mesh_nodes_of(mesh, e)[n]] = true;
  for (hk_count e = 0; e < mesh->element_count; e++)
    in->across_count += !in->chosen[e] && touches(in, in->inside, e);
  HK_PASS(hk_get(&in->across, in->across_count));
  in->across_count = 0;
  for (hk_count e = 0; e < mesh->element_count; e++)
    if (!in->chosen[e] && touches(in, in->inside, e)) in->across[in->across_count++] = (hk_index)e;
  return HK_OK;
}

/* The wave comes in somewhere, and no absorbing boundary takes it. */
static hk_status check_sides(const injection *in)
{
  const hk_acts_on *on = in->acts->on;
  for (hk_count n = 0; on->absorbs && n < on->model->mesh->node_count; n++)
    if (in->inside[n] && on->absorbs[n])
      return refuse(in, "the elements of the set touch an absorbing boundary, which would take the "
                        "incident wave: leave an element between, or give no set");
  if (!in->across_count)
    return refuse(in, "it comes in where elements of the total field meet others, and there are "
                      "none: give absorbing boundaries, or a set with fewer elements");
  return HK_OK;
}

static bool alike(double a, double b)
{
  return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

/* All elements outside have the material of the first at the surface, without losses. */
static hk_status find_body(injection *in)
{
  const hk_model *model = in->acts->on->model;
  const int dim = model->mesh->dim;
  hk_wave_body other;
  in->region = &model->region[model->element_region[in->across[0]]];
  if (model->media.mass_damping > 0)
    return refuse(in, "damping of the whole body is not supported");
  for (hk_count e = 0; e < model->mesh->element_count; e++) {
    const hk_region *r = &model->region[model->element_region[e]];
    if (in->chosen[e]) continue;
    if (!hk_wave_body_of(r, dim, &other))
      return refuse_element(in, e,
                            "is axisymmetric, or its material is not isotropic or has "
                            "attenuation, which is not supported there");
    if (r->material.mass_damping > 0)
      return refuse_element(in, e, "has damping, which is not supported there");
    if (r == in->region) in->body = other;
  }
  for (hk_count e = 0; e < model->mesh->element_count; e++) {
    if (in->chosen[e]) continue;
    hk_wave_body_of(&model->region[model->element_region[e]], dim, &other);
    if (other.fluid != in->body.fluid || !alike(other.density, in->body.density) ||
        !alike(other.lambda, in->body.lambda) || !alike(other.mu, in->body.mu))
      return refuse_element(in, e,
                            "has another material than those at the surface of the total "
                            "field: put all that differs from the body of the incident wave "
                            "into the set");
  }
  return HK_OK;
}

static double phase_of(const injection *in, const double *x)
{
  double sum = 0;
  for (int c = 0; c < in->body.dim; c++) sum += in->load->wave->along[c] * x[c];
  return sum;
}

/* The point that the wave passes at time 0: the one given, or the first node of the total field or of `across`. */
static void find_origin(injection *in)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_index *first = NULL;
  memcpy(in->from, in->load->wave->from, sizeof in->from);
  if (in->load->wave->has_from) return;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    if (!in->chosen[e] && !touches(in, in->inside, e)) continue;
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++)
      if (!first || phase_of(in, mesh->x + (hk_count)node[n] * mesh->dim) <
                        phase_of(in, mesh->x + (hk_count)*first * mesh->dim))
        first = &node[n];
  }
  hk_model_node_x(in->acts->on->model, *first, in->from);
}

/* The half-space has nodes of the model's mesh only at its surface or below. */
static hk_status check_surface(const injection *in)
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

static hk_status find_rays(injection *in)
{
  const hk_status status = hk_wave_rays(in->load->wave, &in->body, in->from, in->ray, &in->rays);
  return status == HK_BAD_INPUT ? refuse(in, hk_error()) : status;
}

/* Starts of the rays at all nodes of `across`; the first at least 0, or the signal at rest before it. */
static hk_status find_starts(injection *in, double start)
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
  double start;
  hk_count at; /* in injection.start */
} begun;

static int by_start(const void *a, const void *b)
{
  const begun *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* One row of the table for each start; those that differ by rounding alone share one. */
static hk_status add_signals(injection *in, const hk_signal *signal)
{
  hk_status status = HK_OK;
  hk_acts *a = in->acts;
  const hk_count all = a->on->model->mesh->node_count * in->rays;
  begun *begin = NULL;
  hk_count count = 0;
  for (hk_count i = 0; i < all; i++) count += in->row[i] < 0;
  HK_TRY(hk_get(&begin, count));
  count = 0;
  for (hk_count i = 0; i < all; i++)
    if (in->row[i] < 0) begin[count++] = (begun){in->start[i], i};
  qsort(begin, (size_t)count, sizeof *begin, by_start);
  const double same = 1e-12 * (fabs(begin[0].start) + fabs(begin[count - 1].start));
  for (hk_count i = 0, first = 0; i < count; i++) {
    if (i == 0 || begin[i].start - begin[first].start > same) {
      first = i;
      HK_TRY(hk_list_more(&a->signal));
      a->signal.at[a->signal.count++] =
          (hk_source_signal){.signal = signal, .start = begin[i].start, .role = HK_ROLE_FORCE};
    }
    in->row[begin[i].at] = (hk_index)a->signal.count - 1;
  }
cleanup:
  hk_free(&begin);
  return status;
}

/* HK_BAD_INPUT where the signal has begun before t = 0 at a node of `across`, which start from rest. */
static hk_status check_rest(const injection *in, const hk_signal *signal)
{
  enum { TIMES = 400 };
  double first = INFINITY, largest = 0, before = 0, from, to;
  for (hk_count i = 0; i < in->acts->on->model->mesh->node_count * in->rays; i++)
    if (in->row[i] < 0) first = fmin(first, in->start[i]);
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

typedef struct pairs { /* of an element, between its nodes inside and those outside */
  int in_count, out_count, components;
  int in[HK_MOST_NODES], out[HK_MOST_NODES];
  int rank[HK_MOST_NODES]; /* among those on its side */
  double *k; /* k[in_count][out_count][components][components]: rows of `in`, columns of `out` */
} pairs;

static void find_pairs(const injection *in, hk_count e, pairs *p)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  p->in_count = p->out_count = 0;
  for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++)
    if (in->inside[node[n]])
      p->rank[n] = p->in_count, p->in[p->in_count++] = n;
    else
      p->rank[n] = p->out_count, p->out[p->out_count++] = n;
}

/* From the whole K_e of a shape with few nodes, by the quadrature of its region. */
static bool fill_listed(const injection *in, const hk_element *element, const double *x, pairs *p)
{
  double k[9 * HK_LISTED_NODES * HK_LISTED_NODES];
  const int c = p->components, size = element->nodes * c;
  const double volume = c == 1 ? hk_element_conduct(in->region, element, x, NULL, k)
                               : hk_element_integrate(in->region, element, x, k);
  for (int a = 0; a < p->in_count; a++)
    for (int b = 0; b < p->out_count; b++)
      for (int i = 0; i < c * c; i++)
        p->k[(a * p->out_count + b) * c * c + i] =
            k[(p->in[a] * c + i / c) * size + p->out[b] * c + i % c];
  return volume > 0;
}

/* K_ab += w (lambda g_a g_b^T + mu g_b g_a^T + mu g_a . g_b 1), or with one unknown w stiffness g_a . g_b. */
static void add_point(const injection *in, double w, const double *ga, const double *gb, int c,
                      double *k)
{
  const int dim = in->body.dim;
  double product = 0;
  for (int d = 0; d < dim; d++) product += ga[d] * gb[d];
  if (c == 1)
    k[0] += w * hk_region_scalar_wave(in->region).stiffness * product;
  else
    for (int i = 0; i < c; i++)
      for (int j = 0; j < c; j++)
        k[i * c + j] += w * (in->body.lambda * ga[i] * gb[j] + in->body.mu * gb[i] * ga[j] +
                             (i == j ? in->body.mu * product : 0));
}

/* Of elements of order p point by point: at a node only those of its lines have gradients. */
static bool fill_family(const injection *in, const hk_element *element, const double *x,
                        hk_values *values, pairs *p)
{
  const int dim = element->dim, c = p->components;
  const hk_rule *rule = hk_element_rule(element, HK_INTEGRATION_FULL);
  const double depth = dim == 2 ? in->region->thickness : 1;
  double g[3 * HK_MOST_NODES];
  memset(p->k, 0, (size_t)(p->in_count * p->out_count * c * c) * sizeof *p->k);
  for (int q = 0; q < rule->points; q++) {
    const double *dn = hk_element_dn(element, HK_INTEGRATION_FULL, q, values);
    const double w = depth * rule->weight[q] * hk_element_transform(element, dn, x, g);
    if (!(w > 0)) return false;
    int out[HK_MOST_NODES], outs = 0;
    for (int b = 0; b < p->out_count; b++)
      for (int d = 0, n = p->out[b]; d < dim; d++)
        if (dn[n * dim + d] != 0) {
          out[outs++] = b;
          break;
        }
    for (int a = 0; a < p->in_count; a++) {
      const int n = p->in[a];
      bool any = false;
      for (int d = 0; d < dim; d++) any = any || dn[n * dim + d] != 0;
      for (int b = 0; any && b < outs; b++)
        add_point(in, w, g + n * dim, g + p->out[out[b]] * dim, c,
                  p->k + (a * p->out_count + out[b]) * c * c);
    }
  }
  return true;
}

/* The unknowns of the body: u, or u_z, or the potential. */
static double motion_of(const injection *in, int ray, int component)
{
  return in->ray[ray].motion[in->body.antiplane ? 2 : component];
}

/* F[node] += sign sum over rays K u0(other), K[c][c] of the row of `node`, transposed where `turned`. */
static hk_status push_pair(injection *in, hk_index node, hk_index other, double sign,
                           const double *k, int c, bool turned)
{
  hk_acts *a = in->acts;
  const hk_medium medium = in->body.fluid ? HK_FLUID : HK_SOLID;
  for (int i = 0; i < c; i++)
    for (int r = 0; r < in->rays; r++) {
      double sum = 0;
      for (int j = 0; j < c; j++) sum += k[turned ? j * c + i : i * c + j] * motion_of(in, r, j);
      if (sum == 0) continue;
      HK_PASS(hk_acts_add_force(a, hk_acts_dof(a->on, medium, node, in->body.antiplane ? 2 : i),
                                in->row[(hk_count)other * in->rays + r], sign * sum));
    }
  return HK_OK;
}

static hk_status push_element(injection *in, hk_count e, hk_values *values, pairs *p)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_element *element = hk_element_of(block->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double x[3 * HK_MOST_NODES];
  find_pairs(in, e, p);
  hk_element_gather(mesh, block, e - block->first, x);
  if (!(hk_shape_listed(element->shape) ? fill_listed(in, element, x, p)
                                        : fill_family(in, element, x, values, p)))
    return refuse_element(in, e, "is folded or has no volume: mesh it again");
  for (int a = 0; a < p->in_count; a++)
    for (int b = 0; b < p->out_count; b++) {
      const int c = p->components;
      const double *k = p->k + (a * p->out_count + b) * c * c;
      HK_PASS(push_pair(in, node[p->in[a]], node[p->out[b]], -1, k, c, false));
      HK_PASS(push_pair(in, node[p->out[b]], node[p->in[a]], 1, k, c, true));
    }
  return HK_OK;
}

static int by_dof(const void *a, const void *b)
{
  const hk_force_entry *x = a, *y = b;
  if (x->dof != y->dof) return x->dof < y->dof ? -1 : 1;
  if (x->signal != y->signal) return x->signal < y->signal ? -1 : 1;
  return (x->coefficient > y->coefficient) - (x->coefficient < y->coefficient);
}

/* Entries from `first` on: one for each degree of freedom and signal; what is left of sums by rounding is dropped. */
static void merge(hk_acts *a, hk_count first)
{
  hk_force_entry *entry = a->force.at + first;
  const hk_count count = a->force.count - first;
  hk_count kept = 0;
  double largest = 0;
  if (!count) return;
  qsort(entry, (size_t)count, sizeof *entry, by_dof);
  for (hk_count i = 0; i < count; i++) {
    largest = fmax(largest, fabs(entry[i].coefficient));
    if (kept && entry[kept - 1].dof == entry[i].dof && entry[kept - 1].signal == entry[i].signal)
      entry[kept - 1].coefficient += entry[i].coefficient;
    else
      entry[kept++] = entry[i];
  }
  a->force.count = first;
  for (hk_count i = 0; i < kept; i++)
    if (fabs(entry[i].coefficient) > 1e-15 * largest) a->force.at[a->force.count++] = entry[i];
}

static hk_status push_all(injection *in)
{
  hk_status status = HK_OK;
  const hk_count first = in->acts->force.count;
  hk_values *values = NULL;
  pairs *p = NULL;
  hk_count most = 0;
  HK_TRY(hk_new(&values));
  HK_TRY(hk_new(&p));
  p->components = in->body.fluid || in->body.antiplane ? 1 : in->body.dim;
  for (hk_count i = 0; i < in->across_count; i++) {
    find_pairs(in, in->across[i], p);
    const hk_count size = (hk_count)p->in_count * p->out_count * p->components * p->components;
    if (size > most) most = size;
  }
  HK_TRY(hk_get(&p->k, most));
  for (hk_count i = 0; i < in->across_count; i++)
    HK_TRY(push_element(in, in->across[i], values, p));
  merge(in->acts, first);
cleanup:
  if (p) hk_free(&p->k);
  hk_free(&p);
  hk_free(&values);
  return status;
}

hk_status hk_acts_inject(hk_acts *a, const hk_load *load, const hk_act *act)
{
  hk_status status = HK_OK;
  injection in = {.acts = a, .load = load};
  const hk_signal *signal = &a->on->model->signal.at[load->signal];
  HK_TRY(find_sides(&in));
  HK_TRY(check_sides(&in));
  HK_TRY(find_body(&in));
  HK_TRY(check_surface(&in));
  find_origin(&in);
  HK_TRY(find_rays(&in));
  HK_TRY(find_starts(&in, hk_act_start(act, a->on->start, 0)));
  HK_TRY(check_rest(&in, signal));
  HK_TRY(add_signals(&in, signal));
  HK_TRY(push_all(&in));
cleanup:
  hk_free(&in.inside);
  hk_free(&in.chosen);
  hk_free(&in.across);
  hk_free(&in.start);
  hk_free(&in.row);
  return status;
}
