/* Case files: the model that they give. */
#include <hooke/example.h>
#include "input/case/case.h"
#include "support/files.h"

#define CASE_DATA TEST_DATA "/case/"

static hk_model *read_text(const char *text, const char *const *set, int set_count)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  write_text("test_case.yaml", text);
  ok(hk_messages_create(&list));
  if (hk_case_read(&(hk_model_desc){.path = "test_case.yaml", .set = set, .set_count = set_count},
                   list, &model) != HK_OK) {
    for (hk_count i = 0; i < hk_messages_count(list); i++)
      print_error("%s\n", hk_messages_at(list, i)->text);
    fail();
  }
  hk_messages_destroy(&list);
  return model;
}

#define HEAD                                                                                       \
  "mesh: {rectangle: {size: [4, 2], cells: [4, 2]}}\n"                                             \
  "materials: {steel: {density: 8, young: 2, poisson: 0.25}}\n"
#define TAIL "solve: {explicit: {end: 1}}\n"

/* values in the file = SI values / units */
static void own_units(void **state)
{
  (void)state;
  hk_model *m = read_text("units: {length: mm, time: us}\n"
                          "mesh: {rectangle: {size: [40 mm, 2 cm], cells: 2}}\n"
                          "materials: {s: {density: 7850 kg/m^3, young: 200 GPa, poisson: 0.25}}\n"
                          "thickness: 3 mm\n"
                          "plane: stress\n"
                          "solve: {explicit: {end: 40 us, dt: 0.01, method: stored}}\n",
                          NULL, 0);
  const hk_region *r = &m->region[0];
  assert_string_equal(m->units.length, "mm");
  assert_string_equal(m->units.mass, "kg");
  near_relative(m->units.si[HK_TIME], 1e-6, 1e-12);
  near_relative(r->material.density, 7.85e-6, 1e-12);
  near_relative(r->material.c[5][5], 80e9 * 1e-3 * 1e-12,
                1e-12); /* 1 Pa = 1 kg/m/s^2 = 1e-15 kg/mm/us^2 */
  assert_true(r->thickness == 3);
  assert_int_equal(r->plane, HK_PLANE_STRESS);
  assert_true(m->step[0].duration == 40);
  assert_true(m->step[0].dt == 0.01);
  assert_string_equal(m->solve.method, "stored");
  double top = 0;
  for (hk_count n = 0; n < m->mesh->node_count; n++) top = fmax(top, m->mesh->x[2 * n + 1]);
  near_relative(top, 20, 1e-12);
  hk_model_destroy(&m);
}

/* element k of an array does in shot k what a source on all of them says; other sources act in every shot */
static void shots_of_an_array(void **state)
{
  (void)state;
  hk_model *m =
      read_text(HEAD "boundary: [{set: bottom, fix: [x, y]}]\n"
                     "sources:\n"
                     "  - {set: top, force: 10, direction: [0, -1], delay: [0, 1, 2, 3, 4],\n"
                     "     signal: {ricker: {frequency: 2}}}\n"
                     "  - {set: top, velocity: 2, direction: [1, 0]}\n"
                     "  - {at: [1, 1], force: 3, direction: [1, 0]}\n"
                     "shots: {array: {set: top, each: node}}\n"
                     "outputs: {field: {shots: [4, 2]}}\n" TAIL,
                NULL, 0);
  const hk_step *s = &m->step[0];
  assert_int_equal(s->shot_count, 5);
  assert_int_equal(s->load_count, 1);
  assert_int_equal(s->load[0].kind, HK_LOAD_POINT);
  assert_int_equal(s->motion_count, 2);
  for (int k = 0; k < 5; k++) {
    const hk_shot *shot = &s->shot[k];
    assert_int_equal(shot->load_count, 1);
    assert_int_equal(shot->load[0].kind, HK_LOAD_FORCE);
    assert_int_equal(shot->load[0].target.count, 1);
    assert_true(shot->load[0].delay == k && !shot->load[0].delays);
    assert_true(shot->load[0].vector[1] == -10);
    assert_int_equal(shot->motion_count, 1);
    assert_int_equal(shot->motion[0].target.item[0], shot->load[0].target.item[0]);
    assert_true(shot->motion[0].kind == HK_MOVE_VELOCITY && shot->motion[0].value == 2);
    if (k) assert_true(shot->load[0].target.item[0] > s->shot[k - 1].load[0].target.item[0]);
  }
  assert_int_equal(s->field.shot_count, 2);
  assert_int_equal(s->field.shot[0], 1);
  assert_int_equal(s->field.shot[1], 3);
  hk_model_destroy(&m);
}

