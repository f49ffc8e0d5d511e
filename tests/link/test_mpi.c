/* Exchanges between ranks of MPI by random lists of rows: ghosts are what the neighbours had, exchange after exchange. mpirun starts it (tests/cli/test_ranks.py)
 * with HOOKE_MPI, the plug-in's path; alone it has nothing to do. */
#include "link/link.h"
#include "link/ranks.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  MAPS = 24,
  EXCHANGES = 9,
  MOST_RANKS = 4,
  MOST_ROWS = 40,
  MOST_OWN = 90,
  MOST = MOST_RANKS * MOST_ROWS
};

typedef struct map { /* the same on all ranks */
  int shots, components;
  bool split, real;                                 /* ghosts in two ranges; single precision */
  hk_index own, rows[MOST_RANKS][MOST_RANKS];       /* rows that a sends to b */
  hk_index send[MOST_RANKS][MOST_RANKS][MOST_ROWS]; /* its own numbers */
} map;

typedef struct part { /* of this rank */
  hk_link_side link[MOST_RANKS];
  int neighbour[MOST_RANKS];
  hk_index send[MOST], send_begin[MOST_RANKS + 1], take_begin[MOST_RANKS + 1],
      more_begin[MOST_RANKS + 1];
  hk_links *links;
  hk_buffer *vector;
} part;

/* Some ranks have no rows in common, or send without receiving. */
static void map_create(int ranks, map *m)
{
  *m = (map){.shots = 1 + rand() % 3,
             .components = 1 + rand() % 3,
             .split = rand() % 2,
             .real = rand() % 2,
             .own = 1 + rand() % MOST_OWN};
  for (int a = 0; a < ranks; a++)
    for (int b = 0; b < ranks; b++) {
      m->rows[a][b] = a == b || rand() % 4 == 0 ? 0 : rand() % MOST_ROWS;
      for (int i = 0; i < MOST_ROWS; i++) m->send[a][b][i] = rand() % m->own;
    }
}

static hk_index first_range(const map *m, hk_index rows)
{
  return m->split ? rows / 3 : rows;
}

static void list_neighbours(const map *m, int ranks, int k, part *p, hk_link_side *l)
{
  hk_index first = 0;
  for (int b = 0; b < ranks; b++) {
    if (!m->rows[k][b] && !m->rows[b][k]) continue;
    memcpy(p->send + p->send_begin[l->neighbours], m->send[k][b], sizeof m->send[k][b]);
    first += first_range(m, m->rows[b][k]);
    p->neighbour[l->neighbours++] = b;
    p->send_begin[l->neighbours] = p->send_begin[l->neighbours - 1] + m->rows[k][b];
  }
  p->take_begin[0] = m->own, p->more_begin[0] = m->own + first;
  for (int n = 0; n < l->neighbours; n++) {
    const hk_index rows = m->rows[p->neighbour[n]][k], here = first_range(m, rows);
    p->take_begin[n + 1] = p->take_begin[n] + here;
    p->more_begin[n + 1] = p->more_begin[n] + rows - here;
  }
}

static void part_create(const map *m, int ranks, int k, hk_device *device, part *p)
{
  hk_link_side *l = &p->link[k];
  *l = (hk_link_side){.device = device,
                      .components = m->components,
                      .shots = m->shots,
                      .double_precision = !m->real,
                      .neighbour = p->neighbour,
                      .send = p->send,
                      .send_begin = p->send_begin,
                      .take_begin = p->take_begin,
                      .more_begin = m->split ? p->more_begin : NULL};
  list_neighbours(m, ranks, k, p, l);
  l->padded = p->more_begin[l->neighbours];
  ok(hk_buffer_create(device, (hk_count)m->shots * l->padded * m->components * (m->real ? 4 : 8),
                      &p->vector));
  ok(hk_links_open(NULL, ranks, p->link, &p->links));
  assert_string_equal(p->links->kind->name, "mpi");
}

static double value_of(int rank, int shot, hk_index node, int c, int exchange)
{
  return rank * 100003 + shot * 50021 + node * 101 + c * 7 + exchange * 13;
}

