/* Lists of edges.k.h from the rows of rows.h: each pair inside a patch goes to one owner (graph/pairs.h), S = -(K_ij + K_ij^T) / 2 and,
 * where it is more than rounding, the twist t of the antisymmetric part. A first pass counts the lists of each slice, a second fills them;
 * patches are done in parallel and their twists joined in order. */
#include "operator/edges/pack.h"
#include "base/reals.h"
#include "graph/pairs.h"
#include "operator/edges/means.h"
#include "operator/rows/rows.h"
#include "operator/rows/shelf.h"
#include "operator/staged.h"
#include <math.h>
#include <omp.h>
#include <string.h>

enum { PAIRS, SLOTS, GATHERS, TWISTS, PER_SLICE };

/* |t| below these parts of its own block or of the row's diagonal is rounding: null Lagrangians sum to about 1e-15 of them. A stiff
 * neighbour makes the diagonal larger than all that a soft part contributes, so that of it only what rounding may reach counts. */
static const double no_twist = 1e-11, no_twist_of_row = 1e-14;

typedef struct patch_twists { /* one patch's part of `twisted` and `twist` */
  uint16_t *node;
  void *value;
} patch_twists;

typedef struct packing {
  const hk_operator_desc *desc;
  hk_edges_format format;
  int threads;
  size_t real;
  hk_index most_local;
  bool staged;
  uint16_t zero;    /* slot for padding */
  int lines;        /* SLOT_LINES */
  hk_pairs **pairs; /* one per thread */
  void **place;     /* place[patches]: of the patch's pairs, kept between the passes; of */
  hk_shelf *shelf;
  hk_index *halo_begin, *slice; /* as in the kernel */
  hk_index *halo;               /* places of the lists */
  uint16_t *neighbour, *gather;
  char *block;          /* of the list's entries from */
  hk_count entries;     /* on: those before have been sent */
  patch_twists *twists; /* twists[patches] */
  hk_pool *lists;       /* keeps the buffers */
  hk_pool pool;         /* pairs, place, halo_begin, slice, twists */
} packing;

static hk_index *slice_of(const packing *k, hk_index p, hk_index node)
{
  return k->slice +
         (hk_count)(p * (k->desc->space->patch / k->format.width) + node / k->format.width) *
             PER_SLICE;
}

static void keep_longest(hk_index *longest, hk_index length)
{
  if (length > *longest) *longest = length;
}

/* Lengths of slice s are left at s + 1, to be summed. */
static hk_status count_lists(const hk_matrix_patch *patch, hk_index p, void *user)
{
  const packing *k = user;
  hk_pairs *pairs = k->pairs[omp_get_thread_num()];
  const hk_index entries = patch->begin[patch->count], halos = patch->local->halos;
  HK_NEED(k->desc->space->patch + halos <= k->most_local, HK_NO_RESOURCES,
          "%d nodes have %d neighbours, more than the edge form can load at once (%d); use --set "
          "solve.explicit.method=stored",
          patch->count, halos, k->most_local - k->desc->space->patch);
  HK_PASS(hk_pairs_find(pairs, patch->count, patch->begin, patch->column));
  HK_PASS(hk_shelf_put(k->shelf, omp_get_thread_num(), entries * (hk_count)sizeof *pairs->place,
                       &k->place[p]));
  memcpy(k->place[p], pairs->place, (size_t)entries * sizeof *pairs->place);
  k->halo_begin[p + 1] = halos;
  for (hk_index i = 0; i < patch->count; i++) {
    hk_index *longest = slice_of(k, p, i) + PER_SLICE;
    keep_longest(&longest[PAIRS], pairs->length[i]);
    keep_longest(&longest[SLOTS], pairs->owned[i]);
    keep_longest(&longest[GATHERS], pairs->gathered[i]);
  }
  return HK_OK;
}

static hk_status sum_lengths(hk_index *first, hk_index count, int stride)
{
  hk_count sum = 0;
  for (hk_index i = 0; i <= count; i++) {
    sum += first[(hk_count)i * stride];
    const hk_status status = hk_narrow(sum, "list entries per lane", &first[(hk_count)i * stride]);
    if (status != HK_OK) return status;
  }
  return HK_OK;
}

