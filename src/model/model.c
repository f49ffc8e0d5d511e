#include "model/model.h"
#include <hooke/text.h>
#include "base/source.h"
#include "model/case.h"
#include "model/case_rules.h"
#include "model/deck.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void clear_trace(hk_trace_request *trace)
{
  hk_free(&trace->name);
  hk_target_clear(&trace->target);
  hk_free(&trace->at);
}

static void clear_loads(int count, hk_load **load)
{
  for (int i = 0; i < count; i++) {
    hk_target_clear(&(*load)[i].target);
    hk_free(&(*load)[i].delays);
    hk_free(&(*load)[i].vectors);
  }
  hk_free(load);
}

static void clear_motions(int count, hk_motion **motion)
{
  for (int i = 0; i < count; i++) {
    hk_target_clear(&(*motion)[i].target);
    hk_free(&(*motion)[i].delays);
    hk_free(&(*motion)[i].directions);
    hk_free(&(*motion)[i].values);
  }
  hk_free(motion);
}

void hk_shot_clear(hk_shot *shot)
{
  clear_loads(shot->load_count, &shot->load);
  clear_motions(shot->motion_count, &shot->motion);
  shot->load_count = shot->motion_count = 0;
}

static void clear_print(hk_print_request *print)
{
  hk_target_clear(&print->target);
  hk_free(&print->axes);
  hk_free(&print->marked);
  hk_free(&print->set);
}

static void clear_step(hk_step *step)
{
  clear_loads(step->load_count, &step->load);
  clear_motions(step->motion_count, &step->motion);
  for (int i = 0; i < step->shot_count; i++) hk_shot_clear(&step->shot[i]);
  for (int i = 0; i < step->trace_count; i++) clear_trace(&step->trace[i]);
  for (int i = 0; i < step->print_count; i++) clear_print(&step->print[i]);
  hk_free(&step->shot);
  hk_free(&step->trace);
  hk_free(&step->print);
  hk_free(&step->field.times);
  hk_free(&step->field.shot);
}

static void clear_state(hk_model *m)
{
  for (int i = 0; i < m->initial_count; i++) {
    hk_target_clear(&m->initial[i].target);
    hk_free(&m->initial[i].values);
  }
  for (int i = 0; i < m->absorb_count; i++) hk_target_clear(&m->absorb[i].target);
  for (int i = 0; i < m->equation_count; i++) {
    hk_free(&m->equation[i].node);
    hk_free(&m->equation[i].component);
    hk_free(&m->equation[i].coefficient);
  }
  hk_free(&m->initial);
  hk_free(&m->absorb);
  hk_free(&m->equation);
  hk_free(&m->spring);
}

void hk_model_destroy(hk_model **model)
{
  hk_model *m = *model;
  if (!m) return;
  for (int i = 0; i < m->region_count; i++) {
    hk_free(&m->region[i].name);
    hk_free(&m->region[i].axes_name);
    hk_material_clear(&m->region[i].material);
  }
  for (int i = 0; i < m->signal_count; i++) hk_signal_clear(&m->signal[i]);
  for (int i = 0; i < m->formula_count; i++) hk_formula_destroy(&m->formula[i]);
  for (int i = 0; i < m->step_count; i++) clear_step(&m->step[i]);
  for (int i = 0; i < m->file_count; i++) hk_free(&m->file[i]);
  clear_state(m);
  hk_mesh_destroy(&m->mesh);
  hk_free(&m->region);
  hk_free(&m->element_region);
  hk_free(&m->fluid);
  hk_free(&m->wet);
  hk_free(&m->signal);
  hk_free(&m->formula);
  hk_free(&m->step);
  hk_free(&m->file);
  hk_free(&m->title);
  hk_free(&m->path);
  hk_free(model);
}

const hk_mesh *hk_model_mesh(const hk_model *model)
{
  return model->mesh;
}

static bool ends_with(const char *text, const char *end)
{
  const size_t n = strlen(text), k = strlen(end);
  return n > k && hk_same_text(text + n - k, end);
}

/* A deck's first line that is not empty begins with an asterisk. */
static hk_status is_deck(const char *path, bool *deck)
{
  hk_status status = HK_OK;
  hk_source *source = NULL;
  char *line;
  size_t length;
  *deck = false;
  HK_TRY(hk_source_open(path, &source));
  do {
    HK_TRY(hk_source_line(source, &line, &length));
    if (line) line += strspn(line, " \t\r");
  } while (line && !*line);
  *deck = line && *line == '*';
cleanup:
  hk_source_close(&source);
  return status;
}

void hk_units_name(const hk_units *units, hk_dimension dimension, char *out)
{
  hk_unit_name((const char *const[]){units->length, units->mass, units->time, units->temperature},
               dimension, out);
}

/* A deck says all but the form of the stiffness and what becomes of time dispersion, and little of how static steps are solved: those
 * keys of case files can be set. Before the model is read with model = NULL, to check them. */
