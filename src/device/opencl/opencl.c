/* OpenCL 1.2 as a device: one context and one queue in order. Kernels are compiled from source by the driver, in the threads of
 * device/compile.h. The device must have double precision, which energies and sums need. New buffers are cleared; the bytes that are held are counted here,
 * because OpenCL does not tell how much is free. The host waits now and then, so that the queue stays short. What OpenCL 1.2 does not tell of a
 * GPU (registers, threads in lockstep) is assumed. */
#include "device/opencl/parts.h"
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A queue that nobody waits for would grow without bound. */
enum { GROUP_THREADS = 128, WIDTH = 32, MOST_QUEUED = 512 };
/* OpenCL 1.2 does not tell these. Threads in lockstep, registers and threads of a multiprocessor (RESIDENT) are those of most GPUs; the local memory of a multiprocessor is that of a
 * large one, so that what a group may have (CL_DEVICE_LOCAL_MEM_SIZE) is the bound. VECTOR: of the processor that plays a device. */
enum {
  LOCKSTEP = 32,
  REGISTERS = 64 << 10,
  SHARED = 228 << 10,
  RESERVED = 1 << 10,
  RESIDENT = 2048,
  VECTOR = 8
};

#define CALL HK_OPENCL_CALL

hk_status hk_opencl_failed(const hk_device *device, const char *doing, cl_int code)
{
  return hk_error_set(HK_NO_RESOURCES, "device %s (%s): %s: %s", device->info.backend,
                      device->info.name, doing, hk_opencl_words(code));
}

static int count_opencl(const hk_device_desc *desc)
{
  cl_device_id device[HK_OPENCL_DEVICES];
  const bool automatic = desc->name && !strcmp(desc->name, "auto") && !desc->emulated;
  if (automatic && hk_opencl_is_pocl()) return 0;
  const hk_opencl_api *cl = hk_opencl_load();
  return cl ? hk_opencl_devices(cl, device) : 0;
}

static hk_count number_of(const hk_opencl *o, cl_uint what, size_t size)
{
  cl_ulong value = 0;
  o->cl->clGetDeviceInfo(o->device, what, size, &value, NULL);
  return value > INT64_MAX ? INT64_MAX : (hk_count)value;
}

