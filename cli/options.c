/* Parses command lines with popt, and prints help and usage errors.
 * cli_parse reads the options of a verb's table and its words, and answers --help. An unknown
 * option is answered with the nearest known one. Usage errors end in 2, with JSON if --json is
 * among the words. */
#include "cli.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_HELP = 1000, MOST_OPTIONS = 40 };

cli_manner manner;

const struct poptOption cli_say_options[] = {
    {"quiet", 'q', POPT_ARG_NONE, &manner.quiet, 0, "print errors only", NULL},
    {"verbose", 'v', POPT_ARG_NONE, &manner.verbose, 0,
     "print each stage as it begins, at the end of a run what each took", NULL},
    {"help", 'h', POPT_ARG_NONE, NULL, OPTION_HELP, "print this", NULL},
    POPT_TABLEEND};

const struct poptOption cli_json_options[] = {
    {"json", 0, POPT_ARG_NONE, &manner.json, 0, "print the result as JSON", NULL}, POPT_TABLEEND};

int cli_usage_error(const cli_verb *verb, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fputs("hooke: error: ", stderr);
  cli_put(stderr, text);
  if (manner.json || manner.json_named) {
    manner.json = true;
    cli_print_failure(NULL, HK_USAGE, HK_USAGE, text, NULL);
  }
  fprintf(stderr, "; see \"hooke %s%s--help\"\n", verb ? verb->name : "", verb ? " " : "");
  return HK_USAGE;
}

const char *cli_did_you_mean(const char *word, const char *const *words, int count)
{
  static char text[128];
  const int near = hk_nearest(word, words, count);
  if (near < 0) return "";
  snprintf(text, sizeof text, ", did you mean \"%s\"?", words[near]);
  return text;
}

static void print_options(const struct poptOption *row)
{
  for (; row->longName || row->argInfo == POPT_ARG_INCLUDE_TABLE; row++) {
    char left[64], letter[8] = "";
    if (row->argInfo == POPT_ARG_INCLUDE_TABLE) {
      print_options(row->arg);
      continue;
    }
    if (row->shortName) snprintf(letter, sizeof letter, "-%c, ", row->shortName);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, row->longName, row->argDescrip ? " " : "",
             row->argDescrip ? row->argDescrip : "");
    printf("  %-32s %s\n", left, row->descrip);
  }
}

static void print_help(const cli_verb *verb, const struct poptOption *table)
{
  printf("Example:\n%s\nUsage: hooke %s %s%s[options]\n\n%c%s.\n%s\nOptions:\n", verb->examples,
         verb->name, verb->words, *verb->words ? " " : "", verb->summary[0] - 'a' + 'A',
         verb->summary + 1, verb->details ? verb->details : "");
  print_options(table);
}

static int collect_names(const struct poptOption *row, const char **name, int count)
{
  for (; row->longName || row->argInfo == POPT_ARG_INCLUDE_TABLE; row++) {
    if (row->argInfo == POPT_ARG_INCLUDE_TABLE)
      count = collect_names(row->arg, name, count);
    else if (count < MOST_OPTIONS)
      name[count++] = row->longName;
  }
  return count;
}

static int option_error(const cli_verb *verb, const struct poptOption *table, poptContext context,
                        int error)
{
  const char *name[MOST_OPTIONS], *bad = poptBadOption(context, POPT_BADOPTION_NOALIAS);
  char word[64];
  if (error != POPT_ERROR_BADOPT) return cli_usage_error(verb, "%s: %s", bad, poptStrerror(error));
  snprintf(word, sizeof word, "%s", bad + strspn(bad, "-"));
  word[strcspn(word, "=")] = 0;
  const char *hint = cli_did_you_mean(word, name, collect_names(table, name, 0));
  return cli_usage_error(verb, "unknown option %s of \"hooke %s\"%s", bad, verb->name, hint);
}

/* The context owns the words, so it lives as long as the process. */
bool cli_parse(const cli_verb *verb, int argc, const char **argv, const struct poptOption *table,
               const char **word, int *code)
{
  static poptContext context;
  int got, count = 0;
  *code = HK_INTERNAL;
  context = poptGetContext(NULL, argc, argv, table, 0);
  if (!context) return false;
  while ((got = poptGetNextOpt(context)) == OPTION_HELP) {
    print_help(verb, table);
    *code = HK_OK;
    return false;
  }
  if (got < -1) {
    *code = option_error(verb, table, context, got);
    return false;
  }
  for (int i = 0; i < verb->most; i++) word[i] = NULL;
  while (count < verb->most && poptPeekArg(context)) word[count++] = poptGetArg(context);
  const char *extra = poptGetArg(context);
  if (extra)
    *code = cli_usage_error(verb, "unexpected argument \"%s\"", extra);
  else if (count < verb->least)
    *code = cli_usage_error(verb, "hooke %s needs %s", verb->name, verb->words);
  else
    return true;
  return false;
}

bool cli_open(cli_call *c, const struct poptOption *table)
{
  if (!cli_parse(c->verb, c->argc, c->argv, table, c->word, &c->code)) return false;
  cli_threads(cli_threads_given() ? cli_threads_given() : hk_ranks_threads());
  const hk_status status = hk_messages_create(&c->list);
  if (status != HK_OK) c->code = cli_fail(status, NULL);
  return status == HK_OK;
}

int cli_finish(cli_call *c, hk_status status)
{
  cli_show_messages(c->list, &c->shown);
  if (status != HK_OK) return cli_fail_after(c->json, status, c->list);
  return c->json ? cli_print_result(c->json) : HK_OK;
}
