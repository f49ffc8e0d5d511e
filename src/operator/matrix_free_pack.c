#include "operator/matrix_free_pack.h"
#include "operator/staged.h"
#include <math.h>
#include <string.h>

typedef struct packing {
  const hk_operator_desc *desc;
  const hk_group_limits *limits;
  int width, dim, law_size, regions, threads;
  size_t real;
  bool *isotropic;
  hk_index *begin, *touched;
  hk_pile (*pile)[HK_GROUP_KINDS]; /* pile[patch] */
} packing;

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

static void clear_pile(hk_pile *pile)
{
  hk_free(&pile->group);
  hk_free(&pile->slice);
  hk_free(&pile->halo);
  hk_free(&pile->list);
  hk_free(&pile->place);
}

/* ---- one group ---- */

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
  hk_status status = HK_OK;
  const hk_space *space = g->desc->space;
  const hk_block *block = hk_mesh_block_of(space->mesh, e);
  const hk_index *node = block->node + (e - block->first) * block->nodes;
  const bool simplex = block->shape == HK_TRI3 || block->shape == HK_TET4;
  const int region = g->desc->element_region[e];
  HK_TRY(hk_reserve(&g->element, g->elements + 1, &g->element_capacity));
  hk_group_element *to = &g->element[g->elements++];
  to->corners = block->nodes, to->region = region;
  to->kind = (simplex ? 0 : 2) + !g->isotropic[region];
  for (int c = 0; c < to->corners; c++) {
    to->node[c] = space->node[node[simplex ? c : cube[c]]];
    HK_TRY(hk_local_add(g->local, to->node[c]));
  }
cleanup:
  return status;
}

/* Whether `node` is the first of the group's own nodes that the element touches. */
static bool is_first(const hk_group *g, hk_index e, hk_index node)
{
  const hk_space *space = g->desc->space;
  const hk_block *block = hk_mesh_block_of(space->mesh, e);
  const hk_index *n = block->node + (e - block->first) * block->nodes;
  for (int c = 0; c < block->nodes; c++) {
    const hk_index other = space->node[n[c]];
    if (other < node && other >= g->local->first) return false;
  }
  return true;
}

/* The elements that touch the nodes, once each, in local numbers. */
static hk_status find_elements(hk_group *g, hk_index first, hk_index count)
{
  hk_status status = HK_OK;
  const hk_space *space = g->desc->space;
  hk_local_start(g->local, first, count);
  g->elements = 0;
  for (hk_index i = first; i < first + count && i < space->nodes; i++) {
    const hk_index node = space->mesh_node[i];
    for (hk_index k = g->begin[node]; k < g->begin[node + 1]; k++)
      if (is_first(g, g->touched[k], i)) HK_TRY(add_element(g, g->touched[k]));
  }
  hk_local_finish(g->local);
  for (hk_index e = 0; e < g->elements; e++)
    for (int c = 0; c < g->element[e].corners; c++)
      g->element[e].node[c] = hk_local_find(g->local, g->element[e].node[c]);
cleanup:
  return status;
}

/* Own node -> corners of elements, by counting. */
static hk_status find_corners(hk_group *g)
{
  hk_status status = HK_OK;
  const hk_index count = g->local->count;
  hk_index *begin = g->first_corner;
  memset(begin, 0, (size_t)(count + 2) * sizeof *begin);
  for (hk_index e = 0; e < g->elements; e++)
    for (int c = 0; c < g->element[e].corners; c++)
      if (g->element[e].node[c] < count) begin[g->element[e].node[c] + 2]++;
  for (hk_index k = 0; k < count; k++) begin[k + 2] += begin[k + 1];
  HK_TRY(hk_reserve(&g->corner, begin[count + 1], &g->corner_capacity));
  for (hk_index e = 0; e < g->elements; e++)
    for (int c = 0; c < g->element[e].corners; c++)
      if (g->element[e].node[c] < count) g->corner[begin[g->element[e].node[c] + 1]++] = 8 * e + c;
cleanup:
  return status;
}

