/* Static solutions of case files: the model that they give, and what is refused. */
#include "input/case/case.h"
#include "support/files.h"

#define PATH "test_static.yaml"
#define PLATE                                                                                      \
  "mesh: {rectangle: {size: [4, 2], cells: [2, 1]}}\n"                                             \
  "materials: {steel: {young: 2, poisson: 0.25, density: 8}}\n"
#define BOX                                                                                        \
  "mesh: {box: {from: [1, 1, 0], size: [1, 1, 1], cells: [1, 1, 1]}}\n"                            \
  "materials: {steel: {young: 2, poisson: 0.25}}\n"                                                \
  "axes: {hub: {cylinder: {at: [0, 0, 0], along: [0, 0, 2]}},\n"                                   \
  "       slope: {straight: {x: [0, 3, 0], y: [-1, 1, 0]}}}\n"
#define STILL "solve: {static: {}}\n"

static hk_status read_text(const char *text, hk_messages *list, hk_model **out)
{
  write_text(PATH, text);
  return hk_case_read(&(hk_model_desc){.path = PATH}, list, out);
}

static hk_model *read_good(const char *text)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  ok(hk_messages_create(&list));
  if (read_text(text, list, &model) != HK_OK)
    for (hk_count i = 0; i < hk_messages_count(list); i++)
      print_error("%s\n", hk_messages_at(list, i)->text);
  assert_non_null(model);
  hk_messages_destroy(&list);
  return model;
}

static void end_reading(hk_model *model)
{
  hk_model_destroy(&model);
  unlink(PATH);
  assert_int_equal(hk_memory_held(), 0);
}

static void refused(const char *text, const char *words)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  bool told = false;
  ok(hk_messages_create(&list));
  assert_int_equal(read_text(text, list, &model), HK_BAD_INPUT);
  for (hk_count i = 0; i < hk_messages_count(list); i++)
    told = told || strstr(hk_messages_at(list, i)->text, words);
  if (!told)
    for (hk_count i = 0; i < hk_messages_count(list); i++)
      print_error("\"%s\" lacks \"%s\"\n", hk_messages_at(list, i)->text, words);
  assert_true(told);
  hk_messages_destroy(&list);
  end_reading(model);
}

/* method, preconditioner, tolerance, iterations and form; one step without density */
static void how_it_is_solved(void **state)
{
  (void)state;
  hk_model *m = read_good(BOX "solve: {static: {method: cg, preconditioner: multigrid, "
                              "tolerance: 1e-6, iterations: 70, form: edges}}\n");
  assert_int_equal(m->step[0].kind, HK_STEP_STATIC);
  assert_true(m->step[0].duration == 1);
  assert_string_equal(m->solve.how.method, "cg");
  assert_string_equal(m->solve.how.preconditioner, "multigrid");
  assert_string_equal(m->solve.how.form, "edges");
  assert_true(m->solve.how.tolerance == 1e-6);
  assert_int_equal(m->solve.how.iterations, 70);
  assert_true(m->region[0].material.density < 0);
  end_reading(m);
}

/* gravity, body_force, centrifugal; sizes in the file's units; `all` unless a set is given */
static void loads_on_elements(void **state)
{
  (void)state;
  hk_model *m = read_good("units: {length: mm}\n" PLATE "sources:\n"
                          "  - {gravity: [0, -10 m/s^2]}\n"
                          "  - {set: all, body_force: [3, 0]}\n"
                          "  - {centrifugal: {speed: 3 rad/s, at: [1, 2]}}\n" STILL);
  const hk_load *l = m->step[0].load;
  assert_int_equal(m->step[0].load_count, 3);
  assert_int_equal(l[0].kind, HK_LOAD_GRAVITY);
  near(l[0].vector[1] / 1e4, -1, 1e-14);
  assert_int_equal(l[0].target.count, 2);
  assert_int_equal(l[1].kind, HK_LOAD_BODY);
  assert_true(l[1].vector[0] == 3);
  assert_int_equal(l[2].kind, HK_LOAD_CENTRIFUGAL);
  assert_true(l[2].omega2 == 9 && l[2].at[1] == 2 && l[2].vector[2] == 1);
  end_reading(m);
}

/* the one node at (1, 1, .): radial (1, 1, 0) / sqrt(2), tangential (-1, 1, 0) / sqrt(2) */
static void axes_of_nodes(void **state)
{
  (void)state;
  hk_model *m =
      read_good(BOX "boundary:\n  - {set: left, fix: [x], axes: hub}\n"
                    "  - {set: left, move: {x: 3}, axes: slope}\n"
                    "sources: [{set: left, force: 2, direction: [0, 1, 0], axes: hub}]\n" STILL);
  const hk_step *s = m->step;
  const double h = sqrt(.5);
  assert_int_equal(s->motion_count, 2);
  assert_int_equal(s->motion[0].component, -1);
  const hk_index node = s->motion[0].target.item[0];
  assert_true(m->mesh->x[3 * node] == 1 && m->mesh->x[3 * node + 1] == 1);
  near(s->motion[0].directions[0], h, 1e-14), near(s->motion[0].directions[1], h, 1e-14);
  near(s->motion[1].directions[0], 0, 1e-14), near(s->motion[1].directions[1], 1, 1e-14);
  assert_true(s->motion[1].value == 3);
  near(s->load[0].vectors[0], -2 * h, 1e-14), near(s->load[0].vectors[1], 2 * h, 1e-14);
  end_reading(m);
}

