/* Every failing allocation while spectral elements are numbered, weighed and packed ends in HK_NO_RESOURCES and leaves nothing behind. */
#include "support/body.h"

static hk_status make(const char *method, const body *b, hk_device *device)
{
  hk_status status = HK_OK;
  const hk_operator_kind *kind = NULL;
  hk_space *space = NULL;
  hk_operator *op = NULL;
  double *mass = NULL;
  hk_index element;
  HK_TRY(hk_operator_choose(method, b->mesh, device, &kind));
  const hk_space_desc numbering = kind->space(b->mesh, device, true);
  HK_TRY(hk_space_create(b->mesh, &numbering, &space));
  HK_TRY(hk_get(&mass, b->mesh->node_count));
  HK_TRY(kind->mass(b->mesh, b->region, b->element_region, mass, &element));
  HK_TRY(hk_operator_create(kind,
                            &(hk_operator_desc){.device = device,
                                                .space = space,
                                                .region = b->region,
                                                .element_region = b->element_region,
                                                .double_precision = true},
                            &op));
cleanup:
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  hk_free(&mass);
  return status;
}

static void every_allocation_may_fail(void **state)
{
  body b = {0};
  hk_device *device = NULL;
  const char *method = *state;
  b.mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {5, 5}, .shape = HK_QUAD4});
  ok(hk_mesh_raise_to(b.mesh, 3));
  body_dress(&b, EVERY_KIND);
  ok(hk_device_open("cpu", 1, &device));
  ok(make(method, &b, device));
  shortage memory = {0};
  while (next_shortage(&memory)) {
    memory.status = make(method, &b, device);
  }
  assert_true(memory.k > 15);
  hk_device_close(&device);
  body_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(every_allocation_may_fail, (char *)"spectral"),
      cmocka_unit_test_prestate(every_allocation_may_fail, (char *)"spectral-colours")};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
