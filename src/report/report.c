/* Writes the report of a run: one HTML file with its styles, scripts and pictures inside, so that
 * it needs neither a network nor a library. The facts, warnings, notes, steps and times come from
 * run.json, the energies and traces from run.h5, the spectra of these from spectra.c, and the wave field from snapshots.c as pictures
 * with a slider. Curves are reduced to their envelopes and the number of plots is limited, so that
 * the file stays below 5 MB. */
#include <hooke/result.h>
#include "report/report.h"
#include "picture/picture.h"
#include "base/file.h"
#include "result/written.h"
#include <math.h>
#include <string.h>

enum {
  SECTION_WIDTH = 1000,
  SECTION_BYTES = 700000,
  CURVE_POINTS = 700,
  MOST_PLOTS = 10,
  MOST_STEPS = 100
};

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<style>\n"
    ":root{color-scheme:light dark;--ink:#1d1f24;--soft:#667;--line:#dfe1e6;--page:#f6f7f9;"
    "--card:#fff;--good:#16794c;--bad:#b3261e;--warn:#8a5a00}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e9ed;--soft:#9aa0ad;--line:#363a43;"
    "--page:#15171b;--card:#1e2127;--good:#5fd39b;--bad:#ff8a80;--warn:#f0bf62}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);"
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main{max-width:1000px;margin:0 auto;padding:32px 20px 60px}h1{font-size:26px;margin:0}\n"
    "h2{font-size:17px;margin:0 0 12px}section{background:var(--card);border:1px solid var(--line);"
    "border-radius:10px;padding:18px 20px;margin-top:18px}\n"
    ".sub{color:var(--soft);margin:4px 0 0}.status{font-weight:600}.ok{color:var(--good)}"
    ".no{color:var(--bad)}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(165px,1fr));gap:14px 18px;"
    "margin:0}.facts dt{color:var(--soft);font-size:12.5px}.facts dd{margin:0;font-size:17px;"
    "font-variant-numeric:tabular-nums;overflow-wrap:anywhere}\n"
    ".warn{color:var(--warn)}ul{margin:0;padding-left:20px}svg{width:100%;height:auto;display:"
    "block}"
    "svg text{fill:var(--soft);font-size:12px}svg polyline{fill:none;stroke-width:1.4;"
    "stroke-linejoin:round}.m{text-anchor:middle}.e{text-anchor:end}\n"
    ".g{stroke:var(--line);fill:none}.a{stroke:var(--soft);fill:none}.legend{display:flex;"
    "flex-wrap:wrap;gap:4px 16px;margin:8px 0 0;font-size:13px;color:var(--soft)}"
    ".legend i{display:inline-block;width:16px;height:3px;border-radius:2px;margin-right:6px;"
    "vertical-align:middle}\n"
    "img.section{width:100%;height:auto;background:#fff;border-radius:6px}"
    ".frames img{width:100%;height:auto;display:none;background:#fff;border-radius:6px}"
    ".frames img.on{display:block}.play{display:flex;gap:12px;align-items:center;margin-top:10px}"
    ".play input{flex:1}.play button{font:inherit;padding:4px 16px;border-radius:7px;"
    "border:1px solid var(--line);background:var(--page);color:inherit;cursor:pointer}\n"
    ".play output{min-width:120px;text-align:right;font-variant-numeric:tabular-nums}\n"
    ".bar{display:grid;grid-template-columns:90px 1fr 80px;gap:10px;align-items:center;"
    "font-size:13.5px}.bar b{display:block;height:9px;border-radius:5px;background:#3b82c4;"
    "min-width:2px}.bar span:last-child{text-align:right;font-variant-numeric:tabular-nums}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
    "th{color:var(--soft);font-weight:400;font-size:12.5px;text-align:left}"
    "td{border-top:1px solid var(--line);padding:4px 8px 4px 0}\n"
    ".model .stage{position:relative}.model canvas{width:100%;height:460px;display:block;"
    "touch-action:none;border-radius:6px;cursor:grab;outline-offset:2px}.model .sub{font-size:13px}"
    ".model .rows{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:center;margin-top:10px;"
    "font-size:13.5px}.model select{font:inherit;padding:3px 8px;border-radius:7px;border:1px "
    "solid var(--line);background:var(--page);color:inherit}.model label{display:flex;gap:5px;"
    "align-items:center}.model i{display:inline-block;width:12px;height:12px;border-radius:3px}"
    ".model .scale{display:flex;gap:8px;align-items:center;font-variant-numeric:tabular-nums}"
    ".model .scale b{width:220px;height:12px;border-radius:3px}\n"
    "@media print{section{break-inside:avoid}.play{display:none}}\n</style>\n";

