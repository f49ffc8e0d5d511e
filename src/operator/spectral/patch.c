/* Lists of operator/spectral/spectral_patch.k.h from the numbering by patches (hk_interior.patched): for each patch its nodes on surfaces, first its own,
 * then rims in runs of consecutive numbers; where each element finds and leaves them, and which places in local memory each of them sums. */
#include "operator/spectral/patch.h"
#include "base/reals.h"
#include "element/gll.h"
#include "graph/sliced.h"
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "operator/spectral/map.h"
#include "operator/staged.h"
#include "physics/law.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_FIRST, OWN_COUNT, OWN_TWO, OWN_MORE, RIM_TWO, RIM_MORE, PART_FIRST, SUMS_FIRST };
enum { SUMS_COUNT = SUMS_FIRST + 1, RUN_COUNT, RIM_COUNT, HEAD_INTS = 12 };
enum { ALIGNED = 4, MOST_SUMMED = 8, WARP = 32, MOST_PLACES = 1 << 16 };

/* Threads in units of WARP, and registers of a thread that groups of a multiprocessor leave it. */
static const struct {
  int warps, registers;
} options[HK_SPECTRAL_PATCH_SHAPES + 1] = {{0, 0},    {4, 128}, {8, 128}, {8, 80},
                                           {12, 168}, {8, 255}, {4, 80}};

typedef struct packing {
  const hk_operator_desc *desc;
  const hk_interior *by;
  const hk_element *shape;
  hk_spectral_patch *patch;
  int side, order, places, slots, lines;
  hk_index parts;
} packing;

/* What is known of one patch: pair[pairs]: number of a node << 32 | place in `slot`, ascending; head and runs. */
typedef struct analysis {
  int64_t *pair;
  hk_count pairs;
  int head[HEAD_INTS];
  int *run;  /* run[2 * RUN_COUNT]: first number, place in `outer` */
  int *size; /* size[RUN_COUNT] */
  bool fits;
} analysis;

static int locked_of(int order)
{
  return WARP / (order + 1);
}

hk_spectral_patch hk_spectral_patch_shape(int dim, int order, bool double_precision, int option)
{
  hk_spectral_patch p = {0};
  if (!option || dim != 2 || order < 2) return p;
  p.rows = order > (double_precision ? 2 : 4);
  p.threads = options[option].warps * WARP;
  p.elements = options[option].warps * (p.rows ? locked_of(order) : WARP);
  return p;
}

int hk_spectral_patch_default(const hk_device *device, int dim, int order, bool double_precision)
{
  const int single_option = order > 4 ? 2 : 1, double_option = order > 5 ? 5 : 6;
  const int option = double_precision ? double_option : single_option;
  const bool any = hk_spectral_patch_shape(dim, order, double_precision, option).elements > 0;
  return any && hk_device_describe(device)->refills ? option : 0;
}

/* Of a patch of a times a elements: 4 a p nodes are on its rim, more where it is no square (measured), and at (a - 1)^2 vertices within four elements
 * meet. Slices of rims are as long as that of a node where four patches meet, one per patch. */
hk_count hk_spectral_patch_plan(const hk_mesh *mesh, const hk_spectral_patch *patch,
                                bool double_precision)
{
  const double most_runs = 12, irregular = 1.22, width = WARP, real = double_precision ? 8 : 4;
  const int order = hk_spectral_order(mesh), inner = order - 1, pairs = (order + 2) / 2,
            lines = hk_spectral_is_affine(mesh, order) ? 6 : 8;
  const double elements = patch->elements, a = sqrt(elements), rim = irregular * 4 * a * order,
               places = patch->rows ? inner + 2 * pairs : 2 * order,
               nodes = elements * (2 * order - 1) + rim / 2 + 1,
               sums = nodes + 3 * (a - 1) * (a - 1), longest = 1 - pow(1 - 2 / rim, width),
               from = rim * (1 + longest), head = HEAD_INTS + 2 * most_runs;
  const double ints = elements * places + sums + from + head, reals = elements * lines + 2 * rim;
  return (hk_count)((double)mesh->element_count / elements * (4 * ints + real * reals));
}

static bool is_isotropic(const hk_operator_desc *desc)
{
  const int regions = hk_element_regions(desc->space->mesh, desc->element_region);
  bool all = true;
  for (int r = 0; r < regions; r++)
    all = all && !hk_region_is_scalar(&desc->region[r]) &&
          hk_law_of(false, &desc->region[r], desc->space->dim) == hk_law_at(false, 0);
  return all;
}

