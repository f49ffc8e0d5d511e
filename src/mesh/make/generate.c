/* From a plane section of quadrilaterals to a mesh: the quadrilaterals stay, or become two triangles by the shorter diagonal, hexahedra, or
 * six tetrahedra each. A prism is split into three tetrahedra by the order of its node numbers, so that neighbours agree on the diagonals of
 * their common face. Then come faces of sides that lie on a plane; jitter: inner nodes move by a vector that only their place decides, so that it is
 * the same for any numbering; and a random order (splitmix64, Steele, Lea and Flood 2014; Fisher and Yates). */
#include "mesh/make/generate.h"
#include "element/element.h"
#include "mesh/scatter.h"
#include <math.h>
#include <string.h>

hk_status hk_section_create(hk_pool *pool, hk_count nodes, hk_count quads, hk_section *out)
{
  *out = (hk_section){.nodes = nodes, .quads = quads};
  HK_PASS(hk_pool_get(pool, &out->x, 2 * nodes));
  return hk_pool_get(pool, &out->quad, 4 * quads);
}

void hk_section_quad(hk_count first, hk_count across, hk_index quad[4])
{
  quad[0] = (hk_index)first, quad[1] = (hk_index)first + 1;
  quad[2] = (hk_index)(first + across) + 1, quad[3] = (hk_index)(first + across);
}

static double distance_squared(const double *a, const double *b)
{
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

/* The two triangles of quadrilateral q, counter-clockwise. */
static void split_quad(const hk_section *s, hk_count q, hk_index triangle[2][3])
{
  const hk_index *n = s->quad + 4 * q;
  const double first = distance_squared(s->x + 2 * n[0], s->x + 2 * n[2]);
  const double second = distance_squared(s->x + 2 * n[1], s->x + 2 * n[3]);
  const int k = second < first * (1 - 1e-9);
  for (int t = 0; t < 2; t++) {
    triangle[t][0] = n[k];
    triangle[t][1] = n[k + 1 + t];
    triangle[t][2] = n[(k + 2 + t) % 4];
  }
}

/* The prism between triangle a (counter-clockwise from above) and the same `up` numbers higher. */
static void split_prism(const hk_index a[3], hk_index up, hk_index tet[3][4])
{
  hk_index v[3] = {a[0], a[1], a[2]};
  bool odd = false;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2 - i; k++)
      if (v[k] > v[k + 1]) {
        const hk_index n = v[k];
        v[k] = v[k + 1], v[k + 1] = n;
        odd = !odd;
      }
  const hk_index all[3][4] = {{v[0], v[1], v[2], v[2] + up},
                              {v[0], v[1], v[2] + up, v[1] + up},
                              {v[0], v[0] + up, v[1] + up, v[2] + up}};
  memcpy(tet, all, sizeof all);
  for (int t = 0; odd && t < 3; t++) {
    const hk_index n = tet[t][2];
    tet[t][2] = tet[t][3], tet[t][3] = n;
  }
}

/* Elements over quadrilateral q in one layer, to node[]. */
static void put_elements(const hk_section *s, hk_count q, hk_shape shape, hk_index base,
                         hk_index *node)
{
  const hk_index up = (hk_index)s->nodes, *corner = s->quad + 4 * q;
  hk_index triangle[2][3], tet[3][4];
  if (shape == HK_QUAD4 || shape == HK_HEX8) {
    for (int v = 0; v < 4; v++) node[v] = base + corner[v];
    for (int v = 0; shape == HK_HEX8 && v < 4; v++) node[v + 4] = base + corner[v] + up;
    return;
  }
  split_quad(s, q, triangle);
  if (shape == HK_TRI3) {
    memcpy(node, triangle, sizeof triangle);
    return;
  }
  for (int t = 0; t < 2; t++) {
    for (int v = 0; v < 3; v++) triangle[t][v] += base;
    split_prism(triangle[t], up, tet);
    memcpy(node + 12 * t, tet, sizeof tet);
  }
}

static void place_nodes(const hk_section *s, const hk_generate *desc, hk_mesh *m)
{
  if (m->dim == 2) {
    memcpy(m->x, s->x, (size_t)(2 * s->nodes) * sizeof *m->x);
    return;
  }
#pragma omp parallel for schedule(static)
  for (hk_count k = 0; k <= desc->layers; k++) {
    const double t = (double)k / (double)desc->layers;
    for (hk_count i = 0; i < s->nodes; i++) {
      double *x = m->x + 3 * (k * s->nodes + i);
      x[0] = s->x[2 * i], x[1] = s->x[2 * i + 1];
      x[2] = k == desc->layers ? desc->to : desc->from + t * (desc->to - desc->from);
    }
  }
}

