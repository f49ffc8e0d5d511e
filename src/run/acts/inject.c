/* Injection of a wave: total field in some elements, scattered field in the others. With i a node of the total field, j one outside
 * it, and u0 the incident wave (W.27),
 *
 *   F_i(t) = - sum over j  K_ij u0(x_j, t),     F_j(t) = + sum over i  K_ji u0(x_i, t)
 *
 * so that the nodes inside have u, and those outside u - u0. K is that of the elements outside which share nodes with the inside: the only ones
 * with nodes of both kinds. As the mass is diagonal it adds nothing. Each node of these elements has a signal of its own for each ray of the
 * wave (load/wave/wave.h); equal starts share one. In layers and beyond the critical angle the signal is a table for each height (load/wave/stack.h). Waves of
 * files are summed as splines (recorded.c). */
#include "run/acts/inject.h"
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "element/element.h"
#include "element/gll.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const hk_injection *in)
{
  return in->load->wave->recorded ? "injection" : "plane_wave";
}

hk_status hk_inject_refuse(const hk_injection *in, const char *words)
{
  return hk_model_error(in->acts->on->model, in->acts->on->list, in->load->place, HK_BAD_INPUT,
                        "%s: %s", name_of(in), words);
}

hk_status hk_inject_refuse_element(const hk_injection *in, hk_count e, const char *words)
{
  return hk_model_error(in->acts->on->model, in->acts->on->list, in->load->place, HK_BAD_INPUT,
                        "%s: element %lld, outside the total field, %s", name_of(in),
                        (long long)hk_mesh_element_label(in->acts->on->model->mesh, e), words);
}

bool hk_inject_touches(const hk_injection *in, const bool *mark, hk_count e)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  bool any = false;
  for (int n = 0; mark && n < hk_mesh_block_of(mesh, e)->nodes; n++) any = any || mark[node[n]];
  return any;
}

static hk_status find_sides(hk_injection *in)
{
  const hk_acts_on *on = in->acts->on;
  const hk_mesh *mesh = on->model->mesh;
  HK_PASS(hk_get(&in->inside, mesh->node_count));
  HK_PASS(hk_get(&in->chosen, mesh->element_count));
  for (hk_count i = 0; i < in->load->target.count; i++) in->chosen[in->load->target.item[i]] = true;
  for (hk_count e = 0; e < mesh->element_count && !in->load->target.count; e++)
    in->chosen[e] = !hk_inject_touches(in, on->absorbs, e);
  for (hk_count e = 0; e < mesh->element_count; e++)
    for (int n = 0; in->chosen[e] && n < hk_mesh_block_of(mesh, e)->nodes; n++)
      in->inside[hk_mesh_nodes_of(mesh, e)[n]] = true;
  for (hk_count e = 0; e < mesh->element_count; e++)
    in->across_count += !in->chosen[e] && hk_inject_touches(in, in->inside, e);
  HK_PASS(hk_get(&in->across, in->across_count));
  in->across_count = 0;
  for (hk_count e = 0; e < mesh->element_count; e++)
    if (!in->chosen[e] && hk_inject_touches(in, in->inside, e))
      in->across[in->across_count++] = (hk_index)e;
  return HK_OK;
}

/* The wave comes in somewhere, and no absorbing boundary takes it. */
static hk_status check_sides(const hk_injection *in)
{
  const hk_acts_on *on = in->acts->on;
  for (hk_count n = 0; on->absorbs && n < on->model->mesh->node_count; n++)
    if (in->inside[n] && on->absorbs[n])
      return hk_inject_refuse(
          in, "the elements of the set touch an absorbing boundary, which would take the "
              "incident wave: leave an element between, or give no set");
  if (!in->across_count)
    return hk_inject_refuse(
        in, "it comes in where elements of the total field meet others, and there are "
            "none: give absorbing boundaries, or a set with fewer elements");
  return HK_OK;
}

typedef struct pairs { /* of an element, between its nodes inside and those outside */
  int in_count, out_count, components;
  int in[HK_MOST_NODES], out[HK_MOST_NODES];
  int rank[HK_MOST_NODES]; /* among those on its side */
  double *k; /* k[in_count][out_count][components][components]: rows of `in`, columns of `out` */
} pairs;

static void find_pairs(const hk_injection *in, hk_count e, pairs *p)
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
static bool fill_listed(const hk_injection *in, const hk_element *element, const double *x,
                        pairs *p)
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

/* c[i][j][k][l] of the region, in 2D without the thickness. */
static void find_stiffness(hk_injection *in)
{
  static const int voigt[2][3][3] = {{{0, 2, 0}, {2, 1, 0}}, {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}}};
  const int dim = in->body.dim, size = dim == 2 ? 3 : 6;
  const double depth = dim == 2 ? in->region->thickness : 1;
  double d[36];
  hk_region_stiffness(in->region, dim, d);
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++)
      for (int k = 0; k < dim; k++)
        for (int l = 0; l < dim; l++)
          in->c[i][j][k][l] = d[voigt[dim - 2][i][j] * size + voigt[dim - 2][k][l]] / depth;
}

/* K_ab += w g_a . c . g_b */
static void add_anisotropic(const hk_injection *in, double w, const double *ga, const double *gb,
                            double *out)
{
  const int dim = in->body.dim;
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++)
      for (int k = 0; k < dim; k++)
        for (int l = 0; l < dim; l++) out[i * dim + k] += w * ga[j] * in->c[i][j][k][l] * gb[l];
}

