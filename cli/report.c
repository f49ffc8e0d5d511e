/* hooke report RUN: writes the HTML report of a result (hk_report_write).
 * The default file is RUN/report.html. The report is a single file that needs no network; its path
 * is printed. */
#include "cli.h"
#include <stdio.h>

static char *output;
static const struct poptOption options[] = {{"output", 0, POPT_ARG_STRING, &output, 0,
                                             "HTML file to write (default: RUN/report.html)",
                                             "FILE"},
                                            CLI_SAY,
                                            POPT_TABLEEND};

int cli_report(const cli_verb *verb, int argc, const char **argv)
{
  const char *run;
  int code;
  if (!cli_parse(verb, argc, argv, options, &run, &code)) return code;
  const hk_status status = hk_report_write(run, output);
  if (status != HK_OK) return cli_fail(status, NULL);
  if (!manner.quiet) cli_put(stdout, output ? output : run), puts(output ? "" : "/report.html");
  return HK_OK;
}
