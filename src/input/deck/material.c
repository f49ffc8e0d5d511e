/* *MATERIAL with *DENSITY, *ELASTIC, *DAMPING, *CONDUCTIVITY, *EXPANSION, *SPECIFIC HEAT and *LATENT HEAT, and *SOLID SECTION, which gives a material to an
 * element set. Constants are kept in the deck's order; region.c turns them into laws. One set of constants is read: a dependence on
 * temperature or fields is refused but for *CONDUCTIVITY and *SPECIFIC HEAT. A number that a decimal comma may have split is told. */
#include "input/deck/parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

hk_status hk_deck_read_material(deck *d, const hk_inp_line *line)
{
  const char *name = hk_inp_need(d->reader, line, "NAME");
  if (!name) return HK_OK;
  HK_PASS(hk_pool_more(&d->pool, &d->matter.material));
  deck_material *m = &d->matter.material.at[d->matter.material.count];
  *m = (deck_material){.place = line->place};
  HK_PASS(hk_inp_keep(d->reader, name, &m->name));
  d->matter.now = (int)d->matter.material.count++;
  return hk_deck_name(d, line->place, m->name, DECK_MATERIAL, d->matter.now);
}

/* The material that the keyword belongs to; NULL after an error. */
static deck_material *material_of(deck *d, const hk_inp_line *line)
{
  if (d->matter.now >= 0) return &d->matter.material.at[d->matter.now];
  hk_inp_error(d->reader, line->place, "*%s belongs to a material: give it after *MATERIAL",
               line->keyword->name);
  return NULL;
}

/* How many values may follow the constants of a line: the temperature, and the fields that
 * DEPENDENCIES= counts, for which they hold. */
static int conditions_of(deck *d, const hk_inp_line *line)
{
  const double fields = hk_deck_parameter(d, line, "DEPENDENCIES", 0);
  return 1 + (fields >= 1 && fields <= HK_INP_MOST_FIELDS ? (int)fields : 0);
}

/* One data line of constants into row: up to `constants` numbers, then the temperature and fields that they hold for. Returns how many
 * numbers there are; -1 after an error. A decimal comma can split one number into the last constant and a temperature: that gets a warning. */
static int read_row(deck *d, const hk_inp_line *line, const hk_inp_field *field, int count,
                    int constants, double row[HK_INP_MOST_FIELDS])
{
  enum { LINE = 8, SHOWN = 20 };
  char what[80];
  const int all = constants + conditions_of(d, line), most = all < LINE ? all : LINE;
  snprintf(what, sizeof what, "*%s", line->keyword->name);
  const int got = hk_inp_numbers(d->reader, field, count, what, row, most);
  if (got < 0 || count <= constants || !hk_inp_decimal_comma(field, count, constants - 1))
    return got;
  const hk_inp_field last = field[constants - 1], next = field[constants];
  const int before = hk_inp_shown(last, SHOWN), behind = hk_inp_shown(next, SHOWN);
  hk_inp_say(d->reader, HK_WARNING, hk_inp_here(d->reader),
             "%s: hooke reads %.*s as the constant and %.*s as its temperature; if \"%.*s,%.*s\" "
             "is one number with a decimal comma, write a point",
             what, before, last.text, behind, next.text, before, last.text, behind, next.text);
  return got;
}

/* All numbers of the data lines, up to `most`: *count of them, -1 after an error. A number of lines beyond those is a dependence on
 * temperature. */
static hk_status read_constants(deck *d, const hk_inp_line *line, double *value, int most,
                                int *count)
{
  hk_inp_field field[HK_INP_MOST_FIELDS];
  int got = 0;
  for (*count = 0; *count >= 0;) {
    double row[HK_INP_MOST_FIELDS];
    HK_PASS(hk_inp_fields(d->reader, field, &got));
    if (got == HK_INP_END) return HK_OK;
    if (*count >= most) {
      hk_inp_wrong(d->reader,
                   "*%s: only one set of constants is supported: they cannot depend on temperature "
                   "or fields",
                   line->keyword->name);
      break;
    }
    got = read_row(d, line, field, got, most - *count, row);
    for (int i = 0; i < got && *count < most; i++) value[(*count)++] = row[i];
    if (got < 0) *count = -1;
  }
  return hk_inp_skip(d->reader);
}

hk_status hk_deck_read_density(deck *d, const hk_inp_line *line)
{
  double value = 0;
  int count;
  deck_material *m = material_of(d, line);
  if (!m) return hk_inp_skip(d->reader);
  HK_PASS(read_constants(d, line, &value, 1, &count));
  m->has_density = true, m->density = value;
  if (count == 0)
    hk_inp_error(d->reader, line->place, "*DENSITY: its value is missing");
  else if (count > 0 && !(value > 0))
    hk_inp_error(d->reader, line->place, "*DENSITY: %g must be above 0", value);
  return HK_OK;
}

