/* Code of kernels, from the first place that has it: machine code that was installed with hooke, the user's cache, NVRTC, PTX that was installed.
 *
 * Machine code of sm_XY runs on GPUs of the same X and of Y or more, so that a folder sm_XY of the installed kernels serves all of them; PTX of
 * compute_XY serves what is newer. Both are found by a hash of the whole source (hk_nvrtc_key): a kernel with other defines or another text is another
 * one, and is compiled. Code that the driver does not load, because it is older than the compiler that made the code, is passed over. What NVRTC
 * makes is kept in the user's cache by driver and compiler too. Two devices that want one kernel at once compile it once: the second waits, and
 * reads it from the cache. */
#include "base/file.h"
#include "device/cuda/parts.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Kernels that threads compile now, each a variable of its thread. */
typedef struct making {
  hk_cache_key key;
  struct making *next;
} making;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static making *first;

static bool is_made(const hk_cache_key *key)
{
  for (const making *m = first; m; m = m->next)
    if (!memcmp(&m->key, key, sizeof *key)) return true;
  return false;
}

static void begin_making(making *m)
{
  pthread_mutex_lock(&mutex);
  while (is_made(&m->key)) pthread_cond_wait(&change, &mutex);
  m->next = first, first = m;
  pthread_mutex_unlock(&mutex);
}

static void end_making(making *m)
{
  making **at = &first;
  pthread_mutex_lock(&mutex);
  while (*at != m) at = &(*at)->next;
  *at = m->next;
  pthread_cond_broadcast(&change);
  pthread_mutex_unlock(&mutex);
}

/* The text that the target's folder holds under `source`; NULL: none. */
static char *installed(const hk_cuda_code *code, const char *target, const char *source)
{
  char folder[1024], *data = NULL;
  hk_count size;
  if (!code->installed || !target[0]) return NULL;
  if (snprintf(folder, sizeof folder, "%s/%s", code->installed, target) >= (int)sizeof folder)
    return NULL;
  return hk_cache_read_installed(folder, hk_nvrtc_key(target, source), &data, &size) ? data : NULL;
}

/* The newest target from `from` down to `to` that was installed whole, into found[16]; its compiler into by[size]. */
static void find_target(const hk_cuda_code *code, const char *kind, int from, int to,
                        char found[16], char *by, size_t size)
{
  char target[16];
  found[0] = 0;
  for (int arch = from; arch >= to && !found[0]; arch--) {
    snprintf(target, sizeof target, "%s_%d", kind, arch);
    char *made = installed(code, target, HK_NVRTC_MADE);
    if (made) snprintf(found, 16, "%s", target), snprintf(by, size, ", kernels by %.40s", made);
    hk_free(&made);
  }
}

/* Beside the library, or in the folder hooke/ there. */
static hk_status choose_folder(hk_cuda_code *code, const hk_device_desc *desc)
{
  char folder[1000];
  if (desc->kernels) return hk_copy_text(&code->installed, desc->kernels);
  if (!hk_library_folder(folder, sizeof folder)) return HK_OK;
  HK_PASS(hk_format(&code->installed, "%s" HK_NVRTC_FOLDER, folder));
  if (!access(code->installed, F_OK)) return HK_OK;
  hk_free(&code->installed);
  return hk_format(&code->installed, "%shooke/" HK_NVRTC_FOLDER, folder);
}

hk_status hk_cuda_code_open(hk_device *device, const hk_device_desc *desc, int driver)
{
  enum { OLDEST = 50 }; /* of NVRTC */
  hk_cuda_code *code = &hk_cuda_of(device)->code;
  const int arch = hk_cuda_of(device)->arch;
  char by[64] = "", compiler[32] = "no NVRTC";
  snprintf(code->own, sizeof code->own, "sm_%d", arch);
  HK_PASS(choose_folder(code, desc));
  find_target(code, "compute", arch, OLDEST, code->ptx, by, sizeof by);
  find_target(code, "sm", arch, arch / 10 * 10, code->machine, by, sizeof by);
  const hk_status found = hk_nvrtc_open(desc->toolkit, arch, driver / 1000, &code->nvrtc);
  hk_failure_keep(&code->missing, found);
  /* "auto" takes a device that computes every model */
  const bool serves =
      (code->machine[0] || code->ptx[0]) && desc->name && strcmp(desc->name, "auto");
  if (found != HK_OK && !serves) return found;
  code->opened = hk_nvrtc_resident();
  if (found == HK_OK)
    snprintf(compiler, sizeof compiler, "NVRTC %d.%d", code->nvrtc.major, code->nvrtc.minor);
  snprintf(code->what, sizeof code->what, "cuda sm_%d, driver %d, %s, hooke " HK_VERSION, arch,
           driver, compiler);
  snprintf(device->info.software, sizeof device->info.software, "driver %d, %s%s", driver, compiler,
           by);
  return desc->cache ? hk_copy_text(&code->cache, desc->cache) : HK_OK;
}

hk_count hk_cuda_code_resident(const hk_device *device)
{
  const hk_count more = hk_nvrtc_resident() - hk_cuda_of(device)->code.opened;
  return more > 0 ? more : 0;
}

void hk_cuda_code_close(hk_device *device)
{
  hk_cuda_code *code = &hk_cuda_of(device)->code;
  hk_free(&code->cache);
  hk_free(&code->installed);
}

static bool load_installed(const hk_cuda *c, const char *target, hk_program *program)
{
  cu_module module = NULL;
  char *data = installed(&c->code, target, program->source);
  const bool loaded = data && !c->cu->module_load(&module, data);
  if (loaded) program->code = module, program->from = HK_FROM_INSTALLED;
  hk_free(&data);
  return loaded;
}

static bool load_kept(const hk_cuda *c, hk_cache_key key, hk_program *program)
{
  cu_module module = NULL;
  char *data = NULL;
  hk_count size;
  const bool loaded =
      hk_cache_read(c->code.cache, key, &data, &size) && !c->cu->module_load(&module, data);
  if (loaded) program->code = module, program->from = HK_FROM_CACHE;
  hk_free(&data);
  return loaded;
}

static hk_status compile(const hk_cuda *c, hk_cache_key key, hk_program *program)
{
  hk_status status = HK_OK;
  const hk_cuda_code *code = &c->code;
  cu_module module = NULL;
  char *data = NULL;
  hk_count size;
  HK_TRY(
      hk_nvrtc_compile(&code->nvrtc, program->function, program->source, code->own, &data, &size));
  const int failure = c->cu->module_load(&module, data);
  if (failure) {
    status = hk_cuda_failed(program->device, "loading a kernel", failure);
    goto cleanup;
  }
  hk_cache_write(code->cache, key, data, size);
  program->code = module, program->from = HK_FROM_COMPILER;
cleanup:
  hk_free(&data);
  return status;
}

static hk_status refuse(const hk_cuda_code *code, const hk_program *program)
{
  return hk_error_set(code->missing.status,
                      "kernel %s is not among those that hooke was installed with, and cannot be "
                      "compiled: %s",
                      program->function, code->missing.words);
}

hk_status hk_cuda_make(hk_program *program)
{
  hk_status status = HK_OK;
  const hk_cuda *c = hk_cuda_enter(program->device);
  making own = {.key = hk_cache_key_of(c->code.what, program->source)};
  if (load_installed(c, c->code.machine, program)) return HK_OK;
  if (c->code.missing.status != HK_OK)
    return load_installed(c, c->code.ptx, program) ? HK_OK : refuse(&c->code, program);
  begin_making(&own);
  if (!load_kept(c, own.key, program)) status = compile(c, own.key, program);
  end_making(&own);
  return status;
}