static hk_group_kind kind_of(const hk_group *g)
{
  bool general;
  if (g->desc->space->dim != 2) return HK_GROUP_PATCH;
  for (hk_index e = 0; e < g->elements; e++)
    if (g->element[e].corners != 3) return HK_GROUP_PATCH;
  return hk_group_law(g, &general) >= 0 && !general ? HK_GROUP_RING : HK_GROUP_RING_LAWS;
}

/* Coordinates of local nodes relative to the middle of their box. */
static void write_places(const hk_group *g, double *place)
{
  const hk_space *space = g->desc->space;
  const hk_local *local = g->local;
  const int dim = space->dim;
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int pass = 0; pass < 2; pass++)
    for (hk_index k = 0; k < local->count + local->halos; k++) {
      const hk_index i = k < local->count ? local->first + k : local->halo[k - local->count];
      if (space->mesh_node[i] < 0) continue;
      const double *x = space->mesh->x + (hk_count)space->mesh_node[i] * dim;
      for (int c = 0; c < dim; c++)
        if (pass == 0)
          low[c] = fmin(low[c], x[c]), high[c] = fmax(high[c], x[c]);
        else
          place[(hk_count)k * dim + c] = x[c] - (low[c] + high[c]) / 2;
    }
}

static hk_status write_nodes(hk_group *g, hk_index *line)
{
  hk_status status = HK_OK;
  const hk_local *local = g->local;
  hk_pile *pile = g->pile;
  const hk_count places = (hk_count)(local->count + local->halos) * g->desc->space->dim;
  line[HK_GROUP_FIRST] = local->first, line[HK_GROUP_SLICES] = local->count / g->width;
  line[HK_GROUP_HALO] = (hk_index)pile->halos, line[HK_GROUP_HALOS] = local->halos;
  line[HK_GROUP_PLACE] = (hk_index)(pile->places / g->desc->space->dim);
  line[HK_GROUP_SLICE] = (hk_index)pile->slices;
  line[HK_GROUP_LIST] = (hk_index)(pile->entries / g->width);
  HK_TRY(hk_reserve(&pile->halo, pile->halos + local->halos, &pile->halo_capacity));
  if (local->halos)
    memcpy(pile->halo + pile->halos, local->halo, (size_t)local->halos * sizeof *local->halo);
  pile->halos += local->halos;
  HK_TRY(hk_reserve(&pile->place, pile->places + places, &pile->place_capacity));
  memset(pile->place + pile->places, 0, (size_t)places * sizeof *pile->place);
  write_places(g, pile->place + pile->places);
  pile->places += places;
cleanup:
  return status;
}

/* Nodes [first, first + count) as one group, or as two halves when it is too large. */
static hk_status make_groups(hk_group *g, hk_pile *pile, hk_index first, hk_index count)
{
  hk_status status = HK_OK;
  HK_TRY(find_elements(g, first, count));
  const hk_group_kind kind = kind_of(g);
  const hk_count local = (hk_count)g->local->count + g->local->halos;
  if (local > g->limits->local[kind] ||
      (kind == HK_GROUP_PATCH && hk_group_slots(g) > g->limits->slots)) {
    const hk_index half = count / g->width / 2 * g->width;
    HK_CHECK(half > 0, HK_NO_RESOURCES,
             "the elements around %d nodes have %lld nodes: too many for the matrix-free form; "
             "give another method",
             (int)count, (long long)local);
    HK_TRY(make_groups(g, pile, first, half));
    HK_TRY(make_groups(g, pile, first + half, count - half));
    return HK_OK;
  }
  HK_TRY(find_corners(g));
  g->pile = &pile[kind];
  hk_index line[HK_GROUP_WORDS] = {0};
  HK_TRY(write_nodes(g, line));
  HK_TRY(kind == HK_GROUP_PATCH ? hk_group_patch(g, line)
                                : hk_group_ring(g, kind == HK_GROUP_RING_LAWS, line));
  HK_TRY(hk_reserve(&g->pile->group, (g->pile->groups + 1) * HK_GROUP_WORDS,
                    &g->pile->group_capacity));
  memcpy(g->pile->group + g->pile->groups++ * HK_GROUP_WORDS, line, sizeof line);
cleanup:
  return status;
}

