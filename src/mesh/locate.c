/* Finds the elements that contain points, and their reference coordinates.
 * Newton's method inverts the map of each element whose bounding box contains the point, with
 * coordinates relative to the element's first node to limit rounding. The lowest element wins, or all are told that hold a point.
 * A few points are compared with all elements, some in a pass. For 5 points each node gets bits that tell on which sides of them it lies, and
 * an element of first order whose nodes do not lie on all sides of a point is passed over. Elements of higher order bulge: their nodes lie in
 * cells of a raster, and an element whose cells none of 16 points can share is passed over. So a pass reads 4 bytes of a node rather than its
 * coordinates. For more points, elements are sorted along a space-filling curve (Morton) and cut into leaves of eight. A binary tree of
 * boxes lies above the leaves: the children of node i are 2 i and 2 i + 1, and leaf k is node
 * leaves + k. The tree takes about as long as 30 passes by cells. */
#include "element/element.h"
#include "mesh/mesh.h"
#include "base/sort.h"
#include <math.h>
#include <stdlib.h>

enum {
  PER_LEAF = 8,
  MOST_ITERATIONS = 30,
  ABREAST = 16,
  FIRST_SIDES = 0x1041041, /* bits SIDES p */
  SIDES = 6,               /* of a point */
  ABREAST_BY_SIDES = 32 / SIDES,
  MOST_PASSES = 16,
  MOST_PASSES_BY_SIDES = 48,
  CELLS = 1 << 10,
  AHEAD = 12
};
static const double tolerance = 1e-6; /* of the element's size */

typedef struct box {
  double low[3], high[3];
} box;

typedef struct raster { /* of cubes over the mesh, CELLS along its widest side */
  double low[3], per_length;
  uint32_t *cell; /* cell[node]: its cells in x, y, z, ten bits each */
} raster;

typedef struct
    sieve { /* bit p of above[d][c]: point p lies in cell c or a higher one of direction d; of below: in c or a lower one */
  uint16_t above[3][CELLS], below[3][CELLS];
} sieve;

typedef struct hit { /* the element holds the point */
  hk_count point;
  hk_index element;
} hit;

typedef struct hit_list { /* of all points, in no order */
  HK_LIST(hit) of;
  hk_failure failure; /* of a thread that found one */
} hit_list;

struct hk_locator {
  const hk_mesh *mesh;
  hit_list *hits;  /* of the search that runs; NULL: the lowest element is enough */
  hk_count first;  /* point of the pass that runs */
  raster raster;   /* made by the first pass */
  uint32_t *sides; /* sides[node] of the points of a pass; NULL: there is a raster */
  double slack;    /* of sides: the margin of the largest element */
  hk_pool pool;    /* holds the arrays */
  hk_count passes; /* made over all elements so far */
  hk_count leaves; /* 0: there is no tree */
  hk_index *order; /* order[element_count] */
  box *tree;       /* tree[2 leaves]; tree[1] is the root */
};

static const box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void unite(int dim, box *a, const double *low, const double *high)
{
  for (int d = 0; d < dim; d++) {
    a->low[d] = low[d] < a->low[d] ? low[d] : a->low[d];
    a->high[d] = high[d] > a->high[d] ? high[d] : a->high[d];
  }
}

static bool holds(int dim, const box *b, const double *x)
{
  for (int d = 0; d < dim; d++)
    if (!(x[d] >= b->low[d] && x[d] <= b->high[d])) return false;
  return true;
}

/* Around the nodes, wider by the part `margin` of the element's size. */
static inline box box_around(int dim, const double *x, const hk_index *node, int nodes,
                             double margin)
{
  box b = empty;
  double size = 0;
  for (int n = 0; n < nodes; n++)
    unite(dim, &b, x + (hk_count)node[n] * dim, x + (hk_count)node[n] * dim);
  for (int d = 0; d < dim; d++) size = fmax(size, b.high[d] - b.low[d]);
  for (int d = 0; d < dim; d++) b.low[d] -= margin * size, b.high[d] += margin * size;
  return b;
}

