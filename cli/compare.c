/* hooke compare A B: prints the differences of two results (hk_compare), relative to the largest
 * value and to the norm of A.
 * With --tolerance the exit code is 4 if a relative largest difference is larger, or if B lacks a
 * dataset. */
#include "cli.h"

static double tolerance = -1;
static const struct poptOption options[] = {
    {"tolerance", 0, POPT_ARG_DOUBLE, &tolerance, 0, "exit with 4 if a difference is larger", "X"},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

int cli_compare(cli_call *c)
{
  if (!cli_open(c, options)) return c->code;
  if (tolerance != -1 && !(tolerance > 0))
    return cli_usage_error(c->verb, "--tolerance %g: must be above 0", tolerance);
  return cli_finish(c, hk_compare(c->word[0], c->word[1], tolerance > 0 ? tolerance : 0, &c->json));
}
