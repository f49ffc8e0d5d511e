/* What memory costs is counted while a meter runs; groups have the threads that were asked for. */
#include "device/device.h"
#include "support/check.h"
#include <hooke/status.h>

static bool next_device(int k, hk_device **out)
{
  char name[16];
  if (!hk_device_list(&(hk_device_desc){0}, k, name)) return false;
  ok(hk_device_open(name, 1, out));
  return true;
}

/* bytes made, held at most, sent and read; nothing before the start and after the stop */
static void bytes_are_counted(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    hk_buffer *before = NULL, *a = NULL, *b = NULL;
    char value[4096] = {0};
    ok(hk_buffer_create(device, 64, &before));
    assert_int_equal(hk_device_metered(device)->allocated, 0);
    hk_device_meter_start(device);
    ok(hk_buffer_create(device, 4096, &a));
    ok(hk_buffer_write(a, 0, 4096, value));
    hk_buffer_destroy(&a);
    ok(hk_buffer_create(device, 1024, &b));
    ok(hk_buffer_read(b, 0, 512, value));
    hk_device_meter_stop(device);
    ok(hk_buffer_write(b, 0, 512, value));
    const hk_device_meter *m = hk_device_metered(device);
    assert_int_equal(m->allocated, 5120);
    assert_int_equal(m->held, 1024);
    assert_int_equal(m->peak, 4096);
    assert_int_equal(m->sent, 4096);
    assert_int_equal(m->read, 512);
    assert_true(m->allocation > 0 && m->transfer > 0);
    hk_buffer_destroy(&b);
    hk_buffer_destroy(&before);
    hk_device_close(&device);
  }
}

/* wall clock = the device's clock + what was counted */
static void its_clock_leaves_them_out(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  hk_buffer *a = NULL;
  hk_device_meter_start(device);
  const double wall = hk_seconds(), own = hk_device_seconds(device);
  ok(hk_buffer_create(device, 16 << 20, &a));
  const double own_took = hk_device_seconds(device) - own, wall_took = hk_seconds() - wall;
  const hk_device_meter *m = hk_device_metered(device);
  assert_true(own_took >= 0 && own_took <= wall_took - m->allocation);
  hk_buffer_destroy(&a);
  hk_device_close(&device);
}

/* where kernels are compiled; no multiple of 32, or too many: HK_USAGE */
static void threads_of_a_group(void **state)
{
  (void)state;
  char name[16];
  for (int k = 0; hk_device_list(&(hk_device_desc){0}, k, name); k++) {
    hk_device *device = NULL;
    ok(hk_device_create(&(hk_device_desc){.name = name, .group_threads = 32}, &device));
    const bool compiles = hk_device_describe(device)->compiles;
    assert_int_equal(hk_device_describe(device)->group_threads, compiles ? 32 : 1);
    ok(hk_device_check(device));
    hk_device_close(&device);
    for (int wrong = 33; wrong <= 1 << 20 && compiles; wrong += (1 << 20) - 33) {
      const hk_device_desc desc = {.name = name, .group_threads = wrong};
      assert_int_equal(hk_device_create(&desc, &device), HK_USAGE);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_are_counted),
                                     cmocka_unit_test(its_clock_leaves_them_out),
                                     cmocka_unit_test(threads_of_a_group)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
