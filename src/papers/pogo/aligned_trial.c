/* Steps 3 to 6 of the aligned partitioner (Huthwaite 2014, section 3.1): a trial advance, which
 * corrects the lengths of the first rows of a layer. All strips advance by R rows. Strips below S_l
 * nodes join the neighbour with most links, strips above S_u are split from the two ends of their
 * first row, in at most four passes. Then only the first row keeps its labels. Joined strips form a
 * union-find forest through hk_strip.parent. */
#include "papers/pogo/aligned.h"

enum { MOST_PASSES = 4 };

hk_index hk_front_strip(hk_front *front, hk_index l)
{
  hk_strip *s = front->strip;
  while (s[l].parent != l) l = s[l].parent = s[s[l].parent].parent;
  return l;
}

/* The strip with most links to node i; of equals the smaller, then the lower one. */
static hk_index elect(const hk_front *f, hk_index i)
{
  hk_votes votes;
  hk_index best = -1;
  int most = 0;
  hk_votes_count(f->graph, f->label, 0, i, &votes);
  for (int v = 0; v < votes.count; v++) {
    const hk_index l = votes.value[v], size = f->strip[l].nodes;
    const hk_index held = best < 0 ? 0 : f->strip[best].nodes;
    if (votes.links[v] < most) continue;
    if (votes.links[v] > most || size < held || (size == held && l < best)) best = l;
    most = votes.links[v];
  }
  return best;
}

/* All strips by one row, list[begin .. count) being the last one. */
static void advance(hk_front *f, hk_index begin)
{
  const hk_index end = f->count;
  f->tick++;
  for (hk_index k = begin; k < end; k++) {
    const hk_index i = f->list[k];
    for (hk_index at = f->graph->begin[i]; at < f->graph->begin[i + 1]; at++) {
      const hk_index j = f->graph->node[at];
      if (f->block[j] >= 0 || f->label[j] >= 0 || f->stamp[j] == f->tick) continue;
      f->stamp[j] = f->tick;
      f->list[f->count++] = j;
    }
  }
  for (hk_index k = end; k < f->count; k++) f->queue[k] = elect(f, f->list[k]);
  for (hk_index k = end; k < f->count; k++) {
    f->label[f->list[k]] = f->queue[k];
    f->strip[f->queue[k]].nodes++;
  }
}

static void link_lists(hk_front *f)
{
  for (hk_index l = 0; l < f->strips; l++) f->strip[l].head = f->strip[l].tail = -1;
  for (hk_index k = 0; k < f->count; k++) {
    const hk_index i = f->list[k];
    hk_strip *s = &f->strip[f->label[i]];
    f->next[i] = -1;
    if (s->tail >= 0)
      f->next[s->tail] = i;
    else
      s->head = i;
    s->tail = i;
  }
}

/* Joins the lists of two strips; `from` is one with `to` afterwards. */
static void merge(hk_front *f, hk_index from, hk_index to)
{
  hk_strip *a = &f->strip[from], *b = &f->strip[to];
  f->next[b->tail] = a->head;
  b->tail = a->tail;
  b->nodes += a->nodes;
  a->parent = to;
}
/* The neighbour that strip a is joined to: the one with most links among those that touch it in the
 * first row or fill no more than a block with it; one with which it stays below S_u goes before. */
static hk_index find_partner(hk_front *f, hk_index a)
{
  hk_index met = 0, best = -1, most = 0;
  bool fits = false;
  for (hk_index i = f->strip[a].head; i >= 0; i = f->next[i])
    for (hk_index at = f->graph->begin[i]; at < f->graph->begin[i + 1]; at++) {
      const hk_index j = f->graph->node[at];
      if (f->label[j] < 0) continue;
      const hk_index l = hk_front_strip(f, f->label[j]);
      if (l == a) continue;
      if (f->strip[l].links++ == 0) f->queue[met++] = l;
      f->strip[l].touches |= f->base[i] && f->base[j];
    }
  for (hk_index k = 0; k < met; k++) {
    const hk_index l = f->queue[k];
    hk_strip *s = &f->strip[l];
    const hk_index sum = s->nodes + f->strip[a].nodes, links = s->links;
    const bool possible = s->touches || sum <= f->rule.size, good = sum < f->rule.most;
    s->links = 0, s->touches = false;
    if (!possible || (fits && !good)) continue;
    if ((good && !fits) || links > most || (links == most && l < best))
      best = l, most = links, fits = good;
  }
  return best;
}

static bool join_small(hk_front *f)
{
  bool changed = false;
  for (hk_index l = 0; l < f->strips; l++)
    while (f->strip[l].parent == l && f->strip[l].nodes < f->rule.least) {
      const hk_index to = find_partner(f, l);
      if (to < 0) break;
      merge(f, l, to);
      changed = true;
    }
  return changed;
}

