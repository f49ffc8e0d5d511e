/* All lists of the matrix-free form: groups are made in parallel (group.c, ring.c, patch.c), each thread into piles of its own, then joined
 * patch by patch. Writes the laws of the regions (lambda, mu, upper triangle of D; or conductivities), finds the largest group,
 * for which local memory is laid out; rims.c numbers the parts of nodes that groups share. */
#include "operator/patches/rims.h"
#include "base/reals.h"
#include "operator/element/lumped.h"
#include "operator/rows/touched.h"
#include "operator/staged.h"
#include "physics/law.h"
#include <string.h>

typedef struct packing {
  const hk_operator_desc *desc;
  const hk_group_limits *limits;
  int width, dim, law_size, regions, threads;
  size_t real;
  bool *isotropic;
  hk_touched touched;              /* of the patches of space_of */
  hk_index patches, *patch, *at;   /* hk_group.at of each, and its number in the groups' space */
  hk_pile (*pile)[HK_GROUP_KINDS]; /* pile[patches] */
  bool (*early)[HK_GROUP_KINDS];   /* early[patches]: the pile's groups come before others */
} packing;

static void clear_pile(hk_pile *pile)
{
  hk_free(&pile->group);
  hk_free(&pile->slice);
  hk_free(&pile->halo);
  hk_free(&pile->list);
  hk_memory_free(&pile->place);
  hk_free(&pile->target);
}

static void clear_group(hk_group *g)
{
  hk_local_destroy(&g->local);
  hk_free(&g->element);
  hk_free(&g->first_corner);
  hk_free(&g->corner);
  hk_free(&g->work);
  hk_free(&g->used);
  hk_free(&g->around.begin);
  hk_free(&g->around.element);
}

/* Elements of a group with parts are those of the whole's numbering. */
static const hk_space *space_of(const packing *k)
{
  const hk_space *whole = k->desc->space->whole;
  return k->limits->parts && whole ? whole : k->desc->space;
}

/* Own patches; in a part of a model with parts also those that ghosts are of, in the order of the whole. */
static hk_status list_patches(packing *k)
{
  enum { AWAY = -1, ABSENT = -2 };
  const hk_space *space = k->desc->space, *all = space_of(k);
  const bool part = all != space;
  HK_PASS(hk_get(&k->patch, all->patches));
  HK_PASS(hk_get(&k->at, all->patches));
  for (hk_index p = 0; p < all->patches; p++) k->at[p] = part ? ABSENT : p * space->patch;
  for (hk_index i = hk_space_rows(space); i < space->padded && part; i++)
    if (space->mesh_node[i] >= 0) k->at[space->order[i] / space->patch] = AWAY;
  for (hk_index p = 0; p < space->patches && part; p++)
    k->at[space->order[p * space->patch] / space->patch] = p * space->patch;
  for (hk_index p = 0; p < all->patches; p++)
    if (k->at[p] != ABSENT) k->at[k->patches] = k->at[p], k->patch[k->patches++] = p;
  return HK_OK;
}

static hk_status open_group(const packing *k, hk_group *g)
{
  *g = (hk_group){.desc = k->desc,
                  .space = space_of(k),
                  .limits = k->limits,
                  .isotropic = k->isotropic,
                  .width = k->width};
  return hk_local_create(&g->local);
}

static hk_status make_pile(const packing *k, hk_group *group, hk_index p)
{
  const hk_index size = k->desc->space->patch, patch = k->patch[p];
  const hk_count begin = k->touched.begin[patch];
  group->at = k->at[p];
  HK_PASS(hk_group_start(group, patch * size, size, k->touched.element + begin,
                         k->touched.begin[patch + 1] - begin));
  return hk_groups_make(group, k->pile[p], patch * size, size);
}

