/* Heat conduction of linear tetrahedra (K.9) for the form `matrix-free`: groups of nodes that follow each other, small enough that they
 * and what lies around them fit local memory (divide, make_groups); each group computes all tetrahedra around its nodes as fans.
 * Groups are made in parallel, in piles joined in order; coordinates are relative to the group's first node. */
#include "operator/fans/tets.h"
#include "base/reals.h"
#include "graph/local.h"
#include "mesh/mesh.h"
#include "operator/element/lumped.h"
#include "operator/element/simplex.h"
#include "operator/staged.h"
#include "operator/fans/fans.h"
#include "physics/law.h"
#include <string.h>

/* LOCAL: what the host's variants are compiled for; HOST, MOST: nodes of a group there and of devices at most. Three groups are to run
 * side by side where local memory has room. */
enum { LOCAL = 2048, HOST = 512, MOST = 1024, THREADS = 128, STEP = 16, NUMBERS = 65000 };
enum { WORDS = 8, REALS = 5 }; /* of a group's line; of a local node */
enum { FIRST, NODES, HALO, HALOS, SLICE, COLOURS, LIST };
enum { GROUP, SLICES, NODES_BEYOND, ENTRIES, PLACES, LAWS, BUFFERS };

struct hk_tets {
  hk_device *device; /* borrowed */
  bool double_precision;
  hk_index groups, local; /* local nodes of the largest group, the one of padding among them */
  int threads;
  hk_buffer *buffer[BUFFERS];
  hk_kernel *kernel[HK_FORM_COUNT];
};

typedef struct pile { /* of groups made of one range of nodes */
  hk_index *group, *slice, *halo;
  uint16_t *list;
  hk_count groups, slices, halos, entries;
  hk_count group_room, slice_room, halo_room, list_room;
  hk_index local;
} pile;

typedef struct packing {
  const hk_operator_desc *desc;
  hk_index *begin, *around; /* mesh node -> elements */
  hk_index most;            /* local nodes */
  hk_index ranges, *range;  /* range[ranges + 1] */
  pile *pile;               /* pile[ranges] */
} packing;

typedef struct worker {
  hk_local *local;
  hk_fans *fans;
} worker;

hk_count hk_tets_plan(const hk_mesh *mesh, bool double_precision)
{
  return mesh->node_count * (3 * (double_precision ? 8 : 4) + 56);
}

static hk_index most_local(const hk_operator_desc *desc)
{
  const hk_device_info *info = hk_device_describe(desc->device);
  const hk_count each = REALS * (desc->double_precision ? 8 : 4);
  if (!info->local_memory) return LOCAL;
  const hk_count room = info->local_memory / each - STEP;
  return room < NUMBERS ? (hk_index)room : NUMBERS;
}

/* Nodes of a group: nearly as many lie around it. */
static hk_index most_nodes(const hk_operator_desc *desc)
{
  const hk_device_info *info = hk_device_describe(desc->device);
  hk_index most = MOST;
  const hk_index local = most_local(desc) / (hk_device_has_room(info) ? 3 : 1);
  while (15 * most / 8 > local && most > info->width) most /= 2;
  return hk_kernel_size(info, most, HOST);
}

/* Ranges of patches, halved as the numbering was, until they are small enough. */
static void divide(packing *k, hk_index first, hk_index patches, hk_index most)
{
  const hk_space *space = k->desc->space;
  if (patches > 1 && patches * space->patch > most) {
    divide(k, first, patches / 2, most);
    divide(k, first + patches / 2, patches - patches / 2, most);
    return;
  }
  k->range[k->ranges++] = first * space->patch;
  k->range[k->ranges] = (first + patches) * space->patch;
}

/* Whether no node of the element in [first, first + count) is below `node`. */
static bool is_first(const hk_space *space, const hk_index *of, hk_index first, hk_index node)
{
  for (int c = 0; c < 4; c++)
    if (space->node[of[c]] >= first && space->node[of[c]] < node) return false;
  return true;
}

