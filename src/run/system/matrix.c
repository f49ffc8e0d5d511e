/* K of a system as a sparse matrix in the numbers of the mesh. It is assembled in the internal
 * numbers, then its rows and columns are renumbered. The result has scalar rows, blocks of one node
 * each, or only the free degrees of freedom, T^T K T (A.2). */
#include "run/system/parts.h"
#include "solver/linear/free_matrix.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
  hk_index column; /* of the mesh */
  hk_count entry;  /* of the internal matrix */
} place;

static int by_column(const void *a, const void *b)
{
  const place *x = a, *y = b;
  return (x->column > y->column) - (x->column < y->column);
}

/* Row `to` of the mesh = row `from` of the internal matrix. */
static hk_status renumber_row(const hk_space *space, const hk_csr *from, hk_index i, hk_count first,
                              place **list, hk_count *room, hk_csr *to)
{
  const hk_count length = from->begin[i + 1] - from->begin[i], begin = from->begin[i];
  const size_t block = (size_t)(from->components * from->components);
  HK_PASS(hk_reserve(list, length, room));
  for (hk_count k = 0; k < length; k++)
    (*list)[k] = (place){space->mesh_node[from->column[begin + k]], begin + k};
  if (length) qsort(*list, (size_t)length, sizeof **list, by_column);
  for (hk_count k = 0; k < length; k++) {
    to->column[first + k] = (*list)[k].column;
    memcpy(to->block + (size_t)(first + k) * block, from->block + (size_t)(*list)[k].entry * block,
           block * sizeof *to->block);
  }
  return HK_OK;
}

static hk_status renumber(const hk_space *space, const hk_csr *from, hk_csr *out)
{
  hk_status status = HK_OK;
  const hk_count rows = space->mesh->node_count;
  hk_csr to = {.rows = rows, .entries = from->entries, .components = from->components};
  place *list = NULL;
  hk_count room = 0;
  HK_TRY(hk_get(&to.begin, rows + 1));
  HK_TRY(hk_get(&to.column, to.entries));
  HK_TRY(hk_get(&to.block, to.entries * to.components * to.components));
  for (hk_count n = 0; n < rows; n++) {
    const hk_index i = space->node[n];
    to.begin[n + 1] = to.begin[n] + (i < 0 ? 0 : from->begin[i + 1] - from->begin[i]);
    if (i >= 0) HK_TRY(renumber_row(space, from, i, to.begin[n], &list, &room, &to));
  }
  *out = to, to = (hk_csr){0};
cleanup:
  hk_free(&list);
  hk_csr_clear(&to);
  return status;
}

hk_status hk_system_check_assembled(const hk_system *y)
{
  HK_NEED(!y->kind->time_step || !y->on->kind->mass, HK_BAD_INPUT,
          "%s: K of spectral elements is never assembled: only products with it are possible",
          y->session.model->path);
  return HK_OK;
}

static hk_status assemble(const hk_system *y, hk_csr *out)
{
  hk_status status = HK_OK;
  hk_csr k = {0};
  HK_TRY(hk_system_check_assembled(y));
  HK_TRY(hk_csr_assemble(&y->on->op->desc, &k));
  HK_TRY(renumber(y->on->space, &k, out));
cleanup:
  hk_csr_clear(&k);
  return status;
}

/* The blocks' arrays become the matrix's. */
static void take_blocks(hk_csr *k, hk_matrix *m)
{
  *m = (hk_matrix){.rows = k->rows,
                   .entries = k->entries,
                   .size = k->components,
                   .row_start = k->begin,
                   .column = k->column,
                   .value = k->block};
  *k = (hk_csr){0};
}

static hk_status expand(const hk_csr *k, hk_matrix *m)
{
  const int c = k->components;
  m->size = 1, m->rows = k->rows * c, m->entries = k->entries * c * c;
  HK_PASS(hk_get(&m->row_start, m->rows + 1));
  HK_PASS(hk_get(&m->column, m->entries));
  HK_PASS(hk_get(&m->value, m->entries));
  hk_count at = 0;
  for (hk_count i = 0; i < k->rows; i++)
    for (int r = 0; r < c; r++) {
      for (hk_count e = k->begin[i]; e < k->begin[i + 1]; e++)
        for (int d = 0; d < c; d++) {
          m->column[at] = k->column[e] * c + d;
          m->value[at++] = k->block[(e * c + r) * c + d];
        }
      m->row_start[i * c + r + 1] = at;
    }
  return HK_OK;
}

static hk_status reduce(const hk_csr *k, const hk_constraints *held, bool whole, hk_matrix *m)
{
  hk_status status = HK_OK;
  hk_free_matrix entries = {0};
  hk_rows_of rows = {0};
  HK_TRY(hk_free_matrix_create(k, held, whole, &entries));
  HK_TRY(hk_free_matrix_rows(&entries, &rows));
  *m = (hk_matrix){.rows = rows.n,
                   .entries = rows.begin[rows.n],
                   .size = 1,
                   .row_start = rows.begin,
                   .column = rows.column,
                   .value = rows.value,
                   .dof = entries.dof};
  rows = (hk_rows_of){0}, entries.dof = NULL;
cleanup:
  hk_free_matrix_clear(&entries);
  hk_rows_of_clear(&rows);
  return status;
}

hk_status hk_system_matrix(hk_system *y, hk_matrix_kind kind, hk_matrix *out)
{
  hk_status status = HK_OK;
  const int threads = hk_discretisation_threads(y->on);
  hk_csr k = {0};
  hk_matrix m = {0};
  HK_TRY(hk_system_check(y));
  HK_CHECK((unsigned)kind <= HK_MATRIX_FREE, HK_USAGE, "there is no kind %d of matrices",
           (int)kind);
  HK_TRY(assemble(y, &k));
  switch (kind) {
  case HK_MATRIX_ROWS: HK_TRY(expand(&k, &m)); break;
  case HK_MATRIX_BLOCKS: take_blocks(&k, &m); break;
  case HK_MATRIX_FREE: HK_TRY(reduce(&k, &y->held, y->on->op->unsymmetric, &m)); break;
  }
  *out = m, m = (hk_matrix){0};
cleanup:
  hk_csr_clear(&k);
  hk_matrix_clear(&m);
  omp_set_num_threads(threads);
  return status;
}

void hk_matrix_clear(hk_matrix *m)
{
  hk_free(&m->row_start);
  hk_free(&m->column);
  hk_free(&m->value);
  hk_free(&m->dof);
  *m = (hk_matrix){0};
}
