/* hooke new NAME [DIR]: writes a commented example (hk_example_write); without NAME it lists the
 * examples.
 * With --schema it prints the JSON Schema of case files. */
#include "cli.h"
#include <stdio.h>

static int schema;
static const struct poptOption options[] = {{"schema", 0, POPT_ARG_NONE, &schema, 0,
                                             "print the JSON Schema of case files, for editors",
                                             NULL},
                                            CLI_SAY,
                                            POPT_TABLEEND};

static int list_examples(void)
{
  int count;
  const hk_example *example = hk_example_list(&count);
  for (int i = 0; i < count; i++) printf("%-16s %s\n", example[i].name, example[i].about);
  return HK_OK;
}

static int print_schema(void)
{
  char *text = NULL;
  const hk_status status = hk_case_schema(&text);
  if (status != HK_OK) return cli_fail(status, NULL);
  puts(text);
  hk_text_free(&text);
  return HK_OK;
}

int cli_new(cli_call *c)
{
  char *written = NULL;
  if (!cli_open(c, options)) return c->code;
  const char *name = c->word[0];
  if (schema && name)
    return cli_usage_error(c->verb, "--schema writes no example: remove \"%s\"", name);
  if (schema) return print_schema();
  if (!name) return list_examples();
  const hk_status status = hk_example_write(name, c->word[1], &written);
  if (status != HK_OK) return cli_fail(status, NULL);
  if (!manner.quiet) printf("%s: solve it with \"hooke run %s\"\n", written, written);
  hk_text_free(&written);
  return HK_OK;
}
