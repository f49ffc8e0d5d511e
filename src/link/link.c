/* Links by name, or the first kind of the list that serves all the devices; between ranks of MPI the one that is measured to be fastest
 * (direct/choice.c). */
#include "link/link.h"
#include <stdatomic.h>
#include <string.h>

static const hk_link_kind *const kinds[] = {HK_LINK_LIST};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Kernels that wait hold a processor: on that of the host they are for tests. */
static bool overlap(int parts, const hk_link_side *side)
{
  bool all = true;
  for (int p = 0; p < parts; p++)
    all = all && (!side[p].device || hk_device_describe(side[p].device)->overlaps);
  return all;
}

/* Parts of other processes have no device here. */
static bool all_here(int parts, const hk_link_side *side)
{
  bool here = true;
  for (int p = 0; p < parts; p++) here = here && side[p].device;
  return here;
}

static hk_status choose(const char *name, int parts, const hk_link_side *side,
                        const hk_link_kind **out)
{
  const char *why = "no link of this name joins devices of one process: give peers or memory";
  for (int k = 0; k < KINDS; k++)
    if ((name ? !strcmp(name, kinds[k]->name) : !kinds[k]->recorded || overlap(parts, side)) &&
        kinds[k]->serves(parts, side, &why)) {
      *out = kinds[k];
      return HK_OK;
    }
  return hk_error_set(HK_USAGE, "link %s: %s", name ? name : "between the devices", why);
}

hk_status hk_links_check(const char *name, int parts, hk_device *const *device)
{
  hk_status status = HK_OK;
  hk_link_side *side = NULL;
  const hk_link_kind *kind;
  HK_TRY(hk_get(&side, parts));
  for (int p = 0; p < parts; p++) side[p].device = device[p];
  HK_TRY(choose(name, parts, side, &kind));
cleanup:
  hk_free(&side);
  return status;
}

hk_status hk_links_open(const char *name, int parts, const hk_link_side *side, hk_links **out)
{
  hk_status status = HK_OK;
  hk_links *l = NULL;
  HK_TRY(hk_new(&l));
  l->parts = parts, l->side = side;
  if (all_here(parts, side)) {
    HK_TRY(choose(name, parts, side, &l->kind));
    HK_TRY(l->kind->create(l));
  } else {
    HK_TRY(hk_links_try(l, name));
  }
  *out = l, l = NULL;
cleanup:
  hk_links_close(&l);
  return status;
}

void hk_links_close(hk_links **links)
{
  hk_links *l = *links;
  if (!l) return;
  if (l->kind && l->data) l->kind->destroy(l);
  hk_memory_free(&l->data);
  hk_free(links);
}

static hk_status check(const hk_links *l)
{
  return l->stopped ? hk_error_set(HK_STOPPED, "another part of the model has failed") : HK_OK;
}

hk_status hk_links_begin(hk_links *l, int part, hk_buffer *vector)
{
  HK_PASS(check(l));
  if (!l->side[part].neighbours) return HK_OK;
  l->begun = true;
  return l->kind->begin(l, part, vector);
}

hk_status hk_links_end(hk_links *l, int part, hk_buffer *vector)
{
  HK_PASS(check(l));
  HK_PASS(l->side[part].neighbours ? l->kind->end(l, part, vector) : HK_OK);
  return check(l);
}

void hk_links_stop(hk_links *l)
{
  if (!l || atomic_exchange(&l->stopped, true)) return;
  l->kind->stop(l);
}
