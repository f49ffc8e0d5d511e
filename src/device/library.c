#include "device/table.h"

bool hk_device_has_libraries(const hk_device *device)
{
  return device->table->library != NULL;
}

bool hk_device_library_there(const hk_device *device, hk_library library, const char **why)
{
  *why = "the device's vendor has no such library";
  return device->table->library && device->table->library->there(device, library, why);
}

hk_status hk_device_factor_create(const hk_device_factor_desc *desc, hk_device_factor **out)
{
  hk_status status = HK_OK;
  hk_device_factor *f = NULL;
  const char *why;
  HK_CHECK(hk_device_library_there(desc->device, desc->library, &why), HK_USAGE, "%s", why);
  HK_TRY(hk_device_permit(desc->device, "making factors"));
  HK_TRY(hk_new(&f));
  f->desc = *desc;
  HK_TRY(desc->device->table->library->create(f));
  *out = f, f = NULL;
cleanup:
  hk_device_factor_destroy(&f);
  return status;
}

void hk_device_factor_destroy(hk_device_factor **factor)
{
  if (!*factor) return;
  (*factor)->desc.device->table->library->destroy(*factor);
  hk_free(factor);
}

hk_status hk_device_factor_solve(hk_device_factor *f, hk_buffer *x)
{
  const hk_status status = hk_device_permit(f->desc.device, "solving");
  return status == HK_OK ? f->desc.device->table->library->solve(f, x) : status;
}

hk_count hk_device_factor_bytes(const hk_device_factor *f)
{
  return f->bytes;
}

const char *hk_device_factor_name(const hk_device_factor *f)
{
  return f->name;
}
