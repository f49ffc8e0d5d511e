/* Block files: what is written is read; nothing else is. */
#include "papers/pogo/arrange.h"
#include "graph/blocks.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char path[] = "test.blocks";

typedef struct made {
  hk_mesh *mesh;
  hk_adjacency *graph;
  hk_blocks *blocks;
} made;

static made make(bool places)
{
  made m = {.mesh = grid_mesh(2, HK_TRI3, 20, 0.1)};
  ok(hk_adjacency_create(m.mesh, &m.graph));
  m.blocks = partition(m.mesh, m.graph, HK_PARTITION_ALIGNED, 64);
  if (places) { /* the order in which the nodes come */
    hk_index *count = NULL;
    ok(hk_get(&m.blocks->place, m.blocks->nodes));
    ok(hk_get(&count, m.blocks->blocks));
    for (hk_index i = 0; i < m.blocks->nodes; i++) m.blocks->place[i] = count[m.blocks->block[i]]++;
    hk_free(&count);
  }
  ok(hk_blocks_write(path, m.mesh, m.blocks));
  return m;
}

static void drop(made *m)
{
  hk_blocks_destroy(&m->blocks);
  hk_adjacency_destroy(&m->graph);
  hk_mesh_destroy(&m->mesh);
  unlink(path);
}

static void refused(const hk_mesh *mesh, const char *word)
{
  hk_blocks *blocks = NULL;
  assert_int_equal(hk_blocks_read(path, mesh, &blocks), HK_BAD_INPUT);
  assert_null(blocks);
  if (!strstr(hk_error(), word)) fail_msg("\"%s\" does not say \"%s\"", hk_error(), word);
  if (!strstr(hk_error(), path)) fail_msg("\"%s\" does not name the file", hk_error());
}

static uint8_t *load(size_t *size)
{
  FILE *file = fopen(path, "rb");
  uint8_t *data = malloc(1 << 16);
  assert_non_null(file);
  assert_non_null(data);
  *size = fread(data, 1, 1 << 16, file);
  assert_true(*size > 48 && *size < 1 << 16);
  fclose(file);
  return data;
}

static void save(const uint8_t *data, size_t size)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
}

static void round_trip(void **state)
{
  (void)state;
  for (int places = 0; places < 2; places++) {
    made m = make(places);
    hk_blocks *read = NULL;
    if (hk_blocks_read(path, m.mesh, &read) != HK_OK) fail_msg("%s", hk_error());
    assert_int_equal(read->nodes, m.blocks->nodes);
    assert_int_equal(read->blocks, m.blocks->blocks);
    assert_int_equal(read->size, 64);
    assert_memory_equal(read->block, m.blocks->block, (size_t)read->nodes * sizeof *read->block);
    assert_int_equal(read->place != NULL, places);
    if (places)
      assert_memory_equal(read->place, m.blocks->place, (size_t)read->nodes * sizeof *read->place);
    hk_blocks_destroy(&read);
    drop(&m);
  }
}

/* Coordinates and sets do not count. */
static void moved_nodes_keep_the_file(void **state)
{
  (void)state;
  made m = make(false);
  hk_blocks *read = NULL;
  for (hk_count i = 0; i < 2 * m.mesh->node_count; i++) m.mesh->x[i] *= 3;
  ok(hk_blocks_read(path, m.mesh, &read));
  hk_blocks_destroy(&read);
  drop(&m);
}

static void other_meshes_are_refused(void **state)
{
  (void)state;
  made m = make(false);
  hk_mesh *other = grid_mesh(2, HK_TRI3, 21, 0.1);
  refused(other, "441 nodes, the mesh 484");
  hk_mesh_destroy(&other);
  const hk_index first = m.mesh->block[0].node[0];
  m.mesh->block[0].node[0] = m.mesh->block[0].node[1];
  m.mesh->block[0].node[1] = first;
  refused(m.mesh, "another mesh");
  drop(&m);
}

static void every_cut_is_refused(void **state)
{
  (void)state;
  made m = make(true);
  size_t size;
  uint8_t *data = load(&size);
  for (size_t n = 0; n < size; n += n < 64 ? 1 : 97) {
    save(data, n);
    refused(m.mesh, n < 8 ? "not a block file" : "cut short");
  }
  save(data, size + 1);
  refused(m.mesh, "too many");
  free(data);
  drop(&m);
}

