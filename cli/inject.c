/* hooke inject CASE: writes the points at which the injections of a case need their waves (hk_injection_points). */
#include "cli.h"
#include <stdlib.h>

static char *output;
static const struct poptOption options[] = {{"output", 'o', POPT_ARG_STRING, &output, 0,
                                             "CSV file to write (default: CASE.points.csv here)",
                                             "FILE"},
                                            CLI_MODEL,
                                            CLI_JSON,
                                            CLI_SAY,
                                            POPT_TABLEEND};

int cli_inject(cli_call *c)
{
  char *own = NULL;
  if (!cli_open(c, options)) return c->code;
  const char *file = output ? output : (own = cli_name_after(c->word[0], ".points.csv"));
  if (!file) return cli_fail(HK_NO_RESOURCES, NULL);
  const hk_model_desc desc = cli_model_desc(c->word[0]);
  const hk_status status = hk_injection_points(&desc, file, c->list, &c->json);
  if (manner.quiet && !manner.json) hk_text_free(&c->json);
  free(own);
  return cli_finish(c, status);
}