static const char script[] =
    "<script>\ndocument.querySelectorAll('.film').forEach(f=>{\n"
    "const p=[...f.querySelectorAll('img')],s=f.querySelector('input'),"
    "o=f.querySelector('output'),b=f.querySelector('button');let t=0;\n"
    "const show=i=>{p.forEach((e,k)=>e.classList.toggle('on',k==i));s.value=i;"
    "o.textContent=p[i].alt};\n"
    "const stop=()=>{clearInterval(t);t=0;b.textContent='Play'};\n"
    "s.oninput=()=>{stop();show(+s.value)};\n"
    "b.onclick=()=>{if(t)return stop();b.textContent='Pause';"
    "t=setInterval(()=>show((+s.value+1)%p.length),140)};\nshow(p.length-1)});\n</script>\n";

static const char *text_of(json_t *run, const char *key)
{
  return json_string_value(json_object_get(run, key));
}

/* 1234567 -> 1 234 567 */
static void put_grouped(FILE *to, hk_count value)
{
  char digits[32];
  const int length = snprintf(digits, sizeof digits, "%lld", (long long)value);
  for (int i = 0; i < length; i++) {
    if (i && digits[i - 1] != '-' && (length - i) % 3 == 0) fputs("&#8239;", to);
    fputc(digits[i], to);
  }
}

static void put_text_fact(FILE *to, const char *name, const char *text)
{
  if (!text || !*text) return;
  fprintf(to, "<div><dt>%s</dt><dd>", name);
  hk_html_text(to, text);
  fputs("</dd></div>\n", to);
}

static void put_fact(FILE *to, const char *name, json_t *value, double scale, const char *unit)
{
  char number[32];
  if (!json_is_number(value)) return;
  fprintf(to, "<div><dt>%s</dt><dd>", name);
  if (json_is_integer(value) && scale == 1)
    put_grouped(to, json_integer_value(value));
  else
    fputs(hk_number_text(number, 4, json_number_value(value) * scale), to);
  if (*unit) fputc(' ', to);
  hk_html_text(to, unit);
  fputs("</dd></div>\n", to);
}

static void put_summary(FILE *to, json_t *run, const char *time_unit)
{
  json_t *counts = json_object_get(run, "counts");
  const char *length_unit = text_of(json_object_get(run, "units"), "length");
  fputs("<section><h2>Model and run</h2><dl class=\"facts\">\n", to);
  put_fact(to, "nodes", json_object_get(counts, "nodes"), 1, "");
  put_fact(to, "elements", json_object_get(counts, "elements"), 1, "");
  put_fact(to, "shots", json_object_get(counts, "shots"), 1, "");
  put_fact(to, "degrees of freedom", json_object_get(counts, "dofs"), 1, "");
  put_fact(to, "steps", json_object_get(counts, "steps"), 1, "");
  put_fact(to, "colours of elements", json_object_get(run, "colours"), 1, "");
  put_text_fact(to, "solver", text_of(run, "solver"));
  put_fact(to, "thickness", json_object_get(run, "thickness"), 1, length_unit ? length_unit : "");
  put_fact(to, "time step", json_object_get(run, "dt"), 1, time_unit);
  put_fact(to, "end time", json_object_get(run, "end_time"), 1, time_unit);
  put_text_fact(to, "device", text_of(run, "device"));
  put_text_fact(to, "processor", text_of(run, "device_name"));
  put_text_fact(to, "precision", text_of(run, "precision"));
  put_fact(to, "threads", json_object_get(run, "threads"), 1, "");
  put_fact(to, "speed", json_object_get(run, "dof_updates_per_second"), 1e-6, "Mdof/s");
  put_fact(to, "memory bandwidth", json_object_get(run, "bandwidth_gb_per_s"), 1, "GB/s");
  put_fact(to, "peak memory", json_object_get(run, "peak_memory_bytes"), 1e-6, "MB");
  if (json_integer_value(json_object_get(run, "iterations")) > 0) {
    put_fact(to, "iterations", json_object_get(run, "iterations"), 1, "");
    put_fact(to, "residual", json_object_get(run, "residual"), 1, "");
  }
  if (text_of(run, "analysis"))
    put_fact(to, "strain energy", json_object_get(json_object_get(run, "energy"), "strain"), 1, "");
  fputs("</dl></section>\n", to);
}

