/* Gives each node a place within its block (Huthwaite 2014, section 3.2): boundary nodes first, in
 * the order of one walk around the block or, in 3D, of surface.c, then inner nodes by decreasing
 * number of links. Others read only the first rows of a block, in sections of eight nodes, so nodes
 * that the same neighbours read must lie together. A block whose boundary does not fit its rows, or whose table
 * of loads overflows (links.c), is split in two, until all fit. docs/blocks.md lists the choices. */
#include "papers/pogo/arrange.h"
#include "papers/pogo/links.h"
#include "papers/pogo/surface.h"
#include <string.h>

typedef struct members { /* arrays over the members of one block, by their number in it */
  hk_index *work, *queue;
  uint64_t *faces;      /* the neighbouring blocks that it touches, one bit each */
  int32_t *left, *next; /* boundary neighbours not yet in the chain; the chain */
  hk_index *sequence, *path;
} members;

typedef struct arranging {
  const hk_adjacency *graph;
  hk_blocks *blocks;
  hk_block_layout layout;
  /* member[nodes]: of block b from begin[b] on, count[b] of them; by place once arranged */
  hk_index *member;
  hk_index *begin, *count;
  uint8_t *order, *link; /* of a block: to be done (again) */
  hk_index *failed, failures;
  hk_needed needed;
  uint32_t *table;
  members of;
  hk_block_surface surface; /* of 3D blocks */
  hk_pool pool;             /* all these arrays, but for those of surface */
} arranging;

static hk_status room_for(arranging *a, hk_index blocks)
{
  HK_PASS(hk_pool_room(&a->pool, &a->begin, blocks));
  HK_PASS(hk_pool_room(&a->pool, &a->count, blocks));
  HK_PASS(hk_pool_room(&a->pool, &a->order, blocks));
  HK_PASS(hk_pool_room(&a->pool, &a->link, blocks));
  return hk_pool_room(&a->pool, &a->failed, blocks);
}

/* Blocks below `kept` have places. */
static hk_status start(arranging *a, hk_index kept)
{
  hk_blocks *blocks = a->blocks;
  const int size = blocks->size;
  a->layout = hk_block_layout_of(blocks->dim, size);
  if (!blocks->place) HK_PASS(hk_get(&blocks->place, blocks->nodes));
  HK_PASS(room_for(a, blocks->blocks));
  HK_PASS(hk_pool_get(&a->pool, &a->member, blocks->nodes));
  HK_PASS(hk_pool_get(&a->pool, &a->table, a->layout.loads));
  HK_PASS(hk_pool_get(&a->pool, &a->of.work, size));
  HK_PASS(hk_pool_get(&a->pool, &a->of.queue, size));
  HK_PASS(hk_pool_get(&a->pool, &a->of.faces, size));
  HK_PASS(hk_pool_get(&a->pool, &a->of.left, size));
  HK_PASS(hk_pool_get(&a->pool, &a->of.next, size));
  HK_PASS(hk_pool_get(&a->pool, &a->of.sequence, size));
  HK_PASS(hk_pool_get(&a->pool, &a->of.path, size));
  if (blocks->dim == 3) HK_PASS(hk_block_surface_create(size, &a->surface));
  for (hk_index i = 0; i < blocks->nodes; i++) a->count[blocks->block[i]]++;
  for (hk_index b = 1; b < blocks->blocks; b++) a->begin[b] = a->begin[b - 1] + a->count[b - 1];
  for (hk_index b = 0; b < blocks->blocks; b++) {
    HK_NEED(a->count[b] <= size, HK_INTERNAL, "block %d has %d nodes; at most %d are possible", b,
            a->count[b], size);
    a->order[b] = b >= kept;
    if (b >= kept) a->count[b] = 0;
  }
  for (hk_index i = 0; i < blocks->nodes; i++) {
    const hk_index b = blocks->block[i];
    if (b >= kept) blocks->place[i] = a->count[b]++;
    a->member[a->begin[b] + blocks->place[i]] = i;
  }
  return HK_OK;
}

/* Blocks below `kept` that others would read beyond the rows of the boundary are arranged too. */
static void check_kept(arranging *a, hk_index kept)
{
  const hk_index *block = a->blocks->block;
  for (hk_index i = 0; i < a->blocks->nodes; i++) {
    if (block[i] >= kept || a->blocks->place[i] < a->layout.boundary * HK_BLOCK_COLUMNS) continue;
    for (hk_index q = a->graph->begin[i]; q < a->graph->begin[i + 1]; q++)
      if (block[a->graph->node[q]] != block[i]) a->order[block[i]] = 1;
  }
}

