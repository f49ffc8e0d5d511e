/* Amplitudes, loads, prescribed motions and initial conditions as the deck gives them. */
#include "model/deck_parts.h"
#include <math.h>
#include <string.h>

enum { FIELDS = 8 }; /* of a data line */

static hk_status add_point(deck *d, deck_amplitude *a, hk_count *room, double time, double value)
{
  hk_status status = HK_OK;
  hk_signal *s = &a->signal;
  hk_count same = *room;
  if (s->count && !(time > s->time[s->count - 1])) {
    hk_inp_error(d->reader, hk_inp_here(d->reader),
                 "*AMPLITUDE, NAME=%s: time %g does not lie after the one before, %g", s->name,
                 time, s->time[s->count - 1]);
    return HK_OK;
  }
  HK_TRY(hk_reserve(&s->time, s->count + 1, &same));
  HK_TRY(hk_reserve(&s->value, s->count + 1, room));
  s->time[s->count] = time, s->value[s->count++] = value;
cleanup:
  return status;
}

static hk_status read_points(deck *d, deck_amplitude *a, double shift_x, double shift_y)
{
  hk_status status = HK_OK;
  hk_count room = 0;
  char *text;
  size_t length;
  for (;;) {
    double value[8];
    HK_TRY(hk_inp_data(d->reader, &text, &length));
    if (!text) break;
    const int count = hk_inp_numbers(d->reader, text, length, "*AMPLITUDE", value, 8);
    if (count > 0 && count % 2)
      hk_inp_error(d->reader, hk_inp_here(d->reader),
                   "*AMPLITUDE, NAME=%s: pairs of time and value are needed", a->signal.name);
    for (int i = 0; i + 1 < count; i += 2)
      HK_TRY(add_point(d, a, &room, value[i] + shift_x, value[i + 1] + shift_y));
  }
cleanup:
  return status;
}

static double parameter_or(deck *d, const hk_inp_line *line, const char *name, double value)
{
  const char *text = hk_inp_value(line, name);
  if (text && (hk_parse_number(text, strlen(text), &value) != strlen(text) || !isfinite(value)))
    hk_inp_error(d->reader, line->place, "*%s, %s=%s: a number is needed", line->keyword->name,
                 name, text);
  return value;
}

hk_status hk_deck_read_amplitude(deck *d, const hk_inp_line *line)
{
  static const char *const definitions[] = {"TABULAR", "SMOOTH STEP"};
  static const char *const times[] = {"STEP TIME", "TOTAL TIME", "STEP", "TOTAL"};
  static const char *const values[] = {"RELATIVE", "ABSOLUTE"};
  hk_status status = HK_OK;
  const char *name = hk_inp_need(d->reader, line, "NAME");
  const int definition = hk_inp_choice(d->reader, line, "DEFINITION", definitions, 2, 0);
  const int time = hk_inp_choice(d->reader, line, "TIME", times, 4, 0);
  const int value = hk_inp_choice(d->reader, line, "VALUE", values, 2, 0);
  if (!name || definition < 0 || time < 0 || value < 0) return hk_inp_skip(d->reader);
  if (parameter_or(d, line, "SMOOTH", 0) != 0)
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*AMPLITUDE, SMOOTH: the table is taken as it is, without rounded corners");
  HK_TRY(hk_reserve(&d->amplitude, d->amplitudes + 1, &d->amplitude_room));
  deck_amplitude *a = &d->amplitude[d->amplitudes];
  *a = (deck_amplitude){.signal = {.kind = HK_SIGNAL_TABLE, .smooth = definition == 1, .scale = 1},
                        .place = line->place,
                        .total_time = time % 2 == 1,
                        .absolute = value == 1};
  d->amplitudes++;
  HK_TRY(hk_copy_text(&a->signal.name, name));
  HK_TRY(hk_deck_name(d, line->place, name, DECK_AMPLITUDE, d->amplitudes - 1));
  if (hk_inp_value(line, "INPUT")) HK_TRY(hk_inp_push(d->reader, hk_inp_value(line, "INPUT")));
  HK_TRY(read_points(d, a, parameter_or(d, line, "SHIFTX", 0), parameter_or(d, line, "SHIFTY", 0)));
  if (!a->signal.count)
    hk_inp_error(d->reader, line->place, "*AMPLITUDE, NAME=%s: it has no points", name);
cleanup:
  return status;
}

