/* The part of OpenCL 1.2 that is used, declared here so that neither headers nor a library are needed to
 * build (Khronos' CL/cl.h); the functions are found in libOpenCL.so.1 at run time. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cl_platform *cl_platform_id;
typedef struct cl_device *cl_device_id;
typedef struct cl_context_ *cl_context;
typedef struct cl_queue *cl_command_queue;
typedef struct cl_memory *cl_mem;
typedef struct cl_program_ *cl_program;
typedef struct cl_kernel_ *cl_kernel;
typedef struct cl_event_ *cl_event;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;

enum {
  CL_COMPLETE = 0,
  CL_FALSE = 0,
  CL_TRUE = 1,
  CL_MEM_READ_WRITE = 1,
  CL_DEVICE_TYPE_CPU = 2,
  CL_DEVICE_TYPE = 0x1000,
  CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
  CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
  CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
  CL_DEVICE_NAME = 0x102B,
  CL_DRIVER_VERSION = 0x102D,
  CL_DEVICE_VERSION = 0x102F,
  CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3
};
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFFu

/* X(result, name, parameters) */
#define CL_FUNCTIONS(X)                                                                            \
  X(cl_int, clGetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                              \
  X(cl_int, clGetDeviceIDs, (cl_platform_id, cl_ulong, cl_uint, cl_device_id *, cl_uint *))        \
  X(cl_int, clGetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *))                    \
  X(cl_context, clCreateContext,                                                                   \
    (const intptr_t *, cl_uint, const cl_device_id *,                                              \
     void (*)(const char *, const void *, size_t, void *), void *, cl_int *))                      \
  X(cl_int, clReleaseContext, (cl_context))                                                        \
  X(cl_command_queue, clCreateCommandQueue, (cl_context, cl_device_id, cl_ulong, cl_int *))        \
  X(cl_int, clReleaseCommandQueue, (cl_command_queue))                                             \
  X(cl_int, clFinish, (cl_command_queue))                                                          \
  X(cl_int, clFlush, (cl_command_queue))                                                           \
  X(cl_int, clWaitForEvents, (cl_uint, const cl_event *))                                          \
  X(cl_int, clGetEventInfo, (cl_event, cl_uint, size_t, void *, size_t *))                         \
  X(cl_int, clReleaseEvent, (cl_event))                                                            \
  X(cl_mem, clCreateBuffer, (cl_context, cl_ulong, size_t, void *, cl_int *))                      \
  X(cl_int, clReleaseMemObject, (cl_mem))                                                          \
  X(cl_int, clEnqueueFillBuffer,                                                                   \
    (cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, const cl_event *,    \
     cl_event *))                                                                                  \
  X(cl_int, clEnqueueReadBuffer,                                                                   \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, void *, cl_uint, const cl_event *,         \
     cl_event *))                                                                                  \
  X(cl_int, clEnqueueWriteBuffer,                                                                  \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, const void *, cl_uint, const cl_event *,   \
     cl_event *))                                                                                  \
  X(cl_int, clEnqueueCopyBuffer,                                                                   \
    (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *,          \
     cl_event *))                                                                                  \
  X(cl_program, clCreateProgramWithSource,                                                         \
    (cl_context, cl_uint, const char **, const size_t *, cl_int *))                                \
  X(cl_int, clBuildProgram,                                                                        \
    (cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *),        \
     void *))                                                                                      \
  X(cl_int, clGetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))  \
  X(cl_int, clReleaseProgram, (cl_program))                                                        \
  X(cl_kernel, clCreateKernel, (cl_program, const char *, cl_int *))                               \
  X(cl_int, clReleaseKernel, (cl_kernel))                                                          \
  X(cl_int, clSetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                            \
  X(cl_int, clEnqueueNDRangeKernel,                                                                \
    (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,         \
     cl_uint, const cl_event *, cl_event *))

typedef struct hk_opencl_api {
#define CL_MEMBER(result, name, parameters) result(*name) parameters;
  CL_FUNCTIONS(CL_MEMBER)
#undef CL_MEMBER
} hk_opencl_api;

/* NULL without words where there is no usable libOpenCL.so.1; it stays open. */
const hk_opencl_api *hk_opencl_load(void);
/* Whether the system lists no implementation but PoCL, a processor: then loading it, compiler and all, is saved. */
bool hk_opencl_is_pocl(void);
/* "out of resources", ...; for a number without a name the number. Valid until the thread's next call. */
const char *hk_opencl_words(cl_int code);

enum { HK_OPENCL_DEVICES = 32 };
/* device[HK_OPENCL_DEVICES], those that are no CPU first; returns how many there are. */
int hk_opencl_devices(const hk_opencl_api *cl, cl_device_id *device);