/* Faces of each member, and of the block: needed.neighbour. */
static hk_status find_faces(arranging *a, hk_index b)
{
  const hk_index *block = a->blocks->block, *member = a->member + a->begin[b];
  hk_needed *n = &a->needed;
  HK_PASS(hk_needed_start(n, a->blocks->blocks));
  for (hk_index k = 0; k < a->count[b]; k++) {
    a->of.faces[k] = 0;
    for (hk_index q = a->graph->begin[member[k]]; q < a->graph->begin[member[k] + 1]; q++) {
      const hk_index other = block[a->graph->node[q]];
      if (other == b) continue;
      HK_PASS(hk_needed_add(n, other, 0));
      a->of.faces[k] |= (uint64_t)1 << (n->slot[other] - 1) % 64;
    }
  }
  return HK_OK;
}

/* The next of the chain after k: the boundary neighbour with fewest others to go to; -1: none. */
static hk_index step_from(const arranging *a, hk_index b, hk_index k)
{
  const hk_index node = a->member[a->begin[b] + k];
  hk_index best = -1;
  for (hk_index q = a->graph->begin[node]; q < a->graph->begin[node + 1]; q++) {
    const hk_index j = a->graph->node[q], to = a->blocks->place[j];
    if (a->blocks->block[j] != b || !a->of.faces[to] || a->of.next[to] != -2) continue;
    if (best < 0 || a->of.left[to] < a->of.left[best]) best = to;
  }
  return best;
}

/* Puts k behind `after` in the chain. */
static void join(arranging *a, hk_index b, hk_index k, hk_index after)
{
  const hk_index node = a->member[a->begin[b] + k];
  a->of.next[k] = after < 0 ? -1 : a->of.next[after];
  if (after >= 0) a->of.next[after] = k;
  for (hk_index q = a->graph->begin[node]; q < a->graph->begin[node + 1]; q++)
    if (a->blocks->block[a->graph->node[q]] == b) a->of.left[a->blocks->place[a->graph->node[q]]]--;
}

static void count_left(arranging *a, hk_index b)
{
  const hk_index *member = a->member + a->begin[b];
  for (hk_index k = 0; k < a->count[b]; k++) {
    a->of.left[k] = 0, a->of.next[k] = -2;
    if (!a->of.faces[k]) continue;
    for (hk_index q = a->graph->begin[member[k]]; q < a->graph->begin[member[k] + 1]; q++) {
      const hk_index j = a->graph->node[q];
      a->of.left[k] += a->blocks->block[j] == b && a->of.faces[a->blocks->place[j]];
    }
  }
}

/* An end of a chain that is not yet walked; -1: there is none. */
static hk_index find_end(const arranging *a, hk_index b)
{
  hk_index best = -1;
  for (hk_index k = 0; k < a->count[b]; k++)
    if (a->of.faces[k] && a->of.next[k] == -2 && (best < 0 || a->of.left[k] < a->of.left[best]))
      best = k;
  return best;
}

/* sequence: the boundary, walked along; nodes that a walk leaves out come behind one that they touch. */
static hk_index walk(arranging *a, hk_index b)
{
  hk_index head = -1, tail = -1, count = 0;
  count_left(a, b);
  for (hk_index from; (from = find_end(a, b)) >= 0;) {
    hk_index depth = 0;
    join(a, b, from, tail);
    if (head < 0) head = from;
    a->of.path[depth++] = from;
    while (depth) {
      const hk_index at = a->of.path[depth - 1], to = step_from(a, b, at);
      if (to < 0)
        depth--;
      else
        join(a, b, to, at), a->of.path[depth++] = to;
    }
    for (tail = from; a->of.next[tail] >= 0;) tail = a->of.next[tail];
  }
  for (hk_index k = head; k >= 0; k = a->of.next[k]) a->of.sequence[count++] = k;
  return count;
}

/* Where the sequence, closed to a ring, is best cut: where the nodes on both sides read least for the
 * same blocks. */
static hk_index find_cut(const arranging *a, hk_index count)
{
  hk_index best = 0;
  int least = 64;
  for (hk_index k = 0; k < count; k++) {
    const uint64_t before = a->of.faces[a->of.sequence[k ? k - 1 : count - 1]],
                   after = a->of.faces[a->of.sequence[k]];
    const int same = __builtin_popcountll(before & after);
    if (before != after && same < least) best = k, least = same;
  }
  return best;
}

/* queue: the block's members by place, `boundary` of them there already; the others by falling
 * number of neighbours. */
