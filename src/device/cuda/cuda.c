/* NVIDIA GPUs as a device, through the driver's interface (cuda/driver.h), which is found at run time. Launches and copies are in one stream. The
 * threads of device/compile.h get the code of kernels (code.c). Small writes pass through page-locked memory and do not wait; large ones, and reads, do. From compute
 * capability 9.0 and driver 12.4 on, a kernel that asks for it is launched early, while the groups of the launch before it still run. */
#include "device/cuda/architectures.h"
#include "device/cuda/parts.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { STAGING = 1 << 20 };
enum { EARLY_ARCH = 90, EARLY_DRIVER = 12040 };

#define CALL HK_CUDA_CALL

const hk_cuda *hk_cuda_enter(const hk_device *device)
{
  const hk_cuda *c = hk_cuda_of(device);
  c->cu->context_set(c->context);
  return c;
}

hk_status hk_cuda_failed(const hk_device *device, const char *doing, int code)
{
  const char *words = NULL;
  hk_cuda_of(device)->cu->error_words(code, &words);
  return hk_error_set(HK_NO_RESOURCES, "device %s (%s): %s: %s", device->info.backend,
                      device->info.name, doing, words ? words : "unknown error");
}

static int count_cuda(const hk_device_desc *desc)
{
  const char *why;
  const hk_cuda_api *cu = hk_cuda_load(&why);
  int count = 0;
  (void)desc;
  return cu && cu->device_count(&count) == 0 ? count : 0;
}

static void describe(hk_cuda *c, hk_device_info *info)
{
  hk_multiprocessor *own = &info->multiprocessor;
  size_t memory = 0;
  int major = 0, minor = 0, shared = 0, all_shared = 0, reserved = 0;
  c->cu->device_name(info->name, sizeof info->name - 1, c->device);
  c->cu->device_memory(&memory, c->device);
  c->cu->device_attribute(&major, CU_ATTRIBUTE_MAJOR, c->device);
  c->cu->device_attribute(&minor, CU_ATTRIBUTE_MINOR, c->device);
  c->cu->device_attribute(&shared, CU_ATTRIBUTE_SHARED_OPTIN, c->device);
  c->cu->device_attribute(&all_shared, CU_ATTRIBUTE_SHARED_PER_MULTIPROCESSOR, c->device);
  c->cu->device_attribute(&reserved, CU_ATTRIBUTE_SHARED_RESERVED, c->device);
  c->cu->device_attribute(&own->registers, CU_ATTRIBUTE_REGISTERS_PER_MULTIPROCESSOR, c->device);
  c->cu->device_attribute(&own->threads, CU_ATTRIBUTE_THREADS_PER_MULTIPROCESSOR, c->device);
  c->cu->device_attribute(&own->count, CU_ATTRIBUTE_MULTIPROCESSORS, c->device);
  c->cu->device_attribute(&info->lockstep, CU_ATTRIBUTE_WARP, c->device);
  c->cu->device_attribute(&info->most_threads, CU_ATTRIBUTE_MOST_THREADS, c->device);
  c->arch = 10 * major + minor;
  snprintf(info->isa, sizeof info->isa, "sm_%d", c->arch);
  info->memory = (hk_count)memory, info->local_memory = shared;
  own->local_memory = all_shared, own->reserved = reserved;
  info->refills = c->arch >= HK_CUDA_REFILLS, info->addressed = true;
  hk_cuda_common(info);
}

static hk_status open_cuda(hk_device *device, const hk_device_desc *desc, int number)
{
  const char *why, *name = device->info.backend;
  const hk_cuda_api *cu = hk_cuda_load(&why);
  const int count = count_cuda(desc);
  hk_cuda *c = NULL;
  int version = 0;
  HK_NEED(cu, HK_NO_RESOURCES, "device %s: %s; `hooke devices` lists the devices found", name, why);
  HK_NEED(number < count, HK_NO_RESOURCES, "device %s: the driver finds %d GPUs, numbered from 0",
          name, count);
  HK_PASS(hk_new(&c));
  device->data = c;
  c->cu = cu;
  CALL(device, "choosing", cu->device_get(&c->device, number));
  describe(c, &device->info);
  cu->driver_version(&version);
  c->early = c->arch >= EARLY_ARCH && version >= EARLY_DRIVER && cu->launch_ex;
  HK_PASS(hk_cuda_code_open(device, desc, version));
  c->local_share = desc->local_share;
  CALL(device, "creating a context", cu->context_retain(&c->context, c->device));
  hk_cuda_enter(device);
  CALL(device, "creating a stream", cu->stream_create(&c->stream, CU_STREAM_ALONE));
  CALL(device, "creating a stream", cu->stream_create(&c->side, CU_STREAM_ALONE));
  HK_PASS(hk_cuda_branch_create(device));
  CALL(device, "allocating", cu->host_get(&c->staging, STAGING, 0));
  return HK_OK;
}

