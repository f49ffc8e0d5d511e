/* The lines of a deck: lines that are empty or begin with ** are skipped, *INCLUDE and INPUT= open further files, and a keyword line that ends
 * with a comma goes on in the next. A keyword is found in the table of keywords.h and its parameters are checked against those that it may
 * have. Errors are counted, and the first one becomes that of the call. Included files must hold lines of a deck: of any other file nothing
 * but the line number is told. */
#include "input/deck/mesh/reader.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 16, MOST_FILES = 4096, MOST_KEYWORD_LENGTH = 1 << 16, MOST_SUGGESTED = 100 };

typedef struct open_file {
  hk_source *source;
  int file;
  dev_t device;
  ino_t node;
} open_file;

typedef struct keyword_text { /* a keyword line, continuation included, cut up in place */
  char *text;
  hk_count capacity;
} keyword_text;

struct hk_inp_reader {
  hk_messages *list;
  open_file open[MOST_DEPTH];
  int depth;
  hk_pool *files;             /* borrowed: it holds */
  HK_LIST(const char *) file; /* the names of all files read */
  char *text;                 /* the line read last; `pending`: not used yet */
  size_t length;
  bool pending;
  int text_file;
  hk_count text_line;
  keyword_text keyword, include; /* an *INCLUDE among data lines leaves the keyword's text alone */
  bool in_keyword;               /* a keyword's data lines follow */
  hk_count errors, repeated;     /* repeated: of errors, those that the list had word for word */
  char first[640], meant[560];   /* words of the first error; a suggestion */
  hk_pool kept;                  /* names and keyword lines */
};

static const hk_inp_keyword keywords[HK_INP_ID_COUNT] = {
#define HK_INP_NAME(id, name, level, where, parameters, advice)                                    \
  {name, level, where, parameters, advice},
#include "input/deck/mesh/keywords.h"
#undef HK_INP_NAME
};

const hk_inp_keyword *hk_inp_keyword_of(hk_inp_id id)
{
  return &keywords[id];
}

bool hk_inp_say(hk_inp_reader *r, hk_severity severity, hk_place place, const char *format, ...)
{
  char text[560];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (severity == HK_ERROR && !r->errors++)
    snprintf(r->first, sizeof r->first, "%s:%lld: %s", place.file ? place.file : "",
             (long long)place.line, text);
  const hk_count before = hk_messages_total(r->list, HK_ERROR);
  hk_messages_add(r->list, severity, place.file, place.line, 0, "%s", text);
  if (r->list && severity == HK_ERROR)
    r->repeated += hk_messages_total(r->list, HK_ERROR) == before;
  return false;
}

void hk_inp_count_error(hk_inp_reader *r)
{
  if (!r->errors++) snprintf(r->first, sizeof r->first, "%s", hk_error());
}

bool hk_inp_suggests(const hk_inp_reader *r)
{
  return r->errors < MOST_SUGGESTED;
}

const char *hk_inp_meant(hk_inp_reader *r, const char *near)
{
  snprintf(r->meant, sizeof r->meant, near ? "; did you mean %s?" : "", near);
  return r->meant;
}

hk_count hk_inp_errors(const hk_inp_reader *r)
{
  return r->errors;
}

hk_status hk_inp_verdict(const hk_inp_reader *r)
{
  const hk_count said = r->errors - r->repeated;
  if (!r->errors) return HK_OK;
  if (said <= 1) return hk_error_set(HK_BAD_INPUT, "%s", r->first);
  return hk_error_set(HK_BAD_INPUT, "%s (and %lld more errors)", r->first, (long long)said - 1);
}

hk_place hk_inp_here(const hk_inp_reader *r)
{
  return (hk_place){r->file.count ? r->file.at[r->text_file] : NULL, r->text_line};
}

int hk_inp_file(const hk_inp_reader *r)
{
  return r->text_file;
}

const char *hk_inp_file_name(const hk_inp_reader *r, int file)
{
  return r->file.at[file];
}

int hk_inp_file_count(const hk_inp_reader *r)
{
  return (int)r->file.count;
}

static hk_status open_next(hk_inp_reader *r, const char *path)
{
  hk_status status = HK_OK;
  struct stat info;
  open_file next = {0};
  HK_TRY(hk_source_open(path, &next.source));
  HK_CHECK(stat(path, &info) == 0, HK_BAD_INPUT, "%s: cannot be opened", path);
  next.device = info.st_dev, next.node = info.st_ino;
  for (int i = 0; i < r->depth; i++)
    HK_CHECK(r->open[i].device != next.device || r->open[i].node != next.node, HK_BAD_INPUT,
             "%s: includes itself", path);
  HK_CHECK(r->depth < MOST_DEPTH, HK_BAD_INPUT,
           "%s: *INCLUDE is nested %d deep; at most %d levels are possible", path, r->depth + 1,
           MOST_DEPTH);
  HK_CHECK(r->file.count < MOST_FILES, HK_BAD_INPUT, "%s: more than %d files are included", path,
           MOST_FILES);
  HK_TRY(hk_pool_more(&r->kept, &r->file));
  HK_TRY(hk_pool_text(r->files, path, &r->file.at[r->file.count]));
  next.file = (int)r->file.count++;
  r->open[r->depth++] = next;
  next.source = NULL;
cleanup:
  hk_source_close(&next.source);
  return status;
}

