/* Messages on stderr: "file:line:column: error: text", in colour on a terminal only. */
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

static void say(const hk_message *m)
{
  const bool colour = colour_wanted();
  fputs(m->file ? m->file : "hooke", stderr);
  if (m->file && m->line > 0) fprintf(stderr, ":%lld", (long long)m->line);
  if (m->file && m->line > 0 && m->column > 0) fprintf(stderr, ":%d", m->column);
  fprintf(stderr, ": %s%s:%s %s\n", colour ? look[m->severity].colour : "", look[m->severity].name,
          colour ? "\033[0m" : "", m->text);
}

void cli_show_messages(const hk_messages *list, hk_count *shown)
{
  const hk_count count = hk_messages_count(list);
  for (; *shown < count; ++*shown) {
    const hk_message *m = hk_messages_at(list, *shown);
    if (m->severity == HK_ERROR || !manner.quiet) say(m);
  }
}

int cli_fail(hk_status status, const hk_messages *list)
{
  const hk_count errors = hk_messages_total(list, HK_ERROR);
  char text[1024];
  snprintf(text, sizeof text, "%s", *hk_error() ? hk_error() : hk_status_name(status));
  if (errors == 0) say(&(hk_message){.severity = HK_ERROR, .text = text});
  if (errors > 1) fprintf(stderr, "hooke: %lld errors\n", (long long)errors);
  return (int)status;
}

void cli_note(const char *format, ...)
{
  va_list args;
  if (manner.quiet) return;
  fputs("hooke: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}
