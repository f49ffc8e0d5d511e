/* Opens devices by name ("cuda:1") or with "auto" the first that computes right, lists them, and hands calls to their tables.
 * "auto" goes through `tables` in order, checks a known answer (check.c) and passes over what the caller does not trust; the host always serves.
 * hk_kernel_launch checks that each argument is of the kind that the kernel's place wants, where the device tells kinds. */
#include "device/cache.h"
#include "device/compile.h"
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which "auto" prefers them. */
static const hk_device_table *const tables[] = {&hk_device_cuda, &hk_device_opencl,
                                                &hk_device_host};
enum { TABLES = sizeof tables / sizeof *tables };

static _Atomic hk_count fail_at, lose_at;
static const hk_device_watch *watched;

void hk_device_watched(const hk_device_watch *watch)
{
  watched = watch;
}

/* But for `unoptimised`: times of a device that plays another one do not tell which kernel to take. */
static void take_likeness(hk_device_info *info)
{
  const hk_device_info *like = watched->like;
  info->local_memory = like->local_memory, info->multiprocessor = like->multiprocessor;
  info->most_threads = like->most_threads, info->lockstep = like->lockstep;
  info->vector = like->vector, info->obeys_hints = like->obeys_hints;
  info->refills = like->refills;
}

void hk_device_fail_at(hk_count k)
{
  fail_at = k;
}

hk_status hk_device_permit(const hk_device *device, const char *doing)
{
  const hk_count left = fail_at;
  bool fails = left > 0 && atomic_fetch_sub(&fail_at, 1) == 1;
  if (left < 0) fails = left == -1 || atomic_fetch_add(&fail_at, 1) >= -1;
  if (left < 0 && fails) fail_at = -1;
  if (fails)
    return hk_error_set(HK_NO_RESOURCES, "device %s: %s failed (as a test asked for)",
                        device->info.backend, doing);
  return HK_OK;
}

void hk_device_lose_at(hk_count k)
{
  lose_at = k;
}

bool hk_device_loses(const hk_device *device)
{
  return lose_at > 0 && device->table != &hk_device_host && atomic_fetch_sub(&lose_at, 1) == 1;
}

/* "cuda:1" -> its table and number; a name alone is number 0. */
static const hk_device_table *find_table(const char *name, int *number)
{
  const size_t length = strcspn(name, ":");
  char *end = NULL;
  *number = 0;
  if (name[length]) {
    const long value = strtol(name + length + 1, &end, 10);
    if (end == name + length + 1 || *end || value < 0 || value > 999) return NULL;
    *number = (int)value;
  }
  for (int i = 0; i < TABLES; i++)
    if (strlen(tables[i]->name) == length && !strncmp(tables[i]->name, name, length))
      return tables[i];
  return NULL;
}

static hk_status set_group(hk_device_info *info, int threads)
{
  HK_NEED(threads > 0 && threads % 32 == 0 && threads <= info->most_threads, HK_USAGE,
          "%d threads in a group: give a multiple of 32, at most %d", threads, info->most_threads);
  info->group_threads = threads;
  return HK_OK;
}

static hk_status open_one(const hk_device_table *table, const hk_device_desc *desc, int number,
                          hk_device **out)
{
  hk_status status = HK_OK;
  hk_device *d = NULL;
  HK_TRY(hk_new(&d));
  d->table = table;
  snprintf(d->info.backend, sizeof d->info.backend, number ? "%s:%d" : "%s", table->name, number);
  d->info.threads = desc->threads ? desc->threads : omp_get_num_procs();
  if (desc->cache) HK_TRY(hk_copy_text(&d->cache, desc->cache));
  HK_TRY(hk_device_permit(d, "opening"));
  HK_TRY(table->open(d, desc, number));
  if (watched && watched->like && table == &hk_device_opencl) take_likeness(&d->info);
  if (desc->group_threads && d->info.compiles) HK_TRY(set_group(&d->info, desc->group_threads));
  *out = d, d = NULL;
cleanup:
  hk_device_close(&d);
  return status;
}

/* As open_one, of a device that the caller trusts. */
static hk_status open_validated(const hk_device_table *table, const hk_device_desc *desc,
                                int number, hk_device **out)
{
  hk_status status = HK_OK;
  hk_device *d = NULL;
  HK_TRY(open_one(table, desc, number, &d));
  if (desc->validate && table != &hk_device_host) HK_TRY(desc->validate(d, desc->user));
  *out = d, d = NULL;
cleanup:
  hk_device_close(&d);
  return status;
}

/* As "auto" would take it: *out stays NULL for one that it does not want, which is no failure. */
static hk_status open_wanted(const hk_device_table *table, const hk_device_desc *desc, int number,
                             hk_device **out)
{
  hk_status status = HK_OK;
  hk_device *d = NULL;
  HK_TRY(open_one(table, desc, number, &d));
  if (!d->info.overlaps && !desc->emulated) goto cleanup;
  HK_TRY(hk_device_check(d));
  if (desc->validate) HK_TRY(desc->validate(d, desc->user));
  *out = d, d = NULL;
cleanup:
  hk_device_close(&d);
  return status;
}