/* an array of points that says itself what its elements do: `sources:` act in every shot */
static void shots_of_points(void **state)
{
  (void)state;
  hk_model *m = read_text(HEAD "sources: [{set: top, force: 10, direction: [0, -1]}]\n"
                               "shots:\n"
                               "  array: {at: [[1, 1], [3, 1.5]], force: 2, direction: [3, 4],\n"
                               "          signal: {ricker: {frequency: 2}}}\n" TAIL,
                          NULL, 0);
  const hk_step *s = &m->step[0];
  assert_int_equal(s->load_count, 1);
  assert_int_equal(s->shot_count, 2);
  const hk_load *l = &s->shot[1].load[0];
  assert_int_equal(l->kind, HK_LOAD_POINT);
  assert_true(l->at[0] == 3 && l->at[1] == 1.5);
  near_relative(l->vector[0], 1.2, 1e-12);
  assert_int_equal(m->signal.at[l->signal].kind, HK_SIGNAL_RICKER);
  assert_int_equal(s->field.quantities, 0); /* frames are kept of shots that are named */
  hk_model_destroy(&m);
}

/* a list: one source, or several together; a source without a place is fired by the array */
static void shots_of_a_list(void **state)
{
  (void)state;
  hk_model *m =
      read_text(HEAD "shots:\n"
                     "  - {set: left, force: 1, direction: [1, 0]}\n"
                     "  - [{at: [1, 1], force: 1, direction: [1, 0]},\n"
                     "     {set: top, displacement: 2, direction: [0, 1], signal: step}]\n" TAIL,
                NULL, 0);
  assert_int_equal(m->step[0].shot_count, 2);
  assert_int_equal(m->step[0].shot[0].load_count, 1);
  assert_int_equal(m->step[0].shot[0].load[0].target.count, 3);
  assert_int_equal(m->step[0].shot[1].load_count, 1);
  assert_int_equal(m->step[0].shot[1].motion_count, 1);
  hk_model_destroy(&m);
  m = read_text(HEAD "sources: [{force: 1, direction: [1, 0]}]\nshots: {array: {set: left}}\n" TAIL,
                NULL, 0);
  assert_int_equal(m->step[0].shot_count, 3);
  assert_int_equal(m->step[0].load_count, 0);
  hk_model_destroy(&m);
}

