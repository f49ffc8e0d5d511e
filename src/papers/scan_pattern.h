/* The sparsity scan of Keating (2019), section 3.3.2, Algorithm 4, beside the neighbour matrix (operator/assembly/neighbour.h): one pass over the
 * elements that unites sets of nodes,
 *   S(v_r) := S(v_r) + {v_s} for r, s < nodes of each element;   AI_0 = 0, AI_{v+1} = AI_v + #S(v), AJ = the sets one behind the other
 *
 *   hk_pattern p = {0};
 *   HK_TRY(hk_pattern_scan(&(hk_pattern_desc){.nodes = 4, .elements = 2, .stride = 3, .node = node}, &p));   on the host, one thread
 *   ... p.begin, p.column ...
 *   hk_pattern_clear(&p);
 * With .device the same pass is run there: what the paper says that a GPU cannot do. Both give the same lists. */
#pragma once
#include "device/device.h"

typedef struct hk_pattern_desc {
  hk_device *device; /* borrowed; NULL: the host's plain loop */
  hk_index nodes, elements;
  int stride; /* most nodes of an element */
  /* node[elements][stride], borrowed for the call; -1 behind the last of an element */
  const hk_index *node;
} hk_pattern_desc;

/* On the host, whatever made it. */
typedef struct hk_pattern {
  hk_index nodes;
  hk_count entries;
  hk_count *begin;  /* AI: begin[nodes + 1] */
  hk_index *column; /* AJ: column[entries], ascending in a row */
  double seconds_allocation, seconds_transfer, seconds_scan;
} hk_pattern;

/* *out is overwritten. HK_NO_RESOURCES. On the host O(sum over nodes of the square of the pairs) at worst, as with any sorted set of short
 * lists; room for each pair of nodes of each element is taken: 4 bytes on the host once per node pair of each element, on a device as well. */
hk_status hk_pattern_scan(const hk_pattern_desc *desc, hk_pattern *out);
void hk_pattern_clear(hk_pattern *pattern);
