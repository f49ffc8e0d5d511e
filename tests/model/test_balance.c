/* The criterion by which a run is unstable: each verdict on energies that were made for it. */
#include "run/march/balance.h"
#include "support/check.h"

static const hk_balance_bounds plain = {.floor = 1e-18, .hidden = 1, .counted = 1, .noise = 1e-10};
static const hk_balance_bounds layered = {
    .floor = 1e-18, .hidden = 8, .counted = 1, .noise = 1e-10};

static hk_balance_verdict add(hk_balance *l, const hk_balance_bounds *b, double kinetic,
                              double strain, double work, double layer)
{
  const hk_energy e = {
      .kinetic = kinetic, .strain = strain, .work = work, .damping = layer, .layer = layer};
  return hk_balance_add(l, &e, b);
}

/* Of a balanced run that holds `energy` after `work`: the layer's loss closes the balance. */
static hk_balance_verdict hold(hk_balance *l, const hk_balance_bounds *b, double energy,
                               double work)
{
  return add(l, b, energy / 2, energy / 2, work, work - energy);
}

/* what is put in, is held and is lost is sound, however little is left */
static void falling(void **state)
{
  (void)state;
  hk_balance l = {0};
  for (int k = 0; k < 1000; k++)
    assert_int_equal(hold(&l, &plain, k < 100 ? k : 100 * exp(-0.05 * (k - 100)), fmin(k, 100)),
                     HK_BALANCE_SOUND);
  assert_false(hk_balance_off_at_end(&l, &plain));
  assert_true(l.given == 100);
}

/* initial energy counts as put in, and so does that of the stage before; sources may take energy out */
static void initial_energy(void **state)
{
  (void)state;
  hk_balance l = {0};
  for (int k = 0; k < 300; k++)
    assert_int_equal(add(&l, &plain, 5, 5 - k * 0.01, -k * 0.01, 0), HK_BALANCE_SOUND);
  hk_balance_continue(&l, l.energy.work, 0);
  for (int k = 0; k < 300; k++)
    assert_int_equal(add(&l, &plain, 5, 2.01 - k * 0.001, -k * 0.001, 0), HK_BALANCE_SOUND);
  assert_true(fabs(l.balance) < 1e-12);
}

/* off: by more than 5 % while it runs, by more than 1 % at the end; not-a-number is neither */
static void off(void **state)
{
  (void)state;
  hk_balance l = {0};
  assert_int_equal(add(&l, &plain, 0, 0, 0, 0), HK_BALANCE_SOUND);
  assert_int_equal(add(&l, &plain, 50, 50.9, 100, 0), HK_BALANCE_SOUND);
  assert_false(hk_balance_off_at_end(&l, &plain));
  assert_int_equal(add(&l, &plain, 50, 51.1, 100, 0), HK_BALANCE_SOUND);
  assert_true(hk_balance_off_at_end(&l, &plain));
  assert_int_equal(add(&l, &plain, 50, 47.5, 100, 0), HK_BALANCE_SOUND);
  assert_int_equal(add(&l, &plain, 50, 44, 100, 0), HK_BALANCE_OFF);
  assert_int_equal(add(&l, &plain, 50, 56, 100, 0), HK_BALANCE_OFF);
  assert_int_equal(add(&l, &plain, 50, (double)NAN, 100, 0), HK_BALANCE_NAN);
}

/* rounding below the floor is not judged */
static void noise(void **state)
{
  (void)state;
  hk_balance l = {0};
  const hk_balance_bounds b = {.floor = 1, .hidden = 1, .counted = 1, .noise = 1e-4};
  for (int k = 0; k < 300; k++)
    assert_int_equal(add(&l, &b, 0.5 * (k % 2), 0, -0.1, 0), HK_BALANCE_SOUND);
  assert_false(hk_balance_off_at_end(&l, &b));
}

