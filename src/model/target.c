#include "model/model.h"
#include <string.h>

void hk_target_clear(hk_target *target)
{
  hk_free(&target->item);
  hk_free(&target->face);
  target->count = 0;
}

hk_status hk_target_copy(const hk_target *from, hk_target *to)
{
  hk_status status = HK_OK;
  hk_target copy = {.count = from->count};
  HK_TRY(hk_get(&copy.item, from->count));
  if (from->count) memcpy(copy.item, from->item, (size_t)from->count * sizeof *copy.item);
  if (from->face) {
    HK_TRY(hk_get(&copy.face, from->count));
    if (from->count) memcpy(copy.face, from->face, (size_t)from->count);
  }
  *to = copy, copy = (hk_target){0};
cleanup:
  hk_target_clear(&copy);
  return status;
}

void hk_print_tables(unsigned quantities, uint8_t table[HK_MOST_TABLES], int *count)
{
  static const uint8_t order[] = {HK_DISPLACEMENT, HK_TEMPERATURES, HK_REACTION,
                                  HK_HEAT_FLUX,    HK_STRESS,       HK_STRAIN};
  for (size_t i = 0; i < sizeof order; i++)
    if (quantities & 1u << order[i] && *count < HK_MOST_TABLES &&
        !(*count && memchr(table, order[i], (size_t)*count)))
      table[(*count)++] = order[i];
}

const char *hk_quantity_name(hk_quantity quantity)
{
  static const char *const name[HK_QUANTITY_COUNT] = {"displacement", "velocity",  "acceleration",
                                                      "stress",       "strain",    "reaction",
                                                      "temperature",  "heat_flux", "pressure"};
  return name[quantity];
}

hk_status hk_model_find_media(hk_model *m)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = m->mesh;
  bool any = false;
  m->solid = false;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const bool fluid = m->region[m->element_region[e]].material.fluid;
    any = any || fluid, m->solid = m->solid || !fluid;
  }
  hk_free(&m->fluid);
  if (!any) return HK_OK;
  HK_TRY(hk_get(&m->fluid, mesh->node_count));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    if (!m->region[m->element_region[e]].material.fluid) continue;
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) m->fluid[node[n]] = true;
  }
cleanup:
  return status;
}
