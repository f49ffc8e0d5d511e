/* Distance from a point to a set of faces: triangles, segments, nodes in a binary tree of boxes, halved along an axis
 * by quickselect. The search goes depth first and leaves out boxes that are farther than what was found: O(log n).
 * Nodes stand for the boundary faces whose corners are all among them. */
#include "load/absorb/distance.h"
#include "element/element.h"
#include <math.h>

enum { LEAF = 4, MOST_DEPTH = 64 };

typedef struct facet { /* corner[1..3], repeated when there are fewer */
  double corner[3][3];
} facet;

typedef struct box { /* of facets [first, first + count); its halves at 2 i + 1 and 2 i + 2 */
  double low[3], high[3];
  hk_count first, count;
} box;

struct hk_distance {
  const hk_mesh *mesh;
  hk_count count, capacity;
  facet *facet; /* facet[count], ordered by the tree */
  hk_count boxes;
  box *box; /* an implicit binary tree */
};

void hk_distance_destroy(hk_distance **distance)
{
  hk_distance *d = *distance;
  if (!d) return;
  hk_free(&d->facet);
  hk_free(&d->box);
  hk_free(distance);
}

static hk_status add_facet(hk_distance *d, const hk_index *node, int corners)
{
  const int dim = d->mesh->dim;
  const hk_status status = hk_reserve(&d->facet, d->count + 1, &d->capacity);
  if (status != HK_OK) return status;
  facet *f = d->facet + d->count++;
  *f = (facet){0};
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < dim; c++)
      f->corner[k][c] = d->mesh->x[(hk_count)node[k < corners ? k : corners - 1] * dim + c];
  return HK_OK;
}

static int corners_of(const hk_element_face *face)
{
  return face->shape == HK_SHAPE_COUNT ? 2 : hk_element_of(face->shape)->vertices;
}

static hk_status add_face(hk_distance *d, hk_index e, int face)
{
  const hk_element_face *f = &hk_element_of(hk_mesh_block_of(d->mesh, e)->shape)->face[face];
  const hk_index *node = hk_mesh_nodes_of(d->mesh, e);
  const int corners = corners_of(f);
  hk_index corner[4] = {0};
  for (int k = 0; k < corners; k++) corner[k] = node[f->node[k]];
  HK_PASS(add_facet(d, corner, corners < 3 ? corners : 3));
  if (corners == 4) HK_PASS(add_facet(d, (hk_index[3]){corner[0], corner[2], corner[3]}, 3));
  return HK_OK;
}

/* Adds the boundary faces whose corners are all marked; the mark of their nodes becomes 2. */
static hk_status add_marked_faces(hk_distance *d, uint8_t *mark)
{
  hk_status status = HK_OK;
  hk_index *element = NULL;
  uint8_t *face = NULL;
  hk_count count;
  HK_TRY(hk_mesh_boundary(d->mesh, &count, &element, &face));
  for (hk_count i = 0; i < count; i++) {
    const hk_element_face *f =
        &hk_element_of(hk_mesh_block_of(d->mesh, element[i])->shape)->face[face[i]];
    const hk_index *node = hk_mesh_nodes_of(d->mesh, element[i]);
    bool all = true;
    for (int k = 0; k < corners_of(f); k++) all = all && mark[node[f->node[k]]];
    if (!all) continue;
    for (int k = 0; k < f->nodes; k++) mark[node[f->node[k]]] = 2;
    HK_TRY(add_face(d, element[i], face[i]));
  }
cleanup:
  hk_free(&element);
  hk_free(&face);
  return status;
}

static hk_status add_nodes(hk_distance *d, hk_count count, const hk_index *node)
{
  hk_status status = HK_OK;
  uint8_t *mark = NULL;
  HK_TRY(hk_get(&mark, d->mesh->node_count));
  for (hk_count i = 0; i < count; i++) mark[node[i]] = 1;
  HK_TRY(add_marked_faces(d, mark));
  for (hk_count i = 0; i < count; i++)
    if (mark[node[i]] == 1) HK_TRY(add_facet(d, &node[i], 1));
cleanup:
  hk_free(&mark);
  return status;
}

static double centre(const facet *f, int axis)
{
  return f->corner[0][axis] + f->corner[1][axis] + f->corner[2][axis];
}

