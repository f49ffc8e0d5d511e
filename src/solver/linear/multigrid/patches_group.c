/* Groups nodes into patches of bounded size by closeness h_i h_j / |x_i - x_j|^2, h_i the distance of i's nearest neighbour.
 * Pairs of nodes of an element are sorted into CLASSES of closeness, then joined class by class with union-find while a patch has
 * room; patches that are not full are packed together at the end (fill).
 * All threads measure and sort the pairs; within a class these stand in the order of the elements. One thread joins, as each pair depends on those
 * before it, but all threads first drop the pairs that can join nothing: roots only come together and patches only grow, so what cannot join now cannot
 * join later. They are dropped before each stretch, and before the classes of a round are listed, so that the list stays short.
 * The patches are the same for any number of threads. */
#include "solver/linear/multigrid/patches.h"
#include <math.h>
#include <string.h>

/* Pairs that are less close are no pairs; classes of closeness: pairs are taken class by class, in each as elements come. */
enum { CLASSES = 64 };
static const double least = 0.1;

/* Parts of the elements whose pairs are counted apart; pairs that are dropped together; pairs of a round per node, but for those of its first class. */
enum { PARTS = 256, STRETCH = 1 << 16, ROUND = 4 };

typedef struct pair {
  hk_index i, j;
} pair;

typedef struct grouping {
  const hk_space *space;
  double *near; /* near[padded] = h_i^2 */
  hk_count (
      *begin)[CLASSES]; /* begin[PARTS][CLASSES]: counts of pairs, then where the next one goes */
  int from, to;         /* classes of the round; of pairs that are counted: from on */
  hk_count count;       /* of its pairs */
  pair *pairs;          /* NULL: they are counted */
  hk_index *root; /* root[padded]: another of its patch, at last the lowest that stands for it */
  int *size;      /* of patches, at their roots */
} grouping;

typedef struct gathered { /* an element */
  int nodes, dim;
  hk_index number[HK_MOST_NODES]; /* internal */
  double x[3 * HK_MOST_NODES];
} gathered;

static void gather(const hk_space *space, hk_count element, gathered *e)
{
  const hk_index *node = hk_mesh_nodes_of(space->mesh, element);
  e->nodes = hk_mesh_block_of(space->mesh, element)->nodes, e->dim = space->dim;
  for (int n = 0; n < e->nodes; n++) {
    e->number[n] = space->node[node[n]];
    for (int d = 0; d < e->dim; d++)
      e->x[n * e->dim + d] = space->mesh->x[(hk_count)node[n] * e->dim + d];
  }
}

static double square(const gathered *e, int n, int m)
{
  double sum = 0;
  for (int d = 0; d < e->dim; d++) {
    const double x = e->x[n * e->dim + d] - e->x[m * e->dim + d];
    sum += x * x;
  }
  return sum;
}

/* *place = value where that is smaller. */
static void lower_to(double *place, double value)
{
  double old;
  __atomic_load(place, &old, __ATOMIC_RELAXED);
  while (value < old && !__atomic_compare_exchange(place, &old, &value, true, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED)) {
  }
}

static void find_near(grouping *g)
{
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < g->space->padded; i++) g->near[i] = INFINITY;
#pragma omp parallel for schedule(static)
  for (hk_count element = 0; element < g->space->mesh->element_count; element++) {
    gathered e;
    double nearest[HK_MOST_NODES];
    gather(g->space, element, &e);
    for (int n = 0; n < e.nodes; n++) {
      nearest[n] = INFINITY;
      for (int m = 0; m < n; m++) {
        const double apart = square(&e, n, m);
        if (apart < nearest[n]) nearest[n] = apart;
        if (apart < nearest[m]) nearest[m] = apart;
      }
    }
    for (int n = 0; n < e.nodes; n++) lower_to(&g->near[e.number[n]], nearest[n]);
  }
}

/* 0: closest; CLASSES: not close. Of a pair with h_i^2, h_j^2. */
static int class_of(double near_i, double near_j, double apart)
{
  const double near = sqrt(near_i * near_j);
  if (!(near > least * apart)) return CLASSES;
  const int class = (int)((1 - near / apart) / (1 - least) * CLASSES);
  return class < 0 ? 0 : class < CLASSES ? class : CLASSES - 1;
}

static hk_index top_of(const grouping *g, hk_index i)
{
  while (g->root[i] != i) i = g->root[i];
  return i;
}