/* Names are relative to the folder of the file that includes. A file that cannot be read is an
 * error of the input at the line that names it. */
hk_status hk_inp_push(hk_inp_reader *r, const char *name)
{
  hk_status status = HK_OK;
  char *path = NULL;
  const char *from = r->file.at[r->text_file];
  const char *slash = strrchr(from, '/');
  const int folder = slash && name[0] != '/' ? (int)(slash - from) + 1 : 0;
  HK_TRY(hk_format(&path, "%.*s%s", folder, from, name));
  const hk_status opened = open_next(r, path);
  if (opened == HK_BAD_INPUT)
    hk_inp_wrong(r, "%s", hk_error());
  else
    HK_TRY(opened);
cleanup:
  hk_free(&path);
  return status;
}

hk_status hk_inp_reader_create(const char *path, hk_pool *files, hk_messages *list,
                               hk_inp_reader **out)
{
  hk_status status = HK_OK;
  hk_inp_reader *r = NULL;
  HK_TRY(hk_new(&r));
  r->list = list, r->files = files;
  HK_TRY(open_next(r, path));
  *out = r, r = NULL;
cleanup:
  hk_inp_reader_destroy(&r);
  return status;
}

void hk_inp_reader_destroy(hk_inp_reader **reader)
{
  hk_inp_reader *r = *reader;
  if (!r) return;
  for (int i = 0; i < r->depth; i++) hk_source_close(&r->open[i].source);
  hk_pool_clear(&r->kept);
  hk_free(reader);
}

hk_status hk_inp_keep(hk_inp_reader *r, const char *text, const char **out)
{
  return hk_pool_text(&r->kept, text, out);
}

hk_status hk_inp_keep_field(hk_inp_reader *r, hk_inp_field field, const char **out)
{
  if (field.length >= 2 && field.text[0] == '"' && field.text[field.length - 1] == '"')
    field.text++, field.length -= 2;
  return hk_pool_take_text(&r->kept, field.text, field.length, out);
}

static bool blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* A field of a data line: nothing, a number or a name. */
static bool is_field(const char *p, size_t length)
{
  static const char numeric[] = "+-.0123456789", signs[] = "+-._ \t\"'()#%;&!<>[]*";
  if (length == 0) return true;
  const bool named = isalnum((unsigned char)*p) || (unsigned char)*p >= 128 || strchr("\"_'", *p);
  if (length > 80 || !(named || strchr(numeric, *p))) return false;
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)p[i];
    const bool good = named ? isalnum(c) || c >= 128 || strchr(signs, c)
                            : strchr(numeric, c) || strchr("eEdD \t", c);
    if (!c || !good) return false;
  }
  return true;
}

/* A line of a deck, as far as one can see: *KEYWORD, or numbers and names between commas. */
static bool is_deck_line(const char *text, size_t length)
{
  if (*text == '*') return isalpha((unsigned char)text[1]);
  for (const char *p = text, *end = text + length; p < end;) {
    while (p < end && blank(*p)) p++;
    const char *comma = memchr(p, ',', (size_t)(end - p));
    if (!is_field(p, (size_t)((comma ? comma : end) - p))) return false;
    p = comma ? comma + 1 : end;
  }
  return true;
}

/* Of a file that the deck names, nothing is said but the line where it stops being one: it may be any file of the user's. */
static hk_status check_included(const hk_inp_reader *r)
{
  const char *keyword = r->keyword.text;
  const bool words = keyword && hk_inp_same(keyword, strcspn(keyword, ","), "*HEADING");
  HK_NEED(r->depth < 2 || (words && *r->text != '*') || is_deck_line(r->text, r->length),
          HK_BAD_INPUT,
          "%s:%lld: error: this is not a line of a deck: included files contain keywords, or "
          "numbers and names separated by commas",
          r->file.at[r->text_file], (long long)r->text_line);
  return HK_OK;
}

