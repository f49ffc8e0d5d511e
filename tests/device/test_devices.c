/* Every device that this machine has computes what the host computes. */
#include "body.h"
#include "device/bandwidth.h"
#include "device/cuda/architectures.h"
#include <stdio.h>

static const hk_device_desc desc; /* any */
static const hk_shape shapes[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};

/* Opens the k-th device beside the host, and says which it is the first time; false behind the last. */
static bool next_beside_host(int k, hk_device **out)
{
  static int said = -1;
  char name[16];
  if (!hk_device_list(&desc, k + 1, name)) {
    if (k == 0) print_message("skipped: no device beside the host\n");
    return false;
  }
  ok(hk_device_open(name, 2, out));
  if (k > said) {
    const hk_device_info *info = hk_device_describe(*out);
    print_message("%s: %s, %s, %lld bytes, local %lld\n", name, info->name, info->isa,
                  (long long)info->memory, (long long)info->local_memory);
    said = k;
  }
  return true;
}

/* what is written is read, at any offset; new memory is zero; copies follow writes */
static void buffers(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_beside_host(k, &device); k++) {
    hk_buffer *a = NULL, *b = NULL, *none = NULL;
    int got[100], value[100];
    for (int i = 0; i < 100; i++) value[i] = i * i;
    ok(hk_buffer_create(device, 400, &a));
    ok(hk_buffer_create(device, 400, &b));
    ok(hk_buffer_create(device, 0, &none));
    ok(hk_buffer_read(a, 0, 400, got));
    for (int i = 0; i < 100; i++) assert_int_equal(got[i], 0);
    ok(hk_buffer_write(a, 40, 200, value));
    ok(hk_buffer_copy(b, a));
    ok(hk_buffer_write(a, 0, 400, value));
    ok(hk_buffer_read(b, 80, 160, got));
    assert_memory_equal(got, value + 10, 160);
    ok(hk_buffer_read(b, 0, 400, got));
    assert_int_equal(got[9], 0);
    assert_int_equal(got[60], 0);
    assert_int_equal(hk_buffer_write(a, 396, 8, value), HK_INTERNAL);
    hk_buffer_destroy(&a);
    hk_buffer_destroy(&b);
    hk_buffer_destroy(&none);
    hk_device_close(&device);
  }
}

typedef struct variant {
  hk_form form;
  bool damped, real;
} variant;

/* The relative difference of a device to the host after three steps of a form, or after K u. */
static double compare(const body *b, hk_device *host, hk_device *device, const char *method,
                      const variant *v)
{
  run mine, theirs;
  ok(run_create(&theirs, b, host, method, v->real));
  ok(run_create(&mine, b, device, method, v->real));
  return run_difference(&mine, &theirs, v->form, v->damped, 3);
}

/* every operator, shape, form and precision, with one and with three materials: u as on the host, to 1e-12
 * (double) and 1e-5 (single) of the largest */
static void operators(void **state)
{
  static const variant list[] = {
      {HK_FORM_STORE, false, true},       {HK_FORM_POSITIONS, true, true},
      {HK_FORM_INCREMENTS, true, false},  {HK_FORM_POSITIONS, false, true},
      {HK_FORM_INCREMENTS, false, false}, {HK_FORM_STORE, false, false}};
  hk_device *host = NULL, *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &host));
  for (int k = 0; next_beside_host(k, &device); k++) {
    /* a processor's own compiler takes its time: the forms in turn, not each on each shape */
    const size_t stride = hk_device_describe(device)->unoptimised ? 2 : 1;
    for (size_t s = 0; s < 4; s++)
      for (int one = 0; one < 2; one++) {
        body b = {0};
        layers_create(&b, shapes[s], one);
        for (int m = 0; hk_operator_name(m); m++) {
          if (!serves(hk_operator_name(m), shapes[s])) continue;
          for (size_t i = (s + (size_t)one) % stride; i < 6; i += stride) {
            const double error = compare(&b, host, device, hk_operator_name(m), &list[i]);
            if (!(error <= (list[i].real ? 1e-12 : 1e-5)))
              fail_msg("%s, %s, %s, form %d, damped %d, double %d, one material %d: error %.2e",
                       hk_device_describe(device)->backend, hk_shape_name(shapes[s]),
                       hk_operator_name(m), (int)list[i].form, list[i].damped, list[i].real, one,
                       error);
          }
        }
        body_destroy(&b);
      }
    hk_device_close(&device);
  }
  hk_device_close(&host);
}

/* damping that is the same at all nodes */
static void alike(void **state)
{
  static const struct {
    hk_shape shape;
    const char *method;
  } row[] = {
      {HK_TRI3, "matrix-free"}, {HK_TRI3, "edges"}, {HK_TET4, "stored"}, {HK_HEX8, "matrix-free"}};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_beside_host(k, &device); k++) {
    for (int i = 0; i < 4 && hk_device_describe(device)->compiles; i++) {
      body b = {0};
      layers_create(&b, row[i].shape, true);
      run_alike(&b, device, row[i].method);
      body_destroy(&b);
    }
    hk_device_close(&device);
  }
}

