/* Assembly of K on a device: stage 1 (neighbour.h), stage 2 (indices), and the ways of stage 3. Rows are cut into chunks whose
 * elements' matrices fit the scratch (divide), each chunk lists its elements (list_chunks); or, where all elements are linear
 * simplices, rows integrate for themselves (choose_fans). Stages are timed where the caller asks for it. */
#include "operator/assembly/parts.h"

enum { CHUNK = 128 };
/* of common_length */
enum { SPAN_STEP = 32, FAN_SPAN_STEP = 4 };

static hk_status start_kernel(const hk_assembly *a, hk_pool *pool, const char *function,
                              hk_kernel **kernel)
{
  /* the host has these once, for no dimension of their own */
  return hk_kernel_get(
      pool, a->desc.on.device,
      &(hk_kernel_desc){
          .text = "indices",
          .function = function,
          .define = {{"CHUNK", CHUNK}, {"DIM", 3}, {"FORMAT", 0}, {"ROWS", hk_assembly_rows(a)}}},
      kernel);
}

static hk_count groups_of(hk_count items, hk_count each)
{
  return (items + each - 1) / each;
}

/* Waits, where stages are timed; *start is now. */
static hk_status stop_clock(hk_assembly *a, int stage, double *start)
{
  const hk_status status = a->desc.timed ? hk_device_finish(a->desc.on.device) : HK_OK;
  const double now = hk_device_seconds(a->desc.on.device);
  a->seconds[stage] += now - *start;
  *start = now;
  return status;
}

/* Entries of any `rows` consecutive rows from a multiple of it on, at most. */
static hk_status find_span(hk_assembly *a, int rows, hk_kernel *spans, hk_buffer *count,
                           hk_buffer *sum, hk_index *most)
{
  const hk_count groups = groups_of(a->rows, rows);
  HK_PASS(hk_kernel_launch(spans, 0, groups_of(groups, CHUNK),
                           HK_ARGUMENTS(a->neighbours->begin, count, a->rows, rows)));
  return hk_scan_run(a->neighbours->scan, count, sum, groups, NULL, most);
}

hk_count hk_assembly_scratch(const hk_device *device)
{
  const hk_device_info *info = hk_device_describe(device);
  return info->own_memory ? info->memory / HK_SCRATCH_SHARE : hk_memory_room(HK_HOST_SCRATCH);
}

hk_count hk_assembly_local(const hk_assembly *a)
{
  const hk_device_info *info = hk_device_describe(a->desc.on.device);
  const hk_count real = hk_assembly_real(a), dim = a->desc.on.space->components;
  if (a->desc.span) return a->desc.span * dim * dim * real;
  return info->local_memory ? info->local_memory - HK_LOCAL_LISTS : INT32_MAX;
}

/* A length of local arrays that many meshes share, so that their kernel is one and may have been compiled beforehand: `needed` rounded up where no more
 * than `most` comes of it. */
static hk_index common_length(const hk_device_info *info, hk_index needed, int step, hk_count most)
{
  const hk_index length = (needed + step - 1) / step * step;
  return info->compiles && length <= most ? length : needed;
}

/* Rows of a group whose sums fit local memory; 0: not even those of one. */
static hk_status choose_rows(hk_assembly *a, int rows, hk_kernel *spans, hk_buffer *count,
                             hk_buffer *sum, int *chosen)
{
  const hk_device_info *info = hk_device_describe(a->desc.on.device);
  const hk_count dim = a->desc.on.space->components,
                 most = hk_assembly_local(a) / (dim * dim * hk_assembly_real(a));
  hk_index span = 0;
  *chosen = 0;
  for (rows = hk_kernel_size(info, rows, 1); rows >= 1; rows /= 2) {
    HK_PASS(find_span(a, rows, spans, count, sum, &span));
    if (span > most || !hk_kernel_fits(info, span, HK_HOST_SPAN)) continue;
    a->sums.span = common_length(info, span, SPAN_STEP, most);
    *chosen = rows;
    break;
  }
  return HK_OK;
}

/* Rows of a group whose sums, as long as the longest row each, fit local memory; 0: not even one, or fewer than kernels were built for. */
static int choose_fans(hk_assembly *a)
{
  const hk_device_info *info = hk_device_describe(a->desc.on.device);
  const hk_count dim = a->desc.on.space->components,
                 most = hk_assembly_local(a) / (dim * dim * hk_assembly_real(a));
  int rows =
      hk_kernel_size(info, hk_assembly_threads(a, HK_FAN_THREADS) / (HK_FAN_THREADS / HK_FAN_ROWS),
                     HK_HOST_FAN_ROWS);
  a->sums.span = a->neighbours->longest;
  if (!hk_kernel_fits(info, a->sums.span, HK_HOST_FAN_SPAN)) return 0;
  while (rows && rows * a->sums.span * (dim + 1) > most * dim) rows /= 2; /* and edges */
  if (rows)
    a->sums.span =
        common_length(info, a->sums.span, FAN_SPAN_STEP, most * dim / (rows * (dim + 1)));
  return rows == hk_kernel_size(info, rows, HK_HOST_FAN_ROWS) ? rows : 0;
}

