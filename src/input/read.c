/* A model from a path or a text. A name that ends in .inp or .inp.gz is that of a deck, one in .yaml, .yml or .json that of a case file; of
 * other files the first line that is not empty tells, as a deck begins with an asterisk. A deck says neither the form of the stiffness nor how
 * static steps are solved: those keys of case files can be set beside it (--set). Names of traces become names of files, so they are checked
 * here, before anything is solved. */
#include "base/source.h"
#include "input/case/case.h"
#include "input/deck/deck.h"
#include "input/read.h"
#include <string.h>

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

/* A deck says all but the form of the stiffness and what becomes of time dispersion, and little of how static steps are solved: those
 * keys of case files can be set. Before the model is read with model = NULL, to check them. */
static hk_status set_of_deck(const char *path, const char *const *set, int set_count,
                             hk_model *model)
{
  static const char method[] = "solve.explicit.method=", still[] = "solve.static.",
                    warm[] = "solve.heat.", phase[] = "solve.explicit.time_dispersion=";
  hk_static_how how = {0};
  for (int i = 0; i < set_count; i++) {
    const char *prefix = !strncmp(set[i], warm, strlen(warm)) ? warm : still;
    if (!strncmp(set[i], prefix, strlen(prefix))) {
      HK_PASS(hk_static_how_set(model ? &model->solve.how : &how, set[i] + strlen(prefix)));
      continue;
    }
    if (!strncmp(set[i], phase, strlen(phase))) {
      const int dispersion = hk_case_dispersion(set[i] + strlen(phase));
      HK_NEED(dispersion >= 0, HK_USAGE,
              "--set %s: there is no such value: give auto, remove or keep", set[i]);
      if (model) model->solve.time_dispersion = (hk_time_dispersion)dispersion;
      continue;
    }
    HK_NEED(
        !strncmp(set[i], method, strlen(method)), HK_USAGE,
        "%s: --set %s: of a deck only solve.explicit.method, solve.explicit.time_dispersion and "
        "the keys of solve.static and solve.heat can be set; edit the deck instead",
        path, set[i]);
    const char *name = set[i] + strlen(method);
    HK_NEED(strlen(name) < sizeof((hk_model *)0)->solve.method, HK_USAGE,
            "--set %s: there is no such method", set[i]);
    if (model) strcpy(model->solve.method, name);
  }
  return HK_OK;
}

static hk_status find_deck(const char *path, bool *deck)
{
  *deck = hk_ends_with(path, ".inp") || hk_ends_with(path, ".inp.gz");
  if (*deck || hk_ends_with(path, ".yaml") || hk_ends_with(path, ".yml") ||
      hk_ends_with(path, ".json"))
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
  const hk_stop stop = {desc->stop, desc->user};
  bool deck = false;
  if (desc->path) HK_PASS(find_deck(desc->path, &deck));
  if (!deck) return hk_case_read(desc, list, out);
  HK_NEED(!desc->mesh, HK_USAGE, "%s: a deck has its own mesh: give no other mesh", desc->path);
  HK_PASS(set_of_deck(desc->path, desc->set, desc->set_count, NULL));
  HK_PASS(hk_deck_read(desc->path, &stop, list, out));
  return set_of_deck(desc->path, desc->set, desc->set_count, *out);
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

static hk_status create(const hk_model_desc *desc, hk_messages *list, hk_model **out)
{
  hk_status status = HK_OK;
  const hk_count before = hk_messages_total(list, HK_ERROR);
  hk_messages_renew(list);
  HK_CHECK(!desc->path != !desc->text, HK_USAGE,
           "a model is read from a path or from a text: give one of them");
  status = read_by_contents(desc, list, out);
  if (status == HK_OK) {
    status = check_names(*out, list);
    if (status == HK_OK) status = hk_model_complete_axisymmetric(*out, list);
    if (status == HK_OK) hk_model_complete_spatial(*out);
    if (status != HK_OK) hk_model_destroy(out);
  }
  if (status == HK_BAD_INPUT && hk_messages_total(list, HK_ERROR) == before)
    hk_messages_add_error(list, desc->path ? desc->path : desc->name ? desc->name : "case");
cleanup:
  return status;
}

/* The model keeps the seconds of its reading. */
hk_status hk_model_create(const hk_model_desc *desc, hk_messages *list, hk_model **out)
{
  hk_clock clock, *before = hk_clock_start(&clock);
  hk_reading *kept;
  const hk_count held = hk_memory_held();
  hk_memory_renew_peak();
  hk_status status = create(desc, list, out);
  hk_clock_settle(&clock);
  hk_clock_use(before);
  if (status != HK_OK) return status;
  status = hk_pool_get(&(*out)->pool, &kept, 1);
  if (status != HK_OK) {
    hk_model_destroy(out);
    return status;
  }
  *kept = (hk_reading){.clock = clock, .memory = hk_memory_peak() - held};
  (*out)->read = kept;
  return HK_OK;
}

hk_status hk_model_read(const char *path, const char *const *set, int set_count, hk_messages *list,
                        hk_model **out)
{
  return hk_model_create(&(hk_model_desc){.path = path, .set = set, .set_count = set_count}, list,
                         out);
}