/* The tetrahedra around the nodes, in local numbers. */
static hk_status find_tets(const packing *k, worker *w, hk_index first, hk_index count)
{
  const hk_space *space = k->desc->space;
  hk_local_start(w->local, first, count);
  hk_fans_start(w->fans);
  for (hk_index i = first; i < first + count; i++) {
    const hk_index node = space->mesh_node[i];
    for (hk_index q = node < 0 ? 0 : k->begin[node]; node >= 0 && q < k->begin[node + 1]; q++) {
      const hk_index e = k->around[q], *of = hk_mesh_nodes_of(space->mesh, e);
      hk_tet tet = {.region = k->desc->element_region[e]};
      if (!is_first(space, of, first, i)) continue;
      for (int c = 0; c < 4; c++) {
        tet.node[c] = space->node[of[c]];
        HK_PASS(hk_local_add(w->local, tet.node[c]));
      }
      HK_PASS(hk_fans_add(w->fans, &tet));
    }
  }
  HK_PASS(hk_local_finish(w->local, space->order));
  for (hk_index t = 0; t < w->fans->tets; t++)
    for (int c = 0; c < 4; c++)
      w->fans->tet[t].node[c] = hk_local_find(w->local, w->fans->tet[t].node[c]);
  return HK_OK;
}

static hk_status write_group(pile *p, const hk_local *local, const hk_fans *f)
{
  const hk_count numbers = (hk_count)f->colours + 1 + f->slices + 1,
                 entries = (hk_count)f->rows * f->width;
  HK_PASS(hk_reserve(&p->group, (p->groups + 1) * WORDS, &p->group_room));
  HK_PASS(hk_reserve(&p->slice, p->slices + numbers, &p->slice_room));
  HK_PASS(hk_reserve(&p->halo, p->halos + local->halos, &p->halo_room));
  HK_PASS(hk_reserve(&p->list, p->entries + entries, &p->list_room));
  hk_index *line = p->group + p->groups++ * WORDS;
  memset(line, 0, WORDS * sizeof *line);
  line[FIRST] = local->first, line[NODES] = local->count;
  line[HALO] = (hk_index)p->halos, line[HALOS] = local->halos;
  line[SLICE] = (hk_index)p->slices, line[COLOURS] = f->colours;
  line[LIST] = (hk_index)(p->entries / f->width);
  memcpy(p->slice + p->slices, f->colour, ((size_t)f->colours + 1) * sizeof *p->slice);
  memcpy(p->slice + p->slices + f->colours + 1, f->row, ((size_t)f->slices + 1) * sizeof *p->slice);
  if (local->halos) memcpy(p->halo + p->halos, local->halo, (size_t)local->halos * sizeof *p->halo);
  if (entries) memcpy(p->list + p->entries, f->list, (size_t)entries * sizeof *p->list);
  p->slices += numbers, p->halos += local->halos, p->entries += entries;
  if (local->count + local->halos + 1 > p->local) p->local = local->count + local->halos + 1;
  return HK_OK;
}

/* Internal nodes [first, first + count) as one group, or as two halves where too many lie around them. */
static hk_status make_groups(const packing *k, worker *w, pile *p, hk_index first, hk_index count)
{
  const int width = w->fans->width;
  HK_PASS(find_tets(k, w, first, count));
  if (count + w->local->halos + 1 > k->most) {
    const hk_index half = count / width / 2 * width;
    HK_NEED(half > 0, HK_NO_RESOURCES,
            "the elements around %d nodes have %d nodes, too many for the method matrix-free: "
            "give another method",
            (int)count, (int)(count + w->local->halos));
    HK_PASS(make_groups(k, w, p, first, half));
    HK_PASS(make_groups(k, w, p, first + half, count - half));
    return HK_OK;
  }
  HK_PASS(hk_fans_make(w->fans, count + w->local->halos));
  return write_group(p, w->local, w->fans);
}

static hk_status make_piles(const packing *k)
{
  hk_failure failure = {0};
  const hk_device_info *info = hk_device_describe(k->desc->device);
#pragma omp parallel num_threads(info->threads)
  {
    worker w = {0};
    hk_status own = hk_local_create(&w.local);
    if (own == HK_OK) own = hk_fans_create(info->width, &w.fans);
#pragma omp for schedule(dynamic, 4)
    for (hk_index r = 0; r < k->ranges; r++)
      if (own == HK_OK)
        own = make_groups(k, &w, &k->pile[r], k->range[r], k->range[r + 1] - k->range[r]);
    hk_local_destroy(&w.local);
    hk_fans_destroy(&w.fans);
    hk_failure_keep(&failure, own);
  }
  return hk_failure_tell(&failure);
}

