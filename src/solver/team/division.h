/* A model divided among several devices: what each owns, its numbers (space/part.h) and its K, with one thread of the host for each. */
#pragma once
#include "link/crew.h"
#include "link/link.h"
#include "link/ranks.h"
#include "operator/operator.h"
#include "space/owner.h"

typedef struct hk_division_part {
  hk_pool pool;
  hk_device *device; /* borrowed */
  hk_part *part;     /* NULL, as what follows: of another process */
  hk_space *space;
  hk_operator_terms terms; /* those that act on its own nodes */
  bool rates;              /* they read the last increment of ghosts */
  hk_operator *op;
  hk_index
      rows; /* own numbers, and which they are in the whole: whole[rows]; at rank 0 of those of all ranks */
  const hk_index *whole;
  hk_count bytes, memory; /* of op */
} hk_division_part;

typedef struct hk_division {
  int parts, first, own;   /* those of this process: [first, first + own) */
  hk_ranks *ranks;         /* that have one part each; NULL: all parts are here */
  const hk_space *whole;   /* borrowed */
  hk_operator_terms terms; /* of the whole; borrowed */
  const char *link;        /* hk_links_open; borrowed */
  hk_pool pool;
  hk_granules granules;
  hk_division_part *part; /* part[parts] */
  hk_crew *crew;
} hk_division;

typedef struct hk_division_desc {
  int parts;                /* of this process: the model has as many, or one for each rank */
  hk_device *const *device; /* device[parts], borrowed, all of one kind */
  hk_ranks *ranks;          /* borrowed; NULL: none */
  const hk_operator_kind *kind;
  const hk_operator_desc *whole; /* of the whole model; its device is not used */
  const char *link;              /* NULL: the first that serves, of ranks the fastest */
  hk_count pairs;
  const hk_index (*joined)[2]; /* hk_granules_share */
  const bool *acted;           /* hk_granules */
} hk_division_desc;

/* K of all parts is made at once. HK_BAD_INPUT for forms and terms that parts do not have, before anything is made. */
hk_status hk_division_create(const hk_division_desc *desc, hk_division **out);
/* The same refusal alone. */
hk_status hk_division_check(const hk_operator_kind *kind, const hk_mesh *mesh,
                            const hk_device *device, const hk_operator_terms *terms, bool damped);
void hk_division_destroy(hk_division **division);
/* The number that a node of the whole numbering has in a part; -1: none. Own ones are below hk_space_rows of its space. */
static inline hk_index hk_division_number(const hk_division *division, int part, hk_index whole)
{
  const hk_index node = division->whole->mesh_node[whole];
  return node < 0 ? -1 : division->part[part].space->node[node];
}
/* terms.c: HK_BAD_INPUT for terms that parts do not have. */
hk_status hk_division_check_terms(const hk_operator_terms *terms);
/* The pairs of nodes that parts have to read together, in the pool. */
hk_status hk_division_list_pairs(const hk_operator_terms *terms, hk_pool *pool, hk_granules *out);
/* Those that act on own nodes of the part. */
hk_status hk_division_take_terms(const hk_operator_terms *terms, hk_division_part *part);
/* The part that owns a node of the whole numbering. */
static inline int hk_division_owner(const hk_division *division, hk_index whole)
{
  return division->granules.part[hk_space_granule(division->whole, whole)];
}