static void every_flipped_byte_is_refused(void **state)
{
  (void)state;
  made m = make(true);
  size_t size;
  uint8_t *data = load(&size);
  for (size_t n = 0; n < size; n += n < 64 || n + 16 > size ? 1 : 31)
    for (int bit = 0; bit < 8; bit += 7) {
      data[n] ^= (uint8_t)(1 << bit);
      save(data, size);
      refused(m.mesh, "");
      data[n] ^= (uint8_t)(1 << bit);
    }
  free(data);
  drop(&m);
}

/* With a check sum that fits. */
static void impossible_blocks_are_refused(void **state)
{
  (void)state;
  made m = make(true);
  const hk_index block = m.blocks->block[5];
  const int32_t place = m.blocks->place[5];
  m.blocks->block[5] = m.blocks->blocks;
  ok(hk_blocks_write(path, m.mesh, m.blocks));
  refused(m.mesh, "impossible");
  m.blocks->block[5] = block, m.blocks->place[5] = 64;
  ok(hk_blocks_write(path, m.mesh, m.blocks));
  refused(m.mesh, "impossible");
  m.blocks->place[5] = place ? place - 1 : place + 1;
  ok(hk_blocks_write(path, m.mesh, m.blocks));
  refused(m.mesh, "impossible");
  m.blocks->place[5] = place, m.blocks->size = 63;
  ok(hk_blocks_write(path, m.mesh, m.blocks));
  refused(m.mesh, "impossible");
  m.blocks->size = 64, m.blocks->blocks++;
  ok(hk_blocks_write(path, m.mesh, m.blocks));
  refused(m.mesh, "impossible");
  drop(&m);
}

/* A file that was not written by hooke may leave places free: such a block is made anew, and what comes out can be linked. */
static void blocks_with_free_places_are_not_kept(void **state)
{
  (void)state;
  made m = make(true);
  hk_blocks *old = NULL, *again = NULL;
  hk_block_links *links = NULL;
  uint64_t *mark = NULL;
  hk_index kept = -1, first = 0, count = 0;
  while (m.blocks->place[first] != 0 || m.blocks->block[first] != m.blocks->blocks - 1) first++;
  for (hk_index i = 0; i < m.blocks->nodes; i++)
    count += m.blocks->block[i] == m.blocks->blocks - 1;
  assert_true(count < m.blocks->size);
  m.blocks->place[first] = m.blocks->size - 1;
  ok(hk_blocks_write(path, m.mesh, m.blocks));
  ok(hk_blocks_read_other(path, &old, &mark));
  ok(hk_blocks_reuse(m.mesh, m.graph, old, mark, &kept, &again));
  assert_int_equal(kept, m.blocks->blocks - 1);
  ok(hk_blocks_arrange_from(m.graph, kept, again));
  ok(hk_blocks_link(m.graph, again, &links));
  check_blocks(m.mesh, again);
  hk_block_links_destroy(&links);
  hk_blocks_destroy(&old);
  hk_blocks_destroy(&again);
  hk_free(&mark);
  drop(&m);
}

static void files_that_are_not_there(void **state)
{
  (void)state;
  made m = make(false);
  hk_blocks *read = NULL;
  assert_int_equal(hk_blocks_read("absent.blocks", m.mesh, &read), HK_BAD_INPUT);
  assert_int_equal(hk_blocks_read(".", m.mesh, &read), HK_BAD_INPUT);
  assert_int_equal(hk_blocks_write("absent/x.blocks", m.mesh, m.blocks), HK_NOT_WRITABLE);
  drop(&m);
}

static void failing_allocations_leave_nothing(void **state)
{
  (void)state;
  made m = make(true);
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_blocks *read = NULL;
    memory.status = hk_blocks_write(path, m.mesh, m.blocks);
    if (memory.status == HK_OK) memory.status = hk_blocks_read(path, m.mesh, &read);
    hk_blocks_destroy(&read);
  }
  assert_in_range(memory.k, 8, 99);
  drop(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),
      cmocka_unit_test(moved_nodes_keep_the_file),
      cmocka_unit_test(other_meshes_are_refused),
      cmocka_unit_test(every_cut_is_refused),
      cmocka_unit_test(every_flipped_byte_is_refused),
      cmocka_unit_test(impossible_blocks_are_refused),
      cmocka_unit_test(blocks_with_free_places_are_not_kept),
      cmocka_unit_test(files_that_are_not_there),
      cmocka_unit_test(failing_allocations_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
