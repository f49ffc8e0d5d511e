/* Whether a model has what its steps need: each element has a region, each material that is used has the law of the procedure (elastic
 * constants, a fluid's bulk modulus or a conductivity), and a density above 0 in explicit steps and for gravity. Both readers look with these
 * functions, and a model is looked at again before it runs. */
#include "model/model.h"
#include "physics/words.h"
#include <math.h>

bool hk_model_marches(const hk_model *model)
{
  bool marches = false;
  for (int i = 0; i < model->step_count; i++) marches = marches || model->step[i].theta > 0;
  return marches;
}

/* What the steps need and the material lacks; NULL: nothing. */
static const char *lack_of(const hk_material *m, hk_step_kind kind)
{
  if (kind == HK_STEP_HEAT) return m->conducts ? NULL : hk_words_of(HK_UNKNOWNS_SCALAR)->law;
  if (kind == HK_STEP_COUPLED) return m->coupled ? NULL : hk_words_of(HK_UNKNOWNS_COUPLED)->law;
  const bool lawful = m->elastic || (m->fluid && kind == HK_STEP_EXPLICIT);
  return lawful ? NULL : hk_words_of(HK_UNKNOWNS_DISPLACEMENTS)->law;
}

/* A material that elements use: how many errors it has. */
static int tell_material(const hk_model *model, hk_messages *list, const hk_region *region)
{
  const hk_material *m = &region->material;
  const hk_step_kind kind = model->step[0].kind;
  const char *name = m->name ? m->name : region->name, *lack = lack_of(m, kind);
  const bool light = kind == HK_STEP_EXPLICIT && !(m->density > 0);
  const bool cold =
      kind == HK_STEP_HEAT && hk_model_marches(model) && !(m->density > 0 && m->specific_heat > 0);
  if (cold)
    hk_messages_add(list, HK_ERROR, model->path, 0, 0,
                    "material %s: transient heat conduction needs a density and a specific heat",
                    name);
  if (lack) hk_messages_add(list, HK_ERROR, model->path, 0, 0, "material %s has no %s", name, lack);
  if (light)
    hk_messages_add(list, HK_ERROR, model->path, 0, 0,
                    "material %s: explicit dynamics needs a density above 0", name);
  return (lack != NULL) + light + cold;
}

hk_count hk_model_bare(const hk_model *model, hk_count *first)
{
  const hk_count elements = model->mesh->element_count;
  hk_count none = 0, least = elements;
#pragma omp parallel for schedule(static) reduction(+ : none) reduction(min : least)
  for (hk_count e = 0; e < elements; e++)
    if (model->element_region[e] < 0) none++, least = e < least ? e : least;
  if (none) *first = least;
  return none;
}

int hk_model_named_regions(const hk_model *model)
{
  int count = 0;
  while (count < model->region_count && hk_model_named(model, count) == count) count++;
  return count;
}

static int region_of(const void *model, hk_count element)
{
  const hk_model *m = model;
  const hk_index region = m->element_region[element];
  return region < 0 ? -1 : hk_model_named(m, region);
}

static const char *name_of_region(const void *model, int region)
{
  return ((const hk_model *)model)->region[region].name;
}

hk_mesh_regions hk_model_regions(const hk_model *model)
{
  const int named = hk_model_named_regions(model);
  return (hk_mesh_regions){named <= HK_MOST_REGIONS ? named : 0, model, region_of, name_of_region};
}

void hk_model_speeds(const hk_model *model, int named, double *slowest, double *fastest)
{
  double low = INFINITY, high = 0;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
  for (int r = 0; r < model->region_count; r++) {
    const hk_region *region = &model->region[r];
    if (hk_model_named(model, r) != named || !hk_material_waves(&region->material)) continue;
    low = fmin(low, hk_region_slowest(region, model->mesh->dim));
    high = fmax(high, hk_region_fastest(region, model->mesh->dim));
  }
  *slowest = high > 0 ? low : 0, *fastest = high;
}

const hk_material *hk_model_weightless(const hk_model *model, const hk_target *target)
{
  for (hk_count i = 0; i < target->count; i++) {
    const int region = model->element_region[target->item[i]];
    const hk_material *m = region < 0 ? NULL : &model->region[region].material;
    if (m && m->name && !(m->density > 0)) return m;
  }
  return NULL;
}

hk_status hk_model_check_regions(const hk_model *model, hk_messages *list)
{
  hk_status status = HK_OK;
  bool *used = NULL;
  hk_count first = -1;
  const hk_count none = hk_model_bare(model, &first);
  int bad = 0;
  HK_TRY(hk_get(&used, model->region_count));
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < model->mesh->element_count; e++) {
    const int r = model->element_region[e];
    if (r >= 0 && !__atomic_load_n(&used[r], __ATOMIC_RELAXED))
      __atomic_store_n(&used[r], true, __ATOMIC_RELAXED);
  }
  if (none)
    hk_messages_add(list, HK_ERROR, model->path, 0, 0,
                    "%lld elements have no material, the first is %lld: give their set a section",
                    (long long)none, (long long)hk_mesh_element_label(model->mesh, first));
  for (int r = 0; r < model->region_count; r++)
    if (used[r]) bad += tell_material(model, list, &model->region[r]);
  HK_CHECK(!none && !bad, HK_BAD_INPUT, "%s: the materials of the model are not complete",
           model->path);
cleanup:
  hk_free(&used);
  return status;
}
