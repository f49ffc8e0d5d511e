/* Runs through the library: a restart changes no byte of run.h5, whichever step it comes at. */
#include <hooke/model.h>
#include <hooke/run.h>
#include "output/files.h"
#include "base/base.h"
#include "result/restart/checkpoint.h"
#include "sanitized.h"
#include "support/check.h"

/* Two steps of different length on a strip of six squares: a force with damping, then one edge moves
 * by a velocity and another is accelerated from the velocity that it has. */
static const char DECK[] =
    "*NODE,NSET=ALL\n1,0,0\n2,1,0\n3,2,0\n4,3,0\n5,0,1\n6,1,1\n7,2,1\n8,3,1\n9,0,2\n10,1,2\n11,2,"
    "2\n"
    "12,3,2\n"
    "*ELEMENT,TYPE=CPE4R,ELSET=E\n1,1,2,6,5\n2,2,3,7,6\n3,3,4,8,7\n4,5,6,10,9\n5,6,7,11,10\n"
    "6,7,8,12,11\n"
    "*MATERIAL,NAME=M\n*DENSITY\n2.\n*ELASTIC\n4.,.25\n*DAMPING,ALPHA=0.2\n"
    "*SOLID SECTION,ELSET=E,MATERIAL=M\n"
    "*AMPLITUDE,NAME=A\n0,0,20,1,40,0,400,1\n"
    "*STEP\n*DYNAMIC,EXPLICIT\n,150.\n*CLOAD,AMPLITUDE=A\n8,1,0.5\n*BOUNDARY\n1,1,2\n"
    "*OUTPUT,HISTORY,FREQUENCY=7\n*NODE OUTPUT,NSET=ALL\nU,V,A\n"
    "*OUTPUT,FIELD,NUMBER INTERVAL=5\n*NODE OUTPUT\nU,V\n*END STEP\n"
    "*STEP\n*DYNAMIC,EXPLICIT\n,200.\n*BOUNDARY,TYPE=VELOCITY\n4,1,1,0.01\n"
    "*BOUNDARY,TYPE=VELOCITY\n5,1,1,0.\n*BOUNDARY,TYPE=ACCELERATION\n12,2,2,0.0001\n"
    "*OUTPUT,HISTORY,FREQUENCY=3\n*NODE OUTPUT,NSET=ALL\nU,V,A\n"
    "*OUTPUT,FIELD,NUMBER INTERVAL=4\n*NODE OUTPUT\nU,V\n*END STEP\n";

/* The same strip as a case with five shots, two at a time. */
static const char CASE[] =
    "mesh: {rectangle: {size: [6, 2], cells: [6, 2], jitter: 0.2}}\n"
    "materials: {m: {density: 2, young: 4, poisson: 0.25, damping: 0.1}}\n"
    "boundary: [{set: left, fix: [x]}]\n"
    "initial: [{set: all, velocity: [0.01, 0]}]\n"
    "sources: [{set: top, force: 0.5, direction: [0, -1], signal: {ricker: {frequency: 0.05}}},\n"
    "          {at: [3.3, 1.1], velocity: 0.01, direction: [1, 2], signal: {gaussian: {width: 9, "
    "t0: 20}}}]\n"
    "shots: {array: {at: [[1, 2], [2.5, 2], [3, 2], [4.1, 1.3], [6, 0]], force: 1, direction: [1, "
    "1],\n"
    "                signal: {toneburst: {frequency: 0.05, cycles: 2}}}}\n"
    "outputs:\n"
    "  traces: [{name: top, set: top, quantity: [displacement, velocity, acceleration], every: "
    "3}]\n"
    "  field: {quantity: velocity, frames: 4, shots: [1, 4]}\n"
    "solve: {explicit: {end: 60, shots_at_once: 2}}\n";

/* Without time dispersion: traces are transformed at the end, from steps beyond it too. */
static const char TRANSFORMED[] =
    "mesh: {rectangle: {size: [6, 2], cells: [6, 2], jitter: 0.2}}\n"
    "element: {order: 2}\n"
    "materials: {m: {density: 2, young: 4, poisson: 0.25, damping: 0.1}}\n"
    "boundary: [{set: left, fix: [x]}]\n"
    "shots: {array: {at: [[1, 2], [2.5, 2], [3, 2]], force: 1, direction: [1, 1],\n"
    "                signal: {toneburst: {frequency: 0.05, cycles: 2}}}}\n"
    "outputs:\n"
    "  traces: [{name: top, set: top, quantity: [displacement, velocity, acceleration], every: "
    "3}]\n"
    "  field: {quantity: velocity, frames: 4, shots: [1, 3]}\n"
    "solve: {explicit: {end: 40, shots_at_once: 2}}\n";

