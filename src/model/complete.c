/* Whether a model has what its steps need. */
#include "model/model.h"
#include "physics/words.h"

/* What the steps need and the material lacks; NULL: nothing. */
static const char *lack_of(const hk_material *m, hk_step_kind kind)
{
  const bool heat = kind == HK_STEP_HEAT;
  const bool lawful = heat ? m->conducts : m->elastic || (m->fluid && kind == HK_STEP_EXPLICIT);
  return lawful ? NULL : hk_words_of(heat)->law;
}

/* A material that elements use: how many errors it has. */
static int tell_material(const hk_model *model, hk_messages *list, const hk_region *region)
{
  const hk_material *m = &region->material;
  const hk_step_kind kind = model->step[0].kind;
  const char *name = m->name ? m->name : region->name, *lack = lack_of(m, kind);
  const bool light = kind == HK_STEP_EXPLICIT && !(m->density > 0);
  if (lack) hk_messages_add(list, HK_ERROR, model->path, 0, 0, "material %s has no %s", name, lack);
  if (light)
    hk_messages_add(list, HK_ERROR, model->path, 0, 0,
                    "material %s: explicit dynamics needs a density above 0", name);
  return (lack != NULL) + light;
}

hk_status hk_model_check_regions(const hk_model *model, hk_messages *list)
{
  hk_status status = HK_OK;
  bool *used = NULL;
  hk_count none = 0, first = -1;
  int bad = 0;
  HK_TRY(hk_get(&used, model->region_count));
  for (hk_count e = 0; e < model->mesh->element_count; e++) {
    if (model->element_region[e] >= 0)
      used[model->element_region[e]] = true;
    else if (none++ == 0)
      first = e;
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
