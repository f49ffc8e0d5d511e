/* Halos: each rank learns which of its nodes the others read, and sends their values on request. Values are packed behind one another, rank by rank: by the processor
 * from and into vectors that it can address, else by kernels of the device (halo.k.h), which fetch them into pinned memory, from which MPI sends. What comes is
 * written to the device in one piece. By the links nccl and mpi-device packed values go from device to device. */
#include "device/fetch.h"
#include "device/wire.h"
#include "link/sharing.h"
#include <string.h>

enum { CHUNK = 1024, WORD = 4 };

struct hk_halo_end { /* of a device with a memory of its own */
  hk_device *device;
  hk_kernel *pack, *unpack;
  hk_buffer *send, *take; /* nodes, as the halo has them */
  hk_buffer *going, *coming;
  hk_fetch *fetch;
  const hk_links *links;    /* of the ranks; NULL: none */
  hk_wire_piece *put, *get; /* [count]: of the link nccl */
};

/* The nodes that are needed, by ranks. */
static hk_status list_taken(const uint8_t *needed, hk_halo *h)
{
  const hk_sharing *s = h->share;
  hk_count count = 0;
  for (hk_index i = 0; i < s->cut[s->count]; i++) count += needed[i] && !hk_sharing_owns(s, i);
  HK_PASS(hk_pool_get(&h->pool, &h->take, count));
  count = 0;
  for (int k = 0; k < s->count; k++) {
    for (hk_index i = s->cut[k]; k != s->rank && i < s->cut[k + 1]; i++)
      if (needed[i]) h->take[count++] = i;
    h->take_begin[k + 1] = count;
  }
  return HK_OK;
}

static hk_status get_lists(hk_halo *h, const uint8_t *needed, hk_count **wanted)
{
  const int count = h->share->count;
  HK_PASS(hk_pool_get(&h->pool, &h->take_begin, count + 1));
  HK_PASS(hk_pool_get(&h->pool, &h->send_begin, count + 1));
  HK_PASS(hk_pool_get(&h->pool, &h->going, count));
  HK_PASS(hk_pool_get(&h->pool, &h->coming, count));
  HK_PASS(hk_pool_get(&h->pool, wanted, (hk_count)count * (count + 1)));
  HK_PASS(list_taken(needed, h));
  for (int k = 0; k < count; k++) (*wanted)[k] = h->take_begin[k + 1] - h->take_begin[k];
  return HK_OK;
}

static hk_count larger(hk_count a, hk_count b)
{
  return a > b ? a : b;
}

static hk_status get_mail(hk_halo *h, const hk_count *wanted)
{
  const hk_sharing *s = h->share;
  for (int k = 0; k < s->count; k++)
    h->send_begin[k + 1] = h->send_begin[k] + wanted[(k + 1) * s->count + s->rank];
  HK_PASS(hk_pool_get(&h->pool, &h->send, h->send_begin[s->count]));
  return hk_pool_get(&h->pool, &h->mail,
                     (h->take_begin[s->count] + h->send_begin[s->count]) *
                         larger(h->bytes, sizeof(hk_index)));
}

/* Where the mails of nodes of so many bytes lie. */
static void address(const hk_halo *h, char *going, char *coming, hk_count bytes)
{
  for (int k = 0; k < h->share->count; k++) {
    h->going[k] = (hk_mail){going + h->send_begin[k] * bytes,
                            (h->send_begin[k + 1] - h->send_begin[k]) * bytes};
    h->coming[k] = (hk_mail){coming + h->take_begin[k] * bytes,
                             (h->take_begin[k + 1] - h->take_begin[k]) * bytes};
  }
}

/* Each rank learns which of its nodes the others want. */
static hk_status tell_wishes(const hk_halo *h)
{
  const int count = h->share->count;
  for (int k = 0; k < count; k++) {
    h->going[k] = (hk_mail){h->take + h->take_begin[k],
                            (h->take_begin[k + 1] - h->take_begin[k]) * (hk_count)sizeof *h->take};
    h->coming[k] = (hk_mail){h->send + h->send_begin[k],
                             (h->send_begin[k + 1] - h->send_begin[k]) * (hk_count)sizeof *h->send};
  }
  return hk_sharing_swap(h->share, h->going, h->coming);
}

