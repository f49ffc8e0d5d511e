/* Points from a CSV file: a line of names, x, y and in 3D z, each with a unit in brackets if it has one ("x [km]"), then a line for each point; numbers
 * are separated by commas, semicolons or blanks. `hooke inject` writes such files. */
#include "base/source.h"
#include "input/case/case.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

const char *hk_case_column(const char *at, char word[HK_COLUMN_TEXT], char unit[HK_COLUMN_TEXT])
{
  size_t n = 0, u = 0;
  at += strspn(at, " \t\"");
  for (; *at && !strchr(",;[(\" \t", *at); at++)
    if (n + 1 < HK_COLUMN_TEXT) word[n++] = (char)tolower((unsigned char)*at);
  at += strspn(at, " \t");
  if (*at == '[' || *at == '(') {
    for (at++; *at && *at != ']' && *at != ')'; at++)
      if (u + 1 < HK_COLUMN_TEXT) unit[u++] = *at;
    at += *at != 0;
  }
  word[n] = unit[u] = 0;
  at += strspn(at, " \t\"");
  return at + (*at == ',' || *at == ';');
}

bool hk_case_unit_of(const hk_case *c, const char *word, hk_dimension dimension, double *factor)
{
  hk_unit unit;
  *factor = 1;
  if (hk_unit_parse(word, &unit) != HK_OK || !hk_same_dimension(unit.dimension, dimension))
    return false;
  *factor = hk_unit_si(&unit);
  for (int k = 0; k < 4; k++) *factor /= pow(c->model->units.si[k], dimension.power[k]);
  return true;
}

typedef struct table {
  const hk_case *c;
  hk_source *source;
  const char *path;
  int columns;
  double unit[3];
  hk_count count, room;
  double (*at)[3];
} table;

static hk_status refuse(const table *t, const char *words, const char *word)
{
  return hk_error_set(HK_BAD_INPUT, "%s:%lld: error: %s%s", t->path,
                      (long long)hk_source_line_number(t->source), words, word);
}

static hk_status read_names(table *t, const char *line)
{
  static const hk_dimension length = {{1, 0, 0, 0}};
  const int dim = t->c->model->mesh->dim;
  char word[HK_COLUMN_TEXT], unit[HK_COLUMN_TEXT];
  for (; *line; t->columns++) {
    line = hk_case_column(line, word, unit);
    if (t->columns == 3 || word[0] != 'x' + t->columns || word[1])
      return refuse(t, "the first line must have the names x, y and, in 3D, z; and not ", word);
    t->unit[t->columns] = 1;
    if (!*unit) continue;
    if (t->c->plain) return refuse(t, "the case has units: none, and a column has ", unit);
    if (!hk_case_unit_of(t->c, unit, length, &t->unit[t->columns]))
      return refuse(t, "this is not a unit of length: ", unit);
  }
  if (t->columns < 2 || (t->columns != dim && !t->c->any_dim))
    return refuse(
        t, dim == 2 ? "a 2D mesh has the columns x, y" : "a 3D mesh has the columns x, y, z", "");
  return HK_OK;
}

static hk_status read_row(table *t, const char *line, size_t size)
{
  const char *at = line, *end = line + size;
  HK_PASS(hk_reserve(&t->at, t->count + 1, &t->room));
  double *x = t->at[t->count++];
  x[2] = 0;
  for (int k = 0; k < t->columns; k++) {
    at += strspn(at, " \t");
    const size_t used = hk_parse_number(at, (size_t)(end - at), &x[k]);
    if (!used || !isfinite(x[k])) return refuse(t, "expected a number for each of x, y, z", "");
    x[k] *= t->unit[k];
    at += used, at += strspn(at, " \t");
    if (k + 1 < t->columns) at += *at == ',' || *at == ';';
  }
  return at >= end ? HK_OK : refuse(t, "there are more numbers than names", "");
}

static hk_status read_rows(table *t)
{
  char *line = NULL;
  size_t size = 0;
  for (;;) {
    HK_PASS(hk_source_line(t->source, &line, &size));
    if (!line) break;
    const char *p = line + strspn(line, " \t");
    if (*p == '\0' || *p == '#') continue;
    if (!t->columns)
      HK_PASS(read_names(t, strncmp(p, "\xEF\xBB\xBF", 3) == 0 ? p + 3 : p));
    else
      HK_PASS(read_row(t, line, size));
  }
  HK_NEED(t->count, HK_BAD_INPUT,
          "%s: error: the file has no point: a line of names, then one per point", t->path);
  return HK_OK;
}

hk_status hk_case_point_file(hk_case *c, hk_pool *pool, const char *name, hk_count *count,
                             double (**out)[3])
{
  hk_status status = HK_OK;
  char *path = NULL;
  table t = {.c = c};
  HK_TRY(hk_case_beside(c, name, &path));
  HK_TRY(hk_model_add_file(c->model, path));
  t.path = c->model->file.at[c->model->file.count - 1];
  HK_TRY(hk_source_open(path, &t.source));
  HK_TRY(read_rows(&t));
  HK_TRY(hk_pool_get(pool, out, t.count));
  memcpy(*out, t.at, (size_t)t.count * sizeof **out);
  *count = t.count;
cleanup:
  hk_source_close(&t.source);
  hk_free(&path);
  hk_free(&t.at);
  return status;
}
