/* Output requests of a deck as it gives them: *OUTPUT with *NODE OUTPUT and *ELEMENT OUTPUT, *NODE PRINT, *NODE FILE, *EL PRINT, *EL FILE,
 * *TIME POINTS. In explicit steps histories and *NODE PRINT become traces, fields and *NODE FILE become frames; those of static steps go to
 * print.c. Names of quantities (U, V, A, RF) become bits; what is not computed is told. request.c turns all this into requests of the model. */
#include "input/deck/parts.h"
#include <math.h>
#include <string.h>

enum {
  VECTORS = 1u << HK_DISPLACEMENT | 1u << HK_VELOCITY | 1u << HK_ACCELERATION,
  TENSORS = 1u << HK_STRESS | 1u << HK_STRAIN
};

static void warn(deck *d, const hk_inp_line *line, hk_inp_field name, const char *why)
{
  hk_inp_say(d->reader, HK_WARNING, hk_inp_here(d->reader), "*%s: %.*s is not written: %s",
             line->keyword->name, hk_inp_shown(name, 40), name.text, why);
}

static void take_count(deck *d, const hk_inp_line *line, const char *name, hk_count *value)
{
  const char *text = hk_inp_value(line, name);
  int64_t got = 0;
  if (!text) return;
  if (hk_parse_integer(text, strlen(text), &got) != strlen(text) || got < 0)
    hk_inp_error(d->reader, line->place, "*%s, %s=%s: must be a whole number", line->keyword->name,
                 name, text);
  else
    *value = got;
}

static hk_status read_timing(deck *d, const hk_inp_line *line, deck_timing *t)
{
  const char *text = hk_inp_value(line, "TIME INTERVAL");
  *t = (deck_timing){0};
  take_count(d, line, "NUMBER INTERVAL", &t->frames);
  take_count(d, line, "FREQUENCY", &t->every);
  take_count(d, line, "FREQUENCYF", &t->every);
  if (text && (hk_parse_number(text, strlen(text), &t->interval) != strlen(text) ||
               !(t->interval > 0) || !isfinite(t->interval)))
    hk_inp_error(d->reader, line->place, "*%s, TIME INTERVAL=%s: must be a number above 0",
                 line->keyword->name, text);
  return hk_inp_keep(d->reader, hk_inp_value(line, "TIME POINTS"), &t->points);
}

/* Bit of a nodal quantity's name, U U1 U2 U3 UT and so on; 0: another. */
static unsigned nodal(hk_inp_field name)
{
  static const struct {
    const char *name;
    hk_quantity quantity;
  } words[] = {
      {"RF", HK_REACTION}, {"U", HK_DISPLACEMENT}, {"V", HK_VELOCITY}, {"A", HK_ACCELERATION}};
  for (int i = 0; i < 4; i++) {
    const size_t n = strlen(words[i].name);
    if (name.length < n || name.length > n + 1 ||
        !hk_inp_is((hk_inp_field){name.text, n}, words[i].name))
      continue;
    if (name.length == n || strchr("123Tt", name.text[n])) return 1u << words[i].quantity;
  }
  if (hk_inp_is(name, "PRESELECT") || hk_inp_is(name, "ALL")) return VECTORS;
  return 0;
}

/* A quantity of a data line into unsigned *to; another is warned of. */
static void take_name(deck *d, const hk_inp_line *line, hk_inp_field name, void *to)
{
  unsigned *quantities = to;
  const unsigned bit = nodal(name);
  *quantities |= bit;
  if (!bit)
    warn(d, line, name, "give U, V, A or RF (displacements, velocities, accelerations, reactions)");
}

static bool preselect(const hk_inp_line *line)
{
  const char *value = hk_inp_value(line, "VARIABLE");
  return value && (hk_same_text(value, "PRESELECT") || hk_same_text(value, "ALL"));
}

