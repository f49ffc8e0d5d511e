/* The order of a set's members: as the deck lists them, or as Abaqus sorts them, ascending by label unless UNSORTED is given. The mesh's own
 * sets are ascending and unique; where the order counts (pairs of *EQUATION, rows of *NODE PRINT and *EL PRINT) the members are taken from the
 * deck's lists again, sets within sets included. A set that lists a member twice is told where CalculiX would load it twice. */
#include "input/deck/mesh/parts.h"
#include <stdlib.h>

enum { MOST_DEPTH = 200 }; /* sets within sets */

typedef struct ordering {
  hk_inp *inp;
  const hk_mesh *mesh;
  bool nodes, sorted, sides; /* sides: those in element sets, into side[] */
  hk_count most, visits;     /* members and sets that are looked through in all */
  hk_index *item;            /* owned */
  hk_count count, room;
  hk_inp_side *side; /* owned */
  hk_count side_count, side_room;
} ordering;

typedef struct labelled {
  int64_t label;
  hk_index item;
} labelled;

static hk_status add_item(ordering *o, hk_index item)
{
  HK_NEED(o->count < o->most, HK_BAD_INPUT,
          "%s: the set lists members repeatedly, more than %lld in all", o->inp->path,
          (long long)o->most);
  HK_PASS(hk_reserve(&o->item, o->count + 1, &o->room));
  o->item[o->count++] = item;
  return HK_OK;
}

/* The side of that number in the part, where sides are looked for. */
static hk_status add_side(ordering *o, const hk_inp_piece *piece, hk_count number)
{
  const hk_inp_part *part = &o->inp->part.at[piece->part];
  const int kind = hk_inp_kind_of(&part->side, number);
  HK_NEED(o->side_count < o->most, HK_BAD_INPUT,
          "%s: the set lists members repeatedly, more than %lld in all", o->inp->path,
          (long long)o->most);
  HK_PASS(hk_reserve(&o->side, o->side_count + 1, &o->side_room));
  o->side[o->side_count++] =
      (hk_inp_side){(int)(piece - o->inp->piece.at), kind, number - part->side.first[kind]};
  return HK_OK;
}

/* -1: there is none. */
static hk_index find(const ordering *o, const hk_inp_piece *piece, int64_t label)
{
  const hk_inp_part *part = &o->inp->part.at[piece->part];
  const hk_index local = hk_label_map_find(o->nodes ? &part->node_of : &part->element.of, label);
  if (local < 0) return -1;
  return o->nodes ? (hk_index)(piece->node_first + local) : hk_inp_element_of(o->inp, piece, local);
}

static int by_label(const void *a, const void *b)
{
  const labelled *x = a, *y = b;
  return x->label < y->label ? -1 : x->label > y->label;
}

/* Sorts item[from..count) by label and leaves each once. */
static hk_status sort_from(ordering *o, hk_count from)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = o->mesh;
  const hk_count count = o->count - from;
  labelled *list = NULL;
  HK_TRY(hk_get(&list, count));
  for (hk_count i = 0; i < count; i++) {
    const hk_index item = o->item[from + i];
    list[i] = (labelled){
        o->nodes ? hk_mesh_node_label(mesh, item) : hk_mesh_element_label(mesh, item), item};
  }
  if (count) qsort(list, (size_t)count, sizeof *list, by_label);
  o->count = from;
  for (hk_count i = 0; i < count; i++)
    if (!i || list[i].item != list[i - 1].item) o->item[o->count++] = list[i].item;
cleanup:
  hk_free(&list);
  return status;
}

