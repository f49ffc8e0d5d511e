/* Block files (docs/partition.md): header, block[], place[] where arranged, mark[], check sum; little-endian.
 *
 *   0   8  "hkblocks"          16  8  nodes            40  8  fingerprint of the mesh
 *   8   4  version, 2          24  8  blocks           48     block[nodes], 4 bytes each
 *   12  4  size of a block     32  8  1 if arranged           place[nodes], 4 bytes each
 *                                                             mark[nodes], 8 bytes each
 */
#include "base/file.h"
#include "papers/pogo/partition.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { VERSION = 2, HEADER = 48, SUM = 8 };
static const char magic[8] = {'h', 'k', 'b', 'l', 'o', 'c', 'k', 's'};

static void put(uint8_t *to, int bytes, uint64_t value)
{
  for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t take(const uint8_t *from, int bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint64_t)from[i] << 8 * i;
  return value;
}

/* Of the connectivity alone. */
static uint64_t fingerprint(const hk_mesh *mesh)
{
  const int64_t head[] = {mesh->dim, mesh->node_count, mesh->element_count};
  uint64_t hash = hk_hash(head, sizeof head, 0);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const int64_t shape[] = {block->shape, block->count};
    hash = hk_hash(shape, sizeof shape, hash);
    hash = hk_hash(block->node, (size_t)(block->count * block->nodes) * sizeof *block->node, hash);
  }
  return hash;
}

static size_t file_size(hk_count nodes, bool arranged)
{
  return HEADER + (size_t)nodes * (arranged ? 16 : 12) + SUM;
}

hk_status hk_blocks_write(const char *path, const hk_mesh *mesh, const hk_blocks *blocks)
{
  hk_status status = HK_OK;
  const size_t size = file_size(blocks->nodes, blocks->place);
  uint8_t *data = NULL;
  uint64_t *mark = NULL;

  HK_TRY(hk_get(&mark, mesh->node_count));
  HK_TRY(hk_blocks_mark(mesh, mark));
  HK_TRY(hk_get(&data, (hk_count)size));
  memcpy(data, magic, sizeof magic);
  put(data + 8, 4, VERSION);
  put(data + 12, 4, (uint64_t)blocks->size);
  put(data + 16, 8, (uint64_t)blocks->nodes);
  put(data + 24, 8, (uint64_t)blocks->blocks);
  put(data + 32, 8, blocks->place != NULL);
  put(data + 40, 8, fingerprint(mesh));
  uint8_t *to = data + HEADER;
  for (hk_index i = 0; i < blocks->nodes; i++, to += 4) put(to, 4, (uint64_t)blocks->block[i]);
  for (hk_index i = 0; blocks->place && i < blocks->nodes; i++, to += 4)
    put(to, 4, (uint64_t)blocks->place[i]);
  for (hk_index i = 0; i < blocks->nodes; i++, to += 8) put(to, 8, mark[i]);
  put(to, 8, hk_hash(data, size - SUM, 0));
  HK_TRY(hk_write_file(path, data, size));
cleanup:
  hk_free(&data);
  hk_free(&mark);
  return status;
}

static const char remedy[] = "write it again with \"hooke partition\"";

/* Who wrote it, whether all of it is there, and whether the mesh, unless NULL, has as many nodes. */
static hk_status check_header(const char *path, const hk_mesh *mesh, const uint8_t *head,
                              hk_count have, hk_count size)
{
  HK_NEED(have >= (hk_count)sizeof magic && !memcmp(head, magic, sizeof magic), HK_BAD_INPUT,
          "%s: is not a block file: it does not begin with \"%.8s\"", path, magic);
  HK_NEED(have == HEADER, HK_BAD_INPUT, "%s: is cut short: %lld bytes; %s", path, (long long)size,
          remedy);
  HK_NEED(take(head + 8, 4) == VERSION, HK_BAD_INPUT,
          "%s: is a block file of version %llu; this hooke reads version %d; %s", path,
          (unsigned long long)take(head + 8, 4), VERSION, remedy);
  const uint64_t nodes = take(head + 16, 8);
  const hk_count whole =
      nodes <= INT32_MAX ? (hk_count)file_size((hk_count)nodes, take(head + 32, 8)) : size + 1;
  HK_NEED(size >= whole, HK_BAD_INPUT,
          "%s: is cut short: %lld bytes are less than its header needs; %s", path, (long long)size,
          remedy);
  HK_NEED(size == whole, HK_BAD_INPUT, "%s: is damaged: %lld bytes too many; %s", path,
          (long long)(size - whole), remedy);
  HK_NEED(!mesh || nodes == (uint64_t)mesh->node_count, HK_BAD_INPUT,
          "%s: is for another mesh: it has %llu nodes, the mesh %lld; %s for this one", path,
          (unsigned long long)nodes, (long long)mesh->node_count, remedy);
  return HK_OK;
}

