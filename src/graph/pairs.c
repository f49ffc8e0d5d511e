#include "graph/pairs.h"
#include <stdlib.h>
#include <string.h>

enum { GATHERED = -1, OWNED, BOTH, NEAR = 64 };

hk_status hk_pairs_create(hk_index patch, hk_index width, hk_index most_local, hk_index most_owned,
                          hk_pairs **out)
{
  hk_status status = HK_OK;
  hk_pairs *p = NULL;
  HK_TRY(hk_new(&p));
  p->patch = patch, p->width = width, p->most_local = most_local, p->most_owned = most_owned;
  HK_TRY(hk_get(&p->owned, patch));
  HK_TRY(hk_get(&p->length, patch));
  HK_TRY(hk_get(&p->gathered, patch));
  HK_TRY(hk_get(&p->cursor, patch));
  HK_TRY(hk_get(&p->seen, patch));
  HK_TRY(hk_get(&p->room, patch / width));
  *out = p, p = NULL;
cleanup:
  hk_pairs_destroy(&p);
  return status;
}

void hk_pairs_destroy(hk_pairs **pairs)
{
  hk_pairs *p = *pairs;
  if (!p) return;
  hk_free(&p->halo);
  hk_free(&p->owned);
  hk_free(&p->length);
  hk_free(&p->gathered);
  hk_free(&p->local);
  hk_free(&p->place);
  hk_free(&p->partner);
  hk_free(&p->table);
  hk_free(&p->cursor);
  hk_free(&p->seen);
  hk_free(&p->room);
  hk_free(pairs);
}

static int by_number(const void *a, const void *b)
{
  const hk_index x = *(const hk_index *)a, y = *(const hk_index *)b;
  return (x > y) - (x < y);
}

/* Where `node` stands in the table of halo positions + 1, or the free place for it. */
static hk_index find_in_table(const hk_pairs *p, hk_index mask, hk_index node)
{
  hk_index k = (hk_index)(((uint32_t)node * 2654435769u) >> 7) & mask;
  while (p->table[k] && p->halo[p->table[k] - 1] != node) k = (k + 1) & mask;
  return k;
}

/* halo and local */
static hk_status find_halo(hk_pairs *p, hk_index first, hk_index count, hk_index entries,
                           const hk_index *column)
{
  hk_status status = HK_OK;
  hk_index cut = 0, size = 64;
  for (hk_index q = 0; q < entries; q++) cut += column[q] < first || column[q] >= first + count;
  while (size < 2 * cut) size *= 2;
  HK_TRY(hk_reserve(&p->table, size, &p->table_capacity));
  HK_TRY(hk_reserve(&p->halo, cut, &p->halo_capacity));
  memset(p->table, 0, (size_t)size * sizeof *p->table);
  p->halos = 0;
  for (hk_index q = 0; q < entries; q++) {
    if (column[q] >= first && column[q] < first + count) continue;
    const hk_index k = find_in_table(p, size - 1, column[q]);
    if (!p->table[k]) p->halo[p->halos++] = column[q], p->table[k] = p->halos;
  }
  HK_CHECK(p->patch + p->halos <= p->most_local, HK_NO_RESOURCES,
           "%d nodes have %d neighbours: more than the edge form holds at once (%d); use "
           "--method stored",
           count, p->halos, p->most_local - p->patch);
  qsort(p->halo, (size_t)p->halos, sizeof *p->halo, by_number);
  memset(p->table, 0, (size_t)size * sizeof *p->table);
  for (hk_index h = 0; h < p->halos; h++) p->table[find_in_table(p, size - 1, p->halo[h])] = h + 1;
  for (hk_index q = 0; q < entries; q++)
    p->local[q] = (uint16_t)(column[q] >= first && column[q] < first + count
                                 ? column[q] - first
                                 : p->patch + p->table[find_in_table(p, size - 1, column[q])] - 1);
cleanup:
  return status;
}

/* partner, and the pairs that leave the patch: place BOTH, counted in length. */
static void find_partners(hk_pairs *p, hk_index count, const hk_index *begin)
{
  for (hk_index i = 0; i < count; i++) {
    hk_index q = begin[i];
    while (p->local[q] >= p->patch) q++;
    p->cursor[i] = q;
  }
  for (hk_index i = 0; i < count; i++)
    for (hk_index q = begin[i]; q < begin[i + 1]; q++) {
      const hk_index j = p->local[q];
      if (j >= p->patch)
        p->partner[q] = -1, p->place[q] = BOTH, p->length[i]++;
      else if (j == i)
        p->partner[q] = -1, p->place[q] = GATHERED;
      else if (j > i) {
        p->partner[q] = p->cursor[j];
        p->partner[p->cursor[j]++] = q;
      }
    }
}

