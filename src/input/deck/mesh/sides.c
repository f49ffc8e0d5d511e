/* Elements of lower dimension than the model's, as Gmsh writes them for groups on curves and surfaces:
 * sides. They are no elements of the mesh; the element sets that hold them become sets of nodes and,
 * one dimension below the mesh's, surfaces. */
#include "input/deck/mesh/parts.h"

void hk_inp_set_sides_apart(hk_inp *inp, int dim)
{
  for (int k = 0; k < HK_INP_KINDS; k++) inp->sides.is[k] = hk_inp_kind_dim(k) < dim;
  for (hk_count p = 0; p < inp->part.count; p++)
    for (int k = 0; k < HK_INP_KINDS; k++) {
      hk_inp_part *part = &inp->part.at[p];
      if (!inp->sides.is[k] || !part->element.pile[k].count) continue;
      part->side.pile[k] = part->element.pile[k];
      part->element.pile[k] = (hk_inp_pile){0};
      inp->sides.any = true;
    }
}

hk_status hk_inp_number_sides(hk_inp *inp, bool *whole)
{
  hk_count reported = 0;
  for (hk_count p = 0; inp->sides.any && p < inp->part.count; p++) {
    hk_inp_part *part = &inp->part.at[p];
    HK_PASS(hk_inp_index_cells(inp, part, &part->side, whole));
    hk_inp_number_nodes(inp, part, &part->side, &reported);
  }
  *whole = *whole && !reported;
  return HK_OK;
}

int hk_inp_side_nodes(const hk_inp *inp, const hk_inp_side *side, hk_index node[HK_MOST_NODES])
{
  const hk_inp_piece *piece = &inp->piece.at[side->piece];
  const int nodes = hk_inp_kind_nodes(side->kind);
  const hk_index *from = inp->part.at[piece->part].side.pile[side->kind].node + side->at * nodes;
  for (int n = 0; n < nodes; n++) node[n] = from[n] + (hk_index)piece->node_first;
  return nodes;
}

/* Corners of a face: the first nodes of a surface; the ends of a line, which are its first two nodes
 * or, where the middle stands between them, the first and the third. */
static int corners_of(int kind, const hk_index *node, int way, hk_index corner[4])
{
  const int corners = kind >= HK_INP_LINE2 ? 2 : kind == HK_TRI3 || kind == HK_TRI6 ? 3 : 4;
  for (int i = 0; i < corners; i++) corner[i] = node[i];
  if (way) corner[1] = node[2];
  return corners;
}

static int ways(int kind)
{
  return kind == HK_INP_LINE3 ? 2 : 1;
}

void hk_inp_side_face(const hk_inp *inp, const hk_inp_side *side, hk_matched_face *out)
{
  hk_index node[HK_MOST_NODES], corner[4];
  *out = (hk_matched_face){.element = -1};
  if (hk_inp_kind_dim(side->kind) != inp->sides.match.mesh->dim - 1) return;
  hk_inp_side_nodes(inp, side, node);
  for (int way = 0; way < ways(side->kind) && out->element < 0; way++) {
    const int corners = corners_of(side->kind, node, way, corner);
    hk_face_match_find(&inp->sides.match, corner, corners, out);
  }
}

static hk_status match_sides(hk_inp *inp, const hk_mesh *mesh)
{
  hk_count faces = 0;
  for (hk_count p = 0; p < inp->piece.count; p++)
    for (int k = 0; k < HK_INP_KINDS; k++)
      if (hk_inp_kind_dim(k) == mesh->dim - 1)
        faces += ways(k) * hk_inp_part_of(inp, p)->side.pile[k].count;
  HK_PASS(hk_face_match_begin(&inp->sides.match, mesh, faces));
  for (int p = 0; p < (int)inp->piece.count; p++)
    for (int k = 0; k < HK_INP_KINDS; k++) {
      const hk_count count = hk_inp_part_of(inp, p)->side.pile[k].count;
      for (hk_count i = 0; i < count && hk_inp_kind_dim(k) == mesh->dim - 1; i++)
        for (int way = 0; way < ways(k); way++) {
          hk_index node[HK_MOST_NODES], corner[4];
          hk_inp_side_nodes(inp, &(hk_inp_side){p, k, i}, node);
          const int corners = corners_of(k, node, way, corner);
          HK_PASS(hk_face_match_add(&inp->sides.match, corner, corners));
        }
    }
  hk_face_match_elements(&inp->sides.match);
  return HK_OK;
}

