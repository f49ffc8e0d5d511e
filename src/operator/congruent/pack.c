/* Lists of congruent.k.h. A pass over the patches describes their rows (describe.h) and leaves the lists of each in a piece of memory; the rows then
 * get their places in the dictionary, patch by patch, and the pieces are copied into the lists. */
#include "operator/congruent/pack.h"
#include "base/reals.h"
#include "operator/congruent/dictionary.h"
#include "operator/rows/shelf.h"
#include "operator/staged.h"
#include <omp.h>
#include <string.h>

/* Of a patch: what follows lies behind it, in the order of the sizes. */
typedef struct piece {
  hk_index halos, rows, neighbours,
      words; /* rows that differ; neighbours of all nodes; words of the descriptions */
} piece;

typedef struct pieces {  /* where the lists of a piece are; nodes come row by row */
  uint64_t *word, *hash; /* word[words], hash[rows] */
  hk_index *halo;        /* halo[halos] */
  hk_index *nodes,
      *length;           /* of a row, [rows + 1]: its nodes, its neighbours; the last is padding */
  uint16_t *node, *near; /* node[patch], near[neighbours] */
} pieces;

typedef struct packing {
  const hk_operator_desc *desc;
  const hk_shapes *shapes;
  int width, threads, run;
  hk_index most, patch;
  hk_shelf *shelf;
  hk_described **described; /* one per thread */
  piece **piece;            /* piece[patches] */
  hk_index *begin, *slice;  /* of the lists */
  hk_dictionary *dictionary;
  hk_pool pool;
} packing;

static hk_count bytes_of(const packing *k, const piece *p, pieces *at)
{
  char *const base = (char *)p;
  hk_count used = (hk_count)sizeof *p;
  at->word = (uint64_t *)(void *)(base + used), used += 8 * (hk_count)p->words;
  at->hash = (uint64_t *)(void *)(base + used), used += 8 * (hk_count)p->rows;
  at->halo = (hk_index *)(void *)(base + used), used += 4 * (hk_count)p->halos;
  at->nodes = (hk_index *)(void *)(base + used), used += 4 * ((hk_count)p->rows + 1);
  at->length = (hk_index *)(void *)(base + used), used += 4 * ((hk_count)p->rows + 1);
  at->node = (uint16_t *)(void *)(base + used), used += 2 * (hk_count)k->patch;
  at->near = (uint16_t *)(void *)(base + used), used += 2 * (hk_count)p->neighbours;
  return used;
}

static bool begins_row(const hk_described *d, hk_index l)
{
  return l == 0 || !hk_described_alike(d, d->lane[l - 1], d->lane[l]);
}

static piece measure(const hk_matrix_patch *patch, const hk_described *d)
{
  piece p = {.halos = patch->local->halos};
  for (hk_index l = 0; l < patch->count; l++) {
    const hk_index node = d->lane[l];
    p.neighbours += (hk_index)d->word[d->first[node]];
    if (begins_row(d, l)) p.rows++, p.words += d->first[node + 1] - d->first[node];
  }
  return p;
}

static void fill_piece(const packing *k, const hk_matrix_patch *patch, const hk_described *d,
                       const piece *size, pieces *to)
{
  hk_index row = -1;
  uint64_t *word = to->word;
  uint16_t *near = to->near;
  if (patch->local->halos)
    memcpy(to->halo, patch->local->halo, (size_t)patch->local->halos * sizeof *to->halo);
  memset(to->nodes, 0, ((size_t)size->rows + 1) * sizeof *to->nodes);
  for (hk_index l = 0; l < patch->count; l++) {
    const hk_index node = d->lane[l], length = (hk_index)d->word[d->first[node]],
                   words = d->first[node + 1] - d->first[node];
    to->node[l] = (uint16_t)node;
    memcpy(near, d->near + (patch->begin[node] - node), (size_t)length * sizeof *near);
    near += length;
    if (begins_row(d, l)) {
      to->hash[++row] = d->hash[node], to->length[row] = length;
      memcpy(word, d->word + d->first[node], (size_t)words * sizeof *word);
      word += words;
    }
    to->nodes[row]++;
  }
  for (hk_index l = patch->count; l < k->patch; l++) to->node[l] = (uint16_t)l;
  to->nodes[size->rows] = k->patch - patch->count, to->length[size->rows] = 0;
}