/* `own` behind what the ranges before it gave, at[]. */
static void copy_pile(const pile *own, int width, const hk_count *at, const hk_staged *to)
{
  hk_index *group = (hk_index *)to[GROUP].place + at[GROUP] * WORDS;
  memcpy(group, own->group, (size_t)own->groups * WORDS * sizeof *group);
  for (hk_count g = 0; g < own->groups; g++) {
    group[g * WORDS + SLICE] += (hk_index)at[SLICES];
    group[g * WORDS + HALO] += (hk_index)at[NODES_BEYOND];
    group[g * WORDS + LIST] += (hk_index)(at[ENTRIES] / width);
  }
  memcpy((hk_index *)to[SLICES].place + at[SLICES], own->slice,
         (size_t)own->slices * sizeof *own->slice);
  if (own->halos)
    memcpy((hk_index *)to[NODES_BEYOND].place + at[NODES_BEYOND], own->halo,
           (size_t)own->halos * sizeof *own->halo);
  if (own->entries)
    memcpy((uint16_t *)to[ENTRIES].place + at[ENTRIES], own->list,
           (size_t)own->entries * sizeof *own->list);
}

/* Coordinates relative to the first node, which lies in the mesh: single precision keeps its digits for the body's extent. */
static void write_places(const hk_operator_desc *desc, const hk_staged *to)
{
  const hk_space *space = desc->space;
  const double *x = space->mesh->x, *origin = x + (hk_count)space->mesh_node[0] * 3;
  for (hk_index i = 0; i < space->padded; i++)
    for (int c = 0; c < 3 && space->mesh_node[i] >= 0; c++)
      hk_put_real(to->place, desc->double_precision, (hk_count)i * 3 + c,
                  x[(hk_count)space->mesh_node[i] * 3 + c] - origin[c]);
}

static void write_laws(const hk_operator_desc *desc, int regions, const hk_staged *to)
{
  enum { SIZE = 6 };
  double parameter[SIZE];
  for (int r = 0; r < regions; r++) {
    hk_law_tensor_conduction.pack(&desc->region[r], 3, 0, parameter);
    for (int m = 0; m < SIZE; m++)
      hk_put_real(to->place, desc->double_precision, (hk_count)r * SIZE + m, parameter[m]);
  }
}

static hk_status join_piles(const packing *k, hk_tets *t)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = k->desc;
  const hk_count real = desc->double_precision ? 8 : 4;
  const int width = hk_device_describe(desc->device)->width;
  hk_staged to[BUFFERS] = {{0}};
  hk_count sum[BUFFERS] = {0}, at[BUFFERS] = {0};
  const int regions = hk_element_regions(desc->space->mesh, desc->element_region);
  for (hk_index r = 0; r < k->ranges; r++) {
    const pile *p = &k->pile[r];
    sum[GROUP] += p->groups, sum[SLICES] += p->slices, sum[NODES_BEYOND] += p->halos;
    sum[ENTRIES] += p->entries;
    if (p->local > t->local) t->local = p->local;
  }
  HK_TRY(hk_narrow(sum[GROUP], "groups of nodes", &t->groups));
  const hk_count bytes[BUFFERS] = {sum[GROUP] * WORDS * 4,
                                   sum[SLICES] * 4,
                                   (sum[NODES_BEYOND] + 1) * 4,
                                   (sum[ENTRIES] + width) * 2,
                                   (hk_count)desc->space->padded * 3 * real,
                                   regions * 6 * real};
  for (int b = 0; b < BUFFERS; b++)
    HK_TRY(hk_staged_open(desc->device, bytes[b], &t->buffer[b], &to[b]));
  for (hk_index r = 0; r < k->ranges; r++) {
    const pile *p = &k->pile[r];
    copy_pile(p, width, at, to);
    at[GROUP] += p->groups, at[SLICES] += p->slices, at[NODES_BEYOND] += p->halos;
    at[ENTRIES] += p->entries;
  }
  write_places(desc, &to[PLACES]);
  write_laws(desc, regions, &to[LAWS]);
  for (int b = 0; b < BUFFERS; b++) HK_TRY(hk_staged_send(&to[b]));