typedef struct stopper {
  hk_count polls, at; /* stops at this poll; 0: never */
} stopper;

static bool stop(void *user)
{
  stopper *s = user;
  return ++s->polls == s->at;
}

static hk_status run(const char *folder, const char *text, const char *restart,
                     hk_precision precision, stopper *s)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  hk_status status = HK_OK;
  const char *path = in(folder, text == DECK ? "deck.inp" : "case.yaml");
  FILE *file = fopen(path, "w");
  assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
  HK_TRY(hk_messages_create(&list));
  HK_TRY(hk_model_read(path, NULL, 0, list, &model));
  HK_TRY(hk_run(model,
                &(hk_run_desc){.output = in(folder, "run"),
                               .precision = precision,
                               .threads = 1,
                               .restart = restart,
                               .no_pictures = true,
                               .stop = stop,
                               .user = s},
                list, NULL));
cleanup:
  if (status != HK_OK && status != HK_STOPPED && status != HK_NO_RESOURCES)
    print_message("%s\n", hk_error());
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
  return status;
}

static void assert_same_file(const char *a, const char *b)
{
  long n = 0, m = -1;
  char *x = slurp(a, &n), *y = slurp(b, &m);
  assert_non_null(x);
  assert_non_null(y);
  assert_int_equal(n, m);
  assert_memory_equal(x, y, (size_t)n);
  free(x);
  free(y);
}

static hk_count later(hk_count a, hk_count b)
{
  return a > b ? a : b;
}

/* Every fourth poll, rarer under sanitizers, and each of the last four. */
static hk_count poll_after(hk_count at, hk_count polls)
{
  const hk_count few = SANITIZED ? 12 : 4, left = polls - 4 - at;
  return at + (left <= 0 ? 1 : left < few ? left : few);
}

/* of the checkpoint in a folder */
static hk_count step_of(const char *folder)
{
  hk_checkpoint head;
  char *saved = NULL;
  ok(hk_checkpoint_read(in(folder, "run/checkpoint.h5"), &head, &saved));
  hk_free(&saved);
  return head.step;
}

/* to the end, as run.json has them */
static hk_count steps_of(const char *folder)
{
  long size = 0;
  char *json = slurp(in(folder, "run/run.json"), &size);
  const char *at = json ? strstr(json, "\"steps\":") : NULL;
  const hk_count steps = at ? strtol(at + 8, NULL, 10) : 0;
  assert_true(steps > 0);
  free(json);
  return steps;
}

static const char *const *files_of(const char *text)
{
  static const char *const of_deck[] = {"run/run.h5", "run/field.vtkhdf", NULL};
  static const char *const of_case[] = {"run/run.h5", "run/field_shot0001.vtkhdf",
                                        "run/field_shot0004.vtkhdf", NULL};
  static const char *const of_transformed[] = {"run/run.h5", "run/field_shot0001.vtkhdf",
                                               "run/field_shot0003.vtkhdf", NULL};
  return text == DECK ? of_deck : text == CASE ? of_case : of_transformed;
}

/* bytes of the files (stopped at this poll and gone on) = bytes (straight); the step of the stop, 0: there were fewer polls, which come by
 * the clock */
static hk_count stop_and_go_on(const char *straight, const char *text, hk_precision precision,
                               stopper *once)
{
  char stopped[64];
  hk_count step = 0;
  stopper never = {0};
  new_folder(stopped);
  const hk_status first = run(stopped, text, NULL, precision, once);
  assert_true(first == HK_STOPPED || once->polls < once->at);
  if (first == HK_STOPPED) step = step_of(stopped);
  if (first == HK_STOPPED) ok(run(stopped, text, "auto", precision, &never));
  for (const char *const *name = files_of(text); *name; name++)
    assert_same_file(in(straight, *name), in(stopped, *name));
  remove_folder(stopped);
  return step;
}