static hk_status visit(const hk_matrix_patch *patch, hk_index p, void *user)
{
  const packing *k = user;
  const int thread = omp_get_thread_num();
  hk_described *d = k->described[thread];
  pieces to;
  void *memory;
  HK_NEED(k->patch + patch->local->halos <= k->most, HK_NO_RESOURCES,
          "%d nodes have %d neighbours, more than the form congruent can load at once (%d); use "
          "--set solve.explicit.method=stored",
          patch->count, patch->local->halos, k->most - k->patch);
  HK_PASS(hk_rows_describe(k->desc, k->shapes, patch, d));
  const piece size = measure(patch, d);
  HK_PASS(hk_shelf_put(k->shelf, thread, bytes_of(k, &size, &to), &memory));
  k->piece[p] = memory, *k->piece[p] = size;
  bytes_of(k, k->piece[p], &to);
  fill_piece(k, patch, d, &size, &to);
  return HK_OK;
}

static hk_status describe_patches(packing *k)
{
  hk_status status = HK_OK;
  hk_matrix *matrix = NULL;
  HK_TRY(hk_shelf_create(k->threads, &k->shelf));
  HK_TRY(hk_pool_get(&k->pool, &k->described, k->threads));
  for (int t = 0; t < k->threads; t++) HK_TRY(hk_described_create(&k->described[t]));
  HK_TRY(hk_pool_get(&k->pool, &k->piece, k->desc->space->patches));
  HK_TRY(hk_matrix_create(k->desc, &matrix));
  HK_TRY(hk_matrix_for_each(matrix, false, visit, k));
cleanup:
  hk_matrix_destroy(&matrix);
  return status;
}

static hk_index lanes_of(hk_index nodes, int run)
{
  return (nodes + run - 1) / run;
}

/* Lanes of a patch where each has up to `run` nodes of a row. */
static hk_index count_lanes(const piece *p, const pieces *at, int run)
{
  hk_index lanes = 0;
  for (hk_index r = 0; r <= p->rows; r++) lanes += lanes_of(at->nodes[r], run);
  return lanes;
}

/* Slices are as long as their first lane, for rows come by falling length: the ends of the patch's slices behind slice[0], which is the
 * first one's begin. */
static hk_status cut_slices(const packing *k, const piece *p, const pieces *at, hk_index *slice)
{
  hk_index lane = 0, s = 0;
  for (hk_index r = 0; r <= p->rows; r++) {
    lane += lanes_of(at->nodes[r], k->run);
    for (; s * k->width < lane; s++)
      HK_PASS(
          hk_narrow((hk_count)slice[s] + at->length[r], "list entries per lane", &slice[s + 1]));
  }
  return HK_OK;
}

static void grow_to(hk_index *most, hk_index needed)
{
  if (needed > *most) *most = needed;
}

/* Offsets of the patches' lists. */
static hk_status find_sizes(packing *k, hk_congruent_sizes *sizes)
{
  const hk_space *space = k->desc->space;
  hk_count halos = 0, slices = 0;
  hk_index lanes;
  *sizes = (hk_congruent_sizes){0};
  HK_PASS(hk_pool_get(&k->pool, &k->begin, 2 * ((hk_count)space->patches + 1)));
  for (int fill = 0; fill < 2; fill++) {
    if (fill) HK_PASS(hk_pool_get(&k->pool, &k->slice, slices + 1));
    halos = slices = 0;
    for (hk_index p = 0; p < space->patches; p++) {
      pieces at;
      const piece *own = k->piece[p];
      bytes_of(k, own, &at);
      const hk_index own_slices = lanes_of(count_lanes(own, &at, k->run), k->width);
      hk_index *slice = fill ? k->slice + slices : NULL;
      if (fill) {
        HK_PASS(cut_slices(k, own, &at, slice));
        grow_to(&sizes->entries, slice[own_slices] - slice[0]);
      }
      grow_to(&sizes->local, k->patch + own->halos);
      grow_to(&sizes->lanes, own_slices * k->width);
      halos += own->halos, slices += own_slices;
      HK_PASS(hk_narrow(halos, "neighbours of patches", &k->begin[2 * (p + 1)]));
      HK_PASS(hk_narrow(slices * k->width, "lanes", &lanes));
      k->begin[2 * (p + 1) + 1] = lanes / k->width;
    }
  }
  sizes->local += 1; /* what lanes without a node read, and a halo of none */
  return HK_OK;
}

