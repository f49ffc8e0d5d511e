/* Exchanges between ranks of MPI by random lists of rows and nodes, and every link: ghosts are what the neighbours had, exchange after exchange; links that do not work
 * are refused. mpirun starts it (tests/cli/test_ranks.py) with HOOKE_MPI, the plug-in's path; alone it has nothing to do. FAKE: folder of the libraries
 * of tests/fake, whose devices have the host's memory, so that any MPI and the NCCL there reach it. */
#include "link/ranks.h"
#include "link/sharing.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  MAPS = 12,
  EXCHANGES = 9,
  MOST_RANKS = 4,
  MOST_ROWS = 40,
  MOST_OWN = 90,
  MOST = MOST_RANKS * MOST_ROWS,
  MOST_VALUES = 3 * 3 * (MOST_OWN + MOST)
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
  double value[MOST_VALUES]; /* of the vector */
} part;

/* What MPI is to say of GPUs: the plug-in asks for this function. */
static int aware = 1;
__attribute__((visibility("default"))) int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
  return aware;
}

static bool on_cuda(void)
{
  return getenv("FAKE") != NULL;
}

static void open_device(hk_device **device)
{
  ok(hk_device_create(&(hk_device_desc){.name = on_cuda() ? "cuda" : "cpu",
                                        .threads = 1,
                                        .toolkit = getenv("FAKE")},
                      device));
}

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

static void part_create(const map *m, int ranks, int k, hk_device *device, const char *link,
                        part *p)
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
  ok(hk_links_open(link, ranks, p->link, &p->links));
  if (link) assert_string_equal(p->links->kind->name, link);
}

static double value_of(int rank, int shot, hk_index node, int c, int exchange)
{
  return rank * 100003 + shot * 50021 + node * 101 + c * 7 + exchange * 13;
}

static hk_count count_of(const map *m, const hk_link_side *l)
{
  return (hk_count)m->shots * l->padded * m->components;
}

static void set(const map *m, part *p, int k, int exchange)
{
  const hk_link_side *l = &p->link[k];
  for (int shot = 0; shot < m->shots; shot++)
    for (hk_index i = 0; i < l->padded; i++)
      for (int c = 0; c < m->components; c++) {
        const hk_count at = ((hk_count)shot * l->padded + i) * m->components + c;
        p->value[at] = i < m->own ? value_of(k, shot, i, c, exchange) : -1;
      }
  ok(hk_buffer_write_reals(p->vector, !m->real, 0, count_of(m, l), p->value));
}

static void check_ghosts(const map *m, part *p, int k, int exchange)
{
  const hk_link_side *l = &p->link[k];
  ok(hk_buffer_read_reals(p->vector, !m->real, 0, count_of(m, l), p->value));
  for (int n = 0; n < l->neighbours; n++) {
    const int from = l->neighbour[n];
    const hk_index rows = m->rows[from][k], here = first_range(m, rows);
    for (hk_index i = 0; i < rows; i++)
      for (int at = 0; at < m->shots * m->components; at++) {
        const int shot = at / m->components, c = at % m->components;
        const hk_index ghost = i < here ? p->take_begin[n] + i : p->more_begin[n] + i - here;
        const double got = p->value[((hk_count)shot * l->padded + ghost) * m->components + c];
        assert_true(got == value_of(from, shot, m->send[from][k][i], c, exchange));
      }
  }
}

/* link: NULL, the one that is found to be fastest */
static void exchange_by(const char *link, hk_device *device)
{
  const int ranks = hk_ranks_count(), k = hk_ranks_rank();
  for (int seed = 0; seed < MAPS; seed++) {
    map m;
    part p = {0};
    srand((unsigned)seed);
    map_create(ranks, &m);
    part_create(&m, ranks, k, device, link, &p);
    for (int e = 0; e < EXCHANGES; e++) {
      set(&m, &p, k, e);
      ok(hk_links_begin(p.links, k, p.vector));
      ok(hk_links_end(p.links, k, p.vector));
      check_ghosts(&m, &p, k, e);
    }
    hk_links_close(&p.links);
    hk_buffer_destroy(&p.vector);
  }
}

static void random_lists(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (hk_ranks_count() == 1) skip();
  assert_true(hk_ranks_count() <= MOST_RANKS);
  open_device(&device);
  exchange_by(NULL, device);
  if (on_cuda()) {
    exchange_by("mpi", device);
    exchange_by("mpi-device", device);
    exchange_by("nccl", device);
  }
  hk_device_close(&device);
}

/* A rank that fails before the first exchange leaves the others to agree, and the next links work. */
static void stopped_before_an_exchange(void **state)
{
  static const char *const names[] = {"mpi", "mpi-device", "nccl"};
  map m;
  hk_device *device = NULL;
  (void)state;
  if (hk_ranks_count() == 1) skip();
  open_device(&device);
  srand(1), map_create(hk_ranks_count(), &m);
  for (int k = 0; k < (on_cuda() ? 3 : 1); k++) {
    part p = {0};
    part_create(&m, hk_ranks_count(), hk_ranks_rank(), device, names[k], &p);
    if (hk_ranks_rank() == 0) hk_links_stop(p.links);
    hk_links_close(&p.links);
    hk_buffer_destroy(&p.vector);
    assert_false(hk_ranks_torn());
    exchange_by(names[k], device);
  }
  hk_device_close(&device);
}

enum { NODES = 60, WORDS = 3, HALOS = 6 };