hk_count hk_edges_local(const hk_edges_format *f, hk_index patch, const hk_edges_sizes *size)
{
  const int real = f->double_precision ? 8 : 4, dim = f->dim, width = f->width;
  const hk_count nodes = hk_local_bytes((hk_count)size->local * dim, real);
  if (!size->staged) return nodes + hk_local_bytes((hk_count)size->slots * dim, real);
  return nodes +
         hk_local_bytes((hk_count)width * (size->pairs * hk_edges_block_bytes(f) + dim * real), 1) +
         hk_local_bytes((hk_count)size->pairs * width, 2) +
         hk_local_bytes((hk_count)size->gathers * width, 2) + (patch / width + 1) * 16 + 64 +
         (hk_count)patch * (dim + 2) * real; /* last, factor, damping */
}

static hk_count local_of(const packing *k, const hk_edges_sizes *size)
{
  return hk_edges_local(&k->format, k->desc->space->patch, size);
}

/* Reals in the room of `width` blocks. */
static hk_index block_reals(const packing *k)
{
  return hk_edges_block_bytes(&k->format) * k->format.width / (hk_index)k->real;
}

static hk_status find_sizes(packing *k, const hk_edges_limits *limits, hk_edges_sizes *most)
{
  enum { MOST_SLOT = 65535 };
  const hk_space *space = k->desc->space;
  *most = (hk_edges_sizes){0};
  for (hk_index p = 0; p < space->patches; p++) {
    const hk_index *first = slice_of(k, p, 0), *end = slice_of(k, p + 1, 0);
    keep_longest(&most->local, space->patch + k->halo_begin[p + 1] - k->halo_begin[p]);
    keep_longest(&most->slots, (end[SLOTS] - first[SLOTS] + 1) * k->format.width);
    keep_longest(&most->pairs, end[PAIRS] - first[PAIRS]);
    keep_longest(&most->gathers, end[GATHERS] - first[GATHERS]);
  }
  most->local += 1; /* a halo of none has no array */
  const hk_count zero = (hk_count)most->pairs * block_reals(k);
  most->staged = limits->stages && zero <= MOST_SLOT;
  if (most->staged && limits->memory) most->staged = local_of(k, most) <= limits->memory;
  k->zero = most->staged ? (uint16_t)zero : 0;
  k->staged = most->staged;
  if (limits->stages && limits->memory && local_of(k, most) > limits->memory)
    return hk_error_set(HK_NO_RESOURCES,
                        "a patch of %d nodes needs %lld bytes of local memory, and the device has "
                        "%lld; use --set solve.explicit.method=stored",
                        space->patch, (long long)local_of(k, most), (long long)limits->memory);
  return HK_OK;
}

/* S = -(K_ij + K_ij^T) / 2 */
static void put_block(const packing *k, hk_count entry, int lane, const double *b)
{
  static const int row[2][6] = {{0, 1, 0}, {0, 1, 2, 1, 0, 0}};
  static const int column[2][6] = {{0, 1, 1}, {0, 1, 2, 2, 2, 1}};
  const int dim = k->format.dim, size = dim * (dim + 1) / 2;
  double s[6];
  for (int m = 0; m < size; m++) {
    const int r = row[dim - 2][m], c = column[dim - 2][m];
    s[m] = -(b[r * dim + c] + b[c * dim + r]) / 2;
  }
  hk_edges_block_put(
      &k->format, s,
      k->block + (entry - k->entries) * k->format.width * hk_edges_block_bytes(&k->format), lane);
}

/* t of T = -(K_ij - K_ij^T) / 2; returns whether it is more than rounding. */
static bool find_twist(const packing *k, const double *b, double scale, double *t)
{
  double own = 0;
  const int dim = k->format.dim;
  if (dim == 2)
    t[0] = (b[1] - b[2]) / 2;
  else
    t[0] = (b[5] - b[7]) / 2, t[1] = (b[6] - b[2]) / 2, t[2] = (b[1] - b[3]) / 2;
  bool any = false;
  for (int c = 0; c < 2 * dim - 3; c++) any = any || !(fabs(t[c]) <= no_twist_of_row * scale);
  if (!any) return false;
  for (int m = 0; m < dim * dim; m++) own = fmax(own, fabs(b[m]));
  any = false;
  for (int c = 0; c < 2 * dim - 3; c++) any = any || !(fabs(t[c]) <= no_twist * own);
  return any;
}

/* Largest entry of the row's diagonal block: bounds what elements contribute to the row. */
static double row_scale(const packing *k, const hk_matrix_patch *patch, hk_index i)
{
  const int dim = k->format.dim;
  double scale = 0;
  for (hk_index q = patch->begin[i]; q < patch->begin[i + 1]; q++)
    if (patch->column[q] == i)
      for (int c = 0; c < dim; c++)
        scale = fmax(scale, patch->block[(hk_count)q * dim * dim + c * dim + c]);
  return scale;
}

