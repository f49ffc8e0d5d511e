/* From the members that a deck lists (labels, ranges, sets, faces S1 to S6, free faces) to the sets of the mesh, ascending and without
 * repeats. A member is kept as a key, number * 8 + face, and the keys are sorted. Sets are filled in the order in which they begin, elements
 * before nodes before surfaces, so only earlier sets can be members. Elements of the boundary (trusses, shells, membranes) stand for faces of
 * the elements behind them. */
#include "element/element.h"
#include "input/deck/mesh/parts.h"
#include "base/sort.h"
#include <stdio.h>

enum { FACES = 8 }; /* keys: number * FACES + face */

typedef struct keys {
  uint64_t *key;
  hk_count count, capacity;
} keys;

/* What is being filled: set number `index` of the part of piece p. */
typedef struct filling {
  hk_inp *inp;
  hk_mesh *mesh;
  hk_inp_set *set;
  int p, index;
  keys keys;
  bool derived; /* from elements: what they share is not listed twice */
} filling;

hk_index hk_inp_element_of(const hk_inp *inp, const hk_inp_piece *piece, hk_index local)
{
  const hk_inp_part *part = &inp->part.at[piece->part];
  const int s = hk_inp_kind_of(&part->element, local);
  return (hk_index)(piece->element_first[s] + local - part->element.first[s]);
}

static hk_place place_of(const filling *f, const hk_inp_member *m)
{
  return (hk_place){hk_inp_file_name(f->inp->reader, m->file), m->line};
}

static hk_status add_key(filling *f, uint64_t number, uint8_t face)
{
  keys *k = &f->keys;
  if (k->count == k->capacity) {
    const hk_status status = hk_reserve(&k->key, k->count + 1, &k->capacity);
    if (status != HK_OK) return status;
  }
  k->key[k->count++] = number * FACES + face;
  return HK_OK;
}

/* Numbers first, first + 1, ... */
static hk_status add_keys(filling *f, hk_count first, hk_count count)
{
  keys *k = &f->keys;
  HK_PASS(hk_reserve(&k->key, k->count + count, &k->capacity));
  for (hk_count i = 0; i < count; i++) k->key[k->count + i] = (uint64_t)(first + i) * FACES;
  k->count += count;
  return HK_OK;
}

/* An element with the face that the member names; face sets check that the element has it. */
static hk_status add_element(filling *f, hk_index e, const hk_inp_member *m)
{
  if (f->set->kind != HK_FACE_SET) return add_key(f, (uint64_t)e, 0);
  const hk_block *block = hk_mesh_block_of(f->mesh, e);
  if (m->face >= hk_element_of(block->shape)->faces) {
    if (!f->set->missing++) {
      f->set->missing_place = place_of(f, m);
      snprintf(f->set->what, sizeof f->set->what, "face S%d of element %lld", m->face + 1,
               (long long)hk_mesh_element_label(f->mesh, e));
    }
    return HK_OK;
  }
  return add_key(f, (uint64_t)e, m->face);
}

