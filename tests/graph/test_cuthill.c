/* Reverse Cuthill-McKee: the band, and the entries that a factorisation of zeros and ones fills. */
#include "graph/cuthill.h"
#include "support/check.h"

typedef struct pattern {
  hk_index n;
  hk_count *begin;
  hk_index *column;
} pattern;

/* The five points of a grid of a x b nodes, numbered at random, and an island of two. */
static pattern grid(hk_index a, hk_index b, unsigned seed)
{
  pattern p = {.n = a * b + 2};
  hk_index *name = NULL, *node = NULL;
  hk_count at = 0;
  ok(hk_get(&name, p.n));
  ok(hk_get(&node, p.n));
  ok(hk_get(&p.begin, (hk_count)p.n + 1));
  ok(hk_get(&p.column, 5 * (hk_count)p.n));
  srand(seed);
  for (hk_index i = 0; i < p.n; i++) name[i] = i;
  for (hk_index i = p.n - 1; i > 0 && seed; i--) {
    const hk_index k = rand() % (i + 1), t = name[i];
    name[i] = name[k], name[k] = t;
  }
  for (hk_index i = 0; i < p.n; i++) node[name[i]] = i;
  for (hk_index k = 0; k < p.n; k++) {
    const hk_index i = node[k], x = i % a, y = i / a;
    p.column[at++] = k;
    if (i >= a * b)
      p.column[at++] = name[2 * a * b + 1 - i];
    else {
      if (x > 0) p.column[at++] = name[i - 1];
      if (x < a - 1) p.column[at++] = name[i + 1];
      if (y > 0) p.column[at++] = name[i - a];
      if (y < b - 1) p.column[at++] = name[i + a];
    }
    p.begin[k + 1] = at;
  }
  hk_free(&name);
  hk_free(&node);
  return p;
}

static void clear(pattern *p)
{
  hk_free(&p->begin);
  hk_free(&p->column);
}

/* Entries of the factor, which elimination without luck fills; *band: largest |i - j| of the pattern. Both in that order (NULL: as it is). */
static hk_count fill(const pattern *p, const hk_index *order, hk_index *band)
{
  const hk_index n = p->n;
  bool *l = NULL;
  hk_index *place = NULL;
  hk_count entries = 0;
  ok(hk_get(&l, (hk_count)n * n));
  ok(hk_get(&place, n));
  *band = 0;
  for (hk_index k = 0; k < n; k++) place[order ? order[k] : k] = k;
  for (hk_index i = 0; i < n; i++) {
    l[(hk_count)i * n + i] = true;
    for (hk_count e = p->begin[i]; e < p->begin[i + 1]; e++) {
      const hk_index apart = abs(place[i] - place[p->column[e]]);
      l[(hk_count)place[i] * n + place[p->column[e]]] = true;
      if (apart > *band) *band = apart;
    }
  }
  for (hk_index k = 0; k < n; k++)
    for (hk_index i = k; i < n; i++) {
      entries += l[(hk_count)i * n + k];
      for (hk_index j = k + 1; i > k && j < n && l[(hk_count)i * n + k]; j++)
        if (l[(hk_count)j * n + k]) l[(hk_count)i * n + j] = true;
    }
  hk_free(&place);
  hk_free(&l);
  return entries;
}

/* a permutation, whose band on a grid of 30 x 8 shuffled nodes is at most 2 * 8 wide, and whose factor is smaller */
static void reverse_cuthill_mckee_narrows_the_band(void **state)
{
  (void)state;
  pattern p = grid(30, 8, 5);
  hk_index *order = NULL, before, after;
  bool *seen = NULL;
  ok(hk_get(&order, p.n));
  ok(hk_get(&seen, p.n));
  ok(hk_order_rcm(p.n, p.begin, p.column, order));
  for (hk_index k = 0; k < p.n; k++) {
    assert_true(order[k] >= 0 && order[k] < p.n && !seen[order[k]]);
    seen[order[k]] = true;
  }
  const hk_count as_it_is = fill(&p, NULL, &before), reordered = fill(&p, order, &after);
  assert_true(before > 100 && after <= 16);
  assert_true(reordered * 2 < as_it_is);
  hk_free(&order);
  hk_free(&seen);
  clear(&p);
}

static void a_failing_allocation_is_told(void **state)
{
  (void)state;
  pattern p = grid(4, 4, 1);
  hk_index *order = NULL;
  ok(hk_get(&order, p.n));
  shortage memory = {0};
  while (next_shortage(&memory)) {
    memory.status = hk_order_rcm(p.n, p.begin, p.column, order);
  }
  hk_free(&order);
  clear(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reverse_cuthill_mckee_narrows_the_band),
      cmocka_unit_test(a_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