static void clear_group(hk_group *g)
{
  hk_local_destroy(&g->local);
  hk_free(&g->element);
  hk_free(&g->first_corner);
  hk_free(&g->corner);
  hk_free(&g->work);
  hk_free(&g->used);
}

static hk_status open_group(const packing *k, hk_group *g)
{
  hk_status status = HK_OK;
  *g = (hk_group){.desc = k->desc,
                  .limits = k->limits,
                  .isotropic = k->isotropic,
                  .begin = k->begin,
                  .touched = k->touched,
                  .width = k->width};
  HK_TRY(hk_local_create(&g->local));
  HK_TRY(hk_get(&g->first_corner, k->desc->space->patch + 2));
cleanup:
  return status;
}

static hk_status make_piles(const packing *k)
{
  hk_failure failure = {0};
  const hk_space *space = k->desc->space;
#pragma omp parallel num_threads(k->threads)
  {
    hk_group group;
    hk_status status = open_group(k, &group);
#pragma omp for schedule(dynamic, 8)
    for (hk_index p = 0; p < space->patches; p++)
      if (status == HK_OK) status = make_groups(&group, k->pile[p], p * space->patch, space->patch);
    clear_group(&group);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

/* ---- all groups ---- */

/* Where a pile comes to stand among all. */
typedef struct offsets {
  hk_count groups, slices, halos, entries, places;
} offsets;

static void advance(offsets *o, const hk_pile *pile)
{
  o->groups += pile->groups, o->slices += pile->slices, o->halos += pile->halos;
  o->entries += pile->entries, o->places += pile->places;
}

static void copy_pile(const packing *k, const hk_pile *pile, const offsets *at,
                      const hk_staged *staged)
{
  hk_index *group = staged[HK_GROUPS_GROUP].place;
  for (hk_count n = 0; n < pile->groups; n++) {
    hk_index *line = group + (at->groups + n) * HK_GROUP_WORDS;
    memcpy(line, pile->group + n * HK_GROUP_WORDS, HK_GROUP_WORDS * sizeof *line);
    line[HK_GROUP_HALO] += (hk_index)at->halos, line[HK_GROUP_SLICE] += (hk_index)at->slices;
    line[HK_GROUP_PLACE] += (hk_index)(at->places / k->dim);
    line[HK_GROUP_LIST] += (hk_index)(at->entries / k->width);
  }
  memcpy((hk_index *)staged[HK_GROUPS_SLICE].place + at->slices, pile->slice,
         (size_t)pile->slices * sizeof *pile->slice);
  if (pile->halos)
    memcpy((hk_index *)staged[HK_GROUPS_HALO].place + at->halos, pile->halo,
           (size_t)pile->halos * sizeof *pile->halo);
  memcpy((uint16_t *)staged[HK_GROUPS_LIST].place + at->entries, pile->list,
         (size_t)pile->entries * sizeof *pile->list);
  for (hk_count n = 0; n < pile->places; n++)
    if (k->real == sizeof(double))
      ((double *)staged[HK_GROUPS_PLACE].place)[at->places + n] = pile->place[n];
    else
      ((float *)staged[HK_GROUPS_PLACE].place)[at->places + n] = (float)pile->place[n];
}

/* Piles of a kind after those of the last kind, patches in order; frees them. */
static void copy_piles(const packing *k, const hk_staged *staged)
{
  const hk_index patches = k->desc->space->patches;
  offsets at = {0};
  for (int kind = 0; kind < HK_GROUP_KINDS; kind++)
    for (hk_index p = 0; p < patches; p++) {
      hk_pile *pile = &k->pile[p][kind];
      if (pile->groups == 0) continue;
      copy_pile(k, pile, &at, staged);
      advance(&at, pile);
      clear_pile(pile);
    }
}

/* law[region]: lambda, mu, the stiffness' upper triangle; times the thickness. */
static void write_laws(const packing *k, void *law)
{
  const int strains = 3 * k->dim - 3;
  for (int r = 0; r < k->regions; r++) {
    const hk_region *region = &k->desc->region[r];
    double d[36], value[24] = {0};
    int n = 2;
    hk_region_stiffness(region, k->dim, d);
    if (hk_region_lame(region, k->dim, &value[0], &value[1]) && k->dim == 2)
      value[0] *= region->thickness, value[1] *= region->thickness;
    for (int i = 0; i < strains; i++)
      for (int j = i; j < strains; j++) value[n++] = d[i * strains + j];
    for (int m = 0; m < k->law_size; m++)
      if (k->real == sizeof(double))
        ((double *)law)[r * k->law_size + m] = value[m];
      else
        ((float *)law)[r * k->law_size + m] = (float)value[m];
  }
}

static hk_status join_piles(const packing *k, hk_buffer **buffer, hk_count *groups)
{
  hk_status status = HK_OK;
  hk_staged staged[HK_GROUPS_BUFFERS] = {0};
  offsets sum = {0};
  hk_index narrow;
  for (int kind = 0; kind < HK_GROUP_KINDS; kind++) {
    const hk_count before = sum.groups;
    for (hk_index p = 0; p < k->desc->space->patches; p++) advance(&sum, &k->pile[p][kind]);
    groups[kind] = sum.groups - before;
  }
  HK_TRY(hk_narrow(sum.places, "coordinates of patches", &narrow));
  HK_TRY(hk_narrow(sum.entries / k->width, "list entries per lane", &narrow));
  const hk_count index = (hk_count)sizeof(hk_index), real = (hk_count)k->real;
  const hk_count bytes[HK_GROUPS_BUFFERS] = {[HK_GROUPS_GROUP] =
                                                 sum.groups * HK_GROUP_WORDS * index,
                                             [HK_GROUPS_SLICE] = sum.slices * index,
                                             [HK_GROUPS_HALO] = sum.halos * index,
                                             [HK_GROUPS_LIST] = sum.entries * 2,
                                             [HK_GROUPS_PLACE] = sum.places * real,
                                             [HK_GROUPS_LAW] = k->regions * k->law_size * real};
  for (int m = 0; m < HK_GROUPS_BUFFERS; m++)
    HK_TRY(hk_staged_open(k->desc->device, bytes[m], &buffer[m], &staged[m]));
  copy_piles(k, staged);
  write_laws(k, staged[HK_GROUPS_LAW].place);
  for (int m = 0; m < HK_GROUPS_BUFFERS; m++) HK_TRY(hk_staged_send(&staged[m]));
cleanup:
  for (int m = 0; m < HK_GROUPS_BUFFERS; m++) hk_staged_close(&staged[m]);
  return status;
}

static hk_status find_laws(packing *k)
{
  hk_status status = HK_OK;
  double lambda, mu;
  for (hk_count e = 0; e < k->desc->space->mesh->element_count; e++)
    if (k->desc->element_region[e] >= k->regions) k->regions = k->desc->element_region[e] + 1;
  HK_TRY(hk_get(&k->isotropic, k->regions));
  for (int r = 0; r < k->regions; r++)
    k->isotropic[r] = hk_region_lame(&k->desc->region[r], k->dim, &lambda, &mu);
cleanup:
  return status;
}

static void close_packing(packing *k)
{
  for (hk_index p = 0; k->pile && p < k->desc->space->patches; p++)
    for (int kind = 0; kind < HK_GROUP_KINDS; kind++) clear_pile(&k->pile[p][kind]);
  hk_memory_free((void **)&k->pile);
  hk_free(&k->isotropic);
  hk_free(&k->begin);
  hk_free(&k->touched);
}

hk_status hk_groups_pack(const hk_operator_desc *desc, const hk_group_limits *limits,
                         hk_buffer **buffer, hk_count *groups)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(desc->device);
  const int dim = desc->space->dim;
  packing k = {.desc = desc,
               .limits = limits,
               .width = info->width,
               .dim = dim,
               .law_size = dim == 3 ? 24 : 8,
               .threads = info->threads,
               .real = desc->double_precision ? sizeof(double) : sizeof(float)};
  HK_TRY(find_laws(&k));
  HK_TRY(hk_mesh_node_elements(desc->space->mesh, &k.begin, &k.touched));
  HK_TRY(hk_memory_get((void **)&k.pile, desc->space->patches, sizeof *k.pile));
  HK_TRY(make_piles(&k));
  HK_TRY(join_piles(&k, buffer, groups));
cleanup:
  close_packing(&k);
  return status;
}
