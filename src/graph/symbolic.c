/* The pattern of the Cholesky factor of P A P^T, computed from the pattern of A; no numbers are
 * needed.
 * The elimination tree is found with path compression (Liu 1990). The pattern of row i of the
 * factor is the union of the paths in the tree from its entries up to i (Davis 2006, 4.1 to 4.4);
 * entries are counted per column and written on request. */
#include "graph/symbolic.h"

/* The pattern in its new numbers. */
typedef struct reordered {
  hk_index n;
  const hk_count *begin;
  const hk_index *column, *order;
  hk_index *place; /* old -> new */
} reordered;

static hk_index old_of(const reordered *a, hk_index i)
{
  return a->order ? a->order[i] : i;
}

/* parent: ancestors are linked with path compression. */
static void find_tree(const reordered *a, hk_index *ancestor, hk_index *parent)
{
  for (hk_index i = 0; i < a->n; i++) {
    const hk_index old = old_of(a, i);
    parent[i] = ancestor[i] = -1;
    for (hk_count e = a->begin[old]; e < a->begin[old + 1]; e++) {
      hk_index j = a->place[a->column[e]], next;
      for (; j >= 0 && j < i; j = next) {
        next = ancestor[j];
        ancestor[j] = i;
        if (next < 0) parent[j] = i;
      }
    }
  }
}

/* Row i in column j: counted, or written. */
static void put(hk_index j, hk_index i, hk_count *count, hk_count *to, hk_index *row)
{
  if (count) count[j + 1]++;
  if (to && row) row[to[j]++] = i;
}

/* Row i of L: the paths in the tree from A's entries up to i. Each column on them gets an entry: counted, or written. */
static void walk_rows(const reordered *a, const hk_index *parent, hk_index *mark, hk_count *count,
                      hk_count *to, hk_index *row)
{
  for (hk_index i = 0; i < a->n; i++) mark[i] = -1;
  for (hk_index i = 0; i < a->n; i++) {
    const hk_index old = old_of(a, i);
    mark[i] = i;
    put(i, i, count, to, row);
    for (hk_count e = a->begin[old]; e < a->begin[old + 1]; e++)
      for (hk_index j = a->place[a->column[e]]; j < i && mark[j] != i; j = parent[j]) {
        mark[j] = i;
        put(j, i, count, to, row);
      }
  }
}

static hk_status write_rows(const reordered *a, hk_index *mark, hk_symbolic *s)
{
  hk_status status = HK_OK;
  hk_count *to = NULL;
  HK_TRY(hk_get(&to, s->n));
  HK_TRY(hk_pool_get(&s->pool, &s->row, s->entries));
  for (hk_index j = 0; j < s->n; j++) to[j] = s->begin[j];
  walk_rows(a, s->parent, mark, NULL, to, s->row);
cleanup:
  hk_free(&to);
  return status;
}

hk_status hk_symbolic_create(hk_index n, const hk_count *begin, const hk_index *column,
                             const hk_index *order, bool rows, hk_symbolic *out)
{
  hk_status status = HK_OK;
  hk_symbolic s = {.n = n};
  reordered a = {.n = n, .begin = begin, .column = column, .order = order};
  hk_pool pool = {0};
  hk_index *mark;
  HK_TRY(hk_pool_get(&pool, &a.place, n));
  HK_TRY(hk_pool_get(&pool, &mark, n));
  HK_TRY(hk_pool_get(&s.pool, &s.parent, n));
  HK_TRY(hk_pool_get(&s.pool, &s.begin, (hk_count)n + 1));
  for (hk_index i = 0; i < n; i++) a.place[old_of(&a, i)] = i;
  find_tree(&a, mark, s.parent);
  walk_rows(&a, s.parent, mark, s.begin, NULL, NULL);
  for (hk_index j = 0; j < n; j++) {
    s.operations += (double)s.begin[j + 1] * (double)s.begin[j + 1];
    s.begin[j + 1] += s.begin[j];
  }
  s.entries = s.begin[n];
  if (rows) HK_TRY(write_rows(&a, mark, &s));
  *out = s, s = (hk_symbolic){0};
cleanup:
  hk_symbolic_clear(&s);
  hk_pool_clear(&pool);
  return status;
}

void hk_symbolic_clear(hk_symbolic *s)
{
  hk_pool_clear(&s->pool);
  *s = (hk_symbolic){0};
}
