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
  hk_index halos, entries, rows,
      words; /* entries in units of WIDTH; rows that differ; words of their descriptions */
} piece;

typedef struct pieces {    /* where the lists of a piece are */
  uint64_t *word, *hash;   /* word[words], hash[rows] */
  hk_index *halo, *length; /* halo[halos], length[slices]: of a slice */
  uint16_t *place, *row,
      *near; /* place[patch], row[patch] of the patch's rows, near[entries][WIDTH] */
} pieces;

typedef struct packing {
  const hk_operator_desc *desc;
  const hk_shapes *shapes;
  int width, threads;
  hk_index most, patch, slices; /* slices: of a patch */
  hk_shelf *shelf;
  hk_described **described; /* one per thread */
  piece **piece;            /* piece[patches] */
  hk_index *halo_begin, *slice;
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
  at->length = (hk_index *)(void *)(base + used), used += 4 * (hk_count)k->slices;
  at->place = (uint16_t *)(void *)(base + used), used += 2 * (hk_count)k->patch;
  at->row = (uint16_t *)(void *)(base + used), used += 2 * (hk_count)k->patch;
  at->near = (uint16_t *)(void *)(base + used), used += 2 * (hk_count)p->entries * k->width;
  return used;
}

static hk_index row_length(const hk_described *d, hk_index i)
{
  return (hk_index)d->word[d->first[i]];
}

/* Lanes are sorted by falling length. */
static hk_index slice_length(const packing *k, const hk_described *d, hk_index count, hk_index s)
{
  return s * k->width < count ? row_length(d, d->lane[s * k->width]) : 0;
}

static piece measure(const packing *k, const hk_matrix_patch *patch, const hk_described *d)
{
  piece p = {.halos = patch->local->halos};
  for (hk_index s = 0; s < k->slices; s++) p.entries += slice_length(k, d, patch->count, s);
  for (hk_index l = 0; l < patch->count; l++) {
    if (l && hk_described_alike(d, d->lane[l - 1], d->lane[l])) continue;
    p.rows++, p.words += d->first[d->lane[l] + 1] - d->first[d->lane[l]];
  }
  return p;
}

/* The neighbours of lane l of slice s; those of padding are its own node. */
static void put_near(const packing *k, const hk_matrix_patch *patch, const hk_described *d,
                     hk_index l, hk_index length, uint16_t *near)
{
  const hk_index node = l < patch->count ? d->lane[l] : l;
  const hk_index own = l < patch->count ? row_length(d, node) : 0;
  for (hk_index n = 0; n < length; n++)
    near[n * k->width + l % k->width] =
        n < own ? d->near[patch->begin[node] - node + n] : (uint16_t)node;
}

