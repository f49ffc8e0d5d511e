/* hooke selftest */
#include "cli.h"

static const struct poptOption options[] = {CLI_JSON, CLI_SAY, POPT_TABLEEND};

int cli_selftest(const cli_verb *verb, int argc, const char **argv)
{
  int code;
  char *json = NULL;
  if (!cli_parse(verb, argc, argv, options, NULL, &code)) return code;
  const hk_status status = hk_selftest(&json);
  if (json) cli_print_result(json);
  if (status != HK_OK) cli_fail(status, NULL);
  hk_text_free(&json);
  return (int)status;
}
