/* The mesh of a case: one that the caller gives, a file, a geometry that the gmsh program meshes, or a generator (mesh: {rectangle, box,
 * cylinder, extrude, blocks, map}; docs/reference/case.md). Corners, cells and sizes of elements become the parameters of mesh/make/. Plans
 * count nodes and elements first; a draft has few cells or a part of them. Last, element: {order: p} raises the elements. */
#include "element/element.h"
#include "element/gll.h"
#include "input/case/case.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* By the words of `shape:`; quadrilaterals and hexahedra unless given. */
static hk_shape shape_of(const hk_node *map, int dim)
{
  static const hk_shape known[2][2] = {{HK_TRI3, HK_QUAD4}, {HK_TET4, HK_HEX8}};
  return known[dim - 2][(int)hk_case_number(map, "shape", 1)];
}

/* List of dim numbers; false, with an error, when it has another length. */
static bool take_vector(hk_case *c, const hk_node *list, int dim, double *vector)
{
  const int d = hk_case_numbers(list, 3, vector);
  if (d >= 0 && d != dim)
    hk_case_error(c, list, "%s has %d components: must be %d", list->key, d, dim);
  return d == dim;
}

/* Exactly one of the two keys; its value, or NULL after an error. */
static const hk_node *one_of(hk_case *c, const hk_node *map, const char *a, const char *b)
{
  const hk_node *x = hk_node_find(map, a), *y = hk_node_find(map, b);
  if (hk_case_both(c, map, a, b)) return NULL;
  if (!x && !y) hk_case_error(c, map, "%s lacks %s or %s", map->key, a, b);
  return hk_case_value(map, x ? a : b);
}

static bool take_corners(hk_case *c, const hk_node *map, hk_mesh_grid *grid)
{
  const hk_node *from = hk_case_value(map, "from"), *far = one_of(c, map, "to", "size");
  bool good = !hk_node_find(map, "from") || (from && take_vector(c, from, grid->dim, grid->from));
  good = far && take_vector(c, far, grid->dim, grid->to) && good;
  if (!good) return false;
  for (int d = 0; d < grid->dim; d++) {
    if (strcmp(far->key, "size") == 0) grid->to[d] += grid->from[d];
    if (grid->to[d] > grid->from[d]) continue;
    hk_case_error(c, far, "%s is not above 0 along %c", map->key, "xyz"[d]);
    return false;
  }
  return true;
}

/* Cells along a length for an edge wanted; 0, with an error, beyond what an hk_index can count. */
static hk_count cells_for(hk_case *c, const hk_node *edge, double length)
{
  const double n = ceil(length / edge->number - 1e-9);
  if (n < 2147483647.0) return n < 1 ? 1 : (hk_count)n;
  hk_case_error(c, edge, "element %s gives more than 2147483647 cells in one direction",
                edge->text);
  return 0;
}

static bool take_cells(hk_case *c, const hk_node *map, hk_mesh_grid *grid)
{
  double n[3];
  const hk_node *given = one_of(c, map, "cells", "element");
  if (!given) return false;
  if (strcmp(given->key, "element") == 0) {
    for (int d = 0; d < grid->dim; d++)
      if (!(grid->cells[d] = cells_for(c, given, grid->to[d] - grid->from[d]))) return false;
  } else if (given->kind == HK_NODE_LIST) {
    if (!take_vector(c, given, grid->dim, n)) return false;
    for (int d = 0; d < grid->dim; d++) grid->cells[d] = (hk_count)n[d];
  } else
    for (int d = 0; d < grid->dim; d++) grid->cells[d] = (hk_count)given->number;
  const double *cells = (const double[]){(double)grid->cells[0], (double)grid->cells[1],
                                         grid->dim == 3 ? (double)grid->cells[2] : 0};
  return hk_case_plan_mesh(c, given, map->key, grid->shape, cells);
}

/* Few cells where a draft is wanted. */
static hk_count drafted(const hk_case *c, hk_count cells)
{
  if (c->sampling) return (hk_count)ceil((double)cells / c->sample->factor);
  return c->draft && cells > 1 ? 1 : cells;
}

