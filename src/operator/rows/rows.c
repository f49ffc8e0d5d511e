/* Rows of the assembled K for the nodes of one patch at a time, on the host, patches in parallel. find_nodes and find_rows make the pattern
 * (kept between the passes, bytes permitting), find_blocks integrates each element that touches the patch once and adds its blocks in
 * ascending order of elements; inside a patch only the lower triangle is summed and mirrored, so that K_ji = K_ij^T exactly. */
#include "operator/rows/rows.h"
#include "element/element.h"
#include "operator/element/element_of.h"
#include "operator/element/lumped.h"
#include "operator/element/stiffness.h"
#include "operator/rows/shelf.h"
#include "operator/rows/touched.h"
#include <omp.h>
#include <string.h>

/* Elements of a patch lie far apart in the mesh's arrays, which are asked for so many elements ahead.
 */
enum { AHEAD = 16 };

typedef struct pattern { /* of one patch, kept between the passes */
  hk_index halos;
  void *piece; /* of the shelf: halo[halos], begin[count + 1]; in 16 bits node, column */
} pattern;

struct hk_matrix {
  hk_operator_desc desc;
  int region; /* of all elements; -1: they have several */
  hk_touched touched;
  hk_shelf *shelf;
  pattern *pattern;   /* pattern[patches] */
  hk_slopes **slopes; /* slopes[mesh block][full, reduced (NULL where that is not for
                         hk_isotropic_add)] */
  hk_pool pool;       /* pattern and slopes */
};

/* Regions in random order are read from memory for each element, which one of all spares. */
static int only_region(const hk_operator_desc *desc)
{
  const hk_count elements = desc->space->mesh->element_count;
  const hk_index *region = desc->element_region;
  bool same = elements > 0;
#pragma omp parallel for schedule(static) reduction(&& : same)
  for (hk_count e = 1; e < elements; e++) same = same && region[e] == region[0];
  return same ? region[0] : -1;
}

hk_status hk_matrix_create(const hk_operator_desc *desc, hk_matrix **out)
{
  hk_status status = HK_OK;
  const int before = hk_clock_begin("patterns");
  hk_matrix *m = NULL;
  const hk_mesh *mesh = desc->space->mesh;
  HK_TRY(hk_new(&m));
  m->desc = *desc, m->region = only_region(desc);
  HK_TRY(hk_touched_find(desc->space, &m->touched));
  HK_TRY(hk_shelf_create(hk_device_describe(desc->device)->threads, &m->shelf));
  HK_TRY(hk_pool_get(&m->pool, &m->pattern, desc->space->patches));
  HK_TRY(hk_pool_get(&m->pool, &m->slopes, 2 * mesh->block_count));
  for (int b = 0; b < 2 * mesh->block_count; b++) {
    const hk_element *element = hk_element_of(mesh->block[b / 2].shape);
    if ((b % 2 && element->order == 1) || !hk_shape_listed(element->shape)) continue;
    HK_TRY(hk_pool_get(&m->pool, &m->slopes[b], 1));
    hk_slopes_find(element, b % 2 ? HK_INTEGRATION_REDUCED : HK_INTEGRATION_FULL, m->slopes[b]);
  }
  *out = m, m = NULL;
cleanup:
  hk_clock_end(before);
  hk_matrix_destroy(&m);
  return status;
}

hk_count hk_matrix_plan(const hk_mesh *mesh)
{
  hk_count entries = mesh->node_count + 1;
  for (int b = 0; b < mesh->block_count; b++)
    entries += mesh->block[b].count * mesh->block[b].nodes;
  return entries * (hk_count)sizeof(hk_index);
}

void hk_matrix_destroy(hk_matrix **matrix)
{
  hk_matrix *m = *matrix;
  if (!m) return;
  hk_shelf_destroy(&m->shelf);
  hk_touched_clear(&m->touched);
  hk_pool_clear(&m->pool);
  hk_free(matrix);
}

/* The elements of patches take about half of the plan, their patterns three times as much. */
hk_count hk_matrix_making(const hk_mesh *mesh, hk_count planned)
{
  const hk_count plan = hk_matrix_plan(mesh), first = 2 * plan - planned;
  return first > plan / 2 ? first : plan / 2;
}

