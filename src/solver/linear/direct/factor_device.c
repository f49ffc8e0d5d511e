/* Factors on a device by its vendor's libraries (device/library.h): cuSOLVER dense and sparse, cuDSS.
 * Sparse: the lower triangle becomes rows with both triangles, is sent, and begin[n + 1] is narrowed to ints. Dense: the matrix lies on the
 * device already. A solve copies b to the device, solves in place, and reads x. */
#include "solver/linear/direct/factor_parts.h"
#include "solver/linear/words.h"
#include <stdio.h>

typedef struct on_device {
  hk_device_factor *factor;
  hk_buffer *begin, *x;
  hk_pool pool; /* of both */
} on_device;

/* rows of the matrix on the device: of a matrix of the host, which is freed, both triangles */
static hk_status send_rows(hk_factor_matrix *m, hk_device *device)
{
  hk_status status = HK_OK;
  hk_rows_of rows = {0};
  HK_TRY(hk_free_matrix_rows(&m->entries, &rows));
  hk_free_matrix_clear(&m->entries);
  m->rows.n = rows.n, m->rows.entries = rows.begin[rows.n];
  HK_TRY(hk_buffer_get(&m->rows.pool, device, ((hk_count)rows.n + 1) * 8, &m->rows.begin));
  HK_TRY(hk_buffer_get(&m->rows.pool, device, m->rows.entries * 4, &m->rows.column));
  HK_TRY(hk_buffer_get(&m->rows.pool, device, m->rows.entries * 8, &m->rows.value));
  HK_TRY(hk_buffer_write(m->rows.begin, 0, ((hk_count)rows.n + 1) * 8, rows.begin));
  HK_TRY(hk_buffer_write(m->rows.column, 0, m->rows.entries * 4, rows.column));
  HK_TRY(hk_buffer_write(m->rows.value, 0, m->rows.entries * 8, rows.value));
cleanup:
  hk_rows_of_clear(&rows);
  return status;
}

/* own->begin: begin[n + 1] as ints. */
static hk_status narrow_begin(const hk_dense_rows *rows, hk_device *device, on_device *own)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_count *begin;
  hk_index *narrow, most;
  const hk_count count = (hk_count)rows->n + 1;
  HK_TRY(hk_narrow(rows->entries, "entries of a matrix for the GPU's factors", &most));
  HK_TRY(hk_pool_get(&pool, &begin, count));
  HK_TRY(hk_pool_get(&pool, &narrow, count));
  HK_TRY(hk_buffer_read(rows->begin, 0, count * 8, begin));
  for (hk_count i = 0; i < count; i++) narrow[i] = (hk_index)begin[i];
  HK_TRY(hk_buffer_get(&own->pool, device, count * 4, &own->begin));
  HK_TRY(hk_buffer_write(own->begin, 0, count * 4, narrow));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_library_order order_of(const char *ordering)
{
  const int word = hk_ordering_of(ordering);
  return word == HK_ORDERING_RCM       ? HK_ORDER_RCM
         : word == HK_ORDERING_NATURAL ? HK_ORDER_NONE
                                       : HK_ORDER_METIS;
}

static hk_status create(const hk_factor_desc *desc, hk_factor_matrix *matrix, hk_factor *f)
{
  const hk_library library = f->kind->vendor;
  on_device *own = NULL;
  HK_NEED(library != HK_LIBRARY_CUDSS || order_of(desc->ordering) == HK_ORDER_METIS, HK_USAGE,
          "ordering %s: cuDSS has its own ordering: give auto or metis, or another library",
          desc->ordering);
  HK_PASS(hk_new(&own));
  f->data = own;
  if (library != HK_LIBRARY_DENSE && !matrix->rows.value) HK_PASS(send_rows(matrix, f->device));
  f->matrix = *matrix, *matrix = (hk_factor_matrix){0};
  const hk_factor_matrix *m = &f->matrix;
  if (m->rows.value) HK_PASS(narrow_begin(&m->rows, f->device, own));
  HK_PASS(hk_buffer_get(&own->pool, f->device, (hk_count)f->n * 8, &own->x));
  HK_PASS(hk_device_factor_create(
      &(hk_device_factor_desc){.device = f->device,
                               .library = library,
                               .n = f->n,
                               .entries = m->rows.entries,
                               .begin = own->begin,
                               .column = m->rows.column,
                               .value = m->dense ? m->dense->value : m->rows.value,
                               .order = order_of(desc->ordering)},
      &own->factor));
  snprintf(f->name, sizeof f->name, "%s", hk_device_factor_name(own->factor));
  f->bytes = hk_device_factor_bytes(own->factor) +
             (m->dense ? hk_buffer_bytes(m->dense->value) : m->rows.entries * 12);
  return HK_OK;
}

static hk_status solve(hk_factor *f, double *x)
{
  on_device *own = f->data;
  HK_PASS(hk_buffer_write(own->x, 0, (hk_count)f->n * 8, x));
  HK_PASS(hk_device_factor_solve(own->factor, own->x));
  return hk_buffer_read(own->x, 0, (hk_count)f->n * 8, x);
}

static void destroy(hk_factor *f)
{
  on_device *own = f->data;
  if (!own) return;
  hk_device_factor_destroy(&own->factor);
  hk_pool_clear(&own->pool);
  hk_memory_free(&f->data);
}

#define KIND(member, text, of_dense, itself, library)                                              \
  const hk_factor_kind hk_factor_##member = {.name = text,                                         \
                                             .dense = of_dense,                                    \
                                             .on_device = true,                                    \
                                             .orders_itself = itself,                              \
                                             .vendor = library,                                    \
                                             .create = create,                                     \
                                             .solve = solve,                                       \
                                             .destroy = destroy};
KIND(cusolver_dense, "cusolver", true, false, HK_LIBRARY_DENSE)
KIND(cusolver, "cusolver", false, false, HK_LIBRARY_CUSOLVER)
KIND(cudss, "cudss", false, true, HK_LIBRARY_CUDSS)
