/* Numbers the parts of nodes that groups share. A node's parts follow each other in the order of its groups. If one kernel runs all
 * groups, nodes are sorted by their last group, whose rim they are, and each group lists the rims that it has parts of (rims.k.h); else by number, for
 * patch_shared, those of early groups alone first. Nodes that early groups and others share are always for patch_shared, and last. */
#include "operator/patches/rims.h"
#include "operator/staged.h"

enum { EARLY = 1, LATE = 2 };

typedef struct sorting {
  const hk_rims_desc *desc;
  hk_index *count, *last,
      *local; /* of a node: its parts in `partial`, its last group (-1: none), its number there */
  uint8_t *side; /* of a node: EARLY, LATE or both */
  /* begin[groups + 2]: nodes of rims; number `groups`: those of patch_shared that wait for all groups */
  hk_index *begin;
  hk_index *seen; /* of a rim: the last group that was found to report */
  hk_groups_parts parts;
} sorting;

static const hk_index *line_of(const hk_rims_desc *desc, hk_index group)
{
  return desc->line + (hk_count)group * HK_GROUP_WORDS;
}

static hk_index *targets_of(const hk_rims_desc *desc, hk_index group)
{
  return desc->target + line_of(desc, group)[HK_GROUP_PLACE];
}

static hk_index locals_of(const hk_rims_desc *desc, hk_index group)
{
  const hk_index *line = line_of(desc, group);
  return line[HK_GROUP_SLICES] * desc->width + line[HK_GROUP_HALOS];
}

/* The parts of each node, and the last group that has one. */
static void note_parts(sorting *s)
{
  for (hk_index i = 0; i < s->desc->padded; i++) s->last[i] = -1;
  for (hk_index n = 0; n < s->desc->groups; n++) {
    const hk_index g = s->desc->turn[n];
    const hk_index *target = targets_of(s->desc, g), locals = locals_of(s->desc, g);
    for (hk_index k = 0; k < locals; k++)
      if (target[k] >= 0) {
        s->count[target[k]]++, s->last[target[k]] = g, s->local[target[k]] = k;
        s->side[target[k]] |= s->desc->early[g] ? EARLY : LATE;
      }
  }
}

static void count_parts(sorting *s)
{
  const hk_index groups = s->desc->groups;
  note_parts(s);
  for (hk_index i = 0; i < s->desc->padded; i++) {
    if (!s->count[i]) continue;
    const bool rim = s->desc->alone && s->side[i] != (EARLY | LATE);
    if (!rim) s->last[i] = s->side[i] == EARLY ? 0 : groups;
    s->count[i] -= rim;
    s->parts.nodes++, s->parts.parts += s->count[i];
    s->begin[s->last[i] + 1]++;
  }
  for (hk_index g = 0; g <= groups; g++) {
    if (s->desc->alone && g < groups && s->begin[g + 1] > s->parts.rim)
      s->parts.rim = s->begin[g + 1];
    s->begin[g + 1] += s->begin[g];
  }
  s->parts.later = s->begin[groups];
  s->parts.second = s->desc->alone ? s->parts.later : 0;
}

/* shared[nodes + 1][4]; targets become the numbers of parts. next[groups + 1] is scratch. */
static void number(const sorting *s, hk_index *next, hk_index *shared)
{
  hk_index part = 0;
  for (hk_index i = 0; i < s->desc->padded; i++) {
    if (s->last[i] < 0) continue;
    hk_index *entry = shared + 4 * (hk_count)(s->begin[s->last[i]] + next[s->last[i]]++);
    entry[0] = i, entry[1] = s->local[i];
  }
  for (hk_count n = 0; n < s->parts.nodes; n++) {
    hk_index *count = &s->count[shared[4 * n]];
    const hk_index first = part;
    shared[4 * n + 2] = part, part += *count, *count = first, shared[4 * n + 3] = 0;
  }
  hk_index *end = shared + 4 * (hk_count)s->parts.nodes;
  end[0] = end[1] = -1, end[2] = part, end[3] = 0;
  for (hk_index n = 0; n < s->desc->groups; n++) {
    const hk_index g = s->desc->turn[n];
    hk_index *target = targets_of(s->desc, g);
    const hk_index locals = locals_of(s->desc, g);
    for (hk_index k = 0; k < locals; k++)
      if (target[k] >= 0)
        target[k] =
            s->desc->alone && s->last[target[k]] == g ? HK_TARGET_RIM : s->count[target[k]]++;
  }
}

