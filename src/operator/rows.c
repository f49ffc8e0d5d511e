#include "operator/rows.h"
#include "element/element.h"
#include "operator/stiffness.h"
#include <string.h>

struct hk_matrix {
  hk_operator_desc desc;
  hk_index *begin, *element; /* mesh node -> elements */
};

hk_status hk_matrix_create(const hk_operator_desc *desc, hk_matrix **out)
{
  hk_status status = HK_OK;
  hk_matrix *m = NULL;
  HK_TRY(hk_new(&m));
  m->desc = *desc;
  HK_TRY(hk_mesh_node_elements(desc->space->mesh, &m->begin, &m->element));
  *out = m, m = NULL;
cleanup:
  hk_matrix_destroy(&m);
  return status;
}

void hk_matrix_destroy(hk_matrix **matrix)
{
  if (!*matrix) return;
  hk_free(&(*matrix)->begin);
  hk_free(&(*matrix)->element);
  hk_free(matrix);
}

hk_status hk_matrix_patch_create(const hk_matrix *matrix, hk_matrix_patch **out)
{
  hk_status status = HK_OK;
  hk_matrix_patch *p = NULL;
  HK_TRY(hk_new(&p));
  p->matrix = matrix;
  HK_TRY(hk_get(&p->begin, matrix->desc.space->patch + 1));
  HK_TRY(hk_get(&p->row_begin, matrix->desc.space->patch + 2));
  *out = p, p = NULL;
cleanup:
  hk_matrix_patch_destroy(&p);
  return status;
}

void hk_matrix_patch_destroy(hk_matrix_patch **patch)
{
  if (!*patch) return;
  hk_free(&(*patch)->begin);
  hk_free(&(*patch)->column);
  hk_free(&(*patch)->block);
  hk_free(&(*patch)->element);
  hk_free(&(*patch)->table);
  hk_free(&(*patch)->start);
  hk_free(&(*patch)->node);
  hk_free(&(*patch)->row_begin);
  hk_free(&(*patch)->row_element);
  hk_free(patch);
}

