/* A vendor's product, which the test plays: what it is given, and what is told where it fails. */
#include "device/table.h"
#include "support/check.h"
#include <hooke/status.h>

static bool absent;

static bool there(const hk_device *device)
{
  (void)device;
  return !absent;
}

static hk_status create(hk_device_product *p)
{
  strcpy(p->name, "vendor 1.2");
  return HK_OK;
}

static hk_status apply(hk_device_product *p)
{
  const hk_device_product_desc *d = &p->desc;
  const int32_t *begin = d->begin->memory, *column = d->column->memory;
  const double *value = d->value->memory, *x = d->x->memory;
  double *y = d->y->memory;
  for (hk_index i = 0; i < d->n; i++) {
    y[i] = 0;
    for (int32_t e = begin[i]; e < begin[i + 1]; e++) y[i] += value[e] * x[column[e]];
  }
  return HK_OK;
}

static void destroy(hk_device_product *p)
{
  (void)p;
}

static const hk_product_table product = {there, create, apply, destroy};

typedef struct rows {
  hk_device *device;
  hk_device_table table;
  hk_buffer *begin, *column, *value, *x, *y;
} rows;

static void send(rows *r, const void *from, hk_count bytes, hk_buffer **out)
{
  ok(hk_buffer_create(r->device, bytes, out));
  ok(hk_buffer_write(*out, 0, bytes, from));
}

/* (2 -1; 0 3) and x = (1, 2) */
static hk_device_product_desc make_rows(rows *r)
{
  ok(hk_device_open("cpu", 1, &r->device));
  send(r, (const int32_t[]){0, 2, 3}, 12, &r->begin);
  send(r, (const int32_t[]){0, 1, 1}, 12, &r->column);
  send(r, (const double[]){2, -1, 3}, 24, &r->value);
  send(r, (const double[]){1, 2}, 16, &r->x);
  send(r, (const double[]){7, 7}, 16, &r->y);
  r->table = hk_device_host, r->table.product = &product;
  r->device->table = &r->table;
  return (hk_device_product_desc){.device = r->device,
                                  .double_precision = true,
                                  .n = 2,
                                  .entries = 3,
                                  .begin = r->begin,
                                  .column = r->column,
                                  .value = r->value,
                                  .x = r->x,
                                  .y = r->y};
}

static void clear_rows(rows *r)
{
  r->device->table = &hk_device_host;
  hk_buffer *all[] = {r->begin, r->column, r->value, r->x, r->y};
  for (int k = 0; k < 5; k++) hk_buffer_destroy(&all[k]);
  hk_device_close(&r->device);
}

/* y = A x, overwritten */
static void the_vendor_multiplies(void **state)
{
  rows r = {0};
  hk_device_product *p = NULL;
  (void)state;
  const hk_device_product_desc desc = make_rows(&r);
  assert_true(hk_device_product_there(r.device));
  ok(hk_device_product_create(&desc, &p));
  ok(hk_device_product_apply(p));
  assert_string_equal(hk_device_product_name(p), "vendor 1.2");
  const double *y = r.y->memory;
  assert_true(y[0] == 0 && y[1] == 6);
  hk_device_fail_at(1);
  assert_int_equal(hk_device_product_apply(p), HK_NO_RESOURCES);
  hk_device_fail_at(0);
  hk_device_product_destroy(&p);
  clear_rows(&r);
}

/* no vendor, or not installed: HK_USAGE; memory that fails is told and given back */
static void without_it(void **state)
{
  rows r = {0};
  hk_device_product *p = NULL;
  (void)state;
  const hk_device_product_desc desc = make_rows(&r);
  const hk_count held = hk_memory_held();
  absent = true;
  assert_int_equal(hk_device_product_create(&desc, &p), HK_USAGE);
  absent = false;
  hk_memory_fail_at(1);
  assert_int_equal(hk_device_product_create(&desc, &p), HK_NO_RESOURCES);
  hk_memory_fail_at(0);
  assert_null(p);
  assert_int_equal(hk_memory_held(), held);
  r.device->table = &hk_device_host;
  assert_false(hk_device_product_there(r.device));
  clear_rows(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_vendor_multiplies),
                                     cmocka_unit_test(without_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