static hk_status read_all(const char *path, const hk_mesh *mesh, uint8_t **out)
{
  hk_status status = HK_OK;
  struct stat info;
  uint8_t head[HEADER], *data = NULL;
  FILE *file = NULL;

  HK_TRY(hk_open_input_stream(path, &file));
  HK_CHECK(fstat(fileno(file), &info) == 0, HK_BAD_INPUT, "%s: cannot be read: %s", path,
           strerror(errno));
  const size_t have = fread(head, 1, HEADER, file), rest = (size_t)info.st_size - have;
  HK_TRY(check_header(path, mesh, head, (hk_count)have, info.st_size));
  HK_TRY(hk_get(&data, info.st_size));
  memcpy(data, head, HEADER);
  HK_CHECK(fread(data + HEADER, 1, rest, file) == rest, HK_BAD_INPUT, "%s: cannot be read: %s",
           path, ferror(file) ? strerror(errno) : "it shrank");
  HK_CHECK(take(data + info.st_size - SUM, SUM) == hk_hash(data, (size_t)info.st_size - SUM, 0),
           HK_BAD_INPUT, "%s: is damaged: its checksum is wrong; %s", path, remedy);
  HK_CHECK(
      !mesh || take(data + 40, 8) == fingerprint(mesh), HK_BAD_INPUT,
      "%s: is for another mesh: as many nodes, but other elements or another numbering; %s for "
      "this one",
      path, remedy);
  *out = data, data = NULL;
cleanup:
  if (file) fclose(file);
  hk_free(&data);
  return status;
}

/* *good: blocks have from 1 to `size` nodes, in places of their own. */
static hk_status check_blocks(const hk_blocks *b, bool *good)
{
  hk_status status = HK_OK;
  hk_index *begin = NULL, *node = NULL, taken[HK_BLOCK_MOST] = {0};
  HK_TRY(hk_get(&begin, (hk_count)b->blocks + 1));
  HK_TRY(hk_get(&node, b->nodes));
  for (hk_index i = 0; i < b->nodes; i++) {
    *good &= b->block[i] >= 0 && b->block[i] < b->blocks;
    *good &= !b->place || (b->place[i] >= 0 && b->place[i] < b->size);
    if (*good) begin[b->block[i]]++;
  }
  for (hk_index k = 0, at = 0; *good && k <= b->blocks; k++) {
    const hk_index count = begin[k];
    *good = k == b->blocks || (count > 0 && count <= b->size);
    begin[k] = at;
    at += count;
  }
  for (hk_index i = 0; *good && i < b->nodes; i++) node[begin[b->block[i]]++] = i;
  for (hk_index k = 0; *good && b->place && k < b->nodes; k++) {
    const hk_index block = b->block[node[k]];
    *good = taken[b->place[node[k]]] != block + 1;
    taken[b->place[node[k]]] = block + 1;
  }
cleanup:
  hk_free(&begin);
  hk_free(&node);
  return status;
}

static hk_status unpack(const char *path, const uint8_t *data, hk_blocks *b)
{
  const uint64_t blocks = take(data + 24, 8), size = take(data + 12, 4);
  const bool arranged = take(data + 32, 8) != 0;
  const uint8_t *from = data + HEADER;
  bool good = size >= HK_BLOCK_COLUMNS && size <= HK_BLOCK_MOST && size % HK_BLOCK_COLUMNS == 0 &&
              blocks <= (uint64_t)b->nodes;
  if (good) {
    b->size = (int)size, b->blocks = (hk_index)blocks;
    HK_PASS(hk_get(&b->block, b->nodes));
    if (arranged) HK_PASS(hk_get(&b->place, b->nodes));
    for (hk_index i = 0; i < b->nodes; i++, from += 4) b->block[i] = (hk_index)take(from, 4);
    for (hk_index i = 0; arranged && i < b->nodes; i++, from += 4)
      b->place[i] = (int32_t)take(from, 4);
    HK_PASS(check_blocks(b, &good));
  }
  HK_NEED(good, HK_BAD_INPUT,
          "%s: its blocks are invalid: an impossible size, empty, overfull, or two nodes in one "
          "place; %s",
          path, remedy);
  return HK_OK;
}

/* mesh NULL: of whatever mesh. mark NULL: not wanted. */
static hk_status read_file(const char *path, const hk_mesh *mesh, hk_blocks **out, uint64_t **mark)
{
  hk_status status = HK_OK;
  hk_blocks *b = NULL;
  uint8_t *data = NULL;

  HK_TRY(read_all(path, mesh, &data));
  HK_TRY(hk_new(&b));
  HK_TRY(hk_narrow((hk_count)take(data + 16, 8), "number of nodes", &b->nodes));
  HK_TRY(unpack(path, data, b));
  b->dim = mesh ? mesh->dim : 0;
  if (mark) {
    const uint8_t *from = data + file_size(b->nodes, b->place) - SUM - 8 * (size_t)b->nodes;
    HK_TRY(hk_get(mark, b->nodes));
    for (hk_index i = 0; i < b->nodes; i++, from += 8) (*mark)[i] = take(from, 8);
  }
  *out = b, b = NULL;
cleanup:
  hk_blocks_destroy(&b);
  hk_free(&data);
  return status;
}

hk_status hk_blocks_read(const char *path, const hk_mesh *mesh, hk_blocks **out)
{
  return read_file(path, mesh, out, NULL);
}

hk_status hk_blocks_read_other(const char *path, hk_blocks **out, uint64_t **mark)
{
  return read_file(path, NULL, out, mark);
}