hk_status hk_deck_read_elastic(deck *d, const hk_inp_line *line)
{
  static const char *const types[] = {
      "ISOTROPIC", "ENGINEERING CONSTANTS", "ORTHOTROPIC", "ANISOTROPIC", "ORTHO", "ANISO", "ISO",
      NULL};
  static const deck_elastic elastic[] = {DECK_ISOTROPIC,   DECK_ENGINEERING, DECK_ORTHOTROPIC,
                                         DECK_ANISOTROPIC, DECK_ORTHOTROPIC, DECK_ANISOTROPIC,
                                         DECK_ISOTROPIC};
  static const int needed[] = {0, 2, 9, 9, 21};
  int count;
  deck_material *m = material_of(d, line);
  const int type = hk_inp_choice(d->reader, line, "TYPE", types, 0);
  if (!m || type < 0) return hk_inp_skip(d->reader);
  m->elastic = elastic[type], m->elastic_place = line->place;
  HK_PASS(read_constants(d, line, m->constant, needed[m->elastic], &count));
  m->refused = count < needed[m->elastic];
  if (count >= 0 && m->refused)
    hk_inp_error(d->reader, line->place, "*ELASTIC, TYPE=%s: %d constants; it needs %d",
                 types[type], count, needed[m->elastic]);
  return HK_OK;
}

static bool parameter_number(deck *d, const hk_inp_line *line, const char *name, double *value)
{
  const char *text = hk_inp_value(line, name);
  if (!text) return true;
  if (hk_parse_number(text, strlen(text), value) == strlen(text) && isfinite(*value)) return true;
  return hk_inp_error(d->reader, line->place, "*%s, %s=%s: must be a number", line->keyword->name,
                      name, text);
}

hk_status hk_deck_read_damping(deck *d, const hk_inp_line *line)
{
  static const char *const not_obeyed[] = {"BETA", "STRUCTURAL", "COMPOSITE"};
  double alpha = 0;
  deck_material *m = material_of(d, line);
  if (!m) return hk_inp_skip(d->reader);
  if (parameter_number(d, line, "ALPHA", &alpha) && alpha < 0)
    hk_inp_error(d->reader, line->place, "*DAMPING, ALPHA=%g: must be 0 or above", alpha);
  m->mass_damping = alpha;
  for (int i = 0; i < 3; i++) {
    double value = 0;
    if (parameter_number(d, line, not_obeyed[i], &value) && value != 0)
      m->damping = not_obeyed[i], m->damping_value = value, m->damping_place = line->place;
  }
  return HK_OK;
}

/* One more row of a table, whose temperature follows `constants` numbers of a line. */
static hk_status add_row(deck *d, const hk_inp_line *line, hk_table *table, const double *value,
                         int count, int constants, double factor)
{
  const double t = count > constants ? value[constants] : 0;
  if (table->rows && !(t > table->row[table->rows - 1][0])) {
    hk_inp_wrong(d->reader, "*%s: temperature %g is not above %g: temperatures must ascend",
                 line->keyword->name, t, table->row[table->rows - 1][0]);
    return HK_OK;
  }
  HK_PASS(hk_pool_room(&d->pool, &table->row, table->rows + 1));
  table->row[table->rows][0] = t, table->row[table->rows][1] = factor;
  table->rows++;
  return HK_OK;
}

/* A line for each temperature, which follows the constants. They are factors of the first line's; constants of ORTHO and ANISO must change in one
 * ratio. A dependence on fields alone is none. */
static hk_status take_conductivity(deck *d, const hk_inp_line *line, deck_material *m,
                                   const double *value, int count, int needed)
{
  int k = 0;
  while (k < needed - 1 && m->conductivity[k] == 0) k++;
  const double factor = m->conductivity[k] != 0 ? value[k] / m->conductivity[k] : 1;
  for (int i = 0; i < needed; i++)
    if (fabs(value[i] - factor * m->conductivity[i]) > 1e-9 * fabs(value[i]))
      m->conductivity_varies = true;
  if (!(factor > 0)) m->conductivity_varies = true;
  return add_row(d, line, &m->conductivity_at, value, count, needed, factor);
}

hk_status hk_deck_read_conductivity(deck *d, const hk_inp_line *line)
{
  static const char *const types[] = {"ISO", "ORTHO", "ANISO", NULL};
  static const int needed[] = {1, 3, 6};
  hk_inp_field field[HK_INP_MOST_FIELDS];
  deck_material *m = material_of(d, line);
  const int type = hk_inp_choice(d->reader, line, "TYPE", types, 0);
  if (!m || type < 0) return hk_inp_skip(d->reader);
  m->conductivities = needed[type], m->conductivity_place = line->place;
  m->conductivity_at.rows = 0;
  for (int row = 0;; row++) {
    double value[HK_INP_MOST_FIELDS];
    int count;
    HK_PASS(hk_inp_fields(d->reader, field, &count));
    if (count == HK_INP_END && !row) {
      m->conductivity_refused = true;
      hk_inp_error(d->reader, line->place, "*CONDUCTIVITY: its value is missing");
    }
    if (count == HK_INP_END) break;
    count = read_row(d, line, field, count, needed[type], value);
    if (count >= 0 && count < needed[type])
      hk_inp_wrong(d->reader, "*CONDUCTIVITY, TYPE=%s: %d constants; it needs %d", types[type],
                   count, needed[type]);
    m->conductivity_refused = m->conductivity_refused || count < needed[type];
    for (int i = 0; i < needed[type] && i < count && !row; i++) m->conductivity[i] = value[i];
    if (count >= needed[type]) HK_PASS(take_conductivity(d, line, m, value, count, needed[type]));
  }
  return HK_OK;
}

