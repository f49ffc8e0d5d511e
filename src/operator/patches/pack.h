/* The lists of operator/patches/ring.k.h, patch.k.h and cubes.k.h: nodes in groups, each with what its kernel
 * needs of the elements around them. */
#pragma once
#include "graph/local.h"
#include "operator/operator.h"

/* Kernels in the order of their groups: ring with one isotropic law per group, ring with a law per
 * triangle, patch, hexahedra of isotropic solids (cubes.k.h), parallelepipeds of them. */
typedef enum hk_group_kind {
  HK_GROUP_RING,
  HK_GROUP_RING_LAWS,
  HK_GROUP_PATCH,
  HK_GROUP_CUBES,
  HK_GROUP_BOXES,
  HK_GROUP_KINDS
} hk_group_kind;

/* Words of a group's line. */
enum {
  HK_GROUP_FIRST,
  HK_GROUP_SLICES,
  HK_GROUP_HALO,
  HK_GROUP_HALOS,
  HK_GROUP_PLACE,
  HK_GROUP_SLICE,
  HK_GROUP_LIST,
  HK_GROUP_LAW,
  HK_GROUP_BATCHES,
  HK_GROUP_ENTRIES = 12, /* of the list, in units of the width */
  HK_GROUP_RIM,          /* of rims.k.h */
  HK_GROUP_RIMS,
  HK_GROUP_WORDS = 16
};

/* Buffers, in the order of the kernels' arguments. */
enum {
  HK_GROUPS_GROUP,
  HK_GROUPS_SLICE,
  HK_GROUPS_HALO,
  HK_GROUPS_LIST,
  HK_GROUPS_PLACE,
  HK_GROUPS_LAW,
  HK_GROUPS_RING_BUFFERS, /* all of the ring kernel, and of the patch kernel without parts */
  HK_GROUPS_TARGET = HK_GROUPS_RING_BUFFERS,
  HK_GROUPS_PATCH_BUFFERS, /* of the patch kernel with parts, and `partial` */
  HK_GROUPS_SHARED = HK_GROUPS_PATCH_BUFFERS,
  HK_GROUPS_RIM,
  HK_GROUPS_BUFFERS
};

/* target of a local node: the group finishes it; the group has no element of it; it is of the group's rim */
enum { HK_TARGET_OWN = -1, HK_TARGET_NONE = -2, HK_TARGET_RIM = -3 };

/* Bounds of one group. */
typedef struct hk_group_limits {
  hk_index local[HK_GROUP_KINDS]; /* nodes */
  bool parts;                     /* each element in one group alone (PARTS) */
  hk_index slots;                 /* of the patch kernel, the zeros among them; at most 65536 */
  /* of a group of hexahedra, and of one of parallelepipeds alone; 0: their kernel does not serve, the patch kernel does */
  int threads, box_threads;
  bool teams; /* some threads of a group wait for each other alone (hk_device_info.team) */
  /* found, not obeyed: */
  hk_index list[HK_GROUP_KINDS],
      halo[HK_GROUP_KINDS];          /* entries of a list, in units of the width */
  hk_index own[HK_GROUP_KINDS];      /* own nodes */
  hk_count boundary[HK_GROUP_KINDS]; /* groups that act on nodes of the boundary; they come first */
  int kinds; /* of elements in patches: bit k, some of hk_group_element.kind k */
} hk_group_limits;

/* Arrays that grow: what was made for the groups so far; numbers in them count from their starts. */
typedef struct hk_pile {
  hk_index *group, *slice, *halo, *target;
  uint16_t *list;
  void *place;                                     /* reals of the operator's precision */
  hk_count groups, slices, halos, entries, places; /* entries in units of one uint16_t */
  hk_count group_capacity, slice_capacity, halo_capacity, list_capacity, place_capacity,
      target_capacity;
} hk_pile;

enum { HK_KIND_CUBE = 2 }; /* hk_group_element.kind of squares and cubes that are isotropic */

typedef struct hk_group_element {
  hk_index node[8]; /* internal, then local numbers; squares and cubes: corner i + 2 j + 4 k */
  int corners, region;
  int kind; /* simplex 0, square or cube 2; + 1 if not isotropic */
  /* of the hexahedra of cubes.k.h: pass * threads + thread; bits 2 c and 2 c + 1: the round of corner c */
  hk_index place;
  unsigned rounds;
} hk_group_element;

