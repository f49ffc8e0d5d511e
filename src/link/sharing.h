/* Rows of vectors shared out among ranks of MPI. Every rank numbers the whole model alike and has places for whole vectors, [nodes][..] in internal order;
 * rank k computes the nodes [cut[k], cut[k + 1]) of them, and gets what else it reads from the ranks that compute it. Cuts are multiples of
 * HK_SHARING_UNIT nodes, a granule of sums: kernels that sum by groups sum the same numbers in the same order for any number of ranks.
 *
 *   HK_TRY(hk_sharing_create(hk_ranks_now(), padded, &share));
 *   HK_TRY(hk_halo_create(share, device, needed, 24, &halo));
 *   ... rows of u computed here ...   HK_TRY(hk_halo_exchange(halo, u, 24));   ... u of the nodes that are needed ...
 *
 * All ranks make the same calls in the same order. Values of a device with a memory of its own go through that of the host, unless
 * the ranks have opened a link (hk_ranks_open_link). What fails while others wait tears the run
 * (link/ranks.h); functions that take memory agree first. */
#pragma once
#include "link/link.h"
#include "link/ranks.h"

enum { HK_SHARING_UNIT = 4096 };

typedef struct hk_sharing {
  hk_ranks *ranks; /* borrowed */
  int rank, count;
  hk_index *cut;           /* cut[count + 1]; some ranks may have nothing */
  hk_mpi_request *request; /* request[2 * count] */
  hk_pool pool;
} hk_sharing;

/* Nodes in runs of about equal length. */
hk_status hk_sharing_create(hk_ranks *ranks, hk_index nodes, hk_sharing **out);
/* The same with cuts that are given, cut[ranks + 1], multiples of nothing. */
hk_status hk_sharing_create_at(hk_ranks *ranks, const hk_index *cut, hk_sharing **out);
void hk_sharing_destroy(hk_sharing **share);

/* NULL: one process. */
static inline hk_status hk_sharing_agree(const hk_sharing *share, hk_status status)
{
  return share ? hk_ranks_agree(status) : status;
}
static inline hk_index hk_sharing_first(const hk_sharing *share)
{
  return share->cut[share->rank];
}
static inline hk_index hk_sharing_end(const hk_sharing *share)
{
  return share->cut[share->rank + 1];
}
static inline bool hk_sharing_owns(const hk_sharing *share, hk_index node)
{
  return node >= hk_sharing_first(share) && node < hk_sharing_end(share);
}
/* The rank that computes a node. */
int hk_sharing_owner(const hk_sharing *share, hk_index node);

typedef struct hk_share_groups { /* [first, first + count) */
  hk_count first, count;
} hk_share_groups;
/* Of `groups` of a kernel, each of `per` numbers where a node has `components`, those of a rank. */
hk_share_groups hk_sharing_groups_of(const hk_sharing *share, int rank, int components, int per,
                                     hk_count groups);
/* Those of this rank; all of them where share is NULL. */
static inline hk_share_groups hk_sharing_groups(const hk_sharing *share, int components, int per,
                                                hk_count groups)
{
  return share ? hk_sharing_groups_of(share, share->rank, components, per, groups)
               : (hk_share_groups){0, groups};
}

/* Groups of `per` nodes that have any node of this rank, also where cuts lie inside of groups; all of them where share is NULL. */
hk_share_groups hk_sharing_cover(const hk_sharing *share, int per, hk_count groups);

typedef struct hk_mail { /* of or for one rank */
  void *data;
  hk_count bytes;
} hk_mail;
/* send[count] goes, take[count] comes, both sides knowing how much; to itself nothing. */
hk_status hk_sharing_swap(const hk_sharing *share, const hk_mail *send, const hk_mail *take);
/* all[count][values] = own[values] of each, behind an agreement. */
hk_status hk_sharing_collect(const hk_sharing *share, const hk_count *own, int values,
                             hk_count *all);
/* values[nodes][bytes]: each rank's nodes become those of all. Behind an agreement. */
hk_status hk_sharing_gather(const hk_sharing *share, void *values, hk_count bytes);
/* The same of a buffer of a device. What the buffer holds behind the nodes stays as it is. */
hk_status hk_sharing_gather_buffer(const hk_sharing *share, hk_buffer *values, hk_count bytes);

/* Which nodes this rank reads of others, and which it sends. */
typedef struct hk_halo {
  const hk_sharing *share;           /* borrowed */
  hk_count *take_begin, *send_begin; /* [count + 1]: by ranks */
  hk_index *take, *send;             /* nodes, ascending for each rank */
  hk_mail *going, *coming;           /* [count] */
  char *mail;                        /* of all of them */
  hk_count bytes;                    /* of a node at most */
  struct hk_halo_end *end;           /* of a device with a memory of its own; else NULL */
  hk_pool pool;
} hk_halo;
typedef struct hk_halo_end hk_halo_end;
/* Of vectors of that device. needed[nodes]: not 0 where this rank reads the node; bytes: of a node at most. Agrees. */
hk_status hk_halo_create(const hk_sharing *share, hk_device *device, const uint8_t *needed,
                         hk_count bytes, hk_halo **out);
void hk_halo_destroy(hk_halo **halo);
/* vector[nodes][bytes], bytes a multiple of 4. Takes no memory; by the link nccl the host does not wait. */
hk_status hk_halo_exchange(const hk_halo *halo, hk_buffer *vector, hk_count bytes);

/* The link of halos of devices with a memory of their own, chosen as that of steps (link.h) by all ranks at once: name, or NULL: the fastest. It is closed
 * before the device is, and after the halos. */
hk_status hk_ranks_open_link(hk_ranks *ranks, const char *name, hk_device *device);
void hk_ranks_close_link(hk_ranks *ranks);
const hk_links *hk_ranks_links(const hk_ranks *ranks); /* NULL: none was opened */
