/* Lists of operator/patches/patch.k.h for one group: elements in batches of WIDTH of one kind (simplices or squares and cubes, isotropic or not),
 * each corner with a slot of its own in local memory, and for each node the slots that it sums. The last batch of a kind is filled up
 * with its last element. */
#include "operator/patches/pack.h"

enum { KINDS = 4 };

/* First slot of each element of the group, its batches in the order of kinds; *slots: their end. */
static hk_index batch_elements(const hk_group *g, hk_index *first_slot, hk_index *batches)
{
  const int width = g->width;
  hk_index slots = width;
  for (int kind = 0; kind < KINDS; kind++) {
    hk_index n = 0;
    int corners = 1;
    for (hk_index e = 0; e < g->elements; e++) {
      if (g->element[e].kind != kind) continue;
      corners = g->element[e].corners;
      first_slot[e] = slots + n / width * corners * width + n % width;
      n++;
    }
    batches[kind] = (n + width - 1) / width;
    slots += batches[kind] * corners * width;
  }
  return slots;
}

hk_count hk_group_slots(const hk_group *g)
{
  hk_count slots = g->width;
  for (int kind = 0; kind < KINDS; kind++) {
    hk_count n = 0, corners = 0;
    for (hk_index e = 0; e < g->elements; e++)
      if (g->element[e].kind == kind) n++, corners = g->element[e].corners;
    slots += (n + g->width - 1) / g->width * g->width * corners;
  }
  return slots;
}

/* Element e in lane w of a batch: its nodes, and its law. */
static void write_element(const hk_group *g, hk_index e, bool law, uint16_t *lane)
{
  const hk_group_element *element = &g->element[e];
  for (int c = 0; c < element->corners; c++) lane[c * g->width] = (uint16_t)element->node[c];
  if (law) lane[element->corners * g->width] = (uint16_t)element->region;
}

/* The batches of one kind; the last is filled up with the last element. */
static hk_status write_batches(hk_group *g, int kind, bool law)
{
  hk_index n = 0, last = 0;
  uint16_t *row = NULL;
  for (hk_index e = 0; e < g->elements; e++) {
    if (g->element[e].kind != kind) continue;
    if (n % g->width == 0)
      HK_PASS(hk_pile_rows(g->pile, g->width, g->element[e].corners + law, &row));
    write_element(g, e, law, row + n % g->width);
    last = e, n++;
  }
  for (; n % g->width; n++) write_element(g, last, law, row + n % g->width);
  return HK_OK;
}

static hk_index slices_of(const hk_group *g)
{
  return (hk_group_summed(g) + g->width - 1) / g->width;
}

/* The slots that each of them sums. */
static hk_status write_gather(hk_group *g, const hk_index *first_slot, hk_index *slice,
                              hk_count start)
{
  const int width = g->width;
  const hk_index slices = slices_of(g), count = hk_group_summed(g);
  uint16_t *row = NULL;
  for (hk_index s = 0; s < slices; s++) {
    hk_index most = 0;
    for (hk_index k = s * width; k < (s + 1) * width && k < count; k++)
      if (g->first_corner[k + 1] - g->first_corner[k] > most)
        most = g->first_corner[k + 1] - g->first_corner[k];
    slice[s] = (hk_index)((g->pile->entries - start) / width);
    HK_PASS(hk_pile_rows(g->pile, width, most, &row)); /* zeros: slots of no element */
    for (hk_index k = s * width; k < (s + 1) * width && k < count; k++)
      for (hk_index q = g->first_corner[k]; q < g->first_corner[k + 1]; q++) {
        const hk_index e = g->corner[q] / 8, c = g->corner[q] % 8;
        row[(q - g->first_corner[k]) * width + k % width] = (uint16_t)(first_slot[e] + c * width);
      }
  }
  slice[slices] = (hk_index)((g->pile->entries - start) / width);
  return HK_OK;
}

hk_status hk_group_patch(hk_group *g, hk_index *line)
{
  const hk_count start = g->pile->entries;
  hk_index *slice = NULL;
  bool general;
  HK_PASS(hk_reserve(&g->work, g->elements, &g->work_capacity));
  batch_elements(g, g->work, line + HK_GROUP_BATCHES);
  line[HK_GROUP_LAW] = hk_group_law(g, &general);
  for (int kind = 0; kind < KINDS; kind++)
    HK_PASS(write_batches(g, kind, kind % 2 || line[HK_GROUP_LAW] < 0));
  HK_PASS(hk_pile_slices(g->pile, slices_of(g) + 1, &slice));
  HK_PASS(write_gather(g, g->work, slice, start));
  line[HK_GROUP_ENTRIES] = slice[slices_of(g)];
  return HK_OK;
}
