/* Orders nodes along the curve that they form (hk_mesh_chain).
 * Two nodes are neighbours if they follow one another on an edge of an element, or of a face in 2D; nodes of the edge that are not asked
 * for are passed over. The nodes form one curve if none has more than two neighbours and all hang together. The curve is then walked
 * from an end, or round from a node. */
#include "element/element.h"
#include "mesh/mesh.h"
#include <math.h>

typedef struct chaining {
  const hk_mesh *mesh;
  hk_count count;
  hk_index *node;        /* node[count] */
  hk_index *at;          /* at[mesh node]: 1 + its place among them; 0: not asked for */
  hk_index (*beside)[2]; /* beside[count]: the places of its neighbours, -1: none */
  hk_index branch;       /* a place with more than two; -1: none */
} chaining;

static void add_beside(chaining *c, hk_index from, hk_index to)
{
  hk_index *beside = c->beside[from];
  if (beside[0] == to || beside[1] == to) return;
  if (beside[0] < 0)
    beside[0] = to;
  else if (beside[1] < 0)
    beside[1] = to;
  else if (c->branch < 0)
    c->branch = from;
}

/* A line of nodes of an element, from one end to the other; line[nodes] in the order of hk_element_face in 2D. */
static void link_line(chaining *c, const hk_index *node, int nodes, const int *line)
{
  hk_index last = 0;
  for (int i = 0; i < nodes; i++) {
    const int n = i == 0 ? 0 : i == nodes - 1 ? 1 : i + 1;
    const hk_index at = c->at[node[line[n]]];
    if (at && last) add_beside(c, last - 1, at - 1), add_beside(c, at - 1, last - 1);
    if (at) last = at;
  }
}

/* The edges of a face of a 3D element, or a side of one in 2D. */
static void link_face(chaining *c, const hk_element_face *face, const hk_index *node)
{
  if (face->shape == HK_SHAPE_COUNT) {
    link_line(c, node, face->nodes, face->node);
    return;
  }
  const hk_element *flat = hk_element_of(face->shape);
  for (int k = 0; k < flat->faces; k++) {
    int line[HK_MOST_FACE_NODES];
    for (int n = 0; n < flat->face[k].nodes; n++) line[n] = face->node[flat->face[k].node[n]];
    link_line(c, node, flat->face[k].nodes, line);
  }
}

static void link_all(chaining *c)
{
  for (int b = 0; b < c->mesh->block_count; b++) {
    const hk_block *block = &c->mesh->block[b];
    const hk_element *element = hk_element_of(block->shape);
    for (hk_count e = 0; e < block->count; e++) {
      const hk_index *node = block->node + e * block->nodes;
      int asked = 0;
      for (int n = 0; n < block->nodes && asked < 2; n++) asked += c->at[node[n]] > 0;
      for (int f = 0; asked > 1 && f < element->faces; f++) link_face(c, &element->face[f], node);
    }
  }
}

static void link_sides(chaining *c, const hk_set *sides)
{
  for (hk_count i = 0; i < sides->count; i++) {
    const hk_index e = sides->item[i];
    link_face(c, &hk_element_of(hk_mesh_block_of(c->mesh, e)->shape)->face[sides->face[i]],
              hk_mesh_nodes_of(c->mesh, e));
  }
}

static double coordinate(const chaining *c, hk_index place, int d)
{
  return c->mesh->x[(hk_count)c->node[place] * c->mesh->dim + d];
}

/* Whether a place comes before another: it is nearer to the point, or, without one, its x is smaller, where they are equal its y, its z. */
static bool before(const chaining *c, const double *from, double same, hk_index a, hk_index b)
{
  double away[2] = {0};
  for (int d = 0; d < c->mesh->dim; d++) {
    const double x = coordinate(c, a, d), y = coordinate(c, b, d);
    if (!from && fabs(x - y) > same) return x < y;
    if (from) away[0] = hypot(away[0], x - from[d]), away[1] = hypot(away[1], y - from[d]);
  }
  return from && away[0] < away[1] - same;
}

