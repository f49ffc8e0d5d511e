/* Degrees of freedom: `components` per node of the mesh that belongs to an element, numbered for
 * locality.
 *
 * Internal node i holds degrees of freedom i * components + c. The user's numbering is reached
 * through mesh_node. Internal nodes come in patches, numbered in one of three ways:
 *   - `patch` consecutive numbers (k-d bisection); the last patch is padded;
 *   - the paper's blocks (Huthwaite 2014, section 2.3), rows of 32 nodes with the rows of one block
 *     far apart: column + 32 (block + patches * row). Every block is padded.
 *   - elements (element_lanes): see hk_interior. */
#pragma once
#include "base/kinds.h"
#include "papers/pogo/arrange.h"

typedef struct hk_space_desc {
  /* 1; 0: displacements, as many as the mesh has dimensions; 3: displacements, also of plane meshes; coupled: 1 .. 5 */
  int components;
  bool coupled;   /* they are unknowns of coupled equations */
  hk_index patch; /* nodes per patch, a multiple of `slice` */
  hk_index slice; /* nodes within a patch are sorted by falling number of neighbours (see sort) for
                     slices of this many */
  bool sort_valence; /* sort the nodes of each patch by falling number of elements; */
  /* of pairs with other nodes instead, element by element, those that leave the patch twice */
  bool leaving_twice;
  bool gaps;       /* patches that need not be full, cut between layers of nodes (graph/order.h) */
  bool layers;     /* nodes of a patch come layer by layer (layers.h) */
  bool keep_order; /* the mesh's own order instead of bisection (measurements) */
  bool blocks;     /* the paper's blocks, of `patch` nodes */
  hk_partition_method partition; /* makes them, unless they are */
  const hk_blocks
      *given;        /* blocks to take instead, arranged or not, borrowed for the call; they set
                             the patch */
  int element_lanes; /* > 0: nodes inside elements of families behind all others (hk_interior) */
  int element_group; /* batches in a multiple of which elements come */
  /* > 0: so many batches instead, and surfaces are numbered by such patches (hk_interior.patched); where there are no chunks, colours, parts
   * or nodes apart */
  int element_patch;
  hk_index element_chunk; /* elements per chunk, a multiple of lanes times group; 0: all */
  const uint8_t
      *element_part;    /* element_part[mesh element], 0 or 1: those of part 1 come behind the
                                  others, in groups of their own; NULL: all 0; borrowed for the call */
  bool element_colours; /* batches of elements of one colour each (graph/colour.h) */
  const bool *apart;    /* apart[mesh node]: of no chunk alone; or NULL; borrowed for the call */
} hk_space_desc;

/* Elements in batches of `lanes`, compact in space, and the numbering of nodes that follows. A chunk is a range of batches. Nodes on surfaces
 * of elements come first: those of one chunk alone, chunk by chunk, then those of several; each such range is padded to a multiple of
 * `patch`, the last by one node at least. Then the nodes inside the elements, [batch][k][j][i][lane] by hk_element.lattice. All elements
 * are of one shape, of a family. */
typedef struct hk_interior {
  hk_pool pool;     /* holds the arrays */
  int lanes, group; /* group: batches come in a multiple of it */
  hk_index batches, chunks;
  bool coloured;
  /* Groups of batches are patches: nodes [0, rims), padded to a multiple of `patch`, have elements of several, those of one set of patches follow one another
   * from a multiple of 4 on; then come each patch's own, from a multiple of 4 on, those of at most two elements first */
  bool patched;
  hk_index rims;
  hk_index colours; /* coloured: of the mesh; else 1 */
  /* Ranges of batches of one colour and one part (element_part); some are empty. Range k begins at range_batch[k] and is of part range_part[k]; of the
   * whole there are the colours of part 0, then those of part 1 */
  hk_index ranges, *range_batch;
  uint8_t *range_part;
  /* element[batches * lanes]: mesh element; -1: padding, the last ones of a part or colour alone */
  hk_index *element;
  hk_index *chunk_batch; /* chunk_batch[chunks + 1] */
  /* chunk_node[chunks + 2]: where the chunks' own nodes begin, the shared ones, the inner ones */
  hk_index *chunk_node;
  hk_index unit;    /* numbers of inner nodes of a group of batches, padding counted */
  hk_index granule; /* groups of batches of a granule */
  /* batches [0, own) are the part's own, of a whole all; the rest compute forces on its surfaces again */
  hk_index own;
  /* of a part: turn[batches / group]: its groups in the order of the whole, in which forces are summed; else NULL */
  hk_index *turn;
  /* of a part: batches [0, boundary) have nodes that other parts read, or act on surfaces that have */
  hk_index boundary;
} hk_interior;

typedef struct hk_space {
  hk_pool pool;        /* holds node and mesh_node */
  const hk_mesh *mesh; /* borrowed */
  int dim, components; /* of a node */
  hk_unknowns unknowns;
  /* with an element, ghosts aside: numbers below padded - ghosts with mesh_node >= 0 */
  hk_index nodes;
  hk_index patch, patches, padded; /* padded = patches * patch + ghosts */
  hk_index granule;  /* patches of a granule (below), fixed by the mesh and the patch alone */
  hk_index ghosts;   /* of a part (space/part.h): the last numbers, padding included; else 0 */
  hk_index boundary; /* of a part: patches [0, boundary) have nodes that other parts read; else 0 */
  const hk_index *order;        /* of a part: order[number], in the whole, borrowed; else NULL */
  const struct hk_space *whole; /* of a part: borrowed; else NULL */
  hk_index *mesh_node;          /* mesh_node[padded]; -1: padding */
  hk_index *node;               /* node[mesh->node_count]: internal number; -1: no element */
  hk_blocks *blocks;            /* NULL: consecutive */
  hk_block_links *links;        /* their tables; NULL: consecutive */
  hk_interior *interior;        /* NULL: not by elements */
} hk_space;

