/* The key mesh: {blocks: ...} of a case (docs/cracks.md, docs/reference/case.md): named points, curved edges (arc, polyline, spline,
 * formulas), blocks by their corners with cells and grading, and named sides. All become an hk_multiblock, which mesh/make/multiblock.c turns
 * into a mesh. A draft has one cell in each direction; a draft that is tangled only for its few cells says nothing. */
#include "mesh/make/multiblock.h"
#include "input/case/case.h"
#include <math.h>
#include <string.h>

/* Being read; names and formulas' texts are the tree's. */
typedef struct reader {
  hk_case *c;
  hk_pool pool; /* of the arrays, formulas aside */
  int dim, points, curves, parts, sides, formulas;
  double (*point)[3];
  const char **name;
  hk_curve *curve;
  hk_part *part;
  hk_part_side *side;
  hk_formula **formula;
} reader;

/* Coordinates of a point; the first one says how many there are. */
static bool take_point(reader *r, const hk_node *list, double x[3])
{
  if (list->refused || list->kind != HK_NODE_LIST) return false;
  const int d = hk_case_numbers(list, 3, x);
  if (d < 0) return false;
  if (!r->dim) r->dim = d;
  if (d == r->dim) return true;
  hk_case_error(r->c, list, "%s has %d coordinates: the points before have %d",
                list->key ? list->key : "the point", d, r->dim);
  return false;
}

static hk_status take_points(reader *r, const hk_node *map)
{
  HK_PASS(hk_pool_get(&r->pool, &r->point, map->count));
  HK_PASS(hk_pool_get(&r->pool, &r->name, map->count));
  for (const hk_node *n = map->child; n; n = n->next, r->points++) {
    r->name[r->points] = n->key;
    take_point(r, n, r->point[r->points]);
  }
  return HK_OK;
}

/* The numbers of the points that a list names, `wanted` of them. */
static bool take_names(reader *r, const hk_node *list, int wanted, int *number)
{
  int count = 0;
  if (!list || list->refused || list->kind != HK_NODE_LIST) return false;
  if (list->count != wanted) {
    hk_case_error(r->c, list, "%s names %d points: must be %d in %d dimensions",
                  list->key ? list->key : "the side", list->count, wanted, r->dim);
    return false;
  }
  for (const hk_node *n = list->child; n; n = n->next, count++) {
    if (n->refused || n->kind != HK_NODE_SCALAR) return false;
    number[count] = 0;
    while (number[count] < r->points && strcmp(r->name[number[count]], n->text) != 0)
      number[count]++;
    if (number[count] < r->points) continue;
    hk_case_unknown(r->c, n, "no point", r->name, r->points, "");
    return false;
  }
  return true;
}

static hk_status take_through(reader *r, const hk_node *list, hk_curve *curve)
{
  HK_PASS(hk_pool_get(&r->pool, &curve->point, list->count));
  for (const hk_node *n = list->child; n; n = n->next)
    take_point(r, n, curve->point[curve->count++]);
  return HK_OK;
}

static hk_status take_formulas(reader *r, const hk_node *map, hk_curve *curve)
{
  static const char *const key[] = {"x", "y", "z"};
  hk_status status = HK_OK;
  for (int d = 0; d < 3; d++) {
    const hk_node *text = hk_case_value(map, key[d]);
    if (!text) continue;
    status = hk_formula_read(text->text, &r->formula[r->formulas]);
    if (status == HK_OK) curve->formula[d] = r->formula[r->formulas++];
    HK_TRY(hk_case_forgive(r->c, text, status));
    curve->kind = HK_CURVE_FORMULA;
  }
cleanup:
  return status;
}

static hk_status take_edge(reader *r, const hk_node *map)
{
  static const char *const key[] = {"arc", "polyline", "spline"};
  static const hk_curve_kind kind[] = {HK_CURVE_ARC, HK_CURVE_POLYLINE, HK_CURVE_SPLINE};
  hk_curve *curve = &r->curve[r->curves++];
  int forms = 0;
  take_names(r, hk_case_value(map, "ends"), 2, curve->end);
  for (int k = 0; k < 3; k++) {
    const hk_node *list = hk_case_value(map, key[k]);
    if (!list) continue;
    forms++;
    if (curve->point) continue;
    curve->kind = kind[k];
    if (kind[k] != HK_CURVE_ARC) {
      HK_PASS(take_through(r, list, curve));
      continue;
    }
    HK_PASS(hk_pool_get(&r->pool, &curve->point, 1));
    curve->count = take_point(r, list, curve->point[0]);
  }
  HK_PASS(take_formulas(r, map, curve));
  forms += curve->kind == HK_CURVE_FORMULA;
  if (forms != 1)
    hk_case_error(r->c, map, "an edge needs one of arc, polyline, spline, or formulas x, y, z");
  return HK_OK;
}

