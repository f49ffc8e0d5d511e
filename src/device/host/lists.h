/* kernels/lists.k.h for one variant of a text that includes itself, NAME its own; device/host/lists_end.h ends it. */
#define lists_insert JOIN(lists_insert, NAME)
#define lists_rank JOIN(lists_rank, NAME)
#define lists_sift JOIN(lists_sift, NAME)
#define lists_order JOIN(lists_order, NAME)
#define lists_find JOIN(lists_find, NAME)
#include "lists.k.h"
