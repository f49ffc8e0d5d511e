/* What blocks read from each other (Huthwaite 2014, section 3.2): each block has a table of loads
 * of 32, 16 or 8 nodes, which copy sections of other blocks' boundary rows into its tile. The
 * needed sections are collected as bits per block and row; then full rows, pairs and single
 * sections are assigned to the loads with the priorities of Fig. 5(d). The number of loads grows
 * with the outline or the surface of a block. hk_needed_assign returns false if they do not
 * suffice. */
#include "papers/pogo/links.h"
#include "base/sort.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  SECTIONS = HK_BLOCK_COLUMNS / HK_BLOCK_SECTION,
  WORDS = HK_NEEDED_WORDS,
  MOST_BOUNDARY = 64 * WORDS / SECTIONS, /* rows */
  MOST_BLOCKS = 1 << 24                  /* in the upper bits of a table's entry */
};

static int at_least(int value, int least)
{
  return value > least ? value : least;
}

/* Plane meshes: the paper's numbers at 512 nodes; more grow with the outline of a block. */
static void lay_out_plane(hk_block_layout *k)
{
  const double length = sqrt(k->size / 512.0);
  k->boundary = (int)ceil(4 * length - 1e-9);
  k->load[0] = at_least((int)ceil(2 * length - 1e-9), 2);
  k->load[1] = at_least((int)ceil(5 * length - 1e-9) * 2, 6); /* whole rows of the tile */
  k->load[2] = at_least((int)ceil(2 * length - 1e-9) * 4, 8);
}

/* Solids: most of a block is surface, and has edges and corners that few nodes share. Room for 144
 * sections at 512 nodes: boxes of a grid of hexahedra need 141 at most, of tetrahedra 124. */
static void lay_out_solid(hk_block_layout *k)
{
  const double area = pow(k->size / 512.0, 2.0 / 3);
  k->boundary = k->rows;
  k->load[0] = (int)ceil(4 * area - 1e-9);
  k->load[1] = (int)ceil(8 * area - 1e-9) * 2;
  k->load[2] = (int)ceil(14 + 10 * area - 1e-9) * 4;
}

hk_block_layout hk_block_layout_of(int dim, int size)
{
  hk_block_layout k = {.size = size, .rows = size / HK_BLOCK_COLUMNS};
  if (dim == 3)
    lay_out_solid(&k);
  else
    lay_out_plane(&k);
  if (k.boundary > k.rows) k.boundary = k.rows;
  if (k.boundary > MOST_BOUNDARY) k.boundary = MOST_BOUNDARY;
  for (int kind = 0; kind < HK_BLOCK_LOADS; kind++) {
    k.loads += k.load[kind];
    k.linked += k.load[kind] * (HK_BLOCK_COLUMNS >> kind);
  }
  return k;
}

void hk_needed_clear(hk_needed *n)
{
  hk_pool_clear(&n->pool);
  *n = (hk_needed){0};
}

hk_status hk_needed_start(hk_needed *n, hk_index blocks)
{
  for (hk_index k = 0; k < n->neighbours; k++) n->slot[n->neighbour[k]] = 0;
  n->neighbours = n->count = 0;
  return hk_pool_room(&n->pool, &n->slot, blocks);
}

hk_status hk_needed_add(hk_needed *n, hk_index block, int place)
{
  if (!n->slot[block]) {
    HK_PASS(hk_pool_room(&n->pool, &n->neighbour, n->neighbours + 1));
    HK_PASS(hk_pool_room(&n->pool, &n->bits, (hk_count)WORDS * (n->neighbours + 1)));
    for (int w = 0; w < WORDS; w++) n->bits[WORDS * n->neighbours + w] = 0;
    n->neighbour[n->neighbours++] = block;
    n->slot[block] = n->neighbours;
  }
  const int section = place / HK_BLOCK_SECTION;
  n->bits[WORDS * (n->slot[block] - 1) + section / 64] |= (uint64_t)1 << section % 64;
  return HK_OK;
}

hk_status hk_needed_finish(hk_needed *n)
{
  if (n->neighbours)
    qsort(n->neighbour, (size_t)n->neighbours, sizeof *n->neighbour, hk_compare_index);
  HK_PASS(hk_pool_room(&n->pool, &n->row, (hk_count)n->neighbours * MOST_BOUNDARY));
  for (hk_index k = 0; k < n->neighbours; k++) {
    const hk_index block = n->neighbour[k];
    const uint64_t *bits = n->bits + (hk_count)WORDS * (n->slot[block] - 1);
    for (int row = 0; row < MOST_BOUNDARY; row++) {
      const uint8_t needed =
          bits[row * SECTIONS / 64] >> row * SECTIONS % 64 & ((1 << SECTIONS) - 1);
      if (needed) n->row[n->count++] = (hk_needed_row){block, (uint8_t)row, needed};
    }
  }
  return HK_OK;
}

static void put(uint32_t *entry, hk_needed_row *row, int column, int sections)
{
  *entry = (uint32_t)row->block << 8 | (uint32_t)(row->row * SECTIONS + column);
  row->sections &= (uint8_t) ~(((1 << sections) - 1) << column);
}

/* Fig. 5(d): most sections first; adjacent ones, which smaller loads take well, last among equals. */
static int assign_rows(hk_needed *n, int loads, uint32_t *table)
{
  static const uint8_t pattern[] = {15, 11, 13, 7, 14, 5, 10, 9, 3, 6, 12, 1, 2, 4, 8};
  int used = 0;
  for (size_t p = 0; p < sizeof pattern; p++)
    for (hk_index k = 0; k < n->count && used < loads; k++)
      if (n->row[k].sections == pattern[p]) put(&table[used++], &n->row[k], 0, SECTIONS);
  return used;
}

