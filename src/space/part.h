/* One part of a model: what one device or rank owns, what it reads of others and what they read of it.
 *
 * Neither the numbering nor a patch depends on the parts: a granule is a run of consecutive patches of the whole numbering, and each has one
 * owner. A part numbers its own patches first, the boundary before the rest: patches that others read, then those on whose nodes loads, dashpots or receivers
 * act, unless most of its patches would belong to it. Behind them come its ghosts: nodes of others that share an element, or a couple, with a node of its
 * own, neighbour by neighbour.
 *
 *   own numbers:  [boundary patches | other patches | ghosts of neighbour 0 | ghosts of neighbour 1 | ...]
 *                  ^ 0                              ^ rows = take_begin[0]  ^ take_begin[1]
 *
 * A space by elements (hk_interior) has runs of inner nodes behind the patches. Whoever owns a node of a group of batches computes the whole group
 * again, as the forces on that node depend on all of it; its ghosts are then the other nodes of the group, those inside elements first. Joints are pairs of
 * nodes whose steps need the forces of elements on both: whoever owns one computes the groups of the other too. Patches with joints are computed before the interior.
 *
 *   own numbers:  [patches of surfaces | own groups | groups computed again, by owners | ghosts on surfaces, by neighbours]
 *                                                   ^ rows = inside_begin[0]           ^ take_begin[0]
 *
 * The rows that a part sends to a neighbour are the ghosts that this has of it, in the same order: ascending in the whole numbering.
 *
 *   const hk_granules granules = {.count = 4, .first_patch = begin, .part = owner};
 *   HK_TRY(hk_part_create(space, &granules, 1, &part));
 *   HK_TRY(hk_space_create_part(space, part, &own));
 */
#pragma once
#include "space/space.h"

typedef struct hk_granules {
  hk_index count;
  const hk_index *first_patch; /* first_patch[count + 1]: runs (space.h); the last: all runs */
  const int *part;             /* part[count]: the owner */
  hk_count couples;
  /* couple[couples]: mesh nodes that act on one another beside elements */
  const hk_index (*couple)[2];
  hk_count joints;
  /* joint[joints]: mesh nodes on surfaces, of a space by elements alone */
  const hk_index (*joint)[2];
  /* acted[padded of the whole]: what follows K in a step, as loads and receivers, acts on or reads this number; NULL: none; borrowed for hk_part_create */
  const bool *acted;
} hk_granules;

typedef struct hk_part {
  hk_pool pool;               /* of all arrays */
  hk_index patches, boundary; /* own ones; [0, boundary): see above */
  hk_index sent;              /* numbers [0, sent) are of patches with nodes that others read */
  hk_index *patch; /* patch[patches]: in the whole numbering; ascends in each of both ranges */
  hk_index units, boundary_units; /* own groups of batches; hk_interior.boundary */
  hk_index again, *unit; /* unit[units + again]: groups of batches of the whole, own ones first */
  hk_index rows, ghosts; /* numbers of own runs, padding included; of ghosts behind them */
  hk_index *whole;       /* whole[rows + ghosts]: numbers in the whole numbering */
  int neighbours;
  int *neighbour; /* neighbour[neighbours]: parts, ascending */
  /* send[send_begin[k]..send_begin[k + 1]): own numbers that neighbour k reads */
  hk_index *send_begin, *send;
  hk_index *take_begin; /* ghosts of neighbour k: [take_begin[k], take_begin[k + 1]) */
  /* and behind those in its order of sending [inside_begin[k], inside_begin[k + 1]) */
  hk_index *inside_begin;
} hk_part;

/* Part number `part` of a space of consecutive patches, or by elements (not of blocks: HK_BAD_INPUT); a part may own nothing.
 * O(nodes of the mesh's elements). Reproducible. */
hk_status hk_part_create(const hk_space *whole, const hk_granules *granules, int part,
                         hk_part **out);
void hk_part_destroy(hk_part **part);

/* The space of a part, of the same mesh, which rows of K are made with: they sum in the order of the whole one, so that their forces are the
 * same bit by bit. Borrows the part. */
hk_status hk_space_create_part(const hk_space *whole, const hk_part *part, hk_space **out);