static hk_status add_free_faces(filling *f, const hk_set *of)
{
  hk_status status = HK_OK;
  hk_count count = 0;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  f->derived = true;
  HK_TRY(hk_inp_free_faces(f->inp, f->mesh, of, &count, &item, &face));
  for (hk_count i = 0; i < count; i++) HK_TRY(add_key(f, (uint64_t)item[i], face[i]));
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

/* A side by its number: as an element it belongs to no set, as a member of a surface it is its face. */
static hk_status add_side(filling *f, const hk_inp_piece *piece, int64_t label,
                          const hk_inp_member *m)
{
  const hk_inp_part *part = &f->inp->part.at[piece->part];
  const hk_index number = hk_label_map_find(&part->side.of, label);
  hk_inp_side side = {.piece = (int)(piece - f->inp->piece.at)};
  hk_matched_face of;
  if (f->set->kind != HK_FACE_SET) return HK_OK;
  side.kind = hk_inp_kind_of(&part->side, number);
  side.at = number - part->side.first[side.kind];
  hk_inp_side_face(f->inp, &side, &of);
  if (of.element >= 0) return add_key(f, (uint64_t)of.element, of.face);
  if (!f->set->missing++) {
    f->set->missing_place = place_of(f, m);
    snprintf(f->set->what, sizeof f->set->what, "an element with the face %lld", (long long)label);
  }
  return HK_OK;
}

static hk_status add_label(filling *f, const hk_inp_piece *piece, int64_t label,
                           const hk_inp_member *m)
{
  const hk_inp_part *part = &f->inp->part.at[piece->part];
  const bool nodes = f->set->kind == HK_NODE_SET;
  const hk_index local = hk_label_map_find(nodes ? &part->node_of : &part->element.of, label);
  if (local < 0) {
    if (!nodes && hk_label_map_find(&part->side.of, label) >= 0)
      return add_side(f, piece, label, m);
    if (m->kind == HK_INP_LISTED && !f->set->missing++) {
      f->set->missing_place = place_of(f, m);
      snprintf(f->set->what, sizeof f->set->what, "%s %lld", nodes ? "node" : "element",
               (long long)label);
    }
    return HK_OK;
  }
  if (nodes) return add_key(f, (uint64_t)(piece->node_first + local), 0);
  hk_index e = hk_inp_element_of(f->inp, piece, local);
  if (f->set->kind == HK_FACE_SET && m->face == HK_INP_FREE)
    return add_free_faces(f, &(hk_set){.count = 1, .item = &e});
  return add_element(f, e, m);
}

/* Nodes or elements [local, end) of the part. */
static hk_status add_locals(filling *f, const hk_inp_piece *piece, hk_count local, hk_count end)
{
  const hk_inp_cells *cells = &f->inp->part.at[piece->part].element;
  if (f->set->kind == HK_NODE_SET) return add_keys(f, piece->node_first + local, end - local);
  for (hk_count stop; local < end; local = stop) {
    const int kind = hk_inp_kind_of(cells, local);
    stop = end < cells->first[kind + 1] ? end : cells->first[kind + 1];
    HK_PASS(add_keys(f, piece->element_first[kind] + local - cells->first[kind], stop - local));
  }
  return HK_OK;
}

/* Labels from..to by step: all at once where they are consecutive in the part, else by counting up, or, where that is longer, by looking at all labels. */
static hk_status add_labels(filling *f, const hk_inp_piece *piece, const hk_inp_member *m)
{
  const hk_inp_part *part = &f->inp->part.at[piece->part];
  const bool nodes = f->set->kind == HK_NODE_SET;
  const int64_t *all = nodes ? part->label : part->element.label;
  const hk_count count = nodes ? part->node_count : part->element.first[HK_SHAPE_COUNT];
  const int64_t step = m->kind == HK_INP_GENERATED ? m->step : 1;
  const hk_count before = f->keys.count;
  const hk_label_map *of = nodes ? &part->node_of : &part->element.of;
  if (f->set->kind != HK_FACE_SET && step == 1 && of->span && !of->table && m->from >= of->low &&
      m->to < of->low + of->span)
    return add_locals(f, piece, m->from - of->low, m->to + 1 - of->low);
  if (m->kind == HK_INP_LISTED || (m->to - (int64_t)m->from) / step <= count)
    for (int64_t label = m->from; label <= m->to; label += step)
      HK_PASS(add_label(f, piece, label, m));
  else
    for (hk_count i = 0; i < count; i++)
      if (all[i] >= m->from && all[i] <= m->to && (all[i] - m->from) % step == 0)
        HK_PASS(add_label(f, piece, all[i], m));
  if (m->kind == HK_INP_GENERATED && f->keys.count == before && !f->inp->sides.any &&
      !f->set->missing++) {
    f->set->missing_place = place_of(f, m);
    snprintf(f->set->what, sizeof f->set->what, "any of the %s %d to %d",
             nodes ? "nodes" : "elements", m->from, m->to);
  }
  return HK_OK;
}

static hk_status add_nodes_of(filling *f, const hk_set *of)
{
  f->derived = true;
  for (hk_count i = 0; i < of->count; i++) {
    const hk_block *block = hk_mesh_block_of(f->mesh, of->item[i]);
    const hk_index *node = hk_mesh_nodes_of(f->mesh, of->item[i]);
    for (int n = 0; n < block->nodes; n++) HK_PASS(add_key(f, (uint64_t)node[n], 0));
  }
  return HK_OK;
}

static hk_status add_set(filling *f, const hk_set *of, const hk_inp_member *m)
{
  if (m->kind == HK_INP_NODES_OF_ELSET) return add_nodes_of(f, of);
  if (f->set->kind == HK_FACE_SET && m->face == HK_INP_FREE) return add_free_faces(f, of);
  for (hk_count i = 0; i < of->count; i++)
    HK_PASS(f->set->kind == HK_NODE_SET ? add_key(f, (uint64_t)of->item[i], 0)
                                        : add_element(f, of->item[i], m));
  return HK_OK;
}

typedef struct side_count {
  hk_count all, lost, inside; /* lost: of no element; inside: between two */
} side_count;

/* The sides of a set in piece q: their nodes in a set of nodes, their faces in a surface. */
static hk_status add_sides(filling *f, int q, const hk_inp_set *set, side_count *counted)
{
  hk_status status = HK_OK;
  hk_inp *inp = f->inp;
  hk_inp_side *side = NULL;
  hk_count elements;
  f->derived = true;
  HK_TRY(hk_inp_sides_of(inp, q, &hk_inp_part_of(inp, q)->set.at[set->sides_of - 1], &counted->all,
                         &side, &elements));
  for (hk_count i = 0; i < counted->all; i++) {
    hk_index node[HK_MOST_NODES];
    hk_matched_face of;
    if (f->set->kind == HK_FACE_SET) {
      hk_inp_side_face(inp, &side[i], &of);
      counted->lost += of.element < 0, counted->inside += of.inside;
      if (of.element >= 0) HK_TRY(add_key(f, (uint64_t)of.element, of.face));
      continue;
    }
    const int nodes = hk_inp_side_nodes(inp, &side[i], node);
    for (int n = 0; n < nodes; n++) HK_TRY(add_key(f, (uint64_t)node[n], 0));
  }
cleanup:
  hk_free(&side);
  return status;
}

/* A set, "instance.set" or "instance.label" by name, in piece q. Sets are filled in the order in
 * which they begin, so that only earlier ones can be members. */
static hk_status add_named(filling *f, int q, const hk_inp_member *m)
{
  hk_inp *inp = f->inp;
  const char *name = inp->text.at[m->from];
  const hk_set_kind kind = f->set->kind == HK_NODE_SET && m->kind != HK_INP_NODES_OF_ELSET
                               ? HK_NODE_SET
                               : HK_ELEMENT_SET;
  hk_inp_named is;
  hk_inp_resolve(inp, q, name, kind, &is);
  if (is.labelled) {
    hk_inp_member listed = *m;
    listed.kind = HK_INP_LISTED;
    return add_label(f, &inp->piece.at[is.piece], is.label, &listed);
  }
  const hk_inp_part *part = hk_inp_part_of(inp, is.piece);
  const int at = is.set;
  if (at >= 0 && part->set.at[at].sides_of &&
      (f->set->kind != HK_NODE_SET || m->kind != HK_INP_SET))
    return f->set->kind == HK_ELEMENT_SET
               ? HK_OK
               : add_sides(f, is.piece, &part->set.at[at], &(side_count){0});
  if (at < 0 || (is.piece == f->p && kind == f->set->kind && at >= f->index)) {
    hk_inp_error(inp->reader, place_of(f, m), "set %s: its member %s %s%s", f->set->name, name,
                 at < 0 ? "is not a set"
                        : "is the set itself or a set defined later: define members first",
                 at < 0 ? hk_inp_near(inp->reader, &part->names, name, (int)kind) : "");
    return HK_OK;
  }
  if (!f->set->twice)
    f->set->twice = part->set.at[at].twice, f->set->first_twice = part->set.at[at].first_twice;
  return add_set(f, &f->mesh->set[inp->piece.at[is.piece].set_first + at], m);
}

static hk_status add_member(filling *f, const hk_inp_member *m)
{
  const int q = m->piece >= 0 ? m->piece : f->p;
  const hk_inp_piece *piece = &f->inp->piece.at[q];
  switch ((hk_inp_member_kind)m->kind) {
  case HK_INP_LISTED:
  case HK_INP_GENERATED: return add_labels(f, piece, m);
  case HK_INP_NODES: return add_keys(f, piece->node_first + m->from, m->to - m->from);
  case HK_INP_ELEMENTS:
    if (f->inp->sides.is[m->step]) break;
    return add_keys(f, piece->element_first[m->step] + m->from, m->to - m->from);
  case HK_INP_SET:
  case HK_INP_NODES_OF_ELSET: return add_named(f, q, m);
  }
  return HK_OK;
}

/* Ascending and unique. *again: the first key that was there more than once; `twice`: how often. */
static hk_status order_keys(keys *k, hk_count *twice, uint64_t *again)
{
  hk_count kept = 0;
  bool ordered = true;
  for (hk_count i = 1; i < k->count && ordered; i++) ordered = k->key[i - 1] < k->key[i];
  if (ordered) return HK_OK;
  HK_PASS(hk_mesh_sort(k->count, k->key, NULL));
  for (hk_count i = 0; i < k->count; i++)
    if (!i || k->key[i] != k->key[i - 1])
      k->key[kept++] = k->key[i];
    else if (!(*twice)++)
      *again = k->key[i];
  k->count = kept;
  return HK_OK;
}

static hk_status store(filling *f, hk_set *to)
{
  const keys *k = &f->keys;
  HK_PASS(hk_get(&to->item, k->count));
  if (to->kind == HK_FACE_SET) HK_PASS(hk_get(&to->face, k->count));
  for (hk_count i = 0; i < k->count; i++) {
    to->item[i] = (hk_index)(k->key[i] / FACES);
    if (to->face) to->face[i] = (uint8_t)(k->key[i] % FACES);
  }
  to->count = k->count;
  return HK_OK;
}

static void tell_faces(const filling *f, const side_count *sides)
{
  const char *what = f->mesh->dim == 3 ? "faces" : "edges";
  if (sides->lost)
    hk_inp_say(f->inp->reader, HK_WARNING, f->set->place,
               "element set %s: %lld of its %lld %s belong to no element: the surface leaves them "
               "out; the set of nodes keeps their nodes",
               f->set->name, (long long)sides->lost, (long long)sides->all, what);
  if (sides->inside)
    hk_inp_say(
        f->inp->reader, HK_NOTE, f->set->place,
        "element set %s: %lld of its %s lie between two elements: the surface takes the side %s",
        f->set->name, (long long)sides->inside, what,
        f->mesh->dim == 3 ? "whose outward normal is that of the face" : "to the left of the edge");
}

static hk_status fill_set(filling *f, hk_set *to)
{
  hk_inp *inp = f->inp;
  const hk_count most = 256 * (f->mesh->node_count + f->mesh->element_count) + 1000000;
  hk_count twice = 0;
  uint64_t again = 0;
  f->keys.count = 0, f->derived = false;
  const bool sides = f->set->sides_of && f->set->kind != HK_ELEMENT_SET;
  side_count counted = {0};
  if (sides) HK_PASS(add_sides(f, f->p, f->set, &counted));
  if (f->set->kind == HK_FACE_SET) tell_faces(f, &counted);
  for (hk_count i = 0; i < f->set->count && !sides; i++) {
    HK_PASS(add_member(f, &f->set->member[i]));
    HK_NEED(inp->members + f->keys.count <= most, HK_BAD_INPUT,
            "%s:%lld: set %s: the sets of the deck have more than %lld members in all",
            f->set->place.file, (long long)f->set->place.line, f->set->name, (long long)most);
  }
  HK_PASS(order_keys(&f->keys, &twice, &again));
  if (twice && !f->derived) {
    f->set->twice = twice;
    f->set->first_twice = f->set->kind == HK_NODE_SET
                              ? hk_mesh_node_label(f->mesh, (hk_index)(again / FACES))
                              : hk_mesh_element_label(f->mesh, (hk_index)(again / FACES));
  }
  inp->members += f->keys.count;
  HK_PASS(store(f, to));
  if (f->set->missing)
    hk_inp_say(inp->reader, HK_WARNING, f->set->missing_place,
               "set %s: %s is not there (%lld members are missing)", f->set->name, f->set->what,
               (long long)f->set->missing);
  return HK_OK;
}

/* "set", or "instance.set" where there are several pieces or the root has a set of that name. */
static hk_status name_set(const hk_inp *inp, int p, const hk_inp_set *from, bool plain, char **out)
{
  plain = plain && hk_inp_names_find(&inp->part.at[0].names, from->name, (int)from->kind) < 0;
  if (p == 0 || plain) return hk_copy_text(out, from->name);
  return hk_format(out, "%s.%s", inp->piece.at[p].name, from->name);
}

static hk_status fill_piece(filling *f, hk_set_kind kind)
{
  const hk_inp_piece *piece = &f->inp->piece.at[f->p];
  const hk_inp_part *part = &f->inp->part.at[piece->part];
  for (f->index = 0; f->index < part->set.count; f->index++) {
    f->set = &part->set.at[f->index];
    hk_set *to = &f->mesh->set[piece->set_first + f->index];
    if (f->set->kind == kind) HK_PASS(fill_set(f, to));
  }
  return HK_OK;
}

hk_status hk_inp_make_sets(hk_inp *inp, hk_mesh *mesh)
{
  hk_status status = HK_OK;
  static const hk_set_kind order[] = {HK_ELEMENT_SET, HK_NODE_SET, HK_FACE_SET};
  filling f = {.inp = inp, .mesh = mesh};
  const bool plain = inp->piece.count == 2 && !inp->part.at[0].node_count;
  hk_count count = 0;
  for (hk_count p = 0; p < inp->piece.count; p++) {
    inp->piece.at[p].set_first = (int)count;
    count += hk_inp_part_of(inp, p)->set.count;
    HK_CHECK(count < INT32_MAX / 4, HK_BAD_INPUT, "%s: too many sets", inp->path);
  }
  hk_count room = 1; /* hk_mesh_add_set appends in steps of powers of two */
  while (room < count) room *= 2;
  HK_TRY(hk_get(&mesh->set, room));
  for (int p = 0; p < (int)inp->piece.count; p++) {
    const hk_inp_part *part = hk_inp_part_of(inp, p);
    for (hk_count i = 0; i < part->set.count; i++) {
      hk_set *to = &mesh->set[mesh->set_count];
      to->kind = part->set.at[i].kind;
      HK_TRY(name_set(inp, p, &part->set.at[i], plain, &to->name));
      mesh->set_count++;
    }
  }
  for (int k = 0; k < 3; k++) /* instances first: the root's sets refer to theirs */
    for (int p = (int)inp->piece.count - 1; p >= 0; p--) {
      f.p = p;
      HK_TRY(fill_piece(&f, order[k]));
    }
cleanup:
  hk_free(&f.keys.key);
  return status;
}
