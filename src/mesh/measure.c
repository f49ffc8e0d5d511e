/* Measures a mesh for `hooke check` and `hooke info`: elements by state, the smallest ratio of Jacobians at the vertices of an element, shortest
 * and longest edge, volume (area in 2D) by quadrature, bounding box, nodes without elements, parts. */
#include "mesh/jacobian.h"
#include "mesh/topology.h"
#include <math.h>

/* Edges between vertices. */
typedef struct edge_list {
  int count, end[12][2];
} edge_list;

static void add_edge(edge_list *list, int a, int b)
{
  for (int i = 0; i < list->count; i++)
    if ((list->end[i][0] == a && list->end[i][1] == b) ||
        (list->end[i][0] == b && list->end[i][1] == a))
      return;
  list->end[list->count][0] = a, list->end[list->count++][1] = b;
}

static edge_list edges_of(const hk_element *element)
{
  edge_list list = {0};
  for (int f = 0; f < element->faces; f++) {
    const hk_element_face *face = &element->face[f];
    const int vertices = element->dim == 2 ? 2 : hk_element_of(face->shape)->vertices;
    for (int v = 0; v < vertices; v++)
      add_edge(&list, face->node[v], face->node[(v + 1) % vertices]);
  }
  return list;
}

static void measure_edges(const edge_list *edges, int dim, const double (*x)[3], double *shortest,
                          double *longest)
{
  for (int i = 0; i < edges->count; i++) {
    double square = 0;
    for (int d = 0; d < dim; d++) {
      const double difference = x[edges->end[i][0]][d] - x[edges->end[i][1]][d];
      square += difference * difference;
    }
    *shortest = fmin(*shortest, square), *longest = fmax(*longest, square);
  }
}

/* What the elements of a block are measured with. */
typedef struct measuring {
  const hk_mesh *mesh;
  const hk_block *block;
  edge_list edges;
  hk_jacobian vertices, points;
} measuring;

/* Element e of the block. */
static void measure_element(const measuring *m, hk_count e, double (*x)[3], hk_mesh_quality *q)
{
  double least, most, volume = 0;
  hk_jacobian_gather(m->mesh, m->block->nodes, m->block->node + e * m->block->nodes, x);
  hk_element_state state = hk_jacobian_judge(&m->vertices, x, &least, &most);
  if (state == HK_FLIPPED && m->mesh->dim == 3) state = HK_INVERTED;
  q->inverted += state == HK_INVERTED, q->zero_volume += state == HK_ZERO,
      q->flipped += state == HK_FLIPPED;
  const double ratio = state == HK_ZERO      ? 0
                       : state == HK_FLIPPED ? most / least
                                             : least / fmax(most, fabs(least));
  if (q->worst_element < 0 || ratio < q->smallest_jacobian_ratio)
    q->smallest_jacobian_ratio = ratio, q->worst_element = (hk_index)(m->block->first + e);
  for (int p = 0; p < m->points.points; p++)
    volume += m->points.weight[p] * hk_jacobian_det(&m->points, p, x, NULL);
  q->volume += state == HK_FLIPPED ? -volume : volume;
  measure_edges(&m->edges, m->mesh->dim, x, &q->shortest_edge, &q->longest_edge);
}

/* Adds elements behind those of q. */
static void add_part(const hk_mesh_quality *part, hk_mesh_quality *q)
{
  if (part->worst_element < 0) return;
  q->inverted += part->inverted, q->zero_volume += part->zero_volume, q->flipped += part->flipped;
  if (q->worst_element < 0 || part->smallest_jacobian_ratio < q->smallest_jacobian_ratio)
    q->smallest_jacobian_ratio = part->smallest_jacobian_ratio,
    q->worst_element = part->worst_element;
  q->volume += part->volume, q->shortest_edge = fmin(q->shortest_edge, part->shortest_edge);
  q->longest_edge = fmax(q->longest_edge, part->longest_edge);
}

