/* The JSON Schema (draft 2020-12) of the case file, made from the table of keys: types, ranges, words, required keys and defaults. Numbers may
 * be texts with a unit; their dimension and a usual unit stand in the keywords x-dimension and x-unit, which editors ignore and
 * docs/reference/case.md is made with. A key with several forms becomes anyOf. */
#include "input/case/keys/rules.h"
#include <hooke/model.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *schema_of(const hk_key *rule);

static void put(json_t *object, const char *key, json_t *value)
{
  json_object_set_new(object, key, value);
}

static json_t *words(const hk_key *rule)
{
  json_t *list = json_array();
  for (int k = 0; hk_key_word(rule, k); k++)
    json_array_append_new(list, json_string(hk_key_word(rule, k)));
  return list;
}

static void put_number(json_t *out, const hk_key *rule)
{
  char dimension[HK_DIMENSION_TEXT];
  const bool plain = hk_same_dimension(rule->dimension, (hk_dimension){{0}});
  put(out, "type", json_pack("[ss]", "number", "string"));
  put(out, "pattern", json_string("^\\s*[-+]?(\\d+\\.?\\d*|\\.\\d+)([eEdD][-+]?\\d+)?.*$"));
  if (rule->range == HK_POSITIVE) put(out, "exclusiveMinimum", json_integer(0));
  if (rule->range == HK_NOT_NEGATIVE) put(out, "minimum", json_integer(0));
  if (rule->most > rule->least) {
    put(out, "minimum", json_real(rule->least));
    put(out, "maximum", json_real(rule->most));
  }
  if (plain) return;
  hk_dimension_text(rule->dimension, dimension);
  put(out, "x-dimension", json_string(dimension));
  put(out, "x-unit", json_string(rule->unit ? rule->unit : hk_dimension_example(rule->dimension)));
}

static void put_map(json_t *out, const hk_key *rule)
{
  json_t *keys = json_object(), *required = json_array();
  for (const hk_key *r = rule->inside; r->key; r++) {
    if (r->form == HK_FORM_REFUSED) continue;
    put(keys, r->key, schema_of(r));
    if (r->required) json_array_append_new(required, json_string(r->key));
  }
  put(out, "type", json_string("object"));
  put(out, "properties", keys);
  put(out, "additionalProperties", json_false());
  if (json_array_size(required))
    put(out, "required", required);
  else
    json_decref(required);
  if (rule->one_of) {
    put(out, "minProperties", json_integer(1));
    put(out, "maxProperties", json_integer(1));
  }
}

static void put_list(json_t *out, const hk_key *rule)
{
  put(out, "type", json_string("array"));
  put(out, "items", schema_of(rule->inside));
  if (rule->most <= 0) return;
  put(out, "minItems", json_integer((json_int_t)rule->least));
  put(out, "maxItems", json_integer((json_int_t)rule->most));
}

static void put_words(json_t *out, const hk_key *rule)
{
  double number;
  const bool counts = rule->form == HK_FORM_NUMBER || rule->form == HK_FORM_INTEGER;
  if (!rule->usual) {
    if (rule->doc) put(out, "description", json_string(rule->doc));
    return;
  }
  put(out, "description", json_sprintf("%s; %s unless given", rule->doc, rule->usual));
  const size_t length = strlen(rule->usual);
  if (!counts || hk_parse_number(rule->usual, length, &number) != length)
    put(out, "default", json_string(rule->usual));
  else if (number == floor(number))
    put(out, "default", json_integer((json_int_t)number));
  else
    put(out, "default", json_real(number));
}

static json_t *schema_of_one(const hk_key *rule)
{
  json_t *out = json_object();
  put_words(out, rule);
  switch (rule->form) {
  case HK_FORM_TEXT: put(out, "type", json_pack("[sss]", "string", "number", "boolean")); break;
  case HK_FORM_NUMBER: put_number(out, rule); break;
  case HK_FORM_INTEGER:
    put(out, "type", json_string("integer"));
    put(out, "minimum", json_integer((json_int_t)rule->least));
    put(out, "maximum", json_integer((json_int_t)rule->most));
    break;
  case HK_FORM_CHOICE: put(out, "enum", words(rule)); break;
  case HK_FORM_MAP: put_map(out, rule); break;
  case HK_FORM_NAMED:
    put(out, "type", json_string("object"));
    put(out, "additionalProperties", schema_of(rule->inside));
    break;
  case HK_FORM_LIST: put_list(out, rule); break;
  case HK_FORM_REFUSED: break;
  }
  return out;
}

static json_t *schema_of(const hk_key *rule)
{
  if (!rule->other) return schema_of_one(rule);
  json_t *out = json_object(), *any = json_array();
  for (const hk_key *r = rule; r; r = r->other) json_array_append_new(any, schema_of_one(r));
  put(out, "anyOf", any);
  return out;
}

hk_status hk_case_schema(char **text)
{
  json_t *schema = schema_of(&hk_case_rule);
  put(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
  put(schema, "title", json_string("hooke case file"));
  char *dump = json_dumps(schema, JSON_INDENT(1));
  json_decref(schema);
  if (!dump) return hk_error_set(HK_NO_RESOURCES, "out of memory: schema of the case file");
  const hk_status status = hk_copy_text(text, dump);
  free(dump);
  return status;
}

void hk_text_free(char **text)
{
  hk_free(text);
}
