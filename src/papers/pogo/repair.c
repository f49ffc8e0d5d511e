/* Repairs blocks of the aligned partitioner that are far from full or whose border exceeds the rows
 * reserved for it (docs/partition.md). Regions of blocks are cut anew by bisection (bisect.c):
 * connected groups of such blocks, a block with one neighbour, with rings of neighbours, and the
 * blocks on the shortest way to one with room. A new cut is kept only if it lowers the cost, which
 * counts blocks, blocks with too long a border, and by how much these are too long. Huthwaite
 * (2014) halves such blocks instead. */
#include "papers/pogo/methods.h"
#include <string.h>

enum { STEP = 1 << 24 }; /* above any sum of borders */
/* in block[], while a region is cut: not yet in a block, piece p being PIECE - p */
enum { TAKEN = -1, LOOSE = -2, PIECE = -3 };
enum { MOST_REGION = 96, MOST_WAY = 24, MOST_SEARCH = 400, ROUNDS = 3 };

typedef struct search {   /* of a way from block to block */
  hk_index *round, *from; /* of each block: the last round that took it; scratch */
  hk_index rounds, *queue;
} search;

typedef struct repairer {
  const hk_mesh *mesh;
  const hk_adjacency *graph;
  hk_index size, border, *block, blocks;
  hk_index *head, *next;  /* nodes of each block, as lists */
  hk_index *count, *edge; /* of each block: nodes; those with neighbours elsewhere */
  search search;
  hk_index region[MOST_REGION], members; /* the blocks that are cut anew together */
  hk_index *node, *old, total;           /* node[total] of the region, old[total] their blocks */
  hk_pool pool;                          /* all these arrays, but for block */
} repairer;

static bool on_edge(const repairer *m, hk_index i)
{
  for (hk_index at = m->graph->begin[i]; at < m->graph->begin[i + 1]; at++)
    if (m->block[m->graph->node[at]] != m->block[i]) return true;
  return false;
}

static void add_node(repairer *m, hk_index i)
{
  const hk_index b = m->block[i];
  m->next[i] = m->head[b];
  m->head[b] = i;
  m->count[b]++;
  m->edge[b] += on_edge(m, i);
}

static hk_status create(const hk_mesh *mesh, const hk_adjacency *graph, hk_index size,
                        hk_index border, hk_index *block, hk_index blocks, repairer *m)
{
  *m = (repairer){.mesh = mesh,
                  .graph = graph,
                  .size = size,
                  .border = border,
                  .block = block,
                  .blocks = blocks};
  HK_PASS(hk_pool_get(&m->pool, &m->next, graph->nodes));
  HK_PASS(hk_pool_get(&m->pool, &m->head, blocks));
  HK_PASS(hk_pool_get(&m->pool, &m->count, blocks));
  HK_PASS(hk_pool_get(&m->pool, &m->edge, blocks));
  HK_PASS(hk_pool_get(&m->pool, &m->search.round, blocks));
  HK_PASS(hk_pool_get(&m->pool, &m->search.from, blocks));
  for (hk_index b = 0; b < blocks; b++) m->head[b] = -1;
  for (hk_index i = graph->nodes - 1; i >= 0; i--)
    if (block[i] >= 0) add_node(m, i);
  return HK_OK;
}

static bool is_bad(const repairer *m, hk_index b)
{
  return m->count[b] > 0 && (m->edge[b] > m->border || m->count[b] < m->size - m->size / 10);
}

/* What is to fall: blocks, and those with too long a border, then by how much it is too long. */
static hk_count cost(const repairer *m)
{
  hk_count sum = 0;
  for (hk_index k = 0; k < m->members; k++) {
    const hk_index b = m->region[k], excess = m->edge[b] - m->border;
    sum += m->count[b] > 0 ? STEP : 0;
    sum += excess > 0 ? STEP + excess : 0;
  }
  return sum;
}

static hk_status collect(repairer *m)
{
  m->total = 0;
  for (hk_index k = 0; k < m->members; k++) m->total += m->count[m->region[k]];
  HK_PASS(hk_pool_room(&m->pool, &m->node, m->total));
  HK_PASS(hk_pool_room(&m->pool, &m->old, m->total));
  HK_PASS(hk_pool_room(&m->pool, &m->search.queue, m->total));
  m->total = 0;
  for (hk_index k = 0; k < m->members; k++)
    for (hk_index i = m->head[m->region[k]]; i >= 0; i = m->next[i]) m->node[m->total++] = i;
  return HK_OK;
}

