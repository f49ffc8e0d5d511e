/* Host variants of kernels/edges.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(JOIN(DIM, PACKED), FORM), DAMPED), PRECISION)
#define finish JOIN(finish, NAME)
#define subtract JOIN(subtract, NAME)
#define add_pair JOIN(add_pair, NAME)
#define add_pairs JOIN(add_pairs, NAME)
#define add_list JOIN(add_list, NAME)
#define add_pairs_of JOIN(add_pairs_of, NAME)
#define subtract_slots JOIN(subtract_slots, NAME)
#define add_twists JOIN(add_twists, NAME)
#define load_nodes JOIN(load_nodes, NAME)
#define add_twist JOIN(add_twist, NAME)
#define edges_step JOIN(edges_step, NAME)
#define edges_step_run JOIN(edges_step_run, NAME)
#include "epilogue.k.h"
#include "edges.k.h"

static void edges_step_run(int group, void **v)
{
  edges_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
             *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int **)v[8], *(int **)v[9],
             *(int **)v[10], *(unsigned short **)v[11], *(word **)v[12], *(unsigned short **)v[13],
             *(unsigned short **)v[14], *(real **)v[15]);
}
#undef STATE_PARAMS
#undef SHOT_BEGIN
#undef STATE_BEGIN
#undef LOSS_OF
#undef LOSS_END
#undef STATE_ALIGNED
#undef LAST
#undef FACTOR
#undef STATE_AWAIT
#undef DAMPING
#undef STAGE_DAMPING
#undef FETCH_DAMPING
#undef STAGED_DAMPING
#undef STAGE_FACTORS
#undef STAGE_LAST
#undef FETCH_STATE
#undef STAGED_LAST
#undef STAGED_FACTOR
#undef LOSS_GROUPS
#undef SYMMETRIC
#undef TWISTS
#undef RECORD
#undef word
#undef WORDS
#undef WORD
#undef INTEGER
#undef UNPACK
#undef SCALED
#undef BLOCK_REALS
#undef SLOT_STEP
#undef SLOT_START
#undef finish
#undef subtract
#undef add_pair
#undef add_pairs
#undef add_list
#undef add_pairs_of
#undef subtract_slots
#undef add_twists
#undef load_nodes
#undef add_twist
#undef edges_step
#undef edges_step_run
#undef NAME

#elif defined(LINE)
{"edges_step " TEXT_OF(PRECISION) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(FORM) " MAX_LOCAL=" TEXT_OF(
     MAX_LOCAL) " MAX_SLOTS=" TEXT_OF(MAX_SLOTS) " PACKED=" TEXT_OF(PACKED) " PATCH=" TEXT_OF(PATCH),
 JOIN(edges_step_run, JOIN(JOIN(JOIN(JOIN(DIM, PACKED), FORM), DAMPED), PRECISION))},

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#include "device/host/records.h"
#define PATCH 1024
#define MAX_LOCAL 16384
#define MAX_SLOTS 32776
#define SELF "device/host/kernels/edges.c"

#define VARIANT
#define DIM 2
#define PACKED 0
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef PACKED
#define PACKED 1
#include "device/host/for_forms.h"
#undef PACKED
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_edges, HOST_ISA)[] = {
#define DIM 2
#define PACKED 0
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef PACKED
#define PACKED 1
#include "device/host/for_forms.h"
    {0}};
#endif
