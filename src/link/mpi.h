/* What hooke needs of MPI: the table that a plug-in (plugins/mpi.c) exports as `hk_mpi_plugin`. Implementations of MPI have headers and libraries that do
 * not mix, so that one source is compiled once for each (Open MPI, MPICH), and libhooke opens the one of the launcher.
 *
 * All communication is begun and then tested, so that the caller decides how it waits. Functions return 0 or the code of MPI, which `explain` puts
 * into words. Messages are bytes; those between two ranks arrive in the order in which they were sent with one tag. Calls come from one thread at a time. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { HK_MPI_VERSION = 2, HK_MPI_MOST = 1 << 30 }; /* of this table; bytes of a message */

typedef struct hk_mpi_place { /* of this process among all, and among those of its host */
  int rank, ranks, local, locals;
  char library[128]; /* "Open MPI v4.1.4" */
} hk_mpi_place;

typedef struct hk_mpi_request {
  int64_t data;
} hk_mpi_request;

typedef struct hk_mpi {
  int version;
  int (*begin)(hk_mpi_place *place);
  int (*end)(void);
  void (*kill)(int code); /* ends all ranks */
  void (*explain)(int code, char *text, size_t size);
  /* `blocks` pieces of `bytes`, `stride` bytes apart, as one message. */
  int (*send)(const void *data, int blocks, int bytes, int stride, int to, int tag,
              hk_mpi_request *request);
  int (*take)(void *data, int bytes, int from, int tag, hk_mpi_request *request);
  int (*broadcast)(void *data, int bytes, hk_mpi_request *request); /* from rank 0 */
  /* most[count] = the largest of all ranks' own[count] */
  int (*largest)(const int64_t *own, int64_t *most, int count, hk_mpi_request *request);
  /* all[ranks][bytes] = own[bytes] of each */
  int (*collect)(const void *own, int bytes, void *all, hk_mpi_request *request);
  int (*test)(hk_mpi_request *request, int *done); /* a request that is done stays so */
  void (*leave)(hk_mpi_request *request); /* nobody waits for it any more; zero: never begun */
  int (*aware)(void); /* whether it says that data may be in the memory of a GPU (CUDA) */
} hk_mpi;
