/* The device of each rank of MPI. Ranks of a host share its GPUs out by their number there, and all say what they took: rank 0 tells it. */
#include "run/session/several.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct taken { /* by a rank */
  char host[64], name[96], backend[16], isa[32];
  int group_threads, width, lanes, threads;
  bool own_memory;
} taken;

/* The device of this rank by its number on its host. */
static hk_status name_device(const hk_ranks *r, const hk_run_desc *how, char name[16])
{
  const int local = r->place.local, locals = r->place.locals;
  hk_run_desc of = *how;
  if (!how->device || !strcmp(how->device, "auto")) of.device = "all";
  if (!hk_several_named(of.device)) {
    const bool shared = locals > 1 && strcmp(of.device, "cpu") != 0;
    HK_NEED(
        !shared, HK_USAGE,
        "device %s: the %d ranks of a host would share it: give one for each, as in cuda:0,cuda:1, "
        "or %s,%s if they are to share it",
        of.device, locals, of.device, of.device);
    snprintf(name, 16, "%s", of.device);
    return HK_OK;
  }
  hk_several_name(&of, 0, name);
  if (!strcmp(of.device, "all") && !strcmp(name, "cpu")) return HK_OK;
  HK_NEED(
      hk_several_name(&of, local, name), HK_USAGE,
      "device %s: the host has %d ranks, and fewer devices are named or there: start fewer ranks, "
      "or name a device for each, the same one twice if two are to share it",
      of.device, locals);
  return HK_OK;
}

static taken describe(const hk_device *device)
{
  const hk_device_info *info = hk_device_describe(device);
  taken own;
  memset(&own, 0, sizeof own);
  gethostname(own.host, sizeof own.host - 1);
  snprintf(own.name, sizeof own.name, "%s", info->name);
  snprintf(own.backend, sizeof own.backend, "%s", info->backend);
  snprintf(own.isa, sizeof own.isa, "%s", info->isa);
  own.group_threads = info->group_threads, own.width = info->width, own.lanes = info->lanes;
  own.threads = info->threads, own.own_memory = info->own_memory;
  return own;
}

static hk_device_info info_of(const taken *t)
{
  hk_device_info info = {.group_threads = t->group_threads, .width = t->width, .lanes = t->lanes};
  memcpy(info.name, t->name, sizeof info.name);
  memcpy(info.isa, t->isa, sizeof info.isa);
  return info;
}

static hk_status compare(const taken *all, int ranks)
{
  const hk_device_info first = info_of(&all[0]);
  for (int k = 1; k < ranks; k++) {
    const hk_device_info own = info_of(&all[k]);
    HK_NEED(
        hk_several_alike(&first, &own), HK_USAGE,
        "devices %s (%s) of rank 0 and %s (%s) of rank %d are not of one kind, which several for "
        "one model must be: their results would differ in the last digits",
        all[0].backend, all[0].name, all[k].backend, all[k].name, k);
  }
  return HK_OK;
}

/* "4 ranks of Open MPI v4.1.4: a: cpu (1 thread), cpu (1 thread); b: ..." */
static void tell(const hk_ranks *r, const taken *all, hk_messages *list)
{
  enum { MOST = 16 };
  char words[1024];
  size_t at =
      (size_t)snprintf(words, sizeof words, "%d ranks of %s:", r->place.ranks, r->place.library);
  for (int k = 0; k < r->place.ranks && k < MOST && at < sizeof words; k++) {
    const bool new_host = k == 0 || strcmp(all[k].host, all[k - 1].host) != 0;
    at += (size_t)snprintf(words + at, sizeof words - at, "%s%s%s %s",
                           k == 0     ? " "
                           : new_host ? "; "
                                      : ",",
                           new_host ? all[k].host : "", new_host ? ":" : "", all[k].backend);
    if (!all[k].own_memory && at < sizeof words)
      at += (size_t)snprintf(words + at, sizeof words - at, " (%d thread%s)", all[k].threads,
                             all[k].threads == 1 ? "" : "s");
  }
  hk_messages_add(list, HK_NOTE, NULL, 0, 0, "%s%s", words, r->place.ranks > MOST ? ", ..." : "");
}

hk_status hk_several_open_rank(hk_ranks *r, const hk_run_desc *how, const hk_device_desc *trust,
                               hk_messages *list, hk_several *out)
{
  hk_status status = HK_OK;
  hk_device_desc desc = *trust;
  char name[16];
  taken *all = NULL;
  out->parts = r->place.ranks, out->link = how->link;
  HK_TRY(name_device(r, how, name));
  desc.name = name, desc.threads = how->threads;
  desc.toolkit = how->toolkit, desc.cache = how->cache;
  HK_TRY(hk_device_create(&desc, &out->device[0]));
  out->count = 1;
  if (how->link) HK_TRY(hk_links_check_rank(how->link, out->device[0]));
  const taken own = describe(out->device[0]);
  HK_TRY(hk_get(&all, r->place.ranks));
  HK_TRY(hk_ranks_collect(r, &own, sizeof own, all));
  HK_TRY(compare(all, r->place.ranks));
  if (r->place.rank == 0) tell(r, all, list);
cleanup:
  hk_free(&all);
  return status;
}