hk_status hk_deck_read_specific_heat(deck *d, const hk_inp_line *line)
{
  hk_inp_field field[HK_INP_MOST_FIELDS];
  deck_material *m = material_of(d, line);
  if (!m) return hk_inp_skip(d->reader);
  m->specific_heat_place = line->place, m->specific_heat_at.rows = 0;
  bool good = true;
  for (int row = 0;; row++) {
    double value[HK_INP_MOST_FIELDS];
    int count;
    HK_PASS(hk_inp_fields(d->reader, field, &count));
    if (count == HK_INP_END) break;
    count = read_row(d, line, field, count, 1, value);
    good = good && count >= 1 && value[0] > 0;
    if (count < 1) continue;
    if (!row) m->specific_heat = value[0];
    HK_PASS(add_row(d, line, &m->specific_heat_at, value, count, 1, value[0] / m->specific_heat));
  }
  if (!good || !(m->specific_heat > 0))
    hk_inp_error(d->reader, line->place, "*SPECIFIC HEAT: give values above 0");
  return HK_OK;
}

/* Heat, solidus and liquidus, a line for each change of phase. */
hk_status hk_deck_read_latent_heat(deck *d, const hk_inp_line *line)
{
  hk_inp_field field[HK_INP_MOST_FIELDS];
  deck_material *m = material_of(d, line);
  if (!m) return hk_inp_skip(d->reader);
  m->latent.place = line->place, m->latent.rows = 0;
  for (;;) {
    double value[3];
    int count;
    HK_PASS(hk_inp_fields(d->reader, field, &count));
    if (count == HK_INP_END) break;
    count = hk_inp_numbers(d->reader, field, count, "*LATENT HEAT", value, 3);
    if (count < 0) continue;
    if (count < 3 || !(value[0] >= 0 && value[2] > value[1])) {
      hk_inp_wrong(d->reader,
                   "*LATENT HEAT: give the heat per mass, 0 or above, the solidus, and the "
                   "liquidus above it");
      continue;
    }
    HK_PASS(hk_pool_room(&d->pool, &m->latent.row, m->latent.rows + 1));
    memcpy(m->latent.row[m->latent.rows++], value, sizeof value);
  }
  return HK_OK;
}

hk_status hk_deck_read_thermal(deck *d, const hk_inp_line *line)
{
  if (!material_of(d, line)) return hk_inp_skip(d->reader);
  if (!d->told[line->id])
    hk_inp_say(d->reader, HK_NOTE, line->place,
               "*%s changes nothing in a step without temperatures", line->keyword->name);
  d->told[line->id] = true;
  return hk_inp_skip(d->reader);
}

static void tell_ignored(deck *d, const hk_inp_line *line)
{
  if (hk_inp_given(line, "NODAL THICKNESS"))
    hk_inp_error(d->reader, line->place,
                 "*SOLID SECTION, NODAL THICKNESS: the thickness is one number on the data line");
  if (hk_inp_given(line, "OFFSET"))
    hk_inp_say(d->reader, HK_NOTE, line->place,
               "*SOLID SECTION, OFFSET: solid elements have no offset; it is ignored");
}

hk_status hk_deck_read_section(deck *d, const hk_inp_line *line)
{
  hk_inp_field field[DECK_FIELDS];
  int count;
  const char *set = hk_inp_need(d->reader, line, "ELSET");
  const char *material = hk_inp_need(d->reader, line, "MATERIAL");
  if (!set || !material) return hk_inp_skip(d->reader);
  tell_ignored(d, line);
  HK_PASS(hk_pool_more(&d->pool, &d->matter.section));
  deck_section *s = &d->matter.section.at[d->matter.section.count];
  *s = (deck_section){.thickness = 1};
  d->matter.section.count++;
  HK_PASS(hk_deck_refer_value(d, line, "ELSET", &s->on));
  HK_PASS(hk_inp_keep(d->reader, material, &s->material));
  HK_PASS(hk_inp_keep(d->reader, hk_inp_value(line, "ORIENTATION"), &s->orientation));
  HK_PASS(hk_deck_fields(d, line, field, 1, &count));
  if (count > 0 && hk_inp_number(d->reader, field[0], "*SOLID SECTION: thickness", &s->thickness) &&
      !(s->thickness > 0))
    hk_inp_wrong(d->reader, "*SOLID SECTION: thickness %g must be above 0", s->thickness);
  return HK_OK;
}
