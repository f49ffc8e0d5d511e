/* Keeps the seconds of a step per node under a hash of all that they depend on (device/cache.h). */
#include "operator/times.h"
#include "device/cache.h"
#include "element/element.h"
#include "physics/law.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The laws of all elements, whatever their order. */
static uint64_t hash_laws(const hk_operator_desc *desc)
{
  const hk_mesh *mesh = desc->space->mesh;
  uint64_t all = 0;
#pragma omp parallel for schedule(static) reduction(| : all)
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const int region = desc->element_region[e];
    if (region < 0 || (e && region == desc->element_region[e - 1])) continue;
    const int components = hk_law_components(&desc->region[region], mesh->dim);
    const hk_law *law = hk_law_of(components, &desc->region[region], mesh->dim);
    if (law) all |= 1ULL << hk_hash(law->name, strlen(law->name), (uint64_t)components) % 64;
  }
  return all;
}

static hk_cache_key key_of(const hk_times_of *of)
{
  const hk_operator_desc *desc = &of->op->desc;
  const hk_device_info *info = hk_device_describe(desc->device);
  const hk_space *space = desc->space;
  char what[320], form[256];
  snprintf(what, sizeof what, "times %s %s %s threads %d", info->name, info->isa, info->software,
           info->threads);
  snprintf(form, sizeof form,
           "%s dim %d shape %d components %d %s laws %llx damped %d layered %d shots %d nodes %d",
           of->op->kind->name, space->dim, (int)space->mesh->block[0].shape, space->components,
           desc->double_precision ? "double" : "single", (unsigned long long)hash_laws(desc),
           of->damped, of->layered, of->shots, (int)(log2((double)space->nodes) / 2));
  return hk_cache_key_of(what, form);
}

void hk_times_keep(const hk_times_of *of, double seconds)
{
  const char *folder = hk_device_cache(of->op->desc.device);
  const double each = seconds / (double)of->op->desc.space->nodes;
  if (folder && each > 0 && each < HUGE_VAL)
    hk_cache_write(folder, key_of(of), (const char *)&each, sizeof each);
}

double hk_times_kept(const hk_times_of *of)
{
  const char *folder = hk_device_cache(of->op->desc.device);
  char *data = NULL;
  hk_count size = 0;
  double each = 0;
  if (folder && hk_cache_read(folder, key_of(of), &data, &size) && size == sizeof each)
    memcpy(&each, data, sizeof each);
  hk_free(&data);
  return each > 0 && each < HUGE_VAL ? each * (double)of->op->desc.space->nodes : 0;
}