/* Curved sides bulge beyond their nodes by some of the element's size. */
static double margin_of(const hk_block *block)
{
  return hk_element_of(block->shape)->order > 1 ? 0.25 : 4 * tolerance;
}

static box box_of(const hk_mesh *mesh, hk_index e)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_index *node = block->node + (e - block->first) * block->nodes;
  return box_around(mesh->dim, mesh->x, node, block->nodes, margin_of(block));
}

/* Bits of the cell numbers cell[dim], interleaved. */
static uint64_t morton(int dim, const uint64_t *cell)
{
  uint64_t key = 0;
  for (int bit = 63 / dim - 1; bit >= 0; bit--)
    for (int d = 0; d < dim; d++) key = key << 1 | (cell[d] >> bit & 1);
  return key;
}

static box box_of_mesh(const hk_mesh *mesh)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  box all;
#pragma omp parallel for schedule(static) reduction(min : low[:3]) reduction(max : high[:3])
  for (hk_count i = 0; i < mesh->node_count; i++)
    for (int d = 0; d < mesh->dim; d++) {
      const double x = mesh->x[i * mesh->dim + d];
      if (x < low[d]) low[d] = x;
      if (x > high[d]) high[d] = x;
    }
  for (int d = 0; d < 3; d++) all.low[d] = low[d], all.high[d] = high[d];
  return all;
}

static hk_status order_elements(hk_locator *l)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = l->mesh;
  const int dim = mesh->dim;
  const box all = box_of_mesh(mesh);
  uint64_t *key = NULL;

  HK_TRY(hk_pool_get(&l->pool, &l->order, mesh->element_count));
  HK_TRY(hk_get(&key, mesh->element_count));
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const double *x = mesh->x + (hk_count)hk_mesh_nodes_of(mesh, e)[0] * dim;
    uint64_t cell[3];
    for (int d = 0; d < dim; d++) {
      const double width = all.high[d] - all.low[d];
      cell[d] = width > 0 ? (uint64_t)((x[d] - all.low[d]) / width * (double)((1 << 20) - 1)) : 0;
    }
    key[e] = morton(dim, cell);
    l->order[e] = (hk_index)e;
  }
  HK_TRY(hk_mesh_sort(mesh->element_count, key, l->order));
cleanup:
  hk_free(&key);
  return status;
}

static hk_status build_tree(hk_locator *l)
{
  const hk_mesh *mesh = l->mesh;
  const hk_count leaves = (mesh->element_count + PER_LEAF - 1) / PER_LEAF;
  HK_PASS(order_elements(l));
  HK_PASS(hk_pool_get(&l->pool, &l->tree, 2 * leaves));
#pragma omp parallel for schedule(static)
  for (hk_count k = 0; k < leaves; k++) {
    const hk_count first = k * PER_LEAF;
    l->tree[k] = l->tree[leaves + k] = empty;
    for (hk_count i = first; i < first + PER_LEAF && i < mesh->element_count; i++) {
      const box b = box_of(mesh, l->order[i]);
      unite(mesh->dim, &l->tree[leaves + k], b.low, b.high);
    }
  }
  for (hk_count i = 2 * leaves - 1; i > 1; i--)
    unite(mesh->dim, &l->tree[i / 2], l->tree[i].low, l->tree[i].high);
  l->leaves = leaves;
  return HK_OK;
}

hk_status hk_locator_create(const hk_mesh *mesh, hk_locator **out)
{
  HK_PASS(hk_new(out));
  (*out)->mesh = mesh;
  return HK_OK;
}

void hk_locator_destroy(hk_locator **locator)
{
  if (*locator) hk_pool_clear(&(*locator)->pool);
  hk_free(locator);
}

/* Outward normal, of any length, of a flat face through a, b, c (2D: of the line from a to b). */
static void find_normal(int dim, const double *a, const double *b, const double *c, double *normal)
{
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double v[3] = {c[0] - b[0], c[1] - b[1], c[2] - b[2]};
  normal[0] = dim == 2 ? u[1] : u[1] * v[2] - u[2] * v[1];
  normal[1] = dim == 2 ? -u[0] : u[2] * v[0] - u[0] * v[2];
  normal[2] = dim == 2 ? 0 : u[0] * v[1] - u[1] * v[0];
}

