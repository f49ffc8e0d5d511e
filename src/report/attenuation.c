/* What the report tells of attenuation, from run.json's `attenuation` (run/estimate/attenuation.c): of each material a curve Q(f) for each kind of its
 * waves, as its mechanisms have it, over the band and beyond either end, and a table with the errors of the fit, speeds and moduli; of a Kelvin-Voigt
 * solid a line. */
#include "base/file.h"
#include "base/units.h"
#include "report/report.h"
#include <math.h>

static const char *text_of(const json_t *of, const char *key)
{
  const char *text = json_string_value(json_object_get(of, key));
  return text ? text : "";
}

static hk_status add_wave(const json_t *material, const json_t *wave, hk_curves *all)
{
  hk_status status = HK_OK;
  const json_t *frequency = json_object_get(material, "frequency"),
               *quality = json_object_get(wave, "quality_at");
  const size_t count = json_array_size(frequency);
  double *at = NULL, *value = NULL;
  char label[64], number[32];
  HK_TRY(hk_get(&at, (hk_count)count));
  HK_TRY(hk_get(&value, (hk_count)count));
  for (size_t k = 0; k < count; k++) {
    at[k] = log10(json_number_value(json_array_get(frequency, k)));
    value[k] = json_number_value(json_array_get(quality, k));
  }
  snprintf(label, sizeof label, "%.20s waves, Q = %s", text_of(wave, "wave"),
           hk_number_text(number, 4, json_number_value(json_object_get(wave, "quality"))));
  HK_TRY(hk_curves_add(all, label, (hk_count)count, at, value, 2 * (hk_count)count));
cleanup:
  hk_free(&at);
  hk_free(&value);
  return status;
}

static void put_cells(FILE *to, const json_t *wave)
{
  static const struct {
    const char *key;
    double scale;
  } cell[] = {{"quality", 1},         {"largest_error", 100},  {"rms_error", 100},  {"speed", 1},
              {"speed_low", 1},       {"speed_high", 1},       {"dispersion", 100}, {"modulus", 1},
              {"modulus_relaxed", 1}, {"modulus_unrelaxed", 1}};
  char number[32];
  fprintf(to, "<tr><td>%s</td>", text_of(wave, "wave"));
  for (size_t i = 0; i < sizeof cell / sizeof *cell; i++) {
    const json_t *value = json_object_get(wave, cell[i].key);
    fprintf(to, "<td>%s</td>",
            json_is_number(value)
                ? hk_number_text(number, 4, json_number_value(value) * cell[i].scale)
                : "-");
  }
  fputs("</tr>\n", to);
}

/* ", in GPa": of a dimension in the run's units; nothing where they have no names. */
static void put_unit(FILE *to, const json_t *run, hk_dimension dimension)
{
  const json_t *units = json_object_get(run, "units");
  const char *const base[HK_BASE_UNITS] = {text_of(units, "length"), text_of(units, "mass"),
                                           text_of(units, "time"), text_of(units, "temperature")};
  char name[HK_UNIT_TEXT];
  hk_unit_name(base, dimension, name);
  if (*name) fputs(", ", to), hk_html_text(to, name);
}

static void put_table(FILE *to, const json_t *run, const json_t *material)
{
  const json_t *waves = json_object_get(material, "waves");
  fputs("<table><tr><th>waves</th><th>Q</th><th>largest error of 1/Q in the band, %</th>"
        "<th>rms error, %</th><th>speed at the reference frequency",
        to);
  put_unit(to, run, (hk_dimension){{1, 0, -1, 0}});
  fputs("</th><th>at the band's lower end</th><th>at its upper end</th><th>dispersion across "
        "the band, %</th><th>modulus at the reference frequency",
        to);
  put_unit(to, run, (hk_dimension){{-1, 1, -2, 0}});
  fputs("</th><th>relaxed</th><th>unrelaxed</th></tr>\n", to);
  for (size_t i = 0; i < json_array_size(waves); i++) put_cells(to, json_array_get(waves, i));
  fputs("</table>\n", to);
}

/* Q at one frequency, which falls as 1 / f. */
static void put_delay(FILE *to, const json_t *run, const json_t *material)
{
  const json_t *quality = json_object_get(material, "quality");
  char number[32], unit[HK_UNIT_TEXT];
  fputs("<p>Kelvin-Voigt: stress = C : (strain + t dstrain/dt), t = ", to);
  fputs(hk_number_text(number, 4, json_number_value(json_object_get(material, "kelvin_voigt"))),
        to);
  hk_html_text(to, " "), hk_html_text(to, text_of(json_object_get(run, "units"), "time"));
  if (json_is_number(quality)) {
    fprintf(to, "; Q = %s", hk_number_text(number, 4, json_number_value(quality)));
    fprintf(to, " at %s ",
            hk_number_text(number, 4,
                           json_number_value(json_object_get(material, "reference_frequency"))));
    hk_unit_frequency(text_of(json_object_get(run, "units"), "time"), unit);
    hk_html_text(to, unit);
  }
  fputs("; Q falls as 1 / frequency</p></section>\n", to);
}

static hk_status put_material(FILE *to, const json_t *run, const json_t *material)
{
  hk_status status = HK_OK;
  hk_curves *all = NULL;
  const json_t *waves = json_object_get(material, "waves");
  char unit[HK_UNIT_TEXT];
  HK_TRY(hk_curves_create(&all));
  all->across = "log10 of the frequency";
  for (size_t i = 0; i < json_array_size(waves); i++)
    HK_TRY(add_wave(material, json_array_get(waves, i), all));
  hk_unit_frequency(text_of(json_object_get(run, "units"), "time"), unit);
  hk_svg_plot(to, all, "quality factor", "", unit);
  put_table(to, run, material);
  if (json_object_get(material, "of_element"))
    fprintf(to, "<p>The constants of this material vary: these are those of element %lld.</p>\n",
            (long long)json_integer_value(json_object_get(material, "of_element")));
  fputs("</section>\n", to);
cleanup:
  hk_curves_destroy(&all);
  return status;
}

hk_status hk_report_attenuation(FILE *to, const json_t *run)
{
  size_t i;
  const json_t *material;
  json_array_foreach(json_object_get(run, "attenuation"), i, material)
  {
    fputs("<section><h2>Attenuation of ", to);
    hk_html_text(to, text_of(material, "material"));
    fputs("</h2>\n", to);
    if (json_object_get(material, "kelvin_voigt"))
      put_delay(to, run, material);
    else
      HK_PASS(put_material(to, run, material));
  }
  return HK_OK;
}