/* Whether the degrees of freedom are displacements. */
static inline bool hk_space_solid(const hk_space *space)
{
  return space->unknowns == HK_UNKNOWNS_DISPLACEMENTS;
}

/* A run is consecutive numbers that a part of a model (space/part.h) owns together: a patch; and behind the patches of surfaces, where there
 * is hk_interior, the inner nodes of a group of batches. Ghosts are in none. */
static inline hk_index hk_space_inside(const hk_space *s)
{
  return s->interior ? s->interior->chunk_node[s->interior->chunks + 1] : s->patches * s->patch;
}
static inline hk_index hk_space_flat_runs(const hk_space *s)
{
  return hk_space_inside(s) / s->patch;
}
static inline hk_index hk_space_runs(const hk_space *s)
{
  return hk_space_flat_runs(s) + (s->interior ? s->interior->own / s->interior->group : 0);
}
static inline hk_index hk_space_run_first(const hk_space *s, hk_index run)
{
  const hk_index flat = hk_space_flat_runs(s);
  return run <= flat ? run * s->patch : hk_space_inside(s) + (run - flat) * s->interior->unit;
}
/* The run of a number; of the numbers behind all runs, which no node has, as many as there are. */
static inline hk_index hk_space_run(const hk_space *s, hk_index number)
{
  const hk_index inside = hk_space_inside(s), runs = hk_space_runs(s);
  if (number < inside) return number / s->patch;
  if (!s->interior || !s->interior->unit) return runs;
  const hk_index run = hk_space_flat_runs(s) + (number - inside) / s->interior->unit;
  return run < runs ? run : runs;
}

/* A granule is a few consecutive runs of the whole numbering, `granule` patches or hk_interior.granule groups of batches: sums are made granule by
 * granule and then in their order, and a part of a model owns whole ones. So results do not depend on the parts. */
enum { HK_MOST_GRANULES = 4096 };
static inline hk_index hk_space_granule_of_run(const hk_space *whole, hk_index run)
{
  const hk_index flat = hk_space_flat_runs(whole);
  return run < flat ? run / whole->granule
                    : (flat + whole->granule - 1) / whole->granule +
                          (run - flat) / whole->interior->granule;
}
static inline hk_index hk_space_granules(const hk_space *whole)
{
  return hk_space_granule_of_run(whole, hk_space_runs(whole) - 1) + 1;
}
static inline hk_index hk_space_granule(const hk_space *space, hk_index number)
{
  const hk_space *whole = space->whole ? space->whole : space;
  return hk_space_granule_of_run(whole,
                                 hk_space_run(whole, space->order ? space->order[number] : number));
}
/* Whether a model so numbered can be divided into parts: not by the paper's blocks. */
static inline bool hk_space_divides(const hk_space *whole)
{
  return !whole->blocks;
}
/* The part of the mesh (element_part) that a batch is of. */
static inline int hk_interior_part(const hk_interior *by, hk_index batch)
{
  hk_index low = 0, high = by->ranges; /* range_batch[low] <= batch < range_batch[high] */
  while (high - low > 1) {
    const hk_index middle = low + (high - low) / 2;
    if (by->range_batch[middle] <= batch)
      low = middle;
    else
      high = middle;
  }
  return by->range_part[low];
}
/* Whether other parts read an own node, or K of one may wait until they have been sent: the first ones of both kinds of runs. */
static inline bool hk_space_is_boundary(const hk_space *s, hk_index number)
{
  const hk_index inside = hk_space_inside(s);
  if (number < inside || !s->interior) return number < s->boundary * s->patch;
  return number - inside < s->interior->boundary / s->interior->group * s->interior->unit;
}

/* Cost: O(nodes log nodes), about 0.1 s per million nodes and thread. Reproducible. */
hk_status hk_space_create(const hk_mesh *mesh, const hk_space_desc *desc, hk_space **out);
void hk_space_destroy(hk_space **space);

/* Internal numbers [0, rows) are of patches; those behind them are ghosts (space/part.h). */
static inline hk_index hk_space_rows(const hk_space *space)
{
  return space->padded - space->ghosts;
}

/* Internal number of the k-th place of patch p: neighbours in space are neighbours in k. */
static inline hk_index hk_space_place(const hk_space *space, hk_index p, hk_index k)
{
  if (!space->blocks) return p * space->patch + k;
  return (k / HK_BLOCK_COLUMNS * space->patches + p) * HK_BLOCK_COLUMNS + k % HK_BLOCK_COLUMNS;
}

/* Private to the folder: *mesh_node[*padded], and what it is made by. The mesh has one shape of quadrilaterals or hexahedra of order p. */
hk_status hk_space_number_elements(const hk_mesh *mesh, const hk_space_desc *desc, hk_pool *pool,
                                   hk_interior **out, hk_index **mesh_node, hk_index *padded);
void hk_interior_destroy(hk_interior **interior);
/* Private to the folder: number[mesh node] of nodes on surfaces, which were -1, by->rims and by->chunk_node (hk_interior.patched);
 * inside[mesh node]; span: hk_space_desc.patch. */
hk_status hk_space_number_patches(const hk_mesh *mesh, const bool *inside, hk_index span,
                                  hk_interior *by, hk_index *number);
/* node from mesh_node. */
void hk_space_number_back(hk_space *space);

/* values of mesh nodes [mesh node][components] <-> internal nodes [padded][components] (padding 0)
 */
void hk_space_to_internal(const hk_space *space, int components, const double *mesh_values,
                          double *internal);
void hk_space_from_internal(const hk_space *space, int components, const double *internal,
                            double *mesh_values);
