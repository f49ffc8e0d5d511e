/* Options about pictures, of export and report, and lists of numbers as options take them: "6, 2". The library says what the numbers
 * and words mean. */
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static hk_picture_desc choice;
static char *range, *moment, *decibels, *scale;

const struct poptOption cli_picture_options[] = {
    {"quantity", 0, POPT_ARG_STRING, &choice.quantity, 0,
     "pictures of fields: of this quantity alone", "WORD"},
    {"component", 0, POPT_ARG_STRING, &choice.component, 0,
     "of this component, x or xy, with its sign, or size (default: the case's, or size)", "WORD"},
    {"range", 0, POPT_ARG_STRING, &range, 0,
     "ends of the colours, LOW,HIGH (default: of the frames)", "ENDS"},
    {"decibels", 0, POPT_ARG_STRING, &decibels, 0,
     "colours go so many decibels below the largest size", "X"},
    {"time", 0, POPT_ARG_STRING, &moment, 0,
     "only the frame nearest to this time, or those from FIRST,LAST", "T"},
    {"section", 0, POPT_ARG_STRING, &choice.section, 0,
     "more than eight traces side by side as: wiggle or density", "NAME"},
    {"scale", 0, POPT_ARG_STRING, &scale, 0,
     "value of a spacing of wiggles, or of full colour (default: 3/4 of the peaks are below it)",
     "X"},
    POPT_TABLEEND};

bool cli_read_list(const cli_verb *verb, const char *option, const char *text, int least, int most,
                   double *x, int *count)
{
  const char *c = text;
  for (*count = 0; *c && *count < most; (*count)++) {
    char *end;
    x[*count] = strtod(c, &end);
    if (end == c) break;
    c = end + strspn(end, " ");
    if (*c == ',' && c[1]) c++;
  }
  if (!*c && *count >= least) return true;
  if (most == 1)
    cli_usage_error(verb, "--%s \"%s\": must be a number", option, text);
  else if (least < most)
    cli_usage_error(verb, "--%s \"%s\": must be %d or %d numbers, separated by commas", option,
                    text, least, most);
  else
    cli_usage_error(verb, "--%s \"%s\": must be %d numbers, separated by commas", option, text,
                    least);
  return false;
}

bool cli_read_above_0(const cli_verb *verb, const char *option, const char *text, double *x)
{
  int count;
  if (!text) return true;
  if (!cli_read_list(verb, option, text, 1, 1, x, &count)) return false;
  if (*x > 0 && isfinite(*x)) return true;
  cli_usage_error(verb, "--%s \"%s\": must be above 0", option, text);
  return false;
}

const hk_picture_desc *cli_picture_choice(const cli_verb *verb)
{
  double ends[2], times[2];
  int count;
  if (range && !cli_read_list(verb, "range", range, 2, 2, ends, &count)) return NULL;
  if (range) choice.low = ends[0], choice.high = ends[1];
  if (range && !(choice.low < choice.high)) {
    cli_usage_error(verb, "--range \"%s\": its second number must be above the first", range);
    return NULL;
  }
  if (moment && !cli_read_list(verb, "time", moment, 1, 2, times, &count)) return NULL;
  if (moment) choice.at_time = true, choice.time = times[0], choice.until = count == 2;
  if (choice.until) choice.last_time = times[1];
  if (!cli_read_above_0(verb, "decibels", decibels, &choice.decibels)) return NULL;
  if (!cli_read_above_0(verb, "scale", scale, &choice.scale)) return NULL;
  return &choice;
}
