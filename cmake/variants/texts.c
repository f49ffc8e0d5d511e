/* Reads kernel texts: the names that they define, and the signatures of their kernels once the preprocessor has been over them. */
#include "variants.h"
#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

static void add_name(name *list, int *count, const char *at, text_part within)
{
  word found;
  size_t length = 0;
  while (is_name(at[length])) length++;
  keep_word(found, at, length);
  for (int i = 0; i < *count; i++)
    if (!strcmp(list[i].word, found)) return;
  if (*count == MOST_NAMES) fail("too many names");
  memcpy(list[*count].word, found, sizeof found);
  list[(*count)++].part = within;
}

/* A line that begins a function or a table of constants: KERNEL f(, DEVICE T f(, TABLE(T, f, n). */
static const char *defined_name(const char *at)
{
  if (!strncmp(at, "TABLE(", 6)) {
    at = strchr(at, ',');
    return at ? at + 1 + strspn(at + 1, " ") : NULL;
  }
  if (strncmp(at, "KERNEL ", 7) && strncmp(at, "DEVICE ", 7) && strncmp(at, "DEVICE_CALL ", 12))
    return NULL;
  const char *end = at + strcspn(at, "(\n");
  if (*end != '(') fail("no ( on the line of a function: %.60s", at);
  while (is_name(end[-1])) end--;
  return end;
}

static void scan_text(const char *folder, unit *u, const char *text, text_part within);

/* The part that "#ifndef NAME_MADE" begins; PARTS: none. */
static text_part part_of(const char *directive)
{
  text_part p = 0;
  for (; p < PARTS; p++) {
    const size_t length = strlen(part_name[p]);
    if (!strncmp(directive, "ifndef ", 7) && !strncmp(directive + 7, part_name[p], length) &&
        !strncmp(directive + 7 + length, "_MADE", 5))
      break;
  }
  return p;
}

/* "path": the names of an included text. */
static void scan_included(const char *folder, unit *u, const char *at, text_part within)
{
  word path;
  keep_word(path, at + 1, strcspn(at + 1, "\"\n"));
  char *text = read_source(folder, "src/%s", path);
  scan_text(folder, u, text, within);
  free(text);
}

/* Names that a text and those that it includes define: functions, tables and macros. */
static void scan_text(const char *folder, unit *u, const char *text, text_part within)
{
  int depth = 0, begun = 0; /* depth at which the part that is being read began */
  for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    const char *directive = at + strspn(at, " ");
    if (*directive == '#') {
      directive += 1 + strspn(directive + 1, " ");
      if (!strncmp(directive, "if", 2)) {
        depth++;
        const text_part p = part_of(directive);
        if (p != PARTS) within = p, begun = depth;
      }
      if (!strncmp(directive, "endif", 5) && depth-- == begun) within = PARTS, begun = 0;
      if (!strncmp(directive, "include \"", 9)) scan_included(folder, u, directive + 8, within);
      if (!strncmp(directive, "define ", 7))
        add_name(u->macro, &u->macros, directive + 7 + strspn(directive + 7, " "), PARTS);
      continue;
    }
    const char *found = defined_name(at);
    if (found) add_name(u->function, &u->functions, found, within);
  }
}

/* Macros of the dialect that a text would define only where there are none: they stay. */
static void keep_dialect(const char *folder, unit *u)
{
  static const char *const of[] = {"dialect", "records"};
  unit *dialect = calloc(1, sizeof *dialect);
  if (!dialect) fail("out of memory");
  for (int f = 0; f < 2; f++) {
    char *text = read_source(folder, "src/device/host/%s.h", of[f]);
    scan_text(folder, dialect, text, PARTS);
    free(text);
  }
  int kept = 0;
  for (int i = 0; i < u->macros; i++) {
    int there = 0;
    for (int k = 0; k < dialect->macros; k++)
      there |= !strcmp(u->macro[i].word, dialect->macro[k].word);
    if (!there) u->macro[kept++] = u->macro[i];
  }
  u->macros = kept;
  free(dialect);
}

static char sought[LINE], found[LINE]; /* nftw gives its function no data */

