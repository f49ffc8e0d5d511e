/* Models of texts and of meshes in memory are those of the same files. */
#include <hooke/hooke.h>
#include <jansson.h>
#include <sys/stat.h>
#include "base/base.h"
#include "model/model.h"
#include "support/check.h"

#define REST                                                                                       \
  "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"                                         \
  "boundary: [{set: left, fix: [x, y]}, {set: right, traction: [1, 0]}]\n"                         \
  "solve: {static: {}}\n"
static const char whole[] = "mesh: {rectangle: {size: [2, 1], cells: [4, 2]}}\n" REST;
static const char named[] = "mesh: part.msh\n" REST;
static const char bare[] = REST;

static hk_model *create(const hk_model_desc *desc)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  ok(hk_messages_create(&list));
  ok(hk_model_create(desc, list, &model));
  assert_int_equal(hk_messages_total(list, HK_ERROR), 0);
  hk_messages_destroy(&list);
  return model;
}

static void refuse(const hk_model_desc *desc, hk_status status, const char *file, const char *words)
{
  hk_messages *list = NULL;
  hk_model *model = NULL;
  ok(hk_messages_create(&list));
  const hk_status got = hk_model_create(desc, list, &model);
  if (got != status || !strstr(hk_error(), words))
    fail_msg("status %d: %s; expected %d: %s", got, hk_error(), status, words);
  assert_null(model);
  if (file) assert_string_equal(hk_messages_at(list, 0)->file, file);
  hk_messages_destroy(&list);
}

static void same_models(const hk_model *a, const hk_model *b)
{
  const hk_mesh *m = hk_model_mesh(a), *n = hk_model_mesh(b);
  assert_int_equal(m->node_count, n->node_count);
  assert_int_equal(m->element_count, n->element_count);
  assert_memory_equal(m->x, n->x, (size_t)(m->node_count * m->dim) * sizeof *m->x);
  assert_int_equal(a->step[0].load[0].target.count, b->step[0].load[0].target.count);
  assert_int_equal(a->step[0].motion[0].target.count, b->step[0].motion[0].target.count);
}

/* file, text, text with its mesh in a folder, text on a mesh in memory, whose order the case raises */
static void text_and_mesh_are_the_file(void **state)
{
  (void)state;
  static const char *const second[] = {"element.order=2"};
  FILE *file = fopen("test_text.yaml", "w");
  assert_true(file && fputs(whole, file) >= 0 && fclose(file) == 0);
  hk_model *a = create(&(hk_model_desc){.path = "test_text.yaml"}),
           *b = create(&(hk_model_desc){.text = whole});
  same_models(a, b);
  hk_model_destroy(&b);
  mkdir("test_text", 0777);
  ok(hk_mesh_write(hk_model_mesh(a), "test_text/part.msh"));
  b = create(&(hk_model_desc){.text = named, .folder = "test_text"});
  same_models(a, b);
  hk_model_destroy(&b);
  b = create(&(hk_model_desc){.text = bare, .mesh = hk_model_mesh(a)});
  same_models(a, b);
  assert_ptr_not_equal(hk_model_mesh(a), hk_model_mesh(b));
  hk_model_destroy(&b);
  b = create(
      &(hk_model_desc){.text = bare, .mesh = hk_model_mesh(a), .set = second, .set_count = 1});
  assert_int_equal(hk_model_mesh(b)->node_count, 9 * 5);
  assert_int_equal(hk_model_mesh(a)->node_count, 5 * 3);
  hk_model_destroy(&a);
  hk_model_destroy(&b);
}

