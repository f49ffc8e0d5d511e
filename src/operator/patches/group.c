/* The groups of the matrix-free form, one by one: the elements that touch a group's nodes, local numbers of all their nodes, coordinates
 * relative to the middle of the group's box, and for each node the corners that it sums. With parts, an element is in one group alone,
 * and nodes that groups share are numbered by rims.c. */
#include "operator/patches/pack.h"
#include "base/reals.h"
#include <math.h>
#include <string.h>

hk_status hk_pile_rows(hk_pile *pile, int width, hk_count units, uint16_t **row)
{
  const hk_count count = units * width;
  const hk_status status = hk_reserve(&pile->list, pile->entries + count, &pile->list_capacity);
  if (status != HK_OK) return status;
  *row = pile->list + pile->entries;
  memset(*row, 0, (size_t)count * sizeof **row);
  pile->entries += count;
  return HK_OK;
}

hk_status hk_pile_slices(hk_pile *pile, hk_count count, hk_index **slice)
{
  const hk_status status = hk_reserve(&pile->slice, pile->slices + count, &pile->slice_capacity);
  if (status != HK_OK) return status;
  *slice = pile->slice + pile->slices;
  pile->slices += count;
  return HK_OK;
}

int hk_group_law(const hk_group *g, bool *general)
{
  int law = -2;
  *general = false;
  for (hk_index e = 0; e < g->elements; e++)
    if (g->element[e].kind % 2)
      *general = true;
    else if (law == -2)
      law = g->element[e].region;
    else if (law != g->element[e].region)
      law = -1;
  return law == -2 ? 0 : law;
}

