/* Elastic constants, their rotation, plane laws and wave speeds. */
#include "physics/material.h"
#include "support/check.h"

static const hk_region steel = {.material = {.density = 8000}, .thickness = 1};

static hk_region isotropic(double young, double poisson)
{
  hk_region r = steel;
  ok(hk_material_isotropic(young, poisson, &r.material));
  return r;
}

/* A fibre composite along x. */
static const double orthotropic[9] = {130e9, 9e9, 11e9, .28, .3, .4, 5e9, 6e9, 3e9};

static hk_region fibre(void)
{
  hk_region r = steel;
  ok(hk_material_engineering(orthotropic, &r.material));
  return r;
}

static void rotation(double a, double b, double axes[3][3])
{
  const double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b);
  const double m[3][3] = {{ca * cb, sa * cb, -sb}, {-sa, ca, 0}, {ca * sb, sa * sb, cb}};
  memcpy(axes, m, sizeof m);
}

/* uniaxial stress: c (1, -nu, -nu, 0, 0, 0) = (E, 0, 0, 0, 0, 0) */
static void isotropic_uniaxial(void **state)
{
  (void)state;
  const hk_region r = isotropic(210, .3);
  for (int i = 0; i < 6; i++)
    near(r.material.c[i][0] - .3 * (r.material.c[i][1] + r.material.c[i][2]), i ? 0 : 210, 1e-12);
  near(r.material.c[4][4], 210 / 2.6, 1e-12);
}

/* the same for each axis of an orthotropic material: strain (1, -nu12, -nu13) under E1, ... */
static void engineering_uniaxial(void **state)
{
  (void)state;
  const double *k = orthotropic;
  const hk_region r = fibre();
  const double strain[3][3] = {{1, -k[3], -k[4]},
                               {-k[3] * k[1] / k[0], 1, -k[5]},
                               {-k[4] * k[2] / k[0], -k[5] * k[2] / k[1], 1}};
  for (int a = 0; a < 3; a++) {
    for (int i = 0; i < 3; i++) {
      double stress = 0;
      for (int j = 0; j < 3; j++) stress += r.material.c[i][j] * strain[a][j];
      near(stress, i == a ? k[a] : 0, 1e-3);
    }
  }
  near(r.material.c[3][3], 3e9, 0); /* yz = G23 */
  near(r.material.c[4][4], 6e9, 0);
  near(r.material.c[5][5], 5e9, 0);
}

/* engineering constants of an isotropic material = isotropic */
static void engineering_isotropic(void **state)
{
  (void)state;
  const double k[9] = {210, 210, 210, .3, .3, .3, 210 / 2.6, 210 / 2.6, 210 / 2.6};
  const hk_region expected = isotropic(210, .3);
  hk_material m = {0};
  ok(hk_material_engineering(k, &m));
  for (int i = 0; i < 36; i++) near(m.c[i / 6][i % 6], expected.material.c[i / 6][i % 6], 1e-11);
}

/* Thomsen's constants come back from c, whatever the axis; speeds along it are vp0 and vs0 */
static void thomsen_comes_back(void **state)
{
  (void)state;
  const double k[5] = {3000, 1500, .2, -.1, .15}, rho = 2300;
  for (int axis = 0; axis < 3; axis++) {
    hk_material m = {.density = rho};
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    ok(hk_material_thomsen(k, axis, &m));
    ok(hk_material_validate(&m));
    for (int i = 0; i < 36; i++) near(m.c[i / 6][i % 6], m.c[i % 6][i / 6], 0);
    const double c11 = m.c[a][a], c33 = m.c[axis][axis], c44 = m.c[3 + a][3 + a],
                 c66 = m.c[3 + axis][3 + axis], c13 = m.c[axis][b];
    near(sqrt(c33 / rho), 3000, 1e-9);
    near(sqrt(c44 / rho), 1500, 1e-9);
    near((c11 - c33) / (2 * c33), .2, 1e-12);
    near((c66 - c44) / (2 * c44), .15, 1e-12);
    near((pow(c13 + c44, 2) - pow(c33 - c44, 2)) / (2 * c33 * (c33 - c44)), -.1, 1e-12);
    near(m.c[b][b], c11, 0), near(m.c[axis][a], c13, 0), near(m.c[3 + b][3 + b], c44, 0);
    near(m.c[a][b], c11 - 2 * c66, 1e-12 * c11); /* isotropic across */
  }
}

