/* Reads device/variants.txt: units, lines, axes. */
#include "variants.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  fputs("variants: ", stderr);
  vfprintf(stderr, format, list);
  fputs("\n", stderr);
  va_end(list);
  exit(1);
}

void keep_word(word to, const char *from, size_t length)
{
  if (length >= sizeof(word)) fail("a word is too long: %.80s", from);
  memcpy(to, from, length);
  to[length] = 0;
}

char *read_file(const char *path)
{
  FILE *file = fopen(path, "r");
  size_t size = 0, room = 1 << 16, got;
  char *text = malloc(room + 1);
  if (!file || !text) fail("cannot read %s", path);
  while ((got = fread(text + size, 1, room - size, file)) > 0) {
    size += got;
    if (size == room) {
      char *more = realloc(text, (room *= 2) + 1);
      if (!more) fail("out of memory");
      text = more;
    }
  }
  fclose(file);
  text[size] = 0;
  return text;
}

char *read_source(const char *folder, const char *format, const char *of)
{
  char path[LINE], rest[LINE];
  snprintf(rest, sizeof rest, format, of);
  if (snprintf(path, sizeof path, "%s/%s", folder, rest) >= (int)sizeof path) fail("path too long");
  return read_file(path);
}

/* The next word between blanks; NULL at the end. */
const char *next_word(const char *at, word out)
{
  at += strspn(at, " \t");
  const size_t length = strcspn(at, " \t\n");
  if (!length) return NULL;
  keep_word(out, at, length);
  return at + length;
}

/* "NAME: TEXT ... [once PART ...] [unless MACRO]" */
static void read_head(const char *at, unit *u)
{
  word w;
  int parts = 0;
  memset(u, 0, sizeof *u);
  u->once[KERNELS] = 1;
  at = next_word(at, u->name);
  if (!at || u->name[strlen(u->name) - 1] != ':') fail("a unit begins \"host NAME: TEXT ...\"");
  u->name[strlen(u->name) - 1] = 0;
  while ((at = next_word(at, w))) {
    if (!strcmp(w, "unless")) {
      if (!(at = next_word(at, u->guard))) fail("%s: unless what?", u->name);
    } else if (!strcmp(w, "once")) {
      parts = 1;
    } else if (parts) {
      text_part p = 0;
      while (p < KERNELS && strcmp(w, part_name[p])) p++;
      if (p == KERNELS) fail("%s: no part %s", u->name, w);
      u->once[p] = 1;
    } else {
      if (u->texts == MOST_TEXTS) fail("%s: too many texts", u->name);
      memcpy(u->text[u->texts++], w, sizeof w);
    }
  }
  if (!u->texts) fail("%s: no text", u->name);
}

static void add_define(variant *v, const char *of, const char *value)
{
  const size_t length = strlen(of);
  if (!strcmp(of, "PRECISION")) {
    v->precision = *value;
    return;
  }
  if (v->defines == MOST_DEFINES) fail("too many defines: %s", of);
  define *d = &v->define[v->defines++];
  d->hidden = *of == '(';
  keep_word(d->name, of + d->hidden, length - 2 * (size_t)d->hidden);
  keep_word(d->value, value, strlen(value));
}

/* The next part of a list up to the separator; NULL behind the last. */
static char *next_part(char **rest, char separator)
{
  char *part = *rest;
  if (!part) return NULL;
  char *end = strchr(part, separator);
  *rest = end ? end + 1 : NULL;
  if (end) *end = 0;
  return part;
}

/* Multiplies the variants of a line by an axis: "NAME=v,v,..." or "NAME.NAME=v.v,v.v,...". */
static void add_axis(line *l, const char *axis)
{
  char names[LINE], values[LINE];
  const char *equals = strchr(axis, '=');
  if (!equals) fail("no = in \"%s\"", axis);
  int count = 1;
  for (const char *c = equals; *c; c++) count += *c == ',';
  variant *grown = malloc(sizeof *grown * (size_t)(l->variants * count));
  if (!grown) fail("out of memory");
  for (int i = 0, n = 0; i < l->variants; i++) {
    snprintf(values, sizeof values, "%s", equals + 1);
    for (char *rest = values, *tuple; (tuple = next_part(&rest, ',')); n++) {
      grown[n] = l->variant[i];
      snprintf(names, sizeof names, "%.*s", (int)(equals - axis), axis);
      for (char *others = names, *of; (of = next_part(&others, '.'));) {
        const char *value = next_part(&tuple, '.');
        if (!value || !*value) fail("too few values in \"%s\"", axis);
        add_define(&grown[n], of, value);
      }
      if (tuple) fail("too many values in \"%s\"", axis);
    }
  }
  free(l->variant);
  l->variant = grown, l->variants *= count;
}

static const char *let(const char *table, const char *of)
{
  static char value[LINE];
  const size_t length = strlen(of);
  for (const char *at = table; *at; at += strcspn(at, "\n"), at += *at == '\n')
    if (!strncmp(at, "let ", 4) && !strncmp(at + 4, of, length) && at[4 + length] == ' ') {
      snprintf(value, sizeof value, "%.*s", (int)strcspn(at + 5 + length, "\n"), at + 5 + length);
      return value;
    }
  fail("\"%s\" is neither NAME=value nor a let", of);
  return NULL;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const define *)a)->name, ((const define *)b)->name);
}

/* "[KERNEL ...] AXIS ...": all variants of a line, the first axis slowest, the precision fastest unless it has a place. */
void read_line(const char *table, const char *at, line *l)
{
  char w[LINE];
  int precision = 0;
  memset(l, 0, sizeof *l);
  l->variants = 1;
  if (!(l->variant = calloc(1, sizeof *l->variant))) fail("out of memory");
  at += strspn(at, " ");
  if (*at == '[') {
    const char *end = at + strcspn(at, "]\n");
    snprintf(w, sizeof w, "%.*s", (int)(end - at - 1), at + 1);
    for (const char *from = w; (from = next_word(from, l->kernel[l->kernels])); l->kernels++)
      if (l->kernels + 1 == MOST_WORDS) fail("too many kernels");
    at = end + 1;
  }
  for (;;) {
    at += strspn(at, " ");
    const size_t length = strcspn(at, " \n");
    if (!length) break;
    snprintf(w, sizeof w, "%.*s", (int)length, at);
    const char *axis = strchr(w, '=') ? w : let(table, w);
    precision |= strstr(axis, "PRECISION") != NULL;
    add_axis(l, axis);
    at += length;
  }
  if (!precision) add_axis(l, "PRECISION=f,d");
  for (int i = 0; i < l->variants; i++)
    qsort(l->variant[i].define, (size_t)l->variant[i].defines, sizeof(define), by_name);
}

const char *read_unit(const char *table, const char *name_of, unit *u)
{
  for (const char *at = table; *at; at += strcspn(at, "\n"), at += *at == '\n')
    if (!strncmp(at, "host ", 5)) {
      read_head(at + 5, u);
      if (!strcmp(u->name, name_of)) return at + strcspn(at, "\n");
    }
  fail("no unit %s", name_of);
  return NULL;
}
