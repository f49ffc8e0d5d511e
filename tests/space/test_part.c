/* Parts of random meshes under random owners: numbers, ghosts, and what goes between neighbours. */
#include "space/part.h"
#include "support/mesh.h"

enum { MOST_PARTS = 6, MOST_GRANULES = 64 };

enum { JOINTS = 12 };

typedef struct model {
  hk_index joint[JOINTS][2]; /* mesh nodes on surfaces */
  hk_mesh *mesh;
  hk_space *space;
  hk_index first[MOST_GRANULES + 1];
  int owner[MOST_GRANULES];
  bool *acted; /* acted[padded]: some numbers of half of the models; all of some */
  hk_granules granules;
  int parts;
  hk_part *part[MOST_PARTS];
  bool by_elements;
} model;

/* By patches; squares and cubes half of the time by elements of order 2 or 3, in batches of 4, groups of 2 batches, some by colours. */
static void number(model *m, int seed)
{
  const hk_shape shape = m->mesh->block[0].shape;
  m->by_elements = seed % 8 > 3 && (shape == HK_QUAD4 || shape == HK_HEX8);
  if (!m->by_elements) {
    ok(hk_space_create(m->mesh, &(hk_space_desc){.patch = 16, .slice = 8, .sort_valence = true},
                       &m->space));
    return;
  }
  const bool colours = seed % 10 == 1 || seed % 10 == 3;
  ok(hk_mesh_raise_to(m->mesh, 2 + seed % 2));
  ok(hk_space_create(m->mesh,
                     &(hk_space_desc){.patch = 16,
                                      .slice = 8,
                                      .element_lanes = 4,
                                      .element_group = 2,
                                      .element_colours = colours,
                                      .element_chunk = seed % 16 > 7 && !colours ? 24 : 0},
                     &m->space));
}

/* By elements most models have pairs of nodes that need each other's forces, anywhere. */
static void join(model *m, int seed)
{
  if (!m->by_elements || seed % 3 == 0) return;
  m->granules.joints = JOINTS, m->granules.joint = (const hk_index(*)[2])m->joint;
  for (int k = 0; k < 2 * JOINTS; k++) {
    hk_index *node = &m->joint[k / 2][k % 2];
    do *node = (hk_index)(rand() % m->mesh->node_count);
    while (m->space->node[*node] < 0 || m->space->node[*node] >= hk_space_inside(m->space));
  }
}

static void act(model *m, int seed)
{
  if (seed % 5 < 3) return;
  ok(hk_get(&m->acted, m->space->padded));
  for (int k = 0; k < 3; k++) m->acted[rand() % m->space->padded] = true;
  for (hk_index i = 0; i < m->space->padded && seed % 5 == 4; i += 16) m->acted[i] = true;
  m->granules.acted = m->acted;
}

