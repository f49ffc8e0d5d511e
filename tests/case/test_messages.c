/* Case files: what is refused, with which words, and where. */
#include "input/case/case.h"
#include "input/case/keys/rules.h"
#include "support/files.h"
#include <jansson.h>

/* "line:column: severity: text" of all messages */
static char *all_messages(const char *path, const char *const *set, int count, hk_status expected)
{
  static char text[65536];
  hk_messages *list = NULL;
  hk_model *model = NULL;
  size_t used = 0;
  ok(hk_messages_create(&list));
  assert_int_equal(
      hk_case_read(&(hk_model_desc){.path = path, .set = set, .set_count = count}, list, &model),
      expected);
  assert_true((model != NULL) == (expected == HK_OK));
  hk_model_destroy(&model);
  *text = 0;
  for (hk_count i = 0; i < hk_messages_count(list); i++) {
    static const char *const severity[] = {"note", "warning", "error"};
    const hk_message *m = hk_messages_at(list, i);
    const bool option = strncmp(m->file, "--set", 5) == 0;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld:%d: %s: %s\n",
                             option ? m->file : "", (long long)m->line, m->column,
                             severity[m->severity], m->text);
    assert_true(used < sizeof text);
  }
  hk_messages_destroy(&list);
  return text;
}

static char *of_text(const char *words)
{
  write_text("test_messages.yaml", words);
  return all_messages("test_messages.yaml", NULL, 0, HK_BAD_INPUT);
}

/* messages(errors.yaml) = errors.txt: all in one go, with line and column. HOOKE_REWRITE=1 writes
 * the file anew. */
static void golden_messages(void **state)
{
  (void)state;
  static char expected[65536];
  const char *got = all_messages(TEST_DATA "/case/errors.yaml", NULL, 0, HK_BAD_INPUT);
  if (getenv("HOOKE_REWRITE")) {
    FILE *out = fopen(TEST_DATA "/case/errors.txt", "wb");
    assert_non_null(out);
    fputs(got, out);
    fclose(out);
  }
  FILE *file = fopen(TEST_DATA "/case/errors.txt", "rb");
  assert_non_null(file);
  expected[fread(expected, 1, sizeof expected - 1, file)] = 0;
  fclose(file);
  assert_string_equal(got, expected);
}

/* an override that names no key, no item or no quantity is an error that names the option */
static void wrong_overrides(void **state)
{
  (void)state;
  static const char *const set[] = {"solve.explcit.end=1 us",
                                    "sources.5.force=2 N",
                                    "sources.0.force=2 Hz",
                                    "title.x=1",
                                    "nonsense",
                                    "outputs.field=[",
                                    "solve.explicit.method="};
  const char *text = all_messages(TEST_DATA "/case/plain.json", set, 7, HK_BAD_INPUT);
  says(text, "--set solve.explcit.end=1 us0:0: error: unknown key \"explcit\": did you mean "
             "\"explicit\"?");
  says(text, "--set sources.5.force=2 N0:0: error: \"5\" is not an item of a list of 1");
  says(text, "--set sources.0.force=2 Hz0:0: error: force: \"2 Hz\" is 1/time: must be");
  says(text, "--set title.x=10:0: error: \"title\" has the value \"as JSON\"");
  says(text, "--set nonsense0:0: error: must be KEY=VALUE");
  says(text, "--set outputs.field=[0:0: error: not YAML");
  says(text, "--set solve.explicit.method=0:0: error: method has no value");
}

/* text that is no map of keys, is cut off, or grows by itself */
static void damaged_text(void **state)
{
  (void)state;
  static char deep[1000001];
  says(of_text(""), "1:1: error: the file is empty");
  says(of_text("- a\n- b\n"), "is a list: must be a map of keys");
  says(of_text("just words\n"), "is a plain value: must be a map");
  says(of_text("mesh: {rectangle: [\n"), "error: not YAML");
  says(of_text("title: a\n--- \ntitle: b\n"), "3:1: error: a second document begins here");
  says(of_text("a: &a [*a]\n"), "an alias of itself");
  says(of_text("mesh: \"a\\0b\"\n"), "zero byte");
  says(of_text("mesh: \xff\xfe\xff\n"), "not YAML");
  says(of_text("? [a, b]\n: c\n"), "a key must be a plain text");
  says(of_text("a: &a [0,0,0,0,0,0,0,0,0]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
               "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
               "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"),
       "aliases repeat more than");
  memset(deep, '[', sizeof deep - 1);
  says(of_text(deep), "1:33: error: nested more than 32 levels deep");
  memcpy(deep, "a: ", 3);
  memset(deep + 3, '[', 100), memset(deep + 103, ']', 100), deep[203] = 0;
  says(of_text(deep), "nested more than");
}