static void put_title(FILE *to, json_t *run, const char *folder)
{
  const char *status = text_of(run, "status"), *title = text_of(run, "title");
  const char *version = text_of(run, "hooke_version");
  fputs("<title>", to);
  hk_html_text(to, title ? title : folder);
  fputs("</title></head><body><main>\n<h1>", to);
  hk_html_text(to, title ? title : folder);
  fputs("</h1>\n<p class=\"sub\">", to);
  if (status) {
    fprintf(to, "<span class=\"status %s\">", !strcmp(status, "ok") ? "ok" : "no");
    hk_html_text(to, status);
    fputs("</span> &middot; ", to);
  }
  fputs("hooke ", to);
  if (version) hk_html_text(to, version);
  fputs(" &middot; ", to);
  hk_html_text(to, folder);
  fputs("</p>\n", to);
}

static void put_seconds(FILE *to, json_t *seconds)
{
  const double total = json_number_value(json_object_get(seconds, "total"));
  char number[32];
  const char *stage;
  json_t *value;
  if (!(total > 0)) return;
  fputs("<section><h2>Run time by stage</h2>\n", to);
  json_object_foreach(seconds, stage, value)
  {
    const double share = json_number_value(value) / total;
    if (!strcmp(stage, "total")) continue;
    fputs("<div class=\"bar\"><span>", to);
    hk_html_text(to, stage);
    fprintf(to, "</span><b style=\"width:%d%%\"></b><span>%s s</span></div>\n",
            (int)lround(100 * fmin(1, fmax(0, share))),
            hk_number_text(number, 3, round(1000 * json_number_value(value)) / 1000));
  }
  fprintf(to, "<p class=\"sub\">total %s s</p></section>\n", hk_number_text(number, 4, total));
}

/* title: in HTML, with its tags. */
static void put_messages(FILE *to, const char *title, json_t *list)
{
  if (!json_array_size(list)) return;
  fprintf(to, "<section>%s<ul>\n", title);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *text = json_string_value(json_array_get(list, i));
    fputs("<li>", to);
    if (text) hk_html_text(to, text);
    fputs("</li>\n", to);
  }
  fputs("</ul></section>\n", to);
}

/* The key of the largest value of static steps: of displacements, of heat, of coupled equations. */
static const char *largest_of(const json_t *steps)
{
  static const char *const key[] = {"largest_displacement", "largest_temperature", "largest_value"};
  int k = 2;
  while (k > 0 && !json_object_get(json_array_get(steps, 0), key[k])) k--;
  return key[k];
}

