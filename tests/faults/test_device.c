/* A device that fails while a model is run, at its k-th call for more and more k, or from there on: HK_NO_RESOURCES, in words, no run.json that
 * says ok, and nothing is held. */
#include <hooke/hooke.h>
#include <hooke/run.h>
#include <jansson.h>
#include "device/device.h"
#include "support/check.h"

typedef struct subject {
  const char *text;
  /* of k, from 1, on the processor: each call of the first, ever fewer of the others */
  double growth;
} subject;

static const subject subjects[] = {
    {"mesh: {rectangle: {size: [2, 1], cells: [8, 4]}}\n"
     "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
     "boundary: [{set: left, fix: [x, y]}]\n"
     "sources: [{at: [1, 1], force: 1, direction: [0, -1], signal: {ricker: {frequency: 1}}}]\n"
     "outputs: {traces: [{name: p, at: [[1.5, 0.5]]}], field: {quantity: velocity, frames: 2}}\n"
     "solve: {explicit: {end: 10}}\n",
     1.05},
    {"mesh: {rectangle: {size: [2, 1], cells: [4, 2]}}\n"
     "element: {order: 2}\n"
     "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
     "absorb: [{kind: pml, sets: left, thickness: 0.5}, {kind: stacey, sets: right}]\n"
     "sources: [{at: [1, 1], force: 1, direction: [0, -1], signal: {ricker: {frequency: 1}}}]\n"
     "shots: {array: {at: [[0.75, 1], [1, 1], [1.25, 1], [1.5, 1], [2, 1]]}}\n"
     "outputs: {traces: [{name: p, at: [[1.5, 0.5]]}], field: {quantity: velocity, frames: 2, "
     "shots: [2]}}\n"
     "solve: {explicit: {end: 2, shots_at_once: 2}}\n",
     1.15},
    {"mesh: {box: {size: [4, 1, 1], cells: [4, 2, 2]}}\n"
     "materials: {m: {young: 1, poisson: 0.3}}\n"
     "boundary: [{set: left, fix: [x, y, z]}, {set: right, traction: [0, 0, 0.01]}]\n"
     "solve: {static: {method: cg}}\n",
     1.1},
    {"mesh: {rectangle: {size: [2, 1], cells: [6, 4], shape: tri}}\n"
     "physics: heat\n"
     "materials: {m: {conductivity: 2}}\n"
     "boundary: [{set: left, temperature: 300}, {set: right, flux: 1}]\n"
     "solve: {heat: {method: cg}}\n",
     1.1},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void write_model(const char *text)
{
  FILE *file = fopen("device.yaml", "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static hk_status run_model(hk_model *model, const char *device)
{
  hk_messages *list = NULL;
  char *json = NULL;
  hk_status status = hk_messages_create(&list);
  ok(status);
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

/* lost: every call after the k-th fails too */
static void fail_more_and_more(const char *text, const char *device, double growth, bool lost)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  int failed = 0;
  write_model(text);
  ok(hk_messages_create(&list));
  ok(hk_model_read("device.yaml", NULL, 0, list, &model));
  for (double k = 1;; k = 1 + k * growth) {
    const hk_count held = hk_memory_held();
    hk_device_fail_at(lost ? -(hk_count)k : (hk_count)k);
    const hk_status status = run_model(model, device);
    hk_device_fail_at(0);
    assert_int_equal(hk_memory_held(), held);
    assert_int_equal(says_ok(), status == HK_OK);
    if (status == HK_OK) break;
    if (status != HK_NO_RESOURCES)
      fail_msg("%s, call %.0f: status %d: %s\n%s", device, k, status, hk_error(), text);
    error_says("device ");
    failed++;
  }
  assert_true(failed > 3);
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
}

static void processor_fails(void **state)
{
  (void)state;
  for (int i = 0; i < SUBJECTS; i++)
    fail_more_and_more(subjects[i].text, "cpu", subjects[i].growth, false);
}

static void processor_is_lost(void **state)
{
  (void)state;
  for (int i = 0; i < SUBJECTS; i++) fail_more_and_more(subjects[i].text, "cpu", 1.5, true);
}

static void opencl(bool lost)
{
  hk_device *device = NULL;
  if (hk_device_open("opencl", 1, &device) != HK_OK) skip();
  hk_device_close(&device);
  for (int i = 0; i < SUBJECTS; i++)
    fail_more_and_more(subjects[i].text, "opencl", lost ? 3 : 2, lost);
}

static void opencl_fails(void **state)
{
  (void)state;
  opencl(false);
}

static void opencl_is_lost(void **state)
{
  (void)state;
  opencl(true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(processor_fails), cmocka_unit_test(processor_is_lost),
      cmocka_unit_test(opencl_fails), cmocka_unit_test(opencl_is_lost)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