/* Where a patch's lists begin. */
typedef struct lists {
  hk_index *row;
  uint16_t *place, *near;
} lists;

/* Lane l, the j-th of `step` that share `nodes` nodes of a row, takes nodes j, j + step, ...: lanes side by side have nodes side by side. */
static void fill_lane(const packing *k, hk_index l, hk_index j, hk_index step, hk_index nodes,
                      const uint16_t *node, hk_index length, const uint16_t *near,
                      const hk_index *slice, const lists *to)
{
  const hk_index s = l / k->width, w = l % k->width, entries = slice[s + 1] - slice[s];
  for (int q = 0; q < k->run; q++) {
    const hk_index i = j + q * step;
    const uint16_t own = i < nodes ? node[i] : (uint16_t)k->patch;
    uint16_t *out = to->near + ((hk_count)(slice[s] - slice[0]) * k->run + q) * k->width + w;
    to->place[((hk_count)s * k->run + q) * k->width + w] = own;
    for (hk_index n = 0; n < entries; n++)
      out[(hk_count)n * k->run * k->width] =
          i < nodes && n < length ? near[(hk_count)i * length + n] : own;
  }
}

/* The lists of a patch; block[rows]: the rows' first blocks. */
static void fill_lanes(const packing *k, const piece *own, const pieces *at, const hk_index *block,
                       const hk_index *slice, const lists *to)
{
  const uint16_t *node = at->node, *near = at->near;
  hk_index l = 0;
  for (hk_index r = 0; r <= own->rows; r++) {
    const hk_index nodes = at->nodes[r], step = lanes_of(nodes, k->run), length = at->length[r];
    for (hk_index j = 0; j < step; j++, l++) {
      fill_lane(k, l, j, step, nodes, node, length, near, slice, to);
      to->row[l] = r < own->rows ? block[r] : 0;
    }
    node += nodes, near += (hk_count)nodes * length;
  }
  for (; l % k->width; l++) fill_lane(k, l, 0, 0, 0, node, 0, near, slice, to), to->row[l] = 0;
}

/* The patch's part of the lists. */
static hk_status copy_piece(const packing *k, hk_index p, const hk_staged *list)
{
  hk_status status = HK_OK;
  const piece *own = k->piece[p];
  const hk_index *slice = k->slice + k->begin[2 * p + 1];
  const hk_count lane = (hk_count)k->begin[2 * p + 1] * k->width;
  const lists to = {(hk_index *)list[HK_CONGRUENT_ROW].place + lane,
                    (uint16_t *)list[HK_CONGRUENT_PLACE].place + lane * k->run,
                    (uint16_t *)list[HK_CONGRUENT_NEIGHBOUR].place +
                        (hk_count)slice[0] * k->width * k->run};
  hk_index *block = NULL;
  pieces at;
  bytes_of(k, own, &at);
  HK_TRY(hk_get(&block, own->rows + 1));
  for (hk_index r = 0; r < own->rows; r++) {
    HK_TRY(hk_dictionary_find(k->dictionary, at.hash[r], at.word, &block[r]));
    for (uint64_t n = *at.word++; n; n--) at.word += 1 + *at.word;
  }
  if (own->halos)
    memcpy((hk_index *)list[HK_CONGRUENT_HALO].place + k->begin[2 * p], at.halo,
           (size_t)own->halos * sizeof *at.halo);
  fill_lanes(k, own, &at, block, slice, &to);
cleanup:
  hk_free(&block);
  return status;
}