static void pack_row(const packing *k, const hk_matrix_patch *patch, hk_index p,
                     const hk_pairs *pairs, hk_index i)
{
  const int w = k->format.width, lane = i % w, size = k->format.dim * k->format.dim;
  const hk_index *s = slice_of(k, p, i), *patch_slice = slice_of(k, p, 0);
  hk_count next = s[GATHERS];
  for (hk_index q = patch->begin[i]; q < patch->begin[i + 1]; q++) {
    const hk_index j = patch->column[q];
    if (pairs->place[q] >= 0) {
      const hk_count entry = s[PAIRS] + pairs->place[q];
      k->neighbour[entry * w + lane] = (uint16_t)j;
      put_block(k, entry, lane, patch->block + (hk_count)q * size);
    } else if (j != i) {
      const hk_index place = pairs->place[pairs->partner[q]], *of_j = slice_of(k, p, j);
      const hk_index slot = k->staged
                                ? (of_j[PAIRS] - patch_slice[PAIRS] + place) * block_reals(k)
                                : (of_j[SLOTS] - patch_slice[SLOTS] + 1 + place) * k->lines * w;
      k->gather[next++ * w + lane] = (uint16_t)(slot + j % w);
    }
  }
}

static hk_index count_twists(const packing *k, const hk_matrix_patch *patch, hk_index p)
{
  const int size = k->format.dim * k->format.dim;
  hk_index sum = 0;
  for (hk_index i = 0; i < patch->count; i++) {
    const double scale = row_scale(k, patch, i);
    hk_index *longest = slice_of(k, p, i) + PER_SLICE + TWISTS, n = 0;
    double t[3];
    for (hk_index q = patch->begin[i]; q < patch->begin[i + 1]; q++)
      n += find_twist(k, patch->block + (hk_count)q * size, scale, t);
    keep_longest(longest, n);
  }
  for (hk_index i = 0; i < k->desc->space->patch; i += k->format.width)
    sum += slice_of(k, p, i)[PER_SLICE + TWISTS];
  return sum;
}

static hk_status pack_twists(const packing *k, const hk_matrix_patch *patch, hk_index p)
{
  const int w = k->format.width, size = k->format.dim * k->format.dim,
            numbers = 2 * k->format.dim - 3;
  const hk_index sum = count_twists(k, patch, p);
  patch_twists *to = &k->twists[p];
  hk_count first = 0;
  if (sum == 0) return HK_OK;
  HK_PASS(hk_get(&to->node, (hk_count)sum * w));
  HK_PASS(hk_memory_get(&to->value, (hk_count)sum * w * numbers, k->real));
  for (hk_index i = 0; i < k->desc->space->patch; i++) {
    const hk_index most = slice_of(k, p, i)[PER_SLICE + TWISTS];
    const double scale = i < patch->count ? row_scale(k, patch, i) : 0;
    hk_count n = first;
    double t[3];
    for (hk_index e = 0; e < most; e++) to->node[(first + e) * w + i % w] = (uint16_t)i;
    for (hk_index q = i < patch->count ? patch->begin[i] : 0;
         i < patch->count && q < patch->begin[i + 1]; q++)
      if (find_twist(k, patch->block + (hk_count)q * size, scale, t)) {
        to->node[n * w + i % w] = patch->column[q];
        for (int c = 0; c < numbers; c++)
          hk_put_real(to->value, k->real == sizeof(double), (n * numbers + c) * w + i % w, t[c]);
        n++;
      }
    if (i % w == w - 1) first += most;
  }
  return HK_OK;
}

static hk_status pack_patch(const hk_matrix_patch *patch, hk_index p, void *user)
{
  const packing *k = user;
  hk_pairs *pairs = k->pairs[omp_get_thread_num()];
  HK_PASS(hk_pairs_recall(pairs, patch->count, patch->begin, patch->column, k->place[p]));
  hk_shelf_drop(&k->place[p]);
  if (patch->local->halos)
    memcpy(k->halo + k->halo_begin[p], patch->local->halo,
           (size_t)patch->local->halos * sizeof *k->halo);
  for (hk_index i = 0; i < k->desc->space->patch; i++) {
    const hk_index *s = slice_of(k, p, i);
    for (hk_count e = s[PAIRS]; e < s[PER_SLICE + PAIRS]; e++)
      k->neighbour[e * k->format.width + i % k->format.width] = (uint16_t)i;
    for (hk_count e = s[GATHERS]; e < s[PER_SLICE + GATHERS]; e++)
      k->gather[e * k->format.width + i % k->format.width] = k->zero;
  }
  for (hk_index i = 0; i < patch->count; i++) pack_row(k, patch, p, pairs, i);
  return pack_twists(k, patch, p);
}

