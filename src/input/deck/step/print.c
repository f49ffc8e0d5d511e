/* *NODE PRINT, *EL PRINT and the fields of static and heat steps: U, RF, S, E, and NT, RFL, HFL. The requests of a step for nodes, and those
 * for elements, hold until a later step makes others. Printed values of nodes are along their own axes (*TRANSFORM) unless GLOBAL=YES is
 * given; fields are always along the global axes. Tables come in the order of the names, as in CalculiX, and rows in the order in which the
 * set lists its members. */
#include "input/deck/make.h"
#include <string.h>

enum { MOST_PRINTS = 10000 };

/* Bit of a quantity's name in steps of heat conduction, and in static ones; 0: another. */
static unsigned heat_quantity_of(hk_inp_field name, bool elements)
{
  const bool all = hk_inp_is(name, "PRESELECT") || hk_inp_is(name, "ALL");
  if (elements) return all || hk_inp_is(name, "HFL") ? 1u << HK_HEAT_FLUX : 0;
  if (all) return 1u << HK_TEMPERATURES | 1u << HK_REACTION;
  if (hk_inp_is(name, "NT") || hk_inp_is(name, "NT11")) return 1u << HK_TEMPERATURES;
  return hk_inp_is(name, "RFL") || hk_inp_is(name, "RFL11") ? 1u << HK_REACTION : 0;
}

static unsigned quantity_of(hk_inp_field name, bool elements)
{
  static const struct {
    const char *name;
    bool elements;
    unsigned bits;
  } words[] = {{"U", false, 1u << HK_DISPLACEMENT}, {"RF", false, 1u << HK_REACTION},
               {"S", true, 1u << HK_STRESS},        {"E", true, 1u << HK_STRAIN},
               {"ME", true, 1u << HK_STRAIN}, /* without temperatures all strain is mechanical */
               {"LE", true, 1u << HK_STRAIN},       {"MISES", true, 1u << HK_STRESS}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].elements == elements && hk_inp_is(name, words[i].name)) return words[i].bits;
  if (!elements)
    for (int i = 0; i < 2; i++) {
      const size_t n = strlen(words[i].name);
      if (name.length == n + 1 && strchr("123Tt", name.text[n]) &&
          hk_inp_is((hk_inp_field){name.text, n}, words[i].name))
        return words[i].bits;
    }
  if (hk_inp_is(name, "PRESELECT") || hk_inp_is(name, "ALL"))
    return elements ? 1u << HK_STRESS | 1u << HK_STRAIN : 1u << HK_DISPLACEMENT | 1u << HK_REACTION;
  return 0;
}

/* A name of CalculiX's that is given again makes a table again; others (U1, U2, PRESELECT) do not. */
static void add_name(deck *d, hk_inp_field name, unsigned bits, deck_names *names)
{
  static const char *const again[] = {"U", "RF", "NT", "RFL", "S", "E", "ME", "HFL"};
  bool one = false;
  for (size_t i = 0; i < sizeof again / sizeof *again; i++) one = one || hk_inp_is(name, again[i]);
  if (names->count == HK_MOST_TABLES)
    hk_inp_wrong(d->reader, "%.*s: a print request has at most %d tables: give several requests",
                 hk_inp_shown(name, 40), name.text, HK_MOST_TABLES);
  else if (!one)
    hk_print_tables(bits, names->table, &names->count);
  else
    for (int i = 0; i < HK_QUANTITY_COUNT; i++)
      if (bits & 1u << i)
        names->table[names->count++] = (uint8_t)(i | (hk_inp_is(name, "ME") ? HK_MECHANICAL : 0));
}

typedef struct wanted { /* by the data lines of one request */
  bool elements;
  deck_names *names;
} wanted;

static void take_name(deck *d, const hk_inp_line *line, hk_inp_field name, void *to)
{
  static const char *const words[2][2] = {
      {"displacements and reactions (U, RF)", "stresses and strains (S, E)"},
      {"temperatures and heat (NT, RFL)", "heat fluxes (HFL)"}};
  const wanted *w = to;
  const bool heat = hk_deck_in_heat(d);
  const unsigned bits = heat ? heat_quantity_of(name, w->elements) : quantity_of(name, w->elements);
  if (bits)
    add_name(d, name, bits, w->names);
  else
    hk_inp_say(d->reader, HK_WARNING, hk_inp_here(d->reader),
               "*%s: %.*s is not written: possible are %s", line->keyword->name,
               hk_inp_shown(name, 40), name.text, words[heat][w->elements]);
}

hk_status hk_deck_static_names(deck *d, const hk_inp_line *line, bool elements, deck_names *names)
{
  wanted w = {elements, names};
  return hk_deck_each_name(d, line, take_name, &w);
}