/* The next line that is not empty and not a comment; text NULL at the end. */
static hk_status next_line(hk_inp_reader *r)
{
  hk_status status = HK_OK;
  if (r->pending) return HK_OK;
  r->text = NULL;
  while (r->depth && !r->text) {
    open_file *top = &r->open[r->depth - 1];
    HK_TRY(hk_source_line(top->source, &r->text, &r->length));
    if (!r->text) {
      hk_source_close(&top->source);
      r->depth--;
      continue;
    }
    r->text_file = top->file, r->text_line = hk_source_line_number(top->source);
    while (r->length && blank(*r->text)) r->text++, r->length--;
    while (r->length && blank(r->text[r->length - 1])) r->length--;
    r->text[r->length] = 0;
    if (!r->length || (r->text[0] == '*' && r->text[1] == '*')) r->text = NULL;
    if (r->text) HK_TRY(check_included(r));
  }
cleanup:
  r->pending = status == HK_OK && r->text;
  return status;
}

/* Joins the keyword's lines: a comma at the end continues it. */
static hk_status gather_keyword(hk_inp_reader *r, keyword_text *to, hk_place *place)
{
  hk_count used = 0;
  *place = hk_inp_here(r);
  for (;;) {
    HK_NEED(used + (hk_count)r->length < MOST_KEYWORD_LENGTH, HK_BAD_INPUT,
            "%s:%lld: a keyword line is longer than %d characters", place->file,
            (long long)place->line, MOST_KEYWORD_LENGTH);
    HK_PASS(hk_pool_reserve(&r->kept, (void **)&to->text, used + (hk_count)r->length + 1,
                            &to->capacity, 1));
    memcpy(to->text + used, r->text, r->length);
    used += (hk_count)r->length;
    to->text[used] = 0;
    r->pending = false;
    if (to->text[used - 1] != ',') break;
    HK_PASS(next_line(r));
    if (!r->text || r->text[0] == '*') break;
  }
  return HK_OK;
}

/* Cuts the piece up to the next comma (outside quotes) off *cursor, blanks and quotes removed. */
static char *cut(char **cursor, char stop)
{
  char *begin = *cursor, *end = begin;
  for (bool quoted = false; *end && (quoted || *end != stop); end++)
    if (*end == '"') quoted = !quoted;
  *cursor = *end ? end + 1 : NULL;
  while (blank(*begin)) begin++;
  while (end > begin && blank(end[-1])) end--;
  if (end - begin >= 2 && *begin == '"' && end[-1] == '"') begin++, end--;
  *end = 0;
  return begin;
}

static void report_keyword(hk_inp_reader *r, hk_place place, const char *name)
{
  const char *names[HK_INP_ID_COUNT];
  for (int i = 0; i < HK_INP_ID_COUNT; i++) names[i] = keywords[i].name;
  const int near = hk_inp_suggests(r) ? hk_nearest(name, names, HK_INP_ID_COUNT) : -1;
  if (near >= 0)
    hk_inp_error(r, place, "*%s: unknown keyword; did you mean *%s?", name, names[near]);
  else
    hk_inp_error(r, place,
                 "*%s: unknown keyword: hooke cannot tell whether it changes the result; remove it "
                 "if it does not",
                 name);
}

/* Is `name` among the comma-separated words? *wants: '=' value, '?' value possible. */
static bool allowed(const char *parameters, const char *name, char *wants)
{
  for (const char *p = parameters; *p;) {
    const size_t length = strcspn(p, ",=");
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, p);
    if (hk_inp_same(name, strlen(name), word)) {
      *wants = p[length] == '=' ? (p[length + 1] == '?' ? '?' : '=') : 0;
      return true;
    }
    p += strcspn(p, ",");
    if (*p) p++;
  }
  return false;
}

static void report_parameter(hk_inp_reader *r, const hk_inp_line *line, const char *name)
{
  char copy[1024], *cursor = copy;
  const char *words[40];
  int count = 0;
  snprintf(copy, sizeof copy, "%s", line->keyword->parameters);
  while (cursor && *cursor && count < 40) {
    char *word = cut(&cursor, ',');
    word[strcspn(word, "=")] = 0;
    words[count++] = word;
  }
  const int near = hk_inp_suggests(r) ? hk_nearest(name, words, count) : -1;
  if (near >= 0)
    hk_inp_error(r, line->place, "*%s, %s: unknown parameter; did you mean %s?",
                 line->keyword->name, name, words[near]);
  else
    hk_inp_error(r, line->place, "*%s, %s: unknown parameter; known are: %s", line->keyword->name,
                 name, count ? line->keyword->parameters : "none");
}