/* How far xi lies outside the reference element, which is convex, in parts of its width; below 0 inside. */
static double excess(const hk_element *element, const double *xi)
{
  const double(*at)[3] = element->reference;
  double most = -INFINITY;
  for (int f = 0; f < element->faces; f++) {
    const int *node = element->face[f].node;
    double normal[3], beyond = 0, width = 0;
    find_normal(element->dim, at[node[0]], at[node[1]], at[node[2]], normal);
    for (int d = 0; d < element->dim; d++) beyond += normal[d] * (xi[d] - at[node[0]][d]);
    for (int v = 0; v < element->vertices; v++) {
      double depth = 0;
      for (int d = 0; d < element->dim; d++) depth += normal[d] * (at[node[0]][d] - at[v][d]);
      width = fmax(width, depth);
    }
    most = fmax(most, beyond / width);
  }
  return most;
}

/* xi such that sum_n N_n(xi) x_n = at, by Newton's iteration from the middle; false when it does
 * not converge. */
static bool invert(const hk_element *element, const double *x, const double *at, double *xi)
{
  const int dim = element->dim;
  double n[HK_MOST_NODES], g[HK_MOST_NODES * 3], change = INFINITY;

  for (int d = 0; d < dim; d++) {
    xi[d] = 0;
    for (int v = 0; v < element->vertices; v++) xi[d] += element->reference[v][d];
    xi[d] /= element->vertices;
  }
  for (int i = 0; i < MOST_ITERATIONS && change > 1e-12; i++) {
    double rest[3], step[3] = {0};
    hk_element_functions(element, xi, n, NULL);
    hk_element_physical(element, xi, x, g);
    for (int c = 0; c < dim; c++) {
      rest[c] = at[c];
      for (int k = 0; k < element->nodes; k++) rest[c] -= n[k] * x[k * dim + c];
    }
    /* dxi/dx = sum_k xi_k g_k, the reference coordinates being a field like others */
    for (int k = 0; k < element->nodes; k++)
      for (int c = 0; c < dim; c++)
        for (int d = 0; d < dim; d++)
          step[d] += element->reference[k][d] * g[k * dim + c] * rest[c];
    change = 0;
    for (int d = 0; d < dim; d++) {
      xi[d] += step[d];
      change = fmax(change, fabs(step[d]));
      if (!(fabs(xi[d]) < 100)) return false;
    }
  }
  return change <= 1e-9;
}

/* Seen from the element's first node: far from the origin the rounding of coordinates would hide Newton's steps. */
static bool inside(const hk_mesh *mesh, hk_index e, const double *at, double *xi)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_index *node = block->node + (e - block->first) * block->nodes;
  const hk_element *element = hk_element_of(block->shape);
  const double *origin = mesh->x + (hk_count)node[0] * mesh->dim;
  double x[HK_MOST_NODES * 3], to[3];
  for (int n = 0; n < block->nodes; n++)
    for (int d = 0; d < mesh->dim; d++)
      x[n * mesh->dim + d] = mesh->x[(hk_count)node[n] * mesh->dim + d] - origin[d];
  for (int d = 0; d < mesh->dim; d++) to[d] = at[d] - origin[d];
  return invert(element, x, to, xi) && excess(element, xi) <= tolerance;
}

static void add_hit(const hk_locator *l, hk_count point, hk_count element)
{
#pragma omp critical(hk_locator_hits)
  {
    const hk_status status = hk_list_more(&l->hits->of);
    if (status == HK_OK) l->hits->of.at[l->hits->of.count++] = (hit){point, (hk_index)element};
    hk_failure_keep(&l->hits->failure, status);
  }
}

/* Does not fall when x grows. What lies outside of the raster is in its outer cells. */
static int cell_of(const raster *r, int d, double x)
{
  const double at = (x - r->low[d]) * r->per_length;
  return at > 0 ? at < CELLS - 1 ? (int)at : CELLS - 1 : 0;
}

