/* The part of CUDA's driver interface that is used (NVIDIA's cuda.h), declared here so that no toolkit is needed
 * to build; the functions are found in libcuda.so.1 at run time. */
#pragma once
#include <stddef.h>

typedef int cu_device;
typedef unsigned long long cu_pointer;
typedef struct cu_context_ *cu_context;
typedef struct cu_stream_ *cu_stream;
typedef struct cu_module_ *cu_module;
typedef struct cu_function_ *cu_function;
typedef struct cu_event_ *cu_event;
typedef struct cu_graph_ *cu_graph;
typedef struct cu_graph_exec_ *cu_graph_exec;

enum {
  CU_OUT_OF_MEMORY = 2,
  CU_NOT_READY = 600,
  CU_STREAM_ALONE = 1,           /* does not wait for the default stream */
  CU_EVENT_UNTIMED = 2,          /* CU_EVENT_DISABLE_TIMING */
  CU_CAPTURE_THREAD_LOCAL = 1,   /* CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */
  CU_ATTRIBUTE_MOST_THREADS = 1, /* of a block */
  CU_ATTRIBUTE_WARP = 10,
  CU_ATTRIBUTE_MULTIPROCESSORS = 16,
  CU_ATTRIBUTE_THREADS_PER_MULTIPROCESSOR = 39,
  CU_ATTRIBUTE_MAJOR = 75,
  CU_ATTRIBUTE_MINOR = 76,
  CU_ATTRIBUTE_SHARED_PER_MULTIPROCESSOR = 81,
  CU_ATTRIBUTE_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_ATTRIBUTE_SHARED_OPTIN = 97,
  CU_ATTRIBUTE_SHARED_RESERVED = 111, /* of a block */
  CU_FUNCTION_LOCAL_BYTES = 3,
  CU_FUNCTION_REGISTERS = 4,
  CU_FUNCTION_DYNAMIC_SHARED = 8,
  CU_FUNCTION_CARVEOUT = 9,
  CU_CAPTURE_SPOILED = 901, /* CUDA_ERROR_STREAM_CAPTURE_INVALIDATED */
  CU_PEER_ALREADY = 704,    /* CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED */
  CU_LAUNCH_PROGRAMMATIC_SERIALIZATION = 6,
  CU_LAUNCH_ATTRIBUTE_WORDS = 16
};

/* A launch's attribute: its name, and a union of 64 bytes of which the first word is its value. */
typedef struct cu_launch_attribute {
  int id, pad;
  int value[CU_LAUNCH_ATTRIBUTE_WORDS];
} cu_launch_attribute;

typedef struct cu_launch_config {
  unsigned groups[3], threads[3], shared;
  cu_stream stream;
  const cu_launch_attribute *attribute;
  unsigned attributes;
} cu_launch_config;