/* for every fourth poll of stop and the last four; transformed runs until one has stopped beyond the steps, at one of its last polls */
static void restart_changes_nothing(const char *text, hk_precision precision)
{
  char straight[64];
  stopper none = {0};
  hk_count furthest = 0;
  new_folder(straight);
  ok(run(straight, text, NULL, precision, &none));
  assert_true(none.polls > 20);
  for (hk_count at = 1; at <= none.polls; at = poll_after(at, none.polls))
    furthest = later(furthest, stop_and_go_on(straight, text, precision, &(stopper){.at = at}));
  for (hk_count at = none.polls, k = 0; text == TRANSFORMED && furthest <= steps_of(straight);
       k++) {
    assert_true(k < 100);
    stopper once = {.at = at};
    furthest = later(furthest, stop_and_go_on(straight, text, precision, &once));
    at = once.polls < at ? once.polls : at + 1;
  }
  remove_folder(straight);
  assert_int_equal(hk_memory_held(), 0);
}

static void restart_single(void **state)
{
  (void)state;
  restart_changes_nothing(DECK, HK_SINGLE);
}

static void restart_double(void **state)
{
  (void)state;
  restart_changes_nothing(DECK, HK_DOUBLE);
}

/* within batches and between them */
static void restart_shots(void **state)
{
  (void)state;
  restart_changes_nothing(CASE, HK_SINGLE);
  restart_changes_nothing(CASE, HK_DOUBLE);
}

/* and beyond the end, where traces alone go on */
static void restart_transformed(void **state)
{
  (void)state;
  restart_changes_nothing(TRANSFORMED, HK_SINGLE);
  restart_changes_nothing(TRANSFORMED, HK_DOUBLE);
}

/* nothing is held after the k-th allocation failed, k = 1, 2, ... until the run succeeds */
static void fail_allocations(const char *text)
{
  char folder[64];
  hk_status status = HK_NO_RESOURCES;
  hk_count k = 1;
  for (; status != HK_OK && k < 100000; k += 1 + k / 40) {
    stopper none = {0};
    new_folder(folder);
    hk_memory_fail_at(k);
    status = run(folder, text, NULL, HK_SINGLE, &none);
    hk_memory_fail_at(0);
    assert_int_equal(hk_memory_held(), 0);
    remove_folder(folder);
  }
  ok(status);
}

static void failing_allocations(void **state)
{
  (void)state;
  fail_allocations(DECK);
  fail_allocations(CASE);
}

static bool contains(const char *path, const char *words)
{
  long size = 0;
  char *bytes = slurp(path, &size);
  bool found = false;
  for (long i = 0; bytes && i + (long)strlen(words) <= size; i++)
    found = found || !memcmp(bytes + i, words, strlen(words));
  free(bytes);
  return found;
}

/* The k-th allocation fails, from the last of the run back to the first of the transform: what was computed stays, is said to, and the
 * run goes on to the same bytes. */
static void failing_transform(void **state)
{
  (void)state;
  char straight[64], folder[64];
  stopper none = {0};
  int transforms = 0;
  new_folder(straight);
  const hk_count before = hk_memory_calls();
  ok(run(straight, TRANSFORMED, NULL, HK_SINGLE, &none));
  for (hk_count k = hk_memory_calls() - before; k > 0; k--) {
    new_folder(folder);
    hk_memory_fail_at(k);
    const hk_status status = run(folder, TRANSFORMED, NULL, HK_SINGLE, &none);
    hk_memory_fail_at(0);
    assert_int_equal(hk_memory_held(), 0);
    const bool transform = status != HK_OK && strstr(hk_error(), "time dispersion");
    if (transform) {
      assert_int_equal(status, HK_NO_RESOURCES);
      transforms++;
      error_says("memory");
      error_says("--restart");
      assert_true(contains(in(folder, "run/run.h5"), "as computed"));
      assert_true(contains(in(folder, "run/computed.h5"), "beyond_end"));
      ok(run(folder, TRANSFORMED, "auto", HK_SINGLE, &none));
      assert_same_file(in(straight, "run/run.h5"), in(folder, "run/run.h5"));
    }
    remove_folder(folder);
    if (transforms && !transform) break;
  }
  assert_true(transforms > 10);
  remove_folder(straight);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(restart_single),      cmocka_unit_test(restart_double),
      cmocka_unit_test(restart_shots),       cmocka_unit_test(restart_transformed),
      cmocka_unit_test(failing_allocations), cmocka_unit_test(failing_transform)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