/* nodes of a face set = those on its line; components, values and signals as written */
static void boundary_and_sources(void **state)
{
  (void)state;
  hk_model *m =
      read_text(HEAD "boundary:\n"
                     "  - {set: bottom, fix: [x, y]}\n"
                     "  - {set: left, move: {y: 3}, signal: {gaussian: {width: 2, t0: 5}}}\n"
                     "  - {set: right, pressure: 7}\n"
                     "  - {set: right, traction: [1, -2], signal: step}\n"
                     "sources:\n"
                     "  - {set: top, force: 10, direction: [3, -4], delay: [0, 1, 2, 3, 4],\n"
                     "     signal: {ricker: {frequency: 2}, scale: 3}}\n"
                     "  - {at: [1, 1], velocity: 2, direction: [0, -5]}\n"
                     "  - {set: top, displacement: 2, direction: [0, -5]}\n" TAIL,
                NULL, 0);
  const hk_step *s = &m->step[0];
  assert_int_equal(s->motion_count, 5);
  assert_int_equal(s->load_count, 3);
  for (int d = 0; d < 2; d++) {
    assert_int_equal(s->motion[d].component, d);
    assert_int_equal(s->motion[d].target.count, 5);
    assert_int_equal(s->motion[d].signal, -1);
    assert_true(s->motion[d].value == 0);
    for (int i = 0; i < 5; i++) assert_true(m->mesh->x[2 * s->motion[d].target.item[i] + 1] == 0);
  }
  assert_int_equal(s->motion[0].place.line, 4);
  assert_int_equal(s->motion[2].component, 1);
  assert_true(s->motion[2].value == 3);
  near_relative(m->signal.at[s->motion[2].signal].a, log(2), 1e-12); /* 4 ln 2 / 2^2 */
  assert_int_equal(s->load[0].kind, HK_LOAD_PRESSURE);
  assert_int_equal(s->load[0].target.count, 2);
  assert_non_null(s->load[0].target.face);
  assert_true(s->load[0].vector[0] == 7 && s->load[0].signal == -1);
  assert_int_equal(s->load[1].kind, HK_LOAD_TRACTION);
  assert_true(s->load[1].vector[0] == 1 && s->load[1].vector[1] == -2);
  assert_int_equal(m->signal.at[s->load[1].signal].kind, HK_SIGNAL_STEP);
  assert_int_equal(s->load[2].kind, HK_LOAD_FORCE);
  near_relative(s->load[2].vector[0], 6, 1e-12);
  near_relative(s->load[2].vector[1], -8, 1e-12);
  assert_int_equal(s->load[2].target.count, 5);
  assert_true(s->load[2].delays[4] == 4);
  assert_true(m->signal.at[s->load[2].signal].scale == 3);
  near_relative(m->signal.at[s->load[2].signal].t0, 0.6, 1e-12);
  assert_true(s->motion[3].has_point && s->motion[3].kind == HK_MOVE_VELOCITY);
  assert_true(s->motion[3].component == -1 && s->motion[3].direction[1] == -1);
  assert_true(s->motion[4].component == 1 && s->motion[4].value == -2);
  hk_model_destroy(&m);
}

/* the stiffness of each way to give a material */
static void materials(void **state)
{
  (void)state;
  hk_model *m =
      read_text("mesh: {box: {size: [1, 1, 1], cells: 1}}\n"
                "materials:\n"
                "  e: {density: 1, young: 2.5, poisson: 0.25}\n"
                "  l: {density: 1, lambda: 1, mu: 1, damping: 4}\n"
                "  v: {density: 1, p_speed: 2, s_speed: 1}\n"
                "  c: {density: 1, c11: 3, c22: 3, c33: 3, c12: 1, c13: 1, c23: 1, c44: 1,"
                " c55: 1, c66: 2}\n"
                "regions: {all: c}\n" TAIL,
                NULL, 0);
  assert_false(m->region[0].material.isotropic);
  near_relative(m->region[0].material.c[5][5], 2, 1e-12);
  near_relative(m->region[0].material.c[1][0], 1, 1e-12);
  hk_model_destroy(&m);
  static const char *const set[] = {"regions.all=e", "regions.all=l", "regions.all=v"};
  const double c11[] = {3, 3, 4}, c12[] = {1, 1, 2};
  for (int i = 0; i < 3; i++) {
    hk_model *other = NULL;
    ok(hk_case_read(&(hk_model_desc){.path = "test_case.yaml", .set = &set[i], .set_count = 1},
                    NULL, &other));
    assert_true(other->region[0].material.isotropic);
    near_relative(other->region[0].material.c[0][0], c11[i], 1e-12);
    near_relative(other->region[0].material.c[2][1], c12[i], 1e-12);
    near_relative(other->region[0].material.c[3][3], 1, 1e-12);
    hk_model_destroy(&other);
  }
}

static const double engineering[9] = {13, 5, 2, 0.3, 0.25, 0.35, 3, 2.5, 1.5};