static hk_status build(const hk_section *s, const hk_generate *desc, hk_mesh *m)
{
  const hk_element *element = hk_element_of(desc->shape);
  const hk_count layers = m->dim == 3 ? desc->layers : 1;
  const hk_count per_quad = desc->shape == HK_TET4 ? 6 : desc->shape == HK_TRI3 ? 2 : 1;
  hk_index fits;

  m->node_count = s->nodes * (m->dim == 3 ? layers + 1 : 1);
  HK_PASS(hk_narrow(m->node_count, "number of nodes", &fits));
  m->element_count = s->quads * layers * per_quad;
  HK_PASS(hk_narrow(m->element_count, "number of elements", &fits));
  HK_PASS(hk_get(&m->x, m->dim * m->node_count));
  HK_PASS(hk_new(&m->block));
  m->block_count = 1;
  m->block[0] = (hk_block){desc->shape, element->nodes, 0, m->element_count, NULL};
  HK_PASS(hk_get(&m->block[0].node, m->element_count * element->nodes));
  place_nodes(s, desc, m);
  hk_index *node = m->block[0].node;
#pragma omp parallel for collapse(2) schedule(static)
  for (hk_count k = 0; k < layers; k++)
    for (hk_count q = 0; q < s->quads; q++)
      put_elements(s, q, desc->shape, (hk_index)(k * s->nodes),
                   node + (k * s->quads + q) * per_quad * element->nodes);
  return HK_OK;
}

/* splitmix64 (Steele, Lea, Flood 2014): the state grows by STRIDE for each number, so any of them can be computed alone. */
#define STRIDE UINT64_C(0x9e3779b97f4a7c15)

static uint64_t random_of(uint64_t state)
{
  uint64_t z = state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static uint64_t next_random(uint64_t *state)
{
  return random_of(*state += STRIDE);
}

typedef struct boundary {
  hk_count count;
  hk_index *element;
  uint8_t *face;
  uint8_t *taken; /* by a side: 1; by the one at hand: 2 */
} boundary;

/* Nodes over the ends of the section's outer sides, and all of the first and the last layer: no face between other nodes is of the boundary. */
static hk_status mark_outer(const hk_section *s, const hk_mesh *m, uint8_t *outer)
{
  hk_status status = HK_OK;
  hk_block block = {HK_QUAD4, 4, 0, s->quads, s->quad};
  const hk_mesh flat = {.dim = 2,
                        .node_count = s->nodes,
                        .element_count = s->quads,
                        .block_count = 1,
                        .block = &block};
  const hk_count layers = m->node_count / s->nodes;
  hk_count count;
  hk_index *quad = NULL;
  uint8_t *side = NULL;
  HK_TRY(hk_mesh_boundary(&flat, &count, &quad, &side));
  for (hk_count i = 0; i < count; i++)
    for (int v = 0; v < 2; v++) outer[s->quad[4 * (hk_count)quad[i] + (side[i] + v) % 4]] = 1;
#pragma omp parallel for schedule(static)
  for (hk_count k = 1; k < layers; k++)
    if (k < layers - 1)
      memcpy(outer + k * s->nodes, outer, (size_t)s->nodes);
    else
      memset(outer + k * s->nodes, 1, (size_t)s->nodes);
  memset(outer, 1, (size_t)s->nodes);
cleanup:
  hk_free(&quad);
  hk_free(&side);
  return status;
}

/* Few faces of a solid have all nodes at its surface; the others are not compared with one another. */
static hk_status find_boundary(const hk_section *s, const hk_mesh *m, boundary *b)
{
  hk_status status = HK_OK;
  uint8_t *outer = NULL;
  if (m->dim == 3) {
    HK_TRY(hk_get(&outer, m->node_count));
    HK_TRY(mark_outer(s, m, outer));
  }
  HK_TRY(hk_mesh_boundary_among(m, outer, &b->count, &b->element, &b->face));
  HK_TRY(hk_get(&b->taken, b->count));
cleanup:
  hk_free(&outer);
  return status;
}

static const hk_element_face *face_at(const hk_mesh *m, const boundary *b, hk_count i,
                                      const hk_index **node)
{
  *node = hk_mesh_nodes_of(m, b->element[i]);
  return &hk_element_of(m->block[0].shape)->face[b->face[i]];
}

static bool on_side(const hk_mesh *m, const boundary *b, hk_count i, const hk_side *side)
{
  const hk_index *node;
  const hk_element_face *face = face_at(m, b, i, &node);
  if (b->taken[i]) return false;
  for (int n = 0; side->axis >= 0 && n < face->nodes; n++)
    if (m->x[(hk_count)node[face->node[n]] * m->dim + side->axis] != side->at) return false;
  return true;
}

static hk_status add_side(hk_mesh *m, boundary *b, const hk_side *side)
{
  hk_status status = HK_OK;
  hk_index *element = NULL, *nodes = NULL;
  uint8_t *face = NULL;
  const int per_face = hk_element_of(m->block[0].shape)->face[0].nodes;
  hk_count count = 0;

#pragma omp parallel for schedule(static) reduction(+ : count)
  for (hk_count i = 0; i < b->count; i++)
    if (on_side(m, b, i, side)) b->taken[i] = 2, count++;
  HK_TRY(hk_get(&element, count));
  HK_TRY(hk_get(&face, count));
  HK_TRY(hk_get(&nodes, count * per_face));
  count = 0;
  for (hk_count i = 0; i < b->count; i++) {
    const hk_index *node;
    if (b->taken[i] != 2) continue;
    const hk_element_face *f = face_at(m, b, i, &node);
    for (int n = 0; n < per_face; n++) nodes[count * per_face + n] = node[f->node[n]];
    element[count] = b->element[i], face[count++] = b->face[i];
    b->taken[i] = 1;
  }
  HK_TRY(hk_mesh_add_set(m, side->name, HK_FACE_SET, count, &element, &face));
  HK_TRY(hk_mesh_add_set(m, side->name, HK_NODE_SET, count * per_face, &nodes, NULL));
cleanup:
  hk_free(&element);
  hk_free(&face);
  hk_free(&nodes);
  return status;
}

/* A point of the unit ball, the same for the same place x, whatever the numbering and the unit of length: x is counted from the least corner in
 * cells, to 1/1024. */
static void random_shift(int dim, const double *x, const double *low, const double *cell,
                         double *shift)
{
  int64_t place[3] = {0};
  double square;
  for (int d = 0; d < dim; d++) place[d] = (int64_t)floor((x[d] - low[d]) / cell[d] * 1024 + 0.5);
  uint64_t state = hk_hash(place, (size_t)dim * sizeof *place, 0);
  do {
    square = 0;
    for (int d = 0; d < dim; d++) {
      shift[d] = (double)(next_random(&state) >> 11) * 0x1p-52 - 1;
      square += shift[d] * shift[d];
    }
  } while (square > 1);
}

static hk_status jitter_nodes(hk_mesh *m, const boundary *b, const hk_generate *desc)
{
  uint8_t *fixed = NULL;
  double low[3] = {INFINITY, INFINITY, INFINITY};
  const hk_status status = hk_get(&fixed, m->node_count);
  if (status != HK_OK) return status;
#pragma omp parallel for schedule(static) reduction(min : low[:3])
  for (hk_count i = 0; i < m->node_count; i++)
    for (int d = 0; d < m->dim; d++) low[d] = fmin(low[d], m->x[i * m->dim + d]);
  for (hk_count i = 0; i < b->count; i++) {
    const hk_index *node;
    const hk_element_face *face = face_at(m, b, i, &node);
    for (int n = 0; n < face->nodes; n++) fixed[node[face->node[n]]] = 1;
  }
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < m->node_count; i++) {
    double shift[3];
    if (fixed[i]) continue;
    random_shift(m->dim, m->x + i * m->dim, low, desc->cell, shift);
    for (int d = 0; d < m->dim; d++)
      m->x[i * m->dim + d] += desc->jitter * desc->cell[d] * shift[d];
  }
  hk_free(&fixed);
  return HK_OK;
}