static hk_status add_element(hk_group *g, hk_index e)
{
  static const int cube[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  const hk_space *space = g->space;
  const hk_block *block = hk_mesh_block_of(space->mesh, e);
  const hk_index *node = block->node + (e - block->first) * block->nodes;
  const bool simplex = block->shape == HK_TRI3 || block->shape == HK_TET4;
  const int region = g->desc->element_region[e];
  HK_PASS(hk_reserve(&g->element, g->elements + 1, &g->element_capacity));
  hk_group_element *to = &g->element[g->elements++];
  to->corners = block->nodes, to->region = region;
  to->kind = (simplex ? 0 : 2) + !g->isotropic[region];
  for (int c = 0; c < to->corners; c++) {
    to->node[c] = space->node[node[simplex ? c : cube[c]]];
    HK_PASS(hk_local_add(g->local, to->node[c]));
  }
  return HK_OK;
}

/* Whether `node` is the first of the group's own nodes that the element touches; with parts, of all nodes. */
static bool is_first(const hk_group *g, hk_index e, hk_index node)
{
  const hk_space *space = g->space;
  const hk_block *block = hk_mesh_block_of(space->mesh, e);
  const hk_index *n = block->node + (e - block->first) * block->nodes;
  for (int c = 0; c < block->nodes; c++) {
    const hk_index other = space->node[n[c]];
    if (other < node && (g->limits->parts || other >= g->local->first)) return false;
  }
  return true;
}

/* Counts, or lists, the corners of an element at nodes of the patch. */
static void visit_corners(hk_group *g, hk_index e, hk_index count, bool list)
{
  hk_group_around *a = &g->around;
  const hk_block *block = hk_mesh_block_of(g->space->mesh, e);
  const hk_index *n = block->node + (e - block->first) * block->nodes;
  for (int c = 0; c < block->nodes; c++) {
    const hk_index own = g->space->node[n[c]] - a->first;
    if (own < 0 || own >= count) continue;
    if (list)
      a->element[a->begin[own + 1]++] = e;
    else
      a->begin[own + 2]++;
  }
}

hk_status hk_group_start(hk_group *g, hk_index first, hk_index count, const hk_index *element,
                         hk_count elements)
{
  hk_group_around *a = &g->around;
  a->first = first;
  HK_PASS(hk_reserve(&a->begin, count + 2, &a->begin_capacity));
  memset(a->begin, 0, (size_t)(count + 2) * sizeof *a->begin);
  for (hk_count k = 0; k < elements; k++) visit_corners(g, element[k], count, false);
  for (hk_index k = 0; k < count; k++) a->begin[k + 2] += a->begin[k + 1];
  HK_PASS(hk_reserve(&a->element, a->begin[count + 1], &a->element_capacity));
  for (hk_count k = 0; k < elements; k++) visit_corners(g, element[k], count, true);
  return HK_OK;
}

/* The elements that touch the nodes, once each, in local numbers. */
static hk_status find_elements(hk_group *g, hk_index first, hk_index count)
{
  const hk_space *space = g->space;
  hk_local_start(g->local, first, count);
  g->elements = 0;
  for (hk_index i = first; i < first + count; i++) {
    const hk_index own = i - g->around.first;
    for (hk_index k = g->around.begin[own]; k < g->around.begin[own + 1]; k++)
      if (is_first(g, g->around.element[k], i)) HK_PASS(add_element(g, g->around.element[k]));
  }
  HK_PASS(hk_local_finish(g->local, space->order));
  for (hk_index e = 0; e < g->elements; e++)
    for (int c = 0; c < g->element[e].corners; c++)
      g->element[e].node[c] = hk_local_find(g->local, g->element[e].node[c]);
  return HK_OK;
}

/* The number that a node has in the part that the group is made for, or here. */
static hk_index own_number(const hk_group *g, hk_index i)
{
  return g->space == g->desc->space ? i : g->desc->space->node[g->space->mesh_node[i]];
}

static bool is_own(const hk_group *g, hk_index i)
{
  const hk_index own = own_number(g, i);
  return own >= 0 && own < hk_space_rows(g->desc->space);
}

/* Of a patch that another part owns, a part computes only the elements that have a node of its own. They keep their order, and all their nodes are
 * the halo of the patch. */
static hk_status keep_read(hk_group *g)
{
  hk_index kept = 0;
  for (hk_index e = 0; e < g->elements; e++) {
    hk_group_element *to = &g->element[e];
    bool read = false;
    for (int c = 0; c < to->corners; c++) {
      to->node[c] = hk_local_node(g->local, to->node[c]);
      read = read || is_own(g, to->node[c]);
    }
    if (read) g->element[kept++] = *to;
  }
  g->elements = kept;
  hk_local_start(g->local, 0, 0);
  for (hk_index e = 0; e < kept; e++)
    for (int c = 0; c < g->element[e].corners; c++)
      HK_PASS(hk_local_add(g->local, g->element[e].node[c]));
  HK_PASS(hk_local_finish(g->local, NULL));
  for (hk_index e = 0; e < kept; e++)
    for (int c = 0; c < g->element[e].corners; c++)
      g->element[e].node[c] = hk_local_find(g->local, g->element[e].node[c]);
  return HK_OK;
}

hk_index hk_group_summed(const hk_group *g)
{
  return g->local->count + (g->limits->parts ? g->local->halos : 0);
}

/* Summed node -> corners of elements, by counting. */
static hk_status find_corners(hk_group *g)
{
  const hk_index count = hk_group_summed(g);
  HK_PASS(hk_reserve(&g->first_corner, count + 2, &g->first_corner_capacity));
  hk_index *begin = g->first_corner;
  memset(begin, 0, (size_t)(count + 2) * sizeof *begin);
  for (hk_index e = 0; e < g->elements; e++)
    for (int c = 0; c < g->element[e].corners; c++)
      if (g->element[e].node[c] < count) begin[g->element[e].node[c] + 2]++;
  for (hk_index k = 0; k < count; k++) begin[k + 2] += begin[k + 1];
  HK_PASS(hk_reserve(&g->corner, begin[count + 1], &g->corner_capacity));
  for (hk_index e = 0; e < g->elements; e++)
    for (int c = 0; c < g->element[e].corners; c++)
      if (g->element[e].node[c] < count) g->corner[begin[g->element[e].node[c] + 1]++] = 8 * e + c;
  return HK_OK;
}

/* Whether all elements of an own node are the group's. */
static bool is_inside(const hk_group *g, hk_index i)
{
  const hk_space *space = g->space;
  const hk_index own = i - g->around.first;
  for (hk_index k = g->around.begin[own]; k < g->around.begin[own + 1]; k++) {
    const hk_index e = g->around.element[k];
    const hk_block *block = hk_mesh_block_of(space->mesh, e);
    const hk_index *n = block->node + (e - block->first) * block->nodes;
    for (int c = 0; c < block->nodes; c++)
      if (space->node[n[c]] < g->local->first) return false;
  }
  return true;
}

/* target[local node], the places in `partial` still as the nodes that they are of. */
static hk_status write_targets(hk_group *g)
{
  const hk_local *local = g->local;
  hk_pile *pile = g->pile;
  const hk_count first = pile->places / g->desc->space->dim;
  const hk_status status =
      hk_reserve(&pile->target, first + local->count + local->halos, &pile->target_capacity);
  if (status != HK_OK) return status;
  for (hk_index k = 0; k < local->count + local->halos; k++) {
    const hk_index i = k < local->count ? local->first + k : local->halo[k - local->count];
    const bool any = g->first_corner[k + 1] > g->first_corner[k] && is_own(g, i);
    pile->target[first + k] = k < local->count && is_inside(g, i) ? HK_TARGET_OWN
                              : any                               ? own_number(g, i)
                                                                  : HK_TARGET_NONE;
  }
  return HK_OK;
}

/* Nodes of a group of hexahedra that cubes.k.h does not serve, though the patches are made for it: more of them are halved if that is possible. */
enum { OTHERS_LOCAL = 448 };

static bool only_cubes(const hk_group *g)
{
  for (hk_index e = 0; e < g->elements; e++)
    if (g->element[e].kind != HK_KIND_CUBE) return false;
  return g->space->dim == 3;
}

/* The kernel of the group, whose elements are those of the whole. */
static hk_status find_kind(hk_group *g, hk_group_kind *kind)
{
  bool general, served = false;
  *kind = HK_GROUP_PATCH;
  if (g->limits->threads && only_cubes(g) &&
      g->local->count + g->local->halos <= g->limits->local[HK_GROUP_CUBES]) {
    const bool boxes = hk_group_boxes(g);
    g->threads = boxes ? g->limits->box_threads : g->limits->threads;
    HK_PASS(find_corners(g));
    HK_PASS(hk_group_cubes_order(g, &served));
    if (served) *kind = boxes ? HK_GROUP_BOXES : HK_GROUP_CUBES;
    return HK_OK;
  }
  if (g->space->dim != 2 || g->limits->parts) return HK_OK;
  for (hk_index e = 0; e < g->elements; e++)
    if (g->element[e].corners != 3) return HK_OK;
  *kind = hk_group_law(g, &general) >= 0 && !general ? HK_GROUP_RING : HK_GROUP_RING_LAWS;
  return HK_OK;
}

/* Of the coordinates of a local node; NULL: padding. */
static const double *place_of(const hk_group *g, hk_index k)
{
  const hk_index node = g->space->mesh_node[hk_local_node(g->local, k)];
  return node < 0 ? NULL : g->space->mesh->x + (hk_count)node * g->space->dim;
}

static void find_middle(hk_group *g)
{
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (hk_index k = 0; k < g->local->count + g->local->halos; k++) {
    const double *x = place_of(g, k);
    for (int c = 0; c < g->space->dim && x; c++)
      low[c] = fmin(low[c], x[c]), high[c] = fmax(high[c], x[c]);
  }
  for (int c = 0; c < g->space->dim; c++) g->middle[c] = (low[c] + high[c]) / 2;
}

/* Coordinates of local nodes relative to the middle, from number `first` of the pile on. */
static void write_places(const hk_group *g, void *place, hk_count first)
{
  const int dim = g->space->dim;
  for (hk_index k = 0; k < g->local->count + g->local->halos; k++) {
    const double *x = place_of(g, k);
    for (int c = 0; c < dim; c++)
      hk_put_real(place, g->desc->double_precision, first + (hk_count)k * dim + c,
                  x ? x[c] - g->middle[c] : 0);
  }
}

static hk_status write_nodes(hk_group *g, hk_index *line)
{
  const hk_local *local = g->local;
  hk_pile *pile = g->pile;
  const hk_count places = (hk_count)(local->count + local->halos) * g->desc->space->dim;
  line[HK_GROUP_FIRST] = g->at < 0 ? 0 : g->at + local->first % g->space->patch;
  line[HK_GROUP_SLICES] = local->count / g->width;
  line[HK_GROUP_HALO] = (hk_index)pile->halos, line[HK_GROUP_HALOS] = local->halos;
  line[HK_GROUP_PLACE] = (hk_index)(pile->places / g->desc->space->dim);
  line[HK_GROUP_SLICE] = (hk_index)pile->slices;
  line[HK_GROUP_LIST] = (hk_index)(pile->entries / g->width);
  HK_PASS(hk_reserve(&pile->halo, pile->halos + local->halos, &pile->halo_capacity));
  for (hk_index k = 0; k < local->halos; k++)
    pile->halo[pile->halos + k] = own_number(g, local->halo[k]);
  pile->halos += local->halos;
  HK_PASS(hk_memory_reserve(&pile->place, pile->places + places, &pile->place_capacity,
                            g->desc->double_precision ? sizeof(double) : sizeof(float)));
  write_places(g, pile->place, pile->places);
  pile->places += places;
  return HK_OK;
}

/* Slices of padding alone at the end of a patch are left out. */
static hk_index without_padding(const hk_group *g, hk_index first, hk_index count)
{
  hk_index used = count;
  while (used > g->width && g->space->mesh_node[first + used - 1] < 0) used--;
  return (used + g->width - 1) / g->width * g->width;
}

hk_status hk_groups_make(hk_group *g, hk_pile *pile, hk_index first, hk_index count)
{
  count = without_padding(g, first, count);
  HK_PASS(find_elements(g, first, count));
  hk_group_kind kind;
  HK_PASS(find_kind(g, &kind));
  const hk_count local = (hk_count)g->local->count + g->local->halos;
  const hk_index half = count / g->width / 2 * g->width;
  const bool patch = kind == HK_GROUP_PATCH;
  if (local > g->limits->local[kind] || (patch && hk_group_slots(g) > g->limits->slots) ||
      (patch && half && g->limits->threads && local > OTHERS_LOCAL)) {
    HK_NEED(half > 0, HK_NO_RESOURCES,
            "the elements around %d nodes have %lld nodes, too many for the method matrix-free: "
            "give another method",
            (int)count, (long long)local);
    HK_PASS(hk_groups_make(g, pile, first, half));
    HK_PASS(hk_groups_make(g, pile, first + half, count - half));
    return HK_OK;
  }
  find_middle(g);
  if (g->at < 0) HK_PASS(keep_read(g));
  if (g->at < 0 && !g->elements) return HK_OK;
  HK_PASS(find_corners(g));
  g->pile = &pile[kind];
  hk_index line[HK_GROUP_WORDS] = {0};
  if (g->limits->parts) HK_PASS(write_targets(g));
  HK_PASS(write_nodes(g, line));
  HK_PASS(kind > HK_GROUP_PATCH    ? hk_group_cubes(g, line)
          : kind == HK_GROUP_PATCH ? hk_group_patch(g, line)
                                   : hk_group_ring(g, kind == HK_GROUP_RING_LAWS, line));
  HK_PASS(hk_reserve(&g->pile->group, (g->pile->groups + 1) * HK_GROUP_WORDS,
                     &g->pile->group_capacity));
  memcpy(g->pile->group + g->pile->groups++ * HK_GROUP_WORDS, line, sizeof line);
  return HK_OK;
}
