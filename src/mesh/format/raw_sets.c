/* Groups of cells as sets of the mesh. Faces are found through a hash table of the groups' faces,
 * keyed by their sorted corners; the elements' faces are looked up in it one after the other. */
#include <string.h>
#include "element/element.h"
#include "mesh/format/raw_mesh.h"

typedef struct group_face {
  hk_index corner[4];  /* as listed from the least on, in the direction whose second is below the
                          last; -1 fills up */
  hk_index element[2]; /* the elements that have it: [0] with the outward normal of that direction,
                          [1] against it; -1: none */
  uint8_t face[2];
} group_face;

typedef struct matcher {
  const hk_mesh *mesh;
  group_face *key; /* owned */
  hk_count keys, key_room, slots;
  hk_index *slot; /* slot[slots] = key + 1, owned */
  uint8_t *used;  /* used[node]: is a corner of some key, owned */
} matcher;

/* Corners turned so that the least comes first, and the direction made the same for both windings.
 * Returns 0 when the direction stayed, 1 when it was turned over. */
static int canonical(const hk_index *node, int corners, hk_index out[4])
{
  int least = 0;
  for (int i = 1; i < corners; i++)
    if (node[i] < node[least]) least = i;
  const hk_index next = node[(least + 1) % corners], before = node[(least + corners - 1) % corners];
  const int turned = corners == 2 ? least != 0 : next > before;
  const int step = turned ? corners - 1 : 1;
  for (int i = 0; i < 4; i++) out[i] = i < corners ? node[(least + i * step) % corners] : -1;
  return turned;
}

static hk_count find_slot(const matcher *m, const hk_index corner[4])
{
  const uint64_t hash = hk_hash(corner, 4 * sizeof *corner, 0);
  hk_count slot = (hk_count)((hash ^ hash >> 32) & (uint64_t)(m->slots - 1));
  while (m->slot[slot] && memcmp(m->key[m->slot[slot] - 1].corner, corner, 4 * sizeof *corner) != 0)
    slot = (slot + 1) & (m->slots - 1);
  return slot;
}

static hk_status add_key(matcher *m, const hk_index *node, int corners)
{
  hk_status status = HK_OK;
  group_face key = {.element = {-1, -1}};
  canonical(node, corners, key.corner);
  const hk_count slot = find_slot(m, key.corner);
  if (m->slot[slot]) goto cleanup;
  HK_TRY(hk_reserve(&m->key, m->keys + 1, &m->key_room));
  m->key[m->keys++] = key;
  m->slot[slot] = (hk_index)m->keys;
  for (int i = 0; i < corners; i++) m->used[node[i]] = 1;
cleanup:
  return status;
}

static void match_element(matcher *m, const hk_element *element, hk_index e, const hk_index *node)
{
  for (int f = 0; f < element->faces; f++) {
    const hk_element_face *face = &element->face[f];
    const int corners =
        face->shape == HK_SHAPE_COUNT ? 2 : hk_cell_type_of((int)face->shape)->corners;
    hk_index corner[4], sorted[4];
    bool possible = true;
    for (int i = 0; i < corners; i++) {
      corner[i] = node[face->node[i]];
      possible = possible && m->used[corner[i]];
    }
    if (!possible) continue;
    const int side = canonical(corner, corners, sorted);
    const hk_index found = m->slot[find_slot(m, sorted)];
    if (!found || m->key[found - 1].element[side] >= 0) continue;
    m->key[found - 1].element[side] = e;
    m->key[found - 1].face[side] = (uint8_t)f;
  }
}