/* FREQUENCY=: increments between outputs of transient steps; 1 where it is not given. */
static hk_count frequency(const hk_inp_line *line)
{
  const char *text = hk_inp_value(line, "FREQUENCY");
  int64_t every = 1;
  return text && hk_parse_integer(text, strlen(text), &every) == strlen(text) && every >= 0 ? every
                                                                                            : 1;
}

hk_status hk_deck_add_print(deck *d, const hk_inp_line *line, bool elements,
                            const deck_names *names)
{
  hk_deck_step_now(d)->has_print[elements] = true;
  const int total = hk_inp_choice(d->reader, line, "TOTALS", HK_WORDS("NO", "YES", "ONLY"), 0);
  const int globally = hk_inp_choice(d->reader, line, "GLOBAL", HK_WORDS("NO", "YES"), 0);
  if (!names->count || total < 0 || globally < 0) return HK_OK;
  HK_PASS(hk_pool_more(&d->pool, &d->asked.print));
  deck_print *p = &d->asked.print.at[d->asked.print.count];
  *p = (deck_print){.elements = elements,
                    .totals = total > 0,
                    .only_totals = total == 2,
                    .local = !globally,
                    .every = frequency(line),
                    .names = *names};
  d->asked.print.count++;
  return hk_deck_refer_value(d, line, elements ? "ELSET" : "NSET", &p->on);
}

void hk_deck_add_static_field(deck *d, const hk_inp_line *line, bool elements,
                              const deck_names *names)
{
  deck_step *s = hk_deck_step_now(d);
  if (hk_inp_choice(d->reader, line, "GLOBAL", HK_WORDS("NO", "YES"), 1) == 0)
    d->asked.local_file[elements] = line->place;
  s->field.given = true, s->field.place = line->place;
  s->field.timing = d->asked.output ? d->asked.timing : (deck_timing){.every = frequency(line)};
  for (int i = 0; i < names->count; i++)
    s->field.quantities |= 1u << (names->table[i] & ~HK_MECHANICAL);
}

/* Fields are written along the global axes. */
void hk_deck_check_local_fields(deck *d, const hk_model *model)
{
  bool turned = false;
  for (int r = 0; r < model->region_count; r++) turned = turned || model->region[r].axes_name;
  if (d->asked.local_file[0].file && d->acts.transform.count && !hk_deck_is_heat(d))
    hk_inp_error(d->reader, d->asked.local_file[0],
                 "GLOBAL=NO: fields of nodes are written along the global axes, but *TRANSFORM at "
                 "line %lld gives some nodes local axes: remove GLOBAL=NO, or print these nodes "
                 "with *NODE PRINT, GLOBAL=NO",
                 (long long)d->acts.transform.at[0].on.place.line);
  if (d->asked.local_file[1].file && turned)
    hk_inp_error(
        d->reader, d->asked.local_file[1],
        "GLOBAL=NO: fields of elements are written along the global axes, but some sections have "
        "an ORIENTATION: remove GLOBAL=NO, or print their elements with *EL PRINT, GLOBAL=NO");
}

hk_status hk_deck_read_static_print(deck *d, const hk_inp_line *line)
{
  const bool elements = line->id == HK_INP_EL_PRINT || line->id == HK_INP_EL_FILE ||
                        line->id == HK_INP_ELEMENT_OUTPUT;
  const bool print = line->id == HK_INP_EL_PRINT || line->id == HK_INP_NODE_PRINT;
  deck_names names = {0};
  const char *position = hk_inp_value(line, "POSITION");
  if (line->id == HK_INP_EL_PRINT && position &&
      !hk_inp_same(position, strlen(position), "INTEGRATION POINTS"))
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*EL PRINT, POSITION=%s: ignored: values at integration points are printed",
               position);
  HK_PASS(hk_deck_static_names(d, line, elements, &names));
  if (frequency(line) == 0) names.count = 0; /* no output */
  if (print)
    HK_PASS(hk_deck_add_print(d, line, elements, &names));
  else
    hk_deck_add_static_field(d, line, elements, &names);
  return HK_OK;
}

static hk_status find_target(deck_maker *m, const deck_print *from, hk_target *out)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = m->model->mesh;
  const hk_count all = from->elements ? mesh->element_count : mesh->node_count;
  if (from->on.name && !from->elements)
    return hk_deck_listed_nodes(m->d, &m->model->pool, "*NODE PRINT", &from->on, false, out);
  if (from->on.name) {
    const hk_set *set = hk_inp_find_set(m->d->inp, from->on.place, "*EL PRINT", from->on.name,
                                        HK_ELEMENT_SET, from->on.scope, 0);
    hk_target listed = {0};
    if (set) HK_TRY(hk_inp_members(m->d->inp, set, false, &listed.count, &listed.item));
    if (set) status = hk_target_copy(&m->model->pool, &listed, out);
    hk_free(&listed.item);
    goto cleanup;
  }
  HK_TRY(hk_target_all(&m->model->pool, all, out));
