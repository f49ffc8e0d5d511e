/* hooke partition MESH: partitions a mesh into blocks of threads and writes a block file
 * (hk_partition).
 * The default output is MESH.blocks in the working directory; --picture also draws the blocks. --sweep prints a table over the size of the
 * blocks instead. */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>

static hk_partition_how how;
static int sweep;
static const struct poptOption options[] = {
    {"method", 0, POPT_ARG_STRING, &how.method, 0,
     "aligned (default in 2D), aligned-paper, greedy, metis or bisection (default in 3D)", "NAME"},
    {"size", 0, POPT_ARG_INT, &how.size, 0, "nodes per block, a multiple of 32 (default: 512)",
     "N"},
    {"output", 'o', POPT_ARG_STRING, &how.output, 0,
     "block file to write (default: MESH.blocks here)", "FILE"},
    {"picture", 0, POPT_ARG_STRING, &how.picture, 0, "also draw the blocks into FILE, a PNG",
     "FILE"},
    {"reuse", 0, POPT_ARG_STRING, &how.reuse, 0,
     "keep the blocks of FILE, of the mesh before it was changed, around which nothing changed",
     "FILE"},
    {"sweep", 0, POPT_ARG_NONE, &sweep, 0,
     "count blocks of 64, 128, ..., 2048 nodes and the bytes of a step; write no file", NULL},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

/* The lines of a sweep below one another. */
static void print_sweep(const char *json)
{
  size_t i;
  json_t *root = json_loads(json, 0, NULL), *line;
  printf("%8s %8s %12s %8s %14s %14s %9s\n", "size", "blocks", "efficiency", "links",
         "bytes, single", "bytes, double", "seconds");
  json_array_foreach(json_object_get(root, "sweep"), i, line)
  {
    const json_int_t integer[] = {json_integer_value(json_object_get(line, "block_size")),
                                  json_integer_value(json_object_get(line, "blocks")),
                                  json_integer_value(json_object_get(line, "single_bytes")),
                                  json_integer_value(json_object_get(line, "double_bytes"))};
    printf("%8lld %8lld %10.2f %% %8.3f %14lld %14lld %9.3f\n", (long long)integer[0],
           (long long)integer[1], 100 * json_real_value(json_object_get(line, "efficiency")),
           json_real_value(json_object_get(line, "links")), (long long)integer[2],
           (long long)integer[3], json_real_value(json_object_get(line, "seconds")));
  }
  json_decref(root);
}

int cli_partition(cli_call *c)
{
  char *output = NULL;
  if (!cli_open(c, options)) return c->code;
  how.sweep = sweep;
  if (!how.output && !sweep) how.output = output = cli_name_after(c->word[0], ".blocks");
  if (!how.output && !sweep) return cli_fail(HK_NO_RESOURCES, NULL);
  const hk_status status = hk_partition(c->word[0], &how, c->list, &c->json);
  if (status == HK_OK && sweep && !manner.quiet && !manner.json) print_sweep(c->json);
  if ((manner.quiet || sweep) && !manner.json) hk_text_free(&c->json);
  free(output);
  return cli_finish(c, status);
}
