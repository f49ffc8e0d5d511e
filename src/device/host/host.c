/* The host as a device: memory is the process's own, and a launch shares its groups among threads (host/threads.h). Kernels are compiled with the
 * program, one variant per text, instruction set and set of defines (device/variants.txt); the fastest set that the processor has is used, and a
 * kernel is found by its name, precision and defines. While kernels run, numbers below the smallest normal one count as zero, because they would
 * slow down the steps ahead of a wave front. */
#include "device/host/kernels.h"
#include "device/host/threads.h"
#include "device/host/touch.h"
#include "device/table.h"
#include "variants/texts.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DECLARE(text, isa) extern const hk_host_kernel hk_host_##text##_##isa[];
#define DECLARE_ALL(isa) HK_HOST_TEXTS(DECLARE, isa)
HK_HOST_ISAS(DECLARE_ALL)
#define DECLARE_WEAK(text, isa)                                                                    \
  extern const hk_host_kernel hk_host_##text##_##isa[]                                             \
      __attribute__((weak)); /* the program's own; NULL where it has none */
#define DECLARE_BENCH(isa) HK_BENCH_TEXTS(DECLARE_WEAK, isa)
HK_HOST_ISAS(DECLARE_BENCH)

#define DECLARE_SET(text, isa) DECLARE_WEAK(text, isa)
HK_BENCH_SETS(DECLARE_SET)

#define COUNT(name, isa) +1
enum { TEXTS = 0 HK_HOST_TEXTS(COUNT, ) HK_BENCH_TEXTS(COUNT, ) };

/* Names of the sets that are built, by the words of variants/texts.h; levels are those of x86-64. */
enum { LEVEL_generic = 0, LEVEL_x86_64_v2 = 2, LEVEL_x86_64_v3 = 3, LEVEL_x86_64_v4 = 4 };
static const char *const level_name[] = {"generic", "", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

#define LISTED(text, isa) hk_host_##text##_##isa,
#define SET(isa) {LEVEL_##isa, {HK_HOST_TEXTS(LISTED, isa) HK_BENCH_TEXTS(LISTED, isa)}},
static const struct instruction_set {
  int level;
  const hk_host_kernel *text[TEXTS + 1]; /* up to NULL */
} sets[] = {HK_HOST_ISAS(SET)};
enum { SETS = sizeof sets / sizeof *sets };

/* Single kernels of the bench for a set, whichever the device takes; NULL in other programs. */
enum { LEVEL_x86_sse4_2 = 2, LEVEL_x86_avx2 = 3, LEVEL_x86_avx2_fma = 3 };
enum { LEVEL_x86_avx512 = 4, LEVEL_x86_avx512_fma = 4 };
#define BENCH_SET(text, isa) {#isa, LEVEL_##isa, hk_host_##text##_##isa},
static const struct bench_set {
  const char *name;
  int level;
  const hk_host_kernel *kernels;
} bench_sets[] = {HK_BENCH_SETS(BENCH_SET){0}};

/* Every x86-64 processor is taken to have level 2. */
static int processor_level(void)
{
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return LEVEL_x86_64_v4;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    return LEVEL_x86_64_v3;
  return LEVEL_x86_64_v2;
#else
  return LEVEL_generic;
#endif
}

/* The fastest set that the processor has, or NULL. */
static const struct instruction_set *best_set(void)
{
  const struct instruction_set *best = NULL;
  const int level = processor_level();
  for (int k = 0; k < SETS && sets[k].level <= level; k++) best = &sets[k];
  return best;
}

static void read_name(char *name, size_t size)
{
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "CPU");
  while (file && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon) continue;
    snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (file) fclose(file);
}

static int count_host(const hk_device_desc *desc)
{
  (void)desc;
  return 1;
}

static hk_status open_host(hk_device *device, const hk_device_desc *desc, int number)
{
  const struct instruction_set *set = best_set();
  hk_device_info *info = &device->info;
  hk_threads *threads = NULL;
  (void)desc;
  if (number)
    return hk_error_set(HK_NO_RESOURCES, "device cpu:%d: there is only one processor: give cpu",
                        number);
  if (!set)
    return hk_error_set(HK_NO_RESOURCES,
                        "device cpu: this build has only kernels for %s, which this processor "
                        "lacks: build hooke with -DHOOKE_HOST_ISAS=all",
                        level_name[sets[0].level]);
  read_name(info->name, sizeof info->name);
  snprintf(info->backend, sizeof info->backend, "cpu");
  snprintf(info->isa, sizeof info->isa, "%s", level_name[set->level]);
  info->memory = (hk_count)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
  info->lanes = info->width = info->vector = 8;
  info->group_threads = info->most_threads = info->lockstep = info->team = 1;
  const hk_status status = hk_threads_create(info->threads, &threads);
  device->data = threads;
  return status;
}

static void close_host(hk_device *device)
{
  hk_threads *threads = device->data;
  hk_threads_destroy(&threads);
}

