/* K dense on a device, a[n][n]: element matrices added in the order of the elements around each row (no atomics), masters of constraints folded
 * (T^T K T), prescribed rows and columns eliminated with b -= a_j U_j, and what is not zero converted to sparse rows by two passes,
 * count and write. The kernels are those of dense.k.h. */
#include "operator/dense/dense_matrix.h"
#include "operator/assembly/parts.h"

/* threads: of a group, whose every thread has a row; 0: the device's own, and HK_DENSE_ROWS rows. */
static hk_status create_kernel(hk_pool *pool, hk_device *device, const char *function,
                               int components, bool double_precision, int threads, hk_kernel **out)
{
  const int rows = threads ? threads : HK_DENSE_ROWS,
            most = threads ? threads : hk_device_describe(device)->group_threads;
  return hk_kernel_get(
      pool, device,
      &(hk_kernel_desc){.text = "dense",
                        .function = function,
                        .double_precision = double_precision,
                        .define = {{"CHUNK", HK_DENSE_CHUNK}, {"DIM", components}, {"ROWS", rows}},
                        .local = hk_local_bytes(most, 4),
                        .threads = threads},
      out);
}

hk_status hk_dense_kernel(hk_pool *pool, const hk_operator_desc *on, const char *function,
                          int threads, hk_kernel **out)
{
  return create_kernel(pool, on->device, function, on->space->components, on->double_precision,
                       threads, out);
}

/* Of a matrix, for one call: the pool is the call's. */
static hk_status find_kernel(const hk_dense *d, hk_pool *pool, const char *function,
                             hk_kernel **out)
{
  return create_kernel(pool, d->device, function, d->components, d->double_precision, 0, out);
}

static hk_count chunks_of(hk_count n)
{
  return (n + HK_DENSE_CHUNK - 1) / HK_DENSE_CHUNK;
}

static hk_status check_room(const hk_operator_desc *desc)
{
  const double n = (double)desc->space->padded * desc->space->components,
               need = hk_dense_bytes(n, desc->double_precision),
               room = (double)hk_device_available(desc->device);
  HK_NEED(need <= room, HK_NO_RESOURCES,
          "a dense matrix of %.0f unknowns needs %.3f GB on device %s, and %.3f GB are free: use "
          "the method cholesky or cg",
          n, need / 1e9, hk_device_describe(desc->device)->backend, room / 1e9);
  return HK_OK;
}

hk_status hk_dense_assemble(const hk_operator_desc *desc, bool timed, hk_dense **out)
{
  hk_status status = HK_OK;
  hk_dense *d = NULL;
  hk_assembly *k = NULL;
  const double start = hk_device_seconds(desc->device);
  HK_TRY(check_room(desc));
  HK_TRY(hk_new(&d));
  d->device = desc->device, d->components = desc->space->components;
  d->double_precision = desc->double_precision;
  HK_TRY(hk_narrow((hk_count)desc->space->padded * d->components, "unknowns", &d->n));
  HK_TRY(hk_assembly_create(
      &(hk_assembly_desc){.on = *desc, .format = HK_FORMAT_DENSE, .timed = timed}, &k));
  const double made = hk_device_seconds(desc->device) - start;
  HK_TRY(hk_assembly_fill(k));
  d->seconds_elements = k->seconds_elements;
  d->seconds_assembly = k->seconds[0] + k->seconds[1] + k->seconds[2] - k->seconds_elements;
  d->seconds_transfer = made - k->seconds[0] - k->seconds[1];
  d->value = k->value, k->value = NULL;
  *out = d, d = NULL;
cleanup:
  hk_assembly_destroy(&k);
  hk_dense_destroy(&d);
  return status;
}

void hk_dense_destroy(hk_dense **dense)
{
  if (!*dense) return;
  hk_buffer_destroy(&(*dense)->value);
  hk_free(dense);
}

hk_status hk_dense_fold(hk_dense *d, const hk_dense_masters *m)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_kernel *kernel;
  const hk_count chunks = chunks_of(d->n);
  HK_TRY(find_kernel(d, &pool, "dense_fold", &kernel));
  for (int across = 0; m->count && across < 2; across++)
    HK_TRY(hk_kernel_launch(kernel, 0, m->count * chunks,
                            HK_ARGUMENTS(m->master, m->begin, m->dependent, m->weight, d->value,
                                         d->n, (int32_t)chunks, across)));
  HK_TRY(hk_device_finish(d->device));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* b -= sum of a_j U_j; b_j = U_j */
