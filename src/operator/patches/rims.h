/* Nodes that several groups have parts of: their list, the numbers of their parts, and the rims of groups (rims.k.h). */
#pragma once
#include "operator/patches/pack.h"

typedef struct hk_rims_desc {
  hk_device *device;
  hk_index padded, groups;
  int width;
  bool alone; /* one kernel runs all groups, in their order: there are rims */
  const hk_index *
      turn; /* turn[groups]: in which order nodes sum their parts; of early groups, and of others, it ascends */
  const bool *early; /* early[groups]: launched before the others, which may run beside them */
  hk_index *line;    /* line[groups][HK_GROUP_WORDS]: words of rims are written */
  /* of the local nodes of groups, HK_GROUP_PLACE of a line being where its own begin: nodes that the groups have parts of, or < 0; they become
   * the numbers of the parts */
  hk_index *target;
} hk_rims_desc;

/* *shared [nodes + 1][4], *rim (unless alone: untouched), both owned by the caller also on failure. O(padded + targets) on the host. */
hk_status hk_rims_create(const hk_rims_desc *desc, hk_buffer **shared, hk_buffer **rim,
                         hk_groups_parts *parts);