static hk_status make_piles(const packing *k)
{
  hk_failure failure = {0};
#pragma omp parallel num_threads(k->threads)
  {
    hk_group group;
    hk_status status = open_group(k, &group);
#pragma omp for schedule(dynamic, 8)
    for (hk_index p = 0; p < k->patches; p++)
      if (status == HK_OK) status = make_pile(k, &group, p);
    clear_group(&group);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

/* Whether groups act on nodes of the boundary, which they share with others: targets are own numbers still. */
static bool acts_on_boundary(const packing *k, const hk_pile *pile)
{
  const hk_space *space = k->desc->space;
  const hk_index end = space->boundary * space->patch;
  for (hk_count n = 0; n < pile->places / k->dim; n++)
    if (pile->target[n] >= 0 && pile->target[n] < end) return true;
  return false;
}

/* Groups that own nodes of the boundary, or act on such. */
static hk_status find_early(packing *k)
{
  const hk_index end = k->desc->space->boundary * k->desc->space->patch;
  HK_PASS(hk_memory_get((void **)&k->early, k->patches, sizeof *k->early));
#pragma omp parallel for schedule(static) num_threads(k->threads)
  for (hk_index p = 0; p < k->patches; p++)
    for (int kind = 0; kind < HK_GROUP_KINDS; kind++)
      k->early[p][kind] =
          k->at[p] < end || (k->limits->parts && end && acts_on_boundary(k, &k->pile[p][kind]));
  return HK_OK;
}

/* Where a pile comes to stand among all. */
typedef struct offsets {
  hk_count groups, slices, halos, entries, places;
} offsets;

static void advance(offsets *o, const hk_pile *pile)
{
  o->groups += pile->groups, o->slices += pile->slices, o->halos += pile->halos;
  o->entries += pile->entries, o->places += pile->places;
}

static void copy_lines(const packing *k, const hk_pile *pile, const offsets *at, hk_index *to)
{
  for (hk_count n = 0; n < pile->groups; n++) {
    hk_index *line = to + (at->groups + n) * HK_GROUP_WORDS;
    memcpy(line, pile->group + n * HK_GROUP_WORDS, HK_GROUP_WORDS * sizeof *line);
    line[HK_GROUP_HALO] += (hk_index)at->halos, line[HK_GROUP_SLICE] += (hk_index)at->slices;
    line[HK_GROUP_PLACE] += (hk_index)(at->places / k->dim);
    line[HK_GROUP_LIST] += (hk_index)(at->entries / k->width);
  }
}

static void copy_numbers(const void *from, hk_count first, hk_count count, size_t size, void *to)
{
  if (count) memcpy((char *)to + (size_t)first * size, from, (size_t)count * size);
}

/* Of list m what the pile has, which it frees. */
static void copy_pile(const packing *k, int m, hk_pile *pile, const offsets *at, void *to)
{
  const size_t index = sizeof(hk_index);
  switch (m) {
  case HK_GROUPS_GROUP:
    copy_lines(k, pile, at, to);
    hk_free(&pile->group);
    return;
  case HK_GROUPS_SLICE:
    copy_numbers(pile->slice, at->slices, pile->slices, index, to);
    hk_free(&pile->slice);
    return;
  case HK_GROUPS_HALO:
    copy_numbers(pile->halo, at->halos, pile->halos, index, to);
    hk_free(&pile->halo);
    return;
  case HK_GROUPS_LIST:
    copy_numbers(pile->list, at->entries, pile->entries, sizeof *pile->list, to);
    hk_free(&pile->list);
    return;
  case HK_GROUPS_PLACE:
    copy_numbers(pile->place, at->places, pile->places, k->real, to);
    hk_memory_free(&pile->place);
    return;
  case HK_GROUPS_TARGET:
    copy_numbers(pile->target, at->places / k->dim, pile->places / k->dim, index, to);
    hk_free(&pile->target);
    return;
  default: return;
  }
}

/* Where each pile comes to stand: those of a kind after those of the last kind, early ones first, patches in order. */
static hk_status find_offsets(const packing *k, offsets **out)
{
  offsets sum = {0};
  HK_PASS(hk_get(out, (hk_count)HK_GROUP_KINDS * k->patches));
  for (int kind = 0; kind < HK_GROUP_KINDS; kind++)
    for (int late = 0; late < 2; late++)
      for (hk_index p = 0; p < k->patches; p++) {
        if (k->early[p][kind] == late) continue;
        (*out)[(hk_count)kind * k->patches + p] = sum;
        advance(&sum, &k->pile[p][kind]);
      }
  return HK_OK;
}

/* turn[groups]: the groups in the order of the whole, in which nodes sum their parts. Piles have numbers of groups still. */
static void list_turns(const packing *k, const offsets *at, hk_index *turn)
{
  const hk_count piles = (hk_count)HK_GROUP_KINDS * k->patches;
  hk_index next = 0;
  for (hk_count i = 0; i < piles; i++)
    for (hk_count n = 0; n < k->pile[i % k->patches][i / k->patches].groups; n++)
      turn[next++] = (hk_index)(at[i].groups + n);
}

/* A list at a time, so that the host holds what waits for the device in place of what the piles have freed. */
static void copy_piles(const packing *k, int m, const offsets *at, void *to)
{
  const hk_count piles = (hk_count)HK_GROUP_KINDS * k->patches;
#pragma omp parallel for schedule(dynamic, 16) num_threads(k->threads)
  for (hk_count i = 0; i < piles; i++) {
    hk_pile *pile = &k->pile[i % k->patches][i / k->patches];
    if (pile->groups) copy_pile(k, m, pile, &at[i], to);
  }
  hk_memory_trim();
}

static bool conducts(const packing *k)
{
  return !hk_space_solid(k->desc->space);
}

/* law[region]: the isotropic parameters, if the region is isotropic, then the anisotropic ones. */
static void write_laws(const packing *k, void *law)
{
  enum { ANY = 2, MOST = 24 };
  const hk_law *one = conducts(k) ? &hk_law_conduction : &hk_law_isotropic,
               *any = conducts(k) ? &hk_law_tensor_conduction : &hk_law_anisotropic;
  for (int r = 0; r < k->regions; r++) {
    const hk_region *region = &k->desc->region[r];
    double value[MOST] = {0};
    if (one->serves(region, k->dim)) one->pack(region, k->dim, 0, value);
    any->pack(region, k->dim, 0, value + ANY);
    for (int m = 0; m < k->law_size; m++)
      hk_put_real(law, k->real == sizeof(double), r * k->law_size + m, value[m]);
  }
}

/* Parts of the nodes that groups share. */
static hk_status number_parts(const packing *k, const offsets *at, const hk_staged *staged,
                              const hk_count *groups, hk_buffer **buffer, hk_groups_parts *parts)
{
  hk_status status = HK_OK;
  hk_rims_desc desc = {.device = k->desc->device,
                       .padded = k->desc->space->padded,
                       .width = k->width,
                       .line = staged[HK_GROUPS_GROUP].place,
                       .target = staged[HK_GROUPS_TARGET].place};
  hk_index *turn = NULL;
  bool *early = NULL;
  int kinds = 0;
  for (int kind = 0; kind < HK_GROUP_KINDS; kind++)
    desc.groups += (hk_index)groups[kind], kinds += groups[kind] > 0;
  desc.alone =
      kinds == 1 && groups[HK_GROUP_PATCH] == 0 && hk_device_describe(desc.device)->ordered;
  HK_TRY(hk_get(&turn, desc.groups));
  HK_TRY(hk_get(&early, desc.groups));
  list_turns(k, at, turn);
  for (hk_count i = 0; i < (hk_count)HK_GROUP_KINDS * k->patches; i++)
    for (hk_count n = 0; n < k->pile[i % k->patches][i / k->patches].groups; n++)
      early[at[i].groups + n] = k->early[i % k->patches][i / k->patches];
  desc.turn = turn, desc.early = early;
  HK_TRY(hk_rims_create(&desc, &buffer[HK_GROUPS_SHARED], &buffer[HK_GROUPS_RIM], parts));
cleanup:
  hk_free(&turn);
  hk_free(&early);
  return status;
}

static hk_status join_piles(const packing *k, hk_buffer **buffer, hk_count *groups,
                            hk_groups_parts *parts)
{
  /* the longest first */
  static const int order[] = {HK_GROUPS_PLACE, HK_GROUPS_LIST,  HK_GROUPS_SLICE, HK_GROUPS_HALO,
                              HK_GROUPS_LAW,   HK_GROUPS_GROUP, HK_GROUPS_TARGET};
  const int buffers = k->limits->parts ? HK_GROUPS_PATCH_BUFFERS : HK_GROUPS_RING_BUFFERS;
  hk_status status = HK_OK;
  offsets *at = NULL;
  hk_staged staged[HK_GROUPS_BUFFERS] = {0};
  offsets sum = {0};
  hk_index narrow;
  for (int kind = 0; kind < HK_GROUP_KINDS; kind++) {
    const hk_count before = sum.groups;
    for (hk_index p = 0; p < k->patches; p++) advance(&sum, &k->pile[p][kind]);
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
                                             [HK_GROUPS_LAW] = k->regions * k->law_size * real,
                                             [HK_GROUPS_TARGET] = sum.places / k->dim * index};
  HK_TRY(find_offsets(k, &at));
  for (int m = 0; m < buffers; m++) {
    HK_TRY(hk_staged_open(k->desc->device, bytes[order[m]], &buffer[order[m]], &staged[order[m]]));
    copy_piles(k, order[m], at, staged[order[m]].place);
    if (order[m] == HK_GROUPS_LAW) write_laws(k, staged[order[m]].place);
    if (order[m] == HK_GROUPS_GROUP || order[m] == HK_GROUPS_TARGET) continue; /* of rims */
    HK_TRY(hk_staged_send(&staged[order[m]]));
    hk_staged_close(&staged[order[m]]);
  }
  if (k->limits->parts) HK_TRY(number_parts(k, at, staged, groups, buffer, parts));
  HK_TRY(hk_staged_send(&staged[HK_GROUPS_GROUP]));
  if (k->limits->parts) HK_TRY(hk_staged_send(&staged[HK_GROUPS_TARGET]));
cleanup:
  hk_free(&at);
  for (int m = 0; m < HK_GROUPS_BUFFERS; m++) hk_staged_close(&staged[m]);
  return status;
}

static hk_status find_laws(packing *k)
{
  k->regions = hk_element_regions(k->desc->space->mesh, k->desc->element_region);
  HK_PASS(hk_get(&k->isotropic, k->regions));
  for (int r = 0; r < k->regions; r++)
    k->isotropic[r] =
        (conducts(k) ? &hk_law_conduction : &hk_law_isotropic)->serves(&k->desc->region[r], k->dim);
  return HK_OK;
}

static void keep_larger(hk_index *most, hk_index value)
{
  if (value > *most) *most = value;
}

static hk_group_limits find_largest(const packing *k)
{
  hk_group_limits most = {0};
  for (hk_index p = 0; p < k->patches; p++)
    for (int kind = 0; kind < HK_GROUP_KINDS; kind++) {
      if (k->early[p][kind]) most.boundary[kind] += k->pile[p][kind].groups;
      for (hk_count n = 0; n < k->pile[p][kind].groups; n++) {
        const hk_index *line = k->pile[p][kind].group + n * HK_GROUP_WORDS;
        const hk_index *batches = line + HK_GROUP_BATCHES;
        keep_larger(&most.own[kind], line[HK_GROUP_SLICES] * k->width);
        const hk_index corners =
            (batches[0] + batches[1]) * (k->dim + 1) + (batches[2] + batches[3]) * (1 << k->dim);
        keep_larger(&most.local[kind], line[HK_GROUP_SLICES] * k->width + line[HK_GROUP_HALOS]);
        keep_larger(&most.list[kind], line[HK_GROUP_ENTRIES]);
        keep_larger(&most.halo[kind], line[HK_GROUP_HALOS]);
        if (kind == HK_GROUP_PATCH)
          for (int b = 0; b < 4; b++) most.kinds |= (batches[b] > 0) << b;
        if (kind == HK_GROUP_PATCH) keep_larger(&most.slots, (1 + corners) * k->width);
      }
    }
  return most;
}

static void close_packing(packing *k)
{
  for (hk_index p = 0; k->pile && p < k->patches; p++)
    for (int kind = 0; kind < HK_GROUP_KINDS; kind++) clear_pile(&k->pile[p][kind]);
  hk_memory_free((void **)&k->pile);
  hk_memory_free((void **)&k->early);
  hk_free(&k->isotropic);
  hk_touched_clear(&k->touched);
  hk_free(&k->patch);
  hk_free(&k->at);
}

hk_status hk_groups_pack(const hk_operator_desc *desc, const hk_group_limits *limits,
                         hk_buffer **buffer, hk_count *groups, hk_group_limits *largest,
                         hk_groups_parts *parts)
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
  HK_TRY(hk_touched_find(space_of(&k), &k.touched));
  HK_TRY(list_patches(&k));
  HK_TRY(hk_memory_get((void **)&k.pile, k.patches, sizeof *k.pile));
  HK_TRY(make_piles(&k));
  hk_touched_clear(&k.touched); /* before the lists are joined */
  HK_TRY(find_early(&k));
  *largest = find_largest(&k);
  largest->parts = limits->parts;
  largest->threads = limits->threads, largest->box_threads = limits->box_threads;
  largest->teams = limits->teams;
  HK_TRY(join_piles(&k, buffer, groups, parts));
cleanup:
  close_packing(&k);
  return status;
}
