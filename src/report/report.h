/* What the report of a run is made of: text made safe for HTML, line plots as SVG, and the wave fields as moving pictures behind a
 * slider. */
#pragma once
#include "picture/scene.h"
#include "picture/trace_plot.h"
#include "report/view/view.h"
#include <stdio.h>

void hk_html_text(FILE *to, const char *text);
void hk_svg_plot(FILE *to, const hk_curves *curves, const char *name, const char *unit,
                 const char *time_unit);
/* A section for each material with attenuation that run.json tells of: Q over frequencies, and a table of its waves; nothing without. */
hk_status hk_report_attenuation(FILE *to, const json_t *run);
/* Units, size, resolution, regions and boundaries, as far as run.json tells them. */
void hk_report_model(FILE *to, const json_t *run);
/* Below the curves of a trace: their amplitude spectra, where run.json tells the band of the sources. */
hk_status hk_report_spectra(FILE *to, hk_result *result, int trace, hk_count shot);
/* What a run has beside its files: the scene of its mesh, and what the viewer shows of its model; NULL: not at hand. */
typedef struct hk_report_beside {
  const hk_scene *scene;
  const hk_view_model *model;
} hk_report_beside;
/* The model in 3D, with the frames of the first field; then a section for each quantity of the first shots that have frames: their pictures stay below 2.3 MB, a
 * third more in the file. run: the result's folder. */
hk_status hk_report_snapshots(FILE *to, const char *run, hk_report_beside beside,
                              const char *time_unit, const hk_picture_desc *choice);
/* hk_report_write with what the run has beside. */
hk_status hk_report_make(const char *run, hk_report_beside beside, const char *path,
                         const hk_picture_desc *choice);