static void fill_piece(const packing *k, const hk_matrix_patch *patch, const hk_described *d,
                       pieces *to)
{
  hk_index row = -1, entry = 0;
  if (patch->local->halos)
    memcpy(to->halo, patch->local->halo, (size_t)patch->local->halos * sizeof *to->halo);
  for (hk_index l = 0; l < k->patch; l++) {
    const hk_index s = l / k->width, length = slice_length(k, d, patch->count, s);
    to->length[s] = length;
    to->place[l] = (uint16_t)(l < patch->count ? d->lane[l] : l);
    put_near(k, patch, d, l, length, to->near + (hk_count)entry * k->width);
    if (l % k->width == k->width - 1) entry += length;
    if (l >= patch->count) continue; /* padding keeps the first row, as any will do */
    const hk_index node = d->lane[l], words = d->first[node + 1] - d->first[node];
    if (l == 0 || !hk_described_alike(d, d->lane[l - 1], node)) {
      to->hash[++row] = d->hash[node];
      memcpy(to->word, d->word + d->first[node], (size_t)words * sizeof *to->word);
      to->word += words;
    }
    to->row[l] = (uint16_t)row;
  }
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
  const piece size = measure(k, patch, d);
  HK_PASS(hk_shelf_put(k->shelf, thread, bytes_of(k, &size, &to), &memory));
  k->piece[p] = memory, *k->piece[p] = size;
  bytes_of(k, k->piece[p], &to);
  fill_piece(k, patch, d, &to);
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

/* Offsets of the patches' lists, and the rows of the dictionary in the order of the patches. */
static hk_status find_sizes(packing *k, hk_congruent_sizes *sizes)
{
  const hk_space *space = k->desc->space;
  hk_count halos = 0, entries = 0;
  HK_PASS(hk_pool_get(&k->pool, &k->halo_begin, space->patches + 1));
  HK_PASS(hk_pool_get(&k->pool, &k->slice, (hk_count)space->patches * k->slices + 1));
  *sizes = (hk_congruent_sizes){0};
  for (hk_index p = 0; p < space->patches; p++) {
    pieces at;
    const piece *own = k->piece[p];
    bytes_of(k, own, &at);
    for (hk_index s = 0; s < k->slices; s++) {
      HK_PASS(hk_narrow(entries + at.length[s], "list entries per lane",
                        &k->slice[(hk_count)p * k->slices + s + 1]));
      entries += at.length[s];
    }
    halos += own->halos;
    HK_PASS(hk_narrow(halos, "neighbours of patches", &k->halo_begin[p + 1]));
    if (own->entries > sizes->entries) sizes->entries = own->entries;
    if (k->patch + own->halos > sizes->local) sizes->local = k->patch + own->halos;
  }
  sizes->local += 1; /* a halo of none has no array */
  return HK_OK;
}

/* The patch's part of the lists. */
static hk_status copy_piece(const packing *k, hk_index p, const hk_staged *list)
{
  hk_status status = HK_OK;
  const piece *own = k->piece[p];
  const hk_count first = (hk_count)p * k->patch;
  hk_index *block = NULL, *row = (hk_index *)list[HK_CONGRUENT_ROW].place + first;
  pieces at;
  bytes_of(k, own, &at);
  HK_TRY(hk_get(&block, own->rows + 1));
  for (hk_index r = 0; r < own->rows; r++) {
    HK_TRY(hk_dictionary_find(k->dictionary, at.hash[r], at.word, &block[r]));
    for (uint64_t n = *at.word++; n; n--) at.word += 1 + *at.word;
  }
  for (hk_index l = 0; l < k->patch; l++) row[l] = block[at.row[l]];
  memcpy((uint16_t *)list[HK_CONGRUENT_PLACE].place + first, at.place, (size_t)k->patch * 2);
  if (own->halos)
    memcpy((hk_index *)list[HK_CONGRUENT_HALO].place + k->halo_begin[p], at.halo,
           (size_t)own->halos * sizeof *at.halo);
  memcpy((uint16_t *)list[HK_CONGRUENT_NEIGHBOUR].place +
             (hk_count)k->slice[(hk_count)p * k->slices] * k->width,
         at.near, (size_t)own->entries * (size_t)k->width * 2);
cleanup:
  hk_free(&block);
  return status;
}

static hk_status keep_table(packing *k, hk_pool *lists, hk_buffer **list, hk_congruent_sizes *sizes)
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
  HK_TRY(hk_staged_keep(lists, k->desc->device, (hk_count)sizes->blocks * stride * (real ? 8 : 4),
                        &list[HK_CONGRUENT_TABLE], &table));
  HK_TRY(hk_dictionary_fill(k->dictionary, k->threads, stride, table.place));
  HK_TRY(hk_staged_send(&table));
cleanup:
  hk_staged_close(&table);
  return status;
}

static hk_status fill(packing *k, hk_pool *lists, hk_buffer **list, hk_congruent_sizes *sizes)
{
  enum { LAST = HK_CONGRUENT_NEIGHBOUR };
  hk_status status = HK_OK;
  hk_staged staged[LAST + 1] = {0};
  const hk_space *space = k->desc->space;
  const hk_count slices = (hk_count)space->patches * k->slices, nodes = slices * k->width;
  const hk_count bytes[] = {[HK_CONGRUENT_HALO_BEGIN] = (space->patches + 1) * 4LL,
                            [HK_CONGRUENT_HALO] = k->halo_begin[space->patches] * 4LL,
                            [HK_CONGRUENT_SLICE] = (slices + 1) * 4,
                            [HK_CONGRUENT_PLACE] = nodes * 2,
                            [HK_CONGRUENT_ROW] = nodes * 4,
                            [HK_CONGRUENT_NEIGHBOUR] = 2LL * k->slice[slices] * k->width};
  for (int m = 0; m <= LAST; m++)
    HK_TRY(hk_staged_keep(lists, k->desc->device, bytes[m], &list[m], &staged[m]));
  memcpy(staged[HK_CONGRUENT_HALO_BEGIN].place, k->halo_begin,
         (size_t)bytes[HK_CONGRUENT_HALO_BEGIN]);
  memcpy(staged[HK_CONGRUENT_SLICE].place, k->slice, (size_t)bytes[HK_CONGRUENT_SLICE]);
  for (hk_index p = 0; p < space->patches; p++) HK_TRY(copy_piece(k, p, staged));
  HK_TRY(keep_table(k, lists, list, sizes));
  for (int m = 0; m <= LAST; m++) HK_TRY(hk_staged_send(&staged[m]));
cleanup:
  for (int m = 0; m <= LAST; m++) hk_staged_close(&staged[m]);
  return status;
}

hk_status hk_congruent_pack(const hk_operator_desc *desc, hk_pool *pool, hk_index most,
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
               .most = most,
               .patch = desc->space->patch,
               .slices = desc->space->patch / info->width};
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
