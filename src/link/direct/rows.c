/* Packs the rows that each neighbour reads into a buffer of its own, and unpacks what has come from it into its ghosts (pack.k.h). */
#include "link/direct/direct.h"

enum { CHUNK = 1024 };

static hk_count node_of(const hk_link_side *s)
{
  return (hk_count)s->components * (s->double_precision ? 8 : 4);
}

static hk_index sent_to(const hk_link_side *s, int k)
{
  return s->send_begin[k + 1] - s->send_begin[k];
}

static hk_status get_kernel(const hk_link_side *s, hk_pool *pool, const char *function,
                            hk_kernel **out)
{
  return hk_kernel_get(pool, s->device,
                       &(hk_kernel_desc){.text = "pack",
                                         .function = function,
                                         .double_precision = s->double_precision,
                                         .define = {{"CHUNK", CHUNK}}},
                       out);
}

static hk_status get_buffers(const hk_link_side *s, int places, int k, hk_link_rows *r)
{
  const int n = s->neighbours;
  r->going[k] = sent_to(s, k) * node_of(s) * s->shots;
  r->coming[k] = hk_link_ghosts(s, k) * node_of(s) * s->shots;
  HK_NEED(r->going[k] <= HK_MPI_MOST && r->coming[k] <= HK_MPI_MOST, HK_NO_RESOURCES,
          "the rows between two ranks are more than 1 GB: give more ranks, or fewer shots");
  HK_PASS(hk_buffer_send(&r->pool, s->device, (hk_count)sent_to(s, k) * 4,
                         s->send + s->send_begin[k], &r->list[k]));
  for (int place = 0; place < places; place++) {
    HK_PASS(hk_buffer_get(&r->pool, s->device, r->going[k], &r->packed[place * n + k]));
    HK_PASS(hk_buffer_get(&r->pool, s->device, r->coming[k], &r->mail[place * n + k]));
  }
  return HK_OK;
}

hk_status hk_link_rows_create(const hk_link_side *s, int places, hk_link_rows *out)
{
  const int n = s->neighbours;
  HK_PASS(hk_pool_get(&out->pool, &out->list, n));
  HK_PASS(hk_pool_get(&out->pool, &out->packed, (hk_count)n * places));
  HK_PASS(hk_pool_get(&out->pool, &out->mail, (hk_count)n * places));
  HK_PASS(hk_pool_get(&out->pool, &out->going, n));
  HK_PASS(hk_pool_get(&out->pool, &out->coming, n));
  for (int k = 0; k < n; k++) HK_PASS(get_buffers(s, places, k, out));
  HK_PASS(get_kernel(s, &out->pool, "link_pack", &out->pack));
  return get_kernel(s, &out->pool, "link_unpack", &out->unpack);
}

void hk_link_rows_clear(hk_link_rows *rows)
{
  hk_pool_clear(&rows->pool);
}

static hk_count groups_of(const hk_link_side *s, hk_index count)
{
  return ((hk_count)count * s->components * s->shots + CHUNK - 1) / CHUNK;
}

hk_status hk_link_rows_pack(const hk_link_rows *r, const hk_link_side *s, int place,
                            hk_buffer *vector)
{
  hk_buffer *const *packed = r->packed + (hk_count)place * s->neighbours;
  for (int k = 0; k < s->neighbours; k++)
    if (sent_to(s, k))
      HK_PASS(hk_kernel_launch(r->pack, 0, groups_of(s, sent_to(s, k)),
                               HK_ARGUMENTS(vector, r->list[k], packed[k], sent_to(s, k),
                                            s->components, s->shots, s->padded)));
  return HK_OK;
}

hk_status hk_link_rows_unpack(const hk_link_rows *r, const hk_link_side *s, int place,
                              hk_buffer *vector)
{
  hk_buffer *const *mail = r->mail + (hk_count)place * s->neighbours;
  for (int k = 0; k < s->neighbours; k++) {
    const hk_index count = hk_link_ghosts(s, k), more = s->more_begin ? s->more_begin[k] : 0;
    if (count)
      HK_PASS(
          hk_kernel_launch(r->unpack, 0, groups_of(s, count),
                           HK_ARGUMENTS(vector, mail[k], count, s->components, s->shots, s->padded,
                                        s->take_begin[k], hk_link_taken(s, k), more)));
  }
  return HK_OK;
}
