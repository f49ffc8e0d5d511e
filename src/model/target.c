/* The nodes, elements or faces that items of a model act on, as copies of sets of the mesh in the model's pool, and the names of quantities.
 * Requests hold quantities as bits; tables of prints have them in the order in which they are printed. The media of nodes (fluid or solid)
 * follow from the regions of their elements. */
#include "model/model.h"
#include <string.h>

hk_status hk_target_copy(hk_pool *pool, const hk_target *from, hk_target *to)
{
  hk_target copy = {.count = from->count};
  HK_PASS(hk_pool_get(pool, &copy.item, from->count));
  if (from->count) memcpy(copy.item, from->item, (size_t)from->count * sizeof *copy.item);
  if (from->face) {
    HK_PASS(hk_pool_get(pool, &copy.face, from->count));
    if (from->count) memcpy(copy.face, from->face, (size_t)from->count);
  }
  *to = copy;
  return HK_OK;
}

hk_status hk_target_of_set(hk_pool *pool, const hk_set *set, hk_target *to)
{
  return hk_target_copy(pool, &(hk_target){set->count, set->item, set->face}, to);
}

hk_status hk_target_all(hk_pool *pool, hk_count count, hk_target *to)
{
  const hk_status status = hk_pool_get(pool, &to->item, count);
  if (status != HK_OK) return status;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < count; i++) to->item[i] = (hk_index)i;
  to->count = count;
  return HK_OK;
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
  static const char *const name[HK_QUANTITY_COUNT] = {
      "displacement", "velocity",  "acceleration", "stress",     "strain",   "reaction",
      "temperature",  "heat_flux", "pressure",     "divergence", "rotation", "strain_rate"};
  return name[quantity];
}

hk_status hk_model_find_media(hk_model *m)
{
  const hk_mesh *mesh = m->mesh;
  bool any = false, solid = false;
#pragma omp parallel for schedule(static) reduction(|| : any, solid)
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const bool fluid = m->region[m->element_region[e]].material.fluid;
    any = any || fluid, solid = solid || !fluid;
  }
  m->media.solid = solid;
  if (!any)
    return HK_OK; /* regions do not change from fluid to solid: an array found before stays right */
  HK_PASS(hk_pool_resize(&m->pool, &m->media.fluid, mesh->node_count));
  memset(m->media.fluid, 0, (size_t)mesh->node_count * sizeof *m->media.fluid);
  for (hk_count e = 0; e < mesh->element_count; e++) {
    if (!m->region[m->element_region[e]].material.fluid) continue;
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) m->media.fluid[node[n]] = true;
  }
  return HK_OK;
}
