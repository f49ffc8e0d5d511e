/* Factors, solutions and sparse products by a library of the device's vendor, behind one interface. These functions look the library up in the
 * device's table, ask whether the device may still be used, and pass the call on; the work itself is in cuda/library.c and cuda/product.c. Where
 * there is none, the answer says why, and the caller takes another way. */
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

bool hk_device_product_there(const hk_device *device)
{
  return device->table->product && device->table->product->there(device);
}

hk_status hk_device_product_create(const hk_device_product_desc *desc, hk_device_product **out)
{
  hk_status status = HK_OK;
  hk_device_product *p = NULL;
  HK_CHECK(hk_device_product_there(desc->device), HK_USAGE,
           "device %s: no library of its vendor for sparse products was found",
           hk_device_describe(desc->device)->backend);
  HK_TRY(hk_device_permit(desc->device, "making a product"));
  HK_TRY(hk_new(&p));
  p->desc = *desc;
  HK_TRY(desc->device->table->product->create(p));
  *out = p, p = NULL;
cleanup:
  hk_device_product_destroy(&p);
  return status;
}

void hk_device_product_destroy(hk_device_product **product)
{
  if (!*product) return;
  (*product)->desc.device->table->product->destroy(*product);
  hk_free(product);
}

hk_status hk_device_product_apply(hk_device_product *p)
{
  const hk_status status = hk_device_permit(p->desc.device, "multiplying");
  return status == HK_OK ? p->desc.device->table->product->apply(p) : status;
}

const char *hk_device_product_name(const hk_device_product *p)
{
  return p->name;
}
