/* Moves rows of sparse matrices between ranks. A parcel for a rank is a list of words, number and length of each row, then the columns of all of them, and a list of blocks.
 * Amounts go first, then words, then blocks; own rows and those that came are merged in their order. */
#include "solver/linear/sparse/shared_rows.h"
#include <string.h>

typedef struct parcel {
  hk_count rows, entries;
  int32_t *word; /* [2 * rows + entries] */
  double *block;
} parcel;

typedef struct moving {
  const hk_sharing *share;
  const hk_row_list *list;
  const hk_galerkin_matrix *a;
  const int64_t *begin;
  parcel *going, *coming;
  hk_count *amount; /* [2 ranks] own ones; then of all */
  hk_mail *send, *take;
  hk_pool pool;
} moving;

static hk_count size_of(const hk_galerkin_matrix *a)
{
  return (hk_count)a->height * a->width;
}

/* A matrix of the same shape with so many entries. */
static hk_status create(hk_device *device, const hk_galerkin_matrix *like, hk_count entries,
                        hk_galerkin_matrix *out)
{
  *out = (hk_galerkin_matrix){.rows = like->rows,
                              .columns = like->columns,
                              .height = like->height,
                              .width = like->width,
                              .entries = entries};
  HK_PASS(hk_buffer_create(device, ((hk_count)like->rows + 1) * 8, &out->begin));
  HK_PASS(hk_buffer_create(device, entries * 4, &out->column));
  return hk_buffer_create(device, entries * size_of(like) * 8, &out->block);
}

static void copy_row(const hk_galerkin_matrix *from, hk_count at, hk_count count,
                     hk_galerkin_matrix *to, hk_count place)
{
  const hk_count size = size_of(from);
  const int32_t *column = hk_buffer_host(from->column);
  const double *block = hk_buffer_host(from->block);
  if (!count) return;
  memcpy((int32_t *)hk_buffer_host(to->column) + place, column + at,
         (size_t)count * sizeof *column);
  memcpy((double *)hk_buffer_host(to->block) + place * size, block + at * size,
         (size_t)(count * size) * sizeof *block);
}

hk_status hk_shared_copy(hk_device *device, const hk_galerkin_matrix *from, hk_galerkin_matrix *to)
{
  HK_PASS(create(device, from, from->entries, to));
  memcpy(hk_buffer_host(to->begin), hk_buffer_host(from->begin),
         (size_t)hk_buffer_bytes(from->begin));
  copy_row(from, 0, from->entries, to, 0);
  return HK_OK;
}

hk_status hk_shared_keep(hk_device *device, hk_index first, hk_index end, hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  const int64_t *begin = hk_buffer_host(a->begin);
  const hk_count low = begin[first], high = begin[end];
  hk_galerkin_matrix own = {0};
  HK_TRY(create(device, a, high - low, &own));
  int64_t *to = hk_buffer_host(own.begin);
  for (hk_index i = 0; i <= a->rows; i++)
    to[i] = (begin[i] < low ? low : begin[i] > high ? high : begin[i]) - low;
  copy_row(a, low, high - low, &own, 0);
  hk_galerkin_clear(a);
  *a = own, own = (hk_galerkin_matrix){0};
cleanup:
  hk_galerkin_clear(&own);
  return status;
}

hk_status hk_shared_keep_columns(hk_device *device, hk_index first, hk_index end,
                                 hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  const int64_t *begin = hk_buffer_host(a->begin);
  const int32_t *column = hk_buffer_host(a->column);
  hk_galerkin_matrix own = {0};
  hk_count count = 0;
  for (hk_count e = 0; e < a->entries; e++) count += column[e] >= first && column[e] < end;
  HK_TRY(create(device, a, count, &own));
  int64_t *to = hk_buffer_host(own.begin);
  count = 0;
  for (hk_index i = 0; i < a->rows; i++) {
    for (hk_count e = begin[i]; e < begin[i + 1]; e++)
      if (column[e] >= first && column[e] < end) copy_row(a, e, 1, &own, count++);
    to[i + 1] = count;
  }
  hk_galerkin_clear(a);
  *a = own, own = (hk_galerkin_matrix){0};
cleanup:
  hk_galerkin_clear(&own);
  return status;
}