static void add_parameter(hk_inp_reader *r, hk_inp_line *line, char *text)
{
  char *value = text, wants = 0;
  char *name = cut(&value, '=');
  if (value) value = cut(&value, 0);
  if (!*name && !value) return;
  const char *known = line->keyword->parameters;
  if (strcmp(known, "*") != 0) {
    if (!allowed(known, name, &wants)) {
      report_parameter(r, line, name);
      return;
    }
    if (wants == '=' && (!value || !*value))
      hk_inp_error(r, line->place, "*%s, %s: its value is missing", line->keyword->name, name);
    for (int i = 0; i < line->count; i++)
      if (hk_inp_same(name, strlen(name), line->parameter[i].name))
        hk_inp_error(r, line->place, "*%s, %s: is given twice", line->keyword->name, name);
  }
  if (line->count == HK_INP_MOST_PARAMETERS)
    hk_inp_error(r, line->place, "*%s: more than %d parameters", line->keyword->name,
                 HK_INP_MOST_PARAMETERS);
  else
    line->parameter[line->count++] = (hk_inp_parameter){name, value};
}

static void parse_keyword(hk_inp_reader *r, char *text, hk_inp_line *line)
{
  char *cursor = text + 1;
  char *name = cut(&cursor, ',');
  line->keyword = NULL, line->count = 0;
  for (int i = 0; i < HK_INP_ID_COUNT && !line->keyword; i++)
    if (hk_inp_same(name, strlen(name), keywords[i].name))
      line->id = (hk_inp_id)i, line->keyword = &keywords[i];
  if (!line->keyword) {
    report_keyword(r, line->place, name);
    return;
  }
  while (cursor) add_parameter(r, line, cut(&cursor, ','));
}

/* Keywords are found and cut; *INCLUDE is obeyed here, before a keyword and among its data. */
static hk_status keyword_here(hk_inp_reader *r, keyword_text *to, hk_inp_line *line)
{
  HK_PASS(gather_keyword(r, to, &line->place));
  parse_keyword(r, to->text, line);
  if (line->keyword && line->id == HK_INP_INCLUDE) {
    const char *name = hk_inp_need(r, line, "INPUT");
    if (name && r->pending)
      hk_inp_error(r, line->place, "*INCLUDE: its line ends with a comma");
    else if (name)
      HK_PASS(hk_inp_push(r, name));
  }
  return HK_OK;
}

static bool at_include(const hk_inp_reader *r)
{
  const size_t length = strcspn(r->text + 1, ",");
  return hk_inp_same(r->text + 1, length, "INCLUDE");
}

hk_status hk_inp_data(hk_inp_reader *r, char **text, size_t *length)
{
  hk_inp_line include;
  *text = NULL, *length = 0;
  for (;;) {
    HK_PASS(next_line(r));
    if (!r->text) break;
    if (r->text[0] != '*') {
      *text = r->text, *length = r->length;
      r->pending = false;
      break;
    }
    if (!at_include(r)) break;
    HK_PASS(keyword_here(r, &r->include, &include));
  }
  return HK_OK;
}

hk_status hk_inp_rows(hk_inp_reader *r, hk_rows *rows, hk_count most)
{
  if (r->pending || !r->depth) return HK_OK;
  return hk_rows_read(rows, r->open[r->depth - 1].source, '*', most);
}

hk_status hk_inp_peek(hk_inp_reader *r, hk_inp_lines *lines)
{
  *lines = (hk_inp_lines){.length = 0};
  if (r->pending || !r->depth) return HK_OK;
  const open_file *top = &r->open[r->depth - 1];
  lines->file = top->file, lines->line = hk_source_line_number(top->source) + 1;
  return hk_source_peek(top->source, &lines->text, &lines->length);
}

void hk_inp_pass(hk_inp_reader *r, size_t length, hk_count lines)
{
  if (length) hk_source_pass(r->open[r->depth - 1].source, length, lines);
}

hk_status hk_inp_skip(hk_inp_reader *r)
{
  char *text;
  size_t length;
  hk_status status;
  do {
    status = hk_inp_data(r, &text, &length);
  } while (status == HK_OK && text);
  return status;
}

hk_status hk_inp_next(hk_inp_reader *r, hk_inp_line *line)
{
  char *text;
  size_t length;
  do {
    HK_PASS(hk_inp_data(r, &text, &length));
    if (text) {
      if (!r->in_keyword)
        hk_inp_wrong(r,
                     "\"%.40s\" stands before the first keyword: an Abaqus deck "
                     "begins with a line such as *HEADING",
                     text);
      else
        hk_inp_wrong(r, "\"%.40s\": unexpected data line", text);
      HK_PASS(hk_inp_skip(r));
    }
    line->keyword = NULL;
    if (!r->text) break;
    HK_PASS(keyword_here(r, &r->keyword, line));
    r->in_keyword = true;
    if (!line->keyword) HK_PASS(hk_inp_skip(r));
  } while (!line->keyword || line->id == HK_INP_INCLUDE);
  return HK_OK;
}