static void patch_destroy(hk_matrix_patch **patch)
{
  hk_matrix_patch *p = *patch;
  if (!p) return;
  hk_local_destroy(&p->local);
  hk_pool_clear(&p->pool);
  hk_free(patch);
}

static hk_status patch_create(const hk_matrix *matrix, hk_matrix_patch **out)
{
  hk_status status = HK_OK;
  hk_matrix_patch *p = NULL;
  HK_TRY(hk_new(&p));
  p->matrix = matrix;
  HK_TRY(hk_local_create(&p->local));
  HK_TRY(hk_pool_get(&p->pool, &p->begin, matrix->desc.space->patch + 1));
  HK_TRY(hk_pool_get(&p->pool, &p->around_begin, matrix->desc.space->patch + 2));
  HK_TRY(hk_pool_get(&p->pool, &p->diagonal, matrix->desc.space->patch));
  *out = p, p = NULL;
cleanup:
  patch_destroy(&p);
  return status;
}

static const hk_index *nodes_of(const hk_mesh *mesh, hk_index e, hk_index *count)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  *count = block->nodes;
  return block->node + (e - block->first) * block->nodes;
}

static hk_status find_starts(hk_matrix_patch *p)
{
  const hk_mesh *mesh = p->matrix->desc.space->mesh;
  HK_PASS(hk_pool_room(&p->pool, &p->start, p->elements + 1));
  p->start[0] = 0;
  for (hk_index k = 0; k < p->elements; k++)
    p->start[k + 1] = p->start[k] + hk_mesh_block_of(mesh, p->element[k])->nodes;
  return hk_pool_room(&p->pool, &p->node, p->start[p->elements]);
}

/* Asks for the nodes of an element that comes later, and for the numbers of those of one that comes sooner. */
static void ask_ahead(const hk_matrix_patch *p, hk_index k)
{
  const hk_space *space = p->matrix->desc.space;
  hk_index count;
  if (k + 2 * AHEAD < p->elements)
    __builtin_prefetch(nodes_of(space->mesh, p->element[k + 2 * AHEAD], &count));
  if (k + AHEAD >= p->elements) return;
  const hk_index *node = nodes_of(space->mesh, p->element[k + AHEAD], &count);
  for (hk_index n = 0; n < count; n++) __builtin_prefetch(&space->node[node[n]]);
}

/* node: of those elements, in local numbers. */
static hk_status find_nodes(hk_matrix_patch *p)
{
  const hk_space *space = p->matrix->desc.space;
  hk_index count;
  HK_PASS(hk_pool_room(&p->pool, &p->work, p->start[p->elements]));
  for (hk_index k = 0; k < p->elements; k++) {
    const hk_index *of = nodes_of(space->mesh, p->element[k], &count);
    ask_ahead(p, k);
    for (hk_index n = p->start[k]; n < p->start[k + 1]; n++) {
      p->work[n] = space->node[*of++];
      HK_PASS(hk_local_add(p->local, p->work[n]));
    }
  }
  HK_NEED(p->local->count + p->local->halos <= 1 << 16, HK_NO_RESOURCES,
          "%d nodes have %d neighbours, more than the assembled forms support; use --set "
          "solve.explicit.method=matrix-free",
          p->count, p->local->halos);
  HK_PASS(hk_local_finish(p->local, space->order));
  for (hk_index n = 0; n < p->start[p->elements]; n++)
    p->node[n] = (uint16_t)hk_local_find(p->local, p->work[n]);
  return HK_OK;
}

/* around: positions in `element`, ascending. */
static hk_status find_around(hk_matrix_patch *p)
{
  hk_index *next = p->around_begin;
  memset(next, 0, (size_t)(p->count + 2) * sizeof *next);
  for (hk_index n = 0; n < p->start[p->elements]; n++)
    if (p->node[n] < p->count) next[p->node[n] + 2]++;
  for (hk_index i = 0; i < p->count; i++) next[i + 2] += next[i + 1];
  HK_PASS(hk_pool_room(&p->pool, &p->around, next[p->count + 1]));
  for (hk_index k = 0; k < p->elements; k++)
    for (hk_index n = p->start[k]; n < p->start[k + 1]; n++)
      if (p->node[n] < p->count) p->around[next[p->node[n] + 1]++] = k;
  return HK_OK;
}

