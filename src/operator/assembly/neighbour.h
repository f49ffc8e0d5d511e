/* Stage 1 of assembly on a device: the neighbour matrix (Sanfui, Sharma, section 3.1; operator/assembly/neighbour.k.h).
 *
 *   hk_neighbours *n = NULL;
 *   HK_TRY(hk_neighbours_create(&(hk_neighbours_desc){.device = device, .nodes = 7, .elements = 6, .stride = 3, .node = node}, &n));
 *   ... n->begin, n->column: the paper's nInd and nNum; n->around_begin, n->around: its element lists ... */
#pragma once
#include "operator/assembly/scan.h"

/* The paper's functions (Tables 2, 4) in their order. */
typedef enum hk_neighbour_step {
  HK_COUNT_ELEMENTS,
  HK_SCAN_ELEMENTS,
  HK_FILL_ELEMENTS,
  HK_SORT_ELEMENTS,
  HK_COUNT_NODES,
  HK_SCAN_NODES,
  HK_FILL_NODES,
  HK_NEIGHBOUR_STEPS
} hk_neighbour_step;

typedef struct hk_neighbours_desc {
  hk_device *device; /* borrowed */
  hk_index nodes, elements;
  int stride; /* most nodes of an element: up to 27, of families HK_MOST_NODES */
  /* node[elements][stride] on the host, borrowed for the call; -1 behind the last of an element */
  const hk_index *node;
  hk_buffer **taken;  /* that, on the device, instead: taken over, then NULL */
  bool elements_only; /* the elements around nodes; begin, column stay NULL */
  bool timed;         /* wait for each step, for seconds[] */
  /* tests: candidates of a row that a table in local memory holds at most; 0: as the device can */
  hk_index table;
} hk_neighbours_desc;

typedef struct hk_neighbours {
  hk_index nodes, elements;
  int stride;
  hk_count around_entries, entries;
  hk_index most_around, longest;   /* elements around a node, nodes of a row at most */
  hk_buffer *node;                 /* [elements][stride] int */
  hk_buffer *around_begin, *begin; /* [nodes + 1] 64 bits */
  hk_buffer *around, *column;      /* [around_entries], [entries] int: ascending in each list */
  hk_buffer *place;                /* [around_entries] uint16: node number within the element */
  hk_buffer *collapsed;            /* [1] int: not 0 if an element names a node twice */
  hk_scan *scan;                   /* for nodes or elements, whichever are more */
  double seconds[HK_NEIGHBOUR_STEPS];
  hk_pool pool; /* its buffers, but for `node` */
} hk_neighbours;

/* Counts come first, then the memory that they ask for, then the lists. Bit-reproducible. HK_NO_RESOURCES. */
hk_status hk_neighbours_create(const hk_neighbours_desc *desc, hk_neighbours **out);
void hk_neighbours_destroy(hk_neighbours **neighbours);
/* Names of the steps, "count elements", ... */
const char *hk_neighbour_step_name(hk_neighbour_step step);
hk_count hk_neighbours_bytes(const hk_neighbours *neighbours); /* on the device */
