/* Lists of operator/spectral/spectral.k.h and slots.k.h: elements in batches of LANES, sorted into kinds (geometry x law), groups of batches of
 * one kind, data per batch [lines][LANES] (geometry, then law), node numbers of surfaces, and for each surface node the slots that it sums, in
 * ascending order; by colours the slot of its first element beside them. */
#include "operator/spectral/pack.h"
#include "base/reals.h"
#include "graph/sliced.h"
#include "operator/element/lumped.h"
#include "operator/spectral/map.h"
#include "operator/staged.h"
#include "physics/law.h"
#include <math.h>
#include <string.h>

enum { GEOMETRIES = 3 };

typedef struct packing {
  const hk_operator_desc *desc;
  const hk_interior *by;
  const hk_element *shape;
  int dim, state, lanes, elements, surface, width;
  bool together;            /* ITEMS_TOGETHER */
  int place[HK_MOST_NODES]; /* place[surface]: point of the lattice */
  unsigned *laws;           /* laws[region]: bit k: law k of solids, or of fluids, serves it */
  uint8_t *geometry;        /* geometry[mesh element], of hk_map_class */
  hk_index groups, *begin;
  hk_count forces;     /* slots of elements, of nodes by colours */
  hk_count term_slots; /* of terms; term_node[term_slots]: whose */
  /* Numbers below it may have lists: surfaces; all in a part with terms, which read the forces on ghosts. */
  hk_index listed;
  hk_index first_slot, *term_node;
} packing;

int hk_spectral_surface(int dim, int order)
{
  const int side = order + 1, inner = order - 1;
  return dim == 2 ? side * side - inner * inner : side * side * side - inner * inner * inner;
}

bool hk_spectral_is_affine(const hk_mesh *mesh, int order)
{
  const int dim = mesh->dim, side = order + 1, corners = 1 << dim;
  const int *lattice = hk_element_of(mesh->block[0].shape)->lattice;
  const double *x[8];
  for (int c = 0; c < corners; c++) {
    const int q = order * ((c & 1) + side * ((c >> 1 & 1) + side * (c >> 2)));
    x[c] = mesh->x + (hk_count)mesh->block[0].node[lattice[q]] * dim;
  }
  for (int c = 0; c < corners; c++)
    for (int d = 0; d < dim; d++) {
      double sum = x[0][d], size = 0;
      for (int a = 1; a < corners; a *= 2) {
        sum += c & a ? x[a][d] - x[0][d] : 0;
        size = fmax(size, fabs(x[a][d] - x[0][d]));
      }
      if (!(fabs(x[c][d] - sum) <= 1e-9 * size)) return false;
    }
  return true;
}

double hk_spectral_sums(const hk_mesh *mesh, int order, int width)
{
  const double inner = order - 1, faces = mesh->dim == 3 ? 3 * inner * inner : 0,
               edges = mesh->dim * inner, all = 1 + edges + faces,
               nodes =
                   (double)mesh->node_count - (double)mesh->element_count * pow(inner, mesh->dim),
               no_corner = pow((edges + faces) / all, width), no_edge = pow(faces / all, width);
  const double solid = 2 * no_edge + 4 * (no_corner - no_edge) + 8 * (1 - no_corner),
               flat = 2 * no_corner + 4 * (1 - no_corner);
  return nodes * (mesh->dim == 3 ? solid : flat);
}

/* The kernel's numbering of surfaces, in points of the lattice. */
static void find_places(packing *k)
{
  const int side = k->shape->order + 1, columns = k->dim == 3 ? side * side : side;
  int s = 0;
  for (int layer = 0; layer < side; layer += side - 1)
    for (int n = 0; n < columns; n++) k->place[s++] = n + columns * layer;
  for (int layer = 1; layer < side - 1; layer++) {
    const int first = columns * layer;
    for (int i = 0; k->dim == 3 && i < side; i++) k->place[s++] = first + i;
    for (int i = 0; k->dim == 3 && i < side; i++) k->place[s++] = first + i + side * (side - 1);
    for (int end = 0; end < side; end += side - 1)
      for (int j = k->dim == 3; j < (k->dim == 3 ? side - 1 : 1); j++)
        k->place[s++] = first + end + side * j;
  }
}

static hk_status find_laws(packing *k)
{
  const hk_operator_desc *desc = k->desc;
  const int regions = hk_element_regions(desc->space->mesh, desc->element_region);
  HK_PASS(hk_get(&k->laws, regions));
  for (int r = 0; r < regions; r++) {
    const int components = hk_law_components(&desc->region[r], k->dim);
    for (int n = 0; n < hk_law_count(components); n++)
      if (hk_law_serves(hk_law_at(components, n), &desc->region[r], k->dim)) k->laws[r] |= 1U << n;
  }
  return HK_OK;
}