static double size_of(const chaining *c)
{
  double largest = 0;
  for (int d = 0; d < c->mesh->dim; d++) {
    double low = INFINITY, high = -INFINITY;
    for (hk_count i = 0; i < c->count; i++) {
      const double x = coordinate(c, (hk_index)i, d);
      low = fmin(low, x), high = fmax(high, x);
    }
    largest = fmax(largest, high - low);
  }
  return largest;
}

/* The first of the ends, or of all nodes of a closed curve. */
static hk_index find_start(const chaining *c, const double *from, double same, bool *closed)
{
  hk_index best = -1;
  *closed = true;
  for (hk_count i = 0; i < c->count; i++) *closed = *closed && c->beside[i][1] >= 0;
  for (hk_index i = 0; i < c->count; i++)
    if ((*closed || c->beside[i][1] < 0) && (best < 0 || before(c, from, same, i, best))) best = i;
  return best;
}

/* walk[..]: the places from the start on, by way of `next`. Their number. */
static hk_count walk(const chaining *c, hk_index start, hk_index next, hk_index *out)
{
  hk_count count = 0;
  out[count++] = start;
  for (hk_index here = start, ahead = next; ahead >= 0 && ahead != start;) {
    const hk_index *beside = c->beside[ahead];
    const hk_index on = beside[0] == here ? beside[1] : beside[0];
    out[count++] = ahead;
    here = ahead, ahead = on;
  }
  return count;
}

/* Twice the area within a closed walk, above 0: counter-clockwise. */
static double area_of(const chaining *c, hk_count count, const hk_index *order)
{
  double area = 0;
  for (hk_count i = 0; i < count; i++) {
    const hk_index a = order[i], b = order[(i + 1) % count];
    area += (coordinate(c, a, 0) - coordinate(c, order[0], 0)) *
                (coordinate(c, b, 1) - coordinate(c, order[0], 1)) -
            (coordinate(c, b, 0) - coordinate(c, order[0], 0)) *
                (coordinate(c, a, 1) - coordinate(c, order[0], 1));
  }
  return area;
}

static hk_status order_nodes(chaining *c, const double *from, hk_pool *pool, hk_chain *out)
{
  const double same = 1e-9 * size_of(c);
  hk_index *order, *sorted;
  const hk_index start = find_start(c, from, same, &out->closed);
  HK_PASS(hk_pool_get(pool, &order, c->count));
  HK_PASS(hk_pool_get(pool, &sorted, c->count));
  const hk_index *beside = c->beside[start];
  const bool turned =
      out->closed && c->mesh->dim == 3 && before(c, NULL, same, beside[1], beside[0]);
  const hk_count reached = walk(c, start, beside[turned], order);
  if (out->closed && c->mesh->dim == 2 && area_of(c, reached, order) < 0)
    walk(c, start, beside[1], order);
  for (hk_count i = 0; i < reached; i++) sorted[i] = c->node[order[i]], c->at[sorted[i]] = 0;
  for (hk_count i = 0; reached < c->count && i < c->count && out->apart < 0; i++)
    if (c->at[c->node[i]]) out->apart = c->node[i];
  for (hk_count i = 0; out->apart < 0 && i < c->count; i++) c->node[i] = sorted[i];
  return HK_OK;
}

hk_status hk_mesh_chain(const hk_mesh *mesh, hk_count count, hk_index *node, const hk_set *sides,
                        const double *from, hk_chain *out)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  chaining c = {.mesh = mesh, .count = count, .node = node, .branch = -1};
  *out = (hk_chain){.branch = -1, .apart = -1};
  HK_TRY(hk_pool_get(&pool, &c.at, mesh->node_count));
  HK_TRY(hk_pool_get(&pool, &c.beside, count));
  for (hk_index i = 0; i < count; i++) c.at[node[i]] = i + 1, c.beside[i][0] = c.beside[i][1] = -1;
  if (sides)
    link_sides(&c, sides);
  else
    link_all(&c);
  if (c.branch >= 0)
    out->branch = node[c.branch];
  else if (count)
    HK_TRY(order_nodes(&c, from, &pool, out));
cleanup:
  hk_pool_clear(&pool);
  return status;
}
