/* Host variant of kernels/pattern.k.h. */
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CHUNK 128
#include "pattern.k.h"

static void room_run(int group, void **v)
{
  pattern_room(group, *(int **)v[0], *(int **)v[1], *(int *)v[2], *(int *)v[3]);
}

static void put_run(int group, void **v)
{
  pattern_put(group, *(int **)v[0], *(long **)v[1], *(int **)v[2], *(int **)v[3], *(int *)v[4],
              *(int *)v[5]);
}

static void unite_run(int group, void **v)
{
  pattern_unite(group, *(long **)v[0], *(int **)v[1], *(int **)v[2], *(int *)v[3]);
}

static void join_run(int group, void **v)
{
  pattern_join(group, *(long **)v[0], *(int **)v[1], *(long **)v[2], *(int **)v[3], *(int *)v[4]);
}

const hk_host_kernel JOIN(hk_host_pattern, HOST_ISA)[] = {{"pattern_room f CHUNK=128", room_run},
                                                          {"pattern_put f CHUNK=128", put_run},
                                                          {"pattern_unite f CHUNK=128", unite_run},
                                                          {"pattern_join f CHUNK=128", join_run},
                                                          {0}};
