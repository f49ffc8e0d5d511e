/* Host variant of kernels/stream.k.h. */
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CHUNK 4096
#define real float
#include "stream.k.h"

static void copy_run(int group, void **v)
{
  stream_copy(group, *(real **)v[0], *(real **)v[1]);
}

static void step_run(int group, void **v)
{
  stream_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3]);
}

const hk_host_kernel JOIN(hk_host_stream, HOST_ISA)[] = {
    {"stream_copy f CHUNK=4096", copy_run}, {"stream_step f CHUNK=4096", step_run}, {0}};