static hk_status begin_moving(moving *m)
{
  const int count = m->share->count;
  HK_PASS(hk_pool_get(&m->pool, &m->going, count));
  HK_PASS(hk_pool_get(&m->pool, &m->coming, count));
  HK_PASS(hk_pool_get(&m->pool, &m->send, count));
  HK_PASS(hk_pool_get(&m->pool, &m->take, count));
  HK_PASS(hk_pool_get(&m->pool, &m->amount, 2LL * count * (count + 1)));
  m->begin = hk_buffer_host(m->a->begin);
  for (int k = 0; k < count; k++) {
    parcel *p = &m->going[k];
    p->rows = k == m->share->rank ? 0 : m->list[k].count;
    for (hk_count i = 0; i < p->rows; i++)
      p->entries += m->begin[m->list[k].row[i] + 1] - m->begin[m->list[k].row[i]];
    m->amount[2 * k] = p->rows, m->amount[2 * k + 1] = p->entries;
  }
  return HK_OK;
}

static hk_status get_room(const moving *m, hk_pool *pool, parcel *p)
{
  HK_PASS(hk_pool_get(pool, &p->word, 2 * p->rows + p->entries));
  return hk_pool_get(pool, &p->block, p->entries * size_of(m->a));
}

static void pack(const moving *m, const hk_row_list *list, const parcel *p)
{
  const hk_count size = size_of(m->a);
  const int32_t *column = hk_buffer_host(m->a->column);
  const double *block = hk_buffer_host(m->a->block);
  hk_count at = 0;
  for (hk_count i = 0; i < p->rows; i++) {
    const hk_index row = list->row[i];
    const hk_count count = m->begin[row + 1] - m->begin[row];
    p->word[2 * i] = row, p->word[2 * i + 1] = (int32_t)count;
    if (!count) continue;
    memcpy(p->word + 2 * p->rows + at, column + m->begin[row], (size_t)count * sizeof *column);
    memcpy(p->block + at * size, block + m->begin[row] * size,
           (size_t)(count * size) * sizeof *block);
    at += count;
  }
}

/* What goes to several ranks alike is packed once. */
static hk_status pack_all(moving *m)
{
  const int count = m->share->count, rank = m->share->rank;
  for (int k = 0; k < count; k++) {
    parcel *p = &m->going[k];
    for (int j = 0; j < k && !p->word; j++)
      if (j != rank && m->list[j].row == m->list[k].row && m->going[j].rows == p->rows)
        *p = m->going[j];
    if (p->word || !p->rows) continue;
    HK_PASS(get_room(m, &m->pool, p));
    pack(m, &m->list[k], p);
  }
  for (int k = 0; k < count; k++) {
    const hk_count *from = m->amount + 2LL * count * (k + 1) + 2LL * rank;
    m->coming[k].rows = from[0], m->coming[k].entries = from[1];
    HK_PASS(get_room(m, &m->pool, &m->coming[k]));
  }
  return HK_OK;
}

static hk_status swap(const moving *m)
{
  const hk_count size = size_of(m->a);
  for (int k = 0; k < m->share->count; k++) {
    const parcel *out = &m->going[k], *in = &m->coming[k];
    m->send[k] = (hk_mail){out->word, (2 * out->rows + out->entries) * 4};
    m->take[k] = (hk_mail){in->word, (2 * in->rows + in->entries) * 4};
  }
  HK_PASS(hk_sharing_swap(m->share, m->send, m->take));
  for (int k = 0; k < m->share->count; k++) {
    m->send[k] = (hk_mail){m->going[k].block, m->going[k].entries * size * 8};
    m->take[k] = (hk_mail){m->coming[k].block, m->coming[k].entries * size * 8};
  }
  return hk_sharing_swap(m->share, m->send, m->take);
}

static void put_rows(const parcel *p, hk_galerkin_matrix *to)
{
  const hk_count size = size_of(to);
  const int64_t *begin = hk_buffer_host(to->begin);
  int32_t *column = hk_buffer_host(to->column);
  double *block = hk_buffer_host(to->block);
  hk_count at = 0;
  for (hk_count i = 0; i < p->rows; i++) {
    const hk_count place = begin[p->word[2 * i]], count = p->word[2 * i + 1];
    if (!count) continue;
    memcpy(column + place, p->word + 2 * p->rows + at, (size_t)count * sizeof *column);
    memcpy(block + place * size, p->block + at * size, (size_t)(count * size) * sizeof *block);
    at += count;
  }
}