/* Whether a group is of fluids. */
static bool is_fluid(const packing *k, hk_index group)
{
  return hk_interior_part(k->by, group * k->elements) > 0;
}

static const hk_law *law_of(const packing *k, hk_index group, int kind)
{
  const int solid = k->desc->space->components > k->dim ? HK_LAW_SPATIAL : HK_LAW_VECTOR;
  return hk_law_at(is_fluid(k, group) ? HK_LAW_SCALAR : solid, kind / GEOMETRIES);
}

static int lines_of(const packing *k, hk_index group, int kind)
{
  const int shape = k->dim * k->dim;
  const int geometry[GEOMETRIES] = {shape, k->dim << k->dim, shape * k->shape->nodes};
  return geometry[kind % GEOMETRIES] + hk_law_parameters(law_of(k, group, kind), k->dim);
}

static hk_index element_at(const packing *k, hk_index group, int n)
{
  return k->by->element[(hk_count)group * k->elements * k->lanes + n];
}

/* begin[group], in units of lanes, and the groups' kinds: the first law that serves all its elements. */
static hk_status find_groups(packing *k, uint8_t *group_kind, int kinds[2])
{
  hk_count at = 0;
  kinds[0] = kinds[1] = 0;
  for (hk_index g = 0; g < k->groups; g++) {
    int geometry = 0, law = 0;
    unsigned laws = ~0U;
    for (int n = 0; n < k->elements * k->lanes; n++) {
      const hk_index e = element_at(k, g, n);
      if (e < 0) continue;
      geometry = k->geometry[e] > geometry ? k->geometry[e] : geometry;
      laws &= k->laws[k->desc->element_region[e]];
    }
    HK_NEED(laws, HK_BAD_INPUT,
            "spectral elements: no law supports the materials of neighbouring elements together");
    while (!(laws >> law & 1)) law++;
    group_kind[g] = (uint8_t)(geometry + GEOMETRIES * law);
    kinds[is_fluid(k, g)] |= 1 << group_kind[g];
    HK_PASS(hk_narrow(at, "numbers of spectral elements", &k->begin[g]));
    at += (hk_count)lines_of(k, g, group_kind[g]) * k->elements;
  }
  return hk_narrow(at, "numbers of spectral elements", &k->begin[k->groups]);
}

/* line[geometry of the kind] of the element that the map is of. */
static void find_geometry(const packing *k, int geometry, const hk_spectral_map *map, double *line)
{
  const int dim = k->dim, size = dim * dim, side = k->shape->order + 1;
  const int rows = k->shape->nodes / side;
  if (geometry == HK_MAP_CORNERS) {
    for (int v = 0; v < 1 << dim; v++) memcpy(line + v * dim, map->corner[v], (size_t)dim * 8);
    return;
  }
  for (int q = 0; q < (geometry == HK_MAP_AFFINE ? 1 : k->shape->nodes); q++) {
    const double scale =
        sqrt(geometry == HK_MAP_AFFINE ? map->volume[q] / map->weight[q] : map->volume[q]);
    for (int m = 0; m < size; m++) {
      const int row = q / side, i = q % side;
      const int at = geometry == HK_MAP_AFFINE ? m
                     : k->together             ? (i * size + m) * rows + row
                                               : (row * side + i) * size + m;
      line[at] = map->inverse[q * size + m] * scale;
    }
  }
}

/* Of an element; 0 where there is none. */
static void find_parameters(const packing *k, const hk_law *law, hk_index e, double dt,
                            double *parameter)
{
  const size_t size = (size_t)hk_law_parameters(law, k->dim) * sizeof *parameter;
  if (e < 0)
    memset(parameter, 0, size);
  else
    law->pack(&k->desc->region[k->desc->element_region[e]], k->dim, dt, parameter);
}

/* The data of a group; lanes without an element have the geometry of the mesh's first one, and parameters 0. */
static void write_group(const packing *k, hk_index g, int kind, hk_spectral_map *map, double *line,
                        void *data)
{
  const int lines = lines_of(k, g, kind),
            parameters = hk_law_parameters(law_of(k, g, kind), k->dim);
  for (int n = 0; n < k->elements * k->lanes; n++) {
    const hk_index found = element_at(k, g, n), e = found < 0 ? 0 : found;
    if (kind % GEOMETRIES == HK_MAP_CURVED)
      hk_spectral_map_find(k->desc->space->mesh, e, map);
    else
      hk_spectral_map_first(k->desc->space->mesh, e, map);
    find_geometry(k, kind % GEOMETRIES, map, line);
    find_parameters(k, law_of(k, g, kind), found, 0, line + lines - parameters);
    const hk_count first =
        ((hk_count)k->begin[g] + (hk_count)(n / k->lanes) * lines) * k->lanes + n % k->lanes;
    for (int m = 0; m < lines; m++)
      hk_put_real(data, k->desc->double_precision, first + (hk_count)m * k->lanes, line[m]);
  }
}

