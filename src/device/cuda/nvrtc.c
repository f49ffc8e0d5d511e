/* NVRTC, the run time compiler of CUDA, found and called at run time. It is looked for in the folder that the user names, in the usual folders of
 * toolkits, in the system's list, and in those of Python's nvidia packages; newest names first. One that is newer than the driver, or does not
 * know the GPU's architecture, is passed over, and the message names it. Kernels are compiled to machine code (cubin) for sm_<arch>, or to PTX for
 * compute_<arch>; the error of a kernel that does not compile contains the compiler's log. */
#include "device/cuda/nvrtc.h"
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#define STANDARD "--std=c++14"

/* Newest first: those that a driver does not load are passed over. */
static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                    "libnvrtc.so"};
/* Folders of a toolkit, and of a Python package, that hold it. */
static const char *const parts[] = {"/lib64", "/lib", "/targets/x86_64-linux/lib",
                                    "/targets/sbsa-linux/lib", ""};
static const char *const places[] = {"/usr/local/cuda",
                                     "/usr/local/cuda-*",
                                     "/opt/cuda",
                                     "/usr/lib/cuda",
                                     /* the system's list stands here */ NULL,
                                     "/usr/lib/python3*/*-packages/nvidia/*",
                                     "/usr/local/lib/python3*/*-packages/nvidia/*",
                                     "/opt/*/lib/python3*/site-packages/nvidia/*"};

typedef struct search {
  int arch, most_major;
  hk_nvrtc *out;
  char found[160]; /* what was passed over, and why */
} search;

static bool resolve(void *library, hk_nvrtc *out)
{
#define FIND(name, parameters)                                                                     \
  *(void **)&out->name = dlsym(library, #name);                                                    \
  if (!out->name) return false;
  NVRTC_FUNCTIONS(FIND)
#undef FIND
  return out->nvrtcVersion(&out->major, &out->minor) == 0;
}

static bool supports(const hk_nvrtc *nvrtc, int arch)
{
  int count = 0, list[128];
  if (nvrtc->nvrtcGetNumSupportedArchs(&count) || count > 128) return false;
  if (nvrtc->nvrtcGetSupportedArchs(list)) return false;
  for (int i = 0; i < count; i++)
    if (list[i] == arch) return true;
  return false;
}

static bool accept(search *s, const char *path)
{
  hk_nvrtc *out = s->out;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  if (resolve(library, out)) {
    snprintf(out->path, sizeof out->path, "%s", path);
    const bool newer = s->most_major && out->major > s->most_major, serves = supports(out, s->arch);
    if (!newer && serves) return true;
    snprintf(s->found, sizeof s->found, "%.90s (%d.%d) %s", path, out->major, out->minor,
             newer ? "is newer than the driver" : "does not know this GPU");
  }
  dlclose(library);
  return false;
}

static bool look_into(search *s, const char *folder)
{
  char path[512];
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
      snprintf(path, sizeof path, "%s%s/%s", folder, parts[p], names[n]);
      if (accept(s, path)) return true;
    }
  return false;
}

static bool look_into_all(search *s, const char *pattern)
{
  glob_t list;
  bool found = false;
  if (glob(pattern, 0, NULL, &list)) return false;
  for (size_t i = list.gl_pathc; i-- > 0 && !found;) found = look_into(s, list.gl_pathv[i]);
  globfree(&list);
  return found;
}

static bool look_into_system(search *s)
{
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    if (accept(s, names[n])) return true;
  return false;
}

