/* What is seen of a grid. In 2D these are all elements, in 3D the faces that belong to one element only: faces are
 * sorted by their three smallest corners, and equal neighbours in that order cancel; sides of polygons likewise. All threads sort. Each face becomes a fan of
 * triangles around its centre, whose value is that of the shape functions there. Edges of the outline belong to one
 * polygon (2D) or lie between polygons whose normals differ by more than 40 degrees (3D). */
#include "picture/figure.h"
#include "element/element.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* corners in order; of shapes of second order with the nodes between them */
typedef struct polygon {
  int count;
  hk_index cell; /* whose face it is */
  hk_index node[8];
  hk_index middle; /* node in the centre; -1: none */
  bool curved;     /* every second node is a middle of an edge */
} polygon;

typedef struct face { /* of a 3D cell, for finding those that have no neighbour */
  hk_index key[3];    /* its three smallest corners */
  hk_index cell;
  uint8_t number;
} face;

static const hk_element *element_of(const hk_field_grid *g, hk_count cell)
{
  return hk_element_of(hk_shape_of_vtk(g->type[cell]));
}

static int faces_of(const hk_field_grid *g, hk_count cell)
{
  const hk_element *e = element_of(g, cell);
  return e->dim == 3 ? e->faces : 0;
}

/* The corners list[0 .. corners) of a cell; curved: with the nodes between them, which follow in the list. VTK numbers vertices and
 * middles of edges as hooke does. */
static polygon make_polygon(const int64_t *node, const int *list, int corners, bool curved)
{
  polygon p = {.middle = -1, .curved = curved};
  for (int k = 0; k < corners; k++) {
    p.node[p.count++] = (hk_index)node[list[k]];
    if (curved) p.node[p.count++] = (hk_index)node[list[corners + k]];
  }
  return p;
}

static bool plane_polygon(const hk_field_grid *g, hk_count cell, polygon *p)
{
  static const int list[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int64_t *node = g->link + g->offset[cell];
  const hk_element *e = element_of(g, cell);
  if (e->dim != 2) return false;
  *p = make_polygon(node, list, e->vertices, e->order == 2);
  if (e->shape == HK_QUAD9) p->middle = (hk_index)node[8];
  p->cell = (hk_index)cell;
  return true;
}

/* between: with the middles of its edges, if the element has some. */
static polygon face_polygon(const hk_field_grid *g, hk_count cell, int number, bool between)
{
  const hk_element *e = element_of(g, cell);
  const hk_element_face *given = &e->face[number];
  polygon p = make_polygon(g->link + g->offset[cell], given->node,
                           hk_element_of(given->shape)->vertices, between && e->order == 2);
  p.cell = (hk_index)cell;
  return p;
}

static int by_key(const void *a, const void *b)
{
  const face *p = a, *q = b;
  for (int k = 0; k < 3; k++)
    if (p->key[k] != q->key[k]) return p->key[k] < q->key[k] ? -1 : 1;
  if (p->cell != q->cell) return p->cell < q->cell ? -1 : 1;
  return (p->number > q->number) - (p->number < q->number);
}

static void set_key(const polygon *p, face *f)
{
  hk_index n[4] = {0};
  for (int k = 0; k < p->count; k++) {
    int j = k;
    for (; j > 0 && n[j - 1] > p->node[k]; j--) n[j] = n[j - 1];
    n[j] = p->node[k];
  }
  memcpy(f->key, n, sizeof f->key);
}

/* The faces of the cells in lists, one for each smallest corner, by all threads and in any order: list i is f[begin[i] .. begin[i + 1]). */
static hk_status list_faces(const hk_field_grid *g, hk_count *begin, face **out)
{
  hk_status status = HK_OK;
  face *f = NULL;
  for (int fill = 0; fill < 2; fill++) { /* list i is counted at i + 2, filled at i + 1 */
#pragma omp parallel for schedule(static)
    for (hk_count e = 0; e < g->cells; e++)
      for (int k = 0, n = faces_of(g, e); k < n; k++) {
        face one = {.cell = (hk_index)e, .number = (uint8_t)k};
        const polygon p = face_polygon(g, e, k, false);
        hk_count at;
        set_key(&p, &one);
        hk_count *place = &begin[one.key[0] + 2 - fill];
#pragma omp atomic capture
        at = (*place)++;
        if (fill) f[at] = one;
      }
    for (hk_count i = 0; !fill && i < g->nodes; i++) begin[i + 2] += begin[i + 1];
    if (!fill) HK_TRY(hk_get(&f, begin[g->nodes + 1]));
  }
  *out = f, f = NULL;
cleanup:
  hk_free(&f);
  return status;
}

/* Orders f[count] and keeps the faces that have no twin; returns how many. */
static hk_count drop_twins(face *f, hk_count count)
{
  hk_count found = 0;
  if (count > 1) qsort(f, (size_t)count, sizeof *f, by_key);
  for (hk_count i = 0; i < count; i++) {
    const bool twin = i + 1 < count && !memcmp(f[i].key, f[i + 1].key, sizeof f->key);
    if (twin)
      i++;
    else
      f[found++] = f[i];
  }
  return found;
}

/* Of all faces those without a twin, which has the same smallest corner; in the order of by_key, whatever the threads. */
static hk_status boundary_polygons(const hk_field_grid *g, hk_count *count, polygon **out)
{
  hk_status status = HK_OK;
  hk_count *begin = NULL, *found = NULL;
  face *f = NULL;
  HK_TRY(hk_get(&begin, g->nodes + 2));
  HK_TRY(hk_get(&found, g->nodes + 1)); /* polygons of the lists before i */
  HK_TRY(list_faces(g, begin, &f));
#pragma omp parallel for schedule(dynamic, 4096)
  for (hk_count i = 0; i < g->nodes; i++)
    found[i + 1] = drop_twins(f + begin[i], begin[i + 1] - begin[i]);
  for (hk_count i = 0; i < g->nodes; i++) found[i + 1] += found[i];
  HK_TRY(hk_get(out, found[g->nodes]));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < g->nodes; i++)
    for (hk_count k = found[i]; k < found[i + 1]; k++) {
      const face *one = &f[begin[i] + k - found[i]];
      (*out)[k] = face_polygon(g, one->cell, one->number, true);
    }
  *count = found[g->nodes];
cleanup:
  hk_free(&begin);
  hk_free(&found);
  hk_free(&f);
  return status;
}

