/* Order of the hexahedra of a group for operator/patches/cubes.k.h: from neighbour to neighbour through faces they are turned alike, as if they
 * were cells of a lattice, and sorted by their places in it. Batches of TEAM threads follow each other; each team of a group takes a run of batches,
 * one in each pass, so that teams stay apart. An element is turned once more where another one of its pass would meet it at a corner; if they still
 * meet, it adds that corner in a later round. The order is that of the whole model also where a part keeps some of the elements. */
#include "base/sort.h"
#include "operator/patches/pack.h"
#include <math.h>
#include <string.h>

enum { CORNERS = 8, TURNS = 24, ROUNDS = 4, FAR = 1 << 12, BITS = 14, NO_ELEMENT = 65535 };

/* turn[t][corner]: the corner that comes to stand at `corner`, corners i + 2 j + 4 k, without reflections. */
static void find_turns(uint8_t turn[TURNS][CORNERS])
{
  static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  int n = 0;
  for (int p = 0; p < 6; p++)
    for (int s = 0; s < CORNERS; s++) {
      if ((p >= 3) ^ (s & 1) ^ (s >> 1 & 1) ^ (s >> 2)) continue;
      for (int c = 0; c < CORNERS; c++) {
        turn[n][c] = 0;
        for (int d = 0; d < 3; d++)
          turn[n][c] |= (uint8_t)(((c >> axes[p][d] & 1) ^ (s >> d & 1)) << d);
      }
      n++;
    }
}

static void turn_element(hk_group_element *element, const uint8_t *turn)
{
  hk_index node[CORNERS];
  for (int c = 0; c < CORNERS; c++) node[c] = element->node[turn[c]];
  memcpy(element->node, node, sizeof node);
}

static int corner_of(const hk_group_element *element, hk_index node)
{
  for (int c = 0; c < CORNERS; c++)
    if (element->node[c] == node) return c;
  return -1;
}

/* The other element of the group that has both ends of a diagonal of a face; -1: none. */
static hk_index across(const hk_group *g, hk_index e, hk_index a, hk_index b)
{
  for (hk_index k = g->first_corner[a]; k < g->first_corner[a + 1]; k++) {
    const hk_index other = g->corner[k] / CORNERS;
    if (other != e && corner_of(&g->element[other], b) >= 0) return other;
  }
  return -1;
}

/* Turns element `to` so that its face towards `from`, which is on `side` of axis d, fits; false: no turn does. */
static bool fit(const hk_group *g, const uint8_t turn[TURNS][CORNERS], hk_index from, hk_index to,
                int d, int side)
{
  const hk_index *node = g->element[from].node;
  for (int t = 0; t < TURNS; t++) {
    bool fits = true;
    for (int c = 0; c < CORNERS && fits; c++)
      if ((c >> d & 1) == side) fits = g->element[to].node[turn[t][c ^ 1 << d]] == node[c];
    if (!fits) continue;
    turn_element(&g->element[to], turn[t]);
    return true;
  }
  return false;
}

/* at[elements][3]: places in the lattice; those that no face joins to the first ones stand far behind. queue[elements]. */
static void walk(hk_group *g, const uint8_t turn[TURNS][CORNERS], int *at, hk_index *queue)
{
  int far = 0;
  for (hk_index e = 0; e < g->elements; e++) at[3 * e] = -1;
  for (hk_index start = 0; start < g->elements; start++) {
    hk_index head = 0, tail = 0;
    if (at[3 * start] >= 0) continue;
    at[3 * start] = at[3 * start + 1] = at[3 * start + 2] = far + FAR / 2;
    for (queue[tail++] = start; head < tail; head++) {
      const hk_index e = queue[head], *node = g->element[e].node;
      for (int face = 0; face < 6; face++) {
        const int d = face / 2, side = face % 2, low = side << d;
        const hk_index other = across(g, e, node[low], node[low | (7 ^ 1 << d)]);
        if (other < 0 || at[3 * other] >= 0 || !fit(g, turn, e, other, d, side)) continue;
        memcpy(at + 3 * other, at + 3 * e, 3 * sizeof *at);
        at[3 * other + d] += side ? 1 : -1;
        queue[tail++] = other;
      }
    }
    far += FAR;
  }
}

