#include "device/table.h"
#include <string.h>

static const hk_device_table *const tables[] = {&hk_device_host};

hk_status hk_device_open(const char *name, int threads, hk_device **out)
{
  hk_status status = HK_OK;
  hk_device *d = NULL;
  const hk_device_table *table = NULL;

  if (!name || !strcmp(name, "auto")) name = "cpu";
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (!strcmp(tables[i]->name, name)) table = tables[i];
  HK_CHECK(table, HK_NO_RESOURCES, "device %s: not found; `hooke devices` lists those there are",
           name);
  HK_TRY(hk_new(&d));
  d->table = table;
  HK_TRY(table->open(d, threads));
  *out = d, d = NULL;
cleanup:
  hk_free(&d);
  return status;
}

void hk_device_close(hk_device **device)
{
  if (!*device) return;
  (*device)->table->close(*device);
  hk_free(device);
}

const hk_device_info *hk_device_describe(const hk_device *device)
{
  return &device->info;
}

hk_status hk_device_finish(hk_device *device)
{
  return device->table->finish(device);
}

hk_status hk_kernel_create(hk_device *device, const hk_kernel_desc *desc, hk_kernel **out)
{
  hk_status status = HK_OK;
  hk_kernel *k = NULL;
  HK_TRY(hk_new(&k));
  k->device = device, k->double_precision = desc->double_precision;
  HK_TRY(device->table->kernel_create(k, desc));
  *out = k, k = NULL;
cleanup:
  hk_free(&k);
  return status;
}

void hk_kernel_destroy(hk_kernel **kernel)
{
  if (!*kernel) return;
  (*kernel)->device->table->kernel_destroy(*kernel);
  hk_free(kernel);
}

hk_status hk_kernel_launch(hk_kernel *kernel, hk_count first, hk_count count,
                           const hk_argument *argument, int argument_count)
{
  void *value[HK_MOST_ARGUMENTS], *pointer[HK_MOST_ARGUMENTS];
  float single[HK_MOST_ARGUMENTS];
  if (argument_count > HK_MOST_ARGUMENTS)
    return hk_error_set(HK_INTERNAL, "kernel with %d arguments", argument_count);
  if (count <= 0) return HK_OK;
  for (int i = 0; i < argument_count; i++) {
    const hk_argument *a = &argument[i];
    if (a->kind == HK_ARGUMENT_BUFFER) {
      pointer[i] = a->value.buffer ? a->value.buffer->memory : NULL;
      value[i] = &pointer[i];
    } else if (a->kind == HK_ARGUMENT_INT) {
      value[i] = (void *)&a->value.integer;
    } else if (kernel->double_precision || a->kind == HK_ARGUMENT_DOUBLE) {
      value[i] = (void *)&a->value.real;
    } else {
      single[i] = (float)a->value.real;
      value[i] = &single[i];
    }
  }
  return kernel->device->table->launch(kernel, first, count, value);
}
