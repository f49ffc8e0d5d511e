/* The list of errors, warnings and notes about an input (hooke/messages.h).
 * A message is kept once: one with the same severity, file, line, column and text is dropped if
 * this call of the library has added it already (hk_messages_renew begins a new call). The first
 * 1000 messages are kept; all are counted by severity. */
#include "base/base.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_KEPT = 1000 };

struct hk_messages {
  hk_message *item;
  hk_count count, capacity, since; /* since: the first that is not told again */
  hk_count total[3];
};

hk_status hk_messages_create(hk_messages **out)
{
  return hk_new(out);
}

void hk_messages_destroy(hk_messages **list)
{
  if (!*list) return;
  for (hk_count i = 0; i < (*list)->count; i++) {
    hk_free(&(*list)->item[i].file);
    hk_free(&(*list)->item[i].text);
  }
  hk_free(&(*list)->item);
  hk_free(list);
}

static bool is_same(const hk_message *a, const hk_message *b)
{
  const bool file = a->file && b->file ? !strcmp(a->file, b->file) : a->file == b->file;
  return a->severity == b->severity && a->line == b->line && a->column == b->column && file &&
         !strcmp(a->text, b->text);
}

static bool is_kept(const hk_messages *list, const hk_message *m)
{
  for (hk_count i = list->since; i < list->count; i++)
    if (is_same(&list->item[i], m)) return true;
  return false;
}

void hk_messages_add(hk_messages *list, hk_severity severity, const char *file, hk_count line,
                     int column, const char *format, ...)
{
  char text[1024];
  va_list args;
  if (!list) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (is_kept(list, &(hk_message){severity, (char *)file, line, column, text})) return;
  list->total[severity]++;
  if (list->count == MOST_KEPT) return;
  if (hk_reserve(&list->item, list->count + 1, &list->capacity) != HK_OK) return;
  hk_message *m = &list->item[list->count];
  *m = (hk_message){.severity = severity, .line = line, .column = column};
  if (hk_copy_text(&m->text, text) != HK_OK) return;
  if (file && hk_copy_text(&m->file, file) != HK_OK) {
    hk_free(&m->text);
    return;
  }
  list->count++;
}

hk_count hk_messages_count(const hk_messages *list)
{
  return list ? list->count : 0;
}

hk_count hk_messages_total(const hk_messages *list, hk_severity severity)
{
  return list ? list->total[severity] : 0;
}

const hk_message *hk_messages_at(const hk_messages *list, hk_count i)
{
  return &list->item[i];
}

void hk_messages_renew(hk_messages *list)
{
  if (list) list->since = list->count;
}

void hk_messages_add_error(hk_messages *list, const char *path)
{
  const char *words = hk_error();
  const size_t length = strlen(path);
  int64_t line = 0;
  if (!strncmp(words, path, length) && words[length] == ':') {
    words += length + 1;
    const size_t used = hk_parse_integer(words, strlen(words), &line);
    if (used && words[used] == ':') words += used + 1;
    while (*words == ' ') words++;
  }
  hk_messages_add(list, HK_ERROR, path, line, 0, "%s", words);
}
