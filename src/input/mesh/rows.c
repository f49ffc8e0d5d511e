/* Rows of integers and numbers by all threads. The lines at hand are cut at their ends into a slice for each thread; the threads count the
 * lines, which says where the rows of each slice go, and parse them. A row that is not plain spoils all lines at hand: they stay where they
 * are, and the next attempts begin with few bytes, twice as many each time, so that the wasted work stays in proportion. Most rows are read by
 * plain_row.c; those that it leaves are read here, character by character. */
#include "base/digits.h"
#include "element/wide.h"
#include "input/mesh/plain_row.h"
#include <math.h>
#include <omp.h>
#include <string.h>

enum {
  LEAST = 1 << 12, /* bytes of the first attempt after one that failed */
  SLICE = 1 << 16, /* least bytes of a slice */
  MOST_SLICES = 256,
  LINE_ITEMS = 16, /* of a full line in a deck */
  MOST_WIDTH = 80, /* characters of an item */
  MOST_APART = 64  /* integers of a row that is kept apart */
};

typedef struct slice {
  const char *at, *end;
  hk_count first, lines, rows; /* first: row of its first line */
  bool good;
} slice;

typedef struct cursor {
  const char *at, *end;
} cursor;

static void skip_blanks(cursor *c)
{
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t')) c->at++;
}