static void add_inside(arranging *a, hk_index b, hk_index boundary)
{
  enum { MOST = 63 };
  hk_index begin[MOST + 2] = {0};
  const hk_index *member = a->member + a->begin[b];
  for (int pass = 0; pass < 2; pass++) {
    for (hk_index k = 0; k < a->count[b]; k++) {
      if (a->of.faces[k]) continue;
      const hk_index links = a->graph->begin[member[k] + 1] - a->graph->begin[member[k]];
      const hk_index bin = links < MOST ? MOST - links : 0;
      if (pass)
        a->of.queue[boundary + begin[bin]++] = member[k];
      else
        begin[bin + 1]++;
    }
    for (int i = 0; i <= MOST && !pass; i++) begin[i + 1] += begin[i];
  }
}

/* queue: the boundary in the order of its walk, from the cut on. */
static hk_index add_outline(arranging *a, hk_index b)
{
  const hk_index *member = a->member + a->begin[b];
  const hk_index boundary = walk(a, b), cut = find_cut(a, boundary);
  for (hk_index k = 0; k < boundary; k++)
    a->of.queue[k] = member[a->of.sequence[(cut + k) % boundary]];
  return boundary;
}

/* queue: the boundary in sections of nodes that the same blocks read. */
static hk_index add_surface(arranging *a, hk_index b)
{
  const hk_index *member = a->member + a->begin[b];
  hk_index boundary = 0;
  for (hk_index k = 0; k < a->count[b]; k++) {
    const hk_index i = member[k];
    if (a->of.faces[k])
      a->surface.node[boundary++] = (hk_block_surface_node){
          a->of.faces[k], (int32_t)(a->graph->begin[i + 1] - a->graph->begin[i]), i};
  }
  hk_block_surface_order(&a->surface, boundary);
  for (hk_index k = 0; k < boundary; k++) a->of.queue[k] = a->surface.node[k].member;
  return boundary;
}

/* Places in block b. *fits: its boundary has room in the rows that others can read. */
static hk_status arrange_block(arranging *a, hk_index b, bool *fits)
{
  hk_index *member = a->member + a->begin[b];
  const hk_status status = find_faces(a, b);
  if (status != HK_OK) return status;
  const hk_index boundary = a->blocks->dim == 3 ? add_surface(a, b) : add_outline(a, b);
  add_inside(a, b, boundary);
  memcpy(member, a->of.queue, (size_t)a->count[b] * sizeof *member);
  for (hk_index k = 0; k < a->count[b]; k++) a->blocks->place[member[k]] = k;
  for (hk_index k = 0; k < a->needed.neighbours; k++) a->link[a->needed.neighbour[k]] = 1;
  a->link[b] = 1, a->order[b] = 0;
  *fits = boundary <= a->layout.boundary * HK_BLOCK_COLUMNS;
  return HK_OK;
}

/* The table of block b. Blocks beside it that are to be arranged again have no places yet that can be read: b is linked anew
 * after them. */
static hk_status link_block(arranging *a, hk_index b, bool *fits)
{
  const hk_index *member = a->member + a->begin[b];
  HK_PASS(hk_needed_start(&a->needed, a->blocks->blocks));
  for (hk_index k = 0; k < a->count[b]; k++)
    for (hk_index q = a->graph->begin[member[k]]; q < a->graph->begin[member[k] + 1]; q++) {
      const hk_index j = a->graph->node[q], from = a->blocks->block[j];
      if (from != b && !a->order[from])
        HK_PASS(hk_needed_add(&a->needed, from, a->blocks->place[j]));
    }
  HK_PASS(hk_needed_finish(&a->needed));
  *fits = hk_needed_assign(&a->needed, &a->layout, a->table);
  a->link[b] = 0;
  return HK_OK;
}

/* The last member that a breadth-first search from `from` meets; one that it does not meet, if any. */
static hk_index find_far(arranging *a, hk_index b, hk_index from)
{
  const hk_index *member = a->member + a->begin[b];
  hk_index head = 0, tail = 0;
  for (hk_index k = 0; k < a->count[b]; k++) a->of.work[k] = 0;
  a->of.queue[tail++] = from, a->of.work[from] = 1;
  for (; head < tail; head++)
    for (hk_index q = a->graph->begin[member[a->of.queue[head]]];
         q < a->graph->begin[member[a->of.queue[head]] + 1]; q++) {
      const hk_index j = a->graph->node[q], to = a->blocks->place[j];
      if (a->blocks->block[j] != b || a->of.work[to]) continue;
      a->of.work[to] = 1, a->of.queue[tail++] = to;
    }
  for (hk_index k = 0; k < a->count[b]; k++)
    if (!a->of.work[k]) return k;
  return a->of.queue[tail - 1];
}

