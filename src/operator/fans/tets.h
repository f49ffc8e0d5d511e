/* What the form "matrix-free" is for heat conduction of linear tetrahedra: operator/fans/tets.k.h. */
#pragma once
#include "operator/operator.h"

typedef struct hk_tets hk_tets;

/* Bytes per node of lists, and the places of coordinates, in a large mesh; measured. */
hk_count hk_tets_plan(const hk_mesh *mesh, bool double_precision);

/* For linear tetrahedra with one component, each of a region whose conductivity is the same all over it, and without films and reactions. Lists
 * are made on the host by its threads. *memory: bytes on the device; *groups: of a launch. HK_BAD_INPUT names a folded element. */
hk_status hk_tets_create(const hk_operator_desc *desc, hk_tets **out, hk_count *memory,
                         hk_count *groups);
void hk_tets_destroy(hk_tets **tets);
hk_status hk_tets_bind(hk_tets *tets, hk_form form);
hk_status hk_tets_apply(hk_operator *op, hk_tets *tets, const hk_epilogue *epilogue);
