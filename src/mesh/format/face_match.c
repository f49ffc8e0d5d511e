/* Faces given by their corners and the elements that have them, by a hash table with open addresses. The key of a face is its corners turned
 * to begin with the least, in the direction whose second is below the last; the direction says which of the two sides of the face an element
 * lies on. In 2D the faces are edges. Elements are tried only where all corners belong to some face. */
#include "mesh/format/face_match.h"
#include "element/element.h"
#include "mesh/format/cell_type.h"
#include <string.h>

struct hk_face_key {
  hk_index corner[4];  /* as listed from the least on, in the direction whose second is below the
                          last; -1 fills up */
  hk_index element[2]; /* the elements that have it: [0] with the outward normal of that direction,
                          [1] against it; -1: none */
  uint8_t face[2];
};

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

static hk_count find_slot(const hk_face_match *m, const hk_index corner[4])
{
  const uint64_t hash = hk_hash(corner, 4 * sizeof *corner, 0);
  hk_count slot = (hk_count)((hash ^ hash >> 32) & (uint64_t)(m->slots - 1));
  while (m->slot[slot] && memcmp(m->key[m->slot[slot] - 1].corner, corner, 4 * sizeof *corner) != 0)
    slot = (slot + 1) & (m->slots - 1);
  return slot;
}

hk_status hk_face_match_add(hk_face_match *m, const hk_index *node, int corners)
{
  struct hk_face_key key = {.element = {-1, -1}};
  canonical(node, corners, key.corner);
  const hk_count slot = find_slot(m, key.corner);
  if (m->slot[slot]) return HK_OK;
  HK_PASS(hk_pool_reserve(&m->pool, (void **)&m->key, m->keys + 1, &m->key_room, sizeof *m->key));
  m->key[m->keys++] = key;
  m->slot[slot] = (hk_index)m->keys;
  for (int i = 0; i < corners; i++) m->used[node[i]] = 1;
  return HK_OK;
}

static void match_element(hk_face_match *m, const hk_element *element, hk_index e,
                          const hk_index *node)
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

hk_status hk_face_match_begin(hk_face_match *m, const hk_mesh *mesh, hk_count faces)
{
  m->mesh = mesh;
  if (!faces) return HK_OK;
  for (m->slots = 16; m->slots < 2 * faces;) m->slots *= 2;
  HK_PASS(hk_pool_get(&m->pool, &m->slot, m->slots));
  return hk_pool_get(&m->pool, &m->used, mesh->node_count);
}

void hk_face_match_elements(hk_face_match *m)
{
  for (int b = 0; b < m->mesh->block_count && m->keys; b++) {
    const hk_block *block = &m->mesh->block[b];
    const hk_element *element = hk_element_of(block->shape);
    for (hk_count i = 0; i < block->count; i++)
      match_element(m, element, (hk_index)(block->first + i), block->node + i * block->nodes);
  }
}

void hk_face_match_find(const hk_face_match *m, const hk_index *node, int corners,
                        hk_matched_face *out)
{
  hk_index sorted[4];
  const int direction = canonical(node, corners, sorted);
  const struct hk_face_key *key = &m->key[m->slot[find_slot(m, sorted)] - 1];
  const int side = key->element[direction] >= 0 ? direction : !direction;
  *out = (hk_matched_face){key->element[side], key->face[side],
                           key->element[0] >= 0 && key->element[1] >= 0};
}

void hk_face_match_free(hk_face_match *m)
{
  hk_pool_clear(&m->pool);
}
