/* Messages between the ranks of MPI (hooke/ranks.h), over the plug-in's table (mpi.h).
 *
 * Ranks other than 0 wait for commands of rank 0, do them, and agree. A failure that all know of stays until the run has ended, and every
 * function that needs all ranks then fails at once: so a rank that fails goes to the next agreement, wherever the others are. A rank that fails where
 * others wait for its rows, which is between two agreements, tears the run: nothing can be agreed any more.
 *
 *   rank 0:  HK_TRY(hk_ranks_command(r, &(hk_command){.what = ADVANCE, .count = to}));  status = advance(to);
 *   others:  HK_TRY(hk_ranks_await(r, &command, NULL, NULL));                           status = advance(command.count);
 *   all:     HK_TRY(hk_ranks_agree(status));
 */
#pragma once
#include <hooke/ranks.h>
#include "base/base.h"
#include "link/mpi.h"

typedef struct hk_command { /* of rank 0 to all others */
  int32_t what, shot, part, flag;
  int64_t first, count;
} hk_command;

typedef struct hk_ranks {
  const hk_mpi *mpi;
  hk_mpi_place place;
  double patience;
  int threads;        /* of this rank */
  hk_failure failure; /* of all ranks; stays until hk_ranks_renew */
  bool torn;
  bool soon; /* what is waited for has to come within the patience */
  bool stop_here,
      stop_asked; /* this rank is asked to stop; some rank is: known after an agreement */
  struct hk_ranks_link *link; /* of static solutions (sharing.h); NULL: the link mpi */
  void (*closing)(void);      /* of what uses MPI too: called before it ends; NULL: nothing does */
} hk_ranks;

/* Begins MPI by this plug-in. */
hk_status hk_ranks_open(const hk_mpi *mpi, double patience);
/* NULL where there is one process. */
hk_ranks *hk_ranks_now(void);
/* A run begins: failures of runs before are forgotten. */
void hk_ranks_renew(hk_ranks *ranks);
/* Keeps that this rank failed between agreements; returns status. */
hk_status hk_ranks_tear(hk_ranks *ranks, hk_status status);

/* hk_ranks_agree after steps, which all ranks end at about the same time: one that does not come within the patience hangs. */
hk_status hk_ranks_agree_soon(hk_ranks *ranks, hk_status status);

/* One rank to another, in order; both wait. What is taken is an answer, which has to come within the patience. */
hk_status hk_ranks_send(hk_ranks *ranks, int to, const void *data, hk_count bytes);
hk_status hk_ranks_take(hk_ranks *ranks, int from, void *data, hk_count bytes);
/* Of all, each after an agreement that nobody has failed. broadcast: data[bytes] of rank 0 to the others. largest: value[count] of all ranks.
 * collect: all[ranks][bytes] = own[bytes] of each, at most 1 GB in all. */
hk_status hk_ranks_broadcast(hk_ranks *ranks, void *data, hk_count bytes);
hk_status hk_ranks_largest(hk_ranks *ranks, int64_t *value, int count);
hk_status hk_ranks_collect(hk_ranks *ranks, const void *own, int bytes, void *all);
/* The same without an agreement, inside iterations, where a rank that does not come within the patience hangs. Takes no memory. */
hk_status hk_ranks_join(hk_ranks *ranks, const void *own, int bytes, void *all);
/* Of rank 0, and of the others: idle(user), which may be NULL, is called again and again while a rank waits. */
hk_status hk_ranks_command(hk_ranks *ranks, const hk_command *command);
hk_status hk_ranks_await(hk_ranks *ranks, hk_command *command, void (*idle)(void *user),
                         void *user);

/* share.c: of all ranks. */
hk_status hk_ranks_share_threads(hk_ranks *ranks, int *threads);
/* Waits for a request. whose, `from`: "rank 1 has waited 60 s for the rows of rank 2"; NULL: without an end. HK_NO_RESOURCES after the patience. */
hk_status hk_ranks_wait(hk_ranks *ranks, hk_mpi_request *request, const char *whose, int from);
/* The words of a failure of MPI, or HK_OK. */
hk_status hk_ranks_check(const hk_ranks *ranks, int code, const char *doing);