/* Static steps: sums of loads and reactions, the largest displacement. */
static void put_steps(FILE *to, json_t *steps)
{
  char number[32];
  if (!json_array_size(steps)) return;
  const char *most = largest_of(steps);
  fprintf(to,
          "<section><h2>Steps</h2><table><tr><th>step</th><th>iterations</th><th>residual</th>"
          "<th>estimated error</th><th>largest %s</th><th>sum of loads</th><th>sum of "
          "reactions</th></tr>\n",
          most + strlen("largest_"));
  for (size_t i = 0; i < json_array_size(steps) && i < MOST_STEPS; i++) {
    static const char *const sum[] = {"load", "reaction"};
    json_t *step = json_array_get(steps, i);
    fprintf(to, "<tr><td>%d</td><td>%lld</td>", (int)i + 1,
            (long long)json_integer_value(json_object_get(step, "iterations")));
    fprintf(to, "<td>%s</td>",
            hk_number_text(number, 3, json_number_value(json_object_get(step, "residual"))));
    fprintf(to, "<td>%s</td>",
            hk_number_text(number, 2, json_number_value(json_object_get(step, "estimated_error"))));
    fprintf(to, "<td>%s</td>",
            hk_number_text(number, 6, json_number_value(json_object_get(step, most))));
    for (int k = 0; k < 2; k++) {
      json_t *vector = json_object_get(step, sum[k]);
      fputs("<td>", to);
      for (size_t c = 0; c < json_array_size(vector); c++)
        fprintf(to, "%s%s", c ? ", " : "",
                hk_number_text(number, 5, json_number_value(json_array_get(vector, c))));
      fputs("</td>", to);
    }
    fputs("</tr>\n", to);
  }
  fputs("</table></section>\n", to);
}

static hk_status put_convergence(FILE *to, const json_t *run)
{
  hk_curves *curves = NULL;
  const hk_status status = hk_convergence_read(run, &curves);
  if (curves) {
    fputs("<section><h2>Convergence</h2>\n", to);
    hk_svg_plot(to, curves, "log10 of the residual", "", "");
    fputs("</section>\n", to);
  }
  hk_curves_destroy(&curves);
  return status;
}

static hk_status put_energies(FILE *to, hk_result *r, const char *time_unit)
{
  static const char *const name[] = {"kinetic", "strain", "work", "damping"};
  hk_status status = HK_OK;
  hk_curves *all = NULL;
  hk_pool pool = {0};
  double *time, *values;
  char *unit = NULL;

  if (!r->energies) return HK_OK;
  HK_TRY(hk_curves_create(&all));
  HK_TRY(hk_pool_get(&pool, &time, r->energies));
  HK_TRY(hk_pool_get(&pool, &values, r->energies));
  HK_TRY(hk_result_energy(r, "time", 0, time));
  for (int k = 0; k < 4; k++) {
    HK_TRY(hk_result_energy(r, name[k], 0, values));
    HK_TRY(hk_curves_add(all, name[k], r->energies, time, values, CURVE_POINTS));
  }
  HK_TRY(hk_hdf_text_read(r->file, "/energy/kinetic", "unit", &unit));
  fprintf(to, "<section><h2>Energy%s</h2>\n", r->shots ? " of shot 1" : "");
  hk_svg_plot(to, all, "energy", unit, time_unit);
  fputs("</section>\n", to);
cleanup:
  hk_free(&unit);
  hk_pool_clear(&pool);
  hk_curves_destroy(&all);
  return status;
}

static hk_status put_curves(FILE *to, hk_result *r, int trace, hk_count shot)
{
  hk_curves *curves = NULL;
  const hk_result_trace *t = &r->trace[trace];
  HK_PASS(hk_curves_read(r, trace, shot, CURVE_POINTS, &curves));
  hk_svg_plot(to, curves, t->quantity, t->unit, t->time_unit);
  hk_curves_destroy(&curves);
  return HK_OK;
}

/* A picture, while all of them stay within SECTION_BYTES. */
static hk_status put_section(FILE *to, hk_result *r, int trace, hk_count shot,
                             const hk_picture_desc *choice, size_t *bytes)
{
  hk_status status = HK_OK;
  hk_canvas *canvas = NULL;
  char *png = NULL;
  size_t size;
  HK_TRY(hk_trace_plot(r, trace, shot, choice, SECTION_WIDTH, &canvas));
  HK_TRY(hk_canvas_encode(canvas, &png, &size));
  *bytes += size;
  if (*bytes > SECTION_BYTES && *bytes > size) {
    fputs("<p class=\"sub\">left out: hooke export --png draws it</p>\n", to);
    goto cleanup;
  }
  fputs("<img class=\"section\" alt=\"traces side by side, time downwards\" "
        "src=\"data:image/png;base64,",
        to);
  hk_html_base64(to, png, size);
  fputs("\">\n", to);
cleanup:
  hk_free(&png);
  hk_canvas_destroy(&canvas);
  return status;
}

