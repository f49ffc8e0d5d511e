/* Fluids of a case (docs/theory/spectral.md, "Fluids"): their material (sound_speed or bulk), the keys that do not act on them, and the mesh
 * that they need. Linear quadrilaterals and hexahedra become spectral elements of order 1, unless the model is axisymmetric (there those of order 2 and more are spectral); triangles and
 * tetrahedra stay where the whole model is fluid. Where fluids and solids meet, both get nodes of their own and each pair of faces is kept for the coupling (S.8). */
#include "element/gll.h"
#include "mesh/crack.h"
#include "input/case/case.h"

bool hk_case_is_fluid(const hk_node *map)
{
  return hk_node_find(map, "sound_speed") || hk_node_find(map, "bulk");
}

hk_status hk_case_read_fluid(hk_case *c, const hk_node *map, hk_material *out)
{
  const double speed = hk_case_number(map, "sound_speed", 0);
  if (c->still)
    hk_case_error(c, map, "material %s is a fluid: static solutions have only solids", map->key);
  if (hk_node_find(map, "sound_speed") && hk_node_find(map, "bulk"))
    hk_case_error(c, map, "material %s: sound_speed and bulk are both given: give one of them",
                  map->key);
  if (!(out->density > 0) || hk_case_spreads(map)) return HK_OK; /* told already; made later */
  return hk_material_fluid(
      speed > 0 ? out->density * speed * speed : hk_case_number(map, "bulk", 0), out);
}

static bool has_simplices(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].shape == HK_TRI3 || mesh->block[b].shape == HK_TET4) return true;
  return false;
}

/* Linear quadrilaterals and hexahedra become spectral ones of order 1, but beside triangles and tetrahedra, and in axisymmetric models. */
static hk_status check_shapes(hk_case *c)
{
  hk_mesh *mesh = c->model->mesh;
  bool linear = false;
  const bool ring = hk_model_is_axisymmetric(c->model), simplices = has_simplices(mesh) || ring;
  if (ring && hk_mesh_quad_families(mesh)) return HK_OK;
  if (ring && c->model->media.fluid && c->model->media.solid)
    hk_case_error(c, c->tree.root,
                  "fluids beside solids in axisymmetric models need quadrilaterals of order 2 to "
                  "10: give element: {order: 2 .. 10}");
  if (simplices && c->model->media.fluid && c->model->media.solid && !ring)
    hk_case_error(c, c->tree.root,
                  "fluids beside solids need a mesh of only quadrilaterals or hexahedra: this mesh "
                  "has triangles or tetrahedra");
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_shape s = mesh->block[b].shape;
    const bool family = s > HK_QUAD_P && s <= HK_HEX_P + HK_MOST_ORDER;
    if (simplices && (s == HK_TRI3 || s == HK_TET4 || s == HK_QUAD4 || s == HK_HEX8)) continue;
    if (!family && s != HK_QUAD4 && s != HK_HEX8) {
      hk_case_error(c, c->tree.root,
                    "waves %s need quadrilaterals or hexahedra, or linear triangles or "
                    "tetrahedra: the mesh has %s",
                    c->model->media.fluid ? "in fluids" : "of plane: antiplane", hk_shape_name(s));
      return HK_OK;
    }
    linear = linear || !family;
  }
  return linear && !simplices ? hk_case_forgive(c, c->tree.root, hk_mesh_raise_to(mesh, 1)) : HK_OK;
}

/* No node is of elements of both media, not even where they touch at a point alone. */
static void check_apart(hk_case *c)
{
  const hk_model *m = c->model;
  const hk_mesh *mesh = m->mesh;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    if (m->region[m->element_region[e]].material.fluid) continue;
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) {
      if (!m->media.fluid[node[n]]) continue;
      hk_case_error(c, c->tree.root,
                    "element %lld of a solid touches a fluid only at a node (%lld): they must "
                    "share a face there",
                    (long long)hk_mesh_element_label(mesh, e),
                    (long long)hk_mesh_node_label(mesh, node[n]));
      return;
    }
  }
}

/* Fluids and solids get nodes of their own where they meet. */
static hk_status separate(hk_case *c)
{
  hk_status status = HK_OK;
  hk_model *m = c->model;
  bool *part = NULL;
  hk_index *origin = NULL;
  hk_count added;
  HK_TRY(hk_get(&part, m->mesh->element_count));
  for (hk_count e = 0; e < m->mesh->element_count; e++)
    part[e] = m->region[m->element_region[e]].material.fluid;
  HK_TRY(hk_mesh_meetings(m->mesh, part, &m->media.fsi_count, &m->media.fsi));
  HK_TRY(hk_mesh_cut(m->mesh, m->media.fsi_count, m->media.fsi, &added, &origin));
  HK_TRY(hk_model_find_media(m));
  check_apart(c);
cleanup:
  hk_free(&part);
  hk_free(&origin);
  return status;
}

hk_status hk_case_fill_media(hk_case *c)
{
  enum { ACOUSTIC = 2 }; /* of the words of `physics:` */
  hk_model *m = c->model;
  const hk_node *physics = hk_case_value(c->tree.root, "physics");
  const bool acoustic = physics && physics->number == ACOUSTIC;
  if (c->still) return HK_OK;
  for (hk_count e = 0; e < m->mesh->element_count; e++)
    if (m->element_region[e] < 0) return HK_OK; /* told already */
  HK_PASS(hk_model_find_media(m));
  if (acoustic && !c->tree.errors && (!m->media.fluid || m->media.solid))
    hk_case_error(c, physics,
                  "physics: acoustic is for fluids only, and a material is a solid: give it a "
                  "sound_speed, or remove physics");
  if (!(m->media.fluid || hk_case_antiplane(c)) || c->tree.errors) return HK_OK;
  if (c->draft == HK_DRAFT_OPEN) return HK_OK; /* of shapes that are not known yet */
  HK_PASS(check_shapes(c));
  if (!c->tree.errors && m->media.fluid && m->media.solid && !c->draft) HK_PASS(separate(c));
  if (!c->tree.errors) HK_PASS(hk_model_find_media(m));
  return HK_OK;
}

hk_medium hk_case_medium(const hk_case *c)
{
  return c->model->media.fluid && !c->model->media.solid ? HK_FLUID : HK_SOLID;
}

bool hk_case_flows(const hk_case *c)
{
  const hk_mesh *mesh = c->model->mesh;
  return !c->model->media.fluid ||
         (hk_model_is_axisymmetric(c->model) ? hk_mesh_quad_families(mesh) : !has_simplices(mesh));
}

bool hk_case_needs_fluid(hk_case *c, const hk_node *node, const char *what)
{
  if (c->model->media.fluid) return true;
  hk_case_error(c, node, "%s is for fluids: the model has none", what);
  return false;
}

void hk_case_refuse_fluid(hk_case *c, const hk_node *map)
{
  if (hk_case_medium(c) == HK_FLUID)
    hk_case_refuse(c, map,
                   HK_WORDS("move", "pressure", "traction", "gravity", "body_force", "centrifugal",
                            "force", "total_force", "moment", "explosion", "double_couple", "fault",
                            "displacement", "velocity", "direction", "axes"),
                   "",
                   " does not act on fluids: use volume_rate in sources, fix: pressure in boundary "
                   "or pressure in initial");
}