static hk_status get_kernel(hk_halo *h, hk_device *device, const char *function, hk_kernel **out)
{
  return hk_kernel_get(
      &h->pool, device,
      &(hk_kernel_desc){.text = "halo", .function = function, .define = {{"CHUNK", CHUNK}}}, out);
}

/* After the lists are known. Nothing for a device whose vectors the host can address. */
static hk_status create_end(hk_halo *h, hk_device *device)
{
  const hk_count sent = h->send_begin[h->share->count], taken = h->take_begin[h->share->count];
  hk_halo_end *e;
  if (!hk_device_describe(device)->own_memory) return HK_OK;
  HK_PASS(hk_pool_get(&h->pool, &e, 1));
  h->end = e, e->device = device;
  HK_PASS(hk_buffer_send(&h->pool, device, sent * (hk_count)sizeof *h->send, h->send, &e->send));
  HK_PASS(hk_buffer_send(&h->pool, device, taken * (hk_count)sizeof *h->take, h->take, &e->take));
  HK_PASS(hk_buffer_get(&h->pool, device, sent * h->bytes, &e->going));
  HK_PASS(hk_buffer_get(&h->pool, device, taken * h->bytes, &e->coming));
  e->links = hk_ranks_links(h->share->ranks);
  HK_PASS(hk_pool_get(&h->pool, &e->put, h->share->count));
  HK_PASS(hk_pool_get(&h->pool, &e->get, h->share->count));
  if (sent) HK_PASS(hk_fetch_create(device, sent * h->bytes, &e->fetch));
  HK_PASS(get_kernel(h, device, "halo_pack", &e->pack));
  return get_kernel(h, device, "halo_unpack", &e->unpack);
}

hk_status hk_halo_create(const hk_sharing *share, hk_device *device, const uint8_t *needed,
                         hk_count bytes, hk_halo **out)
{
  hk_status status = HK_OK;
  hk_halo *h = NULL;
  hk_count *wanted = NULL;
  status = hk_new(&h);
  if (status == HK_OK) {
    h->share = share, h->bytes = bytes;
    status = get_lists(h, needed, &wanted);
  }
  HK_TRY(hk_ranks_agree(status));
  HK_TRY(hk_sharing_collect(share, wanted, share->count, wanted + share->count));
  HK_TRY(hk_ranks_agree(get_mail(h, wanted)));
  HK_TRY(tell_wishes(h));
  HK_TRY(hk_ranks_agree(create_end(h, device)));
  *out = h, h = NULL;
cleanup:
  hk_halo_destroy(&h);
  return status;
}

void hk_halo_destroy(hk_halo **halo)
{
  if (!*halo) return;
  if ((*halo)->end) hk_fetch_destroy(&(*halo)->end->fetch);
  hk_pool_clear(&(*halo)->pool);
  hk_free(halo);
}

static hk_status exchange_here(const hk_halo *h, char *value, hk_count bytes)
{
  const hk_count sent = h->send_begin[h->share->count], taken = h->take_begin[h->share->count];
  char *coming = h->mail + sent * bytes;
  address(h, h->mail, coming, bytes);
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < sent; i++)
    memcpy(h->mail + i * bytes, value + h->send[i] * bytes, (size_t)bytes);
  HK_PASS(hk_sharing_swap(h->share, h->going, h->coming));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < taken; i++)
    memcpy(value + h->take[i] * bytes, coming + i * bytes, (size_t)bytes);
  return HK_OK;
}

/* `count` nodes of so many words. */
static hk_status launch(hk_kernel *kernel, hk_buffer *vector, const hk_buffer *list,
                        hk_buffer *mail, hk_count count, hk_count words)
{
  return hk_kernel_launch(kernel, 0, (count * words + CHUNK - 1) / CHUNK,
                          HK_ARGUMENTS(vector, list, mail, (hk_index)count, (int32_t)words));
}

