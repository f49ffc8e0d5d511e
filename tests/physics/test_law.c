/* The list of laws, and which of them a region gets. */
#include "physics/law.h"
#include "support/check.h"

static hk_region solid(bool isotropic)
{
  static const double fibre[9] = {130e9, 9e9, 11e9, .28, .3, .4, 5e9, 6e9, 3e9};
  hk_region r = {.material = {.name = "m", .density = 1}, .thickness = 1};
  if (isotropic)
    ok(hk_material_isotropic(210e9, .3, &r.material));
  else
    ok(hk_material_engineering(fibre, &r.material));
  return r;
}

/* each law of the list is found by its number, once, and its parameters and states fit into the kernels' arrays */
static void every_law_is_found(void **state)
{
  (void)state;
  for (int scalar = 0; scalar < 2; scalar++)
    for (int n = 0; n < hk_law_count(scalar); n++) {
      const hk_law *law = hk_law_at(scalar, n);
      assert_true(law->scalar == scalar);
      for (int m = 0; m < n; m++) assert_ptr_not_equal(hk_law_at(scalar, m), law);
      for (int dim = 2; dim <= 3; dim++) {
        assert_in_range(hk_law_parameters(law, dim), 1, HK_MOST_PARAMETERS);
        assert_in_range(hk_law_states(law, dim), 0, hk_law_most_states(dim));
      }
    }
  assert_null(hk_law_at(false, hk_law_count(false)));
}

/* without a name a region gets the first linear law that serves it, with a name that law or none */
static void a_region_gets_its_law(void **state)
{
  (void)state;
  hk_region r = solid(true), other = solid(false);
  assert_ptr_equal(hk_law_of(false, &r, 3), &hk_law_isotropic);
  assert_ptr_equal(hk_law_of(false, &other, 3), &hk_law_anisotropic);
  r.material.law = "anisotropic", other.material.law = "isotropic";
  assert_ptr_equal(hk_law_of(false, &r, 3), &hk_law_anisotropic);
  assert_null(hk_law_of(false, &other, 3));
  r.material.law = other.material.law = "viscoelastic";
  assert_ptr_equal(hk_law_of(false, &r, 3), &hk_law_viscoelastic);
  assert_ptr_equal(hk_law_of(false, &other, 3), &hk_law_viscoelastic_anisotropic);
}

/* a law that covers others serves their regions too, and no region that asks for another */
static void a_law_covers_others(void **state)
{
  (void)state;
  hk_region r = solid(true);
  assert_true(hk_law_serves(&hk_law_viscoelastic, &r, 3));
  r.material.law = "isotropic";
  assert_false(hk_law_serves(&hk_law_viscoelastic, &r, 3));
}

/* a law that does not serve the material is refused by its name; a linear one serves all */
static void laws_are_refused(void **state)
{
  (void)state;
  hk_region r = solid(false);
  ok(hk_law_check(false, &r, 3, "form of K \"edges\"", "give spectral"));
  r.material.law = "anisotropic";
  ok(hk_law_check(false, &r, 3, "form of K \"edges\"", "give spectral"));
  r.material.law = "isotropic";
  assert_int_equal(hk_law_check(false, &r, 3, NULL, NULL), HK_BAD_INPUT);
  assert_non_null(strstr(hk_error(), "material m: the law \"isotropic\" does not serve it"));
  r.material.law = "no such law";
  assert_int_equal(hk_law_check(false, &r, 3, NULL, NULL), HK_BAD_INPUT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_is_found), cmocka_unit_test(a_region_gets_its_law),
      cmocka_unit_test(a_law_covers_others), cmocka_unit_test(laws_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
