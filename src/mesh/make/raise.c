/* Elements become those of order p with Gauss-Lobatto points (docs/theory/spectral.md, (S.1), at an axis (S.16)), or triangles and tetrahedra of order 2. Each
 * edge and face of the mesh gets its nodes from the first element of its order that has it. They are numbered as seen from its lowest vertex towards its
 * lower neighbour; an element finds them by a table for each way its own face may lie to that. The new nodes lie where the shape functions of
 * the old element put them, so curved elements keep their geometry. Old nodes between vertices that have no place in the new element go. Elements of
 * second order with nodes on vertices and edges alone (quad8, hex20, wedge15) are made in the same way, from those of first order. */
#include "element/element.h"
#include "element/gll.h"
#include "mesh/mesh.h"
#include "base/sort.h"
#include <math.h>
#include <string.h>

enum { MOST_BETWEEN = HK_MOST_ORDER - 1, MOST_INSIDE = MOST_BETWEEN * MOST_BETWEEN, WAYS = 8 };

/* Of the vertices of an edge or face but the lowest: ascending, -1 where there are fewer. */
typedef struct part {
  hk_index other[3], next; /* next: 1 + another with this lowest vertex; 0: none */
  hk_index node;           /* its first */
  int order;               /* of the elements that share its nodes */
} part;

/* way[2 r + flip][k]: the number, as seen from vertex r on (flip: backwards), of the k-th node inside a face. */
typedef struct ways {
  int inside;
  int way[WAYS][MOST_INSIDE];
} ways;

/* Where the nodes of an element lie. */
typedef struct plan {
  const hk_element *from, *to;
  int edges, end[12][2], between[12][MOST_BETWEEN]; /* from end 0 to end 1 */
  double along[12][MOST_BETWEEN];                   /* of between: the weight of end 1 */
  int first_inside;                                 /* of the element's own nodes, the last ones */
  int *same;      /* [from->nodes]: node of `to` where that of `from` is; -1 */
  double *weight; /* [to->nodes][from->nodes] */
  ways face[2];   /* triangles, quadrilaterals */
} plan;

typedef struct raiser {
  hk_mesh *mesh;
  hk_pool pool;     /* holds number, first, parts, plan and block, not what the mesh takes over */
  hk_index *number; /* number[node] in the new mesh; -1: gone */
  hk_index *first;  /* first[lowest vertex]: 1 + a part */
  HK_LIST(part) parts;
  hk_count nodes;
  plan *plan;       /* plan[block_count] */
  hk_index **block; /* block[block_count]: nodes of the new elements, owned */
  double *x;        /* owned, as is label */
  int64_t *label;
} raiser;

static int find_node(const hk_element *e, const double *x)
{
  for (int n = 0; n < e->nodes; n++) {
    double distance = 0;
    for (int d = 0; d < e->dim; d++) distance += fabs(e->reference[n][d] - x[d]);
    if (distance < 1e-9) return n;
  }
  return -1;
}

static void find_ways(const hk_element *face, ways *out)
{
  const hk_element *linear = hk_element_of(hk_shape_linear(face->shape));
  const int vertices = face->vertices, outer = vertices * face->order;
  out->inside = face->nodes - outer;
  for (int r = 0; r < vertices; r++)
    for (int flip = 0; flip < 2; flip++)
      for (int k = 0; k < out->inside; k++) {
        double n[4], x[2] = {0};
        hk_element_functions(linear, face->reference[outer + k], n, NULL);
        for (int c = 0; c < vertices; c++) {
          const int v = flip ? (r - c + vertices) % vertices : (r + c) % vertices;
          for (int d = 0; d < 2; d++) x[d] += n[v] * face->reference[c][d];
        }
        out->way[2 * r + flip][k] = find_node(face, x) - outer;
      }
}

/* Puts node n into its edge, if it lies within one. */
static void place_on_edge(plan *p, const hk_element *linear, int n)
{
  double weight[8];
  int end[2], ends = 0, at = 0;
  hk_element_functions(linear, p->to->reference[n], weight, NULL);
  for (int v = 0; v < linear->vertices; v++)
    if (fabs(weight[v]) > 1e-9 && ends++ < 2) end[ends - 1] = v;
  if (ends != 2) return;
  while (at < p->edges && (p->end[at][0] != end[0] || p->end[at][1] != end[1])) at++;
  if (at == p->edges) p->end[at][0] = end[0], p->end[at][1] = end[1], p->edges++;
  int *node = p->between[at], k = p->to->order - 2;
  double *along = p->along[at];
  while (k > 0 && !(along[k - 1] > 0)) k--; /* nodes already there: the first k */
  for (; k > 0 && along[k - 1] > weight[end[1]]; k--)
    node[k] = node[k - 1], along[k] = along[k - 1];
  node[k] = n, along[k] = weight[end[1]];
}