static void take_part(reader *r, const hk_node *map)
{
  hk_part *p = &r->part[r->parts++];
  const hk_node *cells = hk_case_value(map, "cells"), *grading = hk_case_value(map, "grading");
  *p = (hk_part){.name = hk_case_text(map, "name", "block"), .grading = {1, 1, 1}};
  take_names(r, hk_case_value(map, "corners"), r->dim == 2 ? 4 : 8, p->corner);
  const hk_node *lists[2] = {cells, grading};
  for (int k = 0; k < 2; k++) {
    int d = 0;
    if (!lists[k]) continue;
    if (lists[k]->kind == HK_NODE_LIST && lists[k]->count != r->dim)
      hk_case_error(r->c, lists[k], "%s has %d numbers: must be %d", lists[k]->key, lists[k]->count,
                    r->dim);
    for (const hk_node *n = lists[k]->child; n && d < 3; n = n->next, d++)
      k ? (void)(p->grading[d] = n->number) : (void)(p->cells[d] = (hk_count)n->number);
    for (; lists[k]->kind == HK_NODE_SCALAR && d < 3; d++) p->cells[d] = (hk_count)lists[k]->number;
  }
}

static hk_status take_sides(reader *r, const hk_node *map)
{
  hk_count room = 0;
  for (const hk_node *n = map->child; n; n = n->next)
    for (const hk_node *side = n->refused ? NULL : n->child; side; side = side->next) {
      HK_PASS(hk_pool_reserve(&r->pool, (void **)&r->side, r->sides + 1, &room, sizeof *r->side));
      r->side[r->sides].name = n->key;
      if (take_names(r, side, r->dim == 2 ? 2 : 4, r->side[r->sides].corner)) r->sides++;
    }
  return HK_OK;
}

static hk_status take_all(reader *r, const hk_node *map)
{
  const hk_node *points = hk_case_value(map, "points"), *edges = hk_case_value(map, "edges"),
                *parts = hk_case_value(map, "blocks"), *sides = hk_case_value(map, "sides");
  if (!points || !parts) return HK_OK;
  HK_PASS(take_points(r, points));
  if (edges) HK_PASS(hk_pool_get(&r->pool, &r->curve, edges->count));
  if (edges) HK_PASS(hk_pool_get(&r->pool, &r->formula, 3 * (hk_count)edges->count));
  for (const hk_node *n = edges ? edges->child : NULL; n; n = n->next)
    if (!n->refused && n->kind == HK_NODE_MAP) HK_PASS(take_edge(r, n));
  HK_PASS(hk_pool_get(&r->pool, &r->part, parts->count));
  for (const hk_node *n = parts->child; n; n = n->next)
    if (!n->refused && n->kind == HK_NODE_MAP) take_part(r, n);
  if (sides) HK_PASS(take_sides(r, sides));
  return HK_OK;
}

/* Curved edges of elements that are to be raised: their geometry is then of second order. */
static int order_of(const reader *r)
{
  return r->curves && hk_case_raised(r->c) ? 2 : 1;
}

/* Nodes that blocks share count once in each, less one along each direction. */
static bool plan_parts(reader *r, const hk_node *map)
{
  hk_case *c = r->c;
  for (int k = 0; k < r->parts; k++) {
    const int order = hk_case_planned_order(c, hk_case_value(map, "blocks"), r->part[k].name);
    double nodes = 1, elements = 1;
    for (int d = 0; d < r->dim && d < 3; d++)
      nodes *= order * (double)r->part[k].cells[d], elements *= (double)r->part[k].cells[d];
    c->plan.nodes += nodes, c->plan.elements += elements;
    c->plan.links += elements * pow(order + 1, r->dim);
  }
  return hk_case_check_plan(c, map, "blocks");
}

static void draft_parts(reader *r)
{
  r->c->draft = HK_DRAFT_COARSE;
  for (int k = 0; k < r->parts; k++)
    for (int d = 0; d < 3; d++)
      if (r->part[k].cells[d] > 1)
        r->part[k].cells[d] =
            r->c->sampling ? (hk_count)ceil((double)r->part[k].cells[d] / r->c->sample->factor) : 1;
}

hk_status hk_case_make_blocks(hk_case *c, const hk_node *map)
{
  hk_status status = HK_OK;
  reader r = {.c = c};
  const hk_count errors = c->tree.errors;
  HK_TRY(take_all(&r, map));
  if (!plan_parts(&r, map) || c->tree.errors > errors || !r.parts) goto cleanup;
  if (c->draft) draft_parts(&r);
  status = hk_mesh_create_multiblock(&(hk_multiblock){.dim = r.dim,
                                                      .order = order_of(&r),
                                                      .points = r.points,
                                                      .curves = r.curves,
                                                      .parts = r.parts,
                                                      .sides = r.sides,
                                                      .point = (const double(*)[3])r.point,
                                                      .point_name = r.name,
                                                      .curve = r.curve,
                                                      .part = r.part,
                                                      .side = r.side},
                                     &c->model->mesh);
  if (c->draft && status == HK_BAD_INPUT) /* its few cells are tangled where more need not be */
    status = hk_case_open_draft(c, r.dim);
  HK_TRY(hk_case_forgive(c, map, status));
cleanup:
  for (int k = 0; k < r.formulas; k++) hk_formula_destroy(&r.formula[k]);
  hk_pool_clear(&r.pool);
  return status;
}