/* OP=NEW: what was given in earlier steps no longer acts. False after an error. */
static bool read_op(deck *d, const hk_inp_line *line, bool *renew)
{
  static const char *const ops[] = {"MOD", "NEW"};
  const int op = hk_inp_choice(d->reader, line, "OP", ops, 2, 0);
  if (op == 1 && d->in_step) *renew = true;
  return op >= 0;
}

static bool refuse(deck *d, const hk_inp_line *line, const char *const *names, int count,
                   const char *why)
{
  bool refused = false;
  for (int i = 0; i < count; i++)
    if (hk_inp_given(line, names[i])) {
      hk_inp_error(d->reader, line->place, "*%s, %s: %s", line->keyword->name, names[i], why);
      refused = true;
    }
  return refused;
}

/* The next data line as fields, empty where there are fewer; *count is -1 where the line is faulty
 * or says more than `most` things, *end at the last. */
static hk_status next_fields(deck *d, hk_inp_field field[FIELDS], int most, int *count, bool *end)
{
  char *text;
  size_t length;
  const hk_status status = hk_inp_data(d->reader, &text, &length);
  *end = status != HK_OK || !text;
  if (!*end) *count = hk_inp_split(d->reader, text, length, field, FIELDS);
  for (int i = *end || *count < 0 ? 0 : *count; i < FIELDS; i++) field[i] = (hk_inp_field){"", 0};
  for (int i = most; i < FIELDS; i++)
    if (field[i].length && *count >= 0) {
      hk_inp_error(d->reader, hk_inp_here(d->reader),
                   "\"%.40s\": more than %d items: the rest has no meaning here", text, most);
      *count = -1;
    }
  return status;
}

static bool take_integer(deck *d, hk_inp_field field, const char *what, int least, int most,
                         int *value)
{
  int64_t got = INT64_MIN;
  if (!hk_inp_integer(d->reader, field, what, &got)) return false;
  if (got >= least && got <= most) {
    *value = (int)got;
    return true;
  }
  hk_inp_error(d->reader, hk_inp_here(d->reader), "%s: \"%.*s\" must be %d to %d", what,
               (int)(field.length > 40 ? 40 : field.length), field.text, least, most);
  return false;
}

/* A load without a size is a slip of the pen. */
static bool take_size(deck *d, hk_inp_field field, const char *what, double *value)
{
  if (field.length) return hk_inp_number(d->reader, field, what, value);
  hk_inp_error(d->reader, hk_inp_here(d->reader), "%s is missing", what);
  return false;
}

static bool needs_name(deck *d, const hk_inp_line *line, hk_inp_field field)
{
  if (field.length) return true;
  hk_inp_error(d->reader, hk_inp_here(d->reader), "*%s: a set or number is missing",
               line->keyword->name);
  return false;
}

typedef struct named_fix {
  const char *name;
  unsigned components; /* bits 0..2: displacements that are fixed */
} named_fix;

static const named_fix fixes[] = {{"ENCASTRE", 7}, {"PINNED", 7}, {"XSYMM", 1},  {"YSYMM", 2},
                                  {"ZSYMM", 4},    {"XASYMM", 6}, {"YASYMM", 5}, {"ZASYMM", 3}};
enum { FIXES = sizeof fixes / sizeof *fixes };

static hk_status add_motion(deck *d, const hk_inp_line *line, hk_inp_field target, deck_motion m)
{
  hk_status status = HK_OK;
  HK_TRY(hk_reserve(&d->motion, d->motions + 1, &d->motion_room));
  m.scope = hk_inp_scope(d->inp), m.place = hk_inp_here(d->reader);
  deck_motion *to = &d->motion[d->motions];
  *to = m;
  d->motions++;
  HK_TRY(hk_inp_text(target, &to->target));
  HK_TRY(hk_deck_copy(hk_inp_value(line, "AMPLITUDE"), &to->amplitude));
cleanup:
  return status;
}

