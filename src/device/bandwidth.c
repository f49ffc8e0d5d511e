/* The speed of a device's memory, in GB/s: bytes over the least of several times. A copy b = a moves two arrays and counts by the faster of the
 * kernel and the device's own copy; a step d <- 2 c - d + a b (device/stream.k.h) moves five, as a time step of waves does. Every page is written
 * before it is timed. A sweep is the same step, launched on its own: an estimate of a run's time measures the device with it. */
#include "device/bandwidth.h"

enum { CHUNK = 4096, SMALL = 16 << 20 };

/* Passes over small arrays are short: a tenth of the time has as many. */
static hk_status best_time(hk_device *device, hk_kernel *kernel, hk_count groups,
                           const hk_argument *argument, int count, double *best)
{
  const double begin = hk_seconds(), enough = groups * 4 * CHUNK < SMALL ? 0.02 : 0.2;
  *best = 1e30;
  for (int pass = 0; pass < 4 || hk_seconds() - begin < enough; pass++) {
    const double before = hk_seconds();
    HK_PASS(hk_kernel_launch(kernel, 0, groups, argument, count));
    HK_PASS(hk_device_finish(device));
    const double spent = hk_seconds() - before;
    if (pass && spent < *best) *best = spent; /* the first pass touches the memory */
  }
  return HK_OK;
}

/* The device's own way to copy, where it is faster than a kernel. */
static hk_status best_copy(hk_device *device, hk_buffer *to, const hk_buffer *from, double *best)
{
  for (int pass = 0; pass < 4; pass++) {
    const double before = hk_seconds();
    HK_PASS(hk_buffer_copy(to, from));
    HK_PASS(hk_device_finish(device));
    const double spent = hk_seconds() - before;
    if (spent < *best) *best = spent;
  }
  return HK_OK;
}

/* Pages that were never written are all one page of zeros, which is read from the cache: every page is written first. */
static hk_status touch(hk_buffer *buffer)
{
  hk_status status = HK_OK;
  const hk_count bytes = hk_buffer_bytes(buffer), part = 1 << 20;
  float *ones = NULL;
  HK_TRY(hk_get(&ones, part / (hk_count)sizeof *ones));
  ones[0] = 1;
  for (hk_count at = 0; at < bytes; at += part)
    HK_TRY(hk_buffer_write(buffer, at, bytes - at < part ? bytes - at : part, ones));
cleanup:
  hk_free(&ones);
  return status;
}

hk_status hk_bandwidth_measure(hk_device *device, hk_count bytes, hk_bandwidth *out)
{
  hk_status status = HK_OK;
  hk_buffer *array[4] = {NULL};
  hk_kernel *copy = NULL, *step = NULL;
  const hk_count groups = bytes / (4 * CHUNK);
  const double size = (double)(groups * 4 * CHUNK);
  double seconds;
  hk_kernel_desc desc = {.text = "stream", .function = "stream_copy", .define = {{"CHUNK", CHUNK}}};

  for (int i = 0; i < 4; i++) {
    HK_TRY(hk_buffer_create(device, groups * 4 * CHUNK, &array[i]));
    HK_TRY(touch(array[i]));
  }
  HK_TRY(hk_kernel_create(device, &desc, &copy));
  desc.function = "stream_step";
  HK_TRY(hk_kernel_create(device, &desc, &step));
  const hk_argument argument[] = {hk_arg_buffer(array[0]), hk_arg_buffer(array[1]),
                                  hk_arg_buffer(array[2]), hk_arg_buffer(array[3])};
  HK_TRY(best_time(device, copy, groups, argument, 2, &seconds));
  HK_TRY(best_copy(device, array[1], array[0], &seconds));
  out->copy_gb_per_s = 2 * size / seconds / 1e9;
  HK_TRY(best_time(device, step, groups, argument, 4, &seconds));
  out->step_gb_per_s = 5 * size / seconds / 1e9;
cleanup:
  for (int i = 0; i < 4; i++) hk_buffer_destroy(&array[i]);
  hk_kernel_destroy(&copy);
  hk_kernel_destroy(&step);
  return status;
}

hk_status hk_sweep_create(hk_device *device, hk_count bytes, hk_sweep *sweep)
{
  const hk_kernel_desc desc = {
      .text = "stream", .function = "stream_step", .define = {{"CHUNK", CHUNK}}};
  sweep->groups = bytes / 4 / (4 * CHUNK);
  for (int i = 0; i < 4; i++) {
    HK_PASS(hk_buffer_create(device, sweep->groups * 4 * CHUNK, &sweep->array[i]));
    HK_PASS(touch(sweep->array[i]));
  }
  return hk_kernel_create(device, &desc, &sweep->kernel);
}

hk_status hk_sweep_run(hk_device *device, const hk_sweep *sweep)
{
  const hk_argument argument[] = {hk_arg_buffer(sweep->array[0]), hk_arg_buffer(sweep->array[1]),
                                  hk_arg_buffer(sweep->array[2]), hk_arg_buffer(sweep->array[3])};
  const hk_status status = hk_kernel_launch(sweep->kernel, 0, sweep->groups, argument, 4);
  return status == HK_OK ? hk_device_finish(device) : status;
}

void hk_sweep_destroy(hk_sweep *sweep)
{
  for (int i = 0; i < 4; i++) hk_buffer_destroy(&sweep->array[i]);
  hk_kernel_destroy(&sweep->kernel);
}
