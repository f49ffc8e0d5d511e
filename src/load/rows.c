/* Sparse rows of values at nodes and at points: the element at x is located, its shape functions there are the weights, and those that
 * rounding leaves out are made up for, so that weights sum to one. A force at a point is the transpose of its row.
 * A point outside the mesh is an error that names it and counts the others. */
#include "load/rows.h"
#include "element/element.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void hk_rows_clear(hk_rows *rows)
{
  hk_free(&rows->begin);
  hk_free(&rows->node);
  hk_free(&rows->weight);
  hk_free(&rows->slope);
  rows->row_count = 0;
}

static hk_status create(hk_count count, hk_count entries, hk_rows *rows)
{
  *rows = (hk_rows){0};
  HK_PASS(hk_narrow(count, "the number of sources or receivers", &rows->row_count));
  HK_PASS(hk_get(&rows->begin, count + 1));
  HK_PASS(hk_get(&rows->node, entries));
  return hk_get(&rows->weight, entries);
}

hk_status hk_rows_of_nodes(hk_count count, const hk_index *node, hk_rows *out)
{
  hk_status status = HK_OK;
  hk_rows rows = {0};
  HK_TRY(create(count, count, &rows));
  for (hk_count i = 0; i < count; i++) {
    rows.begin[i + 1] = i + 1;
    rows.node[i] = node[i];
    rows.weight[i] = 1;
  }
  *out = rows, rows = (hk_rows){0};
cleanup:
  hk_rows_clear(&rows);
  return status;
}

/* Adds the entries of the point with reference coordinates xi in element e; the weights left out
 * are made up for. */
static hk_count add_point(const hk_mesh *mesh, hk_index e, const double *xi, hk_count to,
                          hk_rows *rows)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const hk_count first = to;
  double n[HK_MOST_NODES], sum = 0;
  hk_element_functions(element, xi, n, NULL);
  for (int i = 0; i < element->nodes; i++) {
    if (fabs(n[i]) <= 1e-12) continue;
    rows->node[to] = node[i];
    rows->weight[to++] = n[i];
    sum += n[i];
  }
  for (hk_count i = first; i < to; i++) rows->weight[i] /= sum;
  return to;
}

/* The same with all nodes and the gradients of their weights. */
static hk_count add_slopes(const hk_mesh *mesh, hk_index e, const double *xi, hk_count to,
                           hk_rows *rows)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double n[HK_MOST_NODES], x[3 * HK_MOST_NODES], g[3 * HK_MOST_NODES];
  hk_element_functions(element, xi, n, NULL);
  for (int i = 0; i < element->nodes; i++)
    for (int d = 0; d < mesh->dim; d++)
      x[i * mesh->dim + d] = mesh->x[(hk_count)node[i] * mesh->dim + d];
  hk_element_physical(element, xi, x, g);
  for (int i = 0; i < element->nodes; i++, to++) {
    rows->node[to] = node[i], rows->weight[to] = n[i];
    for (int d = 0; d < 3; d++) rows->slope[to][d] = d < mesh->dim ? g[i * mesh->dim + d] : 0;
  }
  return to;
}

static hk_status outside(const hk_mesh *mesh, hk_count misses, hk_count first, const double *x)
{
  char more[64] = "", place[96];
  if (misses > 1) snprintf(more, sizeof more, " (and %lld more)", (long long)misses - 1);
  if (mesh->dim == 2)
    snprintf(place, sizeof place, "%g, %g", x[0], x[1]);
  else
    snprintf(place, sizeof place, "%g, %g, %g", x[0], x[1], x[2]);
  return hk_error_set(HK_BAD_INPUT, "point %lld at [%s]%s lies outside the mesh: move it inside",
                      (long long)first + 1, place, more);
}

static hk_count most_nodes(const hk_mesh *mesh)
{
  hk_count most = 0;
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].nodes > most) most = mesh->block[b].nodes;
  return most;
}

/* element[count], -1: none; xi[count][3]. */
static hk_status locate(const hk_mesh *mesh, hk_count count, const double *at, hk_index *element,
                        double *xi)
{
  hk_status status = HK_OK;
  hk_locator *locator = NULL;
  HK_TRY(hk_locator_create(mesh, &locator));
  HK_TRY(hk_locator_find(locator, count, at, element, xi));
cleanup:
  hk_locator_destroy(&locator);
  return status;
}

