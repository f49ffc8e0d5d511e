/* Every analysis. */
#ifndef HK_RUN_ANALYSES_H
#define HK_RUN_ANALYSES_H
#include "run/session/analysis.h"

extern const hk_analysis hk_analysis_explicit, hk_analysis_static, hk_analysis_heat;
#define HK_ANALYSIS_LIST &hk_analysis_explicit, &hk_analysis_static, &hk_analysis_heat

/* Of steps of that kind. */
const hk_analysis *hk_analysis_of(hk_step_kind kind);
#endif