cleanup:
  return status;
}

/* Rows of each node's axes, where one of them has its own. */
static hk_status find_axes(const deck_maker *m, hk_print_request *p)
{
  hk_count turned = 0;
  int told = 0;
  for (hk_count i = 0; m->axes_of && i < p->target.count; i++)
    turned += m->axes_of[p->target.item[i]] != 0;
  if (!turned) return HK_OK;
  HK_PASS(hk_deck_count(m->d, m->model->mesh, 18 * p->target.count, p->place));
  HK_PASS(hk_pool_get(&m->model->pool, &p->axes, 9 * p->target.count));
  HK_PASS(hk_pool_get(&m->model->pool, &p->marked, p->target.count));
  for (hk_count i = 0; i < p->target.count; i++) {
    double row[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (hk_deck_on_axis(m, p->target.item[i]) && !told++)
      hk_inp_say(m->d->reader, HK_WARNING, p->place,
                 "*NODE PRINT: node %lld lies on the axis of its *TRANSFORM, TYPE=C, where no "
                 "direction is radial: it is printed along two arbitrary directions across the "
                 "axis; GLOBAL=YES prints x, y and z",
                 (long long)hk_mesh_node_label(m->model->mesh, p->target.item[i]));
    p->marked[i] = hk_deck_node_axes(m, p->target.item[i], row);
    memcpy(p->axes + 9 * i, row, sizeof row);
  }
  return HK_OK;
}

static hk_status make_print(deck_maker *m, hk_step *step, const deck_print *from)
{
  hk_print_request p = {.elements = from->elements,
                        .tables = from->names.count,
                        .totals = from->totals,
                        .only_totals = from->only_totals,
                        .local = from->local,
                        .every = from->every,
                        .place = from->on.place};
  memcpy(p.table, from->names.table, sizeof p.table);
  HK_PASS(find_target(m, from, &p.target));
  if (!p.target.count) return HK_OK; /* told already */
  HK_PASS(hk_deck_count(m->d, m->model->mesh, p.target.count, from->on.place));
  HK_PASS(hk_pool_text(&m->model->pool, from->on.name ? from->on.name : "ALL", &p.set));
  if (p.local && !p.elements && !hk_deck_is_heat(m->d)) HK_PASS(find_axes(m, &p));
  step->print[step->print_count++] = p;
  return HK_OK;
}

/* The step s, or the last one before it, that has prints of nodes (elements). */
static const deck_step *asking(const deck *d, int s, bool elements)
{
  for (; s >= 0; s--)
    if (d->step.at[s].has_print[elements]) return &d->step.at[s];
  return NULL;
}

/* Whether the i-th print of the deck belongs to the steps that ask for those of nodes and elements. */
static bool prints_of(const deck_step *const from[2], const deck *d, hk_count i)
{
  const deck_step *s = from[d->asked.print.at[i].elements];
  return s && i >= s->prints.first && i < s->prints.last;
}

/* In the order of the deck, nodes and elements mixed: what holds on from earlier steps comes first. */
hk_status hk_deck_make_prints(deck_maker *m, int s)
{
  const deck *d = m->d;
  hk_step *step = &m->model->step[s];
  const deck_step *field = NULL;
  hk_count count = 0;
  const deck_step *const from[2] = {asking(d, s, false), asking(d, s, true)};
  for (hk_count i = 0; i < d->step.at[s].prints.last; i++) count += prints_of(from, d, i);
  HK_NEED(count <= MOST_PRINTS, HK_BAD_INPUT, "%s:%lld: more than %d prints in a step",
          d->step.at[s].place.file, (long long)d->step.at[s].place.line, MOST_PRINTS);
  HK_PASS(hk_pool_get(&m->model->pool, &step->print, count));
  for (hk_count i = 0; i < d->step.at[s].prints.last; i++)
    if (prints_of(from, d, i)) HK_PASS(make_print(m, step, &d->asked.print.at[i]));
  for (int i = s; i >= 0 && !field; i--) field = d->step.at[i].field.given ? &d->step.at[i] : NULL;
  if (!field || !field->field.quantities) return HK_OK;
  const deck_timing *timing = &field->field.timing;
  step->field = (hk_field_request){
      .quantities = field->field.quantities, .frames = 1, .place = field->field.place};
  if (step->theta > 0) {
    step->field.frames = timing->frames, step->field.interval = timing->interval;
    if (!timing->frames && !(timing->interval > 0))
      step->field.interval = step->dt * (double)(timing->every > 0 ? timing->every : 1);
  }
  return HK_OK;
}