/* The other rims that group g has parts of, to[..] unless NULL; returns how many. */
static hk_index list_rims(const sorting *s, hk_index g, hk_index *to)
{
  const hk_index *target = targets_of(s->desc, g), locals = locals_of(s->desc, g);
  hk_index n = 0;
  for (hk_index k = 0; k < locals; k++) {
    const hk_index rim = target[k] < 0 ? -1 : s->last[target[k]];
    if (rim < 0 || rim == g || rim == s->desc->groups || s->seen[rim] == g) continue;
    s->seen[rim] = g;
    if (to) to[n] = rim;
    n++;
  }
  return n;
}

/* The lists of rims and what groups know of them; targets are nodes still. */
static hk_status list_all(sorting *s, hk_buffer **buffer)
{
  hk_status status = HK_OK;
  const hk_rims_desc *desc = s->desc;
  hk_staged staged = {0};
  hk_count entries = 4 * (hk_count)desc->groups;
  hk_index narrow;
  for (hk_index g = 0; g < desc->groups; g++) s->seen[g] = -1;
  for (hk_index g = 0; g < desc->groups; g++) {
    hk_index *line = desc->line + (hk_count)g * HK_GROUP_WORDS;
    HK_TRY(hk_narrow(entries, "rims of patches", &line[HK_GROUP_RIM]));
    line[HK_GROUP_RIMS] = list_rims(s, g, NULL);
    entries += line[HK_GROUP_RIMS];
  }
  HK_TRY(hk_narrow(entries, "rims of patches", &narrow));
  HK_TRY(hk_staged_open(desc->device, entries * 4, buffer, &staged));
  hk_index *rim = staged.place;
  for (hk_index g = 0; g < desc->groups; g++) {
    s->seen[g] = -1;
    rim[4 * g] = s->begin[g], rim[4 * g + 1] = s->begin[g + 1] - s->begin[g];
    rim[4 * g + 2] = rim[4 * g + 3] = 0;
  }
  for (hk_index g = 0; g < desc->groups; g++) {
    hk_index *list = rim + line_of(desc, g)[HK_GROUP_RIM];
    const hk_index n = list_rims(s, g, list);
    for (hk_index k = 0; k < n; k++) rim[4 * list[k] + 2]++;
  }
  HK_TRY(hk_staged_send(&staged));
cleanup:
  hk_staged_close(&staged);
  return status;
}

hk_status hk_rims_create(const hk_rims_desc *desc, hk_buffer **shared, hk_buffer **rim,
                         hk_groups_parts *parts)
{
  hk_status status = HK_OK;
  sorting s = {.desc = desc};
  hk_staged staged = {0};
  HK_TRY(hk_get(&s.count, desc->padded + 1));
  HK_TRY(hk_get(&s.last, desc->padded + 1));
  HK_TRY(hk_get(&s.local, desc->padded + 1));
  HK_TRY(hk_get(&s.side, desc->padded + 1));
  HK_TRY(hk_get(&s.begin, desc->groups + 2));
  HK_TRY(hk_get(&s.seen, desc->groups + 1));
  count_parts(&s);
  HK_TRY(hk_staged_open(desc->device, ((hk_count)s.parts.nodes + 1) * 16, shared, &staged));
  if (desc->alone) HK_TRY(list_all(&s, rim));
  for (hk_index g = 0; g <= desc->groups; g++) s.seen[g] = 0;
  number(&s, s.seen, staged.place);
  HK_TRY(hk_staged_send(&staged));
  *parts = s.parts;
cleanup:
  hk_free(&s.count);
  hk_free(&s.last);
  hk_free(&s.local);
  hk_free(&s.side);
  hk_free(&s.begin);
  hk_free(&s.seen);
  hk_staged_close(&staged);
  return status;
}
