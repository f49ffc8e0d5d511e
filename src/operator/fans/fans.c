/* Tetrahedra of one group as fans around edges, greedy: the edge with most tetrahedra left takes those of one region, in the order in which
 * they follow each other around it (chain). Fans are coloured, long ones first, so that no two of a colour share a node, and written in
 * slices of `width`, colour by colour. O(tetrahedra). */
#include "operator/fans/fans.h"
#include <string.h>

enum { MOST_AROUND = 32, EDGES = 6, COLOURS = 64 }; /* tetrahedra of a fan; colours of a mask */
static const int ends[EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

typedef struct edge {
  hk_index node[2], begin, end; /* begin .. end - 1 of `around` */
  hk_index left;                /* tetrahedra that no fan has */
  hk_index next;                /* in the same stack; -1: the last */
} edge;

typedef struct fan {
  hk_index first, entries; /* of `entry` */
  hk_index node[2], region, colour;
} fan;

typedef struct hk_fans_work {
  hk_index *begin, *other, *tet; /* by lower node: the other one of each tetrahedron's edges */
  edge *edge;
  hk_index edges, *around, *of; /* of[tet][EDGES]: its edges */
  bool *taken;
  hk_index stack[MOST_AROUND + 1]; /* of edges with so many tetrahedra, or once had */
  fan *fan;
  hk_index fans, entries, *entry, *order;
  uint64_t *mask; /* mask[node]: colours */
} work;

hk_status hk_fans_create(int width, hk_fans **out)
{
  hk_status status = HK_OK;
  hk_fans *f = NULL;
  HK_TRY(hk_new(&f));
  f->width = width;
  HK_TRY(hk_pool_get(&f->pool, &f->work, 1));
  *out = f, f = NULL;
cleanup:
  hk_fans_destroy(&f);
  return status;
}

void hk_fans_destroy(hk_fans **fans)
{
  hk_fans *f = *fans;
  if (!f) return;
  hk_pool_clear(&f->pool);
  hk_free(fans);
}

void hk_fans_start(hk_fans *f)
{
  f->tets = 0;
}

hk_status hk_fans_add(hk_fans *f, const hk_tet *tet)
{
  const hk_status status = hk_pool_room(&f->pool, &f->tet, f->tets + 1);
  if (status == HK_OK) f->tet[f->tets++] = *tet;
  return status;
}

static hk_index low_end(const hk_tet *t, int k)
{
  const hk_index a = t->node[ends[k][0]], b = t->node[ends[k][1]];
  return a < b ? a : b;
}

static hk_index high_end(const hk_tet *t, int k)
{
  const hk_index a = t->node[ends[k][0]], b = t->node[ends[k][1]];
  return a < b ? b : a;
}

static hk_status make_room(hk_fans *f)
{
  work *w = f->work;
  const hk_count pairs = (hk_count)f->tets * EDGES;
  HK_PASS(hk_pool_room(&f->pool, &w->begin, f->nodes + 2));
  HK_PASS(hk_pool_room(&f->pool, &w->other, pairs));
  HK_PASS(hk_pool_room(&f->pool, &w->tet, pairs));
  HK_PASS(hk_pool_room(&f->pool, &w->edge, pairs));
  HK_PASS(hk_pool_room(&f->pool, &w->around, pairs));
  HK_PASS(hk_pool_room(&f->pool, &w->of, pairs));
  HK_PASS(hk_pool_room(&f->pool, &w->taken, f->tets));
  HK_PASS(hk_pool_room(&f->pool, &w->mask, f->nodes));
  HK_PASS(hk_pool_room(&f->pool, &w->fan, f->tets));
  HK_PASS(hk_pool_room(&f->pool, &w->order, f->tets));
  return hk_pool_room(&f->pool, &w->entry, 3 * (hk_count)f->tets);
}

/* Edges in ascending order of their ends, each with its tetrahedra. */
static void find_edges(hk_fans *f)
{
  work *w = f->work;
  memset(w->begin, 0, (size_t)(f->nodes + 2) * sizeof *w->begin);
  for (hk_index t = 0; t < f->tets; t++)
    for (int k = 0; k < EDGES; k++) w->begin[low_end(&f->tet[t], k) + 2]++;
  for (hk_index n = 0; n < f->nodes; n++) w->begin[n + 2] += w->begin[n + 1];
  for (hk_index t = 0; t < f->tets; t++)
    for (int k = 0; k < EDGES; k++) {
      const hk_index at = w->begin[low_end(&f->tet[t], k) + 1]++;
      w->other[at] = high_end(&f->tet[t], k), w->tet[at] = t * EDGES + k;
    }
  w->edges = 0;
  for (hk_index n = 0; n < f->nodes; n++) {
    const hk_index first = w->begin[n], end = w->begin[n + 1];
    for (hk_index i = first + 1; i < end; i++) { /* few: sorted by insertion */
      const hk_index other = w->other[i], tet = w->tet[i];
      hk_index k = i;
      for (; k > first && w->other[k - 1] > other; k--)
        w->other[k] = w->other[k - 1], w->tet[k] = w->tet[k - 1];
      w->other[k] = other, w->tet[k] = tet;
    }
    for (hk_index i = first; i < end; i++) {
      if (i == first || w->other[i] != w->other[i - 1])
        w->edge[w->edges++] = (edge){.node = {n, w->other[i]}, .begin = i};
      w->around[i] = w->tet[i] / EDGES;
      w->of[w->tet[i]] = w->edges - 1;
      w->edge[w->edges - 1].end = i + 1;
    }
  }
}

static void push(work *w, hk_index e)
{
  edge *own = &w->edge[e];
  const hk_index which = own->left < MOST_AROUND ? own->left : MOST_AROUND;
  own->next = w->stack[which];
  w->stack[which] = e;
}

static void add_entry(work *w, hk_index node)
{
  w->entry[w->entries++] = node;
}

/* The ends of tetrahedron t that are not the edge's. */
static void find_opposite(const hk_tet *t, const edge *e, hk_index opposite[2])
{
  int found = 0;
  opposite[0] = opposite[1] = e->node[0]; /* of a collapsed one */
  for (int c = 0; c < 4 && found < 2; c++)
    if (t->node[c] != e->node[0] && t->node[c] != e->node[1]) opposite[found++] = t->node[c];
}

/* The tetrahedra opposite[count] around an edge as chains: each from an end, or from anywhere in a ring. */
static void chain(work *w, hk_index a, hk_index count, hk_index opposite[][2])
{
  hk_index left = count;
  while (left) {
    hk_index at = opposite[0][0];
    for (hk_index i = 0; i < 2 * left; i++) {
      int uses = 0;
      for (hk_index k = 0; k < 2 * left; k++)
        uses += opposite[k / 2][k % 2] == opposite[i / 2][i % 2];
      if (uses > 1) continue;
      at = opposite[i / 2][i % 2];
      break;
    }
    if (left < count) add_entry(w, a);
    add_entry(w, at);
    for (hk_index i = 0; i < left;) {
      if (opposite[i][0] != at && opposite[i][1] != at) {
        i++;
        continue;
      }
      at = opposite[i][opposite[i][0] == at];
      add_entry(w, at);
      memmove(opposite + i, opposite + i + 1, (size_t)(left - i - 1) * sizeof *opposite);
      left--, i = 0;
    }
  }
}

/* The fan of an edge: its tetrahedra that are left, of the region of the first. */
static void make_fan(hk_fans *f, edge *e)
{
  work *w = f->work;
  hk_index opposite[MOST_AROUND][2], count = 0, region = -1;
  fan *own = &w->fan[w->fans++];
  *own = (fan){.first = w->entries, .node = {e->node[0], e->node[1]}};
  for (hk_index i = e->begin; i < e->end && count < MOST_AROUND; i++) {
    const hk_index t = w->around[i];
    if (w->taken[t] || (region >= 0 && f->tet[t].region != region)) continue;
    region = f->tet[t].region;
    w->taken[t] = true;
    for (int k = 0; k < EDGES; k++) w->edge[w->of[t * EDGES + k]].left--;
    find_opposite(&f->tet[t], e, opposite[count++]);
  }
  chain(w, e->node[0], count, opposite);
  own->region = region, own->entries = w->entries - own->first;
}

static void find_fans(hk_fans *f)
{
  work *w = f->work;
  w->fans = w->entries = 0;
  memset(w->taken, 0, (size_t)f->tets * sizeof *w->taken);
  for (int k = 0; k <= MOST_AROUND; k++) w->stack[k] = -1;
  for (hk_index e = w->edges; e-- > 0;) {
    w->edge[e].left = w->edge[e].end - w->edge[e].begin;
    push(w, e);
  }
  for (int most = MOST_AROUND; most > 0;) {
    const hk_index e = w->stack[most];
    if (e < 0) {
      most--;
      continue;
    }
    w->stack[most] = w->edge[e].next;
    if (w->edge[e].left >= most) make_fan(f, &w->edge[e]);
    if (w->edge[e].left > 0) push(w, e); /* lower, or in this stack once more */
  }
}

/* order[fans]: long ones first. */
static void sort_fans(work *w)
{
  hk_index begin[3 * MOST_AROUND + 2] = {0};
  for (hk_index k = 0; k < w->fans; k++) begin[3 * MOST_AROUND - w->fan[k].entries + 1]++;
  for (int k = 0; k <= 3 * MOST_AROUND; k++) begin[k + 1] += begin[k];
  for (hk_index k = 0; k < w->fans; k++) w->order[begin[3 * MOST_AROUND - w->fan[k].entries]++] = k;
}

static uint64_t mask_of(const work *w, const fan *own)
{
  uint64_t mask = w->mask[own->node[0]] | w->mask[own->node[1]];
  for (hk_index i = 0; i < own->entries; i++) mask |= w->mask[w->entry[own->first + i]];
  return mask;
}

static void set_colour(work *w, fan *own, int bit)
{
  const uint64_t set = (uint64_t)1 << bit;
  w->mask[own->node[0]] |= set, w->mask[own->node[1]] |= set;
  for (hk_index i = 0; i < own->entries; i++) w->mask[w->entry[own->first + i]] |= set;
}

/* Sets of COLOURS colours, until no fan is left. Returns their number. */
static hk_index colour_fans(hk_fans *f)
{
  work *w = f->work;
  hk_index most = 0, left = w->fans;
  for (hk_index k = 0; k < w->fans; k++) w->fan[k].colour = -1;
  for (hk_index base = 0; left; base += COLOURS) {
    memset(w->mask, 0, (size_t)f->nodes * sizeof *w->mask);
    for (hk_index k = 0; k < w->fans; k++) {
      fan *own = &w->fan[w->order[k]];
      const uint64_t none = ~mask_of(w, own);
      if (own->colour >= 0 || !none) continue;
      const int bit = __builtin_ctzll(none);
      set_colour(w, own, bit);
      own->colour = base + bit, left--;
      if (own->colour >= most) most = own->colour + 1;
    }
  }
  return most;
}

static hk_status add_slice(hk_fans *f, const hk_index *which, hk_index count)
{
  const work *w = f->work;
  const hk_index longest = w->fan[which[0]].entries;
  HK_PASS(hk_pool_room(&f->pool, &f->row, f->slices + 2));
  HK_PASS(hk_pool_room(&f->pool, &f->list, ((hk_count)f->rows + 3 + longest) * f->width));
  uint16_t *to = f->list + (hk_count)f->rows * f->width;
  for (int l = 0; l < f->width; l++) {
    const fan *own = l < count ? &w->fan[which[l]] : NULL;
    const hk_index a = own ? own->node[0] : f->nodes;
    to[l] = (uint16_t)a;
    to[f->width + l] = (uint16_t)(own ? own->node[1] : f->nodes);
    to[2 * f->width + l] = (uint16_t)(own ? own->region : 0);
    for (hk_index i = 0; i < longest; i++)
      to[(3 + i) * f->width + l] =
          (uint16_t)(own && i < own->entries ? w->entry[own->first + i] : a);
  }
  f->row[f->slices++] = f->rows;
  f->row[f->slices] = f->rows += 3 + longest;
  return HK_OK;
}

/* Slices colour by colour. */
static hk_status write_slices(hk_fans *f, hk_index *begin, hk_index *which)
{
  const work *w = f->work;
  memset(begin, 0, (size_t)(f->colours + 2) * sizeof *begin);
  for (hk_index k = 0; k < w->fans; k++) begin[w->fan[k].colour + 2]++;
  for (hk_index c = 0; c < f->colours; c++) begin[c + 2] += begin[c + 1];
  for (hk_index k = 0; k < w->fans; k++) {
    const hk_index own = w->order[k];
    which[begin[w->fan[own].colour + 1]++] = own;
  }
  for (hk_index c = 0; c < f->colours; c++) {
    f->colour[c] = f->slices;
    for (hk_index k = begin[c]; k < begin[c + 1]; k += f->width)
      HK_PASS(add_slice(f, which + k, begin[c + 1] - k));
  }
  f->colour[f->colours] = f->slices;
  return HK_OK;
}

hk_status hk_fans_make(hk_fans *f, hk_index nodes)
{
  hk_status status = HK_OK;
  hk_index *begin = NULL, *which = NULL;
  f->nodes = nodes;
  f->slices = f->rows = f->colours = 0;
  HK_TRY(make_room(f));
  find_edges(f);
  find_fans(f);
  sort_fans(f->work);
  f->colours = colour_fans(f);
  HK_TRY(hk_get(&begin, f->colours + 2));
  HK_TRY(hk_get(&which, f->work->fans));
  HK_TRY(hk_pool_room(&f->pool, &f->colour, f->colours + 1));
  HK_TRY(hk_pool_room(&f->pool, &f->row, 1));
  f->row[0] = 0;
  HK_TRY(write_slices(f, begin, which));
cleanup:
  hk_free(&begin);
  hk_free(&which);
  return status;
}