/* without anisotropy it is the isotropic medium; what no medium has is refused */
static void thomsen_isotropic(void **state)
{
  (void)state;
  hk_material m = {.density = 2300}, iso = {.density = 2300};
  const double k[5] = {3000, 1500, 0, 0, 0};
  ok(hk_material_thomsen(k, 2, &m));
  ok(hk_material_from_speeds(3000, 1500, &iso));
  for (int i = 0; i < 36; i++) near(m.c[i / 6][i % 6], iso.c[i / 6][i % 6], 1e-3);
  const double slow[5] = {1500, 1500, 0, 0, 0}, low[5] = {3000, 1500, 0, -.4, 0};
  assert_int_equal(hk_material_thomsen(slow, 2, &m), HK_BAD_INPUT);
  assert_int_equal(hk_material_thomsen(low, 2, &m), HK_BAD_INPUT);
  m.density = 0;
  assert_int_equal(hk_material_thomsen(k, 2, &m), HK_BAD_INPUT);
}

/* c_p and c_s come back from the constants made of them, also in plane strain */
static void speeds_come_back(void **state)
{
  (void)state;
  hk_region r = steel;
  ok(hk_material_from_speeds(5800, 3100, &r.material));
  for (int dim = 2; dim <= 3; dim++) {
    near(hk_region_fastest(&r, dim), 5800, 1e-9);
    near(hk_region_slowest(&r, dim), 3100, 1e-9);
  }
}

/* plane stress: c_p^2 = E / (rho (1 - nu^2)); the thickness does not matter to speeds */
static void plate_speed(void **state)
{
  (void)state;
  hk_region r = isotropic(210e9, .3);
  r.plane = HK_PLANE_STRESS;
  r.thickness = 0.01;
  near(hk_region_fastest(&r, 2), sqrt(210e9 / (8000 * .91)), 1e-8);
  near(hk_region_slowest(&r, 2), sqrt(210e9 / 2.6 / 8000), 1e-8);
}

/* d = E / (1 - nu^2) [1 nu 0; nu 1 0; 0 0 (1 - nu) / 2] times the thickness */
static void plane_stress_law(void **state)
{
  (void)state;
  hk_region r = isotropic(210, .3);
  double d[9];
  r.plane = HK_PLANE_STRESS;
  r.thickness = 2;
  hk_region_stiffness(&r, 2, d);
  const double e = 2 * 210 / .91, expected[9] = {e, .3 * e, 0, .3 * e, e, 0, 0, 0, .35 * e};
  for (int i = 0; i < 9; i++) near(d[i], expected[i], 1e-11);
}

/* a turned fully anisotropic c: the condensed law is the inverse of the in-plane block of c^-1,
 * that is, d s_aa = 1, where c s = 1 */
static void plane_stress_is_compliance(void **state)
{
  (void)state;
  static const int row[3] = {0, 1, 5};
  hk_region r = fibre();
  double axes[3][3], d[9], m[6][12] = {{0}};
  rotation(.4, .7, axes);
  hk_material_rotate(&r.material, axes);
  r.plane = HK_PLANE_STRESS;
  hk_region_stiffness(&r, 2, d);
  for (int i = 0; i < 6; i++) {
    m[i][6 + i] = 1e9;
    for (int j = 0; j < 6; j++) m[i][j] = r.material.c[i][j];
  }
  for (int p = 0; p < 6; p++) {
    for (int i = 0; i < 6; i++) {
      const double factor = m[i][p] / m[p][p];
      for (int j = 0; i != p && j < 12; j++) m[i][j] -= factor * m[p][j];
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += d[3 * i + k] * m[row[k]][6 + row[j]] / m[row[k]][row[k]] * 1e-9;
      near(sum, i == j, 1e-10);
    }
  }
}

