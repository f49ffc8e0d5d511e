/* Materials that move and carry heat (operator/element/advection.h): what stabilisation adds to heat in elements, and the element Peclet number and
 * the stabilised elements in words, for run.json and `hooke check`. */
#include "base/json.h"
#include "operator/element/advection.h"
#include "operator/element/lumped.h"
#include "run/static/static.h"

/* x and node of element e where it flows; its shape, else NULL. */
static const hk_element *find_flowing(const hk_static *s, hk_count e, double *x,
                                      const hk_index **node)
{
  const hk_model *model = s->on.model;
  const hk_block *block = hk_mesh_block_of(model->mesh, e);
  const hk_material *material = &model->region[model->element_region[e]].material;
  if (!material->advection.flows || block->nodes > HK_LISTED_NODES) return NULL;
  hk_element_gather(model->mesh, block, e - block->first, x);
  *node = hk_mesh_nodes_of(model->mesh, e);
  return hk_element_of(block->shape);
}

/* Whether any material moves. */
static bool flows(const hk_static *s)
{
  return hk_advection_any(s->on.model->region, s->on.model->region_count);
}

static const hk_region *region_of(const hk_static *s, hk_count e)
{
  return &s->on.model->region[s->on.model->element_region[e]];
}

void hk_static_load_advection(hk_static *s)
{
  const hk_step *step = &s->on.model->step[s->step];
  for (const hk_load *load = step->load; load < step->load + step->load_count; load++) {
    for (hk_count i = 0; load->kind == HK_LOAD_HEAT && i < load->target.count; i++) {
      const hk_index e = load->target.item[i], *node;
      double x[3 * HK_LISTED_NODES], f[HK_LISTED_NODES] = {0};
      const hk_element *element = find_flowing(s, e, x, &node);
      if (!element) continue;
      hk_element_carry_source(region_of(s, e), element, x, load->vector[0], load->by, f);
      for (int n = 0; n < element->nodes; n++) s->vector.f[s->on.space->node[node[n]]] += f[n];
    }
  }
}

void hk_static_carried(const hk_static *s, const double *t, double *heat)
{
  const bool any = flows(s);
  for (hk_count e = 0; e < s->on.model->mesh->element_count && any; e++) {
    const hk_index *node;
    double x[3 * HK_LISTED_NODES], own[HK_LISTED_NODES], at[HK_LISTED_NODES];
    const hk_element *element = find_flowing(s, e, x, &node);
    if (!element) continue;
    for (int n = 0; n < element->nodes; n++) at[n] = t[s->on.space->node[node[n]]], own[n] = 0;
    hk_element_carry(region_of(s, e), element, x, at, own);
    for (int n = 0; n < element->nodes; n++) heat[s->on.space->node[node[n]]] += own[n];
  }
}

void hk_static_tell_advection(const hk_static *s, json_t *root)
{
  hk_advection_survey survey;
  if (hk_static_solid(s) || !flows(s)) return;
  hk_advection_survey_find(s->on.model->mesh, s->on.model->region, s->on.model->element_region,
                           &survey);
  if (!survey.flowing) return;
  json_object_set_new(root, "advection",
                      json_pack("{s:o, s:I, s:I}", "largest_peclet", hk_json_real(survey.peclet),
                                "elements", (json_int_t)survey.flowing, "stabilised_elements",
                                (json_int_t)survey.stabilised));
}
