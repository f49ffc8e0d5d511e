/* Sets, nodes and elements of the mesh by the names of a deck: "set" or "12", and "instance.set" or "instance.12". A name is looked up in the
 * part itself, then as that of an instance, then in the only instance that there is. An unknown name is told with the nearest known one. Free
 * faces of a set of elements come from the boundary of the mesh, which is found once. */
#include "element/element.h"
#include "input/deck/mesh/parts.h"
#include <stdio.h>
#include <string.h>

int hk_inp_group_count(const hk_inp *inp)
{
  return (int)inp->group.count;
}

const hk_inp_group *hk_inp_group_at(const hk_inp *inp, int g)
{
  return &inp->group.at[g];
}

/* Number of the k-th piece of the part; -1: there is none. */
static int piece_at(const hk_inp *inp, int scope, int k)
{
  for (int p = 0; p < (int)inp->piece.count; p++)
    if (inp->piece.at[p].part == scope && k-- == 0) return p;
  return -1;
}

int hk_inp_piece_count(const hk_inp *inp, int scope)
{
  int count = 0;
  for (hk_count p = 0; p < inp->piece.count; p++) count += inp->piece.at[p].part == scope;
  return count;
}

void hk_inp_piece_point(const hk_inp *inp, int scope, int k, const double x[3], double to[3])
{
  hk_inp_place_point(&inp->piece.at[piece_at(inp, scope, k)], x, to);
}

/* "instance.rest": the piece, and *rest; else the only piece with nodes for flat names, or 0. */
static int split_name(const hk_inp *inp, const char *name, const char **rest)
{
  char head[256];
  for (const char *point = strchr(name, '.'); point; point = strchr(point + 1, '.')) {
    snprintf(head, sizeof head, "%.*s", (int)(point - name), name);
    const int piece = hk_inp_names_find(&inp->piece_names, head, 0);
    if (piece > 0) {
      *rest = point + 1;
      return piece;
    }
  }
  *rest = name;
  return 0;
}

/* The deck's set and its piece: in the piece itself, then by "instance.name", then, where one
 * instance is all there is, in that. `sides`: an element set with boundary elements. */
static const hk_inp_set *look_up(const hk_inp *inp, int p, const char *name, hk_set_kind kind,
                                 bool sides, int *piece)
{
  const char *rest;
  const int tries[3] = {p, split_name(inp, name, &rest), inp->piece.count == 2 ? 1 : -1};
  for (int i = 0; i < 3; i++) {
    if (tries[i] < 0) continue;
    const hk_inp_part *part = hk_inp_part_of(inp, tries[i]);
    const int at = hk_inp_names_find(&part->names, i == 1 ? rest : name, (int)kind);
    const hk_inp_set *set = at < 0 ? NULL : &part->set.at[at];
    /* sets of sides changed their kind */
    if (!set || !(sides ? set->sides_of || set->mixed : set->kind == kind)) continue;
    *piece = tries[i];
    return set;
  }
  return NULL;
}

void hk_inp_resolve(const hk_inp *inp, int piece, const char *name, hk_set_kind kind,
                    hk_inp_named *out)
{
  const char *point = strrchr(name, '.');
  *out = (hk_inp_named){.piece = piece};
  out->set = hk_inp_names_find(&hk_inp_part_of(inp, piece)->names, name, (int)kind);
  if (out->set >= 0 || !point || piece != 0) return;
  char head[256];
  snprintf(head, sizeof head, "%.*s", (int)(point - name), name);
  const int other = hk_inp_names_find(&inp->piece_names, head, 0);
  if (other <= 0) return;
  out->piece = other;
  out->labelled = hk_inp_label((hk_inp_field){point + 1, strlen(point + 1)}, &out->label);
  if (!out->labelled)
    out->set = hk_inp_names_find(&hk_inp_part_of(inp, other)->names, point + 1, (int)kind);
}

static const hk_set *mesh_set(const hk_inp *inp, int p, const hk_inp_set *set)
{
  const hk_inp_piece *piece = &inp->piece.at[p];
  return &inp->mesh->set[piece->set_first + (set - inp->part.at[piece->part].set.at)];
}

const hk_set *hk_inp_peek_set(const hk_inp *inp, const char *name, hk_set_kind kind, int scope,
                              int k)
{
  int piece = 0;
  const hk_inp_set *set = look_up(inp, piece_at(inp, scope, k), name, kind, false, &piece);
  return set ? mesh_set(inp, piece, set) : NULL;
}

/* An element set that sides belong to: what it is good for. False: it is none. */
static bool tell_sides(hk_inp *inp, hk_place place, const char *what, const char *name, int p)
{
  int piece;
  const hk_inp_set *set = look_up(inp, p, name, HK_ELEMENT_SET, true, &piece);
  if (!set || !inp->sides.any) return false;
  hk_inp_error(
      inp->reader, place,
      "%s: element set %s contains boundary elements%s, of lower dimension than the model: they "
      "have no section and carry no element load; use it as a set of nodes or a surface",
      what, name, set->mixed ? " beside others" : "");
  return true;
}

static const char *const kinds[] = {"node set", "element set", "surface"};

static void tell_unknown(hk_inp *inp, hk_place place, const char *what, const char *name,
                         hk_set_kind kind, int scope)
{
  const hk_inp_part *part = &inp->part.at[scope]; /* without an instance it has no piece */
  const char *near = hk_inp_near(inp->reader, &part->names, name, (int)kind);
  if (!*near && inp->piece.count == 2)
    near = hk_inp_near(inp->reader, &hk_inp_part_of(inp, 1)->names, name, (int)kind);
  hk_inp_error(inp->reader, place, "%s: there is no %s %s%s", what, kinds[kind], name, near);
}

