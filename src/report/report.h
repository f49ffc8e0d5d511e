/* What the report of a run is made of: text made safe for HTML, line plots as SVG, and the wave fields as moving pictures behind a
 * slider. */
#pragma once
#include "picture/scene.h"
#include "picture/trace_plot.h"
#include <stdio.h>

void hk_html_text(FILE *to, const char *text);
void hk_svg_plot(FILE *to, const hk_curves *curves, const char *name, const char *unit,
                 const char *time_unit);
/* A section for each material with attenuation that run.json tells of: Q over frequencies, and a table of its waves; nothing without. */
hk_status hk_report_attenuation(FILE *to, const json_t *run);
/* Below the curves of a trace: their amplitude spectra, where run.json tells the band of the sources. */
hk_status hk_report_spectra(FILE *to, hk_result *result, int trace, hk_count shot);
void hk_html_png(FILE *to, const char *data, size_t size); /* as base64 */
/* A section for each quantity of the first shots that have frames; their pictures stay below 3 MB, a third more in
 * the file. run: the result's folder; scene: of its mesh, or NULL. */
hk_status hk_report_snapshots(FILE *to, const char *run, const hk_scene *scene,
                              const char *time_unit, const hk_picture_desc *choice);
/* hk_report_write with the scene of the run's mesh, or NULL. */
hk_status hk_report_make(const char *run, const hk_scene *scene, const char *path,
                         const hk_picture_desc *choice);
