/* Lists of operator/patches/ring.k.h for one group of linear triangles: the neighbours of each node in the order in which its triangles
 * follow each other (graph/ring.h), a cyclic chain that names the node itself where triangles do not close, and with several laws the law of
 * each triangle. Interleaved by WIDTH, padded with the node itself. */
#include "graph/ring.h"
#include "operator/patches/pack.h"

/* The chain of own node k. work: edges [2 n], nodes [3 n], triangles [3 n]; returns the length. */
static hk_status chain(hk_group *g, hk_index k, int *length, int *cyclic)
{
  const hk_index first = g->first_corner[k], n = g->first_corner[k + 1] - first;
  HK_PASS(hk_reserve(&g->work, 8 * (hk_count)n, &g->work_capacity));
  HK_PASS(hk_reserve(&g->used, n, &g->used_capacity));
  for (hk_index t = 0; t < n; t++) {
    const hk_index *node = g->element[g->corner[first + t] / 8].node;
    const int c = g->corner[first + t] % 8;
    g->work[2 * t] = node[(c + 1) % 3], g->work[2 * t + 1] = node[(c + 2) % 3];
  }
  *length = hk_ring_chain(n, (const hk_index(*)[2])g->work, k, g->work + 2 * n, g->work + 5 * n,
                          g->used, cyclic);
  return HK_OK;
}

static int law_of(const hk_group *g, hk_index k, hk_index triangle)
{
  if (triangle < 0) return 0;
  return g->element[g->corner[g->first_corner[k] + triangle] / 8].region;
}

/* Writes the list of own node k, `slots` long, into its lane. */
static hk_status write_lane(hk_group *g, hk_index k, int slots, bool laws, uint16_t *lane)
{
  const int width = g->width, stride = (1 + laws) * width;
  const hk_index n = g->first_corner[k + 1] - g->first_corner[k];
  int length = 0, cyclic = 0;
  HK_PASS(chain(g, k, &length, &cyclic));
  const hk_index *node = g->work + 2 * n, *triangle = g->work + 5 * n;
  for (int p = 0; p < slots; p++) {
    lane[p * stride] = (uint16_t)(p < length ? node[p] : k);
    if (laws) lane[p * stride + width] = (uint16_t)law_of(g, k, p < length ? triangle[p] : -1);
  }
  if (laws && cyclic == slots && cyclic < length)
    lane[width] = (uint16_t)law_of(g, k, triangle[cyclic]);
  return HK_OK;
}

hk_status hk_group_ring(hk_group *g, bool laws, hk_index *line)
{
  const int width = g->width, rows = 1 + laws;
  const hk_index slices = g->local->count / width;
  hk_index *slice = NULL;
  uint16_t *row = NULL;
  bool general;
  const hk_count start = g->pile->entries;
  line[HK_GROUP_LAW] = laws ? -1 : hk_group_law(g, &general);
  HK_PASS(hk_pile_slices(g->pile, slices + 1, &slice));
  for (hk_index s = 0; s < slices; s++) {
    int slots = 1, length, cyclic;
    for (int w = 0; w < width; w++) {
      HK_PASS(chain(g, s * width + w, &length, &cyclic));
      if (cyclic > slots) slots = cyclic;
    }
    slice[s] = (hk_index)((g->pile->entries - start) / (width * rows));
    HK_PASS(hk_pile_rows(g->pile, width, (hk_count)slots * rows, &row));
    for (int w = 0; w < width; w++) HK_PASS(write_lane(g, s * width + w, slots, laws, row + w));
  }
  slice[slices] = (hk_index)((g->pile->entries - start) / (width * rows));
  line[HK_GROUP_ENTRIES] = slice[slices] * rows;
  return HK_OK;
}
