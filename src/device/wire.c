/* Messages between devices of several processes, behind one interface. These functions look the library up in the device's table, ask whether the device
 * may still be used, and pass the call on; the work itself is in cuda/nccl.c. */
#include "device/table.h"

bool hk_wire_there(const hk_device *device, const char **why)
{
  *why = "devices of this kind have no library that sends from one to another";
  return device->table->wire && device->table->wire->there(device, why);
}

hk_status hk_wire_make_key(hk_device *device, char key[HK_WIRE_KEY])
{
  const char *why;
  HK_NEED(hk_wire_there(device, &why), HK_USAGE, "%s", why);
  return device->table->wire->make_key(device, key);
}

hk_status hk_wire_create(hk_device *device, const char key[HK_WIRE_KEY], int rank, int ranks,
                         hk_wire **out)
{
  hk_status status = HK_OK;
  hk_wire *w = NULL;
  const char *why;
  HK_CHECK(hk_wire_there(device, &why), HK_USAGE, "%s", why);
  HK_TRY(hk_device_permit(device, "linking processes"));
  HK_TRY(hk_new(&w));
  w->device = device;
  HK_TRY(device->table->wire->create(w, key, rank, ranks));
  *out = w, w = NULL;
cleanup:
  hk_wire_destroy(&w, true);
  return status;
}

void hk_wire_destroy(hk_wire **wire, bool torn)
{
  if (!*wire) return;
  (*wire)->device->table->wire->destroy(*wire, torn);
  hk_free(wire);
}

hk_status hk_wire_exchange(hk_wire *w, const hk_wire_piece *send, int sends,
                           const hk_wire_piece *take, int takes)
{
  const hk_status status = hk_device_permit(w->device, "exchanging rows");
  return status == HK_OK ? w->device->table->wire->exchange(w, send, sends, take, takes) : status;
}

const char *hk_wire_name(const hk_wire *w)
{
  return w->name;
}