/* X(member, symbol, parameters); all return an int, 0 for success */
#define CU_FUNCTIONS(X)                                                                            \
  X(init, cuInit, (unsigned))                                                                      \
  X(driver_version, cuDriverGetVersion, (int *))                                                   \
  X(error_words, cuGetErrorString, (int, const char **))                                           \
  X(device_count, cuDeviceGetCount, (int *))                                                       \
  X(device_get, cuDeviceGet, (cu_device *, int))                                                   \
  X(device_name, cuDeviceGetName, (char *, int, cu_device))                                        \
  X(device_memory, cuDeviceTotalMem_v2, (size_t *, cu_device))                                     \
  X(device_attribute, cuDeviceGetAttribute, (int *, int, cu_device))                               \
  X(context_retain, cuDevicePrimaryCtxRetain, (cu_context *, cu_device))                           \
  X(context_release, cuDevicePrimaryCtxRelease_v2, (cu_device))                                    \
  X(context_set, cuCtxSetCurrent, (cu_context))                                                    \
  X(priorities, cuCtxGetStreamPriorityRange, (int *, int *))                                       \
  X(memory_info, cuMemGetInfo_v2, (size_t *, size_t *))                                            \
  X(memory_get, cuMemAlloc_v2, (cu_pointer *, size_t))                                             \
  X(memory_free, cuMemFree_v2, (cu_pointer))                                                       \
  X(memory_set, cuMemsetD8Async, (cu_pointer, unsigned char, size_t, cu_stream))                   \
  X(to_device, cuMemcpyHtoDAsync_v2, (cu_pointer, const void *, size_t, cu_stream))                \
  X(to_host, cuMemcpyDtoHAsync_v2, (void *, cu_pointer, size_t, cu_stream))                        \
  X(copy, cuMemcpyDtoDAsync_v2, (cu_pointer, cu_pointer, size_t, cu_stream))                       \
  X(stream_create, cuStreamCreate, (cu_stream *, unsigned))                                        \
  X(stream_first, cuStreamCreateWithPriority, (cu_stream *, unsigned, int))                        \
  X(stream_destroy, cuStreamDestroy_v2, (cu_stream))                                               \
  X(stream_wait, cuStreamSynchronize, (cu_stream))                                                 \
  X(stream_after, cuStreamWaitEvent, (cu_stream, cu_event, unsigned))                              \
  X(host_get, cuMemHostAlloc, (void **, size_t, unsigned))                                         \
  X(host_free, cuMemFreeHost, (void *))                                                            \
  X(event_create, cuEventCreate, (cu_event *, unsigned))                                           \
  X(event_destroy, cuEventDestroy_v2, (cu_event))                                                  \
  X(event_record, cuEventRecord, (cu_event, cu_stream))                                            \
  X(event_query, cuEventQuery, (cu_event))                                                         \
  X(event_wait, cuEventSynchronize, (cu_event))                                                    \
  X(capture_begin, cuStreamBeginCapture_v2, (cu_stream, int))                                      \
  X(capture_end, cuStreamEndCapture, (cu_stream, cu_graph *))                                      \
  X(graph_instantiate, cuGraphInstantiateWithFlags,                                                \
    (cu_graph_exec *, cu_graph, unsigned long long))                                               \
  X(graph_launch, cuGraphLaunch, (cu_graph_exec, cu_stream))                                       \
  X(graph_exec_destroy, cuGraphExecDestroy, (cu_graph_exec))                                       \
  X(graph_destroy, cuGraphDestroy, (cu_graph))                                                     \
  X(module_load, cuModuleLoadData, (cu_module *, const void *))                                    \
  X(module_unload, cuModuleUnload, (cu_module))                                                    \
  X(function_get, cuModuleGetFunction, (cu_function *, cu_module, const char *))                   \
  X(function_set, cuFuncSetAttribute, (cu_function, int, int))                                     \
  X(launch, cuLaunchKernel,                                                                        \
    (cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cu_stream, \
     void **, void **))

/* Of later drivers; NULL where they are not there. */
#define CU_LATER_FUNCTIONS(X)                                                                      \
  X(function_about, cuFuncGetAttribute, (int *, int, cu_function))                                 \
  X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, cu_function, int, size_t))     \
  X(peer_can, cuDeviceCanAccessPeer, (int *, cu_device, cu_device))                                \
  X(peer_allow, cuCtxEnablePeerAccess, (cu_context, unsigned))                                     \
  X(launch_ex, cuLaunchKernelEx, (const cu_launch_config *, cu_function, void **, void **))

typedef struct hk_cuda_api {
#define CU_MEMBER(member, symbol, parameters) int(*member) parameters;
  CU_FUNCTIONS(CU_MEMBER)
  CU_LATER_FUNCTIONS(CU_MEMBER)
#undef CU_MEMBER
} hk_cuda_api;

/* NULL without words where there is no driver or it finds no GPU; it stays open. *why: what is missing. */
const hk_cuda_api *hk_cuda_load(const char **why);