void hk_inp_check_set(hk_inp *inp, hk_place place, const char *what, const char *name,
                      hk_set_kind kind, int scope)
{
  bool any = !hk_inp_piece_count(inp, scope);
  int piece;
  for (int k = 0; k < hk_inp_piece_count(inp, scope) && !any; k++)
    for (int of = HK_NODE_SET; of <= HK_FACE_SET && !any; of++)
      any = look_up(inp, piece_at(inp, scope, k), name, (hk_set_kind)of, false, &piece) != NULL;
  if (!any) tell_unknown(inp, place, what, name, kind, scope);
}

hk_count hk_inp_size(const hk_inp *inp)
{
  hk_count count = 0;
  for (hk_count p = 0; p < inp->part.count; p++) {
    count += inp->part.at[p].node_count;
    for (int s = 0; s < HK_SHAPE_COUNT; s++) count += inp->part.at[p].element.pile[s].count;
  }
  return count;
}

const hk_set *hk_inp_find_set(hk_inp *inp, hk_place place, const char *what, const char *name,
                              hk_set_kind kind, int scope, int k)
{
  int piece = 0;
  const int own = piece_at(inp, scope, k);
  const hk_inp_set *set = look_up(inp, own, name, kind, false, &piece);
  if (kind == HK_ELEMENT_SET && (!set || set->mixed) && tell_sides(inp, place, what, name, own))
    return NULL;
  if (!set) {
    tell_unknown(inp, place, what, name, kind, scope);
    return NULL;
  }
  if (set->missing) {
    hk_inp_error(inp->reader, place, "%s: %s %s: %s is not there (line %lld)", what, kinds[kind],
                 name, set->what, (long long)set->missing_place.line);
    return NULL;
  }
  return mesh_set(inp, piece, set);
}

/* Piece and number of "12" or "instance.12". */
static bool parse_label(const hk_inp *inp, const char *name, int *piece, int64_t *label)
{
  const char *rest;
  *piece = split_name(inp, name, &rest);
  if (!*piece && inp->piece.count == 2 && !inp->part.at[0].node_count) *piece = 1;
  return hk_inp_label((hk_inp_field){rest, strlen(rest)}, label);
}

bool hk_inp_is_label(const hk_inp *inp, const char *name)
{
  int piece;
  int64_t label;
  return parse_label(inp, name, &piece, &label);
}

hk_index hk_inp_find_node(hk_inp *inp, hk_place place, const char *name)
{
  int piece;
  int64_t label;
  if (parse_label(inp, name, &piece, &label)) {
    const hk_inp_piece *at = &inp->piece.at[piece];
    const hk_index local = hk_label_map_find(&inp->part.at[at->part].node_of, label);
    if (local >= 0) return (hk_index)(at->node_first + local);
  }
  hk_inp_error(inp->reader, place, "there is no node %s", name);
  return -1;
}

hk_index hk_inp_find_element(hk_inp *inp, hk_place place, const char *name)
{
  int piece;
  int64_t label;
  if (parse_label(inp, name, &piece, &label)) {
    const hk_inp_piece *at = &inp->piece.at[piece];
    const hk_index local = hk_label_map_find(&inp->part.at[at->part].element.of, label);
    if (local >= 0) return hk_inp_element_of(inp, at, local);
  }
  hk_inp_error(inp->reader, place, "there is no element %s%s", name,
               inp->sides.any ? " (boundary elements carry no element loads)" : "");
  return -1;
}

/* hk_mesh_finish turns face k of a plane element into faces - 1 - k. */
uint8_t hk_inp_face(const hk_inp *inp, hk_index e, uint8_t face)
{
  if (!inp->second || inp->second[e] == hk_mesh_nodes_of(inp->mesh, e)[1]) return face;
  return (uint8_t)(hk_element_of(hk_mesh_block_of(inp->mesh, e)->shape)->faces - 1 - face);
}

/* First place in the boundary whose element is not below e. */
static hk_count boundary_from(const hk_inp *inp, hk_index e)
{
  hk_count low = 0, high = inp->boundary.count;
  while (low < high) {
    const hk_count middle = (low + high) / 2;
    if (inp->boundary.element[middle] < e)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

hk_status hk_inp_free_faces(hk_inp *inp, const hk_mesh *mesh, const hk_set *set, hk_count *count,
                            hk_index **item, uint8_t **face)
{
  hk_count found = 0;
  if (!inp->boundary.element)
    HK_PASS(
        hk_mesh_boundary(mesh, &inp->boundary.count, &inp->boundary.element, &inp->boundary.face));
  const hk_index *element = inp->boundary.element;
  for (int pass = 0; pass < 2; pass++) { /* counts, then writes */
    if (pass) HK_PASS(hk_get(item, found));
    if (pass) HK_PASS(hk_get(face, found));
    found = 0;
    for (hk_count i = 0; i < set->count; i++)
      for (hk_count b = boundary_from(inp, set->item[i]);
           b < inp->boundary.count && element[b] == set->item[i]; b++, found++)
        if (pass) (*item)[found] = element[b], (*face)[found] = inp->boundary.face[b];
  }
  *count = found;
  return HK_OK;
}
