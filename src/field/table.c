/* Grids from CSV files: a line of names, "x, y, p_speed", each with a unit in brackets if it has one ("x [km]"), then a line for each point.
 * Names and numbers are separated by commas, semicolons, blanks or tabs; a name may stand in quotes. Empty lines and those that begin with # are passed over,
 * and so is the byte-order mark of UTF-8. The points may stand in any order, and are together all points of a rectilinear grid, each once. */
#include "base/file.h"
#include "field/reader.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64, MOST_NAME = 64, MOST_UNIT = 32 };

typedef struct table {
  const hk_grid_desc *desc;
  hk_grid *grid;
  char name[MOST_COLUMNS][MOST_NAME], unit[MOST_COLUMNS][MOST_UNIT];
  int columns, of_axis[HK_GRID_AXES], of_value; /* columns; of_axis[a]: of axis a */
  hk_count line, rows;
  HK_LIST(double) number; /* rows of axes + 1: coordinates, then the value */
} table;

static bool separates(char c)
{
  return c == ',' || c == ';' || c == ' ' || c == '\t';
}

static const char *pass_blanks(const char *at)
{
  return at + strspn(at, " \t");
}

/* The next name of a line of names, with its unit in brackets, in quotes or without. *length: of the name, which may have no room. */
static const char *take_name(const char *at, size_t *length, char *name, char *unit)
{
  size_t n = 0, u = 0;
  at = pass_blanks(at);
  const char quote = *at == '"' || *at == '\'' ? *at++ : 0;
  for (; *at && *at != quote && (quote || !separates(*at)) && *at != '[' && *at != '('; at++, n++)
    if (n + 1 < MOST_NAME) name[n] = *at;
  *length = n;
  if (n < MOST_NAME)
    while (n && (name[n - 1] == ' ' || name[n - 1] == '\t')) n--;
  name[n < MOST_NAME ? n : 0] = 0;
  at = pass_blanks(at);
  if (*at == '[' || *at == '(') {
    const char end = *at++ == '[' ? ']' : ')';
    for (; *at && *at != end; at++)
      if (u + 1 < MOST_UNIT) unit[u++] = *at;
    at += *at == end;
  }
  unit[u] = 0;
  if (quote) at = pass_blanks(at), at += *at == quote;
  at = pass_blanks(at);
  return *at == ',' || *at == ';' ? at + 1 : at;
}

static hk_status read_names(table *t, const char *line)
{
  double unused;
  size_t length;
  const char *at = pass_blanks(line);
  HK_NEED(!hk_parse_number(at, strlen(at), &unused), HK_BAD_INPUT,
          "%s:%lld: the first line must have names, such as x, y, p_speed", t->desc->path,
          (long long)t->line);
  while (*at) {
    HK_NEED(t->columns < MOST_COLUMNS, HK_BAD_INPUT, "%s:%lld: more than %d columns", t->desc->path,
            (long long)t->line, MOST_COLUMNS);
    at = take_name(at, &length, t->name[t->columns], t->unit[t->columns]);
    HK_NEED(length < MOST_NAME, HK_BAD_INPUT,
            "%s:%lld: the name of column %d has %lld letters: at most %d are possible",
            t->desc->path, (long long)t->line, t->columns + 1, (long long)length, MOST_NAME - 1);
    HK_NEED(*t->name[t->columns], HK_BAD_INPUT, "%s:%lld: column %d has no name", t->desc->path,
            (long long)t->line, t->columns + 1);
    t->columns++;
  }
  return HK_OK;
}

static bool is_axis(const char *name)
{
  return name[0] >= 'x' && name[0] <= 'z' && !name[1];
}

/* The columns that are no coordinates, as words. */
static void list_names(const table *t, size_t size, char *text)
{
  size_t used = 0;
  *text = 0;
  for (int i = 0; i < t->columns && used + 24 < size; i++)
    if (!is_axis(t->name[i]))
      used += (size_t)snprintf(text + used, size - used, " %.20s", t->name[i]);
  if (!*text) snprintf(text, size, " coordinates alone");
}

