/* Amplitude spectra of a trace's curves below these, in dB of the largest, over the band of the sources. run.json's `resolution` tells
 * where that ends (-40 dB of the sources' own spectrum), and up to which frequency the mesh has the points per wavelength below which a run
 * warns: a dashed line. Nothing is drawn where the band is not known, or the trace has no spectrum. */
#include "base/file.h"
#include "base/units.h"
#include "report/report.h"
#include "result/spectrum.h"
#include <math.h>

enum { POINTS = 300 };
static const double floor_level = -60; /* dB */

typedef struct band {
  double highest;  /* of the sources; 0: not known */
  double resolved; /* by the mesh; 0: not known */
  double least;    /* points per wavelength there */
} band;

static band band_of(const hk_result *r)
{
  const json_t *told = json_object_get(r->run, "resolution");
  const double highest = json_number_value(json_object_get(told, "highest_frequency"));
  const double points = json_number_value(json_object_get(told, "points_per_wavelength"));
  const double least = json_number_value(json_object_get(told, "least_points_per_wavelength"));
  return (band){highest, least > 0 ? highest * points / least : 0, least};
}

/* amplitude[count] -> dB of the largest */
static void to_decibels(hk_count count, double largest, double *amplitude)
{
  for (hk_count j = 0; j < count; j++)
    amplitude[j] = fmax(floor_level, 20 * log10(amplitude[j] / largest));
}

/* The curves' spectra at `count` frequencies; *largest: of all, 0 if there is none. */
static hk_status transform(hk_spectrum *plan, const hk_curves *of, hk_count count, hk_curves *to,
                           double *largest)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  double *frequency, *amplitude[HK_MOST_CURVES];
  *largest = 0;
  HK_TRY(hk_pool_get(&pool, &frequency, count));
  for (hk_count j = 0; j < count; j++) frequency[j] = (double)j * plan->interval;
  for (int i = 0; i < of->count; i++) {
    HK_TRY(hk_pool_get(&pool, &amplitude[i], plan->count));
    if (of->curve[i].count < plan->all) /* some are not-a-number */
      amplitude[i] = NULL;
    else
      hk_spectrum_run(plan, &of->curve[i].point[0][1], 2, amplitude[i]);
    for (hk_count j = 0; amplitude[i] && j < count; j++) *largest = fmax(*largest, amplitude[i][j]);
  }
  for (int i = 0; *largest > 0 && i < of->count; i++) {
    if (amplitude[i]) to_decibels(count, *largest, amplitude[i]);
    HK_TRY(hk_curves_add(to, of->curve[i].label, amplitude[i] ? count : 0, frequency, amplitude[i],
                         POINTS));
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static void put_number(FILE *to, const char *before, double value, const char *unit)
{
  char number[32];
  fprintf(to, "%s%s ", before, hk_number_text(number, 3, value));
  hk_html_text(to, unit);
}

static void put_words(FILE *to, const hk_result_trace *t, double largest, const band *b)
{
  char unit[HK_UNIT_TEXT], number[32];
  hk_unit_frequency(t->time_unit, unit);
  put_number(to, "<p class=\"sub\">Amplitude spectra of these traces; 0 dB is ", largest, t->unit);
  if (*unit) fputc('/', to), hk_html_text(to, unit);
  put_number(to, ". The sources' spectrum ends at ", b->highest, unit);
  fputs(" (-40 dB).", to);
  if (b->resolved > 0) {
    put_number(to, " Up to ", b->resolved, unit);
    fprintf(to, "%s the mesh has at least %s points per wavelength.</p>\n",
            b->resolved < b->highest ? " (dashed)" : "", hk_number_text(number, 3, b->least));
  } else {
    fputs("</p>\n", to);
  }
}

static hk_status put_spectra(FILE *to, hk_result *r, int trace, hk_count shot, const band *b,
                             hk_spectrum *plan)
{
  hk_status status = HK_OK;
  hk_curves *traces = NULL, *spectra = NULL;
  const hk_result_trace *t = &r->trace[trace];
  char unit[HK_UNIT_TEXT];
  double largest;
  HK_TRY(hk_curves_read(r, trace, shot, t->samples, &traces));
  HK_TRY(hk_curves_create(&spectra));
  const double last = floor(b->highest / plan->interval) + 1;
  const hk_count count = last < (double)plan->count ? (hk_count)last + 1 : plan->count;
  HK_TRY(transform(plan, traces, count, spectra, &largest));
  if (!(largest > 0)) goto cleanup;
  spectra->across = "frequency", spectra->left_out = traces->left_out, spectra->mark = b->resolved;
  hk_unit_frequency(t->time_unit, unit);
  put_words(to, t, largest, b);
  hk_svg_plot(to, spectra, "amplitude", "dB", unit);
cleanup:
  hk_curves_destroy(&traces);
  hk_curves_destroy(&spectra);
  return status;
}

hk_status hk_report_spectra(FILE *to, hk_result *r, int trace, hk_count shot)
{
  hk_spectrum plan = {0};
  const band b = band_of(r);
  if (!(b.highest > 0)) return HK_OK;
  hk_status status = hk_spectrum_create(r, trace, 2 * b.highest / POINTS, &plan);
  if (status == HK_BAD_INPUT) {
    fputs("<p class=\"sub\">No spectra: they need two samples at least, at equal intervals.</p>\n",
          to);
    return HK_OK;
  }
  if (status == HK_OK) status = put_spectra(to, r, trace, shot, &b, &plan);
  hk_spectrum_clear(&plan);
  return status;
}
