/* Line plots as SVG within HTML, and text made safe for it. */
#ifndef HK_REPORT_SVG_H
#define HK_REPORT_SVG_H
#include "picture/trace_plot.h"
#include <stdio.h>

void hk_html_text(FILE *to, const char *text);
void hk_svg_plot(FILE *to, const hk_curves *curves, const char *name, const char *unit,
                 const char *time_unit);
#endif