/* The nodes around i that share its value in block[] get the value `to`; they are queue[0 .. returned). */
static hk_index flood(repairer *m, hk_index i, hk_index to)
{
  const hk_index from = m->block[i];
  hk_index count = 0;
  m->block[i] = to;
  m->search.queue[count++] = i;
  for (hk_index q = 0; q < count; q++)
    for (hk_index at = m->graph->begin[m->search.queue[q]];
         at < m->graph->begin[m->search.queue[q] + 1]; at++) {
      const hk_index j = m->graph->node[at];
      if (m->block[j] != from) continue;
      m->block[j] = to;
      m->search.queue[count++] = j;
    }
  return count;
}

/* A block of the region beside the nodes queue[count] that has room for them; -1: none. */
static hk_index room_beside(const repairer *m, hk_index count)
{
  for (hk_index q = 0; q < count; q++)
    for (hk_index at = m->graph->begin[m->search.queue[q]];
         at < m->graph->begin[m->search.queue[q] + 1]; at++) {
      const hk_index b = m->block[m->graph->node[at]];
      for (hk_index k = 0; k < m->members; k++)
        if (m->region[k] == b && m->count[b] + count <= m->size) return b;
    }
  return -1;
}

/* Parts of the pieces that hang together become blocks of the region; but few nodes that do not
 * hang together with the rest of their piece go to a block beside that has room. False when the
 * region has not enough blocks. */
static bool assign(repairer *m, hk_index pieces, const hk_index *begin)
{
  hk_index used = 0;
  for (hk_index k = 0; k < m->members; k++) m->count[m->region[k]] = 0;
  for (hk_index p = 0; p < pieces; p++)
    for (hk_index k = begin[p]; k < begin[p + 1]; k++) m->block[m->node[k]] = PIECE - p;
  for (hk_index k = 0; k < m->total; k++) {
    if (m->block[m->node[k]] > PIECE) continue;
    const hk_index count = flood(m, m->node[k], used < m->members ? m->region[used] : LOOSE);
    if (count > m->size / 8 && used == m->members) return false;
    if (count > m->size / 8)
      m->count[m->region[used++]] = count;
    else
      for (hk_index q = 0; q < count; q++) m->block[m->search.queue[q]] = LOOSE;
  }
  for (hk_index k = 0; k < m->total; k++) {
    if (m->block[m->node[k]] != LOOSE) continue;
    const hk_index count = flood(m, m->node[k], TAKEN);
    hk_index to = room_beside(m, count);
    if (to < 0 && used == m->members) return false;
    if (to < 0) to = m->region[used++];
    for (hk_index q = 0; q < count; q++) m->block[m->search.queue[q]] = to;
    m->count[to] += count;
  }
  return true;
}

static void relink(repairer *m)
{
  for (hk_index k = 0; k < m->members; k++) {
    const hk_index b = m->region[k];
    m->head[b] = -1, m->count[b] = 0, m->edge[b] = 0;
  }
  for (hk_index k = m->total - 1; k >= 0; k--) add_node(m, m->node[k]);
}

/* Cuts the region into so many pieces; keeps what was there unless that is better. */
static hk_status try_cut(repairer *m, hk_cut_axis axis, hk_index pieces, hk_count before,
                         bool *better)
{
  hk_index begin[MOST_REGION + 1];
  HK_PASS(hk_bisect(m->mesh->x, m->mesh->dim, axis, pieces, m->total, m->node, begin));
  for (hk_index k = 0; k < m->total; k++) m->old[k] = m->block[m->node[k]];
  *better = assign(m, pieces, begin);
  if (*better) {
    relink(m);
    *better = cost(m) < before;
  }
  if (!*better) {
    for (hk_index k = 0; k < m->total; k++) m->block[m->node[k]] = m->old[k];
    relink(m);
  }
  return HK_OK;
}

static hk_status try_region(repairer *m)
{
  const hk_count before = cost(m);
  bool better = false;
  HK_PASS(collect(m));
  const hk_index pieces = (m->total + m->size - 1) / m->size;
  if (pieces * (hk_count)STEP < before)
    for (int axis = 0; axis < 2 && !better; axis++)
      HK_PASS(try_cut(m, (hk_cut_axis)axis, pieces, before, &better));
  return HK_OK;
}

/* Adds the neighbours of region[k] that this round has not taken: all, or the bad ones. */
static void add_neighbours(repairer *m, hk_index k, bool bad_only)
{
  for (hk_index i = m->head[m->region[k]]; i >= 0; i = m->next[i])
    for (hk_index at = m->graph->begin[i]; at < m->graph->begin[i + 1]; at++) {
      const hk_index b = m->block[m->graph->node[at]];
      if (m->members == MOST_REGION || m->search.round[b] == m->search.rounds) continue;
      if (bad_only && !is_bad(m, b)) continue;
      m->search.round[b] = m->search.rounds;
      m->region[m->members++] = b;
    }
}