static hk_status create_raster(hk_locator *l)
{
  const hk_mesh *mesh = l->mesh;
  raster *r = &l->raster;
  const box all = box_of_mesh(mesh);
  double widest = 0;
  HK_PASS(hk_pool_get(&l->pool, &r->cell, mesh->node_count));
  for (int d = 0; d < mesh->dim; d++) {
    r->low[d] = all.low[d];
    widest = fmax(widest, all.high[d] - all.low[d]);
  }
  r->per_length = widest > 0 ? CELLS / widest : 0;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < mesh->node_count; i++)
    for (int d = 0; d < mesh->dim; d++)
      r->cell[i] |= (uint32_t)cell_of(r, d, mesh->x[i * mesh->dim + d]) << 10 * d;
  return HK_OK;
}

static bool linear(const hk_mesh *mesh)
{
  bool all = true;
  for (int b = 0; b < mesh->block_count; b++)
    all = all && hk_element_of(mesh->block[b].shape)->order == 1;
  return all;
}

static hk_status create_sides(hk_locator *l)
{
  const box all = box_of_mesh(l->mesh);
  for (int d = 0; d < l->mesh->dim; d++)
    l->slack = fmax(l->slack, 4 * tolerance * (all.high[d] - all.low[d]));
  return hk_pool_get(&l->pool, &l->sides, l->mesh->node_count);
}

/* Of point p in direction d: bit SIDES p + 2 d, the node lies at it or below; the next one, at it or above. */
static void fill_sides(const hk_locator *l, hk_count points, const double *at)
{
  const hk_mesh *mesh = l->mesh;
  const int dim = mesh->dim;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < mesh->node_count; i++) {
    const double *x = mesh->x + i * dim;
    uint32_t bits = 0;
    for (hk_count p = 0; p < points; p++)
      for (int d = 0; d < 3; d++) {
        const uint32_t below = d >= dim || x[d] - l->slack <= at[3 * p + d],
                       above = d >= dim || x[d] + l->slack >= at[3 * p + d];
        bits |= (below | above << 1) << (SIDES * p + 2 * d);
      }
    l->sides[i] = bits;
  }
}

/* Bit p: in each direction nodes lie on both sides of point p. */
static inline unsigned surrounded(const uint32_t *sides, const hk_index *node, int nodes)
{
  uint32_t bits = 0;
  unsigned points = 0;
#pragma GCC unroll 8
  for (int n = 0; n < nodes; n++) bits |= sides[node[n]];
  bits &= bits >> 1;
  bits &= bits >> 2 & bits >> 4;
  if (!(bits & (uint32_t)FIRST_SIDES)) return 0;
  for (int p = 0; p < ABREAST_BY_SIDES; p++) points |= (bits >> SIDES * p & 1) << p;
  return points;
}

static void fill_sieve(const hk_locator *l, hk_count points, const double *at, sieve *to)
{
  for (int d = 0; d < 3; d++)
    for (hk_count p = 0; p < points; p++) {
      const int cell = d < l->mesh->dim ? cell_of(&l->raster, d, at[3 * p + d]) : 0;
      for (int c = 0; c <= cell; c++) to->above[d][c] |= (uint16_t)(1 << p);
      for (int c = cell; c < CELLS; c++) to->below[d][c] |= (uint16_t)(1 << p);
    }
}

/* Bit p: point p may lie in the box around the nodes. Its margin, a part of its size, is less than one cell and that part of its cells. */
static unsigned candidates(const sieve *by, const uint32_t *cell, const hk_index *node, int nodes,
                           double margin)
{
  int low[3] = {CELLS, CELLS, CELLS}, high[3] = {0}, size = 0;
  unsigned points = ~0u;
  for (int n = 0; n < nodes; n++)
    for (int d = 0; d < 3; d++) {
      const int c = (int)(cell[node[n]] >> 10 * d & (CELLS - 1));
      low[d] = c < low[d] ? c : low[d], high[d] = c > high[d] ? c : high[d];
    }
  for (int d = 0; d < 3; d++) size = high[d] - low[d] > size ? high[d] - low[d] : size;
  const int beyond = 1 + (int)(margin * (size + 1));
  for (int d = 0; d < 3; d++) {
    const int first = low[d] - beyond, last = high[d] + beyond;
    points &= by->above[d][first > 0 ? first : 0];
    points &= by->below[d][last < CELLS ? last : CELLS - 1];
  }
  return points;
}

