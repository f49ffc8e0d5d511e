/* Graphs of launches on CUDA, by capturing the stream: what is launched between begin and end becomes a chain of nodes with copies of its
 * arguments, and is not carried out. The chain is then launched as a whole, as often as needed, which costs the host one call instead of one per
 * kernel. */
#include "device/cuda/parts.h"

hk_status hk_cuda_record(hk_device *device)
{
  const hk_cuda *c = hk_cuda_enter(device);
  HK_CUDA_CALL(device, "recording launches",
               c->cu->capture_begin(c->stream, CU_CAPTURE_THREAD_LOCAL));
  hk_cuda_of(device)->recording = true;
  return HK_OK;
}

hk_status hk_cuda_recorded(hk_device *device, void **graph)
{
  const hk_cuda *c = hk_cuda_enter(device);
  cu_graph captured = NULL;
  cu_graph_exec made = NULL;
  hk_cuda_of(device)->recording = false;
  hk_cuda_of(device)->branch.taken = hk_cuda_of(device)->branch.aside = false;
  int code = c->cu->capture_end(c->stream, &captured);
  if (code == CU_CAPTURE_SPOILED) return HK_OK;
  if (code) return hk_cuda_failed(device, "recording launches", code);
  code = c->cu->graph_instantiate(&made, captured, 0);
  c->cu->graph_destroy(captured);
  if (code) return hk_cuda_failed(device, "making a graph of launches", code);
  *graph = made;
  return HK_OK;
}

hk_status hk_cuda_graph_launch(hk_device *device, void *graph)
{
  const hk_cuda *c = hk_cuda_enter(device);
  HK_CUDA_CALL(device, "launching a graph", c->cu->graph_launch(graph, c->stream));
  return HK_OK;
}

void hk_cuda_graph_destroy(hk_device *device, void *graph)
{
  hk_cuda_enter(device)->cu->graph_exec_destroy(graph);
}