/* Which columns are coordinates: x first, which then varies slowest. */
static hk_status choose_axes(table *t)
{
  hk_grid *g = t->grid;
  char known[256];
  for (int letter = 'x'; letter <= 'z'; letter++)
    for (int i = 0; i < t->columns; i++) {
      if (!is_axis(t->name[i]) || t->name[i][0] != letter) continue;
      HK_NEED(!g->axes || g->axis[g->axes - 1].direction != letter - 'x', HK_BAD_INPUT,
              "%s:%lld: has two columns %c", t->desc->path, (long long)t->line, letter);
      t->of_axis[g->axes] = i, g->axis[g->axes].direction = letter - 'x';
      snprintf(g->axis[g->axes++].unit, sizeof g->axis->unit, "%s", t->unit[i]);
    }
  list_names(t, sizeof known, known);
  HK_NEED(g->axes, HK_BAD_INPUT,
          "%s:%lld: has no column x, y or z, in small letters: its columns are%s", t->desc->path,
          (long long)t->line, known);
  HK_NEED(!t->desc->axes, HK_BAD_INPUT,
          "%s: the columns of a table are called x, y and z: axes is for arrays", t->desc->path);
  return HK_OK;
}

/* Which column has the values. */
static hk_status choose_values(table *t)
{
  const char *name = t->desc->name;
  char known[256];
  t->of_value = -1;
  for (int i = 0; i < t->columns; i++) {
    if (is_axis(t->name[i]) || (name && strcmp(name, t->name[i]) != 0)) continue;
    HK_NEED(t->of_value < 0 || !name, HK_BAD_INPUT, "%s:%lld: has two columns %s", t->desc->path,
            (long long)t->line, name);
    HK_NEED(t->of_value < 0, HK_BAD_INPUT,
            "%s:%lld: has several columns (%s and %s): give the name of one", t->desc->path,
            (long long)t->line, t->name[t->of_value], t->name[i]);
    t->of_value = i;
  }
  list_names(t, sizeof known, known);
  HK_NEED(t->of_value >= 0, HK_BAD_INPUT, "%s:%lld: has no column %s: its columns are%s",
          t->desc->path, (long long)t->line, name ? name : "of values", known);
  snprintf(t->grid->unit, sizeof t->grid->unit, "%s", t->unit[t->of_value]);
  return HK_OK;
}

static hk_status read_numbers(table *t, const char *line)
{
  double row[MOST_COLUMNS];
  const char *at = line;
  for (int i = 0; i < t->columns; i++) {
    at = pass_blanks(at);
    const size_t used = hk_parse_number(at, strlen(at), &row[i]);
    const bool missing = !used && !strncasecmp(at, "nan", 3);
    HK_NEED(*at, HK_BAD_INPUT, "%s:%lld: has %d columns, and the first line has %d", t->desc->path,
            (long long)t->line, i, t->columns);
    HK_NEED(used || missing, HK_BAD_INPUT, "%s:%lld: column %d is not a number: \"%.20s\"",
            t->desc->path, (long long)t->line, i + 1, at);
    if (missing) row[i] = NAN;
    at = pass_blanks(at + (missing ? 3 : used));
    at += *at == ',' || *at == ';';
  }
  HK_NEED(!*at, HK_BAD_INPUT, "%s:%lld: more than %d columns, as the first line has", t->desc->path,
          (long long)t->line, t->columns);
  for (int a = 0; a <= t->grid->axes; a++) {
    HK_PASS(hk_list_more(&t->number));
    t->number.at[t->number.count++] = row[a < t->grid->axes ? t->of_axis[a] : t->of_value];
  }
  t->rows++;
  return HK_OK;
}

/* What stands in a line of text, behind the byte-order mark of UTF-8 in the first one. */
static const char *pass_mark(const table *t, const char *line)
{
  static const char mark[] = "\xef\xbb\xbf";
  return t->line == 1 && !strncmp(line, mark, 3) ? line + 3 : line;
}

