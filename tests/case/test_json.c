/* Case files that other programs wrote as JSON. */
#include "input/case/case.h"
#include "input/case/keys/json.h"
#include "support/check.h"

/* what is joined, at the length it had: "..." alone, never behind an escaped backslash or outside of strings */
static void pairs_are_joined(void **state)
{
  static const struct {
    const char *text, *joined; /* NULL: as it is */
  } of[] = {{"{\"a\": \"x\\ud83d\\ude00y\"}", "{\"a\": \"x\\U0001F600y\"  }"},
            {"\n [\"\\uD800\\uDC00\\udbff\\uDFFF\", 1]", "\n [\"\\U00010000\\U0010FFFF\"    , 1]"},
            {"{\"\\ud83d\\ude00\": 1}", "{\"\\U0001F600\"  : 1}"},
            {"\xEF\xBB\xBF{\"a\": \"\\ud83d\\ude00\"}", "\xEF\xBB\xBF{\"a\": \"\\U0001F600\"  }"},
            {"{\"a\": \"\\ud83d\\ude0", NULL},
            {"{\"a\": \"\\ud83d\\ude00", "{\"a\": \"\\U0001F600  "},
            {"{\"a\": \"\\\"\\ud83d\\ude00\"}", "{\"a\": \"\\\"\\U0001F600\"  }"},
            {"{\"a\": \"\\\\ud83d\\ude00\"}", "{\"a\": \"\\\\ud83d\\ude00\"}"},
            {"{\"a\": \"\\ude00\\ud83d\"}", NULL},
            {"{\"a\": \"\\ud83d\"}", NULL},
            {"{\"a\": \"\\u00e9\"}", NULL},
            {"{a: \\ud83d\\ude00}", "{a: \\ud83d\\ude00}"},
            {"{a: 'it\"', b: \"\\ud83d\\ude00\"}", "{a: 'it\"', b: \"\\ud83d\\ude00\"}"},
            {"title: \"\\ud83d\\ude00\"", NULL},
            {"", NULL},
            {"{\"\\", NULL}};
  (void)state;
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char *joined = NULL;
    ok(hk_json_join_pairs(of[i].text, strlen(of[i].text), &joined));
    if (!of[i].joined)
      assert_null(joined);
    else {
      assert_non_null(joined);
      assert_int_equal(strlen(of[i].joined), strlen(of[i].text));
      assert_memory_equal(joined, of[i].joined, strlen(of[i].text));
    }
    hk_free(&joined);
  }
}

#define REST                                                                                       \
  "\"mesh\": {\"rectangle\": {\"size\": [4, 2], \"cells\": [4, 2]}},\n"                            \
  "\"materials\": {\"steel \\ud83d\\udd29\": {\"density\": 8, \"young\": 2, \"poisson\": 0}},\n"   \
  "\"solve\": {\"explicit\": {\"end\": 1}}}\n"

static hk_status read_json(const char *text, hk_messages *list, hk_model **out)
{
  return hk_case_read(&(hk_model_desc){.path = "pairs.json", .text = text}, list, out);
}

/* "\ud83d\ude00" = U+1F600, in values and keys */
static void texts_are_read(void **state)
{
  hk_messages *list = NULL;
  hk_model *m = NULL;
  (void)state;
  ok(hk_messages_create(&list));
  const hk_status status =
      read_json("{\"title\": \"a \\ud83d\\ude00 b\\ud83d\\udd29\",\n" REST, list, &m);
  for (hk_count i = 0; i < hk_messages_count(list); i++)
    print_error("%s\n", hk_messages_at(list, i)->text);
  ok(status);
  assert_string_equal(m->title, "a \xF0\x9F\x98\x80 b\xF0\x9F\x94\xA9");
  assert_string_equal(m->region[0].material.name, "steel \xF0\x9F\x94\xA9");
  hk_model_destroy(&m);
  hk_messages_destroy(&list);
}

/* an error behind such a text keeps the line and column of the file; half a pair is refused */
static void places_are_kept(void **state)
{
  static const struct {
    const char *text, *said;
    int line, column;
  } of[] = {
      {"{\n  \"title\": \"\\ud83d\\ude00\", \"titel\": 1,\n" REST, "unknown key \"titel\"", 2, 28},
      {"{\"title\": \"\\ud83d\",\n" REST, "not YAML", 1, 0}};
  (void)state;
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    hk_messages *list = NULL;
    hk_model *m = NULL;
    ok(hk_messages_create(&list));
    assert_int_equal(read_json(of[i].text, list, &m), HK_BAD_INPUT);
    const hk_message *told = hk_messages_at(list, 0);
    assert_non_null(strstr(told->text, of[i].said));
    assert_int_equal(told->line, of[i].line);
    if (of[i].column) assert_int_equal(told->column, of[i].column);
    hk_messages_destroy(&list);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_joined),
      cmocka_unit_test(texts_are_read),
      cmocka_unit_test(places_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