/* Sorts item[0..count) by its digits, least first; work[count]. */
static void sort_by_digits(hk_index *item, hk_index *work, hk_index count, hk_count most)
{
  enum { BITS = 11, DIGITS = 1 << BITS };
  for (int shift = 0; shift < 31 && most >> shift; shift += BITS) {
    hk_index begin[DIGITS + 1] = {0};
    for (hk_index i = 0; i < count; i++) begin[(item[i] >> shift & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++) begin[d + 1] += begin[d];
    for (hk_index i = 0; i < count; i++) work[begin[item[i] >> shift & (DIGITS - 1)]++] = item[i];
    memcpy(item, work, (size_t)count * sizeof *item);
  }
}

/* element: those that touch the patch, ascending. */
static hk_status find_elements(hk_matrix_patch *p)
{
  hk_status status = HK_OK;
  const hk_matrix *m = p->matrix;
  hk_index n = 0;
  for (hk_index i = p->first; i < p->first + p->count; i++) {
    const hk_index node = m->desc.space->mesh_node[i];
    const hk_index more = m->begin[node + 1] - m->begin[node];
    HK_TRY(hk_reserve(&p->element, n + more, &p->element_capacity));
    memcpy(p->element + n, m->element + m->begin[node], (size_t)more * sizeof *p->element);
    n += more;
  }
  HK_TRY(hk_reserve(&p->table, n, &p->table_capacity));
  sort_by_digits(p->element, p->table, n, m->desc.space->mesh->element_count);
  p->elements = 0;
  for (hk_index k = 0; k < n; k++)
    if (k == 0 || p->element[k] != p->element[k - 1]) p->element[p->elements++] = p->element[k];
cleanup:
  return status;
}

/* node: internal numbers of the nodes of those elements, so that what follows is local. */
static hk_status find_nodes(hk_matrix_patch *p)
{
  hk_status status = HK_OK;
  const hk_space *space = p->matrix->desc.space;
  hk_index n = 0;
  HK_TRY(hk_reserve(&p->start, p->elements + 1, &p->start_capacity));
  for (hk_index k = 0; k < p->elements; k++) {
    const hk_block *block = hk_mesh_block_of(space->mesh, p->element[k]);
    const hk_index *of = block->node + (p->element[k] - block->first) * block->nodes;
    HK_TRY(hk_reserve(&p->node, n + block->nodes, &p->node_capacity));
    p->start[k] = n;
    for (int i = 0; i < block->nodes; i++) p->node[n++] = space->node[of[i]];
  }
  p->start[p->elements] = n;
cleanup:
  return status;
}

/* row_element[row_begin[i]..row_begin[i + 1]): positions in `element` of those around node i. */
static hk_status find_row_elements(hk_matrix_patch *p)
{
  hk_status status = HK_OK;
  const hk_index entries = p->start[p->elements];
  hk_index *next = p->row_begin;
  memset(next, 0, (size_t)(p->count + 2) * sizeof *next);
  for (hk_index n = 0; n < entries; n++)
    if (p->node[n] >= p->first && p->node[n] < p->first + p->count)
      next[p->node[n] - p->first + 2]++;
  for (hk_index i = 0; i < p->count; i++) next[i + 2] += next[i + 1];
  HK_TRY(hk_reserve(&p->row_element, next[p->count + 1], &p->row_capacity));
  for (hk_index k = 0; k < p->elements; k++)
    for (hk_index n = p->start[k]; n < p->start[k + 1]; n++)
      if (p->node[n] >= p->first && p->node[n] < p->first + p->count)
        p->row_element[next[p->node[n] - p->first + 1]++] = k;
cleanup:
  return status;
}

/* Whether `column` is new in the open table of size mask + 1 (column + 1; 0: free); it is put
 * there. */
static bool add_to_table(hk_index *table, hk_index mask, hk_index column)
{
  hk_index k = (hk_index)(((uint32_t)column * 2654435769u) >> 16) & mask;
  for (; table[k]; k = (k + 1) & mask)
    if (table[k] == column + 1) return false;
  table[k] = column + 1;
  return true;
}

/* Puts x where it belongs in the sorted item[0..n). */
static void insert(hk_index *item, hk_index n, hk_index x)
{
  for (; n > 0 && item[n - 1] > x; n--) item[n] = item[n - 1];
  item[n] = x;
}

/* The nodes of all elements around the row's node, each once, ascending. */
static hk_status add_row(hk_matrix_patch *p, hk_index i, hk_count *used)
{
  hk_status status = HK_OK;
  hk_count most = 0;
  hk_index size = 64, found = 0;
  for (hk_index k = p->row_begin[i]; k < p->row_begin[i + 1]; k++)
    most += p->start[p->row_element[k] + 1] - p->start[p->row_element[k]];
  while (size < 2 * most) size *= 2;
  HK_TRY(hk_reserve(&p->table, size, &p->table_capacity));
  HK_TRY(hk_reserve(&p->column, *used + most, &p->capacity));
  memset(p->table, 0, (size_t)size * sizeof *p->table);
  for (hk_index k = p->row_begin[i]; k < p->row_begin[i + 1]; k++) {
    const hk_index e = p->row_element[k];
    for (hk_index n = p->start[e]; n < p->start[e + 1]; n++)
      if (add_to_table(p->table, size - 1, p->node[n]))
        insert(p->column + *used, found++, p->node[n]);
  }
  *used += found;
cleanup:
  return status;
}

hk_status hk_matrix_pattern(hk_matrix_patch *p, hk_index number)
{
  hk_status status = HK_OK;
  const hk_space *space = p->matrix->desc.space;
  hk_count used = 0;
  p->first = number * space->patch;
  p->count = space->nodes - p->first < space->patch ? space->nodes - p->first : space->patch;
  HK_TRY(find_elements(p));
  HK_TRY(find_nodes(p));
  HK_TRY(find_row_elements(p));
  for (hk_index i = 0; i < p->count; i++) {
    p->begin[i] = (hk_index)used;
    HK_TRY(add_row(p, i, &used));
  }
  p->begin[p->count] = (hk_index)used;
cleanup:
  return status;
}

/* Entry of the row that holds the column; halving without branches. */
static hk_index find_column(const hk_matrix_patch *p, hk_index row, hk_index column)
{
  hk_index low = p->begin[row], count = p->begin[row + 1] - low;
  while (count > 1) {
    const hk_index half = count / 2;
    low = p->column[low + half] <= column ? low + half : low;
    count -= half;
  }
  return low;
}

typedef struct region_law {
  double d[36], lambda, mu, scale;
  bool isotropic;
} region_law;

static void add_element(hk_matrix_patch *p, hk_index position, const region_law *law)
{
  const hk_index e = p->element[position], *number = p->node + p->start[position];
  const hk_mesh *mesh = p->matrix->desc.space->mesh;
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_index *node = block->node + (e - block->first) * block->nodes;
  const int dim = mesh->dim, n = block->nodes;
  double x[HK_MOST_NODES * 3], k[HK_MOST_NODES * HK_MOST_NODES * 9];
  for (int i = 0; i < n; i++)
    memcpy(x + i * dim, mesh->x + (hk_count)node[i] * dim, (size_t)dim * sizeof *x);
  const hk_element *element = hk_element_of(block->shape);
  if (element->simplex && element->order == 1 && law->isotropic)
    hk_simplex_stiffness(dim, x, law->lambda * law->scale, law->mu * law->scale, k);
  else
    hk_element_stiffness(element, x, law->d, k);
  for (int i = 0; i < n; i++) {
    const hk_index row = number[i] - p->first;
    if (row < 0 || row >= p->count) continue;
    for (int j = 0; j < n; j++) {
      double *to = p->block + (hk_count)find_column(p, row, number[j]) * dim * dim;
      for (int c = 0; c < dim; c++)
        for (int d = 0; d < dim; d++) to[c * dim + d] += k[(i * dim + c) * n * dim + j * dim + d];
    }
  }
}

static void find_law(const hk_matrix *m, int region, region_law *law)
{
  const hk_region *r = &m->desc.region[region];
  const int dim = m->desc.space->dim;
  hk_region_stiffness(r, dim, law->d);
  law->isotropic = hk_region_lame(r, dim, &law->lambda, &law->mu);
  law->scale = dim == 2 ? r->thickness : 1;
}

hk_status hk_matrix_assemble(hk_matrix_patch *p, hk_index number)
{
  hk_status status = HK_OK;
  const hk_matrix *m = p->matrix;
  const int dim = m->desc.space->dim;
  int region = -1;
  region_law law;

  HK_TRY(hk_matrix_pattern(p, number));
  HK_TRY(hk_reserve(&p->block, (hk_count)p->begin[p->count] * dim * dim, &p->block_capacity));
  memset(p->block, 0, (size_t)p->begin[p->count] * (size_t)(dim * dim) * sizeof *p->block);
  for (hk_index k = 0; k < p->elements; k++) {
    const int r = m->desc.element_region[p->element[k]];
    if (r != region) find_law(m, region = r, &law);
    add_element(p, k, &law);
  }
cleanup:
  return status;
}

hk_status hk_matrix_for_each(const hk_matrix *matrix, bool values, hk_matrix_visit *visit,
                             void *user)
{
  const hk_index patches = matrix->desc.space->patches;
  const int threads = hk_device_describe(matrix->desc.device)->threads;
  hk_failure failure = {0};
#pragma omp parallel num_threads(threads)
  {
    hk_matrix_patch *patch = NULL;
    hk_status status = hk_matrix_patch_create(matrix, &patch);
#pragma omp for schedule(dynamic, 16)
    for (hk_index p = 0; p < patches; p++) {
      if (status == HK_OK)
        status = values ? hk_matrix_assemble(patch, p) : hk_matrix_pattern(patch, p);
      if (status == HK_OK) status = visit(patch, p, user);
    }
    hk_matrix_patch_destroy(&patch);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}
