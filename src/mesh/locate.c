/* Finds the element that contains a point, and its reference coordinates.
 * Elements are sorted along a space-filling curve (Morton) and cut into leaves of eight. A binary
 * tree of bounding boxes lies above the leaves: the children of node i are 2 i and 2 i + 1, and
 * leaf k is node leaves + k.
 * Within a leaf, Newton's method inverts the map of each element whose box contains the point, with
 * coordinates relative to the element's first node to limit rounding. The lowest element wins. */
#include "element/element.h"
#include "mesh/mesh.h"
#include "base/sort.h"
#include <math.h>

enum { PER_LEAF = 8, MOST_ITERATIONS = 30 };
static const double tolerance = 1e-6; /* of the element's size */

typedef struct box {
  double low[3], high[3];
} box;

struct hk_locator {
  const hk_mesh *mesh;
  hk_pool pool; /* holds the arrays */
  hk_count leaves;
  hk_index *order; /* order[element_count] */
  box *tree;       /* tree[2 leaves]; tree[1] is the root */
};

static const box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void unite(int dim, box *a, const double *low, const double *high)
{
  for (int d = 0; d < dim; d++) {
    a->low[d] = fmin(a->low[d], low[d]);
    a->high[d] = fmax(a->high[d], high[d]);
  }
}

static bool holds(int dim, const box *b, const double *x)
{
  for (int d = 0; d < dim; d++)
    if (!(x[d] >= b->low[d] && x[d] <= b->high[d])) return false;
  return true;
}

/* Around the nodes, wider by the tolerance; curved sides bulge beyond their nodes by some of the
 * element's size. */
static box box_of(const hk_mesh *mesh, hk_index e)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_index *node = block->node + (e - block->first) * block->nodes;
  const int dim = mesh->dim;
  box b = empty;
  double size = 0;
  for (int n = 0; n < block->nodes; n++) {
    const double *x = mesh->x + (hk_count)node[n] * dim;
    unite(dim, &b, x, x);
  }
  for (int d = 0; d < dim; d++) size = fmax(size, b.high[d] - b.low[d]);
  const double margin = size * (hk_element_of(block->shape)->order > 1 ? 0.25 : 4 * tolerance);
  for (int d = 0; d < dim; d++) b.low[d] -= margin, b.high[d] += margin;
  return b;
}

/* Bits of the cell numbers cell[dim], interleaved. */
static uint64_t morton(int dim, const uint64_t *cell)
{
  uint64_t key = 0;
  for (int bit = 63 / dim - 1; bit >= 0; bit--)
    for (int d = 0; d < dim; d++) key = key << 1 | (cell[d] >> bit & 1);
  return key;
}

static hk_status order_elements(hk_locator *l)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = l->mesh;
  const int dim = mesh->dim;
  uint64_t *key = NULL, cell[3];
  box all = empty;

  HK_TRY(hk_pool_get(&l->pool, &l->order, mesh->element_count));
  HK_TRY(hk_get(&key, mesh->element_count));
  for (hk_count i = 0; i < mesh->node_count; i++)
    unite(dim, &all, mesh->x + i * dim, mesh->x + i * dim);
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const double *x = mesh->x + (hk_count)hk_mesh_nodes_of(mesh, e)[0] * dim;
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
  l->leaves = (mesh->element_count + PER_LEAF - 1) / PER_LEAF;
  HK_PASS(hk_pool_get(&l->pool, &l->tree, 2 * l->leaves));
  for (hk_count i = 0; i < 2 * l->leaves; i++) l->tree[i] = empty;
  for (hk_count i = 0; i < mesh->element_count; i++) {
    const box b = box_of(mesh, l->order[i]);
    unite(mesh->dim, &l->tree[l->leaves + i / PER_LEAF], b.low, b.high);
  }
  for (hk_count i = 2 * l->leaves - 1; i > 1; i--)
    unite(mesh->dim, &l->tree[i / 2], l->tree[i].low, l->tree[i].high);
  return HK_OK;
}

hk_status hk_locator_create(const hk_mesh *mesh, hk_locator **out)
{
  hk_status status = HK_OK;
  hk_locator *l = NULL;
  HK_TRY(hk_new(&l));
  l->mesh = mesh;
  HK_TRY(order_elements(l));
  HK_TRY(build_tree(l));
  *out = l, l = NULL;
cleanup:
  hk_locator_destroy(&l);
  return status;
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

hk_index hk_locator_find(const hk_locator *l, const double *x, double *xi)
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
      double local[3];
      if (found >= 0 && e > found) continue;
      const box b = box_of(l->mesh, e);
      if (!holds(dim, &b, x) || !inside(l->mesh, e, x, local)) continue;
      found = e;
      for (int d = 0; d < dim; d++) xi[d] = local[d];
    }
  }
  return found;
}