static hk_status load(hk_dense *d, const hk_dense_held *held, hk_buffer *b)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_kernel *kernel, *put;
  hk_buffer *zero;
  const hk_buffer *value = held->value;
  HK_TRY(find_kernel(d, &pool, "dense_load", &kernel));
  HK_TRY(find_kernel(d, &pool, "dense_put", &put));
  if (!value) {
    HK_TRY(hk_buffer_get(&pool, d->device, (hk_count)held->count * 8, &zero));
    value = zero;
  }
  HK_TRY(hk_kernel_launch(kernel, 0, chunks_of(d->n),
                          HK_ARGUMENTS(held->dof, value, d->value, b, held->count, d->n)));
  HK_TRY(hk_kernel_launch(put, 0, chunks_of(held->count),
                          HK_ARGUMENTS(held->dof, value, b, held->count)));
  HK_TRY(hk_device_finish(d->device));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status hold(hk_dense *d, const hk_buffer *dof, hk_index count)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_kernel *kernel;
  const hk_count chunks = chunks_of(d->n);
  if (!count) return HK_OK;
  HK_TRY(find_kernel(d, &pool, "dense_hold", &kernel));
  HK_TRY(hk_kernel_launch(kernel, 0, count * chunks,
                          HK_ARGUMENTS(dof, d->value, d->n, (int32_t)chunks)));
  HK_TRY(hk_device_finish(d->device));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* (*out)[n] ints of the pool: what is not zero of each line. */
static hk_status count_lines(const hk_dense *d, hk_pool *pool, hk_buffer **out)
{
  hk_kernel *kernel;
  HK_PASS(hk_buffer_get(pool, d->device, (hk_count)d->n * 4, out));
  HK_PASS(find_kernel(d, pool, "dense_count", &kernel));
  HK_PASS(hk_kernel_launch(kernel, 0, d->n, HK_ARGUMENTS(d->value, *out, d->n)));
  return hk_device_finish(d->device);
}

/* Lines of padding, which no element has written, are held at 0. */
static hk_status hold_empty(hk_dense *d)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_buffer *count, *dof;
  hk_index *empty, n = 0;
  HK_TRY(count_lines(d, &pool, &count));
  HK_TRY(hk_pool_get(&pool, &empty, d->n));
  HK_TRY(hk_buffer_read(count, 0, hk_buffer_bytes(count), empty));
  for (hk_index i = 0; i < d->n; i++)
    if (!empty[i]) empty[n++] = i;
  HK_TRY(hk_buffer_send(&pool, d->device, (hk_count)n * 4, empty, &dof));
  HK_TRY(hold(d, dof, n));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_dense_eliminate(hk_dense *d, const hk_dense_held *held, hk_buffer *b)
{
  if (b && held->count) HK_PASS(load(d, held, b));
  HK_PASS(hold(d, held->dof, held->count));
  return hold_empty(d);
}

hk_status hk_dense_to_rows(const hk_dense *d, hk_dense_rows *out)
{
  hk_status status = HK_OK;
  hk_dense_rows r = {.n = d->n};
  hk_pool pool = {0};
  hk_buffer *count;
  hk_scan *scan = NULL;
  hk_kernel *kernel;
  HK_TRY(count_lines(d, &pool, &count));
  HK_TRY(hk_scan_create(d->device, d->n, &scan));
  HK_TRY(hk_buffer_get(&r.pool, d->device, ((hk_count)d->n + 1) * 8, &r.begin));
  HK_TRY(hk_scan_run(scan, count, r.begin, d->n, &r.entries, NULL));
  HK_TRY(hk_buffer_get(&r.pool, d->device, r.entries * 4, &r.column));
  HK_TRY(hk_buffer_get(&r.pool, d->device, r.entries * (d->double_precision ? 8 : 4), &r.value));
  HK_TRY(find_kernel(d, &pool, "dense_rows_of", &kernel));
  HK_TRY(
      hk_kernel_launch(kernel, 0, d->n, HK_ARGUMENTS(d->value, r.begin, r.column, r.value, d->n)));
  HK_TRY(hk_device_finish(d->device));
  *out = r, r = (hk_dense_rows){0};
cleanup:
  hk_scan_destroy(&scan);
  hk_pool_clear(&pool);
  hk_dense_rows_clear(&r);
  return status;
}

void hk_dense_rows_clear(hk_dense_rows *r)
{
  hk_pool_clear(&r->pool);
  *r = (hk_dense_rows){0};
}
