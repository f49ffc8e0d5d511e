/* Kernels that compile on threads of their own, on a device whose compiler waits until the test lets it go. */
#include "device/compile.h"
#include "support/check.h"
#include <pthread.h>
#include <unistd.h>

/* What the compiler does, under one lock. */
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t change;
  bool open; /* programs are made at once */
  int begun, made, taken, destroyed;
  pthread_t last; /* thread that began last */
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

static void set_gate(bool open)
{
  pthread_mutex_lock(&gate.mutex);
  gate.open = open;
  pthread_cond_broadcast(&gate.change);
  pthread_mutex_unlock(&gate.mutex);
}

static hk_status make_gated(hk_program *program)
{
  pthread_mutex_lock(&gate.mutex);
  gate.begun++, gate.last = pthread_self();
  pthread_cond_broadcast(&gate.change);
  while (!gate.open) pthread_cond_wait(&gate.change, &gate.mutex);
  gate.made++;
  pthread_mutex_unlock(&gate.mutex);
  if (strstr(program->source, "CHUNK 13\n"))
    return hk_error_set(HK_NO_RESOURCES, "kernel %s: thirteen", program->function);
  program->code = program;
  return HK_OK;
}

static void destroy_gated(hk_program *program)
{
  assert_ptr_equal(program->code, program);
  gate.destroyed++;
}

static hk_status take_gated(hk_kernel *kernel)
{
  gate.taken++;
  kernel->code = kernel->program->code;
  return HK_OK;
}

static void kernel_destroy_gated(hk_kernel *kernel)
{
  (void)kernel;
}

static hk_status launch_gated(hk_kernel *kernel, hk_count first, hk_count count, void **value,
                              const size_t *size, int arguments)
{
  (void)first, (void)count, (void)value, (void)size, (void)arguments;
  assert_ptr_equal(kernel->code, kernel->program);
  return HK_OK;
}

static void close_gated(hk_device *device)
{
  (void)device;
}

static const hk_compiler_table compiler = {"opencl", make_gated, destroy_gated, take_gated};
static const hk_device_table table = {.name = "gated",
                                      .close = close_gated,
                                      .compiler = &compiler,
                                      .kernel_destroy = kernel_destroy_gated,
                                      .launch = launch_gated};

static hk_device *open_gated(int threads)
{
  hk_device *device = NULL;
  ok(hk_new(&device));
  device->table = &table;
  device->info = (hk_device_info){.lanes = 1, .width = 32, .group_threads = 32, .threads = threads};
  set_gate(false);
  gate.begun = gate.made = gate.taken = gate.destroyed = 0;
  return device;
}

static hk_kernel *create(hk_device *device, const char *function, int chunk)
{
  hk_kernel *kernel = NULL;
  ok(hk_kernel_create(
      device,
      &(hk_kernel_desc){.text = "stream", .function = function, .define = {{"CHUNK", chunk}}},
      &kernel));
  return kernel;
}

static void await_begun(int count)
{
  pthread_mutex_lock(&gate.mutex);
  while (gate.begun < count) pthread_cond_wait(&gate.change, &gate.mutex);
  pthread_mutex_unlock(&gate.mutex);
}

/* kernels are created while none is compiled; as many are compiled at once as the device has threads; a launch waits */
static void several_at_once(void **state)
{
  hk_device *device = open_gated(3);
  hk_kernel *kernel[5];
  (void)state;
  for (int k = 0; k < 5; k++) kernel[k] = create(device, "stream_step", k);
  await_begun(3);
  assert_int_equal(gate.begun, 3);
  assert_int_equal(gate.made, 0);
  set_gate(true);
  for (int k = 4; k >= 0; k--) ok(hk_kernel_launch(kernel[k], 0, 1, NULL, 0));
  assert_int_equal(gate.made, 5);
  assert_true(hk_compile_waited(device) > 0);
  for (int k = 0; k < 5; k++) hk_kernel_destroy(&kernel[k]);
  hk_device_close(&device);
  assert_int_equal(gate.destroyed, 5);
}

/* kernels of one source share a program, which is made once */
static void source_is_shared(void **state)
{
  hk_device *device = open_gated(2);
  hk_kernel *first = create(device, "stream_step", 7), *second = create(device, "stream_copy", 7);
  (void)state;
  set_gate(true);
  ok(hk_kernel_await(second));
  ok(hk_kernel_await(first));
  ok(hk_kernel_await(first));
  assert_int_equal(gate.made, 1);
  assert_int_equal(gate.taken, 2);
  hk_kernel_destroy(&first);
  hk_kernel_destroy(&second);
  hk_device_close(&device);
}

/* the compiler's words come to the thread that waits, from whatever it calls, and the next kernel of that source is tried anew */
static void failures_are_told(void **state)
{
  hk_device *device = open_gated(2);
  hk_kernel *wrong = create(device, "stream_step", 13), *right = create(device, "stream_step", 14);
  (void)state;
  set_gate(true);
  assert_int_equal(hk_kernel_launch(wrong, 0, 1, NULL, 0), HK_NO_RESOURCES);
  error_says("kernel stream_step: thirteen");
  ok(hk_kernel_launch(right, 0, 1, NULL, 0));
  hk_kernel *again = create(device, "stream_step", 13);
  hk_error_set(HK_OK, "nothing");
  assert_int_equal(hk_compile_await_all(device), HK_NO_RESOURCES);
  error_says("thirteen");
  assert_int_equal(gate.made, 3);
  hk_kernel_destroy(&wrong);
  hk_kernel_destroy(&again);
  ok(hk_compile_await_all(device));
  hk_kernel_destroy(&right);
  hk_device_close(&device);
}

/* a thread that needs what no thread has begun makes it itself */
static void waiter_compiles(void **state)
{
  hk_device *device = open_gated(1);
  hk_kernel *first = create(device, "stream_step", 1);
  (void)state;
  await_begun(1);
  assert_false(pthread_equal(gate.last, pthread_self()));
  hk_kernel *second = create(device, "stream_step", 2);
  pthread_mutex_lock(&gate.mutex); /* the thread keeps the first */
  gate.open = true;
  pthread_mutex_unlock(&gate.mutex);
  ok(hk_kernel_await(second));
  assert_true(pthread_equal(gate.last, pthread_self()));
  pthread_mutex_lock(&gate.mutex);
  pthread_cond_broadcast(&gate.change);
  pthread_mutex_unlock(&gate.mutex);
  ok(hk_kernel_await(first));
  hk_kernel_destroy(&first);
  hk_kernel_destroy(&second);
  hk_device_close(&device);
}

static void *open_later(void *unused)
{
  usleep(20000);
  set_gate(true);
  return unused;
}

/* a device that closes drops what is not begun and waits for what is */
static void close_waits(void **state)
{
  hk_device *device = open_gated(2);
  pthread_t other;
  (void)state;
  for (int k = 0; k < 6; k++) {
    hk_kernel *kernel = create(device, "stream_step", k);
    hk_kernel_destroy(&kernel);
  }
  await_begun(2);
  assert_int_equal(pthread_create(&other, NULL, open_later, NULL), 0);
  hk_device_close(&device);
  pthread_join(other, NULL);
  assert_int_equal(gate.begun, 2);
  assert_int_equal(gate.destroyed, 2);
  assert_int_equal(gate.taken, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(several_at_once), cmocka_unit_test(source_is_shared),
      cmocka_unit_test(failures_are_told), cmocka_unit_test(waiter_compiles),
      cmocka_unit_test(close_waits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