/* a length along a direction; along an axis it is a motion of a component */
static void moves_along_a_direction(void **state)
{
  (void)state;
  hk_model *m = read_good(PLATE "boundary:\n  - {set: left, move: 5, direction: [3, 4]}\n"
                                "  - {set: right, move: 5, direction: [0, -2]}\n" STILL);
  const hk_motion *a = &m->step[0].motion[0], *b = &m->step[0].motion[1];
  assert_int_equal(a->component, -1);
  assert_true(a->value == 5);
  near(a->direction[0], .6, 1e-14), near(a->direction[1], .8, 1e-14);
  assert_int_equal(b->component, 1);
  assert_true(b->value == -5);
  end_reading(m);
}

/* u_x(right) - u_x(node 1) = 0.5 for each node of the set */
static void equations(void **state)
{
  (void)state;
  hk_model *m = read_good(PLATE "equations:\n  - terms: [{set: right, component: x}, "
                                "{node: 1, component: x, factor: -1}, {node: 1, component: y}, "
                                "{node: 1, component: y, factor: 2}]\n    value: 0.5\n" STILL);
  assert_int_equal(m->equation.count, 2);
  for (int i = 0; i < 2; i++) {
    const hk_equation *e = &m->equation.at[i];
    assert_int_equal(e->terms, 3);
    assert_int_equal(e->node[1], 0);
    assert_true(e->coefficient[0] == 1 && e->coefficient[1] == -1 && e->coefficient[2] == 3);
    assert_int_equal(e->component[2], 1);
    assert_true(e->value == .5);
  }
  assert_int_not_equal(m->equation.at[0].node[0], m->equation.at[1].node[0]);
  end_reading(m);
}

/* stiffness in a cylinder's axes stays local; in straight ones it is turned into the global ones */
static void axes_of_materials(void **state)
{
  (void)state;
  static const char *const name[] = {"hub", "slope"};
  for (int k = 0; k < 2; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             BOX
             "regions: {all: {c11: 9, c22: 3, c33: 3, c44: 1, c55: 1, c66: 1, axes: %s}}\n" STILL,
             name[k]);
    hk_model *m = read_good(text);
    const hk_region *r = &m->region[0];
    assert_int_equal(r->varies, k == 0);
    near(r->material.c[k][k], 9, 1e-14);
    end_reading(m);
  }
}

/* nodes for displacement and reaction, elements for stress and strain; totals; the field's default */
static void outputs(void **state)
{
  (void)state;
  hk_model *m = read_good(BOX "outputs:\n  print:\n"
                              "    - {set: all, quantity: [reaction, stress], totals: only}\n"
                              "    - {set: left, quantity: displacement, axes: slope}\n" STILL);
  const hk_step *s = m->step;
  assert_int_equal(s->print_count, 3);
  assert_int_equal(s->print[0].tables, 1);
  assert_int_equal(s->print[0].table[0], HK_REACTION);
  assert_true(s->print[0].only_totals && !s->print[0].elements);
  assert_int_equal(s->print[0].target.count, 8);
  assert_int_equal(s->print[1].tables, 1);
  assert_int_equal(s->print[1].table[0], HK_STRESS);
  assert_true(s->print[1].elements);
  assert_int_equal(s->print[1].target.count, 1);
  near(s->print[2].axes[1], 1, 1e-14);
  assert_int_equal(s->field.frames, 1);
  assert_true(s->field.quantities >> HK_STRESS & 1);
  end_reading(m);
}

static void integration(void **state)
{
  (void)state;
  hk_model *m = read_good(BOX "element: {integration: incompatible}\n" STILL);
  assert_int_equal(m->region[0].integration, HK_INTEGRATION_INCOMPATIBLE);
  end_reading(m);
}

/* a warning where the shape has no such integration */
static void integration_of_triangles(void **state)
{
  (void)state;
  hk_messages *list = NULL;
  hk_model *model = NULL;
  ok(hk_messages_create(&list));
  ok(read_text("mesh: {rectangle: {size: [4, 2], cells: [2, 1], shape: tri}}\n"
               "materials: {steel: {young: 2, poisson: 0.25}}\n"
               "element: {integration: incompatible}\n" STILL,
               list, &model));
  assert_int_equal(hk_messages_count(list), 1);
  assert_non_null(strstr(hk_messages_at(list, 0)->text, "tri3 elements have no incompatible"));
  hk_messages_destroy(&list);
  end_reading(model);
}

