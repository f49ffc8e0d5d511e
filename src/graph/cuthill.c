/* Reverse Cuthill-McKee ordering of a symmetric pattern.
 * Each connected part starts at a node at one end of it (George and Liu 1979): repeat breadth-first
 * searches from the node of least degree in the last level while the depth grows. A breadth-first
 * search with neighbours in ascending order of degree then numbers the nodes, and all numbers are
 * reversed. */
#include "graph/cuthill.h"
#include <stdlib.h>

typedef struct search {
  hk_index rows;
  const hk_count *begin;
  const hk_index *column;
  hk_index *queue; /* of the level structure */
  hk_index *level; /* -1: not reached in this search */
  int64_t *near;   /* neighbours to be sorted: degree, then number */
  hk_count room;
} search;

static hk_index degree(const search *s, hk_index i)
{
  return (hk_index)(s->begin[i + 1] - s->begin[i]);
}

/* Levels from `root`: queue[count], level; *last: first of the last level. */
static hk_index spread(search *s, hk_index root, hk_index *last)
{
  hk_index count = 1;
  s->queue[0] = root, s->level[root] = 0, *last = 0;
  for (hk_index k = 0; k < count; k++) {
    const hk_index i = s->queue[k];
    if (s->level[i] > s->level[s->queue[*last]]) *last = k;
    for (hk_count e = s->begin[i]; e < s->begin[i + 1]; e++) {
      const hk_index j = s->column[e];
      if (s->level[j] >= 0) continue;
      s->level[j] = s->level[i] + 1;
      s->queue[count++] = j;
    }
  }
  return count;
}

static void forget(search *s, hk_index count)
{
  for (hk_index k = 0; k < count; k++) s->level[s->queue[k]] = -1;
}

/* A node at an end of its part (George, Liu, ACM TOMS 5 (1979) 284): the one of least degree of the last level, as long as that lies further. */
static hk_index find_end(search *s, hk_index root)
{
  hk_index depth = -1;
  for (;;) {
    hk_index last, best;
    const hk_index count = spread(s, root, &last), reached = s->level[s->queue[last]];
    best = s->queue[last];
    for (hk_index k = last; k < count; k++)
      if (degree(s, s->queue[k]) < degree(s, best)) best = s->queue[k];
    forget(s, count);
    if (reached <= depth) return root;
    depth = reached, root = best;
  }
}

static int by_degree(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The part of `root` from order[count] on; its new end. */
static hk_index number(search *s, hk_index root, hk_index *order, bool *done, hk_index count)
{
  hk_index at = count;
  order[count++] = root, done[root] = true;
  for (; at < count; at++) {
    const hk_index i = order[at];
    size_t found = 0;
    for (hk_count e = s->begin[i]; e < s->begin[i + 1]; e++) {
      const hk_index j = s->column[e];
      if (done[j]) continue;
      done[j] = true;
      s->near[found++] = (int64_t)degree(s, j) * INT64_C(0x100000000) + j;
    }
    if (found) qsort(s->near, found, sizeof *s->near, by_degree);
    for (size_t k = 0; k < found; k++) order[count++] = (hk_index)(s->near[k] & 0xffffffff);
  }
  return count;
}

static hk_count longest(const search *s)
{
  hk_count most = 0;
  for (hk_index i = 0; i < s->rows; i++)
    if (degree(s, i) > most) most = degree(s, i);
  return most;
}

hk_status hk_order_rcm(hk_index rows, const hk_count *begin, const hk_index *column,
                       hk_index *order)
{
  hk_status status = HK_OK;
  search s = {.rows = rows, .begin = begin, .column = column};
  hk_pool pool = {0};
  bool *done;
  hk_index count = 0;
  HK_TRY(hk_pool_get(&pool, &s.queue, rows));
  HK_TRY(hk_pool_get(&pool, &s.level, rows));
  HK_TRY(hk_pool_get(&pool, &s.near, longest(&s)));
  HK_TRY(hk_pool_get(&pool, &done, rows));
  for (hk_index i = 0; i < rows; i++) s.level[i] = -1;
  for (hk_index i = 0; i < rows; i++)
    if (!done[i]) count = number(&s, find_end(&s, i), order, done, count);
  for (hk_index k = 0; k < rows / 2; k++) {
    const hk_index other = order[rows - 1 - k];
    order[rows - 1 - k] = order[k], order[k] = other;
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}
