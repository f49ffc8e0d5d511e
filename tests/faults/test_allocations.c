/* The k-th allocation fails, k = 1, 2, ... until a read and a run succeed: HK_NO_RESOURCES each
 * time, nothing is held afterwards, and the first run's files are those of the last. */
#include <hooke/hooke.h>
#include <hooke/run.h>
#include <unistd.h>
#include "base/base.h"
#include "support/check.h"

enum { MOST = 100000 };

static const char deck[] =
    "*NODE, NSET=ALL\n1, 0., 0.\n2, 1., 0.\n3, 2., 0.\n4, 0., 1.\n5, 1., 1.\n6, 2., 1.\n"
    "*ELEMENT, TYPE=CPE4, ELSET=BODY\n1, 1, 2, 5, 4\n2, 2, 3, 6, 5\n"
    "*NSET, NSET=LEFT\n1, 4\n*NSET, NSET=RIGHT\n3, 6\n"
    "*TRANSFORM, NSET=RIGHT\n0.8, 0.6, 0., -0.6, 0.8, 0.\n"
    "*MATERIAL, NAME=M\n*DENSITY\n1.\n*ELASTIC\n1., 0.3\n*DAMPING, ALPHA=0.01\n"
    "*SOLID SECTION, ELSET=BODY, MATERIAL=M\n,\n"
    "*AMPLITUDE, NAME=A\n0., 0., 1., 1., 2., 0.\n"
    "*STEP\n*DYNAMIC, EXPLICIT\n, 4.\n*BOUNDARY\nRIGHT, 1\n*CLOAD, AMPLITUDE=A\nLEFT, 1, 1.\n"
    "*OUTPUT, FIELD, NUMBER INTERVAL=1\n*NODE OUTPUT\nU\n"
    "*OUTPUT, HISTORY, FREQUENCY=1\n*NODE OUTPUT, NSET=LEFT\nU\n*END STEP\n";

static const char plate[] =
    "mesh: {rectangle: {size: [2, 1], cells: [2, 1]}}\n"
    "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
    "regions: {all: m}\n"
    "absorb: [{sets: [left], thickness: 0.5}, {kind: stacey, sets: right}]\n"
    "sources: [{at: [1, 1], force: 1, direction: [0, -1], signal: {ricker: {frequency: 1}}}]\n"
    "outputs: {traces: [{name: p, at: [[1.5, 0.5]]}], field: {quantity: velocity, frames: 1}}\n"
    "solve: {explicit: {end: 2}}\n";

/* sets by place, of each kind; a force that faces share; receivers along a curve */
static const char placed[] =
    "mesh: {rectangle: {size: [2, 1], cells: [2, 1]}}\n"
    "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
    "sets:\n"
    "  low: {box: {from: [0, 0], to: [2, 0]}}\n"
    "  pad: {what: faces, near: {point: [2, 0.5], count: 1}}\n"
    "  part: {what: elements, near: [[0, 0]]}\n"
    "  cut: {what: inner-faces, plane: {point: [1, 0], normal: [1, 0]}}\n"
    "sources: [{set: pad, total_force: [1, 0]}, {set: part, total_force: [1, 0]},\n"
    "  {set: low, total_force: [0, 1]}]\n"
    "outputs: {traces: [{set: low, order: arc, from: [2, 0]}], field: {frames: 1}}\n"
    "solve: {explicit: {end: 2}}\n";

static const char cracked[] =
    "mesh: {blocks: {points: {a: [0, 0], b: [1, 0], c: [2, 0], d: [0, 1], e: [1, 1], f: [2, 1]},\n"
    "  edges: [{ends: [a, b], spline: [[0.5, 0.1]]}, {ends: [d, e], y: 1 + 0.1 * x * (1 - x)}],\n"
    "  blocks: [{name: l, corners: [a, b, e, d], cells: 1}, {name: r, corners: [b, c, f, e], "
    "cells: 1}],\n"
    "  sides: {fault: [[b, e]], left: [[a, d]]}}}\n"
    "crack: {sets: [fault], springs: {normal: 2, tangential: 1}}\n"
    "materials: {m: {density: 1, young: 1, poisson: 0.3, damping: 0.1}}\n"
    "axes: {slope: {straight: {x: [2, 1]}}}\n"
    "boundary: [{set: left, fix: x}, {set: left, fix: x, axes: slope}]\n"
    "sources: [{at: [0.5, 0.9], force: 1, direction: [0, -1], signal: {ricker: {frequency: 1}}},\n"
    "  {set: fault, force: 1, direction: [1, 0], axes: slope, signal: step}]\n"
    "shots: {array: {set: fault}}\n"
    "outputs: {traces: [{name: p, at: [[1.5, 0.5]]}], field: {quantity: velocity, frames: 1}}\n"
    "solve: {explicit: {end: 2}}\n";

static const char layered[] =
    "mesh: {rectangle: {size: [3, 1], cells: [3, 1]}}\n"
    "element: {order: 2}\n"
    "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
    "absorb: [{kind: pml, sets: left, thickness: 1}, {kind: stacey, sets: right}]\n"
    "sources: [{at: [1.5, 1], force: 1, direction: [0, -1], signal: {ricker: {frequency: 1}}}]\n"
    "outputs: {field: {quantity: velocity, frames: 1}}\n"
    "solve: {explicit: {end: 2}}\n";

