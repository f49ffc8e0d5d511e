/* Quality factors by standard linear solids: the fit over its band, the phase speed where it is given, lossless changes of volume, and what is refused. */
#include "physics/material.h"
#include "physics/viscoelastic/fit.h"
#include "support/check.h"
#include <complex.h>

/* M(w) / M_U, by a formula of its own */
static double complex modulus(const hk_relaxation *r, const double *y, double w)
{
  double complex m = 1;
  for (int l = 0; l < HK_MECHANISMS; l++) {
    const double t = w / r->rate[l];
    m -= y[l] * (1 - I * t) / (1 + t * t);
  }
  return m;
}

static double worst(const hk_relaxation *r, const double *y, const hk_quality *q, double wanted)
{
  double error = 0;
  for (int k = 0; k <= 1000; k++) {
    const double w = 2 * M_PI * q->band[0] * pow(q->band[1] / q->band[0], k / 1000.0);
    const double complex m = modulus(r, y, w);
    error = fmax(error, fabs(wanted * cimag(m) / creal(m) - 1));
  }
  return error;
}

static void quality_is_constant_over_the_band(void **state)
{
  (void)state;
  static const double limit[] = {0.005, 0.042, 0.145}; /* of one, two, three decades */
  for (int decades = 1; decades <= 3; decades++)
    for (double s = 10; s < 1000; s *= 3) {
      const hk_quality q = {
          .band = {3, 3 * pow(10, decades)}, .frequency = 10, .s = s, .p = 1.7 * s};
      hk_relaxation r;
      ok(hk_quality_fit(&q, 3, &r));
      assert_true(worst(&r, r.s, &q, q.s) < limit[decades - 1]);
      assert_true(worst(&r, r.p, &q, q.p) < limit[decades - 1]);
      near(fmax(worst(&r, r.s, &q, q.s), worst(&r, r.p, &q, q.p)), r.error, 1e-3);
    }
}

static void waves_have_the_speed_at_the_frequency(void **state)
{
  (void)state;
  const hk_quality q = {.band = {1, 50}, .frequency = 12, .s = 15, .p = 25};
  hk_relaxation r;
  ok(hk_quality_fit(&q, 3.2, &r));
  near(creal(csqrt(1 / (r.s_sudden * modulus(&r, r.s, 2 * M_PI * 12)))), 1, 1e-12);
  near(creal(csqrt(1 / (r.p_sudden * modulus(&r, r.p, 2 * M_PI * 12)))), 1, 1e-12);
  assert_true(r.s_sudden > r.p_sudden && r.p_sudden > 1);
}

/* M_U / M(w) = 1 + sum b r / (r + i w), with positive b, between and below the rates of M. */
static void creep_is_the_inverse(void **state)
{
  (void)state;
  const hk_quality q = {.band = {1, 50}, .frequency = 12, .s = 15, .p = INFINITY};
  hk_relaxation r;
  double rate[HK_MECHANISMS], b[HK_MECHANISMS];
  ok(hk_quality_fit(&q, 2, &r));
  hk_relaxation_creep(&r, r.s, rate, b);
  for (double w = 0.1; w < 1e4; w *= 3) {
    double complex inverse = 1;
    for (int l = 0; l < HK_MECHANISMS; l++) inverse += b[l] * rate[l] / (rate[l] + I * w);
    near(cabs(inverse * modulus(&r, r.s, w)), 1, 1e-12);
    near(cimag(inverse * modulus(&r, r.s, w)), 0, 1e-12);
  }
  for (int l = 0; l < HK_MECHANISMS; l++) {
    assert_true(b[l] > 0 && rate[l] < r.rate[l]);
    assert_true(l == 0 || rate[l] > r.rate[l - 1]);
  }
}

/* K = M - 4/3 mu is real where q_p is not given, and passive up to the q_p that the message tells. */
static void changes_of_volume(void **state)
{
  (void)state;
  hk_quality q = {.band = {1, 30}, .frequency = 5, .s = 40, .p = INFINITY};
  hk_relaxation r;
  ok(hk_quality_fit(&q, 3, &r));
  for (double w = 1; w < 1000; w *= 2)
    near(cimag(3 * r.p_sudden * modulus(&r, r.p, w) - 4.0 / 3 * r.s_sudden * modulus(&r, r.s, w)),
         0, 1e-9);
  q.p = 300;
  assert_int_equal(hk_quality_fit(&q, 3, &r), HK_BAD_INPUT);
  const char *at = strstr(hk_error(), "at most ");
  assert_non_null(at);
  q.p = atof(at + 8);
  assert_true(q.p > 85 && q.p < 95); /* 3/4 3 40 */
  ok(hk_quality_fit(&q, 3, &r));
  for (int l = 0; l < HK_MECHANISMS; l++)
    assert_true(3 * r.p_sudden * r.p[l] >= 4.0 / 3 * r.s_sudden * r.s[l] * (1 - 1e-12));
}

static void too_much_loss_is_refused(void **state)
{
  (void)state;
  const hk_quality q = {.band = {1, 1000}, .frequency = 30, .s = 0.5, .p = INFINITY};
  hk_relaxation r;
  assert_int_equal(hk_quality_fit(&q, 3, &r), HK_BAD_INPUT);
  assert_non_null(strstr(hk_error(), "q_s 0.5"));
}

/* The means are the constants of an isotropic body, and do not change when a body is turned. */
static void means_of_stiffness(void **state)
{
  (void)state;
  static const double constant[9] = {130e9, 9e9, 11e9, .28, .3, .4, 5e9, 6e9, 3e9};
  const double c = cos(0.4), s = sin(0.4);
  const double turned[3][3] = {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
  hk_region r = {.thickness = 2}, same = r;
  double d[36], lambda, mu, other[2];
  ok(hk_material_lame(3e9, 2e9, &r.material));
  for (int dim = 2; dim <= 3; dim++) {
    hk_region_stiffness(&r, dim, d);
    hk_stiffness_means(dim, d, &lambda, &mu);
    near(lambda, 3e9 * (dim == 2 ? 2 : 1), 1);
    near(mu, 2e9 * (dim == 2 ? 2 : 1), 1);
  }
  ok(hk_material_engineering(constant, &same.material));
  for (int dim = 2; dim <= 3; dim++) {
    hk_region turn = same;
    hk_material_rotate(&turn.material, turned);
    hk_region_stiffness(&same, dim, d);
    hk_stiffness_means(dim, d, &lambda, &mu);
    hk_region_stiffness(&turn, dim, d);
    hk_stiffness_means(dim, d, &other[0], &other[1]);
    near(other[0], lambda, 1e-3 * lambda * 1e-9);
    near(other[1], mu, 1e-3 * mu * 1e-9);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(quality_is_constant_over_the_band),
                                     cmocka_unit_test(waves_have_the_speed_at_the_frequency),
                                     cmocka_unit_test(changes_of_volume),
                                     cmocka_unit_test(too_much_loss_is_refused),
                                     cmocka_unit_test(means_of_stiffness),
                                     cmocka_unit_test(creep_is_the_inverse)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
