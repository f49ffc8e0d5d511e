/* Any bytes as a block file of a small mesh: hk_blocks_read, hk_blocks_link and hk_blocks_reuse give blocks or refuse in words. The
 * check sum and the mesh's fingerprint are put right first, or nothing but them would ever be read. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "papers/pogo/arrange.h"
#include "mesh/make/generate.h"

enum { FINGERPRINT = 40, HEADER = 48, SUM = 8, MOST = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hk_mesh *mesh;
static hk_adjacency *graph;
static uint8_t head[HEADER];

/* A mesh of 25 nodes, and the header of its own block file. */
static void prepare(void)
{
  static const hk_mesh_grid grid = {
      .dim = 2, .to = {1, 1, 1}, .cells = {4, 4, 1}, .shape = HK_TRI3};
  const hk_partition_desc desc = {.method = HK_PARTITION_GREEDY, .size = 32};
  hk_blocks *blocks = NULL;
  char path[64];
  snprintf(path, sizeof path, "/tmp/fuzz_blocks.%d", (int)getpid());
  const bool made =
      hk_mesh_create_grid(&grid, &mesh) == HK_OK && hk_adjacency_create(mesh, &graph) == HK_OK &&
      hk_blocks_partition(mesh, graph, &desc, &blocks) == HK_OK &&
      hk_blocks_arrange(graph, blocks) == HK_OK && hk_blocks_write(path, mesh, blocks) == HK_OK;
  FILE *file = made ? fopen(path, "rb") : NULL;
  assert(file && fread(head, 1, HEADER, file) == HEADER);
  fclose(file);
  unlink(path);
  hk_blocks_destroy(&blocks);
}

static void try_file(const char *path)
{
  hk_blocks *blocks = NULL;
  hk_block_links *links = NULL;
  const hk_status status = hk_blocks_read(path, mesh, &blocks);
  assert((status == HK_OK) == (blocks != NULL));
  assert(status == HK_OK || hk_error()[0]);
  if (blocks && blocks->place) {
    const hk_status linked = hk_blocks_link(graph, blocks, &links);
    assert((linked == HK_OK) == (links != NULL));
  }
  hk_block_links_destroy(&links);
  hk_blocks_destroy(&blocks);
}

/* The same file as that of a mesh that was changed: with the marks of this one all blocks may stay, whatever their places. */
static void try_other(const char *path)
{
  hk_blocks *old = NULL, *blocks = NULL;
  hk_block_links *links = NULL;
  uint64_t *mark = NULL;
  hk_index kept = 0;
  if (hk_blocks_read_other(path, &old, &mark) == HK_OK) {
    if (old->nodes == graph->nodes) assert(hk_blocks_mark(mesh, mark) == HK_OK);
    assert(hk_blocks_reuse(mesh, graph, old, mark, &kept, &blocks) == HK_OK);
    if (hk_blocks_arrange_from(graph, kept, blocks) == HK_OK)
      assert(hk_blocks_link(graph, blocks, &links) == HK_OK);
  }
  hk_block_links_destroy(&links);
  hk_blocks_destroy(&blocks);
  hk_blocks_destroy(&old);
  hk_free(&mark);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint8_t bytes[MOST];
  char path[64];
  if (!mesh) prepare();
  if (size > MOST) return 0;
  memcpy(bytes, data, size);
  if (size >= HEADER + SUM) {
    const uint64_t sum_of = size - SUM;
    memcpy(bytes + FINGERPRINT, head + FINGERPRINT, HEADER - FINGERPRINT);
    const uint64_t sum = hk_hash(bytes, sum_of, 0);
    for (int i = 0; i < SUM; i++) bytes[sum_of + (uint64_t)i] = (uint8_t)(sum >> 8 * i);
  }
  const int fd = memfd_create("blocks", 0);
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  try_file(path);
  try_other(path);
  close(fd);
  return 0;
}