/* The element set number `at` of the part of piece p, which holds sides alone, becomes a surface or a
 * set of nodes; a surface's nodes are a set beside it. Names that are taken stay what they are. */
static hk_status turn_set(hk_inp *inp, int p, int at, bool faces)
{
  hk_status status = HK_OK;
  const int part_number = inp->piece.at[p].part;
  hk_inp_part *part = &inp->part.at[part_number];
  const char *name = part->set.at[at].name;
  const hk_set_kind kind = faces ? HK_FACE_SET : HK_NODE_SET;
  const int now = inp->now;
  part->set.at[at].sides_of = at + 1;
  if (hk_inp_names_find(&part->names, name, (int)kind) < 0) {
    part->set.at[at].kind = kind;
    HK_TRY(hk_inp_names_add(&inp->pool, &part->names, name, (int)kind, at));
  }
  if (!faces || hk_inp_names_find(&part->names, name, (int)HK_NODE_SET) >= 0) goto cleanup;
  hk_inp_set *nodes;
  inp->now = part_number;
  status = hk_inp_open_set(inp, name, HK_NODE_SET, part->set.at[at].place, &nodes);
  inp->now = now;
  if (status == HK_OK) nodes->sides_of = at + 1;
cleanup:
  return status;
}

/* Surfaces where one side at least is a dimension below the mesh's. */
static hk_status look_at_set(hk_inp *inp, const hk_mesh *mesh, int p, int at)
{
  hk_status status = HK_OK;
  hk_inp_part *part = hk_inp_part_of(inp, p);
  hk_inp_side *side = NULL;
  hk_count count = 0, elements = 0;
  bool faces = false;
  if (part->set.at[at].kind != HK_ELEMENT_SET || part->set.at[at].sides_of) return HK_OK;
  HK_TRY(hk_inp_sides_of(inp, p, &part->set.at[at], &count, &side, &elements));
  for (hk_count i = 0; i < count; i++)
    faces = faces || hk_inp_kind_dim(side[i].kind) == mesh->dim - 1;
  if (count && elements)
    part->set.at[at].mixed = true;
  else if (count)
    HK_TRY(turn_set(inp, p, at, faces));
cleanup:
  hk_free(&side);
  return status;
}

static void tell(hk_inp *inp)
{
  const hk_inp_run *first = NULL;
  hk_count count = 0;
  for (hk_count p = 0; p < inp->part.count; p++)
    for (hk_count i = 0; i < inp->part.at[p].run.count; i++) {
      const hk_inp_run *run = &inp->part.at[p].run.at[i];
      if (!inp->sides.is[run->type->shape] || !run->count) continue;
      first = first ? first : run;
      count += run->count;
    }
  if (!first) return;
  hk_inp_say(inp->reader, HK_NOTE, first->place,
             "%lld elements (%s) have a lower dimension than the model: hooke reads them as its "
             "boundary, their element sets as surfaces and sets of nodes",
             (long long)count, first->type->name);
}

hk_status hk_inp_make_side_sets(hk_inp *inp, const hk_mesh *mesh)
{
  if (!inp->sides.any) return HK_OK;
  HK_PASS(match_sides(inp, mesh));
  inp->mesh = mesh; /* as yet without sets */
  for (int p = 0; p < (int)inp->piece.count; p++) {
    const int sets = (int)hk_inp_part_of(inp, p)->set.count;
    for (int at = 0; at < sets; at++) HK_PASS(look_at_set(inp, mesh, p, at));
  }
  tell(inp);
  return HK_OK;
}
