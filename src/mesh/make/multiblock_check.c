/* The sides of blocks, and whether those that lie on each other are joined. Two sides with the same corner nodes must have no face on the
 * boundary of the joined mesh, else their edges or cells differ. Behind every face of that boundary, 1e-2 of its size outwards, no element may
 * lie, else two blocks touch without matching or overlap. A third block on one side is refused. */
#include "mesh/make/multiblock_parts.h"
#include "mesh/topology.h"
#include "base/sort.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double OUTWARD = 1e-2; /* of a face's size: where nothing must be */

static int vertices_of(const hk_multiblock_maker *m)
{
  return m->desc->dim == 2 ? 2 : 4;
}

/* The direction across side f, and its end: 0, 1. */
static void across_side(const hk_multiblock_maker *m, int f, int *direction, int *end)
{
  const int *node = m->linear->face[f].node;
  for (int d = 0; d < m->desc->dim; d++) {
    bool same = true;
    for (int v = 1; v < vertices_of(m); v++)
      same = same && m->linear->reference[node[v]][d] == m->linear->reference[node[0]][d];
    if (same) *direction = d, *end = m->linear->reference[node[0]][d] > 0;
  }
}

void hk_multiblock_side(const hk_multiblock_maker *m, int b, int f, hk_count *count, hk_index *list)
{
  const hk_part *part = &m->desc->part[b];
  const hk_count depth = m->desc->dim == 3 ? part->cells[2] : 1;
  int d = 0, end = 0;
  across_side(m, f, &d, &end);
  *count = 0;
  for (hk_count k = 0; k < depth; k++)
    for (hk_count j = 0; j < part->cells[1]; j++)
      for (hk_count i = 0; i < part->cells[0]; i++) {
        const hk_count at[3] = {i, j, k};
        if (at[d] != (end ? part->cells[d] - 1 : 0)) continue;
        if (list)
          list[*count] =
              (hk_index)(m->lattice[b].first + i + part->cells[0] * (j + part->cells[1] * k));
        ++*count;
      }
}

static hk_index corner_node(const hk_multiblock_maker *m, int b, int corner)
{
  const hk_lattice *l = &m->lattice[b];
  hk_count at[3] = {0};
  for (int d = 0; d < m->desc->dim; d++)
    at[d] = m->linear->reference[corner][d] > 0 ? l->line[d] - 1 : 0;
  return l->node[at[0] + l->line[0] * (at[1] + l->line[1] * at[2])];
}

void hk_multiblock_corners(const hk_multiblock_maker *m, int b, int f, hk_index corner[4])
{
  const int vertices = vertices_of(m);
  for (int v = 0; v < 4; v++)
    corner[v] = v < vertices ? corner_node(m, b, m->linear->face[f].node[v]) : -1;
  hk_sort_few(vertices, corner);
}

void hk_multiblock_side_name(const hk_multiblock_maker *m, int b, int f, size_t size, char *text)
{
  size_t at = 0;
  text[0] = 0;
  for (int v = 0; v < vertices_of(m) && at < size; v++)
    at +=
        (size_t)snprintf(text + at, size - at, "%s%s", v ? " " : "",
                         m->desc->point_name[m->desc->part[b].corner[m->linear->face[f].node[v]]]);
}

static hk_status refuse(const hk_multiblock_maker *m, const int b[2], const int f[2])
{
  char side[2][200];
  for (int k = 0; k < 2; k++) hk_multiblock_side_name(m, b[k], f[k], sizeof side[k], side[k]);
  return hk_error_set(
      HK_BAD_INPUT,
      "side (%s) of block %s and side (%s) of block %s coincide but do not match: give both the "
      "same edges, numbers of cells and grading (its inverse if they run in opposite directions)",
      side[0], m->desc->part[b[0]].name, side[1], m->desc->part[b[1]].name);
}

typedef struct side {
  hk_index corner[4];
  int block, face;
} side;

static int by_corners(const void *p, const void *q)
{
  const side *a = p, *b = q;
  for (int v = 0; v < 4; v++)
    if (a->corner[v] != b->corner[v]) return a->corner[v] < b->corner[v] ? -1 : 1;
  return a->block != b->block ? (a->block > b->block) - (a->block < b->block)
                              : (a->face > b->face) - (a->face < b->face);
}

/* mark[face of element] of the boundary that the joined mesh has: an inner side has none of it. */
static bool has_boundary(const side *s, const uint8_t *mark, hk_count count, const hk_index *list)
{
  for (hk_count k = 0; k < count; k++)
    if (mark[list[k]] >> s->face & 1) return true;
  return false;
}