static void take(hk_pairs *p, hk_index i, hk_index q, hk_index j)
{
  p->place[q] = OWNED, p->place[p->partner[q]] = GATHERED;
  p->owned[i]++, p->length[i]++, p->gathered[j]++;
}

/* Gives each pair to the node with the shorter list, */
static void share(hk_pairs *p, hk_index count, const hk_index *begin)
{
  for (hk_index i = 0; i < count; i++)
    for (hk_index q = begin[i]; q < begin[i + 1]; q++) {
      const hk_index j = p->local[q], full = p->most_owned;
      if (p->partner[q] < 0 || j < i) continue;
      const bool to_i =
          p->length[i] < p->length[j] || (p->length[i] == p->length[j] && (i + j) % 2);
      if (p->owned[i] < full && (to_i || p->owned[j] == full))
        take(p, i, q, j);
      else if (p->owned[j] < full)
        take(p, j, p->partner[q], i);
      else {
        p->place[q] = p->place[p->partner[q]] = BOTH;
        p->length[i]++, p->length[j]++;
      }
    }
}

static void give(hk_pairs *p, hk_index i, hk_index q, hk_index j)
{
  p->owned[i]--, p->length[i]--, p->gathered[j]--;
  take(p, j, p->partner[q], i);
}

/* Shortens the list of node i by one: owners change along the shortest path to a node whose list may
 * grow. False when there is none among the NEAR nodes around. */
static bool relieve(hk_pairs *p, const hk_index *begin, hk_index i)
{
  struct {
    hk_index node, entry; /* reached by giving away pair `entry` of the node before */
    int before;
  } at[NEAR] = {{.node = i}};
  int count = 1;
  p->seen[i] = ++p->search;
  for (int k = 0; k < count; k++) {
    const hk_index node = at[k].node;
    for (hk_index q = begin[node]; q < begin[node + 1]; q++) {
      const hk_index j = p->local[q];
      if (p->place[q] != OWNED || p->seen[j] == p->search || p->owned[j] == p->most_owned) continue;
      if (p->length[j] < p->room[j / p->width]) {
        give(p, node, q, j);
        for (int m = k; m > 0; m = at[m].before)
          give(p, at[at[m].before].node, at[m].entry, at[m].node);
        return true;
      }
      p->seen[j] = p->search;
      if (count < NEAR) at[count].node = j, at[count].entry = q, at[count].before = k, count++;
    }
  }
  return false;
}

/* then evens the lists out slice by slice: a slice is as long as its longest list. */
static void balance(hk_pairs *p, hk_index count, const hk_index *begin)
{
  for (hk_index s = 0; s < p->patch / p->width; s++) {
    hk_index sum = 0;
    for (hk_index k = 0; k < p->width; k++) sum += p->length[s * p->width + k];
    p->room[s] = sum / p->width;
  }
  for (hk_index i = 0; i < count; i++)
    while (p->length[i] > p->room[i / p->width])
      if (!relieve(p, begin, i)) p->room[i / p->width]++;
}

static void number_places(hk_pairs *p, hk_index count, const hk_index *begin)
{
  for (hk_index i = 0; i < count; i++) {
    hk_index own = 0, both = p->owned[i];
    for (hk_index q = begin[i]; q < begin[i + 1]; q++)
      if (p->place[q] == OWNED)
        p->place[q] = (int16_t)own++;
      else if (p->place[q] == BOTH)
        p->place[q] = (int16_t)both++;
  }
}

hk_status hk_pairs_find(hk_pairs *p, hk_index first, hk_index count, const hk_index *begin,
                        const hk_index *column)
{
  hk_status status = HK_OK;
  const hk_index entries = begin[count];
  HK_TRY(hk_reserve(&p->local, entries, &p->local_capacity));
  HK_TRY(hk_reserve(&p->place, entries, &p->place_capacity));
  HK_TRY(hk_reserve(&p->partner, entries, &p->partner_capacity));
  HK_TRY(find_halo(p, first, count, entries, column));
  const size_t size = (size_t)p->patch * sizeof(hk_index);
  memset(p->owned, 0, size);
  memset(p->length, 0, size);
  memset(p->gathered, 0, size);
  find_partners(p, count, begin);
  share(p, count, begin);
  balance(p, count, begin);
  number_places(p, count, begin);
cleanup:
  return status;
}
