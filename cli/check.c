/* hooke check MODEL */
#include "cli.h"

static int strict;
static const struct poptOption options[] = {
    {"strict", 0, POPT_ARG_NONE, &strict, 0, "exit 4 when there are warnings", NULL},
    CLI_SOLVE,
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

static double number(const json_t *object, const char *key)
{
  return json_number_value(json_object_get(object, key));
}

/* The first answer, in a line of standard error. */
static void say_estimate(const char *json)
{
  char memory[32], disk[32];
  json_t *root = json_loads(json, 0, NULL);
  const json_t *counts = json_object_get(root, "counts");
  cli_bytes(number(root, "memory_bytes"), memory);
  cli_bytes(number(root, "disk_bytes"), disk);
  cli_note("estimated: %.0f nodes, %.0f elements, about %.0f steps of %.3g, %s of memory, %s of "
           "disk, %.2g s; the exact answer follows",
           number(counts, "nodes"), number(counts, "elements"), number(counts, "steps"),
           number(root, "dt"), memory, disk, number(root, "seconds"));
  json_decref(root);
}

/* What is known without the mesh; true: that is all. */
static bool check_ahead(const hk_model_desc *what, const hk_run_desc *how, hk_messages *list,
                        char **json, hk_status *status)
{
  bool complete;
  *status = hk_check_ahead(what, how, list, json, &complete);
  if (complete || *status != HK_OK) return true;
  if (*json) say_estimate(*json);
  hk_text_free(json);
  return false;
}

int cli_check(const cli_verb *verb, int argc, const char **argv)
{
  const char *path;
  int code;
  hk_count shown = 0;
  hk_run_desc desc = {0};
  hk_messages *list = NULL;
  hk_model *model = NULL;
  char *json = NULL;

  if (!cli_parse(verb, argc, argv, options, &path, &code)) return code;
  if (!cli_solve_desc(verb, &desc)) return HK_USAGE;
  const hk_model_desc what = cli_model_desc(path);
  hk_status status = hk_messages_create(&list);
  const bool known = status != HK_OK || check_ahead(&what, &desc, list, &json, &status);
  if (!known) status = hk_model_create(&what, list, &model);
  if (!known && status == HK_OK) status = hk_check(model, &desc, list, &json);
  cli_show_messages(list, &shown);
  if (json) cli_print_result(json);
  code = status == HK_OK ? HK_OK : cli_fail(status, list);
  if (code == HK_OK && strict && hk_messages_total(list, HK_WARNING) > 0) {
    cli_note("%lld warnings, and --strict was given",
             (long long)hk_messages_total(list, HK_WARNING));
    code = HK_CHECK_FAILED;
  }
  hk_text_free(&json);
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
  return code;
}