enum { EDGES_ALONE = -1 }; /* as an order: the second, with nodes on vertices and edges alone */

/* Of the listed shapes of second order with these vertices the one with the fewest nodes; HK_SHAPE_COUNT: there is none. */
static hk_shape find_edged(hk_shape linear)
{
  int edged = HK_SHAPE_COUNT, fewest = HK_MOST_NODES;
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *e = hk_element_of((hk_shape)s);
    if (e->order == 2 && e->nodes < fewest && hk_shape_linear((hk_shape)s) == linear)
      edged = s, fewest = e->nodes;
  }
  return (hk_shape)edged;
}

/* What elements of the shape become. */
static hk_status find_shape(hk_shape shape, int order, int axis, hk_shape *raised)
{
  const hk_element *from = hk_element_of(shape);
  HK_NEED(order != EDGES_ALONE || (hk_shape_listed(shape) && from->order == 1), HK_BAD_INPUT,
          "only elements of first order can be raised, not %s", from->name);
  *raised = order == EDGES_ALONE ? find_edged(shape)
            : axis < 0           ? hk_shape_raised(shape, order)
                                 : hk_shape_on_axis(order, axis);
  HK_NEED(
      *raised != HK_SHAPE_COUNT, HK_BAD_INPUT,
      "element: %s elements have no order %d: quadrilaterals and hexahedra have 2 to 10, wedges "
      "2 to 7, triangles and tetrahedra 2",
      from->name, order == EDGES_ALONE ? 2 : order);
  return HK_OK;
}

static hk_status make_plan(hk_pool *pool, hk_shape shape, int order, int axis, plan *p)
{
  hk_shape raised;
  const hk_element *linear = hk_element_of(hk_shape_linear(shape));
  HK_PASS(find_shape(shape, order, axis, &raised));
  p->from = hk_element_of(shape), p->to = hk_element_of(raised);
  for (int n = p->to->vertices; n < p->to->nodes; n++) place_on_edge(p, linear, n);
  p->first_inside = p->to->vertices + p->edges * (p->to->order - 1);
  for (int f = 0; p->to->dim == 3 && f < p->to->faces; f++) {
    const hk_element *face = hk_element_of(p->to->face[f].shape);
    ways *w = &p->face[face->vertices == 4];
    if (!w->inside) find_ways(face, w);
    p->first_inside += w->inside;
  }
  HK_PASS(hk_pool_get(pool, &p->same, p->from->nodes));
  for (int m = 0; m < p->from->nodes; m++) p->same[m] = find_node(p->to, p->from->reference[m]);
  HK_PASS(hk_pool_get(pool, &p->weight, (hk_count)p->to->nodes * p->from->nodes));
  for (int n = 0; n < p->to->nodes; n++)
    hk_element_functions(p->from, p->to->reference[n], p->weight + n * p->from->nodes, NULL);
  return HK_OK;
}

/* Kept nodes in their order; those that are not vertices of an element but lie elsewhere in one come later. */
static void number_vertices(raiser *r)
{
  const hk_mesh *mesh = r->mesh;
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < mesh->block_count; b++) {
      const hk_block *block = &mesh->block[b];
      const int vertices = hk_element_of(block->shape)->vertices;
      for (hk_count i = 0; i < block->count * block->nodes; i++)
        if ((i % block->nodes < vertices) == (pass == 1)) r->number[block->node[i]] = pass - 1;
    }
  for (hk_count i = 0; i < mesh->node_count; i++)
    if (r->number[i] == 0) r->number[i] = (hk_index)r->nodes++;
}

static hk_status add_nodes(raiser *r, int count, hk_index *first)
{
  hk_index end;
  HK_PASS(hk_narrow(r->nodes + count, "number of nodes", &end));
  *first = (hk_index)r->nodes;
  r->nodes = end;
  return HK_OK;
}

static bool is_part(const part *p, int order, const hk_index other[3])
{
  return p->order == order && memcmp(p->other, other, sizeof p->other) == 0;
}

/* The first node of the edge or face of this order with these vertices, which come in ascending order. */
static hk_status find_part(raiser *r, int order, const hk_index *vertex, int vertices, int nodes,
                           hk_index *node)
{
  hk_index other[3] = {-1, -1, -1}, at = r->first[vertex[0]];
  memcpy(other, vertex + 1, (size_t)(vertices - 1) * sizeof *other);
  while (at && !is_part(&r->parts.at[at - 1], order, other)) at = r->parts.at[at - 1].next;
  if (!at) {
    HK_PASS(hk_narrow(r->parts.count + 1, "number of edges and faces", &at));
    HK_PASS(hk_pool_more(&r->pool, &r->parts));
    part *p = &r->parts.at[at - 1];
    memcpy(p->other, other, sizeof other);
    p->order = order;
    HK_PASS(add_nodes(r, nodes, &p->node));
    p->next = r->first[vertex[0]], r->first[vertex[0]] = at, r->parts.count = at;
  }
  *node = r->parts.at[at - 1].node;
  return HK_OK;
}