typedef struct choice { /* of the element of a point; all zero: the lowest */
  const bool *of;       /* of[mesh node] */
  bool wanted;
} choice;

/* The first of the holders of a point whose nodes are as wanted; without one the first. */
static hk_count preferred(const hk_mesh *mesh, const hk_holders *in, hk_count point, choice by)
{
  for (hk_count k = in->begin[point]; k < in->begin[point + 1]; k++)
    if (by.of[hk_mesh_nodes_of(mesh, in->element[k])[0]] == by.wanted) return k;
  return in->begin[point];
}

/* As locate, with that preference. */
static hk_status locate_in(const hk_mesh *mesh, choice by, hk_count count, const double *at,
                           hk_index *element, double *xi)
{
  hk_status status = HK_OK;
  hk_locator *locator = NULL;
  hk_pool pool = {0};
  hk_holders in;
  HK_TRY(hk_locator_create(mesh, &locator));
  HK_TRY(hk_locator_find_all(locator, count, at, &pool, &in));
  for (hk_count i = 0; i < count; i++) {
    const hk_count k = preferred(mesh, &in, i, by);
    element[i] = -1;
    if (in.begin[i] == in.begin[i + 1]) continue;
    element[i] = in.element[k];
    memcpy(xi + 3 * i, in.xi[k], sizeof *in.xi);
  }
cleanup:
  hk_locator_destroy(&locator);
  hk_pool_clear(&pool);
  return status;
}

static hk_status add_all(const hk_mesh *mesh, hk_count count, const double *at, const bool *sloped,
                         const hk_index *element, const double *xi, hk_rows *out)
{
  hk_status status = HK_OK;
  hk_rows rows = {0};
  hk_count misses = 0, first = 0;

  HK_TRY(create(count, count * most_nodes(mesh), &rows));
  if (sloped) HK_TRY(hk_get(&rows.slope, count * most_nodes(mesh)));
  for (hk_count i = 0; i < count; i++) {
    if (element[i] < 0 && misses++ == 0) first = i;
    rows.begin[i + 1] = element[i] < 0 ? rows.begin[i]
                                       : (sloped && sloped[i] ? add_slopes : add_point)(
                                             mesh, element[i], xi + 3 * i, rows.begin[i], &rows);
  }
  if (misses) HK_TRY(outside(mesh, misses, first, at + 3 * first));
  HK_TRY(hk_resize(&rows.node, rows.begin[count]));
  HK_TRY(hk_resize(&rows.weight, rows.begin[count]));
  if (sloped) HK_TRY(hk_resize(&rows.slope, rows.begin[count]));
  *out = rows, rows = (hk_rows){0};
cleanup:
  hk_rows_clear(&rows);
  return status;
}

static hk_status make_rows(const hk_mesh *mesh, choice by, hk_count count, const double *at,
                           const bool *sloped, hk_rows *out)
{
  hk_status status = HK_OK;
  hk_index *element = NULL;
  double *xi = NULL;
  HK_TRY(hk_get(&element, count));
  HK_TRY(hk_get(&xi, 3 * count));
  HK_TRY(by.of ? locate_in(mesh, by, count, at, element, xi)
               : locate(mesh, count, at, element, xi));
  HK_TRY(add_all(mesh, count, at, sloped, element, xi, out));
cleanup:
  hk_free(&element);
  hk_free(&xi);
  return status;
}

hk_status hk_rows_of_points(const hk_mesh *mesh, hk_count count, const double *at, hk_rows *out)
{
  return make_rows(mesh, (choice){0}, count, at, NULL, out);
}

hk_status hk_rows_of_points_in(const hk_mesh *mesh, const bool *of, bool wanted, hk_count count,
                               const double *at, hk_rows *out)
{
  return make_rows(mesh, (choice){of, wanted}, count, at, NULL, out);
}

hk_status hk_rows_of_sloped(const hk_mesh *mesh, hk_count count, const double *at,
                            const bool *sloped, hk_rows *out)
{
  return make_rows(mesh, (choice){0}, count, at, sloped, out);
}
