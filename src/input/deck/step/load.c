/* Loads and prescribed motions as the deck gives them: *BOUNDARY with degrees of freedom or ENCASTRE, PINNED, XSYMM and so on, *CLOAD, *DLOAD
 * (P1 to P6, BX, BY, BZ, GRAV, CENTRIF), *DSLOAD (P, TRVEC), and *CFLUX, *DFLUX and *FILM of heat conduction. Data lines are parsed by the
 * table of cards; OP=NEW is kept in the step. Sets are looked up later (target.c), and act.c and move.c say what acts when. */
#include "input/deck/parts.h"
#include <limits.h>
#include <string.h>

/* OP=NEW: what was given in earlier steps no longer acts. False after an error. */
static bool read_op(deck *d, const hk_inp_line *line, bool *renew)
{
  const int op = hk_inp_choice(d->reader, line, "OP", HK_WORDS("MOD", "NEW"), 0);
  if (op == 1 && d->in_step) *renew = true;
  return op >= 0;
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
  HK_PASS(hk_deck_refer(d, target, &m.on));
  HK_PASS(hk_inp_keep(d->reader, hk_inp_value(line, "AMPLITUDE"), &m.amplitude));
  HK_PASS(hk_pool_more(&d->pool, &d->acts.motion));
  d->acts.motion.at[d->acts.motion.count++] = m;
  return HK_OK;
}

static hk_status add_named_fix(deck *d, const hk_inp_line *line, const hk_inp_field *field,
                               const named_fix *fix)
{
  for (int c = 0; c < 3; c++)
    if (fix->components >> c & 1)
      HK_PASS(
          add_motion(d, line, field[0], (deck_motion){.first = c, .last = c, .symmetry = true}));
  return HK_OK;
}

static hk_status read_motion(deck *d, const hk_inp_line *line, const hk_inp_field *field, void *to)
{
  const hk_motion_kind kind = *(const hk_motion_kind *)to;
  deck_motion m = {.kind = kind, .frozen = hk_inp_given(line, "FIXED")};
  if (!hk_deck_needs_name(d, line, field[0])) return HK_OK;
  for (int i = 0; i < FIXES; i++)
    if (hk_inp_is(field[1], fixes[i].name)) {
      if (!hk_deck_no_more(d, line, field, 2)) return HK_OK;
      if (kind == HK_MOVE_DISPLACEMENT || kind == HK_MOVE_VELOCITY)
        return add_named_fix(d, line, field, &fixes[i]);
      hk_inp_wrong(d->reader, "*BOUNDARY, TYPE=ACCELERATION with %s", fixes[i].name);
      return HK_OK;
    }
  int64_t number;
  if (field[1].length && !hk_inp_label(field[1], &number)) {
    const char *names[FIXES];
    char word[32] = "";
    for (int i = 0; i < FIXES; i++) names[i] = fixes[i].name;
    strncat(word, field[1].text, field[1].length < 31 ? field[1].length : 31);
    const int near = hk_nearest(word, names, FIXES);
    hk_inp_wrong(d->reader,
                 "*BOUNDARY: \"%s\" is neither a degree of freedom nor a known condition%s", word,
                 hk_inp_meant(d->reader, near < 0 ? NULL : names[near]));
    return HK_OK;
  }
  if (!hk_deck_integer(d, field[1], "*BOUNDARY: first degree of freedom", 0, 11, &m.first))
    return HK_OK;
  if (m.first == 0) m.first = DECK_TEMPERATURE + 1; /* of older decks */
  const bool temperature = m.first == DECK_TEMPERATURE + 1;
  m.last = m.first;
  if (m.first > 6 && !temperature) {
    hk_inp_wrong(d->reader,
                 "*BOUNDARY: degree of freedom %d: must be 1 to 6, or 11 for temperatures",
                 m.first);
    return HK_OK;
  }
  int last = 0; /* of temperatures the first or none is the last */
  if (field[2].length && temperature &&
      !hk_deck_integer(d, field[2], "*BOUNDARY: last degree of freedom", 0, m.first, &last))
    return HK_OK;
  if (field[2].length && !temperature &&
      !hk_deck_integer(d, field[2], "*BOUNDARY: last degree of freedom", m.first, 6, &m.last))
    return HK_OK;
  if (!hk_inp_number(d->reader, field[3], "*BOUNDARY: value", &m.value)) return HK_OK;
  m.first--, m.last--;
  return add_motion(d, line, field[0], m);
}