static hk_status write_data(const packing *k, const uint8_t *group_kind, void *data)
{
  hk_failure failure = {0};
#pragma omp parallel
  {
    hk_spectral_map *map = NULL;
    double *line = NULL;
    hk_status status = hk_new(&map);
    if (status == HK_OK) status = hk_get(&line, 9 * HK_MOST_NODES + HK_MOST_PARAMETERS);
#pragma omp for schedule(static)
    for (hk_index g = 0; g < k->groups; g++)
      if (status == HK_OK) write_group(k, g, group_kind[g], map, line, data);
    hk_free(&map);
    hk_free(&line);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

/* By colours a node is ~node in the first element that comes to it, and wherever it is of padding, whose zeros go to one place. */
static hk_status mark_first(const packing *k, hk_index *surface)
{
  hk_status status = HK_OK;
  const hk_index nodes = k->by->chunk_node[k->by->chunks + 1];
  bool *seen = NULL;
  HK_TRY(hk_get(&seen, nodes));
  for (hk_count q = 0; q < (hk_count)k->by->batches * k->surface * k->lanes; q++) {
    const hk_index i = surface[q];
    if (!seen[i]) surface[q] = ~i;
    seen[i] = i < nodes - 1;
  }
cleanup:
  hk_free(&seen);
  return status;
}

/* Internal nodes of the surfaces; of padding the last one before the inner nodes, which no element of the whole has, and whose force in a part is not
 * summed. */
static void write_surface(const packing *k, hk_index *surface)
{
  const hk_space *space = k->desc->space;
  const int lanes = k->lanes;
  const hk_index nodes = k->by->chunk_node[k->by->chunks + 1], none = nodes ? nodes - 1 : 0;
#pragma omp parallel for schedule(static)
  for (hk_index b = 0; b < k->by->batches; b++)
    for (int l = 0; l < lanes; l++) {
      const hk_index e = k->by->element[(hk_count)b * lanes + l];
      const hk_index *node = e < 0 ? NULL : hk_mesh_nodes_of(space->mesh, e);
      hk_index *to = surface + (hk_count)b * k->surface * lanes + l;
      for (int s = 0; s < k->surface; s++)
        to[s * lanes] = node ? space->node[node[k->shape->lattice[k->place[s]]]] : none;
    }
}

/* Slots of forces, one batch that stays zero, and those of terms. */
static hk_count slots_of(const packing *k)
{
  const hk_count lanes = k->lanes;
  return k->forces + (1 + (k->term_slots + lanes - 1) / lanes) * lanes;
}

/* Whether the element of place q has a node that sums forces: of a part without terms ghosts do not. */
static bool is_summed(const packing *k, const hk_index *surface, hk_count q)
{
  const hk_count lanes = k->lanes;
  return k->by->element[q / (k->surface * lanes) * lanes + q % lanes] >= 0 &&
         surface[q] < k->listed;
}

/* Where the k-th place of node i lies. */
static hk_count entry_of(const packing *k, const hk_index *begin, hk_index i, hk_index place)
{
  return ((hk_count)begin[i / k->width] + place) * k->width + i % k->width;
}

/* The first place of the t-th group. */
static hk_count group_place(const packing *k, hk_index t)
{
  return (hk_count)(k->by->turn ? k->by->turn[t] : t) * k->by->group * k->surface * k->lanes;
}

/* Counts the slots of elements that each node sums, or lists them where `to` is given: t * size of a group + place in it, in any order. */
static void each_slot(const packing *k, const hk_index *surface, hk_index *length,
                      const hk_index *begin, hk_index *to)
{
  const hk_index groups = k->by->coloured ? 0 : k->by->batches / k->by->group;
  const hk_count size = (hk_count)k->by->group * k->surface * k->lanes;
#pragma omp parallel for schedule(static)
  for (hk_index t = 0; t < groups; t++)
    for (hk_count m = 0, first = group_place(k, t); m < size; m++) {
      if (!is_summed(k, surface, first + m)) continue;
      const hk_index i = surface[first + m],
                     place = __atomic_fetch_add(&length[i], 1, __ATOMIC_RELAXED);
      if (to) to[entry_of(k, begin, i, place)] = (hk_index)(t * size + m);
    }
}

/* The slots that each node sums: ascending, of a part in the order of the whole. */
static void sort_slots(const packing *k, const hk_index *length, const hk_index *begin,
                       hk_index *to)
{
  const hk_count size = (hk_count)k->by->group * k->surface * k->lanes, lanes = k->lanes;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < k->listed; i++) {
    for (hk_index n = 1; n < length[i]; n++) {
      const hk_index own = to[entry_of(k, begin, i, n)];
      hk_index m = n;
      for (; m > 0 && to[entry_of(k, begin, i, m - 1)] > own; m--)
        to[entry_of(k, begin, i, m)] = to[entry_of(k, begin, i, m - 1)];
      to[entry_of(k, begin, i, m)] = own;
    }
    for (hk_index n = 0; n < length[i]; n++) {
      hk_index *at = &to[entry_of(k, begin, i, n)];
      const hk_count q = group_place(k, (hk_index)(*at / size)) + *at % size;
      *at = (hk_index)(q / lanes * lanes * k->state + q % lanes);
    }
  }
}

/* Which slots each node sums, ascending; by colours beside its own. */
static hk_status write_slots(packing *k, const hk_index *surface, hk_buffer **buffer)
{
  hk_status status = HK_OK;
  hk_staged slice = {0}, from = {0};
  hk_device *device = k->desc->device;
  const hk_index nodes = k->listed, slices = nodes / k->width;
  const hk_count lanes = k->lanes;
  hk_index *length = NULL, none;
  HK_TRY(hk_narrow(slots_of(k) * k->state, "forces of surfaces", &none));
  none = (hk_index)(k->forces * k->state);
  HK_TRY(hk_get(&length, nodes));
  each_slot(k, surface, length, NULL, NULL);
  for (hk_count p = 0; p < k->term_slots; p++) length[k->term_node[p]]++;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < nodes; i++)
    if (k->together) length[i] += length[i] % 2; /* two at once: SLOTS_AT_ONCE */
  HK_TRY(hk_staged_open(device, (slices + 1) * 4LL, &buffer[HK_SPECTRAL_SLICE], &slice));
  hk_index *begin = slice.place;
  HK_TRY(hk_sliced_offsets(length, nodes, k->width, begin));
  const hk_count entries = (hk_count)begin[slices] * k->width;
  HK_TRY(hk_staged_open(device, entries * 4, &buffer[HK_SPECTRAL_FROM], &from));
  hk_index *to = from.place;
#pragma omp parallel for schedule(static)
  for (hk_count p = 0; p < entries; p++) to[p] = none;
  memset(length, 0, (size_t)nodes * sizeof *length);
  each_slot(k, surface, length, begin, to);
  sort_slots(k, length, begin, to);
  for (hk_count p = 0; p < k->term_slots; p++) {
    const hk_index i = k->term_node[p];
    to[((hk_count)begin[i / k->width] + length[i]++) * k->width + i % k->width] =
        (hk_index)(k->first_slot + p / lanes * lanes * k->state + p % lanes);
  }
  HK_TRY(hk_staged_send(&slice));
  HK_TRY(hk_staged_send(&from));
cleanup:
  hk_free(&length);
  hk_staged_close(&slice);
  hk_staged_close(&from);
  return status;
}