static hk_status plane_polygons(const hk_field_grid *g, hk_count *count, polygon **out)
{
  hk_count found = 0;
  HK_PASS(hk_get(out, g->cells));
  for (hk_count e = 0; e < g->cells; e++) found += plane_polygon(g, e, &(*out)[found]);
  *count = found;
  return HK_OK;
}

/* Triangles: each polygon a fan around its centre. */

/* The value in the centre: of its node, of corners, of corners and the middles of edges by turns. */
enum { MIDDLE, CORNERS, SIX, EIGHT, RULES };

static const struct {
  int nodes;
  double weight[8];
} centre_rule[RULES] = {[MIDDLE] = {1, {1}},
                        [CORNERS] = {4, {.25, .25, .25, .25}},
                        [SIX] = {6, {-1.0 / 9, 4.0 / 9, -1.0 / 9, 4.0 / 9, -1.0 / 9, 4.0 / 9}},
                        [EIGHT] = {8, {-.25, .5, -.25, .5, -.25, .5, -.25, .5}}};

static int rule_of(const polygon *p)
{
  return p->middle >= 0 ? MIDDLE : !p->curved ? CORNERS : p->count == 8 ? EIGHT : SIX;
}

/* Of a solid: number[node of the grid], from 0, of those that polygons have. */
static hk_status number_nodes(hk_surface *s, const hk_field_grid *g, hk_count count,
                              const polygon *p, hk_index **number)
{
  HK_PASS(hk_get(number, g->nodes));
  for (hk_count i = 0; i < count; i++)
    for (int k = 0; k < p[i].count; k++) (*number)[p[i].node[k]] = 1;
  for (hk_count n = 0; n < g->nodes; n++) s->nodes += (*number)[n];
  HK_PASS(hk_pool_get(&s->pool, &s->node, s->nodes));
  for (hk_count n = 0, next = 0; n < g->nodes; n++)
    if ((*number)[n]) s->node[next] = (hk_index)n, (*number)[n] = (hk_index)next++;
  return HK_OK;
}

/* number: as above; NULL: nodes are corners. */
static hk_index corner_of(const hk_index *number, hk_index node)
{
  return number ? number[node] : node;
}

