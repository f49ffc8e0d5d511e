/* hooke partition MESH: partitions a mesh into blocks of threads and writes a block file
 * (hk_partition).
 * The default output is MESH.blocks in the working directory; --picture also draws the blocks. */
#include "cli.h"
#include <stdlib.h>

static hk_partition_how how;
static const struct poptOption options[] = {
    {"method", 0, POPT_ARG_STRING, &how.method, 0, "aligned (default), greedy, metis or bisection",
     "NAME"},
    {"size", 0, POPT_ARG_INT, &how.size, 0, "nodes per block, a multiple of 32 (default: 512)",
     "N"},
    {"output", 'o', POPT_ARG_STRING, &how.output, 0,
     "block file to write (default: MESH.blocks here)", "FILE"},
    {"picture", 0, POPT_ARG_STRING, &how.picture, 0, "also draw the blocks into FILE, a PNG",
     "FILE"},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

int cli_partition(const cli_verb *verb, int argc, const char **argv)
{
  const char *path;
  int code;
  hk_count shown = 0;
  hk_messages *list = NULL;
  char *json = NULL, *output = NULL;
  hk_status status = HK_OK;

  if (!cli_parse(verb, argc, argv, options, &path, &code)) return code;
  if (!how.output) how.output = output = cli_name_after(path, ".blocks");
  if (!how.output) return cli_fail(HK_NO_RESOURCES, NULL);
  status = hk_messages_create(&list);
  if (status == HK_OK) status = hk_partition(path, &how, list, &json);
  cli_show_messages(list, &shown);
  if (status != HK_OK)
    code = cli_fail(status, list);
  else
    code = manner.quiet && !manner.json ? HK_OK : cli_print_result(json);
  hk_text_free(&json);
  hk_messages_destroy(&list);
  free(output);
  return code;
}
