/* hooke new NAME [DIR] */
#include "cli.h"
#include <stdio.h>

static const struct poptOption options[] = {CLI_SAY, POPT_TABLEEND};

static int list_examples(void)
{
  int count;
  const hk_example *example = hk_example_list(&count);
  for (int i = 0; i < count; i++) printf("%-16s %s\n", example[i].name, example[i].about);
  return HK_OK;
}

int cli_new(const cli_verb *verb, int argc, const char **argv)
{
  const char *word[2];
  int code;
  char *written = NULL;
  if (!cli_parse(verb, argc, argv, options, word, &code)) return code;
  if (!word[0]) return list_examples();
  const hk_status status = hk_example_write(word[0], word[1], &written);
  if (status != HK_OK) return cli_fail(status, NULL);
  if (!manner.quiet) printf("%s: solve it with \"hooke run %s\"\n", written, written);
  hk_text_free(&written);
  return HK_OK;
}
