/* An Abaqus or CalculiX deck becomes a model. Keywords are read one after the other: those of the mesh go to mesh/, the others by the table
 * here to the functions that keep what they say. At the end of the deck names of large decks are looked up (judge.c), the mesh is built and
 * the model is made (make.c). mesh/keywords.h says of each keyword whether it is obeyed, ignored with a note, or refused, and whether it
 * stands in a step (docs/reference/deck.md). */
#include "input/deck/deck.h"
#include "input/deck/parts.h"

static void clear_deck(deck *d)
{
  hk_pool_clear(&d->pool);
  hk_inp_destroy(&d->inp);
}

deck_step *hk_deck_step_now(deck *d)
{
  return &d->step.at[d->step.count - 1];
}

bool hk_deck_in_static(const deck *d)
{
  return d->in_step && d->step.at[d->step.count - 1].procedure >= DECK_STATIC;
}

bool hk_deck_may_be_static(const deck *d)
{
  return d->in_step && d->step.at[d->step.count - 1].procedure != DECK_EXPLICIT;
}

bool hk_deck_in_heat(const deck *d)
{
  return d->in_step && d->step.at[d->step.count - 1].procedure == DECK_HEAT;
}

bool hk_deck_marches(const deck *d)
{
  bool marches = false;
  for (hk_count i = 0; i < d->step.count; i++) marches = marches || d->step.at[i].marches;
  return marches;
}

bool hk_deck_is_heat(const deck *d)
{
  for (hk_count i = 0; i < d->step.count; i++)
    if (d->step.at[i].procedure == DECK_HEAT) return true;
  return false;
}

bool hk_deck_is_static(const deck *d)
{
  for (hk_count i = 0; i < d->step.count; i++)
    if (d->step.at[i].procedure >= DECK_STATIC) return true;
  return false;
}

int hk_deck_find(deck *d, hk_place place, const char *name, deck_name_kind kind)
{
  static const char *const kinds[] = {"*MATERIAL", "*ORIENTATION", "*AMPLITUDE", "*TIME POINTS"};
  const int number = hk_inp_names_find(&d->names, name, (int)kind);
  if (number >= 0) return number;
  hk_inp_error(d->reader, place, "there is no %s named %s%s", kinds[kind], name,
               hk_inp_near(d->reader, &d->names, name, (int)kind));
  return -1;
}

hk_status hk_deck_name(deck *d, hk_place place, const char *name, deck_name_kind kind,
                       hk_count number)
{
  if (hk_inp_names_find(&d->names, name, (int)kind) >= 0) {
    hk_inp_error(d->reader, place, "%s: another one has this name", name);
    return HK_OK;
  }
  return hk_inp_names_add(&d->pool, &d->names, name, (int)kind, (int)number);
}

enum {
  LARGE = 100000
}; /* nodes and elements: smaller decks tell the errors of their mesh with the others */

/* Read and known to change nothing, or obeyed elsewhere; results that are asked for and not written are told. */
static hk_status pass(deck *d, const hk_inp_line *line)
{
  const bool sums = line->id == HK_INP_SECTION_PRINT || line->id == HK_INP_INTEGRATED_OUTPUT;
  if (!d->told[line->id])
    hk_inp_say(d->reader, sums ? HK_WARNING : HK_NOTE, line->place,
               sums ? "*%s is not written: for the total reaction, print RF of the held nodes with "
                      "TOTALS=ONLY"
                    : "*%s changes nothing here and is ignored",
               line->keyword->name);
  d->told[line->id] = true;
  return hk_inp_skip(d->reader);
}

typedef hk_status (*handler)(deck *d, const hk_inp_line *line);
static const handler handlers[HK_INP_ID_COUNT] = {
#define DECK_READ(id, name) [HK_INP_##id] = hk_deck_read_##name,
#include "input/deck/handlers.h"
#undef DECK_READ
};

/* Within a step only what may stand there, outside only what may stand there. */
static bool stands_right(deck *d, const hk_inp_line *line)
{
  const unsigned here = d->in_step ? HK_INP_IN_STEP : HK_INP_IN_MODEL;
  if (line->keyword->where & here) return true;
  if (d->in_step)
    hk_inp_error(
        d->reader, line->place,
        "*%s stands within the step that begins at line %lld: give it before *STEP, or end "
        "the step with *END STEP",
        line->keyword->name, (long long)d->step.at[d->step.count - 1].place.line);
  else
    hk_inp_error(d->reader, line->place,
                 "*%s stands outside a step: give it between *STEP and *END "
                 "STEP",
                 line->keyword->name);
  return false;
}

