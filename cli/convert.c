/* hooke convert IN OUT: reads a mesh and writes it in the format of OUT's extension.
 * Messages of the reader come first; then one line states the path of the new file and the numbers
 * of nodes, elements and sets. */
#include "cli.h"
#include <stdio.h>

static const struct poptOption options[] = {CLI_SAY, POPT_TABLEEND};

int cli_convert(const cli_verb *verb, int argc, const char **argv)
{
  const char *path[2];
  int code;
  hk_count shown = 0;
  hk_messages *list = NULL;
  hk_mesh *mesh = NULL;

  if (!cli_parse(verb, argc, argv, options, path, &code)) return code;
  hk_status status = hk_messages_create(&list);
  if (status == HK_OK) status = hk_mesh_read(path[0], list, &mesh);
  cli_show_messages(list, &shown);
  if (status == HK_OK) status = hk_mesh_write(mesh, path[1]);
  if (status != HK_OK)
    code = cli_fail(status, list);
  else if (!manner.quiet)
    cli_put(stdout, path[1]),
        printf(": %lld nodes, %lld elements, sets: %d\n", (long long)mesh->node_count,
               (long long)mesh->element_count, mesh->set_count);
  hk_mesh_destroy(&mesh);
  hk_messages_destroy(&list);
  return (int)status;
}