/* The elements around each node of the patch that a group belongs to: of node first + k in internal numbers element[begin[k]..begin[k + 1]), ascending. */
typedef struct hk_group_around {
  hk_index first, *begin, *element;
  hk_count begin_capacity, element_capacity;
} hk_group_around;

/* A group in the making; one per thread. */
typedef struct hk_group {
  const hk_operator_desc *desc;
  const hk_space *space; /* whose numbers it is made in: desc's, or with parts that of the whole */
  hk_index at;           /* where its patch begins in desc's; -1: another part has it */
  double middle[3];      /* of the box around all that it has in the whole */
  const hk_group_limits *limits;
  const bool *isotropic; /* isotropic[region] */
  hk_group_around around;
  int width, threads; /* threads: of a group of hexahedra */
  hk_local *local;
  hk_group_element *element;
  hk_index elements;
  hk_index *first_corner, *corner; /* node k: corner[first_corner[k]..] = 8 element + corner */
  hk_pile *pile;
  hk_index *work; /* of the ring and the gather, grown as needed */
  bool *used;
  hk_count element_capacity, corner_capacity, first_corner_capacity, work_capacity, used_capacity;
} hk_group;

/* The patch of nodes [first, first + count) comes next: element[elements], ascending, are those that touch it. HK_NO_RESOURCES. */
hk_status hk_group_start(hk_group *group, hk_index first, hk_index count, const hk_index *element,
                         hk_count elements);
/* Nodes [first, first + count) of the patch as one group, or as two halves when it is too large, onto the
 * piles[kind]; of a patch of another part the elements alone that act on own nodes, if there are any. HK_NO_RESOURCES if even one slice is too large. */
hk_status hk_groups_make(hk_group *group, hk_pile *piles, hk_index first, hk_index count);
/* The slices and lists of the group's elements onto the pile; line[HK_GROUP_WORDS] is its line. */
hk_status hk_group_ring(hk_group *group, bool laws, hk_index *line);
hk_status hk_group_patch(hk_group *group, hk_index *line);
hk_status hk_group_cubes(hk_group *group, hk_index *line);
/* Turns and sorts the hexahedra of a group, whose corners are found (hk_group.corner), for hk_group_cubes; *served: whether they fit. */
hk_status hk_group_cubes_order(hk_group *group, bool *served);
/* Whether all its hexahedra are parallelepipeds. */
bool hk_group_boxes(const hk_group *group);
/* Nodes that the group sums: its own, with parts its halo too. */
hk_index hk_group_summed(const hk_group *group);
/* Slots that hk_group_patch would use. */
hk_count hk_group_slots(const hk_group *group);
/* The isotropic elements' law if it is the same for all, else -1; *general: some are not isotropic. */
int hk_group_law(const hk_group *group, bool *general);

/* `units` rows of WIDTH numbers at the end of the pile's list; *row: the first of them. */
hk_status hk_pile_rows(hk_pile *pile, int width, hk_count units, uint16_t **row);
hk_status hk_pile_slices(hk_pile *pile, hk_count count, hk_index **slice);

/* Sums of PARTS: so many of so many nodes; nodes of a rim at most (rims.k.h). A second kernel finishes entries [second, later) of the nodes, whose groups
 * are all of the boundary, and [later, nodes), which wait for both; those before are of rims. */
typedef struct hk_groups_parts {
  hk_index parts, nodes, rim, second, later;
} hk_groups_parts;

/* buffer[HK_GROUPS_BUFFERS] (the last three only with parts), owned by the caller also on failure; groups[kind]: their numbers;
 * *largest: what the largest groups take. Patches
 * of the space become groups, with parts also those of the whole whose elements act on own nodes, in the order of the whole but those first that act on the
 * boundary; those beyond the limits are halved until they fit (HK_NO_RESOURCES if
 * even one slice does not). Threads side by side; the lists are held twice for a while. */
hk_status hk_groups_pack(const hk_operator_desc *desc, const hk_group_limits *limits,
                         hk_buffer **buffer, hk_count *groups, hk_group_limits *largest,
                         hk_groups_parts *parts);
