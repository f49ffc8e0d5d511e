/* Colours elements so that those of one colour share no node.
 * A walk from face to face gives each element a frame and a place in a grid; axis[a] is the grid
 * direction of the element's axis a. The parities of the place are the bits of the colour: 4
 * colours in 2D, 8 in 3D. If two walks to one element disagree, the mesh is no grid, and elements
 * are coloured greedily: each takes the lowest colour that no element around its nodes has. */
#include "element/element.h"
#include "graph/colour.h"

enum { NONE = -1, MOST_VERTICES = 8, COLOURS = 64 }; /* colours of a mask */

typedef struct walk {
  const hk_mesh *mesh;
  const hk_element *shape;
  hk_pool pool;                             /* holds the arrays */
  int dim, vertices, vertex[MOST_VERTICES]; /* vertex[i + 2 j + 4 k]: node of the element */
  hk_index elements;
  hk_index *begin, *around; /* around[begin[n] ... begin[n + 1]): elements with the vertex n */
  hk_index *order;          /* order[elements]: as they were come to */
  uint8_t (*axis)[3], *place;
  uint64_t *taken; /* taken[mesh node]: colours of its elements */
} walk;

static hk_index vertex_of(const walk *w, hk_index e, int v)
{
  return hk_mesh_nodes_of(w->mesh, e)[w->vertex[v]];
}

static hk_status find_around(walk *w)
{
  const hk_count nodes = w->mesh->node_count;
  hk_index unused;
  HK_PASS(hk_narrow((hk_count)w->elements * w->vertices, "vertices of elements", &unused));
  HK_PASS(hk_pool_get(&w->pool, &w->begin, nodes + 2));
  HK_PASS(hk_pool_get(&w->pool, &w->around, (hk_count)w->elements * w->vertices));
  for (hk_index e = 0; e < w->elements; e++)
    for (int v = 0; v < w->vertices; v++) w->begin[vertex_of(w, e, v) + 2]++;
  for (hk_count n = 0; n < nodes; n++) w->begin[n + 2] += w->begin[n + 1];
  for (hk_index e = 0; e < w->elements; e++)
    for (int v = 0; v < w->vertices; v++) w->around[w->begin[vertex_of(w, e, v) + 1]++] = e;
  return HK_OK;
}

/* Number of the vertex at a node; NONE. */
static int number_of(const walk *w, hk_index e, hk_index node)
{
  for (int v = 0; v < w->vertices; v++)
    if (vertex_of(w, e, v) == node) return v;
  return NONE;
}

/* The element behind the face of e at the end (0, 1) of axis a, and there[v]: its number for vertex v of e, if on the face. NONE: the boundary. */
static hk_index behind(const walk *w, hk_index e, int a, int end, int there[MOST_VERTICES])
{
  const hk_index node = vertex_of(w, e, end << a);
  for (hk_index at = w->begin[node]; at < w->begin[node + 1]; at++) {
    const hk_index other = w->around[at];
    bool all = other != e;
    for (int v = 0; all && v < w->vertices; v++)
      if ((v >> a & 1) == end) all = (there[v] = number_of(w, other, vertex_of(w, e, v))) != NONE;
    if (all) return other;
  }
  return NONE;
}

/* Axis along which vertices p and q of an element differ; NONE: no edge is between them. */
static int axis_between(int p, int q)
{
  const int bit = p ^ q;
  return bit == 1 ? 0 : bit == 2 ? 1 : bit == 4 ? 2 : NONE;
}

/* The frame of the element behind a face of e, from e's. False: it is twisted against e. */
static bool carry(const walk *w, hk_index e, int a, int end, const int there[MOST_VERTICES],
                  hk_index to)
{
  int own = 0; /* bits: axes of `to` along the face */
  for (int d = 0; d < w->dim; d++) {
    if (d == a) continue;
    const int c = axis_between(there[end << a], there[end << a | 1 << d]);
    if (c == NONE || own >> c & 1) return false;
    own |= 1 << c, w->axis[to][c] = w->axis[e][d];
  }
  for (int c = 0; c < w->dim; c++)
    if (!(own >> c & 1)) w->axis[to][c] = w->axis[e][a];
  w->place[to] = (uint8_t)(w->place[e] ^ 1 << w->axis[e][a]);
  return true;
}