static void close_cuda(hk_device *device)
{
  hk_cuda *c = hk_cuda_of(device);
  if (!c) return;
  if (c->context) {
    hk_cuda_enter(device);
    if (c->stream) c->cu->stream_wait(c->stream);
    if (c->staging) c->cu->host_free(c->staging);
    hk_cuda_branch_destroy(device);
    if (c->side) c->cu->stream_destroy(c->side);
    if (c->stream) c->cu->stream_destroy(c->stream);
    c->cu->context_release(c->device);
  }
  hk_cuda_code_close(device);
  hk_memory_free(&device->data);
}

static hk_status finish_cuda(hk_device *device)
{
  const hk_cuda *c = hk_cuda_enter(device);
  CALL(device, "waiting", c->cu->stream_wait(c->branch.side));
  CALL(device, "waiting", c->cu->stream_wait(c->branch.stream));
  CALL(device, "waiting", c->cu->stream_wait(c->stream));
  hk_cuda_of(device)->staged = 0;
  return HK_OK;
}

static hk_count available_cuda(const hk_device *device)
{
  size_t available = 0, total = 0;
  hk_cuda_enter(device)->cu->memory_info(&available, &total);
  return (hk_count)available;
}

/* Two opened on one GPU share it: a kernel that waits for the other could keep it from running. */
static bool reaches_cuda(hk_device *device, hk_device *other)
{
  const hk_cuda *to = hk_cuda_of(other), *c = hk_cuda_enter(device);
  int can = 0;
  if (c->device == to->device || !c->cu->peer_can || !c->cu->peer_allow) return false;
  if (c->cu->peer_can(&can, c->device, to->device) || !can) return false;
  const int code = c->cu->peer_allow(to->context, 0);
  return !code || code == CU_PEER_ALREADY;
}

static hk_status buffer_create_cuda(hk_buffer *buffer)
{
  const hk_device *device = buffer->device;
  const hk_cuda *c = hk_cuda_enter(device);
  const size_t size = buffer->bytes > 0 ? (size_t)buffer->bytes : 16;
  size_t available = 0, total = 0;
  cu_pointer memory = 0;
  CALL(device, "allocating memory", c->cu->memory_info(&available, &total));
  int code = size > available ? CU_OUT_OF_MEMORY : c->cu->memory_get(&memory, size);
  if (code == CU_OUT_OF_MEMORY)
    return hk_error_set(HK_NO_RESOURCES,
                        "device %s (%s): %zu bytes are needed; %zu of %zu are free",
                        device->info.backend, device->info.name, size, available, total);
  if (code) return hk_cuda_failed(device, "allocating", code);
  code = c->cu->memory_set(memory, 0, size, c->stream);
  if (code) {
    c->cu->memory_free(memory);
    return hk_cuda_failed(device, "clearing memory", code);
  }
  buffer->memory = (void *)(uintptr_t)memory;
  return HK_OK;
}

static void buffer_destroy_cuda(hk_buffer *buffer)
{
  hk_cuda_enter(buffer->device)->cu->memory_free(hk_cuda_place(buffer, 0));
}

/* Small writes go through memory that stays as it is until they are carried out: they need not wait. */
static hk_status write_staged(const hk_buffer *buffer, hk_count offset, hk_count bytes,
                              const void *from)
{
  hk_cuda *c = hk_cuda_of(buffer->device);
  if (c->staged + bytes > STAGING) {
    const hk_status status = finish_cuda(buffer->device);
    if (status != HK_OK) return status;
  }
  char *place = (char *)c->staging + c->staged;
  memcpy(place, from, (size_t)bytes);
  c->staged += (bytes + 15) / 16 * 16;
  CALL(buffer->device, "writing",
       c->cu->to_device(hk_cuda_place(buffer, offset), place, (size_t)bytes, c->stream));
  return HK_OK;
}

static hk_status buffer_write_cuda(hk_buffer *buffer, hk_count offset, hk_count bytes,
                                   const void *from)
{
  const hk_cuda *c = hk_cuda_enter(buffer->device);
  if (!bytes) return HK_OK;
  if (bytes <= STAGING / 4) return write_staged(buffer, offset, bytes, from);
  CALL(buffer->device, "writing",
       c->cu->to_device(hk_cuda_place(buffer, offset), from, (size_t)bytes, c->stream));
  return finish_cuda(buffer->device);
}

static hk_status buffer_read_cuda(const hk_buffer *buffer, hk_count offset, hk_count bytes,
                                  void *to)
{
  const hk_cuda *c = hk_cuda_enter(buffer->device);
  if (!bytes) return HK_OK;
  CALL(buffer->device, "reading",
       c->cu->to_host(to, hk_cuda_place(buffer, offset), (size_t)bytes, c->stream));
  return finish_cuda(buffer->device);
}

static hk_status buffer_copy_cuda(hk_buffer *to, const hk_buffer *from)
{
  const hk_cuda *c = hk_cuda_enter(to->device);
  if (to->bytes)
    CALL(to->device, "copying",
         c->cu->copy(hk_cuda_place(to, 0), hk_cuda_place(from, 0), (size_t)to->bytes, c->stream));
  return HK_OK;
}

static void destroy_cuda(hk_program *program)
{
  hk_cuda_enter(program->device)->cu->module_unload(program->code);
}

