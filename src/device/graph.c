/* Graphs: launches that are recorded once and carried out many times. Where the device has graphs of its own (CUDA) it records them. Otherwise
 * the graph is a list: hk_graph_keep notes each launch with copies of its arguments, and a launch of the graph walks through it. A graph borrows
 * kernels and buffers, which outlive it. */
#include "device/compile.h"
#include <string.h>

typedef struct launch {
  hk_kernel *kernel;
  hk_count first, count;
  hk_count argument; /* its first in hk_graph.value, .size */
  int arguments;
} launch;

struct hk_graph {
  hk_device *device;
  void *own; /* the device's; else the list: */
  launch *launch;
  hk_count launch_count;
  hk_pool pool; /* the list, with copies of arguments */
  void **value; /* value[argument]: its copy */
  size_t *size;
  hk_count argument_count;
};

hk_status hk_graph_keep(hk_kernel *kernel, hk_count first, hk_count count, void **value,
                        const size_t *size, int arguments)
{
  hk_graph *g = kernel->device->recording;
  const hk_count end = g->argument_count + arguments;
  HK_PASS(hk_pool_room(&g->pool, &g->launch, g->launch_count + 1));
  HK_PASS(hk_pool_room(&g->pool, &g->value, end));
  HK_PASS(hk_pool_room(&g->pool, &g->size, end));
  for (int k = 0; k < arguments; k++) {
    void **copy = &g->value[g->argument_count + k];
    HK_PASS(hk_pool_take(&g->pool, size[k], copy));
    memcpy(*copy, value[k], size[k]);
    g->size[g->argument_count + k] = size[k];
  }
  g->launch[g->launch_count++] = (launch){kernel, first, count, g->argument_count, arguments};
  g->argument_count = end;
  return HK_OK;
}

static hk_status record_list(hk_graph *g, hk_status (*launches)(void *user), void *user)
{
  g->device->recording = g;
  const hk_status status = launches(user);
  g->device->recording = NULL;
  return status;
}

static hk_status record_once(hk_graph *g, hk_status (*launches)(void *user), void *user)
{
  hk_status status = g->device->table->record(g->device);
  if (status != HK_OK) return status;
  status = launches(user);
  const hk_status ended = g->device->table->recorded(g->device, &g->own);
  if (ended == HK_OK && !g->own)
    return HK_OK; /* spoiled: launches may have failed for that alone */
  return status == HK_OK ? ended : status;
}

/* Work of other threads of the process may spoil a recording, which is then made again. */
static hk_status record_own(hk_graph *g, hk_status (*launches)(void *user), void *user)
{
  enum { TRIALS = 20 };
  for (int k = 0; k < TRIALS && !g->own; k++) HK_PASS(record_once(g, launches, user));
  return g->own ? HK_OK
                : hk_error_set(HK_NO_RESOURCES,
                               "device %s: recordings of launches are spoiled by other work",
                               g->device->info.backend);
}

hk_status hk_graph_record(hk_device *device, hk_status (*launches)(void *user), void *user,
                          hk_graph **out)
{
  hk_status status = HK_OK;
  hk_graph *g = NULL;
  HK_TRY(hk_device_permit(device, "recording launches"));
  HK_TRY(hk_compile_await_all(device));
  HK_TRY(hk_new(&g));
  g->device = device;
  HK_TRY((device->table->record ? record_own : record_list)(g, launches, user));
  *out = g, g = NULL;
cleanup:
  hk_graph_destroy(&g);
  return status;
}

void hk_graph_destroy(hk_graph **graph)
{
  hk_graph *g = *graph;
  if (!g) return;
  if (g->own) g->device->table->graph_destroy(g->device, g->own);
  hk_pool_clear(&g->pool);
  hk_free(graph);
}

hk_status hk_graph_launch(const hk_graph *g)
{
  hk_status status = hk_device_permit(g->device, "launching a graph");
  if (hk_device_loses(g->device)) return status;
  if (status == HK_OK && g->own) return g->device->table->graph_launch(g->device, g->own);
  for (hk_count i = 0; status == HK_OK && i < g->launch_count; i++) {
    const launch *l = &g->launch[i];
    status = g->device->table->launch(l->kernel, l->first, l->count, g->value + l->argument,
                                      g->size + l->argument, l->arguments);
  }
  return status;
}
