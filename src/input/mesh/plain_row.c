/* A row of integers and numbers as programs write them. An integer is taken from one word: its characters are compared with digits all at once,
 * and the digits joined by three products (base/digits.h); what ends it stands behind it. All else is left to rows.c. */
#include "input/mesh/plain_row.h"
#include "base/digits.h"
#include <math.h>
#include <string.h>

enum { ROOM = 16, MOST_WIDTH = 80 }; /* characters that an item may look at; of an item */

static inline const char *pass_blanks(const char *p)
{
  while (*p == ' ') p++;
  return p;
}

/* Behind the end of the line that is at p; NULL: it is not. */
static inline const char *pass_line(const char *p)
{
  p += *p == '\r';
  return *p == '\n' ? p + 1 : NULL;
}

/* Behind what separates two items; NULL: something else is there. */
static inline const char *separator(bool comma, const char *item, const char *p)
{
  if (comma && *p == ',') return pass_blanks(p + 1);
  const char *behind = pass_blanks(p);
  if (behind - item > MOST_WIDTH) return NULL;
  if (comma) return *behind == ',' ? pass_blanks(behind + 1) : NULL;
  return behind > p ? behind : NULL;
}

/* Behind the digits at p, up to 8; NULL: there are none. */
static inline const char *take_digits(const char *p, uint64_t *value)
{
  const int digits = hk_take_digits(p, value);
  return digits ? p + digits : NULL;
}

/* integer[rows->integers]; behind a comma the row may go on in the next line. Behind the last one, or NULL. */
static inline const char *take_integers(const hk_rows *rows, const char *p, const char *end,
                                        int64_t *integer)
{
  const uint64_t low = (uint64_t)rows->low, range = (uint64_t)rows->high - low;
  const int last = rows->integers - 1;
  const bool comma = rows->commas;
  const char *item, *line;
  for (int k = 0;; k++) {
    uint64_t value;
    if (end - p < ROOM || !(item = p, p = take_digits(p, &value))) return NULL;
    integer[k] = (int64_t)value;
    if (value - low > range) return NULL;
    if (k == last) return p;
    if (!(p = separator(comma, item, p))) return NULL;
    if (*p < '0' && comma && (line = pass_line(p))) {
      if (line == end) return NULL; /* the row goes on in lines that are not at hand */
      p = pass_blanks(line);
    }
  }
}

static inline const char *take_number(const hk_rows *rows, const char *p, const char *end,
                                      double *number)
{
  const size_t used = hk_parse_number(p, (size_t)(end - p), number);
  return used && (!rows->commas || isfinite(*number)) ? p + used : NULL;
}

/* Lines end before `end`, so that no blank is looked for behind it. */
const char *hk_plain_row(const hk_rows *rows, const char *at, const char *end, int64_t *integer,
                         double *number)
{
  const char *p = pass_blanks(at), *item = p;
  if (!hk_words_fit()) return NULL;
  if (rows->integers && !(p = take_integers(rows, p, end, integer))) return NULL;
  for (int k = 0; k < rows->numbers; k++) {
    if ((k || rows->integers) && !(p = separator(rows->commas, item, p))) return NULL;
    item = p;
    if (!(p = take_number(rows, p, end, &number[k]))) return NULL;
  }
  item = p, p = pass_blanks(p);
  return p - item > ROOM ? NULL : pass_line(p);
}

int hk_plain_integers(const char *at, const char *end, int most, int64_t *integer,
                      const char **next)
{
  const char *p = at;
  if (!hk_words_fit() || end - p < ROOM) return 0;
  p = pass_blanks(p);
  for (int count = 0; count < most && end - p >= ROOM;) {
    const char *item = p, *line;
    uint64_t value;
    if (!(p = take_digits(p, &value))) return 0;
    integer[count++] = (int64_t)value;
    const char *behind = separator(true, item, p);
    if ((line = pass_line(behind ? behind : pass_blanks(p)))) {
      *next = line;
      return line - item > MOST_WIDTH ? 0 : count;
    }
    if (!(p = behind)) return 0;
  }
  return 0;
}
