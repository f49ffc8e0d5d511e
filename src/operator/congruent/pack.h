/* The lists of operator/congruent/congruent.k.h, built from the shapes of a mesh's elements. */
#pragma once
#include "operator/operator.h"

enum {
  HK_CONGRUENT_BEGIN,
  HK_CONGRUENT_HALO,
  HK_CONGRUENT_SLICE,
  HK_CONGRUENT_PLACE,
  HK_CONGRUENT_ROW,
  HK_CONGRUENT_NEIGHBOUR,
  HK_CONGRUENT_TABLE,
  HK_CONGRUENT_LISTS
};

/* Numbers of a block in the table, the last ones not used. */
static inline int hk_congruent_stride(int dim, bool double_precision)
{
  return dim == 2 ? 4 : double_precision ? 10 : 12;
}

/* Largest over the patches: local nodes; lanes; entries in units of WIDTH lanes. Rows of the dictionary, and their blocks. */
typedef struct hk_congruent_sizes {
  hk_index local, lanes, entries, rows, blocks;
} hk_congruent_sizes;

/* list[HK_CONGRUENT_LISTS], in the order of the kernel's arguments; the pool keeps them. `run`: nodes of a lane; `most`: local nodes of a patch. One pass over the
 * patches, threads side by side, whose number changes nothing; the lists are held twice for a while. HK_NO_RESOURCES, also where a patch has more
 * neighbours than `most`; HK_BAD_INPUT: a folded element. */
hk_status hk_congruent_pack(const hk_operator_desc *desc, hk_pool *pool, int run, hk_index most,
                            hk_buffer **list, hk_congruent_sizes *sizes);