/* energy of a strain does not depend on the axes: e' c' e' = e c e with e'_ij = t_ia t_jb e_ab */
static void rotation_keeps_energy(void **state)
{
  (void)state;
  static const int voigt[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
  const double e[3][3] = {{.3, .2, -.4}, {.2, -.7, .5}, {-.4, .5, .1}};
  const hk_region before = fibre();
  hk_region after = before;
  double axes[3][3], energy = 0, turned = 0;
  rotation(.4, .7, axes);
  hk_material_rotate(&after.material, axes);
  for (int r = 0; r < 6; r++) {
    for (int s = 0; s < 6; s++) {
      double er = 0, es = 0;
      for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
          er += axes[a][voigt[r][0]] * axes[b][voigt[r][1]] * e[a][b];
          es += axes[a][voigt[s][0]] * axes[b][voigt[s][1]] * e[a][b];
        }
      }
      const double factor = (r < 3 ? 1 : 2) * (s < 3 ? 1 : 2);
      energy += factor * e[voigt[r][0]][voigt[r][1]] * e[voigt[s][0]][voigt[s][1]] *
                before.material.c[r][s];
      turned += factor * er * es * after.material.c[r][s];
    }
  }
  near(turned / energy, 1, 1e-13);
}

/* a quarter turn about z exchanges x and y: the fibre's speeds along its axis become those along y;
 * the extremes over all directions stay, found as well in an oblique frame */
static void rotation_keeps_speeds(void **state)
{
  (void)state;
  hk_region r = fibre();
  const double quarter[3][3] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
  const double fast = hk_region_fastest(&r, 3), slow = hk_region_slowest(&r, 3);
  near(fast, sqrt(r.material.c[0][0] / 8000), 1e-8 * fast);
  hk_region turned = r;
  hk_material_rotate(&turned.material, quarter);
  near(turned.material.c[1][1], r.material.c[0][0], 1);
  near(turned.material.c[3][3], r.material.c[4][4], 1); /* yz was -zx */
  double axes[3][3];
  rotation(1.1, -.3, axes);
  hk_material_rotate(&r.material, axes);
  near(hk_region_fastest(&r, 3), fast, 1e-8 * fast);
  near(hk_region_slowest(&r, 3), slow, 1e-8 * slow);
}

/* cubic crystal (silicon): fastest along 111: rho v^2 = (c11 + 2 c12 + 4 c44) / 3; slowest the
 * shear along 110 polarised -110: (c11 - c12) / 2 */
static void silicon_speeds(void **state)
{
  (void)state;
  const double c11 = 165.7e9, c12 = 63.9e9, c44 = 79.6e9;
  hk_region r = {.material = {.density = 2329, .elastic = true}, .thickness = 1};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) r.material.c[i][j] = i == j ? c11 : c12;
    r.material.c[3 + i][3 + i] = c44;
  }
  near(hk_region_fastest(&r, 3), sqrt((c11 + 2 * c12 + 4 * c44) / 3 / 2329), 1e-6);
  near(hk_region_slowest(&r, 3), sqrt((c11 - c12) / 2 / 2329), 1e-6);
  near(hk_region_fastest(&r, 2), sqrt((c11 + c12 + 2 * c44) / 2 / 2329), 1e-6); /* 110 */
}

/* lame of the law of each dimension: 3D, plane strain alike; plane stress 2 l m / (l + 2 m) */
static void lame(void **state)
{
  (void)state;
  hk_region r = isotropic(210, .3);
  const double l = 210 * .3 / (1.3 * .4), m = 210 / 2.6;
  double got_l = 0, got_m = 0;
  r.thickness = 3;
  for (int dim = 2; dim <= 3; dim++) {
    assert_true(hk_region_lame(&r, dim, &got_l, &got_m));
    near(got_l, l, 1e-11);
    near(got_m, m, 1e-11);
  }
  r.plane = HK_PLANE_STRESS;
  assert_true(hk_region_lame(&r, 2, &got_l, &got_m));
  near(got_l, 2 * l * m / (l + 2 * m), 1e-11);
  near(got_m, m, 1e-11);
  hk_region f = fibre();
  assert_false(hk_region_lame(&f, 3, &got_l, &got_m));
  assert_false(hk_region_lame(&f, 2, &got_l, &got_m));
}

/* what is out of range is refused, not-a-number included */
static void refused(void **state)
{
  (void)state;
  hk_material m = {.density = 1};
  assert_int_equal(hk_material_isotropic(-1, .3, &m), HK_BAD_INPUT);
  assert_int_equal(hk_material_isotropic(1, .5, &m), HK_BAD_INPUT);
  assert_int_equal(hk_material_isotropic(1, -1, &m), HK_BAD_INPUT);
  assert_int_equal(hk_material_isotropic(NAN, .3, &m), HK_BAD_INPUT);
  assert_int_equal(hk_material_isotropic(1, NAN, &m), HK_BAD_INPUT);
  assert_int_equal(hk_material_from_speeds(1, .9, &m), HK_BAD_INPUT);
  assert_int_equal(hk_material_from_speeds(1, NAN, &m), HK_BAD_INPUT);
  m.density = -1;
  assert_int_equal(hk_material_from_speeds(2, 1, &m), HK_BAD_INPUT);
  double k[9];
  memcpy(k, orthotropic, sizeof k);
  k[5] = 1.5;
  assert_int_equal(hk_material_engineering(k, &m), HK_BAD_INPUT);
  assert_false(m.elastic);
}

