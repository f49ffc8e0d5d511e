/* hooke export RUN */
#include "cli.h"
#include <stdio.h>

static int csv, vtu, png;
static const struct poptOption options[] = {
    {"csv", 0, POPT_ARG_NONE, &csv, 0, "traces as tables", NULL},
    {"vtu", 0, POPT_ARG_NONE, &vtu, 0, "frames as .pvd and .vtu", NULL},
    {"png", 0, POPT_ARG_NONE, &png, 0, "pictures of frames and traces", NULL},
    CLI_SAY,
    POPT_TABLEEND};

int cli_export(const cli_verb *verb, int argc, const char **argv)
{
  const char *run;
  int code;
  if (!cli_parse(verb, argc, argv, options, &run, &code)) return code;
  if (!csv && !vtu && !png) return cli_usage_error(verb, "name a format: --csv, --vtu or --png");
  const hk_status status = hk_export(run, &(hk_export_desc){.csv = csv, .vtu = vtu, .png = png});
  if (status != HK_OK) return cli_fail(status, NULL);
  if (!manner.quiet) printf("%s/export\n", run);
  return HK_OK;
}
