/* hooke report RUN: writes the HTML report of a result (hk_report_write).
 * The default file is RUN/report.html. The report is a single file that needs no network; its path
 * is printed. */
#include "cli.h"
#include <stdio.h>

static char *output;
static const struct poptOption options[] = {{"output", 0, POPT_ARG_STRING, &output, 0,
                                             "HTML file to write (default: RUN/report.html)",
                                             "FILE"},
                                            CLI_PICTURE,
                                            CLI_SAY,
                                            POPT_TABLEEND};

int cli_report(cli_call *c)
{
  if (!cli_open(c, options)) return c->code;
  const hk_picture_desc *picture = cli_picture_choice(c->verb);
  if (!picture) return HK_USAGE;
  const hk_status status = hk_report_write(c->word[0], output, picture);
  if (status == HK_OK && !manner.quiet)
    cli_put(stdout, output ? output : c->word[0]), puts(output ? "" : "/report.html");
  return cli_finish(c, status);
}