static hk_status add_edges(raiser *r, const plan *p, const hk_index *vertex, hk_index *own)
{
  const int between = p->to->order - 1;
  for (int e = 0; e < p->edges; e++) {
    hk_index end[2] = {vertex[p->end[e][0]], vertex[p->end[e][1]]}, first;
    const bool back = end[0] > end[1];
    hk_sort_few(2, end);
    HK_PASS(find_part(r, p->to->order, end, 2, between, &first));
    for (int j = 0; j < between; j++) own[p->between[e][j]] = first + (back ? between - 1 - j : j);
  }
  return HK_OK;
}

static hk_status add_faces(raiser *r, const plan *p, const hk_index *vertex, hk_index *own)
{
  for (int f = 0; p->to->dim == 3 && f < p->to->faces; f++) {
    const hk_element_face *face = &p->to->face[f];
    const int vertices = hk_element_of(face->shape)->vertices;
    const ways *w = &p->face[vertices == 4];
    hk_index corner[4], first;
    int low = 0;
    if (!w->inside) continue;
    for (int v = 0; v < vertices; v++) {
      corner[v] = vertex[face->node[v]];
      if (corner[v] < corner[low]) low = v;
    }
    const bool flip = corner[(low + 1) % vertices] > corner[(low + vertices - 1) % vertices];
    const int *way = w->way[2 * low + flip];
    hk_sort_few(vertices, corner);
    HK_PASS(find_part(r, p->to->order, corner, vertices, w->inside, &first));
    for (int k = 0; k < w->inside; k++)
      own[face->node[face->nodes - w->inside + k]] = first + way[k];
  }
  return HK_OK;
}

static hk_status add_element(raiser *r, const plan *p, hk_count e, const hk_index *old,
                             hk_index *own)
{
  const int vertices = p->to->vertices;
  hk_index first;
  for (int v = 0; v < vertices; v++) {
    for (int w = 0; w < v; w++)
      HK_NEED(old[v] != old[w], HK_BAD_INPUT,
              "element %lld (%s) has node %lld twice: it has no order %d",
              (long long)hk_mesh_element_label(r->mesh, e), p->from->name,
              (long long)hk_mesh_node_label(r->mesh, old[v]), p->to->order);
    own[v] = r->number[old[v]];
  }
  HK_PASS(add_edges(r, p, own, own));
  HK_PASS(add_faces(r, p, own, own));
  HK_PASS(add_nodes(r, p->to->nodes - p->first_inside, &first));
  for (int n = p->first_inside; n < p->to->nodes; n++) own[n] = first++;
  for (int m = vertices; m < p->from->nodes; m++)
    if (p->same[m] >= 0 && r->number[old[m]] < 0) r->number[old[m]] = own[p->same[m]];
  return HK_OK;
}

static hk_status add_block(raiser *r, int b)
{
  const plan *p = &r->plan[b];
  const hk_block *block = &r->mesh->block[b];
  HK_PASS(hk_get(&r->block[b], block->count * p->to->nodes));
  for (hk_count e = 0; e < block->count; e++)
    HK_PASS(add_element(r, p, block->first + e, block->node + e * block->nodes,
                        r->block[b] + e * p->to->nodes));
  return HK_OK;
}

/* last[node] = the last element that has the node of the new mesh on an edge or face. */
static void find_last(const raiser *r, hk_index *last)
{
  for (int b = 0; b < r->mesh->block_count; b++) {
    const plan *p = &r->plan[b];
    const hk_block *block = &r->mesh->block[b];
    for (hk_count e = 0; e < block->count; e++)
      for (int n = p->to->vertices; n < p->first_inside; n++)
        last[r->block[b][e * p->to->nodes + n]] = (hk_index)(block->first + e);
  }
}

/* Of all nodes but those that lie in no element, which are copied. Elements that share a node may place it a rounding apart: the last one
 * places it, so that the threads do not matter. */
static void place_block(const raiser *r, int b, const hk_index *last)
{
  const plan *p = &r->plan[b];
  const hk_block *block = &r->mesh->block[b];
  const int dim = r->mesh->dim;
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < block->count; e++)
    for (int n = p->to->vertices; n < p->to->nodes; n++) {
      const double *weight = p->weight + n * p->from->nodes;
      const hk_index node = r->block[b][e * p->to->nodes + n];
      double *to = r->x + (hk_count)node * dim;
      if (n < p->first_inside && last[node] != block->first + e) continue;
      for (int d = 0; d < dim; d++) to[d] = 0;
      for (int m = 0; m < p->from->nodes; m++) {
        const double *x = r->mesh->x + (hk_count)block->node[e * block->nodes + m] * dim;
        for (int d = 0; d < dim; d++) to[d] += weight[m] * x[d];
      }
    }
}