/* Changes nothing: for all threads. */
static bool can_join(const grouping *g, const pair *p)
{
  const hk_index a = top_of(g, p->i), b = top_of(g, p->j);
  return a != b && g->size[a] + g->size[b] <= HK_PATCH_NODES;
}

/* Of an element: counts the pairs that can join, or lists those of the round once there is a list. */
static void visit(const grouping *g, hk_count element, hk_count *begin)
{
  gathered e;
  double near[HK_MOST_NODES];
  hk_index top[HK_MOST_NODES];
  int size[HK_MOST_NODES];
  gather(g->space, element, &e);
  for (int n = 0; n < e.nodes; n++) {
    near[n] = g->near[e.number[n]];
    top[n] = top_of(g, e.number[n]), size[n] = g->size[top[n]];
  }
  for (int n = 0; n < e.nodes; n++)
    for (int m = 0; m < n; m++) {
      if (top[n] == top[m] || size[n] + size[m] > HK_PATCH_NODES) continue;
      const int class = class_of(near[n], near[m], square(&e, n, m));
      if (class < g->from || class >= g->to) continue;
      if (g->pairs) g->pairs[begin[class]] = (pair){e.number[n], e.number[m]};
      begin[class]++;
    }
}

static void pass(grouping *g)
{
  const hk_count elements = g->space->mesh->element_count;
#pragma omp parallel for schedule(dynamic)
  for (int p = 0; p < PARTS; p++)
    for (hk_count e = elements * p / PARTS; e < elements * (p + 1) / PARTS; e++)
      visit(g, e, g->begin[p]);
}

/* Of the classes from g->from on as many as the list of a round holds, at least one; where each part of them puts its pairs. */
static void choose_round(grouping *g)
{
  g->count = 0;
  for (g->to = g->from; g->to < CLASSES; g->to++) {
    hk_count own = 0;
    for (int p = 0; p < PARTS; p++) own += g->begin[p][g->to];
    if (g->to > g->from && g->count + own > ROUND * (hk_count)g->space->padded) break;
    for (int p = 0; p < PARTS; p++) {
      const hk_count count = g->begin[p][g->to];
      g->begin[p][g->to] = g->count, g->count += count;
    }
  }
}

/* The pairs of a round class by class, those of a class part by part. */
static hk_status sort_pairs(grouping *g)
{
  hk_free(&g->pairs);
  memset(g->begin, 0, PARTS * sizeof *g->begin);
  g->to = CLASSES;
  pass(g);
  choose_round(g);
  HK_PASS(hk_get(&g->pairs, g->count));
  pass(g);
  return HK_OK;
}

static hk_index root_of(grouping *g, hk_index i)
{
  while (g->root[i] != i) {
    g->root[i] = g->root[g->root[i]];
    i = g->root[i];
  }
  return i;
}

static void join(grouping *g, const pair *p)
{
  hk_index a = root_of(g, p->i), b = root_of(g, p->j);
  if (a == b || g->size[a] + g->size[b] > HK_PATCH_NODES) return;
  if (a > b) {
    const hk_index swap = a;
    a = b, b = swap;
  }
  g->root[b] = a, g->size[a] += g->size[b];
}

static hk_status join_round(grouping *g)
{
  bool *able = NULL;
  HK_PASS(hk_get(&able, STRETCH));
  for (hk_count first = 0; first < g->count; first += STRETCH) {
    const hk_count left = g->count - first, count = left < STRETCH ? left : STRETCH;
#pragma omp parallel for schedule(static)
    for (hk_count k = 0; k < count; k++) able[k] = can_join(g, &g->pairs[first + k]);
    for (hk_count k = 0; k < count; k++)
      if (able[k]) join(g, &g->pairs[first + k]);
  }
  hk_free(&able);
  return HK_OK;
}

static hk_status join_all(grouping *g)
{
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < g->space->padded; i++) g->root[i] = i, g->size[i] = 1;
  HK_PASS(hk_get(&g->begin, PARTS));
  for (g->from = 0; g->from < CLASSES; g->from = g->to) {
    HK_PASS(sort_pairs(g));
    HK_PASS(join_round(g));
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
  HK_TRY(join_all(&g));
  HK_TRY(fill(&g, count, list));
cleanup:
  hk_free(&g.near);
  hk_free(&g.root);
  hk_free(&g.size);
  hk_free(&g.begin);
  hk_free(&g.pairs);
  return status;
}