/* Runs of nodes by ranks, some empty; each rank needs some nodes of others, which it gets, and no others. */
static void exchange_halo(hk_device *device)
{
  const int ranks = hk_ranks_count(), own = hk_ranks_rank();
  hk_sharing *share = NULL;
  hk_halo *halo = NULL;
  hk_buffer *vector = NULL;
  hk_index cut[MOST_RANKS + 1] = {0};
  uint8_t needed[NODES] = {0};
  int value[NODES][WORDS];
  for (int k = 1; k < ranks; k++) cut[k] = cut[k - 1] + rand() % (NODES - cut[k - 1]);
  cut[ranks] = NODES;
  for (int k = 0; k < ranks * NODES; k++) { /* all ranks draw the same numbers */
    const int draw = rand() % 2;
    if (k / NODES == own) needed[k % NODES] = (uint8_t)draw;
  }
  ok(hk_sharing_create_at(hk_ranks_now(), cut, &share));
  ok(hk_buffer_create(device, sizeof value, &vector));
  ok(hk_halo_create(share, device, needed, sizeof *value, &halo));
  for (int i = 0; i < NODES * WORDS; i++)
    value[i / WORDS][i % WORDS] = hk_sharing_owns(share, i / WORDS) ? 7 * i + 1 : -1;
  ok(hk_buffer_write(vector, 0, sizeof value, value));
  ok(hk_halo_exchange(halo, vector, sizeof *value));
  ok(hk_buffer_read(vector, 0, sizeof value, value));
  for (int i = 0; i < NODES * WORDS; i++) {
    const bool known = hk_sharing_owns(share, i / WORDS) || needed[i / WORDS];
    assert_int_equal(value[i / WORDS][i % WORDS], known ? 7 * i + 1 : -1);
  }
  hk_halo_destroy(&halo);
  hk_buffer_destroy(&vector);
  hk_sharing_destroy(&share);
}

static void halos(void **state)
{
  static const char *const names[] = {"mpi", "mpi-device", "nccl"};
  hk_device *device = NULL;
  (void)state;
  if (hk_ranks_count() == 1) skip();
  open_device(&device);
  for (int k = 0; k < (on_cuda() ? 3 : 1); k++) {
    srand((unsigned)k);
    ok(hk_ranks_open_link(hk_ranks_now(), names[k], device));
    for (int i = 0; i < HALOS; i++) exchange_halo(device);
    hk_ranks_close_link(hk_ranks_now());
    assert_null(hk_ranks_links(hk_ranks_now()));
  }
  hk_device_close(&device);
}

static void refused(const part *p, const char *link, const char *words)
{
  hk_links *links = NULL;
  assert_int_equal(hk_links_open(link, hk_ranks_count(), p->link, &links), HK_USAGE);
  error_says(link), error_says(words);
  assert_null(links);
}

/* What is found out about `link` where none is named. */
static void passed_over(const part *p, const char *link, const char *words)
{
  hk_links *links = NULL;
  ok(hk_links_open(NULL, hk_ranks_count(), p->link, &links));
  assert_string_not_equal(links->kind->name, link);
  assert_int_equal(links->trials, 3);
  for (int k = 0; k < links->trials; k++)
    if (!strcmp(links->trial[k].name, link)) assert_non_null(strstr(links->trial[k].why, words));
  hk_links_close(&links);
}

static void links_that_do_not_work(void **state)
{
  map m;
  part p = {0};
  hk_device *device = NULL;
  (void)state;
  if (hk_ranks_count() == 1) skip();
  open_device(&device);
  srand(1), map_create(hk_ranks_count(), &m);
  part_create(&m, hk_ranks_count(), hk_ranks_rank(), device, "mpi", &p);
  refused(&p, on_cuda() ? "peers" : "nccl",
          on_cuda() ? "give one of them" : "no library that sends");
  if (!on_cuda()) refused(&p, "mpi-device", "no memory of devices of this kind");
  if (on_cuda()) {
    p.link[hk_ranks_rank()].exchanges = 1;
    passed_over(&p, "nccl", "its start takes longer"), p.link[hk_ranks_rank()].exchanges = 0;
    for (int k = 0; k < 2; k++) {
      const char *words =
          k ? "not give what the link mpi gives" : "invalid usage: two ranks may not share a GPU";
      setenv("FAKE_NCCL", k ? "wrong" : "fails", 1);
      refused(&p, "nccl", words), passed_over(&p, "nccl", words);
    }
    unsetenv("FAKE_NCCL");
    aware = 0, refused(&p, "mpi-device", "does not say");
    passed_over(&p, "mpi-device", "does not say"), aware = 1;
  }
  hk_links_close(&p.links);
  hk_buffer_destroy(&p.vector);
  hk_device_close(&device);
  assert_int_equal(hk_memory_held(), 0);
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(links_that_do_not_work),
                                     cmocka_unit_test(random_lists),
                                     cmocka_unit_test(stopped_before_an_exchange),
                                     cmocka_unit_test(halos), cmocka_unit_test(agreement)};
  const char *mpi = getenv("HOOKE_MPI"), *hangs = getenv("HANGS"), *at = getenv("AT");
  if (mpi && hk_ranks_begin(mpi, hangs ? 3 : 20) != HK_OK)
    return fprintf(stderr, "%s\n", hk_error()), 1;
  if (hangs && at) return fail_beside(hangs, at[0] == 'e');
  return hk_ranks_end(cmocka_run_group_tests(tests, NULL, NULL));
}