static hk_status make_triangles(hk_surface *s, const hk_index *number, hk_count count,
                                const polygon *p)
{
  hk_count most = 0;
  for (hk_count i = 0; i < count; i++) most += p[i].count;
  HK_PASS(hk_pool_get(&s->pool, &s->triangle, most));
  HK_PASS(hk_pool_get(&s->pool, &s->cell, count));
  s->polygons = count;
  HK_PASS(hk_pool_get(&s->pool, &s->rule, count));
  HK_PASS(hk_pool_get(&s->pool, &s->around, most));
  HK_PASS(hk_pool_get(&s->pool, &s->start, count / HK_SURFACE_RUN + 1));
  hk_index *around = s->around;
  for (hk_count i = 0; i < count; i++) {
    const bool whole = p[i].count == 3;
    const hk_index centre = (hk_index)(s->nodes + s->centres);
    s->cell[i] = p[i].cell;
    for (int k = 0; k < (whole ? 1 : p[i].count); k++) {
      hk_index *t = s->triangle[s->triangles++];
      t[0] = corner_of(number, p[i].node[k]);
      t[1] = corner_of(number, p[i].node[(k + 1) % p[i].count]);
      t[2] = whole ? corner_of(number, p[i].node[2]) : centre;
    }
    if (whole) continue;
    const int rule = rule_of(&p[i]), nodes = centre_rule[rule].nodes;
    if (s->centres % HK_SURFACE_RUN == 0)
      s->start[s->centres / HK_SURFACE_RUN] = around - s->around;
    s->rule[s->centres++] = (uint8_t)rule;
    memcpy(around, rule == MIDDLE ? &p[i].middle : p[i].node, (size_t)nodes * sizeof *around);
    around += nodes;
  }
  s->corners = s->nodes + s->centres;
  return HK_OK;
}

typedef struct side { /* of a polygon, in the list of its smaller node */
  hk_index other, polygon;
} side;

static int by_other(const void *a, const void *b)
{
  const side *p = a, *q = b;
  if (p->other != q->other) return p->other < q->other ? -1 : 1;
  return (p->polygon > q->polygon) - (p->polygon < q->polygon);
}

static void polygon_normal(const hk_field_grid *g, const polygon *p, float *normal)
{
  const double *x[3];
  double u[3], v[3], n[3], length = 0;
  for (int k = 0; k < 3; k++) x[k] = g->point + 3 * p->node[k * (p->count > 4 ? 2 : 1)];
  for (int d = 0; d < 3; d++) u[d] = x[1][d] - x[0][d], v[d] = x[2][d] - x[0][d];
  for (int d = 0; d < 3; d++) {
    n[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
    length += n[d] * n[d];
  }
  for (int d = 0; d < 3; d++) normal[d] = (float)(length > 0 ? n[d] / sqrt(length) : 0);
}

static bool sharp(const hk_field_grid *g, const polygon *p, const polygon *q)
{
  float n[2][3], dot = 0;
  polygon_normal(g, p, n[0]), polygon_normal(g, q, n[1]);
  for (int d = 0; d < 3; d++) dot += n[0][d] * n[1][d];
  return !(dot > .766f); /* cos 40 degrees */
}

/* The sides of all polygons in lists, one for each smaller node, by all threads and in any order, as list_faces. */
static hk_status list_sides(hk_count nodes, hk_count count, const polygon *p, hk_count *begin,
                            side **out)
{
  hk_status status = HK_OK;
  side *f = NULL;
  for (int fill = 0; fill < 2; fill++) {
#pragma omp parallel for schedule(static)
    for (hk_count i = 0; i < count; i++)
      for (int k = 0; k < p[i].count; k++) {
        const hk_index a = p[i].node[k], b = p[i].node[(k + 1) % p[i].count];
        hk_count *place = &begin[(a < b ? a : b) + 2 - fill], at;
#pragma omp atomic capture
        at = (*place)++;
        if (fill) f[at] = (side){a < b ? b : a, (hk_index)i};
      }
    for (hk_count i = 0; !fill && i < nodes; i++) begin[i + 2] += begin[i + 1];
    if (!fill) HK_TRY(hk_get(&f, begin[nodes + 1]));
  }
  *out = f, f = NULL;
cleanup:
  hk_free(&f);
  return status;
}

/* Orders f[count] and keeps the sides that are edges; returns how many. */
static hk_count keep_edges(const hk_field_grid *g, bool flat, const polygon *p, side *f,
                           hk_count count)
{
  hk_count found = 0;
  if (count > 1) qsort(f, (size_t)count, sizeof *f, by_other);
  for (hk_count i = 0; i < count; i++) {
    const bool twin = i + 1 < count && f[i].other == f[i + 1].other;
    if (!twin || (!flat && sharp(g, &p[f[i].polygon], &p[f[i + 1].polygon]))) f[found++] = f[i];
    i += twin;
  }
  return found;
}

/* In the order of their nodes, whatever the threads. */
static hk_status make_edges(hk_surface *s, const hk_field_grid *g, const hk_index *number,
                            hk_count count, const polygon *p)
{
  hk_status status = HK_OK;
  hk_count *begin = NULL, *found = NULL;
  side *f = NULL;
  HK_TRY(hk_get(&begin, g->nodes + 2));
  HK_TRY(hk_get(&found, g->nodes + 1)); /* edges of the lists before i */
  HK_TRY(list_sides(g->nodes, count, p, begin, &f));
#pragma omp parallel for schedule(dynamic, 4096)
  for (hk_count i = 0; i < g->nodes; i++)
    found[i + 1] = keep_edges(g, s->flat, p, f + begin[i], begin[i + 1] - begin[i]);
  for (hk_count i = 0; i < g->nodes; i++) found[i + 1] += found[i];
  s->edges = found[g->nodes];
  HK_TRY(hk_pool_get(&s->pool, &s->edge, s->edges));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < g->nodes; i++)
    for (hk_count k = found[i]; k < found[i + 1]; k++) {
      s->edge[k][0] = corner_of(number, (hk_index)i);
      s->edge[k][1] = corner_of(number, f[begin[i] + k - found[i]].other);
    }
cleanup:
  hk_free(&begin);
  hk_free(&found);
  hk_free(&f);
  return status;
}

