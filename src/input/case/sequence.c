/* The order of the receivers at the nodes of a set, or of the elements of an array: by number, or along the curve that the nodes form (`order: arc`). In 2D the nodes are
 * neighbours along the faces of the set, or, of a set of nodes, along the body's surface, else along any edges of elements; in 3D along
 * edges of elements. */
#include "input/case/case.h"

enum { BY_NUMBER, BY_ARC };

static bool is_curve(const hk_chain *chain)
{
  return chain->branch < 0 && chain->apart < 0;
}

/* The body's surface as a set, borrowed by *out. */
static hk_status find_surface(const hk_mesh *mesh, hk_set *out)
{
  hk_count count;
  *out = (hk_set){.kind = HK_FACE_SET};
  HK_PASS(hk_mesh_boundary(mesh, &count, &out->item, &out->face));
  out->count = count;
  return HK_OK;
}

static hk_status put_in_order(const hk_case *c, const char *name, const double *from,
                              hk_target *nodes, hk_chain *chain)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = c->model->mesh;
  const bool flat = mesh->dim == 2, of_nodes = hk_mesh_find_set(mesh, name, HK_NODE_SET) != NULL;
  const hk_set *sides = flat ? hk_mesh_find_set(mesh, name, HK_FACE_SET) : NULL;
  hk_set surface = {0};
  *chain = (hk_chain){.apart = 0};
  if (sides) HK_TRY(hk_mesh_chain(mesh, nodes->count, nodes->item, sides, from, chain));
  if (flat && of_nodes && !is_curve(chain)) {
    HK_TRY(find_surface(mesh, &surface));
    HK_TRY(hk_mesh_chain(mesh, nodes->count, nodes->item, &surface, from, chain));
  }
  if (!is_curve(chain) && !(sides && !of_nodes))
    HK_TRY(hk_mesh_chain(mesh, nodes->count, nodes->item, NULL, from, chain));
cleanup:
  hk_free(&surface.item);
  hk_free(&surface.face);
  return status;
}

static void tell_no_curve(hk_case *c, const hk_node *order, const hk_chain *chain)
{
  const bool branch = chain->branch >= 0;
  const hk_index node = branch ? chain->branch : chain->apart;
  double x[3];
  char place[HK_CASE_PLACE_TEXT];
  hk_model_node_x(c->model, node, x);
  hk_case_error(c, order,
                "order: arc needs nodes that form one curve along edges of elements, and node %lld "
                "at %s %s: give another set, or at: {line: ...}",
                (long long)hk_mesh_node_label(c->model->mesh, node),
                hk_case_place_text(c, x, place),
                branch ? "has more than two neighbours in the set" : "is apart from the others");
}

hk_status hk_case_order_nodes(hk_case *c, const hk_node *map, hk_target *nodes)
{
  const hk_node *order = hk_case_value(map, "order"), *start = hk_case_value(map, "from"),
                *set = hk_case_value(map, "set");
  const bool along = order && order->number == BY_ARC;
  double from[3] = {0};
  hk_chain chain;
  if (order && !set) hk_case_error(c, order, "order is for the nodes of a set");
  if (hk_node_find(map, "from") && !along)
    hk_case_error(c, hk_node_find(map, "from"), "from is for order: arc");
  if (start && !hk_case_vector(c, start, from)) return HK_OK;
  if (!along || !set || c->draft || !nodes->count) return HK_OK;
  HK_PASS(put_in_order(c, set->text, start ? from : NULL, nodes, &chain));
  if (!is_curve(&chain)) tell_no_curve(c, order, &chain);
  return HK_OK;
}