/* Puts the `middle` smallest along the axis first (quickselect). */
static void halve(facet *f, hk_count count, hk_count middle, int axis)
{
  hk_count low = 0, high = count - 1;
  while (low < high) {
    const double pivot = centre(&f[low + (high - low) / 2], axis);
    hk_count i = low, j = high;
    while (i <= j) {
      while (centre(&f[i], axis) < pivot) i++;
      while (centre(&f[j], axis) > pivot) j--;
      if (i > j) break;
      const facet swap = f[i];
      f[i++] = f[j], f[j--] = swap;
    }
    if (middle <= j)
      high = j;
    else if (middle >= i)
      low = i;
    else
      return;
  }
}

static void build(hk_distance *d, hk_count at, hk_count first, hk_count count)
{
  box *b = &d->box[at];
  *b = (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, first, count};
  int axis = 0;
  for (hk_count i = first; i < first + count; i++)
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++) {
        b->low[c] = fmin(b->low[c], d->facet[i].corner[k][c]);
        b->high[c] = fmax(b->high[c], d->facet[i].corner[k][c]);
      }
  if (2 * at + 2 >= d->boxes) return;
  for (int c = 1; c < 3; c++)
    if (b->high[c] - b->low[c] > b->high[axis] - b->low[axis]) axis = c;
  if (count > 1) halve(d->facet + first, count, count / 2, axis);
  build(d, 2 * at + 1, first, count / 2);
  build(d, 2 * at + 2, first + count / 2, count - count / 2);
}

hk_status hk_distance_create(const hk_mesh *mesh, hk_count count, const hk_index *item,
                             const uint8_t *face, hk_distance **out)
{
  hk_status status = HK_OK;
  hk_distance *d = NULL;
  HK_TRY(hk_new(&d));
  d->mesh = mesh;
  if (face)
    for (hk_count i = 0; i < count; i++) HK_TRY(add_face(d, item[i], face[i]));
  else
    HK_TRY(add_nodes(d, count, item));
  hk_count leaves = 1;
  while (leaves * LEAF < d->count) leaves *= 2;
  d->boxes = 2 * leaves - 1;
  HK_TRY(hk_get(&d->box, d->boxes));
  build(d, 0, 0, d->count);
  *out = d, d = NULL;
cleanup:
  hk_distance_destroy(&d);
  return status;
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double square_to_segment(const double p[3], const double a[3], const double b[3])
{
  const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double ap[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
  const double length = dot(ab, ab);
  const double s = length > 0 ? fmin(1, fmax(0, dot(ap, ab) / length)) : 0;
  const double r[3] = {ap[0] - s * ab[0], ap[1] - s * ab[1], ap[2] - s * ab[2]};
  return dot(r, r);
}

/* Over the inside of the triangle: the plane; else the nearest side. */
static double square_to_facet(const double p[3], const facet *f)
{
  const double *a = f->corner[0], *b = f->corner[1], *c = f->corner[2];
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  const double w[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v);
  const double det = uu * vv - uv * uv;
  if (det > 1e-14 * uu * vv) {
    const double s = (vv * wu - uv * wv) / det, t = (uu * wv - uv * wu) / det;
    if (s >= 0 && t >= 0 && s + t <= 1) {
      const double r[3] = {w[0] - s * u[0] - t * v[0], w[1] - s * u[1] - t * v[1],
                           w[2] - s * u[2] - t * v[2]};
      return dot(r, r);
    }
  }
  return fmin(square_to_segment(p, a, b),
              fmin(square_to_segment(p, b, c), square_to_segment(p, c, a)));
}

static double square_to_box(const double p[3], const box *b)
{
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    const double out = fmax(0, fmax(b->low[c] - p[c], p[c] - b->high[c]));
    sum += out * out;
  }
  return sum;
}

double hk_distance_to(const hk_distance *d, const double *x, double limit)
{
  hk_count stack[MOST_DEPTH];
  int depth = 0;
  double p[3] = {0}, best = limit * limit;
  for (int c = 0; c < d->mesh->dim; c++) p[c] = x[c];
  if (d->count && square_to_box(p, d->box) < best) stack[depth++] = 0;
  while (depth) {
    const hk_count at = stack[--depth], left = 2 * at + 1, right = left + 1;
    const box *b = &d->box[at];
    if (square_to_box(p, b) >= best) continue;
    if (right >= d->boxes) {
      for (hk_count i = b->first; i < b->first + b->count; i++)
        best = fmin(best, square_to_facet(p, &d->facet[i]));
      continue;
    }
    const bool left_first = square_to_box(p, &d->box[left]) < square_to_box(p, &d->box[right]);
    stack[depth++] = left_first ? right : left; /* the near one is taken first */
    stack[depth++] = left_first ? left : right;
  }
  return sqrt(best);
}
