/* The assembled K on the host, in rows of dense blocks: the plain way, and the oracle of the device's. Chunks of rows in
 * parallel; a row lists its neighbours through the elements around it (ascending), then adds K_e of each element and the springs.
 * Passes LENGTHS, COLUMNS, VALUES: memory is taken once everything is counted. */
#include "operator/assembly/csr.h"
#include "base/sort.h"
#include "element/element.h"
#include "operator/element/element_of.h"
#include "operator/springs.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 };

/* What the threads share. */
typedef struct assembly {
  const hk_operator_desc *desc;
  hk_index *begin, *element; /* mesh node -> elements */
  hk_spring_end *end;
  hk_csr csr;
} assembly;

/* One thread's own. */
typedef struct worker {
  hk_index *list; /* nodes of a row, elements of a chunk: grows */
  double *k;      /* an element's matrix: grows */
  hk_count capacity, k_capacity;
} worker;

void hk_csr_clear(hk_csr *csr)
{
  hk_free(&csr->begin);
  hk_free(&csr->column);
  hk_free(&csr->block);
  *csr = (hk_csr){0};
}

static hk_count sort_unique(hk_index *list, hk_count count)
{
  hk_count kept = 0;
  if (count) qsort(list, (size_t)count, sizeof *list, hk_compare_index);
  for (hk_count k = 0; k < count; k++)
    if (!kept || list[k] != list[kept - 1]) list[kept++] = list[k];
  return kept;
}

/* w->list = the neighbours of internal node i, itself among them, ascending. */
static hk_status find_row(const assembly *a, worker *w, hk_index i, hk_count *length)
{
  const hk_space *space = a->desc->space;
  const hk_index node = space->mesh_node[i];
  hk_count count = 0;
  *length = 0;
  if (node < 0) return HK_OK;
  for (hk_index p = a->begin[node]; p < a->begin[node + 1]; p++) {
    const hk_index *of = hk_mesh_nodes_of(space->mesh, a->element[p]);
    const int nodes = hk_mesh_block_of(space->mesh, a->element[p])->nodes;
    HK_PASS(hk_reserve(&w->list, count + nodes, &w->capacity));
    for (int n = 0; n < nodes; n++) w->list[count++] = space->node[of[n]];
  }
  hk_count first;
  const hk_count end = hk_springs_of(a->desc, a->end, i, &first);
  HK_PASS(hk_reserve(&w->list, count + end - first, &w->capacity));
  for (hk_count p = first; p < end; p++) w->list[count++] = a->end[p].other;
  *length = sort_unique(w->list, count);
  return HK_OK;
}

/* First lengths in begin[i + 1], then, with values, the columns. */
static hk_status find_pattern(assembly *a, worker *w, hk_index first, hk_index end, bool columns)
{
  for (hk_index i = first; i < end; i++) {
    hk_count length;
    HK_PASS(find_row(a, w, i, &length));
    if (!columns)
      a->csr.begin[i + 1] = length;
    else if (length)
      memcpy(a->csr.column + a->csr.begin[i], w->list, (size_t)length * sizeof *w->list);
  }
  return HK_OK;
}

/* Rows [first, end) += their part of element e. */
static hk_status add_element(assembly *a, worker *w, hk_index e, hk_index first, hk_index end)
{
  const hk_space *space = a->desc->space;
  const hk_index *node = hk_mesh_nodes_of(space->mesh, e);
  const int components = space->components, nodes = hk_mesh_block_of(space->mesh, e)->nodes,
            size = nodes * components;
  HK_PASS(hk_reserve(&w->k, (hk_count)size * size, &w->k_capacity));
  HK_PASS(hk_operator_element(a->desc, e, w->k));
  for (int n = 0; n < nodes; n++) {
    const hk_index i = space->node[node[n]];
    if (i < first || i >= end) continue;
    const hk_index *row = a->csr.column + a->csr.begin[i];
    const size_t length = (size_t)(a->csr.begin[i + 1] - a->csr.begin[i]);
    for (int m = 0; m < nodes; m++) {
      const hk_index *found =
          bsearch(&space->node[node[m]], row, length, sizeof *row, hk_compare_index);
      double *to = a->csr.block + (found - a->csr.column) * components * components;
      for (int c = 0; c < components; c++)
        for (int d = 0; d < components; d++)
          to[c * components + d] += w->k[(n * components + c) * size + m * components + d];
    }
  }
  return HK_OK;
}

