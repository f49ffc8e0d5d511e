/* The space of a part: the whole's numbers in the order of the part, and of a space by elements the batches that it computes, in groups as they are in the
 * whole, since the arithmetic of an element depends on its group. */
#include "space/part.h"
#include <string.h>

/* The groups of the part in the order of the whole. */
static hk_status list_turns(const hk_space *whole, const hk_part *part, hk_interior *by)
{
  hk_status status = HK_OK;
  const hk_index groups = whole->interior->batches / whole->interior->group;
  hk_index *place = NULL, next = 0;
  HK_TRY(hk_get(&place, groups)); /* + 1; 0: not here */
  HK_TRY(hk_pool_get(&by->pool, &by->turn, part->units + part->again));
  for (hk_index g = 0; g < part->units + part->again; g++) place[part->unit[g]] = g + 1;
  for (hk_index g = 0; g < groups; g++)
    if (place[g]) by->turn[next++] = place[g] - 1;
cleanup:
  hk_free(&place);
  return status;
}

/* Groups of one part of the mesh (element_part) behind one another are a range. */
static hk_status list_ranges(const hk_space *whole, const hk_part *part, hk_interior *by)
{
  const hk_interior *from = whole->interior;
  const hk_index groups = part->units + part->again;
  int last = -1;
  HK_PASS(hk_pool_get(&by->pool, &by->range_batch, groups + 2));
  HK_PASS(hk_pool_get(&by->pool, &by->range_part, groups + 1));
  for (hk_index g = 0; g < groups; g++) {
    const int of = hk_interior_part(from, part->unit[g] * from->group);
    if (of != last) by->range_part[by->ranges++] = (uint8_t)(last = of);
    by->range_batch[by->ranges] = (g + 1) * from->group;
  }
  if (!groups) by->ranges = 1; /* an empty one */
  return HK_OK;
}

/* One chunk of all batches. Where the whole adds forces colour by colour the part sums slots instead, in the same order: that of the whole's batches. */
static hk_status make_interior(const hk_space *whole, const hk_part *part, hk_interior **out)
{
  hk_status status = HK_OK;
  const hk_interior *from = whole->interior;
  const hk_index elements = from->group * from->lanes;
  hk_interior *by = NULL;
  HK_TRY(hk_new(&by));
  by->lanes = from->lanes, by->group = from->group, by->unit = from->unit;
  by->granule = from->granule, by->chunks = by->colours = 1;
  by->own = part->units * from->group, by->boundary = part->boundary_units * from->group;
  by->batches = (part->units + part->again) * from->group;
  HK_TRY(hk_pool_get(&by->pool, &by->element, (hk_count)by->batches * by->lanes));
  for (hk_index g = 0; g < part->units + part->again; g++)
    memcpy(by->element + (hk_count)g * elements, from->element + (hk_count)part->unit[g] * elements,
           (size_t)elements * sizeof *by->element);
  HK_TRY(list_turns(whole, part, by));
  HK_TRY(list_ranges(whole, part, by));
  HK_TRY(hk_pool_get(&by->pool, &by->chunk_batch, 2));
  HK_TRY(hk_pool_get(&by->pool, &by->chunk_node, 3));
  by->chunk_batch[1] = by->batches;
  by->chunk_node[1] = by->chunk_node[2] = part->patches * whole->patch;
  *out = by, by = NULL;
cleanup:
  hk_interior_destroy(&by);
  return status;
}

hk_status hk_space_create_part(const hk_space *whole, const hk_part *part, hk_space **out)
{
  hk_status status = HK_OK;
  const hk_index patch = whole->patch, numbers = part->rows + part->ghosts;
  hk_index most;
  hk_space *s = NULL;
  HK_TRY(hk_new(&s));
  s->mesh = whole->mesh, s->dim = whole->dim, s->components = whole->components;
  s->unknowns = whole->unknowns;
  s->patch = patch, s->patches = part->patches, s->boundary = part->boundary;
  s->granule = whole->granule, s->order = part->whole, s->whole = whole;
  s->padded = (numbers + patch - 1) / patch * patch, s->ghosts = s->padded - part->rows;
  HK_TRY(hk_narrow((hk_count)s->padded * s->components, "degrees of freedom", &most));
  if (whole->interior) HK_TRY(make_interior(whole, part, &s->interior));
  HK_TRY(hk_pool_get(&s->pool, &s->mesh_node, s->padded));
  HK_TRY(hk_pool_get(&s->pool, &s->node, whole->mesh->node_count));
  for (hk_index i = 0; i < s->padded; i++)
    s->mesh_node[i] = i < numbers ? whole->mesh_node[part->whole[i]] : -1;
  for (hk_index i = 0; i < part->rows; i++) s->nodes += s->mesh_node[i] >= 0;
  hk_space_number_back(s);
  *out = s, s = NULL;
cleanup:
  hk_space_destroy(&s);
  return status;
}