/* `shots` states at `first` in a row of states; the k-th of them begins with the numbers of shot first + k */
static hk_status run_shots(run *r, int first, int shots, double *out)
{
  enum { STEPS = 2 };
  hk_status status = HK_OK;
  hk_buffer *buffer[3] = {0};
  double *value = NULL;
  HK_TRY(hk_get(&value, shots * r->dofs));
  for (int b = 0; b < 3; b++) {
    HK_TRY(hk_buffer_create(r->device, shots * r->dofs * 4, &buffer[b]));
    for (int k = 0; k < shots; k++)
      for (hk_count i = 0; i < r->dofs; i++)
        value[k * r->dofs + i] = r->space->mesh_node[i / r->space->components] < 0
                                     ? 0
                                     : sin((double)i * (first + k + 1) + b);
    HK_TRY(hk_buffer_write_reals(buffer[b], false, 0, shots * r->dofs, value));
  }
  HK_TRY(hk_operator_bind(r->op, HK_FORM_INCREMENTS, false, shots));
  for (int n = 0; n < STEPS; n++)
    HK_TRY(hk_operator_apply(r->op, &(hk_epilogue){.form = HK_FORM_INCREMENTS,
                                                   .shots = shots,
                                                   .u = buffer[n % 2],
                                                   .out = buffer[(n + 1) % 2],
                                                   .v = buffer[2],
                                                   .b = r->b}));
  HK_TRY(hk_buffer_read_reals(buffer[STEPS % 2], false, 0, shots * r->dofs, out));
cleanup:
  for (int b = 0; b < 3; b++) hk_buffer_destroy(&buffer[b]);
  hk_free(&value);
  return status;
}

/* 15 shots together, which every number of shots at once has a part in = each alone, bit by bit */
static void shots(void **state)
{
  enum { SHOTS = 15 };
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_beside_host(k, &device); k++) {
    for (int m = 0; hk_operator_name(m); m++) {
      const char *method = hk_operator_name(m);
      if (!serves(method, HK_TET4) && !serves(method, HK_TRI3))
        continue; /* of order p: operator/test_spectral */
      double *together = NULL, *alone = NULL;
      body b = {0};
      run r;
      layers_create(&b, serves(method, HK_TET4) ? HK_TET4 : HK_TRI3, false);
      ok(run_create(&r, &b, device, method, false));
      ok(hk_get(&together, SHOTS * r.dofs));
      ok(hk_get(&alone, r.dofs));
      ok(run_shots(&r, 0, SHOTS, together));
      for (int shot = 0; shot < SHOTS; shot++) {
        ok(run_shots(&r, shot, 1, alone));
        if (memcmp(alone, together + shot * r.dofs, (size_t)r.dofs * sizeof *alone) != 0)
          fail_msg("%s: shot %d", method, shot);
      }
      run_destroy(&r);
      body_destroy(&b);
      hk_free(&together);
      hk_free(&alone);
    }
    hk_device_close(&device);
  }
}

/* two runs give the same bits */
static void reproducible(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_beside_host(k, &device); k++) {
    for (int m = 0; hk_operator_name(m); m++) {
      double *field[2] = {NULL};
      body b = {0};
      if (!serves(hk_operator_name(m), HK_TET4) && !serves(hk_operator_name(m), HK_TRI3)) continue;
      layers_create(&b, serves(hk_operator_name(m), HK_TET4) ? HK_TET4 : HK_TRI3, false);
      for (int t = 0; t < 2; t++) {
        run r;
        ok(run_create(&r, &b, device, hk_operator_name(m), false));
        ok(run_steps(&r, HK_FORM_INCREMENTS, true, 3));
        ok(read_field(&r, r.u, &field[t]));
        run_destroy(&r);
      }
      assert_memory_equal(field[0], field[1],
                          (size_t)(b.mesh->node_count * b.mesh->dim) * sizeof(double));
      hk_free(&field[0]);
      hk_free(&field[1]);
      body_destroy(&b);
    }
    hk_device_close(&device);
  }
}

/* a device that is right passes its check; its memory has a speed */
static void check_and_speed(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_beside_host(k, &device); k++) {
    hk_bandwidth speed;
    const bool fast = !hk_device_describe(device)->unoptimised;
    ok(hk_device_check(device));
    ok(hk_bandwidth_measure(device, fast ? (hk_count)1 << 30 : 4 << 20, &speed));
    print_message("copy %.1f GB/s, step %.1f GB/s\n", speed.copy_gb_per_s, speed.step_gb_per_s);
    assert_true(speed.copy_gb_per_s > 0.01 && speed.step_gb_per_s > 0.01);
    hk_device_close(&device);
  }
}

