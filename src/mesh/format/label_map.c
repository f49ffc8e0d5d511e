/* From numbers that a file uses to places in arrays. Consecutive labels need no table; those that are nearly so (a span of up to four times their number) go into a
 * table, others into a hash table with open addresses, the multiplier of Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) and
 * half of its slots free. The first label that comes twice is told. */
#include "mesh/format/label_map.h"

static hk_count slot_of(const hk_label_map *map, int64_t label)
{
  uint64_t h = (uint64_t)label * UINT64_C(0x9e3779b97f4a7c15);
  h ^= h >> 29;
  hk_count slot = (hk_count)(h & (uint64_t)(map->slots - 1));
  while (map->value[slot] && map->key[slot] != label) slot = (slot + 1) & (map->slots - 1);
  return slot;
}

static hk_status grow(hk_label_map *map, hk_count count)
{
  hk_status status = HK_OK;
  hk_label_map next = {.count = map->count, .slots = 16};
  while (next.slots < 2 * count) next.slots *= 2;
  HK_TRY(hk_get(&next.key, next.slots));
  HK_TRY(hk_get(&next.value, next.slots));
  for (hk_count i = 0; i < map->slots; i++) {
    if (!map->value[i]) continue;
    const hk_count slot = slot_of(&next, map->key[i]);
    next.key[slot] = map->key[i], next.value[slot] = map->value[i];
  }
  hk_label_map_free(map);
  *map = next, next = (hk_label_map){0};
cleanup:
  hk_label_map_free(&next);
  return status;
}

hk_status hk_label_map_add(hk_label_map *map, int64_t label, hk_index value)
{
  if (2 * (map->count + 1) > map->slots) HK_PASS(grow(map, 2 * (map->count + 1)));
  const hk_count slot = slot_of(map, label);
  map->key[slot] = label, map->value[slot] = value + 1;
  map->count++;
  return HK_OK;
}

static hk_status build_table(hk_label_map *map, const int64_t *label, hk_count n,
                             hk_count *repeated)
{
  const hk_status status = hk_get(&map->table, map->span);
  if (status != HK_OK) return status;
  for (hk_count i = 0; i < n; i++) {
    hk_index *place = &map->table[label[i] - map->low];
    if (*place && *repeated < 0) *repeated = i;
    if (!*place) *place = (hk_index)i + 1;
  }
  map->count = n;
  return HK_OK;
}

static bool consecutive(const int64_t *label, hk_count n)
{
  bool all = true;
#pragma omp parallel for schedule(static) reduction(&& : all)
  for (hk_count i = 0; i < n; i++)
    all = all && (uint64_t)label[i] - (uint64_t)label[0] == (uint64_t)i;
  return all;
}

hk_status hk_label_map_build(hk_label_map *map, const int64_t *label, hk_count n,
                             hk_count *repeated)
{
  int64_t low = n ? label[0] : 0, high = low;
  *repeated = -1;
  if (n && consecutive(label, n)) {
    map->low = low, map->span = map->count = n;
    return HK_OK;
  }
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
  for (hk_count i = 0; i < n; i++) {
    if (label[i] < low) low = label[i];
    if (label[i] > high) high = label[i];
  }
  const uint64_t span = (uint64_t)high - (uint64_t)low;
  if (span < (uint64_t)(4 * n + 64)) {
    map->low = low, map->span = (hk_count)span + 1;
    return build_table(map, label, n, repeated);
  }
  HK_PASS(grow(map, n));
  for (hk_count i = 0; i < n; i++) {
    const hk_count slot = slot_of(map, label[i]);
    if (map->value[slot]) {
      if (*repeated < 0) *repeated = i;
      continue;
    }
    map->key[slot] = label[i], map->value[slot] = (hk_index)i + 1;
    map->count++;
  }
  return HK_OK;
}

hk_index hk_label_map_find_hashed(const hk_label_map *map, int64_t label)
{
  return map->slots ? map->value[slot_of(map, label)] - 1 : -1;
}

void hk_label_map_free(hk_label_map *map)
{
  hk_free(&map->table);
  hk_free(&map->key);
  hk_free(&map->value);
  *map = (hk_label_map){0};
}