static hk_status take_cuda(hk_kernel *kernel)
{
  const hk_device *device = kernel->device;
  const hk_cuda *c = hk_cuda_enter(device);
  cu_function function = NULL;
  int code = c->cu->function_get(&function, kernel->program->code, kernel->function);
  if (!code && kernel->local)
    code = c->cu->function_set(function, CU_FUNCTION_DYNAMIC_SHARED, (int)kernel->local);
  if (!code && c->local_share)
    code = c->cu->function_set(function, CU_FUNCTION_CARVEOUT, c->local_share);
  if (code) return hk_cuda_failed(device, kernel->function, code);
  kernel->code = function;
  return HK_OK;
}

static const hk_compiler_table compiler = {"cuda", hk_cuda_make, destroy_cuda, take_cuda,
                                           hk_cuda_code_resident};

static void kernel_destroy_cuda(hk_kernel *kernel)
{
  (void)kernel; /* belongs to its module */
}

static hk_kernel_cost kernel_measure_cuda(const hk_kernel *kernel)
{
  const hk_cuda *c = hk_cuda_enter(kernel->device);
  cu_function function = (cu_function)kernel->code;
  hk_kernel_cost cost = {0};
  if (!c->cu->function_about || !c->cu->occupancy) return cost;
  c->cu->function_about(&cost.registers, CU_FUNCTION_REGISTERS, function);
  c->cu->function_about(&cost.spilled, CU_FUNCTION_LOCAL_BYTES, function);
  c->cu->occupancy(&cost.groups, function, kernel->threads, (size_t)kernel->local);
  return cost;
}

/* Of a kernel that awaits what comes before it: its groups take their places as those of the launch before leave them. */
static int launch_early(const hk_cuda *c, cu_stream stream, const hk_kernel *kernel, hk_count count,
                        void **value)
{
  const cu_launch_attribute early = {.id = CU_LAUNCH_PROGRAMMATIC_SERIALIZATION, .value = {1}};
  const cu_launch_config config = {.groups = {(unsigned)count, 1, 1},
                                   .threads = {(unsigned)kernel->threads, 1, 1},
                                   .shared = (unsigned)kernel->local,
                                   .stream = stream,
                                   .attribute = &early,
                                   .attributes = 1};
  return c->cu->launch_ex(&config, (cu_function)kernel->code, value, NULL);
}

static hk_status launch_cuda(hk_kernel *kernel, hk_count first, hk_count count, void **value,
                             const size_t *size, int arguments)
{
  const hk_device *device = kernel->device;
  const hk_cuda *c = hk_cuda_enter(device);
  hk_cuda_branch *branch = &hk_cuda_of(device)->branch;
  cu_stream stream = hk_cuda_current(device);
  const bool follows = !branch->begins; /* one launch, which it may overlap */
  void *all[HK_MOST_ARGUMENTS + 1];
  int begin = (int)first;
  (void)size;
  if (first + count > INT_MAX)
    return hk_error_set(HK_NO_RESOURCES, "%lld groups: too many for a launch", (long long)count);
  all[0] = &begin;
  for (int k = 0; k < arguments; k++) all[k + 1] = value[k];
  branch->begins = false;
  if (kernel->early && c->early && c->recording && follows) {
    CALL(device, "launching a kernel", launch_early(c, stream, kernel, count, all));
    return HK_OK;
  }
  CALL(device, "launching a kernel",
       c->cu->launch((cu_function)kernel->code, (unsigned)count, 1, 1, (unsigned)kernel->threads, 1,
                     1, (unsigned)kernel->local, stream, all, NULL));
  return HK_OK;
}

const hk_device_table hk_device_cuda = {
    .name = "cuda",
    .dlpack = 2,
    .count = count_cuda,
    .open = open_cuda,
    .close = close_cuda,
    .finish = finish_cuda,
    .fork = hk_cuda_fork,
    .mark = hk_cuda_mark,
    .back = hk_cuda_back,
    .join = hk_cuda_join,
    .available = available_cuda,
    .reaches = reaches_cuda,
    .buffer_create = buffer_create_cuda,
    .buffer_destroy = buffer_destroy_cuda,
    .buffer_write = buffer_write_cuda,
    .buffer_read = buffer_read_cuda,
    .buffer_copy = buffer_copy_cuda,
    .compiler = &compiler,
    .kernel_destroy = kernel_destroy_cuda,
    .kernel_measure = kernel_measure_cuda,
    .launch = launch_cuda,
    .record = hk_cuda_record,
    .recorded = hk_cuda_recorded,
    .graph_launch = hk_cuda_graph_launch,
    .graph_destroy = hk_cuda_graph_destroy,
    .fetch_create = hk_cuda_fetch_create,
    .fetches_aside = true,
    .fetch_destroy = hk_cuda_fetch_destroy,
    .fetch_begin = hk_cuda_fetch_begin,
    .fetch_ready = hk_cuda_fetch_ready,
    .fetch_wait = hk_cuda_fetch_wait,
    .library = &hk_cuda_library,
    .product = &hk_cuda_product,
    .wire = &hk_cuda_wire,
};