static hk_status find_class(const hk_operator_desc *desc, hk_map_class *most)
{
  hk_status status = HK_OK;
  uint8_t *class = NULL;
  const hk_count count = desc->space->mesh->element_count;
  HK_TRY(hk_get(&class, count));
  HK_TRY(hk_spectral_classes(desc->space->mesh, class));
  *most = HK_MAP_AFFINE;
  for (hk_count e = 0; e < count; e++)
    if (class[e] > *most) *most = (hk_map_class) class[e];
cleanup:
  hk_free(&class);
  return status;
}

hk_status hk_spectral_patch_serves(const hk_operator_desc *desc, hk_spectral_patch *patch)
{
  hk_status status = HK_OK;
  const hk_space *space = desc->space;
  hk_map_class class;
  hk_count slots = 0;
  hk_index *node = NULL;
  if (!patch->elements) return HK_OK;
  const int elements = patch->elements;
  patch->elements = 0;
  if (!space->interior->patched || space->interior->group != elements || space->whole ||
      !hk_space_solid(space) || space->components > space->dim || !is_isotropic(desc))
    return HK_OK;
  HK_TRY(hk_terms_slots(&desc->terms, space, &slots, &node));
  HK_TRY(find_class(desc, &class));
  if (slots || class > HK_MAP_CORNERS) goto cleanup;
  patch->elements = elements, patch->straight = class == HK_MAP_CORNERS;
  patch->patches = space->interior->batches / elements;
cleanup:
  hk_free(&node);
  return status;
}

/* Of node (i, j) of the e-th element, the n-th on its surface by rows. */
static int slot_of(const packing *k, int e, int i, int j, int n)
{
  const int row = k->side | 1, element = k->side == 5 ? 26 : k->side * row;
  return k->patch->rows ? e * element + j * row + i : n * k->patch->elements + e;
}

typedef struct corner { /* a node on the surface of an element */
  int e, i, j, n;
  hk_index number;
} corner;

/* The surface nodes of the e-th element of a patch; 0: there is none. */
static int corners_of(const packing *k, hk_index g, int e, corner *c)
{
  const hk_space *space = k->desc->space;
  const hk_index element = k->by->element[(hk_count)g * k->patch->elements + e];
  int count = 0;
  if (element < 0) return 0;
  const hk_index *node = hk_mesh_nodes_of(space->mesh, element);
  for (int q = 0; q < k->shape->nodes; q++) {
    const int i = q % k->side, j = q / k->side;
    if (i && j && i < k->order && j < k->order) continue;
    c[count] = (corner){e, i, j, count, space->node[node[k->shape->lattice[q]]]};
    count++;
  }
  return count;
}

