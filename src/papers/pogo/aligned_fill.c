/* Steps 7 and 8 of the aligned partitioner (Huthwaite 2014, section 3.1): fills the blocks of a
 * layer row by row. The smallest open block always advances next, by one row of free neighbours; it
 * leaves a node to another open block that has more links to it, unless it could take none at all.
 * A block is closed when it is full or has no free neighbour. Blocks wait in lists by their number
 * of nodes. */
#include "papers/pogo/aligned.h"

typedef struct filler {
  hk_front *front;
  hk_index *nodes;     /* nodes[strips] of each block so far */
  hk_index *head;      /* head[strips]: nodes that may have free neighbours, through front->next */
  hk_index *first;     /* first[size + 1]: blocks of so many nodes, through `after` */
  hk_index *after;     /* after[strips] */
  bool *closed;        /* closed[strips]: full, or without free neighbour */
  hk_index *candidate; /* candidate[candidates]: front->queue, and how many there are */
  hk_index candidates;
  hk_pool pool; /* all these arrays, but for candidate */
} filler;

static void take(filler *r, hk_index b, hk_index i)
{
  hk_front *f = r->front;
  f->block[i] = f->blocks + b;
  f->next[i] = r->head[b];
  r->head[b] = i;
  r->nodes[b]++;
}

static void await(filler *r, hk_index b)
{
  r->after[b] = r->first[r->nodes[b]];
  r->first[r->nodes[b]] = b;
}

/* True unless an open block other than b has more links to node i. */
static bool may_claim(const filler *r, hk_index b, hk_index i)
{
  const hk_index blocks = r->front->blocks;
  hk_votes votes;
  int own = 0, most = 0;
  hk_votes_count(r->front->graph, r->front->block, blocks, i, &votes);
  for (int v = 0; v < votes.count; v++) {
    const hk_index other = votes.value[v] - blocks;
    if (other == b)
      own = votes.links[v];
    else if (!r->closed[other] && votes.links[v] > most)
      most = votes.links[v];
  }
  return own >= most;
}

/* Free neighbours of block b to candidate[]: those that it may claim come first; returns their
 * number. */
static hk_index collect(filler *r, hk_index b)
{
  hk_front *f = r->front;
  hk_index claimed = 0;
  r->candidates = 0;
  f->tick++;
  for (hk_index i = r->head[b]; i >= 0; i = f->next[i])
    for (hk_index at = f->graph->begin[i]; at < f->graph->begin[i + 1]; at++) {
      const hk_index j = f->graph->node[at];
      if (f->block[j] >= 0 || f->stamp[j] == f->tick) continue;
      f->stamp[j] = f->tick;
      r->candidate[r->candidates++] = j;
    }
  for (hk_index k = 0; k < r->candidates; k++) {
    const hk_index j = r->candidate[k];
    if (!may_claim(r, b, j)) continue;
    r->candidate[k] = r->candidate[claimed];
    r->candidate[claimed++] = j;
  }
  return claimed;
}

static bool has_free(const hk_front *f, hk_index i)
{
  for (hk_index at = f->graph->begin[i]; at < f->graph->begin[i + 1]; at++)
    if (f->block[f->graph->node[at]] < 0) return true;
  return false;
}

/* Block b by one row. */
static void advance(filler *r, hk_index b)
{
  hk_front *f = r->front;
  const hk_index room = f->rule.size - r->nodes[b], old = r->head[b];
  hk_index claimed = collect(r, b);
  if (claimed == 0) claimed = r->candidates;
  const hk_index taken = claimed < room ? claimed : room;
  r->head[b] = -1;
  for (hk_index k = 0; k < taken; k++) {
    take(r, b, r->candidate[k]);
    f->list[f->count++] = r->candidate[k];
  }
  if (taken < r->candidates)
    for (hk_index i = old, after; i >= 0; i = after) {
      after = f->next[i];
      if (!has_free(f, i)) continue;
      f->next[i] = r->head[b];
      r->head[b] = i;
    }
  r->closed[b] = taken == 0 || r->nodes[b] == f->rule.size;
  if (!r->closed[b]) await(r, b);
}

/* First rows longer than a block are cut. */
static void begin(filler *r)
{
  hk_front *f = r->front;
  hk_index kept = 0;
  for (hk_index b = 0; b < f->strips; b++) r->head[b] = -1;
  for (hk_index k = 0; k < f->first; k++) {
    const hk_index i = f->list[k], b = f->label[i];
    f->label[i] = -1;
    if (r->nodes[b] == f->rule.size) continue;
    take(r, b, i);
    f->list[kept++] = i;
  }
  f->count = kept;
  for (hk_index n = 0; n <= f->rule.size; n++) r->first[n] = -1;
  for (hk_index b = f->strips - 1; b >= 0; b--) {
    r->closed[b] = r->nodes[b] == f->rule.size;
    if (!r->closed[b]) await(r, b);
  }
}

hk_status hk_front_fill(hk_front *f)
{
  hk_status status = HK_OK;
  filler r = {.front = f, .candidate = f->queue};
  HK_TRY(hk_pool_get(&r.pool, &r.nodes, f->strips));
  HK_TRY(hk_pool_get(&r.pool, &r.head, f->strips));
  HK_TRY(hk_pool_get(&r.pool, &r.after, f->strips));
  HK_TRY(hk_pool_get(&r.pool, &r.closed, f->strips));
  HK_TRY(hk_pool_get(&r.pool, &r.first, (hk_count)f->rule.size + 1));
  begin(&r);
  for (hk_index n = 0; n < f->rule.size; n++)
    while (r.first[n] >= 0) {
      const hk_index b = r.first[n];
      r.first[n] = r.after[b];
      advance(&r, b);
    }
cleanup:
  hk_pool_clear(&r.pool);
  return status;
}