/* validate accepts what was made and refuses unsymmetric, indefinite and unknown constants */
static void validate(void **state)
{
  (void)state;
  hk_material m = fibre().material;
  ok(hk_material_validate(&m));
  m.c[0][1] *= 1.01;
  assert_int_equal(hk_material_validate(&m), HK_BAD_INPUT);
  m = fibre().material;
  m.c[3][3] = 0;
  assert_int_equal(hk_material_validate(&m), HK_BAD_INPUT);
  m = isotropic(1, .3).material;
  m.c[0][1] = m.c[1][0] = 2 * m.c[0][0];
  assert_int_equal(hk_material_validate(&m), HK_BAD_INPUT);
  m.c[2][2] = NAN;
  assert_int_equal(hk_material_validate(&m), HK_BAD_INPUT);
  m = (hk_material){0};
  assert_int_equal(hk_material_validate(&m), HK_BAD_INPUT);
}

/* G12 = 1/2 where an isotropic body has 1/3 is told apart although c11 is 3e12; such a body is isotropic at any nu */
static void nearly_incompressible(void **state)
{
  (void)state;
  for (double less = 1e-6; less > 5e-14; less /= 10) {
    const double nu = 0.5 - less, k[9] = {1, 1, 1, nu, nu, nu, .5, .5, .5};
    double lambda, mu;
    hk_region r = isotropic(1, nu);
    for (int dim = 2; dim <= 3; dim++) assert_true(hk_region_lame(&r, dim, &lambda, &mu));
    near(mu, 0.5 / (1 + nu), 1e-12);
    r = (hk_region){.thickness = 1};
    ok(hk_material_engineering(k, &r.material));
    for (int dim = 2; dim <= 3; dim++) assert_false(hk_region_lame(&r, dim, &lambda, &mu));
  }
}

/* conductivities are refused that rounding alone keeps from being singular: k_xy^2 = k_xx k_yy (1 - 2e-14) */
static void conductivities(void **state)
{
  (void)state;
  char name[] = "M";
  hk_material m = {.name = name};
  assert_int_equal(hk_material_conduct(6, (const double[]){5, 5, 5, 5 - 5e-14, 0, 0}, &m),
                   HK_BAD_INPUT);
  assert_int_equal(hk_material_conduct(6, (const double[]){5, 5e-8, 5, 0, 0, 5 - 5e-14}, &m),
                   HK_BAD_INPUT);
  assert_int_equal(hk_material_conduct(6, (const double[]){5, 5, 5, 0, 0, 6}, &m), HK_BAD_INPUT);
  assert_int_equal(hk_material_conduct(3, (const double[]){5, 0, 5}, &m), HK_BAD_INPUT);
  assert_int_equal(hk_material_conduct(1, (const double[]){0}, &m), HK_BAD_INPUT);
  assert_false(m.conducts);
  ok(hk_material_conduct(6, (const double[]){5, 5, 5, 5 - 5e-11, 0, 0}, &m));
  ok(hk_material_conduct(3, (const double[]){5, 5e-16, 5}, &m));
  assert_true(m.conducts && m.conductivity[1][1] == 5e-16);
}

/* the largest -s_c V_c: 0 of isotropic bodies; 0.342198 in plane strain of c11, c12, c22, c66 = 4, 7.5, 20, 2, medium III of Becache,
 * Fauqueux and Joly 2003, whichever axis is the stiff one; 0 of their medium V, where phase and energy go alike */