/* Two sections side by side. */
static int assign_pairs(hk_needed *n, int loads, uint32_t *table)
{
  int used = 0;
  for (hk_index k = 0; k < n->count; k++)
    for (int s = 0; s + 1 < SECTIONS && used < loads; s++)
      if ((n->row[k].sections >> s & 3) == 3) put(&table[used++], &n->row[k], s, 2);
  return used;
}

/* One section with a load of `width` sections. */
static int assign_singles(hk_needed *n, int width, int loads, uint32_t *table)
{
  int used = 0;
  for (hk_index k = 0; k < n->count; k++)
    while (n->row[k].sections && used < loads) {
      const int s = __builtin_ctz(n->row[k].sections);
      put(&table[used++], &n->row[k], s + width > SECTIONS ? SECTIONS - width : s, width);
    }
  return used;
}

bool hk_needed_assign(hk_needed *n, const hk_block_layout *layout, uint32_t *table)
{
  uint32_t *halves = table + layout->load[0], *eighths = halves + layout->load[1];
  memset(table, 0xff, (size_t)layout->loads * sizeof *table);
  assign_rows(n, layout->load[0], table);
  const int pairs = assign_pairs(n, layout->load[1], halves);
  assign_singles(n, 2, layout->load[1] - pairs, halves + pairs);
  assign_singles(n, 1, layout->load[2], eighths);
  for (hk_index k = 0; k < n->count; k++)
    if (n->row[k].sections) return false;
  return true;
}

/* Nodes block by block: member[begin[b]..begin[b + 1]); both the caller's. */
static hk_status list_members(const hk_blocks *blocks, hk_index **begin, hk_index **member)
{
  HK_PASS(hk_get(begin, blocks->blocks + 2));
  HK_PASS(hk_get(member, blocks->nodes));
  hk_index *next = *begin + 1;
  for (hk_index i = 0; i < blocks->nodes; i++) next[blocks->block[i] + 1]++;
  for (hk_index b = 0; b < blocks->blocks; b++) next[b + 1] += next[b];
  for (hk_index i = 0; i < blocks->nodes; i++) (*member)[next[blocks->block[i]]++] = i;
  return HK_OK;
}

hk_status hk_blocks_link(const hk_adjacency *graph, const hk_blocks *blocks, hk_block_links **out)
{
  hk_status status = HK_OK;
  hk_block_links *links = NULL;
  hk_needed needed = {0};
  hk_index *begin = NULL, *member = NULL;
  HK_CHECK(blocks->blocks <= MOST_BLOCKS, HK_BAD_INPUT,
           "%d blocks are too many for their tables, which hold %d: make larger ones (--size)",
           blocks->blocks, MOST_BLOCKS);
  HK_TRY(hk_new(&links));
  links->layout = hk_block_layout_of(blocks->dim, blocks->size);
  links->blocks = blocks->blocks;
  HK_TRY(hk_get(&links->table, (hk_count)blocks->blocks * links->layout.loads));
  HK_TRY(list_members(blocks, &begin, &member));
  for (hk_index b = 0; b < blocks->blocks; b++) {
    HK_TRY(hk_needed_start(&needed, blocks->blocks));
    for (hk_index m = begin[b]; m < begin[b + 1]; m++)
      for (hk_index k = graph->begin[member[m]]; k < graph->begin[member[m] + 1]; k++) {
        const hk_index j = graph->node[k], from = blocks->block[j];
        if (from == b) continue;
        HK_CHECK(blocks->place[j] < links->layout.boundary * HK_BLOCK_COLUMNS, HK_BAD_INPUT,
                 "block %d: node %d, which block %d reads, is not in its first %d rows: partition "
                 "this mesh again",
                 from, j, b, links->layout.boundary);
        HK_TRY(hk_needed_add(&needed, from, blocks->place[j]));
      }
    HK_TRY(hk_needed_finish(&needed));
    HK_CHECK(
        hk_needed_assign(&needed, &links->layout, links->table + (hk_count)b * links->layout.loads),
        HK_BAD_INPUT,
        "block %d reads more than %d sections of other blocks: partition this mesh again", b,
        links->layout.loads);
  }
  *out = links, links = NULL;
cleanup:
  hk_free(&begin);
  hk_free(&member);
  hk_needed_clear(&needed);
  hk_block_links_destroy(&links);
  return status;
}

void hk_block_links_destroy(hk_block_links **links)
{
  if (!*links) return;
  hk_free(&(*links)->table);
  hk_free(links);
}

int hk_block_links_find(const hk_block_links *links, hk_index block, hk_index from, int place)
{
  const hk_block_layout *k = &links->layout;
  const uint32_t *entry = links->table + (hk_count)block * k->loads;
  int at = k->size;
  for (int kind = 0; kind < HK_BLOCK_LOADS; kind++)
    for (int i = 0; i < k->load[kind]; i++, entry++) {
      const int length = HK_BLOCK_COLUMNS >> kind;
      const int first = (int)(*entry & 255) * HK_BLOCK_SECTION;
      if (*entry != HK_BLOCK_NO_LOAD && (hk_index)(*entry >> 8) == from && place >= first &&
          place < first + length)
        return at + place - first;
      at += length;
    }
  return -1;
}
