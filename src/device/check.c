/* Whether a device computes: it runs d <- 2 c - d + a b (device/stream.k.h) on small whole numbers, whose result is exact in single precision on
 * any device, and compares every number with the host's. The groups run in two launches, the second from group 1 on. The
 * error names the device, its number and the correct one. */
#include "device/table.h"

/* A known answer of device/stream.k.h. */
enum { CHUNK = 4096, GROUPS = 3, COUNT = CHUNK * GROUPS };

typedef struct check {
  hk_buffer *array[4];
  hk_kernel *step;
  float *value[4];
} check;

static hk_status run_check(hk_device *device, check *c)
{
  hk_argument argument[4];
  const hk_kernel_desc desc = {
      .text = "stream", .function = "stream_step", .define = {{"CHUNK", CHUNK}}};
  for (int a = 0; a < 4; a++) {
    HK_PASS(hk_get(&c->value[a], COUNT));
    for (int i = 0; i < COUNT; i++) c->value[a][i] = (float)((i * (7 + a) + 3 * a) % 101 - 50);
    HK_PASS(hk_buffer_create(device, COUNT * 4, &c->array[a]));
    HK_PASS(hk_buffer_write(c->array[a], 0, COUNT * 4, c->value[a]));
    argument[a] = hk_arg_buffer(c->array[a]);
  }
  HK_PASS(hk_kernel_create(device, &desc, &c->step));
  HK_PASS(hk_kernel_launch(c->step, 0, 1, argument, 4)); /* the groups in two launches */
  HK_PASS(hk_kernel_launch(c->step, 1, GROUPS - 1, argument, 4));
  for (int i = 0; i < COUNT; i++)
    c->value[3][i] = 2 * c->value[2][i] - c->value[3][i] + c->value[0][i] * c->value[1][i];
  HK_PASS(hk_buffer_read(c->array[3], 0, COUNT * 4, c->value[0]));
  for (int i = 0; i < COUNT; i++) /* small whole numbers: exact on any device */
    HK_NEED(c->value[0][i] == c->value[3][i], HK_CHECK_FAILED,
            "device %s (%s) computes %g; the correct value is %g", device->info.backend,
            device->info.name, (double)c->value[0][i], (double)c->value[3][i]);
  return HK_OK;
}

hk_status hk_device_check(hk_device *device)
{
  check c = {0};
  const hk_status status = run_check(device, &c);
  hk_kernel_destroy(&c.step);
  for (int a = 0; a < 4; a++) {
    hk_buffer_destroy(&c.array[a]);
    hk_free(&c.value[a]);
  }
  return status;
}
