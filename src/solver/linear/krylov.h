/* Iterations on a device: the kernels of solver/linear/krylov.k.h, and what conjugate gradients and relaxations share.
 * The numbers that one iteration passes to the next stay on the device; iterations are recorded once as a graph, and the host reads the numbers
 * while the next ones go on. */
#pragma once
#include "device/fetch.h"
#include "device/graph.h"
#include "link/sharing.h"

enum { HK_KRYLOV_CHUNK = 4096, HK_KRYLOV_LIST = 256 };

/* hk_iteration.scalar of conjugate gradients and, but for the first three, of IDR */
enum {
  HK_SCALAR_RHO,
  HK_SCALAR_ALPHA,
  HK_SCALAR_BETA,
  HK_SCALAR_RR,
  HK_SCALAR_LIMIT,
  HK_SCALAR_DONE,
  HK_SCALAR_STEP,
  HK_SCALAR_MOST,
  HK_SCALARS
};
/* HK_SCALAR_DONE */
enum { HK_CG_CONVERGED = 1, HK_CG_INDEFINITE, HK_CG_EXHAUSTED };

/* A kernel of the text "krylov" or "relax", of the pool. */
hk_status hk_krylov_kernel(hk_pool *pool, hk_device *device, const char *text, const char *function,
                           bool double_precision, hk_kernel **out);
/* Groups that treat n numbers. */
static inline hk_index hk_krylov_groups(hk_count n)
{
  return (hk_index)((n + HK_KRYLOV_CHUNK - 1) / HK_KRYLOV_CHUNK);
}

typedef struct hk_iteration {
  hk_device *device; /* borrowed */
  bool double_precision;
  hk_index n, groups; /* numbers of a vector, and groups that treat them */
  hk_count bytes;
  int sums, scalars, steps; /* steps: iterations that history has room for */
  hk_buffer *part, *scalar,
      *history;    /* part[sums][groups]; scalar[scalars]; doubles of each step */
  hk_graph *graph; /* recorded iterations */
  hk_fetch *fetch[2];
  hk_pool pool; /* of buffers and kernels */
  /* Of ranks that share the numbers; NULL: all groups are its own. The launches of iterations are then called each time, as rows come by messages. */
  const hk_sharing *share;
  hk_share_groups own;
  double *mail; /* sums of the groups of all ranks, on their way */
  hk_status (*launches)(void *user);
  void *user;
} hk_iteration;

/* device, precision, dofs of vectors, sums, scalars and steps; history has so many numbers in all. *on is zero; clear also after a failure. */
hk_status hk_iteration_create(hk_iteration *on, hk_count dofs, hk_count history);
void hk_iteration_clear(hk_iteration *on);
/* Launches of the iterations: recorded, or kept. */
hk_status hk_iteration_record(hk_iteration *on, hk_status (*launches)(void *user), void *user);
/* part[sums][groups]: the sums of all ranks' groups; nothing without ranks. Takes no memory. */
hk_status hk_iteration_join(const hk_iteration *on, int sums);
/* The same of any device's part[groups], mail[hk_sums_room]. */
hk_status hk_sums_join(const hk_sharing *share, int components, hk_index groups, int sums,
                       hk_buffer *part, double *mail);
/* Numbers of mail[..]. */
hk_count hk_sums_room(const hk_sharing *share, int components, hk_index groups, int sums);
/* A vector of n numbers. */
hk_status hk_iteration_vector(hk_iteration *on, bool double_precision, hk_buffer **out);
/* Launches the graph, whose numbers look() then waits for: scalar[scalars]. Two may be under way, `which` 0 and 1. */
hk_status hk_iteration_launch(const hk_iteration *on, int which);
hk_status hk_iteration_look(const hk_iteration *on, int which, double *scalar);