/* E1 to G23 of a case, in axes: the C of those constants, turned; in 2D with the same numbers */
static void engineering_constants(void **state)
{
  (void)state;
  static const char *const mesh[] = {"box: {size: [1, 1, 1], cells: 1}",
                                     "rectangle: {size: [1, 1], cells: 1}"};
  static const double turned[3][3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}};
  for (int k = 0; k < 2; k++) {
    hk_material expected = {0};
    char text[1024];
    snprintf(text, sizeof text,
             "mesh: {%s}\n"
             "axes: {grain: {straight: {x: [0.6, 0.8%s}}}\n"
             "regions: {all: {density: 1, E1: 13, E2: 5, E3: 2, nu12: 0.3, nu13: 0.25, nu23: 0.35,"
             " G12: 3, G13: 2.5, G23: 1.5, axes: grain}}\n" TAIL,
             mesh[k], k ? "]" : ", 0], y: [-0.8, 0.6, 0]");
    hk_model *m = read_text(text, NULL, 0);
    ok(hk_material_engineering(engineering, &expected));
    hk_material_rotate(&expected, turned);
    for (int i = 0; i < 36; i++)
      near(m->region[0].material.c[i / 6][i % 6], expected.c[i / 6][i % 6], 1e-13);
    assert_false(m->region[0].material.isotropic);
    hk_model_destroy(&m);
  }
}

/* the model of JSON = the model of the same YAML */
static void json_is_read_alike(void **state)
{
  (void)state;
  hk_model *m[2] = {NULL, NULL};
  ok(hk_case_read(&(hk_model_desc){.path = CASE_DATA "plain.json"}, NULL, &m[0]));
  ok(hk_case_read(&(hk_model_desc){.path = CASE_DATA "plain.yaml"}, NULL, &m[1]));
  for (int i = 0; i < 2; i++) {
    assert_string_equal(m[i]->title, "as JSON");
    assert_int_equal(m[i]->mesh->element_count, 8);
    assert_true(m[i]->step[0].duration == 40);
    assert_true(m[i]->signal.at[0].frequency == 5 && m[i]->signal.at[0].hann);
    assert_string_equal(m[i]->step[0].trace[0].name, "rx");
    assert_int_equal(m[i]->step[0].trace[0].target.count, 5);
    assert_true(m[0]->step[0].load[0].vector[1] == m[i]->step[0].load[0].vector[1]);
    assert_true(m[0]->region[0].material.c[0][0] == m[i]->region[0].material.c[0][0]);
  }
  hk_model_destroy(&m[0]);
  hk_model_destroy(&m[1]);
}

/* --set replaces values, items of lists and adds keys */
static void overrides(void **state)
{
  (void)state;
  static const char *const set[] = {"solve.explicit.end=20 us", "sources.0.force=2 N",
                                    "outputs.field.frames=7", "outputs.field.quantity=[velocity]",
                                    "mesh.rectangle.shape=tri"};
  hk_model *m = NULL;
  ok(hk_case_read(&(hk_model_desc){.path = CASE_DATA "plain.json", .set = set, .set_count = 5},
                  NULL, &m));
  assert_true(m->step[0].duration == 20);
  near_relative(m->step[0].load[0].vector[1], -2e-9, 1e-12); /* 1 N = 1e-9 kg mm/us^2 */
  assert_int_equal(m->step[0].field.frames, 7);
  assert_int_equal(m->step[0].field.quantities, 1u << HK_VELOCITY);
  assert_int_equal(m->mesh->block[0].shape, HK_TRI3);
  hk_model_destroy(&m);
}