/* Bit p: point p may lie in element k of the block. `nodes`: of the block, a constant where the caller knows it. */
static inline __attribute__((always_inline)) unsigned
look_at(const hk_locator *l, const sieve *by, const hk_block *block, int nodes, hk_count k)
{
  const uint32_t *of_node = l->sides ? l->sides : l->raster.cell;
  const hk_index *node = block->node + k * nodes;
  if (k + AHEAD < block->count)
#pragma GCC unroll 8
    for (int n = 0; n < nodes; n++) __builtin_prefetch(&of_node[node[AHEAD * nodes + n]]);
  return l->sides ? surrounded(of_node, node, nodes)
                  : candidates(by, of_node, node, nodes, margin_of(block));
}

/* found[p] = element k of the block, if it holds at[p] and found[p] is -1 before, for the points of the bits; or each is a hit. */
static void find_in(const hk_locator *l, const hk_block *block, hk_count k, unsigned some,
                    const double *at, hk_index *found)
{
  const hk_index e = (hk_index)(block->first + k);
  const box b = box_of(l->mesh, e);
  for (int p = 0; some >> p; p++) {
    double xi[3];
    if (!(some >> p & 1) || found[p] >= 0 || !holds(l->mesh->dim, &b, at + 3 * p)) continue;
    if (!inside(l->mesh, e, at + 3 * p, xi)) continue;
    if (l->hits)
      add_hit(l, l->first + p, e);
    else
      found[p] = e;
  }
}

/* found[p] = the lowest of the block's elements that holds at[p], where found[p] is -1 before; those of the calling thread. */
static void scan_block(const hk_locator *l, const sieve *by, const hk_block *block, unsigned all,
                       const double *at, hk_index *found)
{
#pragma omp for schedule(static) nowait
  for (hk_count k = 0; k < block->count; k++) {
    const unsigned some = all & (block->nodes == 4   ? look_at(l, by, block, 4, k)
                                 : block->nodes == 8 ? look_at(l, by, block, 8, k)
                                                     : look_at(l, by, block, block->nodes, k));
    if (some) find_in(l, block, k, some, at, found);
  }
}

/* How many points a pass looks for. */
static hk_count abreast(const hk_locator *l)
{
  return linear(l->mesh) ? ABREAST_BY_SIDES : ABREAST;
}

/* element[p] of at most abreast(l) points, by a pass over all elements. */
static hk_status scan(hk_locator *l, hk_count points, const double *at, hk_index *element)
{
  const hk_mesh *mesh = l->mesh;
  sieve by = {{{0}}, {{0}}};
  if (linear(mesh)) {
    if (!l->sides) HK_PASS(create_sides(l));
    fill_sides(l, points, at);
  } else {
    if (!l->raster.cell) HK_PASS(create_raster(l));
    fill_sieve(l, points, at, &by);
  }
  for (hk_count p = 0; p < points; p++) element[p] = -1;
#pragma omp parallel
  {
    hk_index found[ABREAST];
    for (hk_count p = 0; p < points; p++) found[p] = -1;
    for (int b = 0; b < mesh->block_count; b++)
      scan_block(l, &by, &mesh->block[b], (1U << points) - 1, at, found);
#pragma omp critical(hk_locator)
    for (hk_count p = 0; p < points; p++)
      if (found[p] >= 0 && (element[p] < 0 || found[p] < element[p])) element[p] = found[p];
  }
  return HK_OK;
}