/* Two sides of the same corners are joined throughout. */
static hk_status check_pairs(const hk_multiblock_maker *m, const uint8_t *mark)
{
  hk_status status = HK_OK;
  const int faces = m->linear->faces, sides = faces * m->desc->parts;
  hk_pool pool = {0};
  side *list;
  hk_index *element;
  hk_count count;
  HK_TRY(hk_pool_get(&pool, &list, sides));
  HK_TRY(hk_pool_get(&pool, &element, m->mesh->element_count));
  for (int s = 0; s < sides; s++) {
    list[s].block = s / faces, list[s].face = s % faces;
    hk_multiblock_corners(m, list[s].block, list[s].face, list[s].corner);
  }
  qsort(list, (size_t)sides, sizeof *list, by_corners);
  for (int s = 1; s < sides; s++) {
    if (memcmp(list[s].corner, list[s - 1].corner, sizeof list->corner) != 0) continue;
    const int b[2] = {list[s - 1].block, list[s].block}, f[2] = {list[s - 1].face, list[s].face};
    hk_multiblock_side(m, b[0], f[0], &count, element);
    HK_CHECK(s < 2 || memcmp(list[s].corner, list[s - 2].corner, sizeof list->corner) != 0,
             HK_BAD_INPUT, "blocks %s, %s and %s share one side: at most two can",
             m->desc->part[list[s - 2].block].name, m->desc->part[b[0]].name,
             m->desc->part[b[1]].name);
    if (has_boundary(&list[s - 1], mark, count, element)) HK_TRY(refuse(m, b, f));
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static int part_of(const hk_multiblock_maker *m, hk_index element)
{
  int b = m->desc->parts - 1;
  while (m->lattice[b].first > element) b--;
  return b;
}

/* A point a little outside of a face of the boundary, beside its middle: the last of its nodes where the geometry is of second order. */
static void point_outside(const hk_multiblock_maker *m, hk_index element, int f, double x[3])
{
  const int dim = m->desc->dim, vertices = vertices_of(m);
  const hk_index *node = hk_mesh_nodes_of(m->mesh, element);
  const hk_element_face *face = &m->element->face[f];
  const double *middle = m->mesh->x + (hk_count)node[face->node[face->nodes - 1]] * dim;
  double v[4][3] = {{0}}, a[3] = {0}, b[3] = {0}, normal[3], size = 0;
  for (int k = 0; k < vertices; k++)
    for (int c = 0; c < dim; c++) v[k][c] = m->mesh->x[(hk_count)node[face->node[k]] * dim + c];
  for (int c = 0; c < 3; c++) {
    x[c] = 0;
    for (int k = 0; k < vertices; k++) x[c] += v[k][c] / vertices;
    if (m->desc->order == 2 && c < dim) x[c] = middle[c];
    a[c] = dim == 2 ? v[1][c] - v[0][c] : v[2][c] - v[0][c];
    b[c] = dim == 2 ? (c == 2) : v[3][c] - v[1][c];
  }
  for (int c = 0; c < 3; c++) {
    normal[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
    size += normal[c] * normal[c];
  }
  size = sqrt(size); /* length (area, doubled) of the face */
  for (int c = 0; c < 3; c++)
    x[c] += OUTWARD * normal[c] / size * (dim == 2 ? size : sqrt(size / 2));
}

/* Outside the boundary of the joined mesh there is nothing: else two blocks touch there, or overlap. */
static hk_status check_outside(const hk_multiblock_maker *m, hk_count count,
                               const hk_index *element, const uint8_t *face)
{
  hk_status status = HK_OK;
  hk_locator *locator = NULL;
  hk_index *other = NULL;
  double *x = NULL; /* x[count][3]; then reference coordinates */
  char name[200];
  if (m->desc->parts == 1) return HK_OK;
  HK_TRY(hk_get(&other, count));
  HK_TRY(hk_get(&x, 3 * count));
  for (hk_count k = 0; k < count; k++) point_outside(m, element[k], face[k], x + 3 * k);
  HK_TRY(hk_locator_create(m->mesh, &locator));
  HK_TRY(hk_locator_find(locator, count, x, other, x));
  for (hk_count k = 0; k < count; k++) {
    if (other[k] < 0) continue;
    const int b = part_of(m, element[k]);
    hk_multiblock_side_name(m, b, face[k], sizeof name, name);
    HK_CHECK(false, HK_BAD_INPUT,
             "side (%s) of block %s touches block %s but does not match it: whole sides must meet, "
             "corner on corner, with the same cells, and blocks must not overlap",
             name, m->desc->part[b].name, m->desc->part[part_of(m, other[k])].name);
  }
cleanup:
  hk_locator_destroy(&locator);
  hk_free(&other);
  hk_free(&x);
  return status;
}

hk_status hk_multiblock_check(const hk_multiblock_maker *m)
{
  hk_status status = HK_OK;
  hk_count count;
  hk_index *element = NULL;
  uint8_t *face = NULL, *mark = NULL;
  HK_TRY(hk_mesh_boundary(m->mesh, &count, &element, &face));
  HK_TRY(hk_get(&mark, m->mesh->element_count));
  for (hk_count k = 0; k < count; k++) mark[element[k]] |= (uint8_t)(1 << face[k]);
  HK_TRY(check_pairs(m, mark));
  HK_TRY(check_outside(m, count, element, face));
cleanup:
  hk_free(&element);
  hk_free(&face);
  hk_free(&mark);
  return status;
}