/* initial state, layers and outputs as written */
static void the_rest(void **state)
{
  (void)state;
  hk_model *m =
      read_text(HEAD "initial: [{set: all, velocity: [0, 1]}]\n"
                     "damping: {mass: 3}\n"
                     "absorb: [{sets: [left, right], thickness: 1}, {sets: top, d_max: 2}, "
                     "{kind: stacey, sets: [left, top]}]\n"
                     "outputs:\n"
                     "  traces:\n"
                     "    - {set: top, quantity: [velocity, acceleration], interval: 0.5}\n"
                     "    - {set: top, every: 3}\n"
                     "    - {at: [[1, 1], [2, 1]]}\n"
                     "  field: {interval: 0.1}\n" TAIL,
                NULL, 0);
  const hk_step *s = &m->step[0];
  assert_int_equal(m->initial.count, 2);
  assert_int_equal(m->initial.at[1].target.count, 15);
  assert_true(m->initial.at[1].value == 1 && m->initial.at[1].component == 1);
  assert_int_equal(m->initial.at[1].kind, HK_MOVE_VELOCITY);
  assert_true(m->media.mass_damping == 3);
  assert_int_equal(m->absorb.count, 3);
  assert_int_equal(m->absorb.at[0].target.count, 4);
  assert_true(m->absorb.at[0].thickness == 1 && m->absorb.at[1].d_max == 2);
  assert_int_equal(m->absorb.at[1].kind, HK_ABSORB_LAYER);
  assert_int_equal(m->absorb.at[2].kind, HK_ABSORB_STACEY);
  assert_int_equal(m->absorb.at[2].target.count, 6);
  assert_int_equal(s->trace_count, 3);
  assert_string_equal(s->trace[1].name, "top_2");
  assert_int_equal(s->trace[0].quantities, 1u << HK_VELOCITY | 1u << HK_ACCELERATION);
  assert_true(s->trace[0].interval == 0.5 && s->trace[1].every == 3);
  assert_int_equal(s->trace[2].point_count, 2);
  assert_true(s->trace[2].at[3] == 2 && s->trace[2].at[4] == 1 && s->trace[2].at[5] == 0);
  assert_true(s->field.frames == 0 && s->field.interval == 0.1);
  hk_model_destroy(&m);
}

/* `all` takes the elements that no other region names; two regions of one element are an error */
static void regions_of_a_mesh_file(void **state)
{
  (void)state;
  char folder[] = "example-XXXXXX", *path = NULL;
  hk_model *m = NULL;
  static const char *const rest[] = {"regions={all: columnar, plate: steel}"};
  static const char *const hole[] = {"regions={plate: steel}"};
  assert_non_null(mkdtemp(folder));
  ok(hk_example_write("weld", folder, &path));
  ok(hk_case_read(&(hk_model_desc){.path = path, .set = rest, .set_count = 1}, NULL, &m));
  assert_int_equal(m->region_count, 2);
  const hk_set *weld = hk_mesh_find_set(m->mesh, "weld", HK_ELEMENT_SET);
  hk_count in_weld = 0;
  for (hk_count e = 0; e < m->mesh->element_count; e++)
    in_weld += strcmp(m->region[m->element_region[e]].material.name, "columnar") == 0;
  assert_int_equal(in_weld, weld->count);
  assert_string_equal(m->region[m->element_region[weld->item[0]]].material.name, "columnar");
  hk_model_destroy(&m);
  assert_int_equal(
      hk_case_read(&(hk_model_desc){.path = path, .set = hole, .set_count = 1}, NULL, &m),
      HK_BAD_INPUT);
  error_says("960 of 6400 elements are in no region");
  hk_text_free(&path);
}

/* a geometry is meshed by the gmsh program where the caller asks for it; its physical names are the sets */
static void geometry(void **state)
{
  (void)state;
  write_text("test_case.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 10, 5};\n"
                              "Physical Surface(\"plate\") = {1};\nMesh.MeshSizeMax = 1;\n");
  hk_model *m = NULL;
  hk_model_desc desc = {.text = "mesh: test_case.geo\n"
                                "materials: {steel: {density: 8, young: 2, poisson: 0.25}}\n"
                                "regions: {plate: steel}\n" TAIL};
  assert_int_equal(hk_model_create(&desc, NULL, &m), HK_BAD_INPUT);
  error_says("a geometry is a program");
  desc.run_gmsh = true;
  ok(hk_model_create(&desc, NULL, &m));
  assert_int_equal(m->mesh->dim, 2);
  assert_true(m->mesh->element_count >= 50);
  assert_int_equal(m->file.count, 2);
  hk_model_destroy(&m);
}