static void what_makes_no_sense_is_refused(void **state)
{
  (void)state;
  hk_model *m = create(&(hk_model_desc){.text = whole});
  const hk_mesh *mesh = hk_model_mesh(m);
  refuse(&(hk_model_desc){.text = NULL}, HK_USAGE, NULL, "give one of them");
  refuse(&(hk_model_desc){.path = "a.yaml", .text = whole}, HK_USAGE, NULL, "give one of them");
  refuse(&(hk_model_desc){.path = "a.inp", .mesh = mesh}, HK_USAGE, NULL,
         "a deck has its own mesh");
  refuse(&(hk_model_desc){.text = whole, .mesh = mesh, .name = "bar"}, HK_BAD_INPUT, "bar",
         "bar:1: mesh: the caller gives a mesh too");
  refuse(&(hk_model_desc){.text = bare}, HK_BAD_INPUT, "case", "lacks \"mesh\"");
  refuse(&(hk_model_desc){.text = ""}, HK_BAD_INPUT, "case", "the file is empty");
  refuse(&(hk_model_desc){.text = named, .folder = "nowhere"}, HK_BAD_INPUT, NULL,
         "nowhere/part.msh");
  refuse(&(hk_model_desc){.text = "mesh: [", .name = "x"}, HK_BAD_INPUT, "x", "not YAML");
  refuse(&(hk_model_desc){.text = "[]", .mesh = mesh}, HK_BAD_INPUT, "case", "must be a map");
  hk_model_destroy(&m);
}

static bool third_time(void *user)
{
  return ++*(int *)user == 3;
}

/* stop is asked between the parts of a case and at the keywords of a deck */
static void reading_can_be_stopped(void **state)
{
  int asked = 0;
  (void)state;
  FILE *file = fopen("test_text.inp", "w");
  assert_true(file && fputs("*NODE\n1, 0., 0.\n*NODE\n2, 1., 0.\n*NODE\n3, 0., 1.\n", file) >= 0);
  assert_int_equal(fclose(file), 0);
  refuse(&(hk_model_desc){.text = whole, .stop = third_time, .user = &asked}, HK_STOPPED, NULL,
         "the case was read");
  asked = 0;
  refuse(&(hk_model_desc){.path = "test_text.inp", .stop = third_time, .user = &asked}, HK_STOPPED,
         NULL, "the deck was read");
}

/* the k-th allocation fails: HK_NO_RESOURCES, and nothing is held */
static void short_memory_is_told(void **state)
{
  (void)state;
  hk_model *whole_model = create(&(hk_model_desc){.text = whole});
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_model *m = NULL;
    memory.status = hk_model_create(
        &(hk_model_desc){.text = bare, .mesh = hk_model_mesh(whole_model)}, NULL, &m);
    hk_model_destroy(&m);
  }
  hk_model_destroy(&whole_model);
}

static const json_t *keyword(const json_t *list, const char *name)
{
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *k = json_array_get(list, i);
    if (!strcmp(json_string_value(json_object_get(k, "keyword")), name)) return k;
  }
  fail_msg("no *%s", name);
  return NULL;
}

static void expect(const json_t *k, const char *key, const char *value)
{
  assert_string_equal(json_string_value(json_object_get(k, key)), value);
}

/* one of each level, with its places, parameters and advice */
static void keywords_are_listed(void **state)
{
  char *text = NULL;
  (void)state;
  ok(hk_deck_keywords(&text));
  json_t *list = json_loads(text, 0, NULL);
  const json_t *nset = keyword(list, "NSET"), *plastic = keyword(list, "PLASTIC");
  expect(nset, "level", "obeyed");
  assert_int_equal(json_array_size(json_object_get(nset, "where")), 3);
  assert_string_equal(json_string_value(json_array_get(json_object_get(nset, "parameters"), 1)),
                      "GENERATE");
  assert_int_equal(json_array_size(json_object_get(nset, "parameters")), 6);
  expect(keyword(list, "RESTART"), "level", "listed");
  expect(plastic, "level", "refused");
  assert_non_null(strstr(json_string_value(json_object_get(plastic, "words")), "linear"));
  assert_non_null(strstr(json_string_value(json_object_get(nset, "words")), "GENERATE"));
  expect(keyword(list, "RESTART"), "words", "");
  json_decref(list);
  hk_text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_and_mesh_are_the_file),
      cmocka_unit_test(what_makes_no_sense_is_refused), cmocka_unit_test(reading_can_be_stopped),
      cmocka_unit_test(short_memory_is_told), cmocka_unit_test(keywords_are_listed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
