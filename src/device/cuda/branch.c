/* Launches beside one another: between fork and back they go into a second stream, which waits for what the first held at the fork; at the join the
 * first waits for the second. What is aside has a third one, which waits for what the second held there. Events carry both, and a graph that is recorded meanwhile has two chains there. The second has the highest priority: its
 * groups take the places that become free before those of the first do, for others wait for what it does. In a graph no launch has a priority
 * (drivers to 13.0), so that steps with a branch are launched one by one. */
#include "device/cuda/parts.h"

hk_status hk_cuda_branch_create(hk_device *device)
{
  hk_cuda *c = hk_cuda_of(device);
  hk_cuda_branch *b = &c->branch;
  int lowest = 0, highest = 0;
  HK_CUDA_CALL(device, "reading the priorities", c->cu->priorities(&lowest, &highest));
  HK_CUDA_CALL(device, "creating a stream",
               c->cu->stream_first(&b->stream, CU_STREAM_ALONE, highest));
  HK_CUDA_CALL(device, "creating a stream",
               c->cu->stream_first(&b->side, CU_STREAM_ALONE, highest));
  HK_CUDA_CALL(device, "creating an event", c->cu->event_create(&b->forked, CU_EVENT_UNTIMED));
  HK_CUDA_CALL(device, "creating an event", c->cu->event_create(&b->joined, CU_EVENT_UNTIMED));
  HK_CUDA_CALL(device, "creating an event", c->cu->event_create(&b->parted, CU_EVENT_UNTIMED));
  return HK_OK;
}

void hk_cuda_branch_destroy(hk_device *device)
{
  hk_cuda *c = hk_cuda_of(device);
  hk_cuda_branch *b = &c->branch;
  if (b->joined) c->cu->event_destroy(b->joined);
  if (b->forked) c->cu->event_destroy(b->forked);
  if (b->parted) c->cu->event_destroy(b->parted);
  if (b->stream) c->cu->stream_destroy(b->stream);
  if (b->side) c->cu->stream_destroy(b->side);
}

static hk_status go_aside(hk_device *device)
{
  const hk_cuda *c = hk_cuda_enter(device);
  hk_cuda_branch *b = &hk_cuda_of(device)->branch;
  HK_CUDA_CALL(device, "branching launches", c->cu->event_record(b->parted, b->stream));
  HK_CUDA_CALL(device, "branching launches", c->cu->stream_after(b->side, b->parted, 0));
  b->aside = b->begins = true;
  return HK_OK;
}

hk_status hk_cuda_fork(hk_device *device)
{
  const hk_cuda *c = hk_cuda_enter(device);
  hk_cuda_branch *b = &hk_cuda_of(device)->branch;
  if (b->taken) return go_aside(device);
  HK_CUDA_CALL(device, "branching launches", c->cu->event_record(b->forked, c->stream));
  HK_CUDA_CALL(device, "branching launches", c->cu->stream_after(b->stream, b->forked, 0));
  b->taken = b->begins = true, b->marked = false;
  return HK_OK;
}

hk_status hk_cuda_mark(hk_device *device)
{
  const hk_cuda *c = hk_cuda_enter(device);
  hk_cuda_branch *b = &hk_cuda_of(device)->branch;
  HK_CUDA_CALL(device, "branching launches",
               c->cu->event_record(b->joined, b->aside ? b->side : b->stream));
  b->marked = true, b->begins = b->begins || b->aside, b->aside = false;
  return HK_OK;
}

hk_status hk_cuda_back(hk_device *device)
{
  const hk_cuda *c = hk_cuda_enter(device);
  hk_cuda_branch *b = &hk_cuda_of(device)->branch;
  b->taken = false;
  b->begins = true; /* early groups of the first would take the places of the second */
  if (b->marked) return HK_OK;
  HK_CUDA_CALL(device, "branching launches", c->cu->event_record(b->joined, b->stream));
  return HK_OK;
}

hk_status hk_cuda_join(hk_device *device)
{
  const hk_cuda *c = hk_cuda_enter(device);
  hk_cuda_branch *b = &hk_cuda_of(device)->branch;
  b->begins = true;
  HK_CUDA_CALL(device, "joining launches", c->cu->stream_after(c->stream, b->joined, 0));
  return HK_OK;
}
