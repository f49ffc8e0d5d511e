/* What the analyses tell of a case whose mesh is not made, from a sample of it (hk_analysis.ahead). */
#ifndef HK_RUN_ESTIMATE_AHEAD_H
#define HK_RUN_ESTIMATE_AHEAD_H
#include "input/case/case.h"

struct json_t;

/* counts: nodes, elements and dofs of the whole. */
void hk_ahead_count(const hk_case_plan *plan, struct json_t *root);
/* quality: edges as long as those of the whole; no element is the worst. */
void hk_ahead_scale_edges(const hk_case_sample *sample, struct json_t *root);
#endif