/* Sorts the elements by place, along the longest axis first: order[elements]. */
static hk_status sort_places(const hk_group *g, const int *at, uint64_t *key, hk_index *order)
{
  int low[3] = {1 << 30, 1 << 30, 1 << 30}, high[3] = {0, 0, 0}, axis[3] = {0, 1, 2};
  for (hk_index e = 0; e < g->elements; e++)
    for (int d = 0; d < 3; d++) {
      if (at[3 * e + d] < low[d]) low[d] = at[3 * e + d];
      if (at[3 * e + d] > high[d]) high[d] = at[3 * e + d];
    }
  for (int i = 1; i < 3; i++)
    for (int j = i; j > 0 && high[axis[j]] - low[axis[j]] > high[axis[j - 1]] - low[axis[j - 1]];
         j--) {
      const int swap = axis[j];
      axis[j] = axis[j - 1], axis[j - 1] = swap;
    }
  for (hk_index e = 0; e < g->elements; e++) {
    key[e] = 0, order[e] = e;
    for (int d = 0; d < 3; d++)
      key[e] = key[e] << 21 | (uint64_t)(uint32_t)(at[3 * e + axis[d]] - low[axis[d]]);
  }
  return hk_mesh_sort(g->elements, key, order);
}

/* Elements of one pass so far at each corner of a node, and the team of the last one. */
typedef struct meeting {
  uint8_t seen[CORNERS];
  int team;
} meeting;

/* The turn in which the element meets the fewest others; false: at some corner one too many. */
static bool join(hk_group_element *element, const uint8_t turn[TURNS][CORNERS], meeting *met)
{
  int best = 0, least = 1 << 30;
  for (int t = 0; t < TURNS && least; t++) {
    int sum = 0;
    for (int c = 0; c < CORNERS; c++) {
      const int seen = met[element->node[turn[t][c]]].seen[c];
      sum += seen * seen;
    }
    if (sum < least) least = sum, best = t;
  }
  turn_element(element, turn[best]);
  element->rounds = 0;
  for (int c = 0; c < CORNERS; c++) {
    const unsigned round = met[element->node[c]].seen[c]++;
    if (round >= ROUNDS) return false;
    element->rounds |= round << 2 * c;
  }
  return true;
}

/* Places of the sorted elements in passes. */
static bool share_out(hk_group *g, const uint8_t turn[TURNS][CORNERS], meeting *met)
{
  const hk_index threads = g->threads, width = g->width;
  const hk_index passes = (g->elements + threads - 1) / threads;
  for (hk_index pass = 0; pass < passes; pass++) {
    memset(met, 0, (size_t)(g->local->count + g->local->halos) * sizeof *met);
    for (hk_index k = 0; k < threads; k++) {
      const hk_index e = (k / width * passes + pass) * width + k % width;
      if (e >= g->elements) continue;
      g->element[e].place = pass * threads + k;
      if (!join(&g->element[e], turn, met)) return false;
    }
  }
  return true;
}

hk_status hk_group_cubes_order(hk_group *g, bool *served)
{
  uint8_t turn[TURNS][CORNERS];
  hk_status status = HK_OK;
  const hk_count n = g->elements, locals = (hk_count)g->local->count + g->local->halos;
  uint64_t *key = NULL;
  hk_index *order = NULL;
  int *at = NULL;
  hk_group_element *element = NULL;
  meeting *met = NULL;
  find_turns(turn);
  HK_TRY(hk_get(&key, n));
  HK_TRY(hk_get(&order, n));
  HK_TRY(hk_get(&at, 3 * n));
  HK_TRY(hk_memory_get((void **)&element, n, sizeof *element));
  HK_TRY(hk_memory_get((void **)&met, locals, sizeof *met));
  walk(g, turn, at, order);
  HK_TRY(sort_places(g, at, key, order));
  memcpy(element, g->element, (size_t)n * sizeof *element);
  for (hk_index e = 0; e < g->elements; e++) g->element[e] = element[order[e]];
  *served = share_out(g, turn, met);
cleanup:
  hk_free(&key);
  hk_free(&order);
  hk_free(&at);
  hk_memory_free((void **)&element);
  hk_memory_free((void **)&met);
  return status;
}

/* Where local nodes lie: in the order of corner 0 of the elements, then of corner 1, ..., those without an element behind. */
static void place_nodes(const hk_group *g, uint16_t *place)
{
  const hk_index locals = g->local->count + g->local->halos;
  hk_index next = 0;
  for (hk_index k = 0; k < locals; k++) place[k] = NO_ELEMENT;
  for (int c = 0; c < CORNERS; c++)
    for (hk_index e = 0; e < g->elements; e++) {
      uint16_t *to = &place[g->element[e].node[c]];
      if (*to == NO_ELEMENT) *to = (uint16_t)next++;
    }
  for (hk_index k = 0; k < locals; k++)
    if (place[k] == NO_ELEMENT) place[k] = (uint16_t)next++;
}

/* Passes that have elements: to[pass] their number without the others; returns how many. */
static hk_index number_passes(const hk_group *g, hk_index passes, hk_index *to)
{
  hk_index n = 0;
  memset(to, 0, (size_t)passes * sizeof *to);
  for (hk_index e = 0; e < g->elements; e++) to[g->element[e].place / g->threads] = 1;
  for (hk_index p = 0; p < passes; p++) n += to[p], to[p] = n - 1;
  return n;
}