static bool of_material(hk_inp_id id)
{
  return id == HK_INP_DENSITY || id == HK_INP_ELASTIC || id == HK_INP_DAMPING ||
         id == HK_INP_EXPANSION || id == HK_INP_CONDUCTIVITY || id == HK_INP_SPECIFIC_HEAT ||
         id == HK_INP_LATENT_HEAT;
}

static hk_status obey(deck *d, const hk_inp_line *line)
{
  bool taken;
  const bool output = line->id == HK_INP_NODE_OUTPUT || line->id == HK_INP_ELEMENT_OUTPUT ||
                      line->id == HK_INP_ENERGY_OUTPUT;
  if (line->keyword->level == HK_INP_LEVEL_COSMETIC) return pass(d, line);
  if (line->keyword->level == HK_INP_LEVEL_STOP && !(line->keyword->where & HK_INP_IN_MESH))
    return hk_inp_refuse(d->reader, line->place, "*%s: %s", line->keyword->name,
                         line->keyword->advice);
  if (!stands_right(d, line)) return hk_inp_skip(d->reader);
  HK_PASS(hk_inp_mesh_keyword(d->inp, line, &taken));
  if (taken) return HK_OK;
  if (!of_material(line->id)) d->matter.now = -1;
  if (!output) d->asked.output = false;
  return handlers[line->id](d, line);
}

static hk_status read_keywords(deck *d, const hk_stop *stop)
{
  hk_inp_line line;
  for (;;) {
    HK_PASS(hk_stop_look(stop, "the deck was read"));
    HK_PASS(hk_inp_next(d->reader, &line));
    if (!line.keyword) break;
    HK_PASS(obey(d, &line));
  }
  if (d->in_step)
    hk_inp_error(d->reader, d->step.at[d->step.count - 1].place,
                 "*STEP: *END STEP is missing; is the file cut short?");
  else if (!d->step.count)
    hk_inp_error(d->reader, (hk_place){d->path, 0},
                 "there is no *STEP, so there is nothing to compute: give *STEP, then *STATIC, "
                 "*DYNAMIC, EXPLICIT or *HEAT TRANSFER, and *END STEP");
  return HK_OK;
}

/* Where the procedures of all steps were refused it is not known what sections and materials must have: nothing more is said. */
static bool knows_procedure(const deck *d)
{
  bool any = false;
  for (hk_count i = 0; i < d->step.count; i++)
    any = any || d->step.at[i].procedure != DECK_NO_PROCEDURE;
  return any || !hk_inp_errors(d->reader);
}

hk_status hk_deck_read(const char *path, const hk_stop *stop, hk_messages *list, hk_model **out)
{
  hk_status status = HK_OK;
  hk_model *model = NULL;
  deck d = {.list = list, .path = path, .matter.now = -1};
  HK_TRY(hk_model_begin(path, &model));
  HK_TRY(hk_inp_create(path, &model->pool, list, &d.inp));
  d.reader = hk_inp_reader_of(d.inp);
  const int before = hk_clock_begin("text");
  HK_TRY(read_keywords(&d, stop));
  hk_clock_end(before);
  for (int i = 0; i < 4; i++) model->units.si[i] = 1;
  model->solve.how = d.how;
  HK_TRY(hk_pool_text(&model->pool, hk_inp_title(d.inp), &model->title));
  if (hk_inp_size(d.inp) > LARGE && knows_procedure(&d)) {
    hk_deck_judge(&d);
    HK_TRY(hk_inp_verdict(d.reader));
  }
  hk_clock_begin("mesh");
  HK_TRY(hk_inp_finish(d.inp, &model->mesh));
  hk_clock_end(before);
  if (model->mesh && knows_procedure(&d)) HK_TRY(hk_deck_make(&d, model));
  HK_TRY(hk_inp_verdict(d.reader));
  for (int i = 0; i < hk_inp_file_count(d.reader); i++) {
    HK_TRY(hk_pool_more(&model->pool, &model->file));
    model->file.at[model->file.count++] = hk_inp_file_name(d.reader, i);
  }
  *out = model, model = NULL;
cleanup:
  clear_deck(&d); /* before the model, whose pool holds the names of files */
  hk_model_destroy(&model);
  return status;
}