static hk_status add_named_fix(deck *d, const hk_inp_line *line, const hk_inp_field *field,
                               const named_fix *fix)
{
  hk_status status = HK_OK;
  for (int c = 0; c < 3; c++)
    if (fix->components >> c & 1)
      HK_TRY(add_motion(d, line, field[0], (deck_motion){.first = c, .last = c, .symmetry = true}));
cleanup:
  return status;
}

static hk_status read_motion(deck *d, const hk_inp_line *line, const hk_inp_field *field,
                             hk_motion_kind kind)
{
  deck_motion m = {.kind = kind};
  for (int i = 0; i < FIXES; i++)
    if (hk_inp_is(field[1], fixes[i].name)) {
      if (kind == HK_MOVE_DISPLACEMENT || kind == HK_MOVE_VELOCITY)
        return add_named_fix(d, line, field, &fixes[i]);
      hk_inp_error(d->reader, hk_inp_here(d->reader), "*BOUNDARY, TYPE=ACCELERATION with %s",
                   fixes[i].name);
      return HK_OK;
    }
  int64_t number;
  if (field[1].length && !hk_inp_label(field[1], &number)) {
    const char *names[FIXES];
    char word[32] = "";
    for (int i = 0; i < FIXES; i++) names[i] = fixes[i].name;
    strncat(word, field[1].text, field[1].length < 31 ? field[1].length : 31);
    const int near = hk_nearest(word, names, FIXES);
    hk_inp_error(d->reader, hk_inp_here(d->reader),
                 "*BOUNDARY: \"%s\" is neither a degree of freedom nor a known condition%s%s%s",
                 word, near < 0 ? "" : "; did you mean ", near < 0 ? "" : names[near],
                 near < 0 ? "" : "?");
    return HK_OK;
  }
  if (!take_integer(d, field[1], "*BOUNDARY: first degree of freedom", 1, 6, &m.first))
    return HK_OK;
  m.last = m.first;
  if (field[2].length &&
      !take_integer(d, field[2], "*BOUNDARY: last degree of freedom", m.first, 6, &m.last))
    return HK_OK;
  if (!hk_inp_number(d->reader, field[3], "*BOUNDARY: value", &m.value)) return HK_OK;
  m.first--, m.last--;
  return add_motion(d, line, field[0], m);
}

hk_status hk_deck_read_boundary(deck *d, const hk_inp_line *line)
{
  static const char *const types[] = {"DISPLACEMENT", "VELOCITY", "ACCELERATION"};
  static const char *const refused[] = {"USER", "FIXED", "LOAD CASE"};
  hk_status status = HK_OK;
  hk_inp_field field[FIELDS];
  int count = 0;
  bool end, unused = false;
  const int type = hk_inp_choice(d->reader, line, "TYPE", types, 3, 0);
  bool *renew = d->in_step ? &d->step[d->steps - 1].renew_motion : &unused;
  if (refuse(d, line, refused, 3, "is not obeyed: give values on the data lines") || type < 0 ||
      !read_op(d, line, renew))
    return hk_inp_skip(d->reader);
  for (;;) {
    HK_TRY(next_fields(d, field, 4, &count, &end));
    if (end) break;
    if (count >= 0 && needs_name(d, line, field[0]))
      HK_TRY(read_motion(d, line, field, (hk_motion_kind)type));
  }
cleanup:
  return status;
}

static hk_status add_load(deck *d, const hk_inp_line *line, hk_inp_field target, deck_load load)
{
  hk_status status = HK_OK;
  HK_TRY(hk_reserve(&d->load, d->loads + 1, &d->load_room));
  load.scope = hk_inp_scope(d->inp), load.place = hk_inp_here(d->reader);
  deck_load *to = &d->load[d->loads];
  *to = load;
  d->loads++;
  if (target.length) HK_TRY(hk_inp_text(target, &to->target));
  HK_TRY(hk_deck_copy(hk_inp_value(line, "AMPLITUDE"), &to->amplitude));
cleanup:
  return status;
}

