/* hooke check MODEL */
#include "cli.h"

static int strict;
static const struct poptOption options[] = {
    {"strict", 0, POPT_ARG_NONE, &strict, 0, "exit 4 when there are warnings", NULL},
    CLI_SOLVE,
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

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
  if (status == HK_OK) status = hk_model_create(&what, list, &model);
  if (status == HK_OK) status = hk_check(model, &desc, list, &json);
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
