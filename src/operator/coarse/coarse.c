/* The mesh of order q on the elements of a mesh of order p, and interpolation P from its nodes to those of a space: node i takes
 * N_m(xi_i) of the coarse functions in its lowest element, entries ascending, weights below 1e-12 dropped. Nodes of the coarse mesh are
 * numbered by the places where they are found in the fine one. */
#include "operator/coarse/coarse.h"
#include "element/element.h"
#include "mesh/mesh.h"
#include <math.h>
#include <string.h>

static const double nothing = 1e-12; /* weights below are rounding */

void hk_interpolation_clear(hk_interpolation *p)
{
  hk_free(&p->begin);
  hk_free(&p->column);
  hk_free(&p->weight);
  *p = (hk_interpolation){0};
}

/* number[padded]: of the vertices, in internal order; -1: others */
static hk_index number_vertices(const hk_space *space, hk_index *number)
{
  const hk_mesh *mesh = space->mesh;
  hk_index count = 0;
  for (hk_index i = 0; i < space->padded; i++) number[i] = -1;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const int corners = hk_element_of(block->shape)->vertices;
#pragma omp parallel for schedule(static)
    for (hk_count e = 0; e < block->count; e++)
      for (int n = 0; n < corners; n++) {
#pragma omp atomic write
        number[space->node[block->node[e * block->nodes + n]]] = 0;
      }
  }
  for (hk_index i = 0; i < space->padded; i++)
    if (number[i] == 0) number[i] = count++;
  return count;
}

hk_status hk_coarse_vertices(const hk_space *space, hk_index *count, hk_index **node)
{
  hk_status status = HK_OK;
  hk_index *number = NULL;
  HK_TRY(hk_get(&number, space->padded));
  *count = number_vertices(space, number);
  HK_TRY(hk_get(node, *count));
  for (hk_index i = 0; i < space->padded; i++)
    if (number[i] >= 0) (*node)[number[i]] = i;
cleanup:
  hk_free(&number);
  return status;
}

/* The mesh of linear elements. */
static hk_status create_linear(const hk_space *space, hk_mesh **out)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = space->mesh;
  const int dim = mesh->dim;
  hk_mesh *m = NULL;
  hk_index *number = NULL;
  HK_TRY(hk_mesh_begin(dim, &m));
  HK_TRY(hk_get(&number, space->padded));
  m->node_count = number_vertices(space, number), m->element_count = mesh->element_count;
  HK_TRY(hk_get(&m->x, m->node_count * dim));
  HK_TRY(hk_get(&m->block, mesh->block_count));
  for (hk_index i = 0; i < space->padded; i++)
    if (number[i] >= 0)
      memcpy(m->x + (hk_count)number[i] * dim, mesh->x + (hk_count)space->mesh_node[i] * dim,
             (size_t)dim * sizeof *m->x);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *from = &mesh->block[b];
    hk_block *to = &m->block[m->block_count++];
    const int corners = hk_element_of(from->shape)->vertices;
    *to = (hk_block){hk_shape_linear(from->shape), corners, from->first, from->count, NULL};
    HK_TRY(hk_get(&to->node, from->count * corners));
#pragma omp parallel for schedule(static)
    for (hk_count k = 0; k < from->count * corners; k++)
      to->node[k] = number[space->node[from->node[k / corners * from->nodes + k % corners]]];
  }
  *out = m, m = NULL;
cleanup:
  hk_mesh_destroy(&m);
  hk_free(&number);
  return status;
}

/* weight[at->nodes][of->nodes] = shape functions of `of` at the nodes of `at` */
static hk_status tabulate(const hk_element *at, const hk_element *of, double **weight)
{
  HK_PASS(hk_get(weight, (hk_count)at->nodes * of->nodes));
  for (int n = 0; n < at->nodes; n++)
    hk_element_functions(of, at->reference[n], *weight + (hk_count)n * of->nodes, NULL);
  return HK_OK;
}

/* Nodes of the block go where the elements of the space's mesh have those reference coordinates. */
static hk_status follow(const hk_mesh *mesh, int b, hk_mesh *lower)
{
  hk_status status = HK_OK;
  const hk_block *from = &mesh->block[b], *to = &lower->block[b];
  const int dim = mesh->dim;
  double *weight = NULL;
  HK_TRY(tabulate(hk_element_of(to->shape), hk_element_of(from->shape), &weight));
  for (hk_count k = 0; k < to->count * to->nodes; k++) {
    const hk_index *node = from->node + k / to->nodes * from->nodes;
    const double *w = weight + k % to->nodes * from->nodes;
    double *x = lower->x + (hk_count)to->node[k] * dim;
    for (int d = 0; d < dim; d++) x[d] = 0;
    for (int n = 0; n < from->nodes; n++)
      for (int d = 0; d < dim; d++) x[d] += w[n] * mesh->x[(hk_count)node[n] * dim + d];
  }
cleanup:
  hk_free(&weight);
  return status;
}

hk_status hk_coarse_mesh(const hk_space *space, int order, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *m = NULL;
  HK_TRY(create_linear(space, &m));
  if (order > 1) {
    HK_TRY(hk_mesh_raise_to(m, order));
    for (int b = 0; b < m->block_count; b++) HK_TRY(follow(space->mesh, b, m));
  }
  *out = m, m = NULL;
cleanup:
  hk_mesh_destroy(&m);
  return status;
}

