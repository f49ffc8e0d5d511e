/* The sets of a mesh of blocks: the elements of each block under its name, "all", and the faces and nodes of each side that the case names by
 * its corners (mesh: {blocks: {sides: ...}}, docs/reference/case.md). Blocks or sides of one name share a set. A side between two blocks gives
 * the faces of both. */
#include "mesh/make/multiblock_parts.h"

/* The faces of one side of a block, and their nodes, join the sets of that name. */
static hk_status add_side(hk_multiblock_maker *m, const char *name, int b, int f)
{
  hk_status status = HK_OK;
  hk_index *item = NULL, *node = NULL;
  uint8_t *face = NULL;
  const hk_element_face *own = &m->element->face[f];
  hk_count count;
  hk_multiblock_side(m, b, f, &count, NULL);
  HK_TRY(hk_get(&item, count));
  HK_TRY(hk_get(&face, count));
  HK_TRY(hk_get(&node, count * own->nodes));
  hk_multiblock_side(m, b, f, &count, item);
  for (hk_count k = 0; k < count; k++) {
    const hk_index *of = hk_mesh_nodes_of(m->mesh, item[k]);
    face[k] = (uint8_t)f;
    for (int n = 0; n < own->nodes; n++) node[k * own->nodes + n] = of[own->node[n]];
  }
  HK_TRY(hk_mesh_add_set(m->mesh, name, HK_FACE_SET, count, &item, &face));
  HK_TRY(hk_mesh_add_set(m->mesh, name, HK_NODE_SET, count * own->nodes, &node, NULL));
cleanup:
  hk_free(&item);
  hk_free(&face);
  hk_free(&node);
  return status;
}

static bool has_corner(const hk_multiblock_maker *m, int b, int f, int point)
{
  for (int v = 0; v < (m->desc->dim == 2 ? 2 : 4); v++)
    if (m->desc->part[b].corner[m->linear->face[f].node[v]] == point) return true;
  return false;
}

static hk_status find_side(hk_multiblock_maker *m, const hk_part_side *side)
{
  const int vertices = m->desc->dim == 2 ? 2 : 4;
  const char *const *names = m->desc->point_name;
  bool found = false;
  for (int v = 0; v < vertices; v++)
    for (int w = 0; w < v; w++)
      HK_NEED(side->corner[v] != side->corner[w], HK_BAD_INPUT, "side %s: has the corner %s twice",
              side->name, names[side->corner[v]]);
  for (int b = 0; b < m->desc->parts; b++)
    for (int f = 0; f < m->linear->faces; f++) {
      bool same = true;
      for (int v = 0; v < vertices; v++) same = same && has_corner(m, b, f, side->corner[v]);
      if (!same) continue;
      found = true;
      HK_PASS(add_side(m, side->name, b, f));
    }
  HK_NEED(found, HK_BAD_INPUT, "side %s: no block has a side with the corners %s %s%s%s%s%s",
          side->name, names[side->corner[0]], names[side->corner[1]], vertices > 2 ? " " : "",
          vertices > 2 ? names[side->corner[2]] : "", vertices > 2 ? " " : "",
          vertices > 2 ? names[side->corner[3]] : "");
  return HK_OK;
}

hk_status hk_multiblock_sets(hk_multiblock_maker *m)
{
  const hk_multiblock *desc = m->desc;
  for (int b = 0; b < desc->parts; b++) {
    const hk_count end = b + 1 < desc->parts ? m->lattice[b + 1].first : m->mesh->element_count;
    HK_PASS(hk_mesh_add_range(m->mesh, desc->part[b].name, m->lattice[b].first,
                              end - m->lattice[b].first));
  }
  HK_PASS(hk_mesh_add_range(m->mesh, "all", 0, m->mesh->element_count));
  for (int s = 0; s < desc->sides; s++) HK_PASS(find_side(m, &desc->side[s]));
  return HK_OK;
}
