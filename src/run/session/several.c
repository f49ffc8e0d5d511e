/* Reads lists of devices ("cuda:0,cuda:1", "all") and opens them. Devices of one kind have the same name, instruction set and widths: only then has the
 * model the same numbering and sums on each. */
#include "run/session/several.h"
#include "link/link.h"
#include <omp.h>
#include <stdio.h>
#include <string.h>

bool hk_several_named(const char *device)
{
  return device && (strchr(device, ',') || !strcmp(device, "all"));
}

/* The k-th word between commas. */
static bool word_of(const char *list, int k, char name[16])
{
  for (; list && k > 0; k--) {
    list = strchr(list, ',');
    if (list) list++;
  }
  if (list) snprintf(name, 16, "%.*s", (int)strcspn(list, ","), list);
  return list != NULL;
}

/* The k-th device whose name begins with `kind`. */
static bool listed(const hk_run_desc *how, const char *kind, int k, char name[16])
{
  const hk_device_desc desc = {.threads = how->threads, .toolkit = how->toolkit};
  for (int i = 0; hk_device_list(&desc, i, name); i++)
    if (!strncmp(name, kind, strlen(kind)) && k-- == 0) return true;
  return false;
}

/* OpenCL devices that a list of all takes: those beside the host's processor. */
static bool listed_apart(const hk_run_desc *how, int k, char name[16])
{
  for (int i = 0; listed(how, "opencl", i, name); i++) {
    hk_device *device = NULL;
    const hk_device_desc desc = {.name = name, .toolkit = how->toolkit};
    const bool apart =
        hk_device_create(&desc, &device) == HK_OK && hk_device_describe(device)->overlaps;
    hk_device_close(&device);
    if (apart && k-- == 0) return true;
  }
  return false;
}

bool hk_several_name(const hk_run_desc *how, int k, char name[16])
{
  if (strcmp(how->device, "all")) return word_of(how->device, k, name);
  if (listed(how, "cuda", 0, name)) return listed(how, "cuda", k, name);
  if (listed_apart(how, 0, name)) return listed_apart(how, k, name);
  return k == 0 && snprintf(name, 16, "cpu");
}

hk_status hk_several_check(const hk_run_desc *how, const char *name)
{
  HK_NEED(strcmp(name, "auto") != 0 && name[0], HK_USAGE,
          "device %s: name each device of a list, as in cuda:0,cuda:1, or give all", how->device);
  return HK_OK;
}

bool hk_several_alike(const hk_device_info *a, const hk_device_info *b)
{
  return !strcmp(a->name, b->name) && !strcmp(a->isa, b->isa) &&
         a->group_threads == b->group_threads && a->width == b->width && a->lanes == b->lanes;
}

/* Threads of each where the host's processor is named several times. */
static int threads_of(const hk_run_desc *how, const char *name, int count)
{
  const int all = how->threads ? how->threads : omp_get_num_procs();
  if (strcmp(name, "cpu") != 0) return how->threads;
  return count < 1 || all < count ? 1 : all / count;
}

hk_status hk_several_open(const hk_run_desc *how, const hk_device_desc *trust, hk_several *out)
{
  hk_device_desc desc = *trust;
  char name[16];
  int count = 0;
  while (hk_several_name(how, count, name)) count++;
  HK_NEED(count <= HK_MOST_DEVICES, HK_USAGE, "%d devices: give at most %d", count,
          HK_MOST_DEVICES);
  out->link = how->link, out->parts = count;
  desc.name = name, desc.toolkit = how->toolkit, desc.cache = how->cache;
  for (; out->count < count; out->count++) {
    hk_several_name(how, out->count, name);
    HK_PASS(hk_several_check(how, name));
    desc.threads = threads_of(how, name, count);
    HK_PASS(hk_device_create(&desc, &out->device[out->count]));
    const hk_device_info *first = hk_device_describe(out->device[0]),
                         *own = hk_device_describe(out->device[out->count]);
    HK_NEED(hk_several_alike(first, own), HK_USAGE,
            "devices %s (%s) and %s (%s) are not of one kind, which several for one model must be: "
            "their results would differ in the last digits",
            first->backend, first->name, own->backend, own->name);
  }
  return hk_links_check(how->link, count, out->device);
}

void hk_several_close(hk_several *several)
{
  while (several->count) hk_device_close(&several->device[--several->count]);
}