/* excess: a balance that a negative loss closes; a layer may hide h times what was put in, and is blamed */
static void excess(void **state)
{
  (void)state;
  hk_balance l = {0};
  hold(&l, &plain, 0, 0);
  assert_int_equal(hold(&l, &plain, 1.0, 1), HK_BALANCE_SOUND);
  assert_int_equal(hold(&l, &plain, 1.2, 1), HK_BALANCE_EXCESS);
  l = (hk_balance){0};
  hold(&l, &layered, 0, 0);
  assert_int_equal(hold(&l, &layered, 7.9, 1), HK_BALANCE_SOUND);
  assert_int_equal(hold(&l, &layered, 9, 1), HK_BALANCE_EXCESS);
  assert_true(hk_balance_blames_layer(&l, HK_BALANCE_EXCESS));
  assert_true(fabs(l.balance) < 1e-12);
}

/* split: kinetic and strain of opposite signs, whose sum says nothing */
static void split(void **state)
{
  (void)state;
  hk_balance l = {0};
  add(&l, &plain, 0, 0, 0, 0);
  assert_int_equal(add(&l, &plain, 40, -39, 1, 0), HK_BALANCE_SOUND);
  assert_int_equal(add(&l, &plain, 1e4, 1 - 1e4, 1, 0), HK_BALANCE_SPLIT);
  assert_false(hk_balance_blames_layer(&l, HK_BALANCE_SPLIT));
}

/* growth: an e-fold per 80 samples from 1e-6 of the work on is found before it is 1e-3, and the layer blamed */
static void slow_growth(void **state)
{
  (void)state;
  hk_balance l = {0};
  hk_balance_verdict verdict = HK_BALANCE_SOUND;
  double energy = 0;
  hold(&l, &layered, 0, 0);
  for (int k = 0; k < 5000 && verdict == HK_BALANCE_SOUND; k++) {
    energy = exp(-0.1 * k) + 1e-6 * exp(k / 80.0);
    verdict = hold(&l, &layered, energy, 1);
  }
  assert_int_equal(verdict, HK_BALANCE_GROWTH);
  assert_true(energy < 1e-3);
  assert_true(hk_balance_blames_layer(&l, verdict));
}

/* growth by work is none, late sources included; nor is growth within rounding */
static void growth_by_work(void **state)
{
  (void)state;
  hk_balance l = {0};
  for (int k = 0; k < 3000; k++) {
    const double work = k < 100 ? 0.01 * k : (k < 2000 ? 1 : 1 + 0.5 * (k - 2000)),
                 held = k < 100 ? work : (k < 2000 ? exp(-0.1 * (k - 100)) : 0.5 * (k - 2000));
    assert_int_equal(hold(&l, &plain, held, work), HK_BALANCE_SOUND);
  }
  l = (hk_balance){0};
  hold(&l, &plain, 0, 0);
  for (int k = 0; k < 3000; k++)
    assert_int_equal(hold(&l, &plain, k < 100 ? 1 : 1e-20 * k * k, 1), HK_BALANCE_SOUND);
}

/* a Kelvin-Voigt part that counts its strain 51 times: waves that enter it put nothing in; what elastic parts hold too much is found as ever */
static void counted(void **state)
{
  (void)state;
  hk_balance_bounds b = plain;
  hk_balance l = {0};
  b.counted = 51;
  add(&l, &b, 0.01, 0.99, 0, 0);
  for (
      int k = 0; k < 1000;
      k++) /* elastic strain alone; then as much kinetic energy; then strain that is counted often */
    assert_int_equal(k < 100   ? add(&l, &b, 0.01, 0.99, 0, 0)
                     : k < 500 ? add(&l, &b, 1, 0, 0, 0)
                               : add(&l, &b, 0.5, 0.5 * 51, 0, 0.5 - 0.5 * 51),
                     HK_BALANCE_SOUND);
  assert_int_equal(add(&l, &b, 0.9, 0.1 * 51, 0, 0.1 - 0.1 * 51), HK_BALANCE_SOUND);
  assert_int_equal(add(&l, &b, 2, 0.1 * 51, 0, -1 - 0.1 * 51), HK_BALANCE_EXCESS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(falling),     cmocka_unit_test(initial_energy), cmocka_unit_test(off),
      cmocka_unit_test(noise),       cmocka_unit_test(excess),         cmocka_unit_test(split),
      cmocka_unit_test(slow_growth), cmocka_unit_test(growth_by_work), cmocka_unit_test(counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
