/* Parameters of keyword lines and fields of data lines of a deck. Words are compared without blanks and in either case. Fields stand between
 * commas; a name in quotation marks may hold commas. Numbers may have Fortran's D exponent. Items beyond the last that has a meaning are
 * errors, and where two of them look like a number with a decimal comma the message says so. */
#include "input/deck/mesh/reader.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool hk_inp_same(const char *a, size_t length, const char *b)
{
  for (size_t i = 0;; i++) {
    while (i < length && blank(a[i])) i++;
    while (*b == ' ') b++;
    if (i >= length || !*b) return i >= length && !*b;
    const char x = a[i] >= 'a' && a[i] <= 'z' ? (char)(a[i] - 32) : a[i];
    const char y = *b >= 'a' && *b <= 'z' ? (char)(*b - 32) : *b;
    if (x != y) return false;
    b++;
  }
}

bool hk_inp_given(const hk_inp_line *line, const char *name)
{
  for (int i = 0; i < line->count; i++)
    if (hk_inp_same(line->parameter[i].name, strlen(line->parameter[i].name), name)) return true;
  return false;
}

const char *hk_inp_value(const hk_inp_line *line, const char *name)
{
  for (int i = 0; i < line->count; i++)
    if (hk_inp_same(line->parameter[i].name, strlen(line->parameter[i].name), name))
      return line->parameter[i].value && *line->parameter[i].value ? line->parameter[i].value
                                                                   : NULL;
  return NULL;
}

const char *hk_inp_need(hk_inp_reader *r, const hk_inp_line *line, const char *name)
{
  const char *value = hk_inp_value(line, name);
  if (!value && !hk_inp_given(line, name))
    hk_inp_error(r, line->place, "*%s: the parameter %s= is missing", line->keyword->name, name);
  return value;
}

int hk_inp_choice(hk_inp_reader *r, const hk_inp_line *line, const char *name,
                  const char *const *words, int fallback)
{
  char known[256] = "";
  const char *value = hk_inp_value(line, name);
  int count = 0;
  if (!value) return fallback;
  for (; words[count]; count++) {
    if (hk_inp_same(value, strlen(value), words[count])) return count;
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "", words[count]);
  }
  const int near = hk_inp_suggests(r) ? hk_nearest(value, words, count) : -1;
  if (near >= 0)
    hk_inp_error(r, line->place, "*%s, %s=%s: did you mean %s?", line->keyword->name, name, value,
                 words[near]);
  else
    hk_inp_error(r, line->place, "*%s, %s=%s: possible are: %s", line->keyword->name, name, value,
                 known);
  return -1;
}

/* The number of fields; more than there is room for are an error: -1. */
static int split(hk_inp_reader *r, const char *text, size_t length, hk_inp_field *field)
{
  const char *at = text, *end = text + length;
  int count = 0;
  while (at < end) {
    const char *stop = at;
    for (bool quoted = false; stop < end && (quoted || *stop != ','); stop++)
      if (*stop == '"') quoted = !quoted;
    const char *last = stop;
    while (at < last && blank(*at)) at++;
    while (last > at && blank(last[-1])) last--;
    if (count == HK_INP_MOST_FIELDS) {
      hk_inp_wrong(r, "\"%.40s\": more than %d items on a line", text, HK_INP_MOST_FIELDS);
      return -1;
    }
    field[count++] = (hk_inp_field){at, (size_t)(last - at)};
    at = stop + 1;
  }
  return count;
}

hk_status hk_inp_fields(hk_inp_reader *r, hk_inp_field field[HK_INP_MOST_FIELDS], int *count)
{
  char *text;
  size_t length;
  const hk_status status = hk_inp_data(r, &text, &length);
  *count = text ? split(r, text, length, field) : HK_INP_END;
  return status;
}

static bool digits(hk_inp_field field, bool sign)
{
  size_t i = sign && field.length && (field.text[0] == '-' || field.text[0] == '+');
  const size_t first = i;
  while (i < field.length && field.text[i] >= '0' && field.text[i] <= '9') i++;
  return i == field.length && i > first;
}

/* Digits, then digits with or without an exponent: 0,3 and 2,1E5. */
bool hk_inp_decimal_comma(const hk_inp_field *field, int count, int i)
{
  if (i < 0 || i + 1 >= count || !digits(field[i], true)) return false;
  hk_inp_field next = field[i + 1];
  size_t n = 0;
  while (n < next.length && !strchr("EeDd", next.text[n])) n++;
  return digits((hk_inp_field){next.text, n}, false);
}

int hk_inp_shown(hk_inp_field field, int most)
{
  return field.length > (size_t)most ? most : (int)field.length;
}

bool hk_inp_no_more(hk_inp_reader *r, const hk_inp_field *field, int count, int most,
                    const char *what)
{
  int more = most;
  while (more < count && !field[more].length) more++;
  if (more >= count) return true;
  const hk_inp_field *cut = field + more - 1; /* a number that a comma cut in two */
  if (hk_inp_decimal_comma(field, count, more - 1))
    hk_inp_wrong(r, "%s: more than %d items; is \"%.*s,%.*s\" a decimal comma? write a point", what,
                 most, hk_inp_shown(cut[0], 20), cut[0].text, hk_inp_shown(cut[1], 20),
                 cut[1].text);
  else
    hk_inp_wrong(r, "%s: more than %d items: \"%.*s\" has no meaning here (decimals have a point)",
                 what, most, hk_inp_shown(field[more], 20), field[more].text);
  return false;
}

bool hk_inp_is(hk_inp_field field, const char *word)
{
  return hk_inp_same(field.text, field.length, word);
}

bool hk_inp_number(hk_inp_reader *r, hk_inp_field field, const char *what, double *value)
{
  double got;
  if (!field.length) return true;
  if (hk_parse_number(field.text, field.length, &got) != field.length)
    return hk_inp_wrong(r, "%s: \"%.*s\" is not a number", what, hk_inp_shown(field, 40),
                        field.text);
  if (!isfinite(got))
    return hk_inp_wrong(r, "%s: %.*s is beyond the range of numbers", what, hk_inp_shown(field, 40),
                        field.text);
  *value = got;
  return true;
}

bool hk_inp_label(hk_inp_field field, int64_t *label)
{
  return field.length && hk_parse_integer(field.text, field.length, label) == field.length;
}

bool hk_inp_integer(hk_inp_reader *r, hk_inp_field field, const char *what, int64_t *value)
{
  double number = (double)*value;
  if (!field.length || hk_inp_label(field, value)) return true;
  if (!hk_inp_number(r, field, what, &number)) return false;
  if (number != floor(number) || fabs(number) > 9e15)
    return hk_inp_wrong(r, "%s: %.*s is not a whole number", what, (int)field.length, field.text);
  *value = (int64_t)number;
  return true;
}

int hk_inp_numbers(hk_inp_reader *r, const hk_inp_field *field, int count, const char *what,
                   double *value, int most)
{
  if (count < 0) return count;
  if (!hk_inp_no_more(r, field, count, most, what)) return -1;
  for (int i = 0; i < count && i < most; i++) {
    value[i] = 0;
    if (!hk_inp_number(r, field[i], what, &value[i])) return -1;
  }
  return count < most ? count : most;
}

hk_status hk_inp_number_line(hk_inp_reader *r, const char *what, double *value, int most,
                             int *count)
{
  hk_inp_field field[HK_INP_MOST_FIELDS];
  const hk_status status = hk_inp_fields(r, field, count);
  if (status == HK_OK) *count = hk_inp_numbers(r, field, *count, what, value, most);
  return status;
}