/* Along x, a draft has an element for each set by place, and one more. */
static hk_count drafted_along(const hk_case *c, int d, hk_count cells)
{
  const hk_node *sets = hk_case_value(c->tree.root, "sets");
  const hk_count few = drafted(c, cells);
  if (c->sampling || d > 0 || !sets || sets->count >= cells) return few;
  return few > sets->count ? few : sets->count + 1;
}

/* The box as it is, or as many of its cells as are left. */
static void draft_grid(hk_case *c, hk_mesh_grid *grid)
{
  const bool placed = hk_node_find(c->tree.root, "sets"); /* a patch of it has not what they hold */
  c->plan.box = grid->jitter == 0 && grid->shuffle == 0 && !placed, c->plan.volume = 1;
  for (int d = 0; d < grid->dim; d++) {
    const double length = grid->to[d] - grid->from[d];
    const hk_count cells = drafted_along(c, d, grid->cells[d]);
    c->plan.volume *= length, c->plan.cells[d] = (double)grid->cells[d];
    if (c->sampling && c->sample->patch)
      grid->to[d] = grid->from[d] + length * (double)cells / (double)grid->cells[d];
    grid->cells[d] = cells;
  }
}

static hk_status make_grid(hk_case *c, const hk_node *map, int dim)
{
  hk_mesh_grid grid = {.dim = dim,
                       .shape = shape_of(map, dim),
                       .jitter = hk_case_number(map, "jitter", 0),
                       .shuffle = (uint64_t)hk_case_number(map, "shuffle", 0)};
  if (!take_corners(c, map, &grid) || !take_cells(c, map, &grid)) return HK_OK;
  if (c->draft) draft_grid(c, &grid);
  return hk_case_forgive(c, map, hk_mesh_create_grid(&grid, &c->model->mesh));
}

static hk_status make_cylinder(hk_case *c, const hk_node *map)
{
  const hk_node *across = hk_case_value(map, "across"), *along = hk_case_value(map, "along"),
                *edge = hk_case_value(map, "element");
  hk_mesh_cylinder cylinder = {.radius = hk_case_number(map, "radius", 0),
                               .length = hk_case_number(map, "length", 0),
                               .shape = shape_of(map, 3),
                               .jitter = hk_case_number(map, "jitter", 0),
                               .shuffle = (uint64_t)hk_case_number(map, "shuffle", 0)};
  if (!(cylinder.radius > 0) || !(cylinder.length > 0)) return HK_OK;
  if ((!across || !along) && !edge) {
    hk_case_error(c, map, "cylinder needs across and along, or element");
    return HK_OK;
  }
  cylinder.across = across ? (hk_count)across->number : cells_for(c, edge, 2 * cylinder.radius);
  cylinder.along = along ? (hk_count)along->number : cells_for(c, edge, cylinder.length);
  if (!cylinder.across || !cylinder.along) return HK_OK;
  const double cells[] = {(double)cylinder.across, (double)cylinder.across, (double)cylinder.along};
  if (!hk_case_plan_mesh(c, map, map->key, cylinder.shape, cells)) return HK_OK;
  if (c->draft) c->draft = HK_DRAFT_COARSE;
  cylinder.across = drafted(c, cylinder.across), cylinder.along = drafted(c, cylinder.along);
  return hk_case_forgive(c, map, hk_mesh_create_cylinder(&cylinder, &c->model->mesh));
}

static hk_status read_mesh(hk_case *c, const hk_node *node);
static hk_status generate(hk_case *c, const hk_node *map);

static hk_status take_layers(const hk_case *c, const hk_node *list, hk_mesh_layer **out)
{
  int k = 0;
  HK_PASS(hk_get(out, list->count));
  for (const hk_node *n = list->child; n; n = n->next)
    (*out)[k++] = (hk_mesh_layer){.height = hk_case_number(n, "height", 0),
                                  .cells = drafted(c, (hk_count)hk_case_number(n, "cells", 1)),
                                  .name = hk_case_text(n, "name", NULL)};
  return HK_OK;
}