static void tell_passed_over(const hk_device_table *table, const hk_device_desc *desc, int number)
{
  char name[24];
  snprintf(name, sizeof name, number ? "%s:%d" : "%s", table->name, number);
  if (desc->passed_over) desc->passed_over(name, hk_error(), desc->user);
}

/* The first device that computes right; the host always does. */
static hk_status open_best(const hk_device_desc *asked, hk_device **out)
{
  hk_device_desc desc = *asked;
  desc.name = "auto";
  for (int i = 0; i < TABLES; i++)
    for (int n = 0; n < tables[i]->count(&desc); n++) {
      if (tables[i] == &hk_device_host) return open_one(tables[i], &desc, n, out);
      *out = NULL;
      if (open_wanted(tables[i], &desc, n, out) != HK_OK) tell_passed_over(tables[i], &desc, n);
      if (*out) return HK_OK;
    }
  return hk_error_set(HK_INTERNAL, "no device was found");
}

/* The names of `tables`, the host first, which is the last of them: "cpu, cuda, ...". */
static void write_names(char *text, size_t size)
{
  size_t used = 0;
  for (int i = 0; i < TABLES && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                             tables[(i + TABLES - 1) % TABLES]->name);
}

hk_status hk_device_create(const hk_device_desc *desc, hk_device **out)
{
  const hk_device_table *table;
  char names[96];
  int number;
  HK_NEED(desc->threads >= 0 && desc->threads <= 4096, HK_USAGE,
          "%d threads: give a number from 1 to 4096", desc->threads);
  if (!desc->name || !strcmp(desc->name, "auto")) return open_best(desc, out);
  table = find_table(desc->name, &number);
  write_names(names, sizeof names);
  HK_NEED(table, HK_USAGE,
          "device %s: unknown; give auto, %s, or one of several as cuda:1; `hooke devices` lists "
          "the devices found",
          desc->name, names);
  return open_validated(table, desc, number, out);
}

hk_status hk_device_open(const char *name, int threads, hk_device **out)
{
  return hk_device_create(&(hk_device_desc){.name = name, .threads = threads}, out);
}

bool hk_device_list(const hk_device_desc *desc, int k, char name[16])
{
  const hk_device_desc every = {.toolkit = desc->toolkit};
  for (int i = TABLES; i-- > 0;) { /* the host first */
    const int count = tables[i]->count(&every);
    if (k < count) {
      snprintf(name, 16, k ? "%s:%d" : "%s", tables[i]->name, k);
      return true;
    }
    k -= count;
  }
  return false;
}

bool hk_device_found(const hk_device_desc *desc)
{
  int number = 0;
  const hk_device_table *table = find_table(desc->name, &number);
  return table && number < table->count(&(hk_device_desc){.toolkit = desc->toolkit});
}

void hk_device_close(hk_device **device)
{
  if (!*device) return;
  hk_compile_close(*device);
  (*device)->table->close(*device);
  hk_free(&(*device)->cache);
  hk_free(device);
}

const char *hk_device_cache(const hk_device *device)
{
  return device->cache;
}

const hk_device_info *hk_device_describe(const hk_device *device)
{
  return &device->info;
}

hk_status hk_device_finish(hk_device *device)
{
  const hk_status status = hk_device_permit(device, "waiting");
  return status == HK_OK ? device->table->finish(device) : status;
}

hk_status hk_device_fork(hk_device *device)
{
  return device->table->fork ? device->table->fork(device) : HK_OK;
}

hk_status hk_device_mark(hk_device *device)
{
  return device->table->fork ? device->table->mark(device) : HK_OK;
}

hk_status hk_device_back(hk_device *device)
{
  return device->table->fork ? device->table->back(device) : HK_OK;
}

hk_status hk_device_join(hk_device *device)
{
  return device->table->fork ? device->table->join(device) : HK_OK;
}

bool hk_device_reaches(hk_device *device, hk_device *other)
{
  return device->table == other->table && device->table->reaches &&
         device->table->reaches(device, other);
}

hk_count hk_device_available(const hk_device *device)
{
  return device->table->available(device);
}

hk_status hk_kernel_create(hk_device *device, const hk_kernel_desc *desc, hk_kernel **out)
{
  hk_status status = HK_OK;
  hk_kernel *k = NULL;
  const hk_count most = device->info.local_memory;
  HK_TRY(hk_device_permit(device, "compiling"));
  HK_CHECK(!most || desc->local <= most, HK_NO_RESOURCES,
           "device %s: kernel %s needs %lld bytes of local memory; the device has %lld",
           device->info.backend, desc->function, (long long)desc->local, (long long)most);
  HK_TRY(hk_new(&k));
  k->device = device, k->double_precision = desc->double_precision, k->local = desc->local;
  k->threads = desc->threads ? desc->threads : device->info.group_threads;
  k->early = desc->early;
  if (watched && watched->asked && device->table->compiler) watched->asked(desc, watched->user);
  HK_TRY((device->table->compiler ? hk_compile_begin : device->table->kernel_create)(k, desc));
  *out = k, k = NULL;
cleanup:
  hk_free(&k);
  return status;
}

