/* hooke check MODEL: predicts a run and checks its input.
 * For a case with a large mesh it prints the estimate of hk_check_ahead on standard error at once;
 * for plain boxes this is already the answer. Then it reads the model and prints the result of
 * hk_check. With --strict a warning makes the exit code 4. */
#include "cli.h"
#include <stdio.h>

static int strict;
static const struct poptOption options[] = {
    {"strict", 0, POPT_ARG_NONE, &strict, 0, "exit with 4 if there are warnings", NULL},
    CLI_SOLVE,
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

static double number(const json_t *object, const char *key)
{
  return json_number_value(json_object_get(object, key));
}

/* Of a mesh that lies in a file its size alone is known. */
static void say_size(const json_t *root)
{
  char memory[32], elements[48] = "";
  const json_t *counts = json_object_get(root, "counts");
  cli_bytes(number(root, "memory_bytes_at_least"), memory);
  if (json_object_get(counts, "elements"))
    snprintf(elements, sizeof elements, ", %.0f elements", number(counts, "elements"));
  cli_note("estimated: %.0f nodes%s, at least %s of memory; the exact answer follows",
           number(counts, "nodes"), elements, memory);
}

/* The first answer, in a line of standard error. */
static void say_estimate(const char *json)
{
  char memory[32], room[32], disk[32], steps[96] = "";
  json_t *root = json_loads(json, 0, NULL);
  const json_t *counts = json_object_get(root, "counts");
  if (json_object_get(root, "memory_bytes_at_least")) {
    say_size(root);
    json_decref(root);
    return;
  }
  const char *unit = json_string_value(json_object_get(json_object_get(root, "unit"), "dt"));
  const bool fits = number(root, "memory_bytes") <= number(root, "memory_free_bytes");
  cli_bytes(number(root, "memory_bytes"), memory);
  cli_bytes(number(root, "memory_free_bytes"), room);
  cli_bytes(number(root, "disk_bytes"), disk);
  if (json_object_get(root, "dt"))
    snprintf(steps, sizeof steps, "about %.0f steps of %.3g%s%.30s, ", number(counts, "steps"),
             number(root, "dt"), unit && *unit ? " " : "", unit ? unit : "");
  cli_note("estimated: %.0f nodes, %.0f elements, %s%s of memory%s%s%s, %s of disk, %.2g s; "
           "the exact answer follows",
           number(counts, "nodes"), number(counts, "elements"), steps, memory,
           fits ? "" : " where ", fits ? "" : room,
           fits ? "" : " are free: this machine cannot run it", disk, number(root, "seconds"));
  json_decref(root);
}

/* What is known without the mesh; true: that is all. */
static bool check_ahead(cli_call *c, const hk_model_desc *what, const hk_run_desc *how,
                        hk_status *status)
{
  bool complete;
  *status = hk_check_ahead(what, how, c->list, &c->json, &complete);
  if (complete || *status != HK_OK) return true;
  if (c->json) say_estimate(c->json);
  hk_text_free(&c->json);
  return false;
}

static int be_strict(cli_call *c)
{
  const long long count = (long long)hk_messages_total(c->list, HK_WARNING);
  char text[64];
  cli_show_messages(c->list, &c->shown);
  snprintf(text, sizeof text, "%lld warning%s, and --strict was given", count,
           count > 1 ? "s" : "");
  if (manner.json)
    cli_print_failure(c->json, HK_CHECK_FAILED, HK_CHECK_FAILED, text, c->list);
  else
    cli_print_result(c->json);
  cli_note("%s", text);
  return HK_CHECK_FAILED;
}

int cli_check(cli_call *c)
{
  hk_run_desc desc = {0};
  hk_model *model = NULL;
  hk_status status;
  if (!cli_open(c, options)) return c->code;
  if (!cli_solve_desc(c->verb, &desc)) return HK_USAGE;
  const hk_model_desc what = cli_model_desc(c->word[0]);
  if (!check_ahead(c, &what, &desc, &status)) {
    status = hk_model_create(&what, c->list, &model);
    if (status == HK_OK) status = hk_check(model, &desc, c->list, &c->json);
    hk_model_destroy(&model);
  }
  const bool warned = status == HK_OK && hk_messages_total(c->list, HK_WARNING) > 0;
  return strict && warned ? be_strict(c) : cli_finish(c, status);
}