/* What the flat mesh is planned to be, times the layers; nodes of the flat mesh grow with the square of the order. */
static bool plan_layers(hk_case *c, const hk_node *list)
{
  const double flat = hk_case_planned_order(c, NULL, NULL);
  double cells = 0, nodes = 1, links = 0;
  for (const hk_node *n = list->child; n; n = n->next) {
    const double order = hk_case_planned_order(c, list, hk_case_text(n, "name", NULL)),
                 count = hk_case_number(n, "cells", 1);
    cells += count;
    nodes += pow(order / flat, 2) * order * count;
    links += pow((order + 1) / (flat + 1), 2) * (order + 1) * count;
  }
  c->plan.box = false;
  c->plan.nodes *= nodes, c->plan.elements *= cells;
  c->plan.links *= links;
  return hk_case_check_plan(c, list, "extrude");
}

static hk_status extrude(hk_case *c, const hk_node *map)
{
  hk_status status = HK_OK;
  const hk_node *mesh = hk_case_value(map, "mesh"), *list = hk_case_value(map, "layers");
  hk_mesh_layer *layer = NULL;
  hk_mesh *flat = NULL;
  const hk_count errors = c->tree.errors;
  if (!mesh || !list) return HK_OK;
  if (c->draft && mesh->kind != HK_NODE_MAP) return hk_case_open_draft(c, 3);
  HK_TRY(mesh->kind == HK_NODE_MAP ? generate(c, mesh) : read_mesh(c, mesh));
  flat = c->model->mesh, c->model->mesh = NULL;
  if (!flat || c->tree.errors > errors) goto cleanup;
  if (!plan_layers(c, list)) goto cleanup;
  HK_TRY(take_layers(c, list, &layer));
  HK_TRY(hk_case_forgive(
      c, map,
      hk_mesh_extrude(flat, hk_case_number(map, "from", 0), list->count, layer, &c->model->mesh)));
cleanup:
  hk_free(&layer);
  hk_mesh_destroy(&flat);
  return status;
}

/* Nodes of a draft stay where they are: its few cells would fold. */
static hk_status map_mesh(hk_case *c, const hk_node *map)
{
  const hk_node *mesh = hk_case_value(map, "mesh");
  const hk_count errors = c->tree.errors;
  if (!mesh) return HK_OK;
  if (c->draft && mesh->kind != HK_NODE_MAP)
    HK_PASS(hk_case_open_draft(c, 0));
  else
    HK_PASS(mesh->kind == HK_NODE_MAP ? generate(c, mesh) : read_mesh(c, mesh));
  if (!c->model->mesh || c->tree.errors > errors) return HK_OK;
  c->plan.box = false;
  if (c->draft == HK_DRAFT_BOX) c->draft = HK_DRAFT_COARSE;
  if (hk_case_raised(c) && c->draft != HK_DRAFT_OPEN) /* its edges become curves */
    HK_PASS(hk_case_forgive(c, map, hk_mesh_raise_to(c->model->mesh, 2)));
  return hk_case_move_nodes(c, map);
}

static hk_status generate(hk_case *c, const hk_node *map)
{
  const hk_node *g;
  if ((g = hk_case_value(map, "map"))) return map_mesh(c, g);
  if ((g = hk_case_value(map, "extrude"))) return extrude(c, g);
  if ((g = hk_case_value(map, "rectangle"))) return make_grid(c, g, 2);
  if ((g = hk_case_value(map, "box"))) return make_grid(c, g, 3);
  if ((g = hk_case_value(map, "cylinder"))) return make_cylinder(c, g);
  if ((g = hk_case_value(map, "blocks"))) return hk_case_make_blocks(c, g);
  return HK_OK;
}

hk_status hk_case_told(hk_case *c, const hk_node *node, hk_count before, hk_status status)
{
  const hk_count added = hk_messages_total(c->list, HK_ERROR) - before;
  if (status != HK_BAD_INPUT || !added) return hk_case_forgive(c, node, status);
  c->tree.errors += added;
  return HK_OK;
}

static hk_status read_file(hk_case *c, const hk_node *node, const char *path)
{
  const hk_count before = hk_messages_total(c->list, HK_ERROR);
  return hk_case_told(c, node, before, hk_mesh_read(path, c->list, &c->model->mesh));
}