static hk_status fill(packing *k, const uint8_t *group_kind, hk_buffer **buffer)
{
  hk_status status = HK_OK;
  hk_staged group = {0}, surface = {0}, data = {0};
  hk_device *device = k->desc->device;
  const hk_count real = k->desc->double_precision ? 8 : 4, lanes = k->lanes;
  const hk_count all = (hk_count)k->by->batches * k->surface * lanes;
  HK_TRY(hk_staged_open(device, k->groups * 8LL, &buffer[HK_SPECTRAL_GROUP], &group));
  HK_TRY(hk_staged_open(device, all * 4, &buffer[HK_SPECTRAL_SURFACE], &surface));
  HK_TRY(
      hk_staged_open(device, k->begin[k->groups] * lanes * real, &buffer[HK_SPECTRAL_DATA], &data));
  hk_index *line = group.place;
  for (hk_index g = 0; g < k->groups; g++)
    line[2 * g] = group_kind[g], line[2 * g + 1] = k->begin[g];
  write_surface(k, surface.place);
  k->first_slot = (hk_index)((k->forces + lanes) * k->state);
  HK_TRY(hk_terms_slots(&k->desc->terms, k->desc->space, &k->term_slots, &k->term_node));
  k->listed = k->term_slots && k->desc->space->whole ? k->desc->space->padded
                                                     : k->by->chunk_node[k->by->chunks + 1];
  HK_TRY(hk_buffer_create(device, slots_of(k) * k->state * real, &buffer[HK_SPECTRAL_SLOT]));
  HK_TRY(write_slots(k, surface.place, buffer));
  if (k->by->coloured) HK_TRY(mark_first(k, surface.place));
  HK_TRY(write_data(k, group_kind, data.place));
  HK_TRY(hk_staged_send(&group));
  HK_TRY(hk_staged_send(&surface));
  HK_TRY(hk_staged_send(&data));
cleanup:
  hk_staged_close(&group);
  hk_staged_close(&surface);
  hk_staged_close(&data);
  return status;
}

