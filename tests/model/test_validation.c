/* A device is taken once its kernels have given what the host's give: on an emulated device that loses a launch. */
#include "run/explicit/problem.h"
#include "run/validation/validation.h"
#include "mesh/mesh.h"
#include "support/check.h"
#include <hooke/run.h>
#include <unistd.h>

static char folder[] = "/tmp/hooke_trust_XXXXXX";
static hk_mesh *mesh;
static hk_messages *told;

static bool emulated_device(void)
{
  char name[16];
  hk_device *device = NULL;
  bool found = false;
  for (int k = 1; !found && hk_device_list(&(hk_device_desc){0}, k, name); k++) {
    ok(hk_device_open(name, 1, &device));
    found = !strcmp(name, "opencl") && hk_device_describe(device)->unoptimised;
    hk_device_close(&device);
  }
  return found;
}

static hk_status take_by(const char *method, const hk_mesh *of, const char *name, const char *cache,
                         hk_count lost, hk_device **out)
{
  hk_validation validate = {
      .method = method, .mesh = of, .double_precision = true, .cache = cache, .list = told};
  hk_device_lose_at(lost);
  const hk_status status =
      hk_device_create(&(hk_device_desc){.name = name,
                                         .threads = 1,
                                         .validate = hk_validation_device,
                                         .passed_over = hk_validation_passed_over,
                                         .user = &validate,
                                         .emulated = true},
                       out);
  hk_device_lose_at(0);
  return status;
}

static hk_status take_for(const hk_mesh *of, const char *name, const char *cache, hk_count lost,
                          hk_device **out)
{
  return take_by("edges", of, name, cache, lost, out);
}

static hk_status take(const char *name, const char *cache, hk_count lost, hk_device **out)
{
  return take_for(mesh, name, cache, lost, out);
}

/* all launches carried out: taken; the 5th lost: HK_NO_RESOURCES that names the device and the method */
static void named_device_is_tried(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (!emulated_device()) skip();
  ok(take("opencl", NULL, 0, &device));
  hk_device_close(&device);
  assert_int_equal(take("opencl", NULL, 5, &device), HK_NO_RESOURCES);
  assert_null(device);
  error_says("opencl");
  error_says("edges");
}

/* auto: the device where it computes right; the host where a launch of its check or its trial is lost, and a warning that names the device
 * that is passed over */
static void automatic_device_computes_right(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (!emulated_device()) skip();
  /* 1, 2: of hk_device_check; K u where it starts; steps (the fourth only begins a sample) */
  static const hk_count losses[] = {0, 1, 2, 3, 5};
  for (int i = 0; i < 5; i++) {
    const hk_count lost = losses[i];
    ok(hk_messages_create(&told));
    ok(take("auto", NULL, lost, &device));
    assert_string_equal(hk_device_describe(device)->backend, lost ? "cpu" : "opencl");
    assert_int_equal(hk_messages_total(told, HK_WARNING), lost > 0);
    if (lost) assert_non_null(strstr(hk_messages_at(told, 0)->text, "device opencl is not used"));
    hk_device_close(&device);
    hk_messages_destroy(&told);
  }
}

/* a mesh of triangles and squares: squares are tried too, once the triangles are known to be right */
static void each_shape_is_tried(void **state)
{
  hk_device *device = NULL;
  char cache[] = "/tmp/hooke_shapes_XXXXXX", command[64];
  hk_block block[2] = {{.shape = HK_TRI3}, {.shape = HK_QUAD4}};
  hk_mesh mixed = *mesh;
  (void)state;
  if (!emulated_device()) skip();
  assert_non_null(mkdtemp(cache));
  mixed.block_count = 2, mixed.block = block;
  ok(take("opencl", cache, 0, &device));
  hk_device_close(&device);
  assert_int_equal(take_for(&mixed, "opencl", cache, 5, &device), HK_NO_RESOURCES);
  error_says("quad4");
  ok(take_for(&mixed, "opencl", cache, 0, &device));
  hk_device_close(&device);
  ok(take_for(&mixed, "opencl", cache, 5, &device));
  hk_device_close(&device);
  snprintf(command, sizeof command, "rm -r %s", cache);
  assert_int_equal(system(command), 0);
}

