/* hooke partition MESH: partitions a mesh into blocks of threads and writes a block file
 * (hk_partition).
 * The default output is MESH.blocks in the working directory; --picture also draws the blocks. */
#include "cli.h"
#include <stdlib.h>

static hk_partition_how how;
static const struct poptOption options[] = {
    {"method", 0, POPT_ARG_STRING, &how.method, 0,
     "aligned (default), aligned-paper, greedy, metis or bisection", "NAME"},
    {"size", 0, POPT_ARG_INT, &how.size, 0, "nodes per block, a multiple of 32 (default: 512)",
     "N"},
    {"output", 'o', POPT_ARG_STRING, &how.output, 0,
     "block file to write (default: MESH.blocks here)", "FILE"},
    {"picture", 0, POPT_ARG_STRING, &how.picture, 0, "also draw the blocks into FILE, a PNG",
     "FILE"},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

int cli_partition(cli_call *c)
{
  char *output = NULL;
  if (!cli_open(c, options)) return c->code;
  if (!how.output) how.output = output = cli_name_after(c->word[0], ".blocks");
  if (!how.output) return cli_fail(HK_NO_RESOURCES, NULL);
  const hk_status status = hk_partition(c->word[0], &how, c->list, &c->json);
  if (manner.quiet && !manner.json) hk_text_free(&c->json);
  free(output);
  return cli_finish(c, status);
}