/* The patches' twists one after the other. */
static hk_status join_twists(packing *k, hk_buffer **list)
{
  hk_status status = HK_OK;
  hk_staged node = {0}, value = {0};
  const hk_space *space = k->desc->space;
  const hk_index slices = hk_space_rows(space) / k->format.width;
  const hk_count size = (hk_count)k->real * (2 * k->format.dim - 3);
  HK_TRY(sum_lengths(k->slice + TWISTS, slices, PER_SLICE));
  const hk_count sum = (hk_count)k->slice[(hk_count)slices * PER_SLICE + TWISTS] * k->format.width;
  HK_TRY(hk_staged_keep(k->lists, k->desc->device, sum * 2, &list[HK_EDGES_TWISTED], &node));
  HK_TRY(hk_staged_keep(k->lists, k->desc->device, sum * size, &list[HK_EDGES_TWIST], &value));
  for (hk_index p = 0; p < space->patches; p++) {
    const hk_count first = (hk_count)slice_of(k, p, 0)[TWISTS] * k->format.width;
    const hk_count count = (hk_count)slice_of(k, p + 1, 0)[TWISTS] * k->format.width - first;
    if (count) {
      memcpy((uint16_t *)node.place + first, k->twists[p].node, (size_t)count * 2);
      memcpy((char *)value.place + first * size, k->twists[p].value, (size_t)(count * size));
    }
    hk_free(&k->twists[p].node);
    hk_memory_free(&k->twists[p].value);
  }
  HK_TRY(hk_staged_send(&node));
  HK_TRY(hk_staged_send(&value));
cleanup:
  hk_staged_close(&node);
  hk_staged_close(&value);
  return status;
}

/* Where the blocks of patch p begin, in entries of a slice's lanes. */
static hk_count entry_of(const packing *k, hk_index p)
{
  return slice_of(k, p, 0)[PAIRS];
}

/* The patches from `first` on whose blocks have room in the window, at least one: returns the end of them. */
static hk_index find_end(const packing *k, hk_index first, hk_count line)
{
  const hk_index patches = k->desc->space->patches;
  const hk_count room = hk_memory_room(HK_EDGES_WINDOW);
  hk_index end = first + 1;
  while (end < patches && (entry_of(k, end + 1) - entry_of(k, first)) * line <= room) end++;
  return end;
}

static hk_count find_window(const packing *k, hk_count line)
{
  hk_count most = 0;
  for (hk_index p = 0, end; p < k->desc->space->patches; p = end) {
    end = find_end(k, p, line);
    const hk_count bytes = (entry_of(k, end) - entry_of(k, p)) * line;
    if (bytes > most) most = bytes;
  }
  return most;
}

/* Blocks are most of the lists. A device with a memory of its own is sent them in parts, so that the host never holds them all. */
static hk_status fill_blocks(packing *k, hk_matrix *matrix, hk_buffer *buffer)
{
  hk_status status = HK_OK;
  const hk_count line = (hk_count)k->format.width * hk_edges_block_bytes(&k->format);
  char *window = NULL;
  k->block = hk_buffer_host(buffer), k->entries = 0;
  if (k->block) return hk_matrix_for_each(matrix, true, pack_patch, k);
  HK_TRY(hk_get(&window, find_window(k, line)));
  k->block = window;
  for (hk_index p = 0, end; p < k->desc->space->patches; p = end) {
    end = find_end(k, p, line), k->entries = entry_of(k, p);
    const hk_count bytes = (entry_of(k, end) - k->entries) * line;
    memset(window, 0, (size_t)bytes);
    HK_TRY(hk_matrix_for_range(matrix, p, end, true, pack_patch, k));
    HK_TRY(hk_buffer_write(buffer, k->entries * line, bytes, window));
  }
cleanup:
  hk_free(&window);
  return status;
}

