/* The lists that blocks.k.h reads: the linked data pointer table of each block, and for each row of
 * 32 nodes the links, as numbers within the tile and blocks -K_ij. A row has as many links as its
 * node with most; other nodes are padded with links to themselves and zero blocks. The matrix is
 * computed patch by patch, once to count links and once to store them (Huthwaite 2014, sections 2.3
 * and 3.2; docs/blocks.md). */
#include "papers/blocks.h"
#include "base/reals.h"
#include "operator/rows/rows.h"
#include "operator/staged.h"
#include <string.h>

/* LINKS: the paper's L, the node itself among them; a mesh that needs more gets more. */
enum { LINKS = 12, ROW = HK_BLOCK_COLUMNS };

/* The space block by block: number = block * size + place. */
typedef struct block_view {
  hk_space space;
  hk_index *mesh_node, *node;
} block_view;

static void view_clear(block_view *v)
{
  hk_free(&v->mesh_node);
  hk_free(&v->node);
}

static hk_status view_fill(block_view *v, const hk_space *space)
{
  HK_PASS(hk_get(&v->mesh_node, space->padded));
  HK_PASS(hk_get(&v->node, space->mesh->node_count));
  v->space = *space;
  v->space.nodes = space->padded;
  v->space.node = v->node, v->space.mesh_node = v->mesh_node;
  v->space.blocks = NULL, v->space.links = NULL;
  for (hk_count n = 0; n < space->mesh->node_count; n++) v->node[n] = -1;
  for (hk_index k = 0; k < space->padded; k++) {
    const hk_index node =
        space->mesh_node[hk_space_place(space, k / space->patch, k % space->patch)];
    v->mesh_node[k] = node;
    if (node >= 0) v->node[node] = k;
  }
  return HK_OK;
}

typedef struct packing {
  const hk_block_links *links;
  hk_index *begin;   /* first link of each row of 32 */
  uint16_t *pointer; /* on the host */
  void *block;
  int numbers; /* per link: components squared */
  bool double_precision;
} packing;

/* Of the node with most in each row, to the place behind that of its beginning. */
static hk_status count_links(const hk_matrix_patch *patch, hk_index p, void *user)
{
  const packing *k = user;
  hk_index *count = k->begin + (hk_count)p * k->links->layout.rows + 1;
  for (hk_index i = 0; i < patch->count; i++) {
    const hk_index links = patch->begin[i + 1] - patch->begin[i] - 1; /* not to itself */
    if (links > count[i / ROW]) count[i / ROW] = links;
  }
  return HK_OK;
}

static void put_block(const packing *k, hk_count entry, int column, const double *block)
{
  for (int q = 0; q < k->numbers; q++) {
    const hk_count at = (entry * k->numbers + q) * ROW + column;
    hk_put_real(k->block, k->double_precision, at, -block[q]);
  }
}

/* Number within the tile of block p of a local number of its matrix patch; -1: it is not there. */
static int tile_of(const packing *k, const hk_matrix_patch *patch, hk_index p, hk_index local)
{
  const int size = k->links->layout.size;
  if (local < patch->count) return local;
  const hk_index node = hk_local_node(patch->local, local);
  return hk_block_links_find(k->links, p, node / size, node % size);
}

static hk_status pack_links(const hk_matrix_patch *patch, hk_index p, void *user)
{
  const packing *k = user;
  for (hk_index i = 0; i < patch->count; i++) {
    const hk_index *begin = k->begin + (hk_count)p * k->links->layout.rows + i / ROW;
    hk_count entry = begin[0];
    for (hk_index q = patch->begin[i]; q < patch->begin[i + 1]; q++) {
      if (patch->column[q] == i) continue;
      const int tile = tile_of(k, patch, p, patch->column[q]);
      HK_NEED(tile >= 0, HK_INTERNAL, "block %d: a neighbour of its nodes is not in its tile", p);
      k->pointer[entry * ROW + i % ROW] = (uint16_t)tile;
      put_block(k, entry++, i % ROW, patch->block + (hk_count)q * k->numbers);
    }
    for (; entry < begin[1]; entry++) k->pointer[entry * ROW + i % ROW] = (uint16_t)i;
  }
  return HK_OK;
}

/* Counts to places; out->links, out->warp_links. */
static hk_status sum_links(packing *k, hk_count rows, hk_block_lists *out)
{
  hk_count sum = 0;
  out->links = LINKS;
  for (hk_count r = 1; r <= rows; r++) {
    if (k->begin[r] + 1 > out->links) out->links = k->begin[r] + 1;
    sum += k->begin[r];
    HK_PASS(hk_narrow(sum, "links of rows", &k->begin[r]));
  }
  out->warp_links = k->begin[rows];
  return HK_OK;
}

static hk_status fill(const hk_operator_desc *desc, hk_pool *pool, hk_matrix *matrix, packing *k,
                      hk_block_lists *out)
{
  hk_status status = HK_OK;
  hk_staged staged[HK_BLOCK_BUFFERS] = {0};
  const hk_block_links *links = k->links;
  const hk_count rows = (hk_count)links->blocks * links->layout.rows,
                 entries = (hk_count)out->warp_links * ROW;
  const hk_count bytes[HK_BLOCK_BUFFERS] = {(hk_count)links->blocks * links->layout.loads * 4,
                                            (rows + 1) * 4, entries * 2,
                                            entries * k->numbers * (k->double_precision ? 8 : 4)};
  for (int m = 0; m < HK_BLOCK_BUFFERS; m++)
    HK_TRY(hk_staged_keep(pool, desc->device, bytes[m], &out->buffer[m], &staged[m]));
  k->pointer = staged[2].place, k->block = staged[3].place;
  HK_TRY(hk_matrix_for_each(matrix, true, pack_links, k));
  memcpy(staged[0].place, links->table, (size_t)bytes[0]);
  memcpy(staged[1].place, k->begin, (size_t)bytes[1]);
  for (int m = 0; m < HK_BLOCK_BUFFERS; m++) HK_TRY(hk_staged_send(&staged[m]));
cleanup:
  for (int m = 0; m < HK_BLOCK_BUFFERS; m++) hk_staged_close(&staged[m]);
  return status;
}

hk_status hk_blocks_pack(const hk_operator_desc *desc, hk_pool *pool, hk_block_lists *out)
{
  hk_status status = HK_OK;
  hk_matrix *matrix = NULL;
  block_view view = {0};
  hk_operator_desc of_view = *desc;
  const hk_space *space = desc->space;
  packing k = {.links = space->links,
               .numbers = space->components * space->components,
               .double_precision = desc->double_precision};
  const hk_count rows = (hk_count)space->patches * space->links->layout.rows;

  HK_TRY(view_fill(&view, space));
  of_view.space = &view.space;
  HK_TRY(hk_matrix_create(&of_view, &matrix));
  HK_TRY(hk_get(&k.begin, rows + 1));
  HK_TRY(hk_matrix_for_each(matrix, false, count_links, &k));
  HK_TRY(sum_links(&k, rows, out));
  HK_TRY(fill(desc, pool, matrix, &k, out));
cleanup:
  view_clear(&view);
  hk_free(&k.begin);
  hk_matrix_destroy(&matrix);
  return status;
}
