/* NVIDIA's run time compiler, found at run time; it needs no GPU. */
#pragma once
#include "device/cache.h"

typedef struct nvrtc_program_ *nvrtc_program;

/* X(name, parameters); all return an int, 0 for success */
#define NVRTC_FUNCTIONS(X)                                                                         \
  X(nvrtcVersion, (int *, int *))                                                                  \
  X(nvrtcCreateProgram,                                                                            \
    (nvrtc_program *, const char *, const char *, int, const char *const *, const char *const *))  \
  X(nvrtcCompileProgram, (nvrtc_program, int, const char *const *))                                \
  X(nvrtcGetCUBINSize, (nvrtc_program, size_t *))                                                  \
  X(nvrtcGetCUBIN, (nvrtc_program, char *))                                                        \
  X(nvrtcGetPTXSize, (nvrtc_program, size_t *))                                                    \
  X(nvrtcGetPTX, (nvrtc_program, char *))                                                          \
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
/* Bytes of the libraries of NVRTC that are in the machine's memory; 0 where the system does not tell. */
hk_count hk_nvrtc_resident(void);
/* *code[*size], owned by the caller (hk_free). target: "sm_90" for machine code, "compute_90" for PTX, which ends with its 0. HK_NO_RESOURCES with the
 * compiler's words; `name` is said in them. */
hk_status hk_nvrtc_compile(const hk_nvrtc *nvrtc, const char *name, const char *source,
                           const char *target, char **code, hk_count *size);
/* The folder of code that is installed, with one for each target. */
#define HK_NVRTC_FOLDER "cuda-kernels"
/* In place of a source: "NVRTC 13.0", the compiler of the code that is installed for a target. It is written last. */
#define HK_NVRTC_MADE "made by"
/* Of code that was compiled beforehand: by the target, the compiler's options and the whole source. Of the compiler and the driver it tells nothing: a
 * driver that cannot load the code says so. */
hk_cache_key hk_nvrtc_key(const char *target, const char *source);