/* The faces of all cells of a dimension less than the mesh's that are in groups. */
static hk_status match_faces(const hk_raw_mesh *raw, matcher *m)
{
  hk_status status = HK_OK;
  hk_count faces = 0;
  for (hk_count r = 0; r < raw->runs; r++)
    if (hk_cell_type_of(raw->run[r].kind)->dim == m->mesh->dim - 1) faces += raw->run[r].count;
  if (!faces) return HK_OK;
  for (m->slots = 16; m->slots < 2 * faces;) m->slots *= 2;
  HK_TRY(hk_get(&m->slot, m->slots));
  HK_TRY(hk_get(&m->used, m->mesh->node_count));
  for (hk_count r = 0; r < raw->runs; r++) {
    const hk_raw_run *run = &raw->run[r];
    const hk_cell_type *type = hk_cell_type_of(run->kind);
    if (type->dim != m->mesh->dim - 1 || run->entity < 0 || !raw->entity[run->entity].groups)
      continue;
    for (hk_count c = run->first; c < run->first + run->count; c++)
      HK_TRY(add_key(m, raw->pile[run->kind].node + c * type->nodes, type->corners));
  }
  for (int b = 0; b < m->mesh->block_count && m->keys; b++) {
    const hk_block *block = &m->mesh->block[b];
    const hk_element *element = hk_element_of(block->shape);
    for (hk_count i = 0; i < block->count; i++)
      match_element(m, element, (hk_index)(block->first + i), block->node + i * block->nodes);
  }
cleanup:
  return status;
}

typedef struct group_runs { /* runs of group g: run[begin[g]..begin[g + 1]) */
  hk_count *begin;
  hk_index *run;
} group_runs;

static hk_status list_runs(const hk_raw_mesh *raw, group_runs *of)
{
  hk_status status = HK_OK;
  HK_TRY(hk_get(&of->begin, raw->groups + 2));
  for (int pass = 0; pass < 2; pass++) {
    if (pass) {
      for (hk_count g = 0; g < raw->groups; g++) of->begin[g + 2] += of->begin[g + 1];
      HK_TRY(hk_get(&of->run, of->begin[raw->groups + 1]));
    }
    for (hk_count r = 0; r < raw->runs; r++) {
      if (raw->run[r].entity < 0) continue;
      const hk_raw_entity *entity = &raw->entity[raw->run[r].entity];
      for (hk_index i = 0; i < entity->groups; i++) {
        if (pass)
          of->run[of->begin[entity->group[i] + 1]++] = (hk_index)r;
        else
          of->begin[entity->group[i] + 2]++;
      }
    }
  }
cleanup:
  return status;
}

typedef struct set_maker {
  hk_raw_mesh *raw;
  hk_mesh *mesh;
  const hk_count *first;
  hk_index *const *number;
  matcher match;
  group_runs runs;
  hk_index *stamp; /* stamp[node] = last group + 1 that took it */
} set_maker;

static hk_status add_element_set(set_maker *s, hk_count g)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  hk_count count = 0;
  HK_TRY(hk_get(&item, s->raw->group[g].cells));
  for (hk_count i = s->runs.begin[g]; i < s->runs.begin[g + 1]; i++) {
    const hk_raw_run *run = &s->raw->run[s->runs.run[i]];
    const hk_index *number = s->number[run->kind];
    for (hk_count c = run->first; c < run->first + run->count; c++)
      item[count++] = (hk_index)(s->first[run->kind] + (number ? number[c] : c));
  }
  HK_TRY(hk_mesh_add_set(s->mesh, s->raw->group[g].name, HK_ELEMENT_SET, count, &item, NULL));
cleanup:
  hk_free(&item);
  return status;
}

static hk_status add_node_set(set_maker *s, hk_count g)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  hk_count count = 0, room = 0;
  for (hk_count i = s->runs.begin[g]; i < s->runs.begin[g + 1]; i++) {
    const hk_raw_run *run = &s->raw->run[s->runs.run[i]];
    const int nodes = hk_cell_type_of(run->kind)->nodes;
    const hk_index *node = s->raw->pile[run->kind].node + run->first * nodes;
    for (hk_count k = 0; k < run->count * nodes; k++) {
      if (s->stamp[node[k]] == g + 1) continue;
      s->stamp[node[k]] = (hk_index)g + 1;
      HK_TRY(hk_reserve(&item, count + 1, &room));
      item[count++] = node[k];
    }
  }
  HK_TRY(hk_mesh_add_set(s->mesh, s->raw->group[g].name, HK_NODE_SET, count, &item, NULL));
cleanup:
  hk_free(&item);
  return status;
}