/* Fans, where every element is a linear simplex; else rows that gather. */
static hk_status choose_way(hk_assembly *a, hk_buffer *count, hk_buffer *sum)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_kernel *spans;
  const int dim = a->desc.on.space->components;
  int rows = 0;
  bool simplices =
      !a->desc.no_fans && !hk_buffer_bytes(a->sent.given) && dim == a->desc.on.space->dim;
  for (int k = 0; k < a->integrands; k++)
    simplices =
        simplices && a->integrand[k].element->simplex && a->integrand[k].element->order == 1;
  HK_TRY(start_kernel(a, &pool, "indices_spans", &spans));
  if (simplices) rows = choose_fans(a);
  a->sums.fans = rows > 0;
  if (!a->sums.fans) {
    const int spread = a->neighbours->stride * dim > 16 ? 32 : 16; /* threads of a row */
    HK_TRY(choose_rows(a, hk_assembly_threads(a, HK_GATHER_THREADS) / spread, spans, count, sum,
                       &rows));
    a->sums.heavy = rows == 0;
    HK_CHECK(!a->sums.heavy || a->desc.format != HK_FORMAT_ELL, HK_NO_RESOURCES,
             "a row of %lld pairs of nodes is too long for the format ELL: use another format",
             (long long)a->neighbours->longest);
    if (a->sums.heavy) rows = 1;
  }
  a->sums.rows = rows;
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status find_where(hk_assembly *a)
{
  hk_status status = HK_OK;
  const hk_neighbours *n = a->neighbours;
  hk_pool pool = {0};
  hk_kernel *kernel;
  HK_CHECK(n->longest <= UINT16_MAX, HK_NO_RESOURCES,
           "a node has %lld neighbours: at most 65535 can be assembled", (long long)n->longest);
  HK_TRY(hk_buffer_get(&a->pool, a->desc.on.device, n->around_entries * n->stride * 2,
                       &a->sums.where));
  HK_TRY(start_kernel(a, &pool, "indices_where", &kernel));
  HK_TRY(hk_kernel_launch(kernel, 0, groups_of(a->rows, hk_assembly_rows(a)),
                          HK_ARGUMENTS(n->node, n->around_begin, n->around, n->begin, n->column,
                                       a->sums.where, a->rows, n->stride)));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Chunks of rows so that the matrices of the elements around a chunk fit the scratch, more or less. */
static hk_status divide(hk_assembly *a)
{
  const hk_count all = (hk_count)a->neighbours->elements * a->size * hk_assembly_real(a),
                 most = a->desc.scratch ? a->desc.scratch : hk_assembly_scratch(a->desc.on.device);
  hk_count chunks = groups_of(all, most);
  const hk_count groups = groups_of(a->rows, a->sums.rows);
  if (chunks > groups) chunks = groups;
  a->chunks.chunks = (int)chunks;
  HK_PASS(hk_pool_get(&a->pool, &a->chunks.row, chunks + 1));
  HK_PASS(hk_pool_get(&a->pool, &a->chunks.first, chunks));
  HK_PASS(hk_pool_get(&a->pool, &a->chunks.count, chunks));
  for (hk_count c = 0; c <= chunks; c++) {
    const hk_count row = groups * c / chunks * a->sums.rows;
    a->chunks.row[c] = row < a->rows ? (hk_index)row : a->rows;
  }
  return HK_OK;
}

typedef struct listing {
  hk_kernel *mark, *list, *slots;
  hk_buffer *flag, *before;
  hk_pool pool;
} listing;

/* The elements around chunk c that are to be integrated: the list, from `first` of it on. */
static hk_status list_chunk(const hk_assembly *a, const listing *l, int c, hk_buffer *list,
                            hk_index first, hk_count *count)
{
  const hk_neighbours *n = a->neighbours;
  const hk_assembly_chunks *k = &a->chunks;
  const hk_count groups = groups_of(k->row[c + 1] - k->row[c], CHUNK);
  HK_PASS(hk_kernel_launch(l->mark, 0, groups,
                           HK_ARGUMENTS(n->around_begin, n->around, a->sent.given_of, l->flag,
                                        k->row[c], k->row[c + 1])));
  HK_PASS(hk_scan_run(n->scan, l->flag, l->before, n->elements, count, NULL));
  return hk_kernel_launch(l->list, 0, groups_of(n->elements, CHUNK),
                          HK_ARGUMENTS(l->flag, l->before, list, first, n->elements));
}

/* The places of the matrices of chunk c, whose elements were listed last. */
static hk_status place_chunk(const hk_assembly *a, const listing *l, int c)
{
  const hk_neighbours *n = a->neighbours;
  const hk_assembly_chunks *k = &a->chunks;
  return hk_kernel_launch(l->slots, 0, groups_of(k->row[c + 1] - k->row[c], CHUNK),
                          HK_ARGUMENTS(n->around_begin, n->around, a->sent.given_of, l->before,
                                       k->slot, k->row[c], k->row[c + 1]));
}

/* Every element is marked by some row, thus the first list of all is long enough for that of any chunk. */
static hk_status list_chunks(hk_assembly *a)
{
  hk_status status = HK_OK;
  hk_device *device = a->desc.on.device;
  const hk_neighbours *n = a->neighbours;
  hk_assembly_chunks *k = &a->chunks;
  listing l = {0};
  hk_buffer *any = NULL;
  hk_count total = 0, count;
  hk_index most = 0;
  HK_TRY(hk_buffer_get(&l.pool, device, (hk_count)n->elements * 4, &l.flag));
  HK_TRY(hk_buffer_get(&l.pool, device, ((hk_count)n->elements + 1) * 8, &l.before));
  HK_TRY(hk_buffer_create(device, (hk_count)n->elements * 4, &any));
  HK_TRY(start_kernel(a, &l.pool, "indices_mark", &l.mark));
  HK_TRY(start_kernel(a, &l.pool, "indices_list", &l.list));
  HK_TRY(start_kernel(a, &l.pool, "indices_slots", &l.slots));
  for (int c = 0; c < k->chunks; c++) {
    HK_TRY(list_chunk(a, &l, c, any, 0, &count));
    HK_TRY(hk_narrow(count, "elements", &k->count[c]));
    HK_TRY(hk_narrow(total, "elements in lists of chunks", &k->first[c]));
    total += count;
    if (k->count[c] > most) most = k->count[c];
  }
  hk_buffer_destroy(&any);
  HK_TRY(hk_buffer_get(&a->pool, device, total * 4, &k->list));
  HK_TRY(hk_buffer_get(&a->pool, device, n->around_entries * 4, &k->slot));
  for (int c = 0; c < k->chunks; c++) {
    HK_TRY(list_chunk(a, &l, c, k->list, k->first[c], NULL));
    HK_TRY(place_chunk(a, &l, c));
  }
  HK_TRY(
      hk_buffer_get(&a->pool, device, (hk_count)most * a->size * hk_assembly_real(a), &a->matrix));
cleanup:
  hk_buffer_destroy(&any);
  hk_pool_clear(&l.pool);
  return status;
}

/* Algorithm 6 for the paper's formats; the native one is there already. */
static hk_status write_format(hk_assembly *a)
{
  hk_status status = HK_OK;
  hk_device *device = a->desc.on.device;
  const hk_neighbours *n = a->neighbours;
  const int dim = a->desc.on.space->components, rows = hk_assembly_rows(a);
  const hk_matrix_format format = a->desc.format;
  hk_pool pool = {0};
  hk_kernel *kernel;
  HK_TRY(hk_narrow((hk_count)a->rows * dim, "degrees of freedom", &a->width));
  a->width = n->longest * dim;
  const hk_count lines = (hk_count)a->rows * dim,
                 entries = format == HK_FORMAT_ELL     ? a->width * lines
                           : format == HK_FORMAT_DENSE ? lines * lines
                                                       : n->entries * dim * dim;
  HK_TRY(hk_buffer_create(device, entries * hk_assembly_real(a), &a->value));
  if (format == HK_FORMAT_NODES || format == HK_FORMAT_DENSE) return HK_OK;
  if (format == HK_FORMAT_CSR)
    HK_TRY(hk_buffer_get(&a->pool, device, ((hk_count)a->rows * dim + 1) * 8, &a->row_begin));
  if (format == HK_FORMAT_COO) HK_TRY(hk_buffer_get(&a->pool, device, entries * 4, &a->row_of));
  HK_TRY(hk_buffer_get(&a->pool, device, entries * 4, &a->column_of));
  HK_TRY(hk_kernel_get(
      &pool, device,
      &(hk_kernel_desc){
          .text = "indices",
          .function = "indices_format",
          .define = {{"CHUNK", CHUNK}, {"DIM", dim}, {"FORMAT", (int)format}, {"ROWS", rows}}},
      &kernel));
  HK_TRY(hk_kernel_launch(kernel, 0, groups_of(a->rows, rows),
                          HK_ARGUMENTS(n->begin, n->column, a->row_begin, a->row_of, a->column_of,
                                       a->rows, n->longest)));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status find_indices(hk_assembly *a)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_buffer *count, *sum;
  double start = hk_device_seconds(a->desc.on.device);
  HK_TRY(hk_buffer_get(&pool, a->desc.on.device, (hk_count)a->rows * 4, &count));
  HK_TRY(hk_buffer_get(&pool, a->desc.on.device, ((hk_count)a->rows + 1) * 8, &sum));
  HK_TRY(write_format(a));
  if (a->desc.format == HK_FORMAT_DENSE)
    a->sums.rows = hk_assembly_threads(a, HK_DENSE_ROWS);
  else {
    HK_TRY(find_where(a));
    HK_TRY(choose_way(a, count, sum));
  }
  if (!a->sums.fans) {
    HK_TRY(divide(a));
    HK_TRY(list_chunks(a));
  }
  HK_TRY(stop_clock(a, 1, &start));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Room for the matrices of a list, and those that are given. */
static hk_status take_elements(hk_assembly *a)
{
  const hk_count most = hk_assembly_scratch(a->desc.on.device) / (a->size * hk_assembly_real(a)),
                 all = a->neighbours->elements;
  a->listed = (hk_index)(most < 1 ? 1 : most < all ? most : all);
  HK_PASS(hk_buffer_get(&a->pool, a->desc.on.device, a->listed * a->size * hk_assembly_real(a),
                        &a->matrix));
  return hk_assembly_send_given(a);
}

hk_status hk_assembly_create(const hk_assembly_desc *desc, hk_assembly **out)
{
  hk_status status = HK_OK;
  hk_assembly *a = NULL;
  hk_index *node = NULL;
  int stride = 0;
  HK_TRY(hk_new(&a));
  a->desc = *desc;
  a->rows = desc->on.space->padded;
  HK_TRY(hk_assembly_send(a, &node, &stride));
  double start = hk_device_seconds(desc->on.device);
  HK_TRY(hk_neighbours_create(
      &(hk_neighbours_desc){.device = desc->on.device,
                            .nodes = a->rows,
                            .elements = (hk_index)hk_assembly_elements(a),
                            .stride = stride,
                            .node = node,
                            .timed = desc->timed,
                            .elements_only = desc->format == HK_FORMAT_ELEMENTS ||
                                             desc->format == HK_FORMAT_DENSE},
      &a->neighbours));
  HK_TRY(stop_clock(a, 0, &start));
  if (desc->format == HK_FORMAT_ELEMENTS)
    HK_TRY(take_elements(a));
  else
    HK_TRY(find_indices(a));
  HK_TRY(hk_assembly_prepare(a));
  *out = a, a = NULL;
cleanup:
  hk_free(&node);
  hk_assembly_destroy(&a);
  return status;
}

void hk_assembly_destroy(hk_assembly **assembly)
{
  hk_assembly *a = *assembly;
  if (!a) return;
  for (int b = 0; a->family && b < a->desc.on.space->mesh->block_count; b++)
    hk_assembly_family_destroy(&a->family[b]);
  hk_neighbours_destroy(&a->neighbours);
  hk_buffer_destroy(&a->value);
  hk_pool_clear(&a->pool);
  hk_free(assembly);
}

static hk_count bytes_of(const hk_buffer *const *buffer, int count)
{
  hk_count sum = 0;
  for (int k = 0; k < count; k++)
    if (buffer[k]) sum += hk_buffer_bytes(buffer[k]);
  return sum;
}

static hk_count sent_bytes(const hk_assembly *a)
{
  const hk_assembly_sent *s = &a->sent;
  hk_count sum = bytes_of((const hk_buffer *const[]){s->x, s->law, s->law_of, s->kind, s->given_of,
                                                     s->given, s->about, s->folded, s->scale},
                          9);
  for (int k = 0; k < a->integrands; k++) {
    const hk_integrand *own = &a->integrand[k];
    sum += bytes_of((const hk_buffer *const[]){own->slope, own->weight, own->shape}, 3);
  }
  return sum;
}

hk_count hk_assembly_stage_bytes(const hk_assembly *a, int stage)
{
  const hk_assembly_chunks *k = &a->chunks;
  if (stage == 0) return hk_neighbours_bytes(a->neighbours);
  if (stage == 1)
    return bytes_of((const hk_buffer *const[]){a->row_begin, a->row_of, a->column_of, a->sums.where,
                                               k->list, k->slot},
                    6);
  if (stage == 2) return bytes_of((const hk_buffer *const[]){a->value, a->matrix}, 2);
  return sent_bytes(a);
}

hk_count hk_assembly_bytes(const hk_assembly *a)
{
  hk_count sum = 0;
  for (int k = 0; k < HK_ASSEMBLY_PARTS; k++) sum += hk_assembly_stage_bytes(a, k);
  return sum;
}