static int compare(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int round_up(int n, int to)
{
  return (n + to - 1) / to * to;
}

/* One node, summed from so many places. */
static void count_node(const packing *k, analysis *a, hk_index number, int summed)
{
  int *h = a->head, *runs = &h[RUN_COUNT];
  const bool more = summed > 2;
  a->fits = a->fits && summed <= MOST_SUMMED;
  if (number >= k->by->rims) {
    if (!h[OWN_TWO] && !h[OWN_MORE]) h[OWN_FIRST] = number;
    a->fits =
        a->fits && number == h[OWN_FIRST] + h[OWN_TWO] + h[OWN_MORE] && (more || !h[OWN_MORE]);
    h[more ? OWN_MORE : OWN_TWO]++;
    return;
  }
  h[more ? RIM_MORE : RIM_TWO]++;
  const hk_index first = number / ALIGNED * ALIGNED;
  if (!*runs || first > a->run[2 * *runs - 2] + a->size[*runs - 1])
    a->run[2 * *runs] = first, a->size[(*runs)++] = 0;
  a->size[*runs - 1] = first + ALIGNED - a->run[2 * *runs - 2];
}

/* Nodes and runs of a patch. */
static void analyse(const packing *k, hk_index g, analysis *a)
{
  corner c[4 * HK_MOST_ORDER];
  memset(a->head, 0, sizeof a->head);
  a->pairs = 0, a->fits = true;
  for (int e = 0; e < k->patch->elements; e++) {
    const int count = corners_of(k, g, e, c);
    for (int n = 0; n < count; n++)
      a->pair[a->pairs++] =
          (int64_t)c[n].number << 32 | (int64_t)slot_of(k, e, c[n].i, c[n].j, c[n].n);
  }
  qsort(a->pair, (size_t)a->pairs, sizeof *a->pair, compare);
  for (hk_count p = 0, next; p < a->pairs; p = next) {
    for (next = p + 1; next < a->pairs && a->pair[next] >> 32 == a->pair[p] >> 32;) next++;
    count_node(k, a, (hk_index)(a->pair[p] >> 32), (int)(next - p));
  }
  int *h = a->head;
  h[OWN_COUNT] = round_up(h[OWN_TWO] + h[OWN_MORE], ALIGNED);
  for (int r = 0; r < h[RUN_COUNT]; r++) {
    a->run[2 * r + 1] = h[OWN_COUNT] + h[RIM_COUNT];
    h[RIM_COUNT] += a->size[r];
  }
  h[SUMS_COUNT] = round_up(h[OWN_TWO] + h[RIM_TWO], ALIGNED) + 4 * (h[OWN_MORE] + h[RIM_MORE]);
  a->fits = a->fits && h[OWN_COUNT] + h[RIM_COUNT] < MOST_PLACES / 2;
}

/* Place of a node in `outer`. */
static int outer_of(const packing *k, const analysis *a, hk_index number)
{
  int low = 0, high = a->head[RUN_COUNT];
  if (number >= k->by->rims) return number - a->head[OWN_FIRST];
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (a->run[2 * middle] <= number)
      low = middle;
    else
      high = middle;
  }
  return a->run[2 * low + 1] + number - a->run[2 * low];
}

/* Sets the k-th 16 bits of pairs that lie `stride` apart. */
static void set_half(int *pair, int stride, int k, int value)
{
  uint32_t *at = (uint32_t *)pair + k / 2 * stride;
  *at = k % 2 ? (*at & 0xffffU) | (uint32_t)value << 16 : (*at & 0xffff0000U) | (uint32_t)value;
}

/* Where elements find the nodes of their surfaces; of padding they are node 0. */
static void write_places(const packing *k, hk_index g, const analysis *a, int *list)
{
  const int elements = k->patch->elements, inner = k->order - 1, pairs = (k->side + 1) / 2;
  corner c[4 * HK_MOST_ORDER];
  for (int e = 0; e < elements; e++) {
    const int count = corners_of(k, g, e, c);
    for (int n = 0; n < count; n++) {
      const int to = outer_of(k, a, c[n].number), j = c[n].j;
      if (!k->patch->rows)
        set_half(list + e, elements, n, to);
      else if (j && j < k->order)
        set_half(list + e * inner + j - 1, 1, c[n].i > 0, to);
      else
        set_half(list + elements * inner + (e * 2 + (j > 0)) * pairs, 1, c[n].i, to);
    }
  }
}

/* What own nodes and rims sum, and the rims' numbers in the order of their partial sums. */
static void write_sums(const packing *k, const analysis *a, int *list, hk_index *rim)
{
  const int *h = a->head, two = round_up(h[OWN_TWO] + h[RIM_TWO], ALIGNED);
  int at[2][2] = {{0, 0}, {h[OWN_TWO], h[OWN_MORE]}}; /* [rim][more] */
  for (int m = 0; m < 2 * h[SUMS_COUNT]; m++) set_half(list, 1, m, k->slots);
  for (hk_count p = 0, next; p < a->pairs; p = next) {
    const hk_index number = (hk_index)(a->pair[p] >> 32);
    for (next = p + 1; next < a->pairs && a->pair[next] >> 32 == number;) next++;
    const bool is_rim = number<k->by->rims, more = next - p> 2;
    const int place = at[is_rim][more]++;
    for (hk_count m = p; m < next; m++)
      set_half(list + (more ? two + 4 * place : place), 1, (int)(m - p),
               (int)(a->pair[m] & 0xffff));
    if (is_rim)
      rim[h[PART_FIRST] + place - h[more ? OWN_MORE : OWN_TWO] + (more ? h[RIM_TWO] : 0)] = number;
  }
}

static void close_analysis(analysis *a)
{
  hk_free(&a->pair);
  hk_free(&a->run);
  hk_free(&a->size);
}

