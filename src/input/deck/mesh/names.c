/* A hash table of names of a deck with their kind and a number. Upper and lower case are the same, as in Abaqus. The hash is FNV-1a (Fowler,
 * Noll and Vo) over upper-case letters, with open addresses. The name nearest to one that is not there is found by the distance of texts among
 * the first 2000. */
#include "input/deck/mesh/reader.h"
#include <string.h>

struct hk_inp_entry {
  const char *name;
  uint64_t hash;
  int kind, value;
};

enum { MOST_COMPARED = 2000 }; /* names looked through for a near one */

static uint64_t hash_of(const char *name, int kind)
{
  uint64_t h = UINT64_C(14695981039346656037) + (uint64_t)kind;
  for (; *name; name++) {
    const char c = *name >= 'a' && *name <= 'z' ? (char)(*name - 32) : *name;
    h = (h ^ (unsigned char)c) * UINT64_C(1099511628211);
  }
  return h ^ h >> 32;
}

/* The slot that holds the name, or the free one where it belongs. */
static hk_count slot_of(const hk_inp_names *names, const char *name, int kind, uint64_t hash)
{
  hk_count at = (hk_count)(hash & (uint64_t)(names->slots - 1));
  for (; names->slot[at]; at = (at + 1) & (names->slots - 1)) {
    const struct hk_inp_entry *e = &names->entry[names->slot[at] - 1];
    if (e->hash == hash && e->kind == kind && hk_same_text(e->name, name)) break;
  }
  return at;
}

static hk_status grow(hk_pool *pool, hk_inp_names *names)
{
  const hk_count slots = names->slots ? 2 * names->slots : 64;
  HK_PASS(hk_pool_resize(pool, &names->slot, slots));
  memset(names->slot, 0, (size_t)slots * sizeof *names->slot);
  names->slots = slots;
  for (hk_count i = 0; i < names->count; i++) {
    const struct hk_inp_entry *e = &names->entry[i];
    names->slot[slot_of(names, e->name, e->kind, e->hash)] = (hk_index)i + 1;
  }
  return HK_OK;
}

hk_status hk_inp_names_add(hk_pool *pool, hk_inp_names *names, const char *name, int kind,
                           int value)
{
  HK_NEED(names->count < INT32_MAX / 4, HK_BAD_INPUT, "too many names");
  if (2 * (names->count + 1) > names->slots) HK_PASS(grow(pool, names));
  HK_PASS(hk_pool_reserve(pool, (void **)&names->entry, names->count + 1, &names->capacity,
                          sizeof *names->entry));
  const uint64_t hash = hash_of(name, kind);
  const hk_count at = slot_of(names, name, kind, hash);
  names->entry[names->count++] = (struct hk_inp_entry){name, hash, kind, value};
  names->slot[at] = (hk_index)names->count;
  return HK_OK;
}

int hk_inp_names_find(const hk_inp_names *names, const char *name, int kind)
{
  if (!names->slots) return -1;
  const hk_index at = names->slot[slot_of(names, name, kind, hash_of(name, kind))];
  return at ? names->entry[at - 1].value : -1;
}

const char *hk_inp_near(hk_inp_reader *reader, const hk_inp_names *names, const char *name,
                        int kind)
{
  if (!hk_inp_suggests(reader)) return "";
  const char *best = NULL;
  int least = 1 + (int)strlen(name) / 3;
  for (hk_count i = 0; i < names->count && i < MOST_COMPARED; i++) {
    if (names->entry[i].kind != kind) continue;
    const int distance = hk_text_distance(name, names->entry[i].name);
    if (distance <= least && (!best || distance < least))
      best = names->entry[i].name, least = distance;
  }
  return hk_inp_meant(reader, best);
}
