/* The elements that touch each patch of a numbering. */
#pragma once
#include "space/space.h"

typedef struct hk_touched {
  hk_count *begin;   /* begin[patches + 1] */
  hk_index *element; /* element[begin[p]..begin[p + 1]): those with a node in patch p, ascending */
} hk_touched;

/* By two passes over the elements, which all threads share; their number changes nothing. Beside the list 8 bytes for each patch and thread
 * while it is made. HK_NO_RESOURCES. */
hk_status hk_touched_find(const hk_space *space, hk_touched *out);
void hk_touched_clear(hk_touched *touched);