/* all errors are counted, the first thousand are kept */
static void many_errors(void **state)
{
  (void)state;
  hk_messages *list = NULL;
  hk_model *model = NULL;
  FILE *file = fopen("test_messages.yaml", "wb");
  assert_non_null(file);
  for (int i = 0; i < 3000; i++) fprintf(file, "key%d: 1\n", i);
  assert_int_equal(fclose(file), 0);
  ok(hk_messages_create(&list));
  assert_int_equal(hk_case_read(&(hk_model_desc){.path = "test_messages.yaml"}, list, &model),
                   HK_BAD_INPUT);
  assert_int_equal(hk_messages_total(list, HK_ERROR),
                   3003); /* mesh, solve and materials are missing */
  assert_int_equal(hk_messages_count(list), 1000);
  error_says("3003 errors in all");
  hk_messages_destroy(&list);
}

static void absent_file(void **state)
{
  (void)state;
  says(all_messages("no-such-case.yaml", NULL, 0, HK_BAD_INPUT), "cannot be opened");
  says(all_messages(".", NULL, 0, HK_BAD_INPUT), "is a folder, not a plain file");
}

/* a word or two wrong in one value, and what is said */
static void single_errors(void **state)
{
  (void)state;
  static const struct {
    const char *set, *words;
  } row[] = {
      {"mesh.rectangle.cells=[4]", "cells has 1 items: must be 2 to 3"},
      {"axes={a: {straight: {x: [1, 0], y: [1, 0]}}}", "y has 2 items: must be 3\n"},
      {"mesh.rectangle.cells=[100000, 100000]", "at most 2147483647 are possible"},
      {"mesh.rectangle.cells=2.5", "is not a whole number"},
      {"mesh.rectangle.jitter=0.4", "must be from 0 to 0.3"},
      {"mesh.rectangle.to=[1, 1]", "to and size are both given"},
      {"mesh.rectangle.element=0.1", "cells and element are both given"},
      {"mesh.rectangle.size=[0 mm, 1]", "is not above 0 along x"},
      {"mesh={}", "mesh needs exactly one key: 0 are given"},
      {"mesh={blocks: {}}", "blocks lacks \"points\": corners by name"},
      {"mesh=none.msh", "cannot be opened"},
      {"mesh=none.geo", "none.geo: cannot be opened"},
      {"units.length=us", "is time: must be a unit of length"},
      {"units.length=m/(s)", "unknown unit"},
      {"physics=heat", "heat needs solve: {heat: {}}"},
      {"element.order=11", "order is 11: must be from 1 to 10"},
      {"plane=stres", "did you mean \"stress\"?"},
      {"thickness=-1", "must be above 0"},
      {"regions={all: stee}", "undefined material \"stee\": did you mean \"steel\"?"},
      {"regions={}", "8 of 8 elements are in no region (first: element 1)"},
      {"materials.steel.c11=3",
       "give only one of young and poisson, p_speed and s_speed, lambda and "
       "mu, E1 to G23, vp0 to gamma, or c11 to c66"},
      {"materials.steel.E2=3", "material steel: E2 needs E1"},
      {"materials.steel={density: 1, E1: 1, E2: 1, E3: 1, nu12: 0.9, nu13: 0.9, nu23: 0.9, G12: 1, "
       "G13: 1, "
       "G23: 1}",
       "are too large for E1 1"},
      {"materials.steel={density: 1, E1: 1, E2: 1, E3: 1, nu12: 0.1, nu13: 0.1, nu23: 0.1, G12: 1, "
       "G13: 1}",
       "material steel: E1 needs G23"},
      {"materials={}", "undefined material \"steel\""},
      {"materials.steel.poisson=0.5", "Poisson's ratio"},
      {"shots={}", "shots lacks \"array\""},
      {"solve.explicit.shots_at_once=2", "shots_at_once: the case has no shots"},
      {"shots=[]", "shots has 0 items: must be 1 to 1000000"},
      {"shots=[1]", "must be a map of keys or a list"},
      {"shots={array: {}}", "give set or at"},
      {"shots={array: {set: top, at: [[1, 1]]}}", "give set or at, not both"},
      {"shots={array: {at: [[1, 1]], each: node}}", "each is for a set"},
      {"shots={array: {set: top, each: element}}", "each: unknown word \"element\""},
      {"shots={array: {at: [[1, 1], [1 m, 2]]}}", "lies outside the mesh"},
      {"shots={array: {set: top, force: 1}}", "lacks \"direction\""},
      {"shots={array: {set: top, force: 1, velocity: 1, direction: [0, 1]}}",
       "the source has 2 of"},
      {"shots=[{set: top}]", "the source has 0 of force, total_force, displacement, velocity"},
      {"shots=[[{set: tip, force: 1, direction: [0, 1]}]]", "undefined set \"tip\""},
      {"outputs.field={shots: 1}", "the case has no shots"},
      {"solve={}", "solve needs exactly one key: 0 are given"},
      {"solve={static: {}, explicit: {end: 1}}", "solve needs exactly one key: 2 are given"},
      {"solve.explicit.dt=50", "dt is longer than the simulated time"},
      {"sources.0.signal={}", "signal has 0 kinds"},
      {"sources.0.signal={table: {time: [0, 2, 1], value: [1, 1, 1]}}", "times must ascend"},
      {"sources.0.signal={table: {time: [0, 2], value: [1]}}", "2 times and 1 values"},
      {"sources.0.signal={table: {file: none.csv}}", "none.csv"},
      {"sources.0.signal={gaussian: {t0: 0}}", "gaussian needs a or width, one of them"},
      {"sources.0.at=[1, 2, 3]", "at has 3 components: the mesh has 2 dimensions"},
      {"sources.0.at=[1 m, 2]", "lies outside the mesh"},
      {"sources.0.delay=[1, 2]", "delay is a list"},
      {"boundary=[{set: left, fix: z}]", "component z: the mesh is 2D"},
      {"boundary=[{set: left, fix: x, signal: step}]", "fix does not take signal"},
      {"boundary=[{set: all, pressure: 1}]", "is an element set: a face set"},
      {"initial=[{set: left}]", "the initial state is empty: give displacement or velocity"},
      {"absorb={sets: []}", "sets is an empty list"},
      {"absorb={sets: left, kind: stacey, d_max: 1}", "d_max: is for kind layer"},
      {"absorb={sets: left, kind: sponge}", "sponge"},
      {"outputs.traces.0.name=a/b", "cannot name a trace"},
      {"outputs.traces.0.quantity=pressure", "pressure is for fluids, and the model has none"},
      {"outputs.traces.0.quantity=reaction", "quantity: reaction is not given by explicit steps"},
      {"outputs.field={quantity: [velocity, reaction]}",
       "quantity: reaction is not given by explicit steps"},
      {"outputs.traces=3", "traces is a plain value: must be a list"},
      {"outputs.traces=[3]", "item is a plain value: must be a map of keys"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    says(all_messages(TEST_DATA "/case/plain.json", &row[i].set, 1, HK_BAD_INPUT), row[i].words);
}

/* wrong units are one error: where the points lie is not known then */
static void wrong_units(void **state)
{
  (void)state;
  const char *set = "units.length=s";
  const char *text = all_messages(TEST_DATA "/case/plain.json", &set, 1, HK_BAD_INPUT);
  says(text, "must be a unit of length");
  assert_null(strstr(text, "outside the mesh"));
}

static void expect_key(const json_t *schema, const hk_key *rule);

static void expect_rules(const json_t *schema, const hk_key *rule)
{
  for (const hk_key *r = rule->inside; r->key; r++) expect_key(schema, r);
}

/* the key stands in the schema exactly when it is not refused */
static void expect_key(const json_t *schema, const hk_key *rule)
{
  const json_t *entry = json_object_get(json_object_get(schema, "properties"), rule->key);
  if ((entry != NULL) != (rule->form != HK_FORM_REFUSED)) fail_msg("key %s", rule->key);
  if (entry && rule->form == HK_FORM_MAP && !rule->other) expect_rules(entry, rule);
}

/* the schema is JSON, and holds every key of the table */
static void schema_holds_every_key(void **state)
{
  (void)state;
  char *text = NULL;
  json_error_t error;
  ok(hk_case_schema(&text));
  json_t *schema = json_loads(text, 0, &error);
  if (!schema) fail_msg("%s", error.text);
  expect_rules(schema, &hk_case_rule);
  says(text, "\"x-dimension\": \"mass/length^3\"");
  says(text, "\"toneburst\"");
  says(text, "\"acoustic\"");
  json_decref(schema);
  hk_text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_messages), cmocka_unit_test(wrong_overrides),
      cmocka_unit_test(damaged_text),    cmocka_unit_test(absent_file),
      cmocka_unit_test(many_errors),     cmocka_unit_test(single_errors),
      cmocka_unit_test(wrong_units),     cmocka_unit_test(schema_holds_every_key)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  remove("test_messages.yaml");
  return failed;
}
