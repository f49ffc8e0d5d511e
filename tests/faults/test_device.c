/* A device that fails while a model is run, at its k-th call for more and more k, or from there on: HK_NO_RESOURCES, in words, no run.json that
 * says ok, and nothing is held. */
#include <math.h>
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

/* Whether two files hold the same bytes. */
static bool same(const char *a, const char *b)
{
  FILE *file[2] = {fopen(a, "rb"), fopen(b, "rb")};
  int x = 0, y = 0;
  while (file[0] && file[1] && x == y && x != EOF) x = fgetc(file[0]), y = fgetc(file[1]);
  const bool is = file[0] && file[1] && x == y;
  for (int k = 0; k < 2; k++)
    if (file[k]) fclose(file[k]);
  return is;
}

typedef struct shots { /* a run of subject 1 */
  const char *device, *output, *restart;
} shots;

static hk_status run_shots(hk_model *model, const shots *how)
{
  hk_messages *list = NULL;
  ok(hk_messages_create(&list));
  const hk_status status = hk_run(model,
                                  &(hk_run_desc){.output = how->output,
                                                 .device = how->device,
                                                 .restart = how->restart,
                                                 .threads = 1,
                                                 .force = !how->restart,
                                                 .no_pictures = true,
                                                 .checkpoint_steps = 40},
                                  list, NULL);
  hk_messages_destroy(&list);
  return status;
}

/* Three devices share the shots, and a call of one of them fails: its shots are named, and the run goes on from a checkpoint on any number of devices
 * to the files of a run without faults. Calls further and further on fail, then those between the last that failed and the first that was not made,
 * most of which are made while shots are stepped. */
static void devices_that_share_shots_fail(void **state)
{
  (void)state;
  static const char *const after[] = {"cpu", "cpu,cpu", "cpu,cpu,cpu,cpu"};
  hk_messages *list = NULL;
  hk_model *model = NULL;
  int failed = 0, stepping = 0;
  double low = 0, high = INFINITY;
  write_model(subjects[1].text);
  ok(hk_messages_create(&list));
  ok(hk_model_read("device.yaml", NULL, 0, list, &model));
  ok(run_shots(model, &(shots){.device = "cpu", .output = "whole.hooke"}));
  for (double k = 1; high - low > 1; k = isfinite(high) ? (low + high) / 2 : 1 + 1.1 * k) {
    const hk_count held = hk_memory_held();
    hk_device_fail_at((hk_count)k);
    const hk_status status = run_shots(model, &(shots){"cpu,cpu,cpu", "device.hooke", NULL});
    hk_device_fail_at(0);
    assert_int_equal(hk_memory_held(), held);
    if (status == HK_OK) {
      high = k;
      continue;
    }
    assert_int_equal(status, HK_NO_RESOURCES);
    error_says("device ");
    failed++, low = k;
    if (!strstr(hk_error(), ", shots ")) continue; /* before the folder was touched */
    stepping++;
    ok(run_shots(model, &(shots){after[stepping % 3], "device.hooke", "auto"}));
    assert_true(same("whole.hooke/run.h5", "device.hooke/run.h5"));
    assert_true(same("whole.hooke/field_shot0002.vtkhdf", "device.hooke/field_shot0002.vtkhdf"));
  }
  assert_true(failed > 5 && stepping > 1);
  ok(run_shots(model, &(shots){.device = "cpu,cpu,cpu", .output = "device.hooke"}));
  assert_true(same("whole.hooke/run.h5", "device.hooke/run.h5"));
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(processor_fails), cmocka_unit_test(processor_is_lost),
      cmocka_unit_test(opencl_fails), cmocka_unit_test(opencl_is_lost),
      cmocka_unit_test(devices_that_share_shots_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
