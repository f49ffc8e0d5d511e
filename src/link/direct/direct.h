/* Rows between the memories of devices of ranks, without a way through the host's: what nccl.c and aware.c share. Rows are packed and unpacked on the
 * device, in a buffer for each neighbour:  packed, mail [shots][count][components]. */
#pragma once
#include "link/link.h"
#include "link/ranks.h"

typedef struct hk_link_rows {
  hk_pool pool;
  hk_kernel *pack, *unpack;
  hk_buffer **list;           /* list[neighbours]: numbers that the neighbour reads */
  hk_buffer **packed, **mail; /* [places][neighbours] */
  hk_count *going, *coming;   /* [neighbours]: bytes */
} hk_link_rows;

/* The part of this process. */
static inline int hk_link_own(const hk_links *links)
{
  int p = 0;
  while (!links->side[p].device) p++;
  return p;
}

/* places: exchanges that may be under way at once. */
hk_status hk_link_rows_create(const hk_link_side *side, int places, hk_link_rows *out);
void hk_link_rows_clear(hk_link_rows *rows);
hk_status hk_link_rows_pack(const hk_link_rows *rows, const hk_link_side *side, int place,
                            hk_buffer *vector);
hk_status hk_link_rows_unpack(const hk_link_rows *rows, const hk_link_side *side, int place,
                              hk_buffer *vector);
