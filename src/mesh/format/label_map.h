/* From numbers that a file uses (node tags, entity tags) to places in our arrays. */
#pragma once
#include "base/base.h"

/* A zeroed map is empty. Labels low, low + 1, ... need nothing; a table when they are nearly consecutive, else hashing with open
 * addresses. */
typedef struct hk_label_map {
  hk_index *
      table; /* table[label - low] = value + 1, owned; NULL: value = label - low, or hashed where span is 0 */
  int64_t low;
  hk_count span;
  int64_t *key;    /* key[slots], owned */
  hk_index *value; /* value[slots] = value + 1; 0: free; owned */
  hk_count slots, count;
} hk_label_map;

/* label[n] -> 0..n-1 into an empty map. *repeated = the first place whose label is that of an
 * earlier one, -1 if all differ. */
hk_status hk_label_map_build(hk_label_map *map, const int64_t *label, hk_count n,
                             hk_count *repeated);
/* Adds one label to a hashed map that does not hold it. */
hk_status hk_label_map_add(hk_label_map *map, int64_t label, hk_index value);
hk_index hk_label_map_find_hashed(const hk_label_map *map, int64_t label);

/* -1 when there is none. */
static inline hk_index hk_label_map_find(const hk_label_map *map, int64_t label)
{
  const uint64_t place = (uint64_t)label - (uint64_t)map->low;
  if (!map->span) return hk_label_map_find_hashed(map, label);
  if (place >= (uint64_t)map->span) return -1;
  return map->table ? map->table[place] - 1 : (hk_index)place;
}
void hk_label_map_free(hk_label_map *map);
