/* What the report tells of the model in words, from run.json: units, size, the resolution of its waves, the wave speeds of its regions, and what holds,
 * moves or absorbs at its boundaries, with the lines that say so. */
#include "base/file.h"
#include "base/units.h"
#include "report/report.h"

enum { MOST_ROWS = 60 };

static const char *text_of(const json_t *of, const char *key)
{
  const char *text = json_string_value(json_object_get(of, key));
  return text ? text : "";
}

static void put_units(FILE *to, const json_t *units)
{
  static const char *const key[] = {"length", "mass", "time", "temperature"};
  if (!*text_of(units, "length")) return;
  fputs("<div><dt>units</dt><dd>", to);
  for (int k = 0; k < 4; k++) {
    if (k) fputs(", ", to);
    hk_html_text(to, text_of(units, key[k]));
  }
  fputs("</dd></div>\n", to);
}

/* box: two corners. */
static void put_size(FILE *to, const json_t *box, const char *unit)
{
  const json_t *low = json_array_get(box, 0), *high = json_array_get(box, 1);
  char number[32];
  if (!json_array_size(low)) return;
  fputs("<div><dt>size</dt><dd>", to);
  for (size_t d = 0; d < json_array_size(low); d++)
    fprintf(to, "%s%s", d ? " &times; " : "",
            hk_number_text(number, 4,
                           json_number_value(json_array_get(high, d)) -
                               json_number_value(json_array_get(low, d))));
  fputc(' ', to);
  hk_html_text(to, unit);
  fputs("</dd></div>\n", to);
}

static void put_number(FILE *to, const char *name, const json_t *value, const char *unit)
{
  char number[32];
  if (!json_is_number(value)) return;
  fprintf(to, "<div><dt>%s</dt><dd>%s ", name, hk_number_text(number, 3, json_number_value(value)));
  hk_html_text(to, unit);
  fputs("</dd></div>\n", to);
}

static void put_facts(FILE *to, const json_t *run)
{
  const json_t *units = json_object_get(run, "units"),
               *resolution = json_object_get(run, "resolution");
  char per_time[HK_UNIT_TEXT];
  hk_unit_frequency(text_of(units, "time"), per_time);
  fputs("<dl class=\"facts\">\n", to);
  put_units(to, units);
  put_size(to, json_object_get(run, "box"), text_of(units, "length"));
  put_number(to, "highest frequency of the sources",
             json_object_get(resolution, "highest_frequency"), per_time);
  put_number(to, "points per wavelength there",
             json_object_get(resolution, "points_per_wavelength"), "");
  put_number(to, "points per wavelength needed",
             json_object_get(resolution, "least_points_per_wavelength"), "");
  fputs("</dl>\n", to);
}

static void put_speeds(FILE *to, const json_t *speeds, const json_t *units)
{
  static const char *const key[] = {"p_speed", "s_speed"};
  if (!json_array_size(speeds)) return;
  fputs("<table><tr><th>region</th>", to);
  for (int k = 0; k < 2; k++) {
    fprintf(to, "<th>%c speed", "PS"[k]);
    if (*text_of(units, "length")) {
      fputs(", ", to);
      hk_html_text(to, text_of(units, "length"));
      fputc('/', to);
      hk_html_text(to, text_of(units, "time"));
    }
    fputs("</th>", to);
  }
  fputs("</tr>\n", to);
  for (size_t i = 0; i < json_array_size(speeds) && i < MOST_ROWS; i++) {
    const json_t *one = json_array_get(speeds, i);
    fputs("<tr><td>", to);
    hk_html_text(to, text_of(one, "region"));
    for (int k = 0; k < 2; k++) {
      const json_t *speed = json_object_get(one, key[k]);
      char number[32] = "";
      if (json_number_value(speed) > 0) hk_number_text(number, 5, json_number_value(speed));
      fprintf(to, "</td><td>%s", number);
    }
    fputs("</td></tr>\n", to);
  }
  fputs("</table>\n", to);
}

static void put_boundaries(FILE *to, const json_t *list)
{
  if (!json_array_size(list)) return;
  fputs("<table><tr><th>boundary</th><th>on</th><th>given in</th></tr>\n", to);
  for (size_t i = 0; i < json_array_size(list) && i < MOST_ROWS; i++) {
    const json_t *one = json_array_get(list, i);
    fputs("<tr><td>", to);
    hk_html_text(to, text_of(one, "kind"));
    if (json_object_get(one, "component"))
      fprintf(to, ", component %d", (int)json_integer_value(json_object_get(one, "component")));
    fprintf(to, "</td><td>%lld %s</td><td>",
            (long long)json_integer_value(json_object_get(one, "count")), text_of(one, "of"));
    hk_html_text(to, text_of(one, "line"));
    fputs("</td></tr>\n", to);
  }
  fputs("</table>\n", to);
  if (json_array_size(list) > MOST_ROWS)
    fprintf(to, "<p class=\"sub\">and %d more in run.json</p>\n",
            (int)json_array_size(list) - MOST_ROWS);
}

void hk_report_model(FILE *to, const json_t *run)
{
  if (!*text_of(json_object_get(run, "units"), "length") && !json_object_get(run, "box") &&
      !json_array_size(json_object_get(run, "boundaries")))
    return;
  fputs("<section><h2>Units, regions and boundaries</h2>\n", to);
  put_facts(to, run);
  put_speeds(to, json_object_get(run, "speeds"), json_object_get(run, "units"));
  put_boundaries(to, json_object_get(run, "boundaries"));
  fputs("</section>\n", to);
}