hk_kernel_cost hk_kernel_measure(hk_kernel *kernel)
{
  const hk_device_table *table = kernel->device->table;
  if (!table->kernel_measure || hk_kernel_await(kernel) != HK_OK) return (hk_kernel_cost){0};
  return table->kernel_measure(kernel);
}

hk_status hk_kernel_await(hk_kernel *kernel)
{
  return hk_compile_await(kernel);
}

void hk_kernel_destroy(hk_kernel **kernel)
{
  if (!*kernel) return;
  hk_compile_leave(*kernel);
  if ((*kernel)->code) (*kernel)->device->table->kernel_destroy(*kernel);
  hk_free(kernel);
}

static void drop(void *kernel)
{
  hk_kernel *k = kernel;
  hk_kernel_destroy(&k);
}

hk_status hk_kernel_get(hk_pool *pool, hk_device *device, const hk_kernel_desc *desc,
                        hk_kernel **out)
{
  const hk_status status = hk_kernel_create(device, desc, out);
  return status == HK_OK ? hk_pool_keep(pool, drop, (void **)out) : status;
}

/* The kind of argument that a launch passes, as hk_host_kernel.arguments writes it. */
static char kind_of(const hk_kernel *kernel, const hk_argument *a)
{
  if (a->kind == HK_ARGUMENT_BUFFER) return 'p';
  if (a->kind == HK_ARGUMENT_INT) return 'i';
  if (a->kind == HK_ARGUMENT_INTEGERS) return 'n';
  return kernel->double_precision || a->kind == HK_ARGUMENT_DOUBLE ? 'd' : 'f';
}

/* Kernels take arguments by their place: one of another kind would be read as what it is not. */
static hk_status check_arguments(const hk_kernel *kernel, const hk_argument *argument, int count)
{
  const char *kinds = kernel->arguments;
  if (!kinds) return HK_OK;
  if (count != (int)strlen(kinds))
    return hk_error_set(HK_INTERNAL, "kernel \"%s\" has %d arguments (%s): launched with %d",
                        kernel->key, (int)strlen(kinds), kinds, count);
  for (int i = 0; i < count; i++)
    if (kind_of(kernel, &argument[i]) != kinds[i])
      return hk_error_set(HK_INTERNAL, "kernel \"%s\": argument %d of %s is launched as %c",
                          kernel->key, i, kinds, kind_of(kernel, &argument[i]));
  return HK_OK;
}

hk_status hk_kernel_launch(hk_kernel *kernel, hk_count first, hk_count count,
                           const hk_argument *argument, int argument_count)
{
  void *value[HK_MOST_ARGUMENTS], *pointer[HK_MOST_ARGUMENTS];
  size_t size[HK_MOST_ARGUMENTS];
  float single[HK_MOST_ARGUMENTS];
  if (argument_count > HK_MOST_ARGUMENTS)
    return hk_error_set(HK_INTERNAL,
                        "a kernel is launched with %d arguments: at most %d are possible",
                        argument_count, HK_MOST_ARGUMENTS);
  if (count <= 0) return HK_OK;
  hk_status status = hk_kernel_await(kernel);
  if (status == HK_OK) status = check_arguments(kernel, argument, argument_count);
  if (status == HK_OK) status = hk_device_permit(kernel->device, "launching a kernel");
  if (status != HK_OK || (!kernel->device->recording && hk_device_loses(kernel->device)))
    return status;
  for (int i = 0; i < argument_count; i++) {
    const hk_argument *a = &argument[i];
    if (a->kind == HK_ARGUMENT_BUFFER) {
      pointer[i] = a->value.buffer ? a->value.buffer->memory : NULL;
      value[i] = &pointer[i], size[i] = sizeof pointer[i];
    } else if (a->kind == HK_ARGUMENT_INT) {
      value[i] = (void *)&a->value.integer, size[i] = sizeof a->value.integer;
    } else if (a->kind == HK_ARGUMENT_INTEGERS) {
      value[i] = (void *)a->value.integers, size[i] = sizeof *a->value.integers;
    } else if (kernel->double_precision || a->kind == HK_ARGUMENT_DOUBLE) {
      value[i] = (void *)&a->value.real, size[i] = sizeof a->value.real;
    } else {
      single[i] = (float)a->value.real;
      value[i] = &single[i], size[i] = sizeof single[i];
    }
  }
  return (kernel->device->recording ? hk_graph_keep : kernel->device->table->launch)(
      kernel, first, count, value, size, argument_count);
}