/* side[k] = 0 or 1, by advancing from both ends, a node each in turn, until they meet. */
static void advance_both(arranging *a, hk_index b, hk_index *side)
{
  const hk_index *member = a->member + a->begin[b], total = a->count[b];
  hk_index *queue[2] = {a->of.queue, a->of.sequence}, head[2] = {0}, tail[2] = {0}, count = 0;
  const hk_index end = find_far(a, b, find_far(a, b, 0));
  const hk_index ends[2] = {end, find_far(a, b, end)};
  for (hk_index k = 0; k < total; k++) side[k] = -1;
  for (int s = 0; s < 2; s++) side[ends[s]] = s, queue[s][tail[s]++] = ends[s], count++;
  for (int s = 0; count < total; s = !s) {
    hk_index found = -1;
    while (found < 0 && head[s] < tail[s]) {
      const hk_index node = member[queue[s][head[s]]];
      for (hk_index q = a->graph->begin[node]; q < a->graph->begin[node + 1] && found < 0; q++) {
        const hk_index j = a->graph->node[q];
        if (a->blocks->block[j] == b && side[a->blocks->place[j]] < 0) found = a->blocks->place[j];
      }
      head[s] += found < 0;
    }
    if (found < 0 && head[!s] < tail[!s]) continue;
    for (hk_index k = 0; k < total && found < 0; k++)
      if (side[k] < 0) found = k;
    side[found] = s, queue[s][tail[s]++] = found, count++;
  }
}

/* Its second half becomes a new block; both and those around are to be arranged. */
static hk_status split_block(arranging *a, hk_index b)
{
  hk_blocks *blocks = a->blocks;
  hk_index *member = a->member + a->begin[b], *side = a->of.path, kept = 0, moved = 0;
  const hk_index fresh = blocks->blocks, total = a->count[b];
  HK_NEED(total > 1, HK_BAD_INPUT,
          "node %d has %d neighbours in more places than a block can read: use method stored",
          member[0], a->graph->begin[member[0] + 1] - a->graph->begin[member[0]]);
  HK_PASS(room_for(a, fresh + 1));
  HK_PASS(find_faces(a, b));
  for (hk_index k = 0; k < a->needed.neighbours; k++) a->order[a->needed.neighbour[k]] = 1;
  advance_both(a, b, side);
  for (hk_index k = 0; k < total; k++)
    if (side[k]) {
      a->of.work[moved] = member[k], blocks->block[member[k]] = fresh;
      blocks->place[member[k]] = moved++;
    } else {
      blocks->place[member[k]] = kept;
      member[kept++] = member[k];
    }
  memcpy(member + kept, a->of.work, (size_t)moved * sizeof *member);
  a->count[b] = kept, a->count[fresh] = moved, a->begin[fresh] = a->begin[b] + kept;
  a->order[b] = a->order[fresh] = 1, a->link[b] = a->link[fresh] = 0;
  blocks->blocks++;
  return HK_OK;
}

/* One round over the blocks that are due; those that fail are listed once. */
static hk_status arrange_due(arranging *a)
{
  const hk_index blocks = a->blocks->blocks;
  bool fits;
  a->failures = 0;
  for (hk_index b = 0; b < blocks; b++) {
    if (!a->order[b]) continue;
    HK_PASS(arrange_block(a, b, &fits));
    if (!fits) a->failed[a->failures++] = b, a->order[b] = 1;
  }
  for (hk_index b = 0; b < blocks; b++) {
    if (a->order[b] || !a->link[b]) continue;
    HK_PASS(link_block(a, b, &fits));
    if (!fits) a->failed[a->failures++] = b;
  }
  return HK_OK;
}

hk_status hk_blocks_arrange(const hk_adjacency *graph, hk_blocks *blocks)
{
  return hk_blocks_arrange_from(graph, 0, blocks);
}

hk_status hk_blocks_arrange_from(const hk_adjacency *graph, hk_index kept, hk_blocks *blocks)
{
  hk_status status = HK_OK;
  arranging a = {.graph = graph, .blocks = blocks};
  if (!blocks->place) kept = 0;
  HK_TRY(start(&a, kept));
  check_kept(&a, kept);
  do {
    HK_TRY(arrange_due(&a));
    for (hk_index k = 0; k < a.failures; k++) HK_TRY(split_block(&a, a.failed[k]));
  } while (a.failures);
cleanup:
  hk_needed_clear(&a.needed);
  hk_pool_clear(&a.surface.pool);
  hk_pool_clear(&a.pool);
  return status;
}