static void backward(void **state)
{
  (void)state;
  hk_region r = isotropic(1, .3);
  for (int dim = 2; dim <= 3; dim++) assert_true(hk_region_backward(&r, dim) == 0);
  for (int turned = 0; turned < 2; turned++) {
    const double stiff[2] = {turned ? 20 : 4, turned ? 4 : 20};
    r = (hk_region){.thickness = 0.5, .material.density = 3};
    r.material.c[0][0] = stiff[0], r.material.c[1][1] = stiff[1], r.material.c[5][5] = 2;
    r.material.c[0][1] = r.material.c[1][0] = 7.5;
    near(hk_region_backward(&r, 2), 0.342198,
         0.342198e-3); /* directions: a thousandth low at most */
    r.material.c[0][1] = r.material.c[1][0] = 3.8;
    assert_true(hk_region_backward(&r, 2) == 0);
  }
}

/* mean of a table between two temperatures = integral by 2e6 midpoints / length, also over a peak with jumps; slope = differences */
static void tables(void **state)
{
  (void)state;
  hk_pool pool = {0};
  const hk_table bare = {3, (double[][2]){{0, 1}, {2, 3}, {5, 2}}}, *both, *alone;
  ok(hk_table_add_peak(&pool, &bare, 1.5, 2.5, 10, &both));
  ok(hk_table_add_peak(&pool, NULL, 1.5, 2.5, 10, &alone));
  near(hk_table_at(both, 2.2), hk_table_at(&bare, 2.2) + 10, 1e-14);
  near(hk_table_at(alone, 2), 11, 1e-14);
  near(hk_table_at(both, 3), hk_table_at(&bare, 3), 1e-14);
  assert_true(hk_table_at(alone, 1) == 1 && hk_table_at(alone, 3) == 1);
  static const double ends[][2] = {{-3, 9}, {0.5, 1.7}, {2.4, 1.6}, {-2, -1}, {6, 7}, {1.5, 2.5}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    enum { PARTS = 2000000 };
    double sum = 0;
    for (int k = 0; k < PARTS; k++)
      sum += hk_table_at(both, ends[i][0] + (k + 0.5) / PARTS * (ends[i][1] - ends[i][0])) / PARTS;
    near(hk_table_mean(both, ends[i][0], ends[i][1]), sum, 1e-5);
    near(hk_table_mean(both, ends[i][1], ends[i][0]), sum, 1e-5);
  }
  assert_true(hk_table_mean(both, 0.7, 0.7) == hk_table_at(both, 0.7));
  for (double t = -1; t < 6; t += 0.37)
    near(hk_table_slope(both, t),
         (hk_table_at(both, t + 1e-6) - hk_table_at(both, t - 1e-6)) / 2e-6, 1e-6);
  assert_true(hk_table_at(NULL, 3) == 1 && hk_table_mean(NULL, 1, 2) == 1 &&
              hk_table_slope(NULL, 3) == 0);
  hk_pool_clear(&pool);
}

/* a specific heat by formula: its chord is that of the antiderivative, exactly for polynomials */
static void capacity(void **state)
{
  (void)state;
  hk_formula *f = NULL;
  ok(hk_formula_read_warm("x * (1 + 3 * T^2)", &f));
  const hk_material m = {.by[HK_BY_SPECIFIC_HEAT] = f};
  const double x[3] = {2}, a = -0.3, b = 1.9;
  near(hk_material_capacity(&m, x, a, b), 2 * ((b + b * b * b) - (a + a * a * a)) / (b - a), 1e-12);
  near(hk_material_capacity(&m, x, b, b), 2 * (1 + 3 * b * b), 1e-14);
  hk_formula_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(isotropic_uniaxial),
                                     cmocka_unit_test(engineering_uniaxial),
                                     cmocka_unit_test(engineering_isotropic),
                                     cmocka_unit_test(thomsen_comes_back),
                                     cmocka_unit_test(thomsen_isotropic),
                                     cmocka_unit_test(speeds_come_back),
                                     cmocka_unit_test(plate_speed),
                                     cmocka_unit_test(plane_stress_law),
                                     cmocka_unit_test(plane_stress_is_compliance),
                                     cmocka_unit_test(rotation_keeps_energy),
                                     cmocka_unit_test(rotation_keeps_speeds),
                                     cmocka_unit_test(silicon_speeds),
                                     cmocka_unit_test(backward),
                                     cmocka_unit_test(lame),
                                     cmocka_unit_test(refused),
                                     cmocka_unit_test(nearly_incompressible),
                                     cmocka_unit_test(conductivities),
                                     cmocka_unit_test(tables),
                                     cmocka_unit_test(capacity),
                                     cmocka_unit_test(validate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
