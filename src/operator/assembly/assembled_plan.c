/* The memory of the form `assembled`, before it is made. The entries of K are the pairs of nodes that share an element: counted exactly where
 * asked, else from the mean number of neighbours of each shape (families of order p: those of a regular mesh). The sum contains the lists of
 * neighbours (A.4), element matrices, integrated in chunks of rows, laws, tables of shape functions, matrices that the host
 * integrates, and the values of K. Elements between chunks are in several: counted too, else about OVERLAP. */
#include "element/element.h"
#include "operator/assembly/assembled.h"
#include "graph/adjacency.h"
#include "operator/assembly/parts.h"
#include "operator/element/element_of.h"
#include "operator/element/lumped.h"
#include "operator/list.h"
#include <math.h>
#include <omp.h>
#include <string.h>

/* Mean nodes that share an element with one, itself counted (jittered grids, Delaunay meshes, whichever is more). */
static const double mean[HK_SHAPE_COUNT] = {
    [HK_TRI3] = 7.3,    [HK_TRI6] = 11.8,  [HK_QUAD4] = 9.2, [HK_QUAD8] = 15.5, [HK_QUAD9] = 16.2,
    [HK_TET4] = 15.7,   [HK_TET10] = 29,   [HK_HEX8] = 26.3, [HK_HEX20] = 51,   [HK_HEX27] = 65,
    [HK_WEDGE6] = 21.5, [HK_WEDGE15] = 41, [HK_WEDGE18] = 45};
/* Of families: by the nodes in vertices, edges, faces and interior of a regular mesh. */
static double mean_row(hk_shape shape)
{
  if (hk_shape_listed(shape)) return mean[shape];
  const hk_element *e = hk_element_of(shape);
  const double p = e->order, line = p + 2,
               triangle = (3 * p * p + 3 * p + 1 + 3 * (p - 1) * (p + 1) * (p + 1) +
                           (p - 1) * (p - 2) * (p + 1) * (p + 2) / 2) /
                          (p * p);
  return e->vertices == 6 ? triangle * line : e->dim == 2 ? line * line : line * line * line;
}

static const double OVERLAP = 1.15;

typedef struct counts {
  const hk_device *device;
  double nodes, elements, entries, around,
      given,           /* entries: of K in pairs of nodes; around: of the element lists */
      places;          /* reals of the matrices of `given`, where they have several sizes; else 0 */
  double laws, tables; /* reals of laws, and of the integrands */
  double fullest,
      listed; /* elements in the fullest chunk of rows, and in all chunks; 0: not counted */
  int dim, components, stride, size, real; /* size: reals of the largest element matrix */
  bool fans;
} counts;

/* Element matrices that the device integrates; their chunks, as assembly.c divides them. */
static double own_of(const counts *k)
{
  return k->fans ? 0 : k->elements - k->given;
}

static double chunks_of(const counts *k)
{
  const double bytes = k->elements * k->size * k->real;
  return fmin(fmax(1, ceil(bytes / (double)hk_assembly_scratch(k->device))), k->nodes);
}

/* Elements whose matrices wait at a time, and those in the lists of all chunks. */
static double waiting_of(const counts *k)
{
  const double chunks = chunks_of(k);
  return k->fullest > 0 ? k->fullest : (chunks > 1 ? OVERLAP : 1) * own_of(k) / chunks;
}

static double listed_of(const counts *k)
{
  return k->fullest > 0 ? k->listed : (chunks_of(k) > 1 ? OVERLAP : 1) * own_of(k);
}

static hk_count bytes_of(const counts *k)
{
  const double pairs = (double)k->components * k->components,
               neighbours = 4.0 * k->elements * k->stride + 16 * (k->nodes + 1) + 6 * k->around +
                            4 * k->entries,
               items = k->nodes > k->elements ? k->nodes : k->elements,
               lists = 12 * k->elements + 2 * k->around * k->stride + 8 * k->nodes * k->dim +
                       sizeof(int32_t) * HK_ABOUT + 4,
               values = k->real *
                        (k->entries * pairs + (k->places > 0 ? k->places : k->given * k->size) +
                         k->laws + k->tables);
  double sum = neighbours + (double)hk_scan_plan(k->device, (hk_count)items) + lists + values;
  if (k->fans) return (hk_count)sum;
  sum += waiting_of(k) * k->size * k->real + 4 * listed_of(k);
  return (hk_count)(sum + 4 * k->around);
}

/* What a mesh says. */
static counts count_mesh(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                         int components, bool solid)
{
  counts k = {.device = device,
              .nodes = (double)mesh->node_count,
              .elements = (double)mesh->element_count,
              .dim = mesh->dim,
              .components = components,
              .real = double_precision ? 8 : 4,
              .laws = HK_LAW,
              .fans = solid};
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_element *element = hk_element_of(block->shape);
    const double corners = (double)block->count * block->nodes;
    const int width = block->nodes * components;
    k.entries += corners * mean_row(block->shape);
    k.around += corners;
    if (!hk_shape_listed(block->shape))
      k.given += (double)block->count; /* the host integrates them */
    if (!hk_shape_listed(block->shape) && hk_assembly_mixes(mesh))
      k.places += (double)block->count * width * width;
    k.fans = k.fans && element->simplex && element->order == 1;
    if (block->nodes > k.stride) k.stride = block->nodes;
    if (width * width > k.size) k.size = width * width;
  }
  k.entries *= k.nodes / (k.around > 0 ? k.around : 1);
  return k;
}

hk_count hk_assembled_guess(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const counts k = count_mesh(mesh, device, double_precision, mesh->dim, true);
  return bytes_of(&k);
}

