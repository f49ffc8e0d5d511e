/* The motion of fluids, whose unknown is a potential: with the field q, flow = grad q / density
 * (S.6) at the points of spectral elements. At nodes it is the mean over the elements around,
 * weighted by their volumes. For receivers the gradient becomes a row of weights over nodes, at a
 * node or at any point x; for frames it is computed at all nodes. */
#include "run/explicit/flow.h"
#include "element/gll.h"
#include "operator/element/lumped.h"
#include <string.h>

void hk_flow_clear(hk_flow *flow)
{
  hk_free(&flow->begin);
  hk_free(&flow->node);
  hk_free(&flow->weight);
  flow->receivers = 0;
}

static const hk_material *material_of(const hk_model *m, hk_count e)
{
  return &m->region[m->element_region[e]].material;
}

/* weight[node of the lattice][c] += scale sum_q n[q] d l_node / d x_c at point q */
static void add_weights(const hk_element *shape, const hk_spectral_map *map, const double *n,
                        double scale, double *weight)
{
  const hk_gll *g = hk_gll_of(shape->order);
  const int dim = shape->dim, side = shape->order + 1;
  for (int q = 0; q < shape->nodes; q++) {
    if (n[q] == 0) continue;
    for (int a = 0, step = 1; a < dim; a++, step *= side) {
      const int i = q / step % side;
      for (int m = 0; m < side; m++)
        for (int c = 0; c < dim; c++)
          weight[(q + (m - i) * step) * dim + c] +=
              scale * n[q] * map->inverse[(q * dim + a) * dim + c] * g->d[i * side + m];
    }
  }
}

/* Elements of fluids that a receiver lies in. */
typedef struct places {
  hk_count *begin;   /* begin[receivers + 1] */
  hk_index *element; /* element[begin[receivers]] */
} places;

static void clear_places(places *p)
{
  hk_free(&p->begin);
  hk_free(&p->element);
}

static hk_status find_places(const hk_model *model, hk_count count, const hk_index *node,
                             places *out)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = model->mesh;
  hk_count *begin = NULL;
  hk_index *first = NULL, *next = NULL; /* receivers of a node, from 1 */
  HK_TRY(hk_get(&begin, count + 2));
  HK_TRY(hk_get(&first, mesh->node_count));
  HK_TRY(hk_get(&next, count + 1));
  for (hk_count i = 0; i < count; i++)
    next[i + 1] = first[node[i]], first[node[i]] = (hk_index)(i + 1);
  for (int fill = 0; fill < 2; fill++) {
    for (hk_count e = 0; e < mesh->element_count; e++) {
      const hk_index *own = hk_mesh_nodes_of(mesh, e);
      if (!material_of(model, e)->fluid) continue;
      for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++)
        for (hk_index r = first[own[n]]; r; r = next[r])
          if (fill)
            out->element[begin[r]++] = (hk_index)e;
          else
            begin[r + 1]++;
    }
    if (fill) break;
    for (hk_count i = 0; i < count; i++) begin[i + 2] += begin[i + 1];
    HK_TRY(hk_get(&out->element, begin[count + 1] + 1));
  }
  out->begin = begin, begin = NULL;
cleanup:
  hk_free(&begin);
  hk_free(&first);
  hk_free(&next);
  return status;
}

typedef struct builder {
  const hk_model *model;
  hk_flow flow;
  hk_count node_capacity, weight_capacity;
  hk_spectral_map *map;
  double *weight; /* weight[node of the lattice][dim], of one element */
} builder;

static void clear_builder(builder *b)
{
  hk_flow_clear(&b->flow);
  hk_free(&b->map);
  hk_free(&b->weight);
}

static hk_status begin_builder(builder *b, hk_count count)
{
  hk_status status = HK_OK;
  HK_TRY(hk_get(&b->flow.begin, count + 1));
  HK_TRY(hk_new(&b->map));
  HK_TRY(hk_get(&b->weight, 3 * HK_MOST_NODES));
cleanup:
  return status;
}

/* Appends to the entries of a receiver what element e gives it, n[q] of the point q. */
static hk_status append(builder *b, hk_index e, const double *n)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = b->model->mesh;
  const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const int dim = mesh->dim;
  hk_count used = b->flow.begin[b->flow.receivers + 1];
  memset(b->weight, 0, (size_t)(shape->nodes * dim) * sizeof *b->weight);
  add_weights(shape, b->map, n, 1 / material_of(b->model, e)->density, b->weight);
  HK_TRY(hk_reserve(&b->flow.node, used + shape->nodes, &b->node_capacity));
  HK_TRY(hk_reserve(&b->flow.weight, (used + shape->nodes) * dim, &b->weight_capacity));
  for (int q = 0; q < shape->nodes; q++) {
    const double *own = b->weight + q * dim;
    if (own[0] == 0 && own[1] == 0 && (dim == 2 || own[2] == 0)) continue;
    b->flow.node[used] = node[shape->lattice[q]];
    memcpy(b->flow.weight + used * dim, own, (size_t)dim * sizeof *own);
    used++;
  }
  b->flow.begin[b->flow.receivers + 1] = used;
