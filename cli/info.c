/* hooke info FILE: prints the contents of a mesh, deck, case or result (hk_info).
 * With --arrays it lists the arrays of an HDF5 file and their offsets (hk_arrays), for programs
 * that read them without HDF5. */
#include "cli.h"

static int arrays;
static const struct poptOption options[] = {
    {"arrays", 0, POPT_ARG_NONE, &arrays, 0,
     "list every array of an HDF5 file with its offset in the file", NULL},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

int cli_info(cli_call *c)
{
  if (!cli_open(c, options)) return c->code;
  return cli_finish(c, arrays ? hk_arrays(c->word[0], &c->json)
                              : hk_info(c->word[0], c->list, &c->json));
}
