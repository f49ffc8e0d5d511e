/* A draft of the mesh, with which a case is judged before its mesh is read or made, and the plan of how large that will be.
 *
 * A generated mesh of nx x ny x nz cells has (p nx + 1) (p ny + 1) (p nz + 1) nodes of elements of order p, of simplices too: the
 * nodes between their vertices lie on the grid of half the cells, one of them within each hexahedron that is split. */
#include "element/element.h"
#include "input/mesh/look.h"
#include "input/case/case.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const double small_nodes = 100000, small_bytes = 4e6, most = 2147483647.0;

bool hk_case_check_plan(hk_case *c, const hk_node *node, const char *what)
{
  char order[40] = "";
  const bool nodes = c->plan.nodes > most;
  c->plan.by = node;
  if (!nodes && !(c->plan.elements > most)) return true;
  if (nodes && hk_case_raised(c))
    snprintf(order, sizeof order, " of elements of order %d", hk_case_planned_order(c, NULL, NULL));
  hk_case_error(c, node, "%s: %.3g %s%s: at most 2147483647 are possible", what,
                nodes ? c->plan.nodes : c->plan.elements, nodes ? "nodes" : "elements", order);
  return c->draft != HK_DRAFT_NONE; /* a draft has few elements */
}

static double pieces_of(hk_shape shape)
{
  return shape == HK_TRI3 ? 2 : shape == HK_TET4 ? 6 : 1;
}

static int nodes_of(hk_shape shape, int order)
{
  const hk_shape raised = order > 1 ? hk_shape_raised(shape, order) : shape;
  return hk_element_of(raised == HK_SHAPE_COUNT ? shape : raised)->nodes;
}

bool hk_case_plan_mesh(hk_case *c, const hk_node *node, const char *what, hk_shape shape,
                       const double cells[3])
{
  const int order = hk_case_planned_order(c, NULL, NULL);
  double nodes = 1, count = pieces_of(shape);
  for (int d = 0; d < 3 && cells[d] > 0; d++) nodes *= order * cells[d] + 1, count *= cells[d];
  c->plan.nodes += nodes, c->plan.elements += count;
  c->plan.links += count * nodes_of(shape, order);
  return hk_case_check_plan(c, node, what);
}

hk_status hk_case_open_draft(hk_case *c, int dim)
{
  const hk_node *regions = hk_case_value(c->tree.root, "regions");
  const hk_count count = regions && regions->count > 1 ? regions->count : 1;
  c->draft = HK_DRAFT_OPEN, c->named = false;
  c->any_dim = dim == 0;
  return hk_mesh_create_grid(&(hk_mesh_grid){.dim = dim == 3 ? 3 : 2,
                                             .shape = dim == 3 ? HK_HEX8 : HK_QUAD4,
                                             .to = {(double)count, 1, 1},
                                             .cells = {count, 1, 1}},
                             &c->model->mesh);
}

/* A set that an element of the draft stands for. */
static hk_status name_set(hk_mesh *mesh, const char *name, hk_set_kind kind)
{
  hk_index *item = NULL;
  uint8_t *face = NULL;
  hk_status status = hk_get(&item, 1);
  if (status == HK_OK && kind == HK_FACE_SET) status = hk_get(&face, 1);
  if (status == HK_OK)
    status = hk_mesh_add_set(mesh, name, kind, 1, &item, kind == HK_FACE_SET ? &face : NULL);
  hk_free(&item);
  hk_free(&face);
  return status;
}

/* Groups of volumes tell that the mesh is 3D, and what the others are; else a group may be of elements or of their sides. */
static hk_status name_sets(hk_mesh *mesh, const hk_mesh_look *look)
{
  bool solid = false;
  for (int i = 0; i < look->names; i++) solid = solid || look->dim[i] == 3;
  for (int i = 0; i < look->names; i++) {
    const int dim = look->dim[i];
    if (!solid || dim == 3) HK_PASS(name_set(mesh, look->name[i], HK_ELEMENT_SET));
    if (dim < 3) HK_PASS(name_set(mesh, look->name[i], HK_NODE_SET));
    if (dim == 2 || (dim == 1 && !solid)) HK_PASS(name_set(mesh, look->name[i], HK_FACE_SET));
  }
  return HK_OK;
}

hk_status hk_case_look_at_file(hk_case *c, const hk_node *node)
{
  enum { LEAST_LINKS = 3 }; /* nodes of an element */
  hk_status status = HK_OK;
  hk_mesh_look look = {0};
  char *path = NULL;
  HK_TRY(hk_case_beside(c, node->text, &path));
  HK_TRY(hk_mesh_look_at(path, &look));
  c->plan.nodes = look.nodes, c->plan.elements = look.elements;
  c->plan.links = LEAST_LINKS * look.elements;
  hk_case_check_plan(c, node, node->text);
  c->named = look.named;
  if (look.named) HK_TRY(name_sets(c->model->mesh, &look));
cleanup:
  hk_mesh_look_clear(&look);
  hk_free(&path);
  return status;
}