/* *place = value where that is smaller, or none (-1) is there. */
static void coarse_to(hk_count *place, hk_count value)
{
  hk_count old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (
      (old < 0 || value < old) &&
      !__atomic_compare_exchange_n(place, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

/* Where each node is found: place[internal number] = element * HK_MOST_NODES + node in it, of its lowest element: all agree on the nodes
 * that it takes its value from, but the weights of each are rounded in its own way. */
static void find_places(const hk_space *space, hk_count *place)
{
  const hk_mesh *mesh = space->mesh;
  for (hk_index i = 0; i < space->padded; i++) place[i] = -1;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
#pragma omp parallel for schedule(static)
    for (hk_count e = 0; e < block->count; e++)
      for (int n = 0; n < block->nodes; n++)
        coarse_to(&place[space->node[block->node[e * block->nodes + n]]],
                  (block->first + e) * HK_MOST_NODES + n);
  }
}

typedef struct interpolating {
  const hk_space *space;
  const hk_mesh *lower;
  const hk_index *number;
  hk_count *place;              /* -1: no node */
  double *weight[HK_SHAPE_END]; /* of the shapes that there are */
} interpolating;

/* What node i takes its value from, ascending; the number of entries. */
static int find_entries(const interpolating *k, hk_index i, hk_index *column, double *weight)
{
  int count = 0;
  if (k->place[i] < 0) return 0;
  const hk_count e = k->place[i] / HK_MOST_NODES;
  const hk_block *block = hk_mesh_block_of(k->lower, e);
  const hk_index *node = hk_mesh_nodes_of(k->lower, e);
  const double *w = k->weight[hk_mesh_block_of(k->space->mesh, e)->shape] +
                    k->place[i] % HK_MOST_NODES * block->nodes;
  for (int n = 0; n < block->nodes; n++) {
    if (!(fabs(w[n]) > nothing)) continue;
    const hk_index at = k->number ? k->number[node[n]] : node[n];
    int to = count++;
    for (; to > 0 && column[to - 1] > at; to--)
      column[to] = column[to - 1], weight[to] = weight[to - 1];
    column[to] = at, weight[to] = w[n];
  }
  return count;
}

static hk_status fill(const interpolating *k, hk_interpolation *p)
{
  HK_PASS(hk_get(&p->begin, p->rows + 1));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < p->rows; i++) {
    hk_index column[HK_MOST_NODES];
    double weight[HK_MOST_NODES];
    p->begin[i + 1] = find_entries(k, i, column, weight);
  }
  for (hk_index i = 0; i < p->rows; i++) p->begin[i + 1] += p->begin[i];
  HK_PASS(hk_get(&p->weight, p->begin[p->rows]));
  HK_PASS(hk_get(&p->column, p->begin[p->rows]));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < p->rows; i++)
    find_entries(k, i, p->column + p->begin[i], p->weight + p->begin[i]);
  return HK_OK;
}

hk_status hk_interpolation_create(const hk_space *space, const hk_mesh *lower,
                                  const hk_index *number, hk_index columns, hk_interpolation *out)
{
  hk_status status = HK_OK;
  interpolating k = {.space = space, .lower = lower, .number = number};
  hk_interpolation p = {.rows = space->padded, .columns = columns};
  HK_TRY(hk_get(&k.place, space->padded));
  find_places(space, k.place);
  for (int b = 0; b < lower->block_count; b++) {
    const hk_shape shape = space->mesh->block[b].shape;
    if (!k.weight[shape])
      HK_TRY(
          tabulate(hk_element_of(shape), hk_element_of(lower->block[b].shape), &k.weight[shape]));
  }
  HK_TRY(fill(&k, &p));
  *out = p, p = (hk_interpolation){0};
cleanup:
  hk_interpolation_clear(&p);
  for (int s = 0; s < HK_SHAPE_END; s++) hk_free(&k.weight[s]);
  hk_free(&k.place);
  return status;
}

/* to[columns] of the pool from from[rows]; NULL where there is none. */
static hk_status average(const hk_interpolation *p, const double *from, hk_pool *pool,
                         const double **to)
{
  double *sum = NULL, *weight = NULL;
  if (!from) return HK_OK;
  HK_PASS(hk_pool_get(pool, &sum, p->columns));
  HK_PASS(hk_pool_get(pool, &weight, p->columns));
  for (hk_index i = 0; i < p->rows; i++)
    for (hk_count k = p->begin[i]; k < p->begin[i + 1]; k++) {
      const double w = fabs(p->weight[k]);
      sum[p->column[k]] += w * from[i], weight[p->column[k]] += w;
    }
  for (hk_index j = 0; j < p->columns; j++)
    if (weight[j] > 0) sum[j] /= weight[j];
  *to = sum;
  return HK_OK;
}

hk_status hk_interpolation_warmth(const hk_interpolation *p, const hk_warmth *above, hk_pool *pool,
                                  const hk_warmth **out)
{
  hk_warmth *own;
  *out = NULL;
  if (!above) return HK_OK;
  HK_PASS(hk_pool_few(pool, &own, 1));
  *own = *above;
  HK_PASS(average(p, above->t, pool, &own->t));
  HK_PASS(average(p, above->before, pool, &own->before));
  *out = own;
  return HK_OK;
}
