/* Prints messages on standard error as "file:line:column: error: text".
 * Colours are used on terminals only, and not if NO_COLOR is set. Control characters from files and
 * names are printed as \x1b and the like. With --json a failure is an object with status, exit
 * code, error and messages. */
#include "cli.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name, *colour;
} look[] = {[HK_NOTE] = {"note", "\033[36m"},
            [HK_WARNING] = {"warning", "\033[33m"},
            [HK_ERROR] = {"error", "\033[31m"}};

static bool colour_wanted(void)
{
  const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(STDERR_FILENO) && !(none && *none) && term && strcmp(term, "dumb") != 0;
}

void cli_put(FILE *to, const char *text)
{
  while (*text) {
    const size_t plain = hk_text_plain(text);
    fwrite(text, 1, plain, to);
    text += plain;
    if (*text) fprintf(to, "\\x%02x", (unsigned char)*text++);
  }
}

static void say(const hk_message *m)
{
  const bool colour = colour_wanted();
  cli_put(stderr, m->file ? m->file : "hooke");
  if (m->file && m->line > 0) fprintf(stderr, ":%lld", (long long)m->line);
  if (m->file && m->line > 0 && m->column > 0) fprintf(stderr, ":%d", m->column);
  fprintf(stderr, ": %s%s:%s ", colour ? look[m->severity].colour : "", look[m->severity].name,
          colour ? "\033[0m" : "");
  cli_put(stderr, m->text);
  fputc('\n', stderr);
}

/* Those of a file in the order of its lines; files, and what has no line, as they came. */
static int by_line(const void *a, const void *b)
{
  const hk_message *x = *(const hk_message *const *)a, *y = *(const hk_message *const *)b;
  const int line = (x->line > y->line) - (x->line < y->line);
  return line ? line : (x > y) - (x < y);
}

static bool same_file(const hk_message *a, const hk_message *b)
{
  return a->file && b->file && a->line > 0 && b->line > 0 && !strcmp(a->file, b->file);
}

void cli_show_messages(const hk_messages *list, hk_count *shown)
{
  const hk_count count = hk_messages_count(list) - *shown;
  const hk_message **m = count > 0 ? malloc((size_t)count * sizeof *m) : NULL;
  for (hk_count i = 0, next; m && i < count; i = next) {
    next = i;
    do m[next] = hk_messages_at(list, *shown + next), next++;
    while (next < count && same_file(m[i], hk_messages_at(list, *shown + next)));
    qsort(m + i, (size_t)(next - i), sizeof *m, by_line);
  }
  for (hk_count i = 0; i < count; i++) {
    const hk_message *one = m ? m[i] : hk_messages_at(list, *shown + i);
    if (one->severity == HK_ERROR || !manner.quiet) say(one);
  }
  *shown += count > 0 ? count : 0;
  free(m);
}

static json_t *json_text(const char *text)
{
  json_t *value = json_string(text);
  return value ? value : json_string("?"); /* no UTF-8 */
}

json_t *cli_json_messages(const hk_messages *list)
{
  json_t *messages = json_array();
  for (hk_count i = 0; i < hk_messages_count(list); i++) {
    const hk_message *m = hk_messages_at(list, i);
    json_t *one = json_object();
    json_object_set_new(one, "severity", json_string(look[m->severity].name));
    if (m->file) json_object_set_new(one, "file", json_text(m->file));
    if (m->line > 0) json_object_set_new(one, "line", json_integer(m->line));
    if (m->column > 0) json_object_set_new(one, "column", json_integer(m->column));
    json_object_set_new(one, "text", json_text(m->text));
    json_array_append_new(messages, one);
  }
  return messages;
}

/* The text of an object with the members of another one behind its own; numbers stay as they are. */
static void print_joined(const char *object, const char *more)
{
  size_t length = (size_t)(strrchr(object, '}') - object);
  while (length > 0 && strchr(" \n", object[length - 1])) length--;
  const size_t size = length + strlen(more) + 2;
  char *text = malloc(size);
  if (!text) return;
  snprintf(text, size, "%.*s,%s", (int)length, object, more + 1);
  cli_print_result(text);
  free(text);
}

void cli_print_failure(const char *result, hk_status status, int code, const char *error,
                       const hk_messages *list)
{
  json_t *object = json_object(), *known = result ? json_loads(result, 0, NULL) : NULL;
  if (!json_object_get(known, "status"))
    json_object_set_new(object, "status", json_string(hk_status_name(status)));
  json_object_set_new(object, "exit_code", json_integer(code));
  json_object_set_new(object, "error", json_text(error));
  json_object_set_new(object, "messages", cli_json_messages(list));
  char *text = json_dumps(object, JSON_INDENT(2));
  if (text && json_object_size(known))
    print_joined(result, text);
  else if (text)
    cli_print_result(text);
  free(text);
  json_decref(known);
  json_decref(object);
}

int cli_fail_after(const char *result, hk_status status, const hk_messages *list)
{
  const hk_count errors = hk_messages_total(list, HK_ERROR);
  char text[1024];
  snprintf(text, sizeof text, "%s", *hk_error() ? hk_error() : hk_status_name(status));
  if (result && !manner.json) cli_print_result(result);
  if (errors == 0) say(&(hk_message){.severity = HK_ERROR, .text = text});
  if (errors > 1) fprintf(stderr, "hooke: %lld errors\n", (long long)errors);
  if (manner.json && !cli_result_printed()) cli_print_failure(result, status, status, text, list);
  return (int)status;
}

int cli_fail(hk_status status, const hk_messages *list)
{
  return cli_fail_after(NULL, status, list);
}

void cli_note(const char *format, ...)
{
  char text[4096];
  va_list args;
  if (manner.quiet) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fputs("hooke: ", stderr);
  cli_put(stderr, text);
  fputc('\n', stderr);
}
