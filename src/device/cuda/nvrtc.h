/* NVIDIA's run time compiler, found at run time; it needs no GPU. */
#pragma once
#include "base/base.h"

typedef struct nvrtc_program_ *nvrtc_program;

/* X(name, parameters); all return an int, 0 for success */
#define NVRTC_FUNCTIONS(X)                                                                         \
  X(nvrtcVersion, (int *, int *))                                                                  \
  X(nvrtcCreateProgram,                                                                            \
    (nvrtc_program *, const char *, const char *, int, const char *const *, const char *const *))  \
  X(nvrtcCompileProgram, (nvrtc_program, int, const char *const *))                                \
  X(nvrtcGetCUBINSize, (nvrtc_program, size_t *))                                                  \
  X(nvrtcGetCUBIN, (nvrtc_program, char *))                                                        \
  X(nvrtcGetProgramLogSize, (nvrtc_program, size_t *))                                             \
  X(nvrtcGetProgramLog, (nvrtc_program, char *))                                                   \
  X(nvrtcDestroyProgram, (nvrtc_program *))                                                        \
  X(nvrtcGetNumSupportedArchs, (int *))                                                            \
  X(nvrtcGetSupportedArchs, (int *))

typedef struct hk_nvrtc {
#define NVRTC_MEMBER(name, parameters) int(*name) parameters;
  NVRTC_FUNCTIONS(NVRTC_MEMBER)
#undef NVRTC_MEMBER
  char path[256]; /* or a name that the system's list knows */
  int major, minor;
} hk_nvrtc;

/* Looks into toolkit (may be NULL), the usual folders of toolkits, the system's list, Python's nvidia packages;
 * takes the first that compiles for `arch` (90: sm_90) and is not newer than most_major (0: any), what a driver
 * loads. HK_NO_RESOURCES says what was found where. The library stays open. */
hk_status hk_nvrtc_open(const char *toolkit, int arch, int most_major, hk_nvrtc *out);
/* *cubin[*size], owned by the caller (hk_free). HK_INTERNAL with the compiler's words; `name` is said in them. */
hk_status hk_nvrtc_compile(const hk_nvrtc *nvrtc, const char *name, const char *source, int arch,
                           char **cubin, hk_count *size);
