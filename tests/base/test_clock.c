/* Every second of a clock belongs to one stage. */
#include "base/base.h"
#include "support/check.h"
#include <string.h>

static void pass_time(double seconds)
{
  for (const double begin = hk_seconds(); hk_seconds() - begin < seconds;) continue;
}

static int stage_of(const hk_clock *c, const char *name)
{
  for (int k = 1; k < c->count; k++)
    if (!strcmp(c->stage[k].name, name)) return k;
  fail_msg("no stage is named %s", name);
  return 0;
}

/* sum of the stages' own seconds = seconds from the start; the same name below the same stage counts on */
static void stages_add_up(void **state)
{
  (void)state;
  hk_clock c, *before = hk_clock_start(&c);
  const double start = c.since;
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const int outer = hk_clock_begin("mesh");
    hk_clock_begin("numbering");
    pass_time(1e-3);
    hk_clock_next("dt");
    pass_time(2e-3);
    const int inner = hk_clock_begin_top("assemble");
    pass_time(1e-3);
    hk_clock_end(inner);
    hk_clock_end(outer);
  }
  hk_clock_settle(&c);
  hk_clock_use(before);
  assert_int_equal(c.count, 5);
  for (int k = 0; k < c.count; k++) sum += c.stage[k].seconds;
  assert_true(fabs(sum - (c.since - start)) < 1e-9);
  assert_true(fabs(hk_clock_of(&c, 0) - sum) < 1e-9);
  assert_int_equal(c.stage[stage_of(&c, "dt")].parent, stage_of(&c, "mesh"));
  assert_true(c.stage[stage_of(&c, "numbering")].seconds >= 3e-3);
  assert_true(c.stage[stage_of(&c, "dt")].seconds >= 6e-3);
  assert_true(hk_clock_named(&c, "mesh") >= 9e-3);
  assert_true(hk_clock_named(&c, "assemble") >= 3e-3);
  assert_true(hk_clock_named(&c, "dt") == 0); /* it is not below the root */
  assert_int_equal(c.now, 0);
}

/* a stage that a failure left is ended with the one above it */
static void a_skipped_end_does_no_harm(void **state)
{
  (void)state;
  hk_clock c, *before = hk_clock_start(&c);
  const int outer = hk_clock_begin("solve");
  hk_clock_begin("frames");
  hk_clock_begin("sync");
  hk_clock_end(outer);
  assert_int_equal(c.now, 0);
  hk_clock_use(before);
}

/* the names beyond the last place count for the stage above; without a clock nothing happens */
static void names_have_no_end(void **state)
{
  (void)state;
  static char name[2 * HK_CLOCK_STAGES][8];
  hk_clock c, *before = hk_clock_start(&c);
  const int solve = hk_clock_begin("solve");
  for (int k = 0; k < 2 * HK_CLOCK_STAGES; k++) {
    snprintf(name[k], sizeof name[k], "%d", k);
    hk_clock_end(hk_clock_begin(name[k]));
    assert_string_equal(c.stage[c.now].name, "solve");
  }
  hk_clock_end(solve);
  assert_int_equal(c.count, HK_CLOCK_STAGES);
  hk_clock_use(NULL);
  hk_clock_end(hk_clock_begin_top("mesh"));
  hk_clock_next("mesh");
  assert_int_equal(c.count, HK_CLOCK_STAGES);
  hk_clock_use(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(stages_add_up),
                                     cmocka_unit_test(a_skipped_end_does_no_harm),
                                     cmocka_unit_test(names_have_no_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
