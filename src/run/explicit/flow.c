/* The motion of fluids, whose unknown is a potential: with the field q, flow = grad q / density
 * (S.6) at the points of spectral elements. At nodes it is the mean over the elements around,
 * weighted by their volumes. For receivers the gradient becomes a row of weights over nodes, at a
 * node or at any point x; for frames it is computed at all nodes. */
#include "run/explicit/stage.h"
#include "element/gll.h"
#include "operator/element/lumped.h"
#include <string.h>

static const hk_material *material_of(const hk_model *m, hk_count e)
{
  return &m->region[m->element_region[e]].material;
}

/* weight[node of the lattice][c] += scale sum_q n[q] d l_node / d x_c at point q */
static void add_weights(const hk_element *shape, const hk_spectral_map *map, const double *n,
                        double scale, double *weight)
{
  const int dim = shape->dim, side = shape->order + 1;
  for (int q = 0; q < shape->nodes; q++) {
    if (n[q] == 0) continue;
    for (int a = 0, step = 1; a < dim; a++, step *= side) {
      const int i = q / step % side;
      for (int m = 0; m < side; m++)
        for (int c = 0; c < dim; c++)
          weight[(q + (m - i) * step) * dim + c] += scale * n[q] *
                                                    map->inverse[(q * dim + a) * dim + c] *
                                                    shape->line[a]->d[i * side + m];
    }
  }
}

/* Elements of fluids that a receiver lies in: element[begin[i] .. begin[i + 1]) of receiver i. */
typedef struct places {
  hk_count *begin;
  hk_index *element;
} places;

static hk_status find_places(const hk_model *model, hk_count count, const hk_index *node,
                             hk_pool *pool, places *out)
{
  const hk_mesh *mesh = model->mesh;
  hk_count *begin;
  hk_index *first, *next; /* receivers of a node, from 1 */
  HK_PASS(hk_pool_get(pool, &begin, count + 2));
  HK_PASS(hk_pool_get(pool, &first, mesh->node_count));
  HK_PASS(hk_pool_get(pool, &next, count + 1));
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
    HK_PASS(hk_pool_get(pool, &out->element, begin[count + 1] + 1));
  }
  out->begin = begin;
  return HK_OK;
}

typedef struct builder {
  const hk_model *model;
  hk_pool *pool;
  hk_flow flow;
  hk_spectral_map *map;
  double *weight; /* weight[node of the lattice][dim], of one element */
} builder;

static hk_status begin_builder(builder *b, hk_count count)
{
  HK_PASS(hk_pool_get(b->pool, &b->flow.begin, count + 1));
  HK_PASS(hk_pool_get(b->pool, &b->map, 1));
  return hk_pool_get(b->pool, &b->weight, 3 * HK_MOST_NODES);
}

/* Appends to the entries of a receiver what element e gives it, n[q] of the point q. */
static hk_status append(builder *b, hk_index e, const double *n)
{
  const hk_mesh *mesh = b->model->mesh;
  const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const int dim = mesh->dim;
  memset(b->weight, 0, (size_t)(shape->nodes * dim) * sizeof *b->weight);
  add_weights(shape, b->map, n, 1 / material_of(b->model, e)->density, b->weight);
  for (int q = 0; q < shape->nodes; q++) {
    const double *own = b->weight + q * dim;
    if (own[0] == 0 && own[1] == 0 && (dim == 2 || own[2] == 0)) continue;
    HK_PASS(hk_pool_more(b->pool, &b->flow.entry));
    hk_flow_entry *entry = &b->flow.entry.at[b->flow.entry.count++];
    entry->node = node[shape->lattice[q]];
    memcpy(entry->weight, own, (size_t)dim * sizeof *own);
  }
  return HK_OK;
}

/* The receiver has all of its entries. */
static void end_receiver(builder *b)
{
  b->flow.begin[++b->flow.receivers] = b->flow.entry.count;
}

