/* The lists of operator/edges/edges.k.h, built from the assembled rows. */
#pragma once
#include "operator/edges/block.h"
#include "operator/operator.h"

enum {
  HK_EDGES_HALO_BEGIN,
  HK_EDGES_HALO,
  HK_EDGES_SLICE,
  HK_EDGES_NEIGHBOUR,
  HK_EDGES_BLOCK,
  HK_EDGES_GATHER,
  HK_EDGES_TWISTED,
  HK_EDGES_TWIST,
  HK_EDGES_LISTS
};

/* Bounds of one patch: local nodes, pairs owned by a node (0: each pair is held by both its nodes); whether its
 * lists may be STAGED, in `memory` bytes (0: no bound). */
typedef struct hk_edges_limits {
  hk_index local, owned;
  bool stages, packed;
  hk_count memory;
} hk_edges_limits;

/* Largest over the patches: local nodes, slots with the zeros; entries of pairs and of the gather, in units of
 * WIDTH. */
typedef struct hk_edges_sizes {
  hk_index local, slots, pairs, gathers;
  bool staged; /* the patches' lists fit into local memory */
} hk_edges_sizes;

/* Bytes of local memory that the kernel needs. */
hk_count hk_edges_local(const hk_edges_format *format, hk_index patch, const hk_edges_sizes *size);

/* list[HK_EDGES_LISTS], in the order of the kernel's arguments; the pool keeps them. Two passes over the patches, threads side by side; beside the lists
 * themselves the twists are held twice. */
hk_status hk_edges_pack(const hk_operator_desc *desc, hk_pool *pool, hk_edges_limits limits,
                        hk_buffer **list, hk_edges_sizes *sizes);