static hk_status fill(packing *k, hk_matrix *matrix, hk_buffer **list)
{
  enum { FIRST = HK_EDGES_HALO_BEGIN, LAST = HK_EDGES_GATHER };
  hk_status status = HK_OK;
  hk_staged staged[HK_EDGES_LISTS] = {0};
  const hk_space *space = k->desc->space;
  const hk_index slices = hk_space_rows(space) / k->format.width;
  const hk_index *sum = k->slice + (hk_count)slices * PER_SLICE;
  const hk_count pairs = (hk_count)sum[PAIRS] * k->format.width, index = (hk_count)sizeof(hk_index);
  const hk_count bytes[] = {[HK_EDGES_HALO_BEGIN] = (space->patches + 1) * index,
                            [HK_EDGES_HALO] = k->halo_begin[space->patches] * index,
                            [HK_EDGES_SLICE] = (slices + 1) * PER_SLICE * index,
                            [HK_EDGES_NEIGHBOUR] = pairs * 2,
                            [HK_EDGES_BLOCK] = pairs * hk_edges_block_bytes(&k->format),
                            [HK_EDGES_GATHER] = (hk_count)sum[GATHERS] * k->format.width * 2};

  for (int m = FIRST; m <= LAST; m++)
    HK_TRY(m == HK_EDGES_BLOCK
               ? hk_buffer_get(k->lists, k->desc->device, bytes[m], &list[m])
               : hk_staged_keep(k->lists, k->desc->device, bytes[m], &list[m], &staged[m]));
  k->halo = staged[HK_EDGES_HALO].place;
  k->neighbour = staged[HK_EDGES_NEIGHBOUR].place;
  k->gather = staged[HK_EDGES_GATHER].place;
  HK_TRY(fill_blocks(k, matrix, list[HK_EDGES_BLOCK]));
  HK_TRY(join_twists(k, list));
  memcpy(staged[HK_EDGES_HALO_BEGIN].place, k->halo_begin, (size_t)bytes[HK_EDGES_HALO_BEGIN]);
  memcpy(staged[HK_EDGES_SLICE].place, k->slice, (size_t)bytes[HK_EDGES_SLICE]);
  for (int m = FIRST; m <= LAST; m++) HK_TRY(hk_staged_send(&staged[m]));
cleanup:
  for (int m = FIRST; m <= LAST; m++) hk_staged_close(&staged[m]);
  return status;
}

static void close_packing(packing *k)
{
  for (int t = 0; k->pairs && t < k->threads; t++) hk_pairs_destroy(&k->pairs[t]);
  for (hk_index p = 0; k->twists && p < k->desc->space->patches; p++) {
    hk_free(&k->twists[p].node);
    hk_memory_free(&k->twists[p].value);
  }
  hk_shelf_destroy(&k->shelf);
  hk_pool_clear(&k->pool);
}

hk_status hk_edges_pack(const hk_operator_desc *desc, hk_pool *pool, hk_edges_limits limits,
                        hk_buffer **list, hk_edges_sizes *sizes)
{
  hk_status status = HK_OK;
  hk_matrix *matrix = NULL;
  const hk_device_info *info = hk_device_describe(desc->device);
  const hk_space *space = desc->space;
  const hk_index slices = hk_space_rows(space) / info->width;
  packing k = {.desc = desc,
               .lists = pool,
               .format = {.dim = space->dim,
                          .width = info->width,
                          .double_precision = desc->double_precision,
                          .packed = limits.packed},
               .threads = info->threads,
               .most_local = limits.local,
               .lines = limits.stages ? space->dim : 1,
               .real = desc->double_precision ? sizeof(double) : sizeof(float)};

  HK_TRY(hk_matrix_create(desc, &matrix));
  HK_TRY(hk_pool_get(&k.pool, &k.pairs, k.threads));
  for (int t = 0; t < k.threads; t++)
    HK_TRY(hk_pairs_create(space->patch, k.format.width, limits.owned, &k.pairs[t]));
  HK_TRY(hk_shelf_create(k.threads, &k.shelf));
  HK_TRY(hk_pool_get(&k.pool, &k.place, space->patches));
  HK_TRY(hk_pool_get(&k.pool, &k.twists, space->patches));
  HK_TRY(hk_pool_get(&k.pool, &k.halo_begin, space->patches + 1));
  HK_TRY(hk_pool_get(&k.pool, &k.slice, ((hk_count)slices + 1) * PER_SLICE));
  HK_TRY(hk_matrix_for_each(matrix, false, count_lists, &k));
  HK_TRY(sum_lengths(k.halo_begin, space->patches, 1));
  for (int m = PAIRS; m <= GATHERS; m++) HK_TRY(sum_lengths(k.slice + m, slices, PER_SLICE));
  HK_TRY(find_sizes(&k, &limits, sizes));
  HK_TRY(fill(&k, matrix, list));
cleanup:
  close_packing(&k);
  hk_matrix_destroy(&matrix);
  return status;
}