/* order, axis, place, from the least element of each part on. False: elements are twisted against each other. */
static bool walk_on(walk *w, bool *seen)
{
  hk_index count = 0;
  bool plain = true;
  int there[MOST_VERTICES];
  for (hk_index first = 0; first < w->elements; first++) {
    if (seen[first]) continue;
    for (int d = 0; d < 3; d++) w->axis[first][d] = (uint8_t)d;
    seen[first] = true, w->order[count++] = first;
    for (hk_index k = count - 1; k < count; k++)
      for (int face = 0; face < 2 * w->dim; face++) {
        const hk_index to = behind(w, w->order[k], face / 2, face % 2, there);
        if (to == NONE || seen[to]) continue;
        plain = carry(w, w->order[k], face / 2, face % 2, there, to) && plain;
        seen[to] = true, w->order[count++] = to;
      }
  }
  return plain;
}

static uint64_t taken_by(const walk *w, hk_index e)
{
  const hk_index *node = hk_mesh_nodes_of(w->mesh, e);
  uint64_t taken = 0;
  for (int n = 0; n < w->shape->nodes; n++) taken |= w->taken[node[n]];
  return taken;
}

static void take(walk *w, hk_index e, int bit)
{
  const hk_index *node = hk_mesh_nodes_of(w->mesh, e);
  for (int n = 0; n < w->shape->nodes; n++) w->taken[node[n]] |= (uint64_t)1 << bit;
}

/* By place; 0 where two elements of one share a node. Colours without elements are passed over. */
static hk_index colour_by_place(walk *w, hk_index *colour)
{
  hk_index colours = 0, number[MOST_VERTICES];
  bool used[MOST_VERTICES] = {false};
  for (hk_index e = 0; e < w->elements; e++) {
    if (taken_by(w, e) >> w->place[e] & 1) return 0;
    take(w, e, w->place[e]);
    used[w->place[e]] = true;
  }
  for (int p = 0; p < MOST_VERTICES; p++) {
    number[p] = colours;
    colours += used[p];
  }
  for (hk_index e = 0; e < w->elements; e++) colour[e] = number[w->place[e]];
  return colours;
}

/* Sets of COLOURS colours, until no element is left. */
static hk_index colour_greedily(walk *w, hk_index *colour)
{
  hk_index colours = 0, left = w->elements;
  for (hk_index e = 0; e < w->elements; e++) colour[e] = NONE;
  for (hk_index base = 0; left; base += COLOURS) {
    for (hk_count n = 0; n < w->mesh->node_count; n++) w->taken[n] = 0;
    for (hk_index k = 0; k < w->elements; k++) {
      const hk_index e = w->order[k];
      const uint64_t taken = colour[e] == NONE ? taken_by(w, e) : UINT64_MAX;
      int bit = 0;
      while (bit < COLOURS && taken >> bit & 1) bit++;
      if (bit == COLOURS) continue;
      take(w, e, bit);
      colour[e] = base + bit, left--;
      if (colour[e] >= colours) colours = colour[e] + 1;
    }
  }
  return colours;
}

/* vertex, and what the walk asks for. Colours by place, 0 where elements are in no grid. */
static hk_status try_places(walk *w, hk_index *colour, hk_index *colours)
{
  bool *seen;
  w->vertices = 1 << w->dim;
  for (int v = 0; v < w->vertices; v++) {
    const int p = w->shape->order, side = p + 1;
    w->vertex[v] =
        w->shape->lattice[(v & 1) * p + (v >> 1 & 1) * p * side + (v >> 2) * p * side * side];
  }
  HK_PASS(find_around(w));
  HK_PASS(hk_pool_get(&w->pool, &w->axis, w->elements));
  HK_PASS(hk_pool_get(&w->pool, &w->place, w->elements));
  HK_PASS(hk_pool_get(&w->pool, &seen, w->elements));
  *colours = walk_on(w, seen) ? colour_by_place(w, colour) : 0;
  return HK_OK;
}

hk_status hk_elements_colour(const hk_mesh *mesh, hk_index *colour, hk_index *colours)
{
  hk_status status = HK_OK;
  walk w = {.mesh = mesh, .shape = hk_element_of(mesh->block[0].shape), .dim = mesh->dim};
  const bool framed = w.shape->lattice && w.shape->vertices == 1 << w.dim;
  *colours = 0;
  HK_TRY(hk_narrow(mesh->element_count, "number of elements", &w.elements));
  HK_TRY(hk_pool_get(&w.pool, &w.order, w.elements));
  HK_TRY(hk_pool_get(&w.pool, &w.taken, mesh->node_count));
  for (hk_index e = 0; e < w.elements && !framed; e++) w.order[e] = e;
  if (framed) HK_TRY(try_places(&w, colour, colours));
  if (!*colours) *colours = colour_greedily(&w, colour);
cleanup:
  hk_pool_clear(&w.pool);
  return status;
}
