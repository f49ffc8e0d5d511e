/* The plug-in between hooke and one implementation of MPI (src/link/mpi.h). It is compiled by mpicc.openmpi and by mpicc.mpich into libraries of their own.
 * Errors are returned, not fatal; the communicator is a copy of MPI_COMM_WORLD, so that nobody else's messages are met. */
#include "link/mpi.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(MPI_Request) <= sizeof(int64_t), "a request of MPI fits into that of hooke");

static MPI_Comm all = MPI_COMM_NULL;
static int begun_here; /* MPI was not begun by another part of the process */

static MPI_Request get(const hk_mpi_request *request)
{
  MPI_Request own;
  memcpy(&own, &request->data, sizeof own);
  return own;
}

static void put(MPI_Request own, hk_mpi_request *request)
{
  request->data = 0;
  memcpy(&request->data, &own, sizeof own);
}

static int find_place(hk_mpi_place *place)
{
  MPI_Comm host;
  int code = MPI_Comm_rank(all, &place->rank), length;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  if (!code) code = MPI_Comm_size(all, &place->ranks);
  if (!code) code = MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  if (!code) code = MPI_Comm_rank(host, &place->local);
  if (!code) code = MPI_Comm_size(host, &place->locals);
  if (!code) code = MPI_Comm_free(&host);
  if (!code) code = MPI_Get_library_version(text, &length);
  if (code) return code;
  text[strcspn(text, ",\n")] =
      0; /* "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2\nMPICH ..." */
  const char *number = strchr(text, '\t');
  snprintf(place->library, sizeof place->library, "%.*s%.100s",
           number ? (int)strcspn(text, "V:\t") : 100, text, number ? number + 1 : "");
  return 0;
}

static int begin(hk_mpi_place *place)
{
  int begun, level, code = MPI_Initialized(&begun);
  if (!code && !begun) code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  if (!code && begun) code = MPI_Query_thread(&level);
  if (code) return code;
  begun_here = !begun;
  if (level < MPI_THREAD_SERIALIZED) return MPI_ERR_OTHER;
  code = MPI_Comm_dup(MPI_COMM_WORLD, &all);
  if (!code) code = MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  return code ? code : find_place(place);
}

static int end(void)
{
  const int code = MPI_Comm_free(&all);
  return code || !begun_here ? code : MPI_Finalize();
}

static void abort_all(int code)
{
  MPI_Abort(MPI_COMM_WORLD, code);
}

static void explain(int code, char *text, size_t size)
{
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, words, &length);
  snprintf(text, size, "%s", words);
}

static int send(const void *data, int blocks, int bytes, int stride, int to, int tag,
                hk_mpi_request *request)
{
  MPI_Request own;
  MPI_Datatype rows;
  int code;
  if (blocks == 1)
    code = MPI_Isend(data, bytes, MPI_BYTE, to, tag, all, &own);
  else {
    code = MPI_Type_vector(blocks, bytes, stride, MPI_BYTE, &rows);
    if (!code) code = MPI_Type_commit(&rows);
    if (!code) code = MPI_Isend(data, 1, rows, to, tag, all, &own);
    if (!code) code = MPI_Type_free(&rows);
  }
  if (!code) put(own, request);
  return code;
}

static int take(void *data, int bytes, int from, int tag, hk_mpi_request *request)
{
  MPI_Request own;
  const int code = MPI_Irecv(data, bytes, MPI_BYTE, from, tag, all, &own);
  if (!code) put(own, request);
  return code;
}

static int broadcast(void *data, int bytes, hk_mpi_request *request)
{
  MPI_Request own;
  const int code = MPI_Ibcast(data, bytes, MPI_BYTE, 0, all, &own);
  if (!code) put(own, request);
  return code;
}

static int largest(const int64_t *own_values, int64_t *most, int count, hk_mpi_request *request)
{
  MPI_Request own;
  const int code = MPI_Iallreduce(own_values, most, count, MPI_INT64_T, MPI_MAX, all, &own);
  if (!code) put(own, request);
  return code;
}

static int collect(const void *own_bytes, int bytes, void *out, hk_mpi_request *request)
{
  MPI_Request own;
  const int code = MPI_Iallgather(own_bytes, bytes, MPI_BYTE, out, bytes, MPI_BYTE, all, &own);
  if (!code) put(own, request);
  return code;
}

static int test(hk_mpi_request *request, int *done)
{
  MPI_Request own = get(request);
  const int code = MPI_Test(&own, done, MPI_STATUS_IGNORE);
  put(own, request);
  return code;
}

static void leave(hk_mpi_request *request)
{
  MPI_Request own = get(request);
  if (request->data && own != MPI_REQUEST_NULL) MPI_Request_free(&own);
  put(MPI_REQUEST_NULL, request);
}

/* An extension of Open MPI and MPICH, which some builds leave out. */
static int aware(void)
{
  int (*query)(void) = NULL;
  *(void **)&query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
  return query && query() == 1;
}

extern const hk_mpi hk_mpi_plugin;
const hk_mpi hk_mpi_plugin = {.version = HK_MPI_VERSION,
                              .begin = begin,
                              .end = end,
                              .kill = abort_all,
                              .explain = explain,
                              .send = send,
                              .take = take,
                              .broadcast = broadcast,
                              .largest = largest,
                              .collect = collect,
                              .test = test,
                              .leave = leave,
                              .aware = aware};
