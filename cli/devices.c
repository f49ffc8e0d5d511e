/* hooke devices: lists the devices of this machine (hk_devices).
 * Each device has a name for --device, its memory and its measured bandwidth; a device that cannot
 * be used has an error instead. */
#include "cli.h"

static int threads;
static const struct poptOption options[] = {
    {"threads", 0, POPT_ARG_INT, &threads, 0,
     "threads on the processor (default: 0, all that the machine has)", "N"},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

int cli_devices(cli_call *c)
{
  if (!cli_open(c, options)) return c->code;
  if (threads < 0) return cli_usage_error(c->verb, "--threads %d: must be 0 or more", threads);
  hk_run_desc how = {.threads = threads};
  cli_surroundings(&how);
  return cli_finish(c, hk_devices(&how, &c->json));
}