/* *out = a random order of 0 ... count - 1, that of Fisher and Yates: number i, in turn, changes places with that at p_i, a random one of 0 ... i.
 * The number at place l in the end is the last i with p_i = l. Where there is none, it is the number that stood at p_l when l came: the last i before
 * l with the same place; where there is none, what p_l had found when it came, and so on. So no number waits for those before it (compare
 * Shun, Gu, Blelloch, Fineman and Gibbons 2015), and all threads get the order that one would. */
static hk_index place_of(uint64_t first, hk_count i)
{
  return (hk_index)(random_of(first + (uint64_t)(i + 1) * STRIDE) % (uint64_t)(i + 1));
}

/* For i in [from, from + count): before[i] = last[p_i], then last[p_i] = i. */
static void put_places(hk_scatter *by, uint64_t first, hk_count from, hk_count count,
                       hk_index *place, hk_index *before, hk_index *last)
{
  enum { AHEAD = 16 };
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < count; i++) place[i] = place_of(first, from + i);
  hk_scatter_sort(by, count, place);
#pragma omp parallel for schedule(static)
  for (int o = 0; o < HK_SCATTER_OWNERS; o++)
    for (hk_index k = by->begin[o], end = by->begin[o + 1]; k < end; k++) {
      const hk_count i = from + by->place[k];
      if (k + AHEAD < end) __builtin_prefetch(&last[place[by->place[k + AHEAD]]], 1);
      before[i] = last[place[i - from]];
      last[place[i - from]] = (hk_index)i;
    }
}