static hk_status read_mesh(hk_case *c, const hk_node *node)
{
  hk_status status = HK_OK;
  char *path = NULL, *made = NULL;
  HK_TRY(hk_case_beside(c, node->text, &path));
  HK_TRY(hk_model_add_file(c->model, path));
  if (hk_ends_with(path, ".geo")) HK_TRY(hk_case_mesh_geometry(c, node, path, &made));
  if (made || !hk_ends_with(path, ".geo")) HK_TRY(read_file(c, node, made ? made : path));
cleanup:
  if (made) unlink(made);
  hk_free(&made);
  hk_free(&path);
  return status;
}

/* Simplices have no family: neighbours of different order would not be joined (mesh/ties.h). */
static hk_status check_orders(hk_case *c, const hk_node *orders, const int8_t *order)
{
  const hk_mesh *mesh = c->model->mesh;
  int least = HK_MOST_ORDER, most = 1;
  bool family = false;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    least = order[e] < least ? order[e] : least, most = order[e] > most ? order[e] : most;
    family = family || (!element->simplex && order[e] > 1);
  }
  if (!family && least < most)
    hk_case_error(c, orders,
                  "orders differ among quadrilaterals, hexahedra and prisms alone: triangles and "
                  "tetrahedra need one order");
  return HK_OK;
}

/* order[element]: `order`, and that of the last set which has the element. */
static hk_status find_orders(hk_case *c, const hk_node *orders, int8_t *order)
{
  for (hk_count e = 0; e < c->model->mesh->element_count; e++) order[e] = (int8_t)hk_case_order(c);
  for (const hk_node *n = orders->child; n; n = n->next) {
    hk_target target = {0};
    HK_PASS(hk_case_find_elements_of_key(c, n, &target));
    for (hk_count i = 0; target.item && i < target.count; i++)
      order[target.item[i]] = (int8_t)n->number;
  }
  return check_orders(c, orders, order);
}

static hk_status raise_orders(hk_case *c, const hk_node *element, const hk_node *orders)
{
  hk_status status = HK_OK;
  int8_t *order = NULL;
  const hk_count errors = c->tree.errors;
  c->model->solve.orders = hk_case_place(c, orders);
  HK_TRY(hk_get(&order, c->model->mesh->element_count));
  HK_TRY(find_orders(c, orders, order));
  if (c->tree.errors == errors)
    HK_TRY(hk_case_forgive(c, element, hk_mesh_raise_orders(c->model->mesh, order)));
cleanup:
  hk_free(&order);
  return status;
}

/* Explicit steps of axisymmetric models need masses on the axis; order 1 and statics have other rules. */
static hk_status raise_to(hk_case *c)
{
  const bool ring = hk_case_ring(c) && c->model->mesh->dim == 2;
  return ring && !c->still ? hk_mesh_raise_rings(c->model->mesh, hk_case_order(c))
                           : hk_mesh_raise_to(c->model->mesh, hk_case_order(c));
}

/* Elements of order 1 stay as they were meshed. */
static hk_status raise_order(hk_case *c)
{
  const hk_node *element = hk_case_value(c->tree.root, "element"),
                *orders = hk_case_value(element, "orders");
  if (orders && !c->still)
    hk_case_error(c, orders, "explicit steps have elements of one order: give order instead");
  if (!hk_case_raised(c) || c->draft == HK_DRAFT_OPEN) return HK_OK;
  if (orders) return raise_orders(c, element, orders);
  return hk_case_forgive(c, element, raise_to(c));
}

/* Stands for a mesh that is not generated. */
static hk_status draft_file(hk_case *c, const hk_node *node)
{
  HK_PASS(hk_case_open_draft(c, c->desc->mesh ? c->desc->mesh->dim : 0));
  return node && !c->desc->mesh ? hk_case_look_at_file(c, node) : HK_OK;
}

hk_status hk_case_fill_mesh(hk_case *c)
{
  const hk_node *node = hk_case_value(c->tree.root, "mesh");
  c->plan = (hk_case_plan){0};
  if (c->draft && (!node || c->desc->mesh || node->kind != HK_NODE_MAP))
    HK_PASS(draft_file(c, node));
  else if (c->desc->mesh && node)
    HK_PASS(hk_mesh_copy(c->desc->mesh, &c->model->mesh));
  else if (node)
    HK_PASS(node->kind == HK_NODE_MAP ? generate(c, node) : read_mesh(c, node));
  if (!c->model->mesh) return HK_OK;
  HK_PASS(hk_case_fill_sets(c));
  return raise_order(c);
}