/* The node of strip a's first row that is last met from node i, breadth first within the strip. */
static hk_index far_end(hk_front *f, hk_index a, hk_index i)
{
  hk_index count = 0, last = i;
  f->tick++;
  f->stamp[i] = f->tick;
  f->queue[count++] = i;
  for (hk_index k = 0; k < count; k++) {
    if (f->base[f->queue[k]]) last = f->queue[k];
    for (hk_index at = f->graph->begin[f->queue[k]]; at < f->graph->begin[f->queue[k] + 1]; at++) {
      const hk_index j = f->graph->node[at];
      if (f->stamp[j] == f->tick || f->label[j] < 0 || hk_front_strip(f, f->label[j]) != a)
        continue;
      f->stamp[j] = f->tick;
      f->queue[count++] = j;
    }
  }
  return last;
}

static hk_status add_strip(hk_front *f)
{
  HK_PASS(hk_pool_room(&f->pool, &f->strip, (hk_count)f->strips + 1));
  f->strip[f->strips] = (hk_strip){.parent = f->strips, .head = -1, .tail = -1};
  f->strips++;
  return HK_OK;
}

/* Gives the nodes of strip a to the new strips p and p + 1, from end[0] and end[1] towards each
 * other; the smaller one takes the next node. */
static void share_out(hk_front *f, hk_index a, hk_index p, const hk_index *end)
{
  /* two queues in one array, from its two ends; taken and count of each */
  const hk_index room = f->graph->nodes;
  hk_index taken[2] = {0, 0}, count[2] = {1, 1};
  f->queue[0] = end[0], f->queue[room - 1] = end[1];
  f->label[end[0]] = p, f->label[end[1]] = p + 1;
  while (taken[0] < count[0] || taken[1] < count[1]) {
    const int side = taken[0] < count[0] && (taken[0] <= taken[1] || taken[1] == count[1]) ? 0 : 1;
    const hk_index i = f->queue[side ? room - 1 - taken[1] : taken[0]];
    taken[side]++;
    for (hk_index at = f->graph->begin[i]; at < f->graph->begin[i + 1]; at++) {
      const hk_index j = f->graph->node[at];
      if (f->label[j] < 0 || hk_front_strip(f, f->label[j]) != a) continue;
      f->label[j] = p + side;
      f->queue[side ? room - 1 - count[1] : count[0]] = j;
      count[side]++;
    }
  }
}

static hk_status split(hk_front *f, hk_index a, bool *changed)
{
  const hk_index p = f->strips;
  hk_index end[2], any = f->strip[a].head;
  while (!f->base[any]) any = f->next[any];
  end[0] = far_end(f, a, any);
  end[1] = far_end(f, a, end[0]);
  if (end[0] == end[1]) return HK_OK;
  HK_PASS(add_strip(f));
  HK_PASS(add_strip(f));
  share_out(f, a, p, end);
  for (hk_index i = f->strip[a].head, after; i >= 0; i = after) {
    const hk_index l = f->label[i] == p + 1 ? p + 1 : p; /* what was not reached goes to p */
    hk_strip *s = &f->strip[l];
    after = f->next[i];
    f->label[i] = l;
    f->next[i] = s->head;
    if (s->head < 0) s->tail = i;
    s->head = i;
    s->nodes++;
  }
  f->strip[a].parent = p; /* no node has this label any more */
  f->strip[a].nodes = 0;
  *changed = true;
  return HK_OK;
}

static hk_status split_large(hk_front *f, bool *changed)
{
  for (hk_index l = 0; l < f->strips; l++)
    if (f->strip[l].parent == l && f->strip[l].nodes > f->rule.most) HK_PASS(split(f, l, changed));
  return HK_OK;
}

/* Step 6: only the first row keeps its labels, counted anew. */
static void keep_first(hk_front *f)
{
  hk_index count = 0;
  for (hk_index l = 0; l < f->strips; l++) f->strip[l].links = -1;
  for (hk_index k = 0; k < f->first; k++) {
    const hk_index i = f->list[k];
    hk_strip *s = &f->strip[hk_front_strip(f, f->label[i])];
    if (s->links < 0) s->links = count++;
    f->queue[k] = s->links;
    f->base[i] = false;
  }
  for (hk_index k = 0; k < f->count; k++) f->label[f->list[k]] = k < f->first ? f->queue[k] : -1;
  f->count = f->first;
  f->strips = count;
}

hk_status hk_front_try(hk_front *f)
{
  hk_index begin = 0;
  bool changed = true;
  for (hk_index k = 0; k < f->first; k++) f->base[f->list[k]] = true;
  for (int r = 0; r < f->rule.rows && begin < f->count; r++) {
    const hk_index end = f->count;
    advance(f, begin);
    begin = end;
  }
  link_lists(f);
  for (int pass = 0; pass < MOST_PASSES && changed; pass++) {
    changed = join_small(f);
    HK_PASS(split_large(f, &changed));
  }
  keep_first(f);
  return HK_OK;
}
