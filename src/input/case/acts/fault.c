/* `fault` of a source: a rupture as a table of point sources (docs/sources.md). A CSV file has a line of names, each with a unit in brackets
 * if it has one ("x [km]"), then a line for each point: its place, a double couple by strike, dip, rake and moment or magnitude, or the components of
 * a moment tensor, when it begins (onset) and how long its moment grows (rise_time). Each becomes a load at a point, as of `moment`. */
#include "base/source.h"
#include "input/case/case.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  X,
  Y,
  Z,
  STRIKE,
  DIP,
  RAKE,
  SIZE,
  MAGNITUDE,
  ONSET,
  RISE,
  FIRST_COMPONENT,
  FIRST_OF_GLOBE = FIRST_COMPONENT + 6,
  QUANTITIES = 22
};

/* As the names of columns; from FIRST_COMPONENT on those of moment.c. */
static const char *const name[QUANTITIES] = {
    "x",  "y",  "z",  "strike", "dip", "rake", "moment", "magnitude", "onset", "rise_time", "xx",
    "yy", "zz", "xy", "xz",     "yz",  "rr",   "tt",     "pp",        "rt",    "rp",        "tp"};
static const hk_dimension none = {{0}}, length = {{1, 0, 0, 0}}, moment = {{2, 1, -2, 0}},
                          time_of = {{0, 0, 1, 0}};

typedef struct table {
  hk_case *c;
  const hk_node *what; /* the key of the case */
  hk_source *source;
  const char *path; /* of the model's files */
  int columns, quantity[QUANTITIES];
  double unit[QUANTITIES]; /* in the model's units */
  bool has[QUANTITIES];
  int signal;         /* of rows without rise_time */
  HK_LIST(double) at; /* [rows][3], of the points so far */
  HK_LIST(hk_count) line;
  struct {
    double rise;
    int signal;
  } * risen;
  hk_count risen_count, risen_room;
} table;

static hk_status refuse(const table *t, const char *words)
{
  return hk_error_set(HK_BAD_INPUT, "%s:%lld: error: %s", t->path,
                      (long long)hk_source_line_number(t->source), words);
}

static hk_dimension dimension_of(int quantity)
{
  if (quantity <= Z) return length;
  if (quantity == ONSET || quantity == RISE) return time_of;
  return quantity == SIZE || quantity >= FIRST_COMPONENT ? moment : none;
}

/* The unit of a column in the model's units. */
static hk_status find_unit(const table *t, int quantity, const char *word, double *unit)
{
  char words[160];
  *unit = 1;
  if (!*word) return HK_OK;
  if (t->c->plain) return refuse(t, "units in the line of names: the case has units: none");
  if (!hk_case_unit_of(t->c, word, dimension_of(quantity), unit)) {
    snprintf(words, sizeof words, "[%s] is not a unit of %s", word, name[quantity]);
    return refuse(t, words);
  }
  if (quantity >= STRIKE && quantity <= RAKE) *unit *= 180 / M_PI;
  return HK_OK;
}

static hk_status read_names(table *t, const char *line)
{
  char word[HK_COLUMN_TEXT], unit[HK_COLUMN_TEXT], words[200];
  while (*line) {
    int q = 0;
    line = hk_case_column(line, word, unit);
    while (q < QUANTITIES && strcmp(word, name[q]) != 0) q++;
    if (q == QUANTITIES) {
      snprintf(words, sizeof words,
               "the column \"%s\" is not known: x, y, z, strike, dip, rake, moment, magnitude, "
               "onset, rise_time, or components xx, yy, ... of a moment tensor",
               word);
      return refuse(t, words);
    }
    if (t->has[q]) {
      snprintf(words, sizeof words, "the column %s is there twice", name[q]);
      return refuse(t, words);
    }
    t->has[q] = true, t->quantity[t->columns] = q;
    HK_PASS(find_unit(t, q, unit, &t->unit[t->columns++]));
  }
  return HK_OK;
}

static bool any_of(const table *t, int first, int end)
{
  bool any = false;
  for (int q = first; q < end; q++) any = any || t->has[q];
  return any;
}