/* rounds[pass]; 0 where devices have teams and no node has elements of two of them in the pass. team[locals] is scratch. */
static void count_rounds(const hk_group *g, const hk_index *to, hk_index passes, hk_index *rounds,
                         hk_index *team)
{
  const hk_index threads = g->threads, locals = g->local->count + g->local->halos;
  for (hk_index p = 0; p < passes; p++) rounds[p] = g->limits->teams ? 0 : 1;
  hk_index pass = -1;
  for (hk_index p = 0; p < passes; p++) {
    for (hk_index k = 0; k < locals; k++) team[k] = -1;
    for (hk_index e = 0; e < g->elements; e++) {
      const hk_group_element *element = &g->element[e];
      pass = to[element->place / threads];
      if (pass != p) continue;
      for (int c = 0; c < CORNERS; c++) {
        const hk_index round = (hk_index)(element->rounds >> 2 * c & 3),
                       own = element->place % threads / g->width;
        hk_index *last = &team[element->node[c]];
        const hk_index needed = round > 0 || (*last >= 0 && *last != own) ? round + 1 : 0;
        if (needed > rounds[p]) rounds[p] = needed;
        *last = own;
      }
    }
  }
}

static void write_elements(const hk_group *g, const uint16_t *place, const hk_index *to,
                           hk_index passes, uint16_t *list, uint16_t *laws)
{
  const hk_index threads = g->threads;
  for (hk_index k = 0; k < passes * threads * CORNERS; k++) list[k] = NO_ELEMENT;
  for (hk_index e = 0; e < g->elements; e++) {
    const hk_group_element *element = &g->element[e];
    const hk_index at = to[element->place / threads] * threads + element->place % threads;
    for (int c = 0; c < CORNERS; c++)
      list[at * CORNERS + c] =
          (uint16_t)(place[element->node[c]] | (element->rounds >> 2 * c & 3) << BITS);
    if (laws) laws[at] = (uint16_t)element->region;
  }
}

hk_status hk_group_cubes(hk_group *g, hk_index *line)
{
  const hk_index threads = g->threads, width = g->width;
  const hk_index locals = g->local->count + g->local->halos;
  hk_index most = 0, *rounds = NULL;
  uint16_t *row = NULL;
  bool general;
  for (hk_index e = 0; e < g->elements; e++)
    if (g->element[e].place / threads + 1 > most) most = g->element[e].place / threads + 1;
  HK_PASS(hk_reserve(&g->work, (hk_count)most + locals, &g->work_capacity));
  const hk_index passes = number_passes(g, most, g->work);
  line[HK_GROUP_LAW] = hk_group_law(g, &general);
  line[HK_GROUP_BATCHES] = passes;
  HK_PASS(hk_pile_slices(g->pile, passes, &rounds));
  count_rounds(g, g->work, passes, rounds, g->work + most);
  const hk_index nodes = (locals + width - 1) / width, cells = passes * (threads / width),
                 laws = line[HK_GROUP_LAW] < 0 ? cells : 0;
  line[HK_GROUP_ENTRIES] = nodes + cells * CORNERS + laws;
  HK_PASS(hk_pile_rows(g->pile, width, line[HK_GROUP_ENTRIES], &row));
  uint16_t *cell = row + (hk_count)nodes * width;
  place_nodes(g, row);
  write_elements(g, row, g->work, passes, cell,
                 laws ? cell + (hk_count)cells * width * CORNERS : NULL);
  return HK_OK;
}

/* Parallelepipeds up to the rounding of coordinates. */
bool hk_group_boxes(const hk_group *g)
{
  static const int pair[4][2] = {{1, 2}, {1, 4}, {2, 4}, {3, 4}}; /* corner a | b = a + b - 0 */
  for (hk_index e = 0; e < g->elements; e++) {
    const double *x[CORNERS];
    for (int c = 0; c < CORNERS; c++) {
      const hk_index node = g->space->mesh_node[hk_local_node(g->local, g->element[e].node[c])];
      x[c] = g->space->mesh->x + (hk_count)node * 3;
    }
    for (int d = 0; d < 3; d++) {
      double edge = 0, size = 0;
      for (int a = 1; a < CORNERS; a *= 2) edge = fmax(edge, fabs(x[a][d] - x[0][d]));
      for (int c = 0; c < CORNERS; c++) size = fmax(size, fabs(x[c][d]));
      for (int p = 0; p < 4; p++) {
        const int a = pair[p][0], b = pair[p][1];
        const double off = x[a | b][d] - x[a][d] - x[b][d] + x[0][d];
        if (!(fabs(off) <= 1e-15 * edge + 1e-15 * size)) return false;
      }
    }
  }
  return g->elements > 0;
}
