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

int cli_info(const cli_verb *verb, int argc, const char **argv)
{
  const char *path;
  int code;
  hk_count shown = 0;
  hk_messages *list = NULL;
  char *json = NULL;

  if (!cli_parse(verb, argc, argv, options, &path, &code)) return code;
  hk_status status = hk_messages_create(&list);
  if (status == HK_OK) status = arrays ? hk_arrays(path, &json) : hk_info(path, list, &json);
  cli_show_messages(list, &shown);
  code = status == HK_OK ? cli_print_result(json) : cli_fail(status, list);
  hk_text_free(&json);
  hk_messages_destroy(&list);
  return code;
}