/* Meshes of four shapes, numbered at random, one with holes; granules of random length with random owners, of which some own nothing. */
static void model_create(model *m, int seed)
{
  static const hk_shape shape[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  const int cells = seed % 4 < 2 ? 12 + seed % 5 : 5;
  srand((unsigned)seed);
  memset(m, 0, sizeof *m);
  m->mesh = make_grid((hk_mesh_grid){
      .cells = {cells, cells + 2, cells}, .shape = shape[seed % 4], .jitter = 0.2, .shuffle = 3});
  if (seed % 3 == 0) punch(m->mesh);
  number(m, seed);
  m->parts = 1 + seed % MOST_PARTS;
  const hk_index runs = hk_space_runs(m->space);
  while (m->first[m->granules.count] < runs && m->granules.count < MOST_GRANULES) {
    const hk_index next = m->first[m->granules.count] + 1 + rand() % 4;
    m->owner[m->granules.count++] = rand() % m->parts;
    m->first[m->granules.count] = next < runs ? next : runs;
  }
  m->first[m->granules.count] = runs;
  m->granules.first_patch = m->first, m->granules.part = m->owner;
  join(m, seed);
  act(m, seed);
  for (int k = 0; k < m->parts; k++) ok(hk_part_create(m->space, &m->granules, k, &m->part[k]));
}

static void model_destroy(model *m)
{
  for (int k = 0; k < m->parts; k++) hk_part_destroy(&m->part[k]);
  hk_free(&m->acted);
  hk_space_destroy(&m->space);
  hk_mesh_destroy(&m->mesh);
  assert_int_equal(hk_memory_held(), 0);
}

static void for_models(void (*check)(const model *m))
{
  for (int seed = 0; seed < 48; seed++) {
    model m;
    model_create(&m, seed);
    check(&m);
    model_destroy(&m);
  }
}

/* number of owners = 1 of each node of the whole; own patches ascend among those that others read, among the rest of the boundary, and among the others */
static void check_owners(const model *m)
{
  int *owners = NULL;
  ok(hk_get(&owners, m->space->padded));
  for (int k = 0; k < m->parts; k++) {
    const hk_part *p = m->part[k];
    assert_int_equal(p->rows, p->patches * m->space->patch +
                                  (m->by_elements ? p->units * m->space->interior->unit : 0));
    for (hk_index i = 0; i < p->rows; i++) owners[p->whole[i]]++;
    for (hk_index n = 1; n < p->patches; n++)
      assert_true(n * m->space->patch == p->sent || n == p->boundary ||
                  p->patch[n] > p->patch[n - 1]);
    for (hk_index n = 1; n < p->units; n++)
      assert_true(n == p->boundary_units || p->unit[n] > p->unit[n - 1]);
  }
  const hk_index end = hk_space_run_first(m->space, hk_space_runs(m->space));
  for (hk_index i = 0; i < m->space->padded; i++) assert_int_equal(owners[i], i < end);
  hk_free(&owners);
}

static void every_node_has_one_owner(void **state)
{
  (void)state;
  for_models(check_owners);
}

static int place_of(const hk_part *p, int other)
{
  for (int k = 0; k < p->neighbours; k++)
    if (p->neighbour[k] == other) return k;
  return -1;
}

/* Ghost i of those that a part takes of neighbour k. */
static hk_index taken(const hk_part *p, int k, hk_index i)
{
  const hk_index first = p->take_begin[k + 1] - p->take_begin[k];
  return i < first ? p->take_begin[k] + i : p->inside_begin[k] + i - first;
}

/* send(A, B) = take(B, A) in the numbers of the whole, ascending; neighbours see each other and ascend */
static void check_exchange(const model *m)
{
  for (int a = 0; a < m->parts; a++) {
    const hk_part *from = m->part[a];
    hk_index all = 0;
    for (int k = 0; k < from->neighbours; k++) {
      const hk_part *to = m->part[from->neighbour[k]];
      const int back = place_of(to, a);
      assert_true(back >= 0 && from->neighbour[k] != a);
      assert_true(k == 0 || from->neighbour[k] > from->neighbour[k - 1]);
      const hk_index *send = from->send + from->send_begin[k],
                     count = from->send_begin[k + 1] - from->send_begin[k];
      assert_int_equal(count, to->take_begin[back + 1] - to->take_begin[back] +
                                  to->inside_begin[back + 1] - to->inside_begin[back]);
      for (hk_index i = 0; i < count; i++) {
        assert_true(send[i] < from->rows);
        assert_int_equal(from->whole[send[i]], to->whole[taken(to, back, i)]);
        assert_true(i == 0 || send[i] != send[i - 1]);
        assert_true(i == 0 || from->whole[send[i]] > from->whole[send[i - 1]]);
      }
      all += from->take_begin[k + 1] - from->take_begin[k];
      all += from->inside_begin[k + 1] - from->inside_begin[k];
    }
    assert_int_equal(from->inside_begin[0], from->rows);
    assert_int_equal(from->take_begin[0], from->inside_begin[from->neighbours]);
    assert_int_equal(all, from->ghosts);
  }
}

static void what_one_sends_the_other_takes(void **state)
{
  (void)state;
  for_models(check_exchange);
}

/* Numbers of cell c: an element, or a group of batches with all that its elements have, and what is joined to these; 0: there is no such cell. */
static hk_index cell_of(const model *m, hk_index c, hk_index *number)
{
  const hk_interior *by = m->space->interior;
  const hk_index unit = m->by_elements ? by->group * by->lanes : 1;
  hk_index count = 0;
  for (hk_count k = (hk_count)c * unit; k < (hk_count)(c + 1) * unit; k++) {
    if (k >= (m->by_elements ? (hk_count)by->batches * by->lanes : m->mesh->element_count)) break;
    const hk_index e = m->by_elements ? by->element[k] : (hk_index)k;
    for (int i = 0; e >= 0 && i < hk_mesh_block_of(m->mesh, e)->nodes; i++)
      number[count++] = m->space->node[hk_mesh_nodes_of(m->mesh, e)[i]];
  }
  const hk_index own = count;
  for (hk_index i = 0; i < own; i++)
    for (int k = 0; k < 2 * m->granules.joints; k++)
      if (m->space->node[m->joint[k / 2][k % 2]] == number[i])
        number[count++] = m->space->node[m->joint[k / 2][1 - k % 2]];
  return count;
}

/* What part p reads: read, with its own; and of that what others have too: sent runs. */
static void find_read(const model *m, const bool *own, bool *read, bool *sent)
{
  hk_index number[8 * 64 * (1 + JOINTS)], count;
  for (int k = 0; k < 2 * m->granules.joints; k++) {
    const hk_index joint = m->space->node[m->joint[k / 2][k % 2]];
    if (own[joint]) sent[hk_space_run(m->space, joint)] = true;
  }
  for (hk_index c = 0; (count = cell_of(m, c, number)); c++) {
    bool mine = false, others = false;
    for (hk_index i = 0; i < count; i++)
      mine = mine || own[number[i]], others = others || !own[number[i]];
    for (hk_index i = 0; i < count && mine; i++) {
      read[number[i]] = true;
      if (others && own[number[i]]) sent[hk_space_run(m->space, number[i])] = true;
    }
  }
}

/* Of consecutive patches: those that loads act on are sent first too, where at least half of the own ones are not. */
static void add_acted(const model *m, const hk_part *p, bool *sent)
{
  hk_index marked = 0;
  bool acts[16 * 1024] = {false};
  assert_true(hk_space_runs(m->space) < 16 * 1024);
  if (!m->acted || m->by_elements) return;
  for (hk_index i = 0; i < m->space->padded; i++)
    if (m->acted[i]) acts[i / m->space->patch] = true;
  for (hk_index n = 0; n < p->patches; n++) marked += acts[p->patch[n]] || sent[p->patch[n]];
  for (hk_index n = 0; n < p->patches && 2 * marked <= p->patches; n++)
    sent[p->patch[n]] = sent[p->patch[n]] || acts[p->patch[n]];
}

/* ghosts of A = {j of another part: j and a node of A are of one cell}; boundary patches = those with a node that another part has as a ghost,
 * or that is joined, or few that loads act on */
static void check_ghosts(const model *m)
{
  bool *read = NULL, *sent = NULL, *own = NULL;
  for (int a = 0; a < m->parts; a++) {
    const hk_part *p = m->part[a];
    ok(hk_get(&read, m->space->padded));
    ok(hk_get(&own, m->space->padded));
    ok(hk_get(&sent, hk_space_runs(m->space)));
    for (hk_index i = 0; i < p->rows; i++) read[p->whole[i]] = own[p->whole[i]] = true;
    find_read(m, own, read, sent);
    for (hk_index n = 0; n < p->patches; n++)
      assert_true(sent[p->patch[n]] == (n * m->space->patch < p->sent));
    add_acted(m, p, sent);
    for (hk_index k = 0; k < p->ghosts; k++) {
      const hk_index number = p->whole[p->rows + k];
      if (m->space->mesh_node[number] < 0) continue; /* padding of a group */
      assert_true(read[number] && !own[number]);
      read[number] = false;
    }
    for (hk_index i = 0; i < m->space->padded; i++) assert_true(!read[i] || own[i]);
    for (hk_index n = 0; n < p->patches; n++) assert_true(sent[p->patch[n]] == (n < p->boundary));
    for (hk_index n = p->boundary_units; n < p->units; n++)
      assert_false(sent[hk_space_flat_runs(m->space) + p->unit[n]]);
    hk_free(&own);
    hk_free(&read);
    hk_free(&sent);
  }
}

static void ghosts_are_what_own_rows_read(void **state)
{
  (void)state;
  for_models(check_ghosts);
}

/* the space of a part has its rows, its ghosts and the whole's order */
static void check_space(const model *m)
{
  for (int k = 0; k < m->parts; k++) {
    const hk_part *p = m->part[k];
    hk_space *own = NULL;
    hk_index nodes = 0;
    ok(hk_space_create_part(m->space, p, &own));
    assert_true(own->patches == p->patches && own->boundary == p->boundary);
    assert_true(hk_space_rows(own) == p->rows && own->order == p->whole);
    assert_true(own->ghosts >= p->ghosts && own->ghosts < p->ghosts + own->patch);
    assert_int_equal(own->padded % own->patch, 0);
    for (hk_index i = 0; i < own->padded; i++) {
      const hk_index node = i < p->rows + p->ghosts ? m->space->mesh_node[p->whole[i]] : -1;
      assert_int_equal(own->mesh_node[i], node);
      if (node >= 0) assert_int_equal(own->node[node], i);
      nodes += i < p->rows && node >= 0;
    }
    assert_int_equal(own->nodes, nodes);
    hk_space_destroy(&own);
  }
}

static void a_part_has_a_space(void **state)
{
  (void)state;
  for_models(check_space);
}

/* one part is the whole: its numbers, no boundary but that of loads, no ghosts, no neighbours */
static void check_alone(const model *m)
{
  const hk_part *p = m->part[0];
  if (m->parts > 1) return;
  assert_true(p->rows == hk_space_run_first(m->space, hk_space_runs(m->space)));
  assert_true(p->neighbours == 0 && p->boundary_units == 0);
  assert_int_equal(p->ghosts, 0);
  if (p->boundary) return; /* of loads */
  for (hk_index i = 0; i < p->rows; i++) assert_int_equal(p->whole[i], i);
}

static void one_part_is_the_whole(void **state)
{
  (void)state;
  for_models(check_alone);
}

/* made again it is the same */
static void check_again(const model *m)
{
  for (int k = 0; k < m->parts; k++) {
    const hk_part *p = m->part[k];
    hk_part *again = NULL;
    ok(hk_part_create(m->space, &m->granules, k, &again));
    assert_int_equal(again->ghosts, p->ghosts);
    assert_memory_equal(again->whole, p->whole, (size_t)(p->rows + p->ghosts) * sizeof *p->whole);
    assert_memory_equal(again->send, p->send,
                        (size_t)p->send_begin[p->neighbours] * sizeof *p->send);
    hk_part_destroy(&again);
  }
}

static void a_part_is_reproducible(void **state)
{
  (void)state;
  for_models(check_again);
}

/* every allocation that fails is reported and leaks nothing */
static void allocations_fail(void **state)
{
  model m;
  (void)state;
  model_create(&m, 13);
  const hk_count held = hk_memory_held();
  for (hk_count k = 1;; k++) {
    hk_part *p = NULL;
    hk_space *own = NULL;
    hk_memory_fail_at(k);
    hk_status status = hk_part_create(m.space, &m.granules, 0, &p);
    if (status == HK_OK) status = hk_space_create_part(m.space, p, &own);
    hk_memory_fail_at(0);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    hk_space_destroy(&own);
    hk_part_destroy(&p);
    assert_int_equal(hk_memory_held(), held);
    if (status == HK_OK) break;
  }
  model_destroy(&m);
}

/* numberings by blocks are refused */
static void blocks_are_refused(void **state)
{
  hk_part *p = NULL;
  hk_space *space = NULL;
  hk_mesh *mesh = make_grid((hk_mesh_grid){.cells = {20, 20}, .shape = HK_TRI3});
  const hk_index first[] = {0, 1};
  const int owner[] = {0};
  (void)state;
  ok(hk_space_create(mesh, &(hk_space_desc){.patch = 64, .slice = 32, .blocks = true}, &space));
  fails_with(
      hk_part_create(space, &(hk_granules){.count = 1, .first_patch = first, .part = owner}, 0, &p),
      HK_BAD_INPUT, "is by blocks");
  hk_space_destroy(&space);
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_node_has_one_owner),
                                     cmocka_unit_test(what_one_sends_the_other_takes),
                                     cmocka_unit_test(ghosts_are_what_own_rows_read),
                                     cmocka_unit_test(a_part_has_a_space),
                                     cmocka_unit_test(one_part_is_the_whole),
                                     cmocka_unit_test(a_part_is_reproducible),
                                     cmocka_unit_test(allocations_fail),
                                     cmocka_unit_test(blocks_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