/* The mean over its elements at one node. */
static hk_status append_node(builder *b, hk_index node, hk_count elements, const hk_index *element)
{
  const hk_mesh *mesh = b->model->mesh;
  const hk_count first = b->flow.entry.count;
  double sum = 0, n[HK_MOST_NODES];
  for (hk_count k = 0; k < elements; k++) {
    const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, element[k])->shape);
    const hk_index *own = hk_mesh_nodes_of(mesh, element[k]);
    if (!hk_spectral_map_find(mesh, element[k], b->map))
      HK_PASS(hk_element_folded(mesh, element[k]));
    for (int q = 0; q < shape->nodes; q++) {
      n[q] = own[shape->lattice[q]] == node ? b->map->volume[q] : 0;
      sum += n[q];
    }
    HK_PASS(append(b, element[k], n));
  }
  for (hk_count i = first; i < b->flow.entry.count; i++)
    for (int c = 0; c < mesh->dim; c++) b->flow.entry.at[i].weight[c] /= sum;
  end_receiver(b);
  return HK_OK;
}

hk_status hk_flow_of_nodes(const hk_model *model, hk_count count, const hk_index *node,
                           hk_pool *pool, hk_flow *out)
{
  builder b = {.model = model, .pool = pool};
  places p;
  HK_PASS(begin_builder(&b, count));
  HK_PASS(find_places(model, count, node, pool, &p));
  for (hk_count i = 0; i < count; i++)
    HK_PASS(append_node(&b, node[i], p.begin[i + 1] - p.begin[i], p.element + p.begin[i]));
  *out = b.flow;
  return HK_OK;
}

/* The part `share` of element e at xi. */
static hk_status append_share(builder *b, hk_index e, const double *xi, double share)
{
  const hk_mesh *mesh = b->model->mesh;
  const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  double of_node[HK_MOST_NODES], n[HK_MOST_NODES];
  if (!hk_spectral_map_find(mesh, e, b->map)) HK_PASS(hk_element_folded(mesh, e));
  hk_element_functions(shape, xi, of_node, NULL);
  for (int q = 0; q < shape->nodes; q++) n[q] = share * of_node[shape->lattice[q]];
  return append(b, e, n);
}

/* The mean over the elements that hold point i; nothing where one of them is of a solid, whose displacement is read. */
static hk_status append_point(builder *b, const hk_holders *in, hk_count i)
{
  const hk_count first = in->begin[i], end = in->begin[i + 1];
  bool wet = true;
  for (hk_count k = first; k < end; k++) wet = wet && material_of(b->model, in->element[k])->fluid;
  for (hk_count k = first; wet && k < end; k++)
    HK_PASS(append_share(b, in->element[k], in->xi[k], 1.0 / (double)(end - first)));
  end_receiver(b);
  return HK_OK;
}

hk_status hk_flow_of_points(const hk_model *model, hk_count count, const double *at, hk_pool *pool,
                            hk_flow *out)
{
  hk_status status = HK_OK;
  builder b = {.model = model, .pool = pool};
  hk_locator *locator = NULL;
  hk_pool own = {0};
  hk_holders in;
  HK_TRY(begin_builder(&b, count));
  HK_TRY(hk_locator_create(model->mesh, &locator));
  HK_TRY(hk_locator_find_all(locator, count, at, &own, &in));
  for (hk_count i = 0; i < count; i++) HK_TRY(append_point(&b, &in, i));
  *out = b.flow;
cleanup:
  hk_locator_destroy(&locator);
  hk_pool_clear(&own);
  return status;
}

/* flow[node] += volume (grad q / density, 1) at each point of the element */
static void add_element(const hk_model *model, hk_count e, const hk_spectral_map *map,
                        const double *q, double *flow)
{
  const hk_element *shape = hk_element_of(hk_mesh_block_of(model->mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(model->mesh, e);
  const int dim = shape->dim, side = shape->order + 1;
  const double density = material_of(model, e)->density;
  for (int p = 0; p < shape->nodes; p++) {
    double *to = flow + (hk_count)node[shape->lattice[p]] * (dim + 1);
    for (int a = 0, step = 1; a < dim; a++, step *= side) {
      const int i = p / step % side;
      double slope = 0;
      for (int m = 0; m < side; m++)
        slope += shape->line[a]->d[i * side + m] * q[node[shape->lattice[p + (m - i) * step]]];
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