/* Row i += its part of the springs. */
static void add_springs(assembly *a, hk_index i)
{
  const int components = a->csr.components;
  const hk_index *row = a->csr.column + a->csr.begin[i];
  const size_t length = (size_t)(a->csr.begin[i + 1] - a->csr.begin[i]);
  hk_count first, springs;
  const hk_count end = hk_springs_of(a->desc, a->end, i, &first);
  const hk_spring *spring = hk_springs_in(a->desc, &springs);
  for (hk_count p = first; p < end; p++)
    for (int far = 0; far < 2; far++) {
      const hk_index *found =
          bsearch(far ? &a->end[p].other : &i, row, length, sizeof *row, hk_compare_index);
      double *to = a->csr.block + (found - a->csr.column) * components * components;
      for (int c = 0; c < components; c++)
        for (int d = 0; d < components; d++)
          to[c * components + d] += (far ? -1 : 1) * spring[a->end[p].spring].k[c][d];
    }
}

static hk_status find_values(assembly *a, worker *w, hk_index first, hk_index end)
{
  const hk_space *space = a->desc->space;
  hk_count count = 0;
  for (hk_index i = first; i < end; i++) {
    const hk_index node = space->mesh_node[i];
    if (node < 0) continue;
    const hk_count around = a->begin[node + 1] - a->begin[node];
    HK_PASS(hk_reserve(&w->list, count + around, &w->capacity));
    memcpy(w->list + count, a->element + a->begin[node], (size_t)around * sizeof *w->list);
    count += around;
  }
  count = sort_unique(w->list, count);
  for (hk_count k = 0; k < count; k++) HK_PASS(add_element(a, w, w->list[k], first, end));
  for (hk_index i = first; i < end; i++) add_springs(a, i);
  return HK_OK;
}

typedef enum pass { LENGTHS, COLUMNS, VALUES } pass;

static hk_status for_chunks(assembly *a, pass which)
{
  const hk_index rows = a->desc->space->padded;
  const int threads =
      a->desc->device ? hk_device_describe(a->desc->device)->threads : omp_get_num_procs();
  hk_failure failure = {0};
#pragma omp parallel num_threads(threads)
  {
    worker w = {0};
    hk_status status = HK_OK;
#pragma omp for schedule(dynamic)
    for (hk_index first = 0; first < rows; first += CHUNK) {
      const hk_index end = rows - first < CHUNK ? rows : first + CHUNK;
      if (status != HK_OK) continue;
      status = which == VALUES ? find_values(a, &w, first, end)
                               : find_pattern(a, &w, first, end, which == COLUMNS);
    }
    hk_free(&w.list);
    hk_free(&w.k);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

hk_status hk_csr_assemble(const hk_operator_desc *desc, hk_csr *out)
{
  hk_status status = HK_OK;
  const hk_space *space = desc->space;
  assembly a = {.desc = desc, .csr = {.rows = space->padded, .components = space->components}};

  HK_TRY(hk_mesh_node_elements(space->mesh, &a.begin, &a.element));
  HK_TRY(hk_springs_ends(desc, &a.end));
  HK_TRY(hk_get(&a.csr.begin, a.csr.rows + 1));
  HK_TRY(for_chunks(&a, LENGTHS));
  for (hk_count i = 0; i < a.csr.rows; i++) a.csr.begin[i + 1] += a.csr.begin[i];
  a.csr.entries = a.csr.begin[a.csr.rows];
  HK_TRY(hk_get(&a.csr.column, a.csr.entries));
  HK_TRY(hk_get(&a.csr.block, a.csr.entries * space->components * space->components));
  HK_TRY(for_chunks(&a, COLUMNS));
  HK_TRY(for_chunks(&a, VALUES));
  *out = a.csr, a.csr = (hk_csr){0};
cleanup:
  hk_csr_clear(&a.csr);
  hk_free(&a.begin);
  hk_free(&a.element);
  hk_free(&a.end);
  return status;
}
