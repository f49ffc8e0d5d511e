/* Orders the surface of a block in 3D in sections of 8 nodes (surface.h). Nodes with equal readers
 * fill sections of their own, those with most links first. What is left of each group is packed
 * greedily: a section begins with the group that most blocks read, and takes the groups that add
 * fewest readers. Then nodes of two such sections change places as long as this lowers the number
 * of readers. */
#include "papers/pogo/surface.h"
#include "papers/pogo/arrange.h"
#include <stdlib.h>
#include <string.h>

enum { SECTION = HK_BLOCK_SECTION, ROUNDS = 8 };

struct hk_block_surface_group {
  uint64_t readers;
  hk_index first, count; /* in sorted[]: those that are not yet in a section */
};

struct hk_block_surface_section {
  hk_index first;
  int nodes;
  int32_t links; /* of the node with most */
};

static int size_of(uint64_t readers)
{
  return __builtin_popcountll(readers);
}

hk_status hk_block_surface_create(hk_index most, hk_block_surface *s)
{
  HK_PASS(hk_pool_get(&s->pool, &s->node, most));
  HK_PASS(hk_pool_get(&s->pool, &s->sorted, most));
  HK_PASS(hk_pool_get(&s->pool, &s->others, most));
  HK_PASS(hk_pool_get(&s->pool, &s->group, most));
  return hk_pool_get(&s->pool, &s->section, most / SECTION + 1);
}

static int by_links(const void *a, const void *b)
{
  const hk_block_surface_node *x = a, *y = b;
  if (x->links != y->links) return x->links > y->links ? -1 : 1;
  return (x->member > y->member) - (x->member < y->member);
}

static int by_readers(const void *a, const void *b)
{
  const hk_block_surface_node *x = a, *y = b;
  if (x->readers != y->readers) return x->readers < y->readers ? -1 : 1;
  return by_links(a, b);
}

static int by_most_links(const void *a, const void *b)
{
  const struct hk_block_surface_section *x = a, *y = b;
  const bool full[2] = {x->nodes == SECTION, y->nodes == SECTION};
  if (full[0] != full[1]) return full[0] ? -1 : 1;
  if (x->links != y->links) return x->links > y->links ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

/* node[] = full sections of nodes with equal readers; groups of the others in sorted[]. *full: nodes in these sections. */
static hk_index fill_alike(hk_block_surface *s, hk_index count, hk_index *full)
{
  hk_index groups = 0;
  *full = 0;
  for (hk_index k = 0, end; k < count; k = end) {
    for (end = k + 1; end < count && s->sorted[end].readers == s->sorted[k].readers;) end++;
    const hk_index whole = (end - k) / SECTION * SECTION;
    for (hk_index i = 0; i < whole; i++) s->node[(*full)++] = s->sorted[k + i];
    if (k + whole < end)
      s->group[groups++] =
          (struct hk_block_surface_group){s->sorted[k].readers, k + whole, end - k - whole};
  }
  return groups;
}

/* The group to go on with in a section read by `readers`, 0: a new one; -1: all are taken. */
static hk_index next_group(const hk_block_surface *s, hk_index groups, uint64_t readers)
{
  hk_index best = -1;
  int least = 0, common = 0;
  for (hk_index g = 0; g < groups; g++) {
    const uint64_t own = s->group[g].readers;
    const int added = readers ? size_of(own & ~readers) : -size_of(own),
              shared = size_of(own & readers);
    if (!s->group[g].count) continue;
    if (best >= 0 && (added > least || (added == least && shared <= common))) continue;
    best = g, least = added, common = shared;
  }
  return best;
}

/* The groups behind the full sections, section by section. */
static void fill_mixed(hk_block_surface *s, hk_index groups, hk_index full, hk_index count)
{
  uint64_t readers = 0;
  for (hk_index at = full; at < count; at++) {
    if (at % SECTION == 0) readers = 0;
    struct hk_block_surface_group *from = &s->group[next_group(s, groups, readers)];
    s->node[at] = s->sorted[from->first++];
    readers |= from->readers, from->count--;
  }
}

static hk_index end_of(hk_index k, hk_index count)
{
  const hk_index end = (k / SECTION + 1) * SECTION;
  return end < count ? end : count;
}

/* others[k]: the readers of the section of place k without that place. */
static void find_others(hk_block_surface *s, hk_index place, hk_index count)
{
  const hk_index first = place / SECTION * SECTION, end = end_of(place, count);
  for (hk_index k = first; k < end; k++) {
    s->others[k] = 0;
    for (hk_index i = first; i < end; i++)
      if (i != k) s->others[k] |= s->node[i].readers;
  }
}

/* Changes places i and j where that lowers the number of readers of their sections. */
static bool change_places(hk_block_surface *s, hk_index i, hk_index j, hk_index count)
{
  const hk_block_surface_node a = s->node[i], b = s->node[j];
  if (!(a.readers & ~s->others[i]) && !(b.readers & ~s->others[j]))
    return false; /* none is alone */
  const int before = size_of(s->others[i] | a.readers) + size_of(s->others[j] | b.readers);
  if (size_of(s->others[i] | b.readers) + size_of(s->others[j] | a.readers) >= before) return false;
  s->node[i] = b, s->node[j] = a;
  find_others(s, i, count);
  find_others(s, j, count);
  return true;
}

static void improve(hk_block_surface *s, hk_index full, hk_index count)
{
  bool changed = true;
  for (hk_index k = full; k < count; k += SECTION) find_others(s, k, count);
  for (int round = 0; round < ROUNDS && changed; round++) {
    changed = false;
    for (hk_index i = full; i < count; i++)
      for (hk_index j = end_of(i, count); j < count; j++) changed |= change_places(s, i, j, count);
  }
}

/* Sections with many links first; one that is not full stays the last. */
static void sort_sections(hk_block_surface *s, hk_index count)
{
  hk_index sections = 0, at = 0;
  for (hk_index k = 0; k < count; k += SECTION) {
    const hk_index end = end_of(k, count);
    qsort(s->node + k, (size_t)(end - k), sizeof *s->node, by_links);
    s->section[sections++] = (struct hk_block_surface_section){k, (int)(end - k), s->node[k].links};
  }
  qsort(s->section, (size_t)sections, sizeof *s->section, by_most_links);
  memcpy(s->sorted, s->node, (size_t)count * sizeof *s->node);
  for (hk_index k = 0; k < sections; k++)
    for (int i = 0; i < s->section[k].nodes; i++)
      s->node[at++] = s->sorted[s->section[k].first + i];
}

void hk_block_surface_order(hk_block_surface *s, hk_index count)
{
  hk_index full;
  if (count == 0) return;
  memcpy(s->sorted, s->node, (size_t)count * sizeof *s->node);
  qsort(s->sorted, (size_t)count, sizeof *s->sorted, by_readers);
  const hk_index groups = fill_alike(s, count, &full);
  fill_mixed(s, groups, full, count);
  improve(s, full, count);
  sort_sections(s, count);
}