/* GENERATE over more labels than the part has: those that exist, in ascending order. */
static hk_status add_sparse(ordering *o, const hk_inp_piece *piece, const hk_inp_member *m)
{
  const hk_mesh *mesh = o->mesh;
  const hk_inp_part *part = &o->inp->part.at[piece->part];
  const hk_count count = o->nodes ? part->node_count : part->element.first[HK_SHAPE_COUNT];
  const hk_count from = o->count;
  for (hk_count i = 0; i < count; i++) {
    const hk_index item = o->nodes ? (hk_index)(piece->node_first + i)
                                   : hk_inp_element_of(o->inp, piece, (hk_index)i);
    const int64_t label = o->nodes ? hk_mesh_node_label(mesh, item) - piece->node_add
                                   : hk_mesh_element_label(mesh, item) - piece->element_add;
    if (label >= m->from && label <= m->to && (label - m->from) % m->step == 0)
      HK_PASS(add_item(o, item));
  }
  for (hk_count i = 0; o->sides && i < part->side.first[HK_INP_KINDS]; i++) {
    const int64_t label = part->side.label[i];
    if (label >= m->from && label <= m->to && (label - m->from) % m->step == 0)
      HK_PASS(add_side(o, piece, i));
  }
  if (!o->sides) HK_PASS(sort_from(o, from));
  return HK_OK;
}

static hk_status add_labels(ordering *o, const hk_inp_piece *piece, const hk_inp_member *m)
{
  const hk_inp_part *part = &o->inp->part.at[piece->part];
  const int64_t step = m->kind == HK_INP_GENERATED ? m->step : 1;
  const hk_count count = o->nodes ? part->node_count : part->element.first[HK_SHAPE_COUNT];
  if (m->kind == HK_INP_GENERATED && (m->to - (int64_t)m->from) / step > count)
    return add_sparse(o, piece, m);
  for (int64_t label = m->from; label <= m->to; label += step) {
    const hk_index item = find(o, piece, label);
    if (item >= 0) HK_PASS(add_item(o, item));
    const hk_index side = o->sides ? hk_label_map_find(&part->side.of, label) : -1;
    if (side >= 0) HK_PASS(add_side(o, piece, side));
  }
  return HK_OK;
}

static hk_status add_members(ordering *o, int p, const hk_inp_set *set, int depth);

/* The set "name" of piece q, or "instance.set", or "instance.label": what the mesh's set was made
 * of. */
static hk_status add_named(ordering *o, int q, const hk_inp_member *m, int depth)
{
  hk_inp *inp = o->inp;
  hk_inp_named at;
  hk_inp_resolve(inp, q, inp->text.at[m->from], o->nodes ? HK_NODE_SET : HK_ELEMENT_SET, &at);
  if (at.labelled) {
    const hk_inp_member one = {
        .kind = HK_INP_LISTED, .from = (int32_t)at.label, .to = (int32_t)at.label};
    return add_labels(o, &inp->piece.at[at.piece], &one);
  }
  if (at.set < 0) return HK_OK;
  return add_members(o, at.piece, &hk_inp_part_of(inp, at.piece)->set.at[at.set], depth + 1);
}

/* Nodes of elements: ascending, as the mesh has them. */
static hk_status add_nodes_of(ordering *o, int q, const hk_inp_member *m)
{
  hk_inp *inp = o->inp;
  const hk_mesh *mesh = o->mesh;
  const int at =
      hk_inp_names_find(&hk_inp_part_of(inp, q)->names, inp->text.at[m->from], HK_ELEMENT_SET);
  const hk_count from = o->count;
  if (at < 0) return HK_OK;
  const hk_set *set = &mesh->set[inp->piece.at[q].set_first + at];
  for (hk_count i = 0; i < set->count; i++) {
    const hk_block *block = hk_mesh_block_of(mesh, set->item[i]);
    const hk_index *node = hk_mesh_nodes_of(mesh, set->item[i]);
    for (int n = 0; n < block->nodes; n++) HK_PASS(add_item(o, node[n]));
  }
  return sort_from(o, from);
}