/* FIXED holds nodes where a static step has left them. */
static bool may_freeze(deck *d, const hk_inp_line *line)
{
  if (!hk_inp_given(line, "FIXED") || (hk_deck_in_static(d) && d->step.count > 1)) return true;
  return hk_inp_error(
      d->reader, line->place,
      "*BOUNDARY, FIXED: no static step before this one has displacements to keep: give "
      "values on the data lines");
}

hk_status hk_deck_read_boundary(deck *d, const hk_inp_line *line)
{
  bool unused = false;
  const int type = hk_inp_choice(d->reader, line, "TYPE",
                                 HK_WORDS("DISPLACEMENT", "VELOCITY", "ACCELERATION"), 0);
  bool *renew = d->in_step ? &d->step.at[d->step.count - 1].renew_motion : &unused;
  if (hk_deck_refuse(d, line, HK_WORDS("USER", "LOAD CASE"),
                     "is not supported: give values on the data lines") ||
      !may_freeze(d, line) || type < 0 || !read_op(d, line, renew))
    return hk_inp_skip(d->reader);
  hk_motion_kind kind = (hk_motion_kind)type;
  return hk_deck_each_row(d, line, 4, read_motion, &kind);
}

/* node, degree of freedom, force */
static bool parse_cload(deck *d, const hk_inp_line *line, const hk_inp_field *field,
                        deck_load *load)
{
  int dof;
  double value = 0;
  if (!hk_deck_needs_name(d, line, field[0]) ||
      !hk_deck_integer(d, field[1], "*CLOAD: degree of freedom", 1, 3, &dof) ||
      !hk_deck_size(d, field[2], "*CLOAD: force", &value))
    return false;
  load->kind = HK_LOAD_FORCE;
  load->component = dof - 1;
  load->vector[dof - 1] = value;
  return true;
}

static bool refuse_type(deck *d, const hk_inp_line *line, hk_inp_field type, const char *known)
{
  return hk_inp_wrong(d->reader, "*%s: load type \"%.*s\" is not supported; give %s",
                      line->keyword->name, hk_inp_shown(type, 40), type.text, known);
}

/* Pn, Sn, Fn: 0-based; -1: another word. */
static int face_of(hk_inp_field word, char letter)
{
  if (word.length != 2 || (word.text[0] | 32) != letter) return -1;
  return word.text[1] >= '1' && word.text[1] <= '6' ? word.text[1] - '1' : -1;
}

/* CENTRIF, omega^2, a point of the axis, its direction. */
static bool parse_centrifugal(deck *d, const hk_inp_field *field, double value, deck_load *load)
{
  load->kind = HK_LOAD_CENTRIFUGAL;
  load->omega2 = value;
  if (value < 0)
    return hk_inp_wrong(
        d->reader, "*DLOAD, CENTRIF: %g is the square of the angular velocity: must be 0 or above",
        value);
  for (int i = 0; i < 3; i++)
    if (!hk_inp_number(d->reader, field[3 + i], "*DLOAD, CENTRIF: point of the axis", &load->at[i]))
      return false;
  return hk_deck_direction(d, field + 6, "*DLOAD, CENTRIF", load->vector);
}