static hk_status set_of_deck(const char *path, const char *const *set, int set_count,
                             hk_model *model)
{
  static const char method[] = "solve.explicit.method=", still[] = "solve.static.",
                    warm[] = "solve.heat.", phase[] = "solve.explicit.time_dispersion=";
  hk_status status = HK_OK;
  hk_static_how how = {0};
  for (int i = 0; i < set_count; i++) {
    const char *prefix = !strncmp(set[i], warm, strlen(warm)) ? warm : still;
    if (!strncmp(set[i], prefix, strlen(prefix))) {
      HK_TRY(hk_static_how_set(model ? &model->how : &how, set[i] + strlen(prefix)));
      continue;
    }
    if (!strncmp(set[i], phase, strlen(phase))) {
      const int dispersion = hk_case_dispersion(set[i] + strlen(phase));
      HK_CHECK(dispersion >= 0, HK_USAGE,
               "--set %s: there is no such value: give auto, remove or keep", set[i]);
      if (model) model->time_dispersion = (hk_time_dispersion)dispersion;
      continue;
    }
    HK_CHECK(
        !strncmp(set[i], method, strlen(method)), HK_USAGE,
        "%s: --set %s: of a deck only solve.explicit.method, solve.explicit.time_dispersion and "
        "the keys of solve.static and solve.heat can be set; edit the deck instead",
        path, set[i]);
    const char *name = set[i] + strlen(method);
    HK_CHECK(strlen(name) < sizeof((hk_model *)0)->method, HK_USAGE,
             "--set %s: there is no such method", set[i]);
    if (model) strcpy(model->method, name);
  }
cleanup:
  return status;
}

static hk_status find_deck(const char *path, bool *deck)
{
  *deck = ends_with(path, ".inp") || ends_with(path, ".inp.gz");
  if (*deck || ends_with(path, ".yaml") || ends_with(path, ".yml") || ends_with(path, ".json"))
    return HK_OK;
  return is_deck(path, deck);
}

bool hk_model_is_case(const hk_model_desc *desc)
{
  bool deck = false;
  return !desc->path || (find_deck(desc->path, &deck) == HK_OK && !deck);
}

static hk_status read_by_contents(const hk_model_desc *desc, hk_messages *list, hk_model **out)
{
  hk_status status = HK_OK;
  const hk_stop stop = {desc->stop, desc->user};
  bool deck = false;
  if (desc->path) HK_TRY(find_deck(desc->path, &deck));
  if (!deck) return hk_case_read(desc, list, out);
  HK_CHECK(!desc->mesh, HK_USAGE, "%s: a deck has a mesh of its own: give no other beside it",
           desc->path);
  HK_TRY(set_of_deck(desc->path, desc->set, desc->set_count, NULL));
  HK_TRY(hk_deck_read(desc->path, &stop, list, out));
  status = set_of_deck(desc->path, desc->set, desc->set_count, *out);
cleanup:
  return status;
}

/* Why no files can be called after a request; NULL: they can. Quantities, components and endings are put behind it. */
static const char *fault_of_name(const char *name)
{
  enum { LONGEST = 150 };
  const size_t length = strlen(name);
  if (length > LONGEST) return "is longer than 150 bytes";
  if (hk_text_plain(name) < length) return "holds characters that are not plain text";
  if (strchr(name, '\\')) return "holds a backslash";
  if (*name == '-') return "begins with \"-\"";
  return !strcmp(name, ".") || !strcmp(name, "..") ? "is that of a folder" : NULL;
}

/* Before anything is solved: names of traces become names of files. */
static hk_status check_names(const hk_model *model, hk_messages *list)
{
  hk_status status = HK_OK;
  for (int i = 0; i < model->step_count; i++)
    for (int k = 0; k < model->step[i].trace_count; k++) {
      const hk_trace_request *trace = &model->step[i].trace[k];
      const char *fault = trace->name ? fault_of_name(trace->name) : NULL;
      if (fault)
        status = hk_model_error(model, list, trace->place, HK_BAD_INPUT,
                                "trace \"%.60s\": its name %s, and files are called after it: "
                                "give another name",
                                trace->name, fault);
    }
  return status;
}

hk_status hk_model_create(const hk_model_desc *desc, hk_messages *list, hk_model **out)
{
  hk_status status = HK_OK;
  const hk_count before = hk_messages_total(list, HK_ERROR);
  hk_messages_renew(list);
  HK_CHECK(!desc->path != !desc->text, HK_USAGE,
           "a model is read from a path or from a text: give one of them");
  status = read_by_contents(desc, list, out);
  if (status == HK_OK) {
    status = check_names(*out, list);
    if (status != HK_OK) hk_model_destroy(out);
  }
  if (status == HK_BAD_INPUT && hk_messages_total(list, HK_ERROR) == before)
    hk_messages_add_error(list, desc->path ? desc->path : desc->name ? desc->name : "case");
cleanup:
  return status;
}

hk_status hk_model_read(const char *path, const char *const *set, int set_count, hk_messages *list,
                        hk_model **out)
{
  return hk_model_create(&(hk_model_desc){.path = path, .set = set, .set_count = set_count}, list,
                         out);
}

hk_status hk_model_error(const hk_model *model, hk_messages *list, hk_place place, hk_status code,
                         const char *format, ...)
{
  const char *file = place.file ? place.file : model->path;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  hk_messages_add(list, HK_ERROR, file, place.line, 0, "%s", text);
  return place.line > 0 ? hk_error_set(code, "%s:%lld: %s", file, (long long)place.line, text)
                        : hk_error_set(code, "%s: %s", file, text);
}
