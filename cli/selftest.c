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

int cli_selftest(cli_call *c)
{
  if (!cli_open(c, options)) return c->code;
  hk_run_desc how = {.device = device};
  cli_surroundings(&how);
  return cli_finish(c, hk_selftest(&how, &c->json));
}