/* What a load type of *DLOAD means, and how many fields its lines have; 0: it is not obeyed. */
static int dload_kind(const deck *d, hk_inp_field type, deck_load *load)
{
  static const char *const body[] = {"BX", "BY", "BZ"};
  for (int c = 0; c < 3; c++)
    if (hk_inp_is(type, body[c])) {
      load->kind = HK_LOAD_BODY, load->component = c;
      return 3;
    }
  load->kind = HK_LOAD_GRAVITY;
  if (hk_inp_is(type, "GRAV")) return 6;
  load->kind = HK_LOAD_CENTRIFUGAL;
  if (hk_inp_is(type, "CENTRIF") && hk_deck_may_be_static(d)) return 9;
  load->kind = HK_LOAD_PRESSURE, load->face = face_of(type, 'p');
  return load->face >= 0 ? 3 : 0;
}

static bool parse_dload(deck *d, const hk_inp_line *line, const hk_inp_field *field,
                        deck_load *load)
{
  double value = 0;
  const int fields = dload_kind(d, field[1], load);
  if (!fields)
    return refuse_type(d, line, field[1],
                       hk_deck_may_be_static(d) ? "P1 to P6, BX, BY, BZ, GRAV or CENTRIF"
                                                : "P1 to P6, BX, BY, BZ or GRAV");
  if (!hk_deck_no_more(d, line, field, fields) ||
      !hk_deck_size(d, field[2], "*DLOAD: magnitude", &value))
    return false;
  if (load->kind == HK_LOAD_CENTRIFUGAL) return parse_centrifugal(d, field, value, load);
  if (load->kind == HK_LOAD_GRAVITY && !hk_deck_direction(d, field + 3, "*DLOAD, GRAV", load->at))
    return false;
  for (int i = 0; i < 3 && load->kind == HK_LOAD_GRAVITY; i++)
    load->vector[i] = value * load->at[i];
  if (load->kind == HK_LOAD_PRESSURE) load->vector[0] = value;
  if (load->kind == HK_LOAD_BODY) load->vector[load->component] = value;
  return load->kind != HK_LOAD_PRESSURE || hk_deck_needs_name(d, line, field[0]);
}

static bool parse_dsload(deck *d, const hk_inp_line *line, const hk_inp_field *field,
                         deck_load *load)
{
  double value = 0;
  const bool pressure = hk_inp_is(field[1], "P");
  if (!hk_deck_needs_name(d, line, field[0])) return false;
  if (!pressure && !hk_inp_is(field[1], "TRVEC"))
    return refuse_type(d, line, field[1], "P or TRVEC");
  load->surface = true;
  load->kind = pressure ? HK_LOAD_PRESSURE : HK_LOAD_TRACTION;
  if (!hk_deck_no_more(d, line, field, pressure ? 3 : 6) ||
      !hk_deck_size(d, field[2], "*DSLOAD: magnitude", &value))
    return false;
  if (pressure) {
    load->vector[0] = value;
    return true;
  }
  if (!hk_deck_direction(d, field + 3, "*DSLOAD, TRVEC", load->vector)) return false;
  for (int i = 0; i < 3; i++) load->vector[i] *= value;
  return true;
}

/* node, 11, heat */
static bool parse_cflux(deck *d, const hk_inp_field *field, deck_load *load)
{
  int dof;
  load->kind = HK_LOAD_FORCE;
  if (!hk_deck_size(d, field[2], "*CFLUX: magnitude", &load->vector[0]) ||
      !hk_deck_integer(d, field[1], "*CFLUX: degree of freedom", INT_MIN, INT_MAX, &dof))
    return false;
  if (dof == 0 || dof == 11) return true;
  return hk_inp_wrong(d->reader, "*CFLUX: degree of freedom %d: must be 11, or 0 for it", dof);
}

