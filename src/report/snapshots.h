/* The wave fields of a run as moving pictures in its report: pictures of equal times behind a slider, as HTML. */
#ifndef HK_REPORT_SNAPSHOTS_H
#define HK_REPORT_SNAPSHOTS_H
#include "base/base.h"
#include <stdio.h>

/* A section for each quantity of the first shots that have frames; their pictures stay below 3 MB, a third more in
 * the file. run: the result's folder. */
hk_status hk_report_snapshots(FILE *to, const char *run, const char *time_unit);
#endif