/* begin and column: the nodes of all elements around each node, gathered in a set of bits. */
static hk_status find_rows(hk_matrix_patch *p)
{
  const hk_index words = (p->local->count + p->local->halos + 63) / 64;
  HK_PASS(hk_pool_room(&p->pool, &p->set, words));
  memset(p->set, 0, (size_t)words * sizeof *p->set);
  hk_index used = 0;
  for (hk_index i = 0; i < p->count; i++) {
    hk_count room = used;
    for (hk_index c = p->around_begin[i]; c < p->around_begin[i + 1]; c++) {
      const hk_index k = p->around[c];
      for (hk_index n = p->start[k]; n < p->start[k + 1]; n++)
        p->set[p->node[n] / 64] |= (uint64_t)1 << p->node[n] % 64;
      room += p->start[k + 1] - p->start[k];
    }
    HK_PASS(hk_pool_room(&p->pool, &p->column, room));
    p->begin[i] = used;
    for (hk_index w = 0; w < words; w++) {
      for (uint64_t bits = p->set[w]; bits; bits &= bits - 1)
        p->column[used++] = (uint16_t)(w * 64 + __builtin_ctzll(bits));
      p->set[w] = 0;
    }
  }
  p->begin[p->count] = used;
  return HK_OK;
}

static hk_status keep(const hk_matrix_patch *p, pattern *to)
{
  const hk_index entries = p->begin[p->count], nodes = p->start[p->elements];
  const hk_count numbers = (hk_count)p->local->halos + p->count + 1;
  to->halos = p->local->halos;
  HK_PASS(hk_shelf_put(p->matrix->shelf, omp_get_thread_num(),
                       numbers * (hk_count)sizeof(hk_index) +
                           ((hk_count)nodes + entries) * (hk_count)sizeof(uint16_t),
                       &to->piece));
  hk_index *list = to->piece;
  uint16_t *local = (uint16_t *)(list + numbers);
  if (to->halos) memcpy(list, p->local->halo, (size_t)to->halos * sizeof *list);
  memcpy(list + to->halos, p->begin, (size_t)(p->count + 1) * sizeof *list);
  memcpy(local, p->node, (size_t)nodes * sizeof *local);
  memcpy(local + nodes, p->column, (size_t)entries * sizeof *local);
  return HK_OK;
}

static hk_status recall(hk_matrix_patch *p, pattern *from)
{
  const hk_index *halo = from->piece, *begin = halo + from->halos;
  const uint16_t *local = (const uint16_t *)(begin + p->count + 1);
  memcpy(p->begin, begin, (size_t)(p->count + 1) * sizeof *begin);
  for (hk_index h = 0; h < from->halos; h++) HK_PASS(hk_local_add(p->local, halo[h]));
  HK_PASS(hk_local_finish(p->local, p->matrix->desc.space->order));
  HK_PASS(find_starts(p));
  const hk_index nodes = p->start[p->elements], entries = p->begin[p->count];
  HK_PASS(hk_pool_room(&p->pool, &p->column, entries));
  memcpy(p->node, local, (size_t)nodes * sizeof *p->node);
  memcpy(p->column, local + nodes, (size_t)entries * sizeof *p->column);
  hk_shelf_drop(&from->piece);
  return HK_OK;
}

static hk_status find_pattern(hk_matrix_patch *p, pattern *out)
{
  HK_PASS(find_starts(p));
  HK_PASS(find_nodes(p));
  HK_PASS(find_around(p));
  HK_PASS(find_rows(p));
  return keep(p, out);
}

/* Of a row without entries, padding, the place where it would be. */
static hk_index find_diagonal(const hk_matrix_patch *p, hk_index i)
{
  hk_index q = p->begin[i];
  while (q < p->begin[i + 1] && p->column[q] != i) q++;
  return q;
}

/* Entry in columns [low, end) that holds the column; halving without branches. */
static hk_index find_column(const hk_matrix_patch *p, hk_index low, hk_index end, hk_index column)
{
  hk_index count = end - low;
  while (count > 1) {
    const hk_index half = count / 2;
    low = p->column[low + half] <= column ? low + half : low;
    count -= half;
  }
  return low;
}

