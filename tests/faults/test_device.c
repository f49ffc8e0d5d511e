/* A device that fails while a model is run, at its k-th call for more and more k: HK_NO_RESOURCES, in words, no run.json that
 * says ok, and nothing is held. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <hooke/hooke.h>
#include <hooke/run.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device/device.h"

static const char plate[] =
    "mesh: {rectangle: {size: [2, 1], cells: [8, 4]}}\n"
    "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
    "regions: {all: m}\n"
    "boundary: [{set: left, fix: [x, y]}]\n"
    "sources: [{at: [1, 1], force: 1, direction: [0, -1], signal: {ricker: {frequency: 1}}}]\n"
    "outputs: {traces: [{name: p, at: [[1.5, 0.5]]}], field: {quantity: velocity, frames: 2}}\n"
    "solve: {explicit: {end: 20}}\n";

static void write_plate(void)
{
  FILE *file = fopen("device.yaml", "w");
  assert_non_null(file);
  assert_true(fputs(plate, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static hk_status run_plate(hk_model *model, const char *device)
{
  hk_messages *list = NULL;
  char *json = NULL;
  hk_status status = hk_messages_create(&list);
  assert_int_equal(status, HK_OK);
  remove("device.hooke/run.json");
  status = hk_run(model,
                  &(hk_run_desc){.output = "device.hooke",
                                 .device = device,
                                 .threads = 1,
                                 .force = true,
                                 .no_pictures = true,
                                 .checkpoint_steps = 100},
                  list, &json);
  hk_text_free(&json);
  hk_messages_destroy(&list);
  return status;
}

static bool says_ok(void)
{
  json_t *root = json_load_file("device.hooke/run.json", 0, NULL);
  const char *word = json_string_value(json_object_get(root, "status"));
  const bool is = word && !strcmp(word, "ok");
  json_decref(root);
  return is;
}

/* growth: of k, from 1 */
static void fail_more_and_more(const char *device, double growth)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  int failed = 0;
  write_plate();
  assert_int_equal(hk_messages_create(&list), HK_OK);
  assert_int_equal(hk_model_read("device.yaml", NULL, 0, list, &model), HK_OK);
  for (double k = 1;; k = 1 + k * growth) {
    const hk_count held = hk_memory_held();
    hk_device_fail_at((hk_count)k);
    const hk_status status = run_plate(model, device);
    hk_device_fail_at(0);
    assert_int_equal(hk_memory_held(), held);
    assert_int_equal(says_ok(), status == HK_OK);
    if (status == HK_OK) break;
    if (status != HK_NO_RESOURCES) fail_msg("call %.0f: status %d: %s", k, status, hk_error());
    assert_non_null(strstr(hk_error(), "device "));
    failed++;
  }
  assert_true(failed > 10);
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
}

static void processor(void **state)
{
  (void)state;
  fail_more_and_more("cpu", 1.05);
}

static void opencl(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (hk_device_open("opencl", 1, &device) != HK_OK) skip();
  hk_device_close(&device);
  fail_more_and_more("opencl", 1.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(processor), cmocka_unit_test(opencl)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