cleanup:
  for (int b = 0; b < BUFFERS; b++) hk_staged_close(&to[b]);
  return status;
}

static void clear_packing(packing *k)
{
  for (hk_index r = 0; k->pile && r < k->ranges; r++) {
    hk_free(&k->pile[r].group);
    hk_free(&k->pile[r].slice);
    hk_free(&k->pile[r].halo);
    hk_free(&k->pile[r].list);
  }
  hk_free(&k->pile);
  hk_free(&k->range);
  hk_free(&k->begin);
  hk_free(&k->around);
}

static hk_status check_volumes(const hk_mesh *mesh)
{
  double x[12], g[12];
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_block *block = hk_mesh_block_of(mesh, e);
    hk_element_gather(mesh, block, e - block->first, x);
    if (!(hk_simplex_cofactors(3, x, g) > 0)) return hk_element_folded(mesh, e);
  }
  return HK_OK;
}

hk_status hk_tets_create(const hk_operator_desc *desc, hk_tets **out, hk_count *memory,
                         hk_count *groups)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(desc->device);
  hk_tets *t = NULL;
  packing k = {.desc = desc, .most = most_local(desc)};
  HK_TRY(check_volumes(desc->space->mesh));
  HK_TRY(hk_new(&t));
  t->device = desc->device, t->double_precision = desc->double_precision;
  t->threads = info->most_threads >= THREADS ? THREADS : info->group_threads;
  HK_TRY(hk_get(&k.range, desc->space->patches + 1));
  divide(&k, 0, desc->space->patches, most_nodes(desc));
  HK_TRY(hk_get(&k.pile, k.ranges));
  HK_TRY(hk_mesh_node_elements(desc->space->mesh, &k.begin, &k.around));
  HK_TRY(make_piles(&k));
  HK_TRY(join_piles(&k, t));
  t->local = hk_kernel_size(info, (t->local + STEP - 1) / STEP * STEP, LOCAL);
  for (int b = 0; b < BUFFERS; b++) *memory += hk_buffer_bytes(t->buffer[b]);
  *groups = t->groups;
  *out = t, t = NULL;
cleanup:
  clear_packing(&k);
  hk_tets_destroy(&t);
  return status;
}

void hk_tets_destroy(hk_tets **tets)
{
  hk_tets *t = *tets;
  if (!t) return;
  for (int b = 0; b < BUFFERS; b++) hk_buffer_destroy(&t->buffer[b]);
  for (int f = 0; f < HK_FORM_COUNT; f++) hk_kernel_destroy(&t->kernel[f]);
  hk_free(tets);
}

hk_status hk_tets_bind(hk_tets *t, hk_form form)
{
  const int real = t->double_precision ? 8 : 4;
  if (t->kernel[form]) return HK_OK;
  return hk_kernel_create(
      t->device,
      &(hk_kernel_desc){.text = "tets",
                        .function = "tets_step",
                        .early = true,
                        .double_precision = t->double_precision,
                        .define = {{"DAMPED", 0}, {"FORM", (int)form}, {"MAX_LOCAL", t->local}},
                        .local = hk_local_bytes(4 * (hk_count)t->local, real) +
                                 hk_local_bytes(t->local, real),
                        .threads = t->threads},
      &t->kernel[form]);
}

hk_status hk_tets_apply(hk_operator *op, hk_tets *t, const hk_epilogue *epilogue)
{
  hk_argument argument[HK_STATE_ARGUMENTS + BUFFERS];
  hk_epilogue_arguments(op, epilogue, argument);
  for (int b = 0; b < BUFFERS; b++) argument[HK_STATE_ARGUMENTS + b] = hk_arg_buffer(t->buffer[b]);
  return hk_epilogue_launch(epilogue, t->kernel[epilogue->form], (hk_groups){0, t->groups},
                            argument, HK_STATE_ARGUMENTS + BUFFERS);
}