static hk_status whole_life(const body *b, const char *name)
{
  hk_status status = HK_OK;
  hk_device *device = NULL;
  run r = {0};
  double *field = NULL;
  HK_TRY(hk_device_open(name, 1, &device));
  HK_TRY(run_create(&r, b, device, "edges", false));
  HK_TRY(run_steps(&r, HK_FORM_INCREMENTS, false, 2));
  HK_TRY(hk_buffer_copy(r.out, r.u));
  HK_TRY(read_field(&r, r.out, &field));
cleanup:
  hk_free(&field);
  run_destroy(&r);
  hk_device_close(&device);
  return status;
}

/* a call of the device (allocating, copying, compiling, launching, waiting) or an allocation that fails, for each in turn:
 * HK_NO_RESOURCES, in words, and nothing is left behind */
static void failures(void **state)
{
  char name[16];
  body b = {0};
  (void)state;
  layers_create(&b, HK_TRI3, true);
  const hk_count held = hk_memory_held();
  for (int device = 0; hk_device_list(&desc, device, name); device++)
    for (int which = 0; which < 2; which++) {
      hk_status status = HK_NO_RESOURCES;
      int k = 1;
      for (; status != HK_OK; k++) {
        if (which)
          hk_device_fail_at(k);
        else
          hk_memory_fail_at(k);
        status = whole_life(&b, name);
        hk_device_fail_at(0);
        hk_memory_fail_at(0);
        if (status != HK_OK && status != HK_NO_RESOURCES) fail_msg("%s: %s", name, hk_error());
        assert_int_equal(hk_memory_held(), held);
      }
      assert_true(k > 20);
    }
  body_destroy(&b);
}

/* more memory than there is: the numbers, no crash */
static void too_little_memory(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_beside_host(k, &device); k++) {
    hk_buffer *buffer = NULL;
    assert_int_equal(hk_buffer_create(device, (hk_count)1 << 50, &buffer), HK_NO_RESOURCES);
    assert_null(buffer);
    error_says("1125899906842624");
    error_says("free");
    hk_device_close(&device);
  }
}

/* a kernel that does not compile: the compiler's words; more local memory than there is: the numbers */
static void bad_kernels(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_beside_host(k, &device); k++) {
    hk_kernel *kernel = NULL;
    hk_kernel_desc stored = {.text = "stored",
                             .function = "stored_step",
                             .define = {{"DAMPED", 0}, {"DIM", 2}, {"FORM", 0}}};
    for (int again = 0; again < 2; again++) {
      ok(hk_kernel_create(device, &stored, &kernel));
      assert_int_equal(hk_kernel_await(kernel), HK_NO_RESOURCES);
      error_says("ROWS");
      hk_kernel_destroy(&kernel);
    }
    stored.local = (hk_count)1 << 40;
    assert_int_equal(hk_kernel_create(device, &stored, &kernel), HK_NO_RESOURCES);
    error_says("local memory");
    assert_null(kernel);
    hk_device_close(&device);
  }
}

/* a device that is not there: HK_NO_RESOURCES that names it; HK_USAGE where no device is called so */
static void absent(void **state)
{
  static const char *const names[] = {"cuda:99", "opencl:99", "cpu:1", "vulkan", "cuda:x", ""};
  const size_t known = 3;
  hk_device *device = NULL;
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    assert_int_equal(hk_device_open(names[i], 1, &device), i < known ? HK_NO_RESOURCES : HK_USAGE);
    error_says(names[i]);
    assert_null(device);
  }
}

/* auto: a device that is no processor in disguise; the host where nothing else is */
static void automatic(void **state)
{
  hk_device *device = NULL, *found = NULL;
  bool any = false;
  (void)state;
  for (int k = 0; next_beside_host(k, &found); k++) {
    any = any || hk_device_describe(found)->overlaps;
    hk_device_close(&found);
  }
  ok(hk_device_open("auto", 1, &device));
  assert_true(hk_device_describe(device)->overlaps ||
              !hk_device_has_groups(hk_device_describe(device)));
  assert_int_equal(!strcmp(hk_device_describe(device)->backend, "cpu"), !any);
  hk_device_close(&device);
}

/* kernels are compiled beforehand for a GPU with the properties that its driver tells */
static void architectures_are_known(void **state)
{
  char name[16];
  hk_device_info known;
  hk_device *device = NULL;
  int arch;
  (void)state;
  for (int k = 0; hk_device_list(&(hk_device_desc){0}, k, name); k++) {
    if (strncmp(name, "cuda", 4) || hk_device_open(name, 1, &device) != HK_OK) continue;
    const hk_device_info *info = hk_device_describe(device);
    if (sscanf(info->isa, "sm_%d", &arch) == 1 && hk_cuda_architecture(arch, &known))
      assert_true(hk_cuda_alike(&known, info));
    hk_device_close(&device);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers),      cmocka_unit_test(operators),
      cmocka_unit_test(alike),        cmocka_unit_test(shots),
      cmocka_unit_test(reproducible), cmocka_unit_test(check_and_speed),
      cmocka_unit_test(failures),     cmocka_unit_test(too_little_memory),
      cmocka_unit_test(bad_kernels),  cmocka_unit_test(absent),
      cmocka_unit_test(automatic),    cmocka_unit_test(architectures_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