static void report_faces(const set_maker *s, hk_count g, hk_count lost, hk_count inside)
{
  const hk_raw_group *group = &s->raw->group[g];
  const char *what = s->mesh->dim == 3 ? "faces" : "edges";
  if (lost)
    hk_messages_add(s->raw->list, HK_WARNING, s->raw->path, 0, 0,
                    "group \"%s\": %lld of its %lld %s belong to no element: they are left out of "
                    "the face set%s",
                    group->name, (long long)lost, (long long)group->cells, what,
                    lost == group->cells ? ", which is empty; the node set is made" : "");
  if (inside)
    hk_messages_add(s->raw->list, HK_NOTE, s->raw->path, 0, 0,
                    "group \"%s\": %lld of its %s lie between two elements: the side %s is taken",
                    group->name, (long long)inside, what,
                    s->mesh->dim == 3 ? "whose outward normal is that of the group's face"
                                      : "to the left of the group's edge");
}

static hk_status add_face_set(set_maker *s, hk_count g)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  hk_count count = 0, lost = 0, inside = 0;
  HK_TRY(hk_get(&item, s->raw->group[g].cells));
  HK_TRY(hk_get(&face, s->raw->group[g].cells));
  for (hk_count i = s->runs.begin[g]; i < s->runs.begin[g + 1]; i++) {
    const hk_raw_run *run = &s->raw->run[s->runs.run[i]];
    const hk_cell_type *type = hk_cell_type_of(run->kind);
    for (hk_count c = run->first; c < run->first + run->count; c++) {
      hk_index sorted[4];
      const hk_index *node = s->raw->pile[run->kind].node + c * type->nodes;
      const int direction = canonical(node, type->corners, sorted);
      const group_face *key = &s->match.key[s->match.slot[find_slot(&s->match, sorted)] - 1];
      const int side = key->element[direction] >= 0 ? direction : !direction;
      inside += key->element[0] >= 0 && key->element[1] >= 0;
      lost += key->element[side] < 0;
      if (key->element[side] < 0) continue;
      item[count] = key->element[side], face[count++] = key->face[side];
    }
  }
  report_faces(s, g, lost, inside);
  if (count)
    HK_TRY(hk_mesh_add_set(s->mesh, s->raw->group[g].name, HK_FACE_SET, count, &item, &face));
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

static hk_status add_group(set_maker *s, hk_count g)
{
  hk_status status = HK_OK;
  hk_raw_group *group = &s->raw->group[g];
  for (hk_count i = s->runs.begin[g]; i < s->runs.begin[g + 1]; i++)
    group->cells += s->raw->run[s->runs.run[i]].count;
  if (!group->cells) {
    if (group->named)
      hk_messages_add(s->raw->list, HK_WARNING, s->raw->path, 0, 0,
                      "group \"%s\" of dimension %d has no elements: no set is made", group->name,
                      group->dim);
    return HK_OK;
  }
  if (group->dim == s->mesh->dim) {
    HK_TRY(add_element_set(s, g));
  } else {
    HK_TRY(add_node_set(s, g));
    if (group->dim == s->mesh->dim - 1) HK_TRY(add_face_set(s, g));
  }
cleanup:
  return status;
}

hk_status hk_raw_mesh_add_sets(hk_raw_mesh *raw, hk_mesh *mesh, const hk_count *first,
                               hk_index *const *number)
{
  hk_status status = HK_OK;
  set_maker s = {
      .raw = raw, .mesh = mesh, .first = first, .number = number, .match = {.mesh = mesh}};
  if (!raw->groups) return HK_OK;
  HK_TRY(list_runs(raw, &s.runs));
  HK_TRY(match_faces(raw, &s.match));
  HK_TRY(hk_get(&s.stamp, mesh->node_count));
  for (hk_count g = 0; g < raw->groups; g++) HK_TRY(add_group(&s, g));
cleanup:
  hk_free(&s.match.key);
  hk_free(&s.match.slot);
  hk_free(&s.match.used);
  hk_free(&s.runs.begin);
  hk_free(&s.runs.run);
  hk_free(&s.stamp);
  return status;
}
