/* Reads --over and numbers the variations: all combinations, the last key fastest. A range first:last:count becomes its numbers, with a unit behind it
 * on each: "1:3:3 mm" is 1 mm, 2 mm, 3 mm; so does a unit behind the last number of a list: "1,2,3 mm". */
#include "study.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 9999, MOST_VALUES = 9999 };

/* Length of the value that begins here: up to a comma outside brackets, braces and quotes. */
static size_t length_of(const char *text)
{
  int depth = 0;
  char quote = 0;
  const char *c = text;
  for (; *c && (depth > 0 || quote || *c != ','); c++) {
    if (quote)
      quote = *c == quote ? 0 : quote;
    else if (*c == '"' || *c == '\'')
      quote = *c;
    else
      depth += (*c == '[' || *c == '{') - (*c == ']' || *c == '}');
  }
  return (size_t)(c - text);
}

static bool add(study_key *key, const char *text, size_t length)
{
  char **more = realloc(key->value, (size_t)(key->count + 1) * sizeof *more);
  if (!more) return false;
  key->value = more;
  while (length && isspace((unsigned char)*text)) text++, length--;
  while (length && isspace((unsigned char)text[length - 1])) length--;
  key->value[key->count] = strndup(text, length);
  return key->value[key->count] && ++key->count;
}

/* first:last:count, and what follows the numbers. */
static bool is_range(const char *text, double *first, double *last, long *count, const char **unit)
{
  char *end;
  *first = strtod(text, &end);
  if (end == text || *end != ':') return false;
  const char *next = end + 1;
  *last = strtod(next, &end);
  if (end == next || *end != ':') return false;
  next = end + 1;
  *count = strtol(next, &end, 10);
  *unit = end;
  return end != next && (*end == 0 || *end == ' ');
}

static bool add_range(const cli_verb *verb, study_key *key, const char *text, bool *is)
{
  double first, last;
  long count;
  const char *unit;
  char number[400];
  *is = is_range(text, &first, &last, &count, &unit);
  if (!*is) return true;
  if (count < 2 || count > MOST_VALUES || strlen(unit) > 300) {
    cli_usage_error(verb, "--over %s=%s: a range is first:last:count, with 2 to %d values",
                    key->name, text, MOST_VALUES);
    return false;
  }
  for (long k = 0; k < count; k++) {
    const double t = (double)k / (double)(count - 1);
    snprintf(number, sizeof number, "%.15g%s", k == count - 1 ? last : first + t * (last - first),
             unit);
    if (!add(key, number, strlen(number))) return false;
  }
  return true;
}

/* What follows a number, from the space on; "" behind a plain one, NULL where the text is none. */
static const char *unit_of(const char *text)
{
  char *end;
  strtod(text, &end);
  return end != text && (*end == 0 || *end == ' ') ? end : NULL;
}

/* The unit behind the last of the numbers is that of all, where no other has one. */
static bool share_unit(study_key *key)
{
  const char *unit = unit_of(key->value[key->count - 1]);
  bool plain = unit && *unit;
  for (int k = 0; plain && k < key->count - 1; k++) {
    const char *own = unit_of(key->value[k]);
    plain = own && !*own;
  }
  for (int k = 0; plain && k < key->count - 1; k++) {
    const size_t length = strlen(key->value[k]), room = length + strlen(unit) + 1;
    char *more = realloc(key->value[k], room);
    if (!more) return false;
    snprintf(more + length, room - length, "%s", unit);
    key->value[k] = more;
  }
  return true;
}

static bool read_key(const cli_verb *verb, const char *text, study_key *key)
{
  const char *equal = strchr(text, '=');
  bool range;
  if (!equal || equal == text || !equal[1]) {
    cli_usage_error(verb, "--over %s: give KEY=VALUE,VALUE,... or KEY=first:last:count", text);
    return false;
  }
  key->name = strndup(text, (size_t)(equal - text));
  if (!key->name || !add_range(verb, key, equal + 1, &range)) return false;
  for (const char *next = equal + 1; !range; next++) {
    const size_t length = length_of(next);
    if (!length) {
      cli_usage_error(verb, "--over %s: a value is empty", text);
      return false;
    }
    if (!add(key, next, length)) return false;
    next += length;
    if (!*next) break;
  }
  return share_unit(key);
}

/* Whether a value of `key` replaces that of `other`, which ends at its first '=': the same key, or one within it */
static bool replaces(const char *key, const char *other)
{
  const size_t length = strlen(key);
  return !strncmp(key, other, length) && other[length] && strchr(".=", other[length]);
}

bool study_keeps_sets(const cli_verb *verb, const char *const *set, const study *s)
{
  for (; set && *set; set++)
    for (int k = 0; k < s->keys; k++)
      if (replaces(s->key[k].name, *set)) {
        cli_usage_error(verb, "--set %s: --over %s replaces it in every run: leave one of them out",
                        *set, s->key[k].name);
        return false;
      }
  return true;
}

bool study_read(const cli_verb *verb, const char *const *over, study *s)
{
  double runs = 1;
  while (over && over[s->keys]) s->keys++;
  if (!s->keys) {
    cli_usage_error(verb, "hooke vary needs --over KEY=VALUE,VALUE,...");
    return false;
  }
  s->key = calloc((size_t)s->keys, sizeof *s->key);
  for (int k = 0; s->key && k < s->keys; k++) {
    if (!read_key(verb, over[k], &s->key[k])) return false;
    runs *= s->key[k].count;
    for (int i = 0; i < k; i++)
      if (!strcmp(s->key[i].name, s->key[k].name)) {
        cli_usage_error(verb, "--over %s is given twice: list all values once", s->key[k].name);
        return false;
      } else if (replaces(s->key[k].name, over[i])) {
        cli_usage_error(verb, "--over %s replaces --over %s, which it contains: give it first",
                        s->key[k].name, s->key[i].name);
        return false;
      }
  }
  if (runs > MOST_RUNS) {
    cli_usage_error(verb, "%.0f combinations: a study has at most %d", runs, MOST_RUNS);
    return false;
  }
  s->runs = (int)runs;
  s->run = calloc((size_t)s->runs, sizeof *s->run);
  for (int r = 0; s->run && r < s->runs; r++) {
    s->run[r].code = -1;
    snprintf(s->run[r].folder, sizeof s->run[r].folder, "%04d", r + 1);
  }
  return s->key && s->run;
}

void study_clear(study *s)
{
  for (int k = 0; s->key && k < s->keys; k++) {
    for (int i = 0; i < s->key[k].count; i++) free(s->key[k].value[i]);
    free(s->key[k].value);
    free(s->key[k].name);
  }
  free(s->key);
  free(s->run);
}

const char *study_value(const study *s, int run, int key)
{
  for (int k = s->keys - 1; k > key; k--) run /= s->key[k].count;
  return s->key[key].value[run % s->key[key].count];
}

bool study_sets(const study *s, int run, char **text)
{
  bool good = true;
  for (int k = 0; k < s->keys; k++) {
    const char *value = study_value(s, run, k);
    const size_t size = strlen(s->key[k].name) + strlen(value) + 2;
    text[k] = malloc(size);
    if (text[k]) snprintf(text[k], size, "%s=%s", s->key[k].name, value);
    good = good && text[k];
  }
  return good;
}

char *study_path(const study *s, const char *folder, const char *name)
{
  const size_t size = strlen(s->output) + strlen(folder) + strlen(name) + 3;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s%s%s%s%s", s->output, *folder ? "/" : "", folder, *name ? "/" : "",
             name);
  return path;
}
