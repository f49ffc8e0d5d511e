/* Cuts the numbering into runs, one for each rank, and moves rows between ranks. A swap posts all that comes, then all that goes, and waits for both, in pieces
 * that MPI can count. */
#include "link/sharing.h"
#include <string.h>

enum { TAG = 3 };

static hk_status begin(hk_ranks *ranks, hk_sharing *s)
{
  s->ranks = ranks, s->rank = ranks->place.rank, s->count = ranks->place.ranks;
  HK_PASS(hk_pool_get(&s->pool, &s->cut, s->count + 1));
  return hk_pool_get(&s->pool, &s->request, 2LL * s->count);
}

hk_status hk_sharing_create_at(hk_ranks *ranks, const hk_index *cut, hk_sharing **out)
{
  hk_status status = HK_OK;
  hk_sharing *s = NULL;
  HK_TRY(hk_new(&s));
  HK_TRY(begin(ranks, s));
  memcpy(s->cut, cut, ((size_t)s->count + 1) * sizeof *cut);
  *out = s, s = NULL;
cleanup:
  hk_sharing_destroy(&s);
  return status;
}

hk_status hk_sharing_create(hk_ranks *ranks, hk_index nodes, hk_sharing **out)
{
  hk_status status = HK_OK;
  const hk_count units = ((hk_count)nodes + HK_SHARING_UNIT - 1) / HK_SHARING_UNIT;
  hk_sharing *s = NULL;
  HK_TRY(hk_new(&s));
  HK_TRY(begin(ranks, s));
  for (int k = 0; k <= s->count; k++) {
    const hk_count at = units * k / s->count * HK_SHARING_UNIT;
    s->cut[k] = at < nodes ? (hk_index)at : nodes;
  }
  *out = s, s = NULL;
cleanup:
  hk_sharing_destroy(&s);
  return status;
}

void hk_sharing_destroy(hk_sharing **share)
{
  if (!*share) return;
  hk_pool_clear(&(*share)->pool);
  hk_free(share);
}

int hk_sharing_owner(const hk_sharing *s, hk_index node)
{
  int low = 0, high = s->count; /* cut[low] <= node < cut[high] */
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (s->cut[middle] <= node)
      low = middle;
    else
      high = middle;
  }
  return low;
}

hk_share_groups hk_sharing_groups_of(const hk_sharing *s, int rank, int components, int per,
                                     hk_count groups)
{
  const hk_index nodes = s->cut[s->count];
  const hk_count first = (hk_count)s->cut[rank] * components / per,
                 end = s->cut[rank + 1] == nodes ? groups
                                                 : (hk_count)s->cut[rank + 1] * components / per;
  return s->cut[rank] == s->cut[rank + 1] ? (hk_share_groups){first, 0}
                                          : (hk_share_groups){first, end - first};
}

hk_share_groups hk_sharing_cover(const hk_sharing *s, int per, hk_count groups)
{
  if (!s) return (hk_share_groups){0, groups};
  const hk_index low = hk_sharing_first(s), high = hk_sharing_end(s);
  const hk_count first = low / per, end = high == s->cut[s->count] ? groups : (high - 1) / per + 1;
  return (hk_share_groups){first, low < high ? end - first : 0};
}

static int piece_of(const hk_mail *mail, hk_count at)
{
  const hk_count left = mail->bytes - at;
  return (int)(left < HK_MPI_MOST ? left : HK_MPI_MOST);
}

/* The pieces of all mails from byte `at` on; *more: there are some behind them. */
static hk_status swap_pieces(const hk_sharing *s, const hk_mail *send, const hk_mail *take,
                             hk_count at, bool *more)
{
  hk_ranks *r = s->ranks;
  hk_mpi_request *going = s->request, *coming = s->request + s->count;
  *more = false;
  for (int k = 0; k < s->count; k++)
    if (k != s->rank && take[k].bytes > at)
      HK_PASS(hk_ranks_check(
          r, r->mpi->take((char *)take[k].data + at, piece_of(&take[k], at), k, TAG, &coming[k]),
          "receiving rows"));
  for (int k = 0; k < s->count; k++)
    if (k != s->rank && send[k].bytes > at)
      HK_PASS(hk_ranks_check(r,
                             r->mpi->send((const char *)send[k].data + at, 1,
                                          piece_of(&send[k], at), 0, k, TAG, &going[k]),
                             "sending rows"));
  for (int k = 0; k < s->count; k++) {
    if (k == s->rank) continue;
    if (take[k].bytes > at) HK_PASS(hk_ranks_wait(r, &coming[k], "the rows", k));
    if (send[k].bytes > at) HK_PASS(hk_ranks_wait(r, &going[k], "the arrival of rows", k));
    *more = *more || take[k].bytes - at > HK_MPI_MOST || send[k].bytes - at > HK_MPI_MOST;
  }
  return HK_OK;
}

hk_status hk_sharing_swap(const hk_sharing *s, const hk_mail *send, const hk_mail *take)
{
  bool more = true;
  if (s->ranks->torn || s->ranks->failure.status != HK_OK) return hk_ranks_agree(HK_STOPPED);
  for (hk_count at = 0; more; at += HK_MPI_MOST)
    HK_PASS(hk_ranks_tear(s->ranks, swap_pieces(s, send, take, at, &more)));
  return HK_OK;
}

hk_status hk_sharing_collect(const hk_sharing *s, const hk_count *own, int values, hk_count *all)
{
  return hk_ranks_collect(s->ranks, own, values * (int)sizeof *own, all);
}

/* Room for the heads of mails to and from all. */
static hk_status get_heads(const hk_sharing *s, hk_pool *pool, hk_mail **send, hk_mail **take)
{
  HK_PASS(hk_pool_get(pool, send, s->count));
  return hk_pool_get(pool, take, s->count);
}

hk_status hk_sharing_gather(const hk_sharing *s, void *values, hk_count bytes)
{
  hk_status status = HK_OK;
  char *at = values;
  hk_pool pool = {0};
  hk_mail *send, *take;
  HK_TRY(hk_ranks_agree(get_heads(s, &pool, &send, &take)));
  for (int k = 0; k < s->count; k++) {
    send[k] = (hk_mail){at + hk_sharing_first(s) * bytes,
                        (hk_sharing_end(s) - hk_sharing_first(s)) * bytes};
    take[k] = (hk_mail){at + s->cut[k] * bytes, (s->cut[k + 1] - s->cut[k]) * bytes};
  }
  HK_TRY(hk_sharing_swap(s, send, take));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Through a copy, where the buffer is not the host's memory. */
static hk_status gather_copy(const hk_sharing *s, hk_buffer *values, hk_count bytes)
{
  hk_status status = HK_OK;
  const hk_count all = s->cut[s->count] * bytes, first = hk_sharing_first(s) * bytes;
  char *copy = NULL;
  status = hk_memory_get((void **)&copy, all, 1);
  if (status == HK_OK)
    status = hk_buffer_read(values, first, hk_sharing_end(s) * bytes - first, copy + first);
  HK_TRY(hk_ranks_agree(status));
  HK_TRY(hk_sharing_gather(s, copy, bytes));
  HK_TRY(hk_buffer_write(values, 0, all, copy));
cleanup:
  hk_memory_free((void **)&copy);
  return status;
}

hk_status hk_sharing_gather_buffer(const hk_sharing *s, hk_buffer *values, hk_count bytes)
{
  void *host = hk_buffer_host(values);
  return host ? hk_sharing_gather(s, host, bytes) : gather_copy(s, values, bytes);
}