/* *out: own rows and those that came. */
static hk_status merge(const moving *m, hk_device *device, hk_galerkin_matrix *out)
{
  const hk_galerkin_matrix *a = m->a;
  hk_count entries = a->entries;
  for (int k = 0; k < m->share->count; k++) entries += m->coming[k].entries;
  HK_PASS(create(device, a, entries, out));
  int64_t *begin = hk_buffer_host(out->begin);
  for (hk_index i = 0; i < a->rows; i++) begin[i + 1] = m->begin[i + 1] - m->begin[i];
  for (int k = 0; k < m->share->count; k++)
    for (hk_count i = 0; i < m->coming[k].rows; i++)
      begin[m->coming[k].word[2 * i] + 1] += m->coming[k].word[2 * i + 1];
  for (hk_index i = 0; i < a->rows; i++) begin[i + 1] += begin[i];
  for (hk_index i = 0; i < a->rows; i++)
    copy_row(a, m->begin[i], m->begin[i + 1] - m->begin[i], out, begin[i]);
  for (int k = 0; k < m->share->count; k++) put_rows(&m->coming[k], out);
  return HK_OK;
}

hk_status hk_shared_send(const hk_sharing *share, hk_device *device, const hk_row_list *list,
                         hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  moving m = {.share = share, .list = list, .a = a};
  hk_galerkin_matrix merged = {0};
  HK_TRY(hk_ranks_agree(begin_moving(&m)));
  HK_TRY(hk_sharing_collect(share, m.amount, 2 * share->count, m.amount + 2LL * share->count));
  HK_TRY(hk_ranks_agree(pack_all(&m)));
  HK_TRY(swap(&m));
  HK_TRY(merge(&m, device, &merged));
  hk_galerkin_clear(a);
  *a = merged, merged = (hk_galerkin_matrix){0};
cleanup:
  hk_galerkin_clear(&merged);
  hk_pool_clear(&m.pool);
  return status;
}

static hk_status list_own(const hk_sharing *share, hk_pool *pool, hk_row_list **list)
{
  const hk_index first = hk_sharing_first(share), count = hk_sharing_end(share) - first;
  hk_index *row;
  HK_PASS(hk_pool_get(pool, list, share->count));
  HK_PASS(hk_pool_get(pool, &row, count));
  for (hk_index i = 0; i < count; i++) row[i] = first + i;
  for (int k = 0; k < share->count; k++) (*list)[k] = (hk_row_list){count, row};
  return HK_OK;
}

hk_status hk_shared_gather(const hk_sharing *share, hk_device *device, hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_row_list *list = NULL;
  HK_TRY(hk_ranks_agree(list_own(share, &pool, &list)));
  HK_TRY(hk_shared_send(share, device, list, a));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static bool has_column(const hk_galerkin_matrix *p, hk_index row, hk_index first, hk_index end)
{
  const int64_t *begin = hk_buffer_host(p->begin);
  const int32_t *column = hk_buffer_host(p->column);
  for (hk_count e = begin[row]; e < begin[row + 1]; e++)
    if (column[e] >= first && column[e] < end) return true;
  return false;
}

hk_status hk_shared_by_columns(const hk_sharing *rows, const hk_sharing *columns,
                               const hk_galerkin_matrix *p, hk_pool *pool, hk_row_list **list)
{
  const hk_index first = hk_sharing_first(rows), end = hk_sharing_end(rows);
  HK_PASS(hk_pool_get(pool, list, rows->count));
  for (int k = 0; k < rows->count; k++) {
    const hk_index low = columns->cut[k], high = columns->cut[k + 1];
    hk_index *row;
    hk_count count = 0;
    if (k == rows->rank) continue;
    for (hk_index i = first; i < end; i++) count += has_column(p, i, low, high);
    HK_PASS(hk_pool_get(pool, &row, count));
    (*list)[k] = (hk_row_list){count, row};
    for (hk_index i = first; i < end; i++)
      if (has_column(p, i, low, high)) *row++ = i;
  }
  return HK_OK;
}

hk_status hk_shared_halo(const hk_sharing *columns, const hk_galerkin_matrix *a, hk_count bytes,
                         hk_halo **out)
{
  hk_status status = HK_OK;
  const int32_t *column = hk_buffer_host(a->column);
  uint8_t *needed = NULL;
  HK_TRY(hk_ranks_agree(hk_get(&needed, a->columns)));
  for (hk_count e = 0; e < a->entries; e++) needed[column[e]] = 1;
  HK_TRY(hk_halo_create(columns, needed, bytes, out));
cleanup:
  hk_free(&needed);
  return status;
}