static hk_status add_member(ordering *o, int p, const hk_inp_member *m, int depth)
{
  const int q = m->piece >= 0 ? m->piece : p;
  const hk_inp_piece *piece = &o->inp->piece.at[q];
  switch ((hk_inp_member_kind)m->kind) {
  case HK_INP_LISTED:
  case HK_INP_GENERATED: return add_labels(o, piece, m);
  case HK_INP_NODES:
    for (int32_t i = m->from; i < m->to; i++)
      HK_PASS(add_item(o, (hk_index)(piece->node_first + i)));
    break;
  case HK_INP_ELEMENTS:
    if (o->inp->sides.is[m->step]) {
      const hk_count first = o->inp->part.at[piece->part].side.first[m->step];
      for (int32_t i = m->from; o->sides && i < m->to; i++) HK_PASS(add_side(o, piece, first + i));
      break;
    }
    for (int32_t i = m->from; i < m->to; i++)
      HK_PASS(add_item(o, (hk_index)(piece->element_first[m->step] + i)));
    break;
  case HK_INP_NODES_OF_ELSET: return add_nodes_of(o, q, m);
  case HK_INP_SET: return add_named(o, q, m, depth);
  }
  return HK_OK;
}

static hk_status add_members(ordering *o, int p, const hk_inp_set *set, int depth)
{
  const hk_count from = o->count;
  HK_NEED(depth < MOST_DEPTH && ++o->visits < o->most, HK_BAD_INPUT,
          "%s:%lld: set %s: sets within sets, more than %d deep or listed repeatedly",
          set->place.file, (long long)set->place.line, set->name, depth);
  for (hk_count i = 0; i < set->count; i++) HK_PASS(add_member(o, p, &set->member[i], depth));
  if (o->sorted && !set->unsorted) HK_PASS(sort_from(o, from));
  return HK_OK;
}

/* The deck's set that a set of the mesh was made of, and its piece; NULL: the mesh's own. */
static hk_inp_set *origin(const hk_inp *inp, const hk_set *set, int *piece)
{
  const hk_count at = set - inp->mesh->set;
  for (int p = 0; p < (int)inp->piece.count; p++) {
    hk_inp_part *part = hk_inp_part_of(inp, p);
    const hk_count first = inp->piece.at[p].set_first;
    if (at < first || at >= first + part->set.count) continue;
    *piece = p;
    return &part->set.at[at - first];
  }
  return NULL;
}

hk_status hk_inp_members(hk_inp *inp, const hk_set *set, bool sorted, hk_count *count,
                         hk_index **item)
{
  hk_status status = HK_OK;
  int piece = 0;
  const hk_mesh *mesh = inp->mesh;
  const hk_inp_set *from = origin(inp, set, &piece);
  ordering o = {.inp = inp,
                .mesh = mesh,
                .nodes = set->kind == HK_NODE_SET,
                .sorted = sorted,
                .most = 64 * (mesh->node_count + mesh->element_count) + 1000000};
  *count = 0, *item = NULL;
  if (from) HK_TRY(add_members(&o, piece, from, 0));
  *count = o.count, *item = o.item, o.item = NULL;
cleanup:
  hk_free(&o.item);
  return status;
}

hk_status hk_inp_sides_of(hk_inp *inp, int p, const hk_inp_set *set, hk_count *count,
                          hk_inp_side **side, hk_count *elements)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = inp->mesh;
  ordering o = {.inp = inp,
                .mesh = mesh,
                .sides = true,
                .most = 64 * (mesh->node_count + mesh->element_count) + 1000000};
  HK_TRY(add_members(&o, p, set, 0));
  *count = o.side_count, *side = o.side, o.side = NULL;
  *elements = o.count;
cleanup:
  hk_free(&o.item);
  hk_free(&o.side);
  return status;
}

void hk_inp_warn_of_twice(hk_inp *inp, hk_place place, const char *what, const hk_set *set)
{
  static const char *const kinds[] = {"node", "element", "a face of element"};
  int piece = 0;
  hk_inp_set *from = origin(inp, set, &piece);
  if (!from || !from->twice || from->twice_told) return;
  from->twice_told = true;
  hk_inp_say(inp->reader, HK_WARNING, place,
             "%s: set %s lists %s %lld%s more than once: hooke loads each once, as Abaqus does; "
             "CalculiX loads it each time that it is listed",
             what, from->name, kinds[from->kind], (long long)from->first_twice,
             from->twice > 1 ? " and others" : "");
}