/* a table's times from a file are in its time_unit, the model's in the case's own */
static void table_file(void **state)
{
  (void)state;
  write_text("test_case.csv", "time,value\n0,0\n2,3\n");
  hk_model *m = read_text("units: {time: ms}\n" HEAD "sources:\n"
                          "  - {set: top, force: 1, direction: [0, 1],\n"
                          "     signal: {table: {file: test_case.csv, time_unit: s}}}\n" TAIL,
                          NULL, 0);
  assert_int_equal(m->signal.at[0].count, 2);
  near_relative(m->signal.at[0].time[1], 2000, 1e-12);
  assert_true(m->signal.at[0].value[1] == 3);
  hk_model_destroy(&m);
}

/* each example that can be written is read without an error */
static void examples_are_read(void **state)
{
  (void)state;
  int count;
  const hk_example *example = hk_example_list(&count);
  assert_true(count >= 3);
  for (int i = 0; i < count; i++) {
    char folder[] = "example-XXXXXX", *path = NULL;
    hk_messages *list = NULL;
    hk_model *m = NULL;
    assert_non_null(mkdtemp(folder));
    ok(hk_example_write(example[i].name, folder, &path));
    ok(hk_messages_create(&list));
    if (hk_case_read(&(hk_model_desc){.path = path}, list, &m) != HK_OK) fail_msg("%s", hk_error());
    assert_int_equal(hk_messages_count(list), 0);
    hk_messages_destroy(&list);
    hk_model_destroy(&m);
    assert_int_equal(hk_example_write(example[i].name, folder, NULL), HK_NOT_WRITABLE);
    hk_text_free(&path);
  }
  assert_int_equal(hk_example_write("wield", ".", NULL), HK_USAGE);
  error_says("did you mean \"weld\"");
}

/* any allocation may fail: no resources, nothing held */
static void allocations_fail(void **state)
{
  (void)state;
  static const char *const set[] = {"solve.explicit.end=20 us"};
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_model *m = NULL;
    memory.status = hk_case_read(
        &(hk_model_desc){.path = CASE_DATA "plain.yaml", .set = set, .set_count = 1}, NULL, &m);
    hk_model_destroy(&m);
  }
}

static void example_allocations_fail(void **state)
{
  (void)state;
  hk_status status = HK_NO_RESOURCES;
  const hk_count held = hk_memory_held();
  for (hk_count k = 1; status != HK_OK; k++) {
    char folder[] = "example-XXXXXX";
    assert_non_null(mkdtemp(folder));
    hk_memory_fail_at(k);
    status = hk_example_write("weld", folder, NULL);
    hk_memory_fail_at(0);
    if (status != HK_OK && status != HK_NO_RESOURCES)
      fail_msg("%lld: %s", (long long)k, hk_error());
    assert_int_equal(hk_memory_held(), held);
    assert_true(k < 1000);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(own_units),
                                     cmocka_unit_test(shots_of_an_array),
                                     cmocka_unit_test(shots_of_points),
                                     cmocka_unit_test(shots_of_a_list),
                                     cmocka_unit_test(boundary_and_sources),
                                     cmocka_unit_test(materials),
                                     cmocka_unit_test(engineering_constants),
                                     cmocka_unit_test(json_is_read_alike),
                                     cmocka_unit_test(overrides),
                                     cmocka_unit_test(the_rest),
                                     cmocka_unit_test(examples_are_read),
                                     cmocka_unit_test(regions_of_a_mesh_file),
                                     cmocka_unit_test(geometry),
                                     cmocka_unit_test(table_file),
                                     cmocka_unit_test(allocations_fail),
                                     cmocka_unit_test(example_allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