static hk_status find_coordinates(hk_matrix_patch *p)
{
  const hk_space *space = p->matrix->desc.space;
  const int dim = space->dim;
  const hk_index nodes = p->local->count + p->local->halos;
  HK_PASS(hk_pool_room(&p->pool, &p->x, (hk_count)nodes * dim));
  for (hk_index j = 0; j < nodes; j++) {
    const hk_index node = space->mesh_node[hk_local_node(p->local, j)];
    if (j + AHEAD < nodes) {
      const hk_index later = space->mesh_node[hk_local_node(p->local, j + AHEAD)];
      if (later >= 0) __builtin_prefetch(space->mesh->x + (hk_count)later * dim);
    }
    if (node >= 0)
      memcpy(p->x + (hk_count)j * dim, space->mesh->x + (hk_count)node * dim,
             (size_t)dim * sizeof *p->x);
  }
  return HK_OK;
}

typedef struct region_law {
  const hk_region *region;
  double lambda, mu;
  bool isotropic;
} region_law;

static void find_law(const hk_matrix *m, int region, region_law *law)
{
  const hk_region *r = &m->desc.region[region];
  const int dim = m->desc.space->dim;
  law->region = r;
  law->isotropic = !hk_region_is_spatial(r, dim) && hk_region_lame(r, dim, &law->lambda, &law->mu);
  if (dim == 2) law->lambda *= r->thickness, law->mu *= r->thickness;
}

/* Of one component per node: the entries of a row, both of a pair inside the patch. */
static hk_status add_scalar(hk_matrix_patch *p, hk_index k)
{
  const hk_index nodes = p->start[k + 1] - p->start[k];
  const uint16_t *node = p->node + p->start[k];
  double of[HK_LISTED_NODES * HK_LISTED_NODES];
  HK_PASS(hk_operator_element(&p->matrix->desc, p->element[k], of));
  for (hk_index i = 0; i < nodes; i++)
    for (hk_index j = 0; j < nodes && node[i] < p->count; j++)
      p->block[find_column(p, p->begin[node[i]], p->begin[node[i] + 1], node[j])] +=
          of[i * nodes + j];
  return HK_OK;
}

/* Of families, whose matrices are too large for the stack of a thread: the pairs of add_element. A fluid beside solids has component 0 alone. */
static hk_status add_family(hk_matrix_patch *p, hk_index k)
{
  const hk_index nodes = p->start[k + 1] - p->start[k];
  const uint16_t *node = p->node + p->start[k];
  const hk_operator_desc *desc = &p->matrix->desc;
  const bool fluid = hk_region_is_scalar(&desc->region[desc->element_region[p->element[k]]]);
  const int dim = desc->space->components, own = fluid ? 1 : dim, size = nodes * own;
  HK_PASS(hk_pool_room(&p->pool, &p->of, (hk_count)size * size));
  HK_PASS(hk_operator_element(&p->matrix->desc, p->element[k], p->of));
  for (hk_index i = 0; i < nodes; i++)
    for (hk_index j = 0; j < nodes && node[i] < p->count; j++) {
      if (node[j] < node[i]) continue;
      const hk_index row = node[i];
      double *to =
          p->block +
          (hk_count)find_column(p, p->diagonal[row], p->begin[row + 1], node[j]) * (dim * dim);
      for (int c = 0; c < own; c++)
        for (int d = 0; d < own; d++)
          to[c * dim + d] += p->of[(hk_count)(i * own + c) * size + j * own + d];
    }
  return HK_OK;
}

/* Of a pair inside the patch the block of the lower row alone: mirror() makes the other. */
static hk_status add_element(hk_matrix_patch *p, hk_index k, const region_law *law)
{
  const hk_mesh *mesh = p->matrix->desc.space->mesh;
  const hk_block *block = hk_mesh_block_of(mesh, p->element[k]);
  const int dim = mesh->dim, nodes = block->nodes, components = p->matrix->desc.space->components;
  const uint16_t *node = p->node + p->start[k];
  if (!hk_shape_listed(block->shape)) return add_family(p, k);
  double x[HK_LISTED_NODES * 3], *to[HK_LISTED_NODES * HK_LISTED_NODES];
  for (int i = 0; i < nodes; i++) {
    const hk_index row = node[i];
    for (int c = 0; c < dim; c++) x[i * dim + c] = p->x[row * dim + c];
    for (int j = 0; j < nodes; j++)
      to[i * nodes + j] =
          row >= p->count || node[j] < row
              ? NULL
              : p->block + (hk_count)find_column(p, p->diagonal[row], p->begin[row + 1], node[j]) *
                               (components * components);
  }
  const hk_element *element = hk_element_of(block->shape);
  const bool reduced = element->order > 1 && law->region->integration == HK_INTEGRATION_REDUCED;
  const bool good = law->isotropic && hk_element_plain(law->region, element)
                        ? hk_isotropic_add(p->matrix->slopes[2 * (block - mesh->block) + reduced],
                                           x, law->lambda, law->mu, to)
                        : hk_stiffness_add(law->region, element, x, to);
  return good ? HK_OK : hk_element_folded(mesh, p->element[k]);
}

