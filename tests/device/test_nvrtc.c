/* Every kernel compiles for CUDA: NVRTC where it is installed, without a GPU. */
#include "device/cuda/nvrtc.h"
#include "device/source.h"
#include "support/check.h"

enum { ARCH = 90 };
#define TARGET "sm_90"

static const hk_device_info gpu = {.lanes = 1, .width = 32, .group_threads = 128, .team = 32};
static hk_nvrtc nvrtc;
static int (*compile_program)(nvrtc_program, int, const char *const *);

/* Whether a text compiles does not depend on how well its code is optimised: a third of the time. NVRTC 13 knows the option. */
static int compile_quickly(nvrtc_program program, int count, const char *const *options)
{
  const char *all[8] = {"--Ofast-compile=max"};
  assert_true(count < 8);
  memcpy(all + 1, options, (size_t)count * sizeof *options);
  return compile_program(program, count + 1, all);
}

static void compile(const hk_kernel_desc *desc)
{
  char *source = NULL, *cubin = NULL;
  hk_count size = 0;
  ok(hk_kernel_source(desc, &gpu, "cuda", &source));
  ok(hk_nvrtc_compile(&nvrtc, desc->function, source, TARGET, &cubin, &size));
  assert_true(size > 1000);
  assert_memory_equal(cubin, "\177ELF", 4);
  hk_free(&cubin);
  hk_free(&source);
}

typedef struct variant {
  const char *text, *function, *defines;
  bool double_precision;
  int threads; /* 0: the device's */
} variant;

static const variant variants[] = {
#include "variants/gpu.h"
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void compile_variant(const variant *v)
{
  char names[160];
  hk_kernel_desc desc = {.text = v->text,
                         .function = v->function,
                         .double_precision = v->double_precision,
                         .threads = v->threads};
  assert_true(strlen(v->defines) < sizeof names);
  snprintf(names, sizeof names, "%s", v->defines);
  for (char *rest = NULL, *name = strtok_r(names, "= ", &rest); name;
       name = strtok_r(NULL, "= ", &rest))
    hk_kernel_define(&desc, name, atoi(strtok_r(NULL, "= ", &rest)));
  compile(&desc);
}

/* each variant that device/variants.txt lists for GPUs */
static void every_variant_compiles(void **state)
{
  (void)state;
  if (hk_nvrtc_open(getenv("CUDA_PATH"), ARCH, 0, &nvrtc) != HK_OK) {
    print_message("skipped: %s\n", hk_error());
    skip();
  }
  print_message("%s, version %d.%d\n", nvrtc.path, nvrtc.major, nvrtc.minor);
  if (nvrtc.major >= 13)
    compile_program = nvrtc.nvrtcCompileProgram, nvrtc.nvrtcCompileProgram = compile_quickly;
  for (int i = 0; i < VARIANTS; i++) compile_variant(&variants[i]);
}

/* Multiplications that no sum has joined, in cubes_step as NVRTC makes it for rims of so many nodes. */
static int lone_products(const hk_nvrtc *by, int rims)
{
  hk_kernel_desc desc = {.text = "cubes", .function = "cubes_step", .threads = 128};
  char *source = NULL, *code = NULL;
  hk_count size = 0;
  int count = 0;
  hk_kernel_define(&desc, "FORM", 2);
  hk_kernel_define(&desc, "GROUPS", 4);
  hk_kernel_define(&desc, "MAX_LOCAL", 800);
  hk_kernel_define(&desc, "PARTS", 1);
  hk_kernel_define(&desc, "PATCH", 512);
  hk_kernel_define(&desc, "RIMS", rims);
  ok(hk_kernel_source(&desc, &gpu, "cuda", &source));
  ok(hk_nvrtc_compile(by, desc.function, source, "compute_90", &code, &size));
  for (const char *p = code; (p = strstr(p, "mul.")); p++)
    count += !strncmp(p, "mul.f32", 7) || !strncmp(p, "mul.rn.f32", 10);
  hk_free(&code);
  hk_free(&source);
  return count;
}

/* one device and several have rims of other sizes, and must have the same bits: which product joins a sum may not depend on the size */
static void sizes_leave_sums_alone(void **state)
{
  (void)state;
  hk_nvrtc own;
  if (hk_nvrtc_open(getenv("CUDA_PATH"), ARCH, 0, &own) != HK_OK) skip();
  const int without = lone_products(&own, 0);
  assert_true(without > 100);
  assert_int_equal(lone_products(&own, 64), without);
  assert_int_equal(lone_products(&own, 256), without);
}

/* a text that is wrong: the compiler's words reach the message */
static void errors_are_shown(void **state)
{
  char *cubin = NULL;
  hk_count size;
  (void)state;
  if (hk_nvrtc_open(getenv("CUDA_PATH"), ARCH, 0, &nvrtc) != HK_OK) skip();
  assert_true(hk_nvrtc_resident() > 1 << 20);
  assert_int_equal(hk_nvrtc_compile(&nvrtc, "broken", "int f(", TARGET, &cubin, &size),
                   HK_NO_RESOURCES);
  error_says("broken");
  error_says("expected");
  assert_null(cubin);
}

/* a compiler for a GPU that it does not know is not taken; the message names what is wanted */
static void unknown_architecture(void **state)
{
  (void)state;
  assert_int_equal(hk_nvrtc_open("/nonexistent", 999, 0, &nvrtc), HK_NO_RESOURCES);
  error_says("CUDA");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_compiles), cmocka_unit_test(sizes_leave_sums_alone),
      cmocka_unit_test(errors_are_shown), cmocka_unit_test(unknown_architecture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
