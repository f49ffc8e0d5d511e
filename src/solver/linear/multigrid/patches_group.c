/* Groups nodes into patches of bounded size by closeness h_i h_j / |x_i - x_j|^2, h_i the distance of i's nearest neighbour.
 * Pairs of nodes of an element are counted into CLASSES of closeness, then joined class by class with union-find while a patch has
 * room; patches that are not full are packed together at the end (fill). Deterministic: pairs come in the order of the elements. */
#include "solver/linear/multigrid/patches.h"
#include <math.h>

/* Pairs that are less close are no pairs; classes of closeness: pairs are taken class by class, in each as elements come. */
enum { CLASSES = 64 };
static const double least = 0.1;

typedef struct pair {
  hk_index i, j;
} pair;

typedef struct grouping {
  const hk_space *space;
  double *near; /* near[padded] = h_i^2 */
  hk_count begin[CLASSES + 1];
  pair *pairs;
  hk_index *root; /* root[padded]: another of its patch, at last the lowest that stands for it */
  int *size;      /* of patches, at their roots */
} grouping;

static double square(const hk_space *space, hk_index a, hk_index b)
{
  double sum = 0;
  for (int d = 0; d < space->dim; d++) {
    const double x =
        space->mesh->x[(hk_count)a * space->dim + d] - space->mesh->x[(hk_count)b * space->dim + d];
    sum += x * x;
  }
  return sum;
}

static void find_near(grouping *g)
{
  const hk_mesh *mesh = g->space->mesh;
  for (hk_index i = 0; i < g->space->padded; i++) g->near[i] = INFINITY;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    for (hk_count e = 0; e < block->count; e++)
      for (int n = 0; n < block->nodes; n++)
        for (int m = 0; m < n; m++) {
          const hk_index *node = block->node + e * block->nodes;
          const double apart = square(g->space, node[n], node[m]);
          double *of[2] = {&g->near[g->space->node[node[n]]], &g->near[g->space->node[node[m]]]};
          for (int k = 0; k < 2; k++)
            if (apart < *of[k]) *of[k] = apart;
        }
  }
}

/* 0: closest; CLASSES: not close */
static int class_of(const grouping *g, hk_index a, hk_index b)
{
  const double near = sqrt(g->near[g->space->node[a]] * g->near[g->space->node[b]]),
               apart = square(g->space, a, b);
  if (!(near > least * apart)) return CLASSES;
  const int class = (int)((1 - near / apart) / (1 - least) * CLASSES);
  return class < 0 ? 0 : class < CLASSES ? class : CLASSES - 1;
}

/* Counts in begin[class + 1]; then, once there are pairs, places. */
static void pass(grouping *g)
{
  const hk_mesh *mesh = g->space->mesh;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    for (hk_count e = 0; e < block->count; e++)
      for (int n = 0; n < block->nodes; n++)
        for (int m = 0; m < n; m++) {
          const hk_index *node = block->node + e * block->nodes;
          const int class = class_of(g, node[n], node[m]);
          if (class == CLASSES) continue;
          if (g->pairs)
            g->pairs[g->begin[class]++] = (pair){g->space->node[node[n]], g->space->node[node[m]]};
          else
            g->begin[class + 1]++;
        }
  }
}

static hk_index root_of(grouping *g, hk_index i)
{
  while (g->root[i] != i) {
    g->root[i] = g->root[g->root[i]];
    i = g->root[i];
  }
  return i;
}

static hk_status join(grouping *g)
{
  pass(g);
  for (int c = 0; c < CLASSES; c++) g->begin[c + 1] += g->begin[c];
  const hk_count count = g->begin[CLASSES];
  HK_PASS(hk_get(&g->pairs, count));
  pass(g);
  for (hk_index i = 0; i < g->space->padded; i++) g->root[i] = i, g->size[i] = 1;
  for (hk_count k = 0; k < count; k++) {
    hk_index a = root_of(g, g->pairs[k].i), b = root_of(g, g->pairs[k].j);
    if (a == b || g->size[a] + g->size[b] > HK_PATCH_NODES) continue;
    if (a > b) {
      const hk_index swap = a;
      a = b, b = swap;
    }
    g->root[b] = a, g->size[a] += g->size[b];
  }
  return HK_OK;
}

/* Into the list with the least room that is enough. place[root] = where its next node goes. */
static hk_status fill(grouping *g, hk_index *count, hk_index **list)
{
  hk_status status = HK_OK;
  const hk_index padded = g->space->padded;
  hk_index *place = NULL, *below = NULL, open[HK_PATCH_NODES + 1];
  hk_count lists = 0;
  HK_TRY(hk_get(&place, padded));
  HK_TRY(hk_get(&below, padded)); /* of the open lists of a room, another */
  for (int room = 0; room <= HK_PATCH_NODES; room++) open[room] = -1;
  for (hk_index i = 0; i < padded; i++) {
    if (g->root[i] != i) continue;
    int room = g->size[i];
    while (room < HK_PATCH_NODES && open[room] < 0) room++;
    const bool fresh = room == HK_PATCH_NODES;
    const hk_index to = fresh ? (hk_index)lists++ : open[room];
    if (!fresh) open[room] = below[to];
    place[i] = to * HK_PATCH_NODES + HK_PATCH_NODES - room;
    room -= g->size[i];
    below[to] = open[room], open[room] = to;
  }
  HK_TRY(hk_narrow(lists * HK_PATCH_NODES, "places of patches", count));
  HK_TRY(hk_get(list, *count));
  for (hk_index k = 0; k < *count; k++) (*list)[k] = -1;
  for (hk_index i = 0; i < padded; i++) (*list)[place[root_of(g, i)]++] = i;
  *count /= HK_PATCH_NODES;
cleanup:
  hk_free(&place);
  hk_free(&below);
  return status;
}

hk_status hk_patches_group(const hk_space *space, hk_index *count, hk_index **list)
{
  hk_status status = HK_OK;
  grouping g = {.space = space};
  HK_TRY(hk_get(&g.near, space->padded));
  HK_TRY(hk_get(&g.root, space->padded));
  HK_TRY(hk_get(&g.size, space->padded));
  find_near(&g);
  HK_TRY(join(&g));
  HK_TRY(fill(&g, count, list));
cleanup:
  hk_free(&g.near);
  hk_free(&g.root);
  hk_free(&g.size);
  hk_free(&g.pairs);
  return status;
}