/* The lowest element that holds the point; or each is a hit. */
static hk_index descend(const hk_locator *l, hk_count point, const double *x)
{
  const int dim = l->mesh->dim;
  hk_count stack[64], depth = 0;
  hk_index found = -1;

  stack[depth++] = 1;
  while (depth > 0) {
    const hk_count i = stack[--depth];
    if (!holds(dim, &l->tree[i], x)) continue;
    if (i < l->leaves) {
      stack[depth++] = 2 * i;
      stack[depth++] = 2 * i + 1;
      continue;
    }
    const hk_count first = (i - l->leaves) * PER_LEAF;
    for (hk_count k = first; k < first + PER_LEAF && k < l->mesh->element_count; k++) {
      const hk_index e = l->order[k];
      double xi[3];
      if (found >= 0 && e > found) continue;
      const box b = box_of(l->mesh, e);
      if (!holds(dim, &b, x) || !inside(l->mesh, e, x, xi)) continue;
      if (l->hits)
        add_hit(l, point, e);
      else
        found = e;
    }
  }
  return found;
}

static hk_status search(hk_locator *l, hk_count count, const double *at, hk_index *element)
{
  const hk_count most = abreast(l), passes = (count + most - 1) / most;
  const hk_count most_passes = linear(l->mesh) ? MOST_PASSES_BY_SIDES : MOST_PASSES;
  if (!l->leaves && l->passes + passes > most_passes) HK_PASS(build_tree(l));
  for (hk_count p = 0; !l->leaves && p < count; p += most, l->passes++) {
    l->first = p;
    HK_PASS(scan(l, count - p < most ? count - p : most, at + 3 * p, element + p));
  }
#pragma omp parallel for schedule(dynamic, 16) if (l->leaves)
  for (hk_count p = 0; p < count; p++)
    if (l->leaves) element[p] = descend(l, p, at + 3 * p);
  return HK_OK;
}

hk_status hk_locator_find(hk_locator *l, hk_count count, const double *at, hk_index *element,
                          double *xi)
{
  HK_PASS(search(l, count, at, element));
#pragma omp parallel for schedule(dynamic, 16) if (l->leaves)
  for (hk_count p = 0; p < count; p++)
    if (element[p] >= 0) inside(l->mesh, element[p], at + 3 * p, xi + 3 * p);
  return HK_OK;
}

static int by_point(const void *a, const void *b)
{
  const hit *x = a, *y = b;
  if (x->point != y->point) return x->point < y->point ? -1 : 1;
  return (x->element > y->element) - (x->element < y->element);
}

static hk_status lay_out_hits(const hk_mesh *mesh, hit_list *found, hk_count count,
                              const double *at, hk_pool *pool, hk_holders *out)
{
  const hk_count total = found->of.count;
  HK_PASS(hk_pool_get(pool, &out->begin, count + 1));
  HK_PASS(hk_pool_get(pool, &out->element, total));
  HK_PASS(hk_pool_get(pool, &out->xi, total));
  if (total) qsort(found->of.at, (size_t)total, sizeof *found->of.at, by_point);
  for (hk_count i = 0; i < total; i++) {
    const hit *h = &found->of.at[i];
    out->begin[h->point + 1]++;
    out->element[i] = h->element;
    inside(mesh, h->element, at + 3 * h->point, out->xi[i]);
  }
  for (hk_count p = 0; p < count; p++) out->begin[p + 1] += out->begin[p];
  out->points = count;
  return HK_OK;
}

hk_status hk_locator_find_all(hk_locator *l, hk_count count, const double *at, hk_pool *pool,
                              hk_holders *out)
{
  hk_status status = HK_OK;
  hit_list found = {{0}, {0}};
  hk_index *element = NULL;
  *out = (hk_holders){0};
  HK_TRY(hk_get(&element, count));
  l->hits = &found;
  HK_TRY(search(l, count, at, element));
  HK_TRY(hk_failure_tell(&found.failure));
  HK_TRY(lay_out_hits(l->mesh, &found, count, at, pool, out));
cleanup:
  l->hits = NULL;
  hk_free(&element);
  hk_free(&found.of.at);
  return status;
}