static int compare_name(const char *path, const struct stat *about, int type, struct FTW *at)
{
  (void)about;
  if (type != FTW_F || strcmp(path + at->base, sought)) return 0;
  if (*found) fail("%s and %s have one name", found, path);
  snprintf(found, sizeof found, "%s", path);
  return 0;
}

/* The path of TEXT.k.h, wherever it lies below src/, and what it holds; else that of a text which the build has written beside `output`. */
static char *find_text(const char *folder, const char *output, const char *text, char path[LINE])
{
  char top[LINE];
  snprintf(top, sizeof top, "%s/src/", folder);
  snprintf(sought, sizeof sought, "%s.k.h", text);
  *found = 0;
  if (nftw(top, compare_name, 16, 0)) fail("cannot read %s", top);
  if (!*found) {
    const char *base = strrchr(output, '/');
    snprintf(path, LINE, "%s", sought);
    if (snprintf(found, sizeof found, "%.*s/%s", base ? (int)(base - output) : 1,
                 base ? output : ".", sought) >= (int)sizeof found)
      fail("path too long");
    return read_file(found);
  }
  const char *below = found + strlen(top);
  snprintf(path, LINE, "%s", below + (*below == '/'));
  return read_file(found);
}

void read_texts(const char *folder, const char *output, unit *u)
{
  char *text[MOST_TEXTS];
  for (int t = 0; t < u->texts; t++) {
    text[t] = find_text(folder, output, u->text[t], u->path[t]);
    scan_text(folder, u, text[t], PARTS);
  }
  for (int t = 0; t < u->texts; t++) free(text[t]);
  keep_dialect(folder, u);
}

static const char *read_identifier(const char *at, word out)
{
  at += strspn(at, " \t\n");
  size_t length = 0;
  while (is_name(at[length])) length++;
  keep_word(out, at, length);
  return at + length;
}

/* The type of a parameter "const float *restrict u": "float *"; its name is the last word. */
static void read_parameter(const kernel *k, const char *at, const char *end, word type)
{
  word w = "", before = "";
  int pointer = 0;
  *type = 0;
  while (at < end) {
    if (*at == '*') pointer++;
    if (!is_name(*at)) {
      at++;
      continue;
    }
    at = read_identifier(at, w);
    if (!strcmp(w, "const") || !strncmp(w, "restrict", 8) || !strncmp(w, "__restrict", 10))
      continue;
    if (*before && snprintf(type + strlen(type), sizeof(word) - strlen(type), "%s%s",
                            *type ? " " : "", before) >= 40)
      fail("%s: a parameter's type is too long", k->name);
    memcpy(before, w, sizeof w);
  }
  if (!*type || pointer > 1) fail("%s: no type for parameter %s", k->name, before);
  if (pointer) strcat(type, " *");
}

static void read_kernel(kernels *all, int variant_number, const char *at)
{
  if (all->count == all->room) {
    all->room = all->room ? 2 * all->room : 64;
    if (!(all->kernel = realloc(all->kernel, sizeof *all->kernel * (size_t)all->room)))
      fail("out of memory");
  }
  kernel *k = &all->kernel[all->count++];
  memset(k, 0, sizeof *k);
  k->variant = variant_number;
  at = read_identifier(at, k->name);
  at = strchr(at, '(');
  const char *end = at ? strchr(at, ')') : NULL;
  if (!end) fail("%s: its parameters do not end", k->name);
  at++;
  for (int i = 0; at < end; i++) { /* the first is the group */
    const char *stop = at;
    while (stop < end && *stop != ',') stop++;
    if (i > MOST_PARAMETERS)
      fail("%s: more than 16 parameters: split it, or take offsets into one buffer", k->name);
    if (i) read_parameter(k, at, stop, k->type[k->parameters++]);
    at = stop + 1;
  }
}

void read_probe(const char *path, kernels *all)
{
  char *text = read_file(path);
  int number = -1;
  memset(all, 0, sizeof *all);
  for (const char *at = text; (at = strstr(at, "hk_probe_"));) {
    if (!strncmp(at, "hk_probe_variant ", 17)) number = atoi(at + 17);
    if (!strncmp(at, "hk_probe_kernel ", 16)) read_kernel(all, number, at + 16);
    at += 9;
  }
  free(text);
}
