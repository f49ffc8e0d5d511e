/* How an iterative solver came to its end: run.json's residuals, step by step. */
#ifndef HK_PICTURE_CONVERGENCE_H
#define HK_PICTURE_CONVERGENCE_H
#include <jansson.h>
#include "picture/trace_plot.h"

/* A curve per step (the first ones): log10 of the residual over iterations. *out = NULL where there were none. */
hk_status hk_convergence_read(const json_t *run, hk_curves **out);
hk_status hk_convergence_plot(const hk_curves *curves, int width, hk_canvas **out);
#endif