static bool begin_loads(deck *d, const hk_inp_line *line, deck_load_type type)
{
  static const char *const refused[] = {"LOAD CASE", "SECTOR", "TIME DELAY", "CONSTANT RESULTANT",
                                        "ORIENTATION"};
  const char *follower = hk_inp_value(line, "FOLLOWER");
  const bool follows =
      hk_inp_given(line, "FOLLOWER") &&
      !(follower && (hk_same_text(follower, "NO") || hk_same_text(follower, "OFF")));
  if (follows && type == DECK_CLOAD)
    hk_inp_say(
        d->reader, HK_WARNING, line->place,
        "*CLOAD, FOLLOWER: displacements are taken as small, so the force keeps its direction");
  return !refuse(d, line, refused, 5, "is not obeyed") &&
         read_op(d, line, &d->step[d->steps - 1].renew[type]);
}

hk_status hk_deck_read_cload(deck *d, const hk_inp_line *line)
{
  hk_status status = HK_OK;
  hk_inp_field field[FIELDS];
  int count = 0, dof;
  bool end;
  if (!begin_loads(d, line, DECK_CLOAD)) return hk_inp_skip(d->reader);
  for (;;) {
    deck_load load = {.type = DECK_CLOAD, .kind = HK_LOAD_FORCE};
    double value = 0;
    HK_TRY(next_fields(d, field, 3, &count, &end));
    if (end) break;
    if (count < 0 || !needs_name(d, line, field[0]) ||
        !take_integer(d, field[1], "*CLOAD: degree of freedom", 1, 3, &dof) ||
        !take_size(d, field[2], "*CLOAD: force", &value))
      continue;
    load.component = dof - 1;
    load.vector[dof - 1] = value;
    HK_TRY(add_load(d, line, field[0], load));
  }
cleanup:
  return status;
}

/* field[from..from + 3) as a unit vector. */
static bool take_direction(deck *d, const hk_inp_field *field, const char *what, double vector[3])
{
  double length = 0;
  for (int i = 0; i < 3; i++) {
    vector[i] = 0;
    if (!hk_inp_number(d->reader, field[i], what, &vector[i])) return false;
    length += vector[i] * vector[i];
  }
  length = sqrt(length);
  if (!(length > 0) || !isfinite(length)) {
    hk_inp_error(d->reader, hk_inp_here(d->reader), "%s: its direction is missing", what);
    return false;
  }
  if (fabs(length - 1) > 1e-6)
    hk_inp_say(d->reader, HK_WARNING, hk_inp_here(d->reader),
               "%s: the direction has length %g and is taken as a unit vector", what, length);
  for (int i = 0; i < 3; i++) vector[i] /= length;
  return true;
}

static bool parse_dload(deck *d, const hk_inp_field *field, deck_load *load)
{
  static const char *const body[] = {"BX", "BY", "BZ"};
  double value = 0;
  if (!take_size(d, field[2], "*DLOAD: magnitude", &value)) return false;
  for (int c = 0; c < 3; c++)
    if (hk_inp_is(field[1], body[c])) {
      load->kind = HK_LOAD_BODY;
      load->vector[c] = value, load->component = c;
      return true;
    }
  if (hk_inp_is(field[1], "GRAV")) {
    load->kind = HK_LOAD_GRAVITY;
    if (!take_direction(d, field + 3, "*DLOAD, GRAV", load->vector)) return false;
    for (int i = 0; i < 3; i++) load->vector[i] *= value;
    return true;
  }
  if (field[1].length == 2 && (field[1].text[0] == 'P' || field[1].text[0] == 'p') &&
      field[1].text[1] >= '1' && field[1].text[1] <= '6') {
    load->kind = HK_LOAD_PRESSURE;
    load->face = field[1].text[1] - '1', load->vector[0] = value;
    return true;
  }
  hk_inp_error(d->reader, hk_inp_here(d->reader),
               "*DLOAD: load type \"%.*s\" is not obeyed; P1 to P6, BX, BY, BZ and GRAV are",
               (int)(field[1].length > 40 ? 40 : field[1].length), field[1].text);
  return false;
}

