/* Counts the bytes of a step as Table A.5 of Huthwaite (2014) does, line by line, and the links that its kernel loads: a row of 32
 * nodes, which is a warp, loads as many as its node with most has. The links are those of the graph. */
#include "papers/pogo/count.h"

enum { LINKS = 12, ROW = HK_BLOCK_COLUMNS }; /* the paper's L */

static const char *const name[HK_BLOCK_PARTS + 1] = {[HK_BLOCK_U_PREVIOUS] = "u_previous",
                                                     [HK_BLOCK_U_CURRENT] = "u_current",
                                                     [HK_BLOCK_TABLE] = "block_links",
                                                     [HK_BLOCK_U_LINKED] = "u_linked",
                                                     [HK_BLOCK_C] = "c",
                                                     [HK_BLOCK_SOURCES] = "source_pointers",
                                                     [HK_BLOCK_FIXED] = "fixed_conditions",
                                                     [HK_BLOCK_POINTERS] = "link_pointers",
                                                     [HK_BLOCK_K] = "k",
                                                     [HK_BLOCK_U_NEXT] = "u_next"};

const char *hk_block_part_name(int part)
{
  return name[part];
}

hk_count hk_blocks_count_bytes(const hk_block_count *of, hk_count *part)
{
  const hk_count real = of->double_precision ? 8 : 4, c = of->components,
                 nodes = of->blocks * of->layout.size;
  const hk_count bytes[HK_BLOCK_PARTS] = {[HK_BLOCK_U_PREVIOUS] = nodes * c * real,
                                          [HK_BLOCK_U_CURRENT] = nodes * c * real,
                                          [HK_BLOCK_TABLE] = of->blocks * 4 * of->layout.loads,
                                          [HK_BLOCK_U_LINKED] =
                                              of->blocks * of->layout.linked * c * real,
                                          [HK_BLOCK_C] = nodes * real,
                                          [HK_BLOCK_SOURCES] = nodes * 2 * c,
                                          [HK_BLOCK_FIXED] = nodes * 2,
                                          [HK_BLOCK_POINTERS] = nodes * 2 * of->links,
                                          [HK_BLOCK_K] = of->warp_links * ROW * c * c * real,
                                          [HK_BLOCK_U_NEXT] = nodes * c * real};
  hk_count sum = 0;
  for (int k = 0; k < HK_BLOCK_PARTS; k++) {
    sum += bytes[k];
    if (part) part[k] = bytes[k];
  }
  return sum;
}

hk_status hk_blocks_count_links(const hk_adjacency *graph, const hk_blocks *blocks,
                                hk_block_count *out)
{
  hk_status status = HK_OK;
  int *most = NULL;
  out->layout = hk_block_layout_of(blocks->dim, blocks->size);
  out->blocks = blocks->blocks, out->links = LINKS, out->warp_links = 0;
  const hk_count rows = out->blocks * out->layout.rows;
  HK_TRY(hk_get(&most, rows));
  for (hk_index i = 0; i < blocks->nodes; i++) {
    const int links = graph->begin[i + 1] - graph->begin[i];
    int *of_row = &most[(hk_count)blocks->block[i] * out->layout.rows + blocks->place[i] / ROW];
    if (links > *of_row) *of_row = links;
    if (links + 1 > out->links) out->links = links + 1;
  }
  for (hk_count r = 0; r < rows; r++) out->warp_links += most[r];
cleanup:
  hk_free(&most);
  return status;
}

int hk_block_sweep_size(int k)
{
  static const int size[] = {64, 128, 256, 512, 1024, 2048, 0};
  return size[k];
}
