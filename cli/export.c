/* hooke export RUN: writes traces, frames and pictures of a result to RUN/export/ (hk_export).
 * The options name the formats; at least one is required. Notes state what a format rounds. */
#include "cli.h"
#include <stdio.h>

static int csv, vtu, png, su, sac;
static const struct poptOption options[] = {
    {"csv", 0, POPT_ARG_NONE, &csv, 0, "write traces as CSV tables", NULL},
    {"vtu", 0, POPT_ARG_NONE, &vtu, 0, "write frames as .pvd and .vtu", NULL},
    {"png", 0, POPT_ARG_NONE, &png, 0, "write pictures of frames and traces", NULL},
    {"su", 0, POPT_ARG_NONE, &su, 0, "write traces for Seismic Unix, a file per component", NULL},
    {"sac", 0, POPT_ARG_NONE, &sac, 0, "write traces for SAC, a file per receiver and component",
     NULL},
    CLI_SAY,
    POPT_TABLEEND};

int cli_export(const cli_verb *verb, int argc, const char **argv)
{
  const char *run;
  int code;
  if (!cli_parse(verb, argc, argv, options, &run, &code)) return code;
  if (!csv && !vtu && !png && !su && !sac)
    return cli_usage_error(verb, "name a format: --csv, --vtu, --png, --su or --sac");
  hk_messages *list = NULL;
  hk_count shown = 0;
  hk_status status = hk_messages_create(&list);
  if (status == HK_OK) status = hk_export(run, &(hk_export_desc){csv, vtu, png, su, sac, list});
  cli_show_messages(list, &shown);
  code = status == HK_OK ? HK_OK : cli_fail(status, list);
  hk_messages_destroy(&list);
  if (code == HK_OK && !manner.quiet) cli_put(stdout, run), puts("/export");
  return code;
}