/* Of one block. used[region]: some element has it; *laws: the most regions so far. */
static hk_count count_block(const hk_operator_desc *on, const hk_block *block, bool *used,
                            int *laws)
{
  hk_count given = 0;
  int most = *laws;
#pragma omp parallel for schedule(static) reduction(+ : given) reduction(max : most)
  for (hk_count e = block->first; e < block->first + block->count; e++) {
    const int r = on->element_region[e];
    if (r < 0) continue;
    if (r >= most) most = r + 1;
    if (!__atomic_load_n(&used[r],
                         __ATOMIC_RELAXED)) /* threads share its line: they write it once */
      __atomic_store_n(&used[r], true, __ATOMIC_RELAXED);
    given += !hk_operator_plain(on, e);
  }
  *laws = most;
  return given;
}

/* Laws, tables of shape functions, matrices that the host integrates. */
static hk_status count_elements(const hk_operator_desc *on, counts *k)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = on->space->mesh;
  const hk_count regions = hk_element_regions(mesh, on->element_region);
  bool *used = NULL;
  const bool conducts = !hk_space_solid(on->space);
  const hk_rule *seen[HK_MOST_INTEGRANDS];
  const hk_element *of[HK_MOST_INTEGRANDS];
  int found = 0, laws = 0;
  hk_count springs;
  hk_springs_in(on, &springs);
  HK_TRY(hk_get(&used, regions));
  k->given = 0;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_element *element = hk_element_of(mesh->block[b].shape);
    memset(used, 0, (size_t)regions * sizeof *used);
    k->given += (double)count_block(on, &mesh->block[b], used, &laws);
    for (int r = 0; r < laws && hk_shape_listed(element->shape); r++) {
      if (!used[r]) continue;
      const hk_region *region = &on->region[r];
      const hk_rule *rule = hk_element_rule(
          element, conducts ? hk_conduction_integration(element, region) : region->integration);
      int i = 0;
      while (i < found && (of[i] != element || seen[i] != rule)) i++;
      if (i < found) continue;
      of[found] = element, seen[found++] = rule;
      k->tables += (double)rule->points * (element->nodes * (element->dim + 1) + 1);
    }
  }
  k->given += (double)springs;
  k->elements += (double)springs;
  k->around += 2 * (double)springs;
  k->laws = (double)laws * HK_LAW;
  k->fans = k->fans && k->given == 0;
cleanup:
  hk_free(&used);
  return status;
}

enum { FEW = 4096 }; /* one thread alone counts more chunks */

typedef struct counter {
  const hk_operator_desc *on;
  hk_index *chunk;  /* chunk[padded] of a row */
  hk_count *inside; /* inside[threads][chunks] */
} counter;

/* An element that the device integrates is in the chunks of its nodes: their number. */
static int count_element(const counter *c, hk_count e, hk_count *inside)
{
  const hk_index *node = hk_mesh_nodes_of(c->on->space->mesh, e);
  const int nodes = hk_mesh_block_of(c->on->space->mesh, e)->nodes;
  int listed = 0;
  for (int n = 0; n < nodes; n++) {
    const hk_index chunk = c->chunk[c->on->space->node[node[n]]];
    bool seen = false;
    for (int m = 0; m < n && !seen; m++) seen = c->chunk[c->on->space->node[node[m]]] == chunk;
    if (!seen) inside[chunk]++, listed++;
  }
  return listed;
}

/* Chunk c of C has the rows from padded c / C on. Groups of a few rows, which are whole in assembly.c, are neglected. */
static hk_status count_chunks(const hk_operator_desc *on, counts *k)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  counter c = {.on = on};
  const hk_count chunks = (hk_count)chunks_of(k), rows = on->space->padded;
  const int threads = chunks > FEW ? 1 : omp_get_max_threads();
  hk_count listed = 0;
  HK_TRY(hk_pool_get(&pool, &c.chunk, rows));
  HK_TRY(hk_pool_get(&pool, &c.inside, threads * chunks));
  for (hk_count at = 0; at < chunks; at++)
    for (hk_count i = rows * at / chunks; i < rows * (at + 1) / chunks; i++)
      c.chunk[i] = (hk_index)at;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : listed)
  for (hk_count e = 0; e < on->space->mesh->element_count; e++)
    if (on->element_region[e] >= 0 && hk_operator_plain(on, e))
      listed += count_element(&c, e, c.inside + omp_get_thread_num() * chunks);
  k->listed = (double)listed;
  for (hk_count at = 0; at < chunks; at++) {
    for (int t = 1; t < threads; t++) c.inside[at] += c.inside[t * chunks + at];
    k->fullest = fmax(k->fullest, (double)c.inside[at]);
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status count_all(const hk_operator_desc *on, bool exact, counts *k)
{
  *k = count_mesh(on->space->mesh, on->device, on->double_precision, on->space->components,
                  hk_space_solid(on->space));
  HK_PASS(count_elements(on, k));
  if (exact) HK_PASS(hk_adjacency_count(on->space->mesh, &k->entries));
  k->nodes = on->space->padded;
  return exact && !k->fans ? count_chunks(on, k) : HK_OK;
}

hk_status hk_assembled_plan(const hk_operator_desc *on, bool exact, hk_assembled_room *out)
{
  hk_count springs;
  counts k;
  HK_PASS(count_all(on, exact, &k));
  const double own = own_of(&k), waiting = waiting_of(&k);
  out->waiting = waiting * k.size * k.real;
  out->most_waiting =
      own > 0 ? waiting * chunks_of(&k) / own * (double)hk_assembly_scratch(k.device) : 0;
  hk_springs_in(on, &springs), k.entries += 2 * (double)springs;
  out->bytes = bytes_of(&k);
  return HK_OK;
}