/* spectral elements of first order, which fluids have: the trial has such elements, not linear ones */
static void first_order_is_tried(void **state)
{
  static const int family[] = {HK_QUAD_P, HK_HEX_P};
  hk_device *device = NULL;
  (void)state;
  if (!emulated_device()) skip();
  for (int k = 0; k < 2; k++) {
    hk_block block = {.shape = (hk_shape)(family[k] + 1)};
    hk_mesh one = *mesh;
    one.block_count = 1, one.block = &block;
    ok(take_by("spectral-colours", &one, "opencl", NULL, 0, &device));
    hk_device_close(&device);
  }
}

/* A case and a block file of its mesh, in the folder. */
static hk_model *read_case(char *blocks, size_t size)
{
  char path[64], *json = NULL;
  hk_model *model = NULL;
  hk_messages *list = NULL;
  snprintf(path, sizeof path, "%s.yaml", folder);
  snprintf(blocks, size, "%s.blocks", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("mesh: {rectangle: {size: [1, 1], cells: [4, 4], shape: tri}}\n"
        "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
        "regions: {all: m}\nsolve: {explicit: {end: 1}}\n",
        file);
  fclose(file);
  ok(hk_messages_create(&list));
  ok(hk_partition(path, &(hk_partition_how){.output = blocks}, list, &json));
  ok(hk_model_read(path, NULL, 0, list, &model));
  hk_free(&json);
  hk_messages_destroy(&list);
  remove(path);
  return model;
}

/* a run by a block file: the kernels of blocks are tried, not those of the method that auto stands for */
static void blocks_of_a_file_are_tried(void **state)
{
  hk_problem *problem = NULL;
  hk_messages *list = NULL;
  char blocks[64];
  (void)state;
  if (!emulated_device()) skip();
  hk_model *model = read_case(blocks, sizeof blocks);
  ok(hk_messages_create(&list));
  const hk_run_desc how = {
      .device = "opencl", .threads = 1, .blocks = blocks, .precision = HK_DOUBLE};
  hk_device_lose_at(5);
  assert_int_equal(hk_problem_create(model, &how, list, &problem), HK_NO_RESOURCES);
  hk_device_lose_at(0);
  error_says("method blocks");
  hk_problem_destroy(&problem);
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
  remove(blocks);
}

/* what passed is remembered, so that nothing is launched; what failed is not; a broken file is none */
static void passing_is_remembered(void **state)
{
  hk_device *device = NULL;
  char command[200];
  (void)state;
  if (!emulated_device()) skip();
  assert_int_equal(take("opencl", folder, 5, &device), HK_NO_RESOURCES);
  assert_int_equal(take("opencl", folder, 5, &device), HK_NO_RESOURCES);
  ok(take("opencl", folder, 0, &device));
  hk_device_close(&device);
  ok(take("opencl", folder, 5, &device));
  hk_device_close(&device);
  snprintf(command, sizeof command, "for f in %s/*; do echo broken > $f; done", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(take("opencl", folder, 5, &device), HK_NO_RESOURCES);
}

/* the k-th call of the device or allocation fails while it is tried: said, and nothing is left */
static void failures(void **state)
{
  (void)state;
  if (!emulated_device()) skip();
  for (int which = 0; which < 2; which++)
    for (hk_count k = 1; k < 5000; k += 1 + k / 4) {
      hk_device *device = NULL;
      const hk_count held = hk_memory_held();
      if (which)
        hk_device_fail_at(k);
      else
        hk_memory_fail_at(k);
      const hk_status status = take("opencl", NULL, 0, &device);
      hk_device_fail_at(0);
      hk_memory_fail_at(0);
      hk_device_close(&device);
      assert_int_equal(hk_memory_held(), held);
      if (status == HK_OK) break;
      assert_int_equal(status, HK_NO_RESOURCES);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(named_device_is_tried),
                                     cmocka_unit_test(automatic_device_computes_right),
                                     cmocka_unit_test(each_shape_is_tried),
                                     cmocka_unit_test(first_order_is_tried),
                                     cmocka_unit_test(blocks_of_a_file_are_tried),
                                     cmocka_unit_test(passing_is_remembered),
                                     cmocka_unit_test(failures)};
  ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = 2, .to = {1, 1}, .cells = {2, 2}, .shape = HK_TRI3},
                         &mesh));
  if (!mkdtemp(folder)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  hk_mesh_destroy(&mesh);
  return failed;
}