static hk_status launch_pack(const hk_halo *h, hk_buffer *vector, hk_count bytes)
{
  const hk_halo_end *e = h->end;
  const hk_count sent = h->send_begin[h->share->count];
  return sent ? launch(e->pack, vector, e->send, e->going, sent, bytes / WORD) : HK_OK;
}

static hk_status launch_unpack(const hk_halo *h, hk_buffer *vector, hk_count bytes)
{
  const hk_halo_end *e = h->end;
  const hk_count taken = h->take_begin[h->share->count];
  return taken ? launch(e->unpack, vector, e->take, e->coming, taken, bytes / WORD) : HK_OK;
}

/* *data: what goes. */
static hk_status pack(const hk_halo *h, hk_buffer *vector, hk_count bytes, const void **data)
{
  const hk_halo_end *e = h->end;
  const hk_count sent = h->send_begin[h->share->count];
  if (!sent) return HK_OK;
  HK_PASS(launch_pack(h, vector, bytes));
  HK_PASS(hk_fetch_begin(e->fetch, 0, e->going, 0, sent * bytes));
  return hk_fetch_wait(e->fetch, data);
}

static hk_status unpack(const hk_halo *h, hk_buffer *vector, hk_count bytes)
{
  const hk_halo_end *e = h->end;
  const hk_count taken = h->take_begin[h->share->count];
  if (!taken) return HK_OK;
  HK_PASS(hk_buffer_write(e->coming, 0, taken * bytes, h->mail));
  return launch_unpack(h, vector, bytes);
}

/* By nccl: launches alone. */
static hk_status send_by_wire(const hk_halo *h, hk_wire *wire, hk_count bytes)
{
  const hk_halo_end *e = h->end;
  const int count = h->share->count;
  for (int k = 0; k < count; k++) {
    e->put[k] = (hk_wire_piece){e->going, h->send_begin[k] * bytes,
                                (h->send_begin[k + 1] - h->send_begin[k]) * bytes, k};
    e->get[k] = (hk_wire_piece){e->coming, h->take_begin[k] * bytes,
                                (h->take_begin[k + 1] - h->take_begin[k]) * bytes, k};
  }
  return hk_wire_exchange(wire, e->put, count, e->get, count);
}

/* By an MPI that reaches the memory of the device. */
static hk_status send_by_mpi(const hk_halo *h, hk_count bytes)
{
  const hk_halo_end *e = h->end;
  HK_PASS(hk_device_finish(e->device));
  address(h, hk_buffer_address(e->going).memory, hk_buffer_address(e->coming).memory, bytes);
  return hk_sharing_swap(h->share, h->going, h->coming);
}

static hk_status exchange_direct(const hk_halo *h, hk_buffer *vector, hk_count bytes)
{
  hk_ranks *r = h->share->ranks;
  hk_wire *wire = hk_links_wire(h->end->links);
  if (r->torn || r->failure.status != HK_OK) return hk_ranks_agree(HK_STOPPED);
  HK_PASS(hk_ranks_tear(r, launch_pack(h, vector, bytes)));
  HK_PASS(hk_ranks_tear(r, wire ? send_by_wire(h, wire, bytes) : send_by_mpi(h, bytes)));
  return hk_ranks_tear(r, launch_unpack(h, vector, bytes));
}

/* The others wait for the rows of a rank whose device fails. */
static hk_status exchange_there(const hk_halo *h, hk_buffer *vector, hk_count bytes)
{
  const void *data = NULL;
  const hk_links *links = h->end->links;
  if (links && links->kind != &hk_link_mpi) return exchange_direct(h, vector, bytes);
  HK_PASS(hk_ranks_tear(h->share->ranks, pack(h, vector, bytes, &data)));
  address(h, (char *)data, h->mail, bytes); /* mails that go are read alone */
  HK_PASS(hk_sharing_swap(h->share, h->going, h->coming));
  return hk_ranks_tear(h->share->ranks, unpack(h, vector, bytes));
}

hk_status hk_halo_exchange(const hk_halo *h, hk_buffer *vector, hk_count bytes)
{
  return h->end ? exchange_there(h, vector, bytes)
                : exchange_here(h, hk_buffer_host(vector), bytes);
}
