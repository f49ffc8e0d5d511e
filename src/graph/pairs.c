/* Distributes the pairs of neighbouring nodes of a patch over its nodes (pairs.h), so that the
 * lists of all nodes have about equal length.
 * A pair that leaves the patch belongs to its inner node. The others are shared out node by node;
 * then long lists are shortened: owners change along the shortest path to a node whose list may
 * grow. Owned pairs come first in a list. */
#include "graph/pairs.h"
#include <string.h>

enum { GATHERED = -1, OWNED, BOTH, NEAR = 64 };

hk_status hk_pairs_create(hk_index patch, hk_index width, hk_index most_owned, hk_pairs **out)
{
  hk_status status = HK_OK;
  hk_pairs *p = NULL;
  HK_TRY(hk_new(&p));
  p->patch = patch, p->width = width, p->most_owned = most_owned;
  HK_TRY(hk_pool_get(&p->pool, &p->owned, patch));
  HK_TRY(hk_pool_get(&p->pool, &p->length, patch));
  HK_TRY(hk_pool_get(&p->pool, &p->gathered, patch));
  HK_TRY(hk_pool_get(&p->pool, &p->cursor, patch));
  HK_TRY(hk_pool_get(&p->pool, &p->seen, patch));
  HK_TRY(hk_pool_get(&p->pool, &p->room, patch / width));
  *out = p, p = NULL;
cleanup:
  hk_pairs_destroy(&p);
  return status;
}

void hk_pairs_destroy(hk_pairs **pairs)
{
  if (*pairs) hk_pool_clear(&(*pairs)->pool);
  hk_free(pairs);
}

static hk_status start(hk_pairs *p, hk_index entries, const uint16_t *column)
{
  HK_PASS(
      hk_pool_reserve(&p->pool, (void **)&p->place, entries, &p->place_capacity, sizeof *p->place));
  HK_PASS(hk_pool_reserve(&p->pool, (void **)&p->partner, entries, &p->partner_capacity,
                          sizeof *p->partner));
  p->column = column;
  return HK_OK;
}

/* partner: rows are ascending, so that row j meets the pairs (i, j) in the order of i. */
static void find_partners(hk_pairs *p, hk_index count, const hk_index *begin)
{
  for (hk_index i = 0; i < count; i++) p->cursor[i] = begin[i];
  for (hk_index i = 0; i < count; i++)
    for (hk_index q = begin[i]; q < begin[i + 1]; q++) {
      const hk_index j = p->column[q];
      if (j >= p->patch || j == i)
        p->partner[q] = -1;
      else if (j > i) {
        p->partner[q] = p->cursor[j];
        p->partner[p->cursor[j]++] = q;
      }
    }
}

/* The pairs that leave the patch: place BOTH, counted in length. */
static void place_leaving(hk_pairs *p, hk_index count, const hk_index *begin)
{
  for (hk_index i = 0; i < count; i++)
    for (hk_index q = begin[i]; q < begin[i + 1]; q++)
      if (p->column[q] >= p->patch)
        p->place[q] = BOTH, p->length[i]++;
      else if (p->column[q] == i)
        p->place[q] = GATHERED;
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
      const hk_index j = p->column[q], full = p->most_owned;
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
  } at[NEAR];
  int count = 1;
  at[0].node = i;
  p->seen[i] = ++p->search;
  for (int k = 0; k < count; k++) {
    const hk_index node = at[k].node;
    for (hk_index q = begin[node]; q < begin[node + 1]; q++) {
      const hk_index j = p->column[q];
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

hk_status hk_pairs_find(hk_pairs *p, hk_index count, const hk_index *begin, const uint16_t *column)
{
  HK_PASS(start(p, begin[count], column));
  const size_t size = (size_t)p->patch * sizeof(hk_index);
  memset(p->owned, 0, size);
  memset(p->length, 0, size);
  memset(p->gathered, 0, size);
  find_partners(p, count, begin);
  place_leaving(p, count, begin);
  share(p, count, begin);
  balance(p, count, begin);
  number_places(p, count, begin);
  return HK_OK;
}

hk_status hk_pairs_recall(hk_pairs *p, hk_index count, const hk_index *begin,
                          const uint16_t *column, const int16_t *place)
{
  HK_PASS(start(p, begin[count], column));
  memcpy(p->place, place, (size_t)begin[count] * sizeof *place);
  find_partners(p, count, begin);
  return HK_OK;
}