/* K_ab += w (lambda g_a g_b^T + mu g_b g_a^T + mu g_a . g_b 1), or with one unknown w stiffness g_a . g_b. */
static void add_point(const hk_injection *in, double w, const double *ga, const double *gb, int c,
                      double *k)
{
  const int dim = in->body.dim;
  double product = 0;
  for (int d = 0; d < dim; d++) product += ga[d] * gb[d];
  if (c == 1)
    k[0] += w * hk_region_scalar_wave(in->region).stiffness * product;
  else if (!in->isotropic)
    add_anisotropic(in, w, ga, gb, k);
  else
    for (int i = 0; i < c; i++)
      for (int j = 0; j < c; j++)
        k[i * c + j] += w * (in->body.lambda * ga[i] * gb[j] + in->body.mu * gb[i] * ga[j] +
                             (i == j ? in->body.mu * product : 0));
}

/* Of elements of order p point by point: their points of quadrature are the nodes (S.3), where only functions of the lines through it have gradients. */
static bool fill_family(const hk_injection *in, const hk_element *element, const double *x,
                        hk_values *values, pairs *p)
{
  const int dim = element->dim, c = p->components;
  const hk_gll *line = hk_gll_of(element->order);
  const int side = element->order + 1;
  const double depth = dim == 2 ? in->region->thickness : 1;
  double g[3 * HK_MOST_NODES];
  memset(p->k, 0, (size_t)(p->in_count * p->out_count * c * c) * sizeof *p->k);
  for (int q = 0; q < element->nodes; q++) {
    const double *dn = values->dn, *l = line->w;
    hk_element_functions(element, element->reference[element->lattice[q]], NULL, values->dn);
    const double weight = l[q % side] * l[q / side % side] * (dim == 3 ? l[q / side / side] : 1),
                 w = depth * weight * hk_element_transform(element, dn, x, g);
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
static double motion_of(const hk_injection *in, int ray, int component)
{
  return in->ray[ray].motion[in->body.antiplane ? 2 : component];
}

/* F[node] += sign sum over rays K u0(other), K[c][c] of the row of `node`, transposed where `turned`. */
static hk_status push_pair(hk_injection *in, hk_index node, hk_index other, double sign,
                           const double *k, int c, bool turned)
{
  hk_acts *a = in->acts;
  const hk_medium medium = in->body.fluid ? HK_FLUID : HK_SOLID;
  if (in->sums) {
    hk_inject_add_recorded(in, node, other, sign, k, turned);
    return HK_OK;
  }
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

static hk_status push_element(hk_injection *in, hk_count e, hk_values *values, pairs *p)
{
  const hk_mesh *mesh = in->acts->on->model->mesh;
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_element *element = hk_element_of(block->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double x[3 * HK_MOST_NODES];
  in->region = &in->acts->on->model->region[in->acts->on->model->element_region[e]];
  in->isotropic = hk_wave_body_of(in->region, in->body.dim, &in->body);
  if (!in->isotropic && !in->body.fluid && !in->body.antiplane) find_stiffness(in);
  find_pairs(in, e, p);
  hk_element_gather(mesh, block, e - block->first, x);
  if (!(hk_shape_listed(element->shape) ? fill_listed(in, element, x, p)
                                        : fill_family(in, element, x, values, p)))
    return hk_inject_refuse_element(in, e, "is folded or has no volume: mesh it again");
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

static hk_status push_all(hk_injection *in)
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
  if (in->sums)
    HK_TRY(hk_inject_push_recorded(in));
  else
    merge(in->acts, first);
cleanup:
  if (p) hk_free(&p->k);
  hk_free(&p);
  hk_free(&values);
  return status;
}

hk_status hk_inject_wanted(const hk_model *model, hk_messages *list, const hk_load *load,
                           bool *wanted)
{
  hk_status status = HK_OK;
  const hk_acts_on on = {.model = model, .list = list};
  hk_acts acts = {.on = &on};
  hk_injection in = {.acts = &acts, .load = load};
  HK_TRY(find_sides(&in));
  HK_TRY(check_sides(&in));
  for (hk_count i = 0; i < in.across_count; i++)
    for (int n = 0; n < hk_mesh_block_of(model->mesh, in.across[i])->nodes; n++)
      wanted[hk_mesh_nodes_of(model->mesh, in.across[i])[n]] = true;
cleanup:
  hk_free(&in.inside);
  hk_free(&in.chosen);
  hk_free(&in.across);
  return status;
}

hk_status hk_acts_inject(hk_acts *a, const hk_load *load, const hk_act *act)
{
  hk_status status = HK_OK;
  hk_injection in = {.acts = a, .load = load};
  const double start = hk_act_start(act, a->on->start, 0);
  HK_TRY(find_sides(&in));
  HK_TRY(check_sides(&in));
  HK_TRY(load->wave->recorded ? hk_inject_recorded(&in, start) : hk_inject_incident(&in, start));
  HK_TRY(push_all(&in));
cleanup:
  hk_wave_stack_destroy(&in.stack);
  hk_free(&in.layer);
  hk_free(&in.inside);
  hk_free(&in.chosen);
  hk_free(&in.across);
  hk_free(&in.start);
  hk_free(&in.row);
  hk_recorded_sums_destroy(&in.sums);
  return status;
}