static hk_status finish_host(hk_device *device)
{
  (void)device;
  return HK_OK;
}

static bool reaches_host(hk_device *device, hk_device *other)
{
  (void)device, (void)other;
  return true;
}

static hk_count available_host(const hk_device *device)
{
  (void)device;
  return hk_memory_available();
}

static hk_status buffer_create_host(hk_buffer *buffer)
{
  HK_PASS(hk_memory_get(&buffer->memory, buffer->bytes, 1));
  hk_touch_new(buffer->memory, buffer->bytes, buffer->device->info.threads);
  return HK_OK;
}

static void buffer_destroy_host(hk_buffer *buffer)
{
  hk_memory_free(&buffer->memory);
}

static hk_status buffer_write_host(hk_buffer *buffer, hk_count offset, hk_count bytes,
                                   const void *from)
{
  if (bytes) memcpy((char *)buffer->memory + offset, from, (size_t)bytes);
  return HK_OK;
}

static hk_status buffer_read_host(const hk_buffer *buffer, hk_count offset, hk_count bytes,
                                  void *to)
{
  if (bytes) memcpy(to, (const char *)buffer->memory + offset, (size_t)bytes);
  return HK_OK;
}

static hk_status buffer_copy_host(hk_buffer *to, const hk_buffer *from)
{
  memcpy(to->memory, from->memory, (size_t)to->bytes);
  return HK_OK;
}

/* Without what the variants leave to run time. */
static void write_key(const hk_kernel_desc *desc, char *key, size_t size)
{
  int used = snprintf(key, size, "%s %c", desc->function, desc->double_precision ? 'd' : 'f');
  for (int i = 0; i < HK_MOST_DEFINES && desc->define[i].name; i++)
    if (!(desc->special >> i & 1))
      used += snprintf(key + used, size - (size_t)used, " %s=%d", desc->define[i].name,
                       desc->define[i].value);
}

static const hk_host_kernel *find_kernel(const hk_host_kernel *k, const char *key)
{
  while (k && k->key && strcmp(k->key, key) != 0) k++;
  return k && k->key ? k : NULL;
}

static const hk_host_kernel *find_in_set(const char *isa, const char *key)
{
  const struct bench_set *set = bench_sets;
  while (set->name && strcmp(set->name, isa) != 0) set++;
  return set->name && set->level <= processor_level() ? find_kernel(set->kernels, key) : NULL;
}

static hk_status kernel_create_host(hk_kernel *kernel, const hk_kernel_desc *desc)
{
  const struct instruction_set *set = best_set();
  const hk_host_kernel *found = NULL;
  char key[256];
  write_key(desc, key, sizeof key);
  if (desc->isa) {
    found = find_in_set(desc->isa, key);
    HK_NEED(found, HK_NO_RESOURCES, "no kernel \"%s\" for %s", key, desc->isa);
  }
  for (int t = 0; !found && set->text[t]; t++) found = find_kernel(set->text[t], key);
  HK_NEED(found, HK_INTERNAL, "the host has no kernel \"%s\"", key);
  kernel->code = found;
  kernel->key = found->key, kernel->arguments = found->arguments;
  return HK_OK;
}

static void kernel_destroy_host(hk_kernel *kernel)
{
  (void)kernel;
}

/* Numbers below the smallest normal one become zero while kernels run: ahead of a wave front there
 * are always some, and they would cost a hundred cycles each. The caller's mode is put back. */
static unsigned flush_tiny(void)
{
#if defined(__x86_64__)
  const unsigned mode = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(mode | 0x8040);
  return mode;
#else
  return 0;
#endif
}

static void restore_mode(unsigned mode)
{
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(mode);
#else
  (void)mode;
#endif
}

typedef struct job {
  hk_host_run *run;
  void **value;
} job;

static void run_groups(void *user, hk_count first, hk_count count)
{
  const job *j = user;
  const unsigned mode = flush_tiny();
  for (hk_count g = first; g < first + count; g++) j->run((int)g, j->value);
  restore_mode(mode);
}

static hk_status launch_host(hk_kernel *kernel, hk_count first, hk_count count, void **value,
                             const size_t *size, int arguments)
{
  (void)size, (void)arguments;
  job j = {((const hk_host_kernel *)kernel->code)->run, value};
  hk_threads_run(kernel->device->data, first, count, run_groups, &j);
  return HK_OK;
}

const hk_device_table hk_device_host = {
    .name = "cpu",
    .dlpack = 1,
    .count = count_host,
    .open = open_host,
    .close = close_host,
    .finish = finish_host,
    .available = available_host,
    .reaches = reaches_host,
    .buffer_create = buffer_create_host,
    .buffer_destroy = buffer_destroy_host,
    .buffer_write = buffer_write_host,
    .buffer_read = buffer_read_host,
    .buffer_copy = buffer_copy_host,
    .kernel_create = kernel_create_host,
    .kernel_destroy = kernel_destroy_host,
    .launch = launch_host,
};
