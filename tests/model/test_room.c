/* What is asked of a device's memory before anything large is taken. */
#include "run/explicit/stage.h"
#include "run/static/static.h"
#include "support/check.h"
#include <hooke/run.h>
#include <unistd.h>

static hk_model *read_case(const char *outputs)
{
  char path[] = "/tmp/hooke_room_XXXXXX.yaml";
  hk_model *model = NULL;
  hk_messages *list = NULL;
  const int file = mkstemps(path, 5);
  assert_true(file >= 0);
  dprintf(file,
          "mesh: {rectangle: {size: [1, 1], cells: [30, 30], shape: tri}}\n"
          "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
          "regions: {all: m}\noutputs: {%s}\nsolve: {explicit: {end: 1}}\n",
          outputs);
  close(file);
  ok(hk_messages_create(&list));
  ok(hk_model_read(path, NULL, 0, list, &model));
  hk_messages_destroy(&list);
  remove(path);
  return model;
}

/* room of frames = two snapshots of the vectors that the quantity needs: u; in single the increments before and after; in double
 * positions, so u as well */
static void frames_count(void **state)
{
  static const struct {
    const char *outputs;
    hk_precision precision;
    int vectors;
  } cases[] = {{"", HK_SINGLE, 0},
               {"field: {quantity: displacement, frames: 3}", HK_SINGLE, 1},
               {"field: {quantity: velocity, frames: 3}", HK_SINGLE, 2},
               {"field: {quantity: displacement, frames: 3}", HK_DOUBLE, 1},
               {"field: {quantity: velocity, frames: 3}", HK_DOUBLE, 3}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hk_model *model = read_case(cases[i].outputs);
    hk_problem *problem = NULL;
    hk_messages *list = NULL;
    ok(hk_messages_create(&list));
    ok(hk_problem_prepare(
        model, &(hk_run_desc){.device = "cpu", .threads = 1, .precision = cases[i].precision}, list,
        &problem));
    const hk_count vector = (hk_count)problem->on.space->padded * problem->on.space->components *
                            (cases[i].precision == HK_DOUBLE ? 8 : 4);
    assert_int_equal(hk_frames_room(problem), 2 * cases[i].vectors * vector);
    hk_problem_destroy(&problem);
    hk_model_destroy(&model);
    hk_messages_destroy(&list);
  }
}

/* vectors are asked for with the first K: 2 on the device, 4 of the host, and 3 of each component and 2 of each tensor at nodes; later ones find
 * them there */
static void vectors_count_once(void **state)
{
  (void)state;
  const char *text =
      "mesh: {rectangle: {size: [1, 1], cells: [9, 7]}}\nphysics: heat\n"
      "materials: {m: {conductivity: 1}}\nregions: {all: m}\n"
      "boundary: [{set: left, temperature: 0}, {set: right, flux: 1}]\nsolve: {heat: {}}\n";
  hk_model *model = NULL;
  hk_assembled_room k;
  hk_count all;
  ok(hk_model_create(&(hk_model_desc){.text = text}, NULL, &model));
  hk_session session = {.model = model, .desc = &(hk_run_desc){.device = "cpu", .threads = 1}};
  hk_static s = hk_static_of(&session);
  ok(hk_static_prepare(&s));
  ok(hk_static_vectors(&s));
  ok(hk_static_plan(&s, true, &k, &all));
  assert_int_equal(all - k.bytes, hk_discretisation_dofs(&s.on) * 6 * 8 +
                                      model->mesh->node_count * 8 * (3 + 2 * 2));
  ok(hk_static_hold(&s, 0, 0));
  ok(hk_static_assemble(&s));
  ok(hk_static_plan(&s, true, &k, &all));
  assert_int_equal(all, k.bytes);
  hk_static_clear(&s);
  hk_model_destroy(&model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(frames_count),
                                     cmocka_unit_test(vectors_count_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
