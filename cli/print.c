/* Prints JSON results for people.
 * An object prints one line "key  value" for each member; flat objects print as "a: 1, b: 2",
 * nested ones are indented, and lists of objects have one line per object. Keys that end in "bytes"
 * print with kB, MB, GB or TB. */
#include "cli.h"
#include <stdio.h>
#include <string.h>

const char *cli_bytes(double bytes, char *text)
{
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
  int i = 0;
  for (; bytes >= 1000 && i < 4; i++) bytes /= 1000;
  snprintf(text, 32, "%.*f %s", i == 0 || bytes >= 100 ? 0 : 1, bytes, unit[i]);
  return text;
}

static bool is_flat(const json_t *value)
{
  size_t i;
  const json_t *item;
  const char *key;
  if (json_is_array(value)) json_array_foreach(value, i, item)
    {
      if (json_is_object(item) || (json_is_array(item) && !is_flat(item))) return false;
    }
  if (json_is_object(value)) json_object_foreach((json_t *)value, key, item)
    {
      if (json_is_object(item) || json_is_array(item)) return false;
    }
  return true;
}

static bool ends_with(const char *text, const char *end)
{
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

static const json_t *units; /* of numbers, by key; NULL: not known */

static void print_unit(const char *key)
{
  const char *unit = json_string_value(json_object_get(units, key));
  if (unit && *unit) printf(" %s", unit);
}

static void print_scalar(const char *key, const json_t *value)
{
  char text[32];
  const bool bytes =
      (ends_with(key, "bytes") || ends_with(key, "bytes_at_least")) && json_is_number(value);
  if (bytes)
    fputs(cli_bytes(json_number_value(value), text), stdout);
  else if (json_is_integer(value))
    printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
  else if (json_is_real(value))
    printf("%.6g", json_real_value(value)), print_unit(key);
  else if (json_is_string(value) && *json_string_value(value))
    cli_put(stdout, json_string_value(value));
  else
    fputs(json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "-", stdout);
}

static void print_key(const char *key)
{
  for (const char *part = key; *part;) {
    char word[512];
    const size_t length = strcspn(part, "_"), few = length < sizeof word ? length : sizeof word - 1;
    snprintf(word, sizeof word, "%.*s", (int)few, part);
    cli_put(stdout, word);
    part += few;
    if (few == length && *part) putchar(' '), part++;
  }
}

/* "a: 1, b: 2" or "1 2 3" */
static void print_flat(const char *name, const json_t *value)
{
  size_t i;
  const json_t *item;
  const char *key, *between = "";
  if (json_is_object(value)) {
    json_object_foreach((json_t *)value, key, item)
    {
      fputs(between, stdout), print_key(key), fputs(": ", stdout);
      print_scalar(key, item);
      between = ", ";
    }
  } else if (json_is_array(value)) {
    json_array_foreach(value, i, item)
    {
      fputs(between, stdout), print_flat(name, item);
      between = json_is_array(item) || json_is_string(item) ? ", " : " ";
    }
  } else {
    print_scalar(name, value);
  }
}

static void print_tree(const json_t *value, int indent)
{
  enum { KEY_WIDTH = 26 };
  size_t i;
  const json_t *item;
  const char *key;
  if (json_is_array(value)) {
    json_array_foreach(value, i, item)
    {
      printf("%*s", indent, "");
      if (is_flat(item))
        print_flat("", item), putchar('\n');
      else
        printf("%zu\n", i + 1), print_tree(item, indent + 2);
    }
    return;
  }
  json_object_foreach((json_t *)value, key, item)
  {
    if (item == units) continue;
    printf("%*s", indent, ""), print_key(key);
    if (is_flat(item)) {
      const int pad = KEY_WIDTH - indent - (int)strlen(key);
      printf("%*s", pad > 2 ? pad : 2, "");
      print_flat(key, item), putchar('\n');
    } else {
      putchar('\n'), print_tree(item, indent + 2);
    }
  }
}

static bool printed;

bool cli_result_printed(void)
{
  return printed;
}

int cli_print_result(const char *json)
{
  printed = true;
  json_t *root = manner.json ? NULL : json_loads(json, JSON_DECODE_ANY, NULL);
  units = json_object_get(root, "unit");
  if (root)
    print_tree(root, 0);
  else
    puts(json);
  json_decref(root);
  units = NULL;
  return HK_OK;
}
