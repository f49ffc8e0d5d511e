/* hk_tune_find takes, field by field, the option of the least time; what it took is remembered, and the first options stand in for what is not. */
#include "support/body.h"
#include "operator/tune.h"
#include <stdio.h>

typedef struct clock {
  double base[3], extra; /* extra: of option 1 of field 1 with option 2 of field 0 */
  int calls;
  bool fails;
} clock;

static hk_status time_choice(void *user, const int *choice, double *seconds)
{
  clock *c = user;
  c->calls++;
  if (c->fails) return hk_error_set(HK_NO_RESOURCES, "no room");
  *seconds = c->base[choice[0]] + (choice[1] && choice[0] == 2 ? c->extra : 0);
  return HK_OK;
}

static hk_tune tune_of(hk_device *device, const char *cache, clock *c)
{
  return (hk_tune){.device = device,
                   .cache = cache,
                   .what = "test",
                   .form = "any",
                   .fields = 2,
                   .options = {3, 2},
                   .time = time_choice,
                   .user = c};
}

static void least_time_is_taken_and_remembered(void **state)
{
  char folder[] = "/tmp/hooke_tune_XXXXXX", command[80];
  hk_device *device = NULL;
  clock c = {.base = {3, HUGE_VAL, 2}, .extra = -1};
  int choice[2] = {7, 7};
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  assert_non_null(mkdtemp(folder));
  hk_tune tune = tune_of(device, folder, &c);
  assert_false(hk_tune_remembered(&tune, choice));
  assert_true(choice[0] == 0 && choice[1] == 0);
  ok(hk_tune_find(&tune, choice));
  assert_true(choice[0] == 2 && choice[1] == 1);
  assert_int_equal(c.calls, 4); /* three of field 0, the other one of field 1 */
  choice[0] = choice[1] = 0, c.extra = 9;
  ok(hk_tune_find(&tune, choice));
  assert_true(choice[0] == 2 && choice[1] == 1 && c.calls == 4);
  tune.options[1] = 1; /* other candidates: another question */
  assert_false(hk_tune_remembered(&tune, choice));
  tune.options[1] = 2, tune.form = "other";
  ok(hk_tune_find(&tune, choice));
  assert_true(choice[0] == 2 && choice[1] == 0);
  for (int k = 0; k < 3; k++) c.base[k] = HUGE_VAL; /* none could be timed: another run may */
  tune.form = "none";
  ok(hk_tune_find(&tune, choice));
  assert_true(choice[0] == 0 && choice[1] == 0);
  assert_false(hk_tune_remembered(&tune, choice));
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  hk_device_close(&device);
}

static void without_a_folder_and_with_errors(void **state)
{
  hk_device *device = NULL;
  clock c = {.base = {1, 1, 0.5}};
  int choice[2];
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  hk_tune tune = tune_of(device, NULL, &c);
  ok(hk_tune_find(&tune, choice));
  assert_true(choice[0] == 2 && choice[1] == 0);
  assert_false(hk_tune_remembered(&tune, choice));
  c.fails = true;
  assert_int_equal(hk_tune_find(&tune, choice), HK_NO_RESOURCES);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(least_time_is_taken_and_remembered),
      cmocka_unit_test(without_a_folder_and_with_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
