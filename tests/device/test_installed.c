/* Kernels that hooke was installed with: found by their source alone, used before the compiler, and never in place of another kernel. The driver and
 * the compiler are those of tests/fake, which compute nothing. */
#include "device/cuda/architectures.h"
#include "device/cuda/nvrtc.h"
#include "device/source.h"
#include "kernels.h"
#include "support/check.h"
#include <dirent.h>
#include <dlfcn.h>
#include <hooke/hooke.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/hooke_installed_XXXXXX", kernels[64], cache[64];

static struct {
  void (*refuses)(const char *word);
  void (*is)(int arch);
  int (*compiled)(void);
  int (*hold)(int);
} fake;

static bool load_fakes(void)
{
  void *driver = dlopen(FAKE "/libcuda.so.1", RTLD_NOW),
       *compiler = dlopen(FAKE "/libnvrtc.so.13", RTLD_NOW);
  if (!driver || !compiler) return false;
  *(void **)&fake.refuses = dlsym(driver, "fake_cuda_refuses");
  *(void **)&fake.is = dlsym(driver, "fake_cuda_is");
  *(void **)&fake.compiled = dlsym(compiler, "fake_nvrtc_compiled");
  *(void **)&fake.hold = dlsym(compiler, "fake_nvrtc_hold");
  return fake.refuses && fake.is && fake.compiled && fake.hold;
}

static int begin(void **state)
{
  (void)state;
  snprintf(kernels, sizeof kernels, "%s/kernels", folder);
  snprintf(cache, sizeof cache, "%s/cache", folder);
  fake.refuses(NULL), fake.is(90);
  return 0;
}