static void describe(hk_opencl *o, hk_device_info *info)
{
  char version[128] = "";
  o->cl->clGetDeviceInfo(o->device, CL_DEVICE_NAME, sizeof info->name - 1, info->name, NULL);
  o->cl->clGetDeviceInfo(o->device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
  snprintf(info->isa, sizeof info->isa, "%s", version);
  o->cl->clGetDeviceInfo(o->device, CL_DRIVER_VERSION, sizeof info->software - 1, info->software,
                         NULL);
  info->memory = number_of(o, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
  info->local_memory = number_of(o, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
  cl_uint units = 0;
  o->cl->clGetDeviceInfo(o->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  info->multiprocessor = (hk_multiprocessor){REGISTERS, SHARED, RESERVED, RESIDENT, (int)units};
  const bool processor = number_of(o, CL_DEVICE_TYPE, sizeof(cl_ulong)) & CL_DEVICE_TYPE_CPU;
  info->compiles = info->own_memory = true;
  info->unoptimised = processor, info->overlaps = !processor;
  /* of GPUs OpenCL 1.2 tells neither, and has no fence between groups */
  info->ordered = processor;
  info->vector = processor ? VECTOR : 1;
  info->lanes = 1, info->width = WIDTH, info->group_threads = GROUP_THREADS, info->team = 1;
  info->lockstep = LOCKSTEP;
  info->most_threads = (int)number_of(o, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
  o->most_in_buffer = number_of(o, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
}

static hk_status open_opencl(hk_device *device, const hk_device_desc *desc, int number)
{
  cl_device_id found[HK_OPENCL_DEVICES];
  const hk_opencl_api *cl = hk_opencl_load();
  const char *name = device->info.backend;
  hk_opencl *o = NULL;
  cl_int code;
  (void)desc;
  HK_NEED(cl, HK_NO_RESOURCES,
          "device %s: libOpenCL.so.1 was not found; install an OpenCL loader (ocl-icd-libopencl1) "
          "and the GPU's driver",
          name);
  const int count = hk_opencl_devices(cl, found);
  HK_NEED(count, HK_NO_RESOURCES,
          "device %s: libOpenCL.so.1 finds no device; install the GPU's OpenCL driver "
          "(/etc/OpenCL/vendors lists the installed ones)",
          name);
  HK_NEED(number < count, HK_NO_RESOURCES,
          "device %s: there are %d OpenCL devices, numbered 0 to %d", name, count, count - 1);
  HK_PASS(hk_new(&o));
  device->data = o;
  o->cl = cl, o->device = found[number];
  describe(o, &device->info);
  HK_NEED(number_of(o, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_ulong)), HK_NO_RESOURCES,
          "device %s (%s) has no double precision (cl_khr_fp64), which energies and sums need: "
          "use another device",
          name, device->info.name);
  HK_NEED(number_of(o, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)) >= GROUP_THREADS,
          HK_NO_RESOURCES,
          "device %s (%s): its work-groups are smaller than the %d work-items needed", name,
          device->info.name, GROUP_THREADS);
  o->context = cl->clCreateContext(NULL, 1, &o->device, NULL, NULL, &code);
  if (!o->context) return hk_opencl_failed(device, "creating a context", code);
  o->queue = cl->clCreateCommandQueue(o->context, o->device, 0, &code);
  if (!o->queue) return hk_opencl_failed(device, "creating a queue", code);
  return HK_OK;
}

static void close_opencl(hk_device *device)
{
  hk_opencl *o = hk_opencl_of(device);
  if (!o) return;
  if (o->queue) o->cl->clReleaseCommandQueue(o->queue);
  if (o->context) o->cl->clReleaseContext(o->context);
  hk_memory_free(&device->data);
}

static hk_status finish_opencl(hk_device *device)
{
  hk_opencl_of(device)->queued = 0;
  CALL(device, "waiting", hk_opencl_of(device)->cl->clFinish(hk_opencl_of(device)->queue));
  return HK_OK;
}

static hk_count available_opencl(const hk_device *device)
{
  return device->info.memory - hk_opencl_of(device)->held;
}

static hk_status buffer_create_opencl(hk_buffer *buffer)
{
  hk_device *device = buffer->device;
  hk_opencl *o = hk_opencl_of(device);
  const size_t size = buffer->bytes > 0 ? (size_t)buffer->bytes : 16;
  const uint8_t zero = 0;
  cl_int code;
  if (o->held + (hk_count)size > device->info.memory || (hk_count)size > o->most_in_buffer)
    return hk_error_set(HK_NO_RESOURCES,
                        "device %s (%s): %lld bytes are needed; %lld of %lld are free, at most "
                        "%lld in one array",
                        device->info.backend, device->info.name, (long long)size,
                        (long long)available_opencl(device), (long long)device->info.memory,
                        (long long)o->most_in_buffer);
  cl_mem memory = o->cl->clCreateBuffer(o->context, CL_MEM_READ_WRITE, size, NULL, &code);
  if (!memory) return hk_opencl_failed(device, "allocating", code);
  code = o->cl->clEnqueueFillBuffer(o->queue, memory, &zero, 1, 0, size, 0, NULL, NULL);
  if (code) {
    o->cl->clReleaseMemObject(memory);
    return hk_opencl_failed(device, "clearing memory", code);
  }
  buffer->memory = memory;
  o->held += (hk_count)size;
  return HK_OK;
}

static void buffer_destroy_opencl(hk_buffer *buffer)
{
  hk_opencl *o = hk_opencl_of(buffer->device);
  o->held -= buffer->bytes > 0 ? buffer->bytes : 16;
  o->cl->clReleaseMemObject(buffer->memory);
}

static hk_status buffer_write_opencl(hk_buffer *buffer, hk_count offset, hk_count bytes,
                                     const void *from)
{
  const hk_opencl *o = hk_opencl_of(buffer->device);
  const hk_count most = 256 << 20; /* some drivers refuse gigabytes at once */
  for (hk_count at = 0; at < bytes; at += most)
    CALL(buffer->device, "writing",
         o->cl->clEnqueueWriteBuffer(o->queue, buffer->memory, CL_TRUE, (size_t)(offset + at),
                                     (size_t)(bytes - at < most ? bytes - at : most),
                                     (const char *)from + at, 0, NULL, NULL));
  return HK_OK;
}

static hk_status buffer_read_opencl(const hk_buffer *buffer, hk_count offset, hk_count bytes,
                                    void *to)
{
  const hk_opencl *o = hk_opencl_of(buffer->device);
  if (bytes)
    CALL(buffer->device, "reading",
         o->cl->clEnqueueReadBuffer(o->queue, buffer->memory, CL_TRUE, (size_t)offset,
                                    (size_t)bytes, to, 0, NULL, NULL));
  return HK_OK;
}

static hk_status buffer_copy_opencl(hk_buffer *to, const hk_buffer *from)
{
  const hk_opencl *o = hk_opencl_of(to->device);
  if (to->bytes)
    CALL(to->device, "copying",
         o->cl->clEnqueueCopyBuffer(o->queue, from->memory, to->memory, 0, 0, (size_t)to->bytes, 0,
                                    NULL, NULL));
  return HK_OK;
}

static hk_status compile_failed(const hk_program *program, cl_program built)
{
  hk_status status = HK_OK;
  const hk_device *device = program->device;
  const hk_opencl *o = hk_opencl_of(device);
  char *log = NULL;
  size_t size = 0;
  o->cl->clGetProgramBuildInfo(built, o->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  HK_TRY(hk_get(&log, (hk_count)size + 1));
  o->cl->clGetProgramBuildInfo(built, o->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  status = hk_error_set(HK_NO_RESOURCES, "device %s (%s): kernel %s does not compile:\n%s",
                        device->info.backend, device->info.name, program->function, log);
cleanup:
  hk_free(&log);
  return status;
}

static hk_status make_opencl(hk_program *program)
{
  const hk_opencl *o = hk_opencl_of(program->device);
  /* PoCL 3.1 miscompiles functions that are inlined several times with loops unrolled, and compiles ten times longer */
  const char *options = program->plain ? "-cl-std=CL1.2 -cl-opt-disable" : "-cl-std=CL1.2";
  const char *source = program->source;
  hk_status status = HK_OK;
  cl_int code;
  cl_program made = o->cl->clCreateProgramWithSource(o->context, 1, &source, NULL, &code);
  if (!made) return hk_opencl_failed(program->device, "compiling", code);
  if (o->cl->clBuildProgram(made, 1, &o->device, options, NULL, NULL))
    status = compile_failed(program, made);
  if (status == HK_OK)
    program->code = made;
  else
    o->cl->clReleaseProgram(made);
  return status;
}

static void destroy_opencl(hk_program *program)
{
  hk_opencl_of(program->device)->cl->clReleaseProgram(program->code);
}

static hk_status take_opencl(hk_kernel *kernel)
{
  cl_int code = 0;
  kernel->code = hk_opencl_of(kernel->device)
                     ->cl->clCreateKernel(kernel->program->code, kernel->function, &code);
  return kernel->code ? HK_OK : hk_opencl_failed(kernel->device, kernel->function, code);
}

static const hk_compiler_table compiler = {"opencl", make_opencl, destroy_opencl, take_opencl,
                                           NULL};

static void kernel_destroy_opencl(hk_kernel *kernel)
{
  hk_opencl_of(kernel->device)->cl->clReleaseKernel((cl_kernel)kernel->code);
}

/* PoCL makes a kernel's code when it is launched first. Two devices that do so at once each keep it in one table, where the second is never found and a
 * use of the first is given back twice: an assertion ends the process. So first launches run alone. */
static pthread_mutex_t first_launch = PTHREAD_MUTEX_INITIALIZER;

static hk_status enqueue(hk_kernel *kernel, size_t items)
{
  hk_device *device = kernel->device;
  hk_opencl *o = hk_opencl_of(device);
  const size_t group = (size_t)kernel->threads;
  CALL(device, "launching a kernel",
       o->cl->clEnqueueNDRangeKernel(o->queue, (cl_kernel)kernel->code, 1, NULL, &items, &group, 0,
                                     NULL, NULL));
  return ++o->queued < MOST_QUEUED ? HK_OK : finish_opencl(device);
}

static hk_status enqueue_first(hk_kernel *kernel, size_t items)
{
  HK_PASS(finish_opencl(kernel->device)); /* what was queued may wait for other devices */
  pthread_mutex_lock(&first_launch);
  hk_status status = enqueue(kernel, items);
  if (status == HK_OK) status = finish_opencl(kernel->device);
  pthread_mutex_unlock(&first_launch);
  kernel->launched = true;
  return status;
}

static hk_status launch_opencl(hk_kernel *kernel, hk_count first, hk_count count, void **value,
                               const size_t *size, int arguments)
{
  hk_device *device = kernel->device;
  hk_opencl *o = hk_opencl_of(device);
  cl_kernel code = (cl_kernel)kernel->code;
  const size_t items = (size_t)count * (size_t)kernel->threads;
  const cl_int begin = (cl_int)first;
  if (first + count > INT_MAX)
    return hk_error_set(HK_NO_RESOURCES, "%lld groups: too many for a launch", (long long)count);
  CALL(device, "setting arguments", o->cl->clSetKernelArg(code, 0, sizeof begin, &begin));
  for (int k = 0; k < arguments; k++)
    CALL(device, "setting arguments",
         o->cl->clSetKernelArg(code, (cl_uint)k + 1, size[k], value[k]));
  return kernel->launched ? enqueue(kernel, items) : enqueue_first(kernel, items);
}

const hk_device_table hk_device_opencl = {
    .name = "opencl",
    .dlpack = 4,
    .count = count_opencl,
    .open = open_opencl,
    .close = close_opencl,
    .finish = finish_opencl,
    .available = available_opencl,
    .buffer_create = buffer_create_opencl,
    .buffer_destroy = buffer_destroy_opencl,
    .buffer_write = buffer_write_opencl,
    .buffer_read = buffer_read_opencl,
    .buffer_copy = buffer_copy_opencl,
    .compiler = &compiler,
    .kernel_destroy = kernel_destroy_opencl,
    .launch = launch_opencl,
    .fetch_create = hk_opencl_fetch_create,
    .fetch_destroy = hk_opencl_fetch_destroy,
    .fetch_begin = hk_opencl_fetch_begin,
    .fetch_ready = hk_opencl_fetch_ready,
    .fetch_wait = hk_opencl_fetch_wait,
};