/* The columns tell a place and one kind of source. */
static hk_status check_columns(const table *t)
{
  const bool flat = t->c->model->mesh->dim == 2 && !t->c->any_dim,
             couple = any_of(t, STRIKE, ONSET), tensor = any_of(t, FIRST_COMPONENT, QUANTITIES);
  if (!t->has[X] || !t->has[Y] || t->has[Z] == flat)
    return refuse(t, flat ? "a 2D mesh needs the columns x and y, and no z"
                          : "the columns x, y and z are needed");
  if (couple == tensor)
    return refuse(t, "give either strike, dip, rake and moment or magnitude, or components of a "
                     "moment tensor");
  if (any_of(t, FIRST_COMPONENT, FIRST_OF_GLOBE) && any_of(t, FIRST_OF_GLOBE, QUANTITIES))
    return refuse(t, "components along x, y, z and along r, t, p: give one kind");
  if (couple && flat && !hk_case_spatial(t->c))
    return refuse(t, "strike, dip and rake are for 3D: give xx, yy, xy");
  if (couple && (!t->has[STRIKE] || !t->has[DIP] || !t->has[RAKE]))
    return refuse(t, "a double couple needs the columns strike, dip and rake");
  if (couple && t->has[SIZE] == t->has[MAGNITUDE])
    return refuse(t, "a double couple needs one of the columns moment and magnitude");
  if (t->has[MAGNITUDE] && t->c->plain)
    return refuse(t, "magnitude is of newton metres, and the case has no units: give moment");
  if (t->c->still)
    return t->has[RISE] || t->has[ONSET]
               ? refuse(t, "a static solution has no time: leave out rise_time and onset")
               : HK_OK;
  if (t->has[RISE] == (t->signal >= 0))
    return refuse(t, t->has[RISE] ? "rise_time is a column, and the source has a signal: give one"
                                  : "give the column rise_time, or a signal of the source");
  return HK_OK;
}

/* Numbers of one line, in the model's units. */
static hk_status read_row(const table *t, const char *line, size_t size, double value[QUANTITIES])
{
  const char *at = line, *end = line + size;
  char words[120];
  memset(value, 0, QUANTITIES * sizeof *value);
  for (int k = 0; k < t->columns; k++) {
    double number;
    at += strspn(at, " \t");
    const size_t used = hk_parse_number(at, (size_t)(end - at), &number);
    if (!used || !isfinite(number)) {
      snprintf(words, sizeof words, "%s, column %d, is not a number", name[t->quantity[k]], k + 1);
      return refuse(t, words);
    }
    value[t->quantity[k]] = number * t->unit[k];
    at += used, at += strspn(at, " \t");
    if (k + 1 < t->columns) at += *at == ',' || *at == ';';
  }
  return at >= end ? HK_OK : refuse(t, "there are more numbers than names of columns");
}

/* The signal of a moment that grows smoothly from 0 to 1 in this time; equal ones share it. */
static hk_status find_signal(table *t, double rise, int *signal)
{
  double time[2] = {0, rise}, one[2] = {0, 1};
  const hk_signal grows = {
      .kind = HK_SIGNAL_TABLE, .smooth = true, .count = 2, .time = time, .value = one, .scale = 1};
  for (hk_count i = t->risen_count - 1; i >= 0; i--)
    if (t->risen[i].rise == rise) {
      *signal = t->risen[i].signal;
      return HK_OK;
    }
  HK_PASS(hk_model_add_signal(t->c->model, &grows, signal));
  HK_PASS(hk_reserve(&t->risen, t->risen_count + 1, &t->risen_room));
  t->risen[t->risen_count].rise = rise;
  t->risen[t->risen_count++].signal = *signal;
  return HK_OK;
}

static void find_moment(const table *t, const double *value, double m[3][3])
{
  const double *si = t->c->model->units.si;
  double size = value[SIZE];
  memset(m, 0, 9 * sizeof(double));
  if (t->has[MAGNITUDE]) size = hk_case_moment_of_magnitude(value[MAGNITUDE], si);
  if (t->has[STRIKE]) hk_case_couple(value + STRIKE, size, m);
  for (int q = FIRST_COMPONENT; q < QUANTITIES; q++)
    if (t->has[q]) hk_case_put_component(name[q], value[q], m);
}

/* A tensor of the plane has no components across it, or, where the body moves across it, those alone; axisymmetric also zz. */
static hk_status check_moment(const table *t, double m[3][3])
{
  const bool across = hk_case_antiplane(t->c);
  const double in = fabs(m[X][X]) + fabs(m[Y][Y]) + fabs(m[X][Y]),
               out = fabs(m[X][Z]) + fabs(m[Y][Z]);
  if (t->c->model->mesh->dim == 3 || t->c->any_dim || hk_case_spatial(t->c)) return HK_OK;
  if (hk_case_ring(t->c)) {
    if (t->has[STRIKE]) return refuse(t, "a double couple is not axisymmetric: give components");
    for (int q = FIRST_OF_GLOBE; q < QUANTITIES; q++)
      if (t->has[q])
        return refuse(t, "rr, tt, pp, rt, rp and tp are not axisymmetric: give xx (r), yy (z), zz "
                         "(around the axis) and xy");
    return out > 0 ? refuse(t, "an axisymmetric model has the components xx, yy, zz and xy alone")
                   : HK_OK;
  }
  if (m[Z][Z] != 0 || (across ? in : out) > 0)
    return refuse(t, across ? "plane: antiplane has the components xz and yz alone"
                            : "a 2D mesh has the components xx, yy and xy alone");
  return HK_OK;
}