static hk_status keep_table(packing *k, hk_pool *kept, hk_buffer **list, hk_congruent_sizes *sizes)
{
  hk_status status = HK_OK;
  hk_staged table = {0};
  const bool real = k->desc->double_precision;
  const int stride = hk_congruent_stride(k->desc->space->dim, real);
  sizes->rows = hk_dictionary_rows(k->dictionary);
  sizes->blocks = hk_dictionary_blocks(k->dictionary);
  HK_CHECK((hk_count)sizes->blocks * stride <= INT32_MAX, HK_NO_RESOURCES,
           "%d rows of K differ, more than the form congruent can number; use --set "
           "solve.explicit.method=auto",
           sizes->rows);
  HK_TRY(hk_staged_keep(kept, k->desc->device, (hk_count)sizes->blocks * stride * (real ? 8 : 4),
                        &list[HK_CONGRUENT_TABLE], &table));
  HK_TRY(hk_dictionary_fill(k->dictionary, k->threads, stride, table.place));
  HK_TRY(hk_staged_send(&table));
cleanup:
  hk_staged_close(&table);
  return status;
}

static hk_status fill(packing *k, hk_pool *kept, hk_buffer **list, hk_congruent_sizes *sizes)
{
  enum { LAST = HK_CONGRUENT_NEIGHBOUR };
  hk_status status = HK_OK;
  hk_staged staged[LAST + 1] = {0};
  const hk_space *space = k->desc->space;
  const hk_count slices = k->begin[2 * space->patches + 1], lanes = slices * k->width;
  const hk_count bytes[] = {[HK_CONGRUENT_BEGIN] = (space->patches + 1) * 8LL,
                            [HK_CONGRUENT_HALO] = k->begin[2 * space->patches] * 4LL,
                            [HK_CONGRUENT_SLICE] = (slices + 1) * 4,
                            [HK_CONGRUENT_PLACE] = lanes * k->run * 2,
                            [HK_CONGRUENT_ROW] = lanes * 4,
                            [HK_CONGRUENT_NEIGHBOUR] = 2LL * k->slice[slices] * k->width * k->run};
  for (int m = 0; m <= LAST; m++)
    HK_TRY(hk_staged_keep(kept, k->desc->device, bytes[m], &list[m], &staged[m]));
  memcpy(staged[HK_CONGRUENT_BEGIN].place, k->begin, (size_t)bytes[HK_CONGRUENT_BEGIN]);
  memcpy(staged[HK_CONGRUENT_SLICE].place, k->slice, (size_t)bytes[HK_CONGRUENT_SLICE]);
  for (hk_index p = 0; p < space->patches; p++) HK_TRY(copy_piece(k, p, staged));
  HK_TRY(keep_table(k, kept, list, sizes));
  for (int m = 0; m <= LAST; m++) HK_TRY(hk_staged_send(&staged[m]));
cleanup:
  for (int m = 0; m <= LAST; m++) hk_staged_close(&staged[m]);
  return status;
}

hk_status hk_congruent_pack(const hk_operator_desc *desc, hk_pool *pool, int run, hk_index most,
                            hk_buffer **list, hk_congruent_sizes *sizes)
{
  hk_status status = HK_OK;
  hk_shapes shapes = {0};
  const hk_device_info *info = hk_device_describe(desc->device);
  const int before = hk_clock_begin("congruence");
  packing k = {.desc = desc,
               .shapes = &shapes,
               .width = info->width,
               .threads = info->threads,
               .run = run,
               .most = most,
               .patch = desc->space->patch};
  HK_TRY(hk_shapes_find(desc->space->mesh, (hk_index)desc->space->mesh->element_count, &shapes));
  HK_TRY(describe_patches(&k));
  HK_TRY(hk_dictionary_create(desc, &shapes, &k.dictionary));
  HK_TRY(find_sizes(&k, sizes));
  HK_TRY(fill(&k, pool, list, sizes));
cleanup:
  hk_clock_end(before);
  for (int t = 0; k.described && t < k.threads; t++) hk_described_destroy(&k.described[t]);
  hk_dictionary_destroy(&k.dictionary);
  hk_shelf_destroy(&k.shelf);
  hk_pool_clear(&k.pool);
  hk_shapes_clear(&shapes);
  return status;
}