cleanup:
  return status;
}

/* The mean over its elements at one node. */
static hk_status append_node(builder *b, hk_index node, hk_count elements, const hk_index *element)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = b->model->mesh;
  const int dim = mesh->dim;
  const hk_count first = b->flow.begin[b->flow.receivers];
  double sum = 0, n[HK_MOST_NODES];
  b->flow.begin[b->flow.receivers + 1] = first;
  for (hk_count k = 0; k < elements; k++) {
    const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, element[k])->shape);
    const hk_index *own = hk_mesh_nodes_of(mesh, element[k]);
    if (!hk_spectral_map_find(mesh, element[k], b->map))
      HK_TRY(hk_element_folded(mesh, element[k]));
    for (int q = 0; q < shape->nodes; q++) {
      n[q] = own[shape->lattice[q]] == node ? b->map->volume[q] : 0;
      sum += n[q];
    }
    HK_TRY(append(b, element[k], n));
  }
  for (hk_count i = first * dim; i < b->flow.begin[b->flow.receivers + 1] * dim; i++)
    b->flow.weight[i] /= sum;
  b->flow.receivers++;
cleanup:
  return status;
}

hk_status hk_flow_of_nodes(const hk_model *model, hk_count count, const hk_index *node,
                           hk_flow *out)
{
  hk_status status = HK_OK;
  builder b = {.model = model};
  places p = {0};
  HK_TRY(begin_builder(&b, count));
  HK_TRY(find_places(model, count, node, &p));
  for (hk_count i = 0; i < count; i++)
    HK_TRY(append_node(&b, node[i], p.begin[i + 1] - p.begin[i], p.element + p.begin[i]));
  *out = b.flow, b.flow = (hk_flow){0};
cleanup:
  clear_places(&p);
  clear_builder(&b);
  return status;
}

static hk_status append_point(builder *b, hk_index e, const double *xi)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = b->model->mesh;
  double of_node[HK_MOST_NODES], n[HK_MOST_NODES];
  b->flow.begin[b->flow.receivers + 1] = b->flow.begin[b->flow.receivers];
  if (e >= 0 && material_of(b->model, e)->fluid) {
    const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    if (!hk_spectral_map_find(mesh, e, b->map)) HK_TRY(hk_element_folded(mesh, e));
    hk_element_functions(shape, xi, of_node, NULL);
    for (int q = 0; q < shape->nodes; q++) n[q] = of_node[shape->lattice[q]];
    HK_TRY(append(b, e, n));
  }
  b->flow.receivers++;
cleanup:
  return status;
}

hk_status hk_flow_of_points(const hk_model *model, hk_count count, const double *at, hk_flow *out)
{
  hk_status status = HK_OK;
  builder b = {.model = model};
  hk_locator *locator = NULL;
  HK_TRY(begin_builder(&b, count));
  HK_TRY(hk_locator_create(model->mesh, &locator));
  for (hk_count i = 0; i < count; i++) {
    double xi[3];
    const hk_index e = hk_locator_find(locator, at + 3 * i, xi);
    HK_TRY(append_point(&b, e, xi));
  }
  *out = b.flow, b.flow = (hk_flow){0};
cleanup:
  hk_locator_destroy(&locator);
  clear_builder(&b);
  return status;
}

/* flow[node] += volume (grad q / density, 1) at each point of the element */
static void add_element(const hk_model *model, hk_count e, const hk_spectral_map *map,
                        const double *q, double *flow)
{
  const hk_element *shape = hk_element_of(hk_mesh_block_of(model->mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(model->mesh, e);
  const hk_gll *g = hk_gll_of(shape->order);
  const int dim = shape->dim, side = shape->order + 1;
  const double density = material_of(model, e)->density;
  for (int p = 0; p < shape->nodes; p++) {
    double *to = flow + (hk_count)node[shape->lattice[p]] * (dim + 1);
    for (int a = 0, step = 1; a < dim; a++, step *= side) {
      const int i = p / step % side;
      double slope = 0;
      for (int m = 0; m < side; m++)
        slope += g->d[i * side + m] * q[node[shape->lattice[p + (m - i) * step]]];
      for (int c = 0; c < dim; c++)
        to[c] += map->volume[p] / density * slope * map->inverse[(p * dim + a) * dim + c];
    }
    to[dim] += map->volume[p];
  }
}

hk_status hk_flow_everywhere(const hk_model *model, const double *q, hk_spectral_map *map,
                             double *flow)
{
  const hk_mesh *mesh = model->mesh;
  const int line = mesh->dim + 1;
  memset(flow, 0, (size_t)(mesh->node_count * line) * sizeof *flow);
  for (hk_count e = 0; e < mesh->element_count; e++) {
    if (!material_of(model, e)->fluid) continue;
    if (!hk_spectral_map_find(mesh, e, map)) return hk_element_folded(mesh, e);
    add_element(model, e, map, q, flow);
  }
  for (hk_count n = 0; n < mesh->node_count; n++)
    for (int c = 0; c < line - 1 && flow[n * line + line - 1] > 0; c++)
      flow[n * line + c] /= flow[n * line + line - 1];
  return HK_OK;
}