hk_status hk_case_try(hk_case *c, hk_status (*fill)(hk_case *c), hk_messages *told)
{
  hk_status status = HK_OK;
  hk_model *own = c->model, *drafted = NULL;
  hk_messages *list = c->list;
  const hk_count errors = c->tree.errors, repeated = c->tree.repeated;
  HK_TRY(hk_model_begin(own->path, &drafted)); /* it knows what the case's own model knows so far */
  HK_TRY(hk_model_add_file(drafted, own->file.at[0]));
  drafted->units = own->units;
  c->model = drafted, c->list = told, c->draft = HK_DRAFT_BOX;
  status = hk_case_fill_mesh(c);
  if (status == HK_OK && !c->model->mesh) status = hk_case_open_draft(c, 0);
  if (status == HK_OK) status = fill(c);
  if (status == HK_OK) {
    c->plan.dim = c->model->mesh->dim, c->plan.order = hk_case_planned_order(c, NULL, NULL);
    c->plan.unknowns = hk_case_coupled(c)                         ? c->model->solve.unknown.count
                       : c->heat || hk_case_medium(c) == HK_FLUID ? 1
                                                                  : c->plan.dim;
  }
  hk_case_forget_mesh(c);
  c->model = own, c->list = list, c->draft = HK_DRAFT_NONE, c->any_dim = false;
  c->tree.errors = errors, c->tree.repeated = repeated;
cleanup:
  hk_model_destroy(&drafted);
  return status;
}

bool hk_case_samples(hk_case *c)
{
  enum { NODES = 40000 };
  const hk_node *mesh = hk_case_value(c->tree.root, "mesh");
  if (hk_case_spreads_any(c)) return false; /* each element has its own constants */
  const double small = NODES, few = c->sample->patch ? NODES / 8 : NODES;
  if (c->desc->mesh || !mesh || mesh->kind != HK_NODE_MAP) {
    if (!hk_case_small(c)) c->sample->plan = c->plan; /* of a file, what it announces */
    return false;
  }
  if (!(c->plan.nodes > 2.5 * small) || c->plan.nodes * c->plan.unknowns > most) return false;
  if (c->plan.links > most && !hk_case_raised(c)) return false;
  c->sample->plan = c->plan;
  c->sample->factor = pow(c->plan.nodes / few, 1.0 / c->plan.dim);
  c->draft = HK_DRAFT_COARSE, c->sampling = true;
  return true;
}

bool hk_case_small(const hk_case *c)
{
  const hk_node *mesh = hk_case_value(c->tree.root, "mesh");
  struct stat file;
  char *path = NULL;
  bool small = false;
  if (c->desc->mesh) return !hk_case_raised(c) || (double)c->desc->mesh->node_count < small_nodes;
  if (!mesh || mesh->kind == HK_NODE_MAP) return c->plan.nodes < small_nodes;
  if (hk_case_beside(c, mesh->text, &path) != HK_OK) return false;
  const size_t length = strlen(path);
  const bool geometry = length > 4 && hk_same_text(path + length - 4, ".geo");
  small = !geometry && (stat(path, &file) != 0 || (double)file.st_size < small_bytes);
  hk_free(&path);
  return small;
}

double hk_case_mesh_bytes(const hk_case_plan *p)
{
  return 8.0 * p->dim * p->nodes + 4 * p->links + 8 * p->elements;
}

hk_status hk_case_check_room(hk_case *c)
{
  const hk_case_plan *p = &c->plan;
  const double room = (double)hk_memory_available(), unknowns = p->nodes * p->unknowns,
               need = hk_case_mesh_bytes(p);
  if (unknowns > most)
    hk_case_error(c, p->by, "%.3g degrees of freedom: at most 2147483647 are possible", unknowns);
  else if (p->links > most && !hk_case_raised(c))
    hk_case_error(c, p->by, "%.3g elements list %.3g nodes: at most 2147483647 are possible",
                  p->elements, p->links);
  else if (need > room)
    return hk_error_set(
        HK_NO_RESOURCES,
        "out of memory: the mesh alone, of %.3g nodes and %.3g elements, needs %.1f MB, and %.1f "
        "MB are free: use a machine with more memory or a coarser mesh",
        p->nodes, p->elements, need / 1e6, room / 1e6);
  return HK_OK;
}
