/* Codes of stations and channels (FDSN, SEED reference manual 2012, appendix A). */
#include "result/export/codes.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const double year_1900 = -2208988800, year_2100 = 4102444800; /* those that readers take */

bool hk_code_station(const hk_gather *g, hk_count receiver, char *text)
{
  char name[24];
  hk_gather_station(g, receiver, name);
  if (strlen(name) > HK_STATION) snprintf(name, sizeof name, "p%lld", (long long)receiver + 1);
  snprintf(text, HK_STATION + 1, "%.*s", HK_STATION, name);
  for (char *c = text; *c; c++) *c = (char)toupper((unsigned char)*c);
  return strlen(name) <= HK_STATION;
}

void hk_code_channel(const hk_gather *g, const hk_result_trace *t, int c, char *text)
{
  static const struct {
    double above;
    char code;
  } band[] = {{4999.9, 'J'}, {999.9, 'F'}, {249.9, 'C'}, {79.9, 'H'}, {9.9, 'B'},
              {1.001, 'M'},  {.3, 'L'},    {.03, 'V'},   {0, 'U'}};
  static const struct {
    const char *quantity;
    char code;
  } instrument[] = {{"velocity", 'H'}, {"acceleration", 'N'}, {"pressure", 'D'},
                    {"rotation", 'J'}, {"strain", 'S'},       {"temperature", 'K'},
                    {"stress", 'Y'},   {"divergence", 'V'},   {"strain_rate", 'S'}};
  char component[16];
  int k = 0;
  while (1 / g->dt < band[k].above) k++;
  text[0] = band[k].code, text[1] = 'X';
  for (size_t i = 0; i < sizeof instrument / sizeof *instrument; i++)
    if (!strcmp(t->quantity, instrument[i].quantity)) text[1] = instrument[i].code;
  hk_component_name(t->components, c, component);
  text[2] = strlen(component) == 1 ? (char)toupper((unsigned char)*component) : (char)('1' + c);
  text[3] = 0;
}

hk_status hk_code_check(const hk_gather *g, const char *ending)
{
  char text[HK_STATION + 1];
  const double end = g->start + (double)g->samples * g->dt;
  HK_NEED(g->start > year_1900 && end < year_2100, HK_BAD_INPUT,
          "%s: times from %g s to %g s are out of the years 1900 to 2099 of %s files, which "
          "count from 1970; use --sac",
          g->name, g->start, end, ending);
  for (hk_count i = 0; i < g->receivers; i++)
    HK_NEED(hk_code_station(g, i, text), HK_BAD_INPUT,
            "%s: receiver %lld: its name is longer than the five characters of a station code of "
            "%s files: record at most 9999 receivers in one request, or use --sac",
            g->name, (long long)i + 1, ending);
  return HK_OK;
}