/* K_ji = K_ij^T inside the patch; rows are ascending, so that row j meets the pairs in the order of
 * i. */
static void mirror(hk_matrix_patch *p, int dim)
{
  hk_index *next = p->work;
  memcpy(next, p->begin, (size_t)p->count * sizeof *next);
  for (hk_index i = 0; i < p->count; i++)
    for (hk_index q = p->diagonal[i] + 1; q < p->begin[i + 1] && p->column[q] < p->count; q++) {
      const double *from = p->block + (hk_count)q * dim * dim;
      double *to = p->block + (hk_count)next[p->column[q]]++ * dim * dim;
      for (int c = 0; c < dim; c++)
        for (int d = 0; d < dim; d++) to[d * dim + c] = from[c * dim + d];
    }
}

static hk_status find_blocks(hk_matrix_patch *p, pattern *from)
{
  const hk_matrix *m = p->matrix;
  const int dim = m->desc.space->components;
  const bool scalar = dim < m->desc.space->dim;
  int region = -1;
  region_law law;

  HK_PASS(recall(p, from));
  HK_PASS(find_coordinates(p));
  HK_PASS(hk_pool_room(&p->pool, &p->work, p->count));
  HK_PASS(hk_pool_room(&p->pool, &p->block, (hk_count)p->begin[p->count] * dim * dim));
  memset(p->block, 0, (size_t)p->begin[p->count] * (size_t)(dim * dim) * sizeof *p->block);
  for (hk_index i = 0; i < p->count; i++) p->diagonal[i] = find_diagonal(p, i);
  for (hk_index k = 0; k < p->elements; k++) {
    const int r = m->region < 0 ? m->desc.element_region[p->element[k]] : m->region;
    if (m->region < 0 && k + AHEAD < p->elements)
      __builtin_prefetch(&m->desc.element_region[p->element[k + AHEAD]]);
    if (r != region && !scalar) find_law(m, region = r, &law);
    HK_PASS(scalar ? add_scalar(p, k) : add_element(p, k, &law));
  }
  if (!scalar) mirror(p, dim);
  return HK_OK;
}

static hk_status visit_patch(hk_matrix *m, hk_matrix_patch *p, hk_index number, bool values)
{
  const hk_space *space = m->desc.space;
  p->first = number * space->patch;
  p->count = space->patch;
  while (p->count && space->mesh_node[p->first + p->count - 1] < 0) p->count--;
  p->element = m->touched.element + m->touched.begin[number];
  p->elements = (hk_index)(m->touched.begin[number + 1] - m->touched.begin[number]);
  hk_local_start(p->local, p->first, space->patch);
  return values ? find_blocks(p, &m->pattern[number]) : find_pattern(p, &m->pattern[number]);
}

hk_status hk_matrix_for_range(hk_matrix *matrix, hk_index first, hk_index end, bool values,
                              hk_matrix_visit *visit, void *user)
{
  const int threads = hk_device_describe(matrix->desc.device)->threads;
  const int before = hk_clock_begin(values ? "blocks" : "patterns");
  hk_failure failure = {0};
#pragma omp parallel num_threads(threads)
  {
    hk_matrix_patch *patch = NULL;
    hk_status status = patch_create(matrix, &patch);
#pragma omp for schedule(dynamic, 16)
    for (hk_index p = first; p < end; p++) {
      if (status == HK_OK) status = visit_patch(matrix, patch, p, values);
      if (status == HK_OK) status = visit(patch, p, user);
    }
    patch_destroy(&patch);
    hk_failure_keep(&failure, status);
  }
  hk_clock_end(before);
  return hk_failure_tell(&failure);
}

hk_status hk_matrix_for_each(hk_matrix *matrix, bool values, hk_matrix_visit *visit, void *user)
{
  return hk_matrix_for_range(matrix, 0, matrix->desc.space->patches, values, visit, user);
}