static void begin(const hk_operator_desc *desc, int elements, packing *k)
{
  k->desc = desc, k->by = desc->space->interior, k->dim = desc->space->dim;
  k->shape = hk_element_of(desc->space->mesh->block[0].shape);
  k->lanes = k->by->lanes, k->elements = elements;
  k->together = hk_device_has_groups(hk_device_describe(desc->device));
  k->groups = k->by->batches / elements;
}

/* Of one batch of elements, which lie behind its geometry; all[HK_MOST_PARAMETERS][lanes] is overwritten. */
static hk_status send_parameters(const packing *k, hk_index group, int batch, int kind,
                                 hk_index first, double dt, double *all, hk_buffer *data)
{
  const hk_law *law = law_of(k, group, kind);
  const int lines = lines_of(k, group, kind), parameters = hk_law_parameters(law, k->dim);
  double own[HK_MOST_PARAMETERS];
  for (int l = 0; l < k->lanes; l++) {
    find_parameters(k, law, element_at(k, group, batch * k->lanes + l), dt, own);
    for (int m = 0; m < parameters; m++) all[m * k->lanes + l] = own[m];
  }
  const hk_count at = (hk_count)first + (hk_count)(batch + 1) * lines - parameters;
  return hk_buffer_write_reals(data, k->desc->double_precision, at * k->lanes,
                               (hk_count)parameters * k->lanes, all);
}

hk_status hk_spectral_set_parameters(const hk_operator_desc *desc, int elements, double dt,
                                     hk_buffer **buffer)
{
  hk_status status = HK_OK;
  packing k = {0};
  hk_index *group = NULL;
  double *all = NULL;
  begin(desc, elements, &k);
  HK_TRY(hk_get(&group, 2 * k.groups));
  HK_TRY(hk_get(&all, (hk_count)HK_MOST_PARAMETERS * k.lanes));
  HK_TRY(hk_buffer_read(buffer[HK_SPECTRAL_GROUP], 0, k.groups * 8LL, group));
  for (hk_index g = 0; g < k.groups; g++)
    for (int batch = 0; batch < elements; batch++)
      HK_TRY(send_parameters(&k, g, batch, group[2 * g], group[2 * g + 1], dt, all,
                             buffer[HK_SPECTRAL_DATA]));
cleanup:
  hk_free(&group);
  hk_free(&all);
  return status;
}

hk_status hk_spectral_pack(const hk_operator_desc *desc, int elements, hk_buffer **buffer,
                           int kinds[2], hk_index *first_slot)
{
  hk_status status = HK_OK;
  packing *k = NULL;
  uint8_t *group_kind = NULL;
  HK_TRY(hk_new(&k));
  begin(desc, elements, k);
  k->width = hk_device_describe(desc->device)->width;
  k->surface = hk_spectral_surface(k->dim, k->shape->order);
  k->state = desc->space->components;
  k->forces = k->by->coloured ? k->by->chunk_node[k->by->chunks + 1]
                              : (hk_count)k->by->batches * k->surface * k->lanes;
  find_places(k);
  HK_TRY(find_laws(k));
  HK_TRY(hk_get(&k->geometry, desc->space->mesh->element_count));
  HK_TRY(hk_get(&k->begin, k->groups + 1));
  HK_TRY(hk_get(&group_kind, k->groups));
  HK_TRY(hk_spectral_classes(desc->space->mesh, k->geometry));
  HK_TRY(find_groups(k, group_kind, kinds));
  HK_TRY(fill(k, group_kind, buffer));
  *first_slot = k->first_slot;
cleanup:
  if (k) {
    hk_free(&k->laws);
    hk_free(&k->geometry);
    hk_free(&k->term_node);
    hk_free(&k->begin);
  }
  hk_free(&group_kind);
  hk_free(&k);
  return status;
}
