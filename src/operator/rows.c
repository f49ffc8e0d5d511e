#include "operator/rows.h"
#include "element/element.h"
#include "operator/stiffness.h"
#include <stdlib.h>
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
  hk_free(patch);
}

static int by_number(const void *a, const void *b)
{
  const hk_index x = *(const hk_index *)a, y = *(const hk_index *)b;
  return (x > y) - (x < y);
}

/* Sorts item[0..n) and drops what is there twice; n is small or nearly sorted. */
static hk_index sort_unique(hk_index *item, hk_index n)
{
  hk_index kept = 0;
  if (n > 64)
    qsort(item, (size_t)n, sizeof *item, by_number);
  else
    for (hk_index i = 1; i < n; i++) {
      const hk_index x = item[i];
      hk_index k = i;
      for (; k > 0 && item[k - 1] > x; k--) item[k] = item[k - 1];
      item[k] = x;
    }
  for (hk_index i = 0; i < n; i++)
    if (!kept || item[kept - 1] != item[i]) item[kept++] = item[i];
  return kept;
}

static hk_status add_row(hk_matrix_patch *p, hk_index internal, hk_count *used)
{
  hk_status status = HK_OK;
  const hk_matrix *m = p->matrix;
  const hk_space *space = m->desc.space;
  const hk_index node = space->mesh_node[internal];
  const hk_count first = *used;
  for (hk_index k = m->begin[node]; k < m->begin[node + 1]; k++) {
    const hk_block *block = hk_mesh_block_of(space->mesh, m->element[k]);
    const hk_index *n = block->node + (m->element[k] - block->first) * block->nodes;
    HK_TRY(hk_reserve(&p->column, *used + block->nodes, &p->capacity));
    for (int i = 0; i < block->nodes; i++) p->column[(*used)++] = space->node[n[i]];
    *used = first + sort_unique(p->column + first, (hk_index)(*used - first));
  }
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
  for (hk_index i = 0; i < p->count; i++) {
    p->begin[i] = (hk_index)used;
    HK_TRY(add_row(p, p->first + i, &used));
  }
  p->begin[p->count] = (hk_index)used;
cleanup:
  return status;
}

/* Elements that touch the patch, ascending. */
static hk_status find_elements(hk_matrix_patch *p, hk_index *count)
{
  hk_status status = HK_OK;
  const hk_matrix *m = p->matrix;
  hk_count n = 0;
  for (hk_index i = p->first; i < p->first + p->count; i++) {
    const hk_index node = m->desc.space->mesh_node[i];
    const hk_index more = m->begin[node + 1] - m->begin[node];
    HK_TRY(hk_reserve(&p->element, n + more, &p->element_capacity));
    memcpy(p->element + n, m->element + m->begin[node], (size_t)more * sizeof *p->element);
    n += more;
  }
  *count = sort_unique(p->element, (hk_index)n);
cleanup:
  return status;
}

static hk_index find_column(const hk_matrix_patch *p, hk_index row, hk_index column)
{
  hk_index low = p->begin[row], high = p->begin[row + 1] - 1;
  while (low < high) {
    const hk_index middle = (low + high) / 2;
    if (p->column[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

typedef struct region_law {
  double d[36], lambda, mu, scale;
  bool isotropic;
} region_law;

static void add_element(hk_matrix_patch *p, hk_index e, const region_law *law)
{
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
    const hk_index row = p->matrix->desc.space->node[node[i]] - p->first;
    if (row < 0 || row >= p->count) continue;
    for (int j = 0; j < n; j++) {
      double *to = p->block +
                   (hk_count)find_column(p, row, p->matrix->desc.space->node[node[j]]) * dim * dim;
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
  hk_index elements = 0;
  int region = -1;
  region_law law;

  HK_TRY(hk_matrix_pattern(p, number));
  HK_TRY(find_elements(p, &elements));
  HK_TRY(hk_reserve(&p->block, (hk_count)p->begin[p->count] * dim * dim, &p->block_capacity));
  memset(p->block, 0, (size_t)p->begin[p->count] * (size_t)(dim * dim) * sizeof *p->block);
  for (hk_index k = 0; k < elements; k++) {
    const int r = m->desc.element_region[p->element[k]];
    if (r != region) find_law(m, region = r, &law);
    add_element(p, p->element[k], &law);
  }
cleanup:
  return status;
}

hk_status hk_matrix_for_each(const hk_matrix *matrix, bool values, hk_matrix_visit *visit,
                             void *user)
{
  const hk_index patches = matrix->desc.space->patches;
  const int threads = hk_device_describe(matrix->desc.device)->threads;
  hk_status result = HK_OK;
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
    if (status != HK_OK) {
#pragma omp critical
      result = status;
    }
  }
  return result;
}