static hk_status open_analysis(const packing *k, analysis *a)
{
  const hk_count most = (hk_count)k->patch->elements * 4 * k->order;
  HK_PASS(hk_get(&a->pair, most));
  HK_PASS(hk_get(&a->run, 2 * most));
  return hk_get(&a->size, most);
}

/* Counts of all patches: head[patches][HEAD_INTS]; *fits: they have lists. */
static hk_status measure(const packing *k, int *head, bool *fits)
{
  hk_failure failure = {0};
  int misfits = 0;
#pragma omp parallel reduction(+ : misfits)
  {
    analysis a = {0};
    const hk_status status = open_analysis(k, &a);
#pragma omp for schedule(static)
    for (hk_index g = 0; g < k->patch->patches; g++) {
      if (status != HK_OK) continue;
      analyse(k, g, &a);
      memcpy(head + (hk_count)g * HEAD_INTS, a.head, sizeof a.head);
      misfits += !a.fits;
    }
    close_analysis(&a);
    hk_failure_keep(&failure, status);
  }
  *fits = misfits == 0;
  return hk_failure_tell(&failure);
}

static int most_of(int a, int b)
{
  return a > b ? a : b;
}

/* Where each patch's sums and partial sums begin, and the most of each count. */
static hk_status place_lists(packing *k, int *head, hk_count *words)
{
  hk_spectral_patch *p = k->patch;
  hk_count sums = (hk_count)p->patches * k->places, parts = 0;
  int outer = 0, own = 0, most = 0, runs = 0;
  for (hk_index g = 0; g < p->patches; g++) {
    int *h = head + (hk_count)g * HEAD_INTS;
    HK_PASS(hk_narrow(sums, "lists of patches", &h[SUMS_FIRST]));
    HK_PASS(hk_narrow(parts, "nodes of several patches", &h[PART_FIRST]));
    sums += h[SUMS_COUNT], parts += h[RIM_TWO] + h[RIM_MORE];
    outer = most_of(outer, h[OWN_COUNT] + h[RIM_COUNT]), own = most_of(own, h[OWN_COUNT]);
    most = most_of(most, h[SUMS_COUNT]), runs = most_of(runs, h[RUN_COUNT]);
  }
  enum { STEP = 64, FEW = 4 }; /* so that meshes share kernels */
  p->outer = round_up(outer, STEP), p->own = round_up(own, STEP), p->sums = round_up(most, STEP);
  p->runs = round_up(runs, FEW);
  *words = sums;
  return hk_narrow(parts, "nodes of several patches", &k->parts);
}

