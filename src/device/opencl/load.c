/* The functions of OpenCL, from libOpenCL.so.1, found at run time once per process, and the list of devices: those of all platforms, processors
 * last. Whether only PoCL is installed is read from the files of /etc/OpenCL/vendors, without a call of OpenCL. The codes of errors are translated
 * to words. */
#include "device/opencl/cl.h"
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static hk_opencl_api functions;
static bool found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  found = true;
#define FIND(result, name, parameters)                                                             \
  *(void **)&functions.name = dlsym(library, #name);                                               \
  found = found && functions.name;
  CL_FUNCTIONS(FIND)
#undef FIND
}

const hk_opencl_api *hk_opencl_load(void)
{
  pthread_once(&once, load);
  return found ? &functions : NULL;
}

bool hk_opencl_is_pocl(void)
{
  glob_t list;
  bool pocl = true;
  if (glob("/etc/OpenCL/vendors/*.icd", 0, NULL, &list)) return false;
  for (size_t i = 0; i < list.gl_pathc; i++) pocl = pocl && strstr(list.gl_pathv[i], "/pocl");
  globfree(&list);
  return pocl;
}

const char *hk_opencl_words(cl_int code)
{
  static _Thread_local char number[16];
  switch (code) {
  case -2: return "device not available";
  case -4: return "no memory for the buffer";
  case -5: return "out of resources";
  case -6: return "out of host memory";
  case -11: return "the compiler rejected the source";
  case -36: return "invalid queue";
  case -45: return "invalid program";
  case -46: return "no kernel of that name";
  case -52: return "kernel arguments missing";
  case -54: return "group size not allowed";
  case -61: return "buffer size not allowed";
  case -1001: return "no platform";
  default: snprintf(number, sizeof number, "OpenCL %d", code);
  }
  return number;
}

static cl_ulong type_of(const hk_opencl_api *cl, cl_device_id device)
{
  cl_ulong type = 0;
  cl->clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  return type;
}

int hk_opencl_devices(const hk_opencl_api *cl, cl_device_id *device)
{
  cl_platform_id platform[8];
  cl_device_id of_platform[HK_OPENCL_DEVICES];
  cl_uint platforms = 0, devices;
  int n = 0;
  if (cl->clGetPlatformIDs(8, platform, &platforms)) return 0;
  for (int cpu = 0; cpu < 2; cpu++)
    for (cl_uint p = 0; p < platforms && p < 8; p++) {
      devices = 0;
      if (cl->clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, HK_OPENCL_DEVICES, of_platform,
                             &devices))
        continue;
      for (cl_uint d = 0; d < devices && d < HK_OPENCL_DEVICES && n < HK_OPENCL_DEVICES; d++)
        if (((type_of(cl, of_platform[d]) & CL_DEVICE_TYPE_CPU) != 0) == cpu)
          device[n++] = of_platform[d];
    }
  return n;
}
