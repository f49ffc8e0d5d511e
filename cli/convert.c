/* hooke convert IN OUT: reads a mesh and writes it in the format of OUT's extension.
 * Messages of the reader come first; then one line states the path of the new file and the numbers
 * of nodes, elements and sets. */
#include "cli.h"
#include <stdio.h>

static const struct poptOption options[] = {CLI_SAY, POPT_TABLEEND};

int cli_convert(cli_call *c)
{
  hk_mesh *mesh = NULL;
  if (!cli_open(c, options)) return c->code;
  hk_status status = hk_mesh_read(c->word[0], c->list, &mesh);
  if (status == HK_OK) status = hk_mesh_write(mesh, c->word[1]);
  const int code = cli_finish(c, status);
  if (status == HK_OK && !manner.quiet)
    cli_put(stdout, c->word[1]),
        printf(": %lld nodes, %lld elements, sets: %d\n", (long long)mesh->node_count,
               (long long)mesh->element_count, mesh->set_count);
  hk_mesh_destroy(&mesh);
  return code;
}