static hk_status write_lists(const packing *k, const int *counts, int *head, int *list,
                             hk_index *rim)
{
  hk_failure failure = {0};
  const int size = HEAD_INTS + 2 * k->patch->runs;
#pragma omp parallel
  {
    analysis a = {0};
    const hk_status status = open_analysis(k, &a);
#pragma omp for schedule(static)
    for (hk_index g = 0; g < k->patch->patches; g++) {
      if (status != HK_OK) continue;
      analyse(k, g, &a);
      memcpy(a.head, counts + (hk_count)g * HEAD_INTS, sizeof a.head);
      int *h = head + (hk_count)g * size;
      memcpy(h, a.head, sizeof a.head);
      for (int r = 0; r < h[RUN_COUNT]; r++) {
        h[HEAD_INTS + 2 * r] = a.run[2 * r];
        h[HEAD_INTS + 2 * r + 1] = (int)((uint32_t)a.run[2 * r + 1] << 16 | (uint32_t)a.size[r]);
      }
      write_places(k, g, &a, list + (hk_count)g * k->places);
      write_sums(k, &a, list + h[SUMS_FIRST], rim);
    }
    close_analysis(&a);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

/* Which partial sums each rim adds, in the order of the patches: SLICE and FROM of operator/spectral/slots.k.h. */
static hk_status write_rims(const packing *k, const hk_index *rim, hk_buffer **buffer)
{
  hk_status status = HK_OK;
  hk_staged slice = {0}, from = {0};
  hk_device *device = k->desc->device;
  const int width = hk_device_describe(device)->width, dim = k->desc->space->dim;
  const hk_index nodes = k->by->rims, slices = nodes / width;
  hk_index *length = NULL, none;
  HK_TRY(hk_narrow((hk_count)(k->parts + 1) * dim, "forces of patches", &none));
  none = k->parts * dim;
  HK_TRY(hk_get(&length, nodes + 1));
  for (hk_index p = 0; p < k->parts; p++) length[rim[p]]++;
  for (hk_index i = 0; i < nodes; i++) length[i] += length[i] % 2; /* SLOTS_AT_ONCE */
  HK_TRY(hk_staged_open(device, (slices + 1) * 4LL, &buffer[HK_SPECTRAL_SLICE], &slice));
  hk_index *begin = slice.place;
  HK_TRY(hk_sliced_offsets(length, nodes, width, begin));
  const hk_count entries = (hk_count)begin[slices] * width;
  HK_TRY(hk_staged_open(device, (entries + 1) * 4, &buffer[HK_SPECTRAL_FROM], &from));
  hk_index *to = from.place;
  for (hk_count p = 0; p < entries; p++) to[p] = none;
  memset(length, 0, (size_t)(nodes + 1) * sizeof *length);
  for (hk_index p = 0; p < k->parts; p++) {
    const hk_index i = rim[p];
    to[((hk_count)begin[i / width] + length[i]++) * width + i % width] = p * dim;
  }
  HK_TRY(hk_staged_send(&slice));
  HK_TRY(hk_staged_send(&from));
cleanup:
  hk_free(&length);
  hk_staged_close(&slice);
  hk_staged_close(&from);
  return status;
}

/* lambda and mu of an element; 0 of padding. */
static void parameters_of(const packing *k, hk_index e, double dt, double *p)
{
  p[0] = p[1] = 0;
  if (e >= 0)
    hk_law_at(false, 0)->pack(&k->desc->region[k->desc->element_region[e]], k->desc->space->dim, dt,
                              p);
}

/* line[lines] of an element; padding has the shape of the first. */
static void find_lines(const packing *k, hk_index found, hk_spectral_map *map, double *line)
{
  const int dim = k->desc->space->dim;
  hk_spectral_map_first(k->desc->space->mesh, found < 0 ? 0 : found, map);
  if (k->patch->straight) {
    for (int v = 1; v < 1 << dim; v++)
      for (int c = 0; c < dim; c++) line[v * dim + c] = map->corner[v][c];
    parameters_of(k, found, 0, line);
    return;
  }
  const double scale = sqrt(map->volume[0] / map->weight[0]);
  for (int m = 0; m < dim * dim; m++) line[m] = map->inverse[m] * scale;
  parameters_of(k, found, 0, line + dim * dim);
}

static hk_status write_data(const packing *k, void *data)
{
  hk_failure failure = {0};
  const int elements = k->patch->elements;
#pragma omp parallel
  {
    hk_spectral_map *map = NULL;
    const hk_status status = hk_new(&map);
    double line[HK_MOST_PARAMETERS + 24];
#pragma omp for schedule(static)
    for (hk_index q = 0; q < k->by->batches; q++) {
      if (status != HK_OK) continue;
      find_lines(k, k->by->element[q], map, line);
      const hk_count first = (hk_count)(q / elements) * k->lines * elements + q % elements;
      for (int m = 0; m < k->lines; m++)
        hk_put_real(data, k->desc->double_precision, first + (hk_count)m * elements, line[m]);
    }
    hk_free(&map);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

static void begin(const hk_operator_desc *desc, hk_spectral_patch *patch, packing *k)
{
  k->desc = desc, k->by = desc->space->interior, k->patch = patch;
  k->shape = hk_element_of(desc->space->mesh->block[0].shape);
  k->order = k->shape->order, k->side = k->order + 1;
  const int inner = k->order - 1, pairs = (k->side + 1) / 2;
  k->places = patch->elements * (patch->rows ? inner + 2 * pairs : 2 * k->order);
  k->slots = slot_of(k, patch->elements, 0, 0, 4 * k->order);
  if (!patch->rows) k->slots = 4 * k->order * patch->elements;
  k->lines = patch->straight ? 8 : 6;
}

/* LOCAL memory in the epilogue that takes most, and the groups of a launch. */
static void size_groups(const packing *k, int option)
{
  hk_spectral_patch *p = k->patch;
  const hk_multiprocessor *on = &hk_device_describe(k->desc->device)->multiprocessor;
  const int real = k->desc->double_precision ? 8 : 4, dim = k->desc->space->dim;
  const hk_count inner = (hk_count)p->elements * (k->order - 1) * (k->order - 1);
  p->local = 3 * hk_local_bytes(inner * dim, real) + hk_local_bytes(inner, real) +
             hk_local_bytes((hk_count)p->outer * dim, real) + hk_local_bytes(k->places, 4) +
             hk_local_bytes((hk_count)k->lines * p->elements, real) +
             hk_local_bytes(3LL * (HEAD_INTS + 2 * p->runs), 4) + hk_local_bytes(p->sums, 4) +
             hk_local_bytes((hk_count)(k->slots + 1) * dim, real) +
             2 * hk_local_bytes((hk_count)p->own * dim, real) + hk_local_bytes(p->own, real) +
             hk_local_bytes(2, 8);
  const int fit = (int)(on->local_memory / (p->local + on->reserved)),
            wanted = on->registers / (options[option].registers * p->threads);
  p->groups = most_of(fit < wanted ? fit : wanted, 1);
  const int all = most_of(on->count, 1) * p->groups;
  p->most = all < p->patches ? all : p->patches;
}

static hk_status fill(packing *k, const int *counts, hk_count words, hk_buffer **buffer)
{
  hk_status status = HK_OK;
  hk_staged head = {0}, list = {0}, data = {0};
  hk_device *device = k->desc->device;
  hk_index *rim = NULL;
  const int size = HEAD_INTS + 2 * k->patch->runs, dim = k->desc->space->dim;
  const hk_count real = k->desc->double_precision ? 8 : 4;
  HK_TRY(hk_get(&rim, (hk_count)k->parts + 1));
  HK_TRY(hk_staged_open(device, (hk_count)k->patch->patches * size * 4, &buffer[HK_SPECTRAL_GROUP],
                        &head));
  HK_TRY(hk_staged_open(device, words * 4, &buffer[HK_SPECTRAL_SURFACE], &list));
  HK_TRY(hk_staged_open(device, (hk_count)k->by->batches * k->lines * real,
                        &buffer[HK_SPECTRAL_DATA], &data));
  HK_TRY(
      hk_buffer_create(device, (hk_count)(k->parts + 1) * dim * real, &buffer[HK_SPECTRAL_SLOT]));
  HK_TRY(write_lists(k, counts, head.place, list.place, rim));
  HK_TRY(write_data(k, data.place));
  HK_TRY(write_rims(k, rim, buffer));
  HK_TRY(hk_staged_send(&head));
  HK_TRY(hk_staged_send(&list));
  HK_TRY(hk_staged_send(&data));
cleanup:
  hk_free(&rim);
  hk_staged_close(&head);
  hk_staged_close(&list);
  hk_staged_close(&data);
  return status;
}

hk_status hk_spectral_patch_pack(const hk_operator_desc *desc, int option, hk_spectral_patch *patch,
                                 hk_buffer **buffer)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(desc->device);
  packing k = {0};
  int *counts = NULL;
  hk_count words;
  bool fits;
  begin(desc, patch, &k);
  HK_TRY(hk_get(&counts, (hk_count)patch->patches * HEAD_INTS));
  HK_TRY(measure(&k, counts, &fits));
  HK_TRY(place_lists(&k, counts, &words));
  size_groups(&k, option);
  if (!fits || (info->local_memory && patch->local > info->local_memory))
    patch->elements = 0;
  else
    HK_TRY(fill(&k, counts, words, buffer));
cleanup:
  hk_free(&counts);
  return status;
}

hk_status hk_spectral_patch_parameters(const hk_operator_desc *desc, const hk_spectral_patch *patch,
                                       double dt, hk_buffer **buffer)
{
  hk_status status = HK_OK;
  hk_spectral_patch copy = *patch;
  packing k = {0};
  double *all = NULL, own[HK_MOST_PARAMETERS];
  begin(desc, &copy, &k);
  const int elements = patch->elements, line = patch->straight ? 0 : 4;
  HK_TRY(hk_get(&all, 2LL * elements));
  for (hk_index g = 0; g < patch->patches; g++) {
    for (int e = 0; e < elements; e++) {
      parameters_of(&k, k.by->element[(hk_count)g * elements + e], dt, own);
      all[e] = own[0], all[elements + e] = own[1];
    }
    HK_TRY(hk_buffer_write_reals(buffer[HK_SPECTRAL_DATA], desc->double_precision,
                                 ((hk_count)g * k.lines + line) * elements, 2LL * elements, all));
  }
cleanup:
  hk_free(&all);
  return status;
}