/* a fluid beside a solid, whose border goes through a layer */
static const char fsi[] =
    "mesh: {blocks: {points: {a: [0, 0], b: [1, 0], c: [2, 0], d: [0, 2], e: [1, 2], f: [2, 2]},\n"
    "  blocks: [{name: l, corners: [a, b, e, d], cells: [1, 2]}, {name: r, corners: [b, c, f, e], "
    "cells: [1, 2]}],\n"
    "  sides: {high: [[d, e], [e, f]]}}}\n"
    "element: {order: 1}\n"
    "materials: {m: {density: 1, young: 1, poisson: 0.3}, w: {density: 1, sound_speed: 1}}\n"
    "regions: {l: w, r: m}\n"
    "absorb: {kind: pml, sets: high, thickness: 1.5}\n"
    "initial: [{set: l, pressure: 1}]\n"
    "outputs: {field: {quantity: velocity, frames: 1}}\n"
    "solve: {explicit: {end: 2}}\n";

static const char statics[] =
    "*NODE, NSET=ALL\n1, 0., 0.\n2, 1., 0.\n3, 2., 0.\n4, 0., 1.\n5, 1., 1.\n6, 2., 1.\n9, 5., 5.\n"
    "*ELEMENT, TYPE=CPE4, ELSET=BODY\n1, 1, 2, 5, 4\n2, 2, 3, 6, 5\n"
    "*NSET, NSET=LEFT\n1, 4\n*NSET, NSET=RIGHT\n3, 6\n"
    "*EQUATION\n2\n3, 1, 1., 9, 1, -1.\n*EQUATION\n2\n6, 1, 1., 9, 1, -1.\n"
    "*MATERIAL, NAME=M\n*DENSITY\n1.\n*ELASTIC\n1., 0.3\n*SOLID SECTION, ELSET=BODY, "
    "MATERIAL=M\n,\n"
    "*STEP\n*STATIC, SOLVER=%s\n*BOUNDARY\nLEFT, 1, 2\n*CLOAD\n9, 1, 1.\n*DLOAD\nBODY, P3, 1.\n"
    "BODY, GRAV, 1., 0., -1.\n*NODE PRINT, NSET=ALL, TOTALS=YES\nU, RF\n*EL PRINT, ELSET=BODY\nS\n"
    "*END STEP\n*STEP\n*STATIC\n*BOUNDARY\n5, 2, 2, 0.1\n*END STEP\n";

static void write_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static hk_status read_and_run(const char *path, const hk_run_desc *desc)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  char *json = NULL;
  hk_status status = hk_messages_create(&list);
  if (status == HK_OK) status = hk_model_read(path, NULL, 0, list, &model);
  if (status == HK_OK) status = hk_run(model, desc, list, &json);
  hk_text_free(&json);
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
  return status;
}

static void fail_each(const char *path, hk_run_desc desc)
{
  desc.output = "allocations.hooke", desc.threads = 1, desc.force = true, desc.no_pictures = true;
  desc.checkpoint_steps = 5;
  for (hk_count k = 1; k < MOST; k++) {
    const hk_count held = hk_memory_held();
    hk_memory_fail_at(k);
    const hk_status status = read_and_run(path, &desc);
    hk_memory_fail_at(0);
    if (hk_memory_held() != held)
      fail_msg("allocation %lld: %lld bytes are still held", (long long)k,
               (long long)(hk_memory_held() - held));
    if (status == HK_OK) return;
    if (status != HK_NO_RESOURCES)
      fail_msg("allocation %lld: status %d (%s), expected %d", (long long)k, status, hk_error(),
               HK_NO_RESOURCES);
  }
  fail_msg("no end after %d allocations", MOST);
}

static void deck_runs_or_says_that_memory_is_short(void **state)
{
  (void)state;
  write_text("allocations.inp", deck);
  fail_each("allocations.inp", (hk_run_desc){.precision = HK_SINGLE});
}

static void deck_in_double_and_vtu_runs_or_says_that_memory_is_short(void **state)
{
  (void)state;
  write_text("allocations.inp", deck);
  fail_each("allocations.inp", (hk_run_desc){.precision = HK_DOUBLE, .field_format = "vtu"});
}

static void case_runs_or_says_that_memory_is_short(void **state)
{
  (void)state;
  write_text("allocations.yaml", plate);
  fail_each("allocations.yaml", (hk_run_desc){.precision = HK_SINGLE});
  write_text("allocations.yaml", placed);
  fail_each("allocations.yaml", (hk_run_desc){.precision = HK_SINGLE});
  write_text("allocations.yaml", layered);
  fail_each("allocations.yaml", (hk_run_desc){.precision = HK_SINGLE});
  write_text("allocations.yaml", fsi);
  fail_each("allocations.yaml", (hk_run_desc){.precision = HK_SINGLE});
}

static void cracked_case_runs_or_says_that_memory_is_short(void **state)
{
  (void)state;
  write_text("allocations.yaml", cracked);
  fail_each("allocations.yaml", (hk_run_desc){.precision = HK_SINGLE});
}

static void static_steps_run_or_say_that_memory_is_short(void **state)
{
  (void)state;
  static const char *const solver[] = {"ITERATIVE SCALING", "SPOOLES"};
  for (int i = 0; i < 2; i++) {
    char text[2000];
    snprintf(text, sizeof text, statics, solver[i]);
    write_text("allocations.inp", text);
    fail_each("allocations.inp", (hk_run_desc){.precision = HK_DOUBLE});
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deck_runs_or_says_that_memory_is_short),
      cmocka_unit_test(deck_in_double_and_vtu_runs_or_says_that_memory_is_short),
      cmocka_unit_test(case_runs_or_says_that_memory_is_short),
      cmocka_unit_test(cracked_case_runs_or_says_that_memory_is_short),
      cmocka_unit_test(static_steps_run_or_say_that_memory_is_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