static hk_status add_trace(deck *d, const hk_inp_line *line, unsigned quantities,
                           const deck_timing *timing)
{
  hk_deck_step_now(d)->has_history = true;
  if (!quantities) return HK_OK;
  HK_PASS(hk_pool_more(&d->pool, &d->asked.trace));
  deck_trace *t = &d->asked.trace.at[d->asked.trace.count];
  *t = (deck_trace){.quantities = quantities, .timing = *timing};
  d->asked.trace.count++;
  return hk_deck_refer_value(d, line, "NSET", &t->on);
}

static void add_field(deck *d, const hk_inp_line *line, unsigned quantities,
                      const deck_timing *timing)
{
  deck_field *field = &hk_deck_step_now(d)->field;
  field->given = true;
  field->quantities |= quantities;
  field->place = line->place;
  field->timing = *timing;
}

static unsigned preselected(const deck *d)
{
  return hk_deck_in_static(d)
             ? 1u << HK_DISPLACEMENT | 1u << HK_REACTION | 1u << HK_STRESS | 1u << HK_STRAIN
             : VECTORS;
}

/* What is asked for depends on the procedure. Where it was refused nothing more is said. */
static bool knows_procedure(deck *d, const hk_inp_line *line)
{
  if (hk_deck_step_now(d)->procedure != DECK_NO_PROCEDURE) return true;
  if (!hk_inp_errors(d->reader))
    hk_inp_error(d->reader, line->place,
                 "*%s stands before the procedure of the step: give it after *STATIC, *DYNAMIC, "
                 "EXPLICIT or *HEAT TRANSFER",
                 line->keyword->name);
  return false;
}

/* *OUTPUT, FREQUENCY=n of CalculiX: for all requests of the step that do not say how often. */
static void read_frequency(deck *d, const hk_inp_line *line)
{
  deck_step *s = hk_deck_step_now(d);
  hk_count every = -1;
  take_count(d, line, "FREQUENCY", &every);
  take_count(d, line, "FREQUENCYF", &every);
  for (int i = 0; i < line->count; i++)
    if (!hk_inp_same(line->parameter[i].name, strlen(line->parameter[i].name), "FREQUENCY") &&
        !hk_inp_same(line->parameter[i].name, strlen(line->parameter[i].name), "FREQUENCYF"))
      hk_inp_error(
          d->reader, line->place,
          "*OUTPUT, %s: FIELD or HISTORY is missing; without them only FREQUENCY is possible",
          line->parameter[i].name);
  if (every == 0)
    hk_inp_say(d->reader, HK_NOTE, line->place,
               "*OUTPUT, FREQUENCY=0 without FIELD or HISTORY turns nothing off, as in CalculiX; "
               "give it with the request itself");
  if (every <= 0) return;
  s->every = every;
  if (s->field.given && s->field.timing.by_default) s->field.timing.every = every;
  for (hk_count i = s->traces.first; i < d->asked.trace.count; i++)
    if (d->asked.trace.at[i].timing.by_default) d->asked.trace.at[i].timing.every = every;
}

hk_status hk_deck_read_output(deck *d, const hk_inp_line *line)
{
  if (!knows_procedure(d, line)) return hk_inp_skip(d->reader);
  d->asked.history = hk_inp_given(line, "HISTORY");
  d->asked.output =
      d->asked.history || hk_inp_given(line, "FIELD") || hk_inp_given(line, "DIAGNOSTICS");
  if (hk_inp_given(line, "DIAGNOSTICS")) return HK_OK;
  if (hk_inp_given(line, "FILTER"))
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*OUTPUT, FILTER: ignored: values are written as computed");
  const char *op = hk_inp_value(line, "OP");
  if (op && !hk_same_text(op, "NEW"))
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*OUTPUT, OP=%s: ignored: the requests of a step replace those of earlier steps",
               op);
  if (!d->asked.output) {
    read_frequency(d, line);
    return HK_OK;
  }
  HK_PASS(read_timing(d, line, &d->asked.timing));
  if (d->asked.history)
    hk_deck_step_now(d)->has_history = true;
  else
    add_field(d, line, preselect(line) ? preselected(d) : 0, &d->asked.timing);
  return HK_OK;
}

