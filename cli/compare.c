/* hooke compare A B: prints the differences of two results (hk_compare), relative to the largest
 * value and to the norm of A.
 * With --tolerance the exit code is 4 if a relative largest difference is larger, or if B lacks a
 * dataset. */
#include "cli.h"

static char *tolerance;
static const struct poptOption options[] = {
    {"tolerance", 0, POPT_ARG_STRING, &tolerance, 0, "exit with 4 if a difference is larger", "X"},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

int cli_compare(cli_call *c)
{
  double most = 0;
  if (!cli_open(c, options)) return c->code;
  if (!cli_read_above_0(c->verb, "tolerance", tolerance, &most)) return HK_USAGE;
  return cli_finish(c, hk_compare(c->word[0], c->word[1], most, &c->json));
}