static hk_index number_when_came(uint64_t first, const hk_index *before, hk_index l)
{
  while (before[l] < 0) l = place_of(first, l);
  return before[l];
}

static hk_status permutation(hk_pool *pool, hk_count count, uint64_t *state, hk_index **out)
{
  hk_status status = HK_OK;
  const uint64_t first = *state;
  hk_scatter *by = NULL;
  hk_index *place = NULL, *before = NULL;
  HK_TRY(hk_pool_get(pool, out, count));
  HK_TRY(hk_get(&before, count));
  HK_TRY(hk_scatter_create(count, &by));
  HK_TRY(hk_get(&place, by->most));
#pragma omp parallel for schedule(static)
  for (hk_count l = 0; l < count; l++) (*out)[l] = -1;
  for (hk_count from = 0, more; from < count; from += more) {
    more = hk_scatter_part(count - from, 1);
    put_places(by, first, from, more, place, before, *out);
  }
#pragma omp parallel for schedule(static)
  for (hk_count l = 0; l < count; l++)
    if ((*out)[l] < 0) (*out)[l] = number_when_came(first, before, (hk_index)l);
  *state += (uint64_t)count * STRIDE;
cleanup:
  hk_free(&place);
  hk_scatter_destroy(&by);
  hk_free(&before);
  return status;
}

/* The members of the sets of faces and nodes by their numbers after the shuffle. All elements stay in the set of all. */
static hk_status shuffle_sets(hk_mesh *m, const hk_index *to, const hk_index *element_to)
{
  for (int s = 0; s < m->set_count; s++) {
    hk_set *set = &m->set[s];
    const hk_index *number = set->kind == HK_NODE_SET ? to : element_to;
    if (set->kind == HK_ELEMENT_SET) continue;
    for (hk_count i = 0; i < set->count; i++) set->item[i] = number[set->item[i]];
  }
  return hk_mesh_order_sets(m);
}

/* Nodes and elements in a random order. It comes last, as neighbours lie close in memory before it. */
static hk_status shuffle_mesh(hk_mesh *m, uint64_t seed)
{
  hk_status status = HK_OK;
  hk_block *block = &m->block[0];
  hk_pool pool = {0};
  hk_index *to, *element_to, *node = NULL;
  double *x = NULL;

  HK_TRY(permutation(&pool, m->node_count, &seed, &to));
  HK_TRY(permutation(&pool, m->element_count, &seed, &element_to));
  HK_TRY(hk_get(&x, m->dim * m->node_count));
  HK_TRY(hk_get(&node, block->count * block->nodes));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < m->node_count; i++)
    memcpy(x + (hk_count)to[i] * m->dim, m->x + i * m->dim, (size_t)m->dim * sizeof *x);
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < block->count; e++)
    for (int n = 0; n < block->nodes; n++)
      node[(hk_count)element_to[e] * block->nodes + n] = to[block->node[e * block->nodes + n]];
  hk_free(&m->x);
  hk_free(&block->node);
  m->x = x, x = NULL;
  block->node = node, node = NULL;
  HK_TRY(shuffle_sets(m, to, element_to));
cleanup:
  hk_pool_clear(&pool);
  hk_free(&x);
  hk_free(&node);
  return status;
}

/* Checks the elements before the shuffle, while neighbours lie close in memory. If one is bad, checks again to name it by its final number. */
static hk_status shuffle_and_finish(hk_mesh *m, const hk_generate *desc)
{
  const hk_status sound = hk_mesh_finish_made(m, desc->name, NULL);
  if (!desc->shuffle) return sound;
  HK_PASS(shuffle_mesh(m, desc->shuffle));
  return sound == HK_BAD_INPUT ? hk_mesh_finish_made(m, desc->name, NULL) : sound;
}

hk_status hk_mesh_generate(const hk_section *section, const hk_generate *desc, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *m = NULL;
  boundary b = {0};

  HK_CHECK(desc->jitter >= 0 && desc->jitter <= 0.3, HK_BAD_INPUT,
           "%s: jitter %g: must lie within 0 and 0.3", desc->name, desc->jitter);
  HK_TRY(hk_mesh_begin(hk_element_of(desc->shape)->dim, &m));
  HK_TRY(build(section, desc, m));
  HK_TRY(find_boundary(section, m, &b));
  HK_TRY(hk_mesh_add_range(m, "all", 0, m->element_count));
  for (int i = 0; i < desc->sides; i++) HK_TRY(add_side(m, &b, &desc->side[i]));
  if (desc->jitter > 0) HK_TRY(jitter_nodes(m, &b, desc));
  HK_TRY(shuffle_and_finish(m, desc));
  *out = m, m = NULL;
cleanup:
  hk_free(&b.element);
  hk_free(&b.face);
  hk_free(&b.taken);
  hk_mesh_destroy(&m);
  return status;
}