static hk_status put_trace(FILE *to, hk_result *r, int trace, hk_count shot,
                           const hk_picture_desc *choice, size_t *bytes)
{
  const hk_result_trace *t = &r->trace[trace];
  fputs("<section><h2>", to);
  hk_html_text(to, t->request);
  fputs(": ", to);
  hk_html_text(to, t->quantity);
  if (t->shots) fprintf(to, ", shot %lld of %lld", (long long)shot + 1, (long long)t->shots);
  fputs("</h2>\n", to);
  HK_PASS(hk_section_fits(t) ? put_section(to, r, trace, shot, choice, bytes)
                             : put_curves(to, r, trace, shot));
  HK_PASS(hk_report_spectra(to, r, trace, shot));
  fputs("</section>\n", to);
  return HK_OK;
}

/* All traces of the first shot, of the second, ... */
static hk_status put_traces(FILE *to, hk_result *r, const hk_picture_desc *choice)
{
  const hk_count shots = r->shots ? r->shots : 1, plots = shots * r->count;
  size_t bytes = 0;
  HK_PASS(hk_picture_check_sections(r, choice));
  for (hk_count k = 0; k < plots && k < MOST_PLOTS; k++)
    HK_PASS(put_trace(to, r, (int)(k % r->count), k / r->count, choice, &bytes));
  if (plots > MOST_PLOTS)
    fprintf(to, "<p class=\"sub\">and %lld more traces in run.h5</p>\n",
            (long long)(plots - MOST_PLOTS));
  return HK_OK;
}

hk_status hk_report_make(const char *run, hk_report_beside beside, const char *path,
                         const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  hk_result *r = NULL;
  char *own = NULL, *time_unit = NULL;
  hk_stream stream = {0};

  HK_TRY(hk_result_open(run, &r));
  HK_CHECK(r->folder, HK_USAGE, "%s: is not a result folder", run);
  HK_CHECK(!choice || choice->frame_rate == 0, HK_USAGE,
           "%s: frame rate: a report's frames have a slider, leave it out", run);
  HK_TRY(hk_format(&own, "%s/report.html", run));
  HK_TRY(r->energies ? hk_hdf_text_read(r->file, "/energy/time", "unit", &time_unit)
                     : hk_copy_text(&time_unit, ""));
  HK_TRY(path ? hk_stream_begin(path, &stream) : hk_written_stream(own, &stream));
  fputs(head, stream.file);
  put_title(stream.file, r->run, run);
  put_summary(stream.file, r->run, time_unit);
  put_messages(stream.file, "<h2 class=\"warn\">Warnings</h2>",
               json_object_get(r->run, "warnings"));
  put_messages(stream.file, "<h2>Notes</h2>", json_object_get(r->run, "notes"));
  hk_report_model(stream.file, r->run);
  HK_TRY(hk_report_attenuation(stream.file, r->run));
  HK_TRY(hk_report_snapshots(stream.file, run, beside, time_unit, choice));
  HK_TRY(put_traces(stream.file, r, choice));
  HK_TRY(put_energies(stream.file, r, time_unit));
  put_steps(stream.file, json_object_get(r->run, "steps"));
  HK_TRY(put_convergence(stream.file, r->run));
  put_seconds(stream.file, json_object_get(r->run, "seconds"));
  fputs("</main>\n", stream.file);
  fputs(script, stream.file);
  fprintf(stream.file, "<script>\n%s</script>\n", hk_view_script);
  fputs("</body></html>\n", stream.file);
cleanup:
  status = hk_stream_end(&stream, status);
  hk_result_close(&r);
  hk_free(&own);
  hk_free(&time_unit);
  return status;
}

hk_status hk_report_write(const char *run, const char *path, const hk_picture_desc *choice)
{
  return hk_report_make(run, (hk_report_beside){0}, path, choice);
}