/* Bad blocks that hang together. */
static hk_status repair_groups(repairer *m)
{
  m->search.rounds++;
  for (hk_index b = 0; b < m->blocks; b++) {
    if (m->search.round[b] == m->search.rounds || !is_bad(m, b)) continue;
    m->search.round[b] = m->search.rounds;
    m->region[0] = b, m->members = 1;
    for (hk_index k = 0; k < m->members; k++) add_neighbours(m, k, true);
    HK_PASS(try_region(m));
  }
  return HK_OK;
}

/* Blocks with a long border, with `rings` rings of blocks around. */
static hk_status repair_around(repairer *m, int rings)
{
  for (hk_index b = 0; b < m->blocks; b++) {
    if (m->edge[b] <= m->border) continue;
    m->search.rounds++;
    m->search.round[b] = m->search.rounds;
    m->region[0] = b, m->members = 1;
    for (hk_index ring = 0, k = 0; ring < rings; ring++)
      for (const hk_index end = m->members; k < end; k++) add_neighbours(m, k, false);
    HK_PASS(try_region(m));
  }
  return HK_OK;
}

/* Blocks with a long border, with one neighbour after the other. */
static hk_status repair_pairs(repairer *m)
{
  hk_index near[MOST_REGION];
  for (hk_index b = 0; b < m->blocks; b++) {
    if (m->edge[b] <= m->border) continue;
    m->search.rounds++;
    m->search.round[b] = m->search.rounds;
    m->region[0] = b, m->members = 1;
    add_neighbours(m, 0, false);
    const hk_index count = m->members;
    memcpy(near, m->region, sizeof near);
    for (hk_index k = 1; k < count && m->edge[b] > m->border; k++) {
      m->region[0] = b, m->region[1] = near[k], m->members = 2;
      HK_PASS(try_region(m));
    }
  }
  return HK_OK;
}

/* The region = blocks from b on the shortest way to one that has room for b's nodes. */
static bool find_way(repairer *m, hk_index b, hk_index *visited)
{
  hk_index count = 0;
  m->search.rounds++;
  visited[count++] = b;
  m->search.round[b] = m->search.rounds, m->search.from[b] = -1;
  for (hk_index k = 0; k < count; k++) {
    if (k > 0 && m->size - m->count[visited[k]] >= m->count[b]) {
      m->members = 0;
      for (hk_index way = visited[k]; way >= 0; way = m->search.from[way]) {
        if (m->members == MOST_WAY) return false;
        m->region[m->members++] = way;
      }
      return true;
    }
    for (hk_index i = m->head[visited[k]]; i >= 0; i = m->next[i])
      for (hk_index at = m->graph->begin[i]; at < m->graph->begin[i + 1]; at++) {
        const hk_index to = m->block[m->graph->node[at]];
        if (m->search.round[to] == m->search.rounds || count == MOST_SEARCH) continue;
        m->search.round[to] = m->search.rounds, m->search.from[to] = visited[k];
        visited[count++] = to;
      }
  }
  return false;
}

static hk_status repair_ways(repairer *m)
{
  hk_index visited[MOST_SEARCH];
  for (hk_index b = 0; b < m->blocks; b++)
    if (m->count[b] > 0 && m->count[b] <= m->size / 2 && find_way(m, b, visited))
      HK_PASS(try_region(m));
  return HK_OK;
}

/* Numbers without gaps, in the same order. */
static void renumber(repairer *m)
{
  hk_index used = 0;
  for (hk_index b = 0; b < m->blocks; b++) m->search.from[b] = m->count[b] > 0 ? used++ : -1;
  for (hk_index i = 0; i < m->graph->nodes; i++)
    if (m->block[i] >= 0) m->block[i] = m->search.from[m->block[i]];
  m->blocks = used;
}

hk_status hk_blocks_repair(const hk_mesh *mesh, const hk_adjacency *graph, hk_index size,
                           hk_index border, hk_index *block, hk_index *blocks)
{
  hk_status status = HK_OK;
  repairer m = {0};
  HK_TRY(create(mesh, graph, size, border, block, *blocks, &m));
  for (int round = 0; round < ROUNDS; round++) {
    HK_TRY(repair_groups(&m));
    HK_TRY(repair_ways(&m));
    HK_TRY(repair_pairs(&m));
    HK_TRY(repair_around(&m, 1 + round));
  }
  renumber(&m);
  *blocks = m.blocks;
cleanup:
  hk_pool_clear(&m.pool);
  return status;
}