static hk_status read_lines(table *t, FILE *file)
{
  hk_status status = HK_OK;
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  while ((length = getline(&line, &room, file)) >= 0) {
    t->line++;
    while (length && strchr("\r\n \t", line[length - 1])) line[--length] = 0;
    HK_CHECK((size_t)length == strlen(line), HK_BAD_INPUT, "%s:%lld: is no text", t->desc->path,
             (long long)t->line);
    const char *text = pass_blanks(pass_mark(t, line));
    if (!*text || *text == '#') continue;
    if (t->columns) {
      HK_TRY(read_numbers(t, text));
      continue;
    }
    HK_TRY(read_names(t, text));
    HK_TRY(choose_axes(t));
    HK_TRY(choose_values(t));
  }
  HK_CHECK(!ferror(file), HK_BAD_INPUT, "%s: %s", t->desc->path, strerror(errno));
  HK_CHECK(t->rows, HK_BAD_INPUT, "%s: has no line of numbers", t->desc->path);
cleanup:
  free(line);
  return status;
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* The different coordinates of an axis, ascending. */
static hk_status find_axis(table *t, int a)
{
  hk_grid_axis *axis = &t->grid->axis[a];
  const int width = t->grid->axes + 1;
  HK_PASS(hk_get(&axis->at, t->rows));
  for (hk_count r = 0; r < t->rows; r++) {
    axis->at[r] = t->number.at[r * width + a];
    HK_NEED(isfinite(axis->at[r]), HK_BAD_INPUT, "%s: row %lld: %c is not a number", t->desc->path,
            (long long)r + 1, 'x' + axis->direction);
  }
  qsort(axis->at, (size_t)t->rows, sizeof *axis->at, by_value);
  axis->count = 1;
  for (hk_count r = 1; r < t->rows; r++)
    if (axis->at[r] != axis->at[axis->count - 1]) axis->at[axis->count++] = axis->at[r];
  return HK_OK;
}

static hk_count place_of(const table *t, const double *row)
{
  hk_count at = 0;
  for (int a = 0; a < t->grid->axes; a++) {
    const hk_grid_axis *axis = &t->grid->axis[a];
    const double *found =
        bsearch(&row[a], axis->at, (size_t)axis->count, sizeof *axis->at, by_value);
    at = at * axis->count + (found - axis->at);
  }
  return at;
}

static hk_status fill(table *t)
{
  hk_status status = HK_OK;
  hk_count points = 1;
  const int width = t->grid->axes + 1;
  bool *seen = NULL, fits = true;
  for (int a = 0; a < t->grid->axes; a++)
    fits = fits && !__builtin_mul_overflow(points, t->grid->axis[a].count, &points);
  HK_CHECK(
      fits && points == t->rows, HK_BAD_INPUT,
      "%s: %lld rows, but its coordinates are those of a grid of %lld x %lld x %lld points: each "
      "point of the grid needs one row",
      t->desc->path, (long long)t->rows, (long long)t->grid->axis[0].count,
      (long long)(t->grid->axes > 1 ? t->grid->axis[1].count : 1),
      (long long)(t->grid->axes > 2 ? t->grid->axis[2].count : 1));
  HK_TRY(hk_get(&t->grid->value, points));
  HK_TRY(hk_get(&seen, points));
  for (hk_count r = 0; r < t->rows; r++) {
    const double *row = t->number.at + r * width;
    const hk_count at = place_of(t, row);
    HK_CHECK(!seen[at], HK_BAD_INPUT, "%s: row %lld has the coordinates of another row",
             t->desc->path, (long long)r + 1);
    seen[at] = true, t->grid->value[at] = row[width - 1];
  }
cleanup:
  hk_free(&seen);
  return status;
}

hk_status hk_grid_read_table(const hk_grid_desc *desc, hk_grid *grid)
{
  hk_status status = HK_OK;
  FILE *file = NULL;
  table *t = NULL;
  HK_TRY(hk_new(&t));
  t->desc = desc, t->grid = grid;
  HK_TRY(hk_open_input_stream(desc->path, &file));
  HK_TRY(read_lines(t, file));
  for (int a = 0; a < grid->axes; a++) HK_TRY(find_axis(t, a));
  HK_TRY(fill(t));
cleanup:
  if (file) fclose(file);
  if (t) hk_free(&t->number.at);
  hk_free(&t);
  return status;
}