/* element, Sn or BF, flux;  surface, S, flux;  element, Fn, sink's temperature, coefficient */
static bool parse_heat(deck *d, const hk_inp_line *line, const hk_inp_field *field, deck_load *load)
{
  if (!hk_deck_needs_name(d, line, field[0])) return false;
  if (load->type == DECK_CFLUX)
    return hk_deck_no_more(d, line, field, 3) && parse_cflux(d, field, load);
  const bool film = load->type == DECK_FILM;
  load->kind = film ? HK_LOAD_FILM : HK_LOAD_FLUX;
  load->surface = !film && hk_inp_is(field[1], "S");
  load->face = face_of(field[1], film ? 'f' : 's');
  if (!film && hk_inp_is(field[1], "BF"))
    load->kind = HK_LOAD_HEAT;
  else if (load->face < 0 && !load->surface)
    return refuse_type(d, line, field[1], film ? "F1 to F6" : "S1 to S6, BF, or S on a surface");
  if (!hk_deck_no_more(d, line, field, film ? 4 : 3) ||
      !hk_deck_size(d, field[2], film ? "*FILM: temperature of the sink" : "*DFLUX: magnitude",
                    &load->vector[0]) ||
      (film && !hk_deck_size(d, field[3], "*FILM: film coefficient", &load->film)))
    return false;
  if (load->film >= 0) return true;
  return hk_inp_wrong(d->reader, "*FILM: coefficient %g: must be 0 or above", load->film);
}

typedef struct load_card {
  hk_inp_id id;
  int most; /* fields of a data line */
  bool (*parse)(deck *d, const hk_inp_line *line, const hk_inp_field *field, deck_load *load);
} load_card;

static const load_card cards[DECK_LOAD_TYPES] = {
    [DECK_CLOAD] = {HK_INP_CLOAD, 3, parse_cload},    [DECK_DLOAD] = {HK_INP_DLOAD, 9, parse_dload},
    [DECK_DSLOAD] = {HK_INP_DSLOAD, 6, parse_dsload}, [DECK_CFLUX] = {HK_INP_CFLUX, 4, parse_heat},
    [DECK_DFLUX] = {HK_INP_DFLUX, 4, parse_heat},     [DECK_FILM] = {HK_INP_FILM, 4, parse_heat}};

static bool begin_loads(deck *d, const hk_inp_line *line, deck_load_type type)
{
  const char *follower = hk_inp_value(line, "FOLLOWER");
  const bool follows =
      hk_inp_given(line, "FOLLOWER") &&
      !(follower && (hk_same_text(follower, "NO") || hk_same_text(follower, "OFF")));
  if (follows && type == DECK_CLOAD)
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*CLOAD, FOLLOWER: ignored: the theory is that of small displacements, in which the "
               "force keeps its direction");
  const char *const *refused =
      type < DECK_CFLUX
          ? HK_WORDS("LOAD CASE", "SECTOR", "TIME DELAY", "CONSTANT RESULTANT", "ORIENTATION")
          : HK_WORDS("TIME DELAY", "FILM TIME DELAY", "USER");
  return !hk_deck_refuse(d, line, refused, "is not supported") &&
         read_op(d, line, &hk_deck_step_now(d)->renew[type]);
}

static hk_status take_load(deck *d, const hk_inp_line *line, const hk_inp_field *field, void *to)
{
  const deck_load_type type = *(const deck_load_type *)to;
  deck_load load = {.type = type, .face = -1};
  if (!cards[type].parse(d, line, field, &load)) return HK_OK;
  HK_PASS(hk_deck_refer(d, field[0], &load.on));
  HK_PASS(hk_inp_keep(d->reader, hk_inp_value(line, "AMPLITUDE"), &load.amplitude));
  if (type == DECK_FILM)
    HK_PASS(hk_inp_keep(d->reader, hk_inp_value(line, "FILM AMPLITUDE"), &load.film_amplitude));
  HK_PASS(hk_pool_more(&d->pool, &d->acts.load));
  d->acts.load.at[d->acts.load.count++] = load;
  return HK_OK;
}

hk_status hk_deck_read_load(deck *d, const hk_inp_line *line)
{
  deck_load_type type = DECK_CLOAD;
  while (cards[type].id != line->id) type++;
  if (!begin_loads(d, line, type)) return hk_inp_skip(d->reader);
  return hk_deck_each_row(d, line, cards[type].most, take_load, &type);
}