/* Passes the end of a line, where one is here. */
static inline bool pass_end(cursor *c)
{
  if (c->at<c->end && * c->at> ' ') return false;
  const char *p = c->at;
  while (p < c->end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
  if (p < c->end && *p != '\n') return false;
  c->at = p < c->end ? p + 1 : p;
  return true;
}

/* An integer of up to 7 digits and no sign at p, with at least one more character before the end: its length; 0: it is another. */
static inline size_t short_integer(const char *p, size_t left, int64_t *integer)
{
  uint64_t value;
  if (left < sizeof value || !hk_words_fit()) return 0;
  const int n = hk_take_digits(p, &value);
  if (n == 0 || n == 8) return 0;
  *integer = (int64_t)value;
  return (size_t)n;
}

/* The item at the cursor, with what separates it from the next one; false: it is not plain. */
static bool take_item(const hk_rows *rows, cursor *c, bool *comma, int64_t *integer, double *number)
{
  const char *from = c->at;
  const size_t left = (size_t)(c->end - c->at);
  size_t used = integer ? short_integer(from, left, integer) : 0;
  if (!used)
    used = integer ? hk_parse_integer(from, left, integer) : hk_parse_number(from, left, number);
  if (!used || (integer && (*integer < rows->low || *integer > rows->high))) return false;
  if (!integer && rows->commas && !isfinite(*number)) return false;
  c->at += used;
  if (!rows->commas) {
    if (c->at < c->end && *c->at != ' ' && *c->at != '\t' && *c->at != '\r' && *c->at != '\n')
      return false;
    skip_blanks(c);
    return true;
  }
  skip_blanks(c);
  *comma = c->at < c->end && *c->at == ',';
  if (c->at - from > MOST_WIDTH) return false;
  if (*comma) c->at++, skip_blanks(c);
  return true;
}

/* A row from the cursor on, to integer[integers] and number[numbers]. */
static bool take_row(const hk_rows *rows, cursor *c, int64_t *integer, double *number)
{
  bool comma = true;
  for (int k = 0, items = 0; k < rows->integers; k++, items++) {
    if (k && rows->commas && pass_end(c)) {
      if (!comma && items != LINE_ITEMS) return false;
      items = 0, comma = true;
      skip_blanks(c);
    }
    if (!comma || !take_item(rows, c, &comma, &integer[k], NULL)) return false;
  }
  for (int k = 0; k < rows->numbers; k++) {
    number[k] = 0;
    if (rows->commas && pass_end(c)) {
      for (; k < rows->numbers; k++) number[k] = 0;
      return true;
    }
    if (!comma || !take_item(rows, c, &comma, NULL, &number[k])) return false;
  }
  return pass_end(c);
}

/* Takes a row in either way; *empty: there is only the end of a line. */
static bool next_row(const hk_rows *rows, cursor *c, int64_t *integer, double *number, bool *empty)
{
  const char *next = hk_plain_row(rows, c->at, c->end, integer, number);
  *empty = false;
  if (next) {
    c->at = next;
    return true;
  }
  skip_blanks(c);
  *empty = pass_end(c);
  return *empty || take_row(rows, c, integer, number);
}

static void parse(const hk_rows *rows, slice *s)
{
  cursor c = {s->at, s->end};
  hk_count row = rows->count + s->first;
  int64_t own[MOST_APART] = {0};
  s->good = false;
  while (c.at < c.end) {
    int64_t *integer = rows->apart ? own : rows->integer + row * rows->integers;
    double *number = rows->numbers ? rows->number + row * rows->numbers : NULL;
    bool empty;
    if (!next_row(rows, &c, integer, number, &empty)) return;
    if (empty) continue;
    if (rows->serves && !rows->serves(rows->user, integer)) return;
    if (rows->apart) {
      hk_index *index = rows->index + row * (rows->integers - 1);
      rows->integer[row] = own[0];
      for (int k = 1; k < rows->integers; k++) index[k - 1] = (hk_index)own[k];
    }
    row++;
  }
  s->rows = row - rows->count - s->first;
  s->good = true;
}

/* Counted in bytes, side by side, which hold up to 255. */
HK_WIDE static hk_count count_lines(const char *text, const char *end)
{
  enum { SIDE = 64, MOST = 255 };
  hk_count lines = 0;
  while (end - text >= SIDE) {
    uint8_t count[SIDE] = {0};
    for (int k = 0; k < MOST && end - text >= SIDE; k++, text += SIDE)
      for (int i = 0; i < SIDE; i++) count[i] = (uint8_t)(count[i] + (text[i] == '\n'));
    for (int i = 0; i < SIDE; i++) lines += count[i];
  }
  for (; text < end; text++) lines += *text == '\n';
  return lines;
}

/* Whether a row may go on behind the line that ends at `end`. */
static bool goes_on(const hk_rows *rows, const char *text, const char *end)
{
  int items = 1;
  if (!rows->commas || rows->integers < 2) return false;
  const char *p = end - 1;
  while (p > text && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\r')) p--;
  if (p > text && p[-1] == ',') return true;
  for (; p > text && p[-1] != '\n'; p--) items += p[-1] == ',';
  return items == LINE_ITEMS;
}

/* The end of the first line from `at` on behind which a row begins. */
static const char *row_end(const hk_rows *rows, const char *text, const char *at, const char *end)
{
  while (at < end) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (!at) return end;
    if (!goes_on(rows, text, ++at)) return at;
  }
  return end;
}

/* Cuts text[length] into slices; their number. */
static int cut(const hk_rows *rows, const char *text, hk_count length, slice *s)
{
  const char *end = text + length, *at = text;
  hk_count wanted = length / SLICE + 1;
  if (wanted > omp_get_max_threads()) wanted = omp_get_max_threads();
  const int count = (int)(wanted > MOST_SLICES ? MOST_SLICES : wanted);
  for (int k = 0; k < count; k++) {
    const char *to = k + 1 < count ? text + length * (k + 1) / count : end;
    if (to < at) to = at;
    if (k + 1 < count) to = row_end(rows, text, to, end);
    s[k] = (slice){.at = at, .end = to};
    at = to;
  }
  return count;
}

/* Rows of the slices begin one behind the other; lines beyond `most` are left, and slices behind them. Returns the lines. */
static hk_count place(slice *s, int *count, hk_count most)
{
  hk_count lines = 0;
  for (int k = 0; k < *count; k++) {
    s[k].first = lines;
    if (s[k].lines > most - lines) {
      const char *p = s[k].at;
      for (hk_count i = lines; i < most; i++)
        p = (char *)memchr(p, '\n', (size_t)(s[k].end - p)) + 1;
      s[k].end = p, s[k].lines = most - lines;
      *count = k + 1;
    }
    lines += s[k].lines;
  }
  return lines;
}

/* Rows [from, from + count) of so many bytes each become those from `to` on. */
static void move_rows(void *array, int bytes, hk_count from, hk_count to, hk_count count)
{
  char *place = array;
  if (bytes) memmove(place + to * bytes, place + from * bytes, (size_t)(count * bytes));
}

/* Of a row in each array. */
static int integers_of(const hk_rows *rows)
{
  return rows->apart ? 1 : rows->integers;
}

static int indices_of(const hk_rows *rows)
{
  return rows->apart ? rows->integers - 1 : 0;
}

/* Rows over several lines leave gaps behind those of a slice. */
static void close_gaps(hk_rows *rows, const slice *s, int count)
{
  const hk_count begin = rows->count;
  for (int k = 0; k < count; k++) {
    const hk_count from = begin + s[k].first, to = rows->count;
    if (to < from) {
      move_rows(rows->integer, 8 * integers_of(rows), from, to, s[k].rows);
      move_rows(rows->index, 4 * indices_of(rows), from, to, s[k].rows);
      move_rows(rows->number, 8 * rows->numbers, from, to, s[k].rows);
    }
    rows->count += s[k].rows;
  }
}

/* The lines at hand that are to be tried: none behind one with the letter `stop`. */
static hk_status lines_at_hand(const hk_rows *rows, hk_source *source, char stop, const char **text,
                               hk_count *length)
{
  size_t all;
  HK_PASS(hk_source_peek(source, text, &all));
  const char *end = *text + all;
  if (rows->next && rows->next < (hk_count)all) end = row_end(rows, *text, *text + rows->next, end);
  const char *stopped = all ? memchr(*text, stop, (size_t)(end - *text)) : NULL;
  if (stopped) {
    const char *line = memrchr(*text, '\n', (size_t)(stopped - *text));
    end = line ? line + 1 : *text;
  }
  *length = end - *text;
  return HK_OK;
}

hk_status hk_rows_read(hk_rows *rows, hk_source *source, char stop, hk_count most)
{
  slice s[MOST_SLICES];
  const char *text;
  hk_count length;
  bool good = true;
  HK_PASS(lines_at_hand(rows, source, stop, &text, &length));
  if (!length || most < 1) return HK_OK;
  int count = cut(rows, text, length, s);
#pragma omp parallel for schedule(static) if (count > 1)
  for (int k = 0; k < count; k++) s[k].lines = count_lines(s[k].at, s[k].end);
  const hk_count lines = place(s, &count, most), all = rows->count + lines;
  HK_PASS(hk_reserve(&rows->integer, all * integers_of(rows) + 1, &rows->integer_room));
  if (rows->apart) HK_PASS(hk_reserve(&rows->index, all * indices_of(rows) + 1, &rows->index_room));
  if (rows->numbers)
    HK_PASS(hk_reserve(&rows->number, all * rows->numbers + 1, &rows->number_room));
#pragma omp parallel for schedule(static) reduction(&& : good) if (count > 1)
  for (int k = 0; k < count; k++) {
    parse(rows, &s[k]);
    good = good && s[k].good;
  }
  if (!good) {
    rows->next = LEAST;
    return HK_OK;
  }
  close_gaps(rows, s, count);
  hk_source_pass(source, (size_t)(s[count - 1].end - text), lines);
  if (rows->next) rows->next *= 2;
  return HK_OK;
}

void hk_rows_free(hk_rows *rows)
{
  hk_free(&rows->integer);
  hk_free(&rows->index);
  hk_free(&rows->number);
}
