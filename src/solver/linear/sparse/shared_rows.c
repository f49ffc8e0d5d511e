/* Moves rows of sparse matrices between ranks. A parcel for a rank is a list of words, number and length of each row, then the columns of all of them, and a list of blocks.
 * Amounts go first, then words, then blocks; own rows and those that came are merged in their order. The host knows where rows begin; the device moves them, run by run
 * (hk_galerkin_move). Columns of a row are ascending. */
#include "solver/linear/sparse/shared_rows.h"
#include <string.h>

typedef struct parcel {
  hk_count rows, entries;
  int32_t *word; /* [2 * rows + entries] */
  double *block;
} parcel;

typedef struct moving {
  const hk_sharing *share;
  hk_galerkin_tools *tools;
  const hk_row_list *list;
  const hk_galerkin_matrix *a;
  int64_t *begin;
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

/* begin[rows + 1] of a, of the pool. */
static hk_status read_begin(const hk_galerkin_matrix *a, hk_pool *pool, int64_t **begin)
{
  HK_PASS(hk_pool_get(pool, begin, (hk_count)a->rows + 1));
  return hk_buffer_read(a->begin, 0, ((hk_count)a->rows + 1) * 8, *begin);
}

static hk_status write_begin(const hk_galerkin_matrix *a, const int64_t *begin)
{
  return hk_buffer_write(a->begin, 0, ((hk_count)a->rows + 1) * 8, begin);
}

/* Entries that lie together in a matrix, and will in another. */
typedef struct run {
  int64_t from, to, length;
} run;
typedef HK_LIST(run) runs;

/* The list has room. Runs that follow each other are one, unless few threads would have much to move. */
static void add_run(runs *list, hk_count from, hk_count to, hk_count length)
{
  enum { LONG = 64 };
  run *last = list->count ? &list->at[list->count - 1] : NULL;
  if (last && last->length + length <= LONG && last->from + last->length == from &&
      last->to + last->length == to)
    last->length += length;
  else if (length)
    list->at[list->count++] = (run){from, to, length};
}

/* Entries of `from` to places of `to`. */
static hk_status move(hk_galerkin_tools *tools, const runs *list, const hk_galerkin_matrix *from,
                      hk_galerkin_matrix *to)
{
  hk_status status = HK_OK;
  hk_buffer *sent = NULL;
  if (!list->count) return HK_OK;
  HK_TRY(hk_buffer_create(tools->device, list->count * (hk_count)sizeof *list->at, &sent));
  HK_TRY(hk_buffer_write(sent, 0, hk_buffer_bytes(sent), list->at));
  HK_TRY(hk_galerkin_move(tools, sent, list->count, from, to));
cleanup:
  hk_buffer_destroy(&sent);
  return status;
}

/* A list with room for so many runs, of the pool. */
static hk_status get_runs(hk_pool *pool, hk_count room, runs *out)
{
  *out = (runs){0};
  return hk_pool_get(pool, &out->at, room);
}

hk_status hk_shared_copy(hk_galerkin_tools *tools, const hk_galerkin_matrix *from,
                         hk_galerkin_matrix *to)
{
  HK_PASS(create(tools->device, from, from->entries, to));
  HK_PASS(hk_buffer_copy(to->begin, from->begin));
  HK_PASS(hk_buffer_copy(to->column, from->column));
  return hk_buffer_copy(to->block, from->block);
}

/* `own`, whose rows are begin, of the runs of a, takes the place of a. */
static hk_status replace(hk_galerkin_tools *tools, const runs *list, const int64_t *begin,
                         hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  hk_galerkin_matrix own = {0};
  HK_TRY(create(tools->device, a, begin[a->rows], &own));
  HK_TRY(write_begin(&own, begin));
  HK_TRY(move(tools, list, a, &own));
  hk_galerkin_clear(a);
  *a = own, own = (hk_galerkin_matrix){0};
cleanup:
  hk_galerkin_clear(&own);
  return status;
}

hk_status hk_shared_keep(hk_galerkin_tools *tools, hk_index first, hk_index end,
                         hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  int64_t *begin;
  runs list;
  HK_TRY(read_begin(a, &pool, &begin));
  HK_TRY(get_runs(&pool, end - first, &list));
  const hk_count low = begin[first], high = begin[end];
  for (hk_index i = first; i < end; i++)
    add_run(&list, begin[i], begin[i] - low, begin[i + 1] - begin[i]);
  for (hk_index i = 0; i <= a->rows; i++)
    begin[i] = (begin[i] < low ? low : begin[i] > high ? high : begin[i]) - low;
  HK_TRY(replace(tools, &list, begin, a));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* span[rows][2] of a (hk_galerkin_spans), of the pool. */
static hk_status read_spans(hk_galerkin_tools *tools, const hk_galerkin_matrix *a, hk_index low,
                            hk_index high, hk_pool *pool, int32_t (**span)[2])
{
  hk_status status = HK_OK;
  hk_buffer *found = NULL;
  const hk_count bytes = (hk_count)a->rows * (hk_count)sizeof **span;
  HK_TRY(hk_pool_get(pool, span, a->rows));
  HK_TRY(hk_buffer_create(tools->device, bytes, &found));
  HK_TRY(hk_galerkin_spans(tools, a, low, high, found));
  HK_TRY(hk_buffer_read(found, 0, bytes, *span));
cleanup:
  hk_buffer_destroy(&found);
  return status;
}

hk_status hk_shared_keep_columns(hk_galerkin_tools *tools, hk_index first, hk_index end,
                                 hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  int64_t *begin, *own;
  int32_t(*span)[2];
  runs list;
  HK_TRY(read_begin(a, &pool, &begin));
  HK_TRY(read_spans(tools, a, first, end, &pool, &span));
  HK_TRY(hk_pool_get(&pool, &own, (hk_count)a->rows + 1));
  HK_TRY(get_runs(&pool, a->rows, &list));
  for (hk_index i = 0; i < a->rows; i++) {
    add_run(&list, begin[i] + span[i][0], own[i], span[i][1]);
    own[i + 1] = own[i] + span[i][1];
  }
  HK_TRY(replace(tools, &list, own, a));
cleanup:
  hk_pool_clear(&pool);
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
  HK_PASS(read_begin(m->a, &m->pool, &m->begin));
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

/* Columns and blocks of the rows are brought together on the device, and read. */
static hk_status read_rows(const moving *m, const runs *list, const parcel *p)
{
  hk_status status = HK_OK;
  hk_galerkin_matrix packed = {0};
  if (!p->entries) return HK_OK;
  HK_TRY(create(m->tools->device, m->a, p->entries, &packed));
  HK_TRY(move(m->tools, list, m->a, &packed));
  HK_TRY(hk_buffer_read(packed.column, 0, p->entries * 4, p->word + 2 * p->rows));
  HK_TRY(hk_buffer_read(packed.block, 0, p->entries * size_of(m->a) * 8, p->block));
cleanup:
  hk_galerkin_clear(&packed);
  return status;
}

static hk_status pack(const moving *m, const hk_row_list *list, const parcel *p)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  runs of;
  hk_count at = 0;
  HK_TRY(get_runs(&pool, p->rows, &of));
  for (hk_count i = 0; i < p->rows; i++) {
    const hk_index row = list->row[i];
    const hk_count count = m->begin[row + 1] - m->begin[row];
    p->word[2 * i] = row, p->word[2 * i + 1] = (int32_t)count;
    add_run(&of, m->begin[row], at, count);
    at += count;
  }
  HK_TRY(read_rows(m, &of, p));
cleanup:
  hk_pool_clear(&pool);
  return status;
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
    HK_PASS(pack(m, &m->list[k], p));
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

/* The rows of p, whose entries lie behind one another, to their places in `to`. */
static hk_status put_rows(const moving *m, const parcel *p, const int64_t *begin,
                          hk_galerkin_matrix *to)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_galerkin_matrix packed = {0};
  runs list;
  hk_count at = 0;
  if (!p->entries) return HK_OK;
  HK_TRY(get_runs(&pool, p->rows, &list));
  for (hk_count i = 0; i < p->rows; i++) {
    add_run(&list, at, begin[p->word[2 * i]], p->word[2 * i + 1]);
    at += p->word[2 * i + 1];
  }
  HK_TRY(create(m->tools->device, to, p->entries, &packed));
  HK_TRY(hk_buffer_write(packed.column, 0, p->entries * 4, p->word + 2 * p->rows));
  HK_TRY(hk_buffer_write(packed.block, 0, p->entries * size_of(to) * 8, p->block));
  HK_TRY(move(m->tools, &list, &packed, to));
cleanup:
  hk_galerkin_clear(&packed);
  hk_pool_clear(&pool);
  return status;
}

/* begin[rows + 1] of own rows and those that came. */
static void find_begin(const moving *m, int64_t *begin)
{
  const hk_index rows = m->a->rows;
  for (hk_index i = 0; i < rows; i++) begin[i + 1] = m->begin[i + 1] - m->begin[i];
  for (int k = 0; k < m->share->count; k++)
    for (hk_count i = 0; i < m->coming[k].rows; i++)
      begin[m->coming[k].word[2 * i] + 1] += m->coming[k].word[2 * i + 1];
  for (hk_index i = 0; i < rows; i++) begin[i + 1] += begin[i];
}

/* *out: own rows and those that came. */
static hk_status merge(moving *m, hk_galerkin_matrix *out)
{
  const hk_galerkin_matrix *a = m->a;
  int64_t *begin;
  runs list;
  HK_PASS(hk_pool_get(&m->pool, &begin, (hk_count)a->rows + 1));
  HK_PASS(get_runs(&m->pool, a->rows, &list));
  find_begin(m, begin);
  HK_PASS(create(m->tools->device, a, begin[a->rows], out));
  HK_PASS(write_begin(out, begin));
  for (hk_index i = 0; i < a->rows; i++)
    add_run(&list, m->begin[i], begin[i], m->begin[i + 1] - m->begin[i]);
  HK_PASS(move(m->tools, &list, a, out));
  for (int k = 0; k < m->share->count; k++) HK_PASS(put_rows(m, &m->coming[k], begin, out));
  return HK_OK;
}

hk_status hk_shared_send(const hk_sharing *share, hk_galerkin_tools *tools, const hk_row_list *list,
                         hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  moving m = {.share = share, .tools = tools, .list = list, .a = a};
  hk_galerkin_matrix merged = {0};
  HK_TRY(hk_ranks_agree(begin_moving(&m)));
  HK_TRY(hk_sharing_collect(share, m.amount, 2 * share->count, m.amount + 2LL * share->count));
  HK_TRY(hk_ranks_agree(pack_all(&m)));
  HK_TRY(swap(&m));
  HK_TRY(merge(&m, &merged));
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

hk_status hk_shared_gather(const hk_sharing *share, hk_galerkin_tools *tools, hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_row_list *list = NULL;
  HK_TRY(hk_ranks_agree(list_own(share, &pool, &list)));
  HK_TRY(hk_shared_send(share, tools, list, a));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Lists the own rows in [first, end) whose span is not empty. */
static hk_status list_rows(hk_index first, hk_index end, int32_t (*span)[2], hk_pool *pool,
                           hk_row_list *list)
{
  hk_index *row;
  hk_count count = 0;
  HK_PASS(hk_pool_get(pool, &row, end - first));
  for (hk_index i = first; i < end; i++)
    if (span[i][1]) row[count++] = i;
  *list = (hk_row_list){count, row};
  return HK_OK;
}

hk_status hk_shared_by_columns(const hk_sharing *rows, const hk_sharing *columns,
                               hk_galerkin_tools *tools, const hk_galerkin_matrix *p, hk_pool *pool,
                               hk_row_list **list)
{
  const hk_index first = hk_sharing_first(rows), end = hk_sharing_end(rows);
  HK_PASS(hk_pool_get(pool, list, rows->count));
  for (int k = 0; k < rows->count; k++) {
    hk_pool own = {0};
    int32_t(*span)[2];
    if (k == rows->rank) continue;
    hk_status status = read_spans(tools, p, columns->cut[k], columns->cut[k + 1], &own, &span);
    if (status == HK_OK) status = list_rows(first, end, span, pool, &(*list)[k]);
    hk_pool_clear(&own);
    HK_PASS(status);
  }
  return HK_OK;
}

/* need[columns], of the pool, is made on the device. */
static hk_status find_needed(hk_galerkin_tools *tools, const hk_galerkin_matrix *a, hk_pool *pool,
                             uint8_t **needed)
{
  hk_status status = HK_OK;
  const hk_count bytes = (hk_count)a->columns * (hk_count)sizeof(int32_t);
  hk_buffer *need = NULL;
  int32_t *mark;
  HK_TRY(hk_pool_get(pool, &mark, a->columns));
  HK_TRY(hk_pool_get(pool, needed, a->columns));
  HK_TRY(hk_buffer_create(tools->device, bytes, &need));
  HK_TRY(hk_galerkin_need(tools, a, need));
  HK_TRY(hk_buffer_read(need, 0, bytes, mark));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->columns; i++) (*needed)[i] = (uint8_t)mark[i];
cleanup:
  hk_buffer_destroy(&need);
  return status;
}

hk_status hk_shared_halo(const hk_sharing *columns, hk_galerkin_tools *tools,
                         const hk_galerkin_matrix *a, hk_count bytes, hk_halo **out)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  uint8_t *needed;
  HK_TRY(hk_ranks_agree(find_needed(tools, a, &pool, &needed)));
  HK_TRY(hk_halo_create(columns, tools->device, needed, bytes, out));
cleanup:
  hk_pool_clear(&pool);
  return status;
}