/* Histories of static steps have one value: it is printed. */
static hk_status read_static_output(deck *d, const hk_inp_line *line, bool elements)
{
  deck_names names = {0};
  if (preselect(line))
    hk_print_tables(elements ? 1u << HK_STRESS | 1u << HK_STRAIN
                             : 1u << HK_DISPLACEMENT | 1u << HK_REACTION,
                    names.table, &names.count);
  HK_PASS(hk_deck_static_names(d, line, elements, &names));
  if (d->asked.history)
    HK_PASS(hk_deck_add_print(d, line, elements, &names));
  else
    hk_deck_add_static_field(d, line, elements, &names);
  return HK_OK;
}

hk_status hk_deck_read_node_output(deck *d, const hk_inp_line *line)
{
  unsigned quantities = preselect(line) ? VECTORS : 0;
  if (!knows_procedure(d, line)) return hk_inp_skip(d->reader);
  if (!d->asked.output) return hk_deck_read_print(d, line);
  if (hk_deck_in_static(d)) return read_static_output(d, line, false);
  HK_PASS(hk_deck_each_name(d, line, take_name, &quantities));
  if (d->asked.history)
    HK_PASS(add_trace(d, line, quantities, &d->asked.timing));
  else
    add_field(d, line, quantities, &d->asked.timing);
  return HK_OK;
}

static hk_status refuse_names(deck *d, const hk_inp_line *line)
{
  hk_inp_say(d->reader, HK_WARNING, line->place,
             "*%s: explicit steps write stresses and strains as fields alone: give *OUTPUT, FIELD "
             "or *EL FILE",
             line->keyword->name);
  return hk_inp_skip(d->reader);
}

/* S S11 MISES; E E11 LE */
static void take_element_name(deck *d, const hk_inp_line *line, hk_inp_field name, void *to)
{
  static const char *const stress[] = {"S", "S11", "S22", "S33", "S12", "S13", "S23", "MISES"},
                           *const strain[] = {"E", "E11", "E22", "E33", "E12", "E13", "E23", "LE"};
  unsigned *quantities = to, bits = 0;
  for (int i = 0; i < 8; i++) {
    if (hk_inp_is(name, stress[i])) bits |= 1u << HK_STRESS;
    if (hk_inp_is(name, strain[i])) bits |= 1u << HK_STRAIN;
  }
  if (hk_inp_is(name, "PRESELECT") || hk_inp_is(name, "ALL")) bits = TENSORS;
  if (!bits) warn(d, line, name, "explicit steps give stresses (S) and strains (E)");
  *quantities |= bits;
}

/* Frames have all nodes, whichever elements are named. */
static hk_status read_element_field(deck *d, const hk_inp_line *line, const deck_timing *timing)
{
  unsigned quantities = preselect(line) ? TENSORS : 0;
  HK_PASS(hk_deck_each_name(d, line, take_element_name, &quantities));
  add_field(d, line, quantities, timing);
  return HK_OK;
}

hk_status hk_deck_read_element_output(deck *d, const hk_inp_line *line)
{
  if (!knows_procedure(d, line)) return hk_inp_skip(d->reader);
  if (!d->asked.output) return hk_deck_read_print(d, line);
  if (hk_deck_in_static(d)) return read_static_output(d, line, true);
  return d->asked.history ? refuse_names(d, line) : read_element_field(d, line, &d->asked.timing);
}

hk_status hk_deck_read_energy_output(deck *d, const hk_inp_line *line)
{
  (void)line;
  return hk_inp_skip(d->reader); /* energies are written in any case */
}

/* *NODE PRINT: traces; *NODE FILE, *EL FILE: frames; *EL PRINT: not written. *NODE OUTPUT and
 * *ELEMENT OUTPUT without *OUTPUT are other names of *NODE FILE and *EL FILE. */
