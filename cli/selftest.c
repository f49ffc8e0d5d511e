/* hooke selftest: solves problems with known answers on each device, or on the one named by
 * --device (hk_selftest).
 * A failed test makes the exit code 4. */
#include "cli.h"

static char *device;
static const struct poptOption options[] = {{"device", 0, POPT_ARG_STRING, &device, 0,
                                             "test this device only: cpu, cuda[:N], opencl[:N]",
                                             "NAME"},
                                            CLI_JSON,
                                            CLI_SAY,
                                            POPT_TABLEEND};

int cli_selftest(const cli_verb *verb, int argc, const char **argv)
{
  int code;
  char *json = NULL;
  if (!cli_parse(verb, argc, argv, options, NULL, &code)) return code;
  hk_run_desc how = {.device = device};
  cli_surroundings(&how);
  const hk_status status = hk_selftest(&how, &json);
  if (status != HK_OK)
    cli_fail_after(json, status, NULL);
  else if (json)
    cli_print_result(json);
  hk_text_free(&json);
  return (int)status;
}