static double number(const map *m, const part *p, hk_count i)
{
  const void *u = hk_buffer_host(p->vector);
  return m->real ? (double)((const float *)u)[i] : ((const double *)u)[i];
}

static void set(const map *m, const part *p, int k, int exchange)
{
  const hk_link_side *l = &p->link[k];
  void *u = hk_buffer_host(p->vector);
  for (int shot = 0; shot < m->shots; shot++)
    for (hk_index i = 0; i < l->padded; i++)
      for (int c = 0; c < m->components; c++) {
        const hk_count at = ((hk_count)shot * l->padded + i) * m->components + c;
        const double value = i < m->own ? value_of(k, shot, i, c, exchange) : -1;
        if (m->real) ((float *)u)[at] = (float)value;
        if (!m->real) ((double *)u)[at] = value;
      }
}

static void check_ghosts(const map *m, const part *p, int k, int exchange)
{
  const hk_link_side *l = &p->link[k];
  for (int n = 0; n < l->neighbours; n++) {
    const int from = l->neighbour[n];
    const hk_index rows = m->rows[from][k], here = first_range(m, rows);
    for (hk_index i = 0; i < rows; i++)
      for (int at = 0; at < m->shots * m->components; at++) {
        const int shot = at / m->components, c = at % m->components;
        const hk_index ghost = i < here ? p->take_begin[n] + i : p->more_begin[n] + i - here;
        const double got = number(m, p, ((hk_count)shot * l->padded + ghost) * m->components + c);
        assert_true(got == value_of(from, shot, m->send[from][k][i], c, exchange));
      }
  }
}

static void random_lists(void **state)
{
  const int ranks = hk_ranks_count(), k = hk_ranks_rank();
  hk_device *device = NULL;
  (void)state;
  if (ranks == 1) skip();
  assert_true(ranks <= MOST_RANKS);
  ok(hk_device_open("cpu", 1, &device));
  for (int seed = 0; seed < MAPS; seed++) {
    map m;
    part p = {0};
    srand((unsigned)seed);
    map_create(ranks, &m);
    part_create(&m, ranks, k, device, &p);
    for (int e = 0; e < EXCHANGES; e++) {
      set(&m, &p, k, e);
      ok(hk_links_begin(p.links, k, p.vector));
      ok(hk_links_end(p.links, k, p.vector));
      check_ghosts(&m, &p, k, e);
    }
    hk_links_close(&p.links);
    hk_buffer_destroy(&p.vector);
  }
  hk_device_close(&device);
}

/* a failure of the last rank is that of all, with its number, until a run begins anew */
static void agreement(void **state)
{
  const int last = hk_ranks_count() - 1;
  (void)state;
  if (last == 0) skip();
  ok(hk_ranks_agree(HK_OK));
  const hk_status own = hk_ranks_rank() == last ? hk_error_set(HK_UNSTABLE, "it grows") : HK_OK;
  assert_int_equal(hk_ranks_agree(own), HK_UNSTABLE);
  error_says("it grows"), error_says("rank ");
  assert_int_equal(hk_ranks_agree(HK_OK), HK_UNSTABLE);
  hk_ranks_renew(hk_ranks_now());
  ok(hk_ranks_agree(HK_OK));
}

/* HANGS k: rank k hangs, and the others fail before (AT begin) or after (end) that is agreed: they end the run. */
static int fail_beside(const char *hangs, bool agreed)
{
  const bool hung = hk_ranks_rank() == atoi(hangs);
  hk_status status = hk_error_set(HK_UNSTABLE, "it grows");
  while (hung && !agreed) pause();
  status = hk_ranks_agree(status);
  while (hung) pause();
  fprintf(stderr, "%s\n", hk_error());
  return hk_ranks_end(status);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_lists), cmocka_unit_test(agreement)};
  const char *mpi = getenv("HOOKE_MPI"), *hangs = getenv("HANGS"), *at = getenv("AT");
  if (mpi && hk_ranks_begin(mpi, hangs ? 3 : 20) != HK_OK)
    return fprintf(stderr, "%s\n", hk_error()), 1;
  if (hangs && at) return fail_beside(hangs, at[0] == 'e');
  return hk_ranks_end(cmocka_run_group_tests(tests, NULL, NULL));
}