hk_status hk_deck_read_dload(deck *d, const hk_inp_line *line)
{
  hk_status status = HK_OK;
  hk_inp_field field[FIELDS];
  int count = 0;
  bool end;
  if (!begin_loads(d, line, DECK_DLOAD)) return hk_inp_skip(d->reader);
  for (;;) {
    deck_load load = {.type = DECK_DLOAD, .face = -1};
    HK_TRY(next_fields(d, field, 6, &count, &end));
    if (end) break;
    if (count < 0 || !parse_dload(d, field, &load)) continue;
    if (load.kind == HK_LOAD_PRESSURE && !needs_name(d, line, field[0])) continue;
    HK_TRY(add_load(d, line, field[0], load));
  }
cleanup:
  return status;
}

static bool parse_dsload(deck *d, const hk_inp_field *field, deck_load *load)
{
  double value = 0;
  if (!take_size(d, field[2], "*DSLOAD: magnitude", &value)) return false;
  if (hk_inp_is(field[1], "P")) {
    load->kind = HK_LOAD_PRESSURE;
    load->vector[0] = value;
    return true;
  }
  if (hk_inp_is(field[1], "TRVEC")) {
    load->kind = HK_LOAD_TRACTION;
    if (!take_direction(d, field + 3, "*DSLOAD, TRVEC", load->vector)) return false;
    for (int i = 0; i < 3; i++) load->vector[i] *= value;
    return true;
  }
  hk_inp_error(d->reader, hk_inp_here(d->reader),
               "*DSLOAD: load type \"%.*s\" is not obeyed; P and TRVEC are",
               (int)(field[1].length > 40 ? 40 : field[1].length), field[1].text);
  return false;
}

hk_status hk_deck_read_dsload(deck *d, const hk_inp_line *line)
{
  hk_status status = HK_OK;
  hk_inp_field field[FIELDS];
  int count = 0;
  bool end;
  if (!begin_loads(d, line, DECK_DSLOAD)) return hk_inp_skip(d->reader);
  for (;;) {
    deck_load load = {.type = DECK_DSLOAD, .face = -1};
    HK_TRY(next_fields(d, field, 6, &count, &end));
    if (end) break;
    if (count >= 0 && needs_name(d, line, field[0]) && parse_dsload(d, field, &load))
      HK_TRY(add_load(d, line, field[0], load));
  }
cleanup:
  return status;
}

hk_status hk_deck_read_initial(deck *d, const hk_inp_line *line)
{
  static const char *const types[] = {"VELOCITY", "DISPLACEMENT"};
  hk_status status = HK_OK;
  hk_inp_field field[FIELDS];
  int count = 0, dof;
  bool end;
  const char *given = hk_inp_need(d->reader, line, "TYPE");
  const int type = given ? hk_inp_choice(d->reader, line, "TYPE", types, 2, 0) : -1;
  if (type < 0) return hk_inp_skip(d->reader);
  if (hk_inp_value(line, "INPUT")) HK_TRY(hk_inp_push(d->reader, hk_inp_value(line, "INPUT")));
  for (;;) {
    double value = 0;
    HK_TRY(next_fields(d, field, 3, &count, &end));
    if (end) break;
    if (count < 0 || !needs_name(d, line, field[0]) ||
        !take_integer(d, field[1], "*INITIAL CONDITIONS: degree of freedom", 1, 3, &dof) ||
        !take_size(d, field[2], "*INITIAL CONDITIONS: value", &value))
      continue;
    HK_TRY(hk_reserve(&d->initial, d->initials + 1, &d->initial_room));
    deck_initial *to = &d->initial[d->initials];
    *to = (deck_initial){.kind = type ? HK_MOVE_DISPLACEMENT : HK_MOVE_VELOCITY,
                         .component = dof - 1,
                         .value = value,
                         .scope = hk_inp_scope(d->inp),
                         .place = hk_inp_here(d->reader)};
    d->initials++;
    HK_TRY(hk_inp_text(field[0], &to->target));
  }
cleanup:
  return status;
}
