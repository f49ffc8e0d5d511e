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

int cli_compare(const cli_verb *verb, int argc, const char **argv)
{
  const char *path[2];
  int code;
  char *json = NULL;
  if (!cli_parse(verb, argc, argv, options, path, &code)) return code;
  if (tolerance != -1 && !(tolerance > 0))
    return cli_usage_error(verb, "--tolerance %g: must be above 0", tolerance);
  const hk_status status = hk_compare(path[0], path[1], tolerance > 0 ? tolerance : 0, &json);
  if (status != HK_OK)
    cli_fail_after(json, status, NULL);
  else if (json)
    cli_print_result(json);
  hk_text_free(&json);
  return (int)status;
}