static void find_box(const hk_field_grid *g, hk_surface *s)
{
  for (int d = 0; d < 3; d++) {
    double low = INFINITY, high = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (hk_count i = 0; i < g->links; i++) {
      const double x = g->point[3 * g->link[i] + d];
      low = x < low ? x : low, high = x > high ? x : high;
    }
    s->low[d] = low, s->high[d] = high;
  }
}

hk_status hk_surface_create(const hk_field_grid *grid, hk_surface **out)
{
  hk_status status = HK_OK;
  const hk_field_grid *g = grid;
  hk_field_grid *fine = NULL;
  hk_surface *s = NULL;
  polygon *p = NULL;
  hk_index *number = NULL;
  hk_count count = 0;

  HK_TRY(hk_new(&s));
  HK_CHECK(g->cells > 0, HK_BAD_INPUT, "a field without elements cannot be drawn");
  if (hk_lagrange_any(grid)) {
    HK_TRY(hk_lagrange_refine(grid, &fine));
    g = fine;
  }
  s->flat = hk_shape_of_vtk(g->type[0]) <= HK_QUAD9;
  HK_TRY((s->flat ? plane_polygons : boundary_polygons)(g, &count, &p));
  s->nodes = s->flat ? g->nodes : 0;
  if (!s->flat) HK_TRY(number_nodes(s, g, count, p, &number));
  HK_TRY(make_triangles(s, number, count, p));
  HK_TRY(make_edges(s, g, number, count, p));
  find_box(g, s);
  *out = s, s = NULL;
cleanup:
  hk_free(&p);
  hk_free(&number);
  hk_field_grid_destroy(&fine);
  hk_surface_destroy(&s);
  return status;
}

int hk_surface_around(const hk_surface *s, hk_count centre)
{
  return centre_rule[s->rule[centre]].nodes;
}

void hk_surface_destroy(hk_surface **surface)
{
  if (!*surface) return;
  hk_pool_clear(&(*surface)->pool);
  hk_free(surface);
}

/* to[centres][width] of the centres from `first` to before `end`; around: the nodes of the first of them. */
static void spread_centres(const hk_surface *s, hk_count first, hk_count end,
                           const hk_index *around, int width, const double *from, double *to)
{
  for (hk_count i = first; i < end; i++) {
    const double *weight = centre_rule[s->rule[i]].weight;
    const int count = centre_rule[s->rule[i]].nodes;
    double *sum = to + i * width;
    for (int c = 0; c < width; c++) sum[c] = 0;
    for (int k = 0; k < count; k++)
      for (int c = 0; c < width; c++) sum[c] += weight[k] * from[(hk_count)around[k] * width + c];
    around += count;
  }
}

void hk_surface_spread(const hk_surface *s, int width, const double *from, double *to)
{
  const size_t row = (size_t)width * sizeof *to;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (hk_count i = 0; i < s->nodes; i++)
      memcpy(to + i * width, from + (s->node ? (hk_count)s->node[i] : i) * width, row);
#pragma omp for schedule(static)
    for (hk_count i = 0; i < s->centres; i += HK_SURFACE_RUN) {
      const hk_count end = i + HK_SURFACE_RUN < s->centres ? i + HK_SURFACE_RUN : s->centres;
      spread_centres(s, i, end, s->around + s->start[i / HK_SURFACE_RUN], width, from,
                     to + s->nodes * width);
    }
  }
}