static void what_is_refused(void **state)
{
  (void)state;
  static const char *const row[][2] = {
      {PLATE "initial: [{set: left, velocity: [1, 0]}]\n" STILL, "initial has no meaning"},
      {PLATE "boundary: [{set: left, pressure: 1, signal: step}]\n" STILL, "has no time"},
      {PLATE "axes: {unused: {straight: {x: [0, 0]}}}\n" STILL, "x has no length"},
      {PLATE "axes: {unused: {straight: {x: [1, 0], y: [0, 1, 0]}}}\n" STILL, "y is for 3D"},
      {PLATE "sources: [{set: left, velocity: 1, direction: [1, 0]}]\n" STILL, "no velocities"},
      {PLATE "sources: [{gravity: [0, 1], direction: [1, 0]}]\n" STILL, "gravity does not take"},
      {PLATE "sources: [{gravity: [0, 1], body_force: [1, 0]}]\n" STILL, "both gravity and"},
      {PLATE "sources: [{gravity: [0, 1 m]}]\n" STILL, "is length: must be length/time^2"},
      {BOX "sources: [{gravity: [0, 0, 1]}]\n" STILL, "needs the density of material steel"},
      {PLATE "sources: [{centrifugal: {speed: 1, at: [0, 0], along: [0, 0, 1]}}]\n" STILL,
       "this 2D mesh rotates about z"},
      {BOX "sources: [{centrifugal: {speed: 1, at: [0, 0, 0]}}]\n" STILL, "lacks \"along\""},
      {PLATE "sources: [{centrifugal: {speed: 50 Hz, at: [0, 0]}}]\n" STILL,
       "speed is 50 Hz: an angular velocity is in radians per time"},
      {PLATE "boundary: [{set: left, move: 1}]\n" STILL, "move lacks \"direction\""},
      {BOX "boundary: [{set: left, fix: x, axes: hob}]\n" STILL, "did you mean \"hub\"?"},
      {BOX "boundary: [{set: left, pressure: 1, axes: hub}]\n" STILL, "axes are for fix and move"},
      {BOX "equations: [{terms: [{set: left, component: x}, {set: all, component: x}]}]\n" STILL,
       "an equation pairs its sets node by node"},
      {PLATE "equations: [{terms: [{set: left, component: z}]}]\n" STILL, "the mesh is 2D"},
      {PLATE "equations: [{terms: [{node: 99, component: x}]}]\n" STILL, "there is no node 99"},
      {PLATE "equations: [{terms: [{component: x}]}]\n" STILL, "give set or node"},
      {PLATE "equations: [{terms: [{node: 1, component: x}]}]\nsolve: {explicit: {end: 1}}\n",
       "equations are for static"},
      {PLATE "outputs: {traces: [{set: left}]}\n" STILL, "traces are for solutions in time"},
      {PLATE "outputs: {field: {frames: 3}}\n" STILL, "has one frame"},
      {PLATE "outputs: {field: {quantity: velocity}}\n" STILL, "velocity is 0"},
      {PLATE "outputs: {print: [{set: left}]}\nsolve: {explicit: {end: 1}}\n",
       "print is for static"},
      {PLATE "element: {integration: reduced}\nsolve: {explicit: {end: 1}}\n",
       "support only full integration"},
      {PLATE "solve: {static: {method: direct, preconditioner: jacobi}}\n", "has no precond"},
      {BOX "solve: {explicit: {end: 1}}\n", "steel lacks \"density\""},
      {PLATE "regions: {all: {young: 1, poisson: 0, axes: a}}\n" STILL, "axes are for E1 to G23"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) refused(row[i][0], row[i][1]);
}

/* the k-th allocation fails, k = 1, 2, ...: HK_NO_RESOURCES and nothing is kept */
static void allocations_fail(void **state)
{
  (void)state;
  static const char text[] =
      BOX "boundary: [{set: left, fix: [x, y], axes: hub}, {set: right, move: 1, "
          "direction: [1, 1, 0]}]\n"
          "sources: [{set: left, force: 2, direction: [0, 1, 0], axes: hub}, "
          "{body_force: [1, 0, 0]}]\n"
          "equations: [{terms: [{set: right, component: x}, {node: 1, component: x}]}]\n"
          "outputs: {print: [{set: all, quantity: [reaction], axes: hub}, "
          "{set: all, quantity: stress}]}\n" STILL;
  hk_status status = HK_NO_RESOURCES;
  write_text(PATH, text);
  for (hk_count k = 1; status != HK_OK; k++) {
    hk_model *model = NULL;
    hk_memory_fail_at(k);
    status = hk_case_read(&(hk_model_desc){.path = PATH}, NULL, &model);
    hk_memory_fail_at(0);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    hk_model_destroy(&model);
    assert_int_equal(hk_memory_held(), 0);
  }
  unlink(PATH);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(how_it_is_solved),
      cmocka_unit_test(loads_on_elements),
      cmocka_unit_test(axes_of_nodes),
      cmocka_unit_test(moves_along_a_direction),
      cmocka_unit_test(equations),
      cmocka_unit_test(axes_of_materials),
      cmocka_unit_test(outputs),
      cmocka_unit_test(integration),
      cmocka_unit_test(integration_of_triangles),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(allocations_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
