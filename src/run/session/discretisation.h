/* A discretised model: its degrees of freedom in the numbers of a device, and K there in one of its forms. Every analysis is made of one.
 *
 *   hk_discretisation on = {.model = model, .list = list, .double_precision = true};
 *   HK_TRY(hk_discretisation_open(&on, how, &(hk_device_desc){.validate = trusted, .user = &with}));
 *   ... on.kind, on.space, on.terms: as the analysis chooses
 *   HK_TRY(hk_discretisation_assemble(&on));
 * cleanup:
 *   hk_discretisation_clear(&on); */
#pragma once
#include <hooke/run.h>
#include "mesh/ties.h"
#include "model/model.h"
#include "operator/operator.h"

typedef struct hk_discretisation {
  const hk_model *model; /* borrowed, as is the list */
  hk_messages *list;
  hk_device *device;
  const hk_operator_kind *kind; /* the form of K */
  const hk_region *region;      /* that K is made of in place of the model's; NULL: those */
  const hk_warmth *warm;        /* hk_operator_desc.warm */
  hk_space *space;
  hk_ties ties;            /* of static analyses: of nodes where orders meet */
  hk_operator_terms terms; /* of K, beside the elements; their entries are borrowed */
  hk_operator *op;         /* NULL: not assembled yet */
  hk_buffer *in, *out;     /* for K u on the device; NULL: not made yet */
  bool double_precision;
  bool shared;       /* ranks of MPI share some of the work; else several are refused */
  bool in_rows;      /* and K's rows, each with a device of its own */
  hk_sharing *share; /* of the space's numbers, where in_rows; NULL: K is whole here */
} hk_discretisation;

/* The device that a run asks for, held against the host as `trust` says (validate, passed_over, user). The calling thread has the device's number of
 * threads from then on: who calls keeps the number before and puts it back. */
hk_status hk_discretisation_open(hk_discretisation *on, const hk_run_desc *how,
                                 const hk_device_desc *trust);
/* Sets the number of threads of the device; returns the caller's, to be put back by omp_set_num_threads. */
int hk_discretisation_threads(const hk_discretisation *on);
/* What K is made of; without `op`. */
hk_operator_desc hk_discretisation_desc(const hk_discretisation *on);
/* op, in place of the last one; of ranks that share rows, all agree. HK_NO_RESOURCES, BAD_INPUT as hk_operator_create; its seconds are of the stage `assemble`. */
hk_status hk_discretisation_assemble(hk_discretisation *on);
/* Makes in and out, where they are not there yet. HK_NO_RESOURCES. */
hk_status hk_discretisation_vectors(hk_discretisation *on);
/* HK_NO_RESOURCES, with the words for what needs them ("K and its vectors"), where so many bytes are not free on the device. */
hk_status hk_discretisation_room(const hk_discretisation *on, hk_count bytes, const char *what);
/* Bytes of K by its form's plan; patches that are not full take as much as full ones. */
hk_count hk_discretisation_plan(const hk_discretisation *on);
/* The same of a larger mesh of the same shapes: its counts are read, and corners of its first element. */
hk_count hk_discretisation_plan_of(const hk_discretisation *on, const hk_mesh *mesh);
/* Degrees of freedom, those of padding among them. */
hk_count hk_discretisation_dofs(const hk_discretisation *on);
/* Bytes of a vector of them on the device. */
hk_count hk_discretisation_bytes(const hk_discretisation *on);
void hk_discretisation_clear(hk_discretisation *on);

/* The elements between some nodes of a model, as a mesh of their own. */
typedef struct hk_part_mesh {
  hk_mesh *mesh;
  hk_index *region; /* region[element] of the model */
} hk_part_mesh;
/* number[mesh node] of the model in the part, [0, nodes); -1 outside. An element belongs to it whose nodes all do. */
hk_status hk_part_mesh_cut(const hk_model *model, const hk_index *number, hk_index nodes,
                           hk_part_mesh *out);
/* About `wanted` nodes that lie together, the first in the order of the space, and the elements between them. */
hk_status hk_part_mesh_first(const hk_discretisation *on, hk_index wanted, hk_part_mesh *out);
void hk_part_mesh_clear(hk_part_mesh *part);