/* Adds one block; the edges are kept as squares. Sums are made in parts that do not depend on the number of threads. */
static void measure_block(const hk_mesh *mesh, const hk_block *block, hk_mesh_quality *q)
{
  enum { PARTS = 64, LEAST = 4096 };
  const hk_element *element = hk_element_of(block->shape);
  const int parts = block->count / LEAST < PARTS ? (int)(block->count / LEAST) + 1 : PARTS;
  measuring m = {.mesh = mesh, .block = block, .edges = edges_of(element)};
  hk_mesh_quality part[PARTS];
  hk_jacobian_at_vertices(element, &m.vertices);
  hk_jacobian_at_points(element, &m.points);
#pragma omp parallel for schedule(dynamic, 1)
  for (int k = 0; k < parts; k++) {
    double x[HK_MOST_NODES][3] = {{0}};
    part[k] = (hk_mesh_quality){.worst_element = -1, .shortest_edge = INFINITY};
    for (hk_count e = block->count * k / parts; e < block->count * (k + 1) / parts; e++)
      measure_element(&m, e, x, &part[k]);
  }
  for (int k = 0; k < parts; k++) add_part(&part[k], q);
}

hk_status hk_mesh_measure(const hk_mesh *mesh, hk_mesh_quality *out)
{
  hk_connection connection;
  hk_mesh_quality q = {.worst_element = -1, .shortest_edge = INFINITY};
  HK_PASS(hk_mesh_connect(mesh, &connection));
  q.orphan_nodes = connection.orphans, q.parts = connection.parts;
  for (int b = 0; b < mesh->block_count; b++) measure_block(mesh, &mesh->block[b], &q);
  q.shortest_edge = q.worst_element < 0 ? 0 : sqrt(q.shortest_edge);
  q.longest_edge = sqrt(q.longest_edge);
  for (hk_count i = 0; i < mesh->node_count; i++)
    for (int d = 0; d < mesh->dim; d++) {
      const double x = mesh->x[i * mesh->dim + d];
      q.box[0][d] = i ? fmin(q.box[0][d], x) : x;
      q.box[1][d] = i ? fmax(q.box[1][d], x) : x;
    }
  *out = q;
  return HK_OK;
}

static double square_of(const hk_mesh *mesh, hk_index i, hk_index j)
{
  const double *a = mesh->x + (hk_count)i * mesh->dim, *b = mesh->x + (hk_count)j * mesh->dim;
  double sum = 0;
  for (int d = 0; d < mesh->dim; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

static double larger(double a, double b)
{
  return b > a ? b : a;
}

double hk_mesh_longest_edge(const hk_mesh *mesh, hk_count e)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_element *element = hk_element_of(block->shape);
  const hk_index *node = block->node + (e - block->first) * block->nodes;
  double longest = 0;
  hk_mesh_ask_ahead(mesh, block, e - block->first, element->vertices);
  for (int a = 0; element->simplex && a < element->vertices; a++)
    for (int b = 0; b < a; b++) longest = larger(longest, square_of(mesh, node[a], node[b]));
  for (int f = 0; !element->simplex && f < element->faces; f++) {
    const hk_element_face *face = &element->face[f];
    const int corners = face->shape == HK_SHAPE_COUNT ? 2 : hk_element_of(face->shape)->vertices;
    for (int k = 0; k < corners; k++)
      longest = larger(longest,
                       square_of(mesh, node[face->node[k]], node[face->node[(k + 1) % corners]]));
  }
  return sqrt(longest);
}

/* The length of the longest edge of an element with nodes `node`; the loops unroll where dim is a constant. */
static inline __attribute__((always_inline)) double
longest_of(const edge_list *edges, int dim, const double *x, const hk_index *node)
{
  double most = 0;
  for (int i = 0; i < edges->count; i++) {
    const double *a = x + (hk_count)node[edges->end[i][0]] * dim,
                 *b = x + (hk_count)node[edges->end[i][1]] * dim;
    double square = 0;
    for (int d = 0; d < dim; d++) square += (a[d] - b[d]) * (a[d] - b[d]);
    most = larger(most, square);
  }
  return sqrt(most);
}

void hk_mesh_longest_edges(const hk_mesh *mesh, double *edge)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_element *element = hk_element_of(block->shape);
    const edge_list edges = edges_of(element);
#pragma omp parallel for schedule(static)
    for (hk_count i = 0; i < block->count; i++) {
      const hk_index *node = block->node + i * block->nodes;
      hk_mesh_ask_ahead(mesh, block, i, element->vertices);
      edge[block->first + i] = mesh->dim == 3 ? longest_of(&edges, 3, mesh->x, node)
                                              : longest_of(&edges, 2, mesh->x, node);
    }
  }
}