static void place_old(raiser *r)
{
  const int dim = r->mesh->dim;
  for (hk_count i = 0; i < r->mesh->node_count; i++)
    if (r->number[i] >= 0)
      memcpy(r->x + (hk_count)r->number[i] * dim, r->mesh->x + i * dim, (size_t)dim * sizeof *r->x);
}

/* Labels of their own only where numbers alone do not give them. */
static hk_status find_labels(raiser *r)
{
  const hk_mesh *mesh = r->mesh;
  int64_t last = 0;
  bool plain = !mesh->node_label;
  for (hk_count i = 0; i < mesh->node_count; i++) {
    const int64_t label = hk_mesh_node_label(mesh, i);
    if (label > last) last = label;
    plain = plain && r->number[i] == i;
  }
  if (plain) return HK_OK;
  HK_PASS(hk_get(&r->label, r->nodes));
  for (hk_count i = 0; i < mesh->node_count; i++)
    if (r->number[i] >= 0) r->label[r->number[i]] = hk_mesh_node_label(mesh, i);
  for (hk_count i = 0; i < r->nodes; i++)
    if (!r->label[i]) r->label[i] = ++last;
  return HK_OK;
}

static void take_sets(raiser *r)
{
  for (int s = 0; s < r->mesh->set_count; s++) {
    hk_set *set = &r->mesh->set[s];
    hk_count kept = 0;
    for (hk_count i = 0; set->kind == HK_NODE_SET && i < set->count; i++)
      if (r->number[set->item[i]] >= 0) set->item[kept++] = r->number[set->item[i]];
    if (set->kind == HK_NODE_SET) set->count = kept;
  }
}

static void take_over(raiser *r)
{
  hk_mesh *mesh = r->mesh;
  take_sets(r);
  for (int b = 0; b < mesh->block_count; b++) {
    hk_free(&mesh->block[b].node);
    mesh->block[b].node = r->block[b], r->block[b] = NULL;
    mesh->block[b].shape = r->plan[b].to->shape;
    mesh->block[b].nodes = r->plan[b].to->nodes;
  }
  hk_free(&mesh->x);
  hk_free(&mesh->node_label);
  mesh->x = r->x, r->x = NULL;
  mesh->node_label = r->label, r->label = NULL;
  mesh->node_count = r->nodes;
}

hk_status hk_mesh_raise_blocks(hk_mesh *mesh, const int *order, const int *axis)
{
  hk_status status = HK_OK;
  raiser r = {.mesh = mesh};
  hk_index *last = NULL;
  HK_TRY(hk_pool_get(&r.pool, &r.plan, mesh->block_count));
  HK_TRY(hk_pool_get(&r.pool, &r.block, mesh->block_count));
  HK_TRY(hk_pool_get(&r.pool, &r.number, mesh->node_count));
  HK_TRY(hk_pool_get(&r.pool, &r.first, mesh->node_count));
  for (int b = 0; b < mesh->block_count; b++)
    HK_TRY(make_plan(&r.pool, mesh->block[b].shape, order[b], axis ? axis[b] : -1, &r.plan[b]));
  number_vertices(&r);
  for (int b = 0; b < mesh->block_count; b++) HK_TRY(add_block(&r, b));
  HK_TRY(hk_get(&r.x, r.nodes * mesh->dim));
  HK_TRY(hk_get(&last, r.nodes));
  find_last(&r, last);
  for (int b = 0; b < mesh->block_count; b++) place_block(&r, b, last);
  hk_free(&last);
  place_old(&r);
  HK_TRY(find_labels(&r));
  take_over(&r);
  HK_TRY(hk_mesh_order_sets(mesh));
  HK_TRY(hk_mesh_index_labels(mesh));
cleanup:
  for (int b = 0; r.block && b < mesh->block_count; b++) hk_free(&r.block[b]);
  hk_free(&last);
  hk_free(&r.x);
  hk_free(&r.label);
  hk_pool_clear(&r.pool);
  return status;
}

/* All blocks to one order. */
static hk_status raise_mesh(hk_mesh *mesh, int order)
{
  hk_status status = HK_OK;
  int *each = NULL;
  HK_TRY(hk_get(&each, mesh->block_count));
  for (int b = 0; b < mesh->block_count; b++) each[b] = order;
  HK_TRY(hk_mesh_raise_blocks(mesh, each, NULL));
cleanup:
  hk_free(&each);
  return status;
}

hk_status hk_mesh_raise_to(hk_mesh *mesh, int order)
{
  return raise_mesh(mesh, order);
}

hk_status hk_mesh_raise(hk_mesh *mesh)
{
  return raise_mesh(mesh, EDGES_ALONE);
}