hk_status hk_deck_read_print(deck *d, const hk_inp_line *line)
{
  deck_timing timing = {0};
  unsigned quantities = 0;
  if (!knows_procedure(d, line)) return hk_inp_skip(d->reader);
  if (hk_deck_in_static(d)) return hk_deck_read_static_print(d, line);
  if (line->id == HK_INP_EL_PRINT) return refuse_names(d, line);
  HK_PASS(read_timing(d, line, &timing));
  if (!timing.points && !timing.every) {
    const bool none = hk_inp_given(line, "FREQUENCY"); /* FREQUENCY=0: no output */
    if (none) return hk_inp_skip(d->reader);
    const hk_count every = hk_deck_step_now(d)->every;
    timing.every = every ? every : 1, timing.by_default = true;
  }
  const char *totals = hk_inp_value(line, "TOTALS");
  if (totals && !hk_same_text(totals, "NO"))
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*NODE PRINT, TOTALS=%s: explicit steps form no sums; each node's trace is written",
               totals);
  if (line->id == HK_INP_EL_FILE || line->id == HK_INP_ELEMENT_OUTPUT)
    return read_element_field(d, line, &timing);
  HK_PASS(hk_deck_each_name(d, line, take_name, &quantities));
  if (line->id == HK_INP_NODE_PRINT)
    HK_PASS(add_trace(d, line, quantities, &timing));
  else
    add_field(d, line, quantities, &timing);
  return HK_OK;
}

static hk_status add_time(deck *d, deck_points *p, double time)
{
  if (p->time.count && !(time > p->time.at[p->time.count - 1])) {
    hk_inp_wrong(d->reader, "*TIME POINTS: %g is not above %g: times must ascend", time,
                 p->time.at[p->time.count - 1]);
    return HK_OK;
  }
  const hk_status status = hk_pool_more(&d->pool, &p->time);
  if (status == HK_OK) p->time.at[p->time.count++] = time;
  return status;
}

static hk_status add_times(deck *d, deck_points *p, const double value[3])
{
  enum { MOST = 100000 };
  hk_count held = 0;
  for (hk_count i = 0; i < d->asked.points.count; i++) held += d->asked.points.at[i].time.count;
  const double steps = value[2] > 0 ? (value[1] - value[0]) / value[2] : -1;
  if (!(steps >= 0) || steps > (double)(MOST - held)) {
    hk_inp_wrong(
        d->reader,
        "*TIME POINTS, GENERATE: give first, last and increment, for at most %d times in all",
        MOST);
    return HK_OK;
  }
  for (int i = 0; i <= (int)(steps * (1 + 1e-12)); i++)
    HK_PASS(add_time(d, p, value[0] + i * value[2]));
  return HK_OK;
}

hk_status hk_deck_read_time_points(deck *d, const hk_inp_line *line)
{
  const char *name = hk_inp_need(d->reader, line, "NAME");
  const int time = hk_inp_choice(d->reader, line, "TIME",
                                 HK_WORDS("STEP TIME", "TOTAL TIME", "STEP", "TOTAL"), 0);
  if (!name || time < 0) return hk_inp_skip(d->reader);
  HK_PASS(hk_pool_more(&d->pool, &d->asked.points));
  deck_points *p = &d->asked.points.at[d->asked.points.count];
  *p = (deck_points){.total_time = time % 2 == 1};
  d->asked.points.count++;
  HK_PASS(hk_inp_keep(d->reader, name, &p->name));
  HK_PASS(hk_deck_name(d, line->place, p->name, DECK_POINTS, d->asked.points.count - 1));
  const bool generate = hk_inp_given(line, "GENERATE");
  for (;;) {
    double value[HK_INP_MOST_FIELDS];
    int count;
    HK_PASS(hk_inp_number_line(d->reader, "*TIME POINTS", value, generate ? 3 : HK_INP_MOST_FIELDS,
                               &count));
    if (count == HK_INP_END) break;
    if (count == 3 && generate) HK_PASS(add_times(d, p, value));
    if (count >= 0 && count < 3 && generate)
      hk_inp_wrong(d->reader, "*TIME POINTS, GENERATE: give first, last and increment");
    for (int i = 0; i < count && !generate; i++) HK_PASS(add_time(d, p, value[i]));
  }
  return HK_OK;
}