hk_status hk_nvrtc_open(const char *toolkit, int arch, int most_major, hk_nvrtc *out)
{
  search s = {.arch = arch, .most_major = most_major, .out = out};
  if (toolkit && *toolkit && look_into(&s, toolkit)) return HK_OK;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i] ? look_into_all(&s, places[i]) : look_into_system(&s)) return HK_OK;
  if (s.found[0])
    return hk_error_set(HK_NO_RESOURCES,
                        "no NVRTC for sm_%d: %s; install one of CUDA %d, or set CUDA_PATH", arch,
                        s.found, most_major ? most_major : 13);
  return hk_error_set(HK_NO_RESOURCES,
                      "libnvrtc.so (CUDA's run time compiler) is not in %s%sthe folders of CUDA "
                      "toolkits, the system's list or Python's nvidia packages; install "
                      "cuda-nvrtc (pip install nvidia-cuda-nvrtc), or set CUDA_PATH",
                      toolkit ? toolkit : "", toolkit ? ", " : "");
}

/* Sums the pages of mappings in /proc/self/smaps. The line that opens a mapping ends with its path; those below it begin with a capital. */
hk_count hk_nvrtc_resident(void)
{
  static const char word[] = "Rss:";
  char line[1024];
  bool own = false;
  hk_count bytes = 0;
  int64_t kilobytes;
  FILE *file = fopen("/proc/self/smaps", "re");
  while (file && fgets(line, sizeof line, file)) {
    if (line[0] < 'A' || line[0] > 'Z') own = strstr(line, "/libnvrtc");
    if (!own || strncmp(line, word, sizeof word - 1) != 0) continue;
    const char *at = line + sizeof word - 1;
    at += strspn(at, " \t");
    if (hk_parse_integer(at, strcspn(at, " \n"), &kilobytes)) bytes += 1024 * kilobytes;
  }
  if (file) fclose(file);
  return bytes;
}

static hk_status refuse(const hk_nvrtc *nvrtc, const char *name, nvrtc_program program)
{
  hk_status status = HK_OK;
  char *log = NULL;
  size_t size = 0;
  nvrtc->nvrtcGetProgramLogSize(program, &size);
  HK_TRY(hk_get(&log, (hk_count)size + 1));
  nvrtc->nvrtcGetProgramLog(program, log);
  status = hk_error_set(HK_NO_RESOURCES, "kernel %s does not compile:\n%s", name, log);
cleanup:
  hk_free(&log);
  return status;
}

hk_cache_key hk_nvrtc_key(const char *target, const char *source)
{
  char what[64];
  snprintf(what, sizeof what, "cuda %s " STANDARD, target);
  return hk_cache_key_of(what, source);
}

/* *code[*size] of a program that was compiled. */
static bool take_code(const hk_nvrtc *nvrtc, nvrtc_program program, bool machine, char **code,
                      hk_count *size)
{
  size_t bytes = 0;
  if ((machine ? nvrtc->nvrtcGetCUBINSize : nvrtc->nvrtcGetPTXSize)(program, &bytes)) return false;
  *size = (hk_count)bytes;
  return bytes && hk_get(code, *size) == HK_OK &&
         !(machine ? nvrtc->nvrtcGetCUBIN : nvrtc->nvrtcGetPTX)(program, *code);
}

hk_status hk_nvrtc_compile(const hk_nvrtc *nvrtc, const char *name, const char *source,
                           const char *target, char **code, hk_count *size)
{
  hk_status status = HK_OK;
  char architecture[48], *made = NULL;
  const char *options[] = {architecture, STANDARD};
  nvrtc_program program = NULL;
  snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", target);
  HK_CHECK(!nvrtc->nvrtcCreateProgram(&program, source, name, 0, NULL, NULL), HK_NO_RESOURCES,
           "NVRTC rejects the program");
  if (nvrtc->nvrtcCompileProgram(program, 2, options)) {
    status = refuse(nvrtc, name, program);
    goto cleanup;
  }
  HK_CHECK(take_code(nvrtc, program, target[0] == 's', &made, size), HK_NO_RESOURCES,
           "NVRTC returns no code for %s", name);
  *code = made, made = NULL;
cleanup:
  if (program) nvrtc->nvrtcDestroyProgram(&program);
  hk_free(&made);
  return status;
}