static int clear(void **state)
{
  char command[96];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s/*", folder);
  return system(command);
}

static hk_device_desc desc_of(const char *name)
{
  return (hk_device_desc){.name = name, .threads = 2, .toolkit = FAKE, .kernels = kernels};
}

static hk_device *open_named(const char *name, const char *kept)
{
  hk_device *device = NULL;
  hk_device_desc desc = desc_of(name);
  desc.cache = kept;
  ok(hk_device_create(&desc, &device));
  return device;
}

static hk_kernel_desc stream(int chunk)
{
  return (hk_kernel_desc){
      .text = "stream", .function = "stream_step", .define = {{"CHUNK", chunk}}};
}

static void await(hk_device *device, const hk_kernel_desc *desc)
{
  hk_kernel *kernel = NULL;
  ok(hk_kernel_create(device, desc, &kernel));
  ok(hk_kernel_await(kernel));
  hk_kernel_destroy(&kernel);
}

/* The kernel with CHUNK=4096, for the target. */
static void install(const char *target)
{
  hk_wanted_list list = {0};
  hk_wanted one = {.function = (char *)"stream_step"};
  hk_count bytes = 0;
  const hk_kernel_desc desc = stream(4096);
  assert_true(hk_cuda_architecture(90, &list.like));
  ok(hk_kernel_source(&desc, &list.like, "cuda", &one.source));
  list.all.at = &one, list.all.count = 1;
  ok(hk_wanted_compile(&list, FAKE, target, kernels, &bytes));
  assert_true(bytes > 0);
  hk_free(&one.source);
}

/* The file of the kernel, or of what tells the compiler. */
static void path_of(const char *target, int chunk, char path[200])
{
  hk_device_info like;
  char *source = NULL;
  const hk_kernel_desc desc = stream(chunk);
  assert_true(hk_cuda_architecture(90, &like));
  if (chunk) ok(hk_kernel_source(&desc, &like, "cuda", &source));
  const hk_cache_key key = hk_nvrtc_key(target, chunk ? source : HK_NVRTC_MADE);
  snprintf(path, 200, "%s/%s/%016llx%016llx", kernels, target, (unsigned long long)key.word[0],
           (unsigned long long)key.word[1]);
  hk_free(&source);
}

/* Where a new device finds the kernel; what it compiled is compared with the fake's count. */
static hk_kernel_from found(int chunk, const char *kept)
{
  hk_count count[HK_FROM_COUNT];
  const int before = fake.compiled();
  const hk_kernel_desc desc = stream(chunk);
  hk_device *device = open_named("cuda", kept);
  await(device, &desc);
  hk_kernel_count(device, count);
  hk_device_close(&device);
  assert_int_equal(count[0] + count[1] + count[2], 1);
  assert_int_equal(fake.compiled() - before, count[HK_FROM_COMPILER]);
  return count[HK_FROM_INSTALLED] ? HK_FROM_INSTALLED
         : count[HK_FROM_CACHE]   ? HK_FROM_CACHE
                                  : HK_FROM_COMPILER;
}

static struct {
  hk_kernel_desc at[200];
  int count;
} all;

static void keep(const hk_kernel_desc *desc, void *unused)
{
  (void)unused;
  assert_true(all.count < 200);
  all.at[all.count++] = *desc;
}

/* A run of a model of the list, on OpenCL as on the GPU. */
static void run_model(const char *file, const char *const *set, int sets)
{
  char path[300], output[80];
  hk_device_info like;
  const hk_device_watch watch = {keep, NULL, &like};
  hk_messages *list = NULL;
  hk_model *model = NULL;
  assert_true(hk_cuda_architecture(90, &like));
  snprintf(path, sizeof path, HOOKE_SOURCE "/kernels/%s", file);
  snprintf(output, sizeof output, "%s/run", folder);
  hk_device_watched(&watch);
  ok(hk_messages_create(&list));
  ok(hk_model_read(path, set, sets, list, &model));
  ok(hk_run(model, &(hk_run_desc){.output = output, .device = "opencl", .no_pictures = true}, list,
            NULL));
  hk_device_watched(NULL);
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
}

/* a run whose model the list has, on another mesh, compiles nothing: each kernel that it asks for was installed */
static void nothing_is_compiled(void **state)
{
  static const char *const set[] = {"solve.heat.method=cg", "mesh.rectangle.cells=[29,18]"};
  char line[80], name[16];
  hk_device_info known;
  hk_wanted_list list = {0};
  hk_count bytes = 0, count[HK_FROM_COUNT];
  int lines = 0;
  (void)state;
  bool there = false;
  for (int k = 0; hk_device_list(&(hk_device_desc){.toolkit = FAKE}, k, name); k++)
    there = there || !strcmp(name, "opencl");
  if (!there) skip();
  snprintf(line, sizeof line, "heat.yaml %s\n", set[0]);
  ok(hk_wanted_collect(HOOKE_SOURCE "/kernels/models.txt", line, 90, &list, &lines));
  assert_int_equal(lines, 1);
  ok(hk_wanted_compile(&list, FAKE, "sm_90", kernels, &bytes));
  run_model("heat.yaml", set, 2);
  assert_true(all.count >= list.all.count && list.all.count > 10);
  const int before = fake.compiled();
  hk_device *device = open_named("cuda", NULL);
  assert_true(hk_cuda_architecture(90, &known));
  assert_true(hk_cuda_alike(&known, hk_device_describe(device)));
  says(hk_device_describe(device)->software, "driver 13000, NVRTC 13.0, kernels by NVRTC 13.0");
  for (int k = 0; k < all.count; k++) await(device, &all.at[k]);
  hk_kernel_count(device, count);
  assert_int_equal(fake.compiled(), before);
  assert_int_equal(count[HK_FROM_INSTALLED], list.all.count);
  hk_device_close(&device);
  hk_wanted_clear(&list);
}

/* the same kernel with another define is another one; what is compiled is kept in the user's cache */
static void only_the_same_source(void **state)
{
  (void)state;
  install("sm_90");
  assert_int_equal(found(4096, NULL), HK_FROM_INSTALLED);
  assert_int_equal(found(2048, cache), HK_FROM_COMPILER);
  assert_int_equal(found(2048, cache), HK_FROM_CACHE);
  assert_int_equal(found(4096, cache), HK_FROM_INSTALLED);
}

/* A device compiles each text once with its defines and precision, however often kernels are made and destroyed, one function of it or the other. */
static void each_text_is_compiled_once(void **state)
{
  const int before = fake.compiled();
  hk_device *device = open_named("cuda", NULL);
  hk_kernel_desc desc[] = {
      stream(512),
      stream(1024),
      stream(512),
      stream(512),
      {.text = "indices", .function = "indices_where", .define = {{"CHUNK", 512}}}};
  hk_count count[HK_FROM_COUNT];
  (void)state;
  desc[2].double_precision = true, desc[3].function = "stream_copy";
  for (int k = 0; k < 50; k++) await(device, &desc[k % 5]);
  hk_kernel_count(device, count);
  assert_int_equal(fake.compiled() - before, 4);
  assert_int_equal(count[HK_FROM_COMPILER], 4);
  hk_device_close(&device);
}

/* a file under another kernel's name, a changed or cut one, and one that others may write are none */
static void wrong_files_are_passed_over(void **state)
{
  char path[200], other[200], command[500];
  struct stat info;
  (void)state;
  install("sm_90");
  path_of("sm_90", 4096, path), path_of("sm_90", 2048, other);
  snprintf(command, sizeof command, "cp %s %s", path, other);
  assert_int_equal(system(command), 0);
  assert_int_equal(found(2048, NULL), HK_FROM_COMPILER);
  assert_int_equal(chmod(path, 0646), 0);
  assert_int_equal(found(4096, NULL), HK_FROM_COMPILER);
  assert_int_equal(chmod(path, 0644), 0);
  assert_int_equal(found(4096, NULL), HK_FROM_INSTALLED);
  assert_int_equal(stat(path, &info), 0);
  for (off_t at = 0; at < info.st_size; at += at < 64 ? 4 : info.st_size / 7) {
    FILE *file = fopen(path, "r+b");
    fseek(file, at, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 0x40, file);
    fclose(file);
    assert_int_equal(found(4096, NULL), HK_FROM_COMPILER);
    file = fopen(path, "r+b");
    fseek(file, at, SEEK_SET);
    fputc(byte, file);
    fclose(file);
  }
  assert_int_equal(found(4096, NULL), HK_FROM_INSTALLED);
  assert_int_equal(truncate(path, info.st_size - 1), 0);
  assert_int_equal(found(4096, NULL), HK_FROM_COMPILER);
}

/* a folder whose making did not end is not used */
static void half_a_folder(void **state)
{
  char path[200];
  (void)state;
  install("sm_90");
  path_of("sm_90", 0, path);
  assert_int_equal(remove(path), 0);
  assert_int_equal(found(4096, NULL), HK_FROM_COMPILER);
}

/* code of sm_90 serves later GPUs of that generation, and is passed over where the driver does not take it */
static void of_one_generation(void **state)
{
  (void)state;
  install("sm_90");
  install("sm_86");
  fake.is(93);
  assert_int_equal(found(4096, NULL), HK_FROM_INSTALLED);
  fake.refuses("code of sm_90");
  assert_int_equal(found(4096, NULL), HK_FROM_COMPILER);
  fake.refuses(NULL), fake.is(80);
  assert_int_equal(found(4096, NULL), HK_FROM_COMPILER);
}

static void keep_words(const char *name, const char *why, void *user)
{
  if (!strcmp(name, "cuda")) snprintf(user, 400, "%s", why);
}

/* without a compiler for the GPU: PTX serves the device that is named, another kernel is refused in words, and "auto" takes another device */
static void without_a_compiler(void **state)
{
  hk_device *device = NULL;
  hk_kernel *kernel = NULL;
  const hk_kernel_desc other = stream(2048);
  hk_device_desc desc = desc_of("cuda");
  (void)state;
  fake.is(99);
  fails_with(hk_device_create(&desc, &device), HK_NO_RESOURCES, "does not know this GPU");
  install("compute_90");
  assert_int_equal(found(4096, NULL), HK_FROM_INSTALLED);
  device = open_named("cuda", NULL);
  ok(hk_kernel_create(device, &other, &kernel));
  fails_with(hk_kernel_await(kernel), HK_NO_RESOURCES,
             "stream_step is not among those that hooke was installed with");
  error_says("does not know this GPU");
  hk_kernel_destroy(&kernel);
  hk_device_close(&device);
  char why[400] = "";
  desc = desc_of("auto"), desc.passed_over = keep_words, desc.user = why;
  ok(hk_device_create(&desc, &device));
  assert_string_not_equal(hk_device_describe(device)->backend, "cuda");
  says(why, "does not know this GPU");
  hk_device_close(&device);
}

/* two devices that ask for a kernel at once compile it once */
static void once_for_two_devices(void **state)
{
  hk_kernel *kernel[2] = {0};
  hk_device *device[2] = {open_named("cuda", cache), open_named("cuda:1", cache)};
  const hk_kernel_desc desc = stream(1024);
  const int before = fake.compiled();
  (void)state;
  fake.hold(1);
  for (int d = 0; d < 2; d++) ok(hk_kernel_create(device[d], &desc, &kernel[d]));
  usleep(100000); /* a second compilation would begin meanwhile */
  fake.hold(0);
  for (int d = 0; d < 2; d++) {
    ok(hk_kernel_await(kernel[d]));
    hk_kernel_destroy(&kernel[d]);
    hk_device_close(&device[d]);
  }
  assert_int_equal(fake.compiled() - before, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, clear)
  const struct CMUnitTest tests[] = {TEST(nothing_is_compiled),  TEST(each_text_is_compiled_once),
                                     TEST(only_the_same_source), TEST(wrong_files_are_passed_over),
                                     TEST(half_a_folder),        TEST(of_one_generation),
                                     TEST(without_a_compiler),   TEST(once_for_two_devices)};
  if (!load_fakes()) {
    print_message("skipped: %s\n", dlerror());
    return 0;
  }
  if (!mkdtemp(folder)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