static hk_status add_row(table *t, const double *value)
{
  hk_model *model = t->c->model;
  const hk_place place = {t->path, hk_source_line_number(t->source)};
  double m[3][3], *kept;
  int signal = t->signal;
  hk_load *l;
  if (t->has[DIP] && !(value[DIP] >= 0 && value[DIP] <= 90))
    return refuse(t, "dip must be from 0 to 90 degrees");
  if (t->has[SIZE] && value[SIZE] < 0) return refuse(t, "the moment must be 0 or above");
  if (t->has[RISE] && !(value[RISE] > 0)) return refuse(t, "rise_time must be above 0");
  if (t->has[RISE] && value[ONSET] < 0)
    return refuse(t, "onset must be 0 or above: the body is at rest before t = 0");
  if (t->has[RISE]) HK_PASS(find_signal(t, value[RISE], &signal));
  find_moment(t, value, m);
  HK_PASS(check_moment(t, m));
  HK_PASS(hk_step_add_load(model, t->c->step, HK_LOAD_POINT, signal, place, &l));
  HK_PASS(hk_pool_get(&model->pool, &kept, 9));
  memcpy(kept, m, sizeof m);
  memcpy(l->at, value, sizeof l->at);
  l->moment = kept, l->delay = value[ONSET];
  for (int d = 0; d < 3; d++) {
    HK_PASS(hk_list_more(&t->at));
    t->at.at[t->at.count++] = value[d];
  }
  HK_PASS(hk_list_more(&t->line));
  t->line.at[t->line.count++] = place.line;
  return HK_OK;
}

/* All points lie in the mesh. */
static hk_status check_points(const table *t)
{
  hk_status status = HK_OK;
  hk_index *element = NULL;
  double *xi = NULL;
  char text[HK_CASE_PLACE_TEXT];
  if (t->c->draft > HK_DRAFT_BOX || t->c->wrong_units) return HK_OK;
  HK_TRY(hk_get(&element, t->line.count));
  HK_TRY(hk_get(&xi, 3 * t->line.count));
  HK_TRY(hk_case_locate(t->c, t->line.count, t->at.at, element, xi));
  for (hk_count i = 0; i < t->line.count; i++)
    HK_CHECK(element[i] >= 0, HK_BAD_INPUT,
             "%s:%lld: error: the point %s lies outside the mesh: check its units", t->path,
             (long long)t->line.at[i], hk_case_place_text(t->c, t->at.at + 3 * i, text));
cleanup:
  hk_free(&element);
  hk_free(&xi);
  return status;
}

static hk_status read_rows(table *t)
{
  char *line = NULL;
  size_t size = 0;
  double value[QUANTITIES];
  for (;;) {
    HK_PASS(hk_source_line(t->source, &line, &size));
    if (!line) break;
    const char *p = line + strspn(line, " \t");
    if (*p == '\0' || *p == '#') continue;
    if (!t->columns) {
      HK_PASS(read_names(t, strncmp(p, "\xEF\xBB\xBF", 3) == 0 ? p + 3 : p));
      HK_PASS(check_columns(t));
      continue;
    }
    HK_PASS(read_row(t, line, size, value));
    HK_PASS(add_row(t, value));
  }
  if (!t->line.count)
    return hk_error_set(HK_BAD_INPUT,
                        "%s: error: the file has no point: a line of names, then one per point",
                        t->path);
  return check_points(t);
}

static hk_status read_fault(hk_case *c, const hk_node *what, int signal)
{
  hk_status status = HK_OK;
  char *path = NULL;
  table t = {.c = c, .what = what, .signal = signal};
  HK_TRY(hk_case_beside(c, what->text, &path));
  HK_TRY(hk_model_add_file(c->model, path));
  t.path = c->model->file.at[c->model->file.count - 1];
  HK_TRY(hk_source_open(path, &t.source));
  HK_TRY(read_rows(&t));
cleanup:
  hk_source_close(&t.source);
  hk_free(&path);
  hk_free(&t.at.at);
  hk_free(&t.line.at);
  hk_free(&t.risen);
  return status;
}

hk_status hk_case_fill_fault(hk_case *c, const hk_node *map, bool *taken)
{
  const hk_node *what = hk_node_find(map, "fault");
  int signal;
  *taken = what != NULL;
  if (!what) return HK_OK;
  hk_case_refuse(c, map,
                 HK_WORDS("force", "total_force", "displacement", "velocity", "volume_rate",
                          "plane_wave", "injection", "moment", "explosion", "double_couple",
                          "gravity", "body_force", "centrifugal"),
                 "the source has fault and ", ": give one of them");
  hk_case_refuse(c, map, HK_WORDS("set", "at", "direction", "axes", "delay"),
                 "the source has fault, and ",
                 " does not belong to it: its table tells places and onsets");
  HK_PASS(hk_case_signal(c, map, &signal));
  return what->refused ? HK_OK : hk_case_forgive(c, what, read_fault(c, what, signal));
}
